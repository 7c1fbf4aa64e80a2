"""What the repairs must know of a corpus: compiled once from its profile, for one work and language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

from kb import lang as languages
from kb.patterns import at_lines, one_of
from kb.profile import Profile, compile_checked
from kb.text import Text

_RULE_CHARACTERS = "─━═=_-–—*~"
_NOTHING = re.compile(r"(?!)")
_SELDOM = 100_000
"""Code points of a text of another kind, in which a slip once is its writer's."""
_LEAST_HEADED = 3


@dataclass(frozen=True)
class Damage:
    """The patterns of a corpus's damage; every field has a default that finds nothing."""

    lang: languages.Language
    chrome: frozenset[str] = frozenset()
    """Lines that a reader site put around the text, white space folded."""
    drawn: str = _RULE_CHARACTERS
    """Characters of which a separator line consists, on a line of its own."""
    misread: str = ""
    """Those that stand for a drawn line only because it was misread; found inside a line, too."""
    commands: re.Pattern[str] = _NOTHING
    paragraph_marks: re.Pattern[str] = _NOTHING
    page_mark: re.Pattern[str] = _NOTHING
    page_position: str = "foot"
    substitutes: Mapping[str, str] = field(default_factory=dict)
    """Sign -> the letter it stands for behind another letter."""
    headings: tuple[re.Pattern[str], ...] = ()
    """Markers of the levels that may be glued to the end of the paragraph before."""
    markers: tuple[re.Pattern[str], ...] = ()
    """Markers of all levels."""


def damage_of(profile: Profile, work: str, lang: str) -> Damage:
    """The damage that the profile describes, with the markers of one work in one language."""
    table = profile.damage
    where = f"{profile.root / 'profile.toml'}: "
    characters = str(table.get("rule_characters", ""))
    pages = profile.data.get("pages", {})
    headings = [
        marker.pattern
        for level in profile.works[work].levels
        for marker in level.marker_for(lang)
        if not marker.unsure and (marker.glued or level.heading or level is profile.works[work].root_level)
    ]
    return Damage(
        lang=languages.get(lang),
        chrome=frozenset(" ".join(line.split()) for line in table.get("chrome", [])),
        drawn="".join(sorted(set(_RULE_CHARACTERS + characters))),
        misread="".join(c for c in characters if c not in _RULE_CHARACTERS),
        commands=re.compile(str(table["commands"])) if "commands" in table else _NOTHING,
        paragraph_marks=re.compile(str(table["paragraph_marks"])) if "paragraph_marks" in table else _NOTHING,
        page_mark=compile_checked(pages, where + "pages") if pages else _NOTHING,
        page_position=str(pages.get("position", "foot")),
        substitutes=table.get("letters", {}),
        headings=tuple(headings),
        markers=tuple(
            marker.pattern
            for level in profile.works[work].levels
            for marker in level.marker_for(lang)
            if not marker.unsure
        ),
    )


def likely(text: Text, times: int, damage: Damage) -> bool:
    """Is what a repair found so often damage of this copy; else it is a slip of a text of another kind.

    Once in 100,000 characters at least, or in a text with the headings of this corpus.
    """
    if not times or times * _SELDOM >= len(text.value) or not damage.headings:
        return True
    first = one_of(damage.headings)
    patterns = (re.compile(rf"[ \t\xa0]*(?:{first})"),) if first else damage.headings
    headed = (found for pattern in patterns for found in at_lines(pattern, text.value))
    return len(list(islice(headed, _LEAST_HEADED))) == _LEAST_HEADED
