"""Values of a declarative file, held to the kind they must be of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kb.errors import ProfileError


def strings(value: Any, where: str) -> list[str]:
    """A list of texts. Raises ProfileError, which says where, for anything else; so do the others here."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ProfileError(f"{where}: {value!r} is no list of texts")
    return value


def one_or_several(value: Any, where: str) -> list[str]:
    """A text, or a list of texts."""
    return [value] if isinstance(value, str) else strings(value, where)


def tables(value: Any, where: str) -> Sequence[Mapping[str, Any]]:
    """A list of tables."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ProfileError(f"{where}: {value!r} is no list of tables")
    return value


def rows(data: Mapping[str, Any], key: str, path: Path | str) -> Sequence[Mapping[str, Any]]:
    """The ``[[key]]`` tables of a file as read; none where it has no such key."""
    return tables(data.get(key, []), f"{path}: {key}")


def table(value: Any, where: str) -> Mapping[str, Any]:
    """A table."""
    if not isinstance(value, dict):
        raise ProfileError(f"{where}: {value!r} is no table")
    return value


def texts(value: Any, where: str) -> Mapping[str, str]:
    """A table of one text for each language."""
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise ProfileError(f"{where}: {value!r} is no table of a text for each language")
    return value


def pattern(value: Any, group: str, where: str) -> re.Pattern[str]:
    """A pattern that has a group of this name."""
    try:
        found = re.compile(value) if isinstance(value, str) else None
    except re.error as error:
        raise ProfileError(f"{where}: pattern {value!r} does not compile: {error}") from None
    if found is None or group not in found.groupindex:
        raise ProfileError(f"{where}: {value!r} is no pattern with a group (?P<{group}>…)")
    return found


def need(table: Mapping[str, Any], key: str, path: Path | str) -> Any:
    """The value of a key that has to be there."""
    if not isinstance(table, Mapping):
        raise ProfileError(f"{path}: {table!r} stands where a table with {key!r} is needed")
    if key not in table:
        raise ProfileError(f"{path}: {key!r} is missing")
    return table[key]
