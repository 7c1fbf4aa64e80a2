"""What may follow what: whether a marker that a line may begin with does begin a provision there."""

from __future__ import annotations

from dataclasses import replace

from kb.numbers import Label, Ordinal, follows, read_label, step_of
from kb.parse.lines import Line
from kb.parse.marked import Block, Candidate
from kb.parse.misread import LOST, misread
from kb.parse.scanner import SURE, Scanner

_AHEAD = 600
"""Lines in which the numbers that go on from a doubtful one are looked for."""
_BELOW = 3
"""Lines of a heading, after which its first provision begins."""


class Reading:
    """The open block and chain while a fragment is read, and what they let follow."""

    def __init__(self, scanner: Scanner, lines: list[Line]) -> None:
        self.scanner = scanner
        self.lines = lines
        self.blocks: list[Block] = []
        self.chain: tuple[tuple[int, Label], ...] = ()
        self.headings: tuple[tuple[int, Label], ...] = ()
        self.body: Block | None = None
        self.note: Block | None = None

    # Which of the markers that a line may have it has.

    def pick(self, index: int) -> Candidate | None:
        line = self.lines[index]
        for option in self.scanner.markers(line):
            if self._accepts(option, index):
                return option
        meant = misread(line.value)
        options = self.scanner.candidates(meant) if meant else []
        surely = next((option for option in options if self._surely(option, index)), None)
        return surely or self._lost(index) or self._named_below(index)

    def _lost(self, index: int) -> Candidate | None:
        """``( )`` between ``(1)`` and ``(3)`` is ``(2)``: a marker that lost its figure."""
        value = self.lines[index].value
        empty = LOST.match(value)
        if not empty or not self._open_place(index):
            return None
        for depth, label in reversed(self.chain):
            due = step_of((label.ordinal[0] + 1, 0), self.scanner.levels[depth].numbering)
            meant = f"({due}){value[empty.end() :]}"
            found = next(
                (o for o in self.scanner.candidates(meant) if o.level == depth and not o.unsure), None
            )
            if found and follows(label.ordinal, found.label.ordinal) and self._next_is(found, index):
                end = found.end - len(meant) + len(value)
                return replace(
                    found, end=end, why=f"its figure is lost, {due} is due and the next one follows"
                )
        return None

    def _next_is(self, option: Candidate, index: int) -> bool:
        """The first marker below that is not of a lower level is the one that follows."""
        for line in self.lines[index + 1 : index + 1 + _AHEAD]:
            for other in self.scanner.markers(line):
                if other.level <= option.level and not other.unsure:
                    return other.level == option.level and follows(option.label.ordinal, other.label.ordinal)
        return False

    def _named_below(self, index: int) -> Candidate | None:
        """A heading without a number, right above the first provision of another root, which names it."""
        level = self.scanner.numberless(self.lines[index].value)
        if level is None or not self._open_place(index):
            return None
        roots = [label.step for depth, label in self.chain if depth == self.scanner.root]
        for line in self.lines[index + 1 : index + 1 + _BELOW]:
            for other in self.scanner.markers(line):
                if other.label.root in ("", *roots) or other.label.ordinal != (1, 0):
                    continue
                label = read_label(other.label.root, self.scanner.levels[level].numbering)
                return Candidate(level, label, 0, 0) if label else None
        return None

    def chain_with(self, picked: Candidate) -> tuple[tuple[int, Label], ...]:
        if picked.chain or picked.adrift:
            return picked.chain
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
        if self.scanner.sure[option.level] >= SURE:
            return False
        if option.level > self.scanner.root:
            if option.label.root:
                return self._dotted_in_order(option, index)
            if self.scanner.levels[option.level].numbering == "dotted":
                return self._counted_in_order(option, index)
            titled = self._titled(option, index) or self._before_titled(option, index)
            return titled or self._listed(option, index)
        later = not self.chain or option.label.ordinal > self.scanner.last_root
        if option.level == self.scanner.root and later and self.scanner.is_titled((option.label.step,), said):
            return True
        for line in self.lines[index + 1 : index + 1 + _BELOW]:
            sure = [other for other in self.scanner.markers(line) if not other.unsure]
            if any(self._first_below(option, other) for other in sure):
                return True
            if any(other.level <= option.level for other in sure):
                return False
        return False

    def _titled(self, option: Candidate, index: int) -> bool:
        """The outline gives this part of the open root, or of any, the title it has here."""
        said = " ".join(
            [self.lines[index].value[option.end :], *(n.value for n in self.lines[index + 1 : index + 2])]
        )
        path = tuple(label.step for _, label in self.chain_with(option))
        rooted = bool(self.chain) and self.chain[0][0] == self.scanner.root
        return self.scanner.is_titled(path if rooted else ("", *path), said)

    def _before_titled(self, option: Candidate, index: int) -> bool:
        """Next in its list, no list within is open, and the one after it is titled as in the outline."""
        inner = any(depth > option.level for depth, _ in self.chain)
        last = next((label.ordinal for depth, label in self.chain if depth == option.level), (0, 0))
        if inner or not self.chain or not follows(last, option.label.ordinal) or not self._open_place(index):
            return False
        for number in range(index + 1, min(len(self.lines), index + 1 + _AHEAD)):
            for other in self.scanner.markers(self.lines[number]):
                if other.level < option.level and not other.unsure:
                    return False
                if other.level == option.level and follows(option.label.ordinal, other.label.ordinal):
                    return self._titled(other, number)
        return False

    def _listed(self, option: Candidate, index: int) -> bool:
        """The next of an open list whose numbers have signs around them that no profile tells; or the first
        one of it, and the second one follows."""
        if self.scanner.levels[option.level].numbering != "arabic" or not self._open_place(index):
            return False
        last = next((label.ordinal for depth, label in self.chain if depth == option.level), None)
        if last is not None:
            return follows(last, option.label.ordinal)
        begun = not self.chain or self.chain[0][0] > option.level  # above the fragment
        first = begun or (self.chain[-1][0] == option.level - 1 and option.label.ordinal == (1, 0))
        return first and self._second_below(option, index)

    def _second_below(self, option: Candidate, index: int) -> bool:
        """The one after this begins a line before any marker above it does."""
        for line in self.lines[index + 1 : index + 1 + _AHEAD]:
            for other in self.scanner.markers(line):
                if other.level == option.level and follows(option.label.ordinal, other.label.ordinal):
                    return True
                if other.level < option.level and not other.unsure:
                    return False
        return False

    def _dotted_in_order(self, option: Candidate, index: int) -> bool:
        """``65-3``, that may be a range: next under the open root, or others of its kind go on from it."""
        roots = [label.step for depth, label in self.chain if depth == self.scanner.root]
        last = next((label.ordinal for depth, label in self.chain if depth == option.level), (0, 0))
        if option.label.root in roots and follows(last, option.label.ordinal):
            return self._open_place(index)
        return self._chained(option, index)

    def _counted_in_order(self, option: Candidate, index: int) -> bool:
        """``2.`` for ``66.2``: the next one under the open root, where no other number has stood since."""
        if not self.chain or self.chain[0][0] != self.scanner.root or not self._open_place(index):
            return False
        last = next((label.ordinal for depth, label in self.chain if depth == option.level), (0, 0))
        if not follows(last, option.label.ordinal):
            return False
        since = self.body.lines[1:] if self.body is not None and self.body.level is not None else []
        first = (other for line in since for other in self.scanner.markers(line))
        return not any(other.level == option.level for other in first)

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
        if not self._open_place(index) or self._cited(option, index):
            return False
        roots = [label for depth, label in self.chain if depth == self.scanner.root]
        if not roots:
            return True
        return roots[0].ordinal != option.label.ordinal or self._opened_by(self.lines[index])

    def _cited(self, option: Candidate, index: int) -> bool:
        """``… СМ. / ПРАВИЛО 59.``: in a text of capitals a citation looks as a heading does."""
        if not index or not self.scanner.capitals:
            return False
        before, line = self.lines[index - 1], self.lines[index]
        if before.closed and not self.scanner.abbreviated(before.value):
            return False
        below = [
            other.value for other in self.lines[index + 1 : index + 2] if not self.scanner.markers(other)
        ]
        said = " ".join([line.value[option.end :], *below])
        return not self.scanner.is_titled((option.label.step,), said)

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
                if other.unsure and not option.unsure:
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
        chain = self.chain_with(option)
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
