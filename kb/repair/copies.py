"""Text that stands more than once: pages pasted twice, words struck over to make them bold."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from kb.patterns import folded_lines
from kb.repair.damage import Damage
from kb.text import WALL, Text

_ENDS = ".!?:;…"
_BLANK_BEFORE = re.compile(r"\n[ \t\xa0]*\n\Z")
_BLANK_LINES = re.compile(r"(?:[ \t\xa0]*\n)*")
_AGAIN = 6
_LEAST_LINES = 12
_LEAST_CHARACTERS = 500
_BETWEEN = 40
"""Characters that may stand between a page and its copy, of links or a number; more is text."""


def doubled_pages(text: Text, damage: Damage) -> Text:
    """A run of lines that stands again, letter for letter -> once; the first copy is kept.

    Twelve lines and 500 characters at least, blank lines apart; shorter repetitions are left alone, as in a
    text that says the same of two cases. A copy that differs is no damage but another witness. Where the
    copy does not follow its original at once, what comes after it goes on from elsewhere: a wall is left.
    """
    for _ in range(_AGAIN):  # what a copy stood between may be one of something, too
        without = _first_copies(text)
        if without is text:
            break
        text = without
    return text


def _first_copies(text: Text) -> Text:
    said = text.derived(said_lines)
    if len(said) - len(text.derived(times_of, said)) < _LEAST_LINES:
        return text
    seen: dict[tuple[str, ...], int] = {}
    runs: list[tuple[int, int, str]] = []
    done = 0
    for at in _repeated_windows(said, text.derived(times_of, said)):
        if at < done:
            continue
        key = tuple(said[at : at + _LEAST_LINES])
        first = seen.setdefault(key, at)
        if first == at:
            continue
        length = _LEAST_LINES
        while at + length < len(said) and first + length < at and said[first + length] == said[at + length]:
            length += 1
        if sum(map(len, said[at : at + length])) >= _LEAST_CHARACTERS:
            between = sum(map(len, said[first + length : at]))
            wall = "" if between < _BETWEEN else WALL + "\n"
            start, stop = _whole(text, at, at + length)
            if _BLANK_BEFORE.search(text.value, max(0, start - 40), start):
                stop = _BLANK_LINES.match(text.value, stop).end()  # type: ignore[union-attr]
            runs.append((start, stop, wall))
            done = at + length
    return text.replace_runs(runs, "doubled-page")


def _repeated_windows(said: list[str], times: Mapping[str, int]) -> Iterator[int]:
    """Where as many lines as make a page begin of which each stands elsewhere, too."""
    often = {line for line, often in times.items() if often > 1}
    run = 0
    for at, line in enumerate(said):
        run = run + 1 if line in often else 0
        if run >= _LEAST_LINES:
            yield at + 1 - _LEAST_LINES


def doubled_lines(text: Text, damage: Damage) -> Text:
    """The same line twice, one below the other, in the middle of a sentence -> once.

    Five words at least and no end of a sentence: a text does not say the half of one twice.
    """
    said = text.derived(said_lines)
    runs = [
        (*_whole(text, at, at + 1), "")
        for at in _doubled(said)
        if said[at].count(" ") >= 4 and said[at][-1] not in _ENDS and _prose(said[at])
    ]
    return text.replace_runs(runs, "doubled-line")


def _prose(line: str) -> bool:
    return sum(c.isalpha() or c == " " for c in line) * 10 >= len(line) * 9


def overstrikes(text: Text, damage: Damage) -> Text:
    """A word or phrase repeated on lines of its own, after the text that holds it -> dropped.

    ``… они могут просматривать карты, остающиеся / просматривать / просматривать / в их руках.``: a
    typewriter's emphasis. Two or more equal lines that stand in the three lines before; one such line
    alone stays, it may be text.
    """
    while True:  # two that another copy stood between are side by side now
        without = _without_overstrikes(text)
        if without is text:
            return text
        text = without


def _without_overstrikes(text: Text) -> Text:
    said = text.derived(said_lines)
    runs: list[tuple[int, int, str]] = []
    end = 0
    for second in _doubled(said):
        at = max(second - 1, 1)
        if at < end:
            continue
        content = said[at]
        end = at + 1
        while end < len(said) and said[end] == content:
            end += 1
        if end - at >= 2 and len(content) >= 3:
            before = " ".join(said[max(0, at - 3) : at])
            if re.search(rf"(?<!\w){re.escape(content)}(?!\w)", before):
                runs.append((*_whole(text, at, end), ""))
    return text.replace_runs(runs, "overstrike-copy")


def said_lines(value: str) -> list[str]:
    """The lines that are not blank, white space folded."""
    return [line for line in folded_lines(value) if line]


def times_of(value: str, said: list[str]) -> Counter[str]:
    """How often each of those lines stands in the text."""
    return Counter(said)


def _doubled(said: list[str]) -> list[int]:
    """Which of those lines are as the line before."""
    return [at for at, same in enumerate(map(operator.eq, said, said[1:]), 1) if same]


def _places(value: str) -> list[tuple[int, int]]:
    """Start and end of each of the lines that are not blank."""
    found = []
    at = 0
    for line in value.split("\n"):
        if line and not line.isspace():
            found.append((at, at + len(line)))
        at += len(line) + 1
    return found


def _whole(text: Text, first: int, last: int) -> tuple[int, int]:
    """The run of some of those lines, with the line end behind."""
    places = text.derived(_places)
    stop = places[last - 1][1]
    return places[first][0], stop + (text.value[stop : stop + 1] == "\n")
