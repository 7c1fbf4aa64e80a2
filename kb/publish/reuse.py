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
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from kb.errors import InputError
from kb.model import Ref
from kb.publish import files
from kb.watched import Watched

Content = str | bytes
_FORMAT = "1"


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
        self.standing: list[str] = []
        """The files of the parts that need not be made."""

    def files(
        self,
        name: str,
        kb: Watched,
        own: Iterable[Ref],
        make: Callable[[], list[tuple[str, Content]]],
        said: str = "",
        titles: bool = False,
    ) -> list[tuple[str, Content]]:
        """The files of a part that has to be made, ``(path, content)``; those of others are ``standing``.

        ``said``: what it is made from besides; the same ``name`` always stands for the same part.
        ``titles``: it tells of all places and nothing of their texts.
        """
        before = self._before.get(name)
        if before is not None and before.hash == self._hash(before.read, said):
            self._after[name] = before
            self.standing += before.paths
            return []
        made, seen = kb.watch(own, make, titles)
        self._after[name] = Record(self._hash(seen, said), seen, tuple(path for path, _ in made))
        return made

    def save(self) -> None:
        """All parts are made and written."""
        if self._register:
            self._register.close([name, *record] for name, record in sorted(self._after.items()))

    def _hash(self, seen: Iterable[str], said: str) -> str:
        return hashed(self._given, said, seen, self._digests)


def hashed(given: str, said: str, seen: Iterable[str], digests: Mapping[str, bytes]) -> str:
    """One hash over all that a part is made from: what is given, what is said, what it reads."""
    names = tuple(seen)
    made = blake2b("\0".join([given, said, *names]).encode(), digest_size=16)
    made.update(b"\0".join([digests.get(name, b"-") for name in names]))
    return made.hexdigest()


def nothing(given: str) -> Kept:
    """Every part is made, and nothing is kept."""
    return Kept(None, given, {})
