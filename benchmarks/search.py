"""How well and how fast the search answers, beside three others that get the same titles and texts.

The questions are those of ``tests/relevance``. Weights were chosen on the half ``tune``.
"""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from relevance.measure import HALVES, Question, Score, load, measure, summarise
from search_base import bilingual, index

from benchmarks import Table
from kb import lang
from kb.search import SearchIndex
from kb.search.analysis import Analyser
from kb.search.backend import Clause, Plan, Posting
from kb.search.building import first_pass, weighted
from kb.search.documents import Document, Source
from kb.search.index import LEAST

ROOT = Path(__file__).parent.parent


Ask = Callable[[str, str], Sequence[str]]
Given = Mapping[str, tuple[str, str, str]]
"""Ref -> title, text and commentary, in all languages."""
LIMIT = 10
LARGE, SMALL = 10_000, 2_500
_WORD = re.compile(r"[^\W_]+")


def run() -> list[Table]:
    """Quality by half and kind, then against the others, then speed."""
    questions = load()
    ours = measure(questions, _ours)
    tables = [_quality(ours), _others(questions, ours)]
    return [*tables, _speed(questions), _large()]


def _ours(query: str, _: str) -> list[str]:
    return [str(hit.ref) for hit in index().search(query, limit=LIMIT).hits]


def _quality(scores: list[Score]) -> Table:
    rows = []
    for by in (("half",), ("half", "lang"), ("half", "kind"), ("half", "kind", "lang")):
        for row in summarise(scores, by):
            numbers = (row.recall, row.mrr, row.mrr_exact, row.ndcg)
            rows.append((" ".join(row.group), str(row.count), *(f"{value:.3f}" for value in numbers)))
    return Table(
        "Search on the judged set",
        ("questions", "n", "recall@5", "MRR", "MRR exact", "nDCG@5"),
        tuple(rows),
        "Weights were chosen on tune; held was measured only.",
    )


def _others(questions: Sequence[Question], ours: list[Score]) -> Table:
    texts = given()
    systems: dict[str, list[Score]] = {"this search": ours}
    for name, made in (("whoosh, its Russian analyser", _whoosh), ("SQLite FTS5 on Snowball stems", _fts5)):
        systems[name] = measure(questions, made(texts))
    if shutil.which("node"):
        systems["MkDocs' own (lunr, ru and en)"] = measure(questions, _lunr(texts, questions))
    rows = []
    for name, scores in systems.items():
        for half in HALVES:
            chosen = [s for s in scores if (s.question.half, s.question.kind) == (half, "words")]
            for language in ("ru", "en"):
                [row] = summarise([s for s in chosen if s.question.lang == language], ("lang",))
                numbers = (row.recall, row.mrr, row.ndcg)
                rows.append((name, f"{half} {language}", *(f"{value:.3f}" for value in numbers)))
    return Table(
        "Questions in everyday words, beside other searches",
        ("search", "half", "recall@5", "MRR", "nDCG@5"),
        tuple(sorted(rows, key=lambda row: row[1])),
        "All get the same titles, texts and commentary, one document a provision; situations, glossary and "
        "families of words are this search's own.",
    )


@cache
def _documents() -> tuple[Document, ...]:
    kb, profile = bilingual()
    return tuple(Source(kb, profile).documents())


def given() -> Given:
    """What every search is given."""
    found = {}
    for document in _documents():
        parts = {
            name: " ".join(t for f, _, t in document.fields if f in wanted) for name, wanted in _PARTS.items()
        }
        found[str(document.ref)] = (parts["title"], parts["text"], parts["commentary"])
    return found


_PARTS = {"title": ("title",), "text": ("text", "rendering"), "commentary": ("commentary",)}


def _whoosh(given: Given) -> Ask:
    from whoosh import fields, qparser
    from whoosh.analysis import LanguageAnalyzer
    from whoosh.filedb.filestore import RamStorage

    text = fields.TEXT(analyzer=LanguageAnalyzer("ru"))
    names = ["title", "text", "commentary"]
    made = RamStorage().create_index(fields.Schema(ref=fields.STORED, **dict.fromkeys(names, text)))
    writer = made.writer()
    for ref, parts in given.items():
        writer.add_document(ref=ref, **dict(zip(names, parts, strict=True)))
    writer.commit()
    parser = qparser.MultifieldParser(names, made.schema, group=qparser.OrGroup)
    searcher = made.searcher()

    def ask(query: str, _: str) -> list[str]:
        parsed = parser.parse(" ".join(_WORD.findall(query)))
        return [hit["ref"] for hit in searcher.search(parsed, limit=LIMIT)]

    return ask


def _fts5(given: Given) -> Ask:
    languages = [lang.get("ru"), lang.get("en")]

    def stems(text: str) -> str:
        words = _WORD.findall(text)
        return " ".join(next((x.stem(w) for x in languages if x.owns(w)), w.lower()) for w in words)

    base = sqlite3.connect(":memory:")
    base.execute("create virtual table laws using fts5(ref unindexed, title, text, commentary)")
    rows = [(ref, *map(stems, parts)) for ref, parts in given.items()]
    base.executemany("insert into laws values (?, ?, ?, ?)", rows)

    def ask(query: str, _: str) -> list[str]:
        wanted = " OR ".join(f'"{word}"' for word in stems(query).split())
        found = base.execute(
            "select ref from laws where laws match ? order by bm25(laws, 0, 3, 1, 0.6) limit ?",
            (wanted, LIMIT),
        )
        return [ref for (ref,) in found] if wanted else []

    return ask


def _lunr(given: Given, questions: Sequence[Question]) -> Ask:
    """MkDocs' script and stemmers, run by node; all questions at once."""
    import mkdocs.contrib.search

    docs = [{"location": ref, "title": t, "text": f"{text} {more}"} for ref, (t, text, more) in given.items()]
    asked = [" ".join(_WORD.findall(question.q)) for question in questions]
    task = json.dumps({"docs": docs, "lang": ["ru", "en"], "queries": asked})
    script = Path(__file__).with_name("js") / "lunr_run.js"
    folder = str(Path(mkdocs.contrib.search.__file__).parent)
    done = subprocess.run(
        ["node", str(script), folder], input=task, capture_output=True, text=True, check=True
    )
    answers = dict(zip([question.q for question in questions], json.loads(done.stdout), strict=True))
    return lambda query, _: answers[query]


def _speed(questions: Sequence[Question]) -> Table:
    asked = [question.q for question in questions]
    rows = []
    for name, fresh in (("first time", _fresh()), ("again", None)):
        times = _times(fresh or index(), asked)
        rows.append((name, *(f"{value:.1f}" for value in _spread_of(times))))
    return Table(
        "A query on this corpus, milliseconds",
        ("asked", "median", "95 of 100", "slowest"),
        tuple(rows),
        "All judged questions, from the words to ten hits with their snippets.",
    )


def _times(found: SearchIndex, asked: Sequence[str]) -> list[float]:
    return sorted(_milliseconds(lambda q=q: found.search(q)) for q in asked)


def _fresh() -> SearchIndex:
    index.cache_clear()
    return index()


def _spread_of(times: list[float]) -> tuple[float, float, float]:
    return statistics.median(times), times[int(len(times) * 0.95)], times[-1]


def _milliseconds(what: Callable[[], object]) -> float:
    began = time.perf_counter()
    what()
    return (time.perf_counter() - began) * 1000


def _large() -> Table:
    """Ten thousand provisions: ours, over and over, in this index and in a plain whoosh field."""
    rows = []
    times: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        for count in (SMALL, LARGE):
            folder = Path(name) / str(count)
            folder.mkdir()
            times["ours"], search = _ours_large(folder, count)
            times["plain"], plain = _plain_large(Path(name) / f"plain{count}", count)
            rows.append(
                (f"{count} provisions: seconds to index", *(f"{times[k]:.1f}" for k in ("ours", "plain")))
            )
            for size in (1, 2, 4):
                asked = _term_sets(size)
                medians = [
                    statistics.median(_milliseconds(lambda t=t, one=one: one(t)) for t in asked)
                    for one in (search, plain)
                ]
                rows.append(
                    (f"{count} provisions: ms for {size} terms", *(f"{value:.2f}" for value in medians))
                )
    return Table(
        "Whoosh at size, the same terms",
        ("", "this index", "stock whoosh"),
        tuple(rows),
        "Median of 60 sets of terms of the corpus's own words, asked for the first time, the best ten.",
    )


@cache
def _postings() -> tuple[Posting, ...]:
    kb, profile = bilingual()
    source = Source(kb, profile)
    analyser = Analyser(source.languages)
    vocabulary, means, _ = first_pass(source, analyser, profile, "")
    return tuple(p for p in weighted(source, analyser, means, vocabulary) if "ref" in p.stored)


def _repeated(count: int) -> Iterator[Posting]:
    base = _postings()
    for number in range(count):
        yield dataclasses.replace(base[number * 7 % len(base)], number=number)


def _term_sets(size: int) -> list[list[str]]:
    counts: dict[str, int] = {}
    for posting in _postings():
        for term in posting.terms:
            if term[0] not in "@~":
                counts[term] = counts.get(term, 0) + 1
    common = sorted(counts, key=lambda term: (-counts[term], term))[:240]
    return [[common[(n * 4 + k * 61) % len(common)] for k in range(size)] for n in range(60)]


def _ours_large(folder: Path, count: int) -> tuple[float, Callable[[list[str]], Any]]:
    from kb.search.whoosh_index import WhooshBackend

    backend = WhooshBackend()
    seconds = _milliseconds(lambda: backend.build(folder, _repeated(count))) / 1000
    searcher = backend.open(folder)
    return seconds, lambda terms: searcher.search(
        Plan(tuple(Clause(t, 1.0, ((t, 1.0),)) for t in terms)), LEAST
    ).first(LIMIT)


def _plain_large(folder: Path, count: int) -> tuple[float, Callable[[list[str]], Any]]:
    from whoosh import fields, index, query

    folder.mkdir()
    schema = fields.Schema(document=fields.STORED, text=fields.KEYWORD(scorable=True))
    made = index.create_in(str(folder), schema)

    def build() -> None:
        writer = made.writer(limitmb=256)
        for posting in _repeated(count):
            words = [t for t, w in posting.terms.items() if t[0] not in "@~" for _ in range(1 + w // 32)]
            stored = json.dumps(posting.stored, ensure_ascii=False)
            writer.add_document(document=stored, text=" ".join(words))
        writer.commit()

    seconds = _milliseconds(build) / 1000
    searcher = made.searcher()
    return seconds, lambda terms: searcher.search(
        query.Or([query.Term("text", t) for t in terms]), limit=LIMIT
    )
