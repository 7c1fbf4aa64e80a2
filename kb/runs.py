"""Runs of a Text, and Texts put together of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from kb.stretches import OWN, Runs, put
from kb.text import Text


def joined(pieces: Sequence[Run], sign: str, source: str = "") -> Text:
    """Runs of Texts of one source, a sign between any two that stands for what was there.

    Of white space it stands for the first character, so that what is one run of the source stays one.
    Empty runs are passed over; edits are not carried over.
    """
    values: list[str] = []
    runs: Runs = ([], [], [])
    behind = 0
    blank = False
    for piece in pieces:
        if not piece.value:
            continue
        part, start, end = piece.whole, piece.start, piece.stop
        source = source or part.source
        at = part._at or part._offsets()
        stretch = bisect_right(at, start) - 1
        low, high = part._lows[stretch], part._highs[stretch]
        if high == OWN:
            low += start - at[stretch]
        if values and sign:
            if blank and behind < low:
                put(runs, 1, behind, OWN)
            else:
                put(runs, len(sign), behind, behind if behind > low else low)
        values.append(piece.value)
        if end <= at[stretch + 1]:
            put(runs, end - start, low, high)
            own = high == OWN
            behind = low + end - start if own else high
            blank = own and end < at[stretch + 1] and len(sign) == 1 and part.value[end].isspace()
        else:
            part._copy(start, end, runs)
            behind = part.end_of(end - 1)
            further = len(sign) == 1 and part.value[end : end + 1].isspace()
            blank = further and part.start_of(end) == behind and part.end_of(end) == behind + 1
    return Text._of(sign.join(values), source, runs)


class Run:
    """A run of a Text: its offsets there, and the characters; a Text of its own only where one is needed."""

    __slots__ = ("start", "stop", "value", "whole")

    def __init__(self, whole: Text, start: int, stop: int) -> None:
        self.whole = whole
        self.start = start
        self.stop = stop
        self.value = whole.value[start:stop]

    @classmethod
    def of(cls, whole: Text) -> Run:
        """All of a Text."""
        return cls(whole, 0, len(whole.value))

    def __len__(self) -> int:
        return len(self.value)

    def __getitem__(self, key: slice) -> Run:
        """A run of the run, step 1."""
        start, stop, _ = key.indices(len(self.value))
        return Run(self.whole, self.start + start, self.start + max(start, stop))

    @property
    def source(self) -> tuple[int, int]:
        """The run of the source behind it."""
        return self.whole.run(self.start, self.stop)


def join(parts: Iterable[Text], source: str = "") -> Text:
    """Concatenate Texts of one source. The edits of the parts are not carried over."""
    every = list(parts)
    source = source or next((part.source for part in every if part.source), "")
    return joined([Run(part, 0, len(part.value)) for part in every], "", source)
