"""Pages as they were photographed -> pages as Tesseract likes them: upright, straight, one at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from PIL.Image import Image

_BOX = 4
"""Pillow's name for the mean of all pixels a new one covers."""
_STEEPEST = 7.0
"""Degrees a page may lie askew."""
_SMALL = 700
"""Pixels of the longer side of the copy on which the slope is measured."""
_GUTTER = (0.4, 0.6)
"""Where the fold between two facing pages lies, as shares of the width."""
_LEAST = 1400
"""Pixels below which a page is enlarged: small letters are read badly."""


class Turner(Protocol):
    """What can tell how a page must be turned."""

    def turn(self, image: Image) -> int:
        """Degrees clockwise, 0, 90, 180 or 270, by which the page must be turned to be upright."""
        ...


def upright(image: Image, turner: Turner) -> Iterator[Image]:
    """The page or the two facing pages of a photograph, upright and straight, in grey."""
    image = enlarged(image)
    degrees = turner.turn(image)
    if degrees:
        image = image.rotate(-degrees, expand=True, fillcolor=255)
    for page in split(image):
        yield straight(page)


def enlarged(image: Image) -> Image:
    """A small picture twice or three times as large."""
    from PIL import Image

    longer = max(image.size)
    factor = min(3, -(-_LEAST // longer)) if 0 < longer < _LEAST else 1
    return (
        image
        if factor == 1
        else image.resize((image.width * factor, image.height * factor), Image.Resampling.LANCZOS)
    )


def split(image: Image) -> list[Image]:
    """Two facing pages, left and right; or the one page it is.

    Two pages lie side by side where a wide picture has, near its middle, a column without ink from top to
    bottom, or the dark fold, and lines of text to both sides of it.
    """
    if image.width < image.height * 1.05:
        return [image]
    ink = columns(image)
    left, right = (int(len(ink) * share) for share in _GUTTER)
    blank = max(2, len(ink) // 60)
    low = max(2.0, max(ink) * 0.02)
    fold = _fold(ink[left:right], blank, low)
    if fold is None or not _text_both_sides(ink, left + fold, low):
        return [image]
    at = (left + fold) * image.width // len(ink)
    return [image.crop((0, 0, at, image.height)), image.crop((at, 0, image.width, image.height))]


def straight(image: Image) -> Image:
    """The page turned by the few degrees under which its lines stand out most."""
    from PIL import Image as images

    degrees = slope(image)
    return (
        image
        if abs(degrees) < 0.15
        else image.rotate(degrees, expand=True, fillcolor=255, resample=images.Resampling.BICUBIC)
    )


def slope(image: Image) -> float:
    """Degrees counter-clockwise that set the lines level: whole degrees first, then tenths."""
    small = _ink(image)
    best = max(
        _range(-_STEEPEST, _STEEPEST, 1.0), key=lambda degrees: (_contrast(small, degrees), -abs(degrees))
    )
    near = _range(best - 0.9, best + 0.9, 0.1)
    return max(near, key=lambda degrees: (_contrast(small, degrees), -abs(degrees)))


def columns(image: Image) -> list[float]:
    """Mean ink (0..255) of each column of a small copy."""
    small = _ink(image)
    return _means(small.resize((small.width, 1), _BOX))


def _ink(image: Image) -> Image:
    """A small copy in which ink is light and paper black, whatever the paper's grey."""
    from PIL import Image, ImageChops, ImageFilter

    small = image.copy()
    small.thumbnail((_SMALL, _SMALL), Image.Resampling.BOX)
    paper = small.filter(ImageFilter.MaxFilter(9)).filter(ImageFilter.BoxBlur(8))
    return ImageChops.subtract(paper, small)


def _contrast(ink: Image, degrees: float) -> float:
    from PIL import Image as images

    turned = ink.rotate(degrees, resample=images.Resampling.BILINEAR)
    rows = _means(turned.resize((1, turned.height), _BOX))
    return sum((a - b) ** 2 for a, b in itertools.pairwise(rows))


def _means(line: Image) -> list[float]:
    return [float(value) for value in line.tobytes()]


def _range(low: float, high: float, step: float) -> list[float]:
    return [round(low + step * n, 2) for n in range(round((high - low) / step) + 1)]


def _fold(ink: list[float], width: int, low: float) -> int | None:
    """The middle of the widest run of nearly blank columns; None when none is wide enough."""
    best: tuple[int, int] | None = None
    start = 0
    for at, value in enumerate([*ink, 255.0]):
        if value > low:
            if at - start >= width and (best is None or at - start > best[1] - best[0]):
                best = (start, at)
            start = at + 1
    return (best[0] + best[1]) // 2 if best else None


def _text_both_sides(ink: list[float], fold: int, low: float) -> bool:
    sides = ink[:fold], ink[fold:]
    return all(sum(value > low for value in side) * 2 >= len(side) for side in sides)
