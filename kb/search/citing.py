"""Citations in a search box: the whole query, or its head. The reading itself is kb.cite's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from kb.lang import Language
from kb.model import KnowledgeBase, Link, Ref
from kb.numbers import roman_value
from kb.profile import Profile

if TYPE_CHECKING:
    from kb.cite.grammar import Grammar
    from kb.cite.resolve import KnownBase

_MOST_TYPED = 120
"""Characters of a query that may be a citation."""
_MOST_WORDS = 6
"""Words at the head of a query that may be a citation beside a question."""
_LETTER = re.compile(r"^([^\W\d_])\s*(?=\d)")
_COMMA = re.compile(r"(?<=\d),(?= ?[^\W\d_]\Z)")
_ABOUT = re.compile(r"(?P<noun>[^\W\d_]{2,20}\.?)\s+[^\W\d_]{1,3}\s+(?P<over>.*\d.*)\Z")
_WRAPPED = re.compile(r"[(\[{«\"“„']+\s*(.*?)\s*[)\]}»\"”“']+\Z")
_TURNED = re.compile(
    r"(?P<noun>[^\W\d_]{2,20}\.?)\s+\(?(?P<step>[^\W_]{1,3})\)?\s+(?P<over>[^\W\d_].*\d.*)\Z"
)
_HEADING = re.compile(r"([^\W\d_]{3,})\s+([ivxlc]{1,6}|\d{1,2})\Z", re.IGNORECASE)
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

    def warm(self) -> None:
        """Compile the grammar."""
        self._links("1")

    def read(self, text: str) -> Cited | None:
        """The citation a query is, or begins with. None for plain words."""
        text = " ".join(text.split())
        if refs := self._headings(text):
            return Cited(refs)
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
        text = _WRAPPED.sub(r"\1", text) if _WRAPPED.match(text) else text
        if refs := self._side_by_side(text):
            return refs
        # «з 65», «з65»: what people type leaves out the stop of an abbreviation.
        for spelling in (text, _LETTER.sub(r"\1. ", text), _COMMA.sub("", text)):
            if links := self._links(spelling):
                return _refs(links)
        parted = _PARTED.match(text)
        if parted and self._is_noun(parted["noun"]) and (links := self._links(parted["head"])):
            return self._items_or_comments(links[0].target, parted["step"])
        return self._turned(text) or self._about(text)

    def _about(self, text: str) -> tuple[Ref, ...]:
        """«комментарий к 65», “comments on Law 65”: all that is said of it, then the law."""
        about = _ABOUT.match(text)
        works = self._works(about["noun"]) if about else set()
        links = self._links(about["over"]) if about and works else ()
        if not links:
            return ()
        over = links[0].target
        found = [
            Ref(work.name, over.edition, over.path[:1])
            for work in self._profile.works.values()
            if work.name in works and work.comments_on == over.work
        ]
        said = [ref for one in found for ref in self._kb.children(one)]
        return (*(said or found), over) if found else ()

    def _side_by_side(self, text: str) -> tuple[Ref, ...]:
        """``16a 73c``: several, with nothing between them. A part without a letter goes on from the last."""
        parts = text.split(" ")
        whole = [part for part in parts if _DIGIT.match(part) and part[-1].isalpha()]
        if len(parts) < 2 or len(whole) < len(parts):
            return ()
        links = [self._links(part) for part in parts]
        return tuple(dict.fromkeys(ref for found in links for ref in _refs(found))) if all(links) else ()

    def _turned(self, text: str) -> tuple[Ref, ...]:
        """«раздел С правила 65», “section C of law 65”, «пункт 3 правила 65»: the part before the whole."""
        turned = _TURNED.match(text)
        if not turned or not self._is_noun(turned["noun"]):
            return ()
        for over in (turned["over"], turned["over"].partition(" ")[2]):
            links = self._links(over) if over else ()
            if links and turned["step"].isdigit():
                return self._items_or_comments(links[0].target, turned["step"])
            if links and (found := self._links(f"{over} {turned['step']}")):
                return _refs(found)
        return ()

    def _headings(self, text: str) -> tuple[Ref, ...]:
        """«глава VII», “chapter 7”: the headings of that level and number."""
        named = _HEADING.match(text)
        if not named:
            return ()
        word, number = named[1].lower(), named[2].lower()
        steps = {
            level.step
            for work in self._profile.works.values()
            for level in work.levels
            if level.heading and word in {name.lower() for name in level.names.values()}
        }
        if not steps:
            return ()
        return tuple(
            entry.ref
            for work in self._profile.works
            for entry in self._kb.entries(work)
            if len(entry.ref.path) > 1 and entry.ref.path[-2] in steps and _same(entry.ref.path[-1], number)
        )

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
        return bool(self._works(word))

    def _works(self, word: str) -> set[str]:
        """The works a word names the provisions of; none for a word that names no provision."""
        data = self._resolver[1].data
        forms = (word.lower(), word.lower().rstrip("."), f"{word.lower()}.")
        found = [data["lexicon"].get(form, [""]) for form in forms]
        return {data["nouns"][n]["work"] for entry in found if entry[0] == "noun" for n in entry[1]}

    @cached_property
    def _resolver(self) -> tuple[KnownBase, Grammar]:
        from kb.cite.grammar import compile_grammar
        from kb.cite.resolve import KnownBase

        return KnownBase(self._kb), compile_grammar(self._profile)

    def _read(self, text: str) -> tuple[Link, ...]:
        from kb.cite.query import resolve_query

        known, grammar = self._resolver
        return tuple(resolve_query(text, known, grammar))


def _same(one: str, other: str) -> bool:
    """Is it the same number, in Roman figures or in ours?"""
    return one.lower() == other or _value(one.lower()) == _value(other)


def _value(text: str) -> int | str:
    if text.isdigit():
        return int(text)
    value = roman_value(text)
    return text if value is None else value


def _refs(links: tuple[Link, ...]) -> tuple[Ref, ...]:
    """Where the links lead, in order; of an unknown target the nearest known above it."""
    found: dict[Ref, None] = {}
    for link in links:
        for ref in (link.target, *link.alternatives, link.fallback):
            if ref is not None and ref.path:
                found[ref] = None
    return tuple(found)
