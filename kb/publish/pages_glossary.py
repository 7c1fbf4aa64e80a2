"""The glossary: each term with its names, what it means, and where the texts use it."""

from __future__ import annotations

from kb.model import Ref
from kb.publish import pages_other, provision, terms
from kb.publish.context import Site

PAGE = "glossary.md"
MOST = 16
"""Places named one by one; of a term that is met more often only the laws they are in."""
MOST_LAWS = 40
"""Laws named; of the others the count."""


def page(site: Site) -> str:
    """Terms by the main language: names in every language, what it means, notes, where it is used."""
    uses = site.marks.uses
    items = [terms.entry(site, term, where(site, uses.get(term.id, []))) for term in site.glossary]
    return pages_other.simple(site, "glossary", ['<dl class="glossary">\n' + "\n".join(items) + "\n</dl>"])


def where(site: Site, refs: list[Ref]) -> str:
    """Where a term is used, as HTML: places, or laws when they are many; empty when nowhere."""
    shown = (
        refs if len(refs) <= MOST else list(dict.fromkeys(Ref(r.work, r.edition, r.path[:1]) for r in refs))
    )
    if not shown:
        return ""
    rest = len(shown) - MOST_LAWS
    links = provision.places_html(site, "../", shown[:MOST_LAWS])
    more = f" {site.strings.both('and_more', n=rest)}" if rest > 0 else ""
    return f'<small class="used-in">{site.strings.both("term_used")} {links}{more}</small>'
