"""One citation as people type it: cases in tests/cases/citations/queries.toml."""

from __future__ import annotations

import functools
import tomllib

import pytest
from citecases import CASES
from goldkb import CORPUS, gold_kb

from kb.cite.grammar import Grammar, load_grammar
from kb.cite.query import MAX_LENGTH, read_query, resolve_query
from kb.cite.resolve import KnownBase
from kb.model import Ref

QUERIES = tomllib.loads((CASES / "queries.toml").read_text("utf-8"))


@functools.cache
def bridge() -> tuple[Grammar, KnownBase]:
    return load_grammar(CORPUS), KnownBase(gold_kb())


@pytest.mark.parametrize(
    ("query", "expected"),
    [(q, e) for rows in QUERIES.values() for q, e in rows.items()],
    ids=lambda x: x[:40],
)
def test_query(query: str, expected: str) -> None:
    grammar, known = bridge()
    links, read_as = read_query(query, known, grammar)
    told = [" ".join(filter(None, (str(x.target), x.status, str(x.fallback or "")))) for x in links]
    assert "; ".join(told) + (f", read as {read_as}" if read_as else "") == expected
    if read_as:
        assert resolve_query(query, known, grammar) == []
    for link in links:
        cited = link.citation
        assert query[cited.start : cited.end] == cited.surface


def test_context_and_edition() -> None:
    grammar, known = bridge()
    at = Ref.parse("laws/1987/65.B.1")
    assert [str(x.target) for x in resolve_query("этого правила", known, grammar, context=at)] == [
        "laws/1987/65"
    ]
    assert [str(x.target) for x in resolve_query("65c", known, grammar, edition="1997")] == ["laws/1997/65.C"]
    assert resolve_query("65c 1975", known, grammar, edition="1997")[0].target.edition == "1975"


def test_a_long_text_is_no_query() -> None:
    grammar, known = bridge()
    assert resolve_query("правило 65, " * MAX_LENGTH, known, grammar) == []
