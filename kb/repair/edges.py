"""What a copy has at the edges of its lines: signs of quoted mail, numbers of lines, frames."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from kb.patterns import middle
from kb.repair.damage import Damage
from kb.tables import table_runs, within
from kb.text import Text

_QUOTE = re.compile(r"(?m)^(?:[ \t\xa0]*[^\W\d_]{0,3}>)+(?:[ \t\xa0]|$)?")
"""``> ``, ``>> ``, ``> > ``, and with the writer's initials: ``IK> ``."""
_LEFT = re.compile(r"(?m)^[ \t]*(?P<n>\d{1,6})(?::|\||[ \t]|$)[ \t]?")
_CLOSED_LEFT = re.compile(
    r"(?m)^[ \t]*(?:[^\s:]{1,60}:(?=\d+:))?[\[(]?(?P<n>\d{1,6})(?:[\])]\.?|[.:|])(?:[ \t]|$)?(?P<next>.?)"
)
"""``[12] ``, ``12) ``, ``12. ``, ``name.txt:12:``: lists are numbered so, too."""
_RIGHT = re.compile(r"(?m)(?<![^\n])[ \t]*(?P<alone>\d{1,6})[ \t]*$|(?<=\S)[ \t]+(?P<n>\d{1,6})[ \t]*$")
_FIRST = re.compile(r"(?:\s*\d[^\n]*\n){3}")
_FIRST_CLOSED = re.compile(r"(?:\s*(?:[^\s:]{1,60}:(?=\d+:))?[\[(]?\d+[\]).:|][^\n]*\n){3}")
_MARGIN = ("//", ";;", *":;+*#%║│!$")
"""Signs that programs put before each line."""
_LISTING = "*+#"
_LEAST = 10
_STRAY_BAR = re.compile(r"(?m)^\| (?=[^|\n]*$)")
_STRAY = 3
_FEW = 20
_TURNS = (5, 10)
"""Lines of which only each fifth or tenth has its number."""
_SAMPLE = 4000
"""Code points, from the middle of a text, in which numbers at the edge show if it has them."""
_ENDING = ("|", "\\\\", "\\", "$", "║", "│")


def quoted(text: Text, damage: Damage) -> Text:
    """``> text``, ``>> text``, ``IK> text`` at nearly every line's start -> ``text``: a quoted message.

    Nine of ten lines with text, ten at least; what the letter says above and below may stand.
    """
    if text.value.count(">") < 10:
        return text
    found = list(_QUOTE.finditer(text.value))
    if len(found) < 10 or len(found) * 10 < _filled(text.value) * 9:
        return text
    return text.sub_matches(found, "", "quote-mark")


def margin_signs(text: Text, damage: Damage) -> Text:
    """``// text``, ``: text``, ``+text`` at nearly every line's start -> ``text``: a margin of signs.

    Nine of ten lines with text, ten at least. Signs that lists have, too, where a fifth of them go on with a
    sentence behind the sign, or where blank lines have it.
    """
    value = text.value
    lines = [line for said in middle(value, _SAMPLE).split("\n")[1:] if (line := said.strip())]
    for sign in _MARGIN:
        if len(lines) < _LEAST or sum(line.startswith(sign) for line in lines) * 10 < len(lines) * 7:
            continue
        found = list(re.finditer(rf"(?m)^[ \t]?{re.escape(sign)}(?:[ \t]|$)?(?P<next>.?)", value))
        listed = sign in _LISTING and not _cut_sentences(match["next"] for match in found)
        if len(found) * 10 >= _filled(value) * 9 and not listed:
            runs = [(match.start(), match.start("next"), "") for match in found]
            return text.replace_runs(runs, "margin-sign")
    return text


def _cut_sentences(first: Iterable[str]) -> bool:
    """A fifth of these are small letters, or a twentieth are none: lines of running text, no list."""
    every = list(first)
    letters = [sign for sign in every if sign.strip()]
    return sum(map(str.islower, letters)) * 5 >= len(letters) or len(letters) * 20 <= len(every) * 19


def stray_bars(text: Text, damage: Damage) -> Text:
    """``| text`` here and there, the only bar of its line -> ``text``: the edge of a page, read as a sign.

    Three lines at least, and in no table.
    """
    if text.value.count("\n| ") < _STRAY:
        return text
    tables = text.derived(table_runs)
    found = [match for match in _STRAY_BAR.finditer(text.value) if not within(match.start(), tables)]
    return text.sub_matches(found, "", "margin-bar") if len(found) >= _STRAY else text


def line_numbers(text: Text, damage: Damage) -> Text:
    """``  12  Правило 65.``, ``13: A. …``, ``Игрок кладёт   14``: numbers of lines, one by one -> the line.

    Twenty lines at least, and nine of ten numbers the one after that before. Where only each fifth line, or
    each tenth, has one: eight of those, each so many lines below the one before, anew on a page or not.
    """
    value = text.value
    if _FIRST.match(value):
        found = list(_LEFT.finditer(value))
        if _in_turn(found, value):
            return text.sub_matches(found, "", "line-number")
    if _FIRST_CLOSED.match(value):
        found = list(_CLOSED_LEFT.finditer(value))
        if _in_turn(found, value) and _cut_sentences(match["next"] for match in found):
            runs = [(match.start(), match.start("next"), "") for match in found]
            return text.replace_runs(runs, "line-number")
    lines = [line for said in middle(value, _SAMPLE).split("\n")[1:-1] if (line := said.strip())]
    for pattern in (_LEFT, _RIGHT):
        numbers = [
            _number(match)
            for line in lines
            if line[0 if pattern is _LEFT else -1].isdigit() and (match := pattern.search(line))
        ]
        if pattern is _RIGHT and len(numbers) * 10 >= len(lines) * 9:
            found = list(pattern.finditer(value))
            if _in_turn(found, value):
                return text.sub_matches(found, "", "line-number")
        if sum(number % _TURNS[0] == 0 for number in numbers) * 12 < max(12, len(lines)):
            continue
        if turning := _by_turns(value, pattern):
            return text.sub_matches(turning, "", "line-number")
    return text


def _in_turn(found: Sequence[re.Match[str]], value: str) -> bool:
    if len(found) < _FEW or len(found) * 10 < _filled(value) * 9:
        return False
    numbers = [_number(match) for match in found]
    return sum(0 < b - a <= 2 for a, b in itertools.pairwise(numbers)) * 10 >= len(found) * 9


def _by_turns(value: str, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """The numbers of each fifth or tenth line; none where the text has them not throughout."""
    found = list(pattern.finditer(value))
    for turn in _TURNS:
        some = [match for match in found if _number(match) % turn == 0]
        chosen: list[re.Match[str]] = []
        for before, after in itertools.pairwise(some):
            gap = _number(after) - _number(before)
            if gap == turn or _number(after) == turn:
                between = value[before.end() : after.start()].split("\n")
                blank = sum(not said.strip() for said in between[1:-1])
                if gap == turn and turn not in (len(between) - 1, len(between) - 1 - blank):
                    continue
                chosen += [match for match in (before, after) if match not in chosen[-2:]]
        if len(chosen) >= 8 and len(chosen) * turn * 10 >= _filled(value) * 7:
            return chosen
    return []


def _number(match: re.Match[str]) -> int:
    return int(next(said for said in match.groups() if said))


def end_bars(text: Text, damage: Damage) -> Text:
    """``text   |``, ``text\\`` at line ends -> ``text``: the other edge of a frame.

    At nine of ten ends, or at every third and hardly anywhere else: short lines may have lost theirs.
    """
    for sign in _ENDING:
        ends = text.value.count(f"{sign}\n") if sign in text.value else 0
        if ends < 10:
            continue
        lines = [said for line in text.value.split("\n") if (said := line.strip())]
        ending = [
            line for line in lines if line.endswith(sign) and line.count(sign) <= 1 + line.startswith(sign)
        ]
        alone = len(ending) * 3 >= len(lines) and ends * 10 >= text.value.count(sign) * 9
        if alone or len(ending) * 10 >= len(lines) * 9:
            text = text.sub(rf"(?m)[ \t\xa0]*{re.escape(sign)}[ \t\xa0]*$", "", "margin-bar")
    return text


def _filled(value: str) -> int:
    """How many lines have text."""
    return sum(map(bool, map(str.strip, value.split("\n"))))
