"""What a source yields while it is read, and when it has been."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kb.model import Finding, Node, Ref
from kb.parse.marked import Block
from kb.parse.place import Place
from kb.profile import Level
from kb.text import Text


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
    marker: Text
    text: Text


@dataclass
class Draft:
    """A node while its parts are gathered."""

    place: Place
    level: Level
    block: Block
    marker: Text | None = None
    title: Text | None = None
    text: Text | None = None
    tail: Text | None = None
    notes: list[Note] | None = None
    damaged: bool = False
    complete: bool = True
    missing: str = ""
    table: bool = False
