"""Which markers a line may begin with: the levels of a work, and what a source tells of its own printing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Sequence
from itertools import islice

from kb import lang as languages
from kb.numbers import (
    Label,
    Ordinal,
    letters_roman,
    letters_russian,
    read_label,
    read_lettered,
    read_otherwise,
    read_roman,
)
from kb.parse.lines import Line, Measure
from kb.parse.marked import Candidate
from kb.parse.misread import LOST, MISREAD
from kb.patterns import one_of
from kb.profile import Level, Work

SURE = 2
"""Markers that can stand alone, from which on a source prints no weak ones of that level."""
_FEW = 20
"""Lines without a capital, from which on a source has none because somebody took them."""
_SAMPLE = 200
"""Lines of a source by which its letters are judged."""


class Scanner:
    """Reads the lines of one source. What it knows: the levels of the work and the letters of the source."""

    def __init__(
        self,
        work: Work,
        lang: str,
        note: re.Pattern[str] | None,
        measure: Measure,
        known: Container[tuple[str, ...]],
        alphabet: str = "",
        is_titled: Callable[[tuple[str, ...], str], bool] = lambda path, said: False,
        called: re.Pattern[str] | None = None,
    ) -> None:
        self.levels: tuple[Level, ...] = work.levels
        self.lang = lang
        self.note = note
        self.called = called
        """Notes that look as a list's items do: taken where a word above has the mark."""
        self.measure = measure
        self.is_titled = is_titled
        """Does the outline give this path a title that is said here; a first step of "" is any root."""
        self.known = known
        self.root = self.levels.index(work.root_level)
        self.tried = [
            (index, level, [(m.pattern, m.unsure) for m in level.marker_for(lang) if m.numbered])
            for index, level in enumerate(work.levels)
        ]
        self.looks = [_look([pattern for pattern, _ in patterns]) for _, _, patterns in self.tried]
        first = one_of(tuple(pattern for _, _, patterns in self.tried for pattern, _ in patterns))
        self.first = re.compile(first) if first else None
        """Matches where one of them does; None where that cannot be told at once."""
        self.unnumbered = [
            (index, marker.pattern)
            for index, level in enumerate(work.levels)
            for marker in level.marker_for(lang)
            if not marker.numbered
        ]
        self.alphabet = alphabet
        self.russian = alphabet == "russian"
        self.roman = False
        """The source has Roman figures where the work has letters: ``II.`` is B."""
        self.capitals = False
        """The source is in capitals throughout."""
        self.small = False
        """The source has no capital at all: it is read as if it were in capitals."""
        self.sure: Counter[int] = Counter()
        """Level -> lines that begin with a marker of it that can stand alone, `SURE` at most."""
        self.last_root: Ordinal = (0, 0)
        """The root whose number was read last."""
        self.counted: Counter[int] = Counter()
        """Level without numbers -> how many of its headings the source has had so far."""

    def learn(self, lines: list[Line]) -> None:
        """What the source as a whole tells of its own printing."""
        sample = "".join(line.value for line in lines[:: len(lines) // _SAMPLE + 1])
        self.small = (
            len(lines) >= _FEW
            and sample.islower()
            and all(line.value.lower() == line.value for line in lines)
        )
        first = self.first.match if self.first else bool
        others = one_of(
            (MISREAD, LOST, *(p for p in (self.note, self.called) if p), *(p for _, p in self.unnumbered))
        )
        other = re.compile(others).match if others else bool
        marked = []
        for line in lines:
            value = line.value
            if self.small:
                value, line.lower = self._raised(value), False
            if first(value):
                marked.append(value)
            else:
                line.markers = ()
                line.plain = not other(value)
        lower = sum(map(str.islower, sample))
        self.capitals = self.small or lower * 20 < sum(map(str.isupper, sample))
        self._learn_markers(marked)
        self._learn_letters(marked)

    def _learn_markers(self, marked: list[str]) -> None:
        """Count the markers of the levels that have weak ones, too: who prints ``Law 5`` prints no bare 5."""
        for index, _, patterns in self.tried:
            strong = [pattern for pattern, unsure in patterns if not unsure]
            if len(strong) < len(patterns):
                self.sure[index] = len(list(islice(filter(_look(strong), marked), SURE)))
        self.tried = [
            (index, level, [p for p in patterns if not p[1]] if self.sure[index] >= SURE else patterns)
            for index, level, patterns in self.tried
        ]
        self.looks = [_look([pattern for pattern, _ in patterns]) for _, _, patterns in self.tried]

    def _learn_letters(self, marked: list[str]) -> None:
        """Decide once a source whether it letters А, Б, В (then В is the third) or I, II, III."""
        printed = [
            match.group("n")
            for value in marked
            for _, level, patterns in self.tried
            if level.numbering in ("upper", "lower")
            for pattern, unsure in patterns
            if not unsure and (match := pattern.match(value))
        ]
        letters = [letter for letter in printed if len(letter) == 1]
        self.roman = letters_roman(printed)
        self.russian = self.russian if self.alphabet else letters_russian(letters)

    def _raised(self, value: str) -> str:
        """In capitals what is in small letters throughout, where each letter has one of them."""
        raised = value.upper()
        return raised if len(raised) == len(value) else value

    def abbreviated(self, value: str) -> bool:
        """The text ends in an abbreviation, so that its stop closes nothing."""
        return languages.get(self.lang).ends_abbreviated(value)

    def markers(self, line: Line) -> Sequence[Candidate]:
        """The markers a line may begin with, highest level first; looked for once."""
        if line.markers is None:
            line.markers = self.candidates(line.value)
        return line.markers

    def numberless(self, value: str) -> int | None:
        """The level whose heading a line without a number may be, where the profile has such."""
        return next((index for index, pattern in self.unnumbered if pattern.match(value)), None)

    def candidates(self, value: str, at: int = 0) -> list[Candidate]:
        """The markers that stand at ``at``, one a level, highest level first."""
        found: list[Candidate] = []
        if self.small:
            value = self._raised(value)
        if self.first and not self.first.match(value, at):
            return found
        for (index, level, patterns), look in zip(self.tried, self.looks, strict=True):
            if not look(value, at):
                continue
            for pattern, unsure in patterns:
                match = pattern.match(value, at)
                if not match:
                    continue
                if level.numbering == "none":
                    found.append(Candidate(index, Label((0, 0), ""), match.start(), match.end()))
                    break
                if self.roman and level.numbering == "upper":
                    label = read_lettered(match.group("n"))
                else:
                    label = read_label(match.group("n"), level.numbering, self.russian)
                label = label or read_otherwise(match.group("n"), level.numbering)
                if label is None and unsure and level.numbering == "arabic":
                    label = read_roman(match.group("n"))
                if label is None and unsure and level.numbering == "dotted":
                    label = read_label(match.group("n"), "arabic")  # the root is left out
                if label and "to" in pattern.groupindex and match["to"]:
                    last = read_label(match["to"], level.numbering, self.russian)
                    label = Label(label.ordinal, f"{label.step}~{last.step}") if last else None
                if label:
                    found.append(Candidate(index, label, match.start(), match.end(), unsure))
                    break
        return found


def _look(patterns: Sequence[re.Pattern[str]]) -> Callable[..., object]:
    """Whether one of the patterns matches a string, from a place on."""
    together = one_of(tuple(patterns))
    if together:
        return re.compile(together).match
    return lambda value, at=0: any(pattern.match(value, at) for pattern in patterns)
