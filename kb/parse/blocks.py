"""Lines -> blocks: which lines begin a provision, by their marker and by what may follow what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from kb.numbers import Label
from kb.parse.following import Reading
from kb.parse.lines import Line
from kb.parse.marked import Block, Candidate, Fragment
from kb.parse.scanner import Scanner
from kb.runs import Run

_CALLERS = 40
"""Blocks above a note in which its mark is looked for, at most."""


class State(Reading):
    """Opens blocks, one line after the other."""

    def read(self) -> None:
        """All lines, one after the other."""
        for index, line in enumerate(self.lines):
            if line.table:
                self._table(line)
            elif not line.plain:
                self._line(index)
            elif self.note is None and self.body is not None and self.body.kind != "table":
                self.body.lines.append(line)  # most lines
            else:
                self._continue(line)

    def _line(self, index: int) -> None:
        line = self.lines[index]
        if self._footnote(line):
            return
        picked = self.pick(index)
        if picked is None:
            self._continue(line)
            return
        at = 0
        while picked is not None:
            self._open(picked, line, at)
            at = picked.end
            picked = self._pick_inside(line.value, at)

    def _continue(self, line: Line) -> None:
        if self.note is not None and line.page == self.note.lines[0].page:
            self.note.lines.append(line)
            return
        self.note = None
        if self.body is None or self.body.kind == "table":
            kind = "head" if self.body is None else "after-table"
            self._add(Block(None, None, None, [line], chain=self.chain, kind=kind, heading=self.headings))
        else:
            self.body.lines.append(line)

    def _add(self, block: Block) -> None:
        self.blocks.append(block)
        self.body = block

    def _table(self, line: Line) -> None:
        self.note = None
        if self.body is not None and self.body.kind == "table":
            self.body.lines.append(line)
        else:
            self._add(Block(None, None, None, [line], chain=self.chain, kind="table", heading=self.headings))

    def _footnote(self, line: Line) -> bool:
        match = self.scanner.note.match(line.value) if self.scanner.note else None
        mark, why = match.group("mark") if match else "", ""
        if not match and self.scanner.called:
            match = self.scanner.called.match(line.value)
            mark = match.group("mark") if match and self._calls(match.group("mark"), line) else ""
            why = "a word above has its mark"
        if not match or not mark:
            return False
        start = match.end()
        block = Block(
            None,
            None,
            line[:start],
            [line],
            [line[start:]],
            self.chain,
            "footnote",
            mark,
        )
        block.note_of, block.why = self.body, why
        self.blocks.append(block)
        self.note = block
        return True

    def _calls(self, mark: str, line: Line) -> bool:
        """A word of the page has this mark behind it, or a heading ends in it: not ``12A(1)``."""
        sign = re.escape(mark)
        called = re.compile(rf"[^\W\d_A-ZА-ЯЁ][.,;:!?»”\"]?{sign}|[^\W\d_] ?{sign}\Z")
        for block in reversed(self.blocks[-_CALLERS:]):
            for other in reversed(block.lines):
                if other.page != line.page:
                    return False
                if mark in other.value and called.search(other.value):
                    return True
        return False

    def _pick_inside(self, value: str, at: int) -> Candidate | None:
        """A marker right behind another one: ``65.5. (i) …``, ``B.1.…``: only a first of a lower level.

        Behind a heading only a root: ``Chapter I. § 1. Scope``.
        """
        for option in self.scanner.candidates(value, at):
            if option.unsure:
                continue
            if not self.chain:  # behind a heading: a provision of its own, whatever its number
                if option.level == self.scanner.root:
                    return option
                continue
            if option.level > self.chain[-1][0] and option.label.ordinal == (1, 0) and not option.label.root:
                return option
        return None

    def _open(self, picked: Candidate, line: Line, at: int) -> None:
        self.note = None
        level = self.scanner.levels[picked.level]
        if level.numbering == "none":
            self.scanner.counted[picked.level] += 1
            number = self.scanner.counted[picked.level]
            picked = replace(picked, label=Label((number, 0), str(number)))
        if level.heading:
            self.headings = (
                *(pair for pair in self.headings if pair[0] < picked.level),
                (picked.level, picked.label),
            )
            self.chain = ()
            chain: tuple[tuple[int, Label], ...] = ((picked.level, picked.label),)
        else:
            chain = self.chain_with(picked)
            self.chain = chain
            if picked.level == self.scanner.root:
                self.scanner.last_root = picked.label.ordinal
        rest = Run(line.whole, line.start + picked.end, line.stop)
        if at and self.blocks:
            self.blocks[-1].first = [line[at : picked.start]] if picked.start > at else []
        block = Block(
            picked.level,
            picked.label,
            Run(line.whole, line.start + picked.start, line.start + picked.end),
            [line],
            [rest] if rest.value.strip() else [],
            chain,
            heading=self.headings,
        )
        block.why, block.adrift = picked.why, picked.adrift
        before = self.body
        if before is not None and before.level is not None and before.lines:
            ending = before.lines[-1].value.rstrip()[-1:]
            if before.level == picked.level:
                before.goes_on = True
                block.after_semicolon = ending == ";"
                block.introduced, block.close_above = before.introduced, not line.after_blank
            else:
                block.introduced = before.level < picked.level and ending == ":"
        self._add(block)
        if level.heading:
            self.chain = ()


def scan(pieces: list[list[Line]], scanner: Scanner) -> Iterator[Fragment]:
    """The fragments of a source, each with its blocks; runs without lines are passed over."""
    scanner.learn([line for lines in pieces for line in lines])
    filled = [(number, lines) for number, lines in enumerate(pieces) if lines]
    for position, (number, lines) in enumerate(filled):
        state = State(scanner, lines)
        state.read()
        fragment = Fragment(state.blocks)
        fragment.opens_source = number == 0
        fragment.closes_source = position == len(filled) - 1
        yield fragment
