"""Zip archives of sources: each member by its own reader, in the order of their names."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from kb.errors import InputError
from kb.lang import codepages
from kb.profile import SourceSpec
from kb.read import bounds, formats
from kb.read.extract import Extract, WordBox
from kb.runs import join
from kb.text import WALL, Text

_UTF8 = 0x800
_BETWEEN = f"\n{WALL}\n"
_DIGITS = re.compile(r"(\d+)")
_LITTER = ("__MACOSX/", ".")


def read(data: bytes, spec: SourceSpec, depth: int = 0) -> Extract:
    """The texts of all members, a page gap between them: nothing runs from one file into the next.

    Raises InputError for a damaged archive, one beyond the bounds, and one without a readable member.
    """
    where = str(spec.path)
    if depth >= bounds.DEPTH:
        raise bounds.too_large(where, "archives in archives in archives", f"{bounds.DEPTH}")
    parts: list[Extract] = []
    skipped: list[str] = []
    for name, info, archive in members(data, where):
        path = spec.path / name
        member = replace(spec, path=path)
        if path.suffix.lower() not in formats.READERS:
            skipped.append(name)
            continue
        content = archive.read(info)
        if not content.strip():
            skipped.append(name)
        elif path.suffix.lower() == ".zip":
            parts.append(read(content, member, depth + 1))
        else:
            parts.append(formats.reader_for(member)(content, member))
    if not parts:
        raise InputError(f"{where}: no member that can be read (known: {', '.join(sorted(formats.READERS))})")
    notes = (f"members that are no texts, left out: {', '.join(skipped[:20])}",) if skipped else ()
    return _joined(parts, spec, notes)


def members(data: bytes, where: str) -> list[tuple[str, zipfile.ZipInfo, bounds.Archive]]:
    """Members by name, read as people read it (2 before 10), with what `Archive.read` takes.

    Raises InputError for a damaged archive or too many entries.
    """
    archive = bounds.Archive(data, where)
    found = [(member_name(info), info) for info in archive]
    kept = [(name, info) for name, info in found if not name.startswith(_LITTER)]
    kept.sort(key=lambda one: (_natural(one[0]), one[1].header_offset))
    return [(name, info, archive) for name, info in kept]


def member_name(info: zipfile.ZipInfo) -> str:
    """A member's name. Names without the UTF-8 flag are bytes of some code page, which zipfile took for
    CP437: they are UTF-8 where valid, else the Russian page that reads best, CP866 before others.

    A safe relative path: no root, no ``..``, no control characters.
    """
    name = info.filename
    if not info.flag_bits & _UTF8 and not name.isascii():
        try:
            stored = name.encode("cp437")
        except UnicodeEncodeError:
            stored = b""
        name = _decoded(stored) if stored else name
    steps = PurePosixPath(name.replace("\\", "/")).parts
    safe = [bounds.printable(step) for step in steps if step not in ("/", "..", ".")]
    return "/".join(safe) or "unnamed"


def _decoded(stored: bytes) -> str:
    try:
        return stored.decode("utf-8")
    except UnicodeDecodeError:
        pass
    (best, page), *_ = codepages.ranked(stored)
    return stored.decode("cp866" if codepages.cost(stored.decode("cp866")) <= best + 1 else page)


def _natural(name: str) -> list[tuple[int, int, str]]:
    """A key under which ``2.txt`` stands before ``10.txt``."""
    return [
        (0, int(part[:18]), part) if part.isdigit() and part.isascii() else (1, 0, part.casefold())
        for part in _DIGITS.split(name)
        if part
    ]


def _joined(parts: list[Extract], spec: SourceSpec, notes: tuple[str, ...]) -> Extract:
    if len(parts) == 1:
        return replace(parts[0], notes=parts[0].notes + notes)
    weakest = min(parts, key=lambda part: part.margin)
    encodings = list(dict.fromkeys(part.encoding for part in parts))
    texts = list(_shifted(parts, spec))
    edits = tuple(edit for text in texts for edit in text.edits)
    joined = join(texts, spec.name)
    boxes: list[WordBox] = []
    at = page = 0
    pages = []
    for part in parts:
        boxes += [replace(b, start=b.start + at, end=b.end + at, page=b.page + page) for b in part.boxes]
        pages += [replace(p, number=p.number + page) for p in part.pages]
        page += len(part.pages)
        at += len(part.raw) + len(_BETWEEN)
    return Extract(
        _BETWEEN.join(part.raw for part in parts),
        Text(joined.value, spec.name, joined.starts, joined.ends, edits),
        ", ".join(encodings),
        weakest.margin,
        weakest.rival,
        notes + tuple(note for part in parts for note in part.notes),
        tuple(pages),
        tuple(boxes),
    )


def _shifted(parts: list[Extract], spec: SourceSpec) -> Iterator[Text]:
    """The texts of the parts with their places in the joined source, the gaps between them."""
    from array import array

    at = 0
    for number, part in enumerate(parts):
        if number:
            yield Text(
                _BETWEEN,
                spec.name,
                array("q", range(at, at + len(_BETWEEN))),
                array("q", range(at + 1, at + 1 + len(_BETWEEN))),
            )
            at += len(_BETWEEN)
        text = part.text
        yield Text(
            text.value,
            spec.name,
            array("q", (place + at for place in text.starts)),
            array("q", (place + at for place in text.ends)),
            tuple(edit._replace(start=edit.start + at, end=edit.end + at) for edit in text.edits),
        )
        at += len(part.raw)
