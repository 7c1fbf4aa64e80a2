"""The lines of a repaired text, cut into fragments at the page gaps."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from kb.tables import table_runs, within
from kb.text import WALL, Text

PageAt = Callable[[int], tuple[int | None, str]]
"""Place in the source -> page and why; the page map of the repairs."""

CLOSED = re.compile(r"(?:[.!?:;…]|[.!?;:…,]?[)\]»”\"*]+[.!?;:…]?)\s*\Z")
"""The end of a sentence, a clause of a list, or a bracket."""


def closes(value: str) -> bool:
    """The text ends a sentence, a clause of a list or a bracket. Looks at its last few characters only."""
    return bool(CLOSED.search(value[-12:]))


@dataclass(frozen=True)
class Line:
    """A line that is not blank, white space at its ends cut off."""

    text: Text
    start: int
    """Offset of the line in the repaired text."""
    page: int | None
    page_basis: str
    after_blank: bool
    table: bool = False

    @cached_property
    def value(self) -> str:
        """The line as a string."""
        return self.text.value

    @property
    def closed(self) -> bool:
        """It ends a sentence, a clause or a bracket, so that something new may begin after it."""
        return closes(self.value)

    @property
    def lower(self) -> bool:
        """It begins with a small letter: it goes on with what stands before."""
        return self.value.lstrip('"«“(')[:1].islower()


@dataclass(frozen=True)
class Measure:
    """How long the lines of a typed text are, so that a line that ends early can be told."""

    width: int
    """Length that nine of ten lines do not pass; 0 for a text with one paragraph a line."""

    def ends_early(self, line: str, following: str, width: int | None = None, slack: int = 8) -> bool:
        """The first word of the next line would have fitted: the line was ended on purpose, or cut."""
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
    return Measure(width if 30 <= width <= 130 and typed else 0)


def fragments(text: Text, page_at: PageAt) -> Iterator[list[Line]]:
    """The runs of lines between the page gaps; a gap is a line of only a page feed."""
    tables = table_runs(text.value)
    lines: list[Line] = []
    at = 0
    blank = True
    for raw in text.value.split("\n"):
        end = at + len(raw)
        stripped = raw.strip(" \t\xa0")
        if stripped == WALL:
            yield lines
            lines, blank = [], True
        elif not raw.strip():
            blank = True
        else:
            table = within(at, tables)
            start = at if table else at + len(raw) - len(raw.lstrip())
            stop = end if table else at + len(raw.rstrip())
            run = text[start:stop]
            page, basis = page_at(run.starts[0])
            lines.append(Line(run, start, page, basis, blank, table))
            blank = False
        at = end + 1
    yield lines
