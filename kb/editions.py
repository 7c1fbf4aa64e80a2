"""What became of a provision in the other editions, and which edition was in force on a day.

``concordance.toml`` says it for what is known; the rest is unconfirmed, and says so. A corpus without the
file, or without a word on editions in its profile, has a Concordance too: it knows less.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from kb import declared
from kb.errors import InputError, ProfileError
from kb.model import Ref
from kb.profile import Profile, read_toml

FILE_NAME = "concordance.toml"
LINKS_NAME = "elsewhere.toml"

CHANGES = ("same", "moved", "split", "rewritten", "dropped", "unconfirmed")
SUPPORTS = ("seed", "S", "M")
UNCERTAIN = "M"
_UNCHANGED = frozenset({"same", "unconfirmed"})
_KEPT = 1024

_ROW_KEYS = frozenset({"from", "in", "note", "source"})
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
        when = _first_day(text)
        if when is None:
            raise InputError(f"{text!r}: not a date (write it as 2017-08-01)")
        dated = [e for e in self.editions if e.since]
        found = [e.name for e in dated if (since := _first_day(e.since)) and since <= when]
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


def load(profile: Profile) -> Concordance:
    """The concordance of a corpus; a plain one when it has no ``concordance.toml``.

    Raises InputError for the file, ProfileError for the profile: what is wrong, and in which row.
    """
    editions = _editions(profile)
    current = _in_force(profile, "")
    names = [e.name for e in editions]
    if current and current not in names:
        raise ProfileError(
            f"{profile.root / 'profile.toml'}: in_force: edition {current!r} is in no [[editions]]"
        )
    levels = profile.law_work.levels
    path = profile.root / FILE_NAME
    data = read_toml(path) if path.exists() else {}
    default = declared.table(data.get("default", {}), f"{path}: default")
    return Concordance(
        work=profile.law_work.name,
        edition=profile.edition,
        current=current,
        editions=editions,
        rows=_rows(data.get("row", []), names, path),
        added=tuple(
            _added(table, names, path) for table in declared.tables(data.get("added", []), f"{path}: added")
        ),
        headings=frozenset(level.step for level in levels if level.heading and level.step),
        root=_fate(default.get("law", {}), f"{path}: default.law"),
        below=_fate(default.get("below", {}), f"{path}: default.below"),
    )


def elsewhere(profile: Profile) -> list[Mapping[str, Any]]:
    """The outbound links of ``elsewhere.toml``: ``editions``, ``url``, ``titles``; empty without the file.

    Raises InputError for a link that is no https address.
    """
    path = profile.root / LINKS_NAME
    links = declared.tables(read_toml(path).get("link", []), f"{path}: link") if path.exists() else []
    for number, link in enumerate(links, 1):
        if not str(link.get("url", "")).startswith("https://") or not link.get("titles"):
            raise InputError(f"{path}: link {number}: needs titles and a url that begins with https://")
    return list(links)


def _in_force(profile: Profile, without: str) -> str:
    where = f"{profile.root / 'profile.toml'}: in_force"
    return str(declared.table(profile.data.get("in_force", {}), where).get("edition", without))


def _editions(profile: Profile) -> tuple[Edition, ...]:
    where = f"{profile.root / 'profile.toml'}: editions"
    current = _in_force(profile, profile.edition)
    tables = profile.data.get("editions")
    if not tables:
        return tuple(Edition(name, "") for name in dict.fromkeys((profile.edition, current)))
    found = [
        Edition(
            str(table.get("name", "")),
            str(table.get("since", "")),
            declared.texts(table.get("titles", {}), f"{where}: titles"),
            str(table.get("support", "")),
        )
        for table in declared.tables(tables, where)
    ]
    names = [edition.name for edition in found]
    if "" in names or len(set(names)) < len(names):
        raise ProfileError(f"{where}: each needs a name of its own")
    for name in (profile.edition, current):
        if name not in names:
            raise ProfileError(f"{where}: {name!r} (of [corpus] or [in_force]) is none of {', '.join(names)}")
    days = [_first_day(edition.since) for edition in found if edition.since]
    if None in days or days != sorted(day for day in days if day):
        raise ProfileError(
            f"{where}: `since` is no date (2017-08-01, 2017-08 or 2017), or not in order of time"
        )
    return tuple(found)


def _rows(tables: Any, names: list[str], path: Path) -> dict[Path_, Row]:
    rows: dict[Path_, Row] = {}
    for number, table in enumerate(declared.tables(tables, f"{path}: row"), 1):
        where = f"{path}: row {number}"
        unknown = sorted(set(table) - _ROW_KEYS)
        if unknown or not table.get("from"):
            raise InputError(f"{where}: " + (f"unknown key {unknown[0]!r}" if unknown else "no `from`"))
        fates = {}
        for edition, fate in declared.table(table.get("in", {}), f"{where}: in").items():
            if edition not in names:
                raise InputError(f"{where}: edition {edition!r} is none of {', '.join(names)}")
            fates[edition] = _fate(fate, f"{where}: {edition}")
        for source in _paths(table["from"], where):
            if source in rows:
                raise InputError(f"{where}: {'.'.join(source)} has a row already")
            note = declared.texts(table.get("note", {}), f"{where}: note")
            rows[source] = Row(source, fates, note, str(table.get("source", "")))
    return rows


def _fate(value: Any, where: str) -> Fate:
    table = declared.table(value, where)
    change, support = str(table.get("change", "unconfirmed")), str(table.get("support", UNCERTAIN))
    if change not in CHANGES or support not in SUPPORTS:
        raise InputError(
            f"{where}: change is {change!r} (one of {', '.join(CHANGES)}), "
            f"support {support!r} (one of {', '.join(SUPPORTS)})"
        )
    places = _paths(table["to"], where) if "to" in table else ()
    if (change == "moved") > bool(places) or (change == "dropped" and places):
        raise InputError(f"{where}: what moved needs `to`, what was dropped has none")
    return Fate(change, support, places)


def _added(table: Mapping[str, Any], names: list[str], path: Path) -> Added:
    new = Added(
        path=str(table.get("path", "")),
        since=str(table.get("since", "")),
        support=str(table.get("support", UNCERTAIN)),
        what=declared.texts(table.get("what", {}), f"{path}: added: what"),
    )
    if not new.path or new.since not in names:
        raise InputError(f"{path}: added {new.path!r}: needs a path, and since (one of {', '.join(names)})")
    return new


def _paths(value: Any, where: str) -> tuple[Path_, ...]:
    paths = [value] if isinstance(value, str) else value
    if not isinstance(paths, list) or not all(isinstance(p, str) and p for p in paths):
        raise InputError(f"{where}: {value!r} is no path and no list of paths")
    return tuple(tuple(p.split(".")) for p in paths)


def _first_day(text: str) -> datetime.date | None:
    if not _DATE.match(text):
        return None
    year, month, day = [*(int(part) for part in text.split("-")), 1, 1][:3]
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def _by_number(path: Path_) -> list[tuple[int, int, str]]:
    return [(0, int(step), "") if step.isdigit() else (1, 0, step) for step in path]
