"""The lines of a repaired text, cut into fragments at the page gaps."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb.runs import Run
from kb.tables import table_runs, within
from kb.text import WALL, Text

if TYPE_CHECKING:
    from kb.parse.marked import Candidate

PageAt = Callable[[int], tuple[int | None, str]]
"""Place in the source -> page and why; the page map of the repairs."""

_TYPED = 130
"""Characters that a typed line has at most."""
_FEW = 20
"""Of so many lines less than one goes on with the sentence before, where each is a paragraph."""
_QUOTES = '"«“('
_CLOSING = '.!?:;…)]»”"*'
"""The end of a sentence, a clause of a list, or a bracket."""


def closes(value: str) -> bool:
    """The text ends a sentence, a clause of a list or a bracket. Looks at its last few characters only."""
    last = value[-12:].rstrip()[-1:]
    return last != "" and last in _CLOSING


class Line(Run):
    """A line that is not blank, white space at its ends cut off."""

    __slots__ = ("_page_at", "after_blank", "closed", "lower", "markers", "plain", "printed", "table")

    def __init__(
        self, whole: Text, start: int, stop: int, page_at: PageAt, after_blank: bool, table: bool
    ) -> None:
        self.whole = whole
        self.start = start
        self.stop = stop
        self.value = value = whole.value[start:stop]
        self._page_at = page_at
        self.after_blank = after_blank
        self.table = table
        self.closed = value[-1] in _CLOSING or (table and closes(value))
        """It ends a sentence, a clause or a bracket, so that something new may begin after it."""
        self.lower = value[0].islower() or (value[0] in _QUOTES and value.lstrip(_QUOTES)[:1].islower())
        """It begins with a small letter: it goes on with what stands before."""
        self.plain = False
        """It can begin nothing: the scanner knows."""
        self.markers: Sequence[Candidate] | None = None
        """What it may begin with; the scanner keeps here what it found."""
        self.printed: tuple[int, int] | None = None
        """The lines of the source it stands on, first and last."""

    @property
    def indent(self) -> int:
        """How far it begins from the margin of the text, in characters."""
        return self.start - self.whole.value.rfind("\n", 0, self.start) - 1

    @property
    def page(self) -> int | None:
        """The page it begins on; None where nothing tells."""
        return self.where[0]

    @property
    def where(self) -> tuple[int | None, str]:
        """The page it begins on, and why this page."""
        return self._page_at(self.whole.start_of(self.start))


@dataclass(frozen=True)
class Measure:
    """How long the lines of a typed text are, so that a line that ends early can be told."""

    width: int
    """Length that nine of ten lines do not pass; 0 for a text with one paragraph a line."""
    whole: bool = False
    """Each line is a paragraph for sure: too long to be typed, and no sentence goes on over a line end."""

    def ends_early(self, line: str, following: str, width: int | None = None, slack: int = 8) -> bool:
        """The first word of the next line would have fitted: the line was ended on purpose, or cut."""
        if self.whole:
            return True
        limit = self.width if width is None else width
        word = following.split(maxsplit=1)[0] if following.strip() else ""
        return bool(self.width) and len(line) + 1 + len(word) <= limit - slack


def measure(lines: list[Line]) -> Measure:
    """The measure of a text: of typed lines their width, of anything else none."""
    lengths = sorted(len(line.value) for line in lines if not line.table)
    if len(lengths) < 6:
        return Measure(0)
    width = lengths[len(lengths) * 9 // 10]
    full = sum(0.7 * width <= length <= width * 1.15 for length in lengths)
    broken = sum(not a.closed and b.lower for a, b in itertools.pairwise(lines))
    typed = full * 2 >= len(lengths) or broken * 4 >= len(lengths)
    return Measure(
        width if 30 <= width <= _TYPED and typed else 0, width > _TYPED and broken * _FEW < len(lengths)
    )


def fragments(text: Text, page_at: PageAt) -> Iterator[list[Line]]:
    """The runs of lines between the page gaps; a gap is a line of only a page feed."""
    tables = text.derived(table_runs)
    lines: list[Line] = []
    at = 0
    blank = True
    for raw in text.value.split("\n"):
        end = at + len(raw)
        bare = raw.strip()
        if bare:
            table = bool(tables) and within(at, tables)
            start, stop = at, end
            if len(bare) < len(raw) and not table:
                start += len(raw) - len(raw.lstrip())
                stop = start + len(bare)
            lines.append(Line(text, start, stop, page_at, blank, table))
            blank = False
        else:
            blank = True
            if raw.strip(" \t\xa0") == WALL:
                yield lines
                lines = []
        at = end + 1
    yield lines
