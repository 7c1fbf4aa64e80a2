"""Citations in a search box: the whole query, or its head. The reading itself is kb.cite's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from kb.lang import Language
from kb.model import KnowledgeBase, Link, Ref
from kb.profile import Profile

_MOST_TYPED = 120
"""Characters of a query that may be a citation."""
_MOST_WORDS = 6
"""Words at the head of a query that may be a citation beside a question."""
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Cited:
    """What a query cites: refs, the likeliest first, the words beside them, and another way to read it."""

    refs: tuple[Ref, ...]
    rest: str = ""
    did_you_mean: str | None = None


class Citations:
    """Reads the citations of queries against one knowledge base. Compiles the grammar at the first figure."""

    def __init__(self, kb: KnowledgeBase, profile: Profile, languages: tuple[Language, ...]) -> None:
        self._kb = kb
        self._profile = profile
        self._languages = languages
        self._links = lru_cache(maxsize=1024)(self._read)

    def read(self, text: str) -> Cited | None:
        """The citation a query is, or begins with. None for plain words."""
        text = " ".join(text.split())
        if not _DIGIT.search(text):
            return None
        if len(text) <= _MOST_TYPED:
            if links := self._links(text):
                return Cited(_refs(links))
            for meant in self._other_layouts(text):
                if links := self._links(meant):
                    return Cited(_refs(links), did_you_mean=meant)
        words = text.split(" ")
        for size in range(min(_MOST_WORDS, len(words) - 1), 0, -1):
            head = " ".join(words[:size])
            # A bare figure before words is a number of cards more often than a law.
            if _DIGIT.search(head) and not head.isdigit() and (links := self._links(head)):
                return Cited(_refs(links), rest=" ".join(words[size:]))
        return None

    def _other_layouts(self, text: str) -> Iterator[str]:
        """Readings as if typed on another keyboard: the last resort, offered to the reader as such."""
        for language in self._languages:
            for meant in (language.from_layout(text), language.to_layout(text)):
                if meant != text:
                    yield meant

    @cached_property
    def _resolver(self) -> tuple[object, object]:
        from kb.cite.grammar import compile_grammar
        from kb.cite.resolve import KnownBase

        return KnownBase(self._kb), compile_grammar(self._profile)

    def _read(self, text: str) -> tuple[Link, ...]:
        from kb.cite.query import resolve_query

        known, grammar = self._resolver
        return tuple(resolve_query(text, known, grammar))  # type: ignore[arg-type]


def _refs(links: tuple[Link, ...]) -> tuple[Ref, ...]:
    """Where the links lead, in order; of an unknown target the nearest known above it."""
    found: dict[Ref, None] = {}
    for link in links:
        for ref in (link.target, *link.alternatives, link.fallback):
            if ref is not None and ref.path:
                found[ref] = None
    return tuple(found)
