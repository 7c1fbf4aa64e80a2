"""Abilities of the search, as data (cases/search/queries.toml), and that no query can hurt it."""

from __future__ import annotations

import html
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from search_base import bilingual, index

from kb.model import Ref
from kb.search import SearchIndex

FILE = Path(__file__).parent / "cases" / "search" / "queries.toml"
CASES = tomllib.loads(FILE.read_text("utf-8"))["query"]
HIT_KEYS = "ref lang title status score snippet snippet_text in_force url commentary"


@pytest.fixture(scope="session")
def found() -> SearchIndex:
    return index()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_query(case: dict, found: SearchIndex) -> None:
    result = found.search(case["q"])
    refs = [str(hit.ref) for hit in result.hits]
    if case.get("none"):
        assert refs == []
    else:
        assert refs
    if "first" in case:
        assert refs[0] == case["first"]
    assert set(case.get("among", [])) <= set(refs[:5])
    for key in ("kind", "did_you_mean"):
        if key in case:
            assert getattr(result, key) == case[key]
    if "status" in case:
        assert result.hits[0].status == case["status"]
    if "works" in case:
        assert {hit.ref.work for hit in result.hits} == set(case["works"])
    for hit in result.hits if "only_with" in case else ():
        assert case["only_with"] in hit.snippet_text or case["only_with"] in hit.title


def test_unsupplied_says_so(found: SearchIndex) -> None:
    hit = found.search("insufficient bid").hits[0]
    assert (hit.status, hit.lang, hit.title) == ("not-supplied", "en", "Insufficient Bid")
    assert "not supplied" in hit.snippet_text


def test_without_and_language(found: SearchIndex) -> None:
    every = [str(hit.ref) for hit in found.search("фальшренонс", limit=50).hits]
    fewer = [str(hit.ref) for hit in found.search("фальшренонс -болван", limit=50).hits]
    kb, _ = bilingual()
    texts = [node.text for ref in fewer if (node := kb.node(Ref.parse(ref), "ru"))]
    assert not [text for text in texts if "болван" in text.lower()]
    assert [ref for ref in every if ref not in fewer]
    assert {hit.lang for hit in found.search("фальшренонс", lang="en").hits} == {"en"}
    assert {hit.ref.work for hit in found.search("взятка", work="commentary").hits} == {"commentary"}


def test_one_law_does_not_fill_the_list(found: SearchIndex) -> None:
    hits = found.search("взятка", limit=20).hits
    laws = [(hit.ref.work, hit.ref.path[0]) for hit in hits]
    assert max(laws.count(law) for law in laws) <= 4
    assert len({hit.ref for hit in hits}) == len(hits)


def test_json_shape(found: SearchIndex) -> None:
    answer = found.search("перемешал карты", explain=True).as_json()
    assert list(answer) == ["query", "kind", "total", "took_ms", "did_you_mean", "understood", "hits"]
    keys = HIT_KEYS.split()
    assert list(answer["hits"][0]) == [*keys, "explain"]
    assert answer["total"] >= len(answer["hits"]) > 0
    assert list(found.search("перемешал карты").as_json()["hits"][0]) == keys


def _check(found: SearchIndex, query: str) -> None:
    result = found.search(query)
    assert len(result.hits) <= 10 and result.total >= len(result.hits)
    for hit in result.hits:
        bare = re.sub(r"</?mark>", "", hit.snippet)
        assert "<" not in bare and html.unescape(bare) == hit.snippet_text


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200))
@example('"')
@example("«" * 50)
@example("law:" * 20)
@example("- - -")
@example("65" * 5000)
@example("\x00\ud7ff\U0001f0a1 №")
def test_any_text_is_a_query(found: SearchIndex, query: str) -> None:
    _check(found, query)


PIECES = """взятка карты lead trun " « » - -карта work:laws work:x law:65 lang:en 65c правило § <mark> &amp;
ghfdbkj ё фaль-\u00adшренонс 111111111111111111111 ц65 з 65 ц"""


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES.split()), max_size=12).map(" ".join))
def test_pieces_of_queries(found: SearchIndex, query: str) -> None:
    _check(found, query)


@pytest.mark.parametrize("unit", ["взятка ", "x", "ф", "-", '"а" ', "law:1 ", "слово-"])
def test_ten_thousand_characters(found: SearchIndex, unit: str) -> None:
    _check(found, (unit * 10_000)[:10_000])
