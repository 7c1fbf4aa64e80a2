"""Which documents answer best: BM25F over weighted postings. The browser does the same sums.

At build time a term's weight in a document is folded over the document's fields,
``sum(weight(field) * count / length norm(field))``, and kept as a whole number of ``UNIT``. So a query
reads one list a term, and a word found in title, text and commentary counts once, saturated together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from heapq import nsmallest
from itertools import islice, product
from typing import Any, Protocol

from kb.search.backend import Clause, Found, Plan, Scored
from kb.search.keeping import Kept

UNIT = 8
"""Postings are kept as whole numbers: a weight of 1 is 8."""
SATURATION = 2.0
"""BM25's k1: where a word's further occurrences begin to count less."""
SITUATION = "~"
"""Head of the terms of situations, which are documents apart (situations.py)."""
SITUATION_WEIGHT, NEXT_REF, SITUATIONS = 0.8, 0.75, 100
"""What a situation's likeness counts; of its second ref; how many situations are followed."""
NEXT_SITUATION, OF_ONE = 0.3, 4
"""What the next best situation that leads to the same provision counts; how many of them do."""
ALL = "@all"
"""The term every document has; its weight is the document's prior in hundredths."""

FUNCTION_WEIGHT = 0.2
"""Weight of a word that says little (who, when, the): never dropped."""
COVERAGE = 0.8
"""What a document gains that has all the words of the query, as a part of its points."""
TITLE = "@title:"
"""Head of the term that stands for a whole title: who types a title wants what bears it."""
TITLE_WEIGHT = 4 * UNIT

TITLE_WORDS, TITLE_READINGS = 10, 16

FIELDS: Mapping[str, tuple[float, float]] = {
    "title": (4.0, 0.5),
    "topic": (1.0, 0.7),
    "text": (1.2, 0.5),
    "rendering": (1.2, 0.5),
    "commentary": (0.6, 0.5),
    "context": (0.4, 0.3),
    "parts": (2.0, 0.3),
}
"""Field -> its weight, and how much its length matters (BM25's b). Chosen on half of the judged set."""


AT_FIRST = 64
"""Hits put in order at first: more only where so many are of too few laws."""
_POSTINGS, _DOCUMENTS = 20_000, 20_000
"""Posting lists, and documents, kept decoded in memory."""
_WORDS = 1_000_000
"""Entries of all clauses that are kept."""

Lead = Callable[[int], tuple[Sequence[int], float]]
"""Number of a situation -> the documents it leads to, the most exact first, and how many words it has."""


class Postings(Protocol):
    """Lists of an index: documents that have a term, ascending, with their weights."""

    def __call__(self, term: str) -> tuple[Sequence[int], Sequence[int]]: ...


def title_terms(words: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The terms for a title of these words, each a choice of lemmas; none for a long one."""
    if not 0 < len(words) <= TITLE_WORDS:
        return ()
    choices = islice(product(*(sorted(set(lemmas)) for lemmas in words)), TITLE_READINGS)
    return tuple(sorted({TITLE + " ".join(sorted(choice)) for choice in choices}))


def field_weight(field: str, count: int, length: int, average: float) -> float:
    """What ``count`` occurrences in a field of ``length`` words add to the term's weight."""
    weight, b = FIELDS[field]
    return weight * count / (1 - b + b * length / average)


class Listed:
    """What a search found, as a mapping of numbers to points."""

    def __init__(self, scores: Mapping[int, float]) -> None:
        self._scores = scores
        self._ordered: list[Scored] = []

    def first(self, count: int | None = None) -> list[Scored]:
        """The best, or all; equal scores by number."""
        size = len(self._scores)
        wanted = size if count is None else min(count, size)
        if wanted > len(self._ordered):
            pairs = [(-score, number) for number, score in self._scores.items()]
            best = sorted(pairs) if wanted > AT_FIRST else nsmallest(AT_FIRST, pairs)
            self._ordered = [Scored(number, -score) for score, number in best]
        return self._ordered[:wanted]

    def total(self, of: Sequence[int], most: int, least: float, also: Sequence[int] = ()) -> int:
        """How many have ``least`` points, at most ``most`` of one place; ``also``: numbers that count too."""
        counts = Counter(of[number] for number, score in self._scores.items() if score >= least)
        counts.update(of[number] for number in also)
        return sum(min(count, most) for count in counts.values())


Word = tuple[Mapping[int, float], float]
"""Of a clause: document -> 0 to 1, and how many documents have the word."""


class Ranked:
    """What the searchers of whoosh and its like share: the ranking, over the postings each reads."""

    quick = False

    def __init__(self, postings: Postings, document: Callable[[int], Mapping[str, Any]]) -> None:
        self.postings: Postings = lru_cache(maxsize=_POSTINGS)(postings)
        self._document = lru_cache(maxsize=_DOCUMENTS)(document)
        self._words: Kept[Word] = Kept(_WORDS)

    def search(self, plan: Plan, least: float = 0.0) -> Found:
        """The documents that match."""
        scores = rank(plan, self._prior, self.postings, self._word, self._lead)
        floor = least * max(scores.values(), default=0.0)
        return Listed({number: score for number, score in scores.items() if score >= floor})

    def explain(self, plan: Plan, number: int) -> Sequence[tuple[str, str, float]]:
        """What each word of the query added to a document's score."""
        return explain(plan, self.postings, self._word, self._lead, number)

    def documents(self, numbers: Sequence[int]) -> list[Mapping[str, Any]]:
        """What was stored with each."""
        return [self._document(number) for number in numbers]

    def close(self) -> None:
        """Forget what is kept."""
        del self.postings, self._document, self._words

    @cached_property
    def _prior(self) -> Mapping[int, int]:
        return dict(zip(*self.postings(ALL), strict=True))

    def _lead(self, number: int) -> tuple[Sequence[int], float]:
        situation = self._document(number)
        return situation["leads"], situation["size"]

    def _word(self, clause: Clause, head: str = "") -> Word:
        # Different questions have the same words: what each leads to is put together once.
        return self._words.get((head, clause.terms), lambda: _best(clause, self.postings, head), _size)


def _size(word: Word) -> int:
    return len(word[0])


class Words(Protocol):
    """What each clause leads to; ``head`` stands before its terms."""

    def __call__(self, clause: Clause, head: str = "") -> Word: ...


def rank(
    plan: Plan, prior: Mapping[int, int], postings: Postings, word: Words, lead: Lead
) -> dict[int, float]:
    """All documents that match, with their points. ``prior``: what each is worth, in hundredths."""
    scores = _sums(plan.clauses, word, len(prior))
    scores = {number: score * prior[number] / 100 for number, score in scores.items()}
    for more in (_led(plan, postings, word, lead), plan.given):
        for number, points in more.items():
            scores[number] = scores.get(number, 0.0) + points
    must = [{number for term in choice for number in postings(term)[0]} for choice in plan.must]
    if not plan.clauses and (must or plan.never):
        scores = {number: prior[number] / 100 for number in (must[0] if must else prior)}
    for allowed in must:
        scores = {number: score for number, score in scores.items() if number in allowed}
    for term in plan.never:
        for number in postings(term)[0]:
            scores.pop(number, None)
    return scores


def rarity(clause: Clause, count: int, having: float) -> float:
    """How much a word tells: ``having`` of ``count`` documents have it."""
    return clause.weight * math.log(1 + (count - having + 0.5) / (having + 0.5))


def _sums(
    clauses: Sequence[Clause],
    word: Words,
    count: int,
    head: str = "",
    matched: dict[int, float] | None = None,
) -> dict[int, float]:
    """Each document's points for all clauses; more for one that answers more of the query's words.

    ``matched`` gathers how many of the query's words each document has, by their weights.
    """
    scores: dict[int, float] = {}
    covered: dict[int, float] = {}
    whole = 0.0
    for clause in clauses:
        best, having = word(clause, head)
        if not best:
            continue
        rare = rarity(clause, count, having)
        for number, value in best.items():
            scores[number] = scores.get(number, 0.0) + rare * value
        if clause.counts:
            whole += rare
            for number in best:
                covered[number] = covered.get(number, 0.0) + rare
                if matched is not None:
                    matched[number] = matched.get(number, 0.0) + clause.weight
    if not whole:
        return scores
    return {n: score * (1 + COVERAGE * covered.get(n, 0.0) / whole) for n, score in scores.items()}


def _led(plan: Plan, postings: Postings, word: Words, lead: Lead) -> dict[int, float]:
    """What the situations most like the query give to the provisions they lead to."""
    matched: dict[int, float] = {}
    count = len(postings(SITUATION + ALL)[0])
    alike = _sums(plan.clauses, word, count, SITUATION, matched)
    best = nsmallest(SITUATIONS, ((-score, number) for number, score in alike.items()))
    return led(((number, -score, matched.get(number, 0.0)) for score, number in best), lead)


def led(alike: Iterable[tuple[int, float, float]], lead: Lead) -> dict[int, float]:
    """Provision -> what situations give it, the best one most.

    ``alike``: the situations most like the query, best first: number, points, and how many of the query's
    words it has, by their weights.
    """
    found: dict[int, list[float]] = {}
    for number, score, matched in alike:
        targets, size = lead(number)
        # A situation of which the query has little is not the one that is asked about.
        like = SITUATION_WEIGHT * score * math.sqrt(min(1.0, matched / size))
        for place, target in enumerate(targets):
            found.setdefault(target, []).append(like * NEXT_REF**place)
    return {
        target: math.fsum(
            like * NEXT_SITUATION**place for place, like in enumerate(sorted(likes, reverse=True)[:OF_ONE])
        )
        for target, likes in found.items()
    }


def _best(clause: Clause, postings: Postings, head: str) -> Word:
    """Document -> 0 to 1, by the best of the clause's terms in it; and how many documents have the word.

    A document that has only a word of nearly the same sense counts as a part of one: the more such words are
    known, the commoner the word that was typed would seem to be.
    """
    best: dict[int, float] = {}
    by: dict[int, float] = {}
    limit = SATURATION * UNIT
    for term, weight in clause.terms:
        numbers, weights = postings(head + term)
        for number, have in zip(numbers, weights, strict=True):
            # The discount of a synonym comes after saturation: in a title it would be lost before.
            value = weight * have / (limit + have)
            if value > best.get(number, 0.0):
                best[number] = value
                by[number] = weight
    return best, math.fsum(by.values())


def explain(
    plan: Plan, postings: Postings, word: Words, lead: Lead, number: int
) -> list[tuple[str, str, float]]:
    """What each word added to a document's score, before its prior: ``(word, term, points)``."""
    found = []
    count = len(postings(ALL)[0])
    for clause in plan.clauses:
        points = _sums([replace(clause, counts=False)], word, count)
        if number in points:
            found.append((clause.word, _best_term(clause, postings, number), points[number]))
    situations = _led(plan, postings, word, lead).get(number, 0.0) + plan.given.get(number, 0.0)
    return found + ([("", SITUATION, situations)] if situations else [])


def _best_term(clause: Clause, postings: Postings, number: int) -> str:
    def value(pair: tuple[str, float]) -> float:
        numbers, weights = postings(pair[0])
        if number not in numbers:
            return 0.0
        have = weights[list(numbers).index(number)]
        return pair[1] * have / (SATURATION * UNIT + have)

    return max(clause.terms, key=value)[0]
