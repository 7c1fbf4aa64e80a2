"""Folders that tests only read, made once a run: by the worker that asks first, the others wait for it."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

WHERE = "KB_TESTS_SHARED"
"""The variable that tells the workers where."""


def begin() -> None:
    """A place for this run; the workers it starts inherit it."""
    os.environ[WHERE] = tempfile.mkdtemp(prefix="kb-shared-")


def end() -> None:
    """Nothing stays."""
    shutil.rmtree(os.environ.pop(WHERE), ignore_errors=True)


def once(name: str, make: Callable[[Path], object]) -> Path:
    """The folder of this name; ``make`` fills it, in the first process that asks. Copy it to change it."""
    if WHERE not in os.environ:
        # Outside of pytest: a script that uses a helper of the tests.
        begin()
    root = Path(os.environ[WHERE])
    with (root / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / name).is_dir():
            draft = root / f"{name}.part"
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir()
            make(draft)
            draft.rename(root / name)
    return root / name
