"""What each line begins with, for each of the works."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kb.numbers import Label, read_label
from kb.profile import Profile, Work
from kb.text import WALL, Text

OTHER = ""
"""The name of what is of no work of the corpus."""
_ANCHOR, _LOWER = 2.5, 1.0
"""What a line weighs that begins a root, a heading or a comment; and one that begins a part of these."""
_BELOW = 3
_CLOSED = re.compile(r"(?:[.!?:;…]|[.!?;:…,]?[)\]»”\"*]+[.!?;:…]?)\s*\Z")


@dataclass(frozen=True, slots=True)
class Mark:
    """A marker a line begins with: what it is to its work, and the root it names."""

    kind: str
    """``title``, ``root``, ``heading``, ``anchor`` (names its root) or ``lower``."""
    level: int = 0
    label: Label | None = None


@dataclass
class Line:
    start: int
    value: str
    blank: bool
    """A blank line, a wall or the start of the text is above it."""
    wall: bool
    open: bool = True
    """Something may begin here: the line above ends a sentence, or is a marker's own."""
    gap: bool = False
    """A blank line, a wall or the end of the text is below it."""
    marks: dict[str, Mark] = field(default_factory=dict)

    @property
    def weight(self) -> float:
        kinds = {mark.kind for mark in self.marks.values()}
        return 0.0 if not self.open else _LOWER if kinds == {"lower"} else _ANCHOR


def lines_of(text: Text, works: Mapping[str, Work], lang: str, profile: Profile) -> list[Line]:
    found: list[Line] = []
    blank = wall = True
    heads = _running_heads(text)
    at = 0
    for raw in text.value.split("\n"):
        value = raw.strip(" \t\xa0")
        if not value or value == WALL:
            blank, wall = True, wall or value == WALL
            if found:
                found[-1].gap = True
        else:
            start = at + len(raw) - len(raw.lstrip(" \t\xa0"))
            line = Line(start, value, blank, wall)
            before = found[-1] if found else None
            line.open = (
                blank or before is None or bool(before.marks) or bool(_CLOSED.search(before.value[-12:]))
            )
            line.marks = dict(_marks(value, works, lang, profile))
            found.append(line)
            blank = wall = False
        at += len(raw) + 1
    if found:
        found[-1].gap = True
    _add_heads(found, heads, text, works, profile)
    for index in range(len(found)):
        _confirm(found, index, works, lang)
    return found


def _marks(value: str, works: Mapping[str, Work], lang: str, profile: Profile) -> Iterator[tuple[str, Mark]]:
    """The highest sure marker of each work at the start of a line; titles of works before all."""
    for name, work in works.items():
        if any(pattern.fullmatch(value) for pattern in work.opens):
            yield name, Mark("title")
            return
    if any(pattern.fullmatch(value) for pattern in profile.others):
        yield OTHER, Mark("title")
        return
    first = value.split(maxsplit=1)[0]
    if first[0].islower() and len(first) > 4:
        return
    for name, work in works.items():
        mark = mark_of(value, work, lang, unsure=False)
        if mark is not None:
            yield name, mark


def mark_of(value: str, work: Work, lang: str, unsure: bool) -> Mark | None:
    root = work.levels.index(work.root_level)
    for index, level in enumerate(work.levels):
        for marker in level.marker_for(lang):
            if marker.unsure != unsure or not marker.numbered:
                continue
            match = marker.pattern.match(value)
            if not match:
                continue
            if level.heading:
                return Mark("heading", index)
            label = read_label(match.group("n"), level.numbering)
            if label is not None:
                kind = "root" if index == root else "anchor" if label.root else "lower"
                return Mark(kind, index, label)
    return None


def _running_heads(text: Text) -> list[tuple[int, str]]:
    return sorted((e.end, e.before.strip()) for e in text.edits if e.rule == "running-head")


def _add_heads(
    lines: Sequence[Line],
    heads: Sequence[tuple[int, str]],
    text: Text,
    works: Mapping[str, Work],
    profile: Profile,
) -> None:
    """A running head that a repair took away speaks for the page below it."""
    at = 0
    for place, said in heads:
        while at < len(lines) and text.start_of(lines[at].start) < place:
            at += 1
        if at == len(lines):
            return
        name = next((n for n, work in works.items() if any(p.fullmatch(said) for p in work.opens)), None)
        if name is None and any(pattern.fullmatch(said) for pattern in profile.others):
            name = OTHER
        if name is not None:
            lines[at].marks, lines[at].open = {name: Mark("title")}, True


def _confirm(lines: Sequence[Line], index: int, works: Mapping[str, Work], lang: str) -> None:
    """A heading over a number that names it, ``66`` over ``66.1``, is of that work alone."""
    line = lines[index]
    below = [other for other in lines[index + 1 : index + 1 + _BELOW] if other.marks]
    if not below or not line.open:
        return
    for name, mark in below[0].marks.items():
        if mark.kind != "anchor" or mark.label is None:
            continue
        own = line.marks.get(name)
        if own is None or own.kind != "root":
            own = mark_of(line.value, works[name], lang, unsure=True) or _unnumbered(
                line, mark, works[name], lang
            )
        if own is not None and own.kind == "root" and own.label and own.label.step == mark.label.root:
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
