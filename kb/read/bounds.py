"""How much a source may hold. Scans are small; what passes these bounds is a bomb or a mistake."""

from __future__ import annotations

import io
import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from kb.errors import InputError

FILE_BYTES = 256 * 1024**2
"""A source as it lies on the disk."""
MEMBER_BYTES = 128 * 1024**2
"""A member of an archive or document, unpacked."""
TOTAL_BYTES = 512 * 1024**2
"""All members of an archive, unpacked."""
RATIO = 200
"""Unpacked bytes to packed ones, from `RATIO_FROM` bytes on. Text packs to a tenth."""
RATIO_FROM = 4 * 1024**2
ENTRIES = 10_000
"""Members of an archive."""
DEPTH = 2
"""Archives in archives."""
ELEMENTS = 300_000
"""Elements of an HTML or XML document."""
ELEMENT_DEPTH = 400
"""Elements in elements."""
PAGES = 5_000
"""Pages of a PDF, frames of an image."""
PIXELS = 120_000_000
"""Of one page: A3 at 600 dpi has 70 million."""
OCR_SECONDS = 300
"""For one page; a page of text takes two."""

_CHUNK = 1024**2
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    RuntimeError,
    NotImplementedError,
    ValueError,
    OSError,
    EOFError,
)
"""What zipfile makes of damaged archives, and of encrypted ones."""


def read_file(path: Path) -> bytes:
    """The bytes of a regular file. Raises InputError for anything else, or when it passes the bounds."""
    try:
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):
            raise InputError(f"{path}: not a file (list the files in it one by one)")
        if state.st_size > FILE_BYTES:
            raise too_large(path, f"{state.st_size:,} bytes", f"{FILE_BYTES:,}")
        return path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def too_large(path: object, what: str, bound: str) -> InputError:
    """The error for what passes a bound."""
    return InputError(
        f"{path}: {what}, more than the bound of {bound} (split it, or take out what is no text)"
    )


class Archive:
    """A zip file read within the bounds. Members are given by their names as stored."""

    def __init__(self, data: bytes, where: str) -> None:
        self.where = where
        self.read_bytes = 0
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self.infos = [info for info in self._zip.infolist() if info.filename.strip("/")]
            self.infos = [info for info in self.infos if not info.is_dir()]
        except (*_BROKEN, IndexError, OverflowError) as error:
            raise InputError(f"{where}: a broken archive: {one_line(error)} (get it again)") from None
        if len(self.infos) > ENTRIES:
            raise too_large(where, f"{len(self.infos):,} entries", f"{ENTRIES:,}")
        self._by_name = {info.filename: info for info in self.infos}

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[zipfile.ZipInfo]:
        return iter(self.infos)

    def read(self, name: str | zipfile.ZipInfo) -> bytes:
        """A member's bytes. What its header says of its size is not believed.

        Raises InputError, naming archive and member, for a broken, encrypted or too large one.
        """
        info = self._by_name.get(name) if isinstance(name, str) else name
        if info is None:
            raise InputError(f"{self.where}: {name} is not in it (the file is damaged: get it again)")
        label = f"{self.where}: {printable(info.filename)}"
        parts: list[bytes] = []
        size = 0
        try:
            with self._zip.open(info) as stream:
                while chunk := stream.read(_CHUNK):
                    parts.append(chunk)
                    size += len(chunk)
                    self._check(label, size, info.compress_size)
        except InputError:
            raise
        except _BROKEN as error:
            raise InputError(f"{label}: cannot be unpacked: {one_line(error)} (get the file again)") from None
        self.read_bytes += size
        return b"".join(parts)

    def _check(self, label: str, size: int, packed: int) -> None:
        if size > MEMBER_BYTES:
            raise too_large(label, "unpacks to too much", f"{MEMBER_BYTES:,} bytes")
        if self.read_bytes + size > TOTAL_BYTES:
            raise too_large(self.where, "unpacks to too much", f"{TOTAL_BYTES:,} bytes")
        if size > RATIO_FROM and size > RATIO * max(packed, 1):
            raise too_large(label, f"unpacks to more than {RATIO} times its size", f"{RATIO}")


def printable(name: str) -> str:
    """A name without the characters that would break a line of a message."""
    return "".join(c if c.isprintable() else "?" for c in name)[:120]


def one_line(error: object) -> str:
    """An error's words on one line."""
    return " ".join(printable(str(error).replace("\n", " ")).split()) or type(error).__name__
