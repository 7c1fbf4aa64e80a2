"""docs/citations.md says what is so: its Python runs, its commands run, its files are published."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from goldkb import CORPUS, gold_build, gold_kb

from kb import console, profile
from kb.cite.grammar import compile_grammar
from kb.cli import cli
from kb.publish import linker

TEXT = (Path(__file__).parent.parent / "docs" / "citations.md").read_text("utf-8")


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gold_build(tmp_path_factory.mktemp("build"), index=False)


def code(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", TEXT, re.M | re.S)


@pytest.mark.parametrize("block", code("python"))
def test_python(block: str, build: Path) -> None:
    exec(compile(block, "docs/citations.md", "exec"), {"build": str(build)})


@pytest.mark.parametrize("line", [line for block in code("sh") for line in block.splitlines()])
def test_commands(
    line: str, build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "appeal.md").write_text("По правилу 65C.\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    name, *arguments = shlex.split(line)
    assert name == "kb"
    assert console.run(cli, ["--corpus", str(CORPUS), "--build", str(build), *arguments]) == 0
    assert capfd.readouterr().out.strip()


def test_the_attributes_of_the_script_are_all_told(tmp_path: Path) -> None:
    kb, loaded = gold_kb(), profile.load(CORPUS)
    linker.write_linker(kb, loaded, compile_grammar(loaded), tmp_path)
    script = (tmp_path / "linker.js").read_text("utf-8")
    assert set(re.findall(r"\basked\.([a-z]+)", script)) == set(re.findall(r"`data-([a-z]+)=", TEXT)) - {"kb"}
    about = (tmp_path / linker.ABOUT).read_text("utf-8")
    assert linker.integrity(script) in about and "crossorigin" in about
    assert linker.integrity((tmp_path / "linker-data.js").read_text("utf-8")) in script
    assert "Access-Control-Allow-Origin: *" in (tmp_path / "_headers").read_text("utf-8")
