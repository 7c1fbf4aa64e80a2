"""KnowledgeBase <-> one SQLite file, the waist of the project: written whole, then read lazily.

Equal records give byte-identical files: fixed page size, rows in the order given, no time stamps. The
file is written beside its final name and moved there when complete, so a reader sees the old file or the
new one, never half of one.
"""

from __future__ import annotations

import filecmp
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from kb import digests, rows
from kb.around import Around
from kb.errors import BuildError, InputError
from kb.model import (
    Account,
    Entry,
    Finding,
    Node,
    PlacedLink,
    Records,
    Ref,
    Relation,
    SourceEdit,
    SourceInfo,
    Strip,
    Witness,
)
from kb.schema import INDEXES, SCHEMA, SCHEMA_VERSION

FILE_NAME = "kb.sqlite"
ID_DIGITS = 12
_PAGE = 4096
_FEW = 1000
"""Entries asked for one by one before all are read."""
_MAGIC = b"SQLite format 3\0"


def save(records: Records, path: Path, identified: bool = False) -> dict[str, bytes]:
    """Write all records to ``path``; equal records give equal bytes. Gives their hashes (``kb.digests``).

    ``identified``: with a ``build_id`` among the meta data, the beginning of their fingerprint.

    A file that already holds these very bytes is left alone. Raises InputError when two records share a
    key or the folder cannot be written; ``path`` is then untouched.
    """
    return written(path, lambda draft: _write(records, draft, identified))


def written(path: Path, write: Callable[[Path], dict[str, bytes]]) -> dict[str, bytes]:
    """Let ``write`` make a store beside ``path``, then put it there. See ``save``."""
    temporary = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(missing_ok=True)
        found = write(temporary)
        if path.is_file() and filecmp.cmp(temporary, path, shallow=False):
            temporary.unlink()
        else:
            _sync(temporary)
            os.replace(temporary, path)
        return found
    except sqlite3.IntegrityError as error:
        raise InputError(f"{path}: two records share a key ({error}); nothing was written") from None
    except (OSError, sqlite3.OperationalError) as error:
        raise InputError(f"{path}: cannot be written: {error}; free some space or choose --build") from None
    finally:
        _forget(temporary)


def fingerprint(records: Records) -> str:
    """A hash of all records, 64 hex digits: the same for the same content."""
    made = digests.Digests()
    meta: list[tuple[Any, ...]] = []
    for table, found in rows.tables(records):
        if table == "meta":
            meta += found
        for _ in made.count(table, found):
            pass
    return digests.fingerprint(made.close(), meta, SCHEMA_VERSION)


def open_store(path: Path) -> Store:
    """Open a file of ``save`` to read.

    Raises BuildError, saying what to do, when it is absent, half-written or of another version.
    """
    _check_whole(path)
    uri = path.absolute().as_uri() + "?mode=ro&immutable=1"
    try:
        # SQLite is compiled serialised: one connection may be shared by all threads of a server.
        connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        meta = dict(connection.execute("select key, value from meta order by key"))
    except sqlite3.Error as error:
        raise BuildError(f"{path}: not a knowledge base ({error}); run `kb build` again") from None
    found = meta.pop("schema", "none")
    if found != SCHEMA_VERSION:
        connection.close()
        raise BuildError(
            f"{path}: made by another version (schema {found}, need {SCHEMA_VERSION}); run `kb build` again"
        )
    return Store(connection, path, meta)


class Store:
    """A KnowledgeBase in a SQLite file, read only; every iterator streams. Usable from several threads."""

    def __init__(self, connection: sqlite3.Connection, path: Path, meta: Mapping[str, str]) -> None:
        self._connection = connection
        self._entries: dict[str, Entry | tuple[Any, ...]] | None = None
        self._asked = -1
        self.path = path
        self.meta: Mapping[str, str] = meta

    def hold(self) -> None:
        """Keep all entries once many are asked for, about a kilobyte each, as rows until each is: for who
        goes through them again and again."""
        self._asked = max(self._asked, 0)

    @property
    def holds(self) -> bool:
        """Whether all entries are kept, or will be."""
        return self._asked >= 0

    def _all_held(self) -> dict[str, Entry | tuple[Any, ...]]:
        if self._entries is None:
            self._entries = {row[1]: row for row in self._where("entries")}
        return self._entries

    def _held(self, ref: str, kept: dict[str, Entry | tuple[Any, ...]]) -> Entry | None:
        found = kept.get(ref)
        if isinstance(found, tuple):
            found = kept[ref] = rows.entry(found)
        return found

    def close(self) -> None:
        """Let the file go. Iterators still running stop with BuildError."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def entries(self, work: str | None = None) -> Iterator[Entry]:
        """All entries in reading order, or those of one work."""
        if self.holds:
            return self._through(work)
        return map(rows.entry, self._where("entries", work=work))

    def _through(self, work: str | None) -> Iterator[Entry]:
        kept = self._all_held()
        for ref in kept:
            one = self._held(ref, kept)
            if one is not None and work in (None, one.ref.work):
                yield one

    def listed(self, work: str | None = None) -> Iterator[str]:
        """The refs of the entries as printed."""
        if self._entries is not None and work is None:
            return iter(self._entries)
        clause, values = ("where work = ? ", (work,)) if work else ("", ())
        return (row[0] for row in self._rows(f"select ref from entries {clause}order by seq", values))

    def entry(self, ref: Ref) -> Entry | None:
        """The entry of a ref, or None when the corpus does not know it."""
        if self._entries is None and 0 <= self._asked < _FEW:
            self._asked += 1
        elif self.holds:
            return self._held(str(ref), self._all_held())
        return next(map(rows.entry, self._where("entries", ref=str(ref))), None)

    def states(self) -> Iterator[tuple[str, str, str | None, str]]:
        """Of each entry its ref as printed, its work, what it is listed under, its status; in order."""
        return self._rows("select ref, work, parent, status from entries order by seq", ())

    def children(self, ref: Ref | None) -> list[Ref]:
        """Refs listed under an entry, in order; of None the top ones."""
        sql = "select ref from entries where parent is ? order by seq"
        return [rows.read_ref(row[0]) for row in self._rows(sql, (str(ref) if ref else None,))]

    def nodes(self, work: str | None = None, lang: str | None = None) -> Iterator[Node]:
        """All nodes in reading order, or those of one work and language."""
        return map(rows.node, self._where("nodes", work=work, lang=lang))

    def node(self, ref: Ref, lang: str) -> Node | None:
        """The text of a ref in one language, or None."""
        return next(map(rows.node, self._where("nodes", ref=str(ref), lang=lang)), None)

    def witnessed(self) -> Iterator[tuple[str, str, tuple[Witness, ...]]]:
        """Ref and language of each node, in order, with its readings where not all are the same."""
        told = "case when instr(witnesses, 'false') then witnesses end"
        for ref, code, read in self._rows(f"select ref, lang, {told} from nodes order by seq", ()):
            yield ref, code, rows.witnesses(read) if read else ()

    def read_from(self, source: str) -> Iterator[Node]:
        """The nodes that a source has a reading of, in reading order."""
        sql = "select nodes.* from readings join nodes on nodes.seq = node where source = ? order by node"
        return map(rows.node, self._rows(sql, (source,)))

    def links(self, at: Ref | None = None) -> Iterator[PlacedLink]:
        """Links that stand in a node (all of them without one), in reading order."""
        return map(rows.link, self._where("links", at=str(at) if at else None))

    def links_to(self, target: Ref) -> Iterator[PlacedLink]:
        """Links whose target is this very ref."""
        return map(rows.link, self._where("links", target=str(target)))

    def relations(self, comment: Ref | None = None) -> Iterator[Relation]:
        """What a comment is about (all relations without one), the main relation of each first."""
        return map(rows.relation, self._where("relations", comment=str(comment) if comment else None))

    def relations_to(self, law: Ref) -> Iterator[Relation]:
        """Relations of comments to this very ref."""
        return map(rows.relation, self._where("relations", law=str(law)))

    def findings(self, kind: str | None = None) -> Iterator[Finding]:
        """What a person should know, of one kind or of all."""
        return map(rows.finding, self._where("findings", kind=kind))

    def sources(self) -> Iterator[SourceInfo]:
        """The scans, in the order of the corpus."""
        return (SourceInfo(*row[1:]) for row in self._where("sources"))

    def edits(self, source: str) -> Iterator[SourceEdit]:
        """Every repair of a source, in order."""
        return (SourceEdit(*row[1:]) for row in self._where("edits", source=source))

    def strips(self, source: str) -> Iterator[Strip]:
        """The strips of the pages a source was read from, by line."""
        return map(rows.strip, self._where("strips", source=source))

    def accounts(self) -> Iterator[Account]:
        """How many characters of each source went which way."""
        return (Account(*row[1:]) for row in self._where("accounts"))

    def headed(self, work: str) -> Iterator[tuple[Entry, dict[str, str]]]:
        """The entries of a work, each with language -> title of its nodes, also empty ones; in order."""
        return self._headed("entries.work = ?", work)

    def headed_under(self, ref: Ref | None) -> Iterator[tuple[Entry, dict[str, str]]]:
        """The same of the entries listed under one; of None the top ones."""
        return self._headed("entries.parent is ?", str(ref) if ref else None)

    def _headed(self, clause: str, value: str | None) -> Iterator[tuple[Entry, dict[str, str]]]:
        sql = (
            "select entries.*, nodes.lang, nodes.title from entries "
            f"left join nodes on nodes.ref = entries.ref where {clause} order by entries.seq, nodes.seq"
        )
        for _, found in groupby(self._rows(sql, (value,)), key=itemgetter(0)):
            first, *others = found
            yield (
                rows.entry(first[:-2]),
                {row[-2]: row[-1] for row in (first, *others) if row[-2] is not None},
            )

    def around(self, ref: Ref) -> Around:
        """All that is of a ref and of those below it, looked for at once."""
        return Around(lambda table, column, within: self.within(table, column, str(within)), ref)

    def within(self, table: str, column: str, ref: str) -> Iterator[tuple[Any, ...]]:
        """The rows whose ``column`` names a ref or one below it, in order; a few of its neighbours too."""
        sql = f"select * from {table} where {column} >= ? and {column} < ? order by seq"
        return self._rows(sql, (ref, f"{ref}/"))

    def of_source(self, table: str, source: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a table that are of a source."""
        return self._where(table, **{"name" if table == "sources" else "source": source})

    def numbered(self, table: str, start: int, end: int) -> Iterator[tuple[Any, ...]]:
        """The rows from one number to before another."""
        sql = f"select * from {table} where seq >= {start:d} and seq < {end:d} order by seq"
        return self._rows(sql, ())

    def sized(self, table: str) -> dict[str, tuple[int, int]]:
        """Source -> the number of its first row in a table, and how many rows it has."""
        sql = f"select source, min(seq), count(*) from {table} group by source"
        return {source: (first, count) for source, first, count in self._rows(sql, ())}

    def linking(self) -> Iterator[int]:
        """The number of the node that each link stands in, in order."""
        sql = "select nodes.seq from links join nodes on nodes.ref = at and nodes.lang = links.lang"
        return (row[0] for row in self._rows(f"{sql} order by links.seq", ()))

    def node_languages(self) -> set[str]:
        """Those of all nodes."""
        return {row[0] for row in self._rows("select distinct lang from nodes", ())}

    def rows(self, table: str) -> Iterator[tuple[Any, ...]]:
        """A table as it is kept, in order: a running number, then the columns."""
        return self._where(table)

    def _where(self, table: str, **equal: str | None) -> Iterator[tuple[Any, ...]]:
        keys = {key: value for key, value in equal.items() if value is not None}
        clause = " and ".join(f"{key} = ?" for key in keys)
        sql = f"select * from {table}" + (f" where {clause}" if keys else "") + " order by seq"
        return self._rows(sql, tuple(keys.values()))

    def _rows(self, sql: str, values: tuple[str | None, ...]) -> Iterator[Any]:
        try:
            yield from self._connection.execute(sql, values)
        except sqlite3.Error as error:
            raise BuildError(f"{self.path}: cannot be read ({error}); run `kb build` again") from None


def _write(records: Records, path: Path, identified: bool) -> dict[str, bytes]:
    made = digests.Digests()
    with drafted(path) as connection:
        for table, found in rows.tables(records):
            insert(connection, table, made.count(table, found))
        return finish(connection, made.close, identified)


@contextmanager
def drafted(path: Path, before: Path | None = None) -> Iterator[sqlite3.Connection]:
    """A new store with its tables, to be filled; kept when it is finished.

    ``before``: a store whose tables may be read as those of ``before``.
    """
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute(f"pragma page_size = {_PAGE}")
        connection.execute("pragma journal_mode = off")
        connection.execute("pragma synchronous = off")
        if before is not None:
            connection.execute("attach database ? as before", (str(before),))
        connection.execute("begin")
        for statement in SCHEMA:
            connection.execute(statement)
        yield connection
    finally:
        connection.close()


def insert(connection: sqlite3.Connection, table: str, found: Iterable[tuple[Any, ...]]) -> None:
    """Write rows behind those a table has."""
    width = len(connection.execute(f"pragma table_info({table})").fetchall())
    marks = ", ".join("?" * width)
    connection.executemany(f"insert into {table} values ({marks})", found)


def finish(
    connection: sqlite3.Connection, count: Callable[[], dict[str, bytes]], identified: bool
) -> dict[str, bytes]:
    """All rows are written: what finds them, their hashes, the build's name, and last the version."""
    for statement in INDEXES:
        connection.execute(statement)
    counted = count()
    meta = connection.execute("select key, value from meta order by key").fetchall()
    if identified and all(key != "build_id" for key, _ in meta):
        build_id = digests.fingerprint(counted, meta, SCHEMA_VERSION)[:ID_DIGITS]
        connection.execute("insert into meta values ('build_id', ?)", (build_id,))
    # Last of all: a file without its version was not finished.
    connection.execute("insert into meta values ('schema', ?)", (SCHEMA_VERSION,))
    connection.execute("commit")
    return counted


def _check_whole(path: Path) -> None:
    """The header of a SQLite file counts its pages: a shorter file was cut off."""
    try:
        with path.open("rb") as stream:
            header = stream.read(100)
            size = os.fstat(stream.fileno()).st_size
    except FileNotFoundError:
        raise BuildError(
            f"{path}: not there; run `kb build` first, or name its folder with --build"
        ) from None
    except OSError as error:
        raise BuildError(f"{path}: cannot be read: {error.strerror}; run `kb build` again") from None
    pages = int.from_bytes(header[28:32], "big")
    if not header.startswith(_MAGIC) or size < _PAGE or pages * _PAGE != size:
        raise BuildError(f"{path}: half-written or damaged; run `kb build` again")


def _sync(path: Path) -> None:
    """On the disk before it takes the old file's name, so that a power cut leaves one of the two."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def _forget(temporary: Path) -> None:
    """Nothing half-made stays; a folder that cannot be written holds nothing of ours."""
    if temporary.exists() and os.access(temporary.parent, os.W_OK):
        temporary.unlink()
