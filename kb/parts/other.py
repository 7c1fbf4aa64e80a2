"""What has the numbers of a work of the corpus, or stands among them, and is of another book."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import mean, median

from kb.model import Entry
from kb.numbers import read_label
from kb.parts.lines import OTHER, Line, root_of, size_of
from kb.parts.runs import Run, cut_sentence, merged
from kb.profile import Profile

Similar = Callable[[str, str], float]
"""Share of the words of the second string that the first one says, 0..1."""

_FITS, _STRANGE = 0.15, 0.05
"""By how much a work's texts say the titles of their own laws more than those of others: sure that they are
about them, and sure that they are not."""
_TITLED = 0.6
"""Share of the words of a title, from which on a heading says it; and of headings that say theirs."""
_GROUPS = 3
_ALIKE = 0.4
"""Share of its own words that a heading has in common with the title it says."""
_ALIEN = 3.0
"""Evidence from which on a run of lines is of another book: see `alien`."""
_LONG = 6000
"""Characters without any number, from which on they are of another book, title or not."""
_SHORT = 80
_SAID = 3000
_LEAST = 1000
_LEAP = 8
_PROVISION = 1500
"""Characters that a part of a provision has at most, where its number is all that tells it."""
_ENDS = re.compile(r"[.;:,!?…\-–—)\]»”\"]\Z")


def anchors_of(lines: Sequence[Line], run: Run) -> list[int]:
    return [
        index
        for index in range(run.low, run.high)
        if lines[index].open
        and (mark := lines[index].marks.get(run.work)) is not None
        and mark.kind in ("root", "anchor", "title")
    ]


def chains_of(lines: Sequence[Line], run: Run) -> list[Run]:
    """A run cut where the numbers of its roots leap."""
    out: list[Run] = []
    low, last = run.low, 0
    for index in anchors_of(lines, run):
        label = lines[index].marks[run.work].label
        number = read_label(label.root or label.step, "arabic") if label else None
        if number is None:
            continue
        if last and not 0 <= number.ordinal[0] - last <= _LEAP:
            out.append(Run(run.work, low, index))
            low = index
        last = number.ordinal[0]
    return [*out, Run(run.work, low, run.high)]


Subjects = tuple[Mapping[str, str], Sequence[str]]
"""Number of a law -> its title; the titles of all places."""
_READY: dict[tuple[int, str, str], tuple[Sequence[Entry], Subjects]] = {}
"""By the outline they are of: it may be as large as all sources together, and each of them asks."""


def _subjects(outline: Sequence[Entry], law: str, lang: str) -> Subjects:
    key = (id(outline), law, lang)
    known = _READY.get(key)
    if known is None or known[0] is not outline:
        titled = [entry for entry in outline if lang in entry.titles and entry.ref.path]
        titles = {
            entry.ref.path[0]: entry.titles[lang]
            for entry in titled
            if entry.ref.work == law and len(entry.ref.path) == 1
        }
        if len(_READY) > 8:
            _READY.clear()
        known = _READY[key] = outline, (titles, [entry.titles[lang] for entry in titled])
    return known[1]


class Judge:
    """Knows what the laws are about, and so whether a text with their numbers is about them."""

    def __init__(self, lines: Sequence[Line], profile: Profile, lang: str, similar: Similar) -> None:
        self.lines = lines
        self.similar = similar
        self.titles, self.headings = _subjects(profile.outline, profile.law_work.name, lang)

    def checked(self, runs: Sequence[Run], stated: str) -> list[Run]:
        """The runs, those that are about something else given to no work.

        Only where some of the file is about the laws of the outline, or it is of another work than stated.
        """
        chains = [chain for run in runs for chain in chains_of(self.lines, run)]
        fits = [self.fit(chain) for chain in chains]
        some = any(fit is not None and fit >= _FITS for fit in fits)
        for chain, fit in zip(chains, fits, strict=True):
            if (fit is not None and fit < _STRANGE and (some or chain.work != stated)) or self._headed(chain):
                chain.work = OTHER
        for before, chain in pairwise(chains):
            if before.work == OTHER != chain.work:
                low = next(
                    (i for i in range(before.high - 1, before.low, -1) if self._numbered(i)), before.low
                )
                before.high = chain.low = _begun(self.lines, chain.work, low + 1, chain.low, self)
        return merged(chains)

    def _numbered(self, index: int) -> bool:
        """A root, or what names its own, begins here."""
        return any(mark.kind in ("root", "anchor") for mark in self.lines[index].marks.values())

    def _headed(self, run: Run) -> bool:
        """Without any number, under headings of its own."""
        marks = [
            (line, mark) for line in self.lines[run.low : run.high] if (mark := line.marks.get(run.work))
        ]
        heads = [line for line, mark in marks if mark.kind == "heading"]
        if run.work == OTHER or not heads or not self.headings or anchors_of(self.lines, run):
            return False
        return not any(self.known_heading(line.value) for line in heads)

    def fit(self, run: Run) -> float | None:
        """How much more the texts say the titles of their own numbers than those of others, -1..1.

        None where too few have a title to compare with.
        """
        if run.work == OTHER or not self.titles:
            return None
        said = self._said(run)
        if len(said) < _GROUPS:
            return None
        if self._titled(run) >= _TITLED:
            return 1.0
        known = list(self.titles)
        gains = []
        for step, text in said.items():
            if step not in self.titles:
                gains.append(0.0)
                continue
            at = known.index(step)
            others = [self.titles[known[(at + hop) % len(known)]] for hop in (7, 13, 19, 29, 37)]
            own = self.similar(text, self.titles[step])
            gains.append(own - mean(self.similar(text, other) for other in others))
        return mean(gains)

    def _said(self, run: Run) -> dict[str, str]:
        said: dict[str, str] = {}
        anchors = anchors_of(self.lines, run)
        for low, high in pairwise([*anchors, run.high]):
            step = root_of(self.lines[low])
            text = " ".join(line.value for line in self.lines[low:high])
            if step:
                said[step] = f"{said.get(step, '')} {text}"[:_SAID]
        return said

    def _titled(self, run: Run) -> float:
        """Share of the roots of a run whose heading says what the outline calls them."""
        said = []
        for index in anchors_of(self.lines, run):
            mark = self.lines[index].marks[run.work]
            if mark.kind == "root" and mark.label is not None:
                line = " ".join(line.value for line in self.lines[index : index + 2])
                title = self.titles.get(mark.label.step, "")
                said.append(bool(title) and self.similar(line, title) >= _TITLED)
        return mean(said) if len(said) >= _GROUPS else 0.0

    def known_heading(self, said: str) -> bool:
        """The outline has a heading that this says most of."""
        return any(
            self.similar(said, title) >= _TITLED and self.similar(title, said) >= _ALIKE
            for title in self.headings
        )


def alien(lines: Sequence[Line], run: Run, judge: Judge) -> list[Run]:
    """A run without what stands in it, before it or behind it and is of another book.

    That is text without a number of the work that begins below a line like a title (a blank line above and
    below, no marker, no stop), or a heading the outline has not, and is long: each thousand characters is
    evidence, as the title is; or that is much longer than all else without a number.
    """
    if run.work == OTHER:
        return [run]
    anchors = anchors_of(lines, run)
    if not anchors:
        return [run]
    spans = [(run.low, anchors[0]), *pairwise([*anchors, run.high])]
    sizes = [size_of(lines, low, high) for low, high in spans[1:-1]] or [0]
    usual = max(_LONG, 4 * max(sizes)) if len(sizes) < 8 else max(_LONG, 8 * int(median(sizes)))
    out: list[Run] = []
    for number, (low, high) in enumerate(spans):
        cut = _cut(lines, run, (low, high), judge, usual, preface=number == 0)
        if cut is None:
            out.append(Run(run.work, low, high))
        else:
            out += [Run(run.work, low, cut[0]), Run(OTHER, *cut), Run(run.work, cut[1], high)]
    return [one for one in out if one.low < one.high]


def _cut(
    lines: Sequence[Line], run: Run, span: tuple[int, int], judge: Judge, usual: int, preface: bool
) -> tuple[int, int] | None:
    low, high = span
    first = low if preface else low + 1
    high = _above(lines, run.work, high, first)
    if preface:
        high = _begun(lines, run.work, low, high, judge)
    size = size_of(lines, low, high)
    if size < _LEAST:
        return None
    for index in range(first, high):
        if preface and index == low and lines[index].value[:1].islower():
            return None
        title = _title(lines, index, run.work, judge)
        if not title or _continued(lines, run.work, low, index, high):
            continue
        capital = lines[index].value.isupper()
        if title + capital + size_of(lines, index, high) / 1000 >= _ALIEN:
            return index, high
    at = next((i for i in range(first, high) if lines[i].blank and lines[i].open), None)
    return (at, high) if at is not None and size > usual and not preface else None


def _begun(lines: Sequence[Line], work: str, low: int, high: int, judge: Judge) -> int:
    """Where, before a root, the parts of one begin whose head is lost: numbers close to one another."""
    begun, unmarked = high, 0
    for index in range(high - 1, low - 1, -1):
        mark = lines[index].marks.get(work)
        if (mark is not None and mark.kind != "lower") or _title(lines, index, work, judge):
            break
        unmarked += len(lines[index].value)
        if mark is not None and lines[index].open:
            begun, unmarked = index, 0
        if unmarked > _PROVISION:
            break
    return cut_sentence(lines, begun, low)


def _above(lines: Sequence[Line], work: str, high: int, low: int) -> int:
    """The first of the headings of the work that stand right above a line."""
    while high > low:
        mark = lines[high - 1].marks.get(work)
        if mark is None or mark.kind not in ("heading", "title"):
            break
        high -= 1
    return high


def _title(lines: Sequence[Line], index: int, work: str, judge: Judge) -> float:
    """How much a line looks like the title of another book or of a chapter in it: 0, 1 or 1.5."""
    line = lines[index]
    if not line.blank or len(line.value) > _SHORT or not line.value[0].isupper():
        return 0.0
    mark = line.marks.get(work)
    if mark is not None and mark.kind == "heading":
        return 0.0 if judge.known_heading(line.value) or not judge.headings else 1.5
    if line.marks or not line.gap or _ENDS.search(line.value) or judge.known_heading(line.value):
        return 0.0
    return 1.0


def _continued(lines: Sequence[Line], work: str, low: int, cut: int, high: int) -> bool:
    """A list of the provision goes on behind the cut: ``A.`` before it, ``B.`` behind."""
    last: dict[int, int] = {}
    for index in range(low, high):
        mark = lines[index].marks.get(work)
        if mark is None or mark.kind != "lower" or mark.label is None or not lines[index].open:
            continue
        if index > cut and mark.level in last:
            return mark.label.ordinal[0] == last[mark.level] + 1
        if index < cut:
            last[mark.level] = mark.label.ordinal[0]
    return False


def with_titles(lines: Sequence[Line], runs: Sequence[Run]) -> None:
    """The title of another book, above where it was found to begin, goes with it."""
    for before, run in pairwise(runs):
        while run.work == OTHER and run.low - 1 > before.low:
            above = lines[run.low - 1]
            apart = above.blank and above.gap and len(above.value) <= _SHORT
            if above.marks or not apart or _ENDS.search(above.value) or not above.value[0].isupper():
                break
            run.low = before.high = run.low - 1
