"""The wordings of situations made small for the browser: each is the numbers of its words.

A wording is only compared, never shown, so neither the order of its words nor their form matters: of the
forms with the same lemmas one is sent. Each language numbers its own words, the commonest first. Of a wording
it is coded (coding.py) which words it has of those that the wordings before it have that lead to the same
provisions, then the steps from one of its new words to the next. Those that are loaded later are coded as
if they followed. theme/search.js reads it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from kb.search import coding
from kb.search.situations import FIRST, Situation, read
from kb.search.vocabulary import Vocabulary

_MOST = 9
"""The last class of words: those said 2 ** 8 times and oftener."""

_SAID, _FEW, _RARE = 5, 6, 11
"""Classes of what a cell of a known word tells apart: how often it and any was said there, how rare it is."""
_NEW, _AGAIN, _WHICH, _STEP = 3, 11, 12, 13
"""Kinds of numbers: how many words are new, by how many are not; how many are said again, which; steps."""
_THIRD = 3
"""The first step, the second, the others: kinds of their own."""

_Lemmas = tuple[str, ...]


class Coded(NamedTuple):
    """Wordings as the browser gets them."""

    rows: list[list[Any]]
    """In order: the documents they lead to, or the number of an earlier row that does; how many wordings of
    the first language, of the next, and round again."""
    said: str
    """The wordings, coded."""


def exported(
    found: Sequence[Situation], vocabulary: Vocabulary, places: Mapping[str, int], forms: Sequence[str]
) -> tuple[list[str], Coded, Coded]:
    """For each language a digit for each form of ``forms``, the higher the oftener it is said, 0 for one that
    is not; the first wordings; those that are loaded later. ``places``: ref -> number of its document."""
    wordings: list[tuple[list[int], str, list[_Lemmas]]] = []
    form: dict[_Lemmas, str] = {}
    for one in found:
        said = []
        for spelt, lemmas in read(one.phrase, vocabulary):
            said.append(lemmas)
            form[lemmas] = min(form.get(lemmas, spelt), spelt)
        wordings.append(([places[ref] for ref in one.refs if ref in places], one.lang, said))
    codes = list(dict.fromkeys(one.lang for one in found))
    classes = {
        lang: _classes(Counter(form[lemmas] for _, code, said in wordings if code == lang for lemmas in said))
        for lang in codes
    }
    number = {lang: _numbered(forms, found_in) for lang, found_in in classes.items()}
    numbered = [
        (targets, lang, sorted(number[lang][form[lemmas]] for lemmas in said))
        for targets, lang, said in wordings
    ]
    coder = _Coder(codes)
    first, later = coder.coded(numbered[:FIRST]), coder.coded(numbered[FIRST:])
    return ["".join(str(classes[lang].get(word, 0)) for word in forms) for lang in codes], first, later


class _Coder:
    """What was coded before tells how likely the next is."""

    def __init__(self, codes: Sequence[str]) -> None:
        self._codes = codes
        self._coder = coding.Encoder(_STEP + len(codes) * _THIRD * (_RARE + 1))
        self._rows: list[tuple[list[int], list[_Known]]] = []

    def coded(self, wordings: Iterable[tuple[list[int], str, list[int]]]) -> Coded:
        """Wordings: numbers of documents, the language, numbers of words, ascending."""
        rows: list[list[Any]] = []
        before, next_row = len(self._rows), 0
        for targets, group in groupby(wordings, key=lambda one: one[0]):
            row = next((n for n in range(next_row, before) if self._rows[n][0] == targets), None)
            if row is None:
                known = [_Known(self._coder, place) for place in range(len(self._codes))]
                self._rows.append((targets, known))
            else:
                known = self._rows[row][1]
                next_row = row + 1
            langs = []
            for _, lang, said in group:
                langs.append(lang)
                known[self._codes.index(lang)].code(said)
            rows.append([targets if row is None else row, *_runs(langs, self._codes)])
        return Coded(rows, self._coder.text())


class _Known:
    """The words of the wordings so far, of one language, that lead to the same provisions."""

    def __init__(self, coder: coding.Encoder, language: int) -> None:
        self._coder = coder
        self._kind = _STEP + language * _THIRD * (_RARE + 1)
        self._counts: dict[int, int] = {}
        self._wordings = 0

    def code(self, said: Sequence[int]) -> None:
        """One wording more: the numbers of its words, ascending."""
        words = dict.fromkeys(said)
        few = min(self._wordings.bit_length(), _FEW)
        self._wordings += 1
        old = 0
        for word, count in sorted(self._counts.items()):
            cell = (min(count, _SAID) * (_FEW + 1) + few) * (_RARE + 1) + _rare(word)
            self._coder.bit(cell, word in words)
            if word in words:
                self._counts[word] = count + 1
                old += 1
        new = [word for word in words if word not in self._counts]
        self._coder.number(_NEW + min(old, _AGAIN - _NEW - 1), len(new))
        next_word = 0
        for place, word in enumerate(new):
            kind = self._kind + min(place, _THIRD - 1) * (_RARE + 1) + _rare(next_word)
            self._coder.number(kind, word - next_word)
            next_word = word + 1
            self._counts[word] = 1
        self._repeat(said, list(words))

    def _repeat(self, said: Sequence[int], words: list[int]) -> None:
        self._coder.number(_AGAIN, len(said) - len(words))
        for place in range(1, len(said)):
            if said[place] == said[place - 1]:
                self._coder.number(_WHICH, words.index(said[place]))


def _rare(word: int) -> int:
    return min(word.bit_length(), _RARE)


def _runs(langs: Iterable[str], codes: Sequence[str]) -> list[int]:
    """How many of the first language come first, then of the second, and round again."""
    runs: list[int] = []
    for lang, group in groupby(langs):
        while codes[len(runs) % len(codes)] != lang:
            runs.append(0)
        runs.append(len(list(group)))
    return runs


def _classes(counts: Mapping[str, int]) -> dict[str, int]:
    return {word: min(count.bit_length(), _MOST) for word, count in counts.items()}


def _numbered(forms: Sequence[str], classes: Mapping[str, int]) -> dict[str, int]:
    """Form -> its number: by class, the highest first, then in the order of the forms."""
    used = sorted((word for word in forms if word in classes), key=lambda word: -classes[word])
    return {word: n for n, word in enumerate(used)}
