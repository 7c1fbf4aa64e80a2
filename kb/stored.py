"""The store of a build: read from the corpus, or made of the one before where little has changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kb import digests, inputs, kept, outlined, store
from kb.library import CORPUS_FOLDER, PUBLIC_FOLDER
from kb.outputs import MADE
from kb.profile import Profile
from kb.publish import files
from kb.schema import SCHEMA_VERSION
from kb.unswept import unswept

if TYPE_CHECKING:
    from kb.pipeline import Notes

KEPT = ".sources"
PICTURES = ".ocr"
"""Below a build: what each source yielded, so that only changed ones are worked on again."""


class Change(NamedTuple):
    """A store to be written, and what is noted beside it."""

    save: Callable[[Path], dict[str, bytes]]
    notes: Notes


@dataclass(frozen=True)
class Reading:
    """How a corpus is read for a build: by so many processes, or the workers of a scheduler."""

    corpus: Path
    build: Path
    profile: Profile
    jobs: int = 1
    scheduler: str = ""
    digested: dict[Path, Mapping[str, bytes]] = field(default_factory=dict)
    """The hashes of the stores that were written."""

    @unswept()
    def read(self) -> Callable[[], None]:
        """Read everything; what is given writes it. Nothing of the build is touched before."""
        path = self.build / MADE / "outline"
        outline = outlined.ready(self.profile, path)
        change = self._read(self.build)

        def write() -> None:
            if outline is not None:
                files.write(path, outline)
            self._write(change)

        return write

    @unswept()
    def _write(self, change: Change) -> None:
        from kb import pipeline

        public = self.build / PUBLIC_FOLDER
        if any(source.private for source in self.profile.sources):
            self._save(self._read(public), public)
        else:
            shutil.rmtree(public, ignore_errors=True)
            for name in ("store", "digests", "looked"):
                self._noted(public, name).unlink(missing_ok=True)
        self._save(change, self.build)
        kept.prune(self.build / KEPT, pipeline.source_keys(self.profile).values())

    def _read(self, folder: Path) -> Change:
        """``folder``: that of the build, or of what is published of it."""
        from kb import amend, basis, pipeline

        public, looked = folder != self.build, self._noted(folder, "looked")
        means = pipeline.Means(self.jobs, self.scheduler, self.build / KEPT, self.build / PICTURES, looked)

        def noted(kb: store.Store) -> Notes | None:
            return basis.read(self._noted(folder, "store"), kb.meta.get("build_id", ""), self._given, looked)

        def counted(kb: store.Store) -> Mapping[str, bytes] | None:
            return digests.read(self._noted(folder, "digests"), _head(kb))

        before = folder / store.FILE_NAME
        amended = amend.amended(self.profile, means, before, noted, counted, public)
        if amended is not None:
            return Change(amended.splice.save, amended.notes)
        records, notes = pipeline.noted(self.profile, means, public)
        return Change(lambda path: store.save(records, path, identified=True), notes)

    @cached_property
    def _given(self) -> str:
        return inputs.without_sources(self.corpus, self.profile)

    def _save(self, change: Change, folder: Path) -> None:
        from kb import basis

        made = []
        for path in sorted(self.corpus.glob("*.toml")):
            copy = folder / CORPUS_FOLDER / path.name
            files.write(copy, path.read_bytes())
            made.append(copy)
        files.prune(folder / CORPUS_FOLDER, made)
        # Stopped in between, nothing is noted of either store, and the corpus is read whole.
        basis.forget(self._noted(folder, "store"))
        found = change.save(folder / store.FILE_NAME)
        with store.open_store(folder / store.FILE_NAME) as kb:
            _keep_digests(kb, self.build, found)
            self.digested[kb.path] = found
            change.notes.looked.save()
            build_id = kb.meta.get("build_id", "")
        basis.save(self._noted(folder, "store"), build_id, self._given, change.notes, files.write)

    def _noted(self, folder: Path, name: str) -> Path:
        return _noted(self.build, folder, name)


def digests_of(kb: store.Store, build: Path) -> Mapping[str, bytes]:
    """The hashes of what a store of a build holds, as they were kept, or counted again."""
    found = digests.read(_noted(build, kb.path.parent, "digests"), _head(kb))
    if found is None:
        found = digests.digests(kb)
        _keep_digests(kb, build, found)
    return found


def _keep_digests(kb: store.Store, build: Path, found: Mapping[str, bytes]) -> None:
    lines = [f"{_head(kb)}\n".encode(), *digests.packed(found)]
    files.write(_noted(build, kb.path.parent, "digests"), b"".join(lines))


def _head(kb: store.Store) -> str:
    return f"{SCHEMA_VERSION} {kb.meta.get('build_id', '')}"


def _noted(build: Path, folder: Path, name: str) -> Path:
    return build / MADE / (name if folder == build else f"{name}-public")
