"""Bad input through the command line: one clear line on stderr, exit 2, nothing destroyed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from kb import console
from kb.cli import cli
from kb.scaffold import scaffold

BINARY = b"\x7fELF\x00\x01\x02\x03" * 60


@pytest.fixture()
def corpus(tmp_path: Path) -> Path:
    scaffold(tmp_path / "corpus")
    return tmp_path / "corpus"


def state(*folders: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def kb(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command, as a shell sees them."""
    capfd.readouterr()
    code = console.run(cli, [str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return code, out, err


def build(capfd: pytest.CaptureFixture[str], corpus: Path, folder: Path) -> tuple[int, str, str]:
    return kb(capfd, "-q", "--corpus", corpus, "--build", folder, "build", "--only", "index")


def listing(corpus: Path) -> Path:
    return corpus / "sources" / "sources.toml"


def put(corpus: Path, data: bytes, name: str = "rules.txt") -> None:
    """Another content for a source, with the hash that goes with it."""
    path = corpus / "sources" / name
    old = hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_bytes(data)
    text = listing(corpus).read_text("utf-8").replace(old, hashlib.sha256(data).hexdigest())
    listing(corpus).write_text(text, "utf-8")


def rename(corpus: Path, name: str, data: bytes) -> None:
    put(corpus, data)
    (corpus / "sources" / "rules.txt").rename(corpus / "sources" / name)
    text = listing(corpus).read_text("utf-8").replace("rules.txt", name)
    listing(corpus).write_text(text, "utf-8")


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), "utf-8")


BAD = {
    "missing source": (lambda c: (c / "sources" / "rules.txt").unlink(), "rules.txt: not there, but listed"),
    "empty source": (lambda c: put(c, b""), "rules.txt: empty"),
    "white space only": (lambda c: put(c, b" \n\n\t "), "rules.txt: empty"),
    "binary file": (lambda c: put(c, BINARY), "rules.txt: binary data"),
    "wrong hash": (
        lambda c: (c / "sources" / "rules.txt").write_text("another text"),
        "sources.toml says",
    ),
    "unknown encoding": (
        lambda c: edit(listing(c), 'file = "rules.txt"', 'file = "rules.txt"\nencoding = "klingon"'),
        "unknown encoding 'klingon'",
    ),
    "wrong encoding": (
        lambda c: (
            put(c, "Правила".encode("cp866")),
            edit(listing(c), 'file = "rules.txt"', 'file = "rules.txt"\nencoding = "utf-8"'),
        ),
        "not utf-8: byte 0 does not fit",
    ),
    "unknown format": (lambda c: rename(c, "rules.xls", b"some text"), "no reader for .xls"),
    "broken archive": (lambda c: rename(c, "rules.docx", b"PK\x03\x04 cut"), "rules.docx: a broken archive"),
    "a folder for a source": (
        lambda c: ((c / "sources" / "rules.txt").unlink(), (c / "sources" / "rules.txt").mkdir()),
        "rules.txt: not a file",
    ),
    "no profile": (lambda c: (c / "profile.toml").unlink(), "profile.toml: not there"),
    "profile that is no TOML": (lambda c: (c / "profile.toml").write_text("[corpus"), "not valid TOML"),
    "a number for a table": (lambda c: edit(c / "profile.toml", "[corpus]", "corpus = 7\n[other]"), "needed"),
    "a text for a list of languages": (
        lambda c: edit(c / "profile.toml", 'languages = ["en"]', 'languages = "en"'),
        "no list of texts",
    ),
    "no language": (lambda c: edit(c / "profile.toml", '["en"]', "[]"), "languages needs one at least"),
    "an example that is a number": (
        lambda c: edit(c / "profile.toml", "examples = [", "examples = [5, "),
        "no list of texts",
    ),
    "a file name with a line end": (
        lambda c: edit(listing(c), 'file = "rules.txt"', 'file = "rules\\n.txt"'),
        "not a plain file name",
    ),
    "no list of sources": (lambda c: listing(c).unlink(), "sources.toml: not there"),
    "unknown work": (
        lambda c: edit(listing(c), 'work = "rules"', 'work = "songs"'),
        "work 'songs' is none of",
    ),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_one_line_exit_2_and_the_last_build_stands(corpus, tmp_path, capfd, name):
    spoil, message = BAD[name]
    folder = tmp_path / "build"
    assert build(capfd, corpus, folder)[0] == 0
    spoil(corpus)
    before = state(corpus, folder)
    code, out, err = build(capfd, corpus, folder)
    assert code == 2 and out == ""
    assert err.count("\n") == 1 and err.startswith("kb: ") and message in err
    assert state(corpus, folder) == before
    code, out, _ = kb(capfd, "--build", folder, "show", "1")
    assert code == 0 and out  # what the last good build made still answers


def test_a_pattern_that_fails_its_own_example(corpus, tmp_path, capfd):
    path = corpus / "profile.toml"
    text = path.read_text("utf-8")
    at = text.index("examples = [")
    path.write_text(text[:at] + 'examples = ["no such thing", ' + text[at + len("examples = [") :], "utf-8")
    code, out, err = build(capfd, corpus, tmp_path / "build")
    assert code == 2 and out == "" and err.count("\n") == 1
    assert "fails its own example 'no such thing'" in err and str(path) in err
    assert not (tmp_path / "build" / "kb.sqlite").exists()


@pytest.mark.parametrize("spoil", ["cut", "empty", "text", "absent"])
def test_a_half_written_build(corpus, tmp_path, capfd, spoil):
    folder = tmp_path / "build"
    assert build(capfd, corpus, folder)[0] == 0
    store = folder / "kb.sqlite"
    whole = store.read_bytes()
    if spoil == "absent":
        store.unlink()
    else:
        store.write_bytes({"cut": whole[: len(whole) // 2], "empty": b"", "text": b"hello"}[spoil])
    before = state(folder)
    code, out, err = kb(capfd, "--build", folder, "show", "1")
    assert (code, out, err.count("\n")) == (2, "", 1) and "kb build" in err
    assert state(folder) == before
    assert build(capfd, corpus, folder)[0] == 0  # the next build mends it
    assert store.read_bytes() == whole


def test_no_build_at_all(tmp_path, capfd):
    for command in (["show", "1"], ["search", "x"], ["resolve", "1"], ["audit"], ["explain", "1"]):
        code, out, err = kb(capfd, "--build", tmp_path / "none", *command)
        assert (code, out, err.count("\n")) == (2, "", 1)
    assert not (tmp_path / "none").exists()


def test_importing_what_cannot_be_read(corpus, tmp_path, capfd):
    bad = tmp_path / "bad.txt"
    bad.write_bytes(BINARY)
    before = state(corpus)
    code, out, err = kb(capfd, "--corpus", corpus, "import", bad, "--work", "rules", "--lang", "en")
    assert (code, out, err.count("\n")) == (2, "", 1) and "binary data" in err
    assert state(corpus) == before


def test_a_traceback_is_never_shown(corpus, tmp_path):
    (corpus / "sources" / "rules.txt").write_bytes(BINARY)
    result = CliRunner().invoke(cli, ["--corpus", str(corpus), "--build", str(tmp_path / "b"), "build"])
    assert "Traceback" not in result.output
