"""Text that was printed in two columns side by side, line by line -> one column under the other."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

_GUTTER = re.compile(r"\S[ ]{2,}(?=\S)")
_LEAST = 10
"""Lines with two columns, from which on a text is asked."""
_SHARE = 0.4
"""Of the lines with text, those that have both columns; and of these, those of a sentence that goes on."""
_NARROWEST = 20
"""Characters of a column; narrower ones are of a table."""
_APART = 3
"""Blank lines that end a page."""


def set_in_one(value: str) -> tuple[str, int]:
    """The text with what stands in two columns in the order it is read, and how many runs of lines have them.

    Both columns begin at one place in two of five lines at least, and in both sentences go on from line to
    line, which those of a table do not. A line across both, a page feed and three blank lines end a run.
    """
    lines = value.split("\n")
    filled = sum(map(bool, map(str.strip, lines)))
    if filled < _LEAST or value.count("  ") < filled * _SHARE:
        return value, 0
    lines = [line.expandtabs() if "\t" in line else line for line in lines]
    begins = Counter(match.end() for line in lines for match in _GUTTER.finditer(line))
    place, times = max(begins.items(), key=lambda pair: (pair[1], -pair[0]), default=(0, 0))
    if times < _LEAST or times < filled * _SHARE or place < _NARROWEST:
        return value, 0
    both = [line for line in lines if _has_both(line, place)]
    left, right = [line[:place].strip() for line in both], [line[place:].strip() for line in both]
    if not (_runs_on(left) and _runs_on(right)):
        return value, 0
    out: list[str] = []
    runs = 0
    for run in _runs(lines, place):
        if sum(_has_both(line, place) for line in run) < 2:
            out += run
            continue
        runs += 1
        columns = [line[:place].rstrip() for line in run], [line[place:].rstrip() for line in run]
        out += [*_trimmed(columns[0]), *_trimmed(columns[1])]
    return "\n".join(out), runs


def _has_both(line: str, place: int) -> bool:
    return line[place - 2 : place] == "  " and bool(line[:place].strip()) and bool(line[place:].strip())


def _runs_on(column: Sequence[str]) -> bool:
    """It is prose: small letters behind open ends, and lines of some length."""
    goes_on = sum(b[:1].islower() and a[-1:] not in ".;:!?" for a, b in itertools.pairwise(column))
    width = sorted(map(len, column))[len(column) * 3 // 4]
    return goes_on >= len(column) * _SHARE and width >= _NARROWEST


def _runs(lines: Sequence[str], place: int) -> list[list[str]]:
    """The lines cut where one stands across both columns: each of those, and what is between them."""
    runs: list[list[str]] = [[]]
    blank = 0
    for line in lines:
        blank = 0 if line.strip() else blank + 1
        across = len(line) > place - 2 and line[place - 2 : place].strip() != ""
        centred = len(line) - len(line.lstrip()) > place // 2 and len(line) <= place + _NARROWEST // 2
        centred = centred and len(line.strip()) < _NARROWEST // 2 and any(map(str.isdigit, line))
        if across or centred or "\f" in line or blank >= _APART:
            runs += [[line], []]
        else:
            runs[-1].append(line)
    return runs


def _trimmed(column: Sequence[str]) -> list[str]:
    """Without blank lines at its end: the sentence goes on in the next."""
    size = len(column)
    while size and not column[size - 1].strip():
        size -= 1
    return list(column[:size])
