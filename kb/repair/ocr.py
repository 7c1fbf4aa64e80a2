"""What a reading machine makes of markers: digits and Roman numerals read as letters, and the reverse.

Each of these is decided by what stands around it, never by the look of the sign alone.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from kb.patterns import at_lines
from kb.repair.damage import Damage
from kb.text import Text

_MARK = re.compile(r"[ \t\xa0]*\(?(?P<mark>\w)(?P<end>[.)])[ \t\xa0]*(?=[\w«\"(])")
_DIGITS = {"З": "3", "з": "3", "б": "6", "Б": "6", "ч": "4", "Ч": "4", "l": "1", "I": "1", "|": "1", "В": "8"}
_LETTERS = {"Р": "D", "р": "D", "О": "D", "0": "D", "Е": "E", "Г": "F"}
_ROMAN = {"Ш": "III", "П": "II", "У": "V", "Х": "X", "Г": "I", "l": "I", "1": "I", "|": "I"}
_NUMERAL = re.compile(r"[ \t\xa0]*[^\W\d_]{3,}[ \t\xa0]+(?P<n>[IVXШПУХГl1|]{1,8})(?![\w|])")
_PAGE = re.compile(
    r"[ \t\xa0]*(?P<dash>[-–—_])(?P<gap>[ \t\xa0]?)(?P<n>[\dЗзбБВОоОIl|SЧч]{1,4})"
    r"(?P<rest>[ \t\xa0]?[-–—])[ \t\xa0]*$",
    re.MULTILINE,
)
_PAGE_DIGITS = str.maketrans("ЗзбБВОоIl|SЧч", "3365800111544")
_SMALL = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_ITEM = re.compile(
    r"[ \t\xa0]*(?:\d[\d.]*\.?[ \t\xa0]+)?\((?P<n>[ivx]{1,4}|[1lIй|пшШ]{1,3})\)(?=[ \t\xa0]*[\w«\"])"
)
_CAPITALS = {**dict(zip("АВСЕ", "ABCE", strict=True)), **{letter: letter for letter in "ABCDEFGH"}}


class _Mark(NamedTuple):
    """A sign of one character at a line's start: where it stands, what it is."""

    at: int
    sign: str

    @property
    def letter(self) -> str:
        """The Latin capital it is or looks like; empty for anything else."""
        return _CAPITALS.get(self.sign, "")


def misread_markers(text: Text, damage: Damage) -> Text:
    """``З.`` behind ``2.`` -> ``3.``; ``8.`` behind ``A.`` -> ``B.``; ``Р.`` behind ``С.`` -> ``D.``;
    ``Раздел Ш`` -> ``Раздел III``; ``- ВБ -`` -> ``- 85 -``; ``(1)`` before ``(ii)`` -> ``(i)``.

    A sign is read anew only where the number or letter it stands for is the one that comes next, and a
    Roman numeral only where the line then is a heading of the profile. A text that letters its sections
    А, Б, В stays, and so does ``З.`` in it; and so does a single slip with nothing behind it to tell.
    """
    text = text.replace_runs(_numerals(text.value, damage), "misread-marker")
    text = text.replace_runs(_pages(text.value, damage), "misread-marker")
    text = text.replace_runs(_items(text.value), "misread-marker")
    return text.replace_runs(_sequences(text.value), "misread-marker")


def _numerals(value: str, damage: Damage) -> Iterator[tuple[int, int, str]]:
    for match in at_lines(_NUMERAL, value):
        said = match.group("n")
        new = "".join(_ROMAN.get(c, c) for c in said)
        line = match.group().lstrip()
        end = value.find("\n", match.end())
        rest = value[match.end() : end if end >= 0 else len(value)]
        anew = line[: -len(said)] + new + rest
        if new == said or any(pattern.match(line + rest) for pattern in damage.headings):
            continue
        if any(pattern.match(anew) for pattern in damage.headings):
            yield (*match.span("n"), new)


def _pages(value: str, damage: Damage) -> Iterator[tuple[int, int, str]]:
    for match in at_lines(_PAGE, value):
        said = match.group("n")
        number = said.translate(_PAGE_DIGITS)
        dash = match.group("dash")
        new = f"{'-' if dash == '_' else dash}{match.group('gap')}{number}"
        if number.isdigit() and damage.page_mark.match(new + match.group("rest")):
            yield match.start("dash"), match.end("n"), new


def _sequences(value: str) -> Iterator[tuple[int, int, str]]:
    marks = [_Mark(match.start("mark"), match["mark"]) for match in at_lines(_MARK, value)]
    if _in_russian_order([mark.sign for mark in marks if mark.sign.isalpha()]):
        return
    found = list(_out_of_order(marks))
    if len(found) > 1 or any(sure for _, _, sure in found):
        for mark, meant, _ in found:
            yield mark.at, mark.at + 1, meant


def _out_of_order(marks: list[_Mark]) -> Iterator[tuple[_Mark, str, bool]]:
    """Signs that stand where another one is due; and whether the one after it is there, too."""
    number = 0
    letter = ""
    for mark, after in itertools.zip_longest(marks, marks[1:]):
        digit = _DIGITS.get(mark.sign, "")
        meant = _LETTERS.get(mark.sign, "")
        if mark.sign == "8" and number != 7 and letter == "A":  # B. behind A. and what is in it
            letter, number = "B", 0
            yield mark, "B", after is not None and after.letter == "C"
        elif mark.sign in "123456789":
            number = int(mark.sign)
        elif digit and int(digit) == number + 1 and not (mark.letter and _follows(letter, mark.letter)):
            number += 1
            yield mark, digit, after is not None and after.sign == str(number + 1)
        elif meant and letter and _follows(letter, meant) and not mark.letter:
            letter, number = meant, 0
            yield mark, meant, after is not None and _follows(letter, after.letter or " ")
        elif mark.letter:
            letter, number = mark.letter, 0


def _items(value: str) -> Iterator[tuple[int, int, str]]:
    """``(1)`` before ``(ii)`` is ``(i)``; ``(11)`` or ``(1)`` between ``(i)`` and ``(iii)`` is ``(ii)``."""
    marks = list(at_lines(_ITEM, value))
    numbers = [_SMALL.index(m.group("n")) + 1 if m.group("n") in _SMALL else 0 for m in marks]
    strokes = [at for at, m in enumerate(marks) if set(m.group("n")) == {"l"}]
    if any(len(marks[at].group("n")) > 1 for at in strokes):  # all of them: (l), (ll), (lll)
        for at in strokes:
            numbers[at] = len(marks[at].group("n"))
            yield (*marks[at].span("n"), "i" * numbers[at])
    for at, match in enumerate(marks):
        behind = numbers[at + 1] if at + 1 < len(marks) else 0
        if numbers[at] or behind < 2:
            continue
        before = numbers[at - 1] if at else 0
        if behind == 2 or before == behind - 2:
            numbers[at] = behind - 1
            yield (*match.span("n"), _SMALL[behind - 2])


def _in_russian_order(signs: list[str]) -> bool:
    """Ж stands among the letters, or Б behind А."""
    return "Ж" in signs or any(b == "Б" and a in "АA" for a, b in itertools.pairwise(signs))


def _follows(before: str, behind: str) -> bool:
    return bool(before) and ord(behind) == ord(before) + 1
