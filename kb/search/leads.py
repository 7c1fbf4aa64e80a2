"""What situations give to the provisions they lead to, as arrays: the sums of `ranking.led`, bit for bit."""

from __future__ import annotations

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from kb.search.ranking import NEXT_REF, NEXT_SITUATION, OF_ONE, SITUATION_WEIGHT, Lead

Numbers = NDArray[np.intp]
Points = NDArray[np.float64]

_NEXT = np.array([NEXT_SITUATION**place for place in range(OF_ONE)])


class Leads:
    """Where situations lead; each is read when it is first met. Threads may share it."""

    def __init__(self, count: int, lead: Lead) -> None:
        """``lead``: of a situation's number, from 0."""
        self._lead = lead
        self._turn = Lock()
        self._known = np.zeros(count, np.bool_)
        self._sizes = np.ones(count)
        self._targets = np.full((count, 1), -1, np.intp)

    def given(self, alike: Numbers, points: Points, matched: Points) -> tuple[Numbers, Points]:
        """Provisions, and what each is given by the situations ``alike``.

        ``points`` are theirs; ``matched``: how many of the query's words each has, by their weights.
        """
        if not self._known[alike].all():
            self.read(alike[~self._known[alike]])
        targets = self._targets[alike]
        # A situation of which the query has little is not the one that is asked about.
        like = SITUATION_WEIGHT * points * np.sqrt(np.minimum(1.0, matched / self._sizes[alike]))
        likes = like[:, None] * np.array([NEXT_REF**place for place in range(targets.shape[1])])
        there = targets >= 0
        return _summed(targets[there], likes[there])

    def read(self, numbers: Numbers) -> None:
        """Note where situations lead."""
        with self._turn:
            for number in numbers.tolist():
                leads, self._sizes[number] = self._lead(number)
                more = len(leads) - self._targets.shape[1]
                if more > 0:
                    self._targets = np.pad(self._targets, ((0, 0), (0, more)), constant_values=-1)
                self._targets[number, : len(leads)] = leads
                self._known[number] = True


def _summed(targets: Numbers, likes: Points) -> tuple[Numbers, Points]:
    """Each target with the sum of its likes: the first whole, those that follow less and less."""
    order = np.lexsort((-likes, targets))
    targets, likes = targets[order], likes[order]
    begins = np.ones(len(targets), np.bool_)
    np.not_equal(targets[1:], targets[:-1], out=begins[1:])
    heads, groups = begins.nonzero()[0], begins.cumsum() - 1
    places = np.arange(len(targets)) - heads[groups]
    counted = places < OF_ONE
    # It adds one after the other, as the list is.
    sums = np.bincount(groups[counted], likes[counted] * _NEXT[places[counted]], len(heads))
    return targets[heads], sums.astype(np.float64, copy=False)
