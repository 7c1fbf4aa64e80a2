"""Lists of the whole corpus, made of the rows of one law after another, which are kept from build to build.

A spool is the rows of one list as a file. A law's rows are copied from the spool of the build before while
what they were made from is the same; so a list costs what a copy costs, and what has changed.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from operator import add, le
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple

from kb.errors import InputError
from kb.model import Ref
from kb.publish.reuse import Register, hashed
from kb.watched import Watched

_PIECE = 1 << 20
REGISTER = "rows"


class Part(NamedTuple):
    """The rows of one law: its name, the refs that it is of, what it is made from besides, its maker.

    ``make`` gives the rows by list, each with its end.
    """

    name: str
    own: Sequence[Ref]
    said: str
    make: Callable[[], Mapping[str, str]]


class _Record(NamedTuple):
    hash: str
    read: tuple[str, ...]
    sizes: tuple[int, ...]
    starts: tuple[int, ...]

    @property
    def ends(self) -> tuple[int, ...]:
        return tuple(map(add, self.starts, self.sizes))


class _Filled(NamedTuple):
    """A part whose rows are in the lists: its ``said``, the hash of all it is made from, where they are."""

    said: str
    hash: str
    starts: tuple[int, ...]
    sizes: tuple[int, ...]


class _Copy:
    """Rows that go from the old lists to the new ones: of parts that stand side by side, at once."""

    def __init__(self, old: Sequence[BinaryIO], new: Sequence[BinaryIO]) -> None:
        self._old, self._new = old, new
        self._starts: tuple[int, ...] = ()
        self._ends: tuple[int, ...] = ()

    def add(self, record: _Record) -> None:
        """The rows of one part; they are there once the copy is done."""
        if record.starts != self._ends:
            self.done()
            self._starts = record.starts
        self._ends = record.ends

    def done(self) -> None:
        """All rows so far are in the new lists."""
        if not self._starts:
            return
        for source, target, start, end in zip(self._old, self._new, self._starts, self._ends, strict=True):
            source.seek(start)
            for at in range(start, end, _PIECE):
                target.write(source.read(min(_PIECE, end - at)))
        self._starts = self._ends = ()


class Spools:
    """The spools of one stage in a folder of their own; ``given``: as of ``reuse.Kept``.

    Without a folder they are made in one that goes with ``close``.
    """

    def __init__(self, folder: Path | None, given: str, digests: Mapping[str, bytes]) -> None:
        self._temporary = None if folder else tempfile.TemporaryDirectory(prefix="kb-lists-")
        self._folder = folder or Path(self._temporary.name if self._temporary else "")
        self._given = given
        self._digests = digests
        self._lists: tuple[str, ...] = ()
        self._filled: dict[str, _Filled] = {}

    def __enter__(self) -> Spools:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._temporary:
            self._temporary.cleanup()

    def fill(self, kb: Watched, lists: Sequence[str], parts: Iterable[Part]) -> None:
        """Make the lists from all parts, in this order. Raises InputError when one cannot be written."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._fill(kb, lists, parts)
        except OSError as error:
            raise InputError(
                f"{self._folder}: cannot be written: {error.strerror}; free some space or choose --build"
            ) from None

    def chunks(self, name: str, without: int = 0) -> Iterator[bytes]:
        """A list, but for so many bytes at its end."""
        path = self._folder / name
        with path.open("rb") as stream:
            left = max(0, os.fstat(stream.fileno()).st_size - without)
            while left and (piece := stream.read(min(left, _PIECE))):
                left -= len(piece)
                yield piece

    def lines(self, name: str) -> Iterator[str]:
        """A list by lines, without their ends."""
        with (self._folder / name).open(encoding="utf-8", newline="\n") as stream:
            for line in stream:
                yield line[:-1]

    def made_from(self, part: str) -> str:
        """The hash of all that the rows of a part are made from; empty where there is no such part."""
        return self._filled[part].hash if part in self._filled else ""

    def rows_of(self, part: str, said: str, name: str) -> list[str] | None:
        """The rows of a part in a list, without their ends; None unless ``said`` is what the part was made
        from besides."""
        found = self._filled.get(part)
        if found is None or found.said != said:
            return None
        at = self._lists.index(name)
        with (self._folder / name).open("rb") as stream:
            stream.seek(found.starts[at])
            return stream.read(found.sizes[at]).decode().split("\n")[:-1]

    def _fill(self, kb: Watched, lists: Sequence[str], parts: Iterable[Part]) -> None:
        register = Register(self._folder / REGISTER)
        before = _records(register, len(lists))
        after: list[tuple[str, str, Sequence[str], Sequence[int]]] = []
        said: list[str] = []
        drafts = [self._folder / f"{name}.part" for name in lists]
        with ExitStack() as stack:
            old = [stack.enter_context(_opened(self._folder / name)) for name in lists]
            new = [stack.enter_context(draft.open("wb")) for draft in drafts]
            whole = [os.fstat(stream.fileno()).st_size for stream in old]
            # A list may have been cut off.
            before = {name: one for name, one in before.items() if all(map(le, one.ends, whole))}
            copy = _Copy(old, new)
            for part in parts:
                said.append(part.said)
                record = before.get(part.name)
                if record is not None and record.hash == self._hash(record.read, part.said):
                    copy.add(record)
                    after.append((part.name, record.hash, record.read, record.sizes))
                    continue
                copy.done()
                made, seen = kb.watch(part.own, part.make)
                rows = [made.get(name, "").encode() for name in lists]
                for target, row in zip(new, rows, strict=True):
                    target.write(row)
                after.append((part.name, self._hash(seen, part.said), seen, [len(row) for row in rows]))
            copy.done()
        for name, draft in zip(lists, drafts, strict=True):
            os.replace(draft, self._folder / name)
        register.close(after)
        self._lists = tuple(lists)
        placed = _placed(after, len(lists))
        self._filled = {
            name: _Filled(told, one.hash, one.starts, one.sizes)
            for told, (name, one) in zip(said, placed, strict=True)
        }

    def _hash(self, seen: Iterable[str], said: str) -> str:
        return hashed(self._given, said, seen, self._digests)


def _records(register: Register, width: int) -> dict[str, _Record]:
    """What each part was made from, and where its rows are in each list."""
    rows = list(register.rows())
    if any(len(row) != 4 or len(row[3]) != width for row in rows):
        return {}
    return dict(_placed(rows, width))


def _placed(rows: Iterable[Sequence[Any]], width: int) -> Iterator[tuple[str, _Record]]:
    """The rows of a register, each with where its own begin."""
    at = (0,) * width
    for name, made, read, sizes in rows:
        record = _Record(made, tuple(read), tuple(sizes), at)
        yield name, record
        at = record.ends


def _opened(path: Path) -> BinaryIO:
    return path.open("rb") if path.is_file() else open(os.devnull, "rb")
