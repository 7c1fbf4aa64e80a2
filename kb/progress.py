"""How far a long piece of work is, for whoever wants to look on; nobody does unless asked (``shown``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

T = TypeVar("T")
Total = int | Callable[[], int]
"""How many steps there are; a function when finding that out is work."""


class Steps(Protocol):
    """One piece of work under way."""

    def step(self) -> None:
        """One more step is done."""

    def close(self) -> None:
        """The work has ended; again is no harm."""


Meter = Callable[[str, int], Steps]
"""From what is done and the number of its steps, to what hears of them."""


class _Unseen:
    def step(self) -> None: ...

    def close(self) -> None: ...


UNSEEN = _Unseen()


def unseen(label: str, total: int) -> Steps:
    """The meter that shows nothing."""
    return UNSEEN


_looking: ContextVar[Meter | None] = ContextVar("looking", default=None)


@contextmanager
def shown(meter: Meter) -> Iterator[None]:
    """Let a meter hear of all work inside."""
    before = _looking.set(meter)
    try:
        yield
    finally:
        _looking.reset(before)


def begin(label: str, total: Total) -> Steps:
    """Work of ``total`` steps begins; whoever begins it closes it."""
    meter = _looking.get()
    return UNSEEN if meter is None else meter(label, total() if callable(total) else total)


def over(items: Iterable[T], label: str, total: Total | None = None) -> Iterable[T]:
    """The same items, each a step. Without a ``total`` they are counted, if they can be."""
    if _looking.get() is None:
        return items
    return _counted(items, label, (len(items) if isinstance(items, Sized) else 0) if total is None else total)


def _counted(items: Iterable[T], label: str, total: Total) -> Iterator[T]:
    steps = begin(label, total)
    try:
        for item in items:
            yield item
            steps.step()
    finally:
        steps.close()
