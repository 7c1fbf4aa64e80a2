"""What a store holds, in hashes: which part of it changed is seen without reading either.

Names are of a table and a root (``nodes laws/1987/65``: all below it), of one record (``node
laws/1987/65.B``), of what is listed below an entry (``children laws/1987/ch.VI``), of a source (``edits
NAME``), or of a whole table (``all links``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

from kb.store import Store
from kb.unswept import unswept

_SIZE = 12
Row = tuple[Any, ...]


class _Hashes:
    def __init__(self) -> None:
        self._open: dict[str, Any] = {}

    def add(self, row: bytes, *names: str) -> None:
        for name in names:
            found = self._open.get(name)
            if found is None:
                found = self._open[name] = blake2b(digest_size=_SIZE)
            found.update(row)

    def close(self) -> dict[str, bytes]:
        return {name: found.digest() for name, found in self._open.items()}


@unswept()
def digests(kb: Store) -> Mapping[str, bytes]:
    """Name -> hash of its rows, in order. A name that no row has is absent."""
    made = _Hashes()
    for names, row in _named(kb):
        made.add(row, *names)
    return made.close()


def _named(kb: Store) -> Iterator[tuple[tuple[str, ...], bytes]]:
    for row in kb.rows("entries"):
        ref, parent = row[1], row[4] or ""
        yield ("all entries", f"entries {_root(ref)}", f"entry {ref}"), _bytes(row[1:])
        yield (f"children {parent}",), f"{ref}\n".encode()
    read = _readers(kb)
    for row in kb.rows("nodes"):
        ref = row[1]
        sources = (f"read {source}" for source in read.get(row[0], ()))
        yield ("all nodes", f"nodes {_root(ref)}", *sources), _bytes(row[1:])
        told = _sources(row[17])
        yield (f"node {ref}",), _bytes((row[1:17], told))
        # All but the text, its tail and its footnotes.
        yield ("all titles",), _bytes((row[1:7], row[10:17], told))
    for row in kb.rows("links"):
        yield ("all links", f"links {_root(row[1])}", f"cited {_root(row[11])}"), _bytes(row[1:])
    for row in kb.rows("relations"):
        yield ("all relations", f"relations {_root(row[1])}", f"about {_root(row[2])}"), _bytes(row[1:])
    for table in ("sources", "edits", "strips"):
        for row in kb.rows(table):
            yield (f"all {table}", f"{table} {row[1]}"), _bytes(row[1:])
    for row in kb.rows("findings"):
        # What is told of a place at its place: where words of its text are lost.
        here = (f"nodes {_root(row[3])}",) if row[3] else ()
        yield ("all findings", *here), _bytes(row[1:])
    for row in kb.rows("accounts"):
        yield ("all accounts",), _bytes(row[1:])


def _readers(kb: Store) -> dict[int, list[str]]:
    """The number of a node -> the sources it is read from."""
    found: dict[int, list[str]] = {}
    for _, source, node in kb.rows("readings"):
        found.setdefault(node, []).append(source)
    return found


def _sources(witnesses: str) -> list[tuple[object, ...]]:
    """Which sources a node was read from, and not from which lines."""
    return [(source, chosen, same) for source, _, chosen, same, _ in json.loads(witnesses)]


def _root(ref: str) -> str:
    return ref.partition(".")[0]


def _bytes(row: Row) -> bytes:
    return repr(row).encode() + b"\n"
