"""Every engine behind the protocol: the same documents and questions, the same answers as whoosh."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from plainranking import ranked
from relevance.measure import load
from search_base import bilingual, counts, index, index_folder

from kb.errors import BuildError, InputError, MissingExtra
from kb.search import SearchIndex, build_index, open_index
from kb.search.arrays import Arrayed
from kb.search.backend import Clause, Part, Plan, Posting, Scored, current
from kb.search.building import BACKENDS, backend_named
from kb.search.opensearch_index import Cluster
from kb.search.query import understand
from kb.search.ranking import ALL, Listed

HERE = sorted(set(BACKENDS) - {"opensearch"})
"""Engines that need no servers; tests/engine asks the same of the other."""
EXTRAS = {"tantivy": "tantivy", "opensearch": "opensearchpy"}
TOLERANCE = 0
"""Judged questions of which the first ten hits may be others than whoosh's, or in another order."""


def _all(prior: int = 100) -> dict[str, int]:
    return {ALL: prior}


DOCUMENTS = [
    Posting(0, {**_all(), "взятка": 80, "@title:взятка": 64}, {"ref": "a"}),
    Posting(1, {**_all(), "взятка": 16, "карта": 300, "@title:взятка карта": 64}, {"ref": "b"}),
    Posting(2, {**_all(150), "карта": 1, "work:laws": 1}, {"ref": "c"}),
    Posting(3, {**_all(), "lead": 7, "work:laws": 1}, {"ref": "d — «x» \u0000 𝄞"}),
]
PLANS = {
    "a word": Plan((Clause("взятка", 1.0, (("взятка", 1.0),)),)),
    "two words": Plan((Clause("взятка", 1.0, (("взятка", 1.0),)), Clause("карта", 0.5, (("карта", 1.0),)))),
    "a choice": Plan((Clause("карта", 1.0, (("карта", 1.0), ("lead", 0.5))),)),
    "a term with a space": Plan((Clause("t", 1.0, (("@title:взятка карта", 1.0),)),)),
    "a term that begins another": Plan((Clause("взят", 1.0, (("взят", 1.0),)),)),
    "a filter": Plan((Clause("карта", 1.0, (("карта", 1.0),)),), must=(("work:laws",),)),
    "a filter alone": Plan((), must=(("work:laws", "взятка"),)),
    "without": Plan((Clause("карта", 1.0, (("карта", 1.0),)),), never=("work:laws",)),
    "nothing": Plan((Clause("зебра", 1.0, (("зебра", 1.0),)),)),
}


@pytest.fixture(scope="module", params=HERE)
def engine(request):
    return backend_named(request.param)


@pytest.fixture(scope="module")
def searcher(engine, tmp_path_factory):
    folder = tmp_path_factory.mktemp(engine.name)
    engine.build(folder, DOCUMENTS)
    return engine.open(folder)


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("a word", [0, 1]),
        ("two words", [1, 0, 2]),
        ("a choice", [1, 3, 2]),
        ("a term with a space", [1]),
        ("a term that begins another", []),
        ("a filter", [2]),
        ("a filter alone", [2, 0, 1, 3]),
        ("without", [1]),
        ("nothing", []),
    ],
)
def test_plan(searcher, plan, expected):
    assert [scored.number for scored in searcher.search(PLANS[plan]).first()] == expected


def test_the_points_are_those_of_the_plain_ranking(searcher):
    for name, plan in PLANS.items():
        assert searcher.search(plan).first() == plain(searcher, plan), name


def plain(searcher, plan: Plan) -> list[Scored]:
    """What the plain ranking makes of the same postings."""

    def postings(term: str) -> tuple[list[int], list[int]]:
        numbers, weights = searcher.postings(term)
        return numbers.tolist(), weights.tolist()

    def lead(number: int) -> tuple[list[int], float]:
        [situation] = searcher.documents([number])
        return situation["leads"], situation["size"]

    return ranked(plan, postings, lead)


def test_the_judged_set_has_the_points_of_the_plain_ranking(built):
    for question in load()[::7]:
        plan = understand(question.q, built[1].vocabulary).plan
        given = replace(plan, given={number: 0.5 + number / 7 for number in range(3)})
        for one in (plan, given):
            assert built[1].searcher.search(one).first() == plain(built[1].searcher, one), question.q


def test_the_same_points_to_the_last_figure(searcher, tmp_path):
    whoosh = backend_named("whoosh")
    whoosh.build(tmp_path, DOCUMENTS)
    reference = whoosh.open(tmp_path)
    for name, plan in PLANS.items():
        assert searcher.search(plan).first() == reference.search(plan).first(), name
        for scored in reference.search(plan).first():
            assert searcher.explain(plan, scored.number) == reference.explain(plan, scored.number)
    assert all(isinstance(scored, Scored) for scored in searcher.search(PLANS["a word"]).first())


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 200, None])
def test_both_ways_to_hold_what_was_found_say_the_same(count):
    points = {n: float(n * 37 % 101 + 1) for n in range(0, 300, 2)}
    of = [n // 9 for n in range(400)]
    of_all = np.array([points.get(n, 0.0) for n in range(400)])
    listed, arrayed = Listed(points), Arrayed(of_all, 1.0, max(points.values()))
    assert arrayed.first(count) == listed.first(count)
    for least in (0.0, 50.0, 101.0, 102.0):
        for also in ((), (1, 3, 399)):
            assert arrayed.total(of, 4, least, also) == listed.total(of, 4, least, also)


def test_documents_come_back_whole(searcher):
    assert searcher.documents(range(4)) == [p.stored for p in DOCUMENTS]


def test_an_empty_index(engine, tmp_path):
    engine.build(tmp_path, [])
    assert engine.open(tmp_path).search(PLANS["a word"]).first() == []


def test_no_such_index(engine, tmp_path):
    with pytest.raises(BuildError, match="kb build") as caught:
        engine.open(tmp_path)
    assert "\n" not in str(caught.value)
    (tmp_path / "meta.json").write_text("{")
    with pytest.raises(BuildError):
        engine.open(tmp_path)


@pytest.fixture(scope="module")
def built(engine) -> tuple[Path, SearchIndex]:
    return index_folder(engine.name), index(engine.name)


def test_the_judged_set_gets_the_same_first_hits(built):
    """Stated tolerance: none. All engines keep the same weights exactly, and ranking.py does the sums."""
    other = [question.id for question in load() if _hits(built[1], question.q) != _hits(index(), question.q)]
    assert len(other) <= TOLERANCE, other


def _hits(found: SearchIndex, words: str) -> list[tuple[str, float]]:
    return [(str(hit.ref), hit.score) for hit in found.search(words).hits]


@pytest.mark.full
def test_the_same_bytes_every_time(built, engine, tmp_path):
    """Here without what an earlier build has counted."""
    kb, profile = bilingual()
    build_index(kb, profile, tmp_path, engine.name)
    one, other = current(built[0]), current(tmp_path)
    assert one is not None and other is not None and one.name == other.name
    names = sorted(path.name for path in one.iterdir())
    assert names == sorted(path.name for path in other.iterdir())
    assert [n for n in names if (one / n).read_bytes() != (other / n).read_bytes()] == []


@pytest.mark.parametrize("changed", [(), (0,), (1,), (2,), (0, 1, 2)])
def test_segments_that_stay_are_taken(tmp_path, monkeypatch, changed):
    """Two documents a segment: what is taken from the index before is not asked for again."""
    engine = backend_named("tantivy")
    monkeypatch.setattr("kb.search.tantivy_index._DOCUMENTS", 2)
    asked: list[str] = []

    def part(place: int, key: str, more: int) -> Part:
        terms = {**_all(), "карта": 5 + place + more, f"слово{place}": 3}
        documents = [Posting(2 * place + n, terms, {"ref": f"{place}.{n}"}) for n in (0, 1)]

        def given() -> Iterator[Posting]:
            asked.append(key)
            return iter(documents)

        return Part(key, 2, given)

    first = [part(place, f"{place}", 0) for place in range(3)]
    then = [part(n, f"{n} again", 9) if n in changed else first[n] for n in range(3)]
    for name in ("before", "amended", "anew", "mended"):
        (tmp_path / name).mkdir()
    engine.build_parts(tmp_path / "before", first, None)
    asked.clear()
    engine.build_parts(tmp_path / "amended", then, tmp_path / "before")
    assert asked == [f"{n} again" for n in changed]
    engine.build_parts(tmp_path / "anew", then, None)
    names = sorted(path.name for path in (tmp_path / "anew").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "amended").iterdir())
    assert len([name for name in names if name.endswith(".store")]) == 3
    assert all((tmp_path / "anew" / n).read_bytes() == (tmp_path / "amended" / n).read_bytes() for n in names)
    plan = Plan((Clause("карта", 1.0, (("карта", 1.0),)),))
    hits = engine.open(tmp_path / "amended").search(plan).first()
    assert sorted(hit.number for hit in hits) == list(range(6))
    spoilt = next((tmp_path / "before").glob("*.store"))
    content = spoilt.read_bytes()
    # Not in place: its file is that of the index that was amended, too.
    spoilt.unlink()
    spoilt.write_bytes(content[:-1])
    asked.clear()
    engine.build_parts(tmp_path / "mended", then, tmp_path / "before")
    assert len(asked) == 3, "of a damaged index nothing is taken"
    assert all((tmp_path / "anew" / n).read_bytes() == (tmp_path / "mended" / n).read_bytes() for n in names)


def test_a_damaged_index_is_one_clear_line(built, engine, tmp_path):
    kb, profile = bilingual()
    shutil.copytree(built[0], tmp_path, dirs_exist_ok=True)
    folder = current(tmp_path)
    assert folder is not None
    for path in folder.iterdir():
        if path.suffix != ".json" and path.name != "engine":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
    with pytest.raises(BuildError, match="kb build") as caught:
        open_index(tmp_path, kb, profile).search("взятка")
    assert "\n" not in str(caught.value)


@pytest.mark.full
def test_a_reader_keeps_its_index_when_another_takes_over(built, engine, tmp_path):
    kb, profile = bilingual()
    shutil.copytree(built[0], tmp_path, dirs_exist_ok=True)
    reader = open_index(tmp_path, kb, profile)
    # The other engine's index takes over, and the old one's files go.
    build_index(kb, profile, tmp_path, next(name for name in HERE if name != engine.name), counts())
    assert _hits(reader, "болван не может") == _hits(index(), "болван не может")
    assert _hits(open_index(tmp_path, kb, profile), "65D") == _hits(reader, "65D")


def test_threads_share_it(built):
    kb, profile = bilingual()
    words = ["взятка", "болван", "заявка", "ставка", "игрок", "карта", "судья", "наказание"] * 3
    shared = open_index(built[0], kb, profile)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda word: _hits(shared, word), words))
    assert found == [_hits(index(), word) for word in words]


@pytest.mark.parametrize("name", sorted(EXTRAS))
def test_without_the_extra(name, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, EXTRAS[name], None)
    with pytest.raises(MissingExtra, match=rf"lawkb\[{name}\]"):
        backend_named(name).build(tmp_path, DOCUMENTS)
    with pytest.raises(MissingExtra):
        backend_named(name).open(tmp_path)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({}, "KB_OPENSEARCH"),
        ({"KB_OPENSEARCH": " , "}, "KB_OPENSEARCH"),
        ({"KB_OPENSEARCH": "http://127.0.0.1:9200", "KB_OPENSEARCH_SHARDS": "0"}, "KB_OPENSEARCH_SHARDS=0"),
        ({"KB_OPENSEARCH": "http://127.0.0.1:9200", "KB_OPENSEARCH_REPLICAS": "-1"}, "from 0 to 1024"),
    ],
)
def test_a_cluster_is_said_by_the_environment(values, says):
    with pytest.raises(InputError, match=says):
        Cluster.of_environment(values)


def test_a_cluster_by_default():
    made = Cluster.of_environment({"KB_OPENSEARCH": "http://a:9200, https://b:9200"})
    assert made.hosts == ("http://a:9200", "https://b:9200")
    assert (made.shards, made.replicas) == (1, 1)
