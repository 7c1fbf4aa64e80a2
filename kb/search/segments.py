"""The files of a tantivy index, segment by segment: one that is as it was is taken from the index before.

Each run of documents is written as an index of its own, and its segments then get the names of their places,
so that the same documents give the same bytes, whatever was taken. Of which segment a file is only its name
tells.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any

_DRAFT = ".segment"
"""A folder for the run that is being written."""
_META, _MANAGED, _RUNS = "meta.json", ".managed.json", "runs.json"
_LOCK = ".tantivy-meta.lock"
_ID = "segment_id"
Told = list[dict[str, Any]]
"""Segments as `meta.json` tells of them."""


class Segments:
    """An index in the making, in an empty folder; ``before``: one whose segments may be taken."""

    def __init__(self, folder: Path, before: Path | None) -> None:
        self._folder = folder
        self._before = before
        self._kept = _kept(before) if before else {}
        self._runs: list[tuple[str, Told]] = []

    def add(self, parts: Iterable[str], write: Callable[[Path], None]) -> None:
        """A run of documents of which the hashes of its parts tell; ``write`` makes an index of them."""
        key = blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()
        told = self._kept.get(key)
        if told is not None and self._before is not None:
            self._runs.append((key, self._named(told, self._before, _linked)))
        else:
            draft = self._drafted(write)
            meta = json.loads((draft / _META).read_text("utf-8"))
            self._runs.append((key, self._named(meta["segments"], draft, os.replace)))
            shutil.rmtree(draft)

    def finish(self, write: Callable[[Path], None]) -> None:
        """All runs are there; ``write`` makes an index of nothing, which tells how documents look."""
        draft = self._drafted(write)
        meta = json.loads((draft / _META).read_text("utf-8"))
        shutil.rmtree(draft)
        meta["segments"] = [one for _, told in self._runs for one in told]
        self._put(_META, meta)
        sizes = {path.name: path.stat().st_size for path in self._folder.iterdir()}
        self._put(_MANAGED, sorted(sizes))
        self._put(_RUNS, {"sizes": sizes, "runs": self._runs})
        # Readers make this one when it is not there; a build's files are not to change by being read.
        (self._folder / _LOCK).touch()

    def _drafted(self, write: Callable[[Path], None]) -> Path:
        draft = self._folder / _DRAFT
        draft.mkdir()
        write(draft)
        return draft

    def _named(self, told: Told, source: Path, bring: Callable[[Path, Path], None]) -> Told:
        """Bring the files of segments under names by their order, instead of by lot."""
        number = sum(len(told) for _, told in self._runs)
        made = []
        for place, one in enumerate(told, number + 1):
            old, new = str(one[_ID]).replace("-", ""), f"{place:032x}"
            for path in sorted(source.glob(f"{old}.*")):
                bring(path, self._folder / path.name.replace(old, new, 1))
            made.append({**one, _ID: "-".join((new[:8], new[8:12], new[12:16], new[16:20], new[20:]))})
        return made

    def _put(self, name: str, value: object) -> None:
        (self._folder / name).write_text(json.dumps(value, sort_keys=True), encoding="utf-8")


def _kept(folder: Path) -> dict[str, Told]:
    """Hash -> segments of an index; nothing where that cannot be told, or a file of it is damaged."""
    try:
        told = json.loads((folder / _RUNS).read_text("utf-8"))
        whole = all((folder / name).stat().st_size == size for name, size in told["sizes"].items())
        return dict(told["runs"]) if whole else {}
    except (OSError, ValueError, TypeError, LookupError):
        return {}


def _linked(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        # A file system without links.
        shutil.copyfile(source, target)
