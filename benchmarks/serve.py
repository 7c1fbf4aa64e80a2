"""The server under wrk: sixteen connections, distinct queries, answers kept and not."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from relevance.measure import load

from benchmarks import Table

ROOT = Path(__file__).parent.parent


SECONDS, CONNECTIONS = 5, 16
_FORM = """
local paths = {{ {paths} }}
local at = 0
request = function()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end
"""


def run() -> list[Table]:
    """Static pages, resolver, search; without wrk nothing."""
    if shutil.which("wrk") is None:
        print("benchmarks: serve: needs wrk (Debian: apt-get install wrk)", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as name:
        build = Path(name) / "build"
        command = [sys.executable, "-m", "kb.cli", "--build", str(build), "-q", "build"]
        subprocess.run(command, check=True, cwd=ROOT)
        paths = _paths(build)
        rows = []
        for kept in (10_000, 0):
            with _server(build, kept) as port:
                for what, asked in paths.items():
                    rate, slow, errors = _wrk(port, asked, Path(name) / "ask.lua")
                    told = "kept" if kept else "not kept"
                    rows.append((f"{what}, answers {told}", f"{rate:,.0f}", slow, errors))
    return [
        Table(
            "Server on the bridge corpus",
            ("", "requests a second", "99 of 100 within", "errors"),
            tuple(rows),
            f"wrk, one thread, {CONNECTIONS} connections, {SECONDS} s each, one server process on the same "
            "machine; searches and citations all distinct: the judged questions and the outline's numbers.",
        )
    ]


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


@contextmanager
def _server(build: Path, kept: int) -> Iterator[int]:
    where = f"Path({str(build)!r}), '127.0.0.1', 0, {kept}"
    code = f"from pathlib import Path; from kb.serve import run; run({where})"
    # Its log goes to a file: a pipe nobody reads would stop it.
    log = build.parent / "log"
    with log.open("w") as stream:
        process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stderr=stream)
    try:
        found = None
        while found is None and process.poll() is None:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", log.read_text("utf-8"))
        if found is None:
            raise RuntimeError(f"the server did not start: {log.read_text('utf-8')[-500:]}")
        yield int(found[1])
    finally:
        process.terminate()
        process.wait()


def _wrk(port: int, asked: list[str], script: Path) -> tuple[float, str, str]:
    script.write_text(_FORM.format(paths=", ".join(f'"{path}"' for path in asked)), "utf-8")
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "--latency", "-s", str(script)]
    said = subprocess.run(
        [*command, f"http://127.0.0.1:{port}"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    rate = re.search(r"Requests/sec:\s+([\d.]+)", said)
    slow = re.search(r"99%\s+(\S+)", said)
    wrong = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    broken = re.search(r"Socket errors: (.+)", said)
    assert rate and slow
    return float(rate[1]), slow[1], broken[1] if broken else wrong[1] if wrong else "0"
