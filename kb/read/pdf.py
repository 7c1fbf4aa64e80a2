"""PDF: its text layer where it has one, else its pages as pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kb.errors import InputError, MissingExtra
from kb.profile import SourceSpec
from kb.read import bounds
from kb.read.extract import Extract, one_flow
from kb.text import Text

if TYPE_CHECKING:
    from PIL.Image import Image

_SCALE = 300 / 72
_SCANNED = 20
"""Letters of a page below which its text layer is none, when it shows a picture."""
_HYPHEN = re.compile("[\x02\ufffe](?:\r?\n)?")


def read(data: bytes, spec: SourceSpec) -> Extract:
    """The words of all pages, lines as they are set; pages without a text layer are read by Tesseract.

    Raises InputError for a damaged or encrypted file or one beyond the bounds, MissingExtra without
    pypdfium2 (for scanned pages also without what images need).
    """
    where = str(spec.path)
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtra(f'{where}: PDF needs pypdfium2 (pip install "lawkb[pdf]")') from None
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise InputError(
            f"{where}: not a readable PDF: {bounds.one_line(error)} (get it again, without a password)"
        ) from None
    try:
        count = len(document)
        if count > bounds.PAGES:
            raise bounds.too_large(where, f"{count} pages", f"{bounds.PAGES}")
        texts = [_page_text(document, number, where) for number in range(count)]
        if count and all(text is None for text in texts):
            return _scanned(document, range(count), spec, where)
        pictures = [number for number, text in enumerate(texts) if text is None]
        extract = _mixed(document, texts, spec, where) if pictures else _layer([t or "" for t in texts], spec)
    finally:
        document.close()
    if pictures:
        shown = ", ".join(str(number + 1) for number in pictures[:20])
        extract = replace(extract, notes=(f"pages without a text layer, read by Tesseract: {shown}",))
    return extract


def _page_text(document: Any, number: int, where: str) -> str | None:
    """The text layer of a page; None for a picture of one."""
    from pypdfium2 import PdfiumError, raw

    try:
        page = document[number]
        words = page.get_textpage()
        said = str(words.get_text_range()).replace("\r\n", "\n").replace("\r", "\n")
        words.close()
        picture = len(said.split()) < _SCANNED and any(
            True for _ in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3)
        )
        page.close()
    except PdfiumError as error:
        raise InputError(f"{where}: page {number + 1} cannot be read: {bounds.one_line(error)}") from None
    return None if picture else _HYPHEN.sub("-\n", said).rstrip() + "\n"


def _layer(texts: list[str], spec: SourceSpec) -> Extract:
    raw = "".join(texts)
    return Extract(raw, Text(raw, spec.name), "pdf text layer")


def _scanned(document: Any, numbers: range, spec: SourceSpec, where: str) -> Extract:
    from kb.read import image

    return image.ocr(_pictures(document, numbers, where), spec, where)


def _pictures(document: Any, numbers: range, where: str) -> Iterator[Image]:
    from pypdfium2 import PdfiumError

    try:
        import PIL  # noqa: F401
    except ImportError:
        raise MissingExtra(f'{where}: scanned pages need Pillow (pip install "lawkb[ocr]")') from None
    for number in numbers:
        try:
            page = document[number]
            width, height = page.get_size()
            pixels = width * height * _SCALE**2
            if pixels > bounds.PIXELS:
                raise bounds.too_large(
                    where, f"page {number + 1} of {pixels:,.0f} pixels", f"{bounds.PIXELS:,}"
                )
            bitmap = page.render(scale=_SCALE, grayscale=True)
            yield bitmap.to_pil().convert("L")
            page.close()
        except PdfiumError as error:
            raise InputError(
                f"{where}: page {number + 1} cannot be drawn: {bounds.one_line(error)}"
            ) from None


def _mixed(document: Any, texts: list[str | None], spec: SourceSpec, where: str) -> Extract:
    """Pages with a text layer and pages without, in their order."""
    raw = ""
    pages: list[Any] = []
    boxes: list[Any] = []
    name = ""
    for number, text in enumerate(texts):
        if text is None:
            part = _scanned(document, range(number, number + 1), spec, where)
            name = part.encoding
            boxes += [
                replace(b, start=b.start + len(raw), end=b.end + len(raw), page=b.page + len(pages))
                for b in part.boxes
            ]
            pages += [replace(p, number=p.number + len(pages)) for p in part.pages]
            raw += part.raw
        else:
            raw += text
    return Extract(
        raw, one_flow(Text(raw, spec.name)), f"pdf text layer, {name}", pages=tuple(pages), boxes=tuple(boxes)
    )
