"""The director's guides of the bridge corpus, and what a guide may not be."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from smallcorpus import SMALL

from kb import guides
from kb.errors import InputError
from kb.model import Ref
from kb.pipeline import build
from kb.profile import load as load_profile

CORPUS = Path(__file__).parent.parent / "corpus" / "bridge"
PROFILE = load_profile(CORPUS)
BRIDGE = guides.load(PROFILE)

WANTED = [
    "declarer-lead-out-of-turn",
    "defender-lead-out-of-turn",
    "opening-lead-out-of-turn",
    "revoke-not-established",
    "revoke-established",
    "penalty-card",
    "several-penalty-cards",
    "insufficient-bid",
    "call-out-of-rotation",
    "claim",
    "concession",
    "card-exposed-in-auction",
    "fifth-card",
    "inspection-of-tricks",
    "score-correction",
]

HEAD = 'title = { en = "Late" }\nrefs = ["7"]\n'
ASK = """
[[step]]
id = "ask"
question = { en = "Late?" }
refs = ["7"]
[[step.answer]]
text = { en = "Yes" }
next = "fine"
[[step.answer]]
text = { en = "No" }
next = "nothing"
"""
FINE = '\n[[step]]\nid = "fine"\nruling = { en = "Fine." }\nrefs = ["7.A"]\n'
NOTHING = '\n[[step]]\nid = "nothing"\nruling = { en = "Nothing." }\nrefs = ["7"]\n'
GOOD = HEAD + ASK + FINE + NOTHING


@cache
def known() -> frozenset[Ref]:
    return frozenset(entry.ref for entry in build(CORPUS).entries)


def said_in(step: guides.Step, lang: str) -> str:
    return "\n".join([step.text[lang], *(way.text.get(lang, "") for way in step.ways)])


def small(folder: Path, **files: str) -> list[guides.Guide]:
    (folder / "profile.toml").write_text(SMALL, encoding="utf-8")
    (folder / "outline.toml").write_text('[[entry]]\npath = "7"\nkind = "rule"\n', encoding="utf-8")
    (folder / guides.FOLDER).mkdir()
    for name, text in files.items():
        (folder / guides.FOLDER / f"{name}.toml").write_text(text, encoding="utf-8")
    return guides.load(load_profile(folder))


def test_the_procedures_are_there() -> None:
    assert set(WANTED) <= {guide.id for guide in BRIDGE}


def test_every_ref_is_in_the_outline_or_in_a_source() -> None:
    guides.check(PROFILE, BRIDGE, known())


@pytest.mark.parametrize("guide", BRIDGE, ids=lambda guide: guide.id)
def test_everything_is_in_both_languages(guide: guides.Guide) -> None:
    texts = [guide.title]
    for step in guide.steps:
        texts += [step.text, *(way.text for way in step.ways if step.kind == "question")]
        texts += [step.note] if step.note else []
    assert all(set(text) == {"ru", "en"} for text in texts)


@pytest.mark.parametrize("guide", BRIDGE, ids=lambda guide: guide.id)
def test_it_asks_and_rules_and_each_step_has_its_provision(guide: guides.Guide) -> None:
    assert {step.kind for step in guide.steps} == {"question", "ruling"}
    assert all(step.refs for step in guide.steps)
    assert sum(step.last for step in guide.steps) >= 2
    spoken_of = {ref.path[0] for step in guide.steps for ref in step.refs}
    assert {ref.path[0] for ref in guide.refs} <= spoken_of


@pytest.mark.parametrize("guide", BRIDGE, ids=lambda guide: guide.id)
@pytest.mark.parametrize("lang", ["ru", "en"])
def test_a_law_named_in_words_is_among_the_refs(guide: guides.Guide, lang: str) -> None:
    """The reader needs the link."""
    named = re.compile(r"(?:правил\w*|Laws?)\s(\d+)(?:[A-Z]\d?)?(?:\s(?:и|and)\s(\d+))?")
    for step in guide.steps:
        laws = {ref.path[0] for ref in step.refs}
        said = {
            number for match in named.finditer(said_in(step, lang)) for number in match.groups() if number
        }
        assert said <= laws, step.id


def test_steps_are_found_by_name() -> None:
    guide = next(guide for guide in BRIDGE if guide.id == "declarer-lead-out-of-turn")
    assert guide.step("wrong-hand").refs == (Ref.parse("laws/1987/55.B.2"),)
    assert Ref.parse("laws/1987/83") in guide.all_refs
    with pytest.raises(KeyError):
        guide.step("no such step")


def test_no_folder_means_no_guides(tmp_path: Path) -> None:
    (tmp_path / "profile.toml").write_text(SMALL, encoding="utf-8")
    assert guides.load(load_profile(tmp_path)) == []


def test_a_small_one_is_read(tmp_path: Path) -> None:
    (guide,) = small(tmp_path, late=GOOD)
    assert (guide.id, [step.id for step in guide.steps]) == ("late", ["ask", "fine", "nothing"])
    assert [way.next for way in guide.step("ask").ways] == ["fine", "nothing"]
    assert guide.step("fine").last and not guide.step("ask").last
    assert guide.often == 0


def test_it_may_say_how_often_it_is_asked_for(tmp_path: Path) -> None:
    (guide,) = small(tmp_path, late="often = 2\n" + GOOD)
    assert guide.often == 2


def test_places_among_the_most_asked_for_are_given_once() -> None:
    places = sorted(guide.often for guide in BRIDGE if guide.often)
    assert places == list(range(1, len(places) + 1)) and places


def test_it_may_turn_in_a_circle_that_has_a_way_out(tmp_path: Path) -> None:
    (guide,) = small(tmp_path, late=HEAD + ASK + FINE.rstrip() + '\nnext = "ask"\n' + NOTHING)
    assert [way.next for way in guide.step("fine").ways] == ["ask"]


def test_it_may_go_on_in_another_guide(tmp_path: Path) -> None:
    onward = HEAD + ASK + FINE.rstrip() + '\nguide = "other"\n' + NOTHING
    late, other = small(tmp_path, late=onward, other=GOOD)
    assert [way.guide for way in late.step("fine").ways] == [other.id]


BAD = {
    "unknown key of a guide": ('name = "x"\n' + GOOD, "'name'"),
    "unknown key of a step": (GOOD + 'why = "x"\n', "step nothing: unknown key 'why'"),
    "unknown key of an answer": (GOOD.replace('next = "fine"', 'next = "fine"\nto = "x"'), "answer 1"),
    "no title": (GOOD.replace('title = { en = "Late" }', ""), "title"),
    "no steps": (HEAD, "no [[step]]"),
    "a text without a language of the title": (
        GOOD.replace('{ en = "Late" }', '{ en = "Late", de = "Spät" }'),
        "'de'",
    ),
    "a language the corpus has not": (GOOD.replace('{ en = "Fine." }', '{ fr = "Fin." }'), "'fr'"),
    "an id twice": (GOOD + NOTHING, "step nothing"),
    "question and ruling": (GOOD + 'question = { en = "What?" }\n', "step nothing"),
    "neither": (GOOD.replace('ruling = { en = "Nothing." }', ""), "step nothing"),
    "a question with one answer": (
        GOOD.replace('[[step.answer]]\ntext = { en = "No" }\nnext = "nothing"', ""),
        "step ask",
    ),
    "a ruling with an answer": (
        GOOD + '[[step.answer]]\ntext = { en = "x" }\nnext = "ask"\n',
        "step nothing",
    ),
    "an answer that leads nowhere": (GOOD.replace('next = "fine"', ""), "answer 1"),
    "an answer that leads two ways": (GOOD.replace('"fine"\n[[', '"fine"\nguide = "x"\n[['), "answer 1"),
    "a way to no step": (GOOD.replace('next = "fine"', 'next = "gone"'), "step ask: leads to 'gone'"),
    "a step nothing leads to": (GOOD + NOTHING.replace('"nothing"', '"alone"'), "step alone: nothing leads"),
    "a circle without end": (
        HEAD + ASK + FINE.rstrip() + '\nnext = "ask"\n' + NOTHING.rstrip() + '\nnext = "ask"\n',
        "step ask: no path from it ends",
    ),
    "a way to no guide": (GOOD + 'guide = "gone"\n', "step nothing: 'gone'"),
    "a way to itself": (GOOD + 'guide = "late"\n', "step nothing: 'late'"),
    "no refs": (GOOD.replace('refs = ["7.A"]', "refs = []"), "step fine: no refs"),
    "a ref outside": (GOOD.replace("7.A", "9"), "step fine"),
    "a place below the first": ("often = -1\n" + GOOD, "often"),
    "a place that is no number": ("often = true\n" + GOOD, "often"),
    "no TOML": ("title = \n", "not valid TOML"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_by_name(name: str, tmp_path: Path) -> None:
    text, says = BAD[name]
    with pytest.raises(InputError) as caught:
        small(tmp_path, late=text)
    message = str(caught.value)
    assert message.startswith(str(tmp_path / guides.FOLDER / "late.toml")) and says in message
    assert "\n" not in message


def test_a_ref_nobody_has_is_found_by_the_build(tmp_path: Path) -> None:
    found = small(tmp_path, late=GOOD)
    profile = load_profile(tmp_path)
    guides.check(profile, found, {Ref("rules", "1", ("7",)), Ref("rules", "1", ("7", "A"))})
    with pytest.raises(InputError, match=r"late\.toml: step fine: rules/1/7\.A"):
        guides.check(profile, found, {Ref("rules", "1", ("7",))})
