"""Of which kind each value of ``citations.toml`` must be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kb import declared
from kb.errors import ProfileError

Kind = Callable[[Any, str], Any]
_LONGEST = 200
"""Characters of a word that is looked for."""


def _of(kind: type, said: str) -> Kind:
    def held(value: Any, where: str) -> None:
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise ProfileError(f"{where}: {value!r} is no {said}")

    return held


def _words(value: Any, where: str) -> None:
    """A list of texts that are looked for."""
    for one in declared.strings(value, where):
        if not 0 < len(one) <= _LONGEST:
            raise ProfileError(f"{where}: {one[:40]!r} is no text of 1 to {_LONGEST} characters")


def _names(value: Any, where: str) -> None:
    """A list of texts or numbers: years, laws."""
    _words(
        [str(one) if type(one) is int else one for one in value] if isinstance(value, list) else value, where
    )


def _letters(value: Any, where: str) -> None:
    """Letter to letter."""
    for one, other in declared.table(value, where).items():
        if len(one) != 1 or not isinstance(other, str) or len(other) != 1:
            raise ProfileError(f"{where}: {one!r} = {other!r} is no letter for a letter")


def _examples(value: Any, where: str) -> None:
    for text, targets in declared.table(value, where).items():
        declared.strings(targets, f"{where} {text!r}")


def _declined(value: Any, where: str) -> None:
    """Lists of three texts: for one, for two to four, for five and more."""
    for row in value if isinstance(value, list) else [value]:
        if len(declared.strings(row, where)) != 3:
            raise ProfileError(f"{where}: {row!r} has not three forms")


_FLAG, _TEXT, _NUMBER = _of(bool, "true or false"), _of(str, "text"), _of(int, "whole number")
_FLAGS = ("rules", "weak", "dot", "whole", "places", "listed", "heading", "before")
_LISTS = (
    "numbers",
    "singular",
    "plural",
    "short",
    "exact",
    "not_after",
    "never_after",
    "words",
    "titled",
    "acts",
)
_ROW: Mapping[str, Kind] = {
    **dict.fromkeys((*_LISTS, "counter_examples"), _words),
    **dict.fromkeys(_FLAGS, _FLAG),
    **dict.fromkeys(("id", "name", "lang", "work", "pattern"), _TEXT),
    "examples": _examples,
}
"""Entries of lists. Of sections what is not named is a list of texts."""
_SECTIONS: Mapping[str, Mapping[str, Kind]] = {
    "numbers": {
        "sections": _TEXT,
        "max_range": _NUMBER,
        "extra": _FLAG,
        "inserted": _FLAG,
        "half_brackets": _FLAG,
    },
    "letters": {"lookalike": _letters, "sound": _letters, "words": _TEXT},
    "words": {},
    "false_friends": {"bid_letters": _TEXT, "rules": _names, "talked_rules": _names},
    "count": {"nouns": _declined},
    "editions": {
        "known": _names,
        "after": lambda value, where: _rows(value, where, {**_ROW, "examples": _words}, "pattern"),
    },
    "setting": {"id": _TEXT},
}


def held(table: Mapping[str, Any], path: Path) -> None:
    """Raise ProfileError, one line, for the first value that is of a wrong kind."""
    for name, kinds in _SECTIONS.items():
        for key, value in declared.table(table.get(name, {}), f"{path}: {name}").items():
            kind: Kind = kinds.get(key, _words)
            kind(value, f"{path}: {name}.{key}")
    for name, needed in (("noun", ""), ("rule", ""), ("foreign", "id")):
        _rows(table.get(name, []), f"{path}: {name}", _ROW, needed)


def _rows(value: Any, where: str, kinds: Mapping[str, Kind], needed: str) -> None:
    for row in declared.tables(value, where):
        name = f"{where} {row.get('name', row.get('id', '?'))}"
        if needed:
            declared.need(row, needed, name)
        for key in sorted(set(row) & set(kinds)):
            kinds[key](row[key], f"{name}: {key}")
