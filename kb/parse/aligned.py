"""Which provisions the numbers of a text stand for where pages are missing and no mark says where.

Numbers go on, or they jump; a jump costs, and so does a number against the outline. A heading that says what
the outline says speaks for its place. Of all ways to read a stretch the best one counts, and for each number
by how much any other place is worse.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from kb.numbers import Ordinal, follows, read_step
from kb.parse.marked import Candidate
from kb.parse.outline import Outline, Path
from kb.parse.place import Chain, Similar
from kb.profile import Work

_JUMP, _CUT_JUMP = 2.5, 0.5
"""What a gap costs between two numbers; where the text before it breaks off."""
_CHANCE = 1.0
"""What it costs more where the number would have gone on without a gap."""
_BROKEN = 1.0
"""What it costs to go on behind a text that breaks off."""
_TEXT = 2.5
"""What it costs that a number begins no provision."""
_LOST = 1.5
"""What it costs that a number between two is lost."""
_KNOWN, _AGAINST, _OPEN = 0.5, -2.0, -1.0
"""A place in the outline; one where the outline has others; one of a list it does not spell out."""
_TITLED, _ALIKE = 3.0, 0.4
"""A heading as in the outline; share of its words from which on it counts."""
_SLACK = 20
_BEAM = 300
_MOST_ROOTS = 80
_FAR = float("-inf")

State = tuple[Chain, bool]
"""The chain that is open, and whether this number is of it or none."""


@dataclass(frozen=True, slots=True)
class Step:
    """A line that may begin a provision, and what stands before it."""

    index: int
    option: Candidate
    said: str
    """What stands behind the number: a heading, or how the text begins."""
    broken: bool
    """The text before it breaks off."""
    introduced: bool
    """A heading or a colon stands before it, so that a list may begin."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Where a step stands: None for no provision of its own; by how much the next best place is worse."""

    chain: Chain | None
    margin: float
    jump: bool
    """A gap stands before it."""


class Aligner:
    """The places between two roots, ready for one stretch of text."""

    def __init__(
        self, work: Work, outline: Outline, similar: Similar, first: str | None, last: str | None
    ) -> None:
        self.levels = work.levels
        self.root = work.levels.index(work.root_level)
        self.outline = outline
        self.similar = similar
        self.first, self.last = first, last
        low = outline.order.get((first,), 0) if first else 0
        high = outline.order.get((last,), len(outline.roots)) if last else len(outline.roots)
        self.ascending = low <= high
        roots = outline.roots[low:high] if self.ascending else outline.roots
        if len(roots) > _MOST_ROOTS:
            half = _MOST_ROOTS // 2
            roots = [*roots[:half], *roots[-half:]]
        self.roots = roots
        self._titles: dict[tuple[str, Path], float] = {}

    # The places.

    @cached_property
    def _chains(self) -> list[Chain]:
        return [chain for root in self.roots for chain in self._below(((self.root, root[0]),))]

    @cached_property
    def _targets(self) -> dict[tuple[int, str], list[Chain]]:
        found: dict[tuple[int, str], list[Chain]] = {}
        for chain in self._chains:
            found.setdefault(chain[-1], []).append(chain)
        return found

    def _below(self, chain: Chain) -> Iterator[Chain]:
        yield chain
        path = _path(chain)
        for child in self.outline.children.get(path, []):
            kind = self.outline.entries[child].kind
            level = next((n for n, one in enumerate(self.levels) if one.kind == kind), chain[-1][0] + 1)
            yield from self._below((*chain, (level, child[-1])))

    def _entered(self, option: Candidate) -> list[Chain]:
        """The places a number may have behind a gap."""
        here = (option.level, option.label.step)
        known = self._targets.get(here, [])
        lists = [
            (*chain, here)
            for chain in self._chains
            if chain[-1][0] == option.level - 1 and not self.outline.children.get(_path(chain))
        ]
        return [*known, *lists]

    def _order(self, chain: Chain) -> tuple[int, ...]:
        steps = [self.outline.order.get((chain[0][1],), -1)]
        for level, step in chain[1:]:
            steps += [level, *self._ordinal(level, step)]
        return tuple(steps)

    def _ordinal(self, level: int, step: str) -> Ordinal:
        label = read_step(step, self.levels[level].numbering)
        return label.ordinal if label else (0, 0)

    # What a place is worth.

    def _worth(self, chain: Chain, step: Step) -> float:
        path = _path(chain)
        listed = self.outline.children.get(path[:-1])
        known = _KNOWN if path in self.outline.entries else (_AGAINST if listed else 0.0)
        alike = self._alike(step.said, path)
        return known + (_TITLED * alike * alike if alike >= _ALIKE else 0.0)

    def _alike(self, said: str, path: Path) -> float:
        key = said, path
        if key not in self._titles:
            self._titles[key] = max(
                (self.similar(said[: len(t) * 3 // 2 + _SLACK], t) for t in self.outline.titles(path)),
                default=0.0,
            )
        return self._titles[key]

    def _goes_on(self, chain: Chain, step: Step) -> tuple[Chain, float] | None:
        """The chain that a number makes of the open one, and what that costs."""
        level, label = step.option.level, step.option.label
        kept = tuple(pair for pair in chain if pair[0] < level)
        if not kept:
            return None
        made = (*kept, (level, label.step))
        cost = _BROKEN if step.broken else 0.0
        last = next((self._ordinal(depth, own) for depth, own in chain if depth == level), None)
        if last is None:
            if label.ordinal == (1, 0):
                return made, cost + (0.0 if step.introduced else 1.0)
            return (made, cost + _LOST + 0.5) if label.ordinal <= (3, 0) else None
        if follows(last, label.ordinal):
            return made, cost
        return (made, cost + _LOST) if last < label.ordinal <= (last[0] + 3, 0) else None

    # The best way.

    def choose(self, steps: Sequence[Step], end_broken: bool) -> tuple[list[Choice], bool]:
        """The place of each step; and whether a gap stands behind the last one."""
        forward, came = self._forward(steps)
        ends = {state: score + self._ending(state[0], end_broken) for state, score in forward[-1].items()}
        backward = self._backward(steps, forward, end_broken)
        state = min(ends, key=lambda one: (-ends[one], one))
        gap_behind = self._ending(state[0], end_broken) < 0
        choices: list[Choice] = []
        for at in range(len(steps) - 1, -1, -1):
            total = {one: score + backward[at][one] for one, score in forward[at + 1].items()}
            others = max((s for one, s in total.items() if one != state), default=_FAR)
            before, jump = came[at][state]
            choices.append(Choice(state[0] if state[1] else None, total[state] - others, jump))
            state = before
        return choices[::-1], gap_behind

    def _ending(self, chain: Chain, broken: bool) -> float:
        """What it costs to go on to the root that follows."""
        if not self.last:
            return 0.0
        at = self.outline.order.get((self.last,))
        before = self.outline.roots[at - 1][0] if at else ""
        if chain and chain[0][1] == before:
            return -_BROKEN if broken else 0.0
        return -(_CUT_JUMP if broken else _JUMP)

    def _forward(
        self, steps: Sequence[Step]
    ) -> tuple[list[dict[State, float]], list[dict[State, tuple[State, bool]]]]:
        start: Chain = ((self.root, self.first),) if self.first else ()
        scores: list[dict[State, float]] = [{(start, True): 0.0}]
        came: list[dict[State, tuple[State, bool]]] = []
        for step in steps:
            now: dict[State, float] = {}
            back: dict[State, tuple[State, bool]] = {}

            def offer(
                state: State,
                score: float,
                before: State,
                jump: bool,
                now: dict[State, float] = now,
                back: dict[State, tuple[State, bool]] = back,
            ) -> None:
                if score > now.get(state, _FAR):
                    now[state], back[state] = score, (before, jump)

            for before, score in scores[-1].items():
                offer((before[0], False), score - _TEXT, before, False)
                on = self._goes_on(before[0], step)
                if on:
                    offer((on[0], True), score - on[1] + self._worth(on[0], step), before, False)
            for chain, score, source in self._jumps(scores[-1], step):
                offer((chain, True), score + self._entry(chain, step), source, True)
            if len(now) > _BEAM:
                kept = sorted(now, key=lambda one: (-now[one], one))[:_BEAM]
                now = {one: now[one] for one in kept}
            scores.append(now)
            came.append(back)
        return scores, came

    def _entry(self, chain: Chain, step: Step) -> float:
        open_list = _path(chain) not in self.outline.entries
        return self._worth(chain, step) + (_OPEN if open_list else 0.0)

    def _leap(self, state: State, step: Step) -> float:
        """What a gap behind a state costs."""
        if not state[0]:
            return 0.0  # the text begins
        on = self._goes_on(state[0], step)
        cost = _CUT_JUMP if step.broken else _JUMP
        return cost + (_CHANCE if on and on[1] < _LOST and not step.broken else 0.0)

    def _jumps(self, scores: dict[State, float], step: Step) -> Iterator[tuple[Chain, float, State]]:
        """Each place behind a gap, and the best of the states it may come from."""
        ordered = sorted((self._order(one[0]) if one[0] else (), one) for one in scores)
        keys = [key for key, _ in ordered]
        values = [(scores[one] - self._leap(one, step), one) for _, one in ordered]
        best = list(accumulate(values, _better))
        for chain in self._entered(step.option):
            at = bisect_left(keys, self._order(chain)) if self.ascending else len(keys)
            if at:
                yield chain, *best[at - 1]

    def _backward(
        self, steps: Sequence[Step], scores: Sequence[dict[State, float]], end_broken: bool
    ) -> list[dict[State, float]]:
        """For each step and state: what the best way from there to the end is worth."""
        behind = {one: self._ending(one[0], end_broken) for one in scores[-1]}
        found = [behind]
        for at in range(len(steps) - 1, 0, -1):
            step = steps[at]
            entered = [
                (self._order(chain), behind[chain, True] + self._entry(chain, step))
                for chain in self._entered(step.option)
                if (chain, True) in behind
            ]
            entered.sort(reverse=True)
            best = list(accumulate((worth for _, worth in entered), max))
            here: dict[State, float] = {}
            for one in scores[at]:
                worth = behind.get((one[0], False), _FAR) - _TEXT
                on = self._goes_on(one[0], step)
                if on and (on[0], True) in behind:
                    worth = max(worth, behind[on[0], True] - on[1] + self._worth(on[0], step))
                place = self._above(entered, self._order(one[0])) if self.ascending and one[0] else len(best)
                if place:
                    worth = max(worth, best[place - 1] - self._leap(one, step))
                here[one] = worth
            behind = here
            found.append(here)
        return found[::-1]

    @staticmethod
    def _above(entered: Sequence[tuple[tuple[int, ...], float]], key: tuple[int, ...]) -> int:
        """How many of the places, the last first, stand behind a key."""
        low, high = 0, len(entered)
        while low < high:
            middle = (low + high) // 2
            if entered[middle][0] > key:
                low = middle + 1
            else:
                high = middle
        return low


def _better(one: tuple[float, State], other: tuple[float, State]) -> tuple[float, State]:
    return one if one[0] >= other[0] else other


def _path(chain: Chain) -> Path:
    return tuple(step for _, step in chain)
