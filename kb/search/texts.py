"""Texts as words, cut and read once: which of them a query has is then a look-up a word."""

from __future__ import annotations

import html
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from kb.search.vocabulary import Vocabulary

Words = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Read:
    """A text and its words: the folded forms, and where each stands (code points)."""

    text: str
    """White space levelled."""
    forms: tuple[str, ...]
    starts: Sequence[int]
    ends: Sequence[int]
    plain: bool
    """Nothing in it means anything in HTML."""


class Texts:
    """Reads texts, and knows the forms that stand in those it has read. Threads may share it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._forms: dict[str, tuple[str, ...]] = {}
        self._known: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._turn = Lock()
        self._tables: list[NDArray[np.uint64]] = []
        """Those that are not in use: all nothing."""

    def read(self, text: str) -> Read:
        """A text as words."""
        level = " ".join(text.split())
        forms, starts, ends = self.vocabulary.analyser.spread(level)
        known = self._known
        for form in forms:
            if form not in known:
                self._note(form)
        return Read(
            level if level != text else text,
            tuple([known[form] for form in forms]),
            array("i", starts),
            array("i", ends),
            html.escape(level) == level,
        )

    def forms(self, lemma: str) -> tuple[str, ...]:
        """The forms of a lemma that stand in a text that was read."""
        return self._forms.get(lemma, ())

    def forms_of(self, lemmas: Iterable[str]) -> set[str]:
        """The forms of several."""
        return {form for lemma in lemmas for form in self.forms(lemma)}

    def words(self, texts: Iterable[Read]) -> Words:
        """The words of several texts as numbers; 0, which is no word, stands before each text."""
        numbers = self._numbers
        found: list[int] = [0]
        for read in texts:
            found += [numbers[form] for form in read.forms]
            found.append(0)
        return np.array(found, np.intp)

    def together(self, of: Sequence[Words], words: Sequence[Iterable[str]]) -> list[float]:
        """For each of several runs of words, the part of the neighbours among ``words`` (lemmas) that are
        neighbours in it, too."""
        choices = [self.forms_of(lemmas) for lemmas in words]
        if not of or not any(one and other for one, other in pairwise(choices)):
            return [0.0] * len(of)
        at = places(choices)
        run = np.concatenate(of)
        asked = [self._numbers[form] for form in at]
        table = self._table(len(self._numbers) + 1)
        table[asked] = list(at.values())
        bits = table.take(run)
        table[asked] = 0
        self._tables.append(table)
        there = np.zeros_like(bits)
        np.bitwise_and(bits[:-1] << np.uint64(1), bits[1:], out=there[1:])
        heads = [0, *accumulate(map(len, of[:-1]))]
        most = max(1, len(words) - 1)
        return [found.bit_count() / most for found in np.bitwise_or.reduceat(there, heads).tolist()]

    def _table(self, size: int) -> NDArray[np.uint64]:
        try:
            table = self._tables.pop()
        except IndexError:
            table = np.zeros(0, np.uint64)
        return table if len(table) >= size else np.zeros(2 * size, np.uint64)

    def _note(self, form: str) -> None:
        with self._turn:
            if form in self._known:
                return
            # The lists before the form: who finds the form known finds it in all of them.
            for lemma in self.vocabulary.lemmas(form):
                self._forms[lemma] = (*self._forms.get(lemma, ()), form)
            self._numbers[form] = len(self._numbers) + 1
            self._known[form] = form


def in_order(texts: Iterable[Read], phrase: Sequence[set[str]]) -> bool:
    """Does one of the texts have the phrase's words, each a choice of forms, side by side."""
    return any(
        all(read.forms[start + n] in choice for n, choice in enumerate(phrase))
        for read in texts
        for start in range(len(read.forms) - len(phrase) + 1)
    )


def places(words: Sequence[set[str]]) -> Mapping[str, int]:
    """Form -> the places it may have among the words, each a choice of forms, as bits."""
    found: dict[str, int] = {}
    for place, forms in enumerate(words):
        for form in forms:
            found[form] = found.get(form, 0) | 1 << place
    return found
