"""The concordance between the editions: cases as data, and what is refused."""

from __future__ import annotations

import csv
import datetime
import re
import tomllib
from pathlib import Path

import pytest
from smallcorpus import SMALL

from kb import concordance as written
from kb.editions import Concordance
from kb.errors import InputError, KbError, ProfileError
from kb.model import Ref
from kb.profile import load as load_profile

HERE = Path(__file__).parent
CORPUS = HERE.parent / "corpus" / "bridge"
CASES = tomllib.loads((HERE / "cases" / "editions.toml").read_text(encoding="utf-8"))
BRIDGE = written.load(load_profile(CORPUS))

TWO = '[in_force]\nedition = "2"\n[[editions]]\nname = "1"\n[[editions]]\nname = "2"\nsince = "2000-02-01"\n'


def ref(path: str) -> Ref:
    return Ref.parse(f"laws/1987/{path}")


def corpus(folder: Path, profile: str = "", concordance: str | None = None) -> Concordance:
    (folder / "profile.toml").write_text(profile + SMALL, encoding="utf-8")
    if concordance is not None:
        (folder / written.FILE_NAME).write_text(concordance, encoding="utf-8")
    return written.load(load_profile(folder))


@pytest.mark.parametrize("path", CASES["forward"])
def test_what_a_provision_became(path: str) -> None:
    found = [f"{c.edition} {c.path or '-'} {c.change} {c.support}" for c in BRIDGE.counterparts(ref(path))]
    assert found == CASES["forward"][path]


@pytest.mark.parametrize("place", CASES["backward"])
def test_where_a_provision_of_another_edition_comes_from(place: str) -> None:
    found = [f"{r.dotted} {change} {support}" for r, change, support in BRIDGE.from_edition(*place.split())]
    assert found == CASES["backward"][place]


@pytest.mark.parametrize("day", CASES["days"])
def test_a_day_picks_the_edition(day: str) -> None:
    assert BRIDGE.edition_on(day) == CASES["days"][day]


@pytest.mark.parametrize("path", CASES["says"])
def test_a_provision_says_how_it_moved(path: str) -> None:
    note = BRIDGE.note(ref(path))
    assert note["en"] == CASES["says"][path]
    assert re.search("[а-яё]", note["ru"])


def test_in_force_is_the_counterpart_of_the_edition_in_force() -> None:
    found = BRIDGE.in_force(ref("16.B"))
    assert found is not None and found.confirmed
    assert found.as_dict() == {"edition": "2017", "path": "16.D", "change": "moved", "support": "S"}
    memory = BRIDGE.in_force(ref("65.C"))
    assert memory is not None and memory.change == "same" and not memory.confirmed
    assert BRIDGE.in_force(Ref.parse("commentary/1987/65.3")) is None
    assert BRIDGE.in_force(Ref.parse("laws/1975/54.C")) is None


def test_every_provision_of_the_outline_has_a_counterpart_in_every_edition() -> None:
    for entry in load_profile(CORPUS).outline:
        found = BRIDGE.counterparts(entry.ref)
        assert list(dict.fromkeys(c.edition for c in found)) == ["1997", "2007", "2017"]
        for one in found:
            assert (one.path == "") == (one.change == "dropped")


def test_both_directions_agree() -> None:
    for source, found in BRIDGE.crosswalk():
        for one in found:
            if one.change not in ("dropped", "unconfirmed"):
                back = BRIDGE.from_edition(one.edition, one.path)
                assert (source, one.change, one.support) in back


def test_every_fact_on_the_editions_is_in_the_concordance() -> None:
    with (HERE / "facts" / "concordance.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    listed = {path[0] for path in BRIDGE.rows} | {new.path.partition(".")[0] for new in BRIDGE.added}
    for row in rows[1:]:
        numbers = [int(n) for n in re.findall(r"\d+", re.sub(r"(?<=[A-Z])\d+", "", row["law"]))]
        if "-" in row["law"]:
            numbers = list(range(numbers[0], numbers[-1] + 1))
        assert {str(n) for n in numbers} <= listed, row["law"]


def test_bridge_rows_say_what_they_rest_on_in_both_languages() -> None:
    for path, row in BRIDGE.rows.items():
        assert row.source, path
        assert set(row.note) in (set(), {"ru", "en"})
        moved = any(fate.change not in ("same", "unconfirmed") for fate in row.fates.values())
        assert row.note or not moved, path


def test_the_later_titles_are_those_of_the_facts() -> None:
    with (HERE / "facts" / "laws.tsv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            title = row["title_en_2017_if_changed"]
            if title and row["law"] not in ("23", "80"):
                assert title in BRIDGE.note(ref(row["law"]))["en"]


def test_a_corpus_that_says_nothing_of_editions_has_nothing_in_force(tmp_path: Path) -> None:
    known = corpus(tmp_path)
    assert known.in_force(Ref.parse("rules/1/7")) is None
    assert known.counterparts(Ref.parse("rules/1/7")) == []
    assert known.from_edition("1", "7") == [(Ref.parse("rules/1/7"), "same", "seed")]
    assert written.elsewhere(load_profile(tmp_path)) == []
    with pytest.raises(InputError, match="no edition of the profile"):
        known.edition_on("2020-01-01")


def test_without_a_concordance_all_is_unconfirmed(tmp_path: Path) -> None:
    known = corpus(tmp_path, TWO)
    found = known.in_force(Ref.parse("rules/1/7"))
    assert found is not None
    assert (found.path, found.change, found.confirmed) == ("7", "unconfirmed", False)
    assert known.edition_on(datetime.date(2001, 1, 1)) == "2"


def test_an_edition_in_force_needs_no_list_of_editions(tmp_path: Path) -> None:
    known = corpus(tmp_path, '[in_force]\nedition = "3"\n')
    found = known.in_force(Ref.parse("rules/1/7"))
    assert found is not None and (found.edition, found.change) == ("3", "unconfirmed")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[row]]\nfrom = "1"\nin.9 = { change = "same" }', "row 1: edition '9' is none of 1, 2"),
        ('[[row]]\nfrom = "1"\nin.2 = { change = "gone" }', "row 1: 2: change is 'gone'"),
        ('[[row]]\nfrom = "1"\nin.2 = { change = "moved" }', "what moved needs `to`"),
        ('[[row]]\nfrom = "1"\nin.2 = { change = "dropped", to = "2" }', "what was dropped has none"),
        ('[[row]]\nfrom = "1"\nin.2 = { change = "same", support = "sure" }', "support 'sure'"),
        ('[[row]]\nfrom = "1"\n[[row]]\nfrom = ["2", "1"]', "row 2: 1 has a row already"),
        ('[[row]]\nfrom = "1"\nnotes.en = "x"', "unknown key 'notes'"),
        ("[[row]]\nin.2 = {}", "no `from`"),
        ('[[row]]\nfrom = "1"\nin.2 = { change = "moved", to = 5 }', "5 is no path"),
        ('[[added]]\npath = "8"\nsince = "9"', "added '8'"),
        ("[[row]\n", "not valid TOML"),
    ],
)
def test_a_wrong_row_is_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        corpus(tmp_path, TWO, text)
    assert message in str(error.value)
    assert written.FILE_NAME in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        (TWO.replace('edition = "2"', 'edition = "3"'), "'3'"),
        (TWO.replace('name = "1"', 'name = "0"'), "'1'"),
        (TWO.replace('name = "1"', 'name = "2"'), "a name of its own"),
        (TWO.replace("2000-02-01", "2000-02-31"), "no date"),
        (TWO.replace('name = "1"', 'name = "1"\nsince = "2001"'), "order of time"),
    ],
)
def test_a_wrong_list_of_editions_is_one_clear_line(tmp_path: Path, profile: str, message: str) -> None:
    with pytest.raises(ProfileError) as error:
        corpus(tmp_path, profile)
    assert message in str(error.value)
    assert "profile.toml" in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("day", ["yesterday", "2017-13-01", "01.08.2017", "", "1935-01-01"])
def test_a_day_that_picks_none_is_refused(day: str) -> None:
    with pytest.raises(KbError):
        BRIDGE.edition_on(day)


def test_an_unknown_edition_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match="1987, 1997, 2007, 2017"):
        BRIDGE.from_edition("2022", "16.D")
    with pytest.raises(InputError, match="not a ref"):
        BRIDGE.from_edition("2017", "16 D")


def test_links_elsewhere_are_https_and_named_in_both_languages(tmp_path: Path) -> None:
    links = written.elsewhere(load_profile(CORPUS))
    assert links and all(set(link["titles"]) == {"ru", "en"} for link in links)
    corpus(tmp_path)
    (tmp_path / written.LINKS_NAME).write_text('[[link]]\nurl = "http://x"\n', encoding="utf-8")
    with pytest.raises(InputError, match="https"):
        written.elsewhere(load_profile(tmp_path))
