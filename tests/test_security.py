"""A test for each line of docs/security.md. What readers refuse is in test_read_documents.py."""

from __future__ import annotations

import os
import pickle
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from goldkb import CORPUS, gold_build

import kb
from kb import profile as profiles
from kb.cite.find import find
from kb.cite.grammar import compile_grammar
from kb.errors import BuildError, KbError
from kb.library import open_library
from kb.make import make
from kb.scaffold import scaffold
from kb.search.backend import current
from kb.serve import create_app

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "docs" / "security.md"

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "<a href='javascript:alert(3)'>x</a>",
    "[x](javascript:alert(4)) ![x](http://evil.example/p.png) <http://evil.example>",
    "</p></div></main><iframe src=//evil.example></iframe>",
    "&lt;script&gt;alert(5)&lt;/script&gt; &#60;script&#62;",
    "{{ 7*191 }} {% include '/etc/passwd' %} {: onclick=alert(6) style=color:red }",
    '" onmouseover="alert(7)" x="',
    '--> <!-- --8<-- "/etc/passwd" [[x]] ```html <script>alert(8)</script> ```',
    "<svg/onload=alert(9)> <style>*{display:none}</style> <base href=//evil.example/>",
    "\u202egnp.exe\u202c \u2066x\u2069 \u200f",
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The sample corpus with a scan whose every provision is an attack."""
    folder = tmp_path_factory.mktemp("hostile") / "corpus"
    scaffold(folder)
    source = folder / "sources" / "rules.txt"
    text = source.read_text("utf-8")
    for number, attack in enumerate(HOSTILE):
        text += f"\nArticle {50 + number}. {attack}\n\n(1) A text: {attack} And more {attack}\n"
    source.write_text(text, "utf-8")
    listed = folder / "sources" / "sources.toml"
    listed.write_text(re.sub(r"(?m)^sha256 = .*\n", "", listed.read_text()))
    return folder


@pytest.fixture(scope="module")
def built(corpus):
    folder = corpus.parent / "build"
    make(corpus, folder)
    return folder


class Page(HTMLParser):
    """What a browser would run or fetch."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.active: list[str] = []
        self.shown = ""
        self._inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self._inside = tag
        for name, value in attrs:
            value = value or ""
            if name.startswith("on") or name == "srcdoc":
                self.active.append(f"{tag} {name}={value}")
            if name in ("href", "src", "action", "data", "poster") and re.match(
                r"\s*(?:javascript|vbscript|data:text)|(?:https?:)?//evil", value, re.IGNORECASE
            ):
                self.active.append(f"{tag} {name}={value}")
        own = dict(attrs)
        if tag == "script" and not own.get("src") and own.get("type") not in _DATA:
            self.active.append(f"inline script {attrs}")
        if tag in ("iframe", "object", "embed", "base"):
            self.active.append(tag)

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside not in ("script", "style"):
            self.shown += data


_DATA = ("application/json", "application/ld+json")


def test_the_detector_sees_attacks():
    """A test of the test: each of these would run."""
    for attack in (HOSTILE[0], HOSTILE[1], HOSTILE[2], HOSTILE[4], HOSTILE[9]):
        assert Page(attack).active, attack


def test_script_and_markup_in_a_scan(built):
    pages = sorted((built / "site").rglob("*.html"))
    assert len(pages) > 20
    shown = ""
    for path in pages:
        page = Page(path.read_text("utf-8"))
        assert not page.active, (path, page.active)
        shown += page.shown
    for said in ("<script>alert(1)</script>", "<img src=x onerror=alert(2)>", "{{ 7*191 }}"):
        assert said in shown, "the text is shown as it stands, not eaten"
    assert "1337" not in shown and "root:" not in shown


def test_script_and_markup_in_answers(built):
    base = open_library(built)
    for number in range(len(HOSTILE)):
        for hit in base.search("alert evil text", limit=50).hits:
            bare = hit.snippet.replace("<mark>", "").replace("</mark>", "")
            assert "<" not in bare and ">" not in bare, number


def test_script_in_a_text_that_is_linked(built):
    """`kb cite --to html` keeps the markup it is given, and adds nothing but links of its own."""
    from kb.answers import annotated

    base = open_library(built)
    given = "<p title='article 1'>See article 1 &lt;script&gt; <b>article 2</b></p>"
    for kind in ("html", "md", "text"):
        out = annotated(base, given, kind)
        assert "<script" not in out and out.count("title=") == 1


def test_bidi_controls_in_a_scan(built):
    """They could show a text in another order than it is searched and cited in."""
    for path in sorted((built / "site").rglob("*.html")):
        assert not re.search("[\u202a-\u202e\u2066-\u2069]", path.read_text("utf-8")), path


# Time. Regular expressions cannot be counted, so calls are, and the processor gets a bound far above need.


def counted(work: Callable[[], object]) -> int:
    """Calls of functions, Python's own and built-in, that the work takes."""
    calls = 0

    def seen(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


PIECES = {
    "numbers": "65 ",
    "citations": "правило 65C1(a), ",
    "lists": "правила 1, 2, 3 и ",
    "ranges": "правила 5-",
    "open brackets": "(",
    "pairs of brackets": "65(a)",
    "deep brackets": "[({<",
    "nouns": "правило ",
    "one letter": "а",
    "one digit": "1",
    "dots": "65.",
    "conjunctions": "и ",
    "spaces": " ",
    "line ends": "\n",
    "NUL": "\0",
    "capitals and dots": "А. Б. ",
    "slashes": "65/",
    "combining marks": "и\u0306",
    "English": "Law 12 of the ",
}


@pytest.fixture(scope="module")
def gold(tmp_path_factory):
    base = open_library(gold_build(tmp_path_factory.mktemp("gold")))
    base.warm()
    return base


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_citations_in_linear_time(piece):
    grammar = compile_grammar(profiles.load(CORPUS))
    small, large = (piece * (size // len(piece)) for size in (10_000, 40_000))
    find(small, "ru", grammar)
    few, many = (counted(lambda text=text: find(text, "ru", grammar)) for text in (small, large))
    assert many < 6 * few + 1000, "four times the text, at most about four times the work"


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_a_megabyte_of_anything(gold, piece):
    """Query, citation and text to be linked: an answer or one clear line, and soon."""
    text = piece * (1_000_000 // len(piece))
    began = time.process_time()
    for ask in (gold.search, gold.resolve, gold.cite):
        try:
            ask(text)
        except KbError as error:
            assert "\n" not in str(error)
    # Seconds on an idle machine; what looks back takes hours.
    assert time.process_time() - began < 120


def test_huge_lines_and_deep_brackets_in_a_scan(tmp_path):
    scaffold(tmp_path / "corpus")
    source = tmp_path / "corpus" / "sources" / "rules.txt"
    long = "word (a) " * 30_000 + "((((" * 20_000 + "- " * 20_000
    source.write_text(source.read_text("utf-8") + f"\nArticle 90. Long\n\n(1) {long}\n", "utf-8")
    listed = tmp_path / "corpus" / "sources" / "sources.toml"
    listed.write_text(re.sub(r"(?m)^sha256 = .*\n", "", listed.read_text()))
    began = time.process_time()
    make(tmp_path / "corpus", tmp_path / "build", only=["index", "report"])
    assert time.process_time() - began < 120
    assert open_library(tmp_path / "build").search("ladder").hits


# The network, and code in data.


@pytest.fixture()
def no_network(monkeypatch):
    """Whoever asks for another machine, by name or by address, is stopped."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("an outward request")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket.socket, "sendto", refuse)


def test_no_outward_request(corpus, tmp_path, no_network):
    """The whole build, and each kind of answer, without a network."""
    with pytest.raises(AssertionError, match="outward"):
        socket.create_connection(("evil.example", 80))
    make(corpus, tmp_path / "build")
    base = kb.open(tmp_path / "build")
    assert base.search("ladder").hits and base.resolve("rules/2020/1.2")
    create_app(tmp_path / "build")


class Command:
    """Runs a command when its pickle is read."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return os.system, (f"touch {self.mark}",)


def test_no_code_from_a_corpus(corpus, tmp_path, monkeypatch):
    """A build reads no pickle that is not its own, and imports nothing from the corpus."""
    mark = tmp_path / "ran"
    loaded = []
    monkeypatch.setattr(pickle, "loads", lambda *a, **k: loaded.append(a))
    monkeypatch.setattr(pickle, "load", lambda *a, **k: loaded.append(a))
    mine = tmp_path / "corpus"
    scaffold(mine)
    for name in ("profile.pickle", "sources/rules.pkl", "__init__.py", "conftest.py", "profile.py"):
        (mine / name).write_bytes(pickle.dumps(Command(mark)))
    (mine / "kb.py").write_text(f"open({str(mark)!r}, 'w')")
    make(mine, tmp_path / "build", only=["index", "api", "report"])
    assert open_library(tmp_path / "build").search("ladder").hits
    assert not loaded and not mark.exists()


def test_an_index_runs_no_code(tmp_path):
    """The pickles whoosh keeps inside its files name our own types only; another version's are not read."""
    folder = gold_build(tmp_path / "build") / "index"
    made = current(folder)
    assert made is not None
    mark = tmp_path / "ran"
    hostile = pickle.dumps(Command(mark), 2)
    (made / "version").rename(made / "kept")
    with pytest.raises(BuildError, match="kb build"):
        _ = open_library(tmp_path / "build").index
    (made / "version").write_text("whoosh 9.9.9 schema 1\n")
    with pytest.raises(BuildError, match=r"9\.9\.9"):
        _ = open_library(tmp_path / "build").index
    (made / "kept").rename(made / "version")
    toc = next(made.glob("*.toc"))
    data = toc.read_bytes()
    # The schema's pickle, then that of the segments, both begin with the same mark.
    places = [m.start() for m in re.finditer(rb"\x80[\x02-\x05]", data)]
    assert len(places) >= 2
    for place in places:
        toc.write_bytes(data[:place] + hostile)
        with pytest.raises(BuildError):
            _ = open_library(tmp_path / "build").index
        assert not mark.exists()


# The server, over a plain socket.


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = gold_build(tmp_path_factory.mktemp("served"), index=False)
    (folder / "site" / "laws").mkdir(parents=True)
    (folder / "site" / "index.html").write_text("home")
    (folder / "site" / "laws" / "index.html").write_text("laws")
    (folder / "secret.txt").write_text("secret")
    (folder / "site" / "leak.txt").symlink_to(folder / "secret.txt")
    command = [sys.executable, "-m", "kb.cli", "--build", str(folder), "serve", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, cwd=ROOT, text=True)
    assert process.stderr is not None
    port = int(process.stderr.readline().split("/")[2].rpartition(":")[2])
    yield port
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert "Traceback" not in said


def spoken(port: int, request: bytes) -> bytes:
    """What the server says to these bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        try:
            line.sendall(request)
            line.shutdown(socket.SHUT_WR)
            answer = b""
            while part := line.recv(65536):
                answer += part
        except (ConnectionResetError, BrokenPipeError):
            pass
        return answer


END = b"\r\nHost: a\r\nConnection: close\r\n\r\n"
GAMES = {
    "up": b"GET /../secret.txt HTTP/1.1" + END,
    "up, encoded": b"GET /%2e%2e/secret.txt HTTP/1.1" + END,
    "up, twice encoded": b"GET /%252e%252e/secret.txt HTTP/1.1" + END,
    "up, backslash": b"GET /..\\secret.txt HTTP/1.1" + END,
    "up, overlong": b"GET /%c0%ae%c0%ae/secret.txt HTTP/1.1" + END,
    "a link out of the site": b"GET /leak.txt HTTP/1.1" + END,
    "another root": b"GET //etc/passwd HTTP/1.1" + END,
    "a file address": b"GET file:///etc/passwd HTTP/1.1" + END,
    "a NUL": b"GET /index.html%00.png HTTP/1.1" + END,
    "a raw NUL": b"GET /\0 HTTP/1.1" + END,
    "a long path": b"GET /" + b"a" * 300_000 + b" HTTP/1.1" + END,
    "a long header": b"GET / HTTP/1.1\r\nX: " + b"a" * 500_000 + END,
    "many headers": b"GET / HTTP/1.1" + b"\r\nX: a" * 50_000 + END,
    "two lengths": b"POST /api/v1/find-refs HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 50"
    + END
    + b"{}",
    "length and chunks": b"POST /api/v1/find-refs HTTP/1.1\r\nContent-Length: 4\r\n"
    b"Transfer-Encoding: chunked" + END + b"0\r\n\r\nGET /x HTTP/1.1" + END,
    "a negative length": b"POST /api/v1/find-refs HTTP/1.1\r\nContent-Length: -1" + END,
    "a huge length": b"POST /api/v1/find-refs HTTP/1.1\r\nContent-Length: 99999999999999999999" + END,
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 200,
    "no end": b"GET / HTTP/1.1\r\nHost: a\r\n",
    "a strange method": b"FROBNICATE / HTTP/1.1" + END,
    "tags without end": b"GET / HTTP/1.1\r\nIf-None-Match: " + b'"a",' * 10_000 + END,
    "a strange encoding": b"GET / HTTP/1.1\r\nAccept-Encoding: gzip;q=,;;,=,\xff" + END,
    "a range": b"GET / HTTP/1.1\r\nRange: bytes=-9999999999,0-0,1-1,5-" + END,
}


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_games_with_requests(server, game):
    answer = spoken(server, game)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"secret" not in body and b"root:" not in body and b"Traceback" not in answer
    if answer:
        status = int(head.split(b" ", 2)[1])
        assert status in (200, 304) or 400 <= status < 500, head
    assert b"home" in spoken(server, b"GET / HTTP/1.1" + END), "it goes on"


def test_nothing_of_the_request_gets_into_headers(server):
    """No header is split, no redirect leads to another host."""
    split = b"%0d%0aSet-Cookie:%20a=b"
    for path in (b"/laws" + split, b"/cite/65C" + split, b"/cite//evil.example/65C", b"/laws", b"/cite/65C"):
        request = b"GET " + path + b" HTTP/1.1\r\nX-Forwarded-Host: evil.example\r\nHost: evil.example\r\n"
        head = spoken(server, request + b"Connection: close\r\n\r\n").partition(b"\r\n\r\n")[0].lower()
        assert b"set-cookie" not in head and b"evil" not in head
        location = re.search(rb"location: (\S+)", head)
        assert location is None or re.match(rb"/[^/\\]", location[1]), head


def test_what_every_answer_says(server):
    for path in (b"/", b"/healthz", b"/nothing", b"/api/v1/nothing"):
        head = spoken(server, b"GET " + path + b" HTTP/1.1" + END).partition(b"\r\n\r\n")[0].lower()
        assert b"x-content-type-options: nosniff" in head and b"referrer-policy: no-referrer" in head
        assert b"\r\nserver:" not in head, "no version to look up holes for"


def test_nothing_is_written_for_a_request(server):
    """Read only: there is no method that changes anything."""
    for method in (b"PUT", b"DELETE", b"PATCH", b"POST"):
        for path in (b"/", b"/index.html", b"/api/v1/search?q=a", b"/api/v1/node/laws/1987/65", b"/new"):
            answer = spoken(server, method + b" " + path + b" HTTP/1.1\r\nContent-Length: 0" + END)
            assert answer.split(b" ")[1] in (b"404", b"405"), (method, path)


def test_every_line_of_the_page_has_its_test():
    """docs/security.md names a test for each threat, and the tests are there."""
    named = re.findall(r"`(tests/\w+\.py)::(\w+)`", DOCUMENT.read_text("utf-8"))
    assert len(named) >= 15
    for file, test in named:
        assert re.search(rf"(?m)^def {test}\(", (ROOT / file).read_text("utf-8")), (file, test)
    rows = [line for line in DOCUMENT.read_text("utf-8").splitlines() if line.startswith("| ")]
    bare = [row for row in rows[2:] if "`tests/" not in row and "---" not in row]
    assert not bare
