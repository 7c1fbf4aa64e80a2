"""Where a fragment without a head belongs: the outline, the neighbours and the headings decide."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from kb.model import Ref
from kb.numbers import Label, Ordinal, follows, preceding, read_label, read_step, step_of
from kb.parse.marked import Block, Fragment
from kb.parse.outline import Outline, Path
from kb.parse.rootless import Rootless
from kb.profile import SourceSpec, Work

Chain = tuple[tuple[int, str], ...]
"""Level index and step, from the root down."""
Similar = Callable[[str, str], float]
"""How much of the second string's words the first one has, 0..1."""

_MARGIN = 0.25
"""By how much the best candidate must stand above the next one."""
_LEAST = 0.6
"""Evidence that a candidate needs when no heading in its fragment names its neighbour."""


@dataclass(frozen=True, slots=True)
class Place:
    """A path, and how it was found: ``explicit`` or ``inferred: why``."""

    path: Path
    basis: str


class Placer:
    """Places the blocks of one source's fragments."""

    def __init__(self, work: Work, outline: Outline, similar: Similar) -> None:
        self.work = work
        self.outline = outline
        self.similar = similar
        self.levels = work.levels
        self.root = work.levels.index(work.root_level)
        self.numbering = work.root_level.numbering

    def place(self, fragments: Sequence[Fragment]) -> dict[int, Place]:
        """``id(block)`` -> place, for every block that has one; the others stay unplaced."""
        places: dict[int, Place] = {}
        for fragment in fragments:
            self._explicit(fragment, places)
        bounds = self._bounds(fragments)
        for fragment, (low, high) in zip(fragments, bounds, strict=True):
            for run in self._rootless(fragment, low, high):
                self._headless(fragment, run, places)
        for fragment in fragments:
            self._headings(fragment, places)
        return places

    # Blocks under a root of their own.

    def _explicit(self, fragment: Fragment, places: dict[int, Place]) -> None:
        for block in fragment.blocks:
            if block.chain and block.chain[0][0] == self.root:
                basis = f"inferred: {block.why}" if block.why else "explicit"
                places[id(block)] = Place(tuple(label.step for _, label in block.chain), basis)

    def _bounds(self, fragments: Sequence[Fragment]) -> list[tuple[Ordinal | None, Ordinal | None]]:
        """For each fragment the last root before it and the first one after, by page where all have one,
        else by the order of the source."""
        firsts = [self._roots(fragment) for fragment in fragments]
        pages = [f.blocks[0].lines[0].page if f.blocks and f.blocks[0].lines else None for f in fragments]
        order = list(range(len(fragments)))
        if None not in pages:
            order.sort(key=lambda index: (pages[index] or 0, index))
        lows: dict[int, Ordinal | None] = {}
        low: Ordinal | None = None
        for index in order:
            lows[index] = low
            low = firsts[index][-1] if firsts[index] else low
        bounds: list[tuple[Ordinal | None, Ordinal | None]] = [(None, None)] * len(fragments)
        high: Ordinal | None = None
        for index in reversed(order):
            low = lows[index]
            if low is None or high is None or low <= high:
                bounds[index] = (low, high)
            high = firsts[index][0] if firsts[index] else high
        return bounds

    def _roots(self, fragment: Fragment) -> list[Ordinal]:
        return [b.chain[0][1].ordinal for b in fragment.blocks if b.chain and b.chain[0][0] == self.root]

    # Blocks before the first root of their fragment.

    def _rootless(self, fragment: Fragment, low: Ordinal | None, high: Ordinal | None) -> list[Rootless]:
        """The runs of blocks without a root: at the start, and where a head within the fragment is lost.

        A number that goes back begins another run: between the two a head is lost.
        """
        runs: list[Rootless] = []
        after: Ordinal | None = None
        closed = 0
        for block in fragment.blocks:
            if block.chain and block.chain[0][0] == self.root:
                root = block.chain[0][1].ordinal
                for run in runs[closed:]:
                    run.following = block if run is runs[-1] else None
                    run.high = root
                    run.open_end = False
                after, closed = root, len(runs)
            elif not block.adrift and (block.level is None or not self.levels[block.level].heading):
                rooted = bool(runs) and not runs[-1].open_end
                if not runs or rooted or runs[-1].goes_back(block):
                    runs.append(Rootless(after or low, high, after is not None))
                runs[-1].add(block)
        return runs

    def _headless(self, fragment: Fragment, run: Rootless, places: dict[int, Place]) -> None:
        head, following = run.blocks, run.following
        marked = [block for block in head if block.kind == "marker"]
        if marked:
            chosen = self._choose(marked, run)
            if chosen is None:
                return
            chains, why = chosen
            for block, chain in zip(marked, chains, strict=True):
                places[id(block)] = Place(tuple(step for _, step in chain), f"inferred: {why}")
            self._carry(head, places)
            first: Path | None = tuple(step for _, step in chains[0])
        else:
            first = places[id(following)].path if following else None
        lead = head[0] if head[0].kind == "head" else None
        if lead is not None and first is not None and self._cut(fragment, lead):
            path = self._before(first[:1] if marked and self._headed(fragment, marked[0]) else first)
            if path:
                places[id(lead)] = Place(path, f"inferred: text before {'.'.join(first)}")

    def _headed(self, fragment: Fragment, block: Block) -> bool:
        """A heading stands between the text at a fragment's start and its first marker: of another root."""
        above = takewhile(lambda other: other is not block, fragment.blocks)
        return any(other.level is not None and self.levels[other.level].heading for other in above)

    def _cut(self, fragment: Fragment, lead: Block) -> bool:
        """Text at a fragment's start goes on with what is lost; at a file's start it may be a preface."""
        return lead.lines[0].lower or not fragment.opens_source

    def _carry(self, head: list[Block], places: dict[int, Place]) -> None:
        """A table or the text after it belongs where the block before it does."""
        last: Place | None = None
        for block in head:
            if block.kind == "marker":
                last = places.get(id(block))
            elif block.kind in ("table", "after-table") and last:
                places[id(block)] = last

    def _choose(self, marked: list[Block], run: Rootless) -> tuple[list[Chain], str] | None:
        """The one run of paths that the markers fit, or None where none or several do."""
        next_root = run.following.chain[0][1] if run.following else None
        if next_root is not None:
            root = self._root_before(next_root)
            roots = [root] if root and not (run.within and not self._between(root[0], run)) else []
        else:
            roots = [path for path in self._roots_near(run) if self._between(path[0], run)]
        scored: list[tuple[float, list[Chain]]] = []
        for root in roots:
            for start in self._starts(root, marked):
                chains = self._run(start, marked)
                scored.append((self._score(chains, marked), chains))
        scored.sort(key=lambda pair: (-pair[0], [step for _, step in pair[1][0]]))
        if not scored:
            return None
        best, chains = scored[0]
        sure = len(scored) == 1 or best - scored[1][0] >= _MARGIN
        least = _LEAST if next_root is None else 0.0
        if not sure or best < least:
            return None
        why = f"{chains[0][0][1]} stands before {next_root.step}" if next_root else "by the outline"
        listed = sum(self._path(chain) in self.outline.entries for chain in chains)
        return chains, f"{why}; {listed} of {len(chains)} in the outline"

    def _between(self, step: str, run: Rootless) -> bool:
        label = read_label(step, self.numbering)
        if label is None:
            return False
        low, high, number = run.low, run.high, label.ordinal
        above = low is None or number > low or (number == low and not run.within)
        return above and (high is None or number <= high)

    def _roots_near(self, run: Rootless) -> Sequence[Path]:
        """The roots of the outline but for those that are not between its bounds for sure."""
        ordinals = self.outline.ordinals
        first = bisect_left(ordinals, run.low) if ordinals and run.low else 0
        last = bisect_right(ordinals, run.high) if ordinals and run.high else None
        return self.outline.roots[first:last]

    def _root_before(self, root: Label) -> Path | None:
        index = self.outline.order.get((root.step,))
        if index is not None:
            return self.outline.roots[index - 1] if index else None
        before = preceding(root.ordinal)
        return (step_of(before, self.numbering),) if before else None

    def _starts(self, root: Path, marked: list[Block]) -> Iterator[Chain]:
        """Every chain below a root at whose end the first block's marker can stand."""
        block = marked[0]
        assert block.level is not None and block.label is not None
        known = list(self._below(root))
        told = self._told(root, marked)
        if told is not None and self._path(told) not in known:
            yield (*told, (block.level, block.label.step))
        for parent in known:
            chain = self._chain(parent)
            if chain[-1][0] >= block.level:
                continue
            path = (*parent, block.label.step)
            listed = path in self.outline.entries
            open_list = not self.outline.children.get(parent) and chain[-1][0] == self._above(block.level)
            if listed or open_list:
                yield (*chain, (block.level, block.label.step))

    def _told(self, root: Path, marked: list[Block]) -> Chain | None:
        """What must stand above the first block, by the numbers after it: b), c), (3) are in (2)."""
        level = marked[0].level or 0
        above: list[tuple[int, str]] = []
        for block in marked[1:]:
            assert block.level is not None and block.label is not None
            if block.level != level - 1 or block.level == self.root:
                continue
            before = preceding(block.label.ordinal)
            if before is None:
                return None
            level = block.level
            above.insert(0, (level, step_of(before, self.levels[level].numbering)))
        return ((self.root, root[0]), *above) if above and level == self.root + 1 else None

    def _above(self, level: int) -> int:
        return level - 1

    def _below(self, path: Path) -> Iterator[Path]:
        yield path
        for child in self.outline.children.get(path, []):
            yield from self._below(child)

    def _chain(self, path: Path) -> Chain:
        kinds = {level.kind: index for index, level in enumerate(self.levels) if not level.heading}
        chain = []
        for depth in range(1, len(path) + 1):
            entry = self.outline.entries.get(path[:depth])
            level = kinds.get(entry.kind) if entry else None
            chain.append((self.root + depth - 1 if level is None else level, path[depth - 1]))
        return tuple(chain)

    def _run(self, start: Chain, marked: list[Block]) -> list[Chain]:
        chains = [start]
        for block in marked[1:]:
            assert block.level is not None and block.label is not None
            kept = tuple(pair for pair in chains[-1] if pair[0] < block.level)
            chains.append((*kept, (block.level, block.label.step)))
        return chains

    @staticmethod
    def _path(chain: Chain) -> Path:
        return tuple(step for _, step in chain)

    def _score(self, chains: list[Chain], marked: list[Block]) -> float:
        """For each block: in the outline 1, in a list the outline does not spell out 0, against it -2; a
        number that does not follow the one before it -1, one that goes back -3: a head is lost between them;
        up to 1 for a heading that says what the outline says."""
        total = -1.0 * sum(
            self._leaps(before, chain, block)
            for before, chain, block in zip(chains, chains[1:], marked[1:], strict=False)
        )
        for chain, block in zip(chains, marked, strict=True):
            path = self._path(chain)
            if path in self.outline.entries:
                total += 1
            elif self.outline.children.get(path[:-1]):
                total -= 2
            said = " ".join(text.value for text in block.texts()[:2])
            total += max((self.similar(said, title) for title in self.outline.titles(path)), default=0.0)
        return total

    def _leaps(self, before: Chain, chain: Chain, block: Block) -> int:
        """How badly a block fits behind the one before it: 0 next in order, 1 not, 3 back."""
        open_steps = dict(before)
        if block.level is None or block.label is None:
            return 0
        if block.level not in open_steps:
            return int(block.label.ordinal != (1, 0))
        last = read_step(open_steps[block.level], self.levels[block.level].numbering)
        if last is None or block.label.ordinal <= last.ordinal:
            return 3
        return int(not follows(last.ordinal, block.label.ordinal))

    def _before(self, path: Path) -> Path | None:
        """The provision whose text runs up to the marker of ``path``."""
        if len(path) == 1:
            before = self._root_before(read_label(path[0], self.numbering) or Label((0, 0), path[0]))
            return self.outline.last_leaf(before) if before and before in self.outline.entries else None
        siblings = self.outline.children.get(path[:-1], [])
        if path in siblings:
            index = siblings.index(path)
            return self.outline.last_leaf(siblings[index - 1]) if index else path[:-1]
        chain = self._chain(path)
        numbering = self.levels[chain[-1][0]].numbering if chain[-1][0] < len(self.levels) else "arabic"
        label = read_step(path[-1], numbering)
        ordinal = preceding(label.ordinal) if label else None
        if ordinal is None:
            return path[:-1]
        return self.outline.last_leaf((*path[:-1], step_of(ordinal, numbering)))

    # Headings.

    def _headings(self, fragment: Fragment, places: dict[int, Place]) -> None:
        for index, block in enumerate(fragment.blocks):
            if block.level is None or not self.levels[block.level].heading or block.label is None:
                continue
            steps = self._heading_steps(block)
            following = next(
                (b for b in fragment.blocks[index + 1 :] if b.chain and b.chain[0][0] == self.root), None
            )
            listed = self._listed_heading(block, following)
            if listed is None:
                places[id(block)] = Place(steps, "explicit")
            else:
                basis = "explicit" if listed == steps else "inferred: by the outline"
                places[id(block)] = Place(listed, basis)

    def _heading_steps(self, block: Block) -> Path:
        steps: list[str] = []
        for level, label in block.heading:
            steps += [self.levels[level].step or self.levels[level].name, label.step]
        return tuple(steps)

    def _listed_heading(self, block: Block, following: Block | None) -> Path | None:
        """The outline's heading of this level and number above the provision that follows."""
        assert block.level is not None and block.label is not None
        tail = (self.levels[block.level].step or self.levels[block.level].name, block.label.step)
        if self.levels[block.level].numbering == "none":
            return self._heading_of_words(block, tail[0])
        if following is not None:
            entry = self.outline.entries.get((following.chain[0][1].step,))
            while entry is not None and entry.parent is not None:
                entry = self.outline.entries.get(entry.parent.path)
                if entry and entry.ref.path[-2:] == tail:
                    return entry.ref.path
        matching = self.outline.ending.get(tail, [])
        return matching[0] if len(matching) == 1 else None

    def _heading_of_words(self, block: Block, step: str) -> Path | None:
        """The outline's heading that says what a heading without a number says, and no other does."""
        said = " ".join(text.value for text in block.texts())
        paths = [path for end, paths in self.outline.ending.items() if end[0] == step for path in paths]
        alike = [p for p in paths if any(self.similar(said, t) >= _LEAST for t in self.outline.titles(p))]
        return alike[0] if len(alike) == 1 else None


def headings_above(
    spec: SourceSpec, work: Work, found: Sequence[Fragment], places: Mapping[int, Place]
) -> dict[Ref, Ref]:
    """For each root provision of a source the heading above it in the same fragment."""
    under: dict[Ref, Ref] = {}
    for fragment in found:
        heading: Ref | None = None
        for block in fragment.blocks:
            place = places.get(id(block))
            if place is None or block.level is None:
                continue
            ref = Ref(spec.work, spec.edition, place.path)
            if work.levels[block.level].heading:
                heading = ref
            elif heading is not None and len(ref.path) == 1:
                under.setdefault(ref, heading)
    return under
