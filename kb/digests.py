"""What a store holds, in hashes: which part of it changed is seen without reading either.

Names are of a table and a root (``nodes laws/1987/65``: all below it, with what is found there), of one
record (``node laws/1987/65.B``), of what is listed below an entry (``children laws/1987/ch.VI``), of a source
(``edits NAME``), or of a whole table (``all links``). The runs of a source that nodes were read from count
apart (``spans laws/1987/65``): a word more above them moves them all, and few look at them. Those of whole
tables are made of those of their parts: where little has changed, the others are taken as they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

from kb.unswept import unswept

_SIZE = 12
Row = tuple[Any, ...]
_TABLES = ("entries", "nodes", "readings", "links", "relations", "findings", "sources", "edits", "strips")
"""In the order in which they are counted: what is told of a row may rest on one before."""
_BY_ROOT = ("nodes", "spans", "titles", "links", "relations")
_BY_SOURCE = ("sources", "edits", "strips")
_ALL = ("entries", "nodes", "spans", "links", "relations", "findings", *_BY_SOURCE, "accounts")


class Rows(Protocol):
    """A store, as far as it is read here."""

    def rows(self, table: str) -> Iterator[Row]: ...


class Digests:
    """Counts rows as they pass: tables one after the other, entries before nodes, nodes before readings."""

    def __init__(self) -> None:
        self._open: dict[str, Any] = {}
        self._single: dict[str, bytes] = {}
        self._node: dict[int, bytes] = {}
        self._roots: dict[str, None] = {}
        self._sources: dict[str, None] = {}
        self._counted: dict[str, Callable[[Row], None]] = {
            "entries": self._entry,
            "nodes": self._of_node,
            "readings": self._reading,
            "links": lambda row: self._add(_hash(row[1:]), f"links {root(row[1])}", f"cited {root(row[11])}"),
            "relations": lambda row: self._add(
                _hash(row[1:]), f"relations {root(row[1])}", f"about {root(row[2])}"
            ),
            "findings": self._finding,
            "sources": self._source,
            "edits": lambda row: self._add(_hash(row[1:]), f"edits {row[1]}"),
            "strips": lambda row: self._add(_hash(row[1:]), f"strips {row[1]}"),
            "accounts": lambda row: self._add(_hash(row[1:]), "all accounts"),
        }

    def count(self, table: str, found: Iterable[Row]) -> Iterator[Row]:
        """The same rows."""
        add = self._counted.get(table)
        for row in found:
            if add:
                add(row)
            yield row

    def parts(self) -> dict[str, bytes]:
        """What was counted, without what is made of it."""
        return {name: made.digest() for name, made in self._open.items()} | self._single

    def close(self) -> dict[str, bytes]:
        """Name -> hash of its rows, in order. A name that no row has is absent."""
        found = self.parts()
        return found | whole(found, self._roots, self._sources)

    def _add(self, digest: bytes, *names: str) -> None:
        for name in names:
            made = self._open.get(name)
            if made is None:
                made = self._open[name] = blake2b(digest_size=_SIZE)
            made.update(digest)

    def _entry(self, row: Row) -> None:
        ref, top = row[1], root(row[1])
        self._roots[top] = None
        digest = self._single[f"entry {ref}"] = _hash(row[1:])
        self._add(digest, "all entries", f"entries {top}")
        self._add(f"{ref}\n".encode(), f"children {row[4] or ''}")

    def _of_node(self, row: Row) -> None:
        ref, top = row[1], root(row[1])
        told = _sources(row[17])
        text, lines, spans = _hash((row[1:17], told)), _hash(row[17:18]), _hash(row[18:])
        self._node[row[0]] = text + lines + spans
        self._add(text + lines, f"rows {top}")
        self._add(spans, f"spans {top}")
        self._single[f"node {ref}"] = self._single.get(f"node {ref}", b"") + text
        # All but the text, its tail and its footnotes.
        self._add(_hash((row[1:7], row[10:17], told)), f"titles {top}")

    def _reading(self, row: Row) -> None:
        _, source, node = row
        self._add(self._node.get(node, b""), f"read {source}")

    def _finding(self, row: Row) -> None:
        # What is told of a place counts at its place: where words of its text are lost.
        here = (f"found {root(row[3])}",) if row[3] else ()
        self._add(_hash(row[1:]), "all findings", *here)

    def _source(self, row: Row) -> None:
        self._sources[row[1]] = None
        self._add(_hash(row[1:]), f"sources {row[1]}")


def whole(found: Mapping[str, bytes], roots: Iterable[str], sources: Iterable[str]) -> dict[str, bytes]:
    """What is made of the parts: ``nodes`` of each root, and all of a table; both in their order."""
    # What is told of a place that is in no entry is not lost.
    others = sorted(name[6:] for name in found if name.startswith("found "))
    tops = list(dict.fromkeys([*roots, *others]))
    made = {
        f"nodes {top}": _joined([found.get(f"rows {top}", b"-"), found.get(f"found {top}", b"-")])
        for top in tops
        if f"rows {top}" in found or f"found {top}" in found
    }
    names = list(sources)
    for table in _BY_ROOT:
        every = made if table == "nodes" else found
        parts = [f"{table} {top}" for top in tops]
        made |= _all(table, [name.encode() + every[name] for name in parts if name in every])
    for table in _BY_SOURCE:
        parts = [f"{table} {name}" for name in names]
        made |= _all(table, [name.encode() + found[name] for name in parts if name in found])
    return made


def _all(table: str, parts: list[bytes]) -> dict[str, bytes]:
    return {f"all {table}": _joined(parts)} if parts else {}


@unswept()
def digests(kb: Rows) -> dict[str, bytes]:
    """Name -> hash of its rows, in order. A name that no row has is absent."""
    made = Digests()
    for table in (*_TABLES, "accounts"):
        for _ in made.count(table, kb.rows(table)):
            pass
    return made.close()


def fingerprint(found: Mapping[str, bytes], meta: Iterable[Row], version: str) -> str:
    """One hash over all of it, 64 hex digits."""
    digest = hashlib.sha256(version.encode())
    for row in meta:
        digest.update(repr(row).encode())
    for table in _ALL:
        digest.update(found.get(f"all {table}", b"-"))
    return digest.hexdigest()


def root(ref: str) -> str:
    """The provision, or the kind of heading, that a ref stands in."""
    return ref.partition(".")[0]


def packed(found: Mapping[str, bytes]) -> Iterator[bytes]:
    """The hashes as a file: a line with all names, then the hashes, most of them of one size, the longer
    ones with how long they are."""
    names = sorted(found)
    hashes = [found[name] for name in names]
    others = {name: len(one) for name, one in zip(names, hashes, strict=True) if len(one) != _SIZE}
    yield json.dumps(others, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    yield "\t".join(names).encode() + b"\n"
    yield from hashes


def read(path: Path, head: str) -> dict[str, bytes] | None:
    """The hashes of a file that begins with this line; None when there is no such file, or not all of it."""
    try:
        first, others, names, text = path.read_bytes().split(b"\n", 3)
        if first != head.encode():
            return None
        return _unpacked(json.loads(others), names.decode().split("\t"), text)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError):
        # What cannot be read is counted again.
        return None


def _unpacked(others: Mapping[str, int], names: Sequence[str], text: bytes) -> dict[str, bytes] | None:
    found = {}
    at = 0
    for name in names:
        size = others.get(name, _SIZE) if others else _SIZE
        found[name] = text[at : at + size]
        at += size
    return found if at == len(text) else None


def _sources(witnesses: str) -> list[tuple[object, ...]]:
    """Which sources a node was read from, and not from which lines."""
    return [(source, chosen, same) for source, _, chosen, same, _ in json.loads(witnesses)]


def _joined(parts: Collection[bytes]) -> bytes:
    return blake2b(b"\n".join(parts), digest_size=_SIZE).digest()


def _hash(row: Row) -> bytes:
    return blake2b(repr(row).encode(), digest_size=_SIZE).digest()
