"""One citation as a person types it: ``65c``, ``l65b1``, ``27Б1``, an address, «правилам 61А и 62А»."""

from __future__ import annotations

import re

from kb.cite.find import Finder
from kb.cite.grammar import Grammar
from kb.cite.resolve import Known, relocate, resolve
from kb.model import Citation, Link, Ref

MAX_LENGTH = 200
"""Code points; what is longer is no single citation."""
_ADDRESS = re.compile(
    r"(?:https?://[^/\s]+)?/?(?P<work>[a-z][a-z0-9_-]*)/(?P<edition>(?:19|20)[0-9]{2})(?:/(?P<path>[^/#\s]*))?/?(?:#(?P<anchor>\S+))?\Z"
)
_LEFT = re.compile(r"[\s()\[\].,;:«»\"“”'/&–—-]+")


def resolve_query(
    text: str,
    known: Known,
    grammar: Grammar,
    *,
    edition: str = "",
    context: Ref | None = None,
) -> list[Link]:
    """What ``text`` cites, when it is a citation and nothing else; otherwise an empty list.

    ``edition`` stands in for an edition the text does not name. Offsets count in ``text``.
    """
    if not text.strip() or len(text) > MAX_LENGTH:
        return []
    if ref := _address(text.strip(), grammar):
        whole = Citation(0, len(text), text, "full", ref.work, ref.edition, ref.path)
        return [resolve(whole, known, context, grammar)]
    citations, shift, first = _read(text, grammar, context)
    scope = Ref(context.work if context else grammar.data["law"], edition) if edition else context
    links = [resolve(c, known, scope, grammar) for c in citations]
    # The noun that was put before the number is no part of what was typed: such a span opens with the text.
    return [relocate(link, shift, text, 0 if link.citation.start < first else None) for link in links]


def _read(text: str, grammar: Grammar, context: Ref | None) -> tuple[list[Citation], int, int]:
    """The citations of the text, tried with its own nouns, then with the noun it leaves out.

    Also how far their offsets must be moved, and the length of the noun that was put before the text.
    """
    works = grammar.data["works"]
    law = grammar.data["law"]
    tries = [("", text)]
    for work, table in sorted(works.items()):
        letter = re.match(
            rf"\s*(?:{work}|{table['label']}|{table['letter']})[\s./-]*(?=[0-9])", text, re.IGNORECASE
        )
        if letter and (noun := grammar.bare_nouns.get(work, "")):
            tries.append((noun, text[letter.end() :]))
    nouns = [grammar.bare_nouns.get(work, "") for work in sorted(works, key=lambda name: (name != law, name))]
    tries += [(noun, text) for noun in nouns if noun]
    for noun, rest in tries:
        # What a person typed is read without suspicion; without a noun of its own, with one put before it.
        prefix = f"{noun} " if noun else ""
        citations = Finder(prefix + rest.strip(), grammar, context, strict=False).run()
        if citations and _covered(prefix + rest.strip(), citations, grammar):
            lost = len(text) - len(rest) + (len(rest) - len(rest.lstrip()))
            return citations, lost - len(prefix), len(prefix)
    return [], 0, 0


def _covered(text: str, citations: list[Citation], grammar: Grammar) -> bool:
    """Nothing but separators, conjunctions and cues stands outside the citations."""
    at = 0
    rest = []
    for citation in citations:
        rest.append(text[at : max(at, citation.start)])
        at = max(at, citation.end)
    rest.append(text[at:])
    words = [word for piece in rest for word in _LEFT.split(piece.lower()) if word]
    lexicon = grammar.data["lexicon"]
    return all(
        grammar.rx["joined"].fullmatch(word)
        or any(lexicon.get(form, [""])[0] == "cue" for form in (word, f"{word}."))
        for word in words
    )


def _address(text: str, grammar: Grammar) -> Ref | None:
    """A ref, a page with an anchor, or a permalink."""
    found = _ADDRESS.match(text)
    if not found:
        return None
    works = grammar.data["works"]
    work = found["work"]
    dotted = found["path"] or ""
    if work not in works:
        # The letter of a permalink: /l/1987/65B1/
        named = [name for name, table in works.items() if table["letter"] == work]
        return _permalink(named[0], found["edition"], dotted, grammar) if named else None
    if anchor := found["anchor"]:
        for name, table in works.items():
            if table["over"] == work and re.match(rf"{table['letter']}[0-9]", anchor):
                work, anchor = name, anchor[len(table["letter"]) :]
        dotted = anchor
    try:
        return Ref.parse(f"{work}/{found['edition']}/{dotted}")
    except ValueError:
        return None


def _permalink(work: str, edition: str, short: str, grammar: Grammar) -> Ref | None:
    noun = grammar.bare_nouns.get(work, "")
    citations = Finder(f"{noun} {short}", grammar, strict=False).run() if noun else []
    if len(citations) != 1 or citations[0].end != len(noun) + 1 + len(short):
        return None
    return Ref(work, edition, citations[0].path)
