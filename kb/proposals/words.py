"""Words that no dictionary knows, with the word of this corpus that was likely meant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from rapidfuzz.distance import DamerauLevenshtein

from kb.lang import Language
from kb.model import Finding, Node, Ref

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SENTENCE_END = re.compile(r"(?:\A|[.!?:;…»\")(]|\s[-–—])\s*\Z")
_LEAST = 5
"""Letters of a word that is looked at: a shorter one has too many neighbours."""
_LONG = 8
"""Letters from which on two may differ."""
_ABBREVIATION = 5
_TERM = 2
"""Times that words of one stem stand in the text, from which on they are a term of it."""
_CONTEXT = 40


class Strange(NamedTuple):
    """A word that no dictionary knows, where it stands, and what is around it."""

    ref: str
    source: str
    lines: tuple[int, int] | None
    word: str
    around: str


@dataclass
class Spelt:
    """The words of a text in one language: how often each known one stands there, and the unknown ones."""

    counts: Counter[str] = field(default_factory=Counter)
    unknown: list[Strange] = field(default_factory=list)


def spelt(nodes: Iterable[Node], language: Language) -> Spelt | None:
    """The words of some nodes; None for a language without a dictionary.

    Left out are names (capitals inside a sentence), abbreviations, and what a negation makes of a known word.
    """
    found = Spelt()
    for node, text in _texts(nodes):
        for match in _WORD.finditer(text):
            word = match.group().lower()
            known = language.known(word)
            if known is None:
                return None
            if known:
                found.counts[word] += 1
            elif len(word) >= _LEAST and language.owns(word) and not _excused(text, match, language):
                around = text[max(0, match.start() - _CONTEXT) : match.end() + _CONTEXT]
                witness = node.witnesses[0] if node.witnesses else None
                source, lines = (witness.source, witness.lines) if witness else ("", None)
                found.unknown.append(Strange(str(node.ref), source, lines, word, around))
    return found


def unknown_words(found: Spelt | None, language: Language) -> list[Finding]:
    """A finding for each word that the dictionary does not know and that one of the text comes close to.

    Not for words of which the text has several forms.
    """
    if found is None or not found.unknown:
        return []
    stems = Counter(_core(one.word, language) for one in found.unknown)
    vocabulary = _vocabulary(found.counts, language)
    told = []
    for one in found.unknown:
        rare = stems[_core(one.word, language)] < _TERM
        meant = _meant(one.word, vocabulary, found.counts) if rare else ""
        if meant:
            message = f"«{one.word}» is in no dictionary; likely «{meant}»"
            ref = Ref.parse(one.ref)
            told.append(Finding("unknown-word", message, ref, one.source, one.lines, one.around))
    return told


def _texts(nodes: Iterable[Node]) -> Iterator[tuple[Node, str]]:
    for node in nodes:
        for text in (node.title, node.text, node.tail, *(note.text for note in node.footnotes)):
            if text:
                yield node, text


def _excused(text: str, match: re.Match[str], language: Language) -> bool:
    """A name, an abbreviation, a cut word, or a known word with a negation before it."""
    word = match.group()
    if word[0].isupper() and (word.isupper() or not _SENTENCE_END.search(text[: match.start()][-6:])):
        return True
    if text[match.end() : match.end() + 1] == "." and len(word) <= _ABBREVIATION:
        return True
    if text[match.end() : match.end() + 1] == "-" or text[match.start() - 1 : match.start()] == "-":
        return True
    return language.known(language.unnegated(word.lower())) is True


def _core(word: str, language: Language) -> str:
    return language.stem(language.unnegated(word))


def _vocabulary(counts: Mapping[str, int], language: Language) -> dict[str, int]:
    """All forms of the words of the text -> how often words of its lemma stand there."""
    lemmas: Counter[str] = Counter()
    for word, times in counts.items():
        lemmas[language.lemmas(word)[0]] += times
    forms: dict[str, int] = {}
    for lemma, times in lemmas.items():
        for form in language.forms(lemma):
            forms[form] = max(times, forms.get(form, 0))
    return forms


def _meant(word: str, vocabulary: Mapping[str, int], counts: Mapping[str, int]) -> str:
    """The nearest word; of equals the one that stands in the text more often; two words run together."""
    for at in range(2, len(word) - 1):
        if counts.get(word[:at], 0) >= _TERM and counts.get(word[at:], 0) >= _TERM:
            return f"{word[:at]} {word[at:]}"
    most = 2 if len(word) >= _LONG else 1
    best: tuple[int, int, str] | None = None
    for other, times in vocabulary.items():
        if abs(len(other) - len(word)) > most or len(other) < _LEAST - 1:
            continue
        distance = DamerauLevenshtein.distance(word, other, score_cutoff=most)
        if 0 < distance <= most:
            key = (distance, -times - counts.get(other, 0), other)
            best = key if best is None else min(best, key)
    return best[2] if best else ""
