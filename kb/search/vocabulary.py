"""What a query needs to know of the corpus's words, and nothing of any dictionary.

Built once from the texts (``Builder``), written beside the index as JSON, read by the query in Python and,
exported, in the browser. A form is looked up by its beginnings: ``взяткой`` is the stem ``взят`` with an
ending of the paradigm of ``взятка``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import orjson

from kb.lang.sounds import SOUNDS as SOUNDS
from kb.lang.sounds import sound_key as sound_key
from kb.search.analysis import Analyser
from kb.search.keeping import Kept

Weighted = tuple[str, float]

_KEPT, _READINGS = 100_000, 4_000_000
"""Forms whose lemmas are kept, and letters of words of queries."""
_LONGEST = 1_000
"""More letters than a form has."""
KIN, FAMILY = 0.2, 0.28
"""Weights of a word of the same root, and of one of the same family, below the literal word."""

FOLLOWED = 6
"""Words that are looked for with a word, the nearest: more say less, and find more."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the glossary of several words: its lemmas, and what else is meant by it."""

    words: tuple[str, ...]
    """Lemma by lemma; alternatives of one place are joined by ``|``."""
    means: tuple[tuple[str, ...], ...]
    """Other ways to say it, lemma by lemma."""


@dataclass(frozen=True)
class Vocabulary:
    """Words of a corpus. All of it is plain data; ``to_json`` and ``from_json`` are each other's reverse."""

    codes: tuple[str, ...]
    paradigms: tuple[frozenset[str], ...]
    stems: Mapping[str, tuple[tuple[str, int], ...]]
    """Beginning of a form -> lemmas with their paradigm."""
    forms: tuple[str, ...]
    """The forms that stand in the corpus or its glossary, sorted."""
    function: frozenset[str]
    """Lemmas that say little: weighed down, never dropped."""
    near: Mapping[str, tuple[Weighted, ...]]
    """Lemma -> other lemmas to look for with it, each with its weight: kin, synonyms, other languages."""
    terms: tuple[Term, ...] = ()
    prefixes: tuple[str, ...] = ()
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Transliteration key -> forms of the corpus."""

    def lemmas(self, form: str) -> tuple[str, ...]:
        """The lemmas of a folded form; empty when the form is of no word of the corpus."""
        known = self._looked_up.get(form)
        if known is not None:
            return known
        found: list[str] = []
        reach = self._reach
        for cut in range(min(len(form), reach.get(form[:2], reach[""])), -1, -1):
            for lemma, paradigm in self.stems.get(form[:cut], ()):
                if form[cut:] in self.paradigms[paradigm] and lemma not in found:
                    found.append(lemma)
        if len(self._looked_up) >= _KEPT:
            self._looked_up.clear()
        return self._looked_up.setdefault(form, tuple(sorted(found)))

    def warm(self) -> None:
        """Make now what makes looking up quick: forms that are no words are looked up most."""
        _ = self.term_starts
        longest: dict[str, int] = {}
        for stem in self.stems:
            if len(stem) > longest.get(stem[:2], 1):
                longest[stem[:2]] = len(stem)
        self._reach.update({**longest, "": 1})

    def known(self) -> Iterable[str]:
        """The lemmas."""
        return dict.fromkeys(lemma for found in self.stems.values() for lemma, _ in found)

    @cached_property
    def _reach(self) -> dict[str, int]:
        """First two letters -> letters of the longest stem that begins so; of all others under ``""``."""
        return {"": _LONGEST}

    @cached_property
    def all_forms(self) -> frozenset[str]:
        """``forms``, for asking whether one is among them."""
        return frozenset(self.forms)

    @cached_property
    def kept(self) -> Kept[Any]:
        """What was worked out of words with no other part than these: how a word of a query is read."""
        return Kept(_READINGS)

    @cached_property
    def _looked_up(self) -> dict[str, tuple[str, ...]]:
        return {}

    @cached_property
    def analyser(self) -> Analyser:
        """The analyser of the corpus's languages: for folding and cutting, never asked for lemmas here."""
        return Analyser(self.codes)

    @cached_property
    def term_starts(self) -> Mapping[str, tuple[Term, ...]]:
        """First lemma of a term -> the terms that begin with it."""
        found: dict[str, list[Term]] = {}
        for term in self.terms:
            for lemma in term.words[0].split("|"):
                found.setdefault(lemma, []).append(term)
        return {lemma: tuple(terms) for lemma, terms in found.items()}

    def to_json(self) -> str:
        """One JSON object; sorted, so that the same words give the same bytes."""
        data = {
            "codes": self.codes,
            "paradigms": [" ".join(f"-{ending}" for ending in sorted(p)) for p in self.paradigms],
            "stems": self.stems,
            "forms": self.forms,
            "function": sorted(self.function),
            "near": self.near,
            "terms": [[term.words, term.means] for term in self.terms],
            "prefixes": self.prefixes,
            "keys": self.keys,
        }
        return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Vocabulary:
        """Read what ``to_json`` wrote. Raises ValueError or KeyError on anything else."""
        data: dict[str, Any] = orjson.loads(text)
        return cls(
            codes=tuple(data["codes"]),
            paradigms=tuple(frozenset(e[1:] for e in line.split(" ")) for line in data["paradigms"]),
            stems={stem: tuple((lemma, n) for lemma, n in found) for stem, found in data["stems"].items()},
            forms=tuple(data["forms"]),
            function=frozenset(data["function"]),
            near={lemma: tuple((other, w) for other, w in found) for lemma, found in data["near"].items()},
            terms=tuple(
                Term(tuple(words), tuple(tuple(mean) for mean in means)) for words, means in data["terms"]
            ),
            prefixes=tuple(data["prefixes"]),
            keys={key: tuple(forms) for key, forms in data["keys"].items()},
        )


class Builder:
    """Gathers the forms of all texts, then makes the Vocabulary."""

    def __init__(self, analyser: Analyser) -> None:
        self.analyser = analyser
        self._forms: dict[str, tuple[str, ...]] = {}
        self._asked: dict[str, tuple[str, ...]] = {}
        self._said: set[str] = set()
        self._near: dict[str, dict[str, float]] = {}
        self._terms: dict[Term, None] = {}

    def add(self, forms: Iterable[str]) -> None:
        """Forms that stand in the corpus, folded."""
        for form in forms:
            if form not in self._forms:
                self._forms[form] = self.analyser.lemmas(form)

    def ask(self, text: str) -> list[tuple[str, ...]]:
        """Words that stand in no text but may be asked for: lemmas word by word."""
        found = []
        for token in self.analyser.tokens(text):
            self._asked[token.form] = self.analyser.lemmas(token.form)
            self._said.add(token.form)
            found.append(self._asked[token.form])
        return found

    def say(self, one: str, other: str, weight: float) -> None:
        """Who asks for ``one`` means ``other`` too. Terms of several words are met as a whole only."""
        here, there = self.ask(one), self.ask(other)
        if len(here) == 1 and len(there) == 1:
            for lemma in here[0]:
                for meant in there[0]:
                    self.near(lemma, meant, weight)
        elif here and there:
            words = tuple("|".join(lemmas) for lemmas in here)
            self._terms[Term(words, (tuple("|".join(lemmas) for lemmas in there),))] = None

    def near(self, lemma: str, other: str, weight: float) -> None:
        """Look for ``other`` too, with this weight (0 to 1), when ``lemma`` is asked for."""
        if lemma != other:
            found = self._near.setdefault(lemma, {})
            found[other] = max(weight, found.get(other, 0.0))

    def build(self) -> Vocabulary:
        """The finished vocabulary."""
        indexed = {lemma for lemmas in self._forms.values() for lemma in lemmas}
        function = self._function()
        self._families(indexed)
        self._kin(indexed)
        stems, paradigms = _paradigms(self._all_forms())
        return Vocabulary(
            codes=tuple(language.code for language in self.analyser.languages),
            paradigms=paradigms,
            stems=stems,
            forms=tuple(sorted({*self._forms, *self._said})),
            function=function,
            near=self._nearest(indexed),
            terms=_merged(self._terms),
            prefixes=tuple(p for language in self.analyser.languages for p in language.prefixes),
            keys=self._keys(),
        )

    def _nearest(self, indexed: set[str]) -> dict[str, tuple[Weighted, ...]]:
        """What to look for with each lemma, the nearest first: only what the corpus has can be found."""
        found = {}
        for lemma, near in sorted(self._near.items()):
            kept = [pair for pair in near.items() if pair[0] in indexed]
            if kept:
                found[lemma] = tuple(sorted(kept, key=lambda pair: (-pair[1], pair[0]))[:FOLLOWED])
        return found

    def _families(self, indexed: set[str]) -> None:
        for language in self.analyser.languages:
            for family in language.families:
                members = [language.fold(word) for word in family]
                lemmas = {word: language.lemmas(word) for word in members}
                if not any(lemma in indexed for found in lemmas.values() for lemma in found):
                    continue
                for word in members:
                    self._asked[word] = lemmas[word]
                    for other in members:
                        for lemma in lemmas[word]:
                            for meant in lemmas[other]:
                                self.near(lemma, meant, FAMILY)

    def _kin(self, indexed: set[str]) -> None:
        """Lemmas of one stem (``ходить``, ``ход``) look for each other."""
        for language in self.analyser.languages:
            groups: dict[str, set[str]] = {}
            for lemma in sorted(indexed | {x for found in self._asked.values() for x in found}):
                if len(lemma) > 3 and language.owns(lemma):
                    groups.setdefault(language.stem(lemma), set()).add(lemma)
            for group in groups.values():
                for lemma in group:
                    for other in group & indexed:
                        self.near(lemma, other, KIN)

    def _all_forms(self) -> dict[str, set[str]]:
        """Lemma -> every form of it a query may have."""
        found: dict[str, set[str]] = {}
        for form, lemmas in sorted({**self._asked, **self._forms}.items()):
            for lemma in lemmas:
                forms = found.setdefault(lemma, set())
                if not forms:
                    forms.update(*(language.forms(lemma) for language in self.analyser.owners(lemma)))
                if form not in forms:
                    forms.add(form)
                    owners = self.analyser.owners(form)
                    forms.update(
                        other
                        for language in owners
                        for other in language.forms(form)
                        if lemma in self.analyser.lemmas(other)
                    )
        return found

    def _function(self) -> frozenset[str]:
        for language in self.analyser.languages:
            for word in language.function_words:
                self._asked[language.fold(word)] = language.lemmas(word)
        return self.analyser.function

    def _keys(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for form in sorted({*self._forms, *self._said}):
            for language in self.analyser.owners(form):
                spelt = {form, language.stem(form)} if language.lemmas_are_stems else {language.spell(form)}
                for latin in sorted(spelt) if language.sounds or language.lemmas_are_stems else ():
                    found.setdefault(sound_key(latin), []).append(form)
        return {key: tuple(forms) for key, forms in sorted(found.items())}


def _paradigms(
    forms: Mapping[str, set[str]],
) -> tuple[dict[str, tuple[tuple[str, int], ...]], tuple[frozenset[str], ...]]:
    numbers: dict[tuple[str, ...], int] = {}
    stems: dict[str, list[tuple[str, int]]] = {}
    for lemma, found in sorted(forms.items()):
        for group in _by_beginning(found):
            stem = _common(group[0], group[-1])
            endings = tuple(sorted(form[len(stem) :] for form in group))
            stems.setdefault(stem, []).append((lemma, numbers.setdefault(endings, len(numbers))))
    return {stem: tuple(pairs) for stem, pairs in sorted(stems.items())}, tuple(map(frozenset, numbers))


def _common(first: str, last: str) -> str:
    """The beginning all of a sorted list share: that of its ends."""
    size = 0
    while size < min(len(first), len(last)) and first[size] == last[size]:
        size += 1
    return first[:size]


def _by_beginning(forms: set[str]) -> list[list[str]]:
    """Forms grouped by their first letters: ``иду`` and ``шел`` have no common stem."""
    groups: dict[str, list[str]] = {}
    for form in sorted(forms):
        groups.setdefault(form[:2], []).append(form)
    return list(groups.values())


def _merged(terms: Iterable[Term]) -> tuple[Term, ...]:
    found: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for term in terms:
        found.setdefault(term.words, set()).update(term.means)
    return tuple(Term(words, tuple(sorted(means))) for words, means in sorted(found.items()))
