"""Numbers as printed -> ordinals and the ASCII steps of a path. ``В``, ``B`` and ``(b)`` are all second."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

LOOK_ALIKES = str.maketrans("АВСЕНКМОРТХавсенкморухтІіЈј", "ABCEHKMOPTXabcehkmopyxtIiJj")
_RUSSIAN = "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ"
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_ARABIC = re.compile(r"(\d+)\s*(?:([⁰¹²³⁴⁵⁶⁷⁸⁹]+)|[(\-.](\d+)\)?|([A-Z]))?\Z")
_DOTS = re.compile(r"[.,]")
_DASHES = re.compile(r"[-–—:]")
"""``65-3``, ``65:3`` for ``65.3``; where there is a dot, ``7-1.2`` is 2 of 7-1."""
_ROMAN = re.compile(r"(?=[IVXLC])(C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})\Z")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}

_LETTERS = 26

Ordinal = tuple[int, int]
"""A number and, for one inserted after it (7¹), the number of the insertion; else 0."""


@dataclass(frozen=True, slots=True)
class Label:
    """A number as read: its place in the order, its step in a path, and the root a dotted one names."""

    ordinal: Ordinal
    step: str
    root: str = ""
    above: tuple[str, ...] = ()
    """Steps between the root and this one that a number of three parts and more names: ``1.2.3`` -> ``2``."""


@lru_cache(maxsize=4096)
def read_label(printed: str, numbering: str, russian: bool = False) -> Label | None:
    """The label a printed number stands for; None when it is none of this numbering.

    ``russian``: the document letters in the order А, Б, В, so that ``В`` is the third letter.
    """
    text = re.sub(r"\s+", "", printed)
    if numbering == "arabic":
        return _arabic(text)
    if numbering == "dotted":
        parts = [_arabic(part) for part in _DOTS.split(text)]
        if parts[0] is None:
            parts[0] = read_roman(_DOTS.split(text)[0])
        if len(parts) < 2:
            parts = [_arabic(part) for part in _DASHES.split(text)]
        if len(parts) < 2 or None in parts:
            return None
        head, *between, tail = [part for part in parts if part]
        return Label(tail.ordinal, tail.step, head.step, tuple(part.step for part in between))
    if numbering in ("roman", "lower-roman"):
        return _roman(text.translate(LOOK_ALIKES), numbering)
    return _letter(text, numbering, russian)


def read_roman(printed: str) -> Label | None:
    """The label of a number in Roman figures where the numbering has Arabic ones: ``LXV`` is 65."""
    number = roman_value(re.sub(r"\s+", "", printed).translate(LOOK_ALIKES))
    return Label((number, 0), str(number)) if number else None


def read_otherwise(printed: str, numbering: str) -> Label | None:
    """The label of a figure, or a Russian letter, that stands where the numbering has others: 2) is ii."""
    if printed.isdecimal() and numbering not in ("arabic", "dotted"):
        number = int(printed)
    elif numbering == "lower-roman" and printed.upper() in _RUSSIAN:
        number = _RUSSIAN.index(printed.upper()) + 1
    else:
        return None
    return Label((number, 0), step_of((number, 0), numbering)) if 0 < number <= _LETTERS else None


def read_step(step: str, numbering: str) -> Label | None:
    """The label of a step of a path; a step of dotted numbers is only the number after the dot."""
    return read_label(step, "arabic" if numbering == "dotted" else numbering)


def preceding(ordinal: Ordinal) -> Ordinal | None:
    """The number before it, as far as the number tells: 8 -> 7, 7¹ -> 7; None before the first."""
    number, inserted = ordinal
    if inserted:
        return number, inserted - 1
    return (number - 1, 0) if number > 1 else None


def follows(before: Ordinal, after: Ordinal) -> bool:
    """The one stands next in order: 7 -> 8, 7 -> 7¹, 7¹ -> 7², 7² -> 8."""
    return after in ((before[0] + 1, 0), (before[0], before[1] + 1))


def letters_russian(printed: Iterable[str]) -> bool:
    """Some letter has no Latin look-alike and is no Latin one: the document letters in Russian order.

    ``З`` alone does not tell: it may be a 3 that was misread.
    """
    return any(letter.upper() in "БГДЖИЛ" for letter in printed)


def letters_roman(printed: Iterable[str]) -> bool:
    """Of what stands where letters do, several are Roman figures of two signs and more, few A or B."""
    said = [sign.upper().translate(LOOK_ALIKES) for sign in printed]
    figures = sum(len(sign) > 1 and roman_value(sign) is not None for sign in said)
    return figures > 1 and figures > sum(sign in "AB" for sign in said)


def read_lettered(printed: str) -> Label | None:
    """The label of a Roman figure where the numbering has letters: ``II`` is B."""
    number = roman_value(printed.translate(LOOK_ALIKES))
    return Label((number, 0), step_of((number, 0), "upper")) if number and number <= _LETTERS else None


def step_of(ordinal: Ordinal, numbering: str) -> str:
    """The path step of an ordinal, the inverse of ``read_label``."""
    number, inserted = ordinal
    if numbering in ("arabic", "dotted"):
        return f"{number}-{inserted}" if inserted else str(number)
    if numbering in ("upper", "lower"):
        letter = chr(64 + number)
        return letter if numbering == "upper" else letter.lower()
    roman = _to_roman(number)
    return roman if numbering == "roman" else roman.lower()


def _arabic(text: str) -> Label | None:
    match = _ARABIC.match(text)
    if not match:
        return None
    inserted = (match.group(2) or "").translate(_SUPERSCRIPT) or match.group(3)
    number = int(match.group(1))
    if match.group(4):  # 12A stands behind 12
        return Label((number, ord(match.group(4)) - 64), f"{number}{match.group(4)}")
    if inserted:
        return Label((number, int(inserted)), f"{number}-{int(inserted)}")
    return Label((number, 0), str(number))


def roman_value(text: str) -> int | None:
    """The value of a Roman number in Latin letters of either case; None when it is none."""
    upper = text.upper()
    if not _ROMAN.match(upper):
        return None
    values = [_ROMAN_VALUES[letter] for letter in upper] + [0]
    return sum(-one if one < after else one for one, after in pairwise(values))


def _roman(text: str, numbering: str) -> Label | None:
    total = roman_value(text)
    if total is None:
        return None
    return Label((total, 0), text.upper() if numbering == "roman" else text.lower())


def _letter(text: str, numbering: str, russian: bool) -> Label | None:
    letter = text.upper()
    if len(letter) != 1:
        return None
    if russian and letter in _RUSSIAN:
        number = _RUSSIAN.index(letter) + 1
    else:
        latin = letter.translate(LOOK_ALIKES)
        if not "A" <= latin <= "Z":
            return None
        number = ord(latin) - 64
    return Label((number, 0), step_of((number, 0), numbering))


def _to_roman(number: int) -> str:
    pairs = (
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    )
    out = []
    for value, sign in pairs:
        while number >= value:
            out.append(sign)
            number -= value
    return "".join(out)
