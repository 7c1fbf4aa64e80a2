"""The bill of materials says what the lock says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_package_of_the_lock_is_in_the_bill():
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    command = [sys.executable, str(ROOT / "tools" / "sbom.py"), str(ROOT / "requirements.lock")]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    bill = json.loads(said)
    pinned = {
        line.split()[0].partition(";")[0]
        for line in lock.splitlines()
        if "==" in line and line[0] not in " #"
    }
    assert {f"{one['name']}=={one['version']}" for one in bill["components"]} == pinned
    assert sum(len(one["hashes"]) for one in bill["components"]) == lock.count("--hash=sha256:")
    assert bill["metadata"]["component"]["name"] == "lawkb"


def test_a_lock_without_hashes_is_refused(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "a"\nversion = "1"\n')
    (tmp_path / "requirements.lock").write_text("click==8.1\n")
    command = [sys.executable, str(ROOT / "tools" / "sbom.py"), str(tmp_path / "requirements.lock")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "click" in done.stderr and done.stderr.count("\n") == 1
