"""Parts of the output that need not be made again: what each was made from is kept beside it.

A part (a page, the lines of one law in a list) is made while its reads of the knowledge base are watched.
Kept are the names of what was read and one hash over all of it. The next build compares hashes, and makes
those parts whose reads would now be answered otherwise. What a part reads of its own roots (a law, the
commentary on it) counts whole; of others it sees no places in the sources, so that a line more at the head
of a scan changes only the pages that tell its lines.
"""

from __future__ import annotations

import filecmp
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from kb.errors import InputError
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
    Strip,
)
from kb.publish import files

T = TypeVar("T")
Content = str | bytes
_HELD = 4096
"""Nodes and entries kept decoded: those of the pages around."""
_FORMAT = "1"


def root(ref: Ref) -> str:
    """The provision, or the kind of heading, that a ref stands in: ``kb.digests`` counts by these."""
    return str(Ref(ref.work, ref.edition, ref.path[:1]))


class Watched:
    """A KnowledgeBase that notes what is read, and decodes what is read again and again only once."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self.meta = kb.meta
        self._seen: set[str] = set()
        self._own: frozenset[str] | None = None
        self._nodes: dict[tuple[Ref, str], Node | None] = {}
        self._entries: dict[Ref, Entry | None] = {}

    def watch(self, own: Iterable[Ref], make: Callable[[], T]) -> tuple[T, tuple[str, ...]]:
        """What ``make`` gives, and the sorted names of what it read; ``own`` are the roots that it is of."""
        self._seen, self._own = set(), frozenset(map(root, own))
        try:
            made = make()
            return made, tuple(sorted(self._seen))
        finally:
            self._own = None

    def entries(self, work: str | None = None) -> Iterator[Entry]:
        self._all("entries")
        return self._kb.entries(work)

    def entry(self, ref: Ref) -> Entry | None:
        self._one("entries", "entry", ref)
        return _held(self._entries, ref, lambda: self._kb.entry(ref))

    def children(self, ref: Ref | None) -> list[Ref]:
        self._seen.add(f"children {ref or ''}")
        return self._kb.children(ref)

    def nodes(self, work: str | None = None, lang: str | None = None) -> Iterator[Node]:
        self._all("nodes")
        return self._kb.nodes(work, lang)

    def node(self, ref: Ref, lang: str) -> Node | None:
        self._one("nodes", "node", ref)
        node = _held(self._nodes, (ref, lang), lambda: self._kb.node(ref, lang))
        if node is None or self._own is None or root(ref) in self._own:
            return node
        return replace(
            node, spans=(), witnesses=tuple(replace(w, lines=(0, 0), text="") for w in node.witnesses)
        )

    def read_from(self, source: str) -> Iterator[Node]:
        self._seen.add(f"read {source}")
        return self._kb.read_from(source)

    def links(self, at: Ref | None = None) -> Iterator[PlacedLink]:
        self._seen.add(f"links {root(at)}" if at else "all links")
        return self._kb.links(at)

    def links_to(self, target: Ref) -> Iterator[PlacedLink]:
        self._seen.add(f"cited {root(target)}")
        return self._kb.links_to(target)

    def relations(self, comment: Ref | None = None) -> Iterator[Relation]:
        self._seen.add(f"relations {root(comment)}" if comment else "all relations")
        return self._kb.relations(comment)

    def relations_to(self, law: Ref) -> Iterator[Relation]:
        self._seen.add(f"about {root(law)}")
        return self._kb.relations_to(law)

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
        name = root(ref)
        self._seen.add(f"{table} {name}" if self._own and name in self._own else f"{single} {ref}")


Key = TypeVar("Key")


def _held(held: dict[Key, T], key: Key, read: Callable[[], T]) -> T:
    if key not in held:
        if len(held) >= _HELD:
            held.clear()
        held[key] = read()
    return held[key]


class Register:
    """A file of rows, read at the start and written at the end.

    In between it has another name: after a build that was stopped nothing is known, for of what it made some
    is new and some old. A file of the same rows keeps its time.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._aside = path.with_name(f"{path.name}.aside")
        try:
            self._aside.unlink(missing_ok=True)
            with suppress(FileNotFoundError):
                os.replace(path, self._aside)
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}; choose another --build") from None

    def rows(self) -> Iterator[list[Any]]:
        """The rows there were. Of a file that cannot be read as such: none."""
        try:
            with self._aside.open(encoding="utf-8") as stream:
                if next(stream, "").strip() == _FORMAT:
                    yield from map(json.loads, stream)
        except (FileNotFoundError, ValueError):
            return
        except OSError as error:
            raise InputError(
                f"{self._path}: cannot be read: {error.strerror}; choose another --build"
            ) from None

    def close(self, rows: Iterable[Sequence[object]]) -> None:
        """All is made: these are the rows."""
        lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":"), sort_keys=True) for row in rows)
        files.write_stream(self._path, chain([f"{_FORMAT}\n"], (line + "\n" for line in lines)))
        if self._aside.is_file():
            if filecmp.cmp(self._aside, self._path, shallow=False):
                os.replace(self._aside, self._path)
            else:
                self._aside.unlink()

    def undo(self) -> None:
        """Nothing was made after all."""
        with suppress(FileNotFoundError):
            os.replace(self._aside, self._path)


class Record(NamedTuple):
    """Of one part: the hash of what it was made from, the names of what it read, its files."""

    hash: str
    read: tuple[str, ...]
    paths: tuple[str, ...]


class Kept:
    """What the parts of one output were made from: read at the start, written when all are whole.

    ``given``: a hash of all that parts are made from besides the knowledge base.
    """

    def __init__(self, path: Path | None, given: str, digests: Mapping[str, bytes]) -> None:
        self._given = given
        self._digests = digests
        self._register = Register(path) if path else None
        rows = self._register.rows() if self._register else ()
        self._before = {row[0]: Record(row[1], tuple(row[2]), tuple(row[3])) for row in rows}
        self._after: dict[str, Record] = {}

    def files(
        self,
        name: str,
        kb: Watched,
        own: Iterable[Ref],
        make: Callable[[], list[tuple[str, Content]]],
        said: str = "",
    ) -> Iterator[tuple[str, Content | None]]:
        """The files of a part, ``(path, content)``; the content is None where the file stands as it is.

        ``said``: what it is made from besides; the same ``name`` always stands for the same part.
        """
        before = self._before.get(name)
        if before is not None and before.hash == self._hash(before.read, said):
            self._after[name] = before
            yield from ((path, None) for path in before.paths)
            return
        made, seen = kb.watch(own, make)
        self._after[name] = Record(self._hash(seen, said), seen, tuple(path for path, _ in made))
        yield from made

    def save(self) -> None:
        """All parts are made and written."""
        if self._register:
            self._register.close([name, *record] for name, record in sorted(self._after.items()))

    def _hash(self, seen: Iterable[str], said: str) -> str:
        made = blake2b(f"{self._given}\0{said}".encode(), digest_size=16)
        for name in seen:
            made.update(name.encode() + b"\0" + self._digests.get(name, b"-"))
        return made.hexdigest()


def nothing(given: str) -> Kept:
    """Every part is made, and nothing is kept."""
    return Kept(None, given, {})
