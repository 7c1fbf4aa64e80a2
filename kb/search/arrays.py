"""Postings summed up into points, for all documents at once: what the searchers of whoosh and tantivy share.

``tests/plainranking.py`` does the same a document at a time; the points are the same to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.search.backend import Clause, Found, Plan, Scored
from kb.search.keeping import Kept
from kb.search.ranking import (
    ALL,
    AT_FIRST,
    COVERAGE,
    SATURATION,
    SITUATION,
    SITUATIONS,
    UNIT,
    led,
    rarity,
)

Numbers = NDArray[np.intp]
Weights = NDArray[np.int32]
Points = NDArray[np.float64]

_ENTRIES = 8_000_000
"""Entries of all terms, and of all clauses, that are kept: of sixteen bytes at most."""
_DOCUMENTS = 20_000
"""Documents that are kept."""
_MOST_HAVE = 8
"""One of so many documents has a word: then its points are held for all."""
_FILTERS = 64
"""Filters whose documents are kept."""
_NOTHING = 1e-300


@dataclass(frozen=True, slots=True)
class Word:
    """Of a clause: the documents that have it, 0 to 1 for each, and how many there are."""

    numbers: Numbers | slice
    """All of them, where most have it: so it is added up much faster."""
    values: Points
    has: Points | float
    """1 for those that have it."""
    having: float


class Arrayed:
    """What a search found, as arrays that belong together: numbers ascending, and their points."""

    def __init__(self, numbers: Numbers, points: Points) -> None:
        self._numbers = numbers
        self._points = points
        self._ordered: list[Scored] = []

    def first(self, count: int | None = None) -> list[Scored]:
        """The best, or all; equal scores by number."""
        size = len(self._points)
        wanted = size if count is None else min(count, size)
        if wanted > len(self._ordered):
            self._ordered = self._order(min(size, max(wanted, AT_FIRST)))
        return self._ordered[:wanted]

    def _order(self, count: int) -> list[Scored]:
        numbers, points = self._numbers, self._points
        if count < len(points):
            best = points >= np.partition(points, len(points) - count)[len(points) - count]
            numbers, points = numbers[best], points[best]
        order = np.argsort(-points, kind="stable")[:count]
        return list(map(Scored, numbers[order].tolist(), points[order].tolist()))

    def total(self, of: Sequence[int], most: int, least: float, also: Sequence[int] = ()) -> int:
        """How many have ``least`` points, at most ``most`` of one place; ``also``: numbers that count too."""
        places = np.asarray(of)
        counted = np.append(self._numbers[self._points >= least], np.array(also, np.intp))
        counts = np.bincount(places[counted])
        return int(np.minimum(counts, most).sum())


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

    def documents(self, numbers: Sequence[int]) -> list[Mapping[str, Any]]:
        """What was stored with each."""
        return [self._document(number) for number in numbers]

    def explain(self, plan: Plan, number: int) -> list[tuple[str, str, float]]:
        """What each word added to a document's score, before its prior: ``(word, term, points)``."""
        count = self._extent("")[2]
        told = []
        for clause in plan.clauses:
            word = self._word(clause, "")
            points = self._points_in(word, number) * rarity(clause, count, word.having)
            if points:
                told.append((clause.word, self._best_term(clause, number), points))
        situations = self._led_to(plan).get(number, 0.0) + plan.given.get(number, 0.0)
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
        floor = max(least * float(points.max(initial=0.0)), _NOTHING)
        numbers = np.flatnonzero(points >= floor)
        return Arrayed(numbers, points[numbers])

    def _points(self, plan: Plan) -> Points:
        if not plan.clauses:
            return self._priors / 100 if plan.must or plan.never else np.zeros(len(self._priors))
        points = self._sums(plan.clauses, "") * self._priors / 100
        for given in (self._led_to(plan), plan.given):
            for number, more in given.items():
                points[number] += more
        return points

    def _sums(self, clauses: Sequence[Clause], head: str) -> Points:
        """Points of all documents, or of all situations, for all clauses."""
        _, size, count = self._extent(head)
        points, covered = np.zeros(size), np.zeros(size)
        whole = 0.0
        for clause in clauses:
            word = self._word(clause, head)
            if not word.having:
                continue
            rare = rarity(clause, count, word.having)
            points[word.numbers] += rare * word.values
            if clause.counts:
                whole += rare
                covered[word.numbers] += rare * word.has
        return points * (1 + COVERAGE * covered / whole) if whole else points

    def _led_to(self, plan: Plan) -> dict[int, float]:
        """What the situations most like the query give to the provisions they lead to."""
        first, size, count = self._extent(SITUATION)
        if not count:
            return {}
        points = self._sums(plan.clauses, SITUATION)
        numbers = np.flatnonzero(points)
        best = Arrayed(numbers, points[numbers]).first(SITUATIONS)
        matched = np.zeros(size)
        for clause in plan.clauses:
            if clause.counts:
                word = self._word(clause, SITUATION)
                matched[word.numbers] += clause.weight * word.has
        alike = [(number + first, score, float(matched[number])) for number, score in best]
        return led(alike, self._lead)

    @cached_property
    def _priors(self) -> Points:
        numbers, weights = self.postings(ALL)
        priors = np.zeros(int(numbers[-1]) + 1 if len(numbers) else 0)
        priors[numbers] = weights
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
        """What a word has in one document, 0 to 1."""
        if isinstance(word.numbers, slice):
            return float(word.values[number])
        at = int(np.searchsorted(word.numbers, number))
        return float(word.values[at]) if at < len(word.numbers) and word.numbers[at] == number else 0.0

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
        return self._clauses.get(
            (head, clause.terms), lambda: self._put_together(clause, head), lambda word: 2 * len(word.values)
        )

    def _put_together(self, clause: Clause, head: str) -> Word:
        """The best of the clause's terms in each document."""
        first, size, _ = self._extent(head)
        best, by = np.zeros(size), np.zeros(size)
        limit = SATURATION * UNIT
        for term, weight in clause.terms:
            numbers, weights = self.postings(head + term)
            numbers = numbers - first
            values = weight * weights / (limit + weights)
            more = values > best[numbers]
            numbers = numbers[more]
            best[numbers] = values[more]
            by[numbers] = weight
        found = np.flatnonzero(best)
        having = math.fsum(by[found].tolist())
        if len(found) * _MOST_HAVE > size:
            return Word(slice(None), best, (best > 0).astype(np.float64), having)
        return Word(found, best[found], 1.0, having)
