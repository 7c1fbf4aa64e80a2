"""Postings summed up into points, for all documents at once: what the searchers of whoosh and tantivy share.

``tests/plainranking.py`` does the same a document at a time; the points are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.search.backend import Clause, Found, Plan, Scored, made_scored
from kb.search.keeping import Kept
from kb.search.leads import Leads
from kb.search.ranking import (
    ALL,
    AT_FIRST,
    COVERAGE,
    SATURATION,
    SITUATION,
    SITUATIONS,
    UNIT,
    rarity,
)

Numbers = NDArray[np.intp]
Weights = NDArray[np.int32]
Points = NDArray[np.float64]
Pairs = NDArray[np.complex128]
"""Two sums in one number, added up together: points, and how much of the query is covered."""

_ENTRIES = 8_000_000
"""Entries of all terms, and of all clauses, that are kept: of sixteen bytes at most."""
_DOCUMENTS = 20_000
"""Documents that are kept."""
_SITUATIONS = 20_000
"""Situations that are read beforehand: some twenty microseconds each."""
_MOST_HAVE = 16
"""One of so many documents has a word: then its points are held for all."""
_FILTERS = 64
"""Filters whose documents are kept."""
_NOTHING = 1e-300
_NOWHERE: tuple[Numbers, Pairs] = np.zeros(0, np.intp), np.zeros(0, np.complex128)
_NONE: tuple[Numbers, Points] = np.zeros(0, np.intp), np.zeros(0)
_NEAR = (0.75, 0.5, 0.25)
"""Parts of the best one's points above which the first hits are looked for, before they are among all."""


@dataclass(frozen=True, slots=True)
class Word:
    """Of a clause: the documents that have it, and what they get for it."""

    numbers: Numbers | slice
    """All of them, where many have it: so it is added up much faster."""
    points: Pairs
    """0 to ``rare`` for each; and, where the clause counts, ``rare`` for those that have it."""
    matched: Points | float
    """Of situations: the weight of the clause for those that have it."""
    rare: float
    """How much the word tells; 0 when none has it."""


class Arrayed:
    """What a search found, as arrays that belong together: numbers ascending, and their points.

    ``floor``: points they all have at least; ``top``: those of the best.
    """

    def __init__(
        self, numbers: Numbers, points: Points, floor: float = 0.0, top: float | None = None
    ) -> None:
        self._numbers = numbers
        self._points = points
        self._floor = floor
        self._top = top if top is not None else float(points.max()) if len(points) else 0.0
        self._ordered: list[Scored] = []

    def first(self, count: int | None = None) -> list[Scored]:
        """The best, or all; equal scores by number."""
        size = len(self._points)
        wanted = size if count is None else min(count, size)
        if wanted > len(self._ordered):
            self._ordered = self._order(min(size, max(wanted, AT_FIRST)))
        return self._ordered[:wanted]

    def _order(self, count: int) -> list[Scored]:
        numbers, points = _best(self._numbers, self._points, count, self._top)
        order = (-points).argsort(kind="stable")[:count]
        found = zip(numbers.take(order).tolist(), points.take(order).tolist(), strict=True)
        return list(map(made_scored, found))

    def total(self, of: Sequence[int], most: int, least: float, also: Sequence[int] = ()) -> int:
        """How many have ``least`` points, at most ``most`` of one place; ``also``: numbers that count too."""
        places = np.asarray(of)
        counted = self._numbers if least <= self._floor else self._numbers[self._points >= least]
        if also:
            counted = np.append(counted, np.array(also, np.intp))
        counts = np.bincount(places.take(counted))
        return int(np.minimum(counts, most).sum())


def _best(numbers: Numbers, points: Points, count: int, top: float) -> tuple[Numbers, Points]:
    """The best ``count``, and perhaps some that follow; by their numbers. ``top``: points of the best."""
    if count >= len(points):
        return numbers, points
    for part in _NEAR:
        near = (points >= part * top).nonzero()[0]
        if len(near) >= count:
            numbers, points = numbers.take(near), points.take(near)
            break
    if len(points) <= 2 * count:
        # So few are put in order as soon as they are picked.
        return numbers, points
    last = len(points) - count
    best = points >= np.partition(points, last)[last]
    return numbers[best], points[best]


class Ranked:
    """The ranking, over the postings and documents that each engine reads. Threads may share it."""

    quick = True

    def __init__(
        self,
        postings: Callable[[str], tuple[Numbers, Weights]],
        document: Callable[[int], Mapping[str, Any]],
    ) -> None:
        """``postings``: those of a term, by documents, ascending."""
        self._read_term = postings
        self._document = lru_cache(maxsize=_DOCUMENTS)(document)
        self._terms: Kept[tuple[Numbers, Weights]] = Kept(_ENTRIES)
        self._clauses: Kept[Word] = Kept(_ENTRIES)
        self._masks: Kept[NDArray[np.bool_]] = Kept(_FILTERS)

    def postings(self, term: str) -> tuple[Numbers, Weights]:
        """The documents that have a term, ascending, with their weights."""
        return self._terms.get(term, lambda: self._read_term(term), lambda found: len(found[0]))

    def warm(self, terms: Iterable[str]) -> None:
        """Read where situations lead: most questions are like some."""
        first, size, count = self._extent(SITUATION)
        if size and count <= _SITUATIONS:
            self._leads.read(self.postings(SITUATION + ALL)[0] - first)

    def documents(self, numbers: Sequence[int]) -> list[Mapping[str, Any]]:
        """What was stored with each."""
        return [self._document(number) for number in numbers]

    def explain(self, plan: Plan, number: int) -> list[tuple[str, str, float]]:
        """What each word added to a document's score, before its prior: ``(word, term, points)``."""
        told = []
        for clause in plan.clauses:
            points = self._points_in(self._word(clause, ""), number)
            if points:
                told.append((clause.word, self._best_term(clause, number), points))
        led, given = self._led_to(plan)
        situations = float(given[led == number].sum()) + plan.given.get(number, 0.0)
        return told + ([("", SITUATION, situations)] if situations else [])

    def close(self) -> None:
        """Forget what is kept."""
        del self._read_term, self._document, self._terms, self._clauses, self._masks

    def search(self, plan: Plan, least: float = 0.0) -> Found:
        """The documents that match."""
        points = self._points(plan)
        for choice in plan.must:
            points = np.where(self._having(choice), points, 0.0)
        if plan.never:
            points = np.where(self._having(plan.never), 0.0, points)
        # What matches has more than no points.
        top = float(points.max()) if len(points) else 0.0
        floor = max(least * top, _NOTHING)
        numbers = (points >= floor).nonzero()[0]
        # `take` picks what an index in brackets does, in half the time.
        return Arrayed(numbers, points.take(numbers), floor, top)

    def _points(self, plan: Plan) -> Points:
        if not plan.clauses:
            return self._priors.copy() if plan.must or plan.never else np.zeros(len(self._priors))
        points = self._sums(plan.clauses, "")
        points *= self._priors
        for numbers, more in (self._led_to(plan), _given(plan)):
            if len(numbers):
                points[numbers] += more
        return points

    def _sums(self, clauses: Sequence[Clause], head: str) -> Points:
        """Points of all documents, or of all situations, for all clauses."""
        words = [(self._word(clause, head), clause.counts) for clause in clauses]
        pairs = self._added([word for word, _ in words if word.rare], self._extent(head)[1])
        whole = sum([word.rare for word, counts in words if counts])
        if not whole:
            return pairs.real.copy()
        points: Points = pairs.imag * (COVERAGE / whole)
        points += 1
        points *= pairs.real
        return points

    def _added(self, words: Sequence[Word], size: int) -> Pairs:
        """The points of words, added up in their order; not to be written to."""
        if not words:
            return np.zeros(size, np.complex128)
        first, *others = words
        if not isinstance(first.numbers, slice):
            pairs = np.zeros(size, np.complex128)
            pairs[first.numbers] = first.points
        elif others:
            pairs = first.points.copy()
        else:
            return first.points
        for word in others:
            if isinstance(word.numbers, slice):
                pairs += word.points
            else:
                pairs[word.numbers] += word.points
        return pairs

    def _led_to(self, plan: Plan) -> tuple[Numbers, Points]:
        """The provisions that situations most like the query lead to, and what they give each."""
        size = self._extent(SITUATION)[1]
        if not size:
            return _NONE
        points = self._sums(plan.clauses, SITUATION)
        numbers = points.nonzero()[0]
        numbers, points = _best(numbers, points[numbers], SITUATIONS, float(points.max()))
        order = (-points).argsort(kind="stable")[:SITUATIONS]
        numbers, points = numbers[order], points[order]
        matched = np.zeros(size)
        for clause in plan.clauses:
            if clause.counts:
                word = self._word(clause, SITUATION)
                matched[word.numbers] += word.matched
        return self._leads.given(numbers, points, matched[numbers])

    @cached_property
    def _leads(self) -> Leads:
        first, size, _ = self._extent(SITUATION)
        return Leads(size, lambda number: self._lead(first + number))

    @cached_property
    def _priors(self) -> Points:
        numbers, weights = self.postings(ALL)
        priors = np.zeros(int(numbers[-1]) + 1 if len(numbers) else 0)
        priors[numbers] = weights / 100
        return priors

    @cached_property
    def _situations(self) -> tuple[int, int, int]:
        numbers, _ = self.postings(SITUATION + ALL)
        if not len(numbers):
            return 0, 0, 0
        return int(numbers[0]), int(numbers[-1] - numbers[0]) + 1, len(numbers)

    def _extent(self, head: str) -> tuple[int, int, int]:
        """The first number, the room for all, and how many there are: of documents, or of situations."""
        return self._situations if head else (0, len(self._priors), len(self.postings(ALL)[0]))

    def _having(self, terms: tuple[str, ...]) -> NDArray[np.bool_]:
        """Which documents have one of the terms."""

        def made() -> NDArray[np.bool_]:
            mask = np.zeros(len(self._priors), dtype=np.bool_)
            for term in terms:
                mask[self.postings(term)[0]] = True
            return mask

        return self._masks.get(terms, made, lambda _: 1)

    def _points_in(self, word: Word, number: int) -> float:
        """What one document gets for a word."""
        if isinstance(word.numbers, slice):
            return float(word.points[number].real)
        at = int(np.searchsorted(word.numbers, number))
        return float(word.points[at].real) if at < len(word.numbers) and word.numbers[at] == number else 0.0

    def _best_term(self, clause: Clause, number: int) -> str:
        def value(pair: tuple[str, float]) -> float:
            numbers, weights = self.postings(pair[0])
            have = float(weights[numbers == number].sum())
            return pair[1] * have / (SATURATION * UNIT + have)

        return max(clause.terms, key=value)[0]

    def _lead(self, number: int) -> tuple[Sequence[int], float]:
        situation = self._document(number)
        return situation["leads"], situation["size"]

    def _word(self, clause: Clause, head: str) -> Word:
        key = head, clause.terms, clause.weight, clause.counts
        held = self._clauses.held(key)
        if held is None:
            held = self._put_together(clause, head)
            self._clauses.put(key, held, 3 * len(held.points) + 1)
        return held

    def _put_together(self, clause: Clause, head: str) -> Word:
        """The best of the clause's terms in each document."""
        terms = [(*self.postings(head + term), weight) for term, weight in clause.terms]
        terms = [one for one in terms if len(one[0])]
        if not terms:
            return Word(*_NOWHERE, clause.weight, 0.0)
        first, size, count = self._extent(head)
        best, by = np.zeros(size), np.zeros(size, np.intp)
        limit = SATURATION * UNIT
        for place, (numbers, weights, weight) in enumerate(terms):
            numbers = numbers - first
            values = weight * weights / (limit + weights)
            more = values > best.take(numbers)
            numbers = numbers[more]
            best[numbers] = values[more]
            by[numbers] = place
        found = best.nonzero()[0]
        having = _times(np.bincount(by.take(found)).tolist(), [weight for *_, weight in terms])
        rare = rarity(clause, count, having) if having else 0.0
        if len(found) * _MOST_HAVE > size:
            has = (best > 0).astype(np.float64)
            matched = clause.weight * has if head else clause.weight
            return Word(slice(None), _paired(rare * best, clause.counts * rare * has), matched, rare)
        return Word(found, _paired(rare * best[found], clause.counts * rare), clause.weight, rare)


def _times(counts: Sequence[int], weights: Sequence[float]) -> float:
    """Weights added up as often as is counted, rounded once, as `math.fsum` does."""
    return float(sum(Fraction(weight) * count for count, weight in zip(counts, weights, strict=False)))


def _paired(points: Points, covered: Points | float) -> Pairs:
    pairs = points.astype(np.complex128)
    pairs.imag = covered
    return pairs


def _given(plan: Plan) -> tuple[Numbers, Points]:
    """What documents have besides, as arrays."""
    size = len(plan.given)
    if not size:
        return _NONE
    return np.fromiter(plan.given, np.intp, size), np.fromiter(plan.given.values(), np.float64, size)
