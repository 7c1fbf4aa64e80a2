"""The HTML of the site, by W3C's own checker: every page, and that the checker finds what is wrong."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from sitebuild import ROOT, Built, need, tool_of


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return tool_of("validate")


@pytest.mark.full
def test_every_page_is_valid(tool: ModuleType, gold_site: Built, tmp_path: Path) -> None:
    try:
        jar = tool.installed(ROOT / tool.FOLDER)
    except tool.Trouble as error:
        return need(False, str(error))
    bad = tmp_path / "bad.html"
    bad.write_text("<!DOCTYPE html><html lang=en><title>x</title><p><ul></p><a href='a b'>x</a>", "utf-8")
    assert len(tool.faults(jar, [bad])) >= 2
    letters = {f"{work.letter}" for work in gold_site.profile.works.values()}
    pages = sorted(gold_site.site.rglob("*.html"))
    # All permanent addresses are made from one pattern: some of each kind do.
    permanent = [page for page in pages if page.relative_to(gold_site.site).parts[0] in letters]
    others = [page for page in pages if page not in set(permanent)]
    assert len(others) > 120
    assert tool.faults(jar, [*others, *permanent[::20]]) == []


def test_no_pages_is_one_clear_line(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tool.main([str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("validate: ") and "no pages" in said and "Traceback" not in said
