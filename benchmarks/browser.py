"""Search without a server: ours beside Pagefind and MiniSearch, by quality and by what a phone has to fetch.

The others get our normalised terms (lemmas) for texts and queries, so that it is the engines that are
compared. Pagefind runs in a real browser, as it does on a site; MiniSearch in node. Neither is needed by the
project: ``pip install 'pagefind[bin]'``; MiniSearch is fetched by npm.
"""

from __future__ import annotations

import asyncio
import functools
import gzip
import http.server
import importlib.util
import json
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from relevance.measure import Question, load, measure, summarise
from search_base import bilingual, index

from benchmarks import Table
from benchmarks.search import given
from kb.search.export import export_index

CHROMIUM = Path("/usr/bin/chromium")
SCRIPTS = Path(__file__).parent.parent / "kb" / "publish" / "theme"
LIMIT = 10
Answers = Mapping[str, Sequence[str]]
Result = tuple[Answers, int, str]
"""Answers by question, bytes compressed up to the first answer, what was counted."""


def run() -> list[Table]:
    """One table."""
    questions = load()
    rows = []
    for name, engine in (("this search", _ours), ("MiniSearch", _minisearch), ("Pagefind", _pagefind)):
        with tempfile.TemporaryDirectory() as folder:
            try:
                answers, size, what = engine(questions, Path(folder))
            except _Absent as absent:
                rows.append((name, "", "", "", "", str(absent)))
                continue
        scores = measure(questions, lambda query, _, found=answers: list(found[query]))
        words = [score for score in scores if score.question.kind == "words"]
        [of_words] = summarise(words, ())
        [of_all] = summarise(scores, ())
        rows.append(
            (
                name,
                f"{of_words.recall:.3f}",
                f"{of_words.mrr:.3f}",
                f"{of_all.recall:.3f}",
                f"{size / 1000:.0f}",
                what,
            )
        )
    return [
        Table(
            "Search in the browser",
            ("search", "recall@5, words", "MRR, words", "recall@5, all", "KB", "what they are"),
            tuple(rows),
            "All judged questions. KB: compressed, what the first answer costs beside the page.",
        )
    ]


class _Absent(Exception):
    """What is not installed, and how to get it."""


def _ours(questions: Sequence[Question], folder: Path) -> Result:
    found = {q.q: [str(hit.ref) for hit in index().search(q.q, limit=LIMIT).hits] for q in questions}
    kb, profile = bilingual()
    data = export_index(kb, profile, folder).read_bytes()
    size = len(gzip.compress(data, 9)) + len(gzip.compress((SCRIPTS / "search.js").read_bytes(), 9))
    return found, size, "search.js, search-data.js"


def _normal(text: str) -> str:
    """The lemmas of a text, parted by spaces: of several one, always the same."""
    vocabulary = index().vocabulary
    forms = (token.form for token in vocabulary.analyser.tokens(text))
    return " ".join(min(vocabulary.lemmas(form), default=form) for form in forms)


def _documents() -> Iterator[dict[str, str]]:
    for ref, (title, text, commentary) in given().items():
        yield {
            "ref": ref,
            "title": _normal(title),
            "text": _normal(text),
            "commentary": _normal(commentary),
        }


def _minisearch(questions: Sequence[Question], folder: Path) -> Result:
    try:
        subprocess.run(
            ["npm", "install", "--silent", "--prefix", str(folder), "minisearch@7"],
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.CalledProcessError):
        raise _Absent("npm could not fetch it") from None
    task = json.dumps({"docs": list(_documents()), "queries": [_normal(q.q) for q in questions]})
    script = Path(__file__).with_name("js") / "minisearch_run.js"
    done = subprocess.run(
        ["node", str(script), str(folder)], input=task, capture_output=True, text=True, check=True
    )
    made = json.loads(done.stdout)
    library = (folder / "node_modules/minisearch/dist/umd/index.js").read_bytes()
    size = len(gzip.compress(library, 9)) + len(gzip.compress(made["index"].encode(), 9))
    found = dict(zip([q.q for q in questions], made["hits"], strict=True))
    return found, size, "its script, its index; no titles, no snippets, no vocabulary"


def _pagefind(questions: Sequence[Question], folder: Path) -> Result:
    if importlib.util.find_spec("pagefind") is None:
        raise _Absent("pip install 'pagefind[bin]'")
    if importlib.util.find_spec("playwright") is None or not CHROMIUM.exists():
        raise _Absent("needs chromium and playwright")
    asyncio.run(_written(folder))
    (folder / "index.html").write_text("<!doctype html><title>pagefind</title>", encoding="utf-8")
    refs = [document["ref"] for document in _documents()]
    asked = [_normal(question.q) for question in questions]
    with _served(folder) as address:
        first, hits = _asked(address, asked)
    found = {
        question.q: [refs[int(url.strip("/"))] for url in urls]
        for question, urls in zip(questions, hits, strict=True)
    }
    return found, first, "its script and WASM, the first query's chunks"


async def _written(folder: Path) -> None:
    from pagefind.index import PagefindIndex

    async with PagefindIndex(config={"output_path": str(folder / "pagefind")}) as made:
        for number, document in enumerate(_documents()):
            await made.add_custom_record(
                url=f"/{number}/",
                content=f"{document['title']} {document['text']} {document['commentary']}",
                language="ru",
                meta={"title": document["title"]},
            )


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


_SEARCH = """async (queries) => {
  const found = window.pagefindHere || (window.pagefindHere = await import("/pagefind/pagefind.js"));
  const all = [];
  for (const query of queries) {
    const answer = await found.search(query);
    all.push(await Promise.all(answer.results.slice(0, 10).map(async (one) => (await one.data()).url)));
  }
  return all;
}"""


def _asked(address: str, asked: Sequence[str]) -> tuple[int, list[list[str]]]:
    from playwright.sync_api import sync_playwright

    fetched: list[bytes] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(address)
        page.on("requestfinished", lambda request: fetched.append(request.response().body()))
        page.evaluate(_SEARCH, [asked[0]])
        # What is compressed already stays as large.
        size = sum(min(len(body), len(gzip.compress(body, 9))) for body in fetched)
        hits = page.evaluate(_SEARCH, list(asked))
        browser.close()
    return size, hits
