"""From all that was found to the few hits that are shown: few of one law, and none that is far behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.search.backend import Found, Scored
from kb.search.ranking import AT_FIRST

MOST_OF_ONE = 4
"""Hits of one law, and of the commentary on it, in one list."""
CITED = 1000.0
"""Score of what is cited; what follows has one less each. What is cited stands whatever its law."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What answers a question, best first."""

    head: Sequence[Scored]
    """In order."""
    rest: Found | None = None
    """What ``head`` is the beginning of, with the points it had at first; nothing more without it."""
    floor: float = 0.0
    """Points a hit has at least."""

    def all(self) -> list[Scored]:
        """Every hit, in order."""
        return list(self._in_order(None))

    def spread(self, laws: Sequence[int], limit: int, cited: int = 0) -> tuple[list[Scored], int]:
        """The first ``limit`` hits, ``MOST_OF_ONE`` of a law at most, and how many there are in all.

        ``laws``: number of a document -> its law; ``cited``: how many at the head stand in any case.
        """
        counts: dict[int, int] = {}
        kept: list[Scored] = []
        for place, scored in enumerate(self._in_order(limit)):
            if len(kept) >= limit:
                break
            law = laws[scored.number]
            counts[law] = before = counts.get(law, 0) + 1
            if place < cited or before <= MOST_OF_ONE:
                kept.append(scored)
        return kept, self._total(laws, cited)

    def _in_order(self, limit: int | None) -> Iterator[Scored]:
        yield from (scored for scored in self.head if scored.score >= self.floor)
        if self.rest is None:
            return
        at = len(self.head)
        if limit is not None:
            first = self.rest.first(max(limit, AT_FIRST))
            yield from (scored for scored in first[at:] if scored.score >= self.floor)
            at = max(at, len(first))
        yield from (scored for scored in self.rest.first()[at:] if scored.score >= self.floor)

    def _total(self, laws: Sequence[int], cited: int) -> int:
        if self.rest is None:
            counts = Counter(laws[scored.number] for scored in self._in_order(None))
            free = Counter(laws[scored.number] for scored in self.head[:cited])
            return sum(max(free[law], min(count, MOST_OF_ONE)) for law, count in counts.items())
        before = self.rest.first(len(self.head))
        also = []
        if before and before[-1].score < self.floor:
            points = dict(before)
            also = [one.number for one in self.head if points[one.number] < self.floor <= one.score]
        return self.rest.total(laws, MOST_OF_ONE, self.floor, also)
