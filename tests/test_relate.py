"""What a comment is about: how often the machine is right, and what must hold whatever the texts."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from goldkb import CORPUS, ROOT, gold_records
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.relate import (
    RANGES,
    added,
    bare_law,
    by_number,
    choose,
    gold_cases,
    judgements,
    left_out,
    measure,
)
from kb import profile as profiles
from kb.errors import InputError, ProfileError
from kb.model import Citation, Entry, Link, Node, PlacedLink, Ref, Relation
from kb.profile import Profile
from kb.relate import Weights, decide, ranked, relate, weights_of
from kb.relate import editor as editing
from kb.relate.assign import Chain, probabilities
from kb.relate.editor import Verdict
from kb.relate.words import Lexicon, concepts


@cache
def bridge() -> Profile:
    return profiles.load(CORPUS)


def of_gold(editor: Sequence[Verdict] | None = (), shuffled: int | None = None) -> list[Relation]:
    """The relations of the gold nodes; ``shuffled``: with the input in another order."""
    records = gold_records()
    comments = [node for node in records.nodes if node.ref.work == "commentary"]
    laws = [node for node in records.nodes if node.ref.work == "laws"]
    links = list(records.links)
    if shuffled is not None:
        for some in (comments, laws, links):
            random.Random(shuffled).shuffle(some)
    return relate(comments, laws, records.entries, links, bridge(), editor)


@cache
def automatic() -> tuple[Relation, ...]:
    return tuple(of_gold())


def main(relations: Sequence[Relation]) -> dict[str, str]:
    """Comment to what it is mainly about."""
    found: dict[str, str] = {}
    for relation in relations:
        found.setdefault(str(relation.comment), str(relation.law))
    return found


# How often it is right.


def test_with_each_law_left_out_18_are_equal_and_22_accepted() -> None:
    score = added(score for _, score in left_out().values())
    assert score.comments == 29
    assert score.best >= 18
    assert score.accepted >= 22


def test_the_weights_in_use_are_those_the_tuner_chooses_on_all_laws() -> None:
    chosen = choose(gold_cases())
    for name, (low, high) in RANGES.items():
        assert abs(getattr(Weights(), name) - getattr(chosen, name)) < (high - low) / 10, name


def test_the_weights_in_use_do_as_well_and_the_plain_rules_do_not() -> None:
    score = added(measure(case, Weights()) for case in gold_cases())
    assert score.best >= 18
    assert score.accepted >= 22
    for plain in (by_number(), bare_law()):
        assert score.best > 2 * plain.best


def test_no_one_law_carries_the_figures() -> None:
    """In every law at least one comment is placed without having been tuned on it."""
    assert all(score.best >= 1 for _, score in left_out().values())


def test_confidence_can_be_believed() -> None:
    """Weights left out: the surer half of the answers is right more often than it is not, by its own word."""
    pairs = sorted(pair for _, score in left_out().values() for pair in score.confidence)
    mean = sum(share for share, _ in pairs) / len(pairs)
    right = sum(good for _, good in pairs) / len(pairs)
    assert abs(mean - right) < 0.2
    sure = [good for share, good in pairs if share > 0.8]
    assert len(sure) >= 8
    assert sum(sure) / len(sure) >= 0.8


def test_the_topics_are_those_of_the_facts() -> None:
    """The figures mean nothing if the outline's topics were written to fit the comments."""
    facts = (ROOT / "tests" / "facts" / "sections.tsv").read_text(encoding="utf-8").splitlines()[1:]
    titles = {entry.ref.dotted: entry.titles for entry in bridge().outline}
    for line in facts:
        section, english, russian, _ = line.split("\t")
        assert titles[section].get("ru") == russian, section
        assert titles[section].get("en") == english, section


def test_with_the_editor_all_29_are_as_judged() -> None:
    found = main(of_gold(editor=None))
    wanted = {str(ref): f"laws/1987/{judged.best}" for ref, judged in judgements().items()}
    assert found == wanted


# What must hold whatever the texts.


def test_every_comment_has_a_main_relation_and_each_law_once() -> None:
    by_comment: dict[Ref, list[Relation]] = {}
    for relation in automatic():
        by_comment.setdefault(relation.comment, []).append(relation)
    assert set(by_comment) == set(judgements())
    for relations in by_comment.values():
        laws = [relation.law for relation in relations]
        assert len(laws) == len(set(laws))
        assert relations[0].confidence == max(relation.confidence for relation in relations)
        assert sum(relation.confidence for relation in relations) <= 1.001


def test_evidence_is_named_and_told() -> None:
    names = {"citation", "heading", "topic", "vocabulary", "order", "editor"}
    for relation in automatic():
        assert relation.evidence
        assert set(relation.evidence) <= names
        assert 0 <= relation.confidence <= 1
        for name in relation.evidence:
            assert name in relation.detail


@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_the_input_is_of_no_matter(seed: int) -> None:
    assert of_gold(shuffled=seed) == list(automatic())


def test_every_run_gives_the_same() -> None:
    """Sets and hashes leave no trace in the numbers."""
    program = (
        "from test_relate import of_gold\n"
        "for r in of_gold(): print(r.comment, r.law, r.confidence, r.evidence, r.detail)"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONHASHSEED": seed,
                "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests"))),
            },
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert said[0].count("\n") == len(automatic())


def test_the_assignment_is_not_monotone() -> None:
    """Comments may go back: the law's third part, then its first, then its second."""
    found = main(automatic())
    letters = [found[f"commentary/1987/66.{number}"][-1] for number in (1, 2, 3)]
    assert letters == ["C", "A", "B"]


def test_a_citation_of_another_law_is_followed_only_when_it_leads() -> None:
    found = main(automatic())
    assert found["commentary/1987/67.2"] == "laws/1987/45.E"
    assert found["commentary/1987/67.3"] == "laws/1987/58.B"
    assert found["commentary/1987/67.1"].startswith("laws/1987/67.")
    beside = {(str(r.comment), str(r.law)) for r in automatic()}
    assert ("commentary/1987/67.1", "laws/1987/45.E") in beside
    assert ("commentary/1987/67.1", "laws/1987/58.B") in beside


def test_a_citation_in_brackets_is_an_aside() -> None:
    """53.4: «исключая то, что регулируется Правилом 53С, - см. далее» stands in brackets."""
    relation = next(r for r in automatic() if str(r.comment) == "commentary/1987/53.4")
    assert str(relation.law) == "laws/1987/53.B"
    assert "53С" not in relation.detail


# Corpora of another shape, made up here.

SYNONYM = """
[[term]]
id = "vessel"
en = "vessel"
[[term]]
id = "boat"
en = "boat"
same_as = "vessel"
"""


@pytest.fixture
def harbour(tmp_path: Path) -> Profile:
    """Articles with points, a commentary on them that may stand under several, and a glossary."""
    (tmp_path / "profile.toml").write_text(
        """
[corpus]
name = "harbour"
title = { en = "Harbour Act" }
languages = ["en"]
edition = "2001"
[works.act]
role = "law"
title = { en = "Act" }
letter = "a"
label = "article"
[[works.act.levels]]
name = "book"
heading = true
step = "bk"
numbering = "roman"
[[works.act.levels]]
name = "article"
numbering = "arabic"
[[works.act.levels]]
name = "point"
numbering = "lower"
[works.gloss]
role = "commentary"
comments_on = "act"
title = { en = "Gloss" }
letter = "g"
label = "gloss"
[[works.gloss.levels]]
name = "title"
numbering = "arabic"
[[works.gloss.levels]]
name = "remark"
numbering = "arabic"
""",
        encoding="utf-8",
    )
    (tmp_path / "glossary.toml").write_text(SYNONYM, encoding="utf-8")
    return profiles.load(tmp_path)


def act(path: str, text: str = "", title: str = "") -> Node:
    return Node(Ref.parse(f"act/2001/{path}"), "en", "point" if "." in path else "article", "", title, text)


def gloss(path: str, text: str, lang: str = "en", rendering: str = "") -> Node:
    return Node(Ref.parse(f"gloss/2001/{path}"), lang, "remark", "", "", text, rendering=rendering)


def cited(at: Node, surface: str, target: str, status: str = "resolved") -> PlacedLink:
    ref = Ref.parse(target)
    start = at.text.index(surface)
    citation = Citation(start, start + len(surface), surface, "full", ref.work, "", ref.path)
    return PlacedLink(at.ref, at.lang, "text", Link(citation, ref, status))


ACT = [
    act("1", title="Berths"),
    act("1.a", "A berth is let for a year and paid for in spring."),
    act("1.b", "Anchors are inspected by the harbour master."),
    act("1.c", "Nobody may light a fire on the quay."),
    act("2", "Lanterns are lit at dusk.", "Lights"),
    act("3", "A vessel that sinks is raised by its owner.", "Wrecks"),
]


def about(profile: Profile, comments: Sequence[Node], links: Sequence[PlacedLink] = ()) -> dict[str, str]:
    entries = [Entry(node.ref, node.kind, None) for node in [*ACT, *comments]]
    found = main(relate(comments, ACT, entries, links, profile))
    return {comment.rpartition("/")[2]: law.rpartition("/")[2] for comment, law in found.items()}


def test_words_alone_decide(harbour: Profile) -> None:
    comments = [
        gloss("1.1", "The master looks at every anchor himself."),
        gloss("1.2", "Fire is the worst that can befall a quay."),
        gloss("1.3", "Payment for berths in spring has been the custom."),
    ]
    assert about(harbour, comments) == {"1.1": "1.b", "1.2": "1.c", "1.3": "1.a"}


def test_a_heading_over_several_articles_means_any_of_them(harbour: Profile) -> None:
    comments = [
        gloss("1~3.1", "Lanterns burn until dawn."),
        gloss("1~3.2", "When a boat sinks, its owner is told."),
        gloss("1~3.3", "Anchors are to be clean."),
    ]
    assert about(harbour, comments) == {"1~3.1": "2", "1~3.2": "3", "1~3.3": "1.b"}


def test_a_law_without_parts_is_the_answer(harbour: Profile) -> None:
    assert about(harbour, [gloss("2.1", "Much has been said of this.")]) == {"2.1": "2"}


def test_a_law_that_nobody_knows_is_still_the_answer(harbour: Profile) -> None:
    assert about(harbour, [gloss("77.1", "Of a rule that is lost.")]) == {"77.1": "77"}


def test_the_law_itself_when_the_comment_names_it_and_nothing_below(harbour: Profile) -> None:
    comment = gloss("1.1", "This article is the oldest.")
    assert about(harbour, [comment], [cited(comment, "This article", "act/2001/1")]) == {"1.1": "1"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Under 1 (c) much is forbidden.", "1.c"),
        ("Much is forbidden (but see 1 (c) as well).", None),
    ],
)
def test_a_cited_part(harbour: Profile, text: str, expected: str | None) -> None:
    comment = gloss("1.1", text)
    found = relate(
        [comment],
        ACT,
        [Entry(node.ref, node.kind, None) for node in ACT],
        [cited(comment, "1 (c)", "act/2001/1.c")],
        harbour,
    )
    assert ("citation" in found[0].evidence) is (expected is not None)
    assert expected is None or found[0].law.dotted == expected


def test_text_right_below_a_heading_is_a_comment_and_an_empty_heading_is_none(harbour: Profile) -> None:
    heading = Node(Ref.parse("gloss/2001/1"), "en", "title", "", "On berths", "Fire on the quay is a danger.")
    empty = replace(heading, ref=Ref.parse("gloss/2001/2"), text="")
    assert about(harbour, [heading, empty]) == {"1": "1.c"}


def test_of_two_languages_the_source_is_read(harbour: Profile) -> None:
    source = gloss("1.1", "Fire on the quay.", lang="xx")
    rendering = gloss("1.1", "An anchor for the master.", rendering="working translation")
    assert about(harbour, [source, rendering]) == {"1.1": "1.c"}


def test_more_parts_than_can_be_tracked(harbour: Profile) -> None:
    letters = "abcdefghijklmnop"
    laws = [act("1"), *(act(f"1.{letter}", f"word{letter} stands here") for letter in letters)]
    comments = [gloss(f"1.{n}", f"of word{letter}") for n, letter in enumerate(reversed(letters), 1)]
    entries = [Entry(node.ref, node.kind, None) for node in [*laws, *comments]]
    found = list(main(relate(comments, laws, entries, [], harbour)).values())
    assert [law[-1] for law in found] == list(reversed(letters))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=80), min_size=1, max_size=5))
def test_any_text_at_all(texts: list[str]) -> None:
    profile = bridge()
    comments = [
        Node(Ref.parse(f"commentary/1987/65.{n}"), "ru", "comment", "", "", text)
        for n, text in enumerate(texts, 1)
    ]
    records = gold_records()
    laws = [node for node in records.nodes if node.ref.path[0] == "65" and node.ref.work == "laws"]
    found = relate(comments, laws, records.entries, [], profile, editor=())
    assert set(main(found)) == {str(node.ref) for node in comments if node.text.strip()}
    assert all(0 <= relation.confidence <= 1 for relation in found)


# The sums.


def test_probabilities_are_those_of_all_assignments_written_out() -> None:
    """Against the definition: every assignment weighed, on a chain small enough to list them."""
    import math

    scores = [[0.3, 1.0, -0.5], [0.9, 0.1, 0.4], [0.2, 0.7, 0.0]]
    places: list[list[int | None]] = [[0, 1, None], [0, 1, None], [0, 1, None]]
    likeness = [0.0, 0.8, 0.3]
    got = probabilities(Chain(scores, places, likeness, 2), cohesion=2.0, coverage=1.5)
    sums = [[0.0] * 3 for _ in scores]
    for choice in itertools.product(range(3), repeat=3):
        worth = sum(scores[at][number] for at, number in enumerate(choice))
        taken = [
            (at, places[at][number]) for at, number in enumerate(choice) if places[at][number] is not None
        ]
        worth += 1.5 * len({place for _, place in taken})
        worth += sum(
            2.0 * likeness[at] for (_, last), (at, place) in itertools.pairwise(taken) if last == place
        )
        for at, number in enumerate(choice):
            sums[at][number] += math.exp(worth)
    for row, wanted in zip(got, sums, strict=True):
        assert row == pytest.approx([share / sum(wanted) for share in wanted])


def test_probabilities_of_a_comment_add_up() -> None:
    for case in gold_cases():
        for row in decide(case, Weights()):
            assert sum(row) == pytest.approx(1)


def test_equal_candidates_are_taken_in_the_order_of_the_law() -> None:
    case = gold_cases()[0]
    row = case.candidates[0]
    assert ranked(row, [1 / len(row)] * len(row))[0][0] == row[0]


# Synonyms.


def test_words_of_one_group_are_one_term() -> None:
    lexicon = Lexicon([("ru", ["вистующий", "защитник"]), ("ru", ["открыть руку", "выложить руку"])])
    assert lexicon.terms("вистующему", "ru").keys() & lexicon.terms("защитники", "ru").keys()
    assert lexicon.terms("выложил", "ru").keys() & lexicon.terms("открыл", "ru").keys()
    assert not Lexicon().terms("вистующему", "ru").keys() & Lexicon().terms("защитники", "ru").keys()


def test_a_word_with_an_entry_of_its_own_keeps_its_meaning() -> None:
    """«отмена карты» and «отмена хода» are one thing, a card and a lead are not."""
    lexicon = Lexicon([("ru", ["отмена карты", "отмена хода"]), ("ru", ["ход"])])
    assert not lexicon.terms("карта", "ru").keys() & lexicon.terms("ход", "ru").keys()


def test_terms_that_are_the_same_as_another_are_one_group() -> None:
    groups = concepts(tomllib.loads(SYNONYM), ("en",))
    assert ("en", ["vessel", "boat"]) in groups


# The editor.


def verdict(law: str, status: str, also: bool = False) -> Verdict:
    return Verdict(
        Ref.parse("commentary/1987/66.4"), Ref.parse(f"laws/1987/{law}"), status, "because", also, "A. Editor"
    )


def on_66_4(*verdicts: Verdict) -> list[Relation]:
    return [r for r in of_gold(editor=verdicts) if str(r.comment) == "commentary/1987/66.4"]


def test_a_confirmed_relation_is_the_main_one() -> None:
    first = on_66_4(verdict("66.C", "confirmed"))[0]
    assert (first.law.dotted, first.status, first.confidence) == ("66.C", "confirmed", 1.0)
    assert first.evidence[0] == "editor"
    assert "because (A. Editor)" in first.detail


def test_confirmed_beside_the_main_one() -> None:
    alone = on_66_4()
    found = on_66_4(verdict("66.C", "confirmed", also=True))
    assert found[0] == alone[0]
    assert (found[1].law.dotted, found[1].status) == ("66.C", "confirmed")


def test_a_refused_relation_stands_last_with_its_reason() -> None:
    wrong = on_66_4()[0].law.dotted
    found = on_66_4(verdict(wrong, "refused"))
    assert (found[-1].law.dotted, found[-1].status, found[-1].confidence) == (wrong, "refused", 0.0)


def test_other_comments_are_left_alone() -> None:
    ruled = of_gold(editor=[verdict("66.C", "confirmed")])
    mine = "commentary/1987/66.4"
    assert [r for r in ruled if str(r.comment) != mine] == [r for r in automatic() if str(r.comment) != mine]


def test_a_verdict_on_a_comment_that_is_not_there_is_ignored() -> None:
    lost = replace(verdict("66.C", "confirmed"), comment=Ref.parse("commentary/1987/12.1"))
    assert of_gold(editor=[lost]) == list(automatic())


def test_a_verdict_on_a_provision_nobody_knows() -> None:
    with pytest.raises(InputError, match=r"links\.toml: laws/1987/66\.Z"):
        on_66_4(verdict("66.Z", "confirmed"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('comment = "1.1"\nlaw = "1.a"\nstatus = "confirmed"', "needs reason"),
        ('comment = "1.1"\nlaw = "1.a"\nstatus = "maybe"\nreason = "r"', "neither of confirmed, refused"),
        ('comment = "1.1"\nlaw = "gloss/2001/1"\nstatus = "refused"\nreason = "r"', "is no law"),
        ('comment = "1 1"\nlaw = "1.a"\nstatus = "refused"\nreason = "r"', "not a ref"),
    ],
)
def test_a_bad_verdict_is_one_clear_line(harbour: Profile, text: str, message: str) -> None:
    (harbour.root / "links.toml").write_text(f"[[link]]\n{text}\n", encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        editing.load(harbour)
    assert "links.toml: link 1" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_pair_judged_twice(harbour: Profile) -> None:
    one = '[[link]]\ncomment = "1.1"\nlaw = "1.a"\nstatus = "refused"\nreason = "r"\n'
    (harbour.root / "links.toml").write_text(one * 2, encoding="utf-8")
    with pytest.raises(InputError, match="judged twice"):
        editing.load(harbour)


def test_every_verdict_of_the_corpus_says_why() -> None:
    for said in editing.load(bridge()):
        assert len(said.reason) > 10
        assert said.who


# The weights.


def test_a_corpus_may_set_a_weight(harbour: Profile) -> None:
    assert weights_of(harbour) == Weights()
    changed = replace(harbour, data={**harbour.data, "relate": {"citation": 9}})
    assert weights_of(changed) == Weights(citation=9.0)


@pytest.mark.parametrize("table", [{"magic": 1.0}, {"title": "much"}, {"title": True}])
def test_a_weight_that_is_none(harbour: Profile, table: dict[str, object]) -> None:
    with pytest.raises(ProfileError, match=r"\[relate\]"):
        weights_of(replace(harbour, data={**harbour.data, "relate": table}))
