"""Hashes of what a build is made from: what has the same was made from the same."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from kb import kept
from kb.errors import InputError
from kb.profile import Profile

SITE_URL = "KB_SITE_URL"
"""The variable that says the address the site will have."""
_IN_THE_STORE = frozenset({"sources", "translation", "corrections.toml", "links.toml"})
"""Of a corpus, what everything after the store knows from the store alone."""


def hashed(*parts: str) -> str:
    """One hash over several texts."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def everything(corpus: Path) -> str:
    """All that a build is made from: the corpus's files and this program."""
    return hashed(_of_files(corpus, _files(corpus)), kept.program_hash())


def rules(corpus: Path, profile: Profile) -> str:
    """All without what is read for the store only: sources, renderings, an editor's corrections."""
    inside = (
        path for path in _apart(corpus, profile) if path.relative_to(corpus).parts[0] not in _IN_THE_STORE
    )
    return hashed(_of_files(corpus, inside), kept.program_hash())


def without_sources(corpus: Path, profile: Profile) -> str:
    """All but the texts of the sources."""
    return hashed(_of_files(corpus, _apart(corpus, profile)), kept.program_hash())


def site_config(corpus: Path, profile: Profile) -> Path | None:
    """The `mkdocs.yml` the profile names (`[site] config`, from the corpus's folder), where it is there.

    An installed corpus has none beside it: its site is then made without the project's documentation.
    """
    named = profile.data.get("site", {}).get("config")
    path = corpus / str(named) if named else None
    return path.resolve() if path is not None and path.is_file() else None


def of_site(config: Path | None) -> list[str]:
    """The site's address, and hashes of the settings and of the documentation that becomes part of it."""
    url = f"url {os.environ.get(SITE_URL, '')}"
    if config is None:
        return [url]
    docs = config.parent / "docs"
    paths = [config, *(sorted(docs.rglob("*")) if docs.is_dir() else [])]
    hashes = [
        f"{path.relative_to(config.parent).as_posix()}\0{_file_hash(path)}"
        for path in paths
        if path.is_file()
    ]
    return [url, *hashes]


def _apart(corpus: Path, profile: Profile) -> Iterator[Path]:
    """The files of a corpus that are no sources."""
    sources = {str(source.path.resolve()) for source in profile.sources}
    return (path for path in _files(corpus) if str(path.resolve()) not in sources)


def _files(corpus: Path) -> Iterator[Path]:
    return (path for path in sorted(corpus.rglob("*")) if path.is_file())


def _of_files(root: Path, paths: Iterable[Path]) -> str:
    return hashed(*(f"{path.relative_to(root).as_posix()}\0{_file_hash(path)}" for path in paths))


def _file_hash(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read: {error.strerror}; mend it or take it out of the corpus"
        ) from None
