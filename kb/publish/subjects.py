"""A subject index as at the back of a book: titles, subjects of sections, terms and situations -> headings.

A heading is a term of the glossary, what a situation's line begins with (before its colon or comma), or a
title in which no term stands. Below it stand the lines that speak of it; each leads to places. Words people
ask with lead to the heading they mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from kb import lang as languages
from kb.model import Ref
from kb.publish.context import Site, Term

OTHERS = "…"
_FOLDED = 4096
_HEAD = re.compile(r"\s*(?::|,(?=\s))\s*")
"""What parts the subject of a situation's line from the rest."""


@dataclass
class Line:
    """Words with the places they lead to, each once, in the order they came."""

    text: str
    refs: dict[Ref, None] = field(default_factory=dict)


@dataclass
class Heading(Line):
    """A subject. ``id`` is an anchor's end where others may lead to it."""

    id: str = ""
    lines: dict[str, Line] = field(default_factory=dict)
    """By their folded words."""
    see: dict[str, str] = field(default_factory=dict)
    """Id of another heading -> its words."""

    @property
    def bare(self) -> bool:
        """True when it leads to no place itself."""
        return not self.refs and not self.lines


def index(site: Site, lang: str, titled: list[tuple[Ref, dict[str, str]]]) -> list[tuple[str, list[Heading]]]:
    """``(letter, headings)`` of one language. ``titled``: what ``titles`` gives."""
    made = _Index(site, lang)
    for term in site.glossary:
        made.term(term)
    for ref, by_lang in titled:
        if lang in by_lang:
            made.title(ref, by_lang[lang])
    for topic in site.topics:
        if lang in topic.head:
            made.topic(topic.head[lang], topic.refs)
    made.used(site.marks.uses)
    made.cross()
    return made.letters()


def titles(site: Site) -> Iterator[tuple[Ref, dict[str, str]]]:
    """The titles and subjects, by language, of the laws and what stands below them."""
    for ref, titled in site.titled():
        if titled and not site.is_heading(ref):
            yield ref, {lang: title for lang, (title, _) in titled.items()}


class _Index:
    def __init__(self, site: Site, lang: str) -> None:
        self.site = site
        self.lang = lang
        self.fold: Callable[[str], str] = lru_cache(_FOLDED)(languages.get(lang).fold)
        self.headings: dict[str, Heading] = {}
        self.terms: dict[str, Heading] = {}

    def heading(self, words: str) -> Heading:
        words = words[:1].upper() + words[1:]
        return self.headings.setdefault(self.fold(words), Heading(words))

    def term(self, term: Term) -> None:
        if term.terms.get(self.lang):
            found = self.heading(term.terms[self.lang])
            found.id = found.id or term.id
            self.terms[term.id] = found

    def title(self, ref: Ref, title: str) -> None:
        """Below each term that stands in it; a title that is the term itself leads there at once."""
        below: dict[str, Heading] = {}
        for start, end, name in self.site.marks.find(title, self.lang):
            if name in self.terms:
                whole = not re.search(r"\w", title[:start] + title[end:])
                below[name] = self.terms[name]
                if whole:
                    self.terms[name].refs[ref] = None
                    return
        for heading in below.values() or [self.heading(title)]:
            self._put(heading, title, [ref])

    def topic(self, head: str, refs: tuple[Ref, ...]) -> None:
        parts = _HEAD.split(head, maxsplit=1)
        self._put(self.heading(parts[0]), parts[1] if len(parts) > 1 else parts[0], refs)

    def _put(self, heading: Heading, words: str, refs: tuple[Ref, ...] | list[Ref]) -> None:
        folded = self.fold(words)
        if folded == self.fold(heading.text):
            heading.refs.update(dict.fromkeys(refs))
        else:
            heading.lines.setdefault(folded, Line(words)).refs.update(dict.fromkeys(refs))

    def used(self, uses: dict[str, list[Ref]]) -> None:
        """A term of which no title speaks leads to the texts that use it."""
        for name, heading in self.terms.items():
            if heading.bare:
                heading.refs.update(dict.fromkeys(uses.get(name, ())))

    def cross(self) -> None:
        """From a term to longer ones it stands in, and from words people ask with to the term."""
        there = {name: heading for name, heading in self.terms.items() if not heading.bare}
        for term in self.site.glossary:
            if term.id not in there:
                continue
            target = there[term.id]
            for heading in self._asked(term):
                if heading is not target:
                    heading.see[target.id] = target.text
            for name in self._parts(target.text):
                if name in there and there[name] is not target:
                    there[name].see[target.id] = target.text
            if term.same_as in there and there[term.same_as] is not target:
                target.see[there[term.same_as].id] = there[term.same_as].text
                there[term.same_as].see[target.id] = target.text

    def _asked(self, term: Term) -> list[Heading]:
        words = (*term.variants.get(self.lang, ()), *term.synonyms.get(self.lang, ()))
        return [self.heading(word) for word in words if word.strip()]

    def _parts(self, name: str) -> Iterator[str]:
        """The terms inside the name of another: each pattern by itself, for here the shorter ones count."""
        for term in self.site.glossary:
            pattern = term.patterns.get(self.lang)
            found = pattern.search(name) if pattern else None
            if found and found.group().strip() != name.strip():
                yield term.id

    def letters(self) -> list[tuple[str, list[Heading]]]:
        """By first letter; those of other alphabets, and numbers, together at the end."""
        groups: dict[str, list[Heading]] = {}
        last: list[Heading] = []
        filed = languages.get(self.lang).filed
        for key, _, heading in sorted((filed(words), words, found) for words, found in self.headings.items()):
            if heading.bare and not heading.see:
                continue
            first = next((char for char in key if char.isalnum()), "")
            alphabet = languages.get(self.lang).alphabet
            here = first.isalpha() and (not alphabet or first in alphabet)
            (groups.setdefault(first.upper(), []) if here else last).append(heading)
        return [*groups.items(), *([(OTHERS, last)] if last else [])]
