"""Reading one word of a query: known, mistyped, in the wrong alphabet, cut short or damaged.

Ordered from the surest reading to the boldest; the first that leads to a word of the corpus is taken.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kb.search.vocabulary import Vocabulary, sound_key, spell

MOST = 24
"""Readings of one word that are followed."""
_SHORTEST = 4
"""Letters a word keeps when endings or prefixes are taken off."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a word was taken for: forms of the corpus and how sure that is (1: as typed)."""

    forms: tuple[str, ...]
    weight: float
    how: str
    """``known``, ``prefix``, ``sound``, ``typo``, ``kin``, ``split`` or ``unknown``."""


def read_word(form: str, vocabulary: Vocabulary) -> Reading:
    """The surest reading of a folded form. ``unknown`` when nothing in the corpus is like it."""
    if vocabulary.lemmas(form):
        return Reading((form,), 1.0, "known")
    for step in _STEPS:
        reading = step(form, vocabulary)
        if reading is not None:
            return reading
    return Reading((form,), 1.0, "unknown")


def beginning(prefix: str, vocabulary: Vocabulary) -> Iterator[str]:
    """Forms of the corpus that begin so, in alphabetical order."""
    forms = vocabulary.forms
    at = bisect_left(forms, prefix)
    while at < len(forms) and forms[at].startswith(prefix):
        yield forms[at]
        at += 1


def distance(one: str, other: str, limit: int) -> int:
    """Letters to change, add, drop or swap between two words; ``limit + 1`` when more than ``limit``."""
    from rapidfuzz.distance import OSA

    return int(OSA.distance(one, other, score_cutoff=limit))


def _cut_short(form: str, vocabulary: Vocabulary) -> Reading | None:
    if len(form) < 3 or not form.isalpha():
        return None
    found = [other for other, _ in zip(beginning(form, vocabulary), range(MOST), strict=False)]
    return Reading(tuple(found), 0.7, "prefix") if found else None


def _by_sound(form: str, vocabulary: Vocabulary) -> Reading | None:
    """Latin letters for the sounds of another alphabet."""
    if len(form) < 3 or not form.isascii() or not form.isalpha():
        return None
    key = sound_key(form)
    found = vocabulary.keys.get(key)
    if not found and len(key) >= 6:
        near = [(distance(key, other, 1), other) for other in vocabulary.keys]
        best = sorted(other for far, other in near if far == 1)
        found = tuple(form for other in best for form in vocabulary.keys[other])[:MOST]
    return Reading(found[:MOST], 0.9, "sound") if found else None


def _one_letter(form: str, vocabulary: Vocabulary) -> Reading | None:
    return _nearest(form, vocabulary, 1) if len(form) >= 4 else None


def _two_letters(form: str, vocabulary: Vocabulary) -> Reading | None:
    return _nearest(form, vocabulary, 2) if len(form) >= 7 else None


def _nearest(form: str, vocabulary: Vocabulary, limit: int) -> Reading | None:
    if not form.isalpha():
        return None
    found = [
        (-len(_shared(form, other)), other)
        for other in vocabulary.forms
        if abs(len(other) - len(form)) <= limit and len(other) > 3 and distance(form, other, limit) <= limit
    ]
    forms = tuple(other for _, other in sorted(found)[:3])
    return Reading(forms, 0.9 - 0.2 * limit, "typo") if forms else None


def _shared(one: str, other: str) -> str:
    size = 0
    while size < min(len(one), len(other)) and one[size] == other[size]:
        size += 1
    return one[:size]


def _other_prefix(form: str, vocabulary: Vocabulary) -> Reading | None:
    """``перемешал`` where the corpus has ``смешал``: verbs that differ in their prefix."""
    for prefix in vocabulary.prefixes:
        rest = form.removeprefix(prefix)
        if rest == form or len(rest) < _SHORTEST:
            continue
        found = [other + rest for other in ("", *vocabulary.prefixes) if vocabulary.lemmas(other + rest)]
        if found:
            return Reading(tuple(found[:MOST]), 0.5, "kin")
    return None


def _other_ending(form: str, vocabulary: Vocabulary) -> Reading | None:
    """``объяснялка`` where the corpus has ``объяснять``: words that begin alike."""
    if not form.isalpha():
        return None
    for cut in range(1, 5):
        start = form[:-cut]
        if len(start) < max(_SHORTEST, cut + 2):
            break
        found = [other for other in beginning(start, vocabulary) if len(other) <= len(start) + 4]
        if found:
            return Reading(tuple(found[:MOST]), 0.6 - 0.05 * cut, "kin")
    return None


def _two_words(form: str, vocabulary: Vocabulary) -> Reading | None:
    """A space lost between two words."""
    for at in range(3, len(form) - 2):
        if vocabulary.lemmas(form[:at]) and vocabulary.lemmas(form[at:]):
            return Reading((form[:at], form[at:]), 0.8, "split")
    return None


_STEPS: tuple[Callable[[str, Vocabulary], Reading | None], ...] = (
    _cut_short,
    _by_sound,
    _one_letter,
    _other_prefix,
    _two_letters,
    _two_words,
    _other_ending,
)


def other_layout(chunk: str, vocabulary: Vocabulary) -> str | None:
    """What was meant by a run typed on the wrong keyboard; None unless all its words are then known."""
    for language in vocabulary.analyser.languages:
        if not language.keyboard:
            continue
        for typed in (language.from_layout(chunk), language.to_layout(chunk)):
            forms = [token.form for token in vocabulary.analyser.tokens(typed)]
            if typed != chunk and forms and all(vocabulary.lemmas(form) for form in forms):
                return typed
    return None


__all__ = ["Reading", "beginning", "distance", "other_layout", "read_word", "sound_key", "spell"]
