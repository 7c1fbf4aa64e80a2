"""A build that redoes only what a change touches makes the very bytes of a build from nothing."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest
from grown import grow

from kb.make import make

STAGES = ("index", "pages", "api", "site", "report")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def same(corpus: Path, build: Path, anew: Path) -> None:
    make(corpus, anew)
    found, wanted = contents(build), contents(anew)
    assert set(found) == set(wanted)
    assert [name for name in found if found[name] != wanted[name]] == []


def sources(corpus: Path) -> list[Path]:
    return sorted((corpus / "sources").glob("*.txt"))


def word(corpus: Path, chance: random.Random) -> None:
    """Another word somewhere."""
    path = chance.choice(sources(corpus))
    lines = path.read_text("utf-8").split("\n")
    at = chance.choice([n for n, line in enumerate(lines) if re.match(r"[а-я ]{12}", line)])
    lines[at] = f"вновь {lines[at]}"
    path.write_text("\n".join(lines), "utf-8")


def citation(corpus: Path, chance: random.Random) -> None:
    """A citation that was not there, of a law that is or is not."""
    path = chance.choice(sources(corpus))
    text = path.read_text("utf-8")
    law = chance.choice(["Правило 3", "Правило 12B", "Правило 21.7", "Правило 900"])
    path.write_text(re.sub(r"\.\n", f" (смотри {law}).\n", text, count=1), "utf-8")


def title(corpus: Path, chance: random.Random) -> None:
    """Another title of a law, which other pages tell too."""
    path = chance.choice(sources(corpus))
    text = path.read_text("utf-8")
    path.write_text(re.sub(r"(Правило \d+\. \w+)", r"\1 вновь", text, count=1), "utf-8")


def gone(corpus: Path, chance: random.Random) -> None:
    """The end of a source is lost."""
    path = chance.choice(sources(corpus))
    lines = path.read_text("utf-8").split("\n")
    path.write_text("\n".join(lines[: len(lines) * 2 // 3]), "utf-8")


CHANGES = (word, citation, title, gone)


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus and its build."""
    folder = tmp_path_factory.mktemp("parts")
    grow(folder / "corpus", 30)
    make(folder / "corpus", folder / "build")
    return folder


@pytest.fixture()
def corpus(master: Path, tmp_path: Path) -> Path:
    """A copy of the corpus, with its build beside it."""
    # Files with two names keep them, and all keep their times.
    subprocess.run(["cp", "-a", f"{master}/.", str(tmp_path)], check=True)
    return tmp_path / "corpus"


def test_changed_step_by_step(corpus: Path, tmp_path: Path) -> None:
    chance = random.Random(5)
    for change in CHANGES:
        change(corpus, chance)
        make(corpus, tmp_path / "build")
    same(corpus, tmp_path / "build", tmp_path / "anew")


@pytest.mark.full
@pytest.mark.parametrize("seed", range(6))
def test_changed_at_random(corpus: Path, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(6):
        chance.choice(CHANGES)(corpus, chance)
        make(corpus, tmp_path / "build")
        same(corpus, tmp_path / "build", tmp_path / f"anew{number}")


def test_a_changed_word_touches_few_pages(corpus: Path, tmp_path: Path) -> None:
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "build" / "site").rglob("*.html")}
    word(corpus, random.Random(1))
    make(corpus, tmp_path / "build", only=("site",))
    touched = [p for p, at in before.items() if p.stat().st_mtime_ns != at]
    assert touched and len(touched) < len(before) / 2
    # The other laws of the source stand at the same lines of it.
    assert len([p for p in touched if p.match("laws/1987/[0-9]*/index.html")]) == 1


def test_what_was_lost_is_made_again(corpus: Path, tmp_path: Path) -> None:
    """A page that somebody removed comes back, also when something else has changed too."""
    (tmp_path / "build" / "pages" / "laws" / "1987" / "7.md").unlink()
    (tmp_path / "build" / "site" / "laws" / "1987" / "9" / "index.html").unlink()
    word(corpus, random.Random(2))
    make(corpus, tmp_path / "build")
    same(corpus, tmp_path / "build", tmp_path / "anew")
