"""What the search asks of an index, whichever engine keeps it, and how a finished index takes over.

A folder of an index holds generations (``g-<digest>/``) and ``CURRENT``, a file that names the one in use. A
build writes its generation under a temporary name, renames it, then replaces ``CURRENT``: a reader sees the
old index or the new one, and a build that is killed leaves the old one in use.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

from kb.errors import BuildError

CURRENT = "CURRENT"


@dataclass(frozen=True, slots=True)
class Posting:
    """A document to be indexed: its terms with their weights (whole numbers above 0), and what is shown."""

    number: int
    terms: Mapping[str, int]
    stored: Mapping[str, Any]
    """Plain JSON values."""


class Part(NamedTuple):
    """Documents that follow each other: a hash of all of them, how many, and what gives them."""

    key: str
    size: int
    documents: Callable[[], Iterator[Posting]]


@dataclass(frozen=True, slots=True)
class Clause:
    """A word of the query: the document's score for it is that of its best term."""

    word: str
    weight: float
    terms: tuple[tuple[str, float], ...]
    counts: bool = True
    """Is it one of the words that were typed: a document that has more of those answers better."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A query as every backend understands it."""

    clauses: tuple[Clause, ...]
    must: tuple[tuple[str, ...], ...] = ()
    """Each a choice: a document needs one term of every choice."""
    never: tuple[str, ...] = ()
    """Terms of which a document has none."""
    given: Mapping[int, float] = field(default_factory=dict)
    """Points a document has besides (likely.py)."""


class Scored(NamedTuple):
    """A document's number and score."""

    number: int
    score: float


made_scored = cast("Callable[[tuple[int, float]], Scored]", partial(tuple.__new__, Scored))
"""A Scored of a pair, in a third of the time: there are many of them."""


class Found(Protocol):
    """The documents a search found. Only those that are asked for are put in order."""

    def first(self, count: int | None = None) -> list[Scored]:
        """The best, or all; equal scores by number."""
        ...

    def total(self, of: Sequence[int], most: int, least: float, also: Sequence[int] = ()) -> int:
        """How many have ``least`` points, when at most ``most`` of one place count.

        ``of``: number of a document -> its place; ``also``: numbers that count with fewer points, too.
        """
        ...


class Searcher(Protocol):
    """An open index."""

    quick: bool
    """Does it take no longer to search than to hand the search to another thread."""

    def search(self, plan: Plan, least: float = 0.0) -> Found:
        """The documents that match and have ``least`` of the best one's points, as a part of them."""
        ...

    def explain(self, plan: Plan, number: int) -> Sequence[tuple[str, str, float]]:
        """What each word of the query added: ``(word, term, points)``."""
        ...

    def warm(self, terms: Iterable[str]) -> None:
        """Read now what questions of these terms need, the first of them before the others."""
        ...

    def documents(self, numbers: Sequence[int]) -> list[Mapping[str, Any]]:
        """What was stored with each. Raises BuildError for one that is not there."""
        ...

    def close(self) -> None: ...


class Backend(Protocol):
    """Writes and opens indexes of one engine."""

    name: str

    def build(self, folder: Path, documents: Iterable[Posting]) -> None:
        """Write a whole index into an empty folder. The same documents give the same bytes."""
        ...

    def open(self, folder: Path) -> Searcher:
        """Raises BuildError when the folder holds no index of this engine."""
        ...


@runtime_checkable
class Parted(Protocol):
    """A backend that keeps parts apart: one that is as it was is taken from the index before."""

    def build_parts(self, folder: Path, parts: Iterable[Part], before: Path | None) -> None:
        """As ``Backend.build``; the same bytes with and without the folder of an index ``before``."""
        ...


def switch(folder: Path, digest: str, write: Callable[[Path], None]) -> bool:
    """Make the generation ``digest`` with ``write`` and let it take over. False when it is in use already."""
    name = f"g-{digest}"
    if current(folder) == folder / name:
        return False
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f".{name}.{os.getpid()}"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        write(draft)
        shutil.rmtree(folder / name, ignore_errors=True)
        os.replace(draft, folder / name)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    pointer = folder / f".{CURRENT}.{os.getpid()}"
    pointer.write_text(name + "\n", encoding="utf-8")
    os.replace(pointer, folder / CURRENT)
    _clean(folder, name)
    return True


def current(folder: Path) -> Path | None:
    """The folder of the generation in use; None when there is none."""
    try:
        name = (folder / CURRENT).read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    path = folder / name
    return path if name.startswith("g-") and "/" not in name and path.is_dir() else None


def opened(folder: Path, read: Callable[[Path], Searcher]) -> tuple[Path, Searcher]:
    """Open the generation in use. When a build takes over in between, the new one is opened.

    Raises BuildError when there is no finished index.
    """
    for attempt in range(5):
        path = current(folder)
        if path is None:
            break
        try:
            return path, read(path)
        except (FileNotFoundError, BuildError):
            if current(folder) == path or attempt == 4:
                raise
    raise BuildError(f"{folder}: no finished search index (run `kb build` to make it)")


def _clean(folder: Path, keep: str) -> None:
    """Drop older generations, and drafts whose writer was killed. A reader keeps its open files."""
    for path in sorted(folder.iterdir()):
        stale = path.name.startswith(("g-", ".g-")) and path.name != keep
        if stale and path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
