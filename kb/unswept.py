"""Work on many objects without Python's garbage collector going through them again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_LOCK = Lock()
_state = {"held": 0, "on": False}


@contextmanager
def unswept() -> Iterator[None]:
    """Within it, the collector of cycles rests; reference counts free as ever.

    For work that makes no cycles and very many objects: half of its time would go into looking through
    them, the more of it the larger the text. May be nested, and used by several threads at once.
    """
    with _LOCK:
        if not _state["held"]:
            _state["on"] = gc.isenabled()
            gc.disable()
        _state["held"] += 1
    try:
        yield
    finally:
        with _LOCK:
            _state["held"] -= 1
            if not _state["held"] and _state["on"]:
                gc.enable()
