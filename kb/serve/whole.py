"""A connection that sends what is written in one turn of the event loop at once: head and body together.

Two writes would be two calls of the system, and two packets, for each small answer.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

_MOST = 1 << 16
"""Bytes that wait at most."""


class Gathered:
    """A transport; all but its writing is that of the one below it."""

    def __init__(self, below: asyncio.Transport) -> None:
        self._below = below
        self._waiting: list[bytes] = []
        self._size = 0
        self._loop = asyncio.get_running_loop()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._below, name)

    def write(self, data: bytes) -> None:
        """Send it by the end of this turn."""
        if not self._waiting:
            self._loop.call_soon(self._flush)
        self._waiting.append(data)
        self._size += len(data)
        if self._size > _MOST:
            self._flush()

    def close(self) -> None:
        """Send what waits, then close."""
        self._flush()
        self._below.close()

    def _flush(self) -> None:
        if self._waiting:
            waiting, self._waiting, self._size = self._waiting, [], 0
            self._below.write(b"".join(waiting))


# A variable in uvicorn: of its two protocols the one whose library is installed.
class WholeProtocol(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
    """HTTP/1.1 over such connections."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """A client has connected."""
        super().connection_made(Gathered(transport))
