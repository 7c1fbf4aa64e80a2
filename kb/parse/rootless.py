"""Runs of blocks that have lost the root above them."""

from __future__ import annotations

from dataclasses import dataclass, field

from kb.numbers import Ordinal
from kb.parse.marked import Block


@dataclass
class Rootless:
    """Blocks without a root above them, and the roots between which they stand."""

    low: Ordinal | None
    high: Ordinal | None
    within: bool
    """``low`` stands in the same fragment: its own provisions have begun, so that these are not of it."""
    blocks: list[Block] = field(default_factory=list)
    following: Block | None = None
    """The root that follows with nothing lost between."""
    open_end: bool = True
    _last: dict[int, tuple[int, Ordinal]] = field(default_factory=dict)
    """Level -> place and number of the last block of it."""
    _highest: int | None = None
    """The highest level so far."""

    def add(self, block: Block) -> None:
        """Put one behind the others."""
        if block.level is not None:
            self._highest = block.level if self._highest is None else min(self._highest, block.level)
            if block.label is not None:
                self._last[block.level] = len(self.blocks), block.label.ordinal
        self.blocks.append(block)

    def goes_back(self, block: Block) -> bool:
        """The number of a block is not above the last one of its level in the run, nor in a list of its own.

        What stands first in the run stands under something: ``A.`` cannot come behind ``2.``, which is in it
        or in a later one.
        """
        if block.level is None or block.label is None:
            return False
        if self._highest is not None and block.level < self._highest and block.label.ordinal == (1, 0):
            return True
        before = [(*last, level) for level, last in self._last.items() if level <= block.level]
        if not before:
            return False
        _, ordinal, level = max(before)
        return level == block.level and block.label.ordinal <= ordinal
