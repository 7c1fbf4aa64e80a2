"""Which documents answer best: BM25F over weighted postings. The browser does the same sums.

At build time a term's weight in a document is folded over the document's fields,
``sum(weight(field) * count / length norm(field))``, and kept as a whole number of ``UNIT``. So a query
reads one list a term, and a word found in title, text and commentary counts once, saturated together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Any, Protocol

from kb.search.backend import Clause, Plan, Scored

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


class Ranked:
    """What the searchers of all engines share: the ranking, over the postings and documents each reads."""

    postings: Postings
    document: Callable[[int], Mapping[str, Any]]

    def search(self, plan: Plan) -> Sequence[Scored]:
        """All documents that match, best first."""
        return rank(plan, self.postings, self._lead)

    def explain(self, plan: Plan, number: int) -> Sequence[tuple[str, str, float]]:
        """What each word of the query added to a document's score."""
        return explain(plan, self.postings, self._lead, number)

    def _lead(self, number: int) -> tuple[Sequence[int], float]:
        situation = self.document(number)
        return situation["leads"], situation["size"]


def rank(plan: Plan, postings: Postings, lead: Lead) -> list[Scored]:
    """All documents that match, best first; equal scores by number."""
    every, priors = postings(ALL)
    prior = dict(zip(every, priors, strict=True))
    scores = _sums(plan.clauses, postings)
    scores = {number: score * prior[number] / 100 for number, score in scores.items()}
    for number, points in _led(plan, postings, lead).items():
        scores[number] = scores.get(number, 0.0) + points
    if not plan.clauses and (plan.must or plan.never):
        scores = {number: weight / 100 for number, weight in prior.items()}
    for choice in plan.must:
        allowed = {number for term in choice for number in postings(term)[0]}
        scores = {number: score for number, score in scores.items() if number in allowed}
    for term in plan.never:
        for number in postings(term)[0]:
            scores.pop(number, None)
    found = [Scored(number, score) for number, score in scores.items()]
    found.sort(key=lambda scored: (-scored.score, scored.number))
    return found


def _sums(
    clauses: Sequence[Clause], postings: Postings, matched: dict[int, float] | None = None
) -> dict[int, float]:
    """Each document's points for all clauses; more for one that answers more of the query's words.

    ``matched`` gathers how many of the query's words each document has, by their weights.
    """
    scores: dict[int, float] = {}
    covered: dict[int, float] = {}
    whole = 0.0
    count = len(postings(ALL)[0])
    for clause in clauses:
        best, having = _best(clause, postings)
        if not best:
            continue
        rarity = clause.weight * math.log(1 + (count - having + 0.5) / (having + 0.5))
        for number, value in best.items():
            scores[number] = scores.get(number, 0.0) + rarity * value
        if clause.counts:
            whole += rarity
            for number in best:
                covered[number] = covered.get(number, 0.0) + rarity
                if matched is not None:
                    matched[number] = matched.get(number, 0.0) + clause.weight
    if not whole:
        return scores
    return {n: score * (1 + COVERAGE * covered.get(n, 0.0) / whole) for n, score in scores.items()}


def _led(plan: Plan, postings: Postings, lead: Lead) -> dict[int, float]:
    """What the situations most like the query give to the provisions they lead to, the best one most."""
    matched: dict[int, float] = {}
    alike = _sums(plan.clauses, lambda term: postings(SITUATION + term), matched)
    best = sorted(alike.items(), key=lambda pair: (-pair[1], pair[0]))[:SITUATIONS]
    found: dict[int, list[float]] = {}
    for number, score in best:
        targets, size = lead(number)
        # A situation of which the query has little is not the one that is asked about.
        like = SITUATION_WEIGHT * score * math.sqrt(min(1.0, matched.get(number, 0.0) / size))
        for place, target in enumerate(targets):
            found.setdefault(target, []).append(like * NEXT_REF**place)
    return {
        target: math.fsum(
            like * NEXT_SITUATION**place for place, like in enumerate(sorted(likes, reverse=True)[:OF_ONE])
        )
        for target, likes in found.items()
    }


def _best(clause: Clause, postings: Postings) -> tuple[dict[int, float], float]:
    """Document -> 0 to 1, by the best of the clause's terms in it; and how many documents have the word.

    A document that has only a word of nearly the same sense counts as a part of one: the more such words are
    known, the commoner the word that was typed would seem to be.
    """
    best: dict[int, float] = {}
    by: dict[int, float] = {}
    limit = SATURATION * UNIT
    for term, weight in clause.terms:
        numbers, weights = postings(term)
        for number, have in zip(numbers, weights, strict=True):
            # The discount of a synonym comes after saturation: in a title it would be lost before.
            value = weight * have / (limit + have)
            if value > best.get(number, 0.0):
                best[number] = value
                by[number] = weight
    return best, math.fsum(by.values())


def explain(plan: Plan, postings: Postings, lead: Lead, number: int) -> list[tuple[str, str, float]]:
    """What each word added to a document's score, before its prior: ``(word, term, points)``."""
    found = []
    for clause in plan.clauses:
        points = _sums([replace(clause, counts=False)], postings)
        if number in points:
            found.append((clause.word, _best_term(clause, postings, number), points[number]))
    situation = _led(plan, postings, lead).get(number)
    return found + ([("", SITUATION, situation)] if situation else [])


def _best_term(clause: Clause, postings: Postings, number: int) -> str:
    def value(pair: tuple[str, float]) -> float:
        numbers, weights = postings(pair[0])
        if number not in numbers:
            return 0.0
        have = weights[list(numbers).index(number)]
        return pair[1] * have / (SATURATION * UNIT + have)

    return max(clause.terms, key=value)[0]
