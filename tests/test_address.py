"""Names of a ref: the one of its address never changes; the one people see has their own signs."""

from __future__ import annotations

from pathlib import Path

import pytest
from goldkb import CORPUS

from kb import address, profile
from kb.model import Ref

STATUTE = Path(__file__).parent / "corpora" / "statute"


@pytest.mark.parametrize(
    ("corpus", "ref", "short", "human"),
    [
        (CORPUS, "laws/1987/65.B.1", "65B1", "65B1"),
        (CORPUS, "commentary/1987/65.5.ii", "65.5.ii", "65.5.ii"),
        (STATUTE, "statute/1999/7-1.1.2", "7-1.1.2", "7¹.1.2"),
        (STATUTE, "statute/1999/10.2-12", "10.2-12", "10.2¹²"),
        (STATUTE, "commentary/1999/7~8.1", "7~8.1", "7–8.1"),
    ],
)
def test_names(corpus: Path, ref: str, short: str, human: str) -> None:
    loaded = profile.load(corpus)
    assert address.short(loaded, Ref.parse(ref)) == short
    assert address.human(loaded, Ref.parse(ref)) == human
    assert address.permalink(loaded, Ref.parse(ref)).endswith(f"/{short}/")
