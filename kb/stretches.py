"""What a Text is made of: stretches of characters that stand for runs of the source, and edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

Runs = tuple[list[int], list[int], list[int]]
"""Stretches of a Text: sizes, where each begins in the source, where it ends there or ``OWN``."""

OWN = -1


class Edit(NamedTuple):
    """One change: the run of the source it touched (code points), what stood there, what stands now."""

    rule: str
    start: int
    end: int
    before: str
    after: str


EDIT: Callable[[tuple[str, int, int, str, str]], Edit] = partial(tuple.__new__, Edit)
"""Many edits at once, without a call in Python for each."""


def put(runs: Runs, size: int, low: int, high: int) -> None:
    """Add a stretch; one that goes on from the last becomes part of it, so that few are kept."""
    sizes, lows, highs = runs
    if high - low == 1:  # one character of the source: as good as untouched, but each on its own
        for _ in range(size - 1):
            put(runs, 1, low, OWN)
        size, high = 1, OWN
    if sizes and highs[-1] == high and (lows[-1] + sizes[-1] if high == OWN else lows[-1]) == low:
        sizes[-1] += size
        return
    sizes.append(size)
    lows.append(low)
    highs.append(high)


def stretches(starts: Sequence[int], ends: Sequence[int]) -> Runs:
    """The stretches of characters whose runs are given one by one."""
    runs: Runs = ([], [], [])
    for low, high in zip(starts, ends, strict=True):
        put(runs, 1, low, high)
    return runs


def trimmed(value: str, start: int, end: int, new: str) -> tuple[int, int, str]:
    """A change without the characters that both sides share at their ends."""
    head = 0
    limit = min(end - start, len(new))
    while head < limit and value[start + head] == new[head]:
        head += 1
    tail = 0
    while tail < limit - head and value[end - 1 - tail] == new[len(new) - 1 - tail]:
        tail += 1
    return start + head, end - tail, new[head : len(new) - tail]
