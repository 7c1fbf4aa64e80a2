"""``python tools/validate.py SITE``: every page of a built site through the Nu HTML checker, offline.

Needs Java and Node. The checker (vnu-jar, of the W3C) comes from npm into ``--folder``, unless it is there.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

VERSION = "26.9.27"
FOLDER = Path("build/.vnu")
_STACK = "-Xss8m"
"""The checker goes down into nested elements by recursion."""
_AT_ONCE = 400
"""Files of one call: a command line has an end."""
_SERVED = "Content Security Policy"
"""It does not know, of a file, which address ``'self'`` is; the browser tests see to that."""


class Trouble(Exception):
    """What a person can mend, in one line."""


def main(arguments: Sequence[str]) -> int:
    """0 all pages are valid; 1 some are not, each fault on a line; 2 for wrong usage or a missing tool."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("site", type=Path, metavar="SITE", help="a folder of pages")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where npm installs it")
    chosen = parser.parse_args(arguments)
    try:
        pages = sorted(chosen.site.rglob("*.html"))
        if not pages:
            raise Trouble(f"{chosen.site}: no pages there; run kb build")
        found = faults(installed(chosen.folder), pages)
    except Trouble as error:
        print(f"validate: {error}", file=sys.stderr)
        return 2
    print("\n".join([*found, f"{len(pages)} pages, {len(found)} faults"]))
    return 1 if found else 0


def installed(folder: Path) -> Path:
    """The checker's jar, from npm the first time. Raises Trouble without Java, npm or its registry."""
    for tool, what in (("java", "Java"), ("npm", "Node")):
        if shutil.which(tool) is None:
            raise Trouble(f"{tool} is not there; install {what}")
    jar = folder / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"
    if not jar.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n')
        done = subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", f"vnu-jar@{VERSION}"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            last = next(iter(done.stderr.strip().splitlines()[-1:]), "")
            raise Trouble(f"npm did not install vnu-jar {VERSION}: {last}")
    return jar.resolve()


def faults(jar: Path, pages: Iterable[Path]) -> list[str]:
    """``path:line.column: what is wrong`` of every error and warning. Raises Trouble when it does not run."""
    files = [str(page) for page in pages]
    found = []
    for start in range(0, len(files), _AT_ONCE):
        command = ["java", _STACK, "-jar", str(jar), "--format", "gnu", "--stdout"]
        done = subprocess.run(
            [*command, *files[start : start + _AT_ONCE]], capture_output=True, text=True, check=False
        )
        if done.returncode not in (0, 1) or done.stderr.strip():
            raise Trouble(f"the checker stopped: {done.stderr.strip()[:200]}")
        lines = [line for line in done.stdout.splitlines() if line.strip() and _SERVED not in line]
        found += [line.removeprefix('"file:').replace('":', ":", 1) for line in lines]
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
