"""What the scanner finds: markers that a line may begin with, blocks under them, and fragments."""

from __future__ import annotations

from dataclasses import dataclass, field

from kb.numbers import Label
from kb.parse.lines import Line
from kb.runs import Run


@dataclass(slots=True)
class Block:
    """A marker and the lines that belong to it. ``level`` None: text before any marker of the fragment."""

    level: int | None
    label: Label | None
    marker: Run | None
    lines: list[Line]
    first: list[Run] = field(default_factory=list)
    """What stands after the marker on its own line, at most one run."""
    chain: tuple[tuple[int, Label], ...] = ()
    """The open levels from the highest known one down to this block."""
    kind: str = "marker"
    """``marker``, ``head`` (no marker), ``footnote`` or ``table``."""
    mark: str = ""
    heading: tuple[tuple[int, Label], ...] = ()
    """For a block under a root, or a heading itself: the headings above it."""
    note_of: Block | None = None
    after_semicolon: bool = False
    """The item before it, in the same list, ends with a semicolon: a list that a full stop closes."""
    introduced: bool = False
    """It is of a list that a colon opens."""
    close_above: bool = False
    """The item before it, in the same list, stands right above, with no blank line between."""
    why: str = ""
    """Why it has its number, where its marker does not say so itself."""
    goes_on: bool = False
    """Another item of its list follows at once."""
    adrift: bool = False
    """A gap without a mark stands before it, and nothing tells of what it is."""

    def texts(self) -> list[Run]:
        """The text of the block line by line, without the marker."""
        rest = self.lines[1:] if self.marker is not None or self.first else self.lines
        return [*self.first, *rest]


@dataclass
class Fragment:
    """The blocks between two page gaps."""

    blocks: list[Block]
    opens_source: bool = False
    closes_source: bool = False
    behind_gap: bool = False
    """Pages are missing before it, and no mark says so."""
    open_end: bool = False
    """The same behind it; where its text ends, nothing tells."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A marker that a line may begin with."""

    level: int
    label: Label
    start: int
    end: int
    unsure: bool = False
    why: str = ""
    """Why it is taken for this one, where it does not say so itself."""
    chain: tuple[tuple[int, Label], ...] = ()
    """The levels it opens, where more than the text before it tells."""
    adrift: bool = False
