"""What a refusal of a cluster means: is it worth asking again.

Errors are those of its client, known by what they carry, not by their class: ``status_code``, a number, or a
word when no node answered at all; ``info``, the answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

WAITS = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds between tries of a build, and, the first of them, of a search."""
PASSING = (429, 502, 503, 504)
"""Statuses of what may be taken later."""
_LEFT = frozenset(
    f"{kind}_exception"
    for kind in (
        *("node_disconnected", "node_not_connected", "node_closed", "already_closed"),
        *("connect_transport", "send_request_transport", "receive_timeout_transport"),
        *("no_shard_available_action", "search_context_missing", "shard_not_found"),
        *("index_shard_closed", "illegal_index_shard_state"),
    )
)
"""What a node that still answers says, with status 500 or 404, of another that was left in the middle."""
_Answer = TypeVar("_Answer")


def passing(error: Exception) -> bool:
    """May the same request succeed later: no node answered, or one left meanwhile, or it was too much."""
    status = getattr(error, "status_code", None)
    return isinstance(status, str) or status in PASSING or bool(_LEFT & set(kinds(error)))


def kinds(error: Exception) -> Iterator[str]:
    """The kinds of error that an answer names, at any depth: an error holds its causes."""
    left: list[object] = [getattr(error, "info", None)]
    while left:
        told = left.pop()
        if isinstance(told, Mapping):
            left.extend(told.values())
            if isinstance(told.get("type"), str):
                yield told["type"]
        elif isinstance(told, list):
            left.extend(told)


def patiently(ask: Callable[[], _Answer], waits: Sequence[float] = WAITS) -> _Answer:
    """Ask again, each time after a longer wait, what may pass; the last error is raised."""
    for wait in waits:
        try:
            return ask()
        except Exception as error:
            if not passing(error):
                raise
        time.sleep(wait)
    return ask()
