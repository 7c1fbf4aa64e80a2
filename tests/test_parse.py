"""Lines in, tree out: the mechanisms of the parser, as data in `tests/cases/parse/*.txt`.

A case is a name, a few settings, the lines, and the tree they must give:

    === a name that says what is tested
    corpus: bridge laws              (a corpus and one of its works)
    outline: 7 7.A 7.B 8             (what is known to exist; `own` is the corpus's; left out: nothing is)
    lines: 001_9d….txt 18-22         (lines of a scan of that corpus, in place of --- text)
    --- text
    …
    --- tree
    7 (Правило 7.) Заголовок | text
      7.A? (A.) | text               (`?`: placed by inference)
        tail: …  note (*): …  missing: …  damaged
    unplaced: text

What stands in `known_failures.txt` must fail; once it does not, move it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import pytest

from kb import lang as languages
from kb import profile as profiles
from kb.model import Entry, Node, Ref
from kb.parse import Parsed, parse
from kb.pipeline import similar
from kb.profile import Profile, SourceSpec
from kb.repair import repair
from kb.repair.damage import damage_of
from kb.repair.pages import page_map
from kb.text import Text

HERE = Path(__file__).parent
CASES = HERE / "cases" / "parse"
FAILURES = "known_failures"


@dataclass(frozen=True)
class Case:
    """One case as written down."""

    file: str
    name: str
    settings: dict[str, str]
    text: str
    tree: str

    @property
    def id(self) -> str:
        return f"{self.file}: {self.name}"


def cases() -> Iterator[Case]:
    for path in sorted(CASES.glob("*.txt")):
        for part in path.read_text(encoding="utf-8").split("\n=== ")[1:]:
            head, _, tree = part.partition("--- tree\n")
            head, _, text = head.partition("--- text\n")
            name, *lines = head.splitlines()
            settings = dict(line.split(": ", 1) for line in lines if line.strip())
            yield Case(path.stem, name, settings, text, tree.rstrip() + "\n")


@cache
def corpus(name: str) -> Profile:
    bundled = HERE.parent / "corpus" / name
    return profiles.load(bundled if bundled.is_dir() else HERE / "corpora" / name)


def _outline(profile: Profile, work: str, listed: str) -> tuple[Entry, ...]:
    """Entries of the paths listed; `B.1=what it is about` gives one a title."""
    levels = [level.kind for level in profile.works[work].provision_levels]
    entries = []
    for word in listed.split():
        dotted, _, title = word.partition("=")
        ref = Ref.parse(f"{work}/{profile.edition}/{dotted}")
        titles = {profile.lang: title.replace("_", " ")} if title else {}
        parent = ref.parent if ref.parent and ref.parent.path else None
        entries.append(Entry(ref, levels[len(ref.path) - 1], parent, titles))
    return tuple(entries)


def read(case: Case) -> Parsed:
    """Repair and parse the lines of a case as one source."""
    name, work = case.settings["corpus"].split()
    profile = replace(corpus(name))
    listed = case.settings.get("outline", "")
    if listed != "own":
        profile.__dict__["outline"] = _outline(profile, work, listed)
    raw = _lines(profile, case.settings["lines"]) if "lines" in case.settings else case.text
    spec = SourceSpec(Path("case.txt"), "case.txt", work, profile.edition, profile.lang)
    damage = damage_of(profile, work, profile.lang)
    text = repair(Text(raw, spec.name), damage)
    alike = partial(similar, languages.get(profile.lang))
    return parse(text, spec, profile, page_map(text, damage).at, alike, raw)


def _lines(profile: Profile, which: str) -> str:
    name, _, run = which.rpartition(" ")
    first, last = map(int, run.split("-"))
    scan = (profile.root / "sources" / name).read_text(encoding="utf-8")
    return "".join(scan.splitlines(keepends=True)[first - 1 : last])


def show(parsed: Parsed) -> str:
    """The tree as a person writes it down."""
    lines = [line for node in parsed.nodes for line in _node(node)]
    lines += [f"unplaced: {' '.join(piece.text.split())}" for piece in parsed.unplaced]
    return "\n".join(lines) + "\n"


def _node(node: Node) -> Iterator[str]:
    pad = "  " * (len(node.ref.path) - 1)
    head = node.ref.dotted + ("" if node.basis == "explicit" else "?")
    head += f" ({node.marker})" if node.marker else ""
    head += f" {node.title}" if node.title else ""
    body = " ⏎ ".join(node.text.splitlines())
    yield f"{pad}{head} | {body}".rstrip(" |") if not body else f"{pad}{head} | {body}"
    if node.tail:
        yield f"{pad}  tail: {node.tail}"
    for note in node.footnotes:
        yield f"{pad}  note {note.mark}: {note.text}"
    if not node.complete:
        yield f"{pad}  missing: {node.missing}"
    if node.damaged:
        yield f"{pad}  damaged"


def _marked(case: Case) -> object:
    marks = [pytest.mark.xfail(strict=True, reason=case.name)] if case.file == FAILURES else []
    return pytest.param(case, id=case.id, marks=marks)


@pytest.mark.parametrize("case", [_marked(case) for case in cases()])
def test_case(case: Case) -> None:
    assert show(read(case)) == case.tree


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in cases()])
def test_no_character_is_lost(case: Case) -> None:
    """Every letter and figure of the repaired text is in a node or in what could not be placed."""
    from kb.account import account

    name, work = case.settings["corpus"].split()
    profile = corpus(name)
    raw = _lines(profile, case.settings["lines"]) if "lines" in case.settings else case.text
    text = repair(Text(raw, "case.txt"), damage_of(profile, work, profile.lang))
    parsed = read(case)
    runs = [run for piece in parsed.unplaced for run in piece.runs]
    _, findings = account("case.txt", raw, text.edits, parsed.nodes, runs)
    assert findings == []


def test_every_sort_of_case_is_there() -> None:
    kinds = {case.file for case in cases()}
    assert kinds | {FAILURES} == {"wild", "negative", "synthetic", FAILURES}


if __name__ == "__main__":
    for each in cases():
        if len(sys.argv) < 2 or each.file == sys.argv[1]:
            sys.stdout.write(f"=== {each.name}\n{show(read(each))}")
