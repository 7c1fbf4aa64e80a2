"""Curves as a plain SVG: both axes by powers of ten, a line a curve, its name at its end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

_WIDE, _HIGH = 720, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 150, 40, 50
_LINE = 15
"""Height of a name at the end of a curve."""
_COLOURS = ("#1b6ca8", "#b3541e", "#2f7d4f", "#7b3fa0", "#8a6d00", "#5b6770", "#111111", "#c2185b")


class Curve(NamedTuple):
    """A name, and points by rising x; all numbers above 0."""

    name: str
    points: Sequence[tuple[float, float]]


def svg(title: str, curves: Sequence[Curve]) -> str:
    """The picture, the same for the same numbers."""
    every = [point for curve in curves for point in curve.points if min(point) > 0]
    across = _Axis([x for x, _ in every], _LEFT, _WIDE - _RIGHT)
    up = _Axis([y for _, y in every], _HIGH - _BOTTOM, _TOP)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" role="img" '
        f'font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDE}" height="{_HIGH}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="20" font-size="14">{escape(title)}</text>',
    ]
    for value, x in across.ticks():
        out.append(f'<path d="M{x} {_TOP}V{_HIGH - _BOTTOM}" stroke="#dddddd"/>')
        out.append(f'<text x="{x}" y="{_HIGH - _BOTTOM + 18}" text-anchor="middle">{value:,g}</text>')
    for value, y in up.ticks():
        out.append(f'<path d="M{_LEFT} {y}H{_WIDE - _RIGHT}" stroke="#dddddd"/>')
        out.append(f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{value:,g}</text>')
    drawn = [Curve(c.name, [(across.at(x), up.at(y)) for x, y in c.points if min(x, y) > 0]) for c in curves]
    names = _apart([curve.points[-1][1] if curve.points else 0 for curve in drawn])
    for number, (curve, at) in enumerate(zip(drawn, names, strict=True)):
        colour = _COLOURS[number % len(_COLOURS)]
        line = " ".join(f"{x},{y}" for x, y in curve.points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in curve.points]
        out.append(f'<text x="{_WIDE - _RIGHT + 8}" y="{at}" fill="{colour}">{escape(curve.name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


class _Axis:
    def __init__(self, values: Sequence[float], first: int, last: int) -> None:
        self.low = math.floor(math.log10(min(values, default=1)))
        self.high = max(self.low + 1, math.ceil(math.log10(max(values, default=10))))
        self.first, self.last = first, last

    def at(self, value: float) -> float:
        """Where a value stands, in tenths of a unit of the picture."""
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return round(self.first + part * (self.last - self.first), 1)

    def ticks(self) -> list[tuple[float, float]]:
        return [(10.0**power, self.at(10.0**power)) for power in range(self.low, self.high + 1)]


def _apart(wanted: Sequence[float]) -> list[float]:
    """Heights for the names, as near to those wanted as they may stand without touching."""
    placed = [0.0] * len(wanted)
    last = -math.inf
    for number in sorted(range(len(wanted)), key=wanted.__getitem__):
        last = max(wanted[number], last + _LINE)
        placed[number] = round(last, 1)
    return placed
