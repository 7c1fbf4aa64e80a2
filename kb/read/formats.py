"""Which reader a file gets. A new format is a module beside this one and a line in ``READERS``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from kb.errors import InputError
from kb.profile import SourceSpec
from kb.read.extract import Extract

Reader = Callable[[bytes, SourceSpec], Extract]

READERS: Mapping[str, str] = {
    ".txt": "plain",
    ".text": "plain",
    ".asc": "plain",
    ".md": "plain",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".fb2": "fb2",
    ".epub": "epub",
    ".docx": "docx",
    ".odt": "odt",
    ".rtf": "rtf",
    ".pdf": "pdf",
    ".png": "image",
    ".jpg": "image",
    ".jpeg": "image",
    ".tif": "image",
    ".tiff": "image",
    ".bmp": "image",
    ".webp": "image",
    ".zip": "archive",
}
"""File suffix, lower case, to the module of ``kb.read`` whose ``read`` reads it; imported when it is used."""


def reader_for(spec: SourceSpec) -> Reader:
    """The reader of a source. Raises InputError for a suffix that has none."""
    suffix = spec.path.suffix.lower()
    if suffix not in READERS:
        raise InputError(
            f"{spec.path}: no reader for {suffix or 'a file without a suffix'} "
            f"(known: {', '.join(sorted(READERS))})"
        )
    reader: Reader = import_module(f"kb.read.{READERS[suffix]}").read
    return reader
