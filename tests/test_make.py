"""The main job: all stages, nothing redone without need, nothing lost when it is stopped."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kb.cli import cli
from kb.errors import InputError, KbError
from kb.library import MARKER, open_library
from kb.make import STAGES, make
from kb.scaffold import scaffold
from kb.turns import alone

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def master(tmp_path_factory):
    """A small corpus and its first build."""
    folder = tmp_path_factory.mktemp("make")
    scaffold(folder / "corpus")
    made = make(folder / "corpus", folder / "build")
    assert made.redone == ("store", *STAGES)
    return folder


@pytest.fixture()
def place(master, tmp_path):
    """A copy of them that a test may harm."""
    shutil.copytree(master, tmp_path / "copy")
    return tmp_path / "copy"


def listing(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(p.relative_to(folder)): (p.stat().st_ino, p.stat().st_mtime_ns, p.read_bytes())
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def contents(folder: Path) -> dict[str, bytes]:
    return {name: data for name, (_, _, data) in listing(folder).items()}


def test_everything_is_made(master):
    build = master / "build"
    for name in (
        "kb.sqlite",
        "index/CURRENT",
        "pages/index.md",
        "site/index.html",
        "site/api/v1/index.json",
        "site/objects.inv",
        "site/search-data.js",
        "report/audit.json",
        "corpus/profile.toml",
        str(MARKER),
    ):
        assert (build / name).is_file(), name
    assert open_library(build)["rules/2020/1.2"].text["en"].startswith("A ladder")


def test_a_second_run_writes_nothing(place):
    make(place / "corpus", place / "build")
    before = listing(place / "build")
    assert make(place / "corpus", place / "build").redone == ()
    assert listing(place / "build") == before


def test_two_folders_are_byte_identical(place, tmp_path):
    code = (
        "import sys; from pathlib import Path; from kb.make import make;"
        f"make(Path({str(place / 'corpus')!r}), Path(sys.argv[1]))"
    )
    target = tmp_path / "another" / "deeper"
    env = {**os.environ, "PYTHONHASHSEED": "77", "TZ": "Asia/Tokyo"}
    subprocess.run([sys.executable, "-c", code, str(target)], check=True, env=env, cwd=ROOT)
    one, other = contents(place / "build"), contents(target)
    assert set(one) == set(other)
    assert [name for name in one if one[name] != other[name]] == []


def test_a_changed_source_is_built_again(place):
    source = place / "corpus" / "sources" / "rules.txt"
    source.write_text(source.read_text().replace("three tools", "four tools"))
    with pytest.raises(InputError, match="sha256"):
        make(place / "corpus", place / "build")
    assert "three tools" in open_library(place / "build")["rules/2020/1.1"].text["en"], "the last good build"
    listed = place / "corpus" / "sources" / "sources.toml"
    listed.write_text("\n".join(line for line in listed.read_text().splitlines() if "sha256 =" not in line))
    assert "store" in make(place / "corpus", place / "build").redone
    assert "four tools" in open_library(place / "build")["rules/2020/1.1"].text["en"]
    pages = (place / "build" / "site" / "rules" / "2020" / "1" / "index.html").read_text("utf-8")
    assert "four tools" in pages and "three tools" not in pages


def test_a_lost_file_is_made_again(place):
    (place / "build" / "site" / "index.html").unlink()
    (place / "build" / "kb.sqlite").write_bytes(b"half")
    next((place / "build" / "index").glob("g-*/vocabulary.json")).unlink()
    assert make(place / "corpus", place / "build").redone == ("store", "index", "site")
    assert (place / "build" / "site" / "index.html").is_file()
    assert open_library(place / "build").search("ladder").hits


def test_only_takes_every_stage_the_help_names(place, tmp_path):
    said = next(option.help for option in cli.commands["build"].params if option.name == "only")
    stages = re.findall(r"[a-z-]+", said.partition(":")[2].replace("also", ""))
    assert "store" in stages and len(stages) == 7
    assert make(place / "corpus", tmp_path / "b", only=["store"]).redone == ("store",)
    for stage in stages:
        if stage not in ("site", "site-file"):  # these take long, and are made elsewhere
            make(place / "corpus", tmp_path / "b", only=[stage])


def test_only_limits_what_is_made(place, tmp_path):
    made = make(place / "corpus", tmp_path / "b", only=["index"])
    assert made.redone == ("store", "index") and not (tmp_path / "b" / "site").exists()
    assert make(place / "corpus", tmp_path / "b", only=["site"]).redone == ("pages", "api", "site")


def test_a_state_that_cannot_be_read_means_nothing_is_made(place):
    (place / "build" / "report" / "state.json").write_text("[")
    before = contents(place / "build")
    assert make(place / "corpus", place / "build").redone == ("store", *STAGES)
    assert contents(place / "build") | {"report/state.json": b""} == before | {"report/state.json": b""}


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda c: (c / "sources" / "rules.txt").unlink(), "rules.txt"),
        (lambda c: (c / "sources" / "rules.txt").write_bytes(b""), "rules.txt"),
        (lambda c: (c / "profile.toml").write_text("[corpus"), "profile.toml"),
        (lambda c: (c / "profile.toml").unlink(), "profile.toml"),
        (lambda c: shutil.rmtree(c), "no such corpus"),
    ],
)
def test_bad_input_destroys_nothing(place, harm, message):
    before = contents(place / "build")
    harm(place / "corpus")
    with pytest.raises(KbError, match=message) as caught:
        make(place / "corpus", place / "build")
    assert "\n" not in str(caught.value) and contents(place / "build") == before


def test_output_and_input_are_kept_apart(place):
    with pytest.raises(InputError, match="lies inside"):
        make(place / "corpus", place / "corpus" / "out")
    with pytest.raises(InputError, match="lies inside"):
        make(place / "corpus", place)


def test_a_folder_that_is_a_file(place, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="cannot be written"):
        make(place / "corpus", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_one_build_at_a_time(place):
    with alone(place / "build"), pytest.raises(InputError, match="another build is running"):
        make(place / "corpus", place / "build")


def test_an_unknown_backend(place):
    with pytest.raises(InputError, match="no such search backend"):
        make(place / "corpus", place / "build", backend="nonsense")
    assert open_library(place / "build").search("ladder").hits


def test_strict_is_about_findings(place):
    from click.testing import CliRunner

    from kb.cli import cli

    options = ["--corpus", str(place / "corpus"), "--build", str(place / "build"), "build", "--only", "api"]
    assert CliRunner().invoke(cli, [*options, "--strict"], standalone_mode=False).return_value == 0
    (place / "corpus" / "sources" / "rules.txt").write_text(
        "A line that has no place\n\nChapter I. Lending\n"
    )
    listed = place / "corpus" / "sources" / "sources.toml"
    listed.write_text("\n".join(line for line in listed.read_text().splitlines() if "sha256 =" not in line))
    assert CliRunner().invoke(cli, options, standalone_mode=False).return_value == 0
    assert CliRunner().invoke(cli, [*options, "--strict"], standalone_mode=False).return_value == 1


LATER = [pytest.param(moment, marks=pytest.mark.full) for moment in (0.15, 0.8, 2.0)]


@pytest.mark.parametrize("moment", [0.4, 1.3, *LATER])
def test_killed_at_any_moment_the_last_good_build_stays(place, moment):
    """kill -9 in the middle of a rebuild: what was there can be used, and the next run completes."""
    listed = place / "corpus" / "sources" / "sources.toml"
    listed.write_text("\n".join(line for line in listed.read_text().splitlines() if "sha256 =" not in line))
    source = place / "corpus" / "sources" / "rules.txt"
    source.write_text(source.read_text().replace("three tools", "four tools"))
    command = [
        sys.executable,
        "-m",
        "kb.cli",
        "--corpus",
        str(place / "corpus"),
        "--build",
        str(place / "build"),
    ]
    process = subprocess.Popen([*command, "-q", "build"], cwd=ROOT)
    time.sleep(moment)
    process.send_signal(signal.SIGKILL)
    process.wait()
    base = open_library(place / "build")
    assert base["rules/2020/1.1"].text["en"] and base.search("ladder").hits
    assert (place / "build" / "site" / "index.html").is_file()
    make(place / "corpus", place / "build")
    assert "four tools" in open_library(place / "build")["rules/2020/1.1"].text["en"]
    assert make(place / "corpus", place / "build").redone == ()
    state = json.loads((place / "build" / "report" / "state.json").read_text())
    assert set(state) == {"store", *STAGES}
