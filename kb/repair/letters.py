"""Single letters that a machine misread or a font lost: told by the dictionary, one word at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from kb.repair.damage import Damage
from kb.text import Text

_STRESS = re.compile("[аеиоуыэюяАЕИОУЫЭЮЯ](\u0301)")
_STRESSED_OF = 60
"""One stress mark in so many letters at least: it is printed over words throughout."""
_LEAST = 3
_RULE = "misread-letter"
_WORD = re.compile("[\\w\ufffd]+")


def stress_marks(text: Text, damage: Damage) -> Text:
    """An acute over the stressed vowel of every word -> the letter alone.

    Where they stand throughout, as in a text for learners; over a single word the mark tells something.
    """
    count = text.value.count("\u0301")
    if count < _LEAST or count * _STRESSED_OF < sum(map(str.isalpha, text.value)):
        return text
    return text.replace_runs([(*found.span(1), "") for found in _STRESS.finditer(text.value)], "stress-mark")


def misread_letters(text: Text, damage: Damage) -> Text:
    """``взя4ка``, ``игр0к``, ``картbI``, ``счëт`` -> letters of the word's own script.

    A digit between two letters, or signs for one letter beside one, where the dictionary knows the word
    that is meant. ``3а`` and ``65б`` stay.
    """
    meant, own = damage.lang.misreadings, damage.lang.alphabet
    if not meant or not own or text.value.isascii():
        return text
    signs = [sign for sign in meant if all(map(text.value.__contains__, sign))]
    if not signs:
        return text
    rules = {edit.rule for edit in text.edits}
    if "hyphenation" in rules and _RULE not in rules:
        return text  # nothing was found before words were joined
    letters = frozenset(own + own.upper())
    runs = [run for sign in signs for run in _misread(text.value, sign, letters, damage)]
    return text.replace_runs(sorted(set(runs)), _RULE)


def _misread(
    value: str, sign: str, letters: frozenset[str], damage: Damage
) -> Iterator[tuple[int, int, str]]:
    """All the signs of the words in which this one stands as a letter does."""
    meant = damage.lang.misreadings
    alone = len(sign) == 1 and not sign.isdigit()  # another letter, or what stands for a lost one
    at = value.find(sign)
    while at >= 0:
        behind = value[at + len(sign) : at + len(sign) + 1] in letters
        before = value[at - 1 : at] in letters
        as_letter = (before or behind) if alone else before and (behind or not sign.isdigit())
        start, at = at, value.find(sign, at + len(sign))
        if not as_letter:
            continue
        while start and (value[start - 1].isalnum() or value[start - 1] == "\ufffd"):
            start -= 1
        word = _WORD.match(value, start)
        said = word.group() if word else ""
        found = list(_any_of(tuple(meant)).finditer(said))
        new = damage.lang.from_latin(_any_of(tuple(meant)).sub(lambda one: meant[one.group()], said))
        if len(new) >= 3 - alone and damage.lang.known(new.lower()):
            yield from ((start + one.start(), start + one.end(), meant[one.group()]) for one in found)


@lru_cache(maxsize=8)
def _any_of(signs: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, signs)))
