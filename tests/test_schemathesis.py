"""schemathesis asks the server all that its OpenAPI document allows, and much that it does not."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from goldkb import gold_build

ROOT = Path(__file__).parent.parent


@pytest.mark.full
def test_nothing_is_found(tmp_path: Path) -> None:
    folder = gold_build(tmp_path / "build")
    (folder / "site").mkdir()
    (folder / "site" / "index.html").write_text("home")
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
            # It takes the two halves of a surrogate pair for two characters of a text that is too long; in
            # JSON they are one, and the text is not. tests/test_serve.py asks what must be refused.
            [*asking, *options, "--exclude-checks", "negative_data_rejection", "--seed", "8", "--no-color"],
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
