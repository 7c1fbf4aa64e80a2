"""Lines -> one Text, and the spans of a Text: what makes a node lead back to its source."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate

from kb.model import Span
from kb.patterns import GAPS
from kb.runs import Run, joined
from kb.tables import table_runs
from kb.text import Text

_WIDE = re.compile(r"\s\s+")
_ENDS = re.compile("\n\n+")
_BLANKS = re.compile("[ \t][ \t]+")
_SPAN: Callable[[tuple[str, int, int, str, int, int]], Span] = partial(tuple.__new__, Span)
"""Without a call in Python for each of many."""


def spans_of(where: str, part: Run, source: str) -> list[Span]:
    """The spans that lead from one part of a node back to its source."""
    segments = part.whole.segments(part.start, part.stop)
    return list(map(_SPAN, [(where, a, b, source, low, high) for a, b, low, high in segments]))


class Flow:
    """A text as one line: each run of white space in it is one blank.

    Of what was folded its first character stays, so that a paragraph is a run of the flow.
    """

    def __init__(self, text: Text) -> None:
        self.text = text
        wide = _gaps(text.value)
        self.starts = [start for start, _ in wide]
        self.ends = [end for _, end in wide]
        self.lost = list(accumulate((end - start - 1 for start, end in wide), initial=0))
        """How many characters less the flow has before each gap."""
        folded = text.folded(sorted([*wide, *_cut_ends(text)]))
        self.whole = folded.recast(folded.value.replace("\n", " ").replace("\t", " "))

    def place(self, place: int) -> int:
        """Where a place of the text is in the flow."""
        after = bisect_left(self.starts, place)
        if not after:
            return place
        if place < self.ends[after - 1]:
            return self.starts[after - 1] + 1 - self.lost[after - 1]
        return place - self.lost[after]

    def paragraph(self, lines: Sequence[Run]) -> Run:
        """The lines of a paragraph, one blank between them for the line end, none at the two ends."""
        value = self.text.value
        lines = [line for line in lines if line.value]
        if not lines:
            return Run(self.whole, 0, 0)
        pieces: list[Run] = []
        start, stop = lines[0].start, lines[0].stop
        for line in lines[1:]:
            if line.start - stop != 1 and not value[stop : line.start].isspace():
                pieces.append(self._run(start, stop))
                start = line.start
            stop = line.stop
        made = self._run(start, stop)
        return Run.of(joined([*pieces, made], " ")) if pieces else made

    def _run(self, start: int, stop: int) -> Run:
        run = Run(self.whole, self.place(start), self.place(stop))
        bare = run.value.strip()
        if bare == run.value:
            return run
        start = run.start + len(run.value) - len(run.value.lstrip())
        return Run(self.whole, start, start + len(bare))


def _gaps(value: str) -> list[tuple[int, int]]:
    """The runs of two characters of white space and more that a paragraph has one blank for."""
    found: list[tuple[int, int]] = []
    wide = _WIDE if any(gap in value for gap in GAPS) else _ENDS
    for gap in wide.finditer(value):
        start, end = gap.span()
        if "\n" in gap.group():
            found.append((start, end))
        else:  # other white space within a line is a sign of it
            found += [blanks.span() for blanks in _BLANKS.finditer(value, start, end)]
    return found


def _cut_ends(text: Text) -> Iterator[tuple[int, int]]:
    """The line ends that stand alone and do not follow in the source on what stands before them."""
    value = text.value
    for place in text.breaks("\n"):
        if not any(map(str.isspace, value[max(0, place - 1) : place + 2 : 2])):
            yield place, place + 1


def with_plain_blanks(text: Text) -> Text:
    """No-break spaces are blanks to all that follows; in a table they stay."""
    if "\xa0" not in text.value:
        return text
    parts, done = [], 0
    for start, end in text.derived(table_runs):
        parts += [text.value[done:start].replace("\xa0", " "), text.value[start:end]]
        done = end
    parts.append(text.value[done:].replace("\xa0", " "))
    return text.recast("".join(parts))


def with_ends(runs: Sequence[Run]) -> Run:
    """The lines of a table with the line ends between them."""
    return Run.of(joined(runs, "\n"))
