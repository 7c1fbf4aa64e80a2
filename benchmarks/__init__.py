"""Measurements. ``python -m benchmarks [name…]`` runs them and prints their tables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """One result: what was measured, the columns, the rows as printed, and what to mind in reading it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
