"""Reads what a corpus says of the editions of its laws: ``concordance.toml``, ``elsewhere.toml``, profile.

A corpus without these, or without editions in its profile, has a Concordance too: it knows less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kb import declared
from kb.editions import (
    CHANGES,
    SUPPORTS,
    UNCERTAIN,
    Added,
    Concordance,
    Edition,
    Fate,
    Path_,
    Row,
    first_day,
)
from kb.errors import InputError, ProfileError
from kb.profile import Profile, read_toml

FILE_NAME = "concordance.toml"
LINKS_NAME = "elsewhere.toml"

_ROW_KEYS = frozenset({"from", "in", "note", "source"})


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
        rows=_rows(declared.rows(data, "row", path), names, path),
        added=tuple(_added(table, names, path) for table in declared.rows(data, "added", path)),
        headings=frozenset(level.step for level in levels if level.heading and level.step),
        root=_fate(default.get("law", {}), f"{path}: default.law"),
        below=_fate(default.get("below", {}), f"{path}: default.below"),
    )


def elsewhere(profile: Profile) -> list[Mapping[str, Any]]:
    """The outbound links of ``elsewhere.toml``: ``editions``, ``url``, ``titles``; empty without the file.

    Raises InputError for a link that is no https address.
    """
    path = profile.root / LINKS_NAME
    links = declared.rows(read_toml(path), "link", path) if path.exists() else []
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
    days = [first_day(edition.since) for edition in found if edition.since]
    if None in days or days != sorted(day for day in days if day):
        raise ProfileError(
            f"{where}: `since` is no date (2017-08-01, 2017-08 or 2017), or not in order of time"
        )
    return tuple(found)


def _rows(tables: Sequence[Mapping[str, Any]], names: list[str], path: Path) -> dict[Path_, Row]:
    rows: dict[Path_, Row] = {}
    for number, table in enumerate(tables, 1):
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
