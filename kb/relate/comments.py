"""The comments as paragraphs: a comment with all below it, and what it cites."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from kb.model import Node, PlacedLink, Ref
from kb.profile import Profile

_MEANT = frozenset({"resolved", "not-supplied", "unknown"})


Order = Callable[[Ref], tuple[int, Ref]]
"""Sorting key of refs: reading order."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation in a paragraph. ``at``: where it stands, 0 opens the paragraph, 1 ends it."""

    target: Ref
    surface: str
    at: float


@dataclass(slots=True)
class Paragraph:
    """A comment with all that stands below it."""

    ref: Ref
    lang: str
    runs: list[tuple[Ref, str, str]] = field(default_factory=list)
    """Node, place in it (``text``, ``tail`` …) and text, in reading order."""
    cited: list[Cited] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All its text."""
        return "\n".join(text for _, _, text in self.runs)


def paragraphs(
    comments: Iterable[Node], links: Iterable[PlacedLink], profile: Profile, order: Order
) -> list[Paragraph]:
    """The comments that say something, in reading order whatever the order given.

    A comment is a node one step below the number of a law (``65.3``), with its items, or text right below
    the heading itself. Of several languages the one of the source counts, else the profile's first.
    """
    found: dict[tuple[Ref, bool, int, str], Paragraph] = {}
    rank = {code: number for number, code in enumerate(profile.languages)}
    nodes = [node for node in comments if not is_heading(node.ref, node.kind, profile)]
    for node in sorted(nodes, key=lambda node: (order(node.ref), node.lang)):
        ref = Ref(node.ref.work, node.ref.edition, node.ref.path[:2])
        runs = [("text", node.text), ("tail", node.tail)]
        runs += [(f"footnote {n}", note.text) for n, note in enumerate(node.footnotes, 1)]
        spoken = [(node.ref, where, text) for where, text in runs if text.strip()]
        if spoken:
            key = (ref, bool(node.rendering), rank.get(node.lang, len(rank)), node.lang)
            found.setdefault(key, Paragraph(ref, node.lang)).runs.extend(spoken)
    best: dict[Ref, Paragraph] = {}
    for key in sorted(found, key=lambda key: (order(key[0]), *key[1:])):
        best.setdefault(key[0], found[key])
    _cite(best.values(), links)
    return list(best.values())


def _cite(found: Iterable[Paragraph], links: Iterable[PlacedLink]) -> None:
    """Give each paragraph its citations, in reading order.

    One in brackets («см. также …») is an aside, no sign of what the paragraph is about.
    """
    by_place: dict[tuple[Ref, str, str], list[PlacedLink]] = {}
    for placed in links:
        if placed.link.status in _MEANT:
            by_place.setdefault((placed.at, placed.lang, placed.where), []).append(placed)
    for paragraph in found:
        whole = max(len(paragraph.text), 1)
        before = 0
        for ref, where, text in paragraph.runs:
            here = by_place.get((ref, paragraph.lang, where), [])
            for placed in sorted(here, key=lambda p: (p.link.citation.start, p.link.target)):
                start = placed.link.citation.start
                if text.count("(", 0, start) <= text.count(")", 0, start):
                    at = (before + start) / whole
                    paragraph.cited.append(Cited(placed.link.target, placed.link.citation.surface, at))
            before += len(text) + 1


def is_heading(ref: Ref, kind: str, profile: Profile) -> bool:
    """A heading groups what follows: it is no part of a provision's path and comments on nothing."""
    if not ref.path or ref.work not in profile.works:
        return True
    return any(level.heading and level.kind == kind for level in profile.works[ref.work].levels)
