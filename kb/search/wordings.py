"""The wordings of situations made small for the browser: each is the numbers of its words.

A wording is only compared, never shown, so neither the order of its words nor their form matters: of the
forms with the same lemmas one is sent. The commonest words get the numbers that are written shortest
(packing.py); theme/search.js reads it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kb.search.packing import ALPHABET, ENDING, dense
from kb.search.situations import Situation
from kb.search.vocabulary import Vocabulary


def exported(
    found: Iterable[Situation], vocabulary: Vocabulary, places: Mapping[str, int], forms: Sequence[str]
) -> dict[str, Any]:
    """``rows`` of ``[documents, how many wordings]`` in order; ``sizes``: for each form of ``forms`` a digit,
    how many characters its number takes, 0 for one that is not used; ``said``: all wordings in order."""
    rows: list[list[Any]] = []
    wordings: list[list[tuple[str, ...]]] = []
    form: dict[tuple[str, ...], str] = {}
    for one in found:
        targets = [places[ref] for ref in one.refs if ref in places]
        if not rows or rows[-1][0] != targets:
            rows.append([targets, 0])
        rows[-1][1] += 1
        said = []
        for token in vocabulary.analyser.tokens(one.phrase):
            lemmas = vocabulary.lemmas(token.form)
            said.append(lemmas)
            form[lemmas] = min(form.get(lemmas, token.form), token.form)
        wordings.append(said)
    counts = Counter(form[lemmas] for said in wordings for lemmas in said)
    size = _sizes(sorted(counts, key=lambda word: (-counts[word], word)))
    code = _codes([word for word in forms if word in size], size)
    return {
        "rows": rows,
        "sizes": "".join(str(size.get(word, 0)) for word in forms),
        "said": "!".join("".join(sorted(code[form[lemmas]] for lemmas in said)) for said in wordings),
    }


def _sizes(words: Sequence[str]) -> dict[str, int]:
    """Words, the commonest first, with how many characters each takes."""
    size = {}
    length, room = 1, ENDING
    for word in words:
        if not room:
            length += 1
            room = ENDING * (len(ALPHABET) - ENDING) ** (length - 1)
        size[word] = length
        room -= 1
    return size


def _codes(words: Sequence[str], size: Mapping[str, int]) -> dict[str, str]:
    """The code of each word: those of one size are numbered in their order."""
    codes: dict[str, str] = {}
    start = 0
    for length in sorted(set(size.values())):
        group = [word for word in words if size[word] == length]
        codes.update((word, dense(start + place)) for place, word in enumerate(group))
        start += len(group)
    return codes
