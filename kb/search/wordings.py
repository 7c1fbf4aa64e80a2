"""The wordings of situations made small for the browser: each is the numbers of its words.

A wording is only compared, never shown, so neither the order of its words nor their form matters: of the
forms with the same lemmas one is sent. Each language numbers its own words, the commonest first, and a
wording is the steps from one of its numbers to the next: small numbers, which are written short (packing.py).
theme/search.js reads it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from kb.search.packing import numbers
from kb.search.situations import Situation
from kb.search.vocabulary import Vocabulary

_MOST = 9
"""The last class of words: those said 2 ** 8 times and oftener."""

_Lemmas = tuple[str, ...]


def exported(
    found: Iterable[Situation], vocabulary: Vocabulary, places: Mapping[str, int], forms: Sequence[str]
) -> dict[str, Any]:
    """``rows`` of ``[documents, how many wordings of the first language, of the next, and round again]``
    in order; ``classes``: for each language a digit for each form of ``forms``, the higher the oftener it is
    said, 0 for one that is not; ``said``: all wordings in order."""
    languages: dict[str, None] = {}
    wordings: list[tuple[list[int], str, list[_Lemmas]]] = []
    form: dict[_Lemmas, str] = {}
    for one in found:
        languages.setdefault(one.lang)
        said = []
        for token in vocabulary.analyser.tokens(one.phrase):
            lemmas = vocabulary.lemmas(token.form)
            said.append(lemmas)
            form[lemmas] = min(form.get(lemmas, token.form), token.form)
        wordings.append(([places[ref] for ref in one.refs if ref in places], one.lang, said))
    codes = list(languages)
    classes = {
        lang: _classes(Counter(form[lemmas] for _, code, said in wordings if code == lang for lemmas in said))
        for lang in codes
    }
    number = {lang: _numbered(forms, found_in) for lang, found_in in classes.items()}
    return {
        "rows": [
            [targets, *_runs([lang for _, lang, _ in group], codes)]
            for targets, group in groupby(wordings, key=lambda one: one[0])
        ],
        "classes": ["".join(str(classes[lang].get(word, 0)) for word in forms) for lang in codes],
        "said": "!".join(
            numbers(_steps(sorted(number[lang][form[lemmas]] for lemmas in said)))
            for _, lang, said in wordings
        ),
    }


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


def _steps(found: Sequence[int]) -> list[int]:
    """From 0 to the first, from each to the next: 0 for a word that is said again."""
    return [here - before for before, here in zip([0, *found], found, strict=False)]
