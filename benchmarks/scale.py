"""Size: the index and the queries as the corpus grows; how soon each command answers. The build: growth.py.

Each measurement runs in a process of its own. Processor seconds, one core.
"""

from __future__ import annotations

import json
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import INSTALLED, Table

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests")]

LAWS = (100, 1000)
"""About ten provisions each."""
LIMIT, SETS = 10, 60
SIZES = (1, 2, 4)
Ask = Callable[[list[str]], object]


def run() -> list[Table]:
    """Index and queries, cold starts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for laws in LAWS:
            from grown import grow

            grow(folder / f"corpus-{laws}", laws)
            _apart("index", folder / f"corpus-{laws}", folder / f"build-{laws}")
        return [_engines(folder), _cold(folder)]


def measure_index(corpus: str, build: str) -> None:
    """In a process of its own: the store, and the indexes of both engines."""
    from kb import pipeline
    from kb import profile as profiles
    from kb.search import build_index
    from kb.store import open_store, save

    root, target = Path(corpus), Path(build)
    save(pipeline.build(root), target / "kb.sqlite")
    with open_store(target / "kb.sqlite") as kb:
        for name in ("whoosh", "tantivy"):
            build_index(kb, profiles.load(root), target / name, name)


def _engines(folder: Path) -> Table:
    rows = []
    for laws in LAWS:
        found = _apart("engines", folder / f"corpus-{laws}", folder / f"build-{laws}")
        for name, one in found.items():
            rows.append(
                (f"{name}, {laws} laws", *("–" if value != value else f"{value:.2f}" for value in one))
            )
    return Table(
        "Indexes of the same terms",
        ("", "s to index", *(f"ms for {size}" for size in SIZES)),
        tuple(rows),
        f"Terms as our analyser gives them, one field; {SETS} sets of 1, 2 and 4 of the commoner terms, "
        f"median, the best {LIMIT} asked for. «whole search» is ours from the words to hits with snippets.",
    )


def measure_engines(corpus: str, build: str) -> dict[str, list[float]]:
    """In a process of its own: each engine's seconds to index and milliseconds to answer."""
    from kb import profile as profiles
    from kb.search.analysis import Analyser
    from kb.store import open_store

    profile = profiles.load(Path(corpus))
    found = {}
    with open_store(Path(build) / "kb.sqlite") as kb:
        analyser = Analyser(profile.languages)
        documents = [
            [lemma for word in analyser.words(f"{node.title} {node.text}") for lemma in word[:1]]
            for node in kb.nodes(profile.law_work.name)
        ]
        sets = _sets(documents)
        with tempfile.TemporaryDirectory() as name:
            for engine, make in (("SQLite FTS5", _fts5), ("stock whoosh", _whoosh), ("tantivy", _tantivy)):
                place = Path(name) / engine.replace(" ", "")
                place.mkdir()
                began = time.process_time()
                ask = make(place, documents)
                found[engine] = [time.process_time() - began, *_medians(ask, sets)]
        from kb.search import open_index

        for backend in ("whoosh", "tantivy"):
            index = open_index(Path(build) / backend, kb, profile)
            found[f"whole search, {backend}"] = [
                float("nan"),
                *_medians(lambda terms, i=index: i.search(" ".join(terms)), sets),  # type: ignore[misc]
            ]
    return found


def _sets(documents: Sequence[Sequence[str]]) -> dict[int, list[list[str]]]:
    counts: dict[str, int] = {}
    for words in documents:
        for word in set(words):
            counts[word] = counts.get(word, 0) + 1
    common = sorted(counts, key=lambda word: (-counts[word], word))[:120]
    return {
        size: [[common[(n * 4 + k * 61) % len(common)] for k in range(size)] for n in range(SETS)]
        for size in SIZES
    }


def _medians(ask: Ask, sets: dict[int, list[list[str]]]) -> list[float]:
    found = []
    for asked in sets.values():
        times = []
        for terms in asked:
            began = time.perf_counter()
            ask(terms)
            times.append((time.perf_counter() - began) * 1000)
        found.append(statistics.median(times))
    return found


def _fts5(place: Path, documents: Sequence[Sequence[str]]) -> Ask:
    base = sqlite3.connect(place / "fts.sqlite")
    base.execute("create virtual table docs using fts5 (text, tokenize = 'unicode61')")
    base.executemany("insert into docs values (?)", ((" ".join(words),) for words in documents))
    base.commit()
    sql = "select rowid from docs where docs match ? order by bm25(docs) limit ?"
    return lambda terms: base.execute(sql, (" OR ".join(f'"{t}"' for t in terms), LIMIT)).fetchall()


def _whoosh(place: Path, documents: Sequence[Sequence[str]]) -> Ask:
    from whoosh import fields, index, query

    made = index.create_in(str(place), fields.Schema(text=fields.KEYWORD(scorable=True)))
    writer = made.writer(limitmb=256)
    for words in documents:
        writer.add_document(text=" ".join(words))
    writer.commit()
    searcher = made.searcher()
    return lambda terms: searcher.search(query.Or([query.Term("text", t) for t in terms]), limit=LIMIT)


def _tantivy(place: Path, documents: Sequence[Sequence[str]]) -> Ask:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    made = tantivy.Index(builder.build(), path=str(place))
    writer = made.writer(num_threads=1)
    for words in documents:
        writer.add_document(tantivy.Document(text=" ".join(words)))
    writer.commit()
    writer.wait_merging_threads()
    made.reload()
    searcher = made.searcher()
    query = tantivy.Query

    def ask(terms: list[str]) -> Any:
        each = [(tantivy.Occur.Should, query.term_query(made.schema, "text", t, "freq")) for t in terms]
        return searcher.search(query.boolean_query(each), limit=LIMIT)

    return ask


def _cold(folder: Path) -> Table:
    build = folder / "bridge"
    subprocess.run(_kb(build, "-q", "build", "--only", "index,report"), check=True, cwd=ROOT)
    commands = {
        "kb --version": ["--version"],
        "kb show 65C": ["show", "65C"],
        "kb resolve": ["resolve", "правилам 61А и 62А"],
        "kb search": ["search", "ход вне очереди"],
        "kb audit": ["audit"],
        "kb build, nothing to do": ["-q", "build", "--only", "index,report"],
    }
    rows = []
    for name, more in commands.items():
        times = sorted(_process_seconds(_kb(build, *more)) for _ in range(5))
        rows.append((name, f"{times[2] * 1000:.0f}", f"{times[0] * 1000:.0f}"))
    python = sorted(_process_seconds([sys.executable, "-c", "pass"]) for _ in range(5))
    rows.append(("python alone", f"{python[2] * 1000:.0f}", f"{python[0] * 1000:.0f}"))
    return Table(
        "From the command to its end",
        ("", "median ms", "best ms"),
        tuple(rows),
        "The bridge corpus, warm disk, five runs; processor time of the process, so that other work on the "
        "machine does not count.",
    )


def _kb(build: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "kb.cli", "--build", str(build), *more]


def _process_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(command, cwd=ROOT, env=INSTALLED, check=True, **quiet)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _apart(what: str, *arguments: Path) -> Any:
    code = (
        f"import json, sys; from benchmarks.scale import measure_{what} as m; "
        "print(json.dumps(m(*sys.argv[1:])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout)
