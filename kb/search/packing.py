"""The index made small for the browser; theme/search.js reads it.

A packed list is words, each after a capital that says how many letters of the word before it leaves off
(``A``: none), or after ``@``, which leaves off all: ``ход``, ``ходить``, ``ходом`` are ``@ходAитьCом``.
Numbers are written in an s,c-dense code (Brisaboa and others, 2003): any number of characters that go on,
then one that ends the number, so that small numbers, which are the many, take one character and need nothing
between them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from kb.search import coding

_ANEW, _CAPITALS = "@", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BEYOND = "="
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
    """A list of words, best sorted, as one string. They are folded, so that none has an ASCII capital."""
    found = []
    last = ""
    for word in words:
        kept = _shared(last, word)
        dropped = len(last) - kept
        if not kept or dropped >= len(_CAPITALS):
            found.append(_ANEW + word)
        else:
            found.append(_CAPITALS[dropped] + word[kept:])
        last = word
    return "".join(found)


def vocabulary(data: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """``Vocabulary.to_json`` as the browser gets it, less what it makes itself; and the forms in its order.

    ``paradigms``: the commonest first. ``stems``: the stems; the paradigm of each lemma, stem by stem; a step
    for each lemma that is not the first of its stem; what makes the lemma of a stem in each paradigm; then
    the lemmas of which that is not true: their places, and what they are, ``=`` before what follows the stem.
    ``forms``: of all that stems and their endings make, how many are no forms of the corpus before each that
    is one; then what they do not make.
    """
    stems: dict[str, list[list[Any]]] = data["stems"]
    uses = Counter(paradigm for pairs in stems.values() for _, paradigm in pairs)
    endings = [[ending[1:] for ending in line.split(" ")] for line in data["paradigms"]]
    best = sorted(range(len(endings)), key=lambda paradigm: (-uses[paradigm], paradigm))
    place = {paradigm: n for n, paradigm in enumerate(best)}
    gaps, order, other = _forms(data["forms"], stems, endings)
    small = {
        "stems": _stems(stems, place),
        "forms": [numbers(gaps), packed(other)],
        "paradigms": [packed(endings[paradigm]) for paradigm in best],
        "near": _near(data["near"], numbered(stems)),
    }
    return {key: small.get(key, value) for key, value in data.items() if key != "keys"}, [*order, *other]


def _stems(stems: Mapping[str, Sequence[Sequence[Any]]], place: Mapping[int, int]) -> list[str]:
    said = [[(_beyond(stem, lemma), place[paradigm]) for lemma, paradigm in stems[stem]] for stem in stems]
    flat = [pair for pairs in said for pair in pairs]
    counts: dict[int, Counter[str]] = {paradigm: Counter() for paradigm in place.values()}
    for beyond, paradigm in flat:
        if beyond[:1] == _BEYOND:
            counts[paradigm][beyond] += 1
    usual = {
        n: min(found, key=lambda one: (-found[one], one), default=_BEYOND) for n, found in counts.items()
    }
    odd = [(n, beyond) for n, (beyond, paradigm) in enumerate(flat) if beyond != usual[paradigm]]
    more = [n for n, pairs in enumerate(said) for _ in pairs[1:]]
    return [
        packed(stems),
        numbers(paradigm for _, paradigm in flat),
        numbers(steps(more)),
        " ".join(usual[paradigm][1:] for paradigm in sorted(usual)),
        numbers(steps([n for n, _ in odd])),
        " ".join(beyond for _, beyond in odd),
    ]


def _beyond(stem: str, lemma: str) -> str:
    return _BEYOND + lemma[len(stem) :] if lemma.startswith(stem) else lemma


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


def lists(found: Mapping[str, str], number: Mapping[str, int]) -> dict[str, Any]:
    """Coded lists by lemma: steps from lemma to lemma, the lists in that order, those of other terms."""
    known = sorted((number[term], term) for term in found if term in number)
    between = steps([place for place, _ in known])
    return {
        "lemmas": numbers(between),
        "lists": "!".join(found[term] for _, term in known),
        "others": {term: text for term, text in sorted(found.items()) if term not in number},
    }


def _near(near: Mapping[str, Sequence[Sequence[Any]]], number: Mapping[str, int]) -> list[Any]:
    """The weights in hundredths, the commonest first; then, coded (coding.py), for each lemma that has others
    the step to it; for each that had it as another whether it has that one so, too; by weight how many more,
    and the steps to them, of which the first goes from the lemma and may go back."""
    rows = {
        number[lemma]: {number[other]: round(weight * 100) for other, weight in others if other in number}
        for lemma, others in near.items()
        if lemma in number
    }
    counts = Counter(weight for row in rows.values() for weight in row.values())
    weights = sorted(counts, key=lambda weight: (-counts[weight], weight))
    coder = coding.Encoder(2 + 3 * len(weights))
    had: dict[int, list[tuple[int, int]]] = {}
    last = 0
    coder.number(0, len(rows))
    for lemma, row in sorted(rows.items()):
        coder.number(0, lemma - last)
        last = lemma
        told = set()
        for other, place in had.get(lemma, ()):
            so = row.get(other) == weights[place]
            coder.bit(coding.CELLS + place, so)
            told.update([other] if so else [])
        for place, weight in enumerate(weights):
            more = sorted(other for other, its in row.items() if its == weight and other not in told)
            coder.number(2 + 3 * place, len(more))
            for at, other in enumerate(more):
                step = (
                    other - more[at - 1]
                    if at
                    else 2 * (other - lemma)
                    if other > lemma
                    else 2 * (lemma - other) - 1
                )
                coder.number(2 + 3 * place + (2 if at else 1), step)
        for other, weight in sorted(row.items()):
            if other > lemma:
                had.setdefault(other, []).append((lemma, weights.index(weight)))
    return [weights, coder.text()]


def steps(found: Sequence[int]) -> list[int]:
    """From 0 to the first number, from each to the next."""
    return [here - before for before, here in zip([0, *found], found, strict=False)]


def _shared(one: str, other: str) -> int:
    """Letters two words begin with alike; none for one that JavaScript would count otherwise."""
    if max(one, default="") > "\uffff":
        return 0
    size = 0
    while size < min(len(one), len(other)) and one[size] == other[size]:
        size += 1
    return size
