"""Writing output: whole or not at all, and not at all when the bytes are the same."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from kb.errors import InputError


def write(path: Path, content: str | bytes) -> bool:
    """Put ``content`` into ``path``; True when the file changed. Raises InputError when it cannot."""
    return write_stream(path, [content])


def write_stream(path: Path, chunks: Iterable[str | bytes]) -> bool:
    """The same from chunks, so that a large file never stands in memory."""
    temporary = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as stream:
            for chunk in chunks:
                stream.write(chunk.encode() if isinstance(chunk, str) else chunk)
        if path.is_file() and filecmp.cmp(temporary, path, shallow=False):
            return False
        os.replace(temporary, path)
        return True
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written: {error.strerror}; free some space or choose --build"
        ) from None
    finally:
        # Nothing half-made stays; where that cannot be done, nothing was made.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def copy(source: Path, target: Path) -> bool:
    """Copy a file, as `write` does; True when the target changed."""
    try:
        with source.open("rb") as stream:
            return write_stream(target, iter(lambda: stream.read(1 << 20), b""))
    except OSError as error:
        raise InputError(f"{source}: cannot be read: {error.strerror}; run `kb build` again") from None


def prune(folder: Path, keep: Iterable[Path]) -> int:
    """Remove the files below ``folder`` that are not to be kept, and empty folders; how many files went."""
    kept = set(keep)
    gone = 0
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in kept:
            path.unlink()
            gone += 1
    return gone
