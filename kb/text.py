"""A string that knows where each of its characters came from."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass

WALL = "\f"
"""On a line of its own: pages are missing here, and nothing runs across it."""

Replacement = str | Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Edit:
    """One change: the run of the source it touched (code points), what stood there, what stands now."""

    rule: str
    start: int
    end: int
    before: str
    after: str


class Text:
    """An immutable string with, for each character, the run of the source it was read from.

    ``value`` is the text now; ``starts[i]``/``ends[i]`` bound the source run of ``value[i]``; ``edits`` are
    all the changes made on the way. ``sub`` is the one way to change it. An untouched character has a run
    of length one that holds the same character; a replaced one has the run of what it replaced.
    """

    __slots__ = ("edits", "ends", "source", "starts", "value")

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
        self.starts = array("q", range(len(value))) if starts is None else starts
        self.ends = array("q", range(1, len(value) + 1)) if ends is None else ends
        self.edits = edits
        if not len(self.value) == len(self.starts) == len(self.ends):
            raise ValueError("a Text needs one source run for each character")

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
        return Text(self.value[key], self.source, self.starts[key], self.ends[key])

    def sub(self, pattern: str | re.Pattern[str], replacement: Replacement, rule: str) -> Text:
        """Replace every match and log each change under ``rule``.

        As ``re.sub``, with one difference: characters that match and replacement share at their two ends
        stay untouched, so that an edit covers only what really changed. No change gives back self.
        """
        compiled = re.compile(pattern) if isinstance(pattern, str) else pattern
        changes: list[tuple[int, int, str]] = []
        plain = replacement if isinstance(replacement, str) and "\\" not in replacement else None
        for match in compiled.finditer(self.value):
            if plain is not None:
                new = plain
            elif isinstance(replacement, str):
                new = match.expand(replacement)
            else:
                new = replacement(match)
            if new != match.group():
                changes.append(_trim(self.value, match.start(), match.end(), new))
        return self._apply(changes, rule)

    def replace_runs(self, runs: Iterable[tuple[int, int, str]], rule: str) -> Text:
        """Replace runs ``(start, end, new)`` of the value, given in ascending order, not overlapping."""
        return self._apply(
            [_trim(self.value, start, end, new) for start, end, new in runs if self.value[start:end] != new],
            rule,
        )

    def _apply(self, changes: list[tuple[int, int, str]], rule: str) -> Text:
        if not changes:
            return self
        pieces: list[str] = []
        starts: array[int] = array("q")
        ends: array[int] = array("q")
        edits: list[Edit] = []
        at = 0
        for start, end, new in changes:
            pieces.append(self.value[at:start])
            starts.extend(self.starts[at:start])
            ends.extend(self.ends[at:start])
            low, high = self.run(start, end)
            pieces.append(new)
            starts.extend([low] * len(new))
            ends.extend([high] * len(new))
            edits.append(Edit(rule, low, high, self.value[start:end], new))
            at = end
        pieces.append(self.value[at:])
        starts.extend(self.starts[at:])
        ends.extend(self.ends[at:])
        return Text("".join(pieces), self.source, starts, ends, self.edits + tuple(edits))

    def run(self, start: int, end: int) -> tuple[int, int]:
        """The run of the source behind ``value[start:end]``; of an empty one the place between, or the
        run of the edit it lies in."""
        if start < end:
            return min(self.starts[start:end]), max(self.ends[start:end])
        if 0 < start < len(self.value) and self.ends[start - 1] > self.starts[start]:
            return self.starts[start], self.ends[start - 1]  # inside what one edit put in
        if start < len(self.value):
            place = self.starts[start]
        elif self.value:
            place = self.ends[-1]
        else:
            place = 0
        return place, place

    def segments(self) -> Iterable[tuple[int, int, int, int]]:
        """Maximal runs ``(start, end, source_start, source_end)`` that map one to one, or by one edit."""
        size = len(self.value)
        at = 0
        while at < size:
            end = at + 1
            low, high = self.starts[at], self.ends[at]
            if high - low == 1:
                while end < size and self.starts[end] == high and self.ends[end] == high + 1:
                    high += 1
                    end += 1
            else:
                while end < size and self.starts[end] == low and self.ends[end] == high:
                    end += 1
            yield at, end, low, high
            at = end


def join(parts: Iterable[Text], source: str = "") -> Text:
    """Concatenate Texts of one source. The edits of the parts are not carried over."""
    values: list[str] = []
    starts: array[int] = array("q")
    ends: array[int] = array("q")
    for part in parts:
        source = source or part.source
        values.append(part.value)
        starts.extend(part.starts)
        ends.extend(part.ends)
    return Text("".join(values), source, starts, ends)


def _trim(value: str, start: int, end: int, new: str) -> tuple[int, int, str]:
    head = 0
    limit = min(end - start, len(new))
    while head < limit and value[start + head] == new[head]:
        head += 1
    tail = 0
    while tail < limit - head and value[end - 1 - tail] == new[len(new) - 1 - tail]:
        tail += 1
    return start + head, end - tail, new[head : len(new) - tail]
