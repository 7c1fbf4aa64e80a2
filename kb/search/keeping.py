"""What was worked out once, kept while there is room."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """Values by key, up to ``most`` of their sizes added up; those kept the longest go first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Hashable, Value] = {}
        self._sizes: dict[Hashable, int] = {}
        self._size = 0
        self._turn = Lock()
        self.held = self._values.get
        """The value of a key, or None."""

    def get(self, key: Hashable, make: Callable[[], Value], size: Callable[[Value], int]) -> Value:
        """The value of a key, made when it is not there. Two threads may make the same one at once."""
        held = self._values.get(key)
        if held is None:
            held = make()
            self.put(key, held, size(held) + 1)
        return held

    def put(self, key: Hashable, value: Value, size: int) -> None:
        """Keep a value; the last one stays however large."""
        with self._turn:
            self._size += size - self._sizes.get(key, 0)
            self._values[key], self._sizes[key] = value, size
            while self._size > self._most and len(self._values) > 1:
                oldest = next(iter(self._values))
                del self._values[oldest]
                self._size -= self._sizes.pop(oldest)
