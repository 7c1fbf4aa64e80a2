"""What became of a provision in the other editions, and which edition was in force on a day.

The corpus's files say it for what is known (concordance.py reads them); the rest is unconfirmed, and says so.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from kb.errors import InputError
from kb.model import Ref

CHANGES = ("same", "moved", "split", "rewritten", "dropped", "unconfirmed")
SUPPORTS = ("seed", "S", "M")
UNCERTAIN = "M"
_UNCHANGED = frozenset({"same", "unconfirmed"})
_KEPT = 1024

_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?\Z")

Path_ = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edition:
    """An edition of the laws, as the profile lists it."""

    name: str
    since: str
    """Day (``2017-08-01``), month or year it came into force; empty when the profile does not say."""
    titles: Mapping[str, str] = field(default_factory=dict)
    support: str = ""
    """How sure the date is: ``S`` or ``M``."""


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A provision in another edition. ``path`` is dotted; empty when nothing corresponds to it there."""

    edition: str
    path: str
    change: str
    """One of CHANGES, counted from the edition of the corpus."""
    support: str
    """``seed``, ``S`` (seen) or ``M`` (memory)."""
    note: Mapping[str, str] = field(default_factory=dict)
    """Language to what a reader is told of it; empty for what no row of the concordance names."""

    @property
    def confirmed(self) -> bool:
        """False for what is from memory only, or not known at all."""
        return self.support != UNCERTAIN and self.change != "unconfirmed"

    def as_dict(self) -> dict[str, str]:
        """``edition``, ``path``, ``change`` and ``support``, as in the open data."""
        return {
            "edition": self.edition,
            "path": self.path,
            "change": self.change,
            "support": self.support,
        }


@dataclass(frozen=True, slots=True)
class Fate:
    """What a row says of its provisions in one edition. No place: the same path as before."""

    change: str
    support: str
    places: tuple[Path_, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the concordance: one path of the corpus's edition and its fate by edition."""

    path: Path_
    fates: Mapping[str, Fate]
    note: Mapping[str, str] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, slots=True)
class Added:
    """A place that later editions have and the corpus's edition has not."""

    path: str
    since: str
    support: str
    what: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Concordance:
    """Look-ups between the edition of the corpus and the others. ``editions`` stand in order of time."""

    work: str
    edition: str
    """The edition of the corpus."""
    current: str = ""
    """The edition in force today; empty when the profile does not say."""
    editions: tuple[Edition, ...] = ()
    rows: Mapping[Path_, Row] = field(default_factory=dict)
    """Path to its row, in the order of the file."""
    added: tuple[Added, ...] = ()
    headings: frozenset[str] = frozenset()
    """First steps of the paths of headings, which no law's default covers."""
    root: Fate = Fate("unconfirmed", UNCERTAIN)
    below: Fate = Fate("unconfirmed", UNCERTAIN)

    @cached_property
    def _counterparts(self) -> dict[Path_, list[Counterpart]]:
        """Those last asked for: a page asks for the same ones again."""
        return {}

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(e.name for e in self.editions) or (self.edition,)

    @cached_property
    def others(self) -> tuple[str, ...]:
        """Names of the editions that are not the corpus's own, in order of time."""
        return tuple(e.name for e in self.editions if e.name != self.edition)

    def covers(self, ref: Ref) -> bool:
        """True for a provision of the laws in the edition of the corpus."""
        return (ref.work, ref.edition) == (self.work, self.edition) and bool(ref.path)

    def in_force(self, ref: Ref) -> Counterpart | None:
        """The provision in the edition in force: its main place. None when there is nothing to say, as for
        a comment, another edition's ref, or a corpus whose profile names no edition in force."""
        if not self.current or not self.covers(ref):
            return None
        return self.in_edition(ref, self.current)[0]

    def counterparts(self, ref: Ref) -> list[Counterpart]:
        """The provision in every other edition, in order of time; of a split one several in an edition."""
        if not self.covers(ref):
            return []
        found = self._counterparts.get(ref.path)
        if found is None:
            if len(self._counterparts) >= _KEPT:
                self._counterparts.clear()
            found = [one for name in self.others for one in self.in_edition(ref, name)]
            self._counterparts[ref.path] = found
        return found

    @cached_property
    def _named_roots(self) -> frozenset[str]:
        """The first steps of what has a row: of most places there is none around."""
        return frozenset(path[0] for path in self.rows)

    def is_same_below(self, ref: Ref) -> bool:
        """True when ``changed`` has nothing of a provision nor of what stands below it."""
        fates = (self.root.change, self.below.change)
        return not self.covers(ref) or (ref.path[0] not in self._named_roots and _UNCHANGED.issuperset(fates))

    def changed(self, ref: Ref) -> list[Counterpart]:
        """Those of ``counterparts`` of which it is known that something has changed."""
        if self.is_same_below(ref):
            return []
        path = ref.path
        named = any(path[:size] in self.rows for size in range(1, len(path) + 1))
        if not named and self._default(path).change in _UNCHANGED:
            return []
        return [found for found in self.counterparts(ref) if found.change not in _UNCHANGED]

    def in_edition(self, ref: Ref, edition: str) -> list[Counterpart]:
        """The provision in one edition, at least one, the main place first.

        Raises InputError for an edition the profile does not list, and for a ref that is not covered.
        """
        self.known(edition)
        if not self.covers(ref):
            raise InputError(f"{ref}: the concordance speaks of {self.work}/{self.edition} only")
        if edition == self.edition:
            return [Counterpart(edition, ref.dotted, "same", "seed")]
        row = self._nearest(ref.path, edition)
        fate, places = _fate_of(row, ref.path, edition) if row else (self._default(ref.path), (ref.path,))
        note = row.note if row and row.path == ref.path else {}
        if fate.change == "dropped":
            return [Counterpart(edition, "", fate.change, fate.support, note)]
        return [Counterpart(edition, ".".join(p), fate.change, fate.support, note) for p in places]

    def from_edition(self, edition: str, path: str) -> list[tuple[Ref, str, str]]:
        """What a provision of another edition (dotted path) was in the corpus's: ref, change, support.

        Those the concordance names come first, in its order; without any, the same path, unless that path
        went elsewhere or is new in that edition: then nothing. Does not say whether the ref has a text.
        Raises InputError for an edition the profile does not list.
        """
        self.known(edition)
        steps = tuple(path.split("."))
        if edition == self.edition:
            return [(self._ref(steps), "same", "seed")]
        named = list(self._named(edition, steps))
        if named:
            longest = max(length for length, _, _ in named)
            return [(self._ref(source), *how) for length, source, how in named if length == longest]
        if self.added_at(edition, path):
            return []
        same = [c for c in self.in_edition(self._ref(steps), edition) if c.path == path]
        return [(self._ref(steps), c.change, c.support) for c in same]

    def added_at(self, edition: str, path: str) -> Added | None:
        """The new place, when this one or one above it is new in that edition."""
        order = [e.name for e in self.editions]
        for new in self.added:
            if edition in order[order.index(new.since) :] and f"{path}.".startswith(f"{new.path}."):
                return new
        return None

    def note(self, ref: Ref) -> Mapping[str, str]:
        """Language to what a reader is told of the provision's way through the editions; else empty."""
        row = self.rows.get(ref.path) if self.covers(ref) else None
        return row.note if row else {}

    def crosswalk(self) -> Iterator[tuple[Ref, list[Counterpart]]]:
        """Every provision that has a row, by number, with its counterparts: for a table of both ways."""
        for path in sorted(self.rows, key=_by_number):
            ref = self._ref(path)
            yield ref, self.counterparts(ref)

    def edition_on(self, day: str | datetime.date) -> str:
        """The edition in force on a day (``2005-03-01``, or a year: its first day).

        Raises InputError for what is no date, and for a day before the first edition.
        """
        text = day.isoformat() if isinstance(day, datetime.date) else day.strip()
        when = first_day(text)
        if when is None:
            raise InputError(f"{text!r}: not a date (write it as 2017-08-01)")
        dated = [e for e in self.editions if e.since]
        found = [e.name for e in dated if (since := first_day(e.since)) and since <= when]
        if not found:
            first = f"; the first, {dated[0].name}, came in {dated[0].since}" if dated else ""
            raise InputError(f"{text}: no edition of the profile was in force{first}")
        return found[-1]

    def known(self, edition: str) -> None:
        """Raises InputError, naming those there are, for an edition the profile does not list."""
        if edition not in self._names:
            raise InputError(f"edition {edition!r}: not one of {', '.join(self._names)}")

    def _ref(self, path: Path_) -> Ref:
        try:
            return Ref.parse(f"{self.work}/{self.edition}/{'.'.join(path)}")
        except ValueError as error:
            raise InputError(str(error)) from None

    def _default(self, path: Path_) -> Fate:
        heading = path[0] in self.headings
        return self.root if len(path) == 1 and not heading else self.below

    def _nearest(self, path: Path_, edition: str) -> Row | None:
        for size in range(len(path), 0, -1):
            row = self.rows.get(path[:size])
            if row and edition in row.fates:
                return row
        return None

    def _named(self, edition: str, path: Path_) -> Iterator[tuple[int, Path_, tuple[str, str]]]:
        """Rows that name this place, or one above it: length of the place, the source, change and support."""
        for source, row in self.rows.items():
            fate = row.fates.get(edition)
            if fate is None or fate.change in ("dropped", "unconfirmed"):
                continue
            for place in fate.places or (source,):
                if path == place:
                    yield len(place), source, (fate.change, fate.support)
                elif path[: len(place)] == place and (place != source or fate.change == "split"):
                    along = fate.change == "moved" and len(place) == len(source)
                    rest = path[len(place) :] if along else ()
                    yield len(place), source + rest, (fate.change, UNCERTAIN)


def _fate_of(row: Row, path: Path_, edition: str) -> tuple[Fate, tuple[Path_, ...]]:
    """Fate and places of a path that is the row's own, or stands below it."""
    fate = row.fates[edition]
    places = fate.places or (row.path,)
    if path == row.path or fate.change == "dropped":
        return fate, places
    rest = path[len(row.path) :]
    if places == (row.path,):
        return Fate("unconfirmed", UNCERTAIN), (path,)
    if fate.change == "moved" and len(places) == 1 and len(places[0]) == len(row.path):
        return Fate(fate.change, UNCERTAIN), (places[0] + rest,)
    return Fate("unconfirmed", UNCERTAIN), places


def first_day(text: str) -> datetime.date | None:
    """The first day of a day, month or year (``2017-08-01``, ``2017-08``, ``2017``); None for no date."""
    if not _DATE.match(text):
        return None
    year, month, day = [*(int(part) for part in text.split("-")), 1, 1][:3]
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def _by_number(path: Path_) -> list[tuple[int, int, str]]:
    return [(0, int(step), "") if step.isdigit() else (1, 0, step) for step in path]
