"""``python -m benchmarks [name…]``: run the modules that have ``run() -> list[Table]``, print the tables."""

from __future__ import annotations

import pkgutil
import sys
import textwrap
import time
from importlib import import_module

import benchmarks
from benchmarks import Table

_WIDTH = 100


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all. 0 done; 2 for a name that is none of them."""
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
        for table in run():
            print(text_of(table), flush=True)
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
