"""Compiled templates are kept as Python keeps compiled modules."""

from __future__ import annotations

import sys
from pathlib import Path

import jinja2
import pytest

from kb.publish.compiled import Compiled


class Counting(jinja2.Environment):
    """Counts what it compiles."""

    made = 0

    def _compile(self, source: str, filename: str) -> object:
        Counting.made += 1
        return super()._compile(source, filename)


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(Counting, "made", 0)


def shown(template: str) -> str:
    env = Counting(loader=jinja2.DictLoader({"page.html": template}), bytecode_cache=Compiled())
    return env.get_template("page.html").render(word="one")


def kept(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_template_is_compiled_once_and_again_when_it_changes(tmp_path: Path) -> None:
    assert [shown("{{ word }}"), shown("{{ word }}"), Counting.made] == ["one", "one", 1]
    assert [shown("{{ word }}!"), Counting.made] == ["one!", 2]
    assert len(kept(tmp_path)) == 1


def test_what_is_damaged_is_compiled_again(tmp_path: Path) -> None:
    shown("{{ word }}")
    (path,) = kept(tmp_path)
    whole = path.read_bytes()
    for size in (0, len(whole) // 2):
        path.write_bytes(whole[:size])
        assert shown("{{ word }}") == "one"
    assert Counting.made == 3


def test_nothing_is_kept_where_no_modules_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert shown("{{ word }}") == "one" and not kept(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "file"))
    assert shown("{{ word }}") == "one" and Counting.made == 2
