"""The project is an ordinary MkDocs project: build and serve work from a clone; so does a fork of 1.x."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
import sitecheck
from sitebuild import ROOT, Built, need

FORK = "properdocs"
FORK_VERSION = "1.6.7"
ALIKE = ("jinja2", "markdown", "pyyaml")
"""What both builds take in the same version, so that only the generators differ."""


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


@pytest.fixture(scope="module")
def fork(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of an environment that has the fork and no MkDocs."""
    folder = tmp_path_factory.mktemp("fork")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    wanted = [f"{FORK}=={FORK_VERSION}", *(f"{name}=={version(name)}" for name in ALIKE)]
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    done = subprocess.run([*pip, "install", "--quiet", *wanted], capture_output=True, text=True, check=False)
    last = (done.stderr.strip().splitlines() or [""])[-1]
    need(done.returncode == 0, f"{FORK} {FORK_VERSION} from the package index ({last})")
    return python


def _site(python: Path | str, module: str, clone: Path, pages: Path, name: str) -> dict[str, str]:
    """The pages that a generator makes of the gold's Markdown by the project's own settings: name -> HTML."""
    settings = clone / f"of-{name}.yml"
    # The pages are there, so the hook need not make them: a fork's environment has none of our libraries.
    settings.write_text(f"INHERIT: mkdocs.yml\nextra: {{kb_ready: true, kb_pages: '{pages}'}}\n")
    site = clone / "sites" / name
    done = subprocess.run(
        [str(python), "-m", module, "build", "--strict", "-f", str(settings), "-d", str(site)],
        cwd=clone,
        env=_env(clone),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {path.relative_to(site).as_posix(): path.read_text("utf-8") for path in site.rglob("*.html")}


def _body(page: str) -> str:
    """Without how many megabytes the site has: each generator writes its own name into all heads."""
    return re.sub(r"\d+\.\d(?=\s(?:МБ|MB)\b)", "0", page[page.index("<body") : page.rindex("</body>")])


@pytest.mark.full
def test_a_living_fork_builds_the_same_pages(clone: Path, fork: Path, gold_site: Built) -> None:
    ours = _site(sys.executable, "mkdocs", clone, gold_site.pages, "mkdocs")
    theirs = _site(fork, FORK, clone, gold_site.pages, FORK)
    assert "laws/1987/65/index.html" in ours and "docs/architecture/index.html" in ours
    assert sorted(theirs) == sorted(ours)
    assert [
        name for name, page in ours.items() if "<body" in page and _body(theirs[name]) != _body(page)
    ] == []
    assert [name for name, page in ours.items() if "<body" not in page and theirs[name] != page] == []
