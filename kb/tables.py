"""Where tables drawn in box characters stand: they are kept as they are."""

from __future__ import annotations

import re
from bisect import bisect_right

_CORNERS = "┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬╒╕╘╛╞╡╤╧╪+"
_BORDER = re.compile(rf"[ \t]*[{_CORNERS}][─━═┬┴┼├┤╤╧╪╦╩╬┐┘╗╝╕╛╡╣+=-]{{2,}}[ \t]*\Z")
_DRAWN = re.compile(rf"[{_CORNERS}][─━═┬┴┼├┤╤╧╪╦╩╬┐┘╗╝╕╛╡╣+=-]{{2}}")
"""What a border has, wherever it stands: a text without it has no table."""
_ROW = re.compile(r"[ \t]*[│║|├╞╠].*[│║|┤╡╣][ \t]*\Z")


def table_runs(value: str) -> list[tuple[int, int]]:
    """Runs ``(start, end)`` of ``value`` that are tables: a border line, rows with bars, a border line."""
    runs: list[tuple[int, int]] = []
    if not any(map(value.__contains__, _CORNERS)) or not _DRAWN.search(value):
        return runs
    at = 0
    start: int | None = None
    rows = 0
    end = 0
    for line in value.split("\n"):
        border = _BORDER.match(line)
        if border or (start is not None and _ROW.match(line)):
            if start is None:
                start, rows = at, 0
            rows += not border
            end = at + len(line)
        elif start is not None:
            if rows:
                runs.append((start, end))
            start = None
        at += len(line) + 1
    if start is not None and rows:
        runs.append((start, end))
    return runs


def within(place: int, runs: list[tuple[int, int]]) -> bool:
    """The place lies in one of the runs, which ascend."""
    after = bisect_right(runs, place, key=lambda run: run[0])
    return after > 0 and place < runs[after - 1][1]
