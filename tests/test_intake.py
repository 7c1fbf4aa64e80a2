"""`kb import`: what scans add, and a corpus that stays as it was when they cannot be used."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

from kb import pipeline
from kb.errors import InputError, KbError
from kb.intake import take_in
from kb.scaffold import scaffold

MORE = "Article 3. Late return\n(1) For each day a coin is put into the box.\n"
SAME = "Article 2. Returning\n(1) A tool is brought back clean and dry within seven days.\n"


@pytest.fixture()
def corpus(tmp_path):
    scaffold(tmp_path / "corpus")
    return tmp_path / "corpus"


def scan(tmp_path: Path, name: str, text: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def state(corpus: Path) -> dict[str, bytes]:
    return {str(p.relative_to(corpus)): p.read_bytes() for p in sorted(corpus.rglob("*")) if p.is_file()}


def test_it_says_what_is_new_and_what_is_another_witness(corpus, tmp_path):
    paths = [scan(tmp_path, "more.txt", MORE), scan(tmp_path, "same.txt", SAME)]
    gain = take_in(corpus, paths, "rules", "en")
    assert gain.new == ("rules/2020/3", "rules/2020/3.1") and gain.completed == () and gain.witnessed == 2
    listed = tomllib.loads((corpus / "sources" / "sources.toml").read_text("utf-8"))["source"]
    assert [table["file"] for table in listed][-2:] == ["more.txt", "same.txt"]
    refs = [str(node.ref) for node in pipeline.build(corpus).nodes]
    assert "rules/2020/3.1" in refs


def test_a_dry_run_changes_nothing(corpus, tmp_path):
    before = state(corpus)
    gain = take_in(corpus, [scan(tmp_path, "more.txt", MORE)], "rules", "en", dry_run=True)
    assert gain.new and state(corpus) == before and str(gain).startswith("would add more.txt")


def test_into_a_corpus_without_sources(corpus, tmp_path):
    shutil.rmtree(corpus / "sources")
    (corpus / "sources").mkdir()
    (corpus / "sources" / "sources.toml").write_text("# none yet\n")
    gain = take_in(corpus, [scan(tmp_path, "more.txt", MORE)], "rules", "en")
    assert gain.new == ("rules/2020/3", "rules/2020/3.1")


@pytest.mark.parametrize(
    ("name", "text", "options", "message"),
    [
        ("more.txt", MORE, {"work": "songs"}, "--work songs: none of rules, notes"),
        ("more.txt", MORE, {"lang": "xx"}, "--lang xx: none of en"),
        ("rules.txt", MORE, {}, "the name rules.txt cannot be used"),
        (".hidden", MORE, {}, "cannot be used"),
        ("empty.txt", b"", {}, "empty.txt"),
        ("binary.txt", b"\x7fELF\x00\x01\x02" * 50, {}, "binary.txt"),
    ],
)
def test_what_cannot_be_taken_in_changes_nothing(corpus, tmp_path, name, text, options, message):
    before = state(corpus)
    with pytest.raises(KbError, match=message) as caught:
        take_in(corpus, [scan(tmp_path, name, text)], **{"work": "rules", "lang": "en", **options})
    assert state(corpus) == before and "\n" not in str(caught.value)


def test_the_same_scan_twice(corpus, tmp_path):
    again = scan(tmp_path, "again.txt", (corpus / "sources" / "rules.txt").read_bytes())
    with pytest.raises(InputError, match="in the corpus already, as rules"):
        take_in(corpus, [again], "rules", "en")
    with pytest.raises(InputError, match="cannot be read"):
        take_in(corpus, [tmp_path / "none.txt"], "rules", "en")
