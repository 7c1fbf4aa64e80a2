"""What a shell offers behind TAB, and that each command shows how it is used."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from goldkb import gold_build
from sitebuild import need

from kb.cli import cli

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gold_build(tmp_path_factory.mktemp("build"), index=False)


def _on_path(folder: Path) -> dict[str, str]:
    """An environment in which `kb` is this one."""
    program = folder / "kb"
    program.write_text(f"#!{sys.executable}\nfrom kb.cli import main\nmain()\n")
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


OFFERS = [
    ("kb --build BUILD show 65", {"65", "65.A", "65.B", "65.B.1", "65.B.2", "65.C", "65.D"}),
    ("kb --build BUILD explain laws/1987/65.C", {"laws/1987/65.C"}),
    ("kb --build BUILD search --lang ", {"ru", "en"}),
    ("kb --build BUILD search --work c", {"commentary"}),
    ("kb --build BUILD/none show 65", set()),
    ("kb ex", {"explain", "export"}),
]


@pytest.mark.parametrize(("line", "offered"), OFFERS)
def test_bash_offers(line: str, offered: set[str], build: Path, tmp_path: Path) -> None:
    need(shutil.which("bash") is not None, "bash")
    words = line.replace("BUILD", str(build)).split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    script = (
        'eval "$(kb completion bash)"\n'
        f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}\n"
        '_kb_completion kb; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script],
        env=_on_path(tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == "" and set(done.stdout.split()) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("name", ["kb", "lawkb"])
def test_each_shell_has_its_script(shell: str, name: str) -> None:
    done = CliRunner().invoke(cli, ["completion", shell, "--name", name])
    assert done.exit_code == 0 and f"_{name.upper()}_COMPLETE={shell}_complete" in done.output
    if shutil.which(shell):
        checked = subprocess.run(
            [shell, "-n"], input=done.output, text=True, capture_output=True, check=False
        )
        assert (checked.returncode, checked.stderr) == (0, "")


def _commands() -> list[tuple[str, click.Command]]:
    return [("", cli), *sorted(cli.commands.items())]


@pytest.mark.parametrize(
    ("name", "command"), _commands(), ids=lambda one: one if isinstance(one, str) else ""
)
def test_help_has_an_example(name: str, command: click.Command) -> None:
    out = CliRunner().invoke(cli, [*name.split(), "--help"]).output
    assert re.search(rf"Examples?:(?s:.)*\bkb\b.* {'' if command is cli else command.name}\b", out)
    options = [one for one in command.params if isinstance(one, click.Option)]
    assert all(one.help or one.show_default for one in options)
