"""The run of a text that answers a query, with its words marked."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from kb.search.backend import Clause
from kb.search.vocabulary import Vocabulary

WIDTH = 220
"""Characters of a snippet, more or less: it is cut between words."""

NOTES: Mapping[str, Mapping[str, str]] = {
    "not-supplied": {
        "ru": "Известно, но текста нет ни в одном из источников.",
        "en": "Known, but the text is not supplied: it is in none of the sources.",
    },
    "repealed": {"ru": "Утратило силу.", "en": "Repealed."},
}
"""What stands in the place of a text that is not there. Other languages take the English."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """``marked`` is HTML-escaped, with ``<mark>`` only; ``plain`` is the same run as text."""

    marked: str
    plain: str


def weights(clauses: Sequence[Clause]) -> dict[str, tuple[int, float]]:
    """Lemma -> the number of its clause, and how much it counts there."""
    found: dict[str, tuple[int, float]] = {}
    for number, clause in enumerate(clauses):
        for lemma, weight in clause.terms:
            if lemma not in found or found[lemma][1] < weight * clause.weight:
                found[lemma] = (number, weight * clause.weight)
    return found


def hits(
    text: str, sought: Mapping[str, tuple[int, float]], vocabulary: Vocabulary
) -> list[tuple[int, int, int, float]]:
    """Words of the text that are sought: ``(start, end, clause, weight)``, in order, not overlapping."""
    found: list[tuple[int, int, int, float]] = []
    for token in vocabulary.analyser.cut(text):
        best = max(
            (sought[x] for x in vocabulary.lemmas(token.form) if x in sought),
            default=None,
            key=lambda p: p[1],
        )
        if best is not None and (not found or token.start >= found[-1][1]):
            found.append((token.start, token.end, *best))
    return found


def in_order(texts: Sequence[str], phrase: Sequence[Sequence[str]], vocabulary: Vocabulary) -> bool:
    """Does one of the texts have the phrase's words side by side."""
    for text in texts:
        words = [vocabulary.lemmas(token.form) for token in vocabulary.analyser.tokens(text)]
        for start in range(len(words) - len(phrase) + 1):
            if all(set(choice) & set(words[start + n]) for n, choice in enumerate(phrase)):
                return True
    return False


def pairs(texts: Iterable[str], vocabulary: Vocabulary) -> frozenset[tuple[str, str]]:
    """The words that stand side by side in the texts, as lemmas."""
    found: set[tuple[str, str]] = set()
    for text in texts:
        words = [vocabulary.lemmas(token.form) for token in vocabulary.analyser.tokens(text)]
        for first, second in pairwise(words):
            found.update(product(first, second))
    return frozenset(found)


def together(words: Sequence[Sequence[str]], side_by_side: frozenset[tuple[str, str]]) -> float:
    """The part of the words' neighbours, each word a choice of lemmas, that are neighbours there, too."""
    there = sum(not side_by_side.isdisjoint(product(one, other)) for one, other in pairwise(words))
    return there / max(1, len(words) - 1)


def snippet(text: str, sought: Mapping[str, tuple[int, float]], vocabulary: Vocabulary) -> Snippet:
    """The run of about ``WIDTH`` characters that has most of the query."""
    text = " ".join(text.split())
    found = hits(text, sought, vocabulary)
    start = _start(found) if len(text) > WIDTH else 0
    start, end = _between_words(text, start, start + WIDTH)
    head, tail = ("… " if start else ""), (" …" if end < len(text) else "")
    marked, at = [html.escape(head)], start
    for low, high, _, weight in found:
        if low >= start and high <= end and weight >= 0.2:
            marked += [html.escape(text[at:low]), "<mark>", html.escape(text[low:high]), "</mark>"]
            at = high
    marked.append(html.escape(text[at:end]) + tail)
    return Snippet("".join(marked), head + text[start:end] + tail)


def _start(found: Sequence[tuple[int, int, int, float]]) -> int:
    best, where = 0.0, 0
    for low, *_ in found:
        clauses: dict[int, float] = {}
        for start, end, clause, weight in found:
            if start >= low and end <= low + WIDTH - 40:
                clauses[clause] = max(weight, clauses.get(clause, 0.0))
        worth = sum(clauses.values())
        if worth > best + 1e-9:
            best, where = worth, low
    return max(0, where - 40)


def _between_words(text: str, start: int, end: int) -> tuple[int, int]:
    if start:
        space = text.find(" ", start, start + 30)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", end - 30, end)
        end = space if space > start else end
    return start, min(end, len(text))
