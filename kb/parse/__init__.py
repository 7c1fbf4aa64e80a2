"""Repaired text -> nodes: markers and what may follow what, then places by the outline, then nodes."""

from __future__ import annotations

from kb.parse.blocks import scan
from kb.parse.drafts import Parsed, Unplaced
from kb.parse.marked import Block, Fragment
from kb.parse.tree import parse

__all__ = ["Block", "Fragment", "Parsed", "Unplaced", "parse", "scan"]
