"""What a source yields while it is read, and when it has been."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Reversible
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import itemgetter

from kb.model import Finding, Node, Ref
from kb.parse.marked import Block
from kb.parse.outline import Path
from kb.parse.place import Place
from kb.profile import Level
from kb.runs import Run

_NEAR = 300
"""Nodes among which the owner of a footnote is looked for: more than a page has."""


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Text that has no place of its own in the work: its lines, and why."""

    source: str
    lines: tuple[int, int]
    text: str
    reason: str
    runs: tuple[tuple[int, int], ...]
    """Runs of the source, code points."""
    lead: Node | None = None
    """Of text at the head of a page: a reading that waits for its ref, the path empty; the page before may
    tell."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """One source's readings, in its own order, and what could not be read."""

    nodes: tuple[Node, ...]
    unplaced: tuple[Unplaced, ...]
    findings: tuple[Finding, ...]
    under: Mapping[Ref, Ref] = field(default_factory=dict)
    """Provision or heading -> the heading it stands under in this source, with no gap between."""


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote: its mark as printed, without and with what parts it from the text, and the text."""

    mark: str
    marker: Run
    text: Run


@dataclass(slots=True)
class Draft:
    """A node while its parts are gathered."""

    place: Place
    level: Level
    block: Block
    marker: Run | None = None
    title: Run | None = None
    text: Run | None = None
    tail: Run | None = None
    notes: list[Note] | None = None
    damaged: bool = False
    complete: bool = True
    missing: str = ""
    table: bool = False


class Drafts:
    """The drafts of one source so far, in its order, and which of them stand at a path."""

    def __init__(self) -> None:
        self.all: list[Draft] = []
        self.latest: dict[Path, Draft] = {}
        """Path -> the last draft there that is no table."""
        self.tables: Counter[Path] = Counter()
        """Path -> how many tables stand right below it."""
        self._counting: dict[Path, list[tuple[int, Draft]]] = {}

    def add(self, draft: Draft) -> None:
        """Put one behind the others."""
        path = draft.place.path
        if draft.level.with_items:
            self._counting.setdefault(path, []).append((len(self.all), draft))
        if draft.table:
            self.tables[path[:-1]] += 1
        else:
            self.latest[path] = draft
        self.all.append(draft)

    def owners(self, path: Path) -> list[Draft]:
        """Those at or above a path that are whole only with their items, in order."""
        above = (self._counting.get(path[:depth], ()) for depth in range(len(path) + 1))
        return [draft for _, draft in sorted(chain.from_iterable(above), key=itemgetter(0))]


def owner_of(
    marks: re.Pattern[str] | None, mark: str, printed: str, drafts: Reversible[Draft], called: bool
) -> Draft | None:
    """The nearest node before a note whose text has its mark and no note for it yet."""
    for draft in islice(reversed(drafts), _NEAR):
        texts = " ".join(t.value for t in (draft.title, draft.text, draft.tail) if t is not None)
        found = [m.group("mark") for m in marks.finditer(texts)] if marks else []
        taken = [note.mark for note in draft.notes or []]
        count = texts.count(mark) if called else found.count(mark)
        if count > taken.count(printed):
            return draft
    return None
