"""Decide for all comments of a law at once: the probability of every candidate of every comment.

The comments are a chain. Staying with the part of the law the comment before is about is rewarded by how
much the two have in common; each part that is commented on at all is rewarded once, for a commentary seldom
leaves one out. Nothing forces the comments into the order of the law.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_MOST_PLACES = 8
"""Above this many places which of them are used is not tracked: it would be 2 to that power states."""


@dataclass(frozen=True, slots=True)
class Chain:
    """``scores[i][j]``: candidate j of comment i, in log-odds; ``places[i][j]``: its place in the law, None
    without one. ``likeness[i]``: what comment i has in common with the one before it, 0..1; ``size``: how
    many places there are."""

    scores: Sequence[Sequence[float]]
    places: Sequence[Sequence[int | None]]
    likeness: Sequence[float]
    size: int


_State = tuple[int, int]
"""The last place, -1 before the first; the set of places used so far, as bits."""


def probabilities(chain: Chain, cohesion: float, coverage: float) -> list[list[float]]:
    """Probability of each candidate of each comment, over all assignments of the whole chain.

    ``cohesion``: reward for staying, times likeness; ``coverage``: reward for each place used. Both in
    log-odds. Forward and backward sums over the states, exact.
    """
    moves: list[list[tuple[_State, int, _State, float]]] = []
    ahead: list[dict[_State, float]] = [{(-1, 0): 0.0}]
    for at, scores in enumerate(chain.scores):
        here = []
        after: dict[_State, list[float]] = {}
        for state, weight in ahead[-1].items():
            for number, score in enumerate(scores):
                new, gain = _step(state, chain, at, number, cohesion, coverage)
                here.append((state, number, new, score + gain))
                after.setdefault(new, []).append(weight + score + gain)
        moves.append(here)
        ahead.append({state: _sum(weights) for state, weights in after.items()})
    whole = _sum(list(ahead[-1].values()))
    behind = dict.fromkeys(ahead[-1], 0.0)
    result: list[list[float]] = []
    for at in range(len(moves) - 1, -1, -1):
        shares = [0.0] * len(chain.scores[at])
        before: dict[_State, list[float]] = {}
        for state, number, new, gain in moves[at]:
            shares[number] += math.exp(ahead[at][state] + gain + behind[new] - whole)
            before.setdefault(state, []).append(gain + behind[new])
        behind = {state: _sum(weights) for state, weights in before.items()}
        result.append(shares)
    return result[::-1]


def _step(
    state: _State, chain: Chain, at: int, number: int, cohesion: float, coverage: float
) -> tuple[_State, float]:
    """The state a candidate leads to, and its worth beyond the score. One without a place changes nothing."""
    place = chain.places[at][number]
    if place is None:
        return state, 0.0
    last, used = state
    gain = cohesion * chain.likeness[at] if place == last else 0.0
    if chain.size <= _MOST_PLACES and not used >> place & 1:
        gain += coverage
        used |= 1 << place
    return (place, used), gain


def _sum(weights: Sequence[float]) -> float:
    """Logarithm of the sum of exponentials."""
    top = max(weights)
    return top + math.log(math.fsum(math.exp(weight - top) for weight in weights))
