"""Numbers in a row: what a range holds, and whether a number counts things instead of naming a law."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")


class Element(NamedTuple):
    """One number of a list: its span, its path, and for a range all the paths in it."""

    start: int
    end: int
    path: tuple[str, ...]
    paths: tuple[tuple[str, ...], ...] = ()
    dotted: bool = False
    directed: bool = False
    """A word such as «выше» follows and is part of the span."""
    partial: bool = False
    """Only the steps that differ from the element before were written."""


class _Reader(Protocol):
    text: str
    data: Mapping[str, Any]
    rx: Mapping[str, re.Pattern[str]]


def counts(reader: _Reader, at: int, number: int) -> bool:
    """True when the word at ``at`` is counted by ``number``: «4 карты», «18 взяток», ``2 boards``.

    The number must agree: «правило 65 взятки» counts nothing, as 65 takes «взяток».
    """
    found = reader.rx["next"].match(reader.text, at)
    if not found:
        return False
    word = found.group(1).lower()
    keys = reader.data["count"].get(word, "")
    if not keys and any(
        len(word) > len(end) + 2 and word.endswith(end) for end in reader.data["countEndings"]
    ):
        keys = "5"
    counted = _class(number)
    # «4 тузов» after a genitive: two to four take the other form too.
    return "*" in keys or counted in keys or (counted == "2" and "5" in keys)


def _class(number: int) -> str:
    if number % 10 == 1 and number % 100 != 11:
        return "1"
    return "2" if number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14) else "5"


def expand(
    first: tuple[str, ...], last: tuple[str, ...], outline: Mapping[str, int], limit: int
) -> tuple[tuple[str, ...], ...]:
    """All paths from ``first`` to ``last``, the ends always among them; none when they make no range.

    Siblings are counted through, and what the outline does not have is left out between the ends; other
    ends of one depth are joined in the order of the outline.
    """
    if len(first) != len(last):
        return ()
    if first[:-1] == last[:-1]:
        inner = _between(first[-1], last[-1])
        if inner is None or len(inner) + 1 > limit:
            return ()
        middle = [(*first[:-1], step) for step in inner]
        if outline and any(".".join(path) in outline for path in (first, last)):
            middle = [path for path in middle if ".".join(path) in outline]
        return (first, *middle, last)
    low, high = outline.get(".".join(first)), outline.get(".".join(last))
    if low is None or high is None or low >= high:
        return ()
    paths = [tuple(dotted.split(".")) for dotted, at in outline.items() if low <= at <= high]
    same = tuple(path for path in paths if len(path) == len(first))
    return same if len(same) <= limit else ()


def _between(low: str, high: str) -> list[str] | None:
    """The steps between two of one kind; None when they do not ascend."""
    if low.isdigit() and high.isdigit():
        if int(low) >= int(high):
            return None
        return [str(n) for n in range(int(low) + 1, min(int(high), int(low) + 1000))]
    if low in _ROMAN and high in _ROMAN:
        at, to = _ROMAN.index(low), _ROMAN.index(high)
        return list(_ROMAN[at + 1 : to]) if at < to else None
    if len(low) == len(high) == 1 and low < high and low.isupper() == high.isupper() and low.isalpha():
        return [chr(n) for n in range(ord(low) + 1, ord(high))]
    return None
