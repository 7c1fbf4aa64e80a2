"""One file may hold several works, and books that are none of them: which lines are of which.

Lines tell by the markers of the profile. A line that begins as only one of the works numbers speaks for it
and against the others; the cheapest way through all lines, where a change of work has its price, is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

from kb.parts.lines import OTHER, lines_of
from kb.parts.other import Judge, Similar, alien, chains_of, with_titles
from kb.parts.runs import cheapest, merged
from kb.profile import Profile
from kb.text import Text


@dataclass(frozen=True, slots=True)
class Part:
    """A run of a source, code points, and the work it is of; ``OTHER`` for none."""

    work: str
    start: int
    end: int


def parts(text: Text, size: int, profile: Profile, stated: str, lang: str, similar: Similar) -> list[Part]:
    """The parts of a repaired text, in order, each a run of its source; one in nearly all sources.

    ``size``: length of the source; ``stated``: the work it is said to hold; ``similar``: share of a title's
    words that are said.
    """
    works = profile.works
    lines = lines_of(text, works, lang, profile)
    if not lines:
        return [Part(stated, 0, size)]
    runs = cheapest(lines, works, stated)
    judge = Judge(lines, profile, lang, similar)
    if len(runs) > 1 or len(chains_of(lines, runs[0])) > 1:
        runs = judge.checked(runs, stated)
    runs = merged([run for one in runs for run in alien(lines, one, judge)])
    with_titles(lines, runs)
    starts = [0, *(_line_start(text, lines[run.low].start) for run in runs[1:])]
    ends = [*starts[1:], size]
    return [Part(run.work, a, b) for run, a, b in zip(runs, starts, ends, strict=True)]


def _line_start(text: Text, place: int) -> int:
    """Where the line of a place begins in the source: what a repair dropped before it is of the same line."""
    end = text.value.rfind("\n", 0, place)
    return text.end_of(end) if end >= 0 else 0


__all__ = ["OTHER", "Part", "parts"]
