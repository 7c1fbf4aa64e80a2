"""One analyser for every backend and for the browser: text -> tokens -> lemmas.

At build time the morphology is asked; what it said is kept in a ``Vocabulary`` (vocabulary.py), which is all
that a query needs. So a query loads no dictionary, and the browser reads words as the command line does.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

from kb import lang as languages
from kb.lang import Language

_PARTED = re.compile(r"([^\W_]+(?:['’][^\W_]+)*)")
_COMPOUND = re.compile(r"[^\W\d_]{2,}(?:[-‐‑][^\W\d_]{2,})+")
_HYPHENS = re.compile(r"[-‐‑]")
_DIGIT = re.compile(r"\d")
_LONGEST = 40
"""Letters of a token that are looked at: longer ones are no words."""


class Token(NamedTuple):
    """A word of a text: its folded form and where it stands (code points)."""

    form: str
    start: int
    end: int


class Analyser:
    """The languages of a corpus, and how its texts are cut into words and led back to lemmas."""

    def __init__(self, codes: Sequence[str]) -> None:
        self.languages: tuple[Language, ...] = tuple(languages.get(code) for code in codes)
        self._lemmas = lru_cache(maxsize=100_000)(self._read)
        self.owners = lru_cache(maxsize=100_000)(self._owners)
        """The languages whose alphabet has every letter of the word; none for a number."""
        self.fold = lru_cache(maxsize=100_000)(self._fold)
        """One spelling a word: NFC, small letters, ё as е, Latin letters inside a Cyrillic word replaced."""
        self._form = lru_cache(maxsize=100_000)(lambda word: self.fold(word[:_LONGEST]))
        self.cut = lru_cache(maxsize=4_000)(self._cut)
        """The words of a text that is shown again and again, kept."""

    def _fold(self, word: str) -> str:
        for language in self.languages:
            word = language.fold(word)
        return self._one_alphabet(word)

    def _cut(self, text: str) -> tuple[Token, ...]:
        return tuple(self.tokens(text))

    def tokens(self, text: str) -> Iterator[Token]:
        """The words of a text in order. A compound (``какой-нибудь``) is its parts, then its parts joined."""
        return map(Token, *self.spread(text))

    def spread(self, text: str) -> tuple[list[str], list[int], list[int]]:
        """``tokens`` side by side: their forms, where each starts, and where each ends."""
        parts = _PARTED.split(text)
        edges = list(accumulate(map(len, parts)))
        forms, starts, ends = list(map(self._form, parts[1::2])), edges[:-1:2], edges[1::2]
        if not _HYPHENS.search(text):
            return forms, starts, ends
        all_forms: list[str] = []
        all_starts: list[int] = []
        all_ends: list[int] = []
        done = 0
        for match in _COMPOUND.finditer(text):
            after = bisect_left(ends, match.end()) + 1
            if after <= len(ends) and ends[after - 1] == match.end():
                all_forms += [*forms[done:after], self._form(_HYPHENS.sub("", match.group()))]
                all_starts += [*starts[done:after], match.start()]
                all_ends += [*ends[done:after], match.end()]
                done = after
        return all_forms + forms[done:], all_starts + starts[done:], all_ends + ends[done:]

    def lemmas(self, form: str) -> tuple[str, ...]:
        """All lemmas of a folded form, in every language of the corpus that writes with its letters."""
        return self._lemmas(form)

    def _owners(self, form: str) -> tuple[Language, ...]:
        if _DIGIT.search(form):
            return ()
        return tuple(language for language in self.languages if language.owns(form))

    @cached_property
    def function(self) -> frozenset[str]:
        """Lemmas of the words that say little in one of the languages."""
        return frozenset(
            lemma
            for language in self.languages
            for word in language.function_words
            for lemma in language.lemmas(word)
        )

    def words(self, text: str) -> list[tuple[str, ...]]:
        """The lemmas of a text, word by word."""
        return [self.lemmas(token.form) for token in self.tokens(text)]

    def _read(self, form: str) -> tuple[str, ...]:
        found = dict.fromkeys(lemma for language in self.owners(form) for lemma in language.lemmas(form))
        return tuple(found) or (form,)

    def _one_alphabet(self, word: str) -> str:
        if word.isascii():
            return word
        for language in self.languages:
            if not language.look_alikes or language.owns(word):
                continue
            own = sum(letter in language.alphabet for letter in word)
            letters = sum(letter.isalpha() for letter in word)
            if 0 < own < letters:
                # A mixed word is meant in the alphabet most of its letters are of.
                return language.from_latin(word) if 2 * own >= letters else language.to_latin(word)
        return word
