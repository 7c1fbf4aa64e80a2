"""Text that stands more than once: pages pasted twice, words struck over to make them bold."""

from __future__ import annotations

import itertools
import re

from kb.repair.damage import Damage
from kb.text import WALL, Text

_ENDS = ".!?:;…"
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
    lines = _lines(text.value)
    if len(lines) - len({line[2] for line in lines}) < _LEAST_LINES:
        return text
    seen: dict[tuple[str, ...], int] = {}
    runs: list[tuple[int, int, str]] = []
    at = 0
    while at < len(lines):
        key = tuple(line[2] for line in lines[at : at + _LEAST_LINES])
        first = seen.get(key) if len(key) == _LEAST_LINES else None
        if first is not None:
            length = _LEAST_LINES
            while (
                at + length < len(lines)
                and first + length < at
                and lines[first + length][2] == lines[at + length][2]
            ):
                length += 1
            if sum(len(line[2]) for line in lines[at : at + length]) >= _LEAST_CHARACTERS:
                stop = lines[at + length - 1][1]
                between = sum(len(line[2]) for line in lines[first + length : at])
                wall = "" if between < _BETWEEN else WALL + "\n"
                runs.append((lines[at][0], stop + (text.value[stop : stop + 1] == "\n"), wall))
                at += length
                continue
        if len(key) == _LEAST_LINES:
            seen.setdefault(key, at)
        at += 1
    return text.replace_runs(runs, "doubled-page")


def doubled_lines(text: Text, damage: Damage) -> Text:
    """The same line twice, one below the other, in the middle of a sentence -> once.

    Five words at least and no end of a sentence: a text does not say the half of one twice.
    """
    lines = _lines(text.value)
    runs = [
        (here[0], here[1] + (text.value[here[1] : here[1] + 1] == "\n"), "")
        for before, here in itertools.pairwise(lines)
        if before[2] == here[2] and here[2].count(" ") >= 4 and here[2][-1] not in _ENDS and _prose(here[2])
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
    lines = _lines(text.value)
    runs: list[tuple[int, int, str]] = []
    at = 1
    while at < len(lines):
        content = lines[at][2]
        end = at + 1
        while end < len(lines) and lines[end][2] == content:
            end += 1
        if end - at >= 2 and len(content) >= 3:
            before = " ".join(line[2] for line in lines[max(0, at - 3) : at])
            if re.search(rf"(?<!\w){re.escape(content)}(?!\w)", before):
                stop = lines[end - 1][1]
                runs.append((lines[at][0], stop + (text.value[stop : stop + 1] == "\n"), ""))
        at = end
    return text.replace_runs(runs, "overstrike-copy")


def _lines(value: str) -> list[tuple[int, int, str]]:
    """The lines that are not blank: start, end, and content with white space folded."""
    found = []
    at = 0
    for line in value.split("\n"):
        if line.strip():
            found.append((at, at + len(line), " ".join(line.split())))
        at += len(line) + 1
    return found
