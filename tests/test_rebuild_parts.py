"""What keeps a rebuild cheap, each beside the plain way it stands for."""

from __future__ import annotations

import random
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

import pytest
from goldkb import CORPUS, gold_kb, gold_records

from benchmarks.curves import Curve, svg
from kb import outlined, profile
from kb.entries import entries_of, in_order
from kb.kept import Looked
from kb.model import Ref
from kb.publish import files, offline
from kb.publish.files import write
from kb.publish.spools import Part, Spools
from kb.publish.trees import Tree
from kb.search.documents import Means, Summary
from kb.watched import Watched


def planted(folder: Path, chance: random.Random) -> list[str]:
    names = [f"{chance.choice('ab')}/{chance.choice('cd')}/{n}.md" for n in range(12)] + ["top.md", "a/e.md"]
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x" * chance.randrange(9))
    return names


def listed(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("strange", ["", "link", "empty", "draft"])
def test_a_tree_prunes_as_a_look_through_all_does(tmp_path: Path, seed: int, strange: str) -> None:
    chance = random.Random(seed)
    names = planted(tmp_path / "one", chance)
    if strange == "link":
        (tmp_path / "one" / "a" / "away").symlink_to(tmp_path)
    elif strange == "empty":
        (tmp_path / "one" / "a" / "empty" / "below").mkdir(parents=True)
    elif strange == "draft":
        (tmp_path / "one" / "a" / "e.md.part").write_text("half")
    shutil.copytree(tmp_path / "one", tmp_path / "two", symlinks=True)
    keep, below = chance.sample(names, 5), chance.choice([[""], ["a"], ["a", "b"]])
    tree = Tree(tmp_path / "one")
    assert dict(tree.sizes()) == dict(files.sizes(tmp_path / "one"))
    tree.prune(keep, below)
    files.prune_names(tmp_path / "two", keep, below)
    assert listed(tmp_path / "one") == listed(tmp_path / "two")
    assert list(tree.sizes()) == list(files.sizes(tmp_path / "one"))


def test_a_draft_that_writing_its_file_ends_is_not_told_of(tmp_path: Path) -> None:
    planted(tmp_path, random.Random(2))
    (tmp_path / "top.md.part").write_text("half")
    tree = Tree(tmp_path)
    assert "top.md.part" in tree.names()
    files.write(tmp_path / "top.md", "whole")
    tree.wrote([tmp_path / "top.md"])
    tree.prune(["top.md"], ["a"])
    assert list(tree.sizes()) == list(files.sizes(tmp_path))


def test_a_tree_follows_what_it_is_told(tmp_path: Path) -> None:
    planted(tmp_path, random.Random(1))
    tree = Tree(tmp_path)
    tree.names()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "file").write_text("12345")
    (tmp_path / "top.md").write_text("another")
    tree.wrote([tmp_path / "new" / "file", tmp_path / "top.md"])
    shutil.rmtree(tmp_path / "a")
    tree.again(["a"])
    assert list(tree.sizes()) == list(files.sizes(tmp_path))
    assert list(tree.sizes(["new", "b/c"])) == list(files.sizes(tmp_path, ["new", "b/c"]))


def parts(rows: Mapping[str, str], made: list[str]) -> list[Part]:
    def make(name: str) -> Mapping[str, str]:
        made.append(name)
        return {"long": rows[name] * 3, "short": rows[name]}

    return [Part(name, [], rows[name], lambda name=name: make(name)) for name in rows]  # type: ignore[misc]


def filled(folder: Path | None, rows: Mapping[str, str], made: list[str]) -> dict[str, bytes]:
    with Spools(folder, "given", {}) as spools:
        spools.fill(Watched(gold_kb()), ["long", "short"], parts(rows, made))
        return {name: b"".join(spools.chunks(name)) for name in ("long", "short")}


@pytest.mark.parametrize(
    ("rows", "fresh"),
    [
        ({"a": "один\n", "b": "zwei\n", "c": "three\n"}, []),
        ({"a": "один\n", "b": "other\n", "c": "three\n"}, ["b"]),
        ({"c": "three\n", "a": "один\n"}, []),
        ({"d": "new\n", "a": "", "b": "zwei\n"}, ["d", "a"]),
    ],
)
def test_rows_that_hold_are_copied(tmp_path: Path, rows: Mapping[str, str], fresh: list[str]) -> None:
    filled(tmp_path / "kept", {"a": "один\n", "b": "zwei\n", "c": "three\n"}, [])
    made: list[str] = []
    assert filled(tmp_path / "kept", rows, made) == filled(None, rows, [])
    assert made == fresh


def test_rows_of_a_list_that_was_cut_are_made_again(tmp_path: Path) -> None:
    rows = {"a": "один\n", "b": "zwei\n"}
    whole = filled(tmp_path, rows, [])
    (tmp_path / "long").write_bytes(whole["long"][:-1])
    made: list[str] = []
    assert filled(tmp_path, rows, made) == whole and made == ["b"]


def test_of_a_large_file_pieces_from_all_of_it_are_tried() -> None:
    tried = offline.PIECES * offline.PIECE
    noise = random.Random(3).randbytes(tried)
    last = offline.size(bytes(7 * tried) + noise)
    # Noise does not grow smaller, zeros go away: an eighth is sent, wherever it stands.
    assert 0.9 < last.sent / tried < 1.2
    assert offline.size(noise[:-1]).sent == tried - 1
    assert last.sha256 != offline.size(bytes(8 * tried)).sha256


def test_texts_looked_through(tmp_path: Path) -> None:
    first = Looked(tmp_path / "looked", "program")
    assert not first.clean("текст")
    first.note("текст")
    first.note("no longer there")
    first.save()
    again = Looked(tmp_path / "looked", "program")
    assert again.clean("текст") and not again.clean("another")
    again.save()
    assert not Looked(tmp_path / "looked", "program").clean("no longer there")
    assert not Looked(tmp_path / "looked", "another program").clean("текст")


def test_nodes_in_order_are_those_of_the_entries() -> None:
    nodes = list(reversed(gold_records().nodes))
    loaded = profile.load(CORPUS)
    assert in_order(loaded, nodes) == entries_of(loaded, nodes)[1]


def test_an_outline_that_is_kept_is_the_one_that_is_read(tmp_path: Path) -> None:
    read = profile.load(CORPUS).outline
    content = outlined.ready(profile.load(CORPUS), tmp_path / "outline")
    assert content is not None
    (tmp_path / "outline").write_text(content, "utf-8")
    again = profile.load(CORPUS)
    assert outlined.ready(again, tmp_path / "outline") is None
    assert again.outline == read and again.outline is not read
    (tmp_path / "outline").write_text(content[:-20], "utf-8")
    assert outlined.ready(profile.load(CORPUS), tmp_path / "outline") == content


def linked(folder: Path, chance: random.Random) -> tuple[Path, Path]:
    """A folder, and another with the same files as hard links below ``a`` and one of its own below ``b``."""
    one, two = folder / "one", folder / "two"
    for name in planted(one, chance):
        if name.startswith("a/"):
            (two / name).parent.mkdir(parents=True, exist_ok=True)
            (two / name).hardlink_to(one / name)
    write(two / "b" / "own.md", "own")
    return one, two


def test_a_tree_takes_its_links_from_the_one_beside(tmp_path: Path) -> None:
    one, two = linked(tmp_path, random.Random(3))
    beside = Tree(one)
    tree = Tree(two, beside)
    assert list(tree.sizes()) == list(files.sizes(two))
    same = {name for name in tree.names() if name.startswith("a/")}
    assert tree.same() == same and same
    changed = sorted(same)[0]
    files.write(one / changed, "something else")
    beside.wrote([one / changed])
    assert tree.same() == same - {changed}


def test_a_second_look_rests_on_nothing_beside(tmp_path: Path) -> None:
    one, two = linked(tmp_path, random.Random(5))
    (two / "b" / "empty").mkdir()
    beside = Tree(one)
    tree = Tree(two, beside)
    same = sorted(tree.same())
    (two / same[0]).unlink()
    write(two / same[0], "something longer than before")
    tree.prune(tree.names(), [""])
    assert list(tree.sizes()) == list(files.sizes(two)) and tree.same() == set()


def test_a_link_that_is_gone_is_missed(tmp_path: Path) -> None:
    one, two = linked(tmp_path, random.Random(4))
    gone = sorted((two / "a").rglob("*.md"))[0]
    gone.unlink()
    tree = Tree(two, Tree(one))
    assert list(tree.sizes()) == list(files.sizes(two)) and tree.same() == set()


def test_means_are_within_a_hundredth_and_stay() -> None:
    def mean(words: int, documents: int) -> float:
        means = Means()
        means.add(Summary([], [], {("text", "ru"): (words, documents)}, ""))
        return means["text", "ru"]

    for words in range(1, 400):
        assert mean(words, 7) == pytest.approx(words / 7, rel=0.01)
    assert mean(400_001, 10_000) == mean(400_000, 10_000)


def test_a_ref_is_read_as_it_is_printed() -> None:
    for entry in gold_records().entries:
        assert Ref.parse(str(entry.ref)) == entry.ref
    assert Ref.parse(" laws/1987 ") == Ref.parse("laws/1987/") == Ref("laws", "1987")
    for wrong in (
        "laws",
        "Laws/1987",
        "laws/1987/1..2",
        "laws/1987/1/2",
        "laws//1",
        "laws/1987/1\n2",
        "l/1/ы",
    ):
        with pytest.raises(ValueError, match="not a ref"):
            Ref.parse(wrong)


def test_curves() -> None:
    curves = [
        Curve("a < b", [(10, 1.0), (1000, 0.0), (2000, 90.0)]),
        Curve("flat", [(10, 1.0), (2000, 90.5)]),
    ]
    picture = svg("by size", curves)
    assert picture == svg("by size", curves)
    root = ET.fromstring(picture)
    lines = root.findall("{*}polyline")
    assert [len(line.get("points", "").split()) for line in lines] == [2, 2]
    names = {text.text: float(text.get("y", "")) for text in root.findall("{*}text")}
    assert abs(names["a < b"] - names["flat"]) >= 12
