"""Page numbers of a look that no profile describes: told by their shape, their order and their distance."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from kb.patterns import lines_having
from kb.repair.damage import Damage
from kb.tables import table_runs, within

_NUMBERED = re.compile(r"(?m)^[ \t\xa0]*(?P<line>(?=\S)[^\n\d]{0,60}+(?P<n>\d{1,3}+)[^\n\d]{0,80}+)$")
_SEVERAL = re.compile(r"(?m)^[ \t\xa0]*(?P<line>(?=\S)(?:[^\n\d]{0,90}+\d{1,4}+(?!\d)){2,9}[^\n\d]{0,60}+)$")
_FIGURES = re.compile(r"\d+")
_OF = re.compile(r"\A[^\W\d_]{1,3}\Z")
"""``of``, ``из``: what stands between a page's number and how many there are."""
_DIGIT = re.compile("[0-9٠-٩۰-۹०-९০-৯๐-๙０-９]")
"""Of the digits that books have: a range is looked for faster than ``\\d``."""
_LONE = re.compile(r"(?:[^\w\n]|_)*+(?:[^\W\d_]++(?:[^\w\n]|_)*+)?\Z")
"""Behind a number: one word, or none."""
_WORDS = re.compile(r"[^\W\d_]+")
_LONG = re.compile(r"[^\W\d_]{12}")
"""A word longer than any word for a page."""
_NAMED_LAST = re.compile(r"[^\W\d_]\.?\s?\d+\Z")
"""``… клуба, стр. 85``"""
_LISTED = re.compile(r"\A[^\w(.]*\d+\s?[.)]\Z|§|№")
"""``3.``, ``3)``: the number of a list, alone on its line."""
_APART = re.compile(
    r"\d(?:\s{2,}|\s*[\t|—–]\s*)[^\W\d_]|[^\W\d_.!?)»](?:\s{2,}|\s*[\t|—–]\s*)\W*\d|\d\s*\|\s*\d"
)
_EDGE = re.compile(r"(?P<first>\d{1,3}+)(?:\s{3,}|\t)[^\W_].*\Z|[^\W_].*?\S(?:\s{3,}|\t)(?P<last>\d{1,3})\Z")
"""A line with words whose first or last number is set apart."""
_SET_APART = ("  ", "\t", "\xa0", "|", "—", "–")
"""One of them is in what `_APART` finds."""
_LEAST = 3
_LEAST_STAMPED = 5
"""Lines with the same words and two numbers that stay, of which a third one counts: a browser's footer."""
_OTHER_WORDS_MOST = 8
_MOST_PAGES = 1999
_LEAST_LINES = 5
"""Lines with text between two page numbers, in the middle: fewer, and they are numbers of a list."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A page number as it stands in the text: its run, the number, whether the line is only that."""

    start: int
    end: int
    number: int
    alone: bool


def ascending(marks: list[Mark]) -> list[Mark]:
    """The longest strictly ascending run of marks, in order of the text."""
    tails: list[int] = []  # number at the end of the best run of each length
    ends: list[int] = []  # the mark that has it
    before: list[int] = []
    for index, mark in enumerate(marks):
        length = bisect_left(tails, mark.number)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [mark.number]
        ends[length : length + 1] = [index]
    run: list[Mark] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        run.append(marks[at])
        at = before[at]
    return run[::-1]


def paginations(numbers: Sequence[int]) -> tuple[list[int], list[int]]:
    """Which of the numbers, by their places, are the pages, and which those of another numbering between.

    A copy may have the page numbers of what it was made from beside its own: 1, 7, 2, 8, 9, 3 … Both go on
    one by one; the one with more numbers counts, of two as long the first. Otherwise there is no other.
    """
    runs: list[list[int]] = []
    for place, number in enumerate(numbers):
        run = next((run for run in runs if numbers[run[-1]] + 1 == number), None)
        if run is None:
            runs.append([place])
            if len(runs) > 2:
                break
        else:
            run.append(place)
    if len(runs) != 2 or min(map(len, runs)) < _LEAST or runs[0][-1] < runs[1][0]:
        return list(range(len(numbers))), []
    pages, others = sorted(runs, key=len, reverse=True)
    return pages, others


def most(some: list[Mark], every: list[Mark]) -> bool:
    """Nearly all of them."""
    return len(some) * 5 >= len(every) * 4


def heads(line: str, damage: Damage) -> bool:
    """The line has words of its own beside the number and its page word: a running head."""
    return any(word.lower() not in damage.lang.page_words for word in _WORDS.findall(line))


def by_shape(value: str, damage: Damage) -> list[Mark]:
    """Page numbers on lines of their own: ``85``, ``[85]``, ``стр. 85``, ``КОДЕКС СОРЕВНОВАНИЙ    85``.

    Three of one look at least, with a page of text between them, and nearly all ascending, unless they say
    «page». A look is what the line says beside the number: nothing, a word for page, or a running head that
    is set apart. A line that begins a provision, and a list's ``3.`` or ``3)``, is none.
    """
    one, several = _with_numbers(value)
    looks: dict[tuple[str, ...], list[Mark]] = _among_others(several, damage)
    for match in one:
        look = _look(match, damage)
        if look is not None:
            end = match.start("line") + len(match.group("line").rstrip(" \t\xa0"))
            looks.setdefault(look, []).append(Mark(match.start("line"), end, int(match.group("n")), True))
    tables = table_runs(value) if len(one) + len(several) >= _LEAST else []
    found: list[Mark] = []
    for look, marks in sorted(looks.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        outside = [mark for mark in marks if not within(mark.start, tables)]
        run = outside if look and not set(look) - damage.lang.page_words else _ascending(outside)
        if len(run) < _LEAST or not most(run, outside) or not _pages_apart(value, run):
            continue
        both = sorted([*found, *run], key=lambda mark: mark.start)
        if not found or len(_ascending(both)) == len(both):
            found = both
    edged = _at_edges(value, one, several, tables)
    return edged if len(edged) > len(found) else found


def _ascending(marks: list[Mark]) -> list[Mark]:
    """The same as `ascending`; a number that stands twice in a row is a page's at its head and its foot."""
    run = ascending(marks)
    if len(run) * 4 < len(marks):
        return run
    chosen = set(run)
    return [
        mark
        for at, mark in enumerate(marks)
        if mark in chosen
        or any(
            other in chosen and other.number == mark.number
            for other in (*marks[at - 1 : at], *marks[at + 1 : at + 2])
        )
    ]


def _at_edges(
    value: str,
    one: Sequence[re.Match[str]],
    several: Sequence[re.Match[str]],
    tables: list[tuple[int, int]],
) -> list[Mark]:
    """``Правило 55. Ход вне очереди      85``: heads that differ from page to page, the number set apart.

    At the line's end or its start, by three blanks at least; nearly all that are so ascend.
    """
    marks = []
    for match in sorted([*one, *several], key=lambda match: match.start()):
        line = match["line"].rstrip(" \t\xa0")
        number = edge_number(line)
        if number is not None and not within(match.start(), tables):
            marks.append(Mark(match.start("line"), match.start("line") + len(line), number, True))
    run = ascending(marks)
    return run if len(run) >= _LEAST and most(run, marks) and _pages_apart(value, run) else []


def _with_numbers(value: str) -> tuple[list[re.Match[str]], list[re.Match[str]]]:
    """The lines with one number, but for those that `_look` finds nothing in; and those with several."""
    one: list[re.Match[str]] = []
    several: list[re.Match[str]] = []
    for start, end in lines_having(_DIGIT, value):
        match = _NUMBERED.match(value, start, end)
        if not match:
            if match := _SEVERAL.match(value, start, end):
                several.append(match)
        elif _LONE.match(value, match.end("n"), end) or any(sign in match["line"] for sign in _SET_APART):
            one.append(match)
    return one, several


def _among_others(several: Sequence[re.Match[str]], damage: Damage) -> dict[tuple[str, ...], list[Mark]]:
    """``85 / 93``, ``Page 85 of 93``, ``12.03.1998      85``: numbers of which one changes from line to line.

    The others, and all signs between, are the same on three lines and more.
    """
    shapes: dict[str, list[re.Match[str]]] = {}
    for match in several:
        line = match["line"].rstrip(" \t\xa0")
        if len(_WORDS.findall(line)) > _OTHER_WORDS_MOST or any(m.match(line) for m in damage.markers):
            continue
        shapes.setdefault(shape_of(line), []).append(match)
    found: dict[tuple[str, ...], list[Mark]] = {}
    for shape, matches in shapes.items():
        words = [word.casefold() for word in _WORDS.findall(shape)]
        others = [word for word in words if word not in damage.lang.page_words]
        apart = _APART.search(matches[0]["line"])
        of = others[0] if len(others) == 1 and _OF.match(others[0]) else ""
        lines = [match["line"].rstrip(" \t\xa0") for match in matches]
        stamped = len(lines) >= _LEAST_STAMPED and shape.count("0") >= _LEAST
        if len(matches) < _LEAST or (others and not of and not apart and not stamped):
            continue
        numbers = counting(lines)
        if not numbers or max(numbers) > _MOST_PAGES:
            continue
        found[("0", shape)] = [
            Mark(match.start("line"), match.start("line") + len(line), number, True)
            for match, line, number in zip(matches, lines, numbers, strict=True)
        ]
    return found


def edge_number(line: str) -> int | None:
    """The number that is set apart at a line's start or end; None where none is."""
    edge = _EDGE.match(line)
    return int(edge["first"] or edge["last"]) if edge else None


def shape_of(line: str) -> str:
    """A line with each of its numbers as ``0``, white space folded."""
    return " ".join(_FIGURES.sub("0", line).split())


def counting(lines: Sequence[str]) -> list[int]:
    """Of lines of one shape the numbers at the one place where they differ; empty where that is not one.

    A number that stands at both ends of its line is one.
    """
    rows = [[int(said) for said in _FIGURES.findall(line)] for line in lines]
    changing = [column for column in zip(*rows, strict=True) if len(set(column)) > 1]
    return list(changing[0]) if len(set(changing)) == 1 else []


def _look(match: re.Match[str], damage: Damage) -> tuple[str, ...] | None:
    line = match.group("line").rstrip(" \t\xa0")
    if "://" in line and " " not in line:
        return tuple(word.casefold() for word in _WORDS.findall(line))  # the page's address
    apart = any(sign in line for sign in _SET_APART) and _APART.search(line)
    if not apart and _LONG.search(line):
        return None  # a word that stands beside no page number, and it is not set apart
    words = tuple(word.casefold() for word in _WORDS.findall(line))
    if _LISTED.search(line) and not words:
        return None
    others = [word for word in words if word not in damage.lang.page_words]
    if not others:
        return words if len(words) < 2 else None
    named = len(others) < len(words) <= 3  # «Конец страницы 85»
    named = named or bool(
        len(words) <= _OTHER_WORDS_MOST and _NAMED_LAST.search(line) and words[-1] not in others
    )
    if not (apart or named) or any(marker.match(line) for marker in damage.markers):
        return None
    return words


def _pages_apart(value: str, marks: list[Mark]) -> bool:
    between = []
    once = [next(same) for _, same in itertools.groupby(marks, lambda mark: mark.number)]  # of head and foot
    for before, after in itertools.pairwise(once):
        run = value[before.end : after.start]
        lines = sum(bool(line.strip()) for line in run.split("\n"))
        between.append(max(lines, len(run) // 100))  # a paragraph a line counts by its length
    return bool(between) and median(between) >= _LEAST_LINES
