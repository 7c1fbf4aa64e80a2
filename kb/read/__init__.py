"""Readers: one a format, bytes -> Extract. The only place that opens a source."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from dataclasses import dataclass

from kb.errors import InputError
from kb.model import Finding, Strip
from kb.profile import SourceSpec
from kb.read import bounds
from kb.read.extract import Extract, PageImage, WordBox
from kb.read.formats import READERS, Reader, reader_for
from kb.text import Text

_LINE_END = re.compile("\n")
_UNSURE = 0.15
"""Margin of an encoding's guess, below which a person should look."""


@dataclass(frozen=True, slots=True)
class Received:
    """A source as received: its text, how it was read, the hash of its bytes.

    ``raw`` is the source as text, what lines and positions count in: a decoded file, or the words a
    document shows. ``text`` is ``raw`` with the readers' own edits (a site's navigation), ready for repair.
    """

    spec: SourceSpec
    raw: str
    text: Text
    encoding: str
    sha256: str
    encoding_margin: float = 1.0
    """0 a toss, 1 certain or stated in ``sources.toml``."""
    findings: tuple[Finding, ...] = ()
    pages: tuple[PageImage, ...] = ()
    """Page images of a scan, as read."""
    boxes: tuple[WordBox, ...] = ()
    """Where the words of ``raw`` stand on them, in the order of the text."""


def read(spec: SourceSpec) -> Received:
    """Read one source of the corpus.

    Raises InputError, naming the file and what to do, when it is missing, empty, too large, of an unknown
    format, binary, in an unknown encoding, damaged so that nothing can be read, or has another sha256 than
    ``sources.toml`` states; MissingExtra when a package is needed to read it.
    """
    try:
        data = bounds.read_file(spec.path)
    except FileNotFoundError:
        raise InputError(
            f"{spec.path}: not there, but listed in sources.toml (put it back, or take its [[source]] out)"
        ) from None
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
    return received(data, spec, digest)


def received(data: bytes, spec: SourceSpec, digest: str) -> Received:
    """The same for bytes at hand, whose hash is ``digest``."""
    extract = reader_for(spec)(data, spec)
    if not extract.raw.strip():
        raise InputError(
            f"{spec.path}: no text in it (pages that are pictures need a suffix of images, or .pdf)"
        )
    return Received(
        spec,
        extract.raw,
        extract.text,
        extract.encoding,
        digest,
        extract.margin,
        tuple(_findings(spec, extract)),
        extract.pages,
        extract.boxes,
    )


def _findings(spec: SourceSpec, extract: Extract) -> list[Finding]:
    found = []
    if extract.margin < _UNSURE:
        rival = f", {extract.rival} comes next" if extract.rival else ""
        found.append(
            Finding(
                "encoding",
                f"read as {extract.encoding}, margin {extract.margin:.2f}{rival} "
                f'(state it in sources.toml: encoding = "{extract.encoding}")',
                None,
                spec.name,
            )
        )
    found += [Finding("reading", note, None, spec.name) for note in extract.notes]
    return found


def strips(source: Received) -> tuple[Strip, ...]:
    """For each line that was read from a picture, its strip of the page; none for any other source."""
    if not source.boxes:
        return ()
    from kb.read import image  # a picture was read, so what it needs is there

    ends = [m.start() for m in _LINE_END.finditer(source.raw)]
    lines: dict[tuple[int, int], list[WordBox]] = {}
    for box in source.boxes:
        lines.setdefault((box.page, bisect_right(ends, box.start) + 1), []).append(box)
    found = []
    for page in source.pages:
        own = {line: boxes for (number, line), boxes in lines.items() if number == page.number}
        for line, (edges, png) in image.strips(page, own).items():
            words = tuple((b.start, b.end, b.left, b.top, b.right, b.bottom) for b in own[line])
            found.append(Strip(source.spec.name, line, page.number, edges, words, png))
    return tuple(found)


__all__ = ["READERS", "Extract", "PageImage", "Reader", "Received", "WordBox", "read", "received", "strips"]
