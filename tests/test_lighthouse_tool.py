"""tools/lighthouse.py: medians of several runs, which checks a page fails. Lighthouse itself is played."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from sitebuild import tool_of

PLAYED = """#!{python}
import json, pathlib
runs = pathlib.Path({runs!r})
at = runs.with_suffix(".at")
number = int(at.read_text()) if at.exists() else 0
at.write_text(str(number + 1))
print(json.loads(runs.read_text())[number])
"""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return tool_of("lighthouse")


def _report(performance: float, contrast: float, error: str = "") -> str:
    audits = {
        "first-contentful-paint": {"numericValue": 1000, "score": 1, "scoreDisplayMode": "numeric"},
        "largest-contentful-paint": {"numericValue": 1200, "score": 1, "scoreDisplayMode": "numeric"},
        "total-blocking-time": {"numericValue": 0, "score": performance, "scoreDisplayMode": "numeric"},
        "color-contrast": {"score": contrast, "scoreDisplayMode": "binary"},
        "video-caption": {"score": None, "scoreDisplayMode": "notApplicable"},
    }
    whole = {"score": 1, "auditRefs": []}
    checks = [{"id": "color-contrast", "weight": 7}, {"id": "video-caption", "weight": 10}]
    categories = {
        "performance": {"score": performance, "auditRefs": [{"id": "total-blocking-time", "weight": 30}]},
        "accessibility": {"score": contrast, "auditRefs": checks},
        "best-practices": whole,
        "seo": whole,
    }
    report: dict[str, object] = {"audits": audits, "categories": categories}
    return json.dumps({**report, "runtimeError": {"message": error}} if error else report)


def _played(folder: Path, reports: list[str]) -> Path:
    (folder / "runs.json").write_text(json.dumps(reports))
    program = folder / "lighthouse"
    program.write_text(PLAYED.format(python=sys.executable, runs=str(folder / "runs.json")))
    program.chmod(0o755)
    return program


def test_the_median_counts(tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = _played(tmp_path, [_report(score, 1) for score in (0.5, 0.97, 0.96, 1, 0.93)])
    assert tool.tell("laws/1/", tool.measure(program, "http://x/", 5))
    assert "/laws/1/: performance 96, accessibility 100" in capsys.readouterr().out


def test_what_is_not_met_is_named(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = _played(tmp_path, [_report(0.99, 0)])
    assert not tool.tell("", tool.measure(program, "http://x/", 1))
    said = capsys.readouterr().out.splitlines()
    assert [line.strip() for line in said[2:]] == ["accessibility: color-contrast"]


def test_a_browser_that_does_not_answer_is_asked_again(tool: ModuleType, tmp_path: Path) -> None:
    slow, good = _report(1, 1, "no answer in time"), _report(1, 1)
    found = tool.measure(_played(tmp_path, [slow, good]), "http://x/", 1)
    assert tool.points(found)["performance"] == 100
    (tmp_path / "runs.at").unlink()
    with pytest.raises(tool.Trouble, match="no answer in time"):
        tool.measure(_played(tmp_path, [slow] * 3), "http://x/", 1)


def test_no_build_is_one_clear_line(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "node_modules" / ".bin").mkdir(parents=True)
    (tmp_path / "node_modules" / ".bin" / "lighthouse").write_text("")
    assert tool.main([str(tmp_path / "none"), "/", "--folder", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("lighthouse: ") and "none" in said and "Traceback" not in said
