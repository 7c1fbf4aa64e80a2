"""Lines -> blocks: which lines begin a provision, by their marker and by what may follow what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kb.numbers import Label, Ordinal, follows, read_label
from kb.parse.lines import Line
from kb.parse.marked import Block, Candidate, Fragment
from kb.parse.misread import misread
from kb.parse.scanner import Scanner

_AHEAD = 600
"""Lines in which the numbers that go on from a doubtful one are looked for."""
_SURE = 2
"""Markers that can stand alone, from which on a source prints no weak ones of that level."""
_BELOW = 3
"""Lines of a heading, after which its first provision begins."""


class _State:
    """The open block and chain while a fragment is read."""

    def __init__(self, scanner: Scanner, lines: list[Line]) -> None:
        self.scanner = scanner
        self.lines = lines
        self.blocks: list[Block] = []
        self.chain: tuple[tuple[int, Label], ...] = ()
        self.headings: tuple[tuple[int, Label], ...] = ()
        self.body: Block | None = None
        self.note: Block | None = None

    def line(self, index: int) -> None:
        line = self.lines[index]
        if line.table:
            self._table(line)
            return
        if line.plain:
            self._continue(line)
            return
        if self._footnote(line):
            return
        picked = self._pick(index)
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
        if not match:
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
            match.group("mark"),
        )
        block.note_of = self.body
        self.blocks.append(block)
        self.note = block
        return True

    def _pick(self, index: int) -> Candidate | None:
        line = self.lines[index]
        for option in self.scanner.markers(line):
            if self._accepts(option, index):
                return option
        meant = misread(line.value)
        options = self.scanner.candidates(meant) if meant else []
        return next((option for option in options if self._surely(option, index)), None)

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
            chain = self._chain_with(picked)
            self.chain = chain
            if picked.level == self.scanner.root:
                self.scanner.last_root = picked.label.ordinal
        rest = line[picked.end :]
        if at and self.blocks:
            self.blocks[-1].first = [line[at : picked.start]] if picked.start > at else []
        block = Block(
            picked.level,
            picked.label,
            line[picked.start : picked.end],
            [line],
            [rest] if rest.value.strip() else [],
            chain,
            heading=self.headings,
        )
        before = self.body
        if before is not None and before.level == picked.level and before.lines:
            block.after_semicolon = before.lines[-1].value.rstrip().endswith(";")
        self._add(block)
        if level.heading:
            self.chain = ()

    def _chain_with(self, picked: Candidate) -> tuple[tuple[int, Label], ...]:
        if picked.label.above:
            return (*self._named_above(picked), (picked.level, picked.label))
        chain = tuple(pair for pair in self.chain if pair[0] < picked.level)
        again = [label for depth, label in self.chain if depth == picked.level == self.scanner.root + 1]
        if again and not picked.label.root and picked.label.ordinal <= again[0].ordinal:
            return ((picked.level, picked.label),)  # begun anew: of another root, whose head is lost
        if picked.label.root and not any(level == self.scanner.root for level, _ in chain):
            root = read_label(picked.label.root, self.scanner.levels[self.scanner.root].numbering)
            chain = ((self.scanner.root, root or picked.label), *chain)
        elif picked.label.root and chain[0][1].step != picked.label.root:
            root = read_label(picked.label.root, self.scanner.levels[self.scanner.root].numbering)
            chain = ((self.scanner.root, root or picked.label),)
        return (*chain, (picked.level, picked.label))

    def _named_above(self, picked: Candidate) -> tuple[tuple[int, Label], ...]:
        """The levels that a number of three parts and more names: ``1.2.3`` is in 2 of 1."""
        root = self.scanner.root
        steps = (picked.label.root, *picked.label.above)
        numbering = [self.scanner.levels[root].numbering, *["arabic"] * len(picked.label.above)]
        labels = [read_label(step, how) for step, how in zip(steps, numbering, strict=True)]
        return tuple((root + depth, label or picked.label) for depth, label in enumerate(labels))

    # What may follow what.

    def _accepts(self, option: Candidate, index: int) -> bool:
        level = self.scanner.levels[option.level]
        before = self.lines[index - 1] if index else None
        if option.unsure and not self._confirmed(option, index):
            return False
        if level.heading:
            return before is None or self._open_place(index)
        if option.level == self.scanner.root:
            return self._accepts_root(option, index)
        if option.label.root:
            return self._accepts_dotted(option, index)
        siblings = [label for depth, label in self.chain if depth == option.level]
        if siblings:
            if follows(siblings[0].ordinal, option.label.ordinal):
                return True
            return self._skips(siblings[0].ordinal, option, index) or self._restarts(option, index)
        if not self.chain or option.level < self.chain[0][0]:
            return True  # the fragment began below this level: any number may come
        if option.label.ordinal == (1, 0):
            return self._open_place(index) or self._introduced(index) or self._goes_on(option, index)
        return self._skips((0, 0), option, index)

    def _confirmed(self, option: Candidate, index: int) -> bool:
        """The outline has this number with the words that follow, or the first provision below it is next.

        The latter only of a number above all roots so far, unless the one below repeats it (``53.1``).
        """
        said = " ".join(line.value for line in self.lines[index : index + 2])[option.end :]
        if self.scanner.sure[option.level] >= _SURE:
            return False
        later = not self.chain or option.label.ordinal > self.scanner.last_root
        if option.level == self.scanner.root and later and self.scanner.is_titled(option.label.step, said):
            return True
        for line in self.lines[index + 1 : index + 1 + _BELOW]:
            sure = [other for other in self.scanner.markers(line) if not other.unsure]
            if any(self._first_below(option, other) for other in sure):
                return True
            if any(other.level <= option.level for other in sure):
                return False
        return False

    def _first_below(self, option: Candidate, below: Candidate) -> bool:
        if below.level != option.level + 1 or below.label.ordinal != (1, 0):
            return False
        if below.label.root:
            return below.label.root == option.label.step
        return (0, 0) < self.scanner.last_root < option.label.ordinal

    def _surely(self, option: Candidate, index: int) -> bool:
        """A number that was misread counts only where it is the very one to come, or a first that goes on."""
        level = self.scanner.levels[option.level]
        if option.unsure or level.heading or not self._open_place(index):
            return False
        if option.level == self.scanner.root:
            return not option.label.root and option.label.ordinal > self.scanner.last_root
        open_label = next((label for depth, label in self.chain if depth == option.level), None)
        roots = [label.step for depth, label in self.chain if depth == self.scanner.root]
        if open_label is not None and option.label.root in ("", *roots):
            return follows(open_label.ordinal, option.label.ordinal)
        first = option.label.ordinal == (1, 0) if self.chain else index == 0 and not option.label.root
        return first and self._goes_on(option, index, True)

    def _accepts_root(self, option: Candidate, index: int) -> bool:
        if not self._open_place(index):
            return False
        roots = [label for depth, label in self.chain if depth == self.scanner.root]
        if not roots:
            return True
        return roots[0].ordinal != option.label.ordinal or self._opened_by(self.lines[index])

    def _opened_by(self, line: Line) -> bool:
        """The open root began with this very line: its page stands here once more."""
        last = next((b for b in reversed(self.blocks) if b.level == self.scanner.root), None)
        return last is not None and last.lines[0].value.casefold() == line.value.casefold()

    def _accepts_dotted(self, option: Candidate, index: int) -> bool:
        if option.label.above:
            return self._accepts_deep(option, index)
        roots = [label for depth, label in self.chain if depth == self.scanner.root]
        siblings = [label for depth, label in self.chain if depth == option.level]
        first = option.label.ordinal == (1, 0)
        if not roots:
            return True
        if roots[0].step == option.label.root:
            if siblings and follows(siblings[0].ordinal, option.label.ordinal):
                return True
            if not siblings:
                return first or self._open_place(index)
            return option.label.ordinal > siblings[0].ordinal and self._chained(option, index)
        root = read_label(option.label.root, "arabic")
        if root is None:
            return False
        later = root.ordinal > roots[0].ordinal
        if later and first and self._open_place(index):
            return True
        return self._chained(option, index)

    def _accepts_deep(self, option: Candidate, index: int) -> bool:
        """``1.2.3``: next in the list that is open, or a first in an open place."""
        if option.level - self.scanner.root != len(option.label.above) + 1:
            return False
        named = [label.step for _, label in self._named_above(option)]
        here = [label.step for depth, label in self.chain if depth < option.level]
        last = next((label for depth, label in self.chain if depth == option.level), None)
        if named == here and last is not None:
            return follows(last.ordinal, option.label.ordinal) or self._chained(option, index)
        return self._open_place(index) and (option.label.ordinal == (1, 0) or named == here or not here)

    def _chained(self, option: Candidate, index: int) -> bool:
        """The next numbers of its kind go on from this one, so a run of text begins anew here."""
        if not self._open_place(index):
            return False
        wanted = option.label
        found = 0
        for line in self.lines[index + 1 : index + 1 + _AHEAD]:
            for other in self.scanner.markers(line):
                if other.level != option.level or other.label.root != wanted.root:
                    continue
                if follows(wanted.ordinal, other.label.ordinal):
                    wanted = other.label
                    found += 1
            if found >= 2:
                return True
        return False

    def _goes_on(self, option: Candidate, index: int, meant: bool = False) -> bool:
        """A second number of its kind begins a line before any higher marker does: this is its first.

        ``meant``: the second may be misread as the first was.
        """
        for line in self.lines[index + 1 : index + 1 + _AHEAD]:
            others = self.scanner.markers(line)
            if meant and (said := misread(line.value)):
                others = [*others, *self.scanner.candidates(said)]
            for other in others:
                if other.unsure:
                    continue
                if other.level == option.level and follows(option.label.ordinal, other.label.ordinal):
                    return True
                if other.level <= option.level:
                    return False
        return False

    def _restarts(self, option: Candidate, index: int) -> bool:
        """``A.`` and then ``B.`` again, right below the root: the head between the two is lost."""
        if option.level != self.scanner.root + 1 or option.label.ordinal != (1, 0):
            return False
        return self._open_place(index) and not self._introduced(index) and self._goes_on(option, index)

    def _skips(self, last: Ordinal, option: Candidate, index: int) -> bool:
        """A number before this one is lost: taken when the outline has this one, or the next goes on."""
        if not last < option.label.ordinal <= (last[0] + 3, 0) or not self._open_place(index):
            return False
        chain = self._chain_with(option)
        if chain[0][0] != self.scanner.root:
            return False
        known = tuple(label.step for _, label in chain) in self.scanner.known
        return known or self._goes_on(option, index)

    def _open_place(self, index: int) -> bool:
        """Nothing goes on here: the line before ends a sentence or a paragraph, or is a marker's own line."""
        if index == 0:
            return True
        before, line = self.lines[index - 1], self.lines[index]
        if before.closed or before.table or line.after_blank:
            return True
        if self.body is not None and self.body.lines and self.body.level is not None:
            level = self.scanner.levels[self.body.level]
            if level.heading or level.titled != "never":
                return True
        return self.scanner.measure.ends_early(before.value, line.value)

    def _introduced(self, index: int) -> bool:
        return bool(self.lines[index - 1].value.rstrip().endswith((":", "—", "-")))


def scan(pieces: list[list[Line]], scanner: Scanner) -> Iterator[Fragment]:
    """The fragments of a source, each with its blocks; runs without lines are passed over."""
    scanner.learn([line for lines in pieces for line in lines])
    filled = [(number, lines) for number, lines in enumerate(pieces) if lines]
    for position, (number, lines) in enumerate(filled):
        state = _State(scanner, lines)
        for index in range(len(lines)):
            state.line(index)
        fragment = Fragment(state.blocks)
        fragment.opens_source = number == 0
        fragment.closes_source = position == len(filled) - 1
        yield fragment
