"""The measures, on examples worked by hand, and the judged set's own good order."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import log2
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from relevance import measure
from relevance.measure import HALVES, KINDS, Question, lines, load, ndcg, recall, reciprocal_rank

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "corpus" / "bridge"
GOLD = ROOT / "tests" / "gold"
QUESTIONS = load()

# Law 65 is useful, its section C the answer; a comment is useful; Law 79 is related.
ANSWERS = {"laws/1987/65.C": 3, "laws/1987/65": 2, "commentary/1987/65.3": 2, "laws/1987/79": 1}
IDEAL = 7 + 3 / log2(3) + 1 / log2(4)


def test_lines_keep_the_best_of_those_below_one_another() -> None:
    assert list(lines(ANSWERS)) == ["laws/1987/65.C", "commentary/1987/65.3", "laws/1987/79"]
    assert lines({"laws/1987/61.A": 3, "laws/1987/61": 3}) == {"laws/1987/61": 3}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("laws/1987/65", "laws/1987/65.C", True),
        ("laws/1987/65.C", "laws/1987/65", True),
        ("laws/1987/65", "laws/1987/65", True),
        ("laws/1987/6", "laws/1987/65", False),
        ("laws/1987/65.B", "laws/1987/65.C", False),
        ("laws/1987/65", "commentary/1987/65.3", False),
    ],
)
def test_a_line_is_ancestors_and_descendants(one: str, other: str, same: bool) -> None:
    assert measure.same_line(one, other) is same


def test_recall_wants_the_exact_answer_within_k() -> None:
    assert recall(["laws/1987/1", "laws/1987/65.C"], ANSWERS, 2) == 1
    assert recall(["laws/1987/1", "laws/1987/65.C"], ANSWERS, 1) == 0
    assert recall(["laws/1987/65", "commentary/1987/65.3"], ANSWERS) == 0


def test_recall_of_several_answers_is_a_share() -> None:
    three = {"laws/1987/68": 3, "laws/1987/69": 3, "laws/1987/70": 3}
    assert recall(["laws/1987/69", "laws/1987/1", "laws/1987/70"], three) == pytest.approx(2 / 3)
    assert recall(["laws/1987/69"], three, 1) == 1, "no list of one can hold more than one"


def test_recall_takes_either_of_two_exact_answers_on_a_line() -> None:
    both = {"laws/1987/61": 3, "laws/1987/61.A": 3}
    assert recall(["laws/1987/61.A"], both) == recall(["laws/1987/61"], both) == 1


def test_reciprocal_rank() -> None:
    hits = ["laws/1987/79", "laws/1987/65", "laws/1987/65.C"]
    assert reciprocal_rank(hits, ANSWERS) == 1 / 2, "related is not enough, useful is"
    assert reciprocal_rank(hits, ANSWERS, 3) == pytest.approx(1 / 3)
    assert reciprocal_rank(["laws/1987/1"], ANSWERS) == 0
    assert reciprocal_rank([], ANSWERS) == 0


def test_ndcg_of_the_best_list_is_one() -> None:
    assert ndcg(["laws/1987/65.C", "commentary/1987/65.3", "laws/1987/79"], ANSWERS) == pytest.approx(1)


def test_ndcg_discounts_by_rank() -> None:
    hits = ["laws/1987/1", "commentary/1987/65.3", "laws/1987/65.C"]
    assert ndcg(hits, ANSWERS) == pytest.approx((3 / log2(3) + 7 / log2(4)) / IDEAL)
    assert ndcg(hits, ANSWERS, 1) == 0


def test_ndcg_counts_a_line_once() -> None:
    parent_first = ["laws/1987/65", "laws/1987/65.C"]
    assert ndcg(parent_first, ANSWERS) == pytest.approx((3 + (7 - 3) / log2(3)) / IDEAL)
    parent_after = ["laws/1987/65.C", "laws/1987/65"]
    assert ndcg(parent_after, ANSWERS) == pytest.approx(7 / IDEAL)
    assert ndcg(["laws/1987/65.C"] * 5, ANSWERS) == pytest.approx(7 / IDEAL)


REFS = st.sampled_from(
    ["laws/1987/65", "laws/1987/65.C", "laws/1987/65.D", "laws/1987/65.B.1", "laws/1987/6"]
)


@given(st.lists(REFS, max_size=8), st.dictionaries(REFS, st.integers(1, 3), min_size=1))
@example(["laws/1987/65.C", "laws/1987/65"], {"laws/1987/65.C": 3, "laws/1987/65": 2, "laws/1987/65.D": 1})
def test_ndcg_of_any_list_is_at_most_one(hits: list[str], answers: dict[str, int]) -> None:
    assert 0 <= ndcg(hits, answers) <= 1 + 1e-9


def test_ndcg_never_passes_one() -> None:
    children = {"laws/1987/65": 3} | {f"laws/1987/65.{letter}": 2 for letter in "ABCD"}
    assert ndcg([*sorted(children)[1:], "laws/1987/65"], children) <= 1
    parts = {"laws/1987/65": 2} | {f"laws/1987/65.{letter}": 3 for letter in "ABCD"}
    assert ndcg(["laws/1987/65", *sorted(parts)[1:]], parts) < 1


def test_measure_groups_and_prints() -> None:
    questions = [
        Question("a", "ru", "words", "held", "сложил карты", {"laws/1987/65.C": 3}),
        Question("b", "en", "term", "tune", "revoke", {"laws/1987/61": 3}),
        Question("c", "ru", "words", "held", "спорят", {"laws/1987/85": 3}),
    ]
    scores = measure.measure(
        questions, lambda q, lang: ["laws/1987/85"] if lang == "ru" else ["laws/1987/61"]
    )
    rows = measure.summarise(scores)
    assert [(row.group, row.count, row.recall, row.mrr) for row in rows] == [
        (("tune", "term", "en"), 1, 1, 1),
        (("held", "words", "ru"), 2, 0.5, 0.5),
    ]
    assert "| held | words | ru | 2 | 0.500 | 0.500 | 0.500 | 0.500 |" in measure.table(scores).splitlines()


def test_every_question_can_be_answered_in_full() -> None:
    best = {item.q: list(lines(item.answers)) for item in QUESTIONS}
    scores = measure.measure(QUESTIONS, lambda q, lang: best[q])
    short = [
        item.question.id for item in scores if min(item.recall, item.mrr, item.mrr_exact, item.ndcg) < 0.9999
    ]
    assert not short


def test_a_crash_of_the_search_is_not_a_zero() -> None:
    def broken(q: str, lang: str) -> list[str]:
        raise RuntimeError(q)

    with pytest.raises(RuntimeError):
        measure.measure(QUESTIONS[:1], broken)


def test_ids_and_questions_are_unique() -> None:
    assert not [name for name, count in Counter(item.id for item in QUESTIONS).items() if count > 1]
    asked = Counter(lemmas(item.q) for item in QUESTIONS if item.kind not in ("citation", "layout"))
    assert not [words for words, count in asked.items() if count > 1]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_question_is_well_formed(question: Question) -> None:
    assert question.q.strip() == question.q != ""
    assert question.lang in ("ru", "en")
    assert question.kind in KINDS
    assert question.half in HALVES
    assert set(question.answers.values()) <= {1, 2, 3}
    assert 3 in question.answers.values(), "no exact answer"
    assert not set(question.answers) - known_refs(), "no such ref in the outline or the gold"


def test_halves_are_balanced() -> None:
    dealt = Counter((item.kind, item.lang, item.half) for item in QUESTIONS)
    uneven = {
        (kind, lang): (dealt[kind, lang, "tune"], dealt[kind, lang, "read"])
        for kind, lang in {(item.kind, item.lang) for item in QUESTIONS}
        if abs(dealt[kind, lang, "tune"] - dealt[kind, lang, "read"]) > 1
    }
    assert not uneven
    held = Counter(item.kind for item in QUESTIONS if item.half == "held")
    assert sum(held.values()) >= 120


def test_handed_questions_are_never_held() -> None:
    handed = [item for item in QUESTIONS if item.id.startswith("seen-")]
    assert len(handed) == 18
    assert {item.half for item in handed} == {"tune"}
    assert len(QUESTIONS) - len(handed) >= 130


def test_no_topic_repeats_a_question() -> None:
    topics = CORPUS / "topics.toml"
    if not topics.exists():
        pytest.skip("corpus/bridge/topics.toml is not written yet")
    phrases = {lemmas(phrase): phrase for phrase in strings(tomllib.loads(topics.read_text("utf-8")))}
    assert len(phrases) > 1, "no phrase found: has the shape of the file changed?"
    repeated = [(item.id, phrases[lemmas(item.q)]) for item in QUESTIONS if lemmas(item.q) in phrases]
    assert not repeated, (
        "a topic that repeats a judged question makes the measure worthless: reword the topic"
    )


def test_lemmas_see_through_case_endings_and_order() -> None:
    assert lemmas("Просмотр взяток") == lemmas("взятка просмотром")
    assert lemmas("claimed tricks") == lemmas("Claim: trick")
    assert lemmas("ход вистующего") != lemmas("ход разыгрывающего")


@cache
def known_refs() -> frozenset[str]:
    """Every ref of the outline, and of the gold parses (comments and their lettered items too)."""
    outline = tomllib.loads((CORPUS / "outline.toml").read_text("utf-8"))["entry"]
    refs = {f"laws/1987/{entry['path']}" for entry in outline}
    for name in ("003", "004"):
        nodes = json.loads((GOLD / f"{name}.json").read_text("utf-8"))["nodes"]
        refs |= {f"laws/1987/{node['id']}" for node in nodes}
    for name in ("000", "001"):
        for para in json.loads((GOLD / f"{name}.json").read_text("utf-8"))["paras"]:
            ref = f"commentary/1987/{para['para']}"
            refs |= {ref} | {f"{ref}.{item['label']}" for item in para["subitems"] or () if item["label"]}
    return frozenset(refs)


def strings(value: object) -> Iterator[str]:
    """Every phrase of a TOML value, keys that hold ids or refs left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in ("id", "ref", "refs"):
                yield from strings(item)


def lemmas(phrase: str) -> tuple[str, ...]:
    """Lower case, ё as е, each word in its dictionary form or stem, in no order of the words."""
    words = re.findall(r"\w+", phrase.lower().replace("ё", "е"))
    return tuple(sorted(_lemma(word) for word in words))


@cache
def _lemma(word: str) -> str:
    # The libraries themselves, not the project's analyser: the guard must not move with what it guards.
    if re.search("[а-я]", word):
        return str(_morph().parse(word)[0].normal_form).replace("ё", "е")
    return str(_stemmer().stemWord(word))


@cache
def _morph():  # type: ignore[no-untyped-def]
    import pymorphy3

    return pymorphy3.MorphAnalyzer(lang="ru")


@cache
def _stemmer():  # type: ignore[no-untyped-def]
    import Stemmer

    return Stemmer.Stemmer("english")
