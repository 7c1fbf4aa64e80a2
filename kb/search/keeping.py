"""What was worked out once, kept while there is room."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """Values by key, up to ``most`` of their sizes added up; those not asked for the longest go first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: dict[Hashable, tuple[Value, int]] = {}
        self._size = 0
        self._turn = Lock()

    def get(self, key: Hashable, make: Callable[[], Value], size: Callable[[Value], int]) -> Value:
        """The value of a key, made when it is not there. Two threads may make the same one at once."""
        held = self.held(key)
        if held is not None:
            return held
        value = make()
        self.put(key, value, size(value) + 1)
        return value

    def held(self, key: Hashable) -> Value | None:
        """The value of a key, when it is there."""
        with self._turn:
            held = self._held.pop(key, None)
            if held is None:
                return None
            # A dict is in the order of insertion: the last asked for stands last.
            self._held[key] = held
            return held[0]

    def put(self, key: Hashable, value: Value, size: int) -> None:
        """Keep a value; the last one stays however large."""
        with self._turn:
            self._size -= self._held.pop(key, (None, 0))[1]
            self._held[key] = value, size
            self._size += size
            while self._size > self._most and len(self._held) > 1:
                self._size -= self._held.pop(next(iter(self._held)))[1]
