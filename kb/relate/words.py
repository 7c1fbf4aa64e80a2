"""What two texts have in common: lemmas, synonyms, word families and pairs, weighed by how rare they are."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from kb import declared, lang

Terms = Mapping[str, float]
"""Term to weight. A word gives its lemmas, which share a weight of 1, the head of each lemma, and the pair it
makes with the word before it. Heads and pairs end in ``-``, which no lemma does."""

_WORD = re.compile(r"[^\W\d_]+")
_HEAD = 4
"""Letters that words of one family share («принять», «принятие»; play, player)."""
_KIN = 0.5
"""Weight of a family, and of a pair, against a lemma."""
_FUNCTION = 0.3
"""Weight of a word that carries little meaning; «до» and «после» tell two provisions apart, so not 0."""
_COMMON = 0.5
"""How much a term loses that all parts of a law, or all comments on it, have."""


def concepts(glossary: Mapping[str, Any], languages: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Groups of names for one thing, each in one language, from a glossary as read from its TOML.

    A group is the name and the variants of a ``[[term]]`` and of the terms that are ``same_as`` it. What
    people say at the table (``[[synonym]]``) is not the language of a commentary and is left out.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for number, term in enumerate(declared.rows(glossary, "term", "glossary.toml"), 1):
        where = f"glossary.toml: term {number}"
        home = str(term.get("same_as") or term.get("id", ""))
        for code in languages:
            variants = declared.table(term.get("variants", {}), where).get(code, [])
            names = [
                *declared.one_or_several(term.get(code, []), where),
                *declared.one_or_several(variants, where),
            ]
            groups.setdefault((code, home), []).extend(name for name in names if name)
    return [(code, names) for (code, _), names in sorted(groups.items())]


class Lexicon:
    """Terms of texts, and their rarity among the documents given to it.

    ``groups``: names of one thing in one language. Single words of a group are synonyms. So are the words in
    which two phrases of a group differ, when they differ in one («открыть руку», «выложить руку»), unless
    that word has a group of its own and so a meaning of its own.
    """

    def __init__(self, groups: Iterable[tuple[str, Sequence[str]]] = ()) -> None:
        self._concepts: dict[str, str] = {}
        self._documents: Counter[str] = Counter()
        self._size = 0
        named = [(code, [_words(name, code) for name in names]) for code, names in groups]
        single = {
            (code, lemma)
            for code, names in named
            for name in names
            if len(name) == 1
            for lemma in lang.get(code).lemmas(name[0])
        }
        for code, names in named:
            for one, other in combinations(names, 2):
                if len(one) == len(other):
                    self._join(code, one, other, single)

    def _join(self, code: str, one: list[str], other: list[str], single: set[tuple[str, str]]) -> None:
        """Make the one differing word of two names one term; a lemma of two groups makes them one."""
        differing = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
        if len(differing) != 1:
            return
        lemmas = sorted({lemma for word in differing[0] for lemma in lang.get(code).lemmas(word)})
        if len(one) > 1 and any((code, lemma) in single for lemma in lemmas):
            return
        names = {self._concepts.get(lemma, lemma) for lemma in lemmas}
        joined = [lemma for lemma, name in self._concepts.items() if name in names]
        self._concepts.update(dict.fromkeys([*joined, *lemmas], min(names)))

    def _lemmas(self, word: str, language: lang.Language) -> list[str]:
        return list(dict.fromkeys(self._concepts.get(lemma, lemma) for lemma in language.lemmas(word)))

    def terms(self, text: str, code: str) -> Terms:
        """The terms of a text in a language."""
        language = lang.get(code)
        found: defaultdict[str, float] = defaultdict(float)
        before = ""
        for word in _WORD.findall(text):
            telling = language.fold(word) not in language.function_words
            lemmas = self._lemmas(word, language)
            share = (1.0 if telling else _FUNCTION) / len(lemmas)
            for lemma in lemmas:
                found[lemma] += share
                if len(lemma) >= _HEAD:
                    found[f"{lemma[:_HEAD]}-"] += share * _KIN
            if telling:
                head = lemmas[0][:_HEAD]
                if before and before != head:
                    found["+".join(sorted((head, before))) + "-"] += _KIN
                before = head
        return found

    def learn(self, document: Iterable[str]) -> None:
        """Count the terms of a document for their rarity."""
        self._documents.update(set(document))
        self._size += 1

    def rarity(self, term: str) -> float:
        """Inverse document frequency, more than 0; a term of no document counts as one of one."""
        return math.log(1 + self._size / max(self._documents[term], 1))

    def vector(self, terms: Terms, common: Terms) -> Vector:
        """The terms weighed by rarity, frequent ones damped, those ``common`` (0..1) around them lowered."""
        return Vector(
            {t: _damped(n) * self.rarity(t) * (1 - _COMMON * common.get(t, 0.0)) for t, n in terms.items()}
        )

    def shared(self, text: str, code: str, vector: Vector) -> list[str]:
        """Words of a text, as it has them, that stand in a vector too; the weightiest first, one a lemma."""
        language = lang.get(code)
        found: dict[str, tuple[float, str]] = {}
        for word in _words(text, code):
            known = [lemma for lemma in self._lemmas(word, language) if vector.weights.get(lemma, 0.0) > 0]
            if known:
                found.setdefault(known[0], (-vector.weights[known[0]], word))
        return [word for _, word in sorted(found.values())]


class Vector:
    """Weighed terms, to be compared."""

    def __init__(self, weights: Terms) -> None:
        self.weights = weights

    @cached_property
    def square(self) -> float:
        """Sum of the squared weights."""
        return math.fsum(weight * weight for weight in self.weights.values())

    def covered(self, other: Vector) -> float:
        """How much of this one stands in the other too, by squared weight: 0..1; of an empty one 0."""
        if not self.square:
            return 0.0
        return math.fsum(w * w for t, w in self.weights.items() if t in other.weights) / self.square

    def cosine(self, other: Vector) -> float:
        """Cosine of the two: 0..1; 0 when one is empty."""
        if not self.square or not other.square:
            return 0.0
        dot = math.fsum(w * other.weights[t] for t, w in self.weights.items() if t in other.weights)
        return dot / math.sqrt(self.square * other.square)


def total(many: Iterable[Terms], weight: float = 1.0) -> dict[str, float]:
    """The terms of several texts together, each count times ``weight``."""
    result: dict[str, float] = {}
    for terms in many:
        for term, count in terms.items():
            result[term] = result.get(term, 0.0) + weight * count
    return result


def _words(text: str, code: str) -> list[str]:
    """The folded words of a text that carry meaning."""
    language = lang.get(code)
    folded = (language.fold(word) for word in _WORD.findall(text))
    return [word for word in folded if word not in language.function_words]


def _damped(count: float) -> float:
    return 1 + math.log(count) if count > 1 else count
