"""Plain text in any of the encodings such texts come in."""

from __future__ import annotations

import codecs

from kb.errors import InputError
from kb.profile import SourceSpec
from kb.text import Text

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Control bytes that texts of DOS word processors do hold: tab, line ends, page feed, DC4, end of file.
_TEXT_CONTROLS = frozenset(b"\t\n\r\f\x0b\x14\x15\x1a\x1b\x01\x02\x04\x0e\x0f\x10\x11\x12\x13")


def read(data: bytes, spec: SourceSpec) -> tuple[Text, str]:
    """Decode with the encoding that ``sources.toml`` names, else a detected one.

    Returns the Text and the encoding's name. Raises InputError for binary data and for an encoding that
    is unknown or does not fit.
    """
    encoding = spec.encoding or detect(data, spec)
    try:
        codec = codecs.lookup(encoding)
    except LookupError:
        raise InputError(
            f"{spec.path}: unknown encoding {encoding!r} (give one that Python knows, such as utf-8, cp866, "
            "cp1251 or koi8-r, in sources.toml)"
        ) from None
    try:
        value = data.decode(codec.name)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{spec.path}: not {encoding}: byte {error.start} does not fit "
            "(set the right encoding in sources.toml)"
        ) from None
    return Text(value, spec.name), codec.name


def detect(data: bytes, spec: SourceSpec) -> str:
    """The encoding of the bytes: by a byte order mark, as UTF-8 when valid, else by chardet's guess."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            return name
    if _binary(data):
        raise InputError(f"{spec.path}: binary data, no text (a scan in another format needs its own suffix)")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8"
    import chardet  # not on the path of a corpus in UTF-8

    guess = chardet.detect(data[:200_000])["encoding"]
    if not guess:
        raise InputError(
            f'{spec.path}: encoding not recognised (name it in sources.toml: encoding = "cp866")'
        )
    return str(guess)


def _binary(data: bytes) -> bool:
    head = data[:65536]
    if b"\0" in head:
        return True
    odd = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head)
    return odd * 100 > len(head)
