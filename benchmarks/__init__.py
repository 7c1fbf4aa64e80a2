"""Measurements. ``python -m benchmarks [name…]`` runs them and prints their tables."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

# The tests' helpers (the gold, the damage, the judged set) serve the measurements too, by their bare names.
sys.path[:0] = [str(Path(__file__).parent.parent / "tests")]

INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of a command that is measured: its modules are compiled once, as those of a package are."""


@dataclass(frozen=True, slots=True)
class Table:
    """One result: what was measured, the columns, the rows as printed, and what to mind in reading it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
