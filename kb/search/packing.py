"""The index made small for the browser; theme/search.js reads it.

A packed list is words parted by spaces, each ``<letters kept of the word before, in base 36><the rest>``:
``ход``, ``ходить``, ``ходом`` are ``0ход 3ить 3ом``. Numbers are written in an s,c-dense code (Brisaboa
and others, 2003): any number of characters that go on, then one that ends the number, so that small numbers,
which are the many, take one character and need nothing between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
ALPHABET = "".join(chr(code) for code in range(ord("#"), 127) if chr(code) != "\\")
"""What JSON writes as one character; below it a space and ``!`` part lists."""
ENDING = 64
"""So many characters of the alphabet end a number, the others go on."""
_GOING_ON = len(ALPHABET) - ENDING


@lru_cache(maxsize=1 << 16)
def dense(number: int) -> str:
    """A number from 0, in an s,c-dense code. The small ones, which are the many, are made once."""
    size, first = 1, 0
    while number - first >= ENDING * _GOING_ON ** (size - 1):
        first += ENDING * _GOING_ON ** (size - 1)
        size += 1
    left, digit = divmod(number - first, ENDING)
    code = ALPHABET[digit]
    for _ in range(size - 1):
        left, digit = divmod(left, _GOING_ON)
        code = ALPHABET[ENDING + digit] + code
    return code


def numbers(found: Iterable[int]) -> str:
    """Numbers from 0, one after another."""
    return "".join(map(dense, found))


def packed(words: Iterable[str]) -> str:
    """A list of words, best sorted, as one string. Words hold no space."""
    found = []
    last = ""
    for word in words:
        kept = _shared(last, word)
        found.append(_DIGITS[kept] + word[kept:])
        last = word
    return " ".join(found)


def vocabulary(data: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """``Vocabulary.to_json`` as the browser gets it, less what it makes itself; and the forms in its order.

    ``stems`` becomes the packed stems and, for each, its lemmas with their paradigm: ``+ить/12`` goes on
    from the stem, ``шел/7`` does not; several are joined by commas. ``forms``: of all that stems and their
    endings make, how many are no forms of the corpus before each that is one; then what they do not make.
    """
    stems: dict[str, list[list[Any]]] = data["stems"]
    lemmas = " ".join(",".join(_lemma(stem, *pair) for pair in pairs) for stem, pairs in stems.items())
    endings = [[ending[1:] for ending in line.split(" ")] for line in data["paradigms"]]
    gaps, order, other = _forms(data["forms"], stems, endings)
    small = {
        "stems": [packed(stems), lemmas],
        "forms": [numbers(gaps), packed(other)],
        "paradigms": [packed(line) for line in endings],
        "near": _near(data["near"], numbered(stems)),
    }
    return {key: small.get(key, value) for key, value in data.items() if key != "keys"}, [*order, *other]


def _forms(
    forms: Sequence[str], stems: Mapping[str, Sequence[Sequence[Any]]], endings: Sequence[Sequence[str]]
) -> tuple[list[int], list[str], list[str]]:
    """Gaps between the forms among all that can be made, those forms in order, the forms not made."""
    left = dict.fromkeys(forms)
    made: set[str] = set()
    gaps, order = [], []
    gap = 0
    for stem, pairs in stems.items():
        for _, paradigm in pairs:
            for ending in endings[paradigm]:
                form = stem + ending
                if form in made:
                    continue
                made.add(form)
                if form in left:
                    gaps.append(gap)
                    order.append(form)
                    gap = 0
                else:
                    gap += 1
    return gaps, order, [form for form in left if form not in made]


def numbered(stems: Mapping[str, Sequence[Sequence[Any]]]) -> dict[str, int]:
    """Lemma -> its number: in the order the stems have them."""
    lemmas = dict.fromkeys(lemma for pairs in stems.values() for lemma, _ in pairs)
    return {lemma: n for n, lemma in enumerate(lemmas)}


def lists(found: Mapping[str, Sequence[int]], number: Mapping[str, int]) -> dict[str, Any]:
    """Lists of numbers by lemma: steps from lemma to lemma, the lists in that order, those of other terms."""
    known = sorted((number[term], term) for term in found if term in number)
    steps = _steps([place for place, _ in known])
    return {
        "lemmas": numbers(steps),
        "lists": "!".join(numbers(found[term]) for _, term in known),
        "others": {term: numbers(values) for term, values in sorted(found.items()) if term not in number},
    }


def _near(near: Mapping[str, Sequence[Sequence[Any]]], number: Mapping[str, int]) -> str:
    """A row a lemma, parted by ``!``: the step from the row before; then after a space each a weight in
    hundredths and the steps from lemma to lemma that have it."""
    rows = []
    last = 0
    for n, lemma in sorted((number[lemma], lemma) for lemma in near if lemma in number):
        by: dict[int, list[int]] = {}
        for other, weight in near[lemma]:
            if other in number:
                by.setdefault(round(weight * 100), []).append(number[other])
        groups = [numbers([weight, *_steps(sorted(others))]) for weight, others in sorted(by.items())]
        rows.append(" ".join([dense(n - last), *groups]))
        last = n
    return "!".join(rows)


def _steps(found: Sequence[int]) -> list[int]:
    return [here - before for before, here in zip([0, *found], found, strict=False)]


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
