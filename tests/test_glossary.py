"""The glossary against the facts and the scans: every term found where it stands, no trap taken for one."""

from __future__ import annotations

import csv
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from kb import profile as profiles
from kb.errors import InputError
from kb.publish import glossary

HERE = Path(__file__).parent
CORPUS = HERE.parent / "corpus" / "bridge"


def toml(path: Path) -> dict[str, Any]:
    with path.open("rb") as stream:
        return tomllib.load(stream)


GLOSSARY = toml(CORPUS / "glossary.toml")
CASES = toml(HERE / "cases" / "glossary.toml")
TERMS: dict[str, dict[str, Any]] = {term["id"]: term for term in GLOSSARY["term"]}
IDS = list(TERMS)


def scans() -> dict[str, str]:
    """First three letters of a scan's name -> its text with the lines joined."""
    found = {}
    for path in sorted((CORPUS / "sources").glob("*.txt")):
        text = re.sub(r"(\w)-\s*\n+\s*(?=[а-яё])", r"\1", path.read_text(encoding="utf-8"))
        found[path.name[:3]] = re.sub(r"\s+", " ", text)
    return found


def facts() -> list[dict[str, str]]:
    with (HERE / "facts" / "glossary.tsv").open(encoding="utf-8", newline="") as stream:
        rows = [{k: v or "" for k, v in row.items()} for row in csv.DictReader(stream, delimiter="\t")]
    return [row for row in rows if not row["term_ru"].startswith("TRAP")]


SCANS = scans()
FACTS = facts()


def count(pattern: str) -> tuple[int, str]:
    """How often a pattern is met in all scans, and in which."""
    found = {name: len(re.findall(pattern, text, re.IGNORECASE)) for name, text in SCANS.items()}
    return sum(found.values()), ",".join(name for name, hits in found.items() if hits)


def named(row: dict[str, str]) -> dict[str, Any]:
    name = CASES["names"].get(row["term_ru"], row["term_ru"])
    return next(term for term in GLOSSARY["term"] if term["ru"] == name)


def test_the_glossary_has_the_terms_of_the_facts_in_order() -> None:
    from_facts = [named(row)["id"] for row in FACTS]
    assert [term for term in IDS if term not in CASES["added"]] == from_facts
    assert len(set(IDS)) == len(GLOSSARY["term"])


@pytest.mark.parametrize("row", [row for row in FACTS if row["hits"]], ids=lambda row: row["term_ru"])
def test_the_scans_hold_what_the_facts_counted(row: dict[str, str]) -> None:
    stem = row["stem_regex"]
    if stem in CASES["inside_words"]:
        stem = stem.removeprefix(r"\b")
    assert count(stem) == (int(row["hits"]), row["seed_files"])


@pytest.mark.parametrize("row", FACTS, ids=lambda row: row["term_ru"])
def test_a_pattern_marks_the_term_in_the_scans(row: dict[str, str]) -> None:
    term = named(row)
    case = CASES["differs"].get(term["id"], {})
    hits = case.get("hits", int(row["hits"] or 0))
    files = case.get("files", row["seed_files"])
    assert count(term["pattern"]["ru"]) == (hits, files), case.get("why", "")
    works = {"000": "commentary", "001": "commentary", "003": "laws", "004": "laws"}
    assert set(term["used_in"]) == {works[name] for name in files.split(",") if name}


def test_cases_that_differ_do_differ() -> None:
    for row in FACTS:
        case = CASES["differs"].get(named(row)["id"])
        if case:
            same = (str(case["hits"]), case.get("files", row["seed_files"])) == (
                row["hits"],
                row["seed_files"],
            )
            assert not same and case["why"]


@pytest.mark.parametrize("trap", GLOSSARY["trap"], ids=lambda trap: f"{trap['term']}: {trap['text'][:30]}")
def test_a_trap_is_not_taken_for_the_term(trap: dict[str, Any]) -> None:
    assert not re.search(TERMS[trap["term"]]["pattern"][trap["lang"]], trap["text"], re.IGNORECASE)
    assert trap["means"]["ru"] and trap["means"]["en"]
    if trap["in_scans"]:
        assert any(trap["text"] in text for text in SCANS.values())


@pytest.mark.parametrize("term", TERMS.values(), ids=IDS)
def test_a_term_is_whole_in_both_languages(term: dict[str, Any]) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", term["id"])
    assert term["lemmas"]["ru"]
    for lang in ("ru", "en"):
        assert term[lang].strip() and term["definition"][lang].endswith(".")
        pattern = re.compile(term["pattern"][lang], re.IGNORECASE)
        assert not pattern.search(""), "an empty match marks nothing"
    for table in (term["definition"], term.get("note", {"ru": "я", "en": ""})):
        assert re.search("[а-яё]", table["ru"])
    assert not re.search(
        "[А-Яа-яЁё]", re.sub("“[^”]*”|вистующий|оппонент|нарушение|ё|е", "", term["definition"]["en"])
    )
    if same := term.get("same_as"):
        assert "same_as" not in TERMS[same]
    if "rendered" in term:
        wide = re.compile(term["rendered"]["en"], re.IGNORECASE)
        assert wide.search(term["en"]) or any(wide.search(name) for name in term["variants"]["en"])


@pytest.mark.parametrize("term", TERMS.values(), ids=IDS)
def test_a_pattern_finds_a_name_of_its_term(term: dict[str, Any]) -> None:
    for lang in ("ru", "en"):
        names = [term[lang], *term.get("variants", {}).get(lang, [])]
        assert any(
            re.search(term["pattern"][lang], name, re.IGNORECASE) for name in names + sentences(lang)
        ), lang


def sentences(lang: str) -> list[str]:
    """Where a term is named in one form and stands in another."""
    return list(SCANS.values()) if lang == "ru" else ["Law 65", "to play a card", "simultaneous play"]


def test_synonyms_lead_to_terms() -> None:
    words: dict[str, set[str]] = {}
    for synonym in GLOSSARY["synonym"]:
        assert synonym["term"] in TERMS and synonym["lang"] in ("ru", "en")
        assert synonym["kind"] in ("everyday", "abbreviation", "edition")
        assert ("editions" in synonym) == (synonym["kind"] == "edition")
        for word in synonym["words"]:
            assert word != TERMS[synonym["term"]][synonym["lang"]]
            words.setdefault(word, set()).add(synonym["kind"])
    for word in CASES["everyday"]:
        assert words[word] & {"everyday", "abbreviation"}
    for word in CASES["other_editions"]:
        assert "edition" in words[word]


def test_a_term_is_at_home_in_what_there_is() -> None:
    """The refs of the bridge glossary are refs of the corpus."""
    profile = profiles.load(CORPUS)
    homes = {term.id: term.homes for term in glossary.load(profile)}
    glossary.check(profile, glossary.load(profile), {ref for refs in homes.values() for ref in refs})
    assert homes["revoke"][0].dotted == "61"
    with pytest.raises(InputError, match="neither in the outline nor in a source"):
        glossary.check(profile, glossary.load(profile), set())
