"""``python tools/icons.py``: the icons of the site as PNG, drawn from ``favicon.svg``, into the theme."""

from __future__ import annotations

import os
import re
import struct
import sys
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

Point = tuple[float, float]
Colour = tuple[int, int, int]
Run = tuple[int, float]

THEME = Path(__file__).parent.parent / "kb" / "publish" / "theme"
ICONS = {"icon-192.png": (192, False), "icon-mask-512.png": (512, True)}
"""Name -> pixels of a side, and whether the ground goes to the edge. ``kb/publish/offline.py`` names them."""
_SUB = 4
"""Lines of a pixel that are looked at, for smooth edges."""
_PIECES = 12
"""Straight pieces a curve is made of."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def png(svg: str, size: int, bleed: bool = False) -> bytes:
    """A square PNG of ``size`` pixels. With ``bleed`` the ground goes to the edge and the sign is smaller,
    so that a system may cut any shape out of it.

    Reads of the drawing what our own has: the size of the view, a rounded rect, one path of absolute M, L, C
    and Z, a fill each as ``#rrggbb``.
    """
    side = float(_NUMBER.findall(_one(r'viewBox="([^"]*)"', svg))[2])
    ground, sign = (_colour(value) for value in re.findall(r'fill="#(\w{6})"', svg))
    radius = 0.0 if bleed else float(_one(r'rx="([^"]*)"', svg))
    path = _outline(_one(r' d="([^"]*)"', svg))
    scale = size / side
    shrink, shift = (0.75, side / 8) if bleed else (1.0, 0.0)
    inner = [((x * shrink + shift) * scale, (y * shrink + shift) * scale) for x, y in path]
    outer = [(x * scale, y * scale) for x, y in _rounded(side, radius)]
    rows = bytearray()
    for base, mark in zip(_coverage(outer, size), _coverage(inner, size), strict=True):
        rows.append(0)
        for (at, inside, marked), (end, _, _) in pairwise(_together(base, mark, size)):
            rows += _pixel(inside, marked, ground, sign) * (end - at)
    head = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(rows), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _one(pattern: str, text: str) -> str:
    return re.findall(pattern, text)[0]  # type: ignore[no-any-return]


def _colour(digits: str) -> Colour:
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)


@lru_cache(1024)
def _pixel(base: float, mark: float, ground: Colour, sign: Colour) -> bytes:
    mixed = (round(g + (s - g) * mark) for g, s in zip(ground, sign, strict=True))
    return bytes((*mixed, round(255 * base)))


def _outline(path: str) -> list[Point]:
    points: list[Point] = []
    for command, numbers in re.findall(r"([MLCZ])([^MLCZ]*)", path):
        values = [float(value) for value in _NUMBER.findall(numbers)]
        given = list(zip(values[::2], values[1::2], strict=True))
        if command == "C":
            points += _curve(points[-1], *given)
        elif command != "Z":
            points += given
    return points


def _curve(a: Point, b: Point, c: Point, d: Point) -> Iterator[Point]:
    for n in range(1, _PIECES + 1):
        t = n / _PIECES
        u = 1 - t
        weights = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
        yield (
            sum(w * p[0] for w, p in zip(weights, (a, b, c, d), strict=True)),
            sum(w * p[1] for w, p in zip(weights, (a, b, c, d), strict=True)),
        )


def _rounded(side: float, radius: float) -> list[Point]:
    """A square with round corners; each corner one curve."""
    k = radius * 0.4477
    points: list[Point] = [(radius, 0.0), (side - radius, 0.0)]
    points += _curve(points[-1], (side - k, 0.0), (side, k), (side, radius))
    points.append((side, side - radius))
    points += _curve(points[-1], (side, side - k), (side - k, side), (side - radius, side))
    points.append((radius, side))
    points += _curve(points[-1], (k, side), (0.0, side - k), (0.0, side - radius))
    points.append((0.0, radius))
    points += _curve(points[-1], (0.0, k), (k, 0.0), (radius, 0.0))
    return points


def _coverage(outline: list[Point], size: int) -> Iterator[list[Run]]:
    """How much of each pixel of a row lies inside, 0 to 1, row by row: where that changes, and to what."""
    crossing: list[list[tuple[Point, Point]]] = [[] for _ in range(size)]
    for one, other in pairwise([*outline, outline[0]]):
        low, high = sorted((one[1], other[1]))
        for row in range(max(0, int(low) - 1), min(size, int(high) + 1)):
            crossing[row].append((one, other))
    for row, edges in enumerate(crossing):
        edge: dict[int, float] = {}
        full: dict[int, int] = {}
        for part in range(_SUB):
            y = row + (part + 0.5) / _SUB
            cuts = sorted(
                x0 + (y - y0) * (x1 - x0) / (y1 - y0)
                for (x0, y0), (x1, y1) in edges
                if (y0 <= y) != (y1 <= y)
            )
            for left, right in zip(cuts[::2], cuts[1::2], strict=True):
                _span(edge, full, left, right, size)
        yield list(_runs(edge, full))


def _span(edge: dict[int, float], full: dict[int, int], left: float, right: float, size: int) -> None:
    """Add a run: what its ends cover, and where its whole pixels begin and stop."""
    first, last = int(left), min(int(right), size - 1)
    edge[first] = edge.get(first, 0.0) + min(right, first + 1) - left
    if last > first:
        edge[last] = edge.get(last, 0.0) + min(right, last + 1) - last
        full[first + 1] = full.get(first + 1, 0) + 1
        full[last] = full.get(last, 0) - 1


def _runs(edge: Mapping[int, float], full: Mapping[int, int]) -> Iterator[Run]:
    whole = 0
    for at in sorted({0, *edge, *(at + 1 for at in edge), *full}):
        whole += full.get(at, 0)
        yield at, min(1.0, round((edge.get(at, 0.0) + whole) / _SUB, 3))


def _together(base: list[Run], mark: list[Run], size: int) -> Iterator[tuple[int, float, float]]:
    """Where one of two rows changes, and what both are from there on."""
    one, other = dict(base), dict(mark)
    ground = sign = 0.0
    for at in sorted({*one, *other, size}):
        ground, sign = one.get(at, ground), other.get(at, sign)
        if at <= size:
            yield at, ground, sign


def main(theme: Path = THEME) -> int:
    """Draw all icons."""
    svg = (theme / "favicon.svg").read_text("utf-8")
    for name, (pixels, bleed) in ICONS.items():
        draft = theme / f"{name}.part"
        draft.write_bytes(png(svg, pixels, bleed))
        os.replace(draft, theme / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
