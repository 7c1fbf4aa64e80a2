"""The texts of hits as words, cut and read once: which of them a query has is then a look-up a word."""

from __future__ import annotations

import html
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kb.search.keeping import Kept
from kb.search.vocabulary import Vocabulary

_WORDS = 2_000_000
"""Words of all texts that are kept, some twenty bytes each."""


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
    """Reads texts. Threads may share it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._kept: Kept[Read] = Kept(_WORDS)
        self._forms: dict[str, tuple[str, ...]] = {}
        self._known: dict[str, str] = {}

    def read(self, text: str) -> Read:
        """A text as words."""
        return self._kept.get(text, lambda: self._read(text), lambda read: len(read.forms))

    def forms(self, lemma: str) -> tuple[str, ...]:
        """The forms of a lemma that stand in a text that was read."""
        return self._forms.get(lemma, ())

    def forms_of(self, lemmas: Iterable[str]) -> set[str]:
        """The forms of several."""
        return {form for lemma in lemmas for form in self.forms(lemma)}

    def _read(self, text: str) -> Read:
        level = " ".join(text.split())
        tokens = list(self.vocabulary.analyser.tokens(level))
        return Read(
            level if level != text else text,
            tuple([self._noted(token.form) for token in tokens]),
            array("i", [token.start for token in tokens]),
            array("i", [token.end for token in tokens]),
            html.escape(level) == level,
        )

    def _noted(self, form: str) -> str:
        known = self._known.get(form)
        if known is None:
            # The lists before the form: who finds the form known finds it in all of them.
            for lemma in self.vocabulary.lemmas(form):
                self._forms[lemma] = (*self._forms.get(lemma, ()), form)
            known = self._known.setdefault(form, form)
        return known


def in_order(texts: Iterable[Read], phrase: Sequence[set[str]]) -> bool:
    """Does one of the texts have the phrase's words, each a choice of forms, side by side."""
    return any(
        all(read.forms[start + n] in choice for n, choice in enumerate(phrase))
        for read in texts
        for start in range(len(read.forms) - len(phrase) + 1)
    )


def places(words: Sequence[set[str]]) -> dict[str, int]:
    """Form -> the places it may have among the words, each a choice of forms, as bits."""
    found: dict[str, int] = {}
    for place, forms in enumerate(words):
        for form in forms:
            found[form] = found.get(form, 0) | 1 << place
    return found


def together(texts: Iterable[Read], at: Mapping[str, int], count: int) -> float:
    """The part of the neighbours among ``count`` words that are neighbours in the texts, too.

    ``at``: what ``places`` says of the words.
    """
    there = 0
    for read in texts:
        bits = [at.get(form, 0) for form in read.forms]
        for one, other in pairwise(bits):
            if one and other:
                there |= one << 1 & other
    return there.bit_count() / max(1, count - 1)
