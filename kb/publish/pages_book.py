"""The whole code on one page, for printing and for reading through: texts and footnotes, no apparatus."""

from __future__ import annotations

from collections.abc import Iterator

from kb.model import Ref
from kb.publish import pages_editions, provision
from kb.publish.context import DESCRIPTION, Site
from kb.publish.markup import blocks, esc, front_matter, visible

DEEPEST = 6
MOST = 300
"""Laws on one page."""


def fits(site: Site) -> bool:
    """Whether the whole of it is something that a browser shows and a person prints."""
    return len(site.law_pages) <= MOST


def page_of(site: Site) -> str:
    """``laws/1987/all.md``."""
    return f"{site.profile.law_work.name}/{site.edition}/all.md"


def page(site: Site) -> str:
    """Chapters, parts, laws and what stands below, in order; what has no text says so in a line."""
    name = page_of(site)
    root = Ref(site.profile.law_work.name, site.edition)
    titles = {lang: site.profile.titles.get(lang, "") for lang in site.languages}
    lang = site.languages[0]
    values: dict[str, object] = {
        "title": " / ".join(dict.fromkeys(site.strings.text("book", code) for code in site.languages)),
        "description": visible(f"{site.strings.text('book', lang)}. {titles[lang]}")[:DESCRIPTION],
    }
    out = [
        f"# {site.content(titles)} {{ #top }}",
        '<div class="tools"><button type="button" data-tool="print">'
        f"{site.strings.both('print')}</button></div>",
        pages_editions.note(site, name, root),
        '<div class="book" markdown="1">',
        *_under(site, name, None, 2),
        "</div>",
    ]
    return front_matter(values) + blocks(out) + "\n"


def _under(site: Site, page: str, parent: Ref | None, level: int) -> Iterator[str]:
    for ref in site.kb.children(parent):
        if ref.work == site.profile.law_work.name:
            yield from _place(site, page, ref, level)


def _place(site: Site, page: str, ref: Ref, level: int) -> Iterator[str]:
    titles = provision.titles(site, ref, notes=False)
    whole = len(ref.path) == 1 or site.is_heading(ref)
    name = site.human_both(ref) if whole else esc(ref.path[-1])
    yield f'{"#" * min(level, DEEPEST)} <span class="no">{name}.</span> {titles} {{ #b-{ref.dotted} }}'
    if not site.is_heading(ref) or not site.kb.children(ref):
        yield provision.state(site, ref, own=False)
    yield provision.body(site, page, ref, marks=False)
    yield provision.footnotes(site, page, ref, marks=False)
    yield from _under(site, page, ref, level + 1)
    yield provision.body(site, page, ref, "tail", marks=False)
