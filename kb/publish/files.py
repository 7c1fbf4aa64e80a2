"""Writing output: whole or not at all, and not at all when the bytes are the same."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Collection, Iterable, Iterator
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
    return prune_names(folder, (path.relative_to(folder).as_posix() for path in keep), [""])


def prune_names(folder: Path, keep: Iterable[str], below: Iterable[str]) -> int:
    """The same by names with ``/`` from ``folder``, below some of its folders, which stay."""
    kept = set(keep)
    base = str(folder)
    gone = 0
    for top in below:
        for place, folders, names in os.walk(os.path.join(base, top) if top else base, topdown=False):
            inside = "" if place == base else place[len(base) + 1 :].replace(os.sep, "/") + "/"
            left = 0
            for name in [*names, *(one for one in folders if os.path.islink(os.path.join(place, one)))]:
                if inside + name in kept:
                    left += 1
                else:
                    os.unlink(os.path.join(place, name))
                    gone += 1
            if not left and inside.rstrip("/") != top and not os.listdir(place):
                os.rmdir(place)
    return gone


def sizes(folder: Path, without: Collection[str] = ()) -> Iterator[tuple[str, int]]:
    """Every file below a folder: its name with ``/`` from there, and its bytes; by name.

    ``without``: files and folders that are left out, by name.
    """
    found = []
    waiting = [""]
    while waiting:
        inside = waiting.pop()
        with os.scandir(folder / inside) as entries:
            for entry in entries:
                if inside + entry.name in without:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{inside}{entry.name}/")
                elif entry.is_file():
                    found.append((inside + entry.name, entry.stat().st_size))
    return iter(sorted(found))
