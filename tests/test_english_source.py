"""An English text of the law dropped into the corpus; and one that may be read but not published."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BRIDGE = Path(__file__).parent.parent / "corpus" / "bridge"
TEXT = """\
PART IV - TRICKS

LAW 65 - PLACING THE TRICKS

A. Complete Trick
When four cards have been played to a trick, each player lays his own card face down before him.

B. Keeping Track of Who Won
1. Trick Won
If the side has won the trick the card is laid with its long side towards partner.
2. Trick Lost
If the other side has won the trick the card is laid with its long side towards the opponents.

C. Order
Every player keeps his cards in a zigzag row, in the order of play, so that the play can be looked through
again (see Law 66C).

D. Agreeing on the Result
No player should disturb the order of his played cards before the number of tricks is agreed.

LAW 66 - LOOKING AT TRICKS

A. The Trick in Progress
A player who has not yet turned his card may require that all cards be faced.
(a) Only declarer or a defender may ask.
(b) Dummy may not ask.
"""
TELLING = ("zigzag", "The Trick in Progress", "PLACING THE TRICKS")


def kb(corpus: Path, build: Path, *arguments: str) -> str:
    command = [
        sys.executable,
        "-m",
        "kb.cli",
        "-q",
        "--corpus",
        str(corpus),
        "--build",
        str(build),
        *arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=BRIDGE.parent.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


LARGE = ("topics.toml", "glossary.toml", "guides")
"""Most of the work of a build; whether they leak is asked of the whole corpus, by make test-full."""
WHOLE = pytest.param("private, whole corpus", marks=pytest.mark.full)


@pytest.fixture(scope="module", params=["public", "private", WHOLE])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, Path]:
    corpus = tmp_path_factory.mktemp("english") / "bridge"
    rights, _, whole = str(request.param).partition(", ")
    shutil.copytree(BRIDGE, corpus, ignore=None if whole else shutil.ignore_patterns(*LARGE))
    (corpus / "sources" / "english.txt").write_text(TEXT, "utf-8")
    with (corpus / "sources" / "sources.toml").open("a", encoding="utf-8") as listing:
        listing.write(
            f'\n[[source]]\nfile = "english.txt"\nwork = "laws"\nlang = "en"\nrights = "{rights}"\n'
        )
    build = corpus.parent / "build"
    kb(corpus, build, "build")
    return rights, corpus, build


def test_it_stands_beside_the_russian_and_takes_the_place_of_the_rendering(
    built: tuple[str, Path, Path],
) -> None:
    _, corpus, build = built
    node = json.loads(kb(corpus, build, "show", "65C", "--lang", "both", "--json"))
    assert "zigzag" in json.dumps(node)
    assert "Каждый игрок располагает" in json.dumps(node, ensure_ascii=False)


def test_a_law_that_no_scan_has_gains_its_text(built: tuple[str, Path, Path]) -> None:
    _, corpus, build = built
    assert "Only declarer or a defender may ask" in kb(corpus, build, "show", "66A", "--lang", "en")


def test_its_owner_can_search_it(built: tuple[str, Path, Path]) -> None:
    _, corpus, build = built
    hits = json.loads(kb(corpus, build, "search", "zigzag row", "--json"))["hits"]
    assert hits[0]["ref"] == "laws/1987/65.C"


def test_a_private_text_is_in_nothing_that_is_published(built: tuple[str, Path, Path]) -> None:
    rights, corpus, build = built
    published = [path for top in ("site", "pages") for path in (build / top).rglob("*") if path.is_file()]
    leaks = [path for path in published for word in TELLING if word.encode() in path.read_bytes()]
    exported = [kb(corpus, build, "export", "--to", to) for to in ("jsonl", "csv", "akn")]
    leaks_out = [text for text in exported for word in TELLING if word in text]
    if rights == "public":
        assert leaks and leaks_out
    else:
        assert leaks == [] and leaks_out == []


def test_what_is_published_keeps_the_rendering(built: tuple[str, Path, Path]) -> None:
    rights, corpus, build = built
    lines = [json.loads(line) for line in kb(corpus, build, "export", "--to", "jsonl").splitlines()]
    english = next(line for line in lines if (line["ref"], line["lang"]) == ("laws/1987/65.C", "en"))
    assert english["rendering"] == ("source" if rights == "public" else "working translation")
    inspection = next(line for line in lines if line["ref"] == "laws/1987/66.A")
    assert inspection["status"] == ("text" if rights == "public" else "not-supplied")
