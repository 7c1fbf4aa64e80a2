"""Text as mail and other programs carry it: quoted-printable, base64, signs by their numbers."""

from __future__ import annotations

import base64
import binascii
import quopri
import re
from urllib.parse import unquote_to_bytes

_QUOTED = re.compile(rb"=(?:[0-9A-Fa-f]{2}|\r?\n)")
_CODED = re.compile(rb"\s*(?:[A-Za-z0-9+/]{60,76}\r?\n){4,}[A-Za-z0-9+/]{0,76}={0,2}\s*\Z")
_HEADED = re.compile(rb"(?is)[\w-]+:[^\n]*\n.*?^content-transfer-encoding:\s*base64.*?\n\r?\n", re.M)
_ESCAPED = re.compile(rb"(?:\\u[0-9A-Fa-f]{4})+")
_PERCENT = re.compile(rb"%[0-9A-Fa-f]{2}")
_SOFT = re.compile(rb"=\r?\n")
_LEAST = 30
"""Signs written by their number, from which on a text without any other is quoted-printable."""
_SHARE = 12
"""One byte of so many begins a sign written by its number, at least; fewer where long lines are broken."""
_LONGEST = 76
"""Bytes of a line of it."""


def unwrapped(data: bytes) -> tuple[bytes, str]:
    """The bytes that a letter carried, and how it did, "" where data is no such text.

    Only ASCII is; the head of a letter stays above. A text that speaks of ``=20`` here and there stays as
    it is.
    """
    if not data.isascii():
        return data, ""
    headed = _HEADED.match(data)
    start = headed.end() if headed else 0
    if _CODED.match(data, start):
        try:
            body = base64.b64decode(b"".join(data[start:].split()), validate=True)
            return data[:start] + body, "base64"
        except binascii.Error:
            return data, ""
    if len(_ESCAPED.findall(data)) >= _LEAST and data.count(b"\\u") * 4 * _SHARE >= len(data):
        return _ESCAPED.sub(_unescaped, data), "escapes"
    if len(_PERCENT.findall(data)) >= _LEAST and data.count(b"%") * _SHARE >= len(data):
        return unquote_to_bytes(data), "an address"
    signs = data.count(b"=")
    quoted = len(_QUOTED.findall(data)) if signs >= _LEAST else 0
    if quoted >= _LEAST and quoted * 20 >= signs * 19 and (signs * _SHARE >= len(data) or _broken(data)):
        return quopri.decodestring(data), "quoted-printable"
    return data, ""


def _unescaped(match: re.Match[bytes]) -> bytes:
    """``\\u041f`` -> the letter in UTF-8; two halves of a sign beyond them are put together."""
    units = bytes.fromhex(match.group().decode("ascii").replace("\\u", ""))
    return units.decode("utf-16-be", "replace").encode()


def _broken(data: bytes) -> bool:
    """Long lines are broken as mail breaks them."""
    return len(_SOFT.findall(data)) >= 3 and all(len(line) <= _LONGEST for line in data.splitlines())
