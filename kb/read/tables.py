"""Tables of documents, drawn in box characters: the repairs and the parser keep such tables as they are."""

from __future__ import annotations

from collections.abc import Sequence

_WIDEST = 60
_LINE = 200


def draw(rows: Sequence[Sequence[str]]) -> str:
    """The rows as a drawn table; empty when they are none: one column, one row, uneven, or prose in cells."""
    rows = [row for row in rows if any(row)]
    widths = {len(row) for row in rows}
    if len(rows) < 2 or len(widths) != 1 or widths <= {0, 1}:
        return ""
    columns = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    if max(columns) > _WIDEST or sum(columns) + 3 * len(columns) > _LINE:
        return ""

    def border(left: str, middle: str, right: str) -> str:
        return left + middle.join("─" * (width + 2) for width in columns) + right

    body = [
        "│" + "│".join(f" {cell.ljust(width)} " for cell, width in zip(row, columns, strict=True)) + "│"
        for row in rows
    ]
    return "\n".join([border("┌", "┬", "┐"), *body, border("└", "┴", "┘")])
