"""An answer kept ready to go out, plain and compressed; and the static site, made of such."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

Headers = tuple[tuple[bytes, bytes], ...]

LARGEST = 8 << 20
"""Bytes of one file that are kept in memory; a larger one is read from the disk each time."""
BUDGET = 512 << 20
"""Bytes of all files that are kept in memory."""
WORTH_PACKING = 1000
"""Bytes from which an answer is compressed."""
_TEXTUAL = ("text/", "application/json", "application/javascript", "application/xml", "image/svg")
_TYPES = {".js": "text/javascript", ".jsonl": "application/x-ndjson", ".svg": "image/svg+xml"}
"""Named here and not left to the machine: its table differs from one to another."""


class Held:
    """A whole answer. It is compressed when first asked for so, and then kept so."""

    __slots__ = ("_packed", "body", "headers", "kind", "status", "tag")

    def __init__(
        self, body: bytes, kind: str, *, status: int = 200, tag: str = "", more: Headers = ()
    ) -> None:
        self.body = body
        self.status = status
        self.kind = kind
        tag = tag or f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
        self.tag = tag.encode()
        self.headers: Headers = ((b"etag", self.tag), (b"cache-control", b"no-cache"), *more)
        self._packed: bytes | None = None

    async def send(self, scope: Scope, send: Send, extra: Headers = ()) -> int:
        """Send it, or 304 to who has it; the status that was sent."""
        packs = False
        for name, value in scope["headers"]:
            if name == b"if-none-match" and self.status == 200 and self._known(value):
                await _send(send, 304, (*self.headers, *extra), b"")
                return 304
            if name == b"accept-encoding":
                packs = accepts_gzip(value)
        body, headers = self.body, self.headers
        if len(body) >= WORTH_PACKING and self.kind.startswith(_TEXTUAL):
            headers = (*headers, (b"vary", b"Accept-Encoding"))
            if packs:
                body = self.packed()
                headers = (*headers, (b"content-encoding", b"gzip"))
        whole = (
            *headers,
            (b"content-type", self.kind.encode()),
            (b"content-length", str(len(body)).encode()),
            *extra,
        )
        await _send(send, self.status, whole, b"" if scope["method"] == "HEAD" else body)
        return self.status

    def packed(self) -> bytes:
        """Its bytes, compressed; the same each time."""
        if self._packed is None:
            self._packed = gzip.compress(self.body, 6, mtime=0)
        return self._packed

    def _known(self, value: bytes) -> bool:
        # A tag that is compared weakly is the same with and without its W/.
        known = {part.strip().removeprefix(b"W/") for part in value.split(b",")}
        return b"*" in known or self.tag.removeprefix(b"W/") in known


class Ready(Response):
    """A held answer as a Response."""

    def __init__(self, held: Held) -> None:
        # Not what a Response makes ready: nothing of it is sent.
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._held.send(scope, send)


def accepts_gzip(value: bytes) -> bool:
    """Does an Accept-Encoding header take gzip: ``gzip, br`` does, ``gzip;q=0`` does not."""
    for part in value.lower().split(b","):
        name, _, weight = part.partition(b";")
        if name.strip() in (b"gzip", b"*"):
            return weight.replace(b" ", b"") not in (b"q=0", b"q=0.0", b"q=0.00", b"q=0.000")
    return False


class Site:
    """The files of a static site as they were when it was opened: address -> answer.

    Addresses are looked up, never joined to a folder: there is no way out of it.
    """

    def __init__(self, folder: Path, hidden: Iterable[str] = ()) -> None:
        self.pages: dict[str, Held] = {}
        self.large: dict[str, Path] = {}
        self.moved: dict[str, str] = {}
        """Folders named without their last slash -> with it."""
        left = BUDGET
        for address, path, size in _files(folder):
            if address in hidden:
                continue
            if size <= min(LARGEST, left):
                left -= size
                self.pages[address] = Held(path.read_bytes(), media_type(path.name))
            else:
                self.large[address] = path
        for address in [*self.pages, *self.large]:
            if address.endswith("/index.html"):
                self._name_folder(address, address[: -len("index.html")])
        self.lost = self.pages.get("/404.html")

    def _name_folder(self, address: str, folder: str) -> None:
        if address in self.pages:
            self.pages[folder] = self.pages[address]
        else:
            self.large[folder] = self.large[address]
        if folder != "/":
            self.moved[folder[:-1]] = folder


def media_type(name: str) -> str:
    """The Content-Type of a file's name; text says its encoding."""
    suffix = os.path.splitext(name)[1].lower()
    kind = _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


def _files(folder: Path) -> Iterator[tuple[str, Path, int]]:
    """All files below a folder, sorted: address, path, size. Links are not followed."""
    for top, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(top) / name
            if not path.is_symlink():
                yield f"/{path.relative_to(folder).as_posix()}", path, path.stat().st_size


async def _send(send: Send, status: int, headers: Headers, body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
    await send({"type": "http.response.body", "body": body})
