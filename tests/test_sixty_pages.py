"""A law of sixty pages in four files, each with every fourth page, shuffled, in four encodings."""

from __future__ import annotations

import html
import random
from functools import cache
from pathlib import Path

import pytest
from damage import Made, law, outline, typed
from grown import BRIDGE

from kb import pipeline
from kb.model import Account, Finding, Node, Records

PAGES, LINES = 60, 40
WAYS = (("utf-8", ".txt"), ("cp866", ".txt"), ("koi8-r", ".txt"), ("cp1251", ".html"))
SOURCE = '[[source]]\nfile = "{name}"\nwork = "laws"\nedition = "1987"\nlang = "ru"\n\n'


@cache
def made() -> tuple[tuple[Made, ...], tuple[tuple[str, ...], ...]]:
    """The law, as many provisions as there is room for, and its pages."""
    nodes = law(60, 60)
    while len(typed(nodes)) > PAGES * LINES:
        nodes.pop()
    lines = typed(nodes)
    return tuple(nodes), tuple(tuple(lines[at : at + LINES]) for at in range(0, len(lines), LINES))


def printed(numbers: list[int], suffix: str, feeds: bool) -> str:
    """Pages with their numbers at the foot; of a printer also with page feeds."""
    feed = "\f" if feeds else ""
    lines = [line for n in numbers for line in [*made()[1][n - 1], f"- {n} -{feed}"]]
    if suffix == ".txt":
        return "\n".join(lines) + "\n"
    body = "<br>\n".join(html.escape(line) for line in lines)
    return (
        f'<html><head><meta charset="windows-1251"><title>x</title></head><body><p>{body}</p></body></html>'
    )


def corpus(folder: Path, files: dict[str, bytes]) -> Path:
    (folder / "sources").mkdir(parents=True)
    (folder / "profile.toml").write_text((BRIDGE / "profile.toml").read_text("utf-8"), "utf-8")
    (folder / "outline.toml").write_text(outline(made()[0]), "utf-8")
    for name, data in files.items():
        (folder / "sources" / name).write_bytes(data)
    listing = "".join(SOURCE.format(name=name) for name in files)
    (folder / "sources" / "sources.toml").write_text(listing, "utf-8")
    return folder


def split(absent: int | None = None) -> dict[str, bytes]:
    files = {}
    for part, (encoding, suffix) in enumerate(WAYS):
        numbers = list(range(part + 1, len(made()[1]) + 1, len(WAYS)))
        random.Random(part).shuffle(numbers)
        if part != absent:
            files[f"part{part}{suffix}"] = printed(numbers, suffix, part == 0).encode(encoding)
    return files


def texts(records: Records) -> dict[str, tuple[str, str]]:
    return {node.ref.dotted: (node.title, node.text) for node in records.nodes}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Records:
    text = printed(list(range(1, len(made()[1]) + 1)), ".txt", True)
    return pipeline.build(corpus(tmp_path_factory.mktemp("whole") / "c", {"whole.txt": text.encode()}))


def test_the_whole_is_what_was_meant(whole: Records) -> None:
    assert len(made()[1]) == PAGES
    assert texts(whole) == {".".join(node.path): (node.title, node.text) for node in made()[0]}
    assert whole.findings == ()


def test_four_files_give_the_same_as_the_whole(whole: Records, tmp_path: Path) -> None:
    records = pipeline.build(corpus(tmp_path / "c", split()))
    assert texts(records) == texts(whole)
    assert all(node.complete and not node.damaged for node in records.nodes)
    assert {s.encoding for s in records.sources} == {"utf-8", "cp866", "koi8-r", "cp1251"}
    assert [f for f in records.findings if f.kind not in ("missing-pages", "conflict")] == []
    assert unplaced(records.accounts) == 0, "what the page before placed is in a node"


@pytest.mark.parametrize("absent", range(len(WAYS)))
def test_without_one_of_them_what_is_placed_is_right_and_the_rest_is_reported(
    absent: int, whole: Records, tmp_path: Path
) -> None:
    records = pipeline.build(corpus(tmp_path / "c", split(absent)))
    truth = texts(whole)
    found = {node.ref.dotted: node for node in records.nodes}
    assert set(found) <= set(truth)
    wrong = [at for at, node in found.items() if node.complete and not right(node, truth[at])]
    assert wrong == []
    assert len(found) > len(truth) * 0.7
    gone = set(range(absent + 1, PAGES + 1, len(WAYS)))
    reported = next(f.message for f in records.findings if f.kind == "missing-pages" and not f.source)
    assert str(min(gone - {1, PAGES})) in reported
    said = " ".join(f.text for f in records.findings if f.kind == "unplaced")
    lost = [at for at in set(truth) - set(found) if not pages_of(at) & gone and truth[at][0] not in said]
    assert lost == []
    assert_reported(records.findings, [node for node in records.nodes if not node.complete])


def pages_of(dotted: str) -> set[int]:
    """The pages a provision stands on."""
    at = 0
    for node in made()[0]:
        lines = len(typed([node]))
        if ".".join(node.path) == dotted:
            return set(range(at // LINES + 1, (at + lines - 1) // LINES + 2))
        at += lines
    raise LookupError(dotted)


def right(node: Node, said: tuple[str, str]) -> bool:
    """The text as it is, or as far as a page goes that ends where a sentence does: nothing tells of more."""
    ends = not node.text or node.text.endswith((".", ":"))
    return node.title == said[0] and (node.text == said[1] or (ends and said[1].startswith(node.text)))


def assert_reported(findings: tuple[Finding, ...], cut: list[Node]) -> None:
    assert {f.ref for f in findings if f.kind == "truncated"} == {node.ref for node in cut}


def unplaced(accounts: tuple[Account, ...]) -> int:
    return sum(account.chars for account in accounts if account.rule == "unplaced")
