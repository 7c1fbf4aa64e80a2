"""`kb import`: what scans add, and a corpus that stays as it was when they cannot be used."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tomllib
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from kb import pipeline
from kb.cli import cli
from kb.errors import InputError, KbError, ProfileError
from kb.intake import take_in, undo
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
        (".hidden", MORE, {}, "no reader for a file without a suffix"),
        ("sheet.xls", MORE, {}, "no reader for .xls"),
        ("empty.txt", b"", {}, "empty.txt"),
        ("binary.txt", b"\x7fELF\x00\x01\x02" * 50, {}, "binary.txt"),
    ],
)
def test_what_cannot_be_taken_in_changes_nothing(corpus, tmp_path, name, text, options, message):
    before = state(corpus)
    with pytest.raises(KbError, match=message) as caught:
        take_in(corpus, [scan(tmp_path, name, text)], **{"work": "rules", "lang": "en", **options})
    assert state(corpus) == before and "\n" not in str(caught.value)


def test_what_is_here_already_is_said_and_not_added(corpus, tmp_path):
    raw = (corpus / "sources" / "rules.txt").read_bytes()
    paths = [
        scan(tmp_path, "again.txt", raw),
        scan(tmp_path, "wide.txt", raw.decode().replace("\n", "\r\n").encode("utf-16")),
        scan(tmp_path, "more.txt", MORE),
        scan(tmp_path, "more again.txt", MORE),
    ]
    gain = take_in(corpus, paths, "rules", "en")
    assert gain.files == ("more.txt",)
    assert [name for _, name in gain.here] == ["rules.txt", "rules.txt", "more.txt"]
    assert str(gain).splitlines()[0] == f"already here: {paths[0]}, as rules.txt"
    before = state(corpus)
    assert take_in(corpus, paths, "rules", "en").files == () and state(corpus) == before


def test_a_name_that_is_taken(corpus, tmp_path):
    gain = take_in(corpus, [scan(tmp_path, "rules.txt", MORE)], "rules", "en")
    (name,) = gain.files
    assert re.fullmatch(r"rules-[0-9a-f]{8}\.txt", name) and (corpus / "sources" / name).read_text() == MORE


def test_members_of_an_archive_are_scans(corpus, tmp_path):
    path = tmp_path / "scans.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("old/more.txt", MORE)
        archive.writestr("old/cover.jpx", b"no text")
    gain = take_in(corpus, [path], "rules", "en")
    assert gain.files == ("more.txt",) and gain.new == ("rules/2020/3", "rules/2020/3.1")


def test_the_summary(corpus, tmp_path):
    other = SAME.replace("within seven days", "within eight days")
    gain = take_in(
        corpus, [scan(tmp_path, "more.txt", MORE), scan(tmp_path, "same.txt", other)], "rules", "en"
    )
    assert gain.summary == "adds 2 provisions, 1 variant, another witness of 2"
    assert gain.variants == ("rules/2020/2.1",)


def test_what_completes_a_provision(corpus, tmp_path):
    listed = corpus / "sources" / "rules.txt"
    whole = listed.read_text()
    cut = whole[: whole.rindex(" ", 0, len(whole.rstrip()) - 5)]
    listed.write_text(cut)
    table = corpus / "sources" / "sources.toml"
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in (whole, cut)]
    table.write_text(table.read_text().replace(*digests))
    gain = take_in(corpus, [scan(tmp_path, "whole.txt", whole)], "rules", "en", dry_run=True)
    assert gain.new == () and len(gain.completed) >= 1
    assert gain.summary.startswith(f"completes {gain.completed[0].rpartition('/')[2]}")


def test_undo_takes_out_the_last_import_and_nothing_else(corpus, tmp_path):
    with (corpus / "sources" / "sources.toml").open("a") as stream:
        stream.write("# a remark of the editor's\n")
    first = state(corpus)
    take_in(corpus, [scan(tmp_path, "more.txt", MORE)], "rules", "en")
    second = state(corpus)
    take_in(corpus, [scan(tmp_path, "same.txt", SAME), scan(tmp_path, "third.txt", MORE * 2)], "rules", "en")
    third = state(corpus)
    assert undo(corpus, dry_run=True).files == ("same.txt", "third.txt") and state(corpus) == third
    assert undo(corpus).files == ("same.txt", "third.txt") and state(corpus) == second
    assert undo(corpus).files == ("more.txt",) and state(corpus) == first
    with pytest.raises(InputError, match="no import to undo"):
        undo(corpus)


def test_undo_does_not_take_out_what_was_changed(corpus, tmp_path):
    take_in(corpus, [scan(tmp_path, "more.txt", MORE)], "rules", "en")
    (corpus / "sources" / "more.txt").write_text("an editor's own")
    before = state(corpus)
    with pytest.raises(InputError, match="changed since it was imported"):
        undo(corpus)
    assert state(corpus) == before


def test_a_file_that_is_not_there(corpus, tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        take_in(corpus, [tmp_path / "none.txt"], "rules", "en")


def test_what_is_wrong_in_the_corpus_is_named_there(corpus, tmp_path):
    (corpus / "citations.toml").write_text('[[noun]]\nname = "rule"\n')
    with pytest.raises(ProfileError) as caught:
        take_in(corpus, [scan(tmp_path, "more.txt", MORE)], "rules", "en", dry_run=True)
    assert str(corpus / "citations.toml") in str(caught.value)


def test_the_first_text_of_a_corpus_that_has_none(corpus, tmp_path):
    table = corpus / "sources" / "sources.toml"
    table.write_text(table.read_text().partition("[[source]]")[0])
    for path in (corpus / "sources").glob("*.txt"):
        path.unlink()
    assert take_in(corpus, [scan(tmp_path, "more.txt", MORE)], "rules", "en").new


def test_the_command(corpus, tmp_path):
    def kb(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(cli, ["--corpus", str(corpus), "import", *arguments])
        return result.exit_code, result.output

    path = str(scan(tmp_path, "more.txt", MORE))
    assert kb()[0] == 2 and kb(path)[0] == 2 and kb("--undo", path)[0] == 2
    before = state(corpus)
    code, said = kb(path, "--work", "rules", "--lang", "en", "--json")
    assert code == 0 and json.loads(said)["new"] == ["rules/2020/3", "rules/2020/3.1"]
    code, said = kb("--undo")
    assert code == 0 and said == "taken out more.txt\n" and state(corpus) == before
