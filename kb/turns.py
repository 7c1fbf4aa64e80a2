"""Who may use a build folder now: one build writes, a server reads the whole of one in between.

Both locks go with the process that holds them, whatever ends it, and leave no file behind.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kb.errors import BuildError, InputError

REPORT = "report"
"""The folder of a build whose lock readers and writer share."""
PATIENCE = 30.0
"""Seconds a build waits for a server that is opening the last one."""


@contextmanager
def alone(build: Path) -> Iterator[None]:
    """One build at a time in a folder, which is made. Raises InputError when another runs, or it cannot."""
    try:
        (build / REPORT).mkdir(parents=True, exist_ok=True)
        handle = os.open(build, os.O_RDONLY)
    except OSError as error:
        raise InputError(
            f"--build {build}: cannot be written: {error.strerror}; choose another folder"
        ) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise InputError(f"--build {build}: another build is running in it; wait for it to end") from None
    try:
        with writing(build):
            yield
    finally:
        os.close(handle)


@contextmanager
def writing(build: Path) -> Iterator[None]:
    """No server opens the build while this lasts. Raises InputError when one keeps it open for long."""
    handle = os.open(build / REPORT, os.O_RDONLY)
    try:
        last = time.monotonic() + PATIENCE
        while not _taken(handle, fcntl.LOCK_EX):
            if time.monotonic() > last:
                raise InputError(f"--build {build}: a server has been opening it for long; stop that one")
            time.sleep(0.05)
        yield
    finally:
        os.close(handle)


@contextmanager
def reading(build: Path) -> Iterator[bool]:
    """No build begins to write while this lasts; False when one is writing already.

    Raises BuildError when there is no build.
    """
    try:
        handle = os.open(build / REPORT, os.O_RDONLY)
    except OSError as error:
        raise BuildError(f"{build}: no usable build: {error.strerror} (run `kb build`)") from None
    try:
        yield _taken(handle, fcntl.LOCK_SH)
    finally:
        os.close(handle)


def _taken(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
