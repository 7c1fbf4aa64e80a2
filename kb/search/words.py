"""Reading one word of a query: known, mistyped, in the wrong alphabet, cut short or damaged.

Ordered from the surest reading to the boldest; the first that leads to a word of the corpus is taken.
The browser has the same steps (publish/theme/search.js).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from kb.lang.shapes import readings
from kb.search.vocabulary import Vocabulary, sound_key

_AFTER = "\U0010ffff"
"""Sorts behind every letter."""
MOST = 24
"""Readings of one word that are followed."""
_WARMED = 20_000
"""Forms that are looked up beforehand: some ten microseconds each."""
_ROOM = 100
"""What a word that is kept takes besides its letters, about."""
_LONGEST = 24
"""Letters of a word that may have been misread: longer ones have too many readings."""
_SHORTEST = 4
"""Letters a word keeps when endings or prefixes are taken off."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a word was taken for: forms of the corpus and how sure that is (1: as typed)."""

    forms: tuple[str, ...]
    weight: float
    how: str
    """``known``, ``prefix``, ``sound``, ``shape``, ``typo``, ``kin``, ``split`` or ``unknown``."""


def read_word(form: str, vocabulary: Vocabulary) -> Reading:
    """The surest reading of a folded form. ``unknown`` when nothing in the corpus is like it."""
    key = "word", form
    reading: Reading | None = vocabulary.kept.held(key)
    if reading is None:
        reading = _read(form, vocabulary)
        vocabulary.kept.put(key, reading, _ROOM + len(form))
    return reading


def _read(form: str, vocabulary: Vocabulary) -> Reading:
    if vocabulary.lemmas(form):
        return Reading((form,), 1.0, "known")
    if sum(letter.isalpha() for letter in form) >= 3:
        for step in _STEPS:
            reading = step(form, vocabulary)
            if reading is not None:
                return reading
    return Reading((form,), 1.0, "unknown")


def beginning(prefix: str, vocabulary: Vocabulary) -> Iterator[str]:
    """Forms of the corpus that begin so, in the order of their letters."""
    forms = vocabulary.forms
    for at in range(bisect_left(forms, prefix), bisect_left(forms, prefix + _AFTER)):
        yield forms[at]


def _within(word: str, among: Iterable[str], limit: int) -> list[str]:
    """Those at most ``limit`` letters from it: to change, add, drop or swap."""
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    shortest, longest = len(word) - limit, len(word) + limit
    near = [other for other in among if shortest <= len(other) <= longest]
    return [found for found, *_ in extract(word, near, scorer=OSA.distance, score_cutoff=limit, limit=None)]


def warm(vocabulary: Vocabulary) -> None:
    """Look up the words of the corpus, and load what the reading of damaged ones needs."""
    vocabulary.warm()
    for form in vocabulary.forms[:_WARMED]:
        vocabulary.lemmas(form)
    _within("", (), 1)


def by_sound(form: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Words of the corpus that sound like this one in another alphabet, exactly."""
    return tuple(dict.fromkeys(f for key in _keys(form, vocabulary) for f in vocabulary.keys.get(key, ())))


def _keys(form: str, vocabulary: Vocabulary) -> list[str]:
    if form.isascii():
        return [sound_key(form)]
    languages = vocabulary.analyser.owners(form)
    return [sound_key(language.spell(form)) for language in languages if language.sounds]


def _cut_short(form: str, vocabulary: Vocabulary) -> Reading | None:
    """The words that begin so; ``tum`` is as well ``turn``, misread."""
    found = [other for other, _ in zip(beginning(form, vocabulary), range(MOST), strict=False)]
    misread = _by_shape(form, vocabulary) if found else None
    return Reading((*found, *(misread.forms if misread else ())), 0.7, "prefix") if found else None


def _by_sound(form: str, vocabulary: Vocabulary) -> Reading | None:
    if len(max(_keys(form, vocabulary), key=len, default="")) < 3:
        return None
    found = by_sound(form, vocabulary)
    if not found and form.isascii():
        key = sound_key(form)
        near = _within(key, vocabulary.keys, 1) if len(key) >= 6 else []
        found = tuple(word for other in sorted(near) for word in vocabulary.keys[other] if not word.isascii())
    return Reading(found[:MOST], 0.9, "sound") if found else None


def _by_shape(form: str, vocabulary: Vocabulary) -> Reading | None:
    """``tum`` for ``turn``: letters that a machine took for others."""
    if len(form) > _LONGEST:
        return None
    of = vocabulary.analyser.owners(form) or vocabulary.analyser.languages
    read = dict.fromkeys(other for language in of for other in readings(form, language.shapes))
    found = [other for other in read if len(other) > 2 and vocabulary.lemmas(other)]
    return Reading(tuple(found[:3]), 0.9, "shape") if found else None


def _one_letter(form: str, vocabulary: Vocabulary) -> Reading | None:
    return _nearest(form, vocabulary, 1) if len(form) >= 4 else None


def _two_letters(form: str, vocabulary: Vocabulary) -> Reading | None:
    return _nearest(form, vocabulary, 2) if len(form) >= 8 else None


def _nearest(form: str, vocabulary: Vocabulary, limit: int) -> Reading | None:
    """Who mistypes a word seldom mistypes its first letter."""
    found = [
        (sorted(other) != sorted(form), -_shared(form, other), other)
        for other in _within(form, beginning(form[0], vocabulary), limit)
        if len(other) > 3
    ]
    forms = tuple(other for *_, other in sorted(found)[:3])
    return Reading(forms, 0.9 - 0.2 * limit, "typo") if forms else None


def _shared(one: str, other: str) -> int:
    size = 0
    while size < min(len(one), len(other)) and one[size] == other[size]:
        size += 1
    return size


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
    for cut in range(1, 5):
        start = form[:-cut]
        if len(start) < max(_SHORTEST, cut + 2):
            break
        found = [other for other in beginning(start, vocabulary) if len(other) <= len(start) + 4]
        if found:
            return Reading(tuple(found[:MOST]), 0.5, "kin")
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
    _by_shape,
    _other_prefix,
    _two_letters,
    _two_words,
    _other_ending,
)


def other_layout(chunk: str, vocabulary: Vocabulary) -> str | None:
    """What was meant by a run typed on the wrong keyboard; None unless all its words are then known."""
    found: tuple[str | None] = vocabulary.kept.get(
        ("layout", chunk), lambda: (_other_layout(chunk, vocabulary),), lambda _: _ROOM + len(chunk)
    )
    return found[0]


def _other_layout(chunk: str, vocabulary: Vocabulary) -> str | None:
    for language in vocabulary.analyser.languages:
        for typed in (language.from_layout(chunk), language.to_layout(chunk)):
            forms = [token.form for token in vocabulary.analyser.tokens(typed)]
            if typed != chunk and forms and all(vocabulary.lemmas(form) for form in forms):
                return typed
    return None
