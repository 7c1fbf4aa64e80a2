"""Photographs and scans of pages, read by Tesseract; every word keeps its box on the page."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kb.errors import InputError, MissingExtra
from kb.profile import SourceSpec
from kb.read import bounds
from kb.read.extract import Extract, PageImage, WordBox
from kb.text import Text

if TYPE_CHECKING:
    from PIL.Image import Image


def read(data: bytes, spec: SourceSpec) -> Extract:
    """The words of the page or pages: turned upright, straightened, two facing pages taken apart.

    ``pages`` of the result are the images as they were read, ``boxes`` where each word stands on them.
    Raises InputError for a damaged image or one beyond the bounds, MissingExtra without Pillow, Tesseract
    or its data for the language.
    """
    where = str(spec.path)
    return ocr(frames(data, where), spec, where)


def frames(data: bytes, where: str) -> Iterator[Image]:
    """The images of a file, one after another, turned as their EXIF data say, in grey."""
    try:
        from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError
    except ImportError:
        raise MissingExtra(f'{where}: images need Pillow (pip install "lawkb[ocr]")') from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of sizes: the bound below is what counts
            with Image.open(io.BytesIO(data)) as image:
                if getattr(image, "n_frames", 1) > bounds.PAGES:
                    raise bounds.too_large(where, "too many pages", f"{bounds.PAGES}")
                if image.width * image.height > bounds.PIXELS:
                    raise bounds.too_large(
                        where, f"{image.width} x {image.height} pixels", f"{bounds.PIXELS:,}"
                    )
                for frame in ImageSequence.Iterator(image):
                    if frame.width * frame.height > bounds.PIXELS:
                        raise bounds.too_large(
                            where, f"{frame.width} x {frame.height} pixels", f"{bounds.PIXELS:,}"
                        )
                    yield ImageOps.exif_transpose(_on_white(frame)).convert("L")
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
        raise InputError(f"{where}: not a readable image: {bounds.one_line(error)} (get it again)") from None
    except (EOFError, KeyError, IndexError, TypeError, OverflowError, ArithmeticError) as error:
        # What decoders make of damaged files.
        raise InputError(f"{where}: a damaged image: {bounds.one_line(error)} (get it again)") from None


def ocr(images: Iterator[Image], spec: SourceSpec, where: str) -> Extract:
    """Read the pages in turn; a sentence may run from one into the next."""
    from kb.read import pages, tesseract

    engine = tesseract.Engine(spec.lang, where, spec.cache)
    pieces: list[str] = []
    boxes: list[WordBox] = []
    shown: list[PageImage] = []
    at = 0
    for image in images:
        for page in pages.upright(image, engine):
            found = engine.words(page)
            number = len(shown) + 1
            text, places = tesseract.lines(found)
            boxes += [WordBox(a + at, b + at, number, *box) for a, b, box in places]
            shown.append(PageImage(number, page.width, page.height, png(page)))
            pieces.append(text)
            at += len(text)
    raw = "".join(pieces)
    return Extract(raw, Text(raw, spec.name), engine.name, pages=tuple(shown), boxes=tuple(boxes))


def png(image: Image) -> bytes:
    """A grey image as PNG; the same bytes for the same image."""
    out = io.BytesIO()
    image.save(out, "PNG", optimize=False, compress_level=6)
    return out.getvalue()


def strips(
    page: PageImage, lines: dict[int, list[WordBox]], margin: int = 8
) -> dict[int, tuple[tuple[int, int, int, int], bytes]]:
    """For each line the part of the page that holds its words, over the whole width: its box, and PNG."""
    from PIL import Image

    found = {}
    with Image.open(io.BytesIO(page.png)) as image:
        for line, boxes in lines.items():
            top = max(0, min(box.top for box in boxes) - margin)
            bottom = min(page.height, max(box.bottom for box in boxes) + margin)
            box = (0, top, page.width, bottom)
            found[line] = (box, png(image.crop(box)))
    return found


def _on_white(frame: Image) -> Image:
    """A frame without transparency; what was behind it is paper."""
    from PIL import Image

    if frame.mode not in ("RGBA", "LA", "PA") and "transparency" not in frame.info:
        return frame.copy()
    solid = frame.convert("RGBA")
    paper = Image.new("RGBA", solid.size, "white")
    paper.alpha_composite(solid)
    paper.info = dict(frame.info)
    return paper.convert("L")
