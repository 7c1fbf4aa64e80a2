"""Which provisions are asked about in like words: latent semantic analysis (Deerwester and others, 1990).

A provision is the words of its wordings, a word counting the more the rarer it is. Of the likenesses of all
provisions to each other the strongest directions are kept. A query that is like some provisions a little lies
in one direction with the others that are spoken of in such words, though it has none of theirs.

Only provisions have coordinates, whole numbers of ``STEP``: those of a query follow from how like each
provision it is. So the browser is sent a number a provision and direction, and none a word.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

DIMENSIONS, STEP = 32, 0.03
"""Directions that are kept, and how fine the coordinates are."""
EIGHTH, HUNDREDTH = 8, 100
"""A length is a whole number of eighths, a strength of hundredths."""
WEIGHT, LEAST = 3.0, 0.2
"""Points of a provision in the very direction of a query, and the cosine that gives none."""
_MOST = 2000
"""Provisions with wordings, at most, that are compared with each other."""


@dataclass(frozen=True)
class Latent:
    """The directions of the provisions that have wordings, in the order of their numbers."""

    lengths: Sequence[int] = ()
    """Of each provision's words, in eighths."""
    strengths: Sequence[int] = ()
    """Of each direction, in hundredths."""
    places: Sequence[Sequence[int]] = ()
    """Each provision's coordinates, in steps."""

    def worth(self, count: float, idf: float, provision: int) -> float:
        """How like a provision is that has a word so often, to a query that has it once."""
        return math.log(1 + count) * idf * idf / (self.lengths[provision] / EIGHTH)

    def cosines(self, like: Numbers) -> Numbers:
        """Of each provision's direction with that of a query; ``like``: how like the query each is."""
        into, out = self._turned
        query = like @ into
        length = math.sqrt(query @ query)
        cosines: Numbers = out @ query / length if length else np.zeros(len(like))
        return cosines

    @cached_property
    def _turned(self) -> tuple[Numbers, Numbers]:
        places = np.array(self.places, np.float64) * STEP
        strengths = np.array(self.strengths, np.float64) / HUNDREDTH
        out = places * strengths
        lengths = np.sqrt((out * out).sum(axis=1))
        return places / strengths, out / np.where(lengths, lengths, 1.0)[:, None]


def rarity(whole: float, said: float) -> float:
    """What a word tells that is said ``said`` of ``whole`` times."""
    return math.log(whole / max(1.0, said))


def gathered(bags: Iterable[tuple[Sequence[int], Sequence[float]]], whole: float, count: int) -> Latent:
    """The directions of ``count`` provisions. ``bags``: for each word the provisions' places and how often
    each has it; ``whole``: how often any word is said. Without directions where there are too few or many."""
    if not 1 < count <= _MOST:
        return Latent()
    weighed = []
    squares = np.zeros(count)
    for places, said in bags:
        values = np.log1p(np.array(said, np.float64)) * rarity(whole, sum(said))
        weighed.append((np.array(places, np.intp), values))
        squares[weighed[-1][0]] += values * values
    lengths = np.maximum(1, np.rint(np.sqrt(squares) * EIGHTH))
    likeness = np.zeros((count, count))
    for at, values in weighed:
        own = values / (lengths[at] / EIGHTH)
        likeness[np.ix_(at, at)] += np.outer(own, own)
    found, vectors = np.linalg.eigh(likeness)
    strengths = np.rint(np.sqrt(np.maximum(found[::-1], 0)) * HUNDREDTH)[:DIMENSIONS]
    kept = int((strengths > 0).sum())
    vectors = vectors[:, ::-1][:, :kept]
    # Of a direction and its reverse, which are the same, the one whose greatest coordinate is above 0.
    greatest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.where(vectors[greatest, np.arange(kept)] < 0, -1.0, 1.0)
    return Latent(
        [int(length) for length in lengths],
        [int(strength) for strength in strengths[:kept]],
        np.rint(vectors / STEP).astype(int).tolist(),
    )
