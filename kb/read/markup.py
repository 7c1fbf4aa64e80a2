"""Paragraphs of documents: emphasis, raised signs and notes, alike whatever the format."""

from __future__ import annotations

from kb.read.extract import Writer

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Paragraphs:
    """Writes paragraphs, a line each; a note stands in the line below the paragraph that calls for it."""

    def __init__(self, writer: Writer | None = None) -> None:
        self.writer = writer or Writer()
        self._due: list[tuple[str, str]] = []
        self._open = ""

    def paragraph_start(self, apart: bool = False) -> None:
        """Begin a line; ``apart`` from what stands before by a blank one."""
        self.writer.line_end(blank=apart)

    def paragraph_end(self) -> None:
        """End the line, and write the notes that are due."""
        self._close()
        self.writer.line_end()
        self.flush_notes()

    def flush_notes(self) -> None:
        """Write the notes that are due, a line each."""
        due, self._due = self._due, []
        for mark, text in due:
            self.writer.line_end()
            self.writer.words(f"{mark} - {text}")
            self.writer.line_end()

    def line_break(self) -> None:
        """A line end inside the paragraph."""
        self._close()
        self.writer.line_end()

    def blank(self) -> None:
        """A blank line."""
        self.writer.line_end(blank=True)

    def words(self, text: str) -> None:
        """Running text; white space is folded."""
        if text:
            self.writer.words(text)

    def emphasis(self, mark: str) -> None:
        """Emphasis begins or ends: ``*`` bold, ``_`` italic; dropped from the text by a logged edit."""
        self.writer.mark(mark, "emphasis")

    def style(self, bold: bool, italic: bool) -> None:
        """The emphasis of what comes next; marks are written where it changes."""
        wanted = "*" * bold + "_" * italic
        if wanted != self._open:
            self._close()
            for mark in wanted:
                self.emphasis(mark)
            self._open = wanted

    def raised(self, text: str) -> None:
        """A raised sign: a star is a mark ``(*)``, a number behind a digit ``7¹``, else a mark ``(1)``."""
        said = text.strip().strip("()[]")
        if said and not said.strip("*"):
            self.writer.words(f"({said})")
        elif said.isascii() and said.isdigit():
            self.writer.words(said.translate(_RAISED) if self.writer.last.isdigit() else f"({said})")
        else:
            self.writer.words(text)

    def note(self, text: str) -> None:
        """A mark here, ``(*)``, ``(**)``, ``(***)``, ``(4)`` …, and the note below this paragraph."""
        mark = f"({'*' * (len(self._due) + 1)})" if len(self._due) < 3 else f"({len(self._due) + 1})"
        self._due.append((mark, text))
        self.writer.words(mark)

    def _close(self) -> None:
        for mark in reversed(self._open):
            self.emphasis(mark)
        self._open = ""
