"""``python tools/keep_linker.py SITE CORPUS``: keep the linker.js of a built site, so that its address stays.

A release calls it. Commit what it adds to the corpus: each later build puts these files out again.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kb.errors import KbError
from kb.publish import linker


def main(arguments: list[str]) -> int:
    """0 done; 2 for wrong usage, or a site or corpus that cannot be used."""
    if len(arguments) != 2:
        print("usage: python tools/keep_linker.py SITE CORPUS", file=sys.stderr)
        return 2
    try:
        new = linker.keep(Path(arguments[0]), Path(arguments[1]))
    except KbError as error:
        print(f"keep_linker: {error}", file=sys.stderr)
        return 2
    print(f"kept: {', '.join(new)}" if new else "kept: nothing new")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
