"""A source as it was printed: which of its lines a place is on, and how far such a line runs."""

from __future__ import annotations

import re
from bisect import bisect_right

from kb.parse.lines import Line
from kb.patterns import GAPS


class Printed:
    """The lines of a source as received, counted from 1."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        lines = raw.split("\n")
        if any(gap in raw for gap in GAPS) or raw[:1] == " " or raw[-1:] == " ":
            self.lengths = [len(" ".join(line.split())) for line in lines]
        else:
            self.lengths = list(map(len, lines))
        self.starts = [0, *(match.end() for match in re.finditer("\n", raw))]

    def line_at(self, place: int) -> int:
        """The line a code point of the source is on."""
        return bisect_right(self.starts, place)

    def learn(self, lines: list[Line]) -> None:
        """Find the lines of many repaired ones, in their order, at once: `lines_of` of each."""
        if not lines:
            return
        starts, ends = self.starts, [*self.starts[1:], len(self.raw) + 1]
        ordered = [place for line in lines for place in (line.start, line.stop - 1)]
        places = iter(lines[0].whole.starts_of(ordered))
        number = 0
        for line, first, last in zip(lines, places, places, strict=True):
            if not starts[number] <= first < ends[number]:
                number = self.line_at(first) - 1
            last_number = number + 1 if first <= last < ends[number] else self.line_at(last)
            line.printed = number + 1, last_number

    def lines_of(self, line: Line) -> tuple[int, int]:
        """The lines on which the first and the last character of a repaired one stand."""
        if line.printed is None:
            number = self.line_at(line.whole.start_of(line.start))
            last = line.whole.start_of(line.stop - 1)
            here = self.starts[number - 1] <= last and (
                number == len(self.starts) or last < self.starts[number]
            )
            line.printed = number, number if here else self.line_at(last)
        return line.printed

    def length(self, line: Line) -> int:
        """Length of the line of the source on which this one ends, hyphen included, gaps of one space."""
        return self.lengths[self.lines_of(line)[1] - 1]
