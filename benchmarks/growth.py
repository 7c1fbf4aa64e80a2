"""Growth: the stages of a full build, the rebuild after one change, memory and `kb show`, by size.

``KB_BENCH_LAWS``: the sizes in laws of about eleven provisions each (100,300); 9200 are 100,000 provisions.
``KB_BENCH_BACKEND``: the search backend (tantivy). Each run is a process of its own; processor seconds.
"""

from __future__ import annotations

import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import INSTALLED, Table
from benchmarks.curves import Curve, svg

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "growth.svg"
LAWS = tuple(int(number) for number in os.environ.get("KB_BENCH_LAWS", "100,300").split(","))
BACKEND = os.environ.get("KB_BENCH_BACKEND", "tantivy")
STAGES = ("store", "index", "pages", "api", "site", "report")
_LABELS = {
    "store": "read to store",
    "site": "site (MkDocs)",
    "total": "whole build",
}
_SHOWN = 5
_SEEN = "![Processor seconds by provisions](growth.svg)"


def run() -> list[Table]:
    """The full build and the rebuild, by stage; memory and `kb show`."""
    with tempfile.TemporaryDirectory() as name:
        found = [_measured(Path(name), laws) for laws in LAWS]
    sizes = [one["full"]["provisions"] for one in found]
    PICTURE.write_text(svg("Processor seconds by provisions", _curves(sizes, found)), "utf-8")
    columns = ("", *(f"{size:,} provisions" for size in sizes))
    ends = f"From the smallest to the largest each provision costs {_growth(sizes, found):.2f} times as much."
    return [
        Table(
            "A full build by stage, s",
            columns,
            tuple(
                (_LABELS.get(stage, stage), *(f"{one['full'][stage]:.1f}" for one in found))
                for stage in (*STAGES, "total")
            ),
            f"Backend {BACKEND}; one process; sources of twenty laws. {ends} {_SEEN}",
        ),
        Table(
            "One word changed in one source, s",
            columns,
            (
                *(
                    (_LABELS.get(stage, stage), *(f"{one['again'][stage]:.1f}" for one in found))
                    for stage in (*STAGES, "total")
                ),
                (
                    "part of a full build",
                    *(f"{one['again']['total'] / one['full']['total'] * 100:.0f} %" for one in found),
                ),
            ),
            "A process of its own, so that loading the program counts.",
        ),
        Table(
            "Memory and look-up",
            columns,
            (
                ("peak of a full build, MB", *(f"{one['full']['peak']:,.0f}" for one in found)),
                ("peak of the rebuild, MB", *(f"{one['again']['peak']:,.0f}" for one in found)),
                ("kb show, ms", *(f"{one['show']:.0f}" for one in found)),
            ),
            f"`kb show`: median of {_SHOWN}, warm disk, processor time from the command to its end.",
        ),
    ]


def _curves(sizes: Sequence[int], found: Sequence[dict[str, Any]]) -> list[Curve]:
    stages = [
        Curve(
            _LABELS.get(stage, stage), [(n, one["full"][stage]) for n, one in zip(sizes, found, strict=True)]
        )
        for stage in (*STAGES, "total")
    ]
    again = [(n, one["again"]["total"]) for n, one in zip(sizes, found, strict=True)]
    return [*stages, Curve("one word changed", again)]


def _growth(sizes: Sequence[int], found: Sequence[dict[str, Any]]) -> float:
    first, last = found[0]["full"]["total"] / sizes[0], found[-1]["full"]["total"] / sizes[-1]
    return float(last / first)


def _measured(folder: Path, laws: int) -> dict[str, Any]:
    from grown import grow

    corpus, build = folder / f"corpus-{laws}", folder / f"build-{laws}"
    grow(corpus, laws)
    full = _apart(corpus, build)
    changed = sorted((corpus / "sources").glob("*.txt"))[-1]
    # In the text: a word of a title is told in many places.
    text = re.sub(r"(?m)^([а-я ]{12})", r"вновь \1", changed.read_text("utf-8"), count=1)
    changed.write_text(text, "utf-8")
    again = _apart(corpus, build)
    return {"full": full, "again": again, "show": statistics.median(_show(build) for _ in range(_SHOWN))}


def _apart(corpus: Path, build: Path) -> dict[str, float]:
    code = (
        "import json, sys; from benchmarks.growth import measure; print(json.dumps(measure(*sys.argv[1:])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(corpus), str(build)],
        cwd=ROOT,
        env=INSTALLED,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure(corpus: str, build: str) -> dict[str, float]:
    """In a process of its own: processor seconds of each stage and in all, and the peak of memory in MB.

    What lies before the first stage and behind the last (inputs hashed, the program loaded) is in the total.
    """
    from kb.make import make
    from kb.store import FILE_NAME, open_store

    marks: list[tuple[str, float]] = []

    def say(line: str) -> None:
        marks.append((line.removeprefix("making "), time.process_time()))

    make(Path(corpus), Path(build), backend=BACKEND, say=say)
    ended = time.process_time()
    found = dict.fromkeys(STAGES, 0.0)
    for (name, began), (_, end) in zip(marks, [*marks[1:], ("", ended)], strict=True):
        found[name if name in found else "store"] += end - began
    found["total"] = ended
    found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with open_store(Path(build) / FILE_NAME) as kb:
        found["provisions"] = sum(1 for _ in kb.entries())
    return found


def _show(build: Path) -> float:
    """Milliseconds of processor time."""
    command = [sys.executable, "-m", "kb.cli", "--build", str(build), "show", "65"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=ROOT, env=INSTALLED, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000
