"""How footnotes are printed: the patterns of the profile's ``[footnotes]``."""

from __future__ import annotations

import re
from typing import NamedTuple

from kb import declared
from kb.profile import Profile


class NotePatterns(NamedTuple):
    """Patterns with a group ``mark``; None for what the profile does not say."""

    mark: re.Pattern[str] | None
    """A mark in a text."""
    note: re.Pattern[str] | None
    """The beginning of a note."""
    called: re.Pattern[str] | None
    """The beginning of one whose mark is a number or a letter, as items have them."""


def note_patterns(profile: Profile) -> NotePatterns:
    """Raises ProfileError for a pattern that does not compile or has no group ``mark``."""
    where = f"{profile.root / 'profile.toml'}: footnotes"
    table = declared.table(profile.data.get("footnotes", {}), where)
    return NotePatterns(
        *(
            declared.pattern(table[key], "mark", f"{where}.{key}") if table.get(key, "") != "" else None
            for key in NotePatterns._fields
        )
    )
