"""Gaps that no page mark tells: where the numbers of a text jump, it is cut there and placed by the outline.

A copy that holds every fourth page, printed without marks: Law 44 runs into the middle of Law 46, and item
2 there would be one of 44.D. Looked for only between two roots that do not follow each other in the outline,
in a source that shows somewhere that they do not because of a gap; all other sources are read as before.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from kb.numbers import Label, Ordinal, follows, read_label, read_step
from kb.parse.aligned import Aligner, Choice, Step
from kb.parse.blocks import State
from kb.parse.lines import Line
from kb.parse.marked import Block, Candidate, Fragment
from kb.parse.outline import Outline
from kb.parse.place import Chain, Similar
from kb.parse.scanner import Scanner
from kb.profile import Work

UNMARKED = "pages are missing before these lines, and no mark says so: placed by numbers and headings"
_SURE, _LIKELY, _LIKELY_BACK = 1.0, 0.5, 1.5
"""Margins: from the first on a number that goes on is of the open provision without a doubt; from the
second on any place is told, from the third on where the text goes back."""
_TITLE_LINES = 3
_SHORT = 90
"""Characters that a heading has at most, where a line of small letters below it may go on with it."""
_RUNS_ON = ("-", ",", ";", ":", "—")
"""What a line ends in that a small letter may follow."""
_STOPS = (".", "!", "?")
_SHORT_BY = 20
"""Characters by which a typed line falls short that ends a paragraph; a hyphen that is gone makes it differ
by some ten."""
_SPACED = 20
"""Of so many lines one at least stands behind a blank one, where blank lines part the paragraphs."""
_PLACED = "pages are missing before it without a mark; by the outline, its number and what it says"
_LIKELY_ON = "pages are missing near it without a mark; by its number and what it says"


@dataclass(frozen=True, slots=True)
class Stretch:
    """The lines of a piece between two roots, or before the first one or behind the last."""

    start: int
    stop: int
    first: Label | None
    last: Label | None
    blocks: Sequence[Block]
    """Those that were read there, the first root's own before them."""
    jumps: bool
    """Roots of the outline are missing between the two."""


@dataclass
class Plan:
    """How a piece is read again: what each line begins, and where it is cut."""

    picks: dict[int, Candidate | None] = field(default_factory=dict)
    walls: dict[int, bool] = field(default_factory=dict)
    """Line -> the text before it ends there for sure."""


def bridged(
    pieces: Sequence[list[Line]],
    found: Sequence[Fragment],
    scanner: Scanner,
    work: Work,
    outline: Outline,
    similar: Similar,
) -> list[Fragment]:
    """The fragments of a source, cut where its roots jump and its numbers or sentences say why."""
    if not outline.roots:
        return list(found)
    filled = [lines for lines in pieces if lines]
    plans: dict[int, Plan] = {}
    reader = Jumps(filled, scanner, work, outline, similar)
    for number, (lines, fragment) in enumerate(zip(filled, found, strict=True)):
        stretches = reader.stretches(lines, fragment)
        if any(one.jumps for one in stretches) and reader.uneven(lines, stretches):
            plans[number] = reader.plan(lines, stretches)
    return read_again(filled, found, plans, scanner) if plans else list(found)


class Jumps:
    """Looks through one source."""

    def __init__(
        self,
        pieces: Sequence[Sequence[Line]],
        scanner: Scanner,
        work: Work,
        outline: Outline,
        similar: Similar,
    ) -> None:
        self.pieces = pieces
        self.scanner = scanner
        self.work = work
        self.outline = outline
        self.similar = similar
        self.root = scanner.root

    @cached_property
    def spaced(self) -> bool:
        """Blank lines part the paragraphs of the source."""
        blank = sum(line.after_blank for lines in self.pieces for line in lines)
        return blank * _SPACED > sum(map(len, self.pieces))

    def stretches(self, lines: Sequence[Line], fragment: Fragment) -> list[Stretch]:
        """The stretches of a piece, in order; none where all its roots follow each other."""
        order = self.outline.order
        labels = [b.label for b in fragment.blocks if b.level == self.root and b.label is not None]
        places = [order.get((label.step,)) for label in labels]
        jumps = [
            a is not None and b is not None and b - a not in (0, 1) for a, b in itertools.pairwise(places)
        ]
        if not any(jumps):
            return []
        blocks = [b for b in fragment.blocks if b.kind != "footnote"]
        roots = [(at, b) for at, b in enumerate(blocks) if b.level == self.root and b.label is not None]
        index = {id(line): at for at, line in enumerate(lines)}
        starts = [0, *(index[id(b.lines[0])] for _, b in roots)]
        stops = [*starts[1:], len(lines)]
        at = [-1, *(number for number, _ in roots), len(blocks)]
        bounds = [None, *labels, None]
        return [
            Stretch(
                starts[n] + (n > 0),
                stops[n],
                bounds[n],
                bounds[n + 1],
                blocks[max(at[n], 0) : at[n + 1]],
                0 < n < len(roots) and jumps[n - 1],
            )
            for n in range(len(starts))
        ]

    # Whether the source shows why its roots jump.

    def uneven(self, lines: Sequence[Line], stretches: Sequence[Stretch]) -> bool:
        """Between two roots that jump a number stands that does not go on, or a sentence breaks off."""
        return any(one.jumps and self._uneven(lines, one) for one in stretches)

    def _uneven(self, lines: Sequence[Line], stretch: Stretch) -> bool:
        begun = {id(block.lines[0]) for block in stretch.blocks if block.kind == "marker"}
        if any(id(lines[at]) not in begun for at, _ in self._offers(lines, stretch)):
            return True
        open_steps: dict[int, Ordinal] = {}
        for block in stretch.blocks[1:]:
            if block.level is None or block.label is None or self.scanner.levels[block.level].heading:
                continue
            last = open_steps.get(block.level)
            first = last is None and block.label.ordinal == (1, 0)
            if not first and not (last is not None and follows(last, block.label.ordinal)):
                return True
            open_steps = {level: own for level, own in open_steps.items() if level < block.level}
            open_steps[block.level] = block.label.ordinal
        return self._tail(lines, stretch.start - 1, self._text_end(stretch, lines)) is not None

    def _text_end(self, stretch: Stretch, lines: Sequence[Line]) -> int:
        """Where the headings begin that stand above the root that follows."""
        heads = {
            id(b.lines[0])
            for b in stretch.blocks
            if b.level is not None and self.scanner.levels[b.level].heading
        }
        return next((at for at in range(stretch.start, stretch.stop) if id(lines[at]) in heads), stretch.stop)

    # What a stretch is read as.

    def plan(self, lines: Sequence[Line], stretches: Sequence[Stretch]) -> Plan:
        """How all stretches of a piece are to be read."""
        plan = Plan()
        for stretch in stretches:
            self._plan(lines, stretch, plan)
        return plan

    def _plan(self, lines: Sequence[Line], stretch: Stretch, plan: Plan) -> None:
        end = self._text_end(stretch, lines)
        steps = self._steps(lines, replace(stretch, stop=end))
        first = stretch.first.step if stretch.first else None
        last = stretch.last.step if stretch.last else None
        aligner = Aligner(self.work, self.outline, self.similar, first, last)
        tail = self._tail(lines, steps[-1].index if steps else stretch.start - 1, end)
        before = stretch.start - 1
        if steps:
            choices, gap_behind = aligner.choose(steps, tail is not None)
            jumped = stretch.first is None
            for step, choice in zip(steps, choices, strict=True):
                jumped = jumped or choice.jump
                why = _PLACED if jumped else ("" if self._sure(choice, stretch) else _LIKELY_ON)
                likely = _LIKELY if aligner.ascending else _LIKELY_BACK
                plan.picks[step.index] = self._picked(step, choice, why, likely)
                if choice.jump and step.index > 0 and (stretch.first or step is not steps[0]):
                    self._wall(plan, step.index, self._tail(lines, before, step.index))
                before = step.index
        else:
            gap_behind = stretch.jumps
        if gap_behind and end < len(lines):
            self._wall(plan, end, tail)

    def _wall(self, plan: Plan, index: int, tail: int | None) -> None:
        plan.walls[index if tail is None else tail] = tail is not None

    def _sure(self, choice: Choice, stretch: Stretch) -> bool:
        """It goes on, and it is known to; where roots are missing, the next one's list may go on with it."""
        if choice.margin < _SURE or choice.chain is None:
            return False
        return not stretch.jumps or tuple(step for _, step in choice.chain) in self.outline.entries

    def _picked(self, step: Step, choice: Choice, why: str, likely: float) -> Candidate | None:
        if choice.chain is None:
            return None
        option = step.option
        if choice.margin < likely:
            return replace(option, adrift=True, chain=(), unsure=False)
        return replace(option, chain=self._labelled(choice.chain, option), why=why)

    def _labelled(self, chain: Chain, option: Candidate) -> tuple[tuple[int, Label], ...]:
        made = []
        for level, step in chain[:-1]:
            numbering = self.scanner.levels[level].numbering
            read = read_label if level == self.root else read_step
            label = read(step, numbering)
            made.append((level, replace(label, step=step) if label else Label((0, 0), step)))
        return (*made, (chain[-1][0], option.label))

    # The lines that may begin something.

    def _steps(self, lines: Sequence[Line], stretch: Stretch) -> list[Step]:
        steps: list[Step] = []
        before = stretch.start - 1
        for at, option in self._offers(lines, stretch):
            said = " ".join(line.value for line in lines[at : at + 2])[option.end :]
            above = lines[at - 1] if at else None
            introduced = above is None or above.value.rstrip().endswith((":", "-", "—")) or not above.closed
            broken = at > 0 and self._tail(lines, before, at) is not None
            steps.append(Step(at, option, said.strip(), broken, introduced))
            before = at
        return steps

    def _offers(self, lines: Sequence[Line], stretch: Stretch) -> Iterator[tuple[int, Candidate]]:
        """The lines of a stretch that stand in an open place and have a number below the roots."""
        read = {
            id(b.lines[0]): b
            for b in reversed(stretch.blocks)
            if b.kind == "marker" and b.level is not None and b.level > self.root
        }
        marked = stretch.start - 1
        for at in range(stretch.start, stretch.stop):
            line = lines[at]
            block = read.get(id(line))
            option = self._read_as(block, line) if block else self._offer(line)
            if option is None or not (block or self._open(lines, at, marked)):
                continue
            marked = at
            yield at, option

    def _read_as(self, block: Block, line: Line) -> Candidate | None:
        if block.marker is None or block.level is None or block.label is None:
            return None
        start, end = block.marker.start - line.start, block.marker.stop - line.start
        return Candidate(block.level, block.label, start, end, why=block.why)

    def _offer(self, line: Line) -> Candidate | None:
        if line.table or line.plain:
            return None
        return next(
            (
                one
                for one in self.scanner.markers(line)
                if not one.unsure and one.level > self.root and not one.label.root
            ),
            None,
        )

    def _open(self, lines: Sequence[Line], at: int, marked: int) -> bool:
        line = lines[at]
        before = lines[at - 1] if at else None
        if before is None or before.closed or before.table or line.after_blank:
            return True
        if not self.scanner.measure.width or self.scanner.measure.ends_early(before.value, line.value):
            return True
        return at - marked <= _TITLE_LINES and not any(one.closed for one in lines[marked:at])

    def _tail(self, lines: Sequence[Line], marked: int, stop: int) -> int | None:
        """The line before ``stop`` and behind the number at ``marked`` where the text goes on with another.

        A paragraph that begins with a small letter, and no list has one there.
        """
        for at in range(max(marked + 1, 1), stop):
            line, before = lines[at], lines[at - 1]
            if not line.lower or line.table or before.table or before.value.endswith(_RUNS_ON):
                continue
            heading = at - 1 == marked and len(before.value) <= _SHORT and "," not in before.value
            if not heading and self._apart(before, line):
                return at
        return None

    def _apart(self, before: Line, line: Line) -> bool:
        """A small letter that does not go on with the line before: a sentence or a paragraph ends there."""
        if before.value.endswith(_STOPS) and not self.scanner.abbreviated(before.value):
            return True
        if not self.scanner.measure.width or line.after_blank:
            return True
        return not self.spaced and self.scanner.measure.ends_early(before.value, line.value, slack=_SHORT_BY)


class _Guided(State):
    """Reads lines of which it is known what some of them begin."""

    def __init__(self, scanner: Scanner, lines: list[Line], picks: Mapping[int, Candidate | None]) -> None:
        super().__init__(scanner, lines)
        self.picks = picks

    def pick(self, index: int) -> Candidate | None:
        """What the plan says, else what the text tells."""
        return self.picks[index] if index in self.picks else super().pick(index)


def read_again(
    filled: Sequence[list[Line]], found: Sequence[Fragment], plans: Mapping[int, Plan], scanner: Scanner
) -> list[Fragment]:
    """All pieces, from the start, those with a plan as it says."""
    scanner.last_root = (0, 0)
    scanner.counted.clear()
    made: list[Fragment] = []
    for number, (lines, fragment) in enumerate(zip(filled, found, strict=True)):
        plan = plans.get(number, Plan())
        starts = [0, *sorted(plan.walls)]
        for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
            picks = {at - start: pick for at, pick in plan.picks.items() if start <= at < stop}
            state = _Guided(scanner, lines[start:stop], picks)
            state.read()
            part = Fragment(state.blocks)
            part.opens_source = fragment.opens_source and start == 0
            part.closes_source = fragment.closes_source and stop == len(lines)
            part.behind_gap = start > 0
            part.open_end = stop < len(lines) and not plan.walls[stop]
            made.append(part)
    return made
