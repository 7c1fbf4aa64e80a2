"""What fuzzing found once (tests/cases/fuzz), and a few new files each time."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from kb import profile as profiles
from kb.errors import KbError

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import fuzz  # noqa: E402

FOUND = sorted((Path(__file__).parent / "cases" / "fuzz").iterdir())
PROFILE = profiles.load(ROOT / "corpus" / "bridge")


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.name)
def test_what_was_found(path: Path) -> None:
    """``what-it-was.work.suffix``"""
    _, work, _ = path.name.split(".")
    fuzz.check(path.name, path.read_bytes(), work, PROFILE)


@pytest.mark.parametrize("seed", range(30))
def test_spoiled_files(seed: int) -> None:
    name, data = fuzz.made(random.Random(seed))
    try:
        assert fuzz.check(name, data, "laws", PROFILE) > 0
    except KbError as error:
        assert str(error) and "\n" not in str(error)


def test_the_script_tells_a_lost_character(monkeypatch: pytest.MonkeyPatch) -> None:
    from kb import sourced
    from kb.parse import Parsed

    monkeypatch.setattr(sourced, "parse", lambda *given: Parsed((), (), ()))
    with pytest.raises(AssertionError, match="characters are in no node"):
        fuzz.check("x.txt", "Правило 65. Взятки\nОдин текст.\n".encode(), "laws", PROFILE)
