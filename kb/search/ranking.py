"""Which documents answer best: BM25F over weighted postings. The browser does the same sums.

At build time a term's weight in a document is folded over the document's fields,
``sum(weight(field) * count / length norm(field))``, and kept as a whole number of ``UNIT``. So a query
reads one list a term, and a word found in title, text and commentary counts once, saturated together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import islice, product

from kb.search.backend import Clause, Scored

UNIT = 8
"""Postings are kept as whole numbers: a weight of 1 is 8."""
SATURATION = 2.0
"""BM25's k1: where a word's further occurrences begin to count less."""
SITUATION = "~"
"""Head of the terms of situations, which are documents apart (situations.py)."""
SITUATION_WEIGHT, NEXT_REF, SITUATIONS = 0.7, 0.75, 100
"""What a situation's likeness counts; of its second ref; how many situations are followed."""
NEXT_SITUATION, OF_ONE = 0.6, 4
"""What the next best situation that leads to the same provision counts; how many of them do."""
ALL = "@all"
"""The term every document has; its weight is the document's prior in hundredths."""

FUNCTION_WEIGHT = 0.6
"""Weight of a word that says little (who, when, the): never dropped."""
COVERAGE = 0.7
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
Lead = Callable[[int], tuple[Sequence[int], float]]
"""Number of a situation -> the documents it leads to, the most exact first, and how many words it has."""


def title_terms(words: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The terms for a title of these words, each a choice of lemmas; none for a long one."""
    if not 0 < len(words) <= TITLE_WORDS:
        return ()
    if all(len(lemmas) == 1 for lemmas in words):
        return (TITLE + " ".join(sorted([lemma for (lemma,) in words])),)
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


def rarity(clause: Clause, count: int, having: float) -> float:
    """How much a word tells: ``having`` of ``count`` documents have it."""
    return clause.weight * math.log(1 + (count - having + 0.5) / (having + 0.5))


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
    return {target: _summed(likes) for target, likes in found.items()}


def _summed(likes: list[float]) -> float:
    total = 0.0
    for place, like in enumerate(sorted(likes, reverse=True)[:OF_ONE]):
        total += like * NEXT_SITUATION**place
    return total
