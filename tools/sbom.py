"""A bill of materials (CycloneDX 1.5, JSON) from the lock: ``python tools/sbom.py requirements.lock``.

Every package with its version and the hashes it is installed by; the same lock gives the same bytes.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

_PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)(?:\s*;\s*(?P<marker>[^\\]+))?")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def components(lock: str) -> list[dict[str, Any]]:
    """The packages of a lock, in its order. Raises ValueError for a package without a hash."""
    found: list[dict[str, Any]] = []
    for line in lock.splitlines():
        if pin := _PIN.match(line):
            name, version = pin["name"].lower(), pin["version"]
            found.append(
                {
                    "type": "library",
                    "name": name,
                    "version": version,
                    "purl": f"pkg:pypi/{name}@{version}",
                    "bom-ref": f"{name}@{version}",
                    "hashes": [],
                    **(
                        {"properties": [{"name": "marker", "value": pin["marker"].strip()}]}
                        if pin["marker"]
                        else {}
                    ),
                }
            )
        for digest in _HASH.findall(line):
            found[-1]["hashes"].append({"alg": "SHA-256", "content": digest})
    bare = [one["name"] for one in found if not one["hashes"]]
    if bare:
        raise ValueError(f"{bare[0]}: no hash in the lock; run `make lock`")
    return found


def bill(lock: str, name: str, version: str) -> str:
    """The whole document."""
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": name, "version": version}},
        "components": components(lock),
    }
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def main(arguments: list[str]) -> int:
    """Print the bill of a lock. 0 done, 2 for a lock that cannot be used."""
    import tomllib

    try:
        lock = Path(arguments[0])
        project = tomllib.loads((lock.parent / "pyproject.toml").read_text("utf-8"))["project"]
        print(bill(lock.read_text("utf-8"), project["name"], project["version"]), end="")
    except (IndexError, OSError, ValueError) as error:
        print(f"sbom: {error}; give the path of requirements.lock", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
