"""Readers: one a format, bytes -> Text. The only place that opens a source."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kb.errors import InputError
from kb.profile import SourceSpec
from kb.read import plain
from kb.text import Text

Reader = Callable[[bytes, SourceSpec], tuple[Text, str]]

READERS: Mapping[str, Reader] = {".txt": plain.read, ".text": plain.read, ".asc": plain.read}
"""File suffix, lower case, to its reader. A new format is a module here and a line in this table."""


@dataclass(frozen=True, slots=True)
class Received:
    """A source as received: the decoded text, what it was decoded with, the hash of its bytes."""

    spec: SourceSpec
    text: Text
    encoding: str
    sha256: str


def read(spec: SourceSpec) -> Received:
    """Read one source of the corpus.

    Raises InputError, naming the file and what to do, when it is missing, empty, of an unknown format,
    binary, in an unknown encoding, or has another sha256 than ``sources.toml`` states.
    """
    try:
        data = spec.path.read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"{spec.path}: not there, but listed in sources.toml (put it back, or take its [[source]] out)"
        ) from None
    except OSError as error:
        raise InputError(f"{spec.path}: cannot be read: {error.strerror}") from None
    if not data.strip():
        raise InputError(
            f"{spec.path}: empty (put the scan back, or take its [[source]] out of sources.toml)"
        )
    digest = hashlib.sha256(data).hexdigest()
    if spec.sha256 and digest != spec.sha256.lower():
        raise InputError(
            f"{spec.path}: its sha256 is {digest[:12]}…, sources.toml says {spec.sha256[:12]}… "
            "(scans are never edited: restore the file, or state the new hash)"
        )
    reader = READERS.get(spec.path.suffix.lower())
    if reader is None:
        raise InputError(
            f"{spec.path}: no reader for {spec.path.suffix or 'a file without a suffix'} "
            f"(known: {', '.join(sorted(READERS))})"
        )
    text, encoding = reader(data, spec)
    return Received(spec, text, encoding, digest)
