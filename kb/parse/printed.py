"""A source as it was printed: which of its lines a place is on, and how far such a line runs."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from kb.parse.lines import Line
from kb.patterns import folded_lines


class Printed:
    """The lines of a source as received, counted from 1."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.lengths = list(map(len, folded_lines(raw)))
        ends = (len(line) + 1 for line in raw.split("\n"))
        self.starts = list(accumulate(ends, initial=0))[:-1]

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
