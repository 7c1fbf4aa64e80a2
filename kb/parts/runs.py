"""Which lines are of which work: the cheapest way through all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from kb.parts.lines import OTHER, Line, root_of
from kb.profile import Work

_SWITCH = {"title": 0.5, "root": 1.0, "own": 1.0, "wall": 2.0, "anchor": 2.0, "": 6.0}
"""The price of a change of work at a line, by what it begins with."""
_TAIL = 40
"""Lines that the end of a provision, at the head of a page, has at most."""
_UNSTATED = 2.0
"""The price of a beginning in another work than the source is said to hold."""


class Run:
    """Consecutive lines of one work: ``low`` up to, not with, ``high``."""

    def __init__(self, work: str, low: int, high: int) -> None:
        self.work, self.low, self.high = work, low, high


def cheapest(lines: Sequence[Line], works: Mapping[str, Work], stated: str) -> list[Run]:
    names = [stated, *(name for name in works if name != stated)]
    if any(OTHER in line.marks for line in lines):
        names.append(OTHER)
    if not any(line.marks and stated not in line.marks and line.open for line in lines):
        return [Run(stated, 0, len(lines))]
    cost = {name: 0.0 if name == stated else _UNSTATED for name in names}
    came: list[dict[str, str]] = []
    root = ""
    for line in lines:
        step: dict[str, str] = {}
        now: dict[str, float] = {}
        price = {name: _price(line, name, root) for name in names}
        cheapest = min(names, key=lambda name: cost[name])
        for name in names:
            stay, switch = cost[name], cost[cheapest] + price[name]
            step[name] = name if stay <= switch else cheapest
            now[name] = min(stay, switch) + (line.weight if line.marks and name not in line.marks else 0.0)
        came.append(step)
        cost = now
        root = root_of(line) or root
    name = min(names, key=lambda one: cost[one])
    cuts: list[tuple[int, str]] = []
    for index in range(len(lines) - 1, -1, -1):
        before = came[index][name]
        if index == 0 or before != name:
            cuts.append((index, name))
        name = before
    cuts.reverse()
    ends = [*(low for low, _ in cuts[1:]), len(lines)]
    runs = [Run(work, low, high) for (low, work), high in zip(cuts, ends, strict=True)]
    for before_run, run in pairwise(runs):
        _reach_back(lines, before_run, run)
    runs = [run for run in runs if run.low < run.high]
    if len(runs) > 1 and not any(runs[0].work in line.marks for line in lines[: runs[0].high]):
        runs[0].work = runs[1].work
    return merged(runs)


def _price(line: Line, name: str, root: str) -> float:
    mark = line.marks.get(name)
    if mark is None or not line.open:
        return _SWITCH["wall"] if line.wall else _SWITCH[""]
    if mark.kind == "title":
        return _SWITCH["title"]
    if mark.kind in ("root", "heading"):
        return _SWITCH["root"]
    if mark.kind == "anchor":
        return _SWITCH["own" if mark.label and mark.label.root == root else "anchor"]
    return _SWITCH["wall"] if line.wall else _SWITCH[""]


def _reach_back(lines: Sequence[Line], before: Run, run: Run) -> None:
    """What stands right above the first sure line of a run and speaks for it alone, or for neither, is of it.

    Its headings; parts of a provision whose head is lost; and the end of a sentence that begins nowhere.
    """
    at = run.low
    for index in range(run.low - 1, before.low, -1):
        line = lines[index]
        mark = line.marks.get(run.work)
        if mark is not None and mark.kind != "lower" and line.weight and index == at - 1:
            at = index
        elif before.work in line.marks and line.open:
            break
        elif mark is not None and line.open:
            at = index
    run.low = before.high = cut_sentence(lines, at, before.low)


def cut_sentence(lines: Sequence[Line], at: int, low: int) -> int:
    """The line above ``at`` from which on a page begins in the middle of a sentence; else ``at``."""
    for index in range(at, max(low, at - _TAIL), -1):
        line, before = lines[index], lines[index - 1]
        if line.value[0].islower() and before.value[-1] in ".!?":
            return index
        if line.marks and index < at and line.open:
            break
    return at


def merged(runs: Sequence[Run]) -> list[Run]:
    out: list[Run] = []
    for run in runs:
        if out and out[-1].work == run.work:
            out[-1].high = run.high
        else:
            out.append(Run(run.work, run.low, run.high))
    return out
