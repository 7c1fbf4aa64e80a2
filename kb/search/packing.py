"""The vocabulary made small for the browser: words that begin alike share their beginning.

A packed list is words parted by spaces, each ``<letters kept of the word before, in base 36><the rest>``:
``ход``, ``ходить``, ``ходом`` are ``0ход 3ить 3ом``. theme/search.js reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def packed(words: Iterable[str]) -> str:
    """A list of words, best sorted, as one string. Words hold no space."""
    found = []
    last = ""
    for word in words:
        kept = _shared(last, word)
        found.append(_DIGITS[kept] + word[kept:])
        last = word
    return " ".join(found)


def vocabulary(data: dict[str, Any]) -> dict[str, Any]:
    """``Vocabulary.to_json`` as the browser gets it; what it makes itself is left out.

    ``stems`` becomes the packed stems and, for each, its lemmas with their paradigm: ``+ить/12`` goes on
    from the stem, ``шел/7`` does not; several are joined by commas.
    """
    stems: dict[str, list[list[Any]]] = data["stems"]
    lemmas = " ".join(",".join(_lemma(stem, *pair) for pair in pairs) for stem, pairs in stems.items())
    small = {
        "stems": [packed(stems), lemmas],
        "forms": packed(data["forms"]),
        "paradigms": [packed(line[1:].split(" -")) for line in data["paradigms"]],
        "near": _near(data["near"], stems),
    }
    return {key: small.get(key, value) for key, value in data.items() if key != "keys"}


def _near(near: Mapping[str, Sequence[Sequence[Any]]], stems: Mapping[str, Sequence[Sequence[Any]]]) -> Any:
    """``[lemma, [weight in hundredths, lemmas …], …]`` in order; lemmas are numbered as the stems have them.

    Of the lemmas that stand in order, each after the first is written as the step from the one before.
    """
    lemmas = dict.fromkeys(lemma for pairs in stems.values() for lemma, _ in pairs)
    number = {lemma: n for n, lemma in enumerate(lemmas)}
    rows = []
    last = 0
    for n, lemma in sorted((number[lemma], lemma) for lemma in near if lemma in number):
        by: dict[int, list[int]] = {}
        for other, weight in near[lemma]:
            if other in number:
                by.setdefault(round(weight * 100), []).append(number[other])
        rows.append([n - last, *([weight, *_steps(sorted(others))] for weight, others in sorted(by.items()))])
        last = n
    return rows


def _steps(numbers: Sequence[int]) -> list[int]:
    return [here - before for before, here in zip([0, *numbers], numbers, strict=False)]


def _lemma(stem: str, lemma: str, paradigm: int) -> str:
    return (f"+{lemma[len(stem) :]}" if lemma.startswith(stem) else lemma) + f"/{paradigm}"


def _shared(one: str, other: str) -> int:
    """Letters two words begin with alike, as JavaScript counts them: of its wide ones none is kept."""
    size = 0
    for mine, theirs in zip(one[: len(_DIGITS) - 1], other, strict=False):
        if mine != theirs or mine > "\uffff":
            break
        size += 1
    return size
