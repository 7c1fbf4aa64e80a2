"""What each line begins with, for each of the works."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kb.numbers import Label, read_label
from kb.patterns import one_of
from kb.profile import Profile, Work
from kb.text import WALL, Text

OTHER = ""
"""The name of what is of no work of the corpus."""
_ANCHOR, _LOWER = 2.5, 1.0
"""What a line weighs that begins a root, a heading or a comment; and one that begins a part of these."""
_BELOW = 3
_CLOSING = '.!?:;…)]»”"*'
"""What ends a sentence, a clause of a list or a bracket."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A marker a line begins with: what it is to its work, and the root it names."""

    kind: str
    """``title``, ``root``, ``heading``, ``anchor`` (names its root) or ``lower``."""
    level: int = 0
    label: Label | None = None


_NONE: Mapping[str, Mark] = {}


@dataclass(slots=True)
class Line:
    """A line that is not blank, and what it begins with in the eyes of each work."""

    start: int
    value: str
    blank: bool
    """A blank line, a wall or the start of the text is above it."""
    wall: bool
    marks: Mapping[str, Mark]
    open: bool = True
    """Something may begin here: the line above ends a sentence, or is a marker's own."""
    gap: bool = False
    """A blank line, a wall or the end of the text is below it."""

    @property
    def weight(self) -> float:
        """What it weighs for its works and against the others."""
        kinds = {mark.kind for mark in self.marks.values()}
        return 0.0 if not self.open else _LOWER if kinds == {"lower"} else _ANCHOR


def lines_of(text: Text, works: Mapping[str, Work], lang: str, profile: Profile) -> list[Line]:
    """All lines, each with its marks."""
    found: list[Line] = []
    eye = _Eye(works, lang, profile.others)
    blank = wall = True
    at = 0
    before: Line | None = None
    for raw in text.value.split("\n"):
        value = raw.strip(" \t\xa0")
        if not value or value == WALL:
            blank, wall = True, wall or value == WALL
            if before is not None:
                before.gap = True
        else:
            start = at + len(raw) - len(raw.lstrip(" \t\xa0"))
            marks = eye.marks(value) if eye.first is None or eye.first.match(value) else _NONE
            line = Line(start, value, blank, wall, marks)
            if not blank and before is not None:
                line.open = before.value[-1] in _CLOSING or bool(before.marks)
            found.append(line)
            before = line
            blank = wall = False
        at += len(raw) + 1
    if before is not None:
        before.gap = True
    _add_heads(found, text, eye)
    for index, line in enumerate(found):
        if line.marks and any(mark.kind == "anchor" for mark in line.marks.values()):
            _confirm(found, index, works, lang)
    return found


class _Eye:
    """The markers of all works, ready to be looked for."""

    def __init__(self, works: Mapping[str, Work], lang: str, others: Sequence[re.Pattern[str]]) -> None:
        self.titles = [(name, pattern) for name, work in works.items() for pattern in work.opens]
        self.titles += [(OTHER, pattern) for pattern in others]
        self.sure = {name: _markers(work, lang, unsure=False) for name, work in works.items()}
        self.weak = {name: _markers(work, lang, unsure=True) for name, work in works.items()}
        patterns = [pattern for found in self.sure.values() for *_, pattern in found]
        first = one_of((*patterns, *(pattern for _, pattern in self.titles)))
        self.first = re.compile(first) if first else None
        """Matches where one of them does; None where that cannot be told at once."""

    def title(self, value: str) -> str | None:
        """The work, or ``OTHER``, whose title or running head a line is."""
        return next((name for name, pattern in self.titles if pattern.fullmatch(value)), None)

    def marks(self, value: str) -> Mapping[str, Mark]:
        """The highest sure marker of each work at the start of a line; titles of works before all."""
        name = self.title(value)
        if name is not None:
            return {name: Mark("title")}
        found = {name: _mark(value, markers) for name, markers in self.sure.items()}
        known = {name: mark for name, mark in found.items() if mark is not None}
        if known and all(mark.kind == "lower" for mark in known.values()):
            # What another work may print so, too, speaks for neither.
            for name in found.keys() - known.keys():
                if any(pattern.match(value) for _, kind, _, pattern in self.weak[name] if not kind):
                    known[name] = Mark("lower")
        return known


_Markers = Sequence[tuple[int, str, str, re.Pattern[str]]]
"""Level, its kind (``root``, ``heading`` or nothing), its numbering, and the pattern; highest level first."""


def _markers(work: Work, lang: str, unsure: bool) -> _Markers:
    root = work.levels.index(work.root_level)
    return [
        (
            index,
            "heading" if level.heading else "root" if index == root else "",
            level.numbering,
            marker.pattern,
        )
        for index, level in enumerate(work.levels)
        for marker in level.marker_for(lang)
        if marker.unsure == unsure and marker.numbered
    ]


def _mark(value: str, markers: _Markers) -> Mark | None:
    for index, kind, numbering, pattern in markers:
        match = pattern.match(value)
        if not match:
            continue
        if kind == "heading":
            return Mark(kind, index)
        label = read_label(match.group("n"), numbering)
        if label is not None:
            return Mark(kind or ("anchor" if label.root else "lower"), index, label)
    return None


def _add_heads(lines: Sequence[Line], text: Text, eye: _Eye) -> None:
    """A running head that a repair took away speaks for the page below it."""
    heads = sorted((e.end, e.before.strip()) for e in text.edits if e.rule == "running-head")
    at = 0
    for place, said in heads:
        name = eye.title(said)
        if name is None:
            continue
        while at < len(lines) and text.start_of(lines[at].start) < place:
            at += 1
        if at == len(lines):
            return
        lines[at].marks, lines[at].open = {name: Mark("title")}, True


def _confirm(lines: Sequence[Line], index: int, works: Mapping[str, Work], lang: str) -> None:
    """A heading over a number that names it, ``66`` over ``66.1``, is of that work alone."""
    above: list[Line] = []
    for line in reversed(lines[max(0, index - _BELOW) : index]):
        above.append(line)
        if line.marks:
            break
    for name, below in lines[index].marks.items():
        if below.kind != "anchor" or below.label is None:
            continue
        for line in above:
            own = line.marks.get(name)
            if own is None or own.kind != "root":
                own = _mark(line.value, _markers(works[name], lang, unsure=True))
                own = own or _unnumbered(line, below, works[name], lang)
            named = own is not None and own.kind == "root" and own.label is not None
            if named and line.open and own and own.label and own.label.step == below.label.root:
                line.marks = {name: own}


def _unnumbered(line: Line, below: Mark, work: Work, lang: str) -> Mark | None:
    """A heading without a number over the first provision of its root."""
    root = work.root_level
    if below.label is None or below.label.ordinal != (1, 0):
        return None
    if not any(m.pattern.match(line.value) for m in root.marker_for(lang) if not m.numbered):
        return None
    return Mark("root", work.levels.index(root), read_label(below.label.root, root.numbering))


def root_of(line: Line) -> str:
    for mark in line.marks.values():
        if mark.label is not None and mark.kind in ("root", "anchor"):
            return mark.label.root or mark.label.step
    return ""


def size_of(lines: Sequence[Line], low: int, high: int) -> int:
    return sum(len(lines[index].value) + 1 for index in range(low, high))
