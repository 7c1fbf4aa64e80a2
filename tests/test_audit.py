"""The audit of the bridge corpus: every character accounted for, and the known gaps and damage listed."""

from __future__ import annotations

import dataclasses

import pytest
from goldkb import CORPUS

from kb import accepted, audit, pipeline, profile
from kb.errors import InputError
from kb.model import Finding, Records, Ref, Strip
from kb.store import open_store, save


@pytest.fixture(scope="module")
def records() -> Records:
    return pipeline.build(CORPUS)


def report_of(records: Records, folder) -> dict:
    save(records, folder / "kb.sqlite")
    return audit.audit(open_store(folder / "kb.sqlite"), profile.load(CORPUS))


@pytest.fixture(scope="module")
def report(records, tmp_path_factory):
    return report_of(records, tmp_path_factory.mktemp("audit"))


def test_every_character_has_a_fate(report):
    assert len(report["sources"]) == 4
    for source in report["sources"]:
        assert source["unaccounted"] == 0
        assert sum(rule["chars"] for rule in source["rules"]) == source["chars"] > 0
        assert all(rule["rule"] for rule in source["rules"])


def test_known_gaps_and_damage_are_listed(report):
    findings = report["findings"]
    assert any("70-72, 74-76" in one["message"] for one in findings["missing-pages"])
    assert {one["source"][:3] for one in findings["lacuna"]} == {"001"} and len(findings["lacuna"]) == 2
    truncated = {one["ref"] for one in findings["truncated"]}
    assert {"laws/1987/44", "laws/1987/47.B", "commentary/1987/54.3"} <= truncated


def test_unsupplied_laws_and_who_cites_them(report):
    rows = {row["ref"]: row for row in report["unsupplied"]}
    assert "laws/1987/47.A" in rows["laws/1987/49"]["cited_by"]
    assert "laws/1987/65" not in rows and "laws/1987/43" not in rows


def test_a_lost_character_is_seen(records, tmp_path):
    lost = (
        *records.accounts[:-1],
        dataclasses.replace(records.accounts[-1], chars=records.accounts[-1].chars - 1),
    )
    harmed = report_of(dataclasses.replace(records, accounts=lost, findings=()), tmp_path)
    assert sum(source["unaccounted"] for source in harmed["sources"]) == 1
    assert not audit.clean(harmed) and "1 UNACCOUNTED FOR" in " ".join(audit.as_text(harmed).split())


def test_as_text(report):
    text = audit.as_text(report)
    assert max(map(len, text.splitlines())) <= 80
    for part in ("Coverage", "every one accounted for", "Known, but in no source", "missing-pages: "):
        assert part in " ".join(text.split())


def test_laws_by_state(report):
    laws = report["laws"]
    assert sum(map(len, laws.values())) == 93
    assert "laws/1987/65" in laws["whole"]
    assert "laws/1987/44" in laws["partial"]
    assert {"laws/1987/52", "laws/1987/53", "laws/1987/66", "laws/1987/67"} <= set(laws["commentary only"])
    assert "laws/1987/1" in laws["absent"]


def test_numbers_left_out(report):
    gaps = {row["under"]: row["missing"] for row in report["gaps"]}
    assert gaps["commentary/1987/65"] == ["65.1"]
    assert gaps["laws/1987/54"] == ["54.A"] and gaps["laws/1987/54.B"] == ["54.B.1"]
    assert not any(under.startswith("commentary/1987/66") for under in gaps)


@pytest.mark.parametrize(
    ("step", "numbering", "series", "place"),
    [
        ("12", "arabic", "1", 12),
        ("C", "upper", "A", 3),
        ("c", "lower", "a", 3),
        ("iv", "lower-roman", "i", 4),
        ("3", "lower-roman", "1", 3),
    ],
)
def test_how_steps_are_counted(step, numbering, series, place):
    assert audit._counted(step, numbering) == (series, place)
    assert audit._name(series, place) == step


@pytest.mark.parametrize("step", ["7-1", "7~8", "AB", "Ж"])
def test_steps_of_no_series(step):
    assert audit._counted(step, "arabic") is None


def test_readings_that_differ(report):
    (row,) = report["variants"]
    assert row["ref"] == "laws/1987/54.C"
    assert row["source"].startswith("004") and row["text"].startswith("нения правила 24")


def test_lost_characters_are_no_fate(records, tmp_path):
    last = records.accounts[-1]
    lost = (*records.accounts[:-1], dataclasses.replace(last, fate="lost", rule="unaccounted"))
    harmed = report_of(dataclasses.replace(records, accounts=lost), tmp_path)
    assert sum(source["unaccounted"] for source in harmed["sources"]) == last.chars


ACCEPTED = """
[[accepted]]
kind = "missing-pages"
reason = "they are in no copy anyone has"
[[accepted]]
kind = "lacuna"
ref = "{ref}"
reason = "worn away"
"""


def with_accepted(records: Records, folder, text: str) -> dict:
    """The report of a corpus that accepts some of its findings."""
    known = profile.load(CORPUS)
    (folder / accepted.ACCEPTED).write_text(text, encoding="utf-8")
    save(records, folder / "kb.sqlite")
    return audit.audit(open_store(folder / "kb.sqlite"), dataclasses.replace(known, root=folder))


def test_the_bridge_corpus_has_nothing_new_and_nothing_gone(report):
    """What `kb audit --strict` asks: see to what is new, or list it in corpus/bridge/accepted.toml."""
    assert report["new"] == [] and report["gone"] == []
    assert audit.clean(report)


def test_without_a_list_everything_found_is_new(records, tmp_path):
    report = with_accepted(records, tmp_path, "")
    assert not report["gone"] and not audit.clean(report)
    assert len(report["new"]) == sum(map(len, report["findings"].values())) + len(report["unresolved"])


NUMBERED = """
[[accepted]]
kind = "cites-not-supplied"
reason = "no scan has it"
[accepted.refs]
"laws/1987/60.C" = 2
"""


@pytest.mark.parametrize(("times", "new", "gone"), [(1, 0, 1), (2, 0, 0), (3, 1, 0)])
def test_as_many_as_are_accepted(records, tmp_path, times, new, gone):
    one = Finding("cites-not-supplied", "«9» -> laws/1987/9", Ref.parse("laws/1987/60.C"))
    made = with_accepted(dataclasses.replace(records, findings=(one,) * times), tmp_path, NUMBERED)
    assert (len(made["new"]), len(made["gone"])) == (new, gone)
    text = " ".join(audit.as_text(made).split())
    assert ("New, not in accepted.toml: 1" in text) == bool(new)
    assert ("(1 of 2 still found)" in text) == bool(gone)


def test_what_is_accepted_is_not_new(records, tmp_path):
    found = [one for one in records.findings if one.kind in ("missing-pages", "lacuna")]
    refs = [one.ref for one in found if one.kind == "lacuna"]
    few = dataclasses.replace(records, findings=tuple(found))
    made = with_accepted(few, tmp_path, ACCEPTED.format(ref=refs[0]))
    assert [one["ref"] for one in made["new"]] == [str(refs[1])]
    assert not audit.clean(made)
    one_left = dataclasses.replace(
        records, findings=tuple(one for one in found if one.kind == "missing-pages" or one.ref == refs[0])
    )
    assert audit.clean(with_accepted(one_left, tmp_path, ACCEPTED.format(ref=refs[0])))


def test_what_is_accepted_and_gone_is_told(records, tmp_path):
    made = with_accepted(
        dataclasses.replace(records, findings=()), tmp_path, ACCEPTED.format(ref="laws/1987/1")
    )
    assert [one["kind"] for one in made["gone"]] == ["missing-pages", "lacuna"]
    assert not made["new"] and not audit.clean(made)
    assert "Accepted, but no longer found: 2" in audit.as_text(made)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[accepted]]\nkind = "lacuna"', "accepted 1: needs a kind and a reason"),
        ('[[accepted]]\nkind = "lacuna"\nreason = "r"\nlaw = "1"', "accepted 1: law is none of"),
        ('[[accepted]]\nkind = "lacuna"\nreason = "r"\nrefs = ["a/b/1"]', "refs is a table of refs"),
    ],
)
def test_a_list_that_cannot_be_read(records, tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        with_accepted(records, tmp_path, text)


def test_how_each_source_was_read(records, report, tmp_path):
    for source in report["sources"]:
        assert source["encoding"] and 0 <= source["margin"] <= 1
        assert source["pictures"] == {"pages": 0, "lines": 0}
    name = records.sources[0].name
    strips = tuple(Strip(name, line, 1, (0, 10 * line, 90, 10 * line + 9), (), b"png") for line in (3, 4))
    seen = report_of(dataclasses.replace(records, strips=strips), tmp_path)
    assert seen["sources"][0]["pictures"] == {"pages": 1, "lines": 2}
    assert "2 lines on 1 pictures" in " ".join(audit.as_text(seen).split())


def test_explain_shows_the_pictures_of_a_provision(records, tmp_path):
    import kb
    from kb import show
    from kb.console import provisions

    node = next(node for node in records.nodes if str(node.ref) == "laws/1987/65.C" and node.witnesses)
    witness = node.witnesses[0]
    line = witness.lines[0]
    strip = Strip(witness.source, line, 2, (0, 100, 900, 140), (), b"png")
    save(dataclasses.replace(records, strips=(strip,)), tmp_path / "kb.sqlite")
    (tmp_path / "corpus").symlink_to(CORPUS)
    base = kb.open(tmp_path)
    found = provisions(base, ("65C",))
    text = " ".join(show.explain_text(base, found[0]).split())
    assert f"picture of line {line}: page 2, 0,100 to 900,140 pixels" in text
    assert "read as " in text and "margin " in text
    data = show.explain_data(base, found[0])
    assert data["nodes"][0]["witnesses"][0]["strips"] == [
        {"line": line, "page": 2, "box": [0, 100, 900, 140]}
    ]
