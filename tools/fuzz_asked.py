"""Spoiled corpora, texts with citations, queries and requests: what ``tools/fuzz.py`` turns to between files.

Each function takes a source of chance and does one thing with it; it raises KbError in one line where it
must, and nothing else but what is wrong.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any
from urllib.parse import quote

from damage import law, typed
from goldkb import CORPUS, gold_build
from starlette.testclient import TestClient

from kb import concordance, corrections, guides, parity, pipeline, relate, topics, translation
from kb import profile as profiles
from kb.cite.grammar import compile_grammar
from kb.library import Library, open_library
from kb.model import Link
from kb.publish import glossary as shown_glossary
from kb.scaffold import scaffold
from kb.search import glossary
from kb.search.analysis import Analyser
from kb.search.vocabulary import Builder
from kb.serve import create_app

ROOT = Path(__file__).resolve().parent.parent
SMALL = (ROOT / "tests" / "corpora" / "regulation", ROOT / "tests" / "corpora" / "statute", None)
"""Corpora that are built in no time, None for the one of ``kb new``; files of bridge are only loaded."""
OTHERS: tuple[Any, ...] = (
    0,
    -1,
    7**30,
    1.5,
    True,
    "",
    " ",
    "x",
    "(",
    "[",
    "a\nb",
    "\0",
    "1" * 3000,
    [],
    [""],
    [7],
    [[]],
    {},
)
PATHS = (
    "/api/v1/search?q=",
    "/api/v1/resolve?q=",
    "/api/v1/node/",
    "/cite/",
    "/",
    "/api/v1/search?limit=",
    "/api/v1/search?q=ход&work=",
    "/api/v1/resolve?q=65C&context=",
    "/api/v1/resolve?q=65C&edition=",
    "/api/v1/find-refs",
    "/healthz",
    "/api/v1/",
)
# fmt: off
PIECES = (
    "правило", "Правилу", "правил", "пр.", "п.", "пп.", "§", "law", "Laws", "section", "paragraph",
    "комментарий", "65", "65C", "65С", "43B2(a)", "12.1", "65.3", "VI", "(а)", "(i)", "и", "или", "and",
    "to", "–", "-", ",", ";", ".", ":", "»", "«", "(", ")", "1987", "Кодекса", "ФИДЕ", "выше", "ibid.",
    "настоящего", "взятка", "ход", "work:laws", "law:65", "lang:ru", "-ход", "*", "́", "😀", "İ", "ß",
    "<b>", "</a>", "<!--", "&amp;", "&#0;", "```", "[x](y)", "¹", "²", "٣", "Ⅳ", "ghfdbkj", "pravilo",
    "%00", "..", "/", "?", "#", "{", "}",
    "1997 года",
    "там же",
    "перемешал карты",
    "lead out of turn",
    '"',
    "\\",
    "\n",
    "\t",
    "\x00",
    "\u200b",
)
# fmt: on


def corpus(chance: random.Random) -> None:
    """A small corpus with one of its files spoiled, from its profile to its records."""
    with tempfile.TemporaryDirectory(prefix="kb-fuzz-") as name:
        folder = Path(name) / "corpus"
        which = chance.choice(SMALL)
        scaffold(folder) if which is None else shutil.copytree(which, folder)
        _spoil_one(chance, sorted(folder.rglob("*.toml")))
        pipeline.build(folder)


def declared(chance: random.Random) -> None:
    """The bridge corpus with one of its files spoiled: what each stage and page reads of it."""
    with tempfile.TemporaryDirectory(prefix="kb-fuzz-") as name:
        folder = Path(name) / "corpus"
        shutil.copytree(CORPUS, folder, ignore=shutil.ignore_patterns("*.txt", "*.js"))
        _spoil_one(chance, sorted(folder.rglob("*.toml")))
        profile = profiles.load(folder)
        loaders: tuple[Callable[[], object], ...] = (
            lambda: profile.outline,
            lambda: profile.sources,
            lambda: compile_grammar(profile),
            lambda: topics.load(profile),
            lambda: guides.load(profile),
            lambda: concordance.load(profile),
            lambda: concordance.elsewhere(profile),
            lambda: corrections.load(profile),
            lambda: parity.load(profile, profile.languages[0], profile.languages[-1]),
            lambda: relate.editor.load(profile),
            lambda: translation.load(profile),
            lambda: shown_glossary.load(profile),
            lambda: glossary.teach(Builder(Analyser(profile.languages)), profile),
            lambda: list(glossary.at_home(profile)),
        )
        for load in loaders:
            load()


def _spoil_one(chance: random.Random, paths: list[Path]) -> None:
    path = chance.choice(paths)
    text = path.read_text("utf-8")
    if chance.random() < 0.2:
        path.write_bytes(_cut(chance, text.encode()))
        return
    data = tomllib.loads(text)
    for _ in range(chance.choice([1, 1, 2, 5])):
        _spoil(chance, data)
    path.write_text("".join(f"{_key(key)} = {_value(one)}\n" for key, one in data.items()), "utf-8")


def _cut(chance: random.Random, data: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    return (
        data[:at]
        + chance.choice([b"", b"\xff", b"\0", b'"', b"[[", b"\r"])
        + data[at + chance.choice([0, 1, 50]) :]
    )


def _spoil(chance: random.Random, data: dict[str, Any]) -> None:
    places = list(_places(data))
    if not places:
        return
    holder, key = chance.choice(places)
    kind, value = chance.random(), holder[key]
    if kind < 0.2:
        del holder[key]
    elif kind < 0.4 and isinstance(value, str):
        at = chance.randrange(len(value) + 1)
        holder[key] = value[:at] + chance.choice(PIECES) + value[at + chance.choice([0, 0, 1, 9]) :]
    elif kind < 0.5:
        other, where = chance.choice(places)
        holder[key] = json.loads(json.dumps(other[where], default=str))
    elif kind < 0.6 and isinstance(value, list):
        holder[key] = [*value, *value[:1]]
    else:
        holder[key] = deepcopy(chance.choice(OTHERS))


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    keys = data if isinstance(data, dict) else range(len(data))
    for key in keys:
        yield data, key
        if isinstance(data[key], dict | list):
            yield from _places(data[key])


def _key(key: str) -> str:
    return _value(key)


def _value(value: Any) -> str:
    """A value as TOML in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=True) if not isinstance(value, str) else _string(value)


def _string(value: str) -> str:
    return '"' + "".join(c if c.isalnum() or c in " .-_" else f"\\U{ord(c):08x}" for c in value) + '"'


class Asked:
    """A build of the gold, opened once, and what is asked of it."""

    def __init__(self, folder: Path) -> None:
        build = gold_build(folder)
        site = build / "site" / "index.html"
        site.parent.mkdir(parents=True, exist_ok=True)
        site.write_text("home", "utf-8")
        self.library: Library = open_library(build)
        self.client = TestClient(create_app(build), follow_redirects=False, raise_server_exceptions=True)

    def cite(self, chance: random.Random) -> None:
        """The citations of a text lie in it, in order; it comes back whole with links put in."""
        text = _said(chance, 200)
        for lang in ("ru", "en", ""):
            links = self.library.cite(text, lang=lang)
            for link in links:
                said = link.citation
                assert 0 <= said.start < said.end <= len(text), "a citation outside of the text"
                assert text[said.start : said.end] == said.surface, "a citation of another text"
            starts = [link.citation.start for link in links]
            assert starts == sorted(starts), "citations out of order"
        self._annotate(text)

    def _annotate(self, text: str) -> None:
        from kb.cite.annotate import annotate

        def href(link: Link) -> str:
            return "ADDRESS"

        for kind in ("text", "html", "md"):
            made = annotate(text, kind, self.library.cite, href)
            assert len(made) >= len(text), "a text cut short"
            if "ADDRESS" not in made:
                assert made == text, "a text without citations is changed"

    def query(self, chance: random.Random) -> None:
        """Nothing that can be typed is an error; hits are of the library."""
        text = _said(chance, 12)
        for hit in self.library.search(text, limit=chance.choice([1, 5, 100])):
            assert hit.ref in self.library, "a hit that is not there"
        for link in self.library.resolve(text):
            assert 0 <= link.citation.start < link.citation.end <= len(text), (
                "a citation outside of the query"
            )

    def request(self, chance: random.Random) -> None:
        """A request is answered: 500 is no answer, and an error of the API is a problem document."""
        said = _said(chance, 6)
        method = chance.choice(["GET", "GET", "GET", "POST", "HEAD", "OPTIONS", "PUT"])
        path = chance.choice(PATHS)
        address = path + (quote(said, safe="/?&=%") if chance.random() < 0.8 else quote(said, safe=""))
        body: bytes | None = None
        if path.endswith("find-refs"):
            method, address = chance.choice(["POST", "POST", method]), path
            body = _body(chance)
        answer = self.client.request(method, address.replace("\0", "%00"), content=body)
        assert answer.status_code < 500, f"{answer.status_code} for {method} {address!r}"
        if path.startswith("/api/") and answer.status_code >= 400 and method not in ("HEAD", "OPTIONS"):
            problem = answer.json()
            assert problem["status"] == answer.status_code and problem["title"], "no problem document"


def _body(chance: random.Random) -> bytes:
    asked: dict[str, Any] = {"text": _said(chance, 60), "lang": chance.choice(["ru", "en"])}
    if chance.random() < 0.3:
        asked["offsets"] = chance.choice(["utf16", "codepoints", 7])
    for _ in range(chance.choice([0, 0, 1, 2])):
        asked[chance.choice(["text", "lang", "offsets", "context", "x"])] = deepcopy(chance.choice(OTHERS))
    data = json.dumps(asked, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    return _cut(chance, data) if chance.random() < 0.2 else data


def _said(chance: random.Random, most: int) -> str:
    """Pieces of citations and queries, glued anyhow; sometimes a text of ours around them."""
    parts = []
    for _ in range(chance.randrange(most)):
        parts.append(chance.choice(PIECES) if chance.random() < 0.9 else chr(chance.randrange(1, 0xD800)))
        parts.append(chance.choice([" ", " ", " ", "", "\n", ", "]))
    if most > 50 and chance.random() < 0.3:
        parts += [*typed(law(chance.randrange(1000), 1)), " "]
        chance.shuffle(parts)
    return "".join(parts)
