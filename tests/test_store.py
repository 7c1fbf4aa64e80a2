"""The waist: what goes in comes out, byte-identical files, and clear words for files that cannot be used."""

from __future__ import annotations

import dataclasses
import sqlite3
import threading
from pathlib import Path

import pytest
from goldkb import gold_records

from kb.errors import BuildError, InputError
from kb.model import Account, Finding, Node, Ref, SourceEdit, Span
from kb.store import open_store, save


@pytest.fixture(scope="module")
def records():
    """The gold, with the kinds the gold has no example of."""
    first, *rest = gold_records().nodes
    spans = (Span("text", 0, 3, "a.txt", 10, 13),)
    return dataclasses.replace(
        gold_records(),
        nodes=(dataclasses.replace(first, spans=spans), *rest),
        edits=(SourceEdit("a.txt", "rule", 1, 2, "x", ""), SourceEdit("b.txt", "rule", 0, 1, "", "я")),
        accounts=(Account("a.txt", "kept", "", 12),),
        findings=(*gold_records().findings, Finding("unplaced", "why", None, "a.txt", (3, 4), "text")),
    )


@pytest.fixture()
def path(tmp_path, records):
    target = tmp_path / "kb.sqlite"
    save(records, target)
    return target


def test_everything_comes_back_in_order(path, records):
    with open_store(path) as kb:
        assert tuple(kb.entries()) == records.entries
        assert tuple(kb.nodes()) == records.nodes
        assert tuple(kb.links()) == records.links
        assert tuple(kb.relations()) == records.relations
        assert tuple(kb.findings()) == records.findings
        assert tuple(kb.sources()) == records.sources
        assert tuple(kb.edits("a.txt")) == records.edits[:1]
        assert tuple(kb.accounts()) == records.accounts
        assert kb.meta == records.meta


def test_look_ups(path, records):
    law, comment = Ref.parse("laws/1987/65.C"), Ref.parse("commentary/1987/65.3")
    with open_store(path) as kb:
        assert kb.node(law, "ru").title == "Порядок"
        assert kb.node(law, "en") is None and kb.node(Ref.parse("laws/1987/65.Z"), "ru") is None
        assert kb.entry(comment).kind == "comment" and kb.entry(Ref.parse("laws/1999/1")) is None
        assert [ref.dotted for ref in kb.children(Ref.parse("laws/1987/65"))] == [
            "65.A",
            "65.B",
            "65.C",
            "65.D",
        ]
        assert all(kb.entry(ref).parent is None for ref in kb.children(None))
        assert {r.comment for r in kb.relations_to(law)} == {
            r.comment for r in records.relations if r.law == law
        }
        assert [p.at.dotted for p in kb.links_to(Ref.parse("laws/1987/64"))] == ["43.B.2.c", "64.C"]
        assert [p.link.target.dotted for p in kb.links(Ref.parse("laws/1987/43.B.2.c"))] == ["64"]
        assert {n.ref.work for n in kb.nodes("commentary", "ru")} == {"commentary"}
        assert list(kb.nodes("laws", "en")) == []
        assert [f.kind for f in kb.findings("unplaced")] == ["unplaced"]


def test_equal_records_give_equal_bytes(path, records, tmp_path):
    save(records, tmp_path / "elsewhere" / "other.sqlite")
    assert (tmp_path / "elsewhere" / "other.sqlite").read_bytes() == path.read_bytes()


def test_the_same_bytes_are_not_written_again(path, records):
    before = path.stat()
    save(records, path)
    assert path.stat().st_ino == before.st_ino and path.stat().st_mtime_ns == before.st_mtime_ns


def test_a_failed_save_leaves_the_old_file(path, records):
    before = path.read_bytes()
    twice = dataclasses.replace(records, nodes=(*records.nodes, records.nodes[0]))
    with pytest.raises(InputError, match="share a key"):
        save(twice, path)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["kb.sqlite"]


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda p: p.unlink(), "not there"),
        (lambda p: p.write_bytes(b""), "half-written"),
        (lambda p: p.write_bytes(p.read_bytes()[:-4096]), "half-written"),
        (lambda p: p.write_bytes(b"no database" * 1000), "half-written"),
        (lambda p: (p.unlink(), p.mkdir()), "cannot be read"),
    ],
)
def test_an_unusable_file_says_what_to_do(path, harm, message):
    harm(path)
    with pytest.raises(BuildError, match=message) as caught:
        open_store(path)
    assert "kb build" in str(caught.value) and "\n" not in str(caught.value)


def test_damage_inside_is_a_build_error(path):
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(BuildError, match="kb build"):
        list(open_store(path).nodes())


def test_a_file_of_another_version(path):
    connection = sqlite3.connect(path)
    connection.execute("update meta set value = 'other' where key = 'schema'")
    connection.commit()
    connection.close()
    with pytest.raises(BuildError, match="another version"):
        open_store(path)


def test_it_is_read_only(path):
    with open_store(path) as kb, pytest.raises(sqlite3.OperationalError):
        kb._connection.execute("delete from nodes")


def test_a_new_file_does_not_disturb_an_open_one(path, records):
    with open_store(path) as kb:
        reading = kb.nodes()
        first = next(reading)
        save(dataclasses.replace(records, nodes=()), path)
        assert [first, *reading] == list(records.nodes)
        assert kb.node(first.ref, first.lang) == first


def test_several_threads(path, records):
    wrong: list[Node | None] = []
    with open_store(path) as kb:

        def look_up():
            wrong.extend(n for n in records.nodes if kb.node(n.ref, n.lang) != n)

        threads = [threading.Thread(target=look_up) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_no_folder_no_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        save(gold_records(), tmp_path / "file" / "kb.sqlite")
    assert Path(tmp_path / "file").read_text() == ""
