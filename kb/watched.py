"""A knowledge base that notes what is read of it: what else would be made of the same is known without
making it. ``kb.digests`` has a hash for each of the names noted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Protocol, TypeVar

from kb.model import (
    Account,
    Entry,
    Finding,
    KnowledgeBase,
    Node,
    PlacedLink,
    Ref,
    Relation,
    SourceEdit,
    SourceInfo,
    Span,
    Strip,
    Witness,
)

T = TypeVar("T")
Headed = tuple[Entry, dict[str, str]]
"""An entry with the titles of its nodes by language, empty where a node has none."""
_HELD = 4096
"""Nodes and entries kept decoded: those around."""


def root(ref: Ref) -> str:
    """The provision, or the kind of heading, that a ref stands in: ``kb.digests`` counts by these."""
    head = f"{ref.work}/{ref.edition}"
    return f"{head}/{ref.path[0]}" if ref.path else head


class _Asked(Protocol):
    """What is asked of a place: of a knowledge base, or of what it gathered around a root at once."""

    def entry(self, ref: Ref) -> Entry | None: ...
    def children(self, ref: Ref) -> list[Ref]: ...
    def node(self, ref: Ref, lang: str) -> Node | None: ...
    def links(self, ref: Ref) -> Iterator[PlacedLink]: ...
    def links_to(self, ref: Ref) -> Iterator[PlacedLink]: ...
    def relations(self, ref: Ref) -> Iterator[Relation]: ...
    def relations_to(self, ref: Ref) -> Iterator[Relation]: ...


class Watched:
    """A KnowledgeBase that notes what is read, and decodes what is read again and again only once."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self.meta = kb.meta
        self._seen: set[str] = set()
        self._own: frozenset[str] | None = None
        self._titles = False
        self._through = False
        self._nodes: dict[tuple[Ref, str], Node | None] = {}
        self._entries: dict[Ref, Entry | None] = {}
        self._children: dict[Ref, list[Ref]] = {}
        self._gather: Callable[[Ref], _Asked] | None = getattr(kb, "around", None)
        self._gathered: dict[tuple[str, str, str], _Asked] = {}
        self._scattered: set[tuple[str, str, str]] = set()
        self._titled: dict[tuple[Ref, str], Node | None] = {}
        self._holds: bool = getattr(kb, "holds", False)

    def watch(
        self, own: Iterable[Ref], make: Callable[[], T], titles: bool = False
    ) -> tuple[T, tuple[str, ...]]:
        """What ``make`` gives, and the sorted names of what it read; ``own`` are the roots that it is of.

        ``titles``: it tells of all places and of their texts nothing, and nodes come without them.
        """
        roots = list(own)
        self._seen, self._own, self._titles = set(), frozenset(map(root, roots)), titles
        if self._gather:
            # A heading's root is all headings of its kind: of those one page asks little.
            tops = [ref for ref in roots if len(ref.path) == 1]
            self._gathered = {(ref.work, ref.edition, ref.path[0]): self._gather(ref) for ref in tops}
        try:
            made = make()
            return made, tuple(sorted(self._seen))
        finally:
            self._own, self._titles, self._gathered = None, False, {}

    def through(self, make: Callable[[], T]) -> T:
        """What ``make`` gives, which goes through all there is, one root after the other."""
        self._through = True
        try:
            return make()
        finally:
            self._through, self._gathered = False, {}

    def _at(self, ref: Ref) -> _Asked:
        """Who is asked of a place: of the own roots, and of one after the other where all are gone through,
        what was gathered."""
        all_of_them = self._titles or self._through
        if not (self._gathered or all_of_them) or not ref.path:
            return self._kb
        key = ref.work, ref.edition, ref.path[0]
        found = self._gathered.get(key)
        if found is None and all_of_them and self._gather and key not in self._scattered:
            top = Ref(ref.work, ref.edition, ref.path[:1])
            if self._kb.entry(top) is None:  # headings of a kind, which stand among the laws
                self._scattered.add(key)
                return self._kb
            found = self._gather(top)
            self._gathered = {key: found}
        return found or self._kb

    def entries(self, work: str | None = None) -> Iterator[Entry]:
        self._all("entries")
        return self._remembered(self._kb.entries(work))

    def listed(self, work: str | None = None) -> Iterator[str]:
        """The refs of all entries as printed, in reading order."""
        self._all("entries")
        read: Callable[[str | None], Iterator[str]] | None = getattr(self._kb, "listed", None)
        return read(work) if read else (str(entry.ref) for entry in self._kb.entries(work))

    def _remembered(self, found: Iterable[Entry]) -> Iterator[Entry]:
        """Most are asked for again as soon as they are seen, where not all are held."""
        if getattr(self._kb, "holds", False):
            yield from found
            return
        for entry in found:
            if len(self._entries) >= _HELD:
                self._entries.clear()
            self._entries[entry.ref] = entry
            yield entry

    def entry(self, ref: Ref) -> Entry | None:
        if self._titles:
            self._all("entries")
        else:
            self._one("entries", "entry", ref)
        if self._holds:
            return self._kb.entry(ref)
        return _held(self._entries, ref, lambda: self._at(ref).entry(ref))

    def headed(self, work: str) -> Iterator[Headed] | None:
        """The entries of a work with the titles of their nodes, where all may be read, and quickly."""
        return self._quickly("headed", work)

    def headed_under(self, ref: Ref | None) -> Iterator[Headed] | None:
        """The same of those listed under one entry."""
        return self._quickly("headed_under", ref)

    def _quickly(self, name: str, of: str | Ref | None) -> Iterator[Headed] | None:
        read: Callable[[str | Ref | None], Iterator[Headed]] | None = getattr(self._kb, name, None)
        if read is None or not (self._titles or self._own is None):
            return None
        self._all("entries")
        self._all("titles")
        return read(of)

    def children(self, ref: Ref | None) -> list[Ref]:
        self._seen.add("all entries" if self._titles else f"children {ref or ''}")
        if ref is None:
            return self._kb.children(None)
        found = _held(self._children, ref, lambda: self._at(ref).children(ref))
        return list(found)

    def nodes(self, work: str | None = None, lang: str | None = None) -> Iterator[Node]:
        self._all("nodes")
        return (replace(node, spans=()) for node in self._kb.nodes(work, lang))

    def spans(self, ref: Ref, lang: str) -> tuple[Span, ...]:
        """Those of a node, which comes without."""
        self._seen.add(f"spans {root(ref)}")
        node = self._kb.node(ref, lang)
        return node.spans if node else ()

    def node(self, ref: Ref, lang: str) -> Node | None:
        """Without its spans; where it is not the part's own, without its lines in the sources, too."""
        if self._titles:
            self._all("titles")
            return _held(self._titled, (ref, lang), lambda: self._without_text(ref, lang))
        self._one("nodes", "node", ref)
        node = _held(self._nodes, (ref, lang), lambda: self._unspanned(ref, lang))
        if node is None or self._own is None or root(ref) in self._own:
            return node
        return replace(node, witnesses=_unplaced(node))

    def _unspanned(self, ref: Ref, lang: str) -> Node | None:
        node = self._at(ref).node(ref, lang)
        return replace(node, spans=()) if node and node.spans else node

    def _without_text(self, ref: Ref, lang: str) -> Node | None:
        asked = self._at(ref)
        quick: Callable[[Ref, str], Node | None] | None = getattr(asked, "titled", None)
        if quick:
            return quick(ref, lang)
        node = asked.node(ref, lang)
        if node is None:
            return None
        return replace(node, text="", tail="", footnotes=(), spans=(), witnesses=_unplaced(node))

    def read_from(self, source: str) -> Iterator[Node]:
        self._seen.add(f"read {source}")
        return self._kb.read_from(source)

    def links(self, at: Ref | None = None) -> Iterator[PlacedLink]:
        self._seen.add(f"links {root(at)}" if at else "all links")
        return self._at(at).links(at) if at else self._kb.links(at)

    def links_to(self, target: Ref) -> Iterator[PlacedLink]:
        self._seen.add(f"cited {root(target)}")
        return self._at(target).links_to(target)

    def relations(self, comment: Ref | None = None) -> Iterator[Relation]:
        self._seen.add(f"relations {root(comment)}" if comment else "all relations")
        return self._at(comment).relations(comment) if comment else self._kb.relations(comment)

    def relations_to(self, law: Ref) -> Iterator[Relation]:
        self._seen.add(f"about {root(law)}")
        return self._at(law).relations_to(law)

    def findings(self, kind: str | None = None) -> Iterator[Finding]:
        self._all("findings")
        return self._kb.findings(kind)

    def sources(self) -> Iterator[SourceInfo]:
        self._all("sources")
        return self._kb.sources()

    def edits(self, source: str) -> Iterator[SourceEdit]:
        self._seen.add(f"edits {source}")
        return self._kb.edits(source)

    def strips(self, source: str) -> Iterator[Strip]:
        self._seen.add(f"strips {source}")
        return self._kb.strips(source)

    def accounts(self) -> Iterator[Account]:
        self._all("accounts")
        return self._kb.accounts()

    def _all(self, table: str) -> None:
        self._seen.add(f"all {table}")

    def _one(self, table: str, single: str, ref: Ref) -> None:
        if self._own is None:
            return  # nobody asks what is read now
        name = root(ref)
        self._seen.add(f"{table} {name}" if name in self._own else f"{single} {ref}")


def _unplaced(node: Node) -> tuple[Witness, ...]:
    return tuple(replace(w, lines=(0, 0), text="") for w in node.witnesses)


Key = TypeVar("Key")


def _held(held: dict[Key, T], key: Key, read: Callable[[], T]) -> T:
    if key not in held:
        if len(held) >= _HELD:
            held.clear()
        held[key] = read()
    return held[key]
