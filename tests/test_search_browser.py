"""The browser's search (theme/search.js, run by node) answers as the command line does."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from relevance.measure import load
from search_base import bilingual, index

from kb.publish.small import smaller
from kb.search import export_index, situations, wordings

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "kb" / "publish" / "theme" / "search.js"
RUNNER = Path(__file__).parent / "js" / "search_run.js"

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    kb, profile = bilingual()
    return export_index(kb, profile, tmp_path_factory.mktemp("export"))


def ask(data: Path, queries: list[tuple[str, dict[str, Any]]], **env: str) -> list[dict[str, Any]]:
    command = ["node", str(RUNNER), str(SCRIPT), str(data)]
    done = subprocess.run(
        command,
        input=json.dumps(queries),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | env,
    )
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def test_same_first_three_hits_on_the_judged_set(data: Path) -> None:
    questions = load()
    answers = ask(data, [(question.q, {}) for question in questions])
    same = []
    for question, answer in zip(questions, answers, strict=True):
        ours = [str(hit.ref) for hit in index().search(question.q).hits[:3]]
        same.append(ours == [hit["ref"] for hit in answer["hits"][:3]])
    assert sum(same) / len(same) >= 0.95


@pytest.mark.full
def test_what_is_loaded_later_makes_it_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (situations, wordings):
        monkeypatch.setattr(module, "FIRST", 3000)
    kb, profile = bilingual()
    data = export_index(kb, profile, tmp_path)
    questions = [(question.q, {}) for question in load() if question.kind == "words"]
    ours = [[str(hit.ref) for hit in index().search(query).hits[:3]] for query, _ in questions]

    def alike(answers: list[dict[str, Any]]) -> float:
        theirs = [[hit["ref"] for hit in answer["hits"][:3]] for answer in answers]
        return sum(map(list.__eq__, ours, theirs)) / len(ours)

    assert alike(ask(data, questions, FIRST_ONLY="1")) < 0.8 < 0.95 <= alike(ask(data, questions))


def test_whole_answers_are_the_same(data: Path) -> None:
    queries: list[tuple[str, dict[str, Any]]] = [
        ("перемешал карты до согласования", {}),
        ("dummy warned declarer", {"lang": "en"}),
        ("взятка -фальшренонс law:64", {}),
        ('"ход вне очереди" work:laws', {}),
        ("hod ne v ochered", {}),
        ("ghfdbkj 65", {}),
        ("взятка", {"work": "commentary", "limit": 4}),
        ("65", {}),
        ("правилу 51-А", {}),
        ("Laws 68-71", {}),
        ("laws/1987/47.E.1", {}),
        ("комментарий 65.1", {}),
        ("", {}),
    ]
    for (query, options), answer in zip(queries, ask(data, queries), strict=True):
        ours = index().search(query, **options).as_json()
        for key in ("kind", "total", "did_you_mean"):
            assert answer[key] == ours[key], (query, key)
        for key in ("ref", "lang", "title", "status", "snippet", "url", "commentary", "in_force"):
            assert [hit[key] for hit in answer["hits"]] == [hit[key] for hit in ours["hits"]], (query, key)


def test_nothing_typed_breaks_it(data: Path) -> None:
    typed = [
        '"',
        "«" * 9,
        "- - -",
        "law:",
        "\x00",
        "\ud83c",
        "ё" * 10_000,
        "65" * 5000,
        "<mark>",
        "__proto__",
    ]
    typed += ["constructor", "\u0301", "toString 65", "фaль-\nшренонс", "п. п. п.", "65 и", "())", "i i i"]
    for answer in ask(data, [(text, {}) for text in typed]):
        for hit in answer["hits"]:
            assert "<" not in hit["snippet"].replace("<mark>", "").replace("</mark>", "")


def test_small_enough_for_a_phone(data: Path) -> None:
    """First result under 300 KB in all: the page and its other scripts are about 22 KB."""
    script = smaller(SCRIPT.name, SCRIPT.read_text("utf-8"))
    assert sum(len(gzip.compress(sent, 9)) for sent in (data.read_bytes(), script.encode())) < 277_000


def test_written_once(data: Path) -> None:
    kb, profile = bilingual()
    before = data.stat().st_mtime_ns
    export_index(kb, profile, data.parent)
    assert data.stat().st_mtime_ns == before
