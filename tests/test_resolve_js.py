"""The resolver of linker.js, which /cite/ asks, answers as `kb resolve`: every spelling of the tables."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from citecases import cases, public
from goldkb import CORPUS, gold_kb
from test_cite_find import seed_rows
from test_cite_query import QUERIES, bridge

from kb.cite.grammar import Grammar, load_grammar
from kb.cite.query import other_spellings, read_query
from kb.model import Ref
from kb.profile import load
from kb.publish import exports, linker

HERE = Path(__file__).parent
LINKER = HERE.parent / "kb" / "publish" / "linker.js"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")
Asked = tuple[str, str, Ref | None]
"""Text, edition that is meant, where it stands."""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("linker") / "linker.js"
    path.write_text(linker.script(gold_kb(), load(CORPUS), bridge()[0]), "utf-8")
    return path


def in_python(asked: Asked) -> dict[str, Any]:
    text, edition, context = asked
    grammar, known = bridge()
    links, read_as = read_query(text, known, grammar, edition=edition, context=context)
    return {
        "readAs": read_as,
        "results": [
            {
                "target": str(link.target),
                "status": link.status,
                "fallback": str(link.fallback) if link.fallback else None,
                "alternatives": [str(ref) for ref in link.alternatives],
                "url": exports.link_url(gold_kb(), load_once(), link),
            }
            for link in links
        ],
    }


@functools.cache
def load_once() -> Any:
    return load(CORPUS)


def filled(grammar: Grammar, refs: dict[str, dict[str, int | str]]) -> str:
    """The script as published, with a table of refs of our own."""
    source = LINKER.read_text("utf-8").replace(
        "/* kb:grammar */ null", json.dumps(linker.packed(grammar.data))
    )
    return source.replace("/* kb:refs */ null", json.dumps(refs))


def in_node(script: Path, asked: list[Asked]) -> list[dict[str, Any]]:
    rows = [
        {
            "text": text,
            "edition": edition,
            "context": {"work": at.work, "edition": at.edition, "path": list(at.path)} if at else None,
        }
        for text, edition, at in asked
    ]
    command = [str(NODE), str(HERE / "resolve_run.js"), str(script)]
    done = subprocess.run(command, input=json.dumps(rows), capture_output=True, text=True, check=True)
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    for answer in answers:
        for row in answer["results"]:
            row.pop("ref")
            # In node there is no page, so an address is relative to nothing.
            row["url"] = f"/{row['url']}" if row["url"] else None
    return answers


def queries() -> list[Asked]:
    typed = [query for rows in QUERIES.values() for query in rows]
    spelt = [spelling for query in typed for spelling in other_spellings(query, bridge()[0])]
    return [(text, "", None) for text in [*typed, *spelt]]


def surfaces() -> list[Asked]:
    rows = [*seed_rows(), *(case for _, case in public())]
    texts = [case.text for case in cases("wild", "synthetic", "negative")]
    return [(row.text, "", row.context) for row in rows] + [(text, "", None) for text in texts]


@pytest.mark.parametrize("group", [queries, surfaces], ids=["as typed", "as the tables have them"])
def test_it_answers_as_python_does(script: Path, group: Any) -> None:
    asked = group()
    differing = [
        (text, expected, got)
        for (text, *_), expected, got in zip(
            asked, map(in_python, asked), in_node(script, asked), strict=True
        )
        if expected != got
    ]
    assert not differing, differing[:3]


def test_edition_and_context(script: Path) -> None:
    at = Ref.parse("laws/1987/65.B.1")
    asked: list[Asked] = [
        ("65c", "1997", None),
        ("этого правила", "", at),
        ("65c 1975", "1997", None),
        ("B2", "", at),
    ]
    assert in_node(script, asked) == [in_python(one) for one in asked]
    assert in_node(script, asked)[0]["results"][0]["target"] == "laws/1997/65.C"


def test_what_is_unknown_ambiguous_and_without_text_is_told_apart(script: Path) -> None:
    found = in_node(
        script, [(text, "", None) for text in ("65C", "45E", "61Z", "97", "п. 50.9", "КоАП ст. 5")]
    )
    told = [(row["status"], row["fallback"]) for answer in found for row in answer["results"]]
    assert told == [
        ("resolved", None),
        ("not-supplied", None),
        ("unknown", "laws/1987/61"),
        ("unknown", None),
        ("not-supplied", None),
        ("foreign", None),
    ]


def test_of_several_that_are_meant_all_are_named(tmp_path: Path) -> None:
    path = tmp_path / "linker.js"
    path.write_text(
        filled(load_grammar(HERE / "corpora" / "statute"), {"statute": {"7": 0, "8": 1}}), "utf-8"
    )
    notes = next(
        name
        for name, work in load_grammar(HERE / "corpora" / "statute").data["works"].items()
        if work["over"]
    )
    found = in_node(path, [("этой статьи", "", Ref(notes, "1999", ("7~8",))), ("статья 8", "", None)])
    told = [(row["status"], row["alternatives"]) for answer in found for row in answer["results"]]
    assert told == [("ambiguous", ["statute/1999/7", "statute/1999/8"]), ("not-supplied", [])]
