"""The page of a law: both languages, its commentary beside it, citations both ways, what is not there."""

from __future__ import annotations

import html
import json

from kb import address
from kb.model import Ref
from kb.publish import citethis, comments, pages_editions, provision
from kb.publish.context import DESCRIPTION, Site
from kb.publish.markup import blocks, front_matter, visible

TOOLS = "<!-- tools -->"
"""Where the template puts what one can do with a page."""


def law_page(site: Site, ref: Ref, before: Ref | None, after: Ref | None) -> str:
    """The Markdown of a law's page, front matter included."""
    page = site.addresses.page(ref)
    beside, rest = comments.by_place(site, ref)
    out = [
        breadcrumbs(site, page, ref),
        f'# {number(site, ref)} <span class="name">{provision.titles(site, ref)}</span> {{ #top }}',
        TOOLS,
        pages_editions.note(site, page, ref),
        provision.state(site, ref),
        pages_editions.elsewhere(site, ref),
        provision.body(site, page, ref),
        provision.footnotes(site, page, ref),
        provision.meta(site, page, ref),
        comments.index(site, page, ref),
        *[_provision(site, page, child, 2, beside) for child in site.kb.children(ref)],
        provision.body(site, page, ref, "tail"),
        _rest(site, page, rest),
        comments.missing(site, page),
        site.marks.listed(page),
        how_to_cite(site, ref),
        neighbours(site, page, ref, before, after),
    ]
    return head(site, ref) + blocks(out) + "\n"


_FORMS = (
    ("citing_short", "short"),
    ("citing_full", "full"),
    ("citing_markdown", "markdown"),
    ("citing_html", "html"),
)


def how_to_cite(site: Site, ref: Ref) -> str:
    """The forms to copy, folded; a script makes the addresses whole and shows the buttons."""
    made = citethis.forms(site.kb, site.profile, ref)
    named = [("citing_address", "", made["address"])]
    for key, form in _FORMS:
        named += [(key, lang, text) for lang, text in made[form].items()]
    named.append(("citing_bibtex", "", made["bibtex"].replace("\n", " ")))
    named.append(("citing_csl", "", json.dumps(made["csl"], ensure_ascii=False)))
    copy = site.strings.both("citing_copy")
    rows = []
    for number, (key, lang, text) in enumerate(named, 1):
        said = site.strings.both(key) + (f" ({lang})" if lang else "")
        spoken = f' lang="{lang}"' if lang else ""
        button = f'<button type="button" hidden aria-describedby="cite-{number}">{copy}</button>'
        code = f"<code{spoken}>{html.escape(text, quote=False)}</code>"
        rows.append(f'<dt id="cite-{number}">{said}</dt><dd>{code} {button}</dd>')
    head = f"<summary>{site.strings.both('citing_head')}</summary>"
    path = html.escape(made["address"])
    return f'<details class="citing" data-path="{path}">{head}<dl>{"".join(rows)}</dl></details>'


def number(site: Site, ref: Ref) -> str:
    """The name of a page's place as a link to itself, which also gives its permanent address."""
    part = " .part" if site.is_heading(ref) else ""
    return f"[{site.human_both(ref)}](#top){{ .m{part} data-permalink={site.addresses.permalinks(ref)[0]} }}"


def head(site: Site, ref: Ref) -> str:
    """Front matter: title and description in the corpus's languages, the permalink, the parent."""
    names = [name_and_title(site, ref, lang) for lang in site.languages]
    values: dict[str, object] = {
        "title": " / ".join(dict.fromkeys(visible(name) for name in names)),
        "description": description(site, ref),
        "permalink": site.addresses.permalinks(ref)[0] if ref.path else "",
        "number": "" if site.is_heading(ref) else address.short(site.profile, ref),
        "ref": str(ref),
        "data": f"api/v1/{ref}.json",
        "jsonld": citethis.json_ld(site.kb, site.profile, ref),
    }
    return front_matter(values)


def name_and_title(site: Site, ref: Ref, lang: str) -> str:
    """``Правило 65. Расположение взяток``."""
    titles = site.titles(ref)
    title = titles[lang][0] if lang in titles else ""
    return f"{site.human(ref, lang)}. {title}" if title else site.human(ref, lang)


def description(site: Site, ref: Ref) -> str:
    """The beginning of the text, or what stands below; plain, at most DESCRIPTION characters."""
    lang = site.languages[0]
    words = [name_and_title(site, ref, lang) + "."]
    for place in [ref, *site.kb.children(ref)]:
        node = site.nodes(place).get(lang)
        if node and node.text:
            words.append(node.text)
            break
    else:
        if site.status(ref) == "not-supplied":
            words.append(site.strings.text("state_not_supplied", lang))
        words += [site.title_text(child, lang) for child in site.kb.children(ref)[:5]]
    text = visible(" ".join(words))
    return text if len(text) <= DESCRIPTION else text[: DESCRIPTION - 1].rpartition(" ")[0] + "…"


def breadcrumbs(site: Site, page: str, ref: Ref) -> str:
    """Contents › chapter › part, each a link."""
    chain: list[Ref] = []
    entry = site.kb.entry(ref)
    while entry is not None and entry.parent is not None:
        chain.insert(0, entry.parent)
        entry = site.kb.entry(entry.parent)
    root = Ref(ref.work, ref.edition)
    links = [site.ref_link(page, root, site.strings.both("contents"))]
    for above in chain:
        title = provision.titles(site, above, notes=False)
        links.append(site.ref_link(page, above, f"{site.human_both(above)}. {title}"))
    label = site.strings.plain("breadcrumbs")
    return blocks([f'<nav class="crumbs" aria-label="{label}" markdown="1">', " ".join(links), "</nav>"])


def _provision(site: Site, page: str, ref: Ref, level: int, beside: dict[Ref, list[Ref]]) -> str:
    anchor = site.addresses.anchor(ref)
    status = site.status(ref)
    return blocks(
        [
            f'<section class="p s-{status}" id="{anchor}" aria-labelledby="{anchor}-h" markdown="1">',
            provision.heading(site, ref, level),
            provision.state(site, ref, own=False),
            provision.body(site, page, ref),
            provision.footnotes(site, page, ref),
            pages_editions.line(site, ref),
            provision.meta(site, page, ref),
            *[comments.comment(site, page, comment) for comment in beside.get(ref, [])],
            *[_provision(site, page, child, level + 1, beside) for child in site.kb.children(ref)],
            provision.body(site, page, ref, "tail"),
            "</section>",
        ]
    )


def _rest(site: Site, page: str, rest: list[Ref]) -> str:
    if not rest:
        return ""
    return blocks(
        [
            '<section class="rest" aria-labelledby="rest-h" markdown="1">',
            f"## {site.strings.both('comments_rest')} {{ #rest-h }}",
            *[comments.comment(site, page, comment) for comment in rest],
            "</section>",
        ]
    )


def neighbours(site: Site, page: str, ref: Ref, before: Ref | None, after: Ref | None) -> str:
    """Previous, up, next."""
    entry = site.kb.entry(ref)
    up = entry.parent if entry and entry.parent else Ref(ref.work, ref.edition)
    links = []
    for key, target in (("previous", before), ("up", up), ("next", after)):
        if target is not None:
            text = f"<small>{site.strings.both(key)}</small> {site.human_both(target)}"
            links.append(f"{site.ref_link(page, target, text)}{{ .{key} }}")
    label = site.strings.plain("page_nav")
    return blocks([f'<nav class="turn" aria-label="{label}" markdown="1">', " ".join(links), "</nav>"])
