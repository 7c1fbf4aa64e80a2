"""Lines -> one Text, and the spans of a Text: what makes a node lead back to its source."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from kb.model import Span
from kb.tables import table_runs
from kb.text import Run, Text, joined

_WIDE = re.compile("  +")
_SPAN: Callable[[tuple[str, int, int, str, int, int]], Span] = partial(tuple.__new__, Span)
"""Without a call in Python for each of many."""


def spans_of(where: str, text: Text) -> list[Span]:
    """The spans that lead from one part of a node back to its source."""
    source = text.source
    return list(map(_SPAN, [(where, a, b, source, low, high) for a, b, low, high in text.segments()]))


def paragraph(texts: Sequence[Run], source: str) -> Text:
    """The lines of a paragraph, with one space between them that stands for the line end.

    White space in them is one blank, and none at the two ends.
    """
    made = joined(_parted(texts), " ", source)
    if "\t" in made.value:
        made = made.recast(made.value.replace("\t", " "))
    if "  " in made.value:  # at the ends of its lines
        made = made.sub(_WIDE, " ", "white-space")
    value = made.value
    if value == value.strip():
        return made
    return made[len(value) - len(value.lstrip()) : len(value.rstrip())]


def _parted(texts: Sequence[Run]) -> Sequence[Run]:
    """The runs without blanks that stand side by side, a part on either side of them."""
    parts: list[Run] = []
    for text in texts:
        if "  " not in text.value:
            parts.append(text)
            continue
        start = 0
        for gap in _WIDE.finditer(text.value):
            parts.append(text[start : gap.start()])
            start = gap.end()
        parts.append(text[start:])
    return parts


def with_plain_blanks(text: Text) -> Text:
    """No-break spaces are blanks to all that follows; in a table they stay."""
    if "\xa0" not in text.value:
        return text
    parts, done = [], 0
    for start, end in text.derived(table_runs):
        parts += [text.value[done:start].replace("\xa0", " "), text.value[start:end]]
        done = end
    parts.append(text.value[done:].replace("\xa0", " "))
    return text.recast("".join(parts))


def with_ends(runs: Sequence[Run]) -> Text:
    """The lines of a table with the line ends between them."""
    return joined(runs, "\n")
