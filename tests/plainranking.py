"""The ranking written plainly, a document at a time: what the sums over arrays are compared with."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from kb.search.backend import Clause, Plan, Scored
from kb.search.ranking import (
    ALL,
    COVERAGE,
    SATURATION,
    SITUATION,
    SITUATIONS,
    UNIT,
    Lead,
    led,
    rarity,
)

Postings = Callable[[str], tuple[Sequence[int], Sequence[int]]]
"""A term -> the documents that have it, ascending, with their weights."""


def ranked(plan: Plan, postings: Postings, lead: Lead) -> list[Scored]:
    """All documents that match, best first; equal scores by number."""
    prior = dict(zip(*postings(ALL), strict=True))
    scores = _sums(plan.clauses, postings, "", {})
    scores = {number: score * (prior[number] / 100) for number, score in scores.items()}
    for more in (_led(plan, postings, lead), plan.given):
        for number, points in more.items():
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
    return sorted(found, key=lambda scored: (-scored.score, scored.number))


def _sums(
    clauses: Sequence[Clause], postings: Postings, head: str, matched: dict[int, float]
) -> dict[int, float]:
    scores: dict[int, float] = {}
    covered: dict[int, float] = {}
    whole = 0.0
    count = len(postings(head + ALL)[0])
    for clause in clauses:
        best, having = _best(clause, postings, head)
        if not best:
            continue
        rare = rarity(clause, count, having)
        for number, value in best.items():
            scores[number] = scores.get(number, 0.0) + rare * value
        if clause.counts:
            whole += rare
            for number in best:
                covered[number] = covered.get(number, 0.0) + rare
                matched[number] = matched.get(number, 0.0) + clause.weight
    if not whole:
        return scores
    return {n: score * (1 + covered.get(n, 0.0) * (COVERAGE / whole)) for n, score in scores.items()}


def _led(plan: Plan, postings: Postings, lead: Lead) -> Mapping[int, float]:
    matched: dict[int, float] = {}
    alike = _sums(plan.clauses, postings, SITUATION, matched)
    best = sorted(alike.items(), key=lambda pair: (-pair[1], pair[0]))[:SITUATIONS]
    return led(((number, score, matched.get(number, 0.0)) for number, score in best), lead)


def _best(clause: Clause, postings: Postings, head: str) -> tuple[dict[int, float], float]:
    best: dict[int, float] = {}
    by: dict[int, float] = {}
    limit = SATURATION * UNIT
    for term, weight in clause.terms:
        numbers, weights = postings(head + term)
        for number, have in zip(numbers, weights, strict=True):
            value = weight * have / (limit + have)
            if value > best.get(number, 0.0):
                best[number] = value
                by[number] = weight
    return best, math.fsum(by.values())
