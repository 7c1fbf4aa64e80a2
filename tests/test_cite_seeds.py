"""Every citation in the scans: the 55 links of the gold, with place, target and status, and no others."""

from __future__ import annotations

import pytest
from goldkb import CORPUS, gold_kb, gold_records

from kb.cite.find import find
from kb.cite.grammar import Grammar, load_grammar
from kb.cite.resolve import KnownBase, resolve
from kb.model import Node


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return load_grammar(CORPUS)


def parts(node: Node) -> list[tuple[str, str]]:
    notes = [(f"footnote {n}", note.text) for n, note in enumerate(node.footnotes, 1)]
    return [("text", node.text), ("tail", node.tail), *notes]


def test_the_links_of_the_gold_and_no_others(grammar: Grammar) -> None:
    known = KnownBase(gold_kb())
    found = []
    for node in gold_records().nodes:
        for where, text in parts(node):
            for citation in find(text, node.lang, grammar, node.ref):
                assert text[citation.start : citation.end] == citation.surface
                link = resolve(citation, known, node.ref, grammar)
                found.append(
                    (
                        str(node.ref),
                        where,
                        citation.start,
                        citation.surface,
                        citation.form,
                        str(link.target),
                        link.status,
                    )
                )
    expected = [
        (
            str(placed.at),
            placed.where,
            placed.link.citation.start,
            placed.link.citation.surface,
            placed.link.citation.form,
            str(placed.link.target),
            placed.link.status,
        )
        for placed in gold_records().links
    ]
    assert sorted(found) == sorted(expected)
    assert sum(row[4] not in ("anaphoric", "local") for row in found) == 55
