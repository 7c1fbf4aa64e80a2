"""Copies whose pages are not marked: each fourth page in one text, as sites, books and documents print it.

The text jumps from one Law into the middle of another, with nothing between. What is read must be at its
place or said to be uncertain; nothing may stand in another provision as if that were sure.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path

import damage as generator
import documents
import pytest
from test_copies import KINDS, ROOT, bare, bridge, comments, made, outlined, pages, said, wanted, wrap

from kb.collate import collate, continued
from kb.model import UNSURE_END, Finding, Node
from kb.profile import Profile, SourceSpec
from kb.read import received
from kb.repair.pages import PageMap
from kb.sourced import understand

Paragraph = tuple[str, str]
"""What it is (``h1`` … ``h4``, ``p``, ``note``) and its text."""
MARKERS = {"section": "{}.", "item": "{}.", "subitem": "({})"}


def paragraphs(joined: bool = False, which: Sequence[int] | None = None) -> list[Paragraph]:
    """The gold one page behind the other, ``which`` of them.

    ``joined``: the end of a provision at the head of a page stands in one paragraph with what the page before
    breaks off in.
    """
    out: list[Paragraph] = []
    for piece in (piece for page in which or pages() for piece in pages()[page]):
        number = piece.path[-1].lower() if piece.kind == "subitem" else piece.path[-1]
        if piece.kind == "cut" and joined and out[-1][0] == "p":
            out[-1] = "p", f"{out[-1][1]} {piece.text}"
        elif piece.kind == "cut":
            out.append(("p", piece.text))
        elif piece.kind == "heading":
            out.append(("h1", f"{piece.level} {number}. {piece.title}{' (*)' if piece.note else ''}"))
        elif piece.kind == "law" or piece.title:
            said = f"Правило {number}." if piece.kind == "law" else MARKERS[piece.kind].format(number)
            level = {"law": "h2", "section": "h3"}.get(piece.kind, "h4")
            out.append((level, f"{said} {piece.title}"))
            out += [("p", piece.text)] if piece.text else []
        else:
            out.append(("p", f"{MARKERS[piece.kind].format(number)} {piece.text}"))
        out += [("note", piece.note)] if piece.note else []
    return out


def commented() -> list[Paragraph]:
    """The commentary, a paragraph for each item and tail."""
    out: list[Paragraph] = []
    for title, path, para in comments():
        out += [("h2", f"Правило {path.split('.')[0]}. {title}")] if title else []
        items = [
            f"({item['label']}) {item['text']}" if item["label"] else str(item["text"])
            for item in para["subitems"]  # type: ignore[attr-defined]
        ]
        first = str(para["intro"] or "") if items else str(para["text"])
        rest = [*items, *([str(para["tail"])] if para.get("tail") else [])]
        first = first or rest.pop(0)
        out += [("p", f"{path}. {first}"), *(("p", text) for text in rest)]
    return out


def _said(said: Sequence[Paragraph]) -> list[str]:
    return [text for _, text in said]


def _html(said: Sequence[Paragraph]) -> bytes:
    tags = [("p" if role == "note" else role, escape(text)) for role, text in said]
    return documents.html([], "\n".join(f"<{tag}>{text}</{tag}>" for tag, text in tags))


def _lines_of_html(said: Sequence[Paragraph]) -> bytes:
    texts = [f"<b>{escape(text)}</b>" if role[0] == "h" else escape(text) for role, text in said]
    return documents.html([], "<br>\n".join(texts))


def _fb2(said: Sequence[Paragraph]) -> bytes:
    tags = {"h1": "subtitle", "h2": "subtitle", "h3": "subtitle", "h4": "subtitle"}
    parts = [(tags.get(role, "p"), escape(text)) for role, text in said]
    return documents.fb2([], "".join(f"<{tag}>{text}</{tag}>" for tag, text in parts))


def _markdown(said: Sequence[Paragraph]) -> bytes:
    marks = {"h1": "# ", "h2": "## ", "h3": "### ", "h4": "#### "}
    return "\n\n".join(marks.get(role, "") + text for role, text in said).encode()


def _typed(said: Sequence[Paragraph], indent: int = 0, blank: bool = False) -> bytes:
    lines: list[str] = []
    for role, text in said:
        lines += wrap(text, 64, indent if role == "p" else 0) + [""] * blank
    return ("\n".join(lines) + "\n").encode()


FORMS: dict[str, Callable[[Sequence[Paragraph]], bytes]] = {
    "a.html": _html,
    "br.html": _lines_of_html,
    "a.fb2": _fb2,
    "a.epub": lambda said: documents.epub([line for text in _said(said) for line in (text, "")]),
    "a.docx": lambda said: documents.docx(_said(said)),
    "a.odt": lambda said: documents.odt(_said(said)),
    "a.rtf": lambda said: documents.rtf(_said(said), unicode=True),
    "a.md": _markdown,
    "paragraphs.txt": lambda said: "\n\n".join(_said(said)).encode(),
    "lines.txt": lambda said: "\n".join(_said(said)).encode("cp1251", "replace"),
    "typed.txt": _typed,
    "indented.txt": lambda said: _typed(said, indent=4),
    "apart.txt": lambda said: _typed(said, blank=True),
}
SCANS = [
    (path.name, path.read_bytes()) for path in sorted((ROOT / "corpus/bridge/sources").glob("00[34]_*.txt"))
]


def gathered(
    files: Sequence[tuple[str, bytes]], profile: Profile | None = None, work: str = "laws"
) -> tuple[dict[str, Node], list[Finding]]:
    """The collated provisions of some files, read as files are, and what was found."""
    profile = profile or bridge()
    nodes: list[Node] = []
    leads: list[Node] = []
    maps: dict[str, PageMap] = {}
    findings: list[Finding] = []
    for name, data in files:
        spec = SourceSpec(Path(name), name, work, profile.edition, profile.lang)
        text = received(data, spec, hashlib.sha256(data).hexdigest())
        found = understand(text.text, text.raw, spec, profile)
        nodes += found.parsed.nodes
        maps[name] = found.pages
        leads += [piece.lead for piece in found.parsed.unplaced if piece.lead]
        findings += [*found.findings, *found.parsed.findings]

    def page_at(source: str, place: int) -> int | None:
        return maps[source].at(place)[0]

    merged, _ = collate([*nodes, *continued(leads, nodes, page_at)], page_at)
    assert [finding for finding in findings if finding.kind == "unaccounted"] == []
    return {node.ref.dotted: node for node in merged if node.kind in KINDS}, findings


Told = tuple[str, str]


def told(nodes: dict[str, Node]) -> dict[str, Told]:
    return {path: (bare(node.title), bare(node.text)) for path, node in nodes.items()}


def truth(which: Sequence[int] | None = None) -> dict[str, Told]:
    return {path: (title, text) for path, (title, text, _, _) in wanted(which).items()}


def asserted(node: Node) -> bool:
    return node.basis == "explicit" and node.complete and not node.damaged


@pytest.mark.parametrize("name", FORMS)
def test_each_fourth_page_without_a_mark(name: str) -> None:
    nodes, findings = gathered([(name, FORMS[name](paragraphs()))])
    assert told(nodes) == truth()
    assert sum(finding.kind == "unmarked-gap" for finding in findings) >= 8
    behind = {"46.B.2", "50.D.2", "54.C", "60.C", "68.B", "74.B.2", "76.A.3"}
    assert {path for path in behind if nodes[path].basis == "explicit"} == set()


@pytest.mark.parametrize("seed", range(6))
def test_some_pages_without_a_mark(seed: int) -> None:
    """Any of the pages, in order: whether the gap between two is of one Law or of thirty."""
    rng = random.Random(seed)
    which = [page for page in pages() if rng.random() < 0.5]
    nodes, _ = gathered([("a.html", _html(paragraphs(which=which)))])
    assert told(nodes) == truth(which)


@pytest.mark.parametrize("sign", ["* * *", "***", "– – –", "~ ~ ~ ~"])
def test_signs_between_the_pages(sign: str) -> None:
    """They are none of the text, and no numbers of pages."""
    said = [part for page in pages() for part in [*paragraphs(which=[page]), ("p", sign)]]
    for name in ("paragraphs.txt", "typed.txt"):
        nodes, _ = gathered([(name, FORMS[name](said))])
        assert told(nodes) == truth()


@pytest.mark.parametrize("name", FORMS)
def test_where_a_paragraph_runs_on_into_another_law(name: str) -> None:
    """Nothing tells where the one ends: what is not as in the gold says that it is not sure."""
    nodes, _ = gathered([(name, FORMS[name](paragraphs(joined=True)))])
    right, found = truth(), told(nodes)
    wrong = {path for path, said in found.items() if said != right.get(path)}
    assert {path for path in wrong if asserted(nodes[path])} == set()
    assert all(nodes[path].missing == UNSURE_END for path in wrong)
    assert len(wrong) <= 4
    assert set(found) <= set(right)


@pytest.mark.parametrize("name", FORMS)
def test_the_commentary(name: str) -> None:
    """Its numbers name their Law; items without a label, tails and a text that is cut are paragraphs."""
    nodes, _ = gathered([(name, FORMS[name](commented()))], work="commentary")
    assert {path: (bare(node.text), bare(node.tail)) for path, node in nodes.items()} == said()


@pytest.mark.parametrize("titled", [False, True])
@pytest.mark.parametrize("name", ["a.html", "a.docx", "a.md", "typed.txt"])
def test_both_works_in_one_file(name: str, titled: bool) -> None:
    heads: list[list[Paragraph]] = [[("h1", "ПРАВИЛА СПОРТИВНОГО БРИДЖА")], [("h1", "КОММЕНТАРИЙ EBL")]]
    heads = heads if titled else [[], []]
    nodes, _ = gathered([(name, FORMS[name]([*heads[0], *paragraphs(), *heads[1], *commented()]))])
    laws = {path: node for path, node in nodes.items() if node.ref.work == "laws"}
    assert told(laws) == truth()
    rest = {path: node for path, node in nodes.items() if path not in laws}
    assert {path: (bare(node.text), bare(node.tail)) for path, node in rest.items()} == said()


@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize("name", ["a.html", "a.docx", "typed.txt"])
def test_with_the_scans(name: str, joined: bool) -> None:
    """A reading that runs into another text does not win over a scan's own."""
    nodes, _ = gathered([(name, FORMS[name](paragraphs(joined))), *SCANS])
    found = {path: said for path, said in told(nodes).items() if path.split(".")[0] != "62"}
    assert found == truth()


def _unmarked(seed: int, which: Sequence[int]) -> bytes:
    return "".join(f"{line}\n" for number in which for line in made(seed)[1][number]).encode()


def _cuts(seed: int) -> Iterator[list[int]]:
    numbers = list(made(seed)[1])
    yield numbers[::4]
    yield numbers[1::4]
    rng = random.Random(seed)
    yield [number for number in numbers if rng.random() < 0.7]


@pytest.mark.parametrize("cut", range(3), ids=["each fourth", "each fourth from the second", "some lost"])
@pytest.mark.parametrize("seed", [1, 3, 4])
def test_a_generated_law_with_pages_left_out(seed: int, cut: int, tmp_path: Path) -> None:
    """Typed pages cut in the middle of a line: what is asserted is a provision of that place, or its part."""
    which = list(_cuts(seed))[cut]
    nodes, _ = gathered([("a.txt", _unmarked(seed, which))], outlined(seed, tmp_path))
    right = {".".join(n.path): (bare(n.title), bare(n.text)) for n in made(seed)[0]}
    found = told(nodes)
    sure = {path for path, node in nodes.items() if asserted(node)}
    assert {path for path in sure if not _within(found[path], right.get(path))} == set()
    same = sum(said == right.get(path) for path, said in found.items())
    there = re.sub(r"\s", "", _unmarked(seed, which).decode()).replace("Д", "")
    assert same * 10 >= sum(text in there for _, text in right.values() if text) * 8


def _within(said: Told, whole: Told | None) -> bool:
    """The same, or the start of it: a sentence that ends where the page does may not be the last one."""
    return whole is not None and said[0] == whole[0] and whole[1].startswith(said[1])


def test_whole_laws_with_others_left_out_are_sure(tmp_path: Path) -> None:
    """An extract: its laws do not follow each other, but none of its numbers jumps."""
    profile = outlined(1, tmp_path)
    chosen = [node for node in made(1)[0] if node.path[0] in ("2", "5", "9", "16")]
    raw = "".join(f"{line}\n" for line in generator.typed(chosen))
    nodes, findings = gathered([("a.txt", raw.encode())], profile)
    assert told(nodes) == {".".join(n.path): (bare(n.title), bare(n.text)) for n in chosen}
    assert {node.basis for node in nodes.values()} == {"explicit"}
    assert [finding for finding in findings if finding.kind == "unmarked-gap"] == []
