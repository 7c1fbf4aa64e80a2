"""The run of a text that answers a query, with its words marked."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, count

from kb.search.backend import Clause
from kb.search.texts import Read, Texts

Sought = dict[str, tuple[int, float]]
"""Form -> the number of its clause, and how much it counts there."""
Place = tuple[int, int, int, float]
"""Of a word that is sought: its start and end, its clause and its weight."""

LEAST = 0.2
"""What a word counts at least that is marked."""
WIDTH = 220
"""Characters of a snippet, more or less: it is cut between words."""
_BEFORE = 40
"""Characters before the first of the words it is cut for."""
_REACH = WIDTH - _BEFORE

NOTES: Mapping[str, Mapping[str, str]] = {
    "not-supplied": {
        "ru": "Известно, но текста нет ни в одном из источников.",
        "en": "Known, but the text is not supplied: it is in none of the sources.",
    },
    "repealed": {"ru": "Утратило силу.", "en": "Repealed."},
}
"""What stands in the place of a text that is not there. Other languages take the English."""


Snippet = tuple[str, str]
"""As HTML, escaped, with ``<mark>`` only; and the same run as text."""


def weights(clauses: Sequence[Clause]) -> dict[str, tuple[int, float]]:
    """Lemma -> the number of its clause, and how much it counts there."""
    found: dict[str, tuple[int, float]] = {}
    for number, clause in enumerate(clauses):
        for lemma, weight in clause.terms:
            if lemma not in found or found[lemma][1] < weight * clause.weight:
                found[lemma] = (number, weight * clause.weight)
    return found


def forms(sought: Mapping[str, tuple[int, float]], texts: Texts) -> Sought:
    """The forms to look for in texts that have been read: each is what it counts most for."""
    found: dict[str, tuple[int, float]] = {}
    for lemma in sorted(sought):
        clause, weight = sought[lemma]
        for form in texts.forms(lemma):
            if form not in found or found[form][1] < weight:
                found[form] = clause, weight
    return found


def snippet(read: Read, sought: Sought) -> Snippet:
    """The run of about ``WIDTH`` characters that has most of the query."""
    text = read.text
    found = _found(read, sought)
    if len(text) <= WIDTH:
        return _marked(read, found, 0, len(text)), text
    start = _begin(found) if found else 0
    start, end = _between_words(text, start, start + WIDTH)
    head, tail = ("… " if start else ""), (" …" if end < len(text) else "")
    return f"{head}{_marked(read, found, start, end)}{tail}", f"{head}{text[start:end]}{tail}"


def _found(read: Read, sought: Sought) -> list[Place]:
    """Those of a text's words that are sought; of two that overlap the first."""
    forms, starts, ends = read.forms, read.starts, read.ends
    found: list[Place] = []
    last = 0
    for place in compress(count(), map(sought.__contains__, forms)):
        low = starts[place]
        if low >= last:
            last = ends[place]
            clause, weight = sought[forms[place]]
            found.append((low, last, clause, weight))
    return found


def _marked(read: Read, found: Iterable[Place], start: int, end: int) -> str:
    """A run of a text as HTML. ``found``: those of its words that are sought."""
    text, plain = read.text, read.plain
    marked, done = "", start
    for low, high, _, weight in found:
        if low >= start and high <= end and weight >= LEAST:
            if plain:
                marked += f"{text[done:low]}<mark>{text[low:high]}</mark>"
            else:
                marked += f"{html.escape(text[done:low])}<mark>{html.escape(text[low:high])}</mark>"
            done = high
    last = text[done:end]
    return marked + (last if plain else html.escape(last))


def _begin(found: Sequence[Place]) -> int:
    """Where the run begins."""
    first, _, _, weight = found[0]
    if found[-1][1] <= first + _REACH and weight > 1e-9:
        # All there is fits in.
        return max(0, first - _BEFORE)
    return _start(found)


def _start(found: Sequence[Place]) -> int:
    """The beginning of the first of the runs that have most."""
    best, where = 0.0, 0
    most, size = _worth(found), len(found)
    last = 0
    for place, (low, _, _, _) in enumerate(found):
        before, end = last, low + _REACH
        while last < size and found[last][1] <= end:
            last += 1
        if last == before:
            # A part of the run before.
            continue
        worth = _worth(found[place:last])
        if worth > best + 1e-9:
            best, where = worth, low
            if best >= most:
                # No other run has more than all there is.
                break
        if last == size:
            # What follows is a part of this one.
            break
    return max(0, where - _BEFORE)


def _worth(found: Sequence[Place]) -> float:
    """What is found, each clause once: where it counts most."""
    if len(found) == 1:
        return found[0][3]
    clauses: dict[int, float] = {}
    for _, _, clause, weight in found:
        if clause not in clauses or weight > clauses[clause]:
            clauses[clause] = weight
    return sum(clauses.values())


def _between_words(text: str, start: int, end: int) -> tuple[int, int]:
    if start:
        space = text.find(" ", start, start + 30)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", end - 30, end)
        end = space if space > start else end
    return start, min(end, len(text))
