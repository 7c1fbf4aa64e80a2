"""The server's log: one JSON object a line for each request; nothing of who asked."""

from __future__ import annotations

import asyncio
import json
from typing import TextIO

import orjson

LOGGED = 200
"""Code points of a path that go into the log."""


class Journal:
    """Writes lines to a stream: those of one turn of the event loop together, at its end."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lines: list[str] = []

    def tell(self, method: str, path: str, status: int, seconds: float) -> None:
        """A request was answered."""
        line = {"method": method, "path": path[:LOGGED], "status": status, "ms": round(seconds * 1000, 1)}
        # Only ASCII: no letter of a path changes how the log is shown.
        told = orjson.dumps(line).decode() if path.isascii() else json.dumps(line)
        if not self._lines:
            asyncio.get_running_loop().call_soon(self._write)
        self._lines.append(told)

    def _write(self) -> None:
        lines, self._lines = self._lines, []
        self._stream.write("\n".join([*lines, ""]))
        self._stream.flush()
