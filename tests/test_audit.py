"""The audit of the bridge corpus: every character accounted for, and the known gaps and damage listed."""

from __future__ import annotations

import dataclasses

import pytest
from goldkb import CORPUS

from kb import audit, pipeline, profile
from kb.model import Records
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
