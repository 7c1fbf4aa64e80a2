"""The server under wrk: sixteen connections, distinct queries, answers kept and not.

``KB_BENCH_SECONDS``: how long each is asked (5).
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from relevance.measure import load

from benchmarks import Table
from kb.library import MARKER
from kb.turns import writing

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests")]


SECONDS, CONNECTIONS = int(os.environ.get("KB_BENCH_SECONDS", "5")), 16
LAWS, QUERIES, SWAPS = 1000, 1000, 20
HEAD = ("", "requests a second", "a processor second of the server", "99 of 100 within", "errors")
_HOW = f"wrk, one thread, {CONNECTIONS} connections, {SECONDS} s each, on one core; one server on the other;"
_FORM = """
local paths = {{ {paths} }}
local at = 0
request = function()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end
"""


def run() -> list[Table]:
    """Static pages, resolver, search; the search at size; a build that is swapped. Without wrk nothing."""
    if shutil.which("wrk") is None:
        print("benchmarks: serve: needs wrk (Debian: apt-get install wrk)", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build = folder / "build"
        _kb("--build", str(build), "-q", "build")
        return [_bridge(build, folder), _large(folder), _swapped(build, folder)]


def _kb(*more: str) -> None:
    subprocess.run([sys.executable, "-m", "kb.cli", *more], check=True, cwd=ROOT)


def _bridge(build: Path, folder: Path) -> Table:
    paths = _paths(build)
    rows = []
    for kept in (10_000, 0):
        with _server(build, kept) as server:
            for what, asked in paths.items():
                told = "kept" if kept else "not kept"
                rows.append((f"{what}, answers {told}", *_wrk(server, asked, folder)))
    return Table(
        "Server on the bridge corpus",
        HEAD,
        tuple(rows),
        f"{_HOW} searches and citations all distinct: the judged questions and the outline's numbers.",
    )


def _large(folder: Path) -> Table:
    """About ten thousand provisions of our own wording, no answer kept."""
    from grown import grow

    grow(folder / "corpus", LAWS)
    rows = []
    for backend in ("whoosh", "tantivy"):
        build = folder / backend
        corpus = str(folder / "corpus")
        only = ("--only", "index,report", "--backend", backend)
        _kb("--corpus", corpus, "--build", str(build), "-q", "build", *only)
        asked = [f"/api/v1/search?q={quote(words)}" for words in queries(build)]
        with _server(build, 0) as server:
            rows.append((backend, *_wrk(server, asked, folder)))
            rows.append((f"{backend}, asked before", *_wrk(server, asked, folder)))
    return Table(
        "Search in ten thousand provisions",
        HEAD,
        tuple(rows),
        f"{_HOW} {QUERIES:,} distinct queries: the judged questions, then one to four words of the corpus. "
        "«asked before»: the same once more. What a processor second is worth leaves out other work on the "
        "machine.",
    )


def queries(build: Path) -> list[str]:
    """Distinct queries for a build: those that are judged, then words of its own, by lot."""
    from kb.library import open_library

    with_four = [form for form in open_library(build).index.vocabulary.forms if len(form) > 3]
    chance = random.Random(1)
    asked = dict.fromkeys(question.q for question in load())
    for draw in count():
        if len(asked) >= QUERIES:
            break
        asked[" ".join(chance.choice(with_four) for _ in range(1 + draw % 4))] = None
    return list(asked)


def _swapped(build: Path, folder: Path) -> Table:
    """A new build takes over again and again while all is asked."""
    paths = _paths(build)
    asked = [path for several in paths.values() for path in several[:100]]
    with _server(build, 0) as server:
        swaps = threading.Thread(target=_swap, args=(build, server.port))
        swaps.start()
        seconds = SWAPS * 3
        row = _wrk(server, asked, folder, seconds)
        swaps.join()
    return Table(
        f"A build taken over {SWAPS} times under load",
        HEAD,
        (("pages, resolver and search", *row),),
        f"As above, {seconds} s; nothing kept.",
    )


def _swap(build: Path, port: int) -> None:
    """Tell the server of a new build, wait until it has it, and so on."""
    for number in range(SWAPS):
        with writing(build):
            marker = build / MARKER
            draft = marker.with_suffix(".draft")
            draft.write_bytes(marker.read_bytes())
            os.replace(draft, marker)
        time.sleep(2.5)
        if not _answers(port):
            raise RuntimeError(f"no answer after build {number}")


def _answers(port: int) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=30) as answer:
        return bool(answer.status == 200)


def _paths(build: Path) -> dict[str, list[str]]:
    from kb.library import open_library

    site = build / "site"
    base = open_library(build)
    refs = [ref for ref in base if ref.startswith(f"{base.profile.law_work.name}/")]
    pages = [
        "/" + str(path.parent.relative_to(site)) + "/" for path in sorted(site.glob("laws/*/*/index.html"))
    ]
    return {
        "pages": pages,
        "resolver": [f"/cite/{quote(base[ref].short)}" for ref in refs if base[ref].short[:1].isdigit()],
        "resolver, JSON": [f"/api/v1/resolve?q={quote(ref)}" for ref in refs],
        "search": [f"/api/v1/search?q={quote(question.q)}" for question in load()],
    }


class Served(NamedTuple):
    """A server that runs."""

    port: int
    pid: int

    def spent(self) -> float:
        """Processor seconds it took so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _server(build: Path, kept: int) -> Iterator[Served]:
    where = f"Path({str(build)!r}), '127.0.0.1', 0, {kept}"
    code = f"from pathlib import Path; from kb.serve import run; run({where})"
    # Its log goes to a file: a pipe nobody reads would stop it.
    log = build.parent / "log"
    with log.open("w") as stream:
        process = subprocess.Popen([*_on(0), sys.executable, "-c", code], cwd=ROOT, stderr=stream)
    try:
        found = None
        while found is None and process.poll() is None:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", log.read_text("utf-8"))
        if found is None:
            raise RuntimeError(f"the server did not start: {log.read_text('utf-8')[-500:]}")
        yield Served(int(found[1]), process.pid)
    finally:
        process.terminate()
        process.wait()


def _wrk(server: Served, asked: list[str], folder: Path, seconds: int = SECONDS) -> tuple[str, ...]:
    script = folder / "ask.lua"
    script.write_text(_FORM.format(paths=", ".join(f'"{path}"' for path in asked)), "utf-8")
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "10s", "--latency"]
    before = server.spent()
    said = subprocess.run(
        [*_on(1), *command, "-s", str(script), f"http://127.0.0.1:{server.port}"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    spent = server.spent() - before
    rate = re.search(r"Requests/sec:\s+([\d.]+)", said)
    slow = re.search(r"99%\s+(\S+)", said)
    wrong = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    broken = re.search(r"Socket errors: (.+)", said)
    count = re.search(r"(\d+) requests in", said)
    assert rate and slow and count
    worth = f"{int(count[1]) / spent:,.0f}"
    return f"{float(rate[1]):,.0f}", worth, slow[1], broken[1] if broken else wrong[1] if wrong else "0"


def _on(core: int) -> list[str]:
    """What makes a command run on one core only."""
    several = (os.cpu_count() or 1) > 1 and shutil.which("taskset")
    return ["taskset", "-c", str(core)] if several else []
