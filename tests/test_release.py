"""What a release consists of: the wheel, the sdist, the man page, what is said of known holes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import audit_lock  # noqa: E402
import manpage  # noqa: E402


@pytest.fixture(scope="module")
def tracked() -> set[str]:
    """The files of the project, as they were before the archives were made."""
    said = subprocess.run(["git", "ls-files", "-z"], check=True, cwd=ROOT, capture_output=True, text=True)
    return {name for name in said.stdout.split("\0") if name and (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def dist(tracked: set[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wheel and sdist, as `make release` makes them."""
    folder = tmp_path_factory.mktemp("dist")
    for kind in ("wheel", "sdist"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
        subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    return next(dist.glob("*.whl"))


def test_the_wheel_carries_theme_starter_corpus_and_man_page(wheel: Path, tracked: set[str]) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    moved = {re.sub("^corpus/bridge/", "kb/corpora/bridge/", name) for name in tracked}
    assert {name for name in moved if name.startswith("kb/")} - names == set()
    assert {"kb/publish/theme/site.css", "kb/starter/profile.toml", "kb/openapi.json"} <= names
    assert any(name.endswith(".data/data/share/man/man1/kb.1") for name in names)
    outside = {name for name in names if not re.match(r"kb/|lawkb-[\d.]+\.(dist-info|data)/", name)}
    assert outside == set()


def test_the_sdist_is_the_whole_project(dist: Path, tracked: set[str]) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    left_out = {name for name in tracked - names if not name.startswith((".ci/", "build/"))}
    assert left_out == set()


def test_the_extras_are_those_that_messages_and_pages_name(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith("METADATA"))
        metadata = archive.read(name).decode("utf-8")
    extras = set(re.findall(r"^Provides-Extra: (\S+)", metadata, re.MULTILINE))
    texts = [
        path.read_text("utf-8") for top in ("kb", "docs") for path in sorted((ROOT / top).rglob("*.[pm][yd]"))
    ]
    named = {one for text in texts for one in re.findall(r"lawkb\[(\w+)\]", text)}
    assert {"ocr", "docs", "serve", "mcp", "tantivy", "opensearch", "dask"} <= extras
    assert named and not named - extras


def test_the_wheel_works_away_from_the_source(wheel: Path, tmp_path: Path) -> None:
    """Its own files are enough: only the packages it depends on are this environment's."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "lib")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "lib")}

    def kb(*arguments: str) -> str:
        command = [sys.executable, "-m", "kb.cli", *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    code = "import kb, kb.cli; print(kb.__file__, kb.cli._default_corpus())"
    where = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.split() == [f"{tmp_path}/lib/kb/__init__.py", f"{tmp_path}/lib/kb/corpora/bridge"]
    kb("new", "mine")
    kb("--corpus", "mine", "build")
    assert "answers for it together" in kb("show", "2(2)")
    assert (tmp_path / "build" / "site" / "site.css").is_file()


def test_the_man_page_is_what_the_commands_say() -> None:
    kept = (ROOT / "man" / "kb.1").read_text("utf-8")
    version = re.search(r'"lawkb (\S+)"', kept)
    assert version and manpage.page(version[1]) == kept, "run `make man`"


def test_no_line_of_the_man_page_is_taken_for_a_request() -> None:
    lines = (ROOT / "man" / "kb.1").read_text("utf-8").splitlines()
    requests = {line.split()[0] for line in lines if line.startswith((".", "'"))}
    assert "" not in lines and requests == {".TH", ".SH", ".SS", ".PP", ".TP", ".nf", ".fi"}


HOLE = {"id": "PYSEC-1", "fix_versions": ["2.1"], "description": "", "aliases": []}


@pytest.mark.parametrize(
    ("found", "code", "said"),
    [
        ([], 0, "NOT CHECKED"),
        ([{"name": "a", "version": "1", "skip_reason": "not found"}], 0, "NOT CHECKED"),
        ([{"name": "a", "version": "1", "vulns": []}], 0, "1 of 1 packages checked, 0 known holes"),
        ([{"name": "a", "version": "1", "vulns": [HOLE]}], 1, "a 1: PYSEC-1, mended in 2.1"),
        ([{"name": "a", "version": "1", "vulns": []}, {"name": "b", "version": "1"}], 0, "b 1: unknown to"),
    ],
)
def test_what_is_said_of_known_holes(found: list[dict[str, object]], code: int, said: str) -> None:
    found_code, lines = audit_lock.verdict(found)
    assert found_code == code and said in "\n".join(lines)


def test_every_package_of_the_lock_has_hashes() -> None:
    for name in ("requirements.lock", "tools/release.lock"):
        pins = re.split(r"(?m)^(?=\S)", (ROOT / name).read_text("utf-8"))[1:]
        assert pins and all("==" in pin and "--hash=sha256:" in pin for pin in pins)
