"""Lines -> one Text, and the spans of a Text: what makes a node lead back to its source."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from kb.model import Span
from kb.text import Text


def spans_of(where: str, text: Text) -> list[Span]:
    """The spans that lead from one part of a node back to its source."""
    return [Span(where, a, b, text.source, low, high) for a, b, low, high in text.segments()]


def with_spaces(texts: Sequence[Text]) -> list[Text]:
    """The lines of a paragraph with a space, that stands for the line end, between them."""
    return _between(texts, " ")


def with_ends(texts: Sequence[Text]) -> list[Text]:
    """The lines of a table with the line ends between them."""
    return _between(texts, "\n")


def _between(texts: Sequence[Text], sign: str) -> list[Text]:
    out: list[Text] = []
    for text in texts:
        if out and len(text):
            end = out[-1].ends[-1]
            out.append(Text(sign, text.source, array("q", [end]), array("q", [max(end, text.starts[0])])))
        if len(text):
            out.append(text)
    return out
