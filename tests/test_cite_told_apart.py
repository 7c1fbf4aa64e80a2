"""What is unknown, without text, ambiguous or of another code is told apart: in Python, over HTTP, on the
command line and in every kind of document. JavaScript's turn is in test_resolve_js.py."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from goldkb import CORPUS, gold_build
from starlette.testclient import TestClient

import kb
from kb import answers, console, show
from kb.cli import cli
from kb.model import Ref, Relation
from kb.serve import create_app

TOLD = {
    "Law 65C": ("resolved", "/laws/1987/65/#65.C", None),
    "Law 45E": ("not-supplied", "/laws/1987/45/#45.E", None),
    "Law 61H": ("unknown", "/laws/1987/61/", "laws/1987/61"),
    "Law 97": ("unknown", None, None),
    "п. 50.9": ("not-supplied", "/laws/1987/50/#c50.9", None),
    "2017 Law 16D": ("other-edition", None, None),
    "ст. 5 ГК": ("foreign", None, None),
}
"""Citation: status, where it leads, what it falls back to."""
TEXT = "; ".join(TOLD) + "."


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gold_build(tmp_path_factory.mktemp("build"))


@pytest.fixture(scope="module")
def client(build: Path) -> Iterator[TestClient]:
    with TestClient(create_app(build), follow_redirects=False) as opened:
        yield opened


def rows(found: dict[str, Any]) -> dict[str, tuple[str, str | None, str | None]]:
    data = found["refData"]
    return {
        row["text"]: (row["status"], data[row["refs"][0]]["url"], row["fallback"]) for row in found["results"]
    }


def test_in_python(build: Path) -> None:
    base = kb.open(build)
    found = answers.find_refs(base, TEXT)
    assert rows(found) == TOLD
    assert [row["linkFailed"] for row in found["results"]] == [url is None for _, url, _ in TOLD.values()]
    told = {text: answers.resolve(base, text)["results"][0] for text in TOLD}
    assert {text: (row["status"], row["url"], row["fallback"]) for text, row in told.items()} == TOLD


def test_over_http(client: TestClient) -> None:
    assert rows(client.post("/api/v1/find-refs", json={"text": TEXT}).json()) == TOLD
    for text, (status, url, fallback) in TOLD.items():
        row = client.get("/api/v1/resolve", params={"q": text}).json()["results"][0]
        assert (row["status"], row["url"], row["fallback"]) == (status, url, fallback)


def test_what_is_read_otherwise_is_offered_over_http(client: TestClient) -> None:
    answer = client.get("/api/v1/resolve", params={"q": "ghfdbkj 65c"}).json()
    assert answer["read_as"] == "правило 65с" and answer["results"][0]["target"] == "laws/1987/65.C"
    assert "read_as" not in client.get("/api/v1/resolve", params={"q": "з 65 ц"}).json()
    taken = client.get("/cite/з 65 ц")
    assert taken.status_code == 302 and taken.headers["location"].endswith("/l/1987/65C/")
    offered = client.get("/cite/ghfdbkj 65c", headers={"accept": "application/json"})
    assert offered.status_code == 404 and "laws/1987/65.C" in offered.text


def test_a_link_that_does_not_lead_to_its_text_says_so(build: Path) -> None:
    base = kb.open(build)
    text = "Law 65C, Law 61H"
    link = '<a class="kb-cite" href="/laws/1987/65/#65.C">Law 65C</a>'
    note = "no such place is known; the link leads to the one above"
    near = f'<a class="kb-cite kb-unknown" href="/laws/1987/61/" title="{note}">Law 61H</a>'
    assert answers.annotated(base, text, "html", "en") == f"{link}, {near}"
    assert answers.annotated(base, text, "md", "en").endswith(f'[Law 61H](/laws/1987/61/ "{note}")')
    assert answers.annotated(base, text, "text", "en").endswith(f"Law 61H </laws/1987/61/> ({note})")
    none = answers.annotated(base, "п. 50.9", "html", "ru")
    assert 'class="kb-cite kb-not-supplied"' in none and "нет его текста" in none


class Runs:
    def __init__(
        self, build: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.build, self.capfd, self.monkeypatch = build, capfd, monkeypatch

    def __call__(self, *arguments: str, typed: bytes = b"") -> tuple[int, str, str]:
        self.monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(typed)))
        code = console.run(cli, ["--corpus", str(CORPUS), "--build", str(self.build), *arguments])
        out, err = self.capfd.readouterr()
        return code, out, err


@pytest.fixture()
def run(build: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runs:
    return Runs(build, capfd, monkeypatch)


def test_nothing_to_read_is_one_clear_line(run: Runs, tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_text(" \n")
    for arguments, said in [
        (("resolve", ""), "an empty citation"),
        (("resolve", "65C", "  ", "--json"), "an empty citation"),
        (("cite",), "standard input: empty"),
        (("cite", str(tmp_path / "empty.md"), "--to", "md"), "empty.md: empty"),
    ]:
        code, out, err = run(*arguments)
        assert (code, out, err.count("\n")) == (2, "", 1) and said in err
    # A search for nothing has an answer of its own in INTERFACES.
    code, out, err = run("search", "")
    assert (code, err, out.count("\n")) == (0, "", 1) and "no words" in out
    code, out, _ = run("search", "", "--json")
    assert code == 0 and json.loads(out)["kind"] == "empty"


def test_how_a_citation_was_read_is_printed(run: Runs) -> None:
    code, out, _ = run("resolve", "pravilo 65c")
    assert code == 0 and out.startswith("«pravilo 65c» read as «правило 65c»:\nlaws/1987/65.C  [resolved]")


def test_a_provision_without_a_title_has_its_kind_in_the_head(run: Runs) -> None:
    assert run("show", "65.3")[1].startswith("Комментарий 65.3\ncommentary/1987/65.3 · comment")


def test_evidence_is_named_once() -> None:
    law, comment = Ref.parse("laws/1987/65.C"), Ref.parse("commentary/1987/65.3")
    told = Relation(comment, law, ("order", "heading"), 0.88, "auto", "heading: порядок")
    assert show._evidence(told) == "laws/1987/65.C [88%, auto] order; heading: порядок"
