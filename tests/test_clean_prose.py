"""A million characters of clean prose of each language pass through the repairs with no change at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from manuals import prose
from sitebuild import need

from kb import profile as profiles
from kb.repair import repair
from kb.repair.damage import damage_of
from kb.text import Text

BRIDGE = Path(__file__).parent.parent / "corpus" / "bridge"
LEAST = 1_000_000
"""Bytes."""


@pytest.mark.full
@pytest.mark.parametrize("work", ["laws", "commentary"])
@pytest.mark.parametrize("lang", ["ru", "en"])
def test_clean_prose_passes_unchanged(lang: str, work: str) -> None:
    """Nor are their writers' own slips changed, of which there are two or three in the million."""
    clean = prose(lang, LEAST)
    need(len(clean.encode()) >= LEAST, f"manuals in {lang} (apt-get install manpages-ru man-db manpages)")
    mended = repair(Text(clean, "manuals"), damage_of(profiles.load(BRIDGE), work, lang))
    assert [(edit.rule, edit.before, edit.after) for edit in mended.edits] == []
    assert mended.value == clean
