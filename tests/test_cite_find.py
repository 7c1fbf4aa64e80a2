"""Citations in free text, from cases a bridge player can edit: exactly these targets."""

from __future__ import annotations

import csv
import functools

import pytest
from citecases import HERE, SPOKEN, Case, cases, public, targets
from goldkb import CORPUS

from kb.cite.find import find
from kb.cite.grammar import Grammar, load_grammar
from kb.model import Ref


@functools.cache
def bridge() -> Grammar:
    return load_grammar(CORPUS)


def found(case: Case) -> tuple[str, ...]:
    citations = find(case.text, "", bridge(), case.context)
    for citation in citations:
        assert case.text[citation.start : citation.end] == citation.surface
    return targets(citations)


@pytest.mark.parametrize("case", cases("wild", "synthetic", "negative"), ids=lambda case: case.id)
def test_case(case: Case) -> None:
    assert found(case) == case.expected


@pytest.mark.xfail(strict=True)
@pytest.mark.parametrize("case", cases("known_failures"), ids=lambda case: case.id)
def test_known_failure(case: Case) -> None:
    assert found(case) == case.expected


def test_there_are_enough_cases_and_half_must_not_link() -> None:
    every = cases("wild", "synthetic", "negative", "known_failures")
    plain = [case for case in every if not case.expected]
    assert len(every) >= 400 and len(plain) * 2 >= len(every)
    assert len({(case.text, case.context) for case in every}) == len(every)


@pytest.mark.parametrize("case", [c for lang, c in public() if lang in SPOKEN], ids=lambda case: case.id)
def test_public_table(case: Case) -> None:
    assert found(case) == case.expected


@pytest.mark.xfail(strict=True, reason="a language the grammar does not have")
@pytest.mark.parametrize(
    "case", [c for lang, c in public() if lang not in (*SPOKEN, "nl", "no")], ids=lambda case: case.id
)
def test_public_table_other_languages(case: Case) -> None:
    assert found(case) == case.expected


def seed_rows() -> list[Case]:
    """Each row of citations_seeds.tsv with what stands around it there, so that it can be read alone."""
    rows = []
    with (HERE / "facts" / "citations_seeds.tsv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            law = row["seed"] in ("003", "004")
            at = row["at"].partition("(")[0]
            context = Ref.parse(f"{'laws' if law else 'commentary'}/1987/{at}")
            target, note = row["target"], row["note"]
            text = row["surface_after_joining"]
            if target == "anaphoric":
                target = at.partition(".")[0]
            elif target.startswith("para:"):
                target = "c" + target[5:].replace("(", ".").replace(")", "")
                text = f"в случае {text}" if note == "where" else text
            elif target.startswith("code:"):
                target = "1987:" if target.endswith("1987") else "1975:54.C"
            elif "elided" in note or "elided" in row["kind"]:
                text, target = f"правила 1 и {text}", f"1 {target}"
            rows.append(Case(f"seeds/{row['seed']} {row['at']}", text, tuple(target.split()), context))
    return rows


@pytest.mark.parametrize("case", seed_rows(), ids=lambda case: case.id)
def test_seed_table(case: Case) -> None:
    assert found(case) == case.expected
