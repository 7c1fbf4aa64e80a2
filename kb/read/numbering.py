"""Numbers that a program shows before paragraphs and does not write into the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"))
_ROMAN_LOW = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщэюя"
_PLACE = re.compile(r"%(\d)")


def roman(number: int) -> str:
    """``roman(4)`` is ``iv``. Numbers below 1 and above 3999 are given as they are."""
    if not 0 < number < 4000:
        return str(number)
    said = ""
    for value, letters in (*_ROMAN, *_ROMAN_LOW):
        said += letters * (number // value)
        number %= value
    return said


def count(text: str, default: int) -> int:
    """A number as a document states it; the default for what is none, or no number of an item."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else default


def letter(number: int, letters: str = "abcdefghijklmnopqrstuvwxyz") -> str:
    """``letter(3)`` is ``c``, ``letter(27)`` is ``aa``, as word processors count on."""
    if number < 1:
        return str(number)
    return letters[(number - 1) % len(letters)] * ((number - 1) // len(letters) + 1)


FORMATS: Mapping[str, Callable[[int], str]] = {
    "decimal": str,
    "1": str,
    "lowerLetter": letter,
    "a": letter,
    "upperLetter": lambda n: letter(n).upper(),
    "A": lambda n: letter(n).upper(),
    "lowerRoman": roman,
    "i": roman,
    "upperRoman": lambda n: roman(n).upper(),
    "I": lambda n: roman(n).upper(),
    "russianLower": lambda n: letter(n, _RUSSIAN),
    "а": lambda n: letter(n, _RUSSIAN),
    "russianUpper": lambda n: letter(n, _RUSSIAN).upper(),
    "А": lambda n: letter(n, _RUSSIAN).upper(),
}
"""Names of formats (of DOCX, of HTML and ODT) to what writes a number so; others show none (bullets)."""


class Lists:
    """Counts the items of numbered lists, each list and level on its own."""

    def __init__(self) -> None:
        self._levels: dict[tuple[str, int], tuple[str, str, int]] = {}
        self._counts: dict[tuple[str, int], int] = {}

    def define(self, name: str, level: int, form: str, pattern: str, start: int = 1) -> None:
        """A level of a list: its format and the pattern around it, ``%1.%2)`` with a place for each level."""
        self._levels[name, level] = (form, pattern, start)

    def label(self, name: str, level: int) -> str:
        """Count one item on; the label it is shown with, empty for a bullet or an unknown list."""
        known = self._levels.get((name, level))
        if known is None:
            return ""
        form, pattern, start = known
        self._counts[name, level] = self._counts.get((name, level), start - 1) + 1
        for deeper in [key for key in self._counts if key[0] == name and key[1] > level]:
            del self._counts[deeper]
        return (
            _PLACE.sub(lambda m: self._shown(name, int(m.group(1)) - 1), pattern) if form in FORMATS else ""
        )

    def _shown(self, name: str, level: int) -> str:
        form, _, start = self._levels.get((name, level), ("decimal", "", 1))
        return FORMATS.get(form, str)(self._counts.get((name, level), start))
