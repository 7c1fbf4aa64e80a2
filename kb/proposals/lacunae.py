"""Where words are likely lost: a clause without its subject, an open bracket, a broken enumeration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from kb.kept import Looked
from kb.lang import Language
from kb.model import Finding, Node, Ref
from kb.numbers import follows, read_label

_PAIRS = {")": "(", "»": "«", "]": "["}
_LABEL = re.compile(r"(?:\A|[\s(])[^\W_]{1,4}\Z")
"""``1``, ``ii``, ``а`` before a bracket that closes nothing: the label of an item."""
_AROUND = 50
_ADJACENT = 2
"""Lines between two items of one source that nothing is missing between."""


def lacunae(nodes: Sequence[Node], language: Language, looked: Looked) -> list[Finding]:
    """Findings of kind ``suspected-lacuna``. What is known to be cut off is not told again.

    ``looked``: texts in which nothing is found are looked through once.
    """
    below: dict[Ref | None, list[Node]] = {}
    for node in nodes:
        below.setdefault(node.ref.parent, []).append(node)
    found = []
    for node in nodes:
        for where, text, key in _texts(node):
            if looked.clean(key):
                continue
            inside = list(_in_text(text, language, node))
            found += [_finding(node, f"{message} ({where})", around) for message, around in inside]
            if not inside:
                looked.note(key)
        if node.complete and node.text.rstrip().endswith(":") and not (node.tail or below.get(node.ref)):
            found.append(_finding(node, "it announces a list, and none follows", node.text[-_AROUND:]))
    cut = {node.ref for node in nodes if not node.complete}
    for parent, siblings in below.items():
        if parent not in cut:
            found += _lists(siblings)
    return found


def keys(node: Node) -> list[str]:
    """By what its texts are noted that were looked through."""
    return [key for _, _, key in _texts(node)]


def _texts(node: Node) -> Iterator[tuple[str, str, str]]:
    for where, text in (("title", node.title), ("text", node.text), ("tail", node.tail)):
        if text:
            yield where, text, f"{node.lang} {node.complete} {text}"


def _in_text(text: str, language: Language, node: Node) -> Iterator[tuple[str, str]]:
    for start, end in language.subjectless(text):
        yield f"a clause without its subject: «{text[start:end]}»", text[max(0, start - _AROUND) : end]
    place = _unclosed(text)
    if place is not None and node.complete:
        around = text[max(0, place - _AROUND) : place + _AROUND]
        yield f"a «{text[place]}» without its other half", around


def _unclosed(text: str) -> int | None:
    """The first bracket or quotation mark that has no other half."""
    opened: list[int] = []
    for place, sign in enumerate(text):
        if sign in _PAIRS.values():
            opened.append(place)
        elif sign in _PAIRS:
            if opened and text[opened[-1]] == _PAIRS[sign]:
                opened.pop()
            elif not _LABEL.search(text[max(0, place - 6) : place]):
                return place
    return opened[0] if opened else None


def _lists(siblings: Sequence[Node]) -> Iterator[Finding]:
    """Items of one source with a number left out between them, though no line is; a list that stops short."""
    items = [node for node in siblings if node.witnesses and node.kind != "table" and len(node.ref.path) > 1]
    for one, two in pairwise(items):
        a, b = one.witnesses[0], two.witnesses[0]
        together = a.source == b.source and 0 <= b.lines[0] - a.lines[1] <= _ADJACENT
        if together and one.complete and _leaps(one.ref.path[-1], two.ref.path[-1]):
            yield _finding(two, f"behind {one.ref.path[-1]} comes {two.ref.path[-1]}", two.text[:_AROUND])
    for node in items[-1:]:
        if node.complete and len(items) > 1 and node.text.rstrip().endswith((";", ",")):
            yield _finding(node, "the list stops in the middle", node.text[-_AROUND:])


def _leaps(one: str, two: str) -> bool:
    """The second number does not stand next, however the two are read: ``c`` may be a hundred."""
    leaps = False
    for numbering in ("arabic", "lower-roman", "lower", "upper"):
        first, second = read_label(one, numbering), read_label(two, numbering)
        if first and second:
            if follows(first.ordinal, second.ordinal):
                return False
            leaps |= second.ordinal > first.ordinal
    return leaps


def _finding(node: Node, message: str, around: str) -> Finding:
    witness = node.witnesses[0] if node.witnesses else None
    return Finding(
        "suspected-lacuna",
        message,
        node.ref,
        witness.source if witness else "",
        witness.lines if witness else None,
        around,
    )
