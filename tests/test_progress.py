"""Bars on a terminal, and nothing of them anywhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from kb import progress

ROOT = Path(__file__).parent.parent
AT_ONCE = "from kb import cli, console; console.PATIENCE = 0; cli.main()"
BARS = ("reading sources", "finding citations", "counting words", "writing pages", "rendering pages")


class Heard:
    """A meter that keeps what it hears."""

    def __init__(self) -> None:
        self.said: list[tuple[str, int]] = []
        self.steps = 0
        self.closed = 0

    def __call__(self, label: str, total: int) -> Heard:
        self.said.append((label, total))
        return self

    def step(self) -> None:
        self.steps += 1

    def close(self) -> None:
        self.closed += 1


def test_a_meter_hears_every_step() -> None:
    heard = Heard()
    with progress.shown(heard):
        assert list(progress.over("abc", "letters")) == ["a", "b", "c"]
        assert list(progress.over(iter("ab"), "more", lambda: 2)) == ["a", "b"]
    assert heard.said == [("letters", 3), ("more", 2)]
    assert (heard.steps, heard.closed) == (5, 2)
    assert list(progress.over("ab", "after")) == ["a", "b"] and len(heard.said) == 2


def test_work_that_stops_midway_is_closed() -> None:
    heard = Heard()
    with progress.shown(heard), pytest.raises(ZeroDivisionError):
        for n in progress.over([1, 0], "division"):
            1 / n
    assert heard.closed == 1


def test_nobody_looks_on_unasked() -> None:
    items = [1, 2]
    assert progress.over(items, "nothing") is items
    assert progress.begin("nothing", 2) is progress.UNSEEN


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new")
    done = subprocess.run(
        [sys.executable, "-m", "kb.cli", "-q", "new", str(folder / "mine")], cwd=ROOT, check=True
    )
    assert done.returncode == 0
    return folder / "mine"


def on_terminal(*arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output (a pipe) and standard error (a terminal) of ``kb``."""
    master, slave = os.openpty()
    command = [sys.executable, "-c", AT_ONCE, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, cwd=ROOT)
    os.close(slave)
    shown = b""
    # Linux says EIO when the last who writes has gone.
    with suppress(OSError):
        while chunk := os.read(master, 65536):
            shown += chunk
    os.close(master)
    out, _ = process.communicate(timeout=60)
    return process.returncode, out.decode(), shown.decode()


def test_a_terminal_shows_bars(corpus: Path, tmp_path: Path) -> None:
    code, out, shown = on_terminal("--corpus", str(corpus), "--build", str(tmp_path / "b"), "build")
    assert (code, out) == (0, "")
    for label in BARS:
        assert f"{label}  [" in shown, label
    assert "100%" in shown and "made: store" in shown
    code, out, shown = on_terminal("--build", str(tmp_path / "b"), "export", "--to", "jsonl")
    assert code == 0 and out.startswith("{") and "writing rows  [" in shown
    code, out, shown = on_terminal("-q", "--build", str(tmp_path / "b"), "export", "--to", "jsonl")
    assert code == 0 and out.startswith("{") and shown == ""


def test_a_pipe_shows_none(corpus: Path, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        AT_ONCE,
        "--corpus",
        str(corpus),
        "--build",
        str(tmp_path / "b"),
        "build",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = done.stderr.splitlines()
    assert done.stdout == "" and lines[0] == "reading the corpus" and len(lines) == 7
    assert not {"\r", "\x1b", "[", "%"} & set(done.stderr)
