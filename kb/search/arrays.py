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
Bits = NDArray[np.uint8]

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
_NONE: tuple[Numbers, Points] = np.zeros(0, np.intp), np.zeros(0)
_NO_BITS: Bits = np.zeros(0, np.uint8)
_BITS = 8
"""Words of a query of which a byte a document says which it has."""
_NEAR = (0.75, 0.5, 0.25)
"""Parts of the best one's points above which the first hits are looked for, before they are among all."""


@dataclass(frozen=True, slots=True)
class Word:
    """Of a clause: the documents that have it, and what they get for it."""

    numbers: Numbers | None
    """Theirs; None where many have it: then its points are those of all, so it is added up much faster."""
    points: Points
    """0 to ``rare`` for each."""
    has: Bits
    """Of all, where many have it: 1 for those that do."""
    rare: float
    """How much the word tells; 0 when none has it."""

    @property
    def having(self) -> Numbers:
        """The numbers of those that have it."""
        return self.has.nonzero()[0] if self.numbers is None else self.numbers

    @property
    def size(self) -> int:
        """Entries it takes, of sixteen bytes."""
        own = 0 if self.numbers is None else self.numbers.nbytes
        return (own + self.points.nbytes + self.has.nbytes) // 16 + 1


class Arrayed:
    """What a search found: the points of all documents, of which those count that have ``floor``, above 0.

    ``top``: points of the best.
    """

    def __init__(self, points: Points, floor: float, top: float) -> None:
        self._points = points
        self._floor = floor
        self._top = top
        self._ordered: list[Scored] = []
        self._size = len(points)
        """As many as there are at most."""

    def first(self, count: int | None = None) -> list[Scored]:
        """The best, or all; equal scores by number."""
        wanted = self._size if count is None else min(count, self._size)
        if wanted > len(self._ordered):
            self._ordered = self._order(max(wanted, AT_FIRST))
            if len(self._ordered) < wanted:
                self._size = len(self._ordered)
        return self._ordered[:wanted]

    def _order(self, count: int) -> list[Scored]:
        numbers, points = _best(self._points, count, self._top, self._floor)
        order = (-points).argsort(kind="stable")[:count]
        found = zip(numbers.take(order).tolist(), points.take(order).tolist(), strict=True)
        return list(map(made_scored, found))

    def total(self, of: Sequence[int], most: int, least: float, also: Sequence[int] = ()) -> int:
        """How many have ``least`` points, at most ``most`` of one place; ``also``: numbers that count too."""
        # Numbers, then what stands at them: twice as quick as to pick it by an array of truths.
        counted = (self._points >= max(least, self._floor)).nonzero()[0]
        if also:
            counted = np.append(counted, np.array(also, np.intp))
        counts = np.bincount(np.asarray(of).take(counted))
        return int(np.minimum(counts, most, out=counts).sum())


def _best(points: Points, count: int, top: float, floor: float) -> tuple[Numbers, Points]:
    """Numbers of the best ``count`` that have ``floor`` points, ascending, and perhaps of some that follow;
    and the points of each. ``top``: points of the best."""
    for part in _NEAR:
        if part * top <= floor:
            break
        numbers = (points >= part * top).nonzero()[0]
        if len(numbers) >= count:
            return _fewer(numbers, points.take(numbers), count)
    numbers = (points >= floor).nonzero()[0]
    return _fewer(numbers, points.take(numbers), count)


def _fewer(numbers: Numbers, points: Points, count: int) -> tuple[Numbers, Points]:
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
        return Arrayed(points, max(least * top, _NOTHING), top)

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
        size = self._extent(head)[1]
        points = _added([word for word, _ in words if word.rare], size)
        counted = [word for word, counts in words if counts and word.rare]
        return _more_of_more(counted, points) if counted else points

    def _led_to(self, plan: Plan) -> tuple[Numbers, Points]:
        """The provisions that situations most like the query lead to, and what they give each."""
        size = self._extent(SITUATION)[1]
        if not size:
            return _NONE
        points = self._sums(plan.clauses, SITUATION)
        numbers, points = _best(points, SITUATIONS, float(points.max()), _NOTHING)
        order = (-points).argsort(kind="stable")[:SITUATIONS]
        numbers, points = numbers[order], points[order]
        matched = np.zeros(size)
        for clause in plan.clauses:
            if clause.counts:
                word = self._word(clause, SITUATION)
                matched[word.having] += clause.weight
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
        if word.numbers is None:
            return float(word.points[number])
        at = int(np.searchsorted(word.numbers, number))
        return float(word.points[at]) if at < len(word.numbers) and word.numbers[at] == number else 0.0

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
        key = head, clause.terms, clause.weight
        held = self._clauses.held(key)
        if held is None:
            held = self._put_together(clause, head)
            self._clauses.put(key, held, held.size)
        return held

    def _put_together(self, clause: Clause, head: str) -> Word:
        """The best of the clause's terms in each document."""
        terms = [(*self.postings(head + term), weight) for term, weight in clause.terms]
        terms = [one for one in terms if len(one[0])]
        if not terms:
            return Word(*_NONE, _NO_BITS, 0.0)
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
            return Word(None, rare * best, (best > 0).astype(np.uint8), rare)
        return Word(found, rare * best[found], _NO_BITS, rare)


def _times(counts: Sequence[int], weights: Sequence[float]) -> float:
    """Weights added up as often as is counted, rounded once, as `math.fsum` does."""
    return float(sum(Fraction(weight) * count for count, weight in zip(counts, weights, strict=False)))


def _added(words: Sequence[Word], size: int) -> Points:
    """The points of words, added up in their order."""
    if words and words[0].numbers is None:
        sums, others = words[0].points.copy(), words[1:]
    else:
        sums, others = np.zeros(size), words
    for word in others:
        if word.numbers is None:
            sums += word.points
        else:
            # `take` picks what an index in brackets does, in half the time.
            sums[word.numbers] = sums.take(word.numbers) + word.points
    return sums


def _more_of_more(words: Sequence[Word], points: Points) -> Points:
    """Points, the more the more of the words a document has.

    How much of the query that is hangs on which words they are: worked out for each choice of them, not for
    each document.
    """
    bits = np.zeros(len(points), np.uint8)
    first = words[:_BITS]
    for word in reversed(first):
        # Those so far move up by one place.
        bits += bits
        if word.numbers is None:
            bits |= word.has
        else:
            bits[word.numbers] |= 1
    covered = np.zeros(1 << len(first))
    size = 1
    for word in first:
        # With the word, then: of each choice of those before it.
        np.add(covered[:size], word.rare, out=covered[size : 2 * size])
        size += size
    if others := words[_BITS:]:
        covered = covered.take(bits)
        for word in others:
            covered[word.having] += word.rare
    covered *= COVERAGE / sum([word.rare for word in words])
    covered += 1
    if not others:
        covered = covered.take(bits)
    covered *= points
    return covered


def _given(plan: Plan) -> tuple[Numbers, Points]:
    """What documents have besides, as arrays."""
    size = len(plan.given)
    if not size:
        return _NONE
    return np.fromiter(plan.given, np.intp, size), np.fromiter(plan.given.values(), np.float64, size)
