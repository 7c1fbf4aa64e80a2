"""linker.js finds what Python finds: every case, the scans, and texts put together at random."""

from __future__ import annotations

import gzip
import itertools
import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from citecases import Case, cases, public
from goldkb import CORPUS, gold_kb, gold_records

from kb.cite.find import Finder
from kb.cite.grammar import Grammar, load_grammar
from kb.model import Citation
from kb.profile import load
from kb.publish import linker

HERE = Path(__file__).parent
LINKER = HERE.parent / "kb" / "publish" / "linker.js"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return load_grammar(CORPUS)


def in_python(case: Case, grammar: Grammar, strict: bool = True) -> list[dict[str, Any]]:
    return [row(c, case.text) for c in Finder(case.text, grammar, case.context, strict).run()]


def row(citation: Citation, text: str) -> dict[str, Any]:
    def utf16(at: int) -> int:
        return len(text[:at].encode("utf-16-le")) // 2

    return {
        "start": utf16(citation.start),
        "end": utf16(citation.end),
        "surface": citation.surface,
        "form": citation.form,
        "work": citation.work,
        "edition": citation.edition,
        "path": list(citation.path),
    }


def in_node(found: list[Case], grammar: Grammar, strict: bool = True) -> list[list[dict[str, Any]]]:
    asked = [
        {
            "text": case.text,
            "strict": strict,
            "context": {
                "work": case.context.work,
                "edition": case.context.edition,
                "path": list(case.context.path),
            }
            if case.context
            else None,
        }
        for case in found
    ]
    done = subprocess.run(
        [str(NODE), str(HERE / "linker_run.js"), str(LINKER)],
        input=json.dumps({"grammar": json.loads(grammar.to_json()), "cases": asked}),
        capture_output=True,
        text=True,
        check=True,
    )
    answers: list[list[dict[str, Any]]] = json.loads(done.stdout)
    return answers


def same(found: list[Case], grammar: Grammar, strict: bool = True) -> None:
    differing = [
        (case.text, expected, got)
        for case, got in zip(found, in_node(found, grammar, strict), strict=True)
        if (expected := in_python(case, grammar, strict)) != got
    ]
    assert not differing, differing[:3]


def everything() -> list[Case]:
    own = cases("wild", "synthetic", "negative", "known_failures")
    scans = [
        Case("scan", text, (), node.ref)
        for node in gold_records().nodes
        for text in (node.text, node.tail, *(note.text for note in node.footnotes))
    ]
    return [*own, *(case for _, case in public()), *scans]


@needs_node
def test_every_case(grammar: Grammar) -> None:
    same(everything(), grammar)


@needs_node
def test_every_case_as_typed(grammar: Grammar) -> None:
    same(cases("wild", "synthetic", "negative"), grammar, strict=False)


@needs_node
def test_texts_put_together_at_random(grammar: Grammar) -> None:
    pool = [case.text for case in cases("wild", "synthetic", "negative")]
    chance = random.Random(1987)
    joints = [" ", ", ", ". ", "\n", "\n\n", " и ", " - ", "", " (", ") ", "😀 "]

    def mixed() -> str:
        pairs = zip(chance.sample(pool, 6), chance.choices(joints, k=6), strict=True)
        return "".join(itertools.chain.from_iterable(pairs))

    texts = [mixed() for _ in range(400)]
    contexts = [case.context for case in cases("synthetic") if case.context] + [None]
    same([Case("random", text, (), chance.choice(contexts)) for text in texts], grammar)


@needs_node
@pytest.mark.parametrize("name", ["regulation", "statute", "moorings", "allotments"])
def test_other_corpora(name: str) -> None:
    texts = [
        "§ 1 (1) a) and §§ 4, 5-7",
        "статья 7¹ и п. 7.1",
        "подпункт 2) пункта 7¹.1",
        "статьи 7–8",
        "note 2",
        "п. 13.11(1) и п. 2(1) ст. 36¹",
        "section 12A(3)(b), ss. 12 and 12B, 12Ab",
    ]
    same([Case(name, text, ()) for text in texts], load_grammar(HERE / "corpora" / name))


def test_it_is_small(grammar: Grammar) -> None:
    whole = linker.script(gold_kb(), load(CORPUS), grammar)
    assert "/* kb:" not in whole and '"65.B.1":0' in whole
    # 6 is what servers and hosts compress with, 9 what is compressed beforehand.
    assert max(len(gzip.compress(whole.encode(), level, mtime=0)) for level in (6, 9)) < 25_000


@needs_node
def test_what_is_packed_comes_out_whole(grammar: Grammar) -> None:
    data = json.loads(json.dumps(grammar.data, default=list))
    odd = {"𐐨𐐩`": ["cue", 0], "𐐨𐐪": ["cue", 0], "a" * 60: ["cue", 0], "a" * 60 + "b": ["cue", 0]}
    data["lexicon"] |= odd
    data["rx"]["odd"] = "``[Aa][aA][Ёё][[]`[𐐀𐐨][1_]\\[Бб]"
    unpack = re.search(r"  function unpack\(data\) \{\n.*?\n  \}\n", LINKER.read_text("utf-8"), re.DOTALL)
    assert unpack
    code = f"{unpack[0]} const data = JSON.parse(require('fs').readFileSync(0)); unpack(data);"
    done = subprocess.run(
        [str(NODE), "-e", f"{code} process.stdout.write(JSON.stringify(data))"],
        input=json.dumps(linker.packed(data)),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    for word in data["scan"]["idle"]:
        assert found["lexicon"][word].pop() == 1
    for table in (found, data):
        table["scan"]["idle"].sort()
        table["places"].sort()
        table["localCues"].sort()
    assert found == {key: value for key, value in data.items() if key in found}
    assert set(data) - set(found) == {"joints", "adjectives"} & set(data)


def test_it_loads_nothing_but_its_own_data_and_writes_no_markup() -> None:
    source = LINKER.read_text("utf-8")
    for forbidden in (
        "innerHTML",
        "eval(",
        "Function(",
        "fetch(",
        "XMLHttpRequest",
        "sendBeacon",
        "import(",
        "document.write",
    ):
        assert forbidden not in source
    assert source.count(".src =") == 1
