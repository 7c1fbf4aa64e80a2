"""The files below a folder, looked through once a build and followed from then on.

A site has a folder for each of its addresses: a look through all costs as much as to make many pages.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from kb.publish import files

_TWO = 2
"""Names of a file that is here and beside."""


class Tree:
    """Names with ``/`` from the folder, and bytes. Whoever writes below the folder tells it.

    ``beside``: the tree of which many files stand here too, under the same names, as hard links. Where all
    files of one of its folders have two names, the other ones are here: nobody looks for them.
    """

    def __init__(self, folder: Path, beside: Tree | None = None) -> None:
        self.folder = folder
        self._beside = beside
        self._known: dict[str, int] | None = None
        self._plain = True
        self._paired: dict[str, int] = {}
        self._single: set[str] = set()
        self._wrote: set[str] = set()
        self._taken: set[str] = set()

    def look(self) -> None:
        """Look through the folder now, and follow it from then on."""
        self._files()

    def sizes(self, without: Collection[str] = ()) -> Iterator[tuple[str, int]]:
        """Every file, by name. ``without``: files and folders that are left out, by name."""
        inside = tuple(f"{name}/" for name in without)
        for name, size in sorted(self._files().items()):
            if name not in without and not name.startswith(inside):
                yield name, size

    def names(self) -> list[str]:
        """Every file, by name."""
        return sorted(self._files())

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        return name in self._files()

    def wrote(self, paths: Iterable[Path]) -> None:
        """These files are new, or others than before."""
        if self._known is not None:
            base = len(str(self.folder)) + 1
            for path in map(str, paths):
                name = path[base:].replace(os.sep, "/")
                self._known[name] = os.stat(path).st_size
                self._wrote.add(name)

    def again(self, names: Iterable[str]) -> None:
        """Look through these files and folders once more."""
        if self._known is None:
            return
        again = set(names)
        inside_of = tuple(f"{name}/" for name in sorted(again))
        for gone in [one for one in self._known if one in again or one.startswith(inside_of)]:
            del self._known[gone]
        for name in again:
            inside = f"{name}/"
            place = self.folder / name
            if place.is_dir():
                found = {inside + one: size for one, size in files.sizes(place)}
                self._known |= found
                self._wrote |= found.keys()
            elif place.is_file():
                self._known[name] = place.stat().st_size
                self._wrote.add(name)

    def prune(self, keep: Iterable[str], below: Iterable[str]) -> None:
        """Remove the files that are not to be kept, and empty folders, below some of the top folders, which
        stay; of ``""``: below the folder itself."""
        known, kept, tops = self._files(), set(keep), set(below)
        for top in tops if not self._plain else ():
            files.prune_names(self.folder, kept, [top])
        for name in [one for one in known if one not in kept] if self._plain else ():
            top = name.partition("/")[0]
            top = top if top != name and top in tops else ""
            if top in tops:
                self._remove(name, top)
                del known[name]
        if not self._plain:
            self._known, self._plain = None, True
            # What stands beside may have been written since.
            self._beside, self._taken = None, set()

    def _remove(self, name: str, top: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self.folder / name)
        above = name.rpartition("/")[0]
        # A folder that is not empty stays, and all above it.
        with suppress(OSError):
            while above not in ("", top):
                os.rmdir(self.folder / above)
                above = above.rpartition("/")[0]

    def _files(self) -> dict[str, int]:
        if self._known is None:
            self._known = self._walked() if self.folder.is_dir() else {}
        return self._known

    def _walked(self) -> dict[str, int]:
        found: dict[str, int] = {}
        ready = self._beside.paired() if self._beside else {}
        waiting = [""]
        while waiting:
            inside = waiting.pop()
            empty = True
            with os.scandir(f"{self.folder}/{inside}") as entries:
                for entry in entries:
                    empty = False
                    if entry.is_dir(follow_symlinks=False):
                        if not inside and entry.name in ready:
                            found |= ready[entry.name]
                            self._taken |= ready[entry.name].keys()
                        else:
                            waiting.append(f"{inside}{entry.name}/")
                    elif entry.is_file():
                        stat = entry.stat()
                        found[inside + entry.name] = stat.st_size
                        if stat.st_nlink == _TWO:
                            self._paired[inside + entry.name] = stat.st_size
                        else:
                            self._single.add(inside.partition("/")[0])
                    # What no build that ended leaves is removed by looking at all of it: links, empty
                    # folders, drafts; of the last, writing the file itself makes an end.
                    if entry.is_symlink() or entry.name.endswith(".part"):
                        self._plain = False
            self._plain = self._plain and not (empty and inside)
        return found

    def same(self) -> set[str]:
        """The files that are the very ones beside, and were not written since."""
        self._files()
        return self._taken - (self._beside.written() if self._beside else set())

    def written(self) -> set[str]:
        """The files that were written, or looked at once more, since all were looked through."""
        return self._wrote

    def paired(self) -> dict[str, dict[str, int]]:
        """The folders at the top of which each file had two names when they were looked through."""
        self._files()
        found: dict[str, dict[str, int]] = {}
        for name, size in self._paired.items():
            top, inside, _ = name.partition("/")
            if inside and top not in self._single:
                found.setdefault(top, {})[name] = size
        return found
