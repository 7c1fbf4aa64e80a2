"""The build in use, and how a new one takes over: whole, in the background, between two requests."""

from __future__ import annotations

import gc
import hashlib
import logging
import threading
import time
from collections import OrderedDict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from kb.errors import KbError
from kb.library import MARKER, Library, open_library, public_folder
from kb.serve.held import Headers, Held, Site
from kb.turns import reading

SITE_FOLDER = "site"
OWN = ("/api/v1/openapi.json",)
"""Addresses the server answers itself, whatever the site has there."""
LOOK_EVERY = 0.2
"""Seconds between two looks for a new build."""
_COLLECT = (20_000, 50, 100)
"""New objects between two rounds of the garbage collector, and rounds between its longer ones."""
_log = logging.getLogger("kb.serve")


class Opened:
    """One build, opened: its library, its site in memory, the answers given so far."""

    def __init__(self, folder: Path, kept: int) -> None:
        self.base: Library = open_library(public_folder(folder))
        self.base.warm()
        self.site = Site(folder / SITE_FOLDER, OWN)
        self.kept = Kept(kept)
        told = f"{_version()} {self.base.stamp}"
        self._mark = hashlib.sha256(told.encode()).digest()
        self.headers: Headers = ((b"kb-build", self.base.build_id.encode("ascii", "replace")),)

    def tag(self, path: str, query: bytes) -> str:
        """The weak ETag of what this build answers to a question: known before the answer, and without it."""
        asked = path.encode("utf-8", "surrogatepass") + b"?" + query
        return f'W/"{hashlib.blake2b(asked, digest_size=16, key=self._mark).hexdigest()}"'


class Kept:
    """The last answers, by address: an answer of a build never changes. Used by one thread."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._answers: OrderedDict[tuple[str, bytes], Held] = OrderedDict()

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, key: tuple[str, bytes]) -> Held | None:
        """The answer to a request for ``(path, query)``, when it was given lately."""
        found = self._answers.get(key)
        if found is not None:
            self._answers.move_to_end(key)
        return found

    def put(self, key: tuple[str, bytes], answer: Held) -> None:
        """Keep an answer; the one not asked for the longest goes."""
        if self.most:
            self._answers[key] = answer
            if len(self._answers) > self.most:
                self._answers.popitem(last=False)


class Builds:
    """The newest build that could be opened. A new one is opened beside it while requests go on."""

    def __init__(self, folder: Path, kept: int) -> None:
        self.folder = folder
        self._most = kept
        self._stamp = self._stamp_now()
        self._opened = Opened(folder, kept)
        self.opened = 1
        """How many have been."""
        self._settles = False
        self._looked = time.monotonic()
        self._opening: threading.Thread | None = None

    def current(self) -> Opened:
        """The build of this moment; a request uses one to its end."""
        now = time.monotonic()
        if now - self._looked > LOOK_EVERY:
            self._looked = now
            self._look()
        return self._opened

    def settle(self) -> None:
        """What a build consists of stays while it is open: the garbage collector of this process, which is a
        server and nothing else, need not look through it again and again. So with all that follow."""
        self._settles = True
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        gc.set_threshold(*_COLLECT)

    def _look(self) -> None:
        stamp = self._stamp_now()
        busy = self._opening is not None and self._opening.is_alive()
        if stamp is not None and stamp != self._stamp and not busy:
            self._opening = threading.Thread(target=self._open, args=(stamp,), daemon=True)
            self._opening.start()

    def _open(self, stamp: tuple[int, int]) -> None:
        try:
            with reading(self.folder) as whole:
                if not whole:
                    # The next build is being written already; when it is done there is a whole one again.
                    return
                opened = Opened(self.folder, self._most)
        except (KbError, OSError) as error:
            _log.warning("keeping the last good build: %s", error)
        else:
            self._opened = opened
            self.opened += 1
            if self._settles:
                self.settle()
        self._stamp = stamp

    def _stamp_now(self) -> tuple[int, int] | None:
        try:
            found = (self.folder / MARKER).stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns


def _version() -> str:
    """The program's: another one may answer otherwise."""
    try:
        return version("lawkb")
    except PackageNotFoundError:
        # Run from its source.
        return ""
