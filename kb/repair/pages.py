"""Page marks -> page feeds at the gaps, and the page map that the log of edits holds."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from kb.patterns import at_lines, one_of
from kb.repair.damage import Damage
from kb.repair.folios import (
    Mark,
    ascending,
    by_shape,
    counting,
    edge_number,
    heads,
    most,
    paginations,
    shape_of,
)
from kb.repair.layout import CLOSED
from kb.text import WALL, Text

_BLANK = re.compile(r"\s*\n(?=[ \t\xa0]*\S)")
_SIGNS = "«<[|*("
"""What a line of links between pages begins with."""
_MOST_LINES = 6
"""Lines that a running head has at most."""
_DIGITS = re.compile(r"\d+")
_BELOW = re.compile(r"\s*\n\s*?(\S[^\n]*\n?)")
_FIRST = re.compile(r"\s*?(\S[^\n]*\n)")
_ABOVE = re.compile(r"(?:^|\n)([^\n]*\S[^\n]*\n)\s*\Z")

RULE = "page-mark"


@dataclass(frozen=True)
class PageMap:
    """Which page a place of the source is on. ``starts`` ascend; ``pages[i]`` holds from ``starts[i]`` on."""

    starts: tuple[int, ...] = ()
    pages: tuple[int | None, ...] = ()
    bases: tuple[str, ...] = ()

    def at(self, place: int) -> tuple[int | None, str]:
        """Page and basis at a code point of the source; (None, "") where no mark tells."""
        index = bisect_right(self.starts, place) - 1
        return (self.pages[index], self.bases[index]) if index >= 0 else (None, "")

    @property
    def missing(self) -> list[int]:
        """Numbers that lie between pages of the map and are not in it."""
        known = sorted({page for page in self.pages if page is not None})
        return [n for a, b in itertools.pairwise(known) for n in range(a + 1, b)]


def page_marks(text: Text, damage: Damage) -> Text:
    """``- 85 -`` -> a page feed where pages are missing, a line end where none is.

    ``- 77 при первой`` (a mark that lost its hyphen, with text after it) counts when it ascends with the
    others in their step. A lone number of another look stays: what is left where marks were found is none.
    """
    marks = () if any(edit.rule == RULE for edit in text.edits) else _marks_of(text, damage)
    if not marks:
        return text
    outer = (not text.value[: marks[0].start].strip(), not text.value[marks[-1].end :].strip())
    pages = [marks[at] for at in paginations([mark.number for mark in marks])[0]]
    position = _position(text.value[slice(marks[0].start, marks[0].end)], outer, damage)
    walled = dict(zip(pages, _walls(pages, position), strict=True))
    walls = [walled.get(mark, False) for mark in marks]
    runs = []
    for mark, wall in zip(marks, walls, strict=True):
        after = "" if mark.alone else "\n"
        runs.append((mark.start, mark.end, (WALL + after) if wall else ("" if mark.alone else after)))
    return text.replace_runs(_tidy(text.value, runs), RULE)


def running_heads(text: Text, damage: Damage) -> Text:
    """Lines that stand next to most page marks, numbers apart, -> dropped: the head of every page.

    Next to three marks at least; a line that begins a provision is none. A head, or what a site puts between
    the pages, may be several lines.
    """
    for _ in range(_MOST_LINES):
        without = text.replace_runs(_heads_beside(text, damage), "running-head")
        if without is text:
            break
        text = without
    return text


def _marks_of(text: Text, damage: Damage) -> list[Mark]:
    return text.derived(find_marks, damage)


def _heads_beside(text: Text, damage: Damage) -> list[tuple[int, int, str]]:
    value, marks = text.value, _marks_of(text, damage)
    pages, others = paginations([mark.number for mark in marks])
    fewest = min(len(pages), len(others) or len(pages))
    runs: dict[tuple[int, int], str] = {}
    for below in (True, False):
        beside = [run for mark in marks if (run := _line_beside(value, mark, below))]
        if below and marks and (first := _FIRST.match(value)):
            beside = sorted({first.span(1), *beside})  # the page before the first mark has its head, too
        said = Counter(_said(value, run) for run in beside)
        heads = {
            line
            for line, times in said.items()
            if times >= 3
            and times * 2 >= fewest - 1
            and len(line) > 2
            and (line[0].isupper() or line[0] in _SIGNS or "://" in line)
        }
        runs |= {
            run: ""
            for run in beside
            if _said(value, run) in heads
            and not any(heading.match(value[slice(*run)].strip()) for heading in damage.headings)
        }
    return [(start, end, new) for (start, end), new in sorted(runs.items())]


def _said(value: str, run: tuple[int, int]) -> str:
    """A line without its numbers, white space folded: what makes two heads the same."""
    return " ".join(_DIGITS.sub("", value[slice(*run)]).split())


def _line_beside(value: str, mark: Mark, below: bool) -> tuple[int, int] | None:
    """The next line with text below or above a mark that stands alone, with its line end."""
    if not mark.alone:
        return None
    pattern = _BELOW if below else _ABOVE
    if below:
        match = pattern.match(value, mark.end)
        return match.span(1) if match else None
    match = pattern.search(value, max(0, mark.start - 400), mark.start)
    return match.span(1) if match else None


def page_map(text: Text, damage: Damage) -> PageMap:
    """The page map of a repaired text, read from its log of edits."""
    edits = [edit for edit in text.edits if edit.rule == RULE and _DIGITS.search(edit.before)]
    if not edits:
        return PageMap()
    numbered = _numbers([edit.before for edit in edits], damage)
    every = [(edit.start, edit.end, number) for edit, number in zip(edits, numbered, strict=True)]
    found = [every[at] for at in paginations([number for _, _, number in every])[0]]
    numbers = [number for _, _, number in found]
    step = _step(numbers)
    first = len(text.value) - len(text.value.lstrip())
    last = len(text.value.rstrip()) - 1
    outer = (
        last < 0 or text.start_of(first) >= edits[0].start,
        last < 0 or text.start_of(last) < edits[-1].end,
    )
    if _position(edits[0].before, outer, damage) == "head":
        return PageMap(tuple(end for _, end, _ in found), tuple(numbers), tuple("page mark" for _ in numbers))
    starts = [0] + [end for _, end, _ in found]
    pages: list[int | None] = [*numbers, numbers[-1] + step if step else None]
    bases = ["page mark"] * len(numbers)
    bases.append(f"inferred: last mark {numbers[-1]}, step {step}" if step else "")
    return PageMap(tuple(starts), tuple(pages), tuple(bases))


def find_marks(value: str, damage: Damage) -> list[Mark]:
    """The page marks of a text, in its order.

    A whole mark on a line of its own (``- 85 -``, ``Page 85``) always is one. A bare one (``- 69``, which
    may be a list's) counts when nearly all of them ascend; one with text behind it when it ascends with
    bare ones in one step. Where the profile's pattern finds none, marks of another look are looked for.
    """
    whole: list[Mark] = []
    bare: list[Mark] = []
    for place in _places(value, damage.page_mark):
        match = damage.page_mark.match(value, place)
        if not match:
            continue
        end = value.find("\n", match.end())
        rest = value[match.end() : end if end >= 0 else len(value)]
        stop = match.end() + len(rest) - len(rest.lstrip())
        mark = Mark(place, stop, int(match.group("n")), not rest.strip())
        sign = match.end() > match.end("n") or any(c.isalpha() for c in match.group())
        (whole if mark.alone and sign else bare).append(mark)
    alone = [mark for mark in bare if mark.alone]
    stepping = ascending(bare)
    if not (alone and len(stepping) >= 3 and _step([m.number for m in stepping]) and most(stepping, bare)):
        stepping = ascending(alone)
        if len(stepping) < 2 or not most(stepping, alone):
            stepping = []
    found = sorted([*whole, *stepping], key=lambda mark: mark.start)
    return found if len(found) > 1 else by_shape(value, damage) or found


def _places(value: str, mark: re.Pattern[str]) -> Iterator[int]:
    """Where lines with text begin that may have a page mark."""
    first = one_of((mark,))
    ahead = rf"(?=\S)(?={first})" if first else r"(?=\S)"
    return (line.end() for line in at_lines(re.compile(rf"[ \t\xa0]*{ahead}"), value))


def _numbers(marks: list[str], damage: Damage) -> list[int]:
    """The page that each mark gives; of several numbers on it the one in which it differs from its like."""
    out: list[int] = []
    alike: dict[str, list[int]] = {}
    for at, mark in enumerate(marks):
        match = damage.page_mark.match(mark.strip())
        said = _DIGITS.findall(mark)
        out.append(int(match.group("n") if match else said[0]))
        if not match and len(said) > 1:
            alike.setdefault(shape_of(mark), []).append(at)
    for places in alike.values():
        lines = [marks[at].strip() for at in places]
        edges = [edge_number(line) for line in lines]
        for at, number in zip(places, counting(lines) or edges, strict=True):
            out[at] = out[at] if number is None else number
    return out


def _position(first: str, outer: tuple[bool, bool], damage: Damage) -> str:
    """``head`` or ``foot``: a mark before all text stands at the head, one behind all text at the foot.

    ``outer``: no text before the first mark, none behind the last. Where that does not tell, a running
    head stands at the head, and any other mark where the profile says.
    """
    if outer[0] != outer[1]:
        return "head" if outer[0] else "foot"
    own = damage.page_mark.match(first.strip())
    return "head" if not own and heads(first, damage) else damage.page_position


def _step(numbers: list[int]) -> int | None:
    """The common difference of the page numbers; None when there is none, or only one number."""
    steps = Counter(b - a for a, b in itertools.pairwise(numbers))
    return next(iter(steps)) if len(steps) == 1 else None


def _walls(marks: list[Mark], position: str) -> list[bool]:
    """For each mark: are pages missing on its far side (a foot closes its page, a head opens it)."""
    numbers = [mark.number for mark in marks]
    twice = sum(a == b for a, b in itertools.pairwise(numbers)) * 3 > len(numbers)  # at head and foot both
    gaps = [b - a != 1 and not (twice and a == b) for a, b in itertools.pairwise(numbers)]
    if position == "head":
        return [False, *gaps]
    step = _step(numbers)
    open_end = step != 1 if len(numbers) > 1 else True
    return [*gaps, open_end]


def _tidy(value: str, runs: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """A page without a gap before the next: its mark goes with its line, and with the blank lines around
    it where the sentence runs on."""
    tidied: list[tuple[int, int, str]] = []
    for start, end, new in runs:
        if new == "":
            before = start
            while before and value[before - 1].isspace():
                before -= 1
            after = _BLANK.match(value, end)
            stop = after.end() if after else end
            if before and not CLOSED.search(value[max(0, before - 3) : before]):
                floor = tidied[-1][1] if tidied else 0
                line_end = value.find("\n", before, start)
                start, end = max(floor, line_end + 1 if line_end >= 0 else before + 1), stop
            elif value[end : end + 1] == "\n":
                end += 1
        tidied.append((start, end, new))
    return tidied
