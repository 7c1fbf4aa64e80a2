"""A version of linker.js that was published stays where it is, byte for byte, from build to build."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from goldkb import CORPUS, gold_kb

from kb.cite.grammar import Grammar, load_grammar
from kb.errors import InputError
from kb.profile import Profile, load
from kb.publish import api, linker

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return load_grammar(CORPUS)


@pytest.fixture()
def profile(tmp_path: Path) -> Profile:
    """The bridge corpus, its own folder elsewhere."""
    return replace(load(CORPUS), root=tmp_path / "corpus")


def about(site: Path) -> dict[str, object]:
    told: dict[str, object] = json.loads((site / linker.ABOUT).read_text("utf-8"))
    return told


def versions(site: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (site / linker.VERSIONS).iterdir()}


def test_a_published_version_is_put_out_again(tmp_path: Path, profile: Profile, grammar: Grammar) -> None:
    linker.write_linker(gold_kb(), profile, grammar, tmp_path / "first")
    tool = [
        sys.executable,
        str(ROOT / "tools" / "keep_linker.py"),
        str(tmp_path / "first"),
        str(profile.root),
    ]
    assert subprocess.run(tool, capture_output=True, text=True, check=True).stdout.startswith("kept: ")
    assert subprocess.run(tool, capture_output=True, text=True, check=True).stdout == "kept: nothing new\n"
    before = versions(tmp_path / "first")
    changed = Grammar({**grammar.data, "maxRange": 7})
    linker.write_linker(gold_kb(), profile, changed, tmp_path / "second")
    after = versions(tmp_path / "second")
    assert before.items() <= after.items() and len(before) == 2 and len(after) == 3
    # What writes the rest of the open data leaves them where they are; a second run writes nothing.
    api.write_api(gold_kb(), profile, tmp_path / "second")
    assert versions(tmp_path / "second") == after
    assert linker.write_linker(gold_kb(), profile, changed, tmp_path / "second") == []
    linker.write_linker(gold_kb(), profile, grammar, tmp_path / "second")
    assert versions(tmp_path / "second") == before


def test_a_version_has_its_own_name_hash_and_data(tmp_path: Path, profile: Profile, grammar: Grammar) -> None:
    linker.write_linker(gold_kb(), profile, grammar, tmp_path)
    told = about(tmp_path)
    code = told["files"][linker.SCRIPT]  # type: ignore[index]
    data = told["files"][linker.DATA]  # type: ignore[index]
    assert f'src="{code["version"]}" integrity="{code["integrity"]}"' in str(told["html"])
    assert (tmp_path / code["version"]).read_bytes() == (tmp_path / linker.SCRIPT).read_bytes()
    assert (tmp_path / data["version"]).read_bytes() == (tmp_path / linker.DATA).read_bytes()
    script = (tmp_path / code["version"]).read_text("utf-8")
    assert data["version"] in script and data["integrity"] in script
    assert told["versions"] == sorted([code["version"], data["version"]])


@pytest.mark.parametrize(
    ("spoil", "said"), [("gone", "has been published and is gone"), ("changed", "another file")]
)
def test_a_published_version_that_vanishes_stops_the_build(
    tmp_path: Path, profile: Profile, grammar: Grammar, spoil: str, said: str
) -> None:
    linker.write_linker(gold_kb(), profile, grammar, tmp_path)
    name = linker.keep(tmp_path, profile.root)[0]
    kept = (profile.root / linker.PUBLISHED).with_suffix("") / name
    kept.unlink() if spoil == "gone" else kept.write_text("other")
    with pytest.raises(InputError, match=said):
        linker.write_linker(gold_kb(), profile, grammar, tmp_path / "later")
    assert not (tmp_path / "later").exists()


def test_what_the_corpus_has_published_is_whole() -> None:
    folder = (CORPUS / linker.PUBLISHED).with_suffix("")
    there = {path.name for path in folder.glob("*.js")}
    assert set(linker.published(CORPUS)) == there
    for name in there:
        assert linker.own_name((folder / name).read_text("utf-8")) == name
