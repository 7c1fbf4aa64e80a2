"""What the audit proposes: cases as data, and how often it is wrong on clean prose."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import pytest
from goldkb import CORPUS

from kb import pipeline
from kb import profile as profiles
from kb.cite.find import find
from kb.cite.grammar import compile_grammar
from kb.cite.resolve import KnownEntries, resolve_all
from kb.model import Node, PlacedLink, Records, Ref
from kb.proposals import propose

CASES = tomllib.loads((Path(__file__).parent / "cases" / "proposals.toml").read_text("utf-8"))["case"]
KINDS = {"suspected-lacuna", "unknown-word", "odd-citation"}


@cache
def bridge() -> Records:
    return pipeline.build(CORPUS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: dict[str, str]) -> None:
    profile, entries = profiles.load(CORPUS), bridge().entries
    ref = Ref.parse(f"commentary/1987/{case.get('law', '66')}.9")
    node = Node(ref=ref, lang="ru", kind="comment", text=case["text"])
    grammar = compile_grammar(profile)
    found = resolve_all(find(node.text, "ru", grammar, ref), KnownEntries.of(entries, [ref]), ref, grammar)
    links = [PlacedLink(ref, "ru", "text", link) for link in found]
    messages = [finding.message for finding in propose(profile, [node], entries, links)]
    assert len(messages) == ("finds" in case)
    assert all(case["finds"] in message for message in messages)


def test_on_the_bridge_corpus_the_one_known_loss_is_proposed_and_nothing_else() -> None:
    made = [(f.kind, str(f.ref)) for f in bridge().findings if f.kind in KINDS]
    assert made == [("suspected-lacuna", "commentary/1987/53.3")]
