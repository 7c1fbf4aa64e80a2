"""Stopped anywhere, out of room, not allowed to write: the last good build is usable, the next completes."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kb.library import open_library
from kb.make import STAGES, make
from kb.publish.files import write
from kb.scaffold import scaffold
from kb.turns import alone

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def master(tmp_path_factory):
    folder = tmp_path_factory.mktemp("interrupted")
    scaffold(folder / "corpus")
    make(folder / "corpus", folder / "build")
    return folder


@pytest.fixture()
def place(master, tmp_path):
    """A copy of a corpus and its build, then a change in the corpus: the build has work to do."""
    shutil.copytree(master, tmp_path / "copy")
    change(tmp_path / "copy" / "corpus", "four tools")
    return tmp_path / "copy"


def change(corpus: Path, said: str) -> None:
    listed = corpus / "sources" / "sources.toml"
    lines = [line for line in listed.read_text().splitlines() if "sha256 =" not in line]
    listed.write_text("\n".join(lines) + "\n")
    source = corpus / "sources" / "rules.txt"
    text = source.read_text()
    for word in ("three tools", "four tools", "five tools"):
        text = text.replace(word, said)
    source.write_text(text)


def command(place: Path, *more: str) -> list[str]:
    folders = ["--corpus", str(place / "corpus"), "--build", str(place / "build")]
    return [sys.executable, "-m", "kb.cli", *folders, "-q", "build", *more]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def usable(place: Path, *said: str) -> None:
    """The build answers, with the old text or the new one."""
    base = open_library(place / "build")
    text = base["rules/2020/1.1"].text["en"]
    assert any(one in text for one in said)
    assert base.search("ladder").hits and base.resolve("rules/2020/1.2")
    assert (place / "build" / "site" / "index.html").stat().st_size
    assert (place / "build" / "site" / "search-data.js").stat().st_size


def completes(place: Path, tmp_path: Path, said: str) -> None:
    """The next run ends, and leaves what a build from nothing makes."""
    make(place / "corpus", place / "build")
    usable(place, said)
    assert make(place / "corpus", place / "build").redone == ()
    make(place / "corpus", tmp_path / "anew")
    found, anew = contents(place / "build"), contents(tmp_path / "anew")
    assert set(found) == set(anew), "nothing half-made is left behind"
    assert [name for name in found if found[name] != anew[name]] == []


def killed(place: Path, seconds: float) -> None:
    process = subprocess.Popen(command(place), cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    process.wait()


def took(place: Path) -> float:
    """Seconds of a whole rebuild on this machine now."""
    began = time.monotonic()
    subprocess.run(command(place), cwd=ROOT, check=True)
    return time.monotonic() - began


def test_killed_five_times(place, tmp_path):
    chance = random.Random(8)
    whole = took(place)
    change(place / "corpus", "three tools")
    for _ in range(5):
        killed(place, chance.uniform(0, whole))
        usable(place, "three tools", "four tools")
    completes(place, tmp_path, "three tools")


@pytest.mark.full
def test_killed_twenty_times_each_with_another_change(place, tmp_path):
    chance = random.Random(20)
    whole = took(place)
    words = ["four tools", "five tools", "three tools"]
    for number in range(20):
        change(place / "corpus", words[number % 3])
        killed(place, chance.uniform(0.1, 1.1) * whole)
        usable(place, *words)
    completes(place, tmp_path, words[19 % 3])


MORE_ROOM = [pytest.param(room, marks=pytest.mark.full) for room in (2_000, 60_000)]


@pytest.mark.parametrize("room", [0, 20_000, 90_000, *MORE_ROOM])
def test_out_of_room(place, tmp_path, room):
    """No file may grow beyond so many bytes, as on a full disk."""

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    done = subprocess.run(
        command(place), cwd=ROOT, stderr=subprocess.PIPE, text=True, preexec_fn=limited, env=_quiet()
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and done.stderr.startswith("kb: ") and "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    usable(place, "three tools", "four tools")
    completes(place, tmp_path, "four tools")


def _quiet() -> dict[str, str]:
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.mark.full
def test_a_full_disk(place, tmp_path):
    """The same with a true small file system, where one may be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    size = sum(path.stat().st_size for path in (place / "build").rglob("*") if path.is_file())
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size + (1 << 19)}", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        shutil.copytree(place / "build", disk / "build")
        build = command(place)
        build[build.index("--build") + 1] = str(disk / "build")
        # What is left is taken by another's file.
        free = shutil.disk_usage(disk).free
        (disk / "other").write_bytes(b"\0" * (free - 20_000))
        done = subprocess.run(build, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and "internal" not in done.stderr
        assert open_library(disk / "build").search("ladder").hits
        (disk / "other").unlink()
        shutil.rmtree(place / "build")
        subprocess.run(["mount", "-o", f"remount,size={size * 4}", str(disk)], check=True)
        assert subprocess.run(build, cwd=ROOT).returncode == 0
        assert "four tools" in open_library(disk / "build")["rules/2020/1.1"].text["en"]
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_not_allowed_to_write(place, tmp_path):
    """A folder that is read only: one line, nothing changed; usable all the same."""
    folders = [place / "build", *(p for p in (place / "build").rglob("*") if p.is_dir())]
    before = contents(place / "build")
    run = command(place)
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may write anywhere, and there is no setpriv to give that up")
        less = "-dac_override,-dac_read_search"
        run = ["setpriv", f"--bounding-set={less}", f"--inh-caps={less}", *run]
    for folder in folders:
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        done = subprocess.run(run, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and "internal" not in done.stderr
        assert "cannot be written" in done.stderr
        usable(place, "three tools")
        assert contents(place / "build") == before
    finally:
        for folder in folders:
            folder.chmod(0o755)
    completes(place, tmp_path, "four tools")


def test_leftovers_of_others_are_no_harm(place, tmp_path):
    """Drafts of a build that was killed are dropped by the next."""
    for name in ("kb.sqlite.part", ".sources/.half.1", "index/.g-0.1/x", "pages/index.md.part", ".site-x/a"):
        write(place / "build" / name, "half")
    completes(place, tmp_path, "four tools")


def test_the_lock_goes_with_the_process(place):
    held = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time; from pathlib import Path; from kb.turns import alone\n"
            f"with alone(Path({str(place / 'build')!r})): print('held', flush=True); time.sleep(60)",
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )
    assert held.stdout is not None and held.stdout.readline() == b"held\n"
    refused = subprocess.run(command(place), cwd=ROOT, stderr=subprocess.PIPE, text=True)
    assert refused.returncode == 2 and "another build is running" in refused.stderr
    held.kill()
    held.wait()
    with alone(place / "build"):
        pass
    assert set(make(place / "corpus", place / "build").redone) == {"store", *STAGES}
