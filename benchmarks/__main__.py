"""``python -m benchmarks [--write] [name…]``: run the modules that have ``run()``, print the tables.

``--write`` puts them into docs/benchmarks.md too, each below its name; what was not run stays as it was.
"""

from __future__ import annotations

import os
import pkgutil
import platform
import re
import sys
import textwrap
import time
from collections.abc import Sequence
from datetime import date
from importlib import import_module
from pathlib import Path

import benchmarks
from benchmarks import Table

_WIDTH = 100
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
_HEAD = """# Benchmarks

`make bench` runs them, `python -m benchmarks --write [name…]` puts their tables here. Compare within one
table: each is of one run, on the machine it names.
"""


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all. 0 done; 2 for a name that is none of them."""
    write = "--write" in names
    names = [name for name in names if name != "--write"]
    known = sorted(info.name for info in pkgutil.iter_modules(benchmarks.__path__) if info.name[0] != "_")
    strange = [name for name in names if name not in known]
    if strange:
        print(f"benchmarks: {strange[0]}: no such benchmark (there are {', '.join(known)})", file=sys.stderr)
        return 2
    for name in names or known:
        run = getattr(import_module(f"benchmarks.{name}"), "run", None)
        if run is None:
            continue
        start = time.perf_counter()
        tables = []
        for table in run():
            tables.append(table)
            print(text_of(table), flush=True)
        if write and tables:
            _keep(name, tables)
        print(f"[{name}: {time.perf_counter() - start:.1f} s]\n", flush=True)
    return 0


def text_of(table: Table) -> str:
    """A table as aligned text: the first column to the left, the others to the right."""
    rows = [table.columns, *table.rows]
    widths = [max(len(row[at]) for row in rows) for at in range(len(table.columns))]
    lines = [table.title, "-" * min(len(table.title), _WIDTH)]
    for row in rows:
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join([first.strip().ljust(widths[0]), *others]).rstrip())
    lines += textwrap.wrap(table.note, _WIDTH)
    return "\n".join(lines) + "\n"


def _keep(name: str, tables: list[Table]) -> None:
    """Replace the part of the page below a name, or add it; parts are in the order of the names."""
    parts: dict[str, str] = {}
    if PAGE.exists():
        for part in re.split(r"(?m)^## ", PAGE.read_text("utf-8"))[1:]:
            parts[part.partition("\n")[0].strip()] = f"## {part.strip()}\n"
    stamp = os.environ.get("SOURCE_DATE_EPOCH")
    day = date.fromtimestamp(int(stamp)) if stamp else date.today()
    body = "\n".join(markdown_of(table) for table in tables)
    parts[name] = f"## {name}\n\nMeasured on {day}: {machine()}.\n\n{body}"
    whole = "\n".join(parts[key].strip() + "\n" for key in sorted(parts))
    PAGE.write_text(f"{_HEAD}\n{whole}", "utf-8")


def markdown_of(table: Table) -> str:
    """A table as Markdown."""

    def row(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rule = "| --- |" + " --- |" * (len(table.columns) - 1)
    lines = [f"### {table.title}", "", row(table.columns), rule, *map(row, table.rows), ""]
    return "\n".join([*lines, *textwrap.wrap(table.note, _WIDTH), ""])


def machine() -> str:
    """Processor, cores, load and Python: figures of a busy machine are worth their ratios only."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = re.search(r"(?m)^model name\s*:\s*(.+)$", info.read_text())
        model = found[1] if found else model
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    python = platform.python_version()
    return f"{model}, {os.cpu_count()} cores, load {load}, {platform.system()}, Python {python}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
