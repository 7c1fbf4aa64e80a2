"""The known provisions of a work, ready for look-ups."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kb.model import Entry
from kb.numbers import Ordinal, read_label
from kb.profile import Work

Path = tuple[str, ...]


@dataclass
class Outline:
    """The known paths of a work, ready for look-ups. Empty for a work without an outline."""

    entries: Mapping[Path, Entry] = field(default_factory=dict)
    children: Mapping[Path, list[Path]] = field(default_factory=dict)
    roots: Sequence[Path] = ()
    order: Mapping[Path, int] = field(default_factory=dict)
    """Root -> its place among the roots."""
    ordinals: Sequence[Ordinal] = ()
    """The numbers of the roots where they ascend; else none."""

    @classmethod
    def of(cls, entries: Sequence[Entry], work: Work) -> Outline:
        """The outline's entries of one work; headings are told from provisions by their level."""
        key = (id(entries), work.name)
        if key not in _READY or _READY[key][0] is not entries:
            if len(_READY) > 8:
                _READY.clear()
            _READY[key] = entries, cls._made(entries, work)
        return _READY[key][1]

    @classmethod
    def _made(cls, entries: Sequence[Entry], work: Work) -> Outline:
        mine = [entry for entry in entries if entry.ref.work == work.name]
        kinds = {level.kind for level in work.levels if level.heading}
        children: dict[Path, list[Path]] = {}
        for entry in mine:
            if entry.kind not in kinds and len(entry.ref.path) > 1:
                children.setdefault(entry.ref.path[:-1], []).append(entry.ref.path)
        roots: list[Path] = [e.ref.path for e in mine if e.kind not in kinds and len(e.ref.path) == 1]
        order: dict[Path, int] = {root: index for index, root in reversed(list(enumerate(roots)))}
        known = {entry.ref.path: entry for entry in mine}
        numbers = [read_label(path[0], work.root_level.numbering) for path in roots]
        ordinals = [label.ordinal for label in numbers if label]
        if len(ordinals) < len(roots) or any(a >= b for a, b in itertools.pairwise(ordinals)):
            ordinals = []
        return cls(known, children, roots, order, ordinals)

    @cached_property
    def ending(self) -> Mapping[Path, list[Path]]:
        """The last two steps -> the paths that end so."""
        found: dict[Path, list[Path]] = {}
        for path in self.entries:
            if len(path) > 1:
                found.setdefault(path[-2:], []).append(path)
        return found

    def last_leaf(self, path: Path) -> Path:
        """The last known provision at or below a path, in reading order."""
        while self.children.get(path):
            path = self.children[path][-1]
        return path

    def titles(self, path: Path) -> list[str]:
        """What the outline says a path is about."""
        entry = self.entries.get(path)
        return list(entry.titles.values()) if entry else []


_READY: dict[tuple[int, str], tuple[Sequence[Entry], Outline]] = {}
"""Outlines by the entries they were made of: an outline may be as large as all sources together."""
