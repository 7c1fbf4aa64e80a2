"""The outline against the facts it was made from: the topics unaltered, every law in its place."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from kb.model import Entry
from kb.profile import load

HERE = Path(__file__).parent
CORPUS = HERE.parent / "corpus" / "bridge"
PROFILE = load(CORPUS)
ENTRIES = {entry.ref.dotted: entry for entry in PROFILE.outline}


def facts(name: str) -> list[dict[str, str]]:
    with (HERE / "facts" / name).open(encoding="utf-8", newline="") as stream:
        return [
            {key: value or "" for key, value in row.items()} for row in csv.DictReader(stream, delimiter="\t")
        ]


SECTIONS = facts("sections.tsv")
LAWS = facts("laws.tsv")


def heading_chain(entry: Entry) -> list[str]:
    """Dotted paths of the headings above a law, from the top."""
    chain = []
    at = entry.parent
    while at is not None:
        chain.insert(0, at.dotted)
        at = ENTRIES[at.dotted].parent
    return chain


def test_topics_and_support_are_those_of_the_facts_and_no_others() -> None:
    expected = {row["section"]: (row["topic_ru"], row["topic_en"], row["support"]) for row in SECTIONS}
    found = {
        path: (entry.titles["ru"], entry.titles["en"], entry.support)
        for path, entry in ENTRIES.items()
        if entry.kind in ("section", "item", "subitem")
    }
    assert len(expected) == 320
    assert found == expected
    assert all(ENTRIES[path].title_basis == {"ru": "topic", "en": "topic"} for path in expected)


def test_all_laws_and_chapters_stand_in_order() -> None:
    laws = [path for path, entry in ENTRIES.items() if entry.kind == "law"]
    assert laws == [str(number) for number in range(1, 94)]
    roman = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI")
    chapters = [path for path, entry in ENTRIES.items() if entry.kind == "chapter"]
    assert chapters == [f"ch.{n}" for n in roman]
    kinds = {level.kind for level in PROFILE.law_work.levels}
    assert {entry.kind for entry in ENTRIES.values()} <= kinds


def test_definitions_are_a_place_without_laws() -> None:
    first = next(iter(ENTRIES))
    assert first == "ch.I"
    assert not [e for e in ENTRIES.values() if e.parent and e.parent.dotted == "ch.I"]


@pytest.mark.parametrize("row", LAWS, ids=lambda row: row["law"])
def test_law_stands_under_its_chapter_part_and_section(row: dict[str, str]) -> None:
    entry = ENTRIES[row["law"]]
    chain = heading_chain(entry)
    assert chain[0] == f"ch.{row['chapter']}"
    assert ENTRIES[chain[0]].titles["en"] == row["chapter_en"]
    place = row["part_section"]
    part = re.search(r"Part ([IV]+)", place)
    group = re.search(r"Section (\d)", place)
    expected = chain[0]
    if part:
        expected += f".pt.{part.group(1)}"
    if group:
        expected += f".sec.{('I', 'II', 'III', 'IV', 'V', 'VI')[int(group.group(1)) - 1]}"
    assert chain[-1] == expected


@pytest.mark.parametrize("row", LAWS, ids=lambda row: row["law"])
def test_law_titles_say_where_they_come_from(row: dict[str, str]) -> None:
    entry = ENTRIES[row["law"]]
    status = next(value for key, value in row.items() if key.startswith("en_status"))
    assert entry.titles["en"] == row["title_en_1987"]
    assert entry.title_basis["en"] == {"V": "seen", "M": "memory"}[status]
    laws, commentary, later = (
        row["title_ru_1987_rybnikov"],
        row["title_ru_commentary_kovalenko"],
        row["title_ru_1997_RLSB"],
    )
    title, basis = entry.titles["ru"], entry.title_basis["ru"]
    if laws:
        assert title == laws
        assert basis == ("source" if "seed" in row["ru_1987_evidence"] else "contents")
    elif commentary:
        assert (title.upper(), basis) == (commentary, "commentary")
    elif later:
        assert later.startswith(title) and basis == "1997"
    else:
        assert basis == "working title"
        assert re.fullmatch(r"[А-ЯЁ][а-яё ,]+", title)


def test_fifty_six_laws_have_a_russian_title_from_a_translation() -> None:
    laws = [entry for entry in ENTRIES.values() if entry.kind == "law"]
    assert sum(entry.title_basis["ru"] != "working title" for entry in laws) == 56
    headings = [entry for entry in ENTRIES.values() if entry.ref.path[0] == "ch" or entry.kind == "law"]
    assert all(entry.titles["ru"] and entry.titles["en"] for entry in headings)


def test_headings_printed_in_the_scans_are_the_outline_s() -> None:
    printed = {"Раздел III": "ch.VI.pt.III.sec.III", "Часть IV": "ch.VI.pt.IV", "Глава VII": "ch.VII"}
    printed["Раздел II"] = "ch.X.sec.II"
    for name in ("003", "004"):
        gold = json.loads((HERE / "gold" / f"{name}.json").read_text(encoding="utf-8"))
        for heading in gold["headings"]:
            path = printed[heading["label"]]
            assert ENTRIES[path].titles["ru"] == heading["title_ru"]
            assert (ENTRIES[path].title_basis["ru"], ENTRIES[path].support) == ("source", "seed")
            assert heading_chain(ENTRIES[heading["before"]])[-1] == path


def test_titles_of_laws_in_the_scans_are_the_outline_s() -> None:
    for name in ("003", "004"):
        gold = json.loads((HERE / "gold" / f"{name}.json").read_text(encoding="utf-8"))
        for node in gold["nodes"]:
            if node["kind"] == "law" and node["title_ru"]:
                assert ENTRIES[node["id"]].titles["ru"] == node["title_ru"]
