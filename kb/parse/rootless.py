"""Runs of blocks that have lost the root above them."""

from __future__ import annotations

from dataclasses import dataclass

from kb.numbers import Ordinal
from kb.parse.marked import Block


@dataclass
class Rootless:
    """Blocks without a root above them, and the roots between which they stand."""

    blocks: list[Block]
    low: Ordinal | None
    high: Ordinal | None
    within: bool
    """``low`` stands in the same fragment: its own provisions have begun, so that these are not of it."""
    following: Block | None = None
    """The root that follows with nothing lost between."""
    open_end: bool = True


def goes_back(run: list[Block], block: Block) -> bool:
    """The number of a block is not above the last one of its level in the run, nor in a list of its own.

    What stands first in the run stands under something: ``A.`` cannot come behind ``2.``, which is in it or
    in a later one.
    """
    if block.level is None or block.label is None:
        return False
    levels = [before.level for before in run if before.level is not None]
    if levels and block.level < min(levels) and block.label.ordinal == (1, 0):
        return True
    for before in reversed(run):
        if before.level is None or before.label is None or before.level > block.level:
            continue
        return before.level == block.level and block.label.ordinal <= before.label.ordinal
    return False
