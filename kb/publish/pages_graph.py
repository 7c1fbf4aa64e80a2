"""Who cites whom: the provisions that are cited most, a map of the laws as SVG, and the same as a table."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from kb import address
from kb.model import Ref
from kb.publish.context import DESCRIPTION, LEADS_HERE, Site
from kb.publish.markup import attribute, blocks, esc_html, front_matter, visible
from kb.publish.pages_law import name_and_title

PAGE = "citations.md"
MOST = 20
"""Provisions in the list of those that are cited most."""
_SIDE, _RADIUS, _DOT = 1000, 430, 17


@dataclass(frozen=True)
class Graph:
    """The citations from one law to another; those of a comment count as of the law it stands beside."""

    edges: dict[tuple[Ref, Ref], int]
    """(citing law, cited law) -> how many citations."""
    cited: dict[Ref, int]
    """Provision -> how many places of other laws cite it."""

    @property
    def laws(self) -> set[Ref]:
        return {ref for edge in self.edges for ref in edge}


def graph(site: Site) -> Graph:
    """Read all links once."""
    owner = {site.addresses.page(ref): ref for ref in site.law_pages}
    edges: dict[tuple[Ref, Ref], int] = {}
    places: dict[Ref, set[Ref]] = {}
    for placed in site.kb.links():
        target = placed.link.target
        if placed.link.status not in LEADS_HERE or site.known(target) != target or not target.path:
            continue
        source, law = owner.get(site.addresses.page(placed.at)), owner.get(site.addresses.page(target))
        if source is not None and law is not None and source != law:
            edges[source, law] = edges.get((source, law), 0) + 1
            places.setdefault(target, set()).add(placed.at)
    return Graph(edges, {ref: len(found) for ref, found in places.items()})


def page(site: Site, found: Graph) -> str:
    """The list, the map and the table."""
    lang = site.languages[0]
    titles = dict.fromkeys(site.strings.text("citations_title", code) for code in site.languages)
    values: dict[str, object] = {
        "title": " / ".join(titles),
        "description": visible(site.strings.text("citations_intro", lang))[:DESCRIPTION],
        "wide": True,
    }
    laws = [ref for ref in site.law_pages if ref in found.laws]
    out = [
        f"# {site.strings.both('citations_title')} {{ #top }}",
        site.strings.both("citations_intro"),
        f"## {site.strings.both('citations_most')} {{ #most }}",
        _most(site, found),
        f"## {site.strings.both('citations_map')} {{ #map }}",
        f"[{site.strings.both('citations_skip')}](#table)\n{{ .sum }}",
        _map(site, found, laws),
        f"## {site.strings.both('citations_table')} {{ #table }}",
        _table(site, found, laws),
    ]
    return front_matter(values) + blocks(out) + "\n"


def _most(site: Site, found: Graph) -> str:
    order = {entry.ref: n for n, entry in enumerate(site.kb.entries())}
    top = sorted(found.cited, key=lambda ref: (-found.cited[ref], order.get(ref, len(order)), str(ref)))[
        :MOST
    ]
    lines = []
    for ref in top:
        title = site.strings.each({code: title for code, (title, _) in site.titles(ref).items()})
        text = f"{site.human_both(ref)}" + (f". {title}" if title else "")
        count = site.strings.both("n_places", n=found.cited[ref])
        lines.append(f'<li>{_link(site, ref, text)} <span class="tag">{count}</span></li>')
    return '<div class="most">\n<ol>\n' + "\n".join(lines) + "\n</ol>\n</div>"


def _link(site: Site, ref: Ref, text: str) -> str:
    return f'<a href="../{site.addresses.url(ref)}">{text}</a>'


def _map(site: Site, found: Graph, laws: list[Ref]) -> str:
    """Laws stand on a circle in their order; a line for each pair of which one cites the other."""
    if not laws:
        return ""
    at = {ref: _place(n, len(laws)) for n, ref in enumerate(laws)}
    lines = [_line(at[a], at[b], count) for (a, b), count in sorted(found.edges.items())]
    dots = [_dot(site, ref, at[ref]) for ref in laws]
    label = site.strings.plain("citations_map")
    return (
        f'<div class="map wide" role="region" tabindex="0" aria-label="{label}">\n'
        f'<svg viewBox="0 0 {_SIDE} {_SIDE}" role="group" aria-label="{label}">\n'
        + '<g class="lines" aria-hidden="true">\n'
        + "\n".join(lines)
        + "\n</g>\n"
        + "\n".join(dots)
        + "\n</svg>\n</div>"
    )


def _place(number: int, total: int) -> tuple[float, float]:
    turn = 2 * math.pi * number / total - math.pi / 2
    return _SIDE / 2 + _RADIUS * math.cos(turn), _SIDE / 2 + _RADIUS * math.sin(turn)


def _line(a: tuple[float, float], b: tuple[float, float], count: int) -> str:
    middle = _SIDE / 2
    near = 1 - math.dist(a, b) / (2 * _RADIUS)
    pull = 0.1 + 0.35 * near  # neighbours are joined near the rim, opposites through the middle
    bend = tuple(middle + (one + other - 2 * middle) * pull for one, other in zip(a, b, strict=True))
    path = f"M{a[0]:.1f} {a[1]:.1f}Q{bend[0]:.1f} {bend[1]:.1f} {b[0]:.1f} {b[1]:.1f}"
    return f'<path d="{path}" stroke-width="{min(1 + count, 6)}"/>'


def _dot(site: Site, ref: Ref, at: tuple[float, float]) -> str:
    x, y = at
    name = attribute(" / ".join(dict.fromkeys(name_and_title(site, ref, lang) for lang in site.languages)))
    number = esc_html(address.short(site.profile, ref))
    status = site.status(ref)
    return (
        f'<a href="../{site.addresses.url(ref)}" aria-label="{name}" class="k-{status}"><title>{name}</title>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_DOT}"/>'
        f'<text x="{x:.1f}" y="{y + 6:.1f}">{number}</text></a>'
    )


def _table(site: Site, found: Graph, laws: list[Ref]) -> str:
    rows = []
    for ref in laws:
        out = _numbers(site, (b for a, b in found.edges if a == ref))
        back = _numbers(site, (a for a, b in found.edges if b == ref))
        text = site.human_both(ref)
        rows.append(f'<tr><th scope="row">{_link(site, ref, text)}</th><td>{out}</td><td>{back}</td></tr>')
    head = "".join(
        f'<th scope="col">{site.strings.both(key)}</th>' for key in ("citations_law", "cites", "cited_from")
    )
    label = site.strings.plain("citations_table")
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{label}">'
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n" + "\n".join(rows) + "\n</tbody></table></div>"
    )


def _numbers(site: Site, refs: Iterable[Ref]) -> str:
    order = {ref: n for n, ref in enumerate(site.law_pages)}
    known = sorted(set(refs), key=order.__getitem__)
    return ", ".join(_link(site, ref, esc_html(address.short(site.profile, ref))) for ref in known) or "—"
