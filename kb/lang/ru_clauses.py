"""Russian clauses without the subject that their predicate wants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from kb.lang import words

_SENTENCE = re.compile(r"[^.!?;:]+")
_SEGMENT = re.compile(r"[^,()]+")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SUBORDINATE = words(
    """
    если когда пока что чтобы как так хотя поскольку ибо раз будто словно кто где куда откуда чей
    который которая которое которые какой какая какое какие которого которой которых которому
    """
)
"""What opens a clause whose subject is no other clause's."""
_LIKELY = 0.02
_NEAR = 3
"""Words within which the infinitive follows a short adjective that governs it: ``должен … потребовать``."""


def subjectless(text: str, parse: Any) -> Iterator[tuple[int, int]]:
    """Runs of clauses like ``, должен потребовать`` that no word in the nominative agrees with.

    Only short adjectives that govern an infinitive are looked at: a verb of the third person may do without
    a subject (``разрешается``, ``не следует``). ``parse``: pymorphy3's.
    """
    for sentence in _SENTENCE.finditer(text):
        segments = [
            (sentence.start() + match.start(), sentence.start() + match.end(), _WORD.findall(match.group()))
            for match in _SEGMENT.finditer(sentence.group())
        ]
        for number, (start, end, said) in enumerate(segments):
            predicate = _predicate(said, parse)
            if predicate is None:
                continue
            main = [said for _, _, said in segments[:number] if said and said[0].lower() not in _SUBORDINATE]
            if not any(_agrees(word, predicate, parse) for words in [*main, said] for word in words):
                yield start + len(text[start:end]) - len(text[start:end].lstrip()), end


def _predicate(said: Sequence[str], parse: Any) -> Any:
    """The tag of a short adjective, masculine, feminine or plural, behind which an infinitive stands."""
    for index, word in enumerate(said):
        tag = parse(word)[0].tag
        if tag.POS != "ADJS" or "neut" in tag:
            continue
        if any(parse(other)[0].tag.POS == "INFN" for other in said[index + 1 : index + 1 + _NEAR]):
            return tag
    return None


def _agrees(word: str, predicate: Any, parse: Any) -> bool:
    """Some likely reading of the word is a nominative of the predicate's number and gender."""
    for reading in parse(word):
        tag = reading.tag
        if tag.POS in ("ADJS", "PRTS") or reading.score < _LIKELY:
            continue
        named = tag.case == "nomn" or tag.POS is None  # a foreign name has no case
        # Two in the singular make a plural.
        if named and (predicate.number == "plur" or tag.gender in (None, predicate.gender)):
            return True
    return word.lower() in ("кто", "никто", "оба", "обе")
