"""What an index keeps of a document, as text: engines take it so, and so it is kept from build to build.

Terms are one line of tokens, sorted, each a term and its weight; what a hit shows is JSON. Either is read
only when somebody asks for its values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, ItemsView, Iterator, Mapping
from typing import Any

WEIGHT = "\x1f"
"""Stands between a term and its weight."""
SPACE = "\x1e"
"""Stands for a space inside a term: tokens are told apart by spaces."""
BETWEEN, BEHIND = "\x1d", "\x1c"
"""In what is kept of a law: between the terms of a document and what a hit shows, and behind both."""


class Line(Mapping[str, Any]):
    """A mapping that is known by its text."""

    __slots__ = ("_read", "_values", "text")

    def __init__(self, text: str, read: Callable[[str], Mapping[str, Any]]) -> None:
        self.text = text
        self._read = read
        self._values: Mapping[str, Any] | None = None

    def _known(self) -> Mapping[str, Any]:
        if self._values is None:
            self._values = self._read(self.text)
        return self._values

    def __getitem__(self, key: str) -> Any:
        return self._known()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def items(self) -> ItemsView[str, Any]:
        """As a dict has them: those of a Mapping would be looked up one by one."""
        return self._known().items()


def token(term: str, weight: int | None = None) -> str:
    """A term with its weight; without one, as the tokens of a term begin."""
    return f"{term.replace(' ', SPACE)}{WEIGHT}{'' if weight is None else weight}"


def weight(found: str) -> int:
    """The weight of a token."""
    return int(found.rpartition(WEIGHT)[2])


def terms_text(terms: Mapping[str, int]) -> str:
    """Terms with their weights as one line."""
    if isinstance(terms, Line):
        return terms.text
    return " ".join(token(term, terms[term]) for term in sorted(terms))


def shown_text(stored: Mapping[str, Any]) -> str:
    """What a hit shows, as JSON."""
    if isinstance(stored, Line):
        return stored.text
    return json.dumps(stored, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def terms_of(text: str) -> dict[str, int]:
    """The terms of a line, in their order."""
    found = {}
    for one in text.split(" ") if text else ():
        term, _, amount = one.partition(WEIGHT)
        found[term.replace(SPACE, " ")] = int(amount)
    return found


def packed(terms: Mapping[str, int], stored: Mapping[str, Any]) -> str:
    """A document as it is kept."""
    return f"{terms_text(terms)}{BETWEEN}{shown_text(stored)}{BEHIND}"


def unpacked(text: str) -> Iterator[tuple[Line, Line]]:
    """The documents of a text of ``packed`` ones: terms, and what is shown."""
    for one in text.split(BEHIND)[:-1]:
        terms, _, stored = one.partition(BETWEEN)
        yield Line(terms, terms_of), Line(stored, json.loads)
