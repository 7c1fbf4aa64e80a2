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
from typing import BinaryIO, NamedTuple

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

    def _fill(self, kb: Watched, lists: Sequence[str], parts: Iterable[Part]) -> None:
        register = Register(self._folder / REGISTER)
        before = _records(register, len(lists))
        after: list[list[object]] = []
        drafts = [self._folder / f"{name}.part" for name in lists]
        with ExitStack() as stack:
            old = [stack.enter_context(_opened(self._folder / name)) for name in lists]
            new = [stack.enter_context(draft.open("wb")) for draft in drafts]
            whole = [os.fstat(stream.fileno()).st_size for stream in old]
            # A list may have been cut off.
            before = {name: one for name, one in before.items() if all(map(le, one.ends, whole))}
            copy = _Copy(old, new)
            for part in parts:
                record = before.get(part.name)
                if record is not None and record.hash == self._hash(record.read, part.said):
                    copy.add(record)
                    after.append([part.name, record.hash, record.read, record.sizes])
                    continue
                copy.done()
                made, seen = kb.watch(part.own, part.make)
                rows = [made.get(name, "").encode() for name in lists]
                for target, row in zip(new, rows, strict=True):
                    target.write(row)
                after.append([part.name, self._hash(seen, part.said), seen, [len(row) for row in rows]])
            copy.done()
        for name, draft in zip(lists, drafts, strict=True):
            os.replace(draft, self._folder / name)
        register.close(after)

    def _hash(self, seen: Iterable[str], said: str) -> str:
        return hashed(self._given, said, seen, self._digests)


def _records(register: Register, width: int) -> dict[str, _Record]:
    """What each part was made from, and where its rows are in each list."""
    found: dict[str, _Record] = {}
    at = [0] * width
    for row in register.rows():
        if len(row) != 4 or len(row[3]) != width:
            return {}
        found[row[0]] = _Record(row[1], tuple(row[2]), tuple(row[3]), tuple(at))
        at = [start + size for start, size in zip(at, row[3], strict=True)]
    return found


def _opened(path: Path) -> BinaryIO:
    return path.open("rb") if path.is_file() else open(os.devnull, "rb")
