"""The four real scans against their hand-checked parses: an acceptance test of the whole pipeline."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kb.model import Node, PlacedLink, Records
from kb.pipeline import build

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "corpus" / "bridge"
GOLD = Path(__file__).parent / "gold"
LAWS = ("003", "004")
COMMENTARY = ("000", "001")


def bare(text: str | None) -> str:
    """White space apart: the scans lack a space after some commas, and the gold keeps them as printed."""
    return re.sub(r"\s", "", text or "")


def gold(name: str) -> Any:
    return json.loads((GOLD / f"{name}.json").read_text("utf-8"))


@cache
def merged() -> Records:
    return build(CORPUS)


@pytest.fixture(scope="module")
def variants(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Records]:
    """The corpus with its sources in reverse order, without 004, and without 003."""
    made = {}
    for name in ("reversed", "004", "003"):
        corpus = tmp_path_factory.mktemp(f"without-{name}") / "bridge"
        shutil.copytree(CORPUS, corpus)
        listing = corpus / "sources" / "sources.toml"
        head, *tables = listing.read_text("utf-8").split("[[source]]")
        tables = tables[::-1] if name == "reversed" else [t for t in tables if f'file = "{name}_' not in t]
        listing.write_text(head + "".join("[[source]]" + t.rstrip() + "\n\n" for t in tables), "utf-8")
        made[name] = build(corpus)
    return made


def laws(records: Records) -> dict[str, Node]:
    kinds = {"law", "section", "item", "subitem"}
    return {
        n.ref.dotted: n for n in records.nodes if n.ref.work == "laws" and n.lang == "ru" and n.kind in kinds
    }


def comments(records: Records) -> dict[str, Node]:
    return {n.ref.dotted: n for n in records.nodes if n.ref.work == "commentary" and n.lang == "ru"}


def footnote(node: Node) -> str:
    return "".join(f"{note.mark}-{note.text}" for note in node.footnotes)


def seen(node: Node) -> tuple[Any, ...]:
    return (node.kind, bare(node.title), bare(node.text), node.page, node.complete, bare(footnote(node)))


def wanted(node: Mapping[str, Any]) -> tuple[Any, ...]:
    return (
        node["kind"],
        bare(node["title_ru"]),
        bare(node["text"]),
        node["page"],
        node["complete"],
        bare(node.get("footnote")),
    )


def union() -> dict[str, Mapping[str, Any]]:
    """The 84 nodes of both files; where both have one, the complete reading."""
    nodes = {node["id"]: node for node in gold("003")["nodes"]}
    for node in gold("004")["nodes"]:
        if node["id"] not in nodes or not nodes[node["id"]]["complete"]:
            nodes[node["id"]] = node
    return nodes


def test_the_gold_has_84_law_nodes_and_29_comments() -> None:
    assert len(union()) == 84
    assert sum(len(gold(name)["paras"]) for name in COMMENTARY) == 29


@pytest.mark.parametrize("order", ["as listed", "reversed"])
def test_law_nodes(order: str, variants: Mapping[str, Records]) -> None:
    nodes = laws(merged() if order == "as listed" else variants["reversed"])
    assert sorted(nodes) == sorted(union())
    differing = {
        path: (seen(nodes[path]), wanted(node))
        for path, node in union().items()
        if seen(nodes[path]) != wanted(node)
    }
    assert differing == {}


@pytest.mark.parametrize(("absent", "left"), [("004", "003"), ("003", "004")])
def test_one_file_of_laws_alone(absent: str, left: str, variants: Mapping[str, Records]) -> None:
    nodes = laws(variants[absent])
    expected = {node["id"]: node for node in gold(left)["nodes"]}
    assert sorted(nodes) == sorted(expected)
    differing = {
        path: (seen(nodes[path]), wanted(node))
        for path, node in expected.items()
        if seen(nodes[path]) != wanted(node)
    }
    assert differing == {}


def test_without_003_a_section_has_lost_its_head(variants: Mapping[str, Records]) -> None:
    node = laws(variants["003"])["54.C"]
    assert (node.complete, node.title) == (False, "")
    entry = next(e for e in variants["003"].entries if e.ref == node.ref)
    assert entry.status == "partial"


def test_the_complete_reading_wins_and_the_variant_is_kept() -> None:
    witnesses = {w.source[:3]: w for w in laws(merged())["54.C"].witnesses}
    assert witnesses["003"].chosen and not witnesses["004"].chosen
    assert not witnesses["004"].same
    assert bare(witnesses["004"].text).startswith(bare("нения правила 24"))


def test_witnesses_of_the_overlap() -> None:
    expectations = gold("merged_expectations")["overlap_003_004"]
    assert len(expectations) == 12
    for expected in expectations:
        witnesses = laws(merged())[expected["id"]].witnesses
        assert [w.source[:3] for w in witnesses] == ["003", "004"], expected["id"]
        assert all(w.same for w in witnesses) == expected["same"], expected["id"]


@pytest.mark.parametrize("name", LAWS)
def test_lines_of_each_node(name: str) -> None:
    for node in gold(name)["nodes"]:
        lines = [w.lines for w in laws(merged())[node["id"]].witnesses if w.source.startswith(name)]
        assert [list(pair) for pair in lines] == [node["lines"]], node["id"]


def test_ten_headings() -> None:
    found = {
        str(n.ref): bare(n.title)
        for n in merged().nodes
        if n.lang == "ru" and n.kind in {"chapter", "part", "group"}
    }
    expected = {
        "laws/1987/ch.VI.pt.III.sec.III": "Фальшренонс",
        "laws/1987/ch.VI.pt.IV": "ВЗЯТКИ",
        "laws/1987/ch.VII": "ПРИЛИЧИЯ",
        "laws/1987/ch.X.sec.II": "Решениясудьи",
    }
    for name in COMMENTARY:
        expected |= {f"commentary/1987/{h['law']}": bare(h["title_ru"]) for h in gold(name)["headings"]}
    assert found == expected


def test_the_footnote_of_the_chapter() -> None:
    chapter = next(n for n in merged().nodes if n.ref.dotted == "ch.VII" and n.lang == "ru")
    heading = next(h for h in gold("004")["headings"] if "footnote" in h)
    assert bare(footnote(chapter)) == bare(heading["footnote"])


@pytest.mark.parametrize("order", ["as listed", "reversed"])
@pytest.mark.parametrize("name", COMMENTARY)
def test_comments(name: str, order: str, variants: Mapping[str, Records]) -> None:
    nodes = comments(merged() if order == "as listed" else variants["reversed"])
    for para in gold(name)["paras"]:
        node = nodes[para["para"]]
        items = [n for path, n in nodes.items() if path.startswith(para["para"] + ".")]
        assert [bare(n.text) for n in items] == [bare(i["text"]) for i in para["subitems"]]
        labels = [i["label"] or str(k) for k, i in enumerate(para["subitems"], 1)]
        assert [n.ref.path[-1] for n in items] == labels
        assert [bool(n.marker) for n in items] == [bool(i["label"]) for i in para["subitems"]]
        intro = para["intro"] if items else para["text"]
        assert bare(node.text) == bare(intro)
        assert bare(node.tail) == bare(para.get("tail"))
        marks = [f"({i['label']})" if i["label"] else "" for i in para["subitems"]]
        inline = node.text + "".join(m + n.text for m, n in zip(marks, items, strict=True)) + node.tail
        assert bare(inline) == bare(para["text"])
        first, last = para["lines"]
        while last in para.get("noise_lines", []):  # dropped copies of an overstrike are no text
            last -= 1
        assert node.witnesses[0].lines == (first, last), para["para"]
        assert node.complete == para["complete"], para["para"]
        assert node.damaged == para.get("damaged", False), para["para"]


def test_no_comment_beside_the_gold() -> None:
    paras = {para["para"] for name in COMMENTARY for para in gold(name)["paras"]}
    found = {path for path, node in comments(merged()).items() if node.kind == "comment"}
    assert found == paras


# Links.


def target_of(printed: str) -> str:
    """The gold's way to write a target -> the ref."""
    if printed.startswith("code:1975/"):
        return "laws/1975/54.C"
    if printed.startswith("code:"):
        return "laws/" + printed.removeprefix("code:")
    if printed.startswith("para:"):
        path = printed.removeprefix("para:").replace("(", ".").replace(")", "")
        return f"commentary/1987/{path}"
    return f"laws/1987/{printed}"


def home(at: str, work: str) -> str:
    """A link in an item of a comment counts for its paragraph, as in the gold."""
    return ".".join(at.split(".")[:2]) if work == "commentary" else at


def links(records: Records, lang: str = "ru") -> list[tuple[str, str, str, str, str]]:
    found = []
    for placed in records.links:
        link = placed.link
        if placed.lang != lang or link.citation.form in ("anaphoric", "local"):
            continue
        work = placed.at.work
        at = home(placed.at.dotted, work)
        found.append((work, at, bare(link.citation.surface), str(link.target), link.status))
    return sorted(found)


@pytest.mark.parametrize("order", ["as listed", "reversed"])
def test_55_links_and_no_others(order: str, variants: Mapping[str, Records]) -> None:
    expected = sorted(
        (e["source"], e["at"], bare(e["surface"]), target_of(e["target"]), e["status"])
        for e in gold("merged_expectations")["links"]
    )
    assert len(expected) == 55
    assert links(merged() if order == "as listed" else variants["reversed"]) == expected


def test_a_citation_stands_where_it_says() -> None:
    nodes = {(n.ref, n.lang): n for n in merged().nodes}

    def text(placed: PlacedLink) -> str:
        node = nodes[placed.at, placed.lang]
        if placed.where.startswith("footnote"):
            return node.footnotes[int(placed.where.split()[1]) - 1].text
        return str(getattr(node, placed.where))

    for placed in merged().links:
        citation = placed.link.citation
        assert text(placed)[citation.start : citation.end] == citation.surface


# Provenance and accounting.


def test_every_character_of_a_node_comes_from_its_source() -> None:
    raw = {source.name: source.text for source in merged().sources}
    edited = {s.name: set() for s in merged().sources}
    for edit in merged().edits:
        edited[edit.source].update(range(edit.start, edit.end))
    for node in merged().nodes:
        if node.lang != "ru":
            continue
        for part in ("title", "text", "tail"):
            value = getattr(node, part)
            covered = set()
            for span in (s for s in node.spans if s.where == part):
                covered.update(range(span.start, span.end))
                if span.end - span.start == span.source_end - span.source_start:
                    said = raw[span.source][span.source_start : span.source_end]
                    assert bare(said) == bare(value[span.start : span.end]), (node.ref, said)
            assert covered == set(range(len(value))), (str(node.ref), part)


def test_every_character_of_every_scan_is_accounted_for() -> None:
    for source in merged().sources:
        lines = [a for a in merged().accounts if a.source == source.name]
        assert sum(a.chars for a in lines) == source.chars
        assert {"kept", "dropped"} <= {a.fate for a in lines} <= {"kept", "repaired", "dropped"}
        assert all(a.rule for a in lines)


def test_findings_name_what_is_known_of_the_scans() -> None:
    lacunae = {(f.source[:3], f.lines) for f in merged().findings if f.kind == "lacuna"}
    assert {("001", (11, 12)), ("001", (12, 13))} & lacunae
    assert any(name == "001" and lines[0] == 51 for name, lines in lacunae)
    assert len(lacunae) == 2
    missing = " ".join(f.message for f in merged().findings if f.kind == "missing-pages")
    assert "70-72, 74-76" in missing
    assert not [f for f in merged().findings if f.kind in ("unplaced", "unaccounted", "conflict")]


def test_only_the_repairs_that_were_listed_touch_a_scan() -> None:
    rules = {(e.source[:3], e.rule) for e in merged().edits}
    assert ("000", "overstrike-copy") in rules and ("001", "overstrike-copy") in rules
    assert ("004", "separator-rule") in rules and ("003", "separator-rule") in rules
    doubled = [e for e in merged().edits if e.rule == "doubled-page"]
    assert [e.source[:3] for e in doubled] == ["000"]
