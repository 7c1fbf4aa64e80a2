"""One citation as a person types it: ``65c``, ``l65b1``, ``27Б1``, an address, «правилам 61А и 62А»."""

from __future__ import annotations

import re
from dataclasses import replace

from kb.cite.find import Finder
from kb.cite.grammar import Grammar
from kb.cite.resolve import Known, relocate, resolve
from kb.cite.shapes import ALNUM, LETTER
from kb.lang.sounds import sound_key
from kb.model import Citation, Link, Ref

MAX_LENGTH = 200
"""Code points; what is longer is no single citation."""
_ADDRESS = re.compile(
    r"(?:[a-z]{3,5}://\S*?/|/)?(?P<work>[a-z][a-z0-9_-]*)(?:/(?P<edition>(?:19|20)[0-9]{2}))?"
    r"(?:/(?P<path>[^/#?\s]*))?(?:/(?:index\.html)?)?(?:\?[^#\s]*)?(?:#(?P<anchor>\S+))?\Z"
)
_WRAPPED = re.compile(r"\s*[(\[{«\"“„']+\s*(.+?)\s*[)\]}»\"”“']+\s*\Z")
_COMMA = re.compile(r"(?<=[0-9]),(?= ?[^\W\d_]\s*\Z)")
_NOUN = re.compile(r"(?<![0-9A-Za-z])[A-Za-z](?:[A-Za-z'’]*[A-Za-z])?(?=\.? ?[0-9])")
_SHORT = re.compile(f"(?<![{ALNUM}])([{LETTER}]+) ?(?=[0-9])")
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

    ``edition`` stands in for an edition the text does not name. Offsets count in ``text``. A stop left out
    («з 65») and quotes around it are taken as they are meant.
    """
    if not text.strip() or len(text) > MAX_LENGTH:
        return []
    if ref := _address(text.strip(), grammar):
        whole = Citation(0, len(text), text, "full", ref.work, ref.edition, ref.path)
        return [resolve(whole, known, context, grammar)]
    scope = Ref(context.work if context else grammar.data["law"], edition) if edition else context
    citations, shift, first = _read(text, grammar, context)
    if citations:
        links = [resolve(c, known, scope, grammar) for c in citations]
        # The noun put before the number is no part of what was typed: such a span opens with the text.
        return [relocate(link, shift, text, 0 if link.citation.start < first else None) for link in links]
    meant = mended(text, grammar)
    if meant == text:
        return []
    return [
        _of_whole(resolve(citation, known, scope, grammar), text)
        for citation in _read(meant, grammar, context)[0]
    ]


def read_query(
    text: str,
    known: Known,
    grammar: Grammar,
    *,
    edition: str = "",
    context: Ref | None = None,
) -> tuple[list[Link], str]:
    """``resolve_query``, and how the text was read, where it cites only if read otherwise than it stands.

    ``ghfdbkj 65c`` (another keyboard) and ``pravilo 65c`` (by its sound) are read «правило 65с»: that is to
    be offered, not taken. Empty: as it stands.
    """
    for spelling in (text, *other_spellings(text, grammar)):
        links = resolve_query(spelling, known, grammar, edition=edition, context=context)
        if links and spelling == text:
            return links, ""
        if links:
            return [_of_whole(link, text) for link in links], spelling
    return [], ""


def _of_whole(link: Link, text: str) -> Link:
    """The link as that of all the text."""
    return replace(link, citation=replace(link.citation, start=0, end=len(text), surface=text))


def other_spellings(text: str, grammar: Grammar) -> list[str]:
    """The text with its nouns read by their sound, and as if its keys had been struck on another keyboard,
    both ways for each that is known."""
    made = [_NOUN.sub(lambda found: _by_sound(found, grammar), text)]
    for own, latin in grammar.data["typed"]["keyboards"]:
        made += [text.translate(str.maketrans(latin, own)), text.translate(str.maketrans(own, latin))]
    return [spelling for spelling in dict.fromkeys(made) if spelling != text]


def _by_sound(found: re.Match[str], grammar: Grammar) -> str:
    word = found[0].lower().replace("’", "'")
    return found[0] if word in grammar.data["lexicon"] else grammar.spelt.get(sound_key(word), found[0])


def mended(text: str, grammar: Grammar) -> str:
    """What is usual to leave out put back, quotes taken off: «з 65» -> «з. 65»; ``"65,c"`` -> ``65c``."""
    if wrapped := _WRAPPED.match(text):
        text = wrapped[1]
    return _SHORT.sub(lambda found: _stopped(found, grammar), _COMMA.sub("", text))


def _stopped(found: re.Match[str], grammar: Grammar) -> str:
    low, lexicon = found[1].lower(), grammar.data["lexicon"]
    noun = low not in lexicon and lexicon.get(f"{low}.", ("",))[0] == "noun"
    return f"{found[1]}. " if noun else found[0]


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
    if not found or not (found["edition"] or found["path"]):
        return None
    works = grammar.data["works"]
    work = found["work"]
    edition = found["edition"] or grammar.edition
    dotted = found["path"] or ""
    if work not in works:
        # The letter of a permalink: /l/1987/65B1/; the bare one, /l/65B1/, is that of the corpus's edition.
        named = [name for name, table in works.items() if table["letter"] == work]
        return _permalink(named[0], edition, dotted, grammar) if named else None
    if anchor := found["anchor"]:
        for name, table in works.items():
            if table["over"] == work and re.match(rf"{table['letter']}[0-9]", anchor):
                work, anchor = name, anchor[len(table["letter"]) :]
        dotted = anchor
    try:
        return Ref.parse(f"{work}/{edition}/{dotted}")
    except ValueError:
        return None


def _permalink(work: str, edition: str, short: str, grammar: Grammar) -> Ref | None:
    noun = grammar.bare_nouns.get(work, "")
    citations = Finder(f"{noun} {short}", grammar, strict=False).run() if noun else []
    if len(citations) != 1 or citations[0].end != len(noun) + 1 + len(short):
        return None
    return Ref(work, edition, citations[0].path)
