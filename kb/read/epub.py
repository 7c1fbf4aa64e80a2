"""EPUB: the chapters of a book in reading order, each read as HTML."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from urllib.parse import unquote

from kb.errors import InputError
from kb.profile import SourceSpec
from kb.read import bounds, html, xmltree
from kb.read.extract import Extract, Writer

_CONTAINER = "META-INF/container.xml"
_PAGES = ("application/xhtml+xml", "text/html")


def read(data: bytes, spec: SourceSpec) -> Extract:
    """All chapters of the spine. A note in another file is put below the paragraph that calls for it.

    Nothing outside the book is opened. Raises InputError for a damaged or protected book and one beyond
    the bounds.
    """
    where = str(spec.path)
    book = bounds.Archive(data, where)
    if "META-INF/encryption.xml" in book and b"EncryptedData" in book.read("META-INF/encryption.xml"):
        raise InputError(f"{where}: parts of it are encrypted (get a copy without protection)")
    chapters = {name: book.read(name) for name in _spine(book, where)}
    chapter_spec = replace(spec, encoding="")
    soups = {}
    encoding = "utf-8"
    for name, page in chapters.items():
        value, encoding, _, _ = html.decode(page, chapter_spec)
        soups[name] = html.soup_of(value, f"{where}: {bounds.printable(name)}")
    writer = Writer()
    for soup in soups.values():
        writer.line_end(blank=True)
        html.Walk(writer).document(soup)
    return writer.extract(spec.name, encoding)


def _spine(book: bounds.Archive, where: str) -> list[str]:
    """Names of the chapters, in reading order; what only lists them (the navigation) left out."""
    container = xmltree.parse(book.read(_CONTAINER), f"{where}: {_CONTAINER}")
    package = next((e.get("full-path", "") for e in container.iter("rootfile")), "")
    root = xmltree.parse(book.read(package), f"{where}: {bounds.printable(package)}")
    items = {item.get("id"): item for item in root.iter("item")}
    names = []
    for reference in root.iter("itemref"):
        item = items.get(reference.get("idref"))
        if (
            item is None
            or item.get("media-type") not in _PAGES
            or "nav" in item.get("properties", "").split()
        ):
            continue
        name = posixpath.normpath(posixpath.join(posixpath.dirname(package), unquote(item.get("href", ""))))
        if name not in names:
            names.append(name)
    if not names:
        raise InputError(f"{where}: no chapters in it (the book's list of contents is damaged)")
    return names
