"""The front page: one search box, the links used most, a key for each law, the chapters."""

from __future__ import annotations

from kb import address
from kb.model import Ref
from kb.publish import pages_guides, pages_other, pages_subjects
from kb.publish.context import Site
from kb.publish.markup import blocks, esc, front_matter, visible


def home_page(site: Site) -> str:
    """One search box, then the chapters."""
    site.read_laws()
    titles = {lang: esc(site.profile.titles.get(lang, "")) for lang in site.languages}
    lang = site.languages[0]
    meta: dict[str, object] = {
        "title": " / ".join(dict.fromkeys(visible(t) for t in site.profile.titles.values())),
        "description": visible(site.strings.text("about_text", lang)),
        "template": "home.html",
        "hint": pages_other.examples(site, "search_hint"),
    }
    page = "index.md"
    out = [
        f"# {site.strings.each(titles, escaped=True)} {{ #top }}",
        "<!-- box -->",
        _ways(site, page),
        "<!-- shelves -->",
        f"## {site.strings.both('keypad')} {{ #keypad }}",
        _keypad(site, page),
        f"## {site.strings.both('contents')} {{ #contents }}",
        pages_other.tree(site, page, None, deep=False),
        pages_other.completeness(site),
        "<!-- settings -->",
    ]
    return front_matter(meta) + blocks(out) + "\n"


def _ways(site: Site, page: str) -> str:
    """The links that are used most: procedures, situations, contents."""
    law = Ref(site.profile.law_work.name, site.edition)
    ways = [
        *([("guides", pages_guides.INDEX)] if site.guides else []),
        *([("topics", pages_guides.TOPICS)] if site.topics else []),
        ("contents", site.addresses.page(law)),
        ("subjects", pages_subjects.PAGE),
    ]
    links = [site.page_link(page, target, site.strings.both(key)) for key, target in ways]
    label = site.strings.plain("ways")
    return blocks([f'<nav class="ways" aria-label="{label}" markdown="1">', " ".join(links), "</nav>"])


def _keypad(site: Site, page: str) -> str:
    """A key for each law, marked by how much of its text is there, in words too."""
    keys = []
    for ref in site.law_pages:
        status = site.status(ref)
        word = site.strings.both("short_" + status.replace("-", "_"))
        hidden = "" if status == "text" else f'<span class="vh"> {word}</span>'
        number = esc(address.short(site.profile, ref))
        keys.append(f"[{number}{hidden}]({site.addresses.link(page, ref)}){{ .k-{status} }}")
    label = site.strings.plain("keypad")
    shown = dict.fromkeys(site.status(ref) for ref in site.law_pages)
    legend = " ".join(
        f'<span class="k-{status}">{site.strings.both("short_" + status.replace("-", "_"))}</span>'
        for status in ("text", "partial", "not-supplied", "repealed")
        if status in shown
    )
    return blocks(
        [
            f'<nav class="keypad" aria-label="{label}" markdown="1">',
            " ".join(keys),
            f"{legend}\n{{ .legend }}",
            "</nav>",
        ]
    )
