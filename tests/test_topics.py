"""The topics of the bridge corpus, and what a topics file may not hold."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from smallcorpus import SMALL

from kb import topics
from kb.errors import InputError
from kb.lang import get
from kb.model import Ref
from kb.pipeline import build
from kb.profile import load as load_profile

CORPUS = Path(__file__).parent.parent / "corpus" / "bridge"
PROFILE = load_profile(CORPUS)
BRIDGE = topics.load(PROFILE)

OUTLINE = '[[entry]]\npath = "7"\nkind = "rule"\n'
GOOD = '[[topic]]\nid = "a"\nen = ["some thing", "other thing"]\nrefs = ["7.A"]\nhead = { en = "Thing" }\n'


@cache
def known() -> frozenset[Ref]:
    return frozenset(entry.ref for entry in build(CORPUS).entries)


def small(folder: Path, text: str | None) -> list[topics.Topic]:
    (folder / "profile.toml").write_text(SMALL, encoding="utf-8")
    (folder / "outline.toml").write_text(OUTLINE, encoding="utf-8")
    if text is not None:
        (folder / topics.FILE_NAME).write_text(text, encoding="utf-8")
    return topics.load(load_profile(folder))


def test_there_are_many_in_both_languages() -> None:
    assert len(BRIDGE) >= 700
    assert len({topic.id for topic in BRIDGE}) == len(BRIDGE)
    for topic in BRIDGE:
        assert set(topic.head) == set(topic.phrases) == {"ru", "en"}, topic.id
        assert all(2 <= len(wordings) <= 50 for wordings in topic.phrases.values()), topic.id


def test_every_ref_is_in_the_outline_or_in_a_source() -> None:
    topics.check(PROFILE, BRIDGE, known())


def test_every_law_is_covered() -> None:
    laws = {entry.ref.path[0] for entry in PROFILE.outline if entry.kind == "law"}
    covered = {ref.path[0] for topic in BRIDGE for ref in topic.refs if ref.work == "laws"}
    assert len(laws) == 93
    assert laws <= covered


def test_commentary_is_led_to() -> None:
    led = {ref.path[0] for topic in BRIDGE for ref in topic.refs if ref.work == "commentary"}
    assert led == {"51", "52", "53", "54", "65", "66", "67"}


@pytest.mark.parametrize("lang", ["ru", "en"])
def test_heads_are_unique_and_no_phrase_stands_twice(lang: str) -> None:
    fold = get(lang).fold
    heads = Counter(fold(topic.head[lang]) for topic in BRIDGE)
    phrases = Counter(fold(phrase) for topic in BRIDGE for phrase in topic.phrases[lang])
    assert [head for head, count in heads.items() if count > 1] == []
    assert [phrase for phrase, count in phrases.items() if count > 1] == []


@pytest.mark.parametrize("lang", ["ru", "en"])
def test_the_index_holds_each_topic_once_under_its_letter(lang: str) -> None:
    groups = topics.index(BRIDGE, lang)
    assert [letter for letter, _ in groups] == sorted({letter for letter, _ in groups})
    assert sorted(t.id for _, group in groups for t in group) == sorted(t.id for t in BRIDGE)
    for letter, group in groups:
        assert all(get(lang).filed(topic.head[lang]).startswith(letter.lower()) for topic in group)


def test_refs_keep_their_order() -> None:
    wrong_hand = next(topic for topic in BRIDGE if topic.id == "lead-wrong-hand")
    assert str(wrong_hand.refs[0]) == "laws/1987/55.B.2"


def test_no_file_means_no_topics(tmp_path: Path) -> None:
    assert small(tmp_path, None) == []


def test_a_corpus_may_use_one_of_its_languages(tmp_path: Path) -> None:
    (topic,) = small(tmp_path, GOOD)
    assert topic.refs == (Ref("rules", "1", ("7", "A")),)
    assert topics.index([topic], "de") == []
    assert topics.index([topic], "en") == [("T", [topic])]


BAD = {
    "unknown key": (GOOD + 'fr = ["chose"]\n', "'fr'"),
    "unknown table": (GOOD + '[[theme]]\nid = "b"\n', "'theme'"),
    "no id": (GOOD.replace('id = "a"', ""), "topic 1"),
    "id not ASCII": (GOOD.replace('"a"', '"ä"'), "topic ä"),
    "id twice": (GOOD + GOOD, "topic a"),
    "phrase twice": (GOOD + GOOD.replace('"a"', '"b"').replace("some thing", "Other Thing"), "topic b"),
    "phrase twice in one": (GOOD.replace("some thing", "other thing"), "topic a"),
    "no phrases": (GOOD.replace('"some thing", "other thing"', ""), "topic a"),
    "empty phrase": (GOOD.replace("some thing", " "), "topic a"),
    "head in another language": (GOOD.replace("{ en", "{ de"), "topic a"),
    "head is a string": (GOOD.replace('{ en = "Thing" }', '"Thing"'), "topic a: head"),
    "no refs": (GOOD.replace('"7.A"', ""), "topic a"),
    "ref twice": (GOOD.replace('"7.A"', '"7.A", "7.A"'), "topic a"),
    "not a ref": (GOOD.replace("7.A", "7 A"), "topic a"),
    "law not in the outline": (GOOD.replace("7.A", "8"), "topic a"),
    "another work": (GOOD.replace("7.A", "notes/1/7"), "topic a"),
    "another edition": (GOOD.replace("7.A", "rules/2/7"), "topic a"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_by_name(name: str, tmp_path: Path) -> None:
    text, says = BAD[name]
    with pytest.raises(InputError) as caught:
        small(tmp_path, text)
    message = str(caught.value)
    assert message.startswith(str(tmp_path / topics.FILE_NAME)) and says in message
    assert "\n" not in message


def test_a_ref_nobody_has_is_found_by_the_build(tmp_path: Path) -> None:
    found = small(tmp_path, GOOD)
    profile = load_profile(tmp_path)
    topics.check(profile, found, {Ref("rules", "1", ("7", "A"))})
    with pytest.raises(InputError, match=r"topics\.toml: topic a: rules/1/7\.A"):
        topics.check(profile, found, {Ref("rules", "1", ("7",))})
