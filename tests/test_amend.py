"""A store made of the one before, where sources hang together with others in every way there is."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from grown import comment, grow

from kb import amend
from kb.cite.resolve import KnownEntries
from kb.make import make
from kb.model import Ref, Relation
from kb.store import open_store

RENDERED = """\
[nodes."{path}"]
title = "Of things"
text = "A player may do this (see Law 7)."
hash = ""
"""


def planted(folder: Path) -> None:
    """A corpus of nine sources: two have the same laws, some are rendered, one is corrected, many cite."""
    grow(folder, 80, each=10)
    sources = folder / "sources"
    for number in range(8):
        path = sources / f"{number:05}.txt"
        cited(path, f"Правило {number * 10 + 13}")
        cited(path, "Правило 412")
        misspelt(path)
    first = (sources / "00001.txt").read_text("utf-8")
    # Another scan of the same laws, with words of its own.
    (sources / "copy.txt").write_text(first.replace("игрок", "участник", 3).replace("о", "o", 2), "utf-8")
    listing = (sources / "sources.toml").read_text("utf-8")
    more = '[[source]]\nfile = "copy.txt"\nwork = "laws"\nedition = "1987"\nlang = "ru"\n'
    (sources / "sources.toml").write_text(listing + more, "utf-8")
    (folder / "translation" / "en").mkdir(parents=True)
    rendered = "".join(RENDERED.format(path=number) for number in (3, 24, 25, 64))
    (folder / "translation" / "en" / "some.toml").write_text(rendered, "utf-8")


def lines_of(path: Path) -> tuple[list[str], list[int]]:
    """All lines, and which of them are plain text."""
    lines = path.read_text("utf-8").split("\n")
    return lines, [n for n, line in enumerate(lines) if re.match(r"[а-я ]{12}", line)]


def cited(path: Path, said: str) -> None:
    lines, plain = lines_of(path)
    at = plain[len(said) % len(plain)]
    lines[at] = f"{lines[at]} (смотри {said})"
    path.write_text("\n".join(lines), "utf-8")


def misspelt(path: Path) -> None:
    lines, plain = lines_of(path)
    for at in plain[3:40:9]:
        lines[at] = re.sub(r"([а-я]{4})([а-я]{3})", r"\1ж\2", lines[at], count=1)
    path.write_text("\n".join(lines), "utf-8")


def a_word(path: Path, chance: random.Random) -> None:
    lines, plain = lines_of(path)
    at = chance.choice(plain)
    lines[at] = f"{chance.choice(['вновь', 'однако', 'сдающий', 'колодда'])} {lines[at]}"
    path.write_text("\n".join(lines), "utf-8")


def a_citation(path: Path, chance: random.Random) -> None:
    cited(path, chance.choice(["Правило 3", "Правило 12B", "Правило 64", "Правило 900", "правила 5 и 6"]))


def no_citation(path: Path, chance: random.Random) -> None:
    path.write_text(re.sub(r" \(смотри [^)]*\)", "", path.read_text("utf-8"), count=1), "utf-8")


def a_bracket(path: Path, chance: random.Random) -> None:
    lines, plain = lines_of(path)
    at = chance.choice(plain)
    lines[at] = lines[at].replace(" ", " (", 1)
    path.write_text("\n".join(lines), "utf-8")


def an_empty_line(path: Path, chance: random.Random) -> None:
    path.write_text(f"\n\n{path.read_text('utf-8')}", "utf-8")


SMALL = (a_word, a_citation, no_citation, a_bracket, an_empty_line)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def slow(*names: str) -> list[Any]:
    """Cases for make test-full: each builds a corpus twice."""
    return [pytest.param(name, marks=pytest.mark.full) for name in names]


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("amended")
    planted(folder / "corpus")
    make(folder / "corpus", folder / "build", only=["report"])
    return folder


@pytest.fixture(scope="module")
def commented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with comments on half of the laws."""
    folder = tmp_path_factory.mktemp("commented")
    planted(folder / "corpus")
    comment(folder / "corpus", 80, each=20)
    make(folder / "corpus", folder / "build", only=["report"])
    return folder


@pytest.fixture()
def corpus(master: Path, tmp_path: Path) -> Path:
    shutil.copytree(master, tmp_path / "copy")
    return tmp_path / "copy" / "corpus"


@pytest.fixture()
def ways(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each store that is written, whether it was made of the one before."""
    found: list[bool] = []
    true: Callable[..., Any] = amend.amended

    def noted(*given: Any) -> Any:
        made = true(*given)
        found.append(made is not None)
        return made

    monkeypatch.setattr(amend, "amended", noted)
    return found


def same(corpus: Path, anew: Path) -> None:
    make(corpus, anew, only=["report"])
    found, wanted = contents(corpus.parent / "build"), contents(anew)
    assert set(found) == set(wanted)
    assert [name for name in found if found[name] != wanted[name]] == []


@pytest.mark.parametrize("change", SMALL)
@pytest.mark.parametrize("name", ["00006.txt", *slow("00001.txt", "copy.txt")])
def test_a_small_change(
    corpus: Path, tmp_path: Path, ways: list[bool], change: Callable[..., None], name: str
) -> None:
    change(corpus / "sources" / name, random.Random(name))
    make(corpus, corpus.parent / "build", only=["report"])
    assert ways == [True]
    same(corpus, tmp_path / "anew")


def test_many_small_changes(corpus: Path, tmp_path: Path, ways: list[bool]) -> None:
    chance = random.Random(11)
    for _ in range(12):
        path = chance.choice(sorted((corpus / "sources").glob("*.txt")))
        chance.choice(SMALL)(path, chance)
        make(corpus, corpus.parent / "build", only=["report"])
    # A word may fall where it makes a heading another one.
    assert ways.count(True) >= 10
    same(corpus, tmp_path / "anew")


@pytest.fixture()
def discussed(commented: Path, tmp_path: Path) -> Path:
    shutil.copytree(commented, tmp_path / "copy")
    return tmp_path / "copy" / "corpus"


def relations(build: Path) -> list[Relation]:
    with open_store(build / "kb.sqlite") as kb:
        return list(kb.relations())


@pytest.mark.parametrize("change", SMALL)
@pytest.mark.parametrize("name", ["comment-00021.txt", *slow("00001.txt", "00006.txt")])
def test_a_small_change_where_there_are_comments(
    discussed: Path, tmp_path: Path, ways: list[bool], change: Callable[..., None], name: str
) -> None:
    build = discussed.parent / "build"
    before = relations(build)
    change(discussed / "sources" / name, random.Random(name))
    make(discussed, build, only=["report"])
    assert ways == [True] and len(before) > 80
    same(discussed, tmp_path / "anew")
    if change is a_word:
        assert relations(build) != before


def title(corpus: Path) -> None:
    path = corpus / "sources" / "00004.txt"
    path.write_text(re.sub(r"(Правило \d+\. \w+)", r"\1 вновь", path.read_text("utf-8"), count=1), "utf-8")


def gone(corpus: Path) -> None:
    path = corpus / "sources" / "00004.txt"
    lines = path.read_text("utf-8").split("\n")
    path.write_text("\n".join(lines[: len(lines) // 2]), "utf-8")


def source(corpus: Path) -> None:
    with (corpus / "sources" / "sources.toml").open("a", encoding="utf-8") as stream:
        stream.write('title = "Another"\n')


def rendering(corpus: Path) -> None:
    with (corpus / "translation" / "en" / "some.toml").open("a", encoding="utf-8") as stream:
        stream.write(RENDERED.format(path="40"))


def most(corpus: Path) -> None:
    for path in sorted((corpus / "sources").glob("*.txt"))[:5]:
        a_word(path, random.Random(1))


@pytest.mark.parametrize("change", [title, gone, source, rendering, most])
def test_a_larger_change_is_read_whole(
    corpus: Path, tmp_path: Path, ways: list[bool], change: Callable[[Path], None]
) -> None:
    change(corpus)
    make(corpus, corpus.parent / "build", only=["report"])
    assert ways == [False]
    same(corpus, tmp_path / "anew")


@pytest.mark.parametrize("name", ["store", "digests"])
def test_without_what_is_noted_it_is_read_whole(
    corpus: Path, tmp_path: Path, ways: list[bool], name: str
) -> None:
    (corpus.parent / "build" / ".made" / name).write_text("half")
    a_word(corpus / "sources" / "00005.txt", random.Random(3))
    make(corpus, corpus.parent / "build", only=["report"])
    assert ways == [False]
    same(corpus, tmp_path / "anew")


def test_what_is_known_is_the_same(commented: Path) -> None:
    with open_store(commented / "build" / "kb.sqlite") as kb:
        entries = list(kb.entries())
        listed, asked = KnownEntries.of(entries), amend._Known(kb)
        below = [entry.ref.child(*steps) for entry in entries for steps in (("A",), ("9",), ("1", "a"))]
        above = [entry.ref.parent for entry in entries if entry.ref.parent]
        for ref in [*(entry.ref for entry in entries), *below, *above, Ref("laws", "1999", ("3",))]:
            assert asked.status(ref) == listed.status(ref), ref
