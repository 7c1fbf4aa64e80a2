"""A value of a wrong kind in a corpus's own files is told in one line (tests/cases/declarations.toml)."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from kb import concordance, pipeline
from kb import profile as profiles
from kb.errors import KbError
from kb.publish import glossary
from kb.scaffold import scaffold

CASES = tomllib.loads((Path(__file__).parent / "cases" / "declarations.toml").read_text("utf-8"))["case"]


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _set(path: Path, key: str, value: Any) -> None:
    data: Any = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    *steps, last = key.split(".")
    holder = data
    for step in steps:
        holder = holder[int(step) if isinstance(holder, list) else step]
    holder[last] = value
    path.write_text("".join(f"{json.dumps(name)} = {_toml(one)}\n" for name, one in data.items()), "utf-8")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['file']} {case['says'][:40]}")
def test_told_in_one_line(tmp_path: Path, case: dict[str, Any]) -> None:
    corpus = tmp_path / "corpus"
    scaffold(corpus)
    profile = profiles.load(corpus)
    _set(corpus / case["file"], case["key"].replace("rules", next(iter(profile.works))), case["value"])
    with pytest.raises(KbError) as caught:
        pipeline.build(corpus)
        profile = profiles.load(corpus)
        concordance.load(profile)
        concordance.elsewhere(profile)
        glossary.load(profile)
    told = str(caught.value)
    assert case["says"] in told and case["file"] in told and "\n" not in told
