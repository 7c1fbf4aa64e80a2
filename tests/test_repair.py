"""Each repair on cases a reader can edit, and what all of them together promise."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.profile import load
from kb.repair import RULES, Damage, repair
from kb.repair.damage import damage_of
from kb.text import Text

CASES = Path(__file__).parent / "cases" / "repair"
BRIDGE = Path(__file__).parent.parent / "corpus" / "bridge"
BY_NAME = {rule.__name__: rule for rule in RULES}


def cases(name: str) -> list[Any]:
    found = tomllib.loads((CASES / f"{name}.toml").read_text("utf-8"))["case"]
    return [pytest.param(case, id=case["name"]) for case in found]


@cache
def damage(work: str = "laws") -> Damage:
    return damage_of(load(BRIDGE), work, "ru")


@pytest.mark.parametrize("case", cases("wild") + cases("synthetic"))
def test_one_repair(case: dict[str, str]) -> None:
    rule = BY_NAME[case["rule"]]
    once = rule(Text(case["before"], "s"), damage())
    assert once.value == case["after"]
    assert once.edits
    assert rule(once, damage()).value == once.value


@pytest.mark.parametrize("case", cases("negative"))
@pytest.mark.parametrize("work", ["laws", "commentary"])
def test_left_alone(case: dict[str, str], work: str) -> None:
    repaired = repair(Text(case["before"], "s"), damage(work))
    assert repaired.value == case["before"]
    assert repaired.edits == ()


def test_every_rule_has_a_case() -> None:
    tried = {case.values[0]["rule"] for case in cases("wild") + cases("synthetic")}
    assert tried == set(BY_NAME)


def test_each_rule_says_what_it_does_and_what_it_leaves() -> None:
    assert all(len(rule.__doc__ or "") > 60 for rule in RULES)


pieces = st.sampled_from(
    [
        "Правило 65. Порядок",
        "ДДДДДДДД",
        "- 85 -",
        "- 86",
        "¶",
        "\u0014",
        "..page3",
        "воп-",
        "рос",
        "карт",
        "\n",
        "\n\n",
        " ",
        "1 2 3 4 5 6",
        "=====",
        "A.Ход",
        "1.Выигранные",
        "(*) - сноска",
        "| ",
        "слово",
        "о-",
        "\f",
        "????????",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(pieces, max_size=25).map("".join))
def test_twice_changes_nothing_more(source: str) -> None:
    once = repair(Text(source, "s"), damage())
    again = repair(Text(once.value, "s"), damage())
    assert again.value == once.value


@settings(max_examples=100, deadline=None)
@given(st.lists(pieces | st.text(max_size=8), max_size=20).map("".join))
def test_nothing_is_lost_without_a_log(source: str) -> None:
    text = repair(Text(source, "s"), damage())
    kept = {p for a, b in zip(text.starts, text.ends, strict=True) for p in range(a, b)}
    logged = {p for edit in text.edits for p in range(edit.start, edit.end)}
    assert kept | logged == set(range(len(source)))
