"""Lines -> one Text, and the spans of a Text: what makes a node lead back to its source."""

from __future__ import annotations

from collections.abc import Sequence

from kb.model import Span
from kb.text import Run, Text, joined


def spans_of(where: str, text: Text) -> list[Span]:
    """The spans that lead from one part of a node back to its source."""
    source = text.source
    return [Span(where, a, b, source, low, high) for a, b, low, high in text.segments()]


def with_spaces(runs: Sequence[Run], source: str) -> Text:
    """The lines of a paragraph, a space between them that stands for the line end."""
    return joined(runs, " ", source)


def with_ends(runs: Sequence[Run]) -> Text:
    """The lines of a table with the line ends between them."""
    return joined(runs, "\n")
