"""schemathesis asks the server all that its OpenAPI document allows, and much that it does not."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from goldkb import gold_build

ROOT = Path(__file__).parent.parent
_REFUSALS = """
[checks.negative_data_rejection]
expected-statuses = [400, 404, 405, 413, 422]
"""
"""What refuses a wrong request. By itself it knows no 413, and would take failures of the server for it."""


@pytest.mark.full
def test_nothing_is_found(tmp_path: Path) -> None:
    folder = gold_build(tmp_path / "build")
    (folder / "site").mkdir()
    (folder / "site" / "index.html").write_text("home")
    config = tmp_path / "schemathesis.toml"
    config.write_text(_REFUSALS)
    command = [sys.executable, "-m", "kb.cli", "--build", str(folder), "serve", "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, cwd=ROOT, text=True)
    assert server.stderr is not None
    address = server.stderr.readline().split()[0]
    # Its log goes on: unread, the pipe would fill.
    log = subprocess.Popen(["cat"], stdin=server.stderr, stdout=subprocess.DEVNULL)
    try:
        asking = [str(Path(sys.executable).parent / "schemathesis"), "run", f"{address}api/v1/openapi.json"]
        options = ["--checks", "all", "--phases", "examples,coverage,fuzzing", "--max-examples", "100"]
        done = subprocess.run(
            [*asking[:1], "--config-file", str(config), *asking[1:], *options, "--seed", "8", "--no-color"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(20)
        log.wait(20)
    assert done.returncode == 0, done.stdout[-4000:]
