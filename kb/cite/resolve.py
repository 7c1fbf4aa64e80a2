"""What a citation means: where it leads in the knowledge base, how well, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from kb.cite.grammar import Grammar
from kb.model import Citation, Entry, KnowledgeBase, Link, Ref

TEXT = frozenset({"text", "partial", "repealed"})


class Known(Protocol):
    """What the resolver asks of a knowledge base."""

    def status(self, ref: Ref) -> str:
        """``text`` when there is text at or below the ref, ``not-supplied`` when it is known without one,
        the empty string when it is not known."""
        ...


@dataclass(frozen=True)
class KnownEntries:
    """``Known`` of a list of entries: for the pipeline, before there is a knowledge base."""

    found: dict[Ref, str]

    @classmethod
    def of(cls, entries: Iterable[Entry], texts: Iterable[Ref] = ()) -> KnownEntries:
        """From entries, and the refs of nodes with text where the entries do not say so yet."""
        found: dict[Ref, str] = {}
        supplied: list[Ref] = list(texts)
        for entry in entries:
            found.setdefault(entry.ref, "not-supplied")
            if entry.status in TEXT:
                supplied.append(entry.ref)
        for ref in supplied:
            above: Ref | None = ref
            while above and above.path:
                found[above] = "text"
                above = above.parent
        return cls(found)

    def status(self, ref: Ref) -> str:
        return self.found.get(ref, "")


class KnownBase:
    """``Known`` of a knowledge base: looks up what is asked for, and keeps the answers."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self._found: dict[Ref, str] = {}

    def status(self, ref: Ref) -> str:
        """See ``Known``. A place without a text of its own has the text of what is below it."""
        if ref not in self._found:
            self._found[ref] = self._status(ref)
        return self._found[ref]

    def _status(self, ref: Ref) -> str:
        entry = self._kb.entry(ref)
        if entry is None:
            return ""
        if entry.status in TEXT or any(self.status(child) == "text" for child in self._kb.children(ref)):
            return "text"
        return "not-supplied"


def resolve(citation: Citation, known: Known, context: Ref | None, grammar: Grammar) -> Link:
    """The link of one citation. ``target`` is always the ref as parsed.

    ``context``: where the text stands; a text that names no edition means the edition it stands in.
    """
    if not citation.work:
        target = Ref("foreign", citation.path[0], citation.path[1:])
        return Link(citation, target, "foreign", "a provision of another code")
    edition = citation.edition or (context.edition if context else grammar.edition)
    target = Ref(citation.work, edition, citation.path)
    if not target.path:
        if edition == grammar.edition:
            return Link(citation, target, "resolved", "the edition of this corpus as a whole")
        return Link(citation, target, "other-edition", f"names the edition of {edition}")
    status = known.status(target)
    if not status and (inserted := _inserted(target, known)):
        target, status = inserted, known.status(inserted)
    if edition != grammar.edition and not status:
        return Link(citation, target, "other-edition", f"names the edition of {edition}")
    if status in TEXT:
        return Link(citation, target, "resolved", "known and supplied")
    if status:
        return Link(citation, target, "not-supplied", "known, but in none of the sources")
    if members := _members(target, known):
        return Link(citation, target, "ambiguous", "may be any of these", alternatives=members)
    return _unknown(citation, target, known, grammar)


def resolve_all(
    citations: Iterable[Citation], known: Known, context: Ref | None, grammar: Grammar
) -> list[Link]:
    """The links of several citations, in order."""
    return [resolve(citation, known, context, grammar) for citation in citations]


def _inserted(target: Ref, known: Known) -> Ref | None:
    """``10.2(1)`` is item 1 of 10.2, or, where there is no such item, the 10.2(1) put in after 10.2."""
    path = target.path
    for at in range(len(path) - 1):
        if path[at].isdigit() and path[at + 1].isdigit():
            step = f"{path[at]}-{path[at + 1]}"
            ref = Ref(target.work, target.edition, (*path[:at], step, *path[at + 2 :]))
            if known.status(ref):
                return ref
    return None


def _members(target: Ref, known: Known) -> tuple[Ref, ...]:
    """The provisions a ``7~8`` stands for, when it is no heading of its own."""
    low, tilde, high = target.path[0].partition("~")
    if not tilde:
        return ()
    ends = [Ref(target.work, target.edition, (step, *target.path[1:])) for step in (low, high)]
    return tuple(ref for ref in ends if known.status(ref))


def _unknown(citation: Citation, target: Ref, known: Known, grammar: Grammar) -> Link:
    work = grammar.data["works"][target.work]
    above = target.parent
    while above and above.path and not known.status(above):
        above = above.parent
    fallback = above if above and above.path else None
    if work["role"] == "commentary" and _lost_paragraph(target, fallback, known, work["over"]):
        return Link(citation, target, "not-supplied", "a paragraph that is in none of the sources")
    if fallback:
        return Link(citation, target, "unknown", f"{fallback} has no such part in the outline", fallback)
    return Link(citation, target, "unknown", "not in the outline")


def _lost_paragraph(target: Ref, fallback: Ref | None, known: Known, over: str) -> bool:
    """A comment on a law that exists: the outline lists no comments, so it may well exist too."""
    if fallback and len(fallback.path) > 1:
        return False
    return len(target.path) > 1 and bool(known.status(Ref(over, target.edition, target.path[:1])))


def relocate(link: Link, shift: int, text: str, start: int | None = None) -> Link:
    """The same link, its citation moved by ``shift`` and cut from ``text``; ``start`` overrides its start."""
    first = link.citation.start + shift if start is None else start
    end = link.citation.end + shift
    return replace(link, citation=replace(link.citation, start=first, end=end, surface=text[first:end]))
