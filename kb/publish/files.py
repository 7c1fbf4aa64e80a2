"""Writing output: whole or not at all, and not at all when the bytes are the same."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from kb.errors import InputError

DRAFT = ".part"
"""What the name of a file ends in until it is whole."""


def write(path: Path, content: str | bytes, new: bool = False) -> bool:
    """Put ``content`` into ``path``; True when the file changed. Raises InputError when it cannot.

    ``new``: there is no such file, so none is looked for.
    """
    data = content.encode() if isinstance(content, str) else content
    if new:
        return _put(path, [data], other=True)
    try:
        with suppress(FileNotFoundError), open(path, "rb") as stream:
            if stream.read() == data:
                with suppress(FileNotFoundError):  # a draft of a build that was killed
                    os.unlink(f"{path}{DRAFT}")
                return False
    except OSError as error:
        raise _not_written(path, error) from None
    return _put(path, [data], other=True)


def write_stream(path: Path, chunks: Iterable[str | bytes]) -> bool:
    """The same from chunks, so that a large file never stands in memory."""
    return _put(path, chunks)


def _put(path: Path, chunks: Iterable[str | bytes], other: bool = False) -> bool:
    """``other``: that is not what the file holds already."""
    target, draft = str(path), f"{path}{DRAFT}"
    begun = False
    try:
        with _new(draft) as stream:
            begun = True
            for chunk in chunks:
                stream.write(chunk.encode() if isinstance(chunk, str) else chunk)
        if not other and os.path.isfile(target) and filecmp.cmp(draft, target, shallow=False):
            return False
        os.replace(draft, target)
        begun = False
        return True
    except OSError as error:
        raise _not_written(path, error) from None
    finally:
        # Nothing half-made stays; where that cannot be done, nothing was made.
        if begun:
            with suppress(OSError):
                os.unlink(draft)


def _new(name: str) -> BinaryIO:
    """A new file, and its folder where that is not there: to look for it each time would cost more."""
    try:
        return open(name, "wb")
    except FileNotFoundError:
        folder = os.path.dirname(name)
        try:
            os.mkdir(folder)
        except FileNotFoundError:
            os.makedirs(folder, exist_ok=True)
        except FileExistsError:  # by another process, just now
            pass
        return open(name, "wb")


def _not_written(path: Path, error: OSError) -> InputError:
    return InputError(f"{path}: cannot be written: {error.strerror}; free some space or choose --build")


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
