"""Known holes of what is locked, by pip-audit: ``python tools/audit_lock.py requirements.lock``.

0: none known, or no service could be asked, which is said; 1: holes; 2: the lock cannot be read.
pip-audit alone ends well, too, where every package is unknown to the service it asks.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

SERVICES = {"pypi": "PyPI", "osv": "OSV"}
_AUDIT = ("-m", "pip_audit", "--require-hashes", "--disable-pip", "--progress-spinner", "off", "-f", "json")


def asked(lock: str, service: str) -> list[dict[str, Any]]:
    """What a service says of each package of a lock; nothing where it could not be asked."""
    command = [sys.executable, *_AUDIT, "-s", service, "-r", lock]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        found: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        last = done.stderr.strip().splitlines()[-1:] or ["no answer"]
        print(f"pip-audit: {SERVICES[service]}: {last[0][:200]}", file=sys.stderr)
        return []
    return found


def verdict(found: Sequence[dict[str, Any]]) -> tuple[int, list[str]]:
    """Exit code, and the lines to print, of what was answered."""
    checked = [one for one in found if "vulns" in one]
    holes = [(one, hole) for one in checked for hole in one["vulns"]]
    if not checked:
        return 0, ["pip-audit: NOT CHECKED: no service could be reached; ask again where there is one"]
    lines = [f"pip-audit: {len(checked)} of {len(found)} packages checked, {len(holes)} known holes"]
    lines += [
        f"  {one['name']} {one['version']}: unknown to the service" for one in found if "vulns" not in one
    ]
    for one, hole in holes:
        mended = ", ".join(hole["fix_versions"]) or "no version yet"
        lines.append(f"  {one['name']} {one['version']}: {hole['id']}, mended in {mended}")
    return (1 if holes else 0), lines


def main(arguments: Sequence[str]) -> int:
    """Ask one service after the other until one knows the packages."""
    try:
        with open(arguments[0], encoding="utf-8"):
            pass
    except (IndexError, OSError) as error:
        print(f"audit_lock: {error}; give the path of requirements.lock", file=sys.stderr)
        return 2
    found: list[dict[str, Any]] = []
    for service in SERVICES:
        found = asked(arguments[0], service)
        if any("vulns" in one for one in found):
            break
    code, lines = verdict(found)
    print("\n".join(lines))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
