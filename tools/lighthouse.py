"""``python tools/lighthouse.py BUILD PATH…``: Lighthouse's figures of pages as ``kb serve`` sends them.

Phone profile; the median of ``--runs`` (five). Asks for performance of at least 95 and 100 of all else. Needs
Node and Chromium; Lighthouse itself comes from npm into ``--folder``, unless it is there already.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

VERSION = "12.8.2"
"""13 wants a newer Node than 20."""
LEAST = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 100}
CHROMIUM = "/usr/bin/chromium"
_PATIENCE_SECONDS = 60
_PAGE_SECONDS = 300
_TRIES = 3


class Trouble(Exception):
    """What a person can mend, in one line."""


def main(arguments: Sequence[str]) -> int:
    """0 all pages reach ``LEAST``; 1 some do not; 2 for wrong usage or where a tool is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("build", type=Path, metavar="BUILD", help="a folder that kb build has made")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="pages below the site, as /laws/1987/65/")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument(
        "--folder", type=Path, default=Path("build/.lighthouse"), help="where npm installs it"
    )
    chosen = parser.parse_args(arguments)
    try:
        lighthouse = installed(chosen.folder)
        with served(chosen.build) as base:
            reached = [
                tell(path, measure(lighthouse, base + path, chosen.runs)) for path in _paths(chosen.paths)
            ]
    except Trouble as error:
        print(f"lighthouse: {error}", file=sys.stderr)
        return 2
    return 0 if all(reached) else 1


def _paths(given: Sequence[str]) -> list[str]:
    return [path.lstrip("/") for path in given]


def installed(folder: Path) -> Path:
    """The program, installed from npm the first time. Raises Trouble without npm or its registry."""
    program = folder / "node_modules" / ".bin" / "lighthouse"
    if not program.exists():
        if shutil.which("npm") is None:
            raise Trouble("npm is not there; install Node")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n')
        done = subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", f"lighthouse@{VERSION}"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise Trouble(f"npm did not install lighthouse {VERSION}: {_last(done.stderr)}")
    return program.resolve()


@contextmanager
def served(build: Path) -> Iterator[str]:
    """The address, ending in ``/``, at which ``kb serve`` has a build while the block runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    command = [sys.executable, "-m", "kb.cli", "--build", str(build), "serve", "--port", port]
    # A file and no pipe: nobody reads along, and a full pipe would stop the server.
    with tempfile.TemporaryFile("w+") as said:
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        try:
            _wait(server, f"http://127.0.0.1:{port}/", said)
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()
            server.wait()


def _wait(server: subprocess.Popen[bytes], base: str, said: TextIO) -> None:
    for _ in range(_PATIENCE_SECONDS * 4):
        if server.poll() is not None:
            said.seek(0)
            raise Trouble(f"kb serve ended: {_last(said.read())}")
        try:
            with urllib.request.urlopen(f"{base}healthz"):
                return
        except OSError:
            time.sleep(0.25)
    raise Trouble("kb serve does not answer")


def measure(lighthouse: Path, url: str, runs: int) -> list[dict[str, Any]]:
    """Lighthouse's reports of a page. Raises Trouble when it cannot load the page."""
    reports = []
    for _ in range(runs):
        reports.append(_report(lighthouse, url))
        print(f"{url}: {len(reports)} of {runs}", file=sys.stderr)
    return reports


def _report(lighthouse: Path, url: str) -> dict[str, Any]:
    """One run; on a busy machine a browser may not answer in time, which says nothing of the page."""
    for _ in range(_TRIES - 1):
        try:
            return _run(lighthouse, url)
        except Trouble as error:
            print(f"{error}; once more", file=sys.stderr)
    return _run(lighthouse, url)


def _run(lighthouse: Path, url: str) -> dict[str, Any]:
    root = " --no-sandbox" if hasattr(os, "geteuid") and os.geteuid() == 0 else ""
    command = [str(lighthouse), url, "--output=json", "--quiet", f"--chrome-flags=--headless=new{root}"]
    env = {"CHROME_PATH": CHROMIUM, **os.environ}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=env, check=False, timeout=_PAGE_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise Trouble(f"{url}: no figures within {_PAGE_SECONDS} s") from None
    if done.returncode:
        raise Trouble(f"{url}: {_last(done.stderr)}")
    report: dict[str, Any] = json.loads(done.stdout)
    if report.get("runtimeError"):
        raise Trouble(f"{url}: {report['runtimeError']['message']}")
    return report


def points(reports: list[dict[str, Any]]) -> dict[str, float]:
    """Category -> the median of its points, of 100."""
    return {
        name: statistics.median(round((report["categories"][name]["score"] or 0) * 100) for report in reports)
        for name in LEAST
    }


def lacking(report: dict[str, Any]) -> list[str]:
    """The checks, beside those of speed, that a page fails: ``category: check``."""
    return [
        f"{name}: {part['id']}"
        for name in LEAST
        if name != "performance"
        for part in report["categories"][name]["auditRefs"]
        if part["weight"] and (report["audits"][part["id"]]["score"] or 0) < 1
        if report["audits"][part["id"]]["scoreDisplayMode"] not in ("notApplicable", "manual", "informative")
    ]


def tell(path: str, reports: list[dict[str, Any]]) -> bool:
    """Print a page's figures; True when they reach ``LEAST``."""
    found = points(reports)
    times = {
        name: statistics.median(report["audits"][name]["numericValue"] for report in reports)
        for name in ("first-contentful-paint", "largest-contentful-paint", "total-blocking-time")
    }
    print(f"/{path}: " + ", ".join(f"{name} {value:g}" for name, value in found.items()))
    print("  " + ", ".join(f"{name} {value:.0f} ms" for name, value in times.items()))
    for line in dict.fromkeys(line for report in reports for line in lacking(report)):
        print(f"  {line}")
    sys.stdout.flush()
    return all(found[name] >= least for name, least in LEAST.items())


def _last(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no reason given"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
