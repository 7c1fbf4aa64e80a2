"""Citations in a search box: the whole query, or its head. The reading itself is kb.cite's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from kb.lang import Language
from kb.model import KnowledgeBase, Link, Ref
from kb.profile import Profile

if TYPE_CHECKING:
    from kb.cite.grammar import Grammar
    from kb.cite.resolve import KnownBase

_MOST_TYPED = 120
"""Characters of a query that may be a citation."""
_MOST_WORDS = 6
"""Words at the head of a query that may be a citation beside a question."""
_LETTER = re.compile(r"^([^\W\d_])\s+(?=\d)")
_PARTED = re.compile(
    r"(?P<head>.*\d\S*)\s+(?P<noun>[^\W\d_]{2,20}\.?|[^\W\d_]\.)\s+\(?(?P<step>[A-Za-z0-9]{1,3})\)?\Z"
)
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
            if refs := self._whole(text):
                return Cited(refs)
            for meant in self._other_layouts(text):
                if refs := self._whole(meant):
                    return Cited(refs, did_you_mean=meant)
        words = text.split(" ")
        for size in range(min(_MOST_WORDS, len(words) - 1), 0, -1):
            head = " ".join(words[:size])
            # A bare figure before words is a number of cards more often than a law.
            if _DIGIT.search(head) and not head.isdigit() and (links := self._links(head)):
                return Cited(_refs(links), rest=" ".join(words[size:]))
        return None

    def _whole(self, text: str) -> tuple[Ref, ...]:
        """What a text that is a citation and nothing else leads to; empty when it is none."""
        # «з 65»: what people type leaves out the stop of an abbreviation.
        for spelling in (text, _LETTER.sub(r"\1. ", text)):
            if links := self._links(spelling):
                return _refs(links)
        parted = _PARTED.match(text)
        if parted and self._is_noun(parted["noun"]) and (links := self._links(parted["head"])):
            return self._items_or_comments(links[0].target, parted["step"])
        return ()

    def _items_or_comments(self, over: Ref, step: str) -> tuple[Ref, ...]:
        """«правило 65 пункт 3» may be an item of the law or a comment on it: all there are, then the law."""
        found = [over.child(step), over.child(step.upper())]
        for work in self._profile.works.values():
            found += [Ref(work.name, over.edition, (*over.path[:1], step))] * (work.comments_on == over.work)
        known = [ref for ref in dict.fromkeys(found) if self._kb.entry(ref)]
        return (*known, over)

    def _other_layouts(self, text: str) -> Iterator[str]:
        """Readings as if typed on another keyboard: the last resort, offered to the reader as such."""
        for language in self._languages:
            for meant in (language.from_layout(text), language.to_layout(text)):
                if meant != text:
                    yield meant

    def _is_noun(self, word: str) -> bool:
        lexicon = self._resolver[1].data["lexicon"]
        forms = (word.lower(), word.lower().rstrip("."), f"{word.lower()}.")
        return any(lexicon.get(form, [""])[0] == "noun" for form in forms)

    @cached_property
    def _resolver(self) -> tuple[KnownBase, Grammar]:
        from kb.cite.grammar import compile_grammar
        from kb.cite.resolve import KnownBase

        return KnownBase(self._kb), compile_grammar(self._profile)

    def _read(self, text: str) -> tuple[Link, ...]:
        from kb.cite.query import resolve_query

        known, grammar = self._resolver
        return tuple(resolve_query(text, known, grammar))


def _refs(links: tuple[Link, ...]) -> tuple[Ref, ...]:
    """Where the links lead, in order; of an unknown target the nearest known above it."""
    found: dict[Ref, None] = {}
    for link in links:
        for ref in (link.target, *link.alternatives, link.fallback):
            if ref is not None and ref.path:
                found[ref] = None
    return tuple(found)
