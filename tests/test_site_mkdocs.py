"""The project is an ordinary MkDocs project: build and serve work from a fresh clone."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import sitecheck
from sitebuild import ROOT


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a clone has, without its history: no build folder, no environment."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("corpus", "docs", "kb"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "mkdocs.yml", folder)
    return folder


def _mkdocs(clone: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "mkdocs", *arguments]


def _env(clone: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(clone)}


def test_mkdocs_build_strict_from_a_fresh_clone(clone: Path) -> None:
    done = subprocess.run(
        _mkdocs(clone, "build", "--strict"),
        cwd=clone,
        env=_env(clone),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (clone / "build" / "kb.sqlite").is_file()
    site = clone / "build" / "site"
    for path in (
        "index.html",
        "laws/1987/65/index.html",
        "l/65B1/index.html",
        "docs/architecture/index.html",
        "404.html",
    ):
        assert (site / path).is_file(), path
    assert (site / "api" / "v1" / "index.json").is_file()
    pages = sitecheck.read(site)
    assert list(sitecheck.dead(site, pages))[:5] == []
    assert [(name, page.faults) for name, page in pages.items() if page.faults][:3] == []


def test_a_broken_corpus_is_one_clear_line(clone: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(clone, broken, ignore=shutil.ignore_patterns("build"))
    (broken / "corpus" / "bridge" / "outline.toml").write_text("[[entry]\n")
    done = subprocess.run(
        _mkdocs(broken, "build"), cwd=broken, env=_env(broken), capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "outline.toml: not valid TOML" in done.stderr and "Traceback" not in done.stderr


@pytest.fixture
def served(clone: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = _mkdocs(clone, "serve", "--dev-addr", f"127.0.0.1:{port}")
    process = subprocess.Popen(command, cwd=clone, env=_env(clone), stderr=subprocess.DEVNULL)
    yield f"http://127.0.0.1:{port}/"
    process.terminate()
    process.wait()


def _eventually(url: str, word: str) -> bool:
    """True when the page has the word within two minutes; a slow machine only makes it slower."""
    for _ in range(240):
        try:
            with urllib.request.urlopen(url) as answer:
                if word in answer.read().decode():
                    return True
        except OSError:
            pass
        time.sleep(0.5)
    return False


@pytest.mark.full
def test_mkdocs_serve_follows_the_corpus(clone: Path, served: str) -> None:
    assert _eventually(f"{served}laws/1987/2/", "The Duplicate Boards")
    outline = clone / "corpus" / "bridge" / "outline.toml"
    text = outline.read_text("utf-8")
    outline.write_text(text.replace("The Duplicate Boards", "The Boards, Renamed"), "utf-8")
    assert _eventually(f"{served}laws/1987/2/", "The Boards, Renamed")
