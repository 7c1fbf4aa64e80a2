"""What a reader gives: the text of a source, what it was drawn from, and where on the pages it stands."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from kb.read.tables import draw
from kb.text import Text

_FEEDS = re.compile("\f+")


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as the words were found on it: turned, straightened and cut out. ``png`` are its bytes."""

    number: int
    width: int
    height: int
    png: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class WordBox:
    """Where a run of the source text stands on a page: code points, page number, pixels from the top left."""

    start: int
    end: int
    page: int
    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Extract:
    """A source as text.

    ``raw`` is what counts as the source from here on: lines and positions count in it. Of a plain text it
    is the decoded file; of a document the words it shows, in their order. ``text`` is the same with what
    is no text of the work (a site's navigation, emphasis marks) taken out by logged edits.
    """

    raw: str
    text: Text
    encoding: str
    margin: float = 1.0
    """How sure the encoding is: 0 (a toss) to 1 (certain, or stated)."""
    rival: str = ""
    """The encoding that comes next, when one does."""
    notes: tuple[str, ...] = ()
    """What a person should know of the reading, a line each."""
    pages: tuple[PageImage, ...] = ()
    boxes: tuple[WordBox, ...] = ()


def one_flow(text: Text) -> Text:
    """Page feeds of a printer -> line ends, or nothing where one is: a page that follows is no gap.

    Only page numbers, or a reader that puts files together, tell that pages are missing.
    """
    if "\f" not in text.value:
        return text
    return text.sub(_FEEDS, lambda m: "" if _at_line_end(text.value, *m.span()) else "\n", "page-feed")


def _at_line_end(value: str, start: int, end: int) -> bool:
    return start == 0 or value[start - 1] == "\n" or value[end : end + 1] in ("", "\n", "\r")


class Writer:
    """Puts a document's words into lines. What is dropped stays in the raw text and is logged."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0
        self._dropped: list[tuple[int, int, str]] = []
        self._newlines = 2
        self._space = False

    @property
    def size(self) -> int:
        """Code points written so far."""
        return self._size

    @property
    def at_line_start(self) -> bool:
        """Nothing stands on the open line."""
        return self._newlines > 0

    @property
    def last(self) -> str:
        """The last character on the open line, a blank that is due among them; empty at its start."""
        if self.at_line_start or not self._pieces:
            return ""
        return " " if self._space else self._pieces[-1][-1]

    def words(self, text: str) -> None:
        """Running text: white space folded to one blank, none at a line's start and end."""
        if text[:1].isspace():
            self._space = True
        parts = text.split()
        if not parts:
            return
        if self._space and not self.at_line_start:
            self._put(" ")
        self._space = text[-1].isspace()
        self._put(" ".join(parts))

    def verbatim(self, text: str) -> None:
        """Text with its own line ends and blanks."""
        if text:
            self._put(text)
            self._newlines = len(text) - len(text.rstrip("\n"))

    def table(self, rows: Sequence[Sequence[str]]) -> bool:
        """A table drawn between blank lines; False, and nothing written, where the rows are none."""
        drawn = draw(rows)
        if drawn:
            self.line_end(blank=True)
            self.verbatim(drawn)
            self.line_end(blank=True)
        return bool(drawn)

    def mark(self, text: str, rule: str) -> None:
        """A mark that is no text: it stands in the raw text and is dropped by a logged edit."""
        if self._space and not self.at_line_start:
            self._put(" ")
            self._space = False
        start = self._size
        before = self._newlines
        self._put(text)
        self._newlines = before
        self._dropped.append((start, self._size, rule))

    def line_end(self, blank: bool = False) -> None:
        """End the open line; with ``blank``, leave a blank line behind it."""
        self._space = False
        if not self._pieces:
            return
        wanted = 2 if blank else 1
        missing = max(0, wanted - self._newlines)
        if missing:
            newlines = self._newlines + missing
            self._put("\n" * missing)
            self._newlines = newlines

    def drop_from(self, start: int, rule: str) -> None:
        """What was written from ``start`` on is no text of the work."""
        if start < self._size:
            self._dropped = [run for run in self._dropped if run[0] < start]
            self._dropped.append((start, self._size, rule))

    def extract(self, source: str, encoding: str, margin: float = 1.0, **more: object) -> Extract:
        """The text so far as an Extract of the named source."""
        self.line_end()
        raw = "".join(self._pieces)
        text = drop(Text(raw, source), self._dropped)
        return Extract(raw, text, encoding, margin, **more)  # type: ignore[arg-type]

    def _put(self, text: str) -> None:
        self._pieces.append(text)
        self._size += len(text)
        self._newlines = 0


def drop(text: Text, runs: list[tuple[int, int, str]]) -> Text:
    """Take runs ``(start, end, rule)`` of the source out of an unedited Text, each logged under its rule."""
    for rule in sorted({rule for _, _, rule in runs}):
        mine = sorted((start, end) for start, end, name in runs if name == rule)
        text = text.replace_runs(
            [(bisect_left(text.starts, start), bisect_left(text.starts, end), "") for start, end in mine],
            rule,
        )
    return text
