"""A store written from the one before: rows that stay are copied as they are, others take their places.

The result has the very bytes of a store written row by row.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from kb import rows, store
from kb.digests import Digests, root, whole
from kb.model import Finding, Records
from kb.schema import TABLES
from kb.store import Store

Row = tuple[Any, ...]
_BY_SOURCE = ("edits", "strips", "accounts")


class Cut(NamedTuple):
    """Rows from ``start`` to before ``end``, by their numbers, make way for others; these are unnumbered."""

    start: int
    end: int
    rows: Sequence[Row]


class Before(NamedTuple):
    """Of the store before: the rows of the nodes that are others, source and node of all readings, the names
    of all sources and the roots of all entries, in order, all hashes."""

    old: Sequence[Row]
    readings: Sequence[tuple[str, int]]
    names: Sequence[str]
    tops: Sequence[str]
    digests: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Splice:
    """What of each table of a store makes way for what; a table that is not named stays as it is."""

    before: Path
    cuts: Mapping[str, Sequence[Cut]]
    anew: Mapping[str, Sequence[Row]]
    """Tables of which all rows are others."""
    roots: frozenset[str]
    """The roots of the nodes that are others."""
    cited: frozenset[str]
    """The roots that other links lead to."""
    sources: frozenset[str]
    tops: Sequence[str]
    """The roots of all entries, in order."""
    digests: Mapping[str, bytes]
    """Those of the store before."""

    @classmethod
    def of(
        cls,
        kb: Store,
        records: Records,
        before: Before,
        findings: Sequence[Finding],
        related: bool,
    ) -> Splice:
        """``records``: the nodes that take the places of the old ones, one for one, and all that is of their
        sources; and, where they are ``related`` anew, all relations. ``findings``: all there are."""
        old, readings, names = before.old, before.readings, before.names
        tables = {name: list(found) for name, found in rows.tables(records)}
        numbers = [row[0] for row in old]
        own = {(row[1], row[2]): row[0] for row in old}
        runs = _runs(numbers)
        nodes = dict(zip(numbers, (row[1:] for row in tables["nodes"]), strict=True))
        read: dict[int, list[Row]] = {}
        for _, source, place in tables["readings"]:
            read.setdefault(numbers[place], []).append((source, numbers[place]))
        linked: dict[int, list[Row]] = {}
        for row in tables["links"]:
            linked.setdefault(own[row[1], row[2]], []).append(row[1:])
        linking = list(kb.linking())
        was = [row for first, last in runs for row in _between(kb, linking, first, last)]
        changed = {row[1] for row in tables["sources"]}
        cuts = {
            "nodes": [Cut(first, last, [nodes[n] for n in range(first, last)]) for first, last in runs],
            "readings": _cut(runs, [node for _, node in readings], read),
            "links": _cut(runs, linking, linked),
            "sources": [
                Cut(names.index(row[1]), names.index(row[1]) + 1, [row[1:]]) for row in tables["sources"]
            ],
        }
        for table in _BY_SOURCE:
            cuts[table] = _of_sources(kb.sized(table), tables[table], names, changed)
        anew = {"findings": list(dict(rows.tables(Records({}, findings=tuple(findings))))["findings"])}
        if related:
            anew["relations"] = tables["relations"]
        return cls(
            kb.path,
            cuts,
            anew,
            frozenset(root(row[1]) for row in old),
            frozenset(root(row[11]) for row in (*tables["links"], *was)),
            frozenset(changed),
            before.tops,
            before.digests,
        )

    def save(self, path: Path) -> dict[str, bytes]:
        """Write the store; gives its hashes. Raises InputError as ``store.save`` does."""
        return store.written(path, self._write)

    def _write(self, path: Path) -> dict[str, bytes]:
        with store.drafted(path, self.before) as connection:
            connection.execute(
                "insert into meta select * from before.meta "
                "where key not in ('build_id', 'schema') order by key"
            )
            for table in TABLES:
                if table in self.anew:
                    store.insert(connection, table, self.anew[table])
                else:
                    _spliced(connection, table, self.cuts.get(table, ()))
            return store.finish(connection, lambda: self._digests(connection, path), identified=True)

    def _digests(self, connection: sqlite3.Connection, path: Path) -> dict[str, bytes]:
        """Those of the store before, but for what is of the changed provisions and sources."""
        kb = Store(connection, path, {})
        made, told = Digests(), Digests()
        for top in sorted(self.roots):
            _count(made, "nodes", _at(kb, "nodes", "ref", 1, top))
            _count(made, "links", _at(kb, "links", "at", 1, top))
        for top in sorted(self.cited):
            _count(told, "links", _at(kb, "links", "target", 11, top))
        for table in ("readings", "sources", "edits", "strips"):
            for source in sorted(self.sources):
                _count(made, table, kb.of_source(table, source))
        for table in sorted({*self.anew, "accounts"}):
            _count(made, table, kb.rows(table))
        new = {name: value for name, value in made.parts().items() if not name.startswith("cited ")}
        new |= {name: value for name, value in told.parts().items() if name.startswith("cited ")}
        gone = {f"{table} {top}" for table in ("rows", "spans", "titles", "links") for top in self.roots}
        gone |= {f"cited {top}" for top in self.cited}
        gone |= {f"{t} {name}" for t in ("read", "sources", "edits", "strips") for name in self.sources}
        made_of: tuple[str, ...] = ("found ", "nodes ", "all ")
        if "relations" in self.anew:
            made_of += ("relations ", "about ")
        found = dict(self.digests)
        gone |= {name for name in found if name.startswith(made_of)} - {"all entries"}
        for name in gone:
            found.pop(name, None)
        found |= new
        return found | whole(found, self.tops, [row[1] for row in kb.rows("sources")])


def _count(made: Digests, table: str, found: Iterable[Row]) -> None:
    for _ in made.count(table, found):
        pass


def _at(kb: Store, table: str, column: str, place: int, top: str) -> Iterable[Row]:
    return (row for row in kb.within(table, column, top) if root(row[place]) == top)


def _between(kb: Store, linking: Sequence[int], first: int, last: int) -> Iterable[Row]:
    """The links of nodes from one number to before another."""
    low, high = bisect_left(linking, first), bisect_left(linking, last)
    return kb.numbered("links", low, high) if high > low else ()


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Numbers in order -> stretches without a gap: first, and the one behind the last."""
    if not numbers:
        return []
    ends = [n for n, (one, other) in enumerate(pairwise(numbers), 1) if other != one + 1]
    bounds = [0, *ends, len(numbers)]
    return [(numbers[low], numbers[high - 1] + 1) for low, high in pairwise(bounds)]


def _cut(
    runs: Sequence[tuple[int, int]], nodes: Sequence[int], new: Mapping[int, Sequence[Row]]
) -> list[Cut]:
    """Cuts of a table of which ``nodes`` says the node of each row, in order."""
    return [
        Cut(
            bisect_left(nodes, first),
            bisect_left(nodes, last),
            [row for number in range(first, last) for row in new.get(number, ())],
        )
        for first, last in runs
    ]


def _of_sources(
    sized: Mapping[str, tuple[int, int]], found: Sequence[Row], names: Sequence[str], changed: set[str]
) -> list[Cut]:
    """Cuts of a table whose rows stand source by source, in the order of ``names``."""
    cuts = []
    at = 0
    for name in names:
        count = sized[name][1] if name in sized else 0
        if name in changed:
            cuts.append(Cut(at, at + count, [row[1:] for row in found if row[1] == name]))
        at += count
    return cuts


def _spliced(connection: sqlite3.Connection, table: str, cuts: Sequence[Cut]) -> None:
    """Copy a table but for its cuts; what stands behind is numbered on.

    Row by row: a table copied as a whole gets its indexes sorted, and so other bytes.
    """
    columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
    copied = f"insert into {table} select {columns[0]} + ?, {', '.join(columns[1:])} from before.{table}"
    at = number = 0
    for cut in cuts:
        connection.execute(f"{copied} where seq >= ? and seq < ? order by seq", (number - at, at, cut.start))
        number += cut.start - at
        store.insert(connection, table, ((n, *row) for n, row in enumerate(cut.rows, number)))
        number += len(cut.rows)
        at = cut.end
    connection.execute(f"{copied} where seq >= ? order by seq", (number - at, at))
