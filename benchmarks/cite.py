"""Citations: precision and recall on cases written by someone who has not read the grammar, and speed.

The speed is measured beside eyecite's, in one run, each on the citations it knows, at one density; and on
texts that grow, plain and adversarial.
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import Table
from kb.cite.find import find
from kb.cite.grammar import Grammar, compile_grammar
from kb.cite.resolve import KnownEntries, resolve_all
from kb.model import Entry
from kb.pipeline import build
from kb.profile import load

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "cases"
_SETS = {"unseen": "citations_unseen.toml", "an earlier set, since read": "citations_read.toml"}
DENSITY = 90
"""Code points for one place that cites: what eyecite's own figure stands at."""
COMPARED = 45_000
"""Code points both matchers read."""
RUNS = 5
LARGE = 50_000_000
HOSTILE = 4_000_000
_ENGLISH = "The committee heard both sides and found no reason to go further than the director had. "
_RUSSIAN = "Комитет выслушал обе стороны и не нашёл причин идти дальше, чем судья у стола. "
_OURS = ("Law 27B1(a)", "правило 65C", "пр. 16А2", "п. 54.3", "see 43B2(a)")
_STYLES = {
    "one of each, English prose": (_OURS, " was applied. ", _ENGLISH),
    "bare, no noun": (("27B1(a)", "see 43B2(a)", "65.5.(ii)", "12C1(e)(ii)"), " applies. ", _ENGLISH),
    "English": (("Law 27B1(a)", "Law 16A2", "Law 64", "L16B", "Law 12C1(e)(ii)"), " was applied. ", _ENGLISH),
    "Russian": (
        ("правило 65C", "пр. 16А2", "п. 54.3", "Правила 27Б1", "статья 64"),
        " применено. ",
        _RUSSIAN,
    ),
    "lists": (("Laws 61A, 62A and 63B", "правил 61А и 62А", "правила 13, 14 и 15"), " apply. ", _ENGLISH),
    "ranges": (("Laws 68-71", "правила 13–16", "64A–C"), " apply. ", _ENGLISH),
}
"""Style: its citations in turn, what follows each, and the prose between them."""
_THEIRS = ("410 U.S. 113", "1 F.3d 22", "347 U.S. 483, 495", "17 F. Supp. 2d 100", "98 S. Ct. 7")
_NAMED = ("Roe v. Wade, 410 U.S. 113 (1973)", "Brown v. Board, 347 U.S. 483, 495 (1954)")


def run() -> list[Table]:
    """The tables, as `make bench` prints them."""
    corpus = ROOT / "corpus" / "bridge"
    profile, records = load(corpus), build(corpus)
    grammar = compile_grammar(profile)
    return [_unseen(grammar, records.entries), _beside_eyecite(grammar), _growth(grammar)]


def _unseen(grammar: Grammar, entries: tuple[Entry, ...]) -> Table:
    known = KnownEntries.of(entries)
    rows, missed = [], []
    for name, file in _SETS.items():
        row, those = _measured(tomllib.loads((CASES / file).read_text("utf-8"))["case"], grammar, known)
        rows.append((name, *row))
        missed += those
    columns = ("set", "precision", "recall", "cases exactly right")
    return Table("Citations, unseen cases", columns, tuple(rows), "\n".join(missed))


def _measured(
    cases: list[dict[str, Any]], grammar: Grammar, known: KnownEntries
) -> tuple[tuple[str, str, str], list[str]]:
    """Precision, recall and how many are right, each target counted once a case; and what was missed."""
    right = found = wanted = exact = 0
    missed: list[str] = []
    for case in cases:
        links = resolve_all(find(case["text"], case["lang"], grammar), known, None, grammar)
        got = sorted({"foreign" if link.status == "foreign" else str(link.target) for link in links})
        targets = sorted(set(case["targets"]))
        if "foreign" not in targets:
            got = [target for target in got if target != "foreign"]
        right += sum(min(got.count(t), targets.count(t)) for t in set(got))
        found, wanted = found + len(got), wanted + len(targets)
        exact += got == targets
        if got != targets:
            missed.append(f"{case['text'][:60]!r}: {got} for {targets}")
    row = (f"{right / found:.3f}", f"{right / wanted:.3f}", f"{exact} of {len(cases)}")
    return row, missed


def _beside_eyecite(grammar: Grammar) -> Table:
    """Both on the same number of characters with the same number of citations, turn by turn in one run."""
    try:
        from eyecite import get_citations
    except ImportError:
        return Table("Citations beside eyecite", ("matcher",), (), "eyecite is not installed.")
    rows = []
    for name, (cited, behind, prose) in _STYLES.items():
        ours = _dense(cited, behind, prose, DENSITY)
        found = len(find(ours, "", grammar))
        theirs = _dense(_THEIRS, " was cited. ", _ENGLISH, COMPARED // found)
        rows.append(_compared(name, ours, theirs, grammar, get_citations))
    mixed = _dense(_OURS, " was applied. ", _ENGLISH, DENSITY)
    named = _dense(_NAMED, " was cited. ", _ENGLISH, DENSITY)
    rows.append(_compared("one of each, eyecite with names of cases", mixed, named, grammar, get_citations))
    note = (
        f"{COMPARED:,} code points each, as many citations in eyecite's text as in ours, its shortest form "
        f"where no other is named; processor time, the best of {RUNS} runs in turn. Wanted: ten times."
    )
    columns = ("style", "ours found", "eyecite found", "ours, characters a second", "eyecite's", "quicker by")
    return Table("Citations beside eyecite", columns, tuple(rows), note)


def _compared(
    name: str, ours: str, theirs: str, grammar: Grammar, get_citations: Callable[[str], Sequence[object]]
) -> tuple[str, ...]:
    def find_ours(text: str) -> int:
        return len(find(text, "", grammar))

    def find_theirs(text: str) -> int:
        return len(get_citations(text))

    pairs = ((find_ours, ours), (find_theirs, theirs))
    for count, text in pairs:
        count(text[: len(text) // 20])
    best = [(0, float("inf"))] * len(pairs)
    for _ in range(RUNS):
        done = [_timed(count, text) for count, text in pairs]
        best = [min(was, now, key=lambda one: one[1]) for was, now in zip(best, done, strict=True)]
    (found, spent), (their_found, their_spent) = best
    rates = len(ours) / spent, len(theirs) / their_spent
    shown = (f"{found:,}", f"{their_found:,}", *(f"{rate:,.0f}" for rate in rates))
    return (name, *shown, f"{rates[0] / rates[1]:.1f}")


def _dense(citations: tuple[str, ...], behind: str, prose: str, density: int) -> str:
    """A text of COMPARED code points in which every stretch of ``density`` holds one place that cites."""
    pieces = []
    for number in range(COMPARED // density + 1):
        piece = citations[number % len(citations)] + behind + prose * 2
        pieces.append(piece[: density - 2].rstrip().ljust(density - 2, "x") + ". ")
    return "".join(pieces)[:COMPARED]


def _timed(count: Callable[[str], int], text: str) -> tuple[int, float]:
    start = time.process_time()
    found = count(text)
    return found, time.process_time() - start


def _growth(grammar: Grammar) -> Table:
    """Seconds for a fifth of a text and for all of it: five times is linear."""
    rows = []
    for name, text in _texts():
        first = _timed(lambda part: len(find(part, "", grammar)), text[: len(text) // 5])
        whole = _timed(lambda part: len(find(part, "", grammar)), text)
        # fmt: off
        rows.append((
            name, f"{len(text) / 1e6:.0f}", f"{first[1]:.2f}", f"{whole[1]:.2f}",
            f"{whole[1] / first[1]:.1f}", f"{len(text) / whole[1]:,.0f}",
        ))
        # fmt: on
    columns = ("text", "million characters", "s, a fifth", "s, all", "times", "characters a second")
    return Table("Citations, growth", columns, tuple(rows), "Five times the text: 5 is linear.")


def _texts() -> Iterator[tuple[str, str]]:
    prose = _dense(_OURS, " was applied. ", _ENGLISH, DENSITY)
    yield "prose with citations", _repeated(prose, LARGE)
    hostile = {
        "one long run of digits": "1",
        "digits and dots": "12.",
        "nested brackets": "Law 27(",
        "closing brackets": "27A)",
        "commas": "Law 27, ",
        "a list that never ends": "27, ",
        "a range that never ends": "27-",
        "nouns without numbers": "правило ",
        "nouns in chains": "пункт 2 раздела B ",
        "capitalised names": "Section 16C of the Aa ",
        "spaces": "Law \t ",
        "blank lines": "Law\n\n",
        "superscripts": "7¹",
    }
    for name, unit in hostile.items():
        yield name, ("Law " if unit[0].isdigit() else "") + _repeated(unit, HOSTILE)


def _repeated(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]
