"""HTTP: shapes and statuses of INTERFACES, limits, no way out of the folder, a build that is replaced."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
import time
from itertools import cycle
from pathlib import Path

import pytest
from goldkb import gold_build, gold_records
from starlette.testclient import TestClient

from kb import contract
from kb.errors import BuildError
from kb.library import MARKER
from kb.publish.files import write
from kb.serve import create_app
from kb.serve.builds import LOOK_EVERY
from kb.store import save
from kb.turns import writing

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    folder = gold_build(tmp_path_factory.mktemp("build"))
    for name, text in {
        "index.html": "home",
        "404.html": "lost",
        "laws/1987/65/index.html": "law 65",
        "cite/index.html": "resolver",
        "site.css": "a{}" * 1000,
    }.items():
        path = folder / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "secret.txt").write_text("secret")
    (folder / "report").mkdir()
    (folder / MARKER).write_text("{}")
    return folder


@pytest.fixture(scope="module")
def client(build):
    with TestClient(create_app(build), follow_redirects=False) as client:
        yield client


def test_health(client):
    answer = client.get("/healthz")
    assert answer.json() == {"status": "ok", "build": "gold"} and answer.headers["kb-build"] == "gold"


def test_search(client):
    answer = client.get("/api/v1/search", params={"q": "болван не может", "limit": 3})
    found = answer.json()
    assert answer.status_code == 200 and found["kind"] == "words" and 0 < len(found["hits"]) <= 3
    assert found["build"] == "gold" and {"snippet", "snippet_text"} <= set(found["hits"][0])
    assert answer.headers["access-control-allow-origin"] == "*"


def test_node(client):
    for address in ("/api/v1/node/laws/1987/65", "/api/v1/node/laws%2F1987%2F65"):
        found = client.get(address).json()
        assert found["ref"] == "laws/1987/65" and len(found["children"]) == 6 and found["commentary"]


def test_resolve(client):
    found = client.get("/api/v1/resolve", params={"q": "Правилам 61А и 62А"}).json()
    assert [row["target"] for row in found["results"]] == ["laws/1987/61.A", "laws/1987/62.A"]
    assert client.get("/api/v1/resolve", params={"q": "good morning"}).json()["results"] == []


def test_find_refs_counts_as_asked(client):
    text = "😀 см. правило 66C"
    for offsets, start in (("codepoints", 6), ("utf16", 7)):
        body = {"text": text, "lang": "ru", "offsets": offsets}
        answer = client.post("/api/v1/find-refs", json=body)
        result = answer.json()["results"][0]
        assert answer.status_code == 200 and result["startChar"] == start
        assert result["endChar"] - start == len("правило 66C") and result["refs"] == ["laws/1987/66.C"]
    about = answer.json()["refData"]["laws/1987/66.C"]
    assert about["human"] == "66C" and about["permalink"] == f"/l/1987/66C/?h={about['hash']}"


def test_a_range_is_one_result(client):
    answer = client.post("/api/v1/find-refs", json={"text": "Laws 68-71 & 65C"}).json()
    first, second = answer["results"]
    assert first["refs"] == [f"laws/1987/{n}" for n in (68, 69, 70, 71)] and first["kind"] == "range"
    assert (first["startChar"], first["endChar"]) == (0, 10)
    assert first["statuses"] == ["resolved", "resolved", "not-supplied", "not-supplied"]
    assert first["status"] == "not-supplied" and second["refs"] == ["laws/1987/65.C"]


def test_every_answer_has_the_build_and_plain_text(client):
    asked = {
        "resolve": client.get("/api/v1/resolve?q=65C").json(),
        "node": client.get("/api/v1/node/laws/1987/65.C").json(),
        "search": client.get("/api/v1/search?q=болван не может").json(),
        "find-refs": client.post("/api/v1/find-refs", json={"text": "Law 65C"}).json(),
    }
    rows = [
        asked["resolve"]["results"][0],
        asked["node"],
        asked["search"]["hits"][0],
        asked["find-refs"]["refData"]["laws/1987/65.C"],
    ]
    assert {answer["build"] for answer in asked.values()} == {"gold"}
    assert all(row["snippet"] and row["snippet_text"] and "<" not in row["snippet_text"] for row in rows)


def test_another_edition_leads_home(client):
    found = client.get("/api/v1/resolve", params={"q": "16D", "edition": "2017"}).json()["results"][0]
    assert (found["target"], found["asked"]["change"]) == ("laws/1987/16.B", "moved")
    named = client.get("/api/v1/resolve", params={"q": "2017 Law 16D"}).json()["results"][0]
    assert named["target"] == "laws/2017/16.D" and named["here"][0]["target"] == "laws/1987/16.B"


@pytest.mark.parametrize("path", ["/linker.js", "/linker-data.js", "/objects.inv", "/api/v1/index.json"])
def test_other_origins_may_read_the_static_data(client, path):
    assert client.get(path).headers["access-control-allow-origin"] == "*"


def test_cite_goes_to_the_permalink(client):
    for spelling in ("65C", "65с", "Law 65 C", "пр. 65C", "laws/1987/65.C"):
        answer = client.get(f"/cite/{spelling}")
        assert (answer.status_code, answer.headers.get("location")) == (302, "/l/1987/65C/"), spelling
    assert client.get("/cite/").text == "resolver"


def test_cite_of_nothing_gives_candidates(client):
    answer = client.get("/cite/Law 65F")
    assert answer.status_code == 404 and answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["candidates"][0]["target"] == "laws/1987/65"
    page = client.get("/cite/Law 65F<script>", headers={"accept": "text/html"})
    assert (
        page.status_code == 404
        and "<script>" not in page.text
        and "text/html" in page.headers["content-type"]
    )


def test_static_site(client):
    assert client.get("/").text == "home" and client.get("/laws/1987/65/").text == "law 65"
    assert client.head("/").headers["content-length"] == "4" and client.head("/").text == ""
    assert client.get("/laws/1987/65").headers["location"] == "/laws/1987/65/"
    css = client.get("/site.css")
    assert css.headers["content-type"] == "text/css; charset=utf-8" and css.headers["vary"]
    for refused in ("identity", "gzip;q=0", "br"):
        assert "content-encoding" not in client.get("/site.css", headers={"accept-encoding": refused}).headers
    assert css.headers["content-encoding"] == "gzip" and css.headers["etag"]
    assert client.get("/site.css", headers={"if-none-match": css.headers["etag"]}).status_code == 304
    lost = client.get("/nothing", headers={"accept": "text/html"})
    assert (lost.status_code, lost.text) == (404, "lost")


def test_etag_saves_the_answer(client):
    first = client.get("/api/v1/node/laws/1987/65.C")
    again = client.get("/api/v1/node/laws/1987/65.C", headers={"if-none-match": first.headers["etag"]})
    assert (
        again.status_code == 304 and again.content == b"" and again.headers["etag"] == first.headers["etag"]
    )
    strong = first.headers["etag"].removeprefix("W/")
    for known in (f'"a", {strong}', "*"):
        assert client.get(first.url.path, headers={"if-none-match": known}).status_code == 304
    other = client.get("/api/v1/node/laws/1987/65.D")
    assert other.headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize(
    ("method", "path", "options", "status"),
    [
        ("GET", "/api/v1/search", {}, 422),
        ("GET", "/api/v1/search?q=" + "я" * 401, {}, 422),
        ("GET", "/api/v1/search?q=a&limit=101", {}, 422),
        ("GET", "/api/v1/search?q=a&limit=0", {}, 422),
        ("GET", "/api/v1/search?q=a&limit=１", {}, 422),
        ("GET", "/api/v1/search?q=a&limit=" + "9" * 5000, {}, 422),
        ("GET", "/api/v1/search?q=a&lang=xx", {}, 422),
        ("GET", "/api/v1/search?q=a&lang=", {}, 422),
        ("GET", "/api/v1/search?q=a&work=xx", {}, 422),
        ("GET", "/api/v1/resolve?q=65C&edition=1999", {}, 422),
        ("GET", "/api/v1/resolve?q=65C&context=nonsense", {}, 422),
        ("GET", "/api/v1/node/laws/1987/650", {}, 404),
        ("GET", "/api/v1/node/laws/1987/65..C", {}, 422),
        ("GET", "/api/v1/node/" + "a" * 201, {}, 422),
        ("GET", "/api/v1/nothing", {}, 404),
        ("GET", "/cite/" + "a" * 401, {}, 422),
        ("POST", "/api/v1/search?q=a", {}, 405),
        ("DELETE", "/", {}, 405),
        ("GET", "/api/v1/find-refs", {}, 405),
        ("POST", "/api/v1/find-refs", {"content": b"{"}, 400),
        ("POST", "/api/v1/find-refs", {"content": b"\xff"}, 400),
        ("POST", "/api/v1/find-refs", {"content": b"[" * 100_000}, 400),
        ("POST", "/api/v1/find-refs", {"json": []}, 422),
        ("POST", "/api/v1/find-refs", {"json": {}}, 422),
        ("POST", "/api/v1/find-refs", {"json": {"text": 1}}, 422),
        ("POST", "/api/v1/find-refs", {"json": {"text": "a", "more": 1}}, 422),
        ("POST", "/api/v1/find-refs", {"json": {"text": "a", "lang": "xx"}}, 422),
        ("POST", "/api/v1/find-refs", {"json": {"text": "a", "offsets": "bytes"}}, 422),
        ("POST", "/api/v1/find-refs", {"content": b'{"text": "\\ud800"}'}, 422),
        ("POST", "/api/v1/find-refs", {"json": {"text": "a" * 200_001}}, 422),
        ("POST", "/api/v1/find-refs", {"content": b" " * 1_048_577}, 413),
    ],
)
def test_errors_are_problem_documents(client, method, path, options, status):
    answer = client.request(method, path, **options)
    problem = answer.json()
    assert answer.status_code == status and answer.headers["content-type"] == "application/problem+json"
    assert problem["status"] == status and {"type", "title", "detail"} <= set(problem)
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/laws/..%2f..%2fsecret.txt",
        "//etc/passwd",
        "/%2fetc/passwd",
        "/site.css%00.html",
        "/" + "a" * 5000,
    ],
)
def test_there_is_no_way_out_of_the_folder(client, path):
    answer = client.get(path)
    assert answer.status_code == 404 and "secret" not in answer.text and "root:" not in answer.text


def test_any_origin_may_ask(client):
    asked = client.options("/api/v1/find-refs", headers={"origin": "https://a.example"})
    assert asked.status_code == 204 and asked.headers["access-control-allow-origin"] == "*"
    assert client.get("/api/v1/nothing").headers["access-control-allow-origin"] == "*"


def test_the_document_is_what_the_server_does(client):
    document = client.get("/api/v1/openapi.json").json()
    assert set(document["paths"]) == set(contract.openapi()["paths"])
    names = {p["name"]: p["schema"] for p in document["paths"]["/api/v1/search"]["get"]["parameters"]}
    assert names["lang"]["enum"] == ["ru", "en"] and names["work"]["enum"] == ["laws", "commentary"]
    for path, methods in document["paths"].items():
        for method in methods:
            concrete = path.format(ref="laws/1987/65.C", citation="65C")
            answer = client.request(
                method.upper(), concrete, json={"text": "65C"} if method == "post" else None
            )
            assert str(answer.status_code) in methods[method]["responses"], path


def test_a_new_build_is_taken_up_whole(tmp_path):
    folder = _plain(tmp_path / "build", 1)
    with TestClient(create_app(folder)) as client:
        before = client.get("/api/v1/node/laws/1987/65.C")
        _replace(folder, 2, mark=False)
        time.sleep(2 * LOOK_EVERY)
        assert client.get("/healthz").json()["build"] == "build-1", (
            "the marker has not changed: not whole yet"
        )
        assert client.get("/").text == "build-1", "a page of a build that is not whole is not shown"
        os.replace(_marker(folder, 2), folder / MARKER)
        assert _until(client, "build-2") and client.get("/").text == "build-2"
        after = client.get("/api/v1/node/laws/1987/65.C", headers={"if-none-match": before.headers["etag"]})
        assert after.status_code == 200 and after.json()["build"] == "build-2"
        (folder / "kb.sqlite").write_bytes(b"broken")
        os.replace(_marker(folder, 3), folder / MARKER)
        time.sleep(3 * LOOK_EVERY)
        assert client.get("/healthz").json()["build"] == "build-2", "a broken build does not take over"


def test_no_build_takes_over_while_the_next_is_written(tmp_path):
    folder = _plain(tmp_path / "build", 1)
    with TestClient(create_app(folder)) as client:
        with writing(folder):
            _replace(folder, 2)
            time.sleep(3 * LOOK_EVERY)
            assert client.get("/healthz").json()["build"] == "build-1"
        assert _until(client, "build-2")


@pytest.mark.full
def test_twenty_builds_under_load(tmp_path):
    """Clients ask without pause while the build is swapped: none fails, none sees half a build."""
    folder = _plain(tmp_path / "build", 0)
    paths = ["/", "/healthz", "/api/v1/node/laws/1987/65.C", "/cite/65C", "/api/v1/search?q=взятка"]
    seen, wrong, over = set(), [], threading.Event()

    def ask(client):
        for path in cycle(paths):
            if over.is_set():
                return
            answer = client.get(path)
            named = answer.headers.get("kb-build")
            seen.add(named)
            said = answer.text if path == "/" else answer.json().get("build") if answer.text else named
            if answer.status_code not in (200, 302) or said != named:
                wrong.append((path, answer.status_code, named, answer.text[:80]))

    with TestClient(create_app(folder, kept=3), follow_redirects=False) as client:
        askers = [threading.Thread(target=ask, args=(client,)) for _ in range(4)]
        for one in askers:
            one.start()
        try:
            for number in range(1, 21):
                with writing(folder):
                    _replace(folder, number)
                assert _until(client, f"build-{number}")
        finally:
            over.set()
            for one in askers:
                one.join()
    assert not wrong
    assert seen == {f"build-{number}" for number in range(21)}


def test_metrics(build):
    with TestClient(create_app(build), follow_redirects=False) as client:
        for path in ("/", "/nowhere", "/cite/65C", "/api/v1/node/laws/1987/65", "/api/v1/search?q=болван"):
            client.get(path)
        client.request("BREW", "/")
        told = client.get("/metrics")
        lines = told.text.splitlines()
    assert (
        told.headers["content-type"].startswith("text/plain") and "no-store" in told.headers["cache-control"]
    )
    for line in (
        'kb_requests_total{method="GET",route="site",status="200"} 1.0',
        'kb_requests_total{method="GET",route="site",status="404"} 1.0',
        'kb_requests_total{method="GET",route="/cite/",status="302"} 1.0',
        'kb_requests_total{method="GET",route="/api/v1/node/",status="200"} 1.0',
        'kb_requests_total{method="GET",route="/api/v1/search",status="200"} 1.0',
        'kb_requests_total{method="other",route="site",status="405"} 1.0',
        'kb_request_seconds_count{route="/api/v1/search"} 1.0',
        'kb_build_info{build="gold"} 1.0',
        "kb_builds_opened 1.0",
        "kb_answers_kept 3.0",
    ):
        assert line in lines, line
    assert "болван" not in told.text and "65C" not in told.text, "nothing of what was asked"


def test_no_metrics_without_the_extra(build, monkeypatch):
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with TestClient(create_app(build)) as client:
        assert client.get("/metrics").status_code == 404
        assert client.get("/").text == "home"


def _plain(folder: Path, number: int) -> Path:
    gold_build(folder)
    (folder / "report").mkdir(exist_ok=True)
    _replace(folder, number)
    return folder


def _replace(folder: Path, number: int, mark: bool = True) -> None:
    """Put another build in the folder, as a build does: file by file, the marker last."""
    records = gold_records()
    save(
        dataclasses.replace(records, meta={**records.meta, "build_id": f"build-{number}"}),
        folder / "kb.sqlite",
    )
    write(folder / "site" / "index.html", f"build-{number}")
    if mark:
        os.replace(_marker(folder, number), folder / MARKER)


def _until(client: TestClient, build: str, seconds: float = 60) -> bool:
    """Ask until the build is in use."""
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        if client.get("/healthz").json()["build"] == build:
            return True
        time.sleep(0.02)
    return False


def test_no_build_no_server(tmp_path):
    with pytest.raises(BuildError):
        create_app(tmp_path)


def test_the_command_serves_and_stops(build):
    command = [sys.executable, "-m", "kb.cli", "--build", str(build), "serve", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, cwd=ROOT, text=True)
    try:
        assert process.stderr is not None
        address = process.stderr.readline().split()[0]
        import httpx

        assert httpx.get(f"{address}healthz").json()["status"] == "ok"
        assert json.loads(process.stderr.readline())["path"] == "/healthz"
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode in (0, 130)


def _marker(folder: Path, number: int) -> Path:
    path = folder / f"marker-{number}"
    path.write_text(f'{{"n": {number}}}')
    return path
