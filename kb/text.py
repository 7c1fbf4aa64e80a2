"""A string that knows where each of its characters came from."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Concatenate, ParamSpec, TypeVar, cast

from kb.stretches import EDIT, OWN, Runs, put, stretches, trimmed
from kb.stretches import Edit as Edit

WALL = "\f"
"""On a line of its own: pages are missing here, and nothing runs across it."""

Replacement = str | Callable[[re.Match[str]], str]


P = ParamSpec("P")
T = TypeVar("T")


class Text:
    """An immutable string with, for each character, the run of the source it was read from.

    ``value`` is the text now; ``starts[i]``/``ends[i]`` bound the source run of ``value[i]``; ``edits`` are
    all the changes made on the way. ``sub`` is the one way to change it. An untouched character has a run
    of length one that holds the same character; a replaced one has the run of what it replaced.

    Kept are not the runs of characters but stretches of them: ``_sizes[k]`` characters that stand one for
    one from ``_lows[k]`` on (``_highs[k]`` is ``OWN``), or that all stand for ``_lows[k]`` to ``_highs[k]``.
    """

    __slots__ = ("_arrays", "_at", "_highs", "_lows", "_made", "_sizes", "edits", "source", "value")

    def __init__(
        self,
        value: str,
        source: str = "",
        starts: array[int] | None = None,
        ends: array[int] | None = None,
        edits: tuple[Edit, ...] = (),
    ) -> None:
        self.value = value
        self.source = source
        """Name of the source the positions count in."""
        self.edits = edits
        self._arrays: tuple[array[int], array[int]] | None = None
        self._at: list[int] | None = None
        self._made: dict[object, tuple[tuple[object, ...] | None, object]] | None = None
        size = len(value)
        if starts is None and ends is None:
            self._sizes, self._lows, self._highs = ([size], [0], [OWN]) if size else ([], [], [])
            return
        self._arrays = (
            array("q", range(size)) if starts is None else starts,
            array("q", range(1, size + 1)) if ends is None else ends,
        )
        if not size == len(self._arrays[0]) == len(self._arrays[1]):
            raise ValueError("a Text needs one source run for each character")
        self._sizes, self._lows, self._highs = stretches(*self._arrays)

    @classmethod
    def _of(cls, value: str, source: str, runs: Runs, edits: tuple[Edit, ...] = ()) -> Text:
        made = cls.__new__(cls)
        made.value, made.source, made.edits = value, source, edits
        made._sizes, made._lows, made._highs = runs
        made._arrays = made._at = made._made = None
        return made

    def __len__(self) -> int:
        return len(self.value)

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"Text({self.value[:40]!r}, source={self.source!r}, edits={len(self.edits)})"

    def __getitem__(self, key: slice) -> Text:
        """A run of the text (step 1 only); it keeps the positions, not the log of edits."""
        if key.step not in (None, 1):
            raise ValueError("a Text is cut into runs, step 1")
        start, stop, _ = key.indices(len(self.value))
        return Text._of(self.value[start:stop], self.source, self._runs(start, stop))

    @property
    def starts(self) -> array[int]:
        """Where the source run of each character begins. Made when asked for; do not change it."""
        return self._made_arrays()[0]

    @property
    def ends(self) -> array[int]:
        """Where the source run of each character ends. Made when asked for; do not change it."""
        return self._made_arrays()[1]

    def start_of(self, place: int) -> int:
        """``starts[place]`` of one character (not negative), without making all of them."""
        at = self._at or self._offsets()
        stretch = bisect_right(at, place) - 1
        low = self._lows[stretch]
        return low if self._highs[stretch] != OWN else low + place - at[stretch]

    def starts_of(self, places: Iterable[int]) -> list[int]:
        """``start_of`` of many places that ascend."""
        at, lows, highs = self._offsets(), self._lows, self._highs
        found: list[int] = []
        stretch, until, shift, own = -1, 0, 0, False
        for place in places:
            if place >= until:
                stretch = bisect_right(at, place, stretch + 1) - 1
                until, own = at[stretch + 1], highs[stretch] == OWN
                shift = lows[stretch] - (at[stretch] if own else 0)
            found.append(place + shift if own else shift)
        return found

    def end_of(self, place: int) -> int:
        """``ends[place]`` of one character (not negative), without making all of them."""
        at = self._at or self._offsets()
        stretch = bisect_right(at, place) - 1
        high = self._highs[stretch]
        return high if high != OWN else self._lows[stretch] + place - at[stretch] + 1

    def derived(self, make: Callable[Concatenate[str, P], T], *args: P.args, **named: P.kwargs) -> T:
        """``make(value, *args)``, made once for this Text: repairs ask the same of an unchanged one."""
        if self._made is None:
            self._made = {}
        asked = (*args, *named.items())
        before, made = self._made.get(make, (None, None))
        if before is None or any(a is not b for a, b in zip(before, asked, strict=True)):
            made = make(self.value, *args, **named)
            self._made[make] = asked, made
        return cast("T", made)

    def sub(self, pattern: str | re.Pattern[str], replacement: Replacement, rule: str) -> Text:
        """Replace every match and log each change under ``rule``.

        As ``re.sub``, with one difference: characters that match and replacement share at their two ends
        stay untouched, so that an edit covers only what really changed. No change gives back self.
        """
        compiled = re.compile(pattern) if isinstance(pattern, str) else pattern
        return self.sub_matches(compiled.finditer(self.value), replacement, rule)

    def sub_matches(self, matches: Iterable[re.Match[str]], replacement: Replacement, rule: str) -> Text:
        """As ``sub``, of matches in this value that were found already, in ascending order."""
        plain = replacement if isinstance(replacement, str) and "\\" not in replacement else None
        if plain is not None:
            return self.replace_runs([(*match.span(), plain) for match in matches], rule)
        if isinstance(replacement, str):
            return self.replace_runs([(*match.span(), match.expand(replacement)) for match in matches], rule)
        return self.replace_runs([(*match.span(), replacement(match)) for match in matches], rule)

    def replace_runs(self, runs: Iterable[tuple[int, int, str]], rule: str) -> Text:
        """Replace runs ``(start, end, new)`` of the value, given in ascending order, not overlapping."""
        value = self.value
        changes = [
            trimmed(value, start, end, new)
            if new and (end - start > 1 or len(new) > 1)
            else (start, end, new)
            for start, end, new in runs
            if value[start:end] != new
        ]
        if not changes:
            return self
        if all(end - start == len(new) == 1 for start, end, new in changes):
            return self._letters(changes, rule)
        return self._apply(changes, rule)

    def _letters(self, changes: list[tuple[int, int, str]], rule: str) -> Text:
        """As `_apply`, of letters that each take the place of one: what stands for what stays as it is."""
        value = self.value
        at, lows, highs = self._offsets(), self._lows, self._highs
        pieces: list[str] = []
        edits: list[tuple[str, int, int, str, str]] = []
        done, stretch = 0, -1
        until = shift = 0
        for start, end, new in changes:
            if start >= until:
                stretch = bisect_right(at, start, stretch + 1) - 1
                until, high = at[stretch + 1], highs[stretch]
                shift = lows[stretch] - at[stretch]
            pieces += value[done:start], new
            if high == OWN:
                edits.append((rule, start + shift, end + shift, value[start], new))
            else:
                edits.append((rule, lows[stretch], high, value[start], new))
            done = end
        pieces.append(value[done:])
        runs = self._sizes, self._lows, self._highs
        return Text._of("".join(pieces), self.source, runs, (*self.edits, *map(EDIT, edits)))

    def _apply(self, changes: list[tuple[int, int, str]], rule: str) -> Text:
        value = self.value
        at, lows, highs = self._offsets(), self._lows, self._highs
        pieces: list[str] = []
        runs: Runs = ([], [], [])
        edits: list[tuple[str, int, int, str, str]] = []
        done = stretch = 0
        for start, end, new in changes:
            if done < start:
                pieces.append(value[done:start])
            while stretch + 2 < len(at) and at[stretch + 1] <= done:
                stretch += 1
            if start < end <= at[stretch + 1] and highs[stretch] == OWN:  # nearly always
                shift = lows[stretch] - at[stretch]
                low, high = start + shift, end + shift
                if done < start:
                    put(runs, start - done, done + shift, OWN)
            else:
                if done < start:
                    self._copy(done, start, runs)
                low, high = self.run(start, end)
            if new:
                pieces.append(new)
                put(runs, len(new), low, high)
            edits.append((rule, low, high, value[start:end], new))
            done = end
        if done < len(value):
            pieces.append(value[done:])
            self._copy(done, len(value), runs)
        return Text._of("".join(pieces), self.source, runs, (*self.edits, *map(EDIT, edits)))

    def folded(self, gaps: Iterable[tuple[int, int]]) -> Text:
        """The same with one blank for each of some runs of white space, in ascending order; not logged.

        It stands for the first character; where something was taken out around that, for all in the gap.
        """
        at, lows, highs = self._offsets(), self._lows, self._highs
        pieces: list[str] = []
        runs: Runs = ([], [], [])
        done = stretch = 0
        for start, end in gaps:
            pieces += [self.value[done:start], " "]
            while stretch + 2 < len(at) and at[stretch + 1] <= done:
                stretch += 1
            if start and end < at[stretch + 1] and highs[stretch] == OWN:  # nearly always
                put(runs, start + 1 - done, done + lows[stretch] - at[stretch], OWN)
            else:
                if done < start:
                    self._copy(done, start, runs)
                low = self.end_of(start - 1) if start else self.start_of(0)
                high = self.start_of(end) if end < len(self.value) else self.end_of(end - 1)
                own = self.start_of(start) == low == self.end_of(start) - 1
                put(runs, 1, low, OWN if own and low < high else max(low, high))
            done = end
        pieces.append(self.value[done:])
        if done < len(self.value):
            self._copy(done, len(self.value), runs)
        return Text._of("".join(pieces), self.source, runs, self.edits)

    def breaks(self, sign: str) -> list[int]:
        """Places of a sign that does not follow in the source on what stands before it, ascending."""
        at, value = self._offsets(), self.value
        found = [place for place in at[:-1] if value[place] == sign]
        within = [
            place
            for stretch, (size, high) in enumerate(zip(self._sizes, self._highs, strict=True))
            if high != OWN and size > 1
            for place in range(at[stretch] + 1, at[stretch + 1])
            if value[place] == sign
        ]
        return sorted([*found, *within]) if within else found

    def recast(self, value: str) -> Text:
        """The same runs of the source with other characters, as many, each for the old one; not logged."""
        if len(value) != len(self.value):
            raise ValueError("a Text is recast into as many characters")
        return Text._of(value, self.source, (self._sizes, self._lows, self._highs), self.edits)

    def run(self, start: int, end: int) -> tuple[int, int]:
        """The run of the source behind ``value[start:end]``; of an empty one the place between, or the
        run of the edit it lies in."""
        if start < end:
            return self._bounds(start, end)
        if 0 < start < len(self.value):
            before, place = self.end_of(start - 1), self.start_of(start)
            return (place, before) if before > place else (place, place)  # inside what one edit put in
        if start < len(self.value):
            place = self.start_of(start)
        elif self.value:
            place = self.end_of(len(self.value) - 1)
        else:
            place = 0
        return place, place

    def segments(self, start: int = 0, stop: int | None = None) -> list[tuple[int, int, int, int]]:
        """Maximal runs ``(start, end, source_start, source_end)`` that map one to one, or by one edit.

        Of a run of the value, and counted from its start, where its bounds are given.
        """
        stop = len(self.value) if stop is None else stop
        if start >= stop:
            return []
        at, lows, highs = self._at or self._offsets(), self._lows, self._highs
        stretch = bisect_right(at, start) - 1
        begun, low, high = 0, lows[stretch], highs[stretch]
        if high == OWN:
            low += start - at[stretch]
        if stop <= at[stretch + 1]:
            return [(0, stop - start, low, low + stop - start if high == OWN else high)]
        found: list[tuple[int, int, int, int]] = []
        while at[stretch + 1] < stop:
            end = at[stretch + 1] - start
            found.append((begun, end, low, low + end - begun if high == OWN else high))
            stretch += 1
            begun, low, high = end, lows[stretch], highs[stretch]
        end = stop - start
        found.append((begun, end, low, low + end - begun if high == OWN else high))
        return found

    # Stretches.

    def _offsets(self) -> list[int]:
        """Where each stretch begins in the value, and its length behind the last."""
        if self._at is None:
            self._at = list(accumulate(self._sizes, initial=0))
        return self._at

    def _bounds(self, start: int, end: int) -> tuple[int, int]:
        """The least start and the greatest end of a run that is not empty."""
        at, lows, highs = self._offsets(), self._lows, self._highs
        first = bisect_right(at, start) - 1
        if end <= at[first + 1]:
            if highs[first] != OWN:
                return lows[first], highs[first]
            shift = lows[first] - at[first]
            return start + shift, end + shift
        sizes, lower, higher = self._runs(start, end)
        ends = [b if b != OWN else a + n for n, a, b in zip(sizes, lower, higher, strict=True)]
        return min(lower), max(ends)

    def _runs(self, start: int, end: int) -> Runs:
        """The stretches of a run."""
        runs: Runs = ([], [], [])
        if start < end:
            self._copy(start, end, runs)
        return runs

    def _copy(self, start: int, end: int, runs: Runs) -> None:
        """Add the stretches of a run that is not empty to others."""
        at, lows, highs = self._at or self._offsets(), self._lows, self._highs
        first = bisect_right(at, start) - 1
        low, high = lows[first], highs[first]
        if high == OWN:
            low += start - at[first]
        if end <= at[first + 1]:
            put(runs, end - start, low, high)
            return
        put(runs, at[first + 1] - start, low, high)
        last = bisect_left(at, end, first) - 1
        runs[0].extend(self._sizes[first + 1 : last])
        runs[1].extend(lows[first + 1 : last])
        runs[2].extend(highs[first + 1 : last])
        put(runs, end - at[last], lows[last], highs[last])

    def _made_arrays(self) -> tuple[array[int], array[int]]:
        if self._arrays is None:
            starts: array[int] = array("q")
            ends: array[int] = array("q")
            for size, low, high in zip(self._sizes, self._lows, self._highs, strict=True):
                if high == OWN:
                    starts.extend(range(low, low + size))
                    ends.extend(range(low + 1, low + size + 1))
                else:
                    starts.extend([low] * size)
                    ends.extend([high] * size)
            self._arrays = starts, ends
        return self._arrays
