"""Citations: precision and recall on cases written by someone who has not read the grammar, and speed.

The speed is measured beside eyecite's, in one run, each on the citations it knows, at one density; and on
texts that grow, plain and adversarial.
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import Table
from kb.cite.find import find
from kb.cite.grammar import Grammar, compile_grammar
from kb.cite.resolve import KnownEntries, resolve_all
from kb.model import Entry
from kb.pipeline import build
from kb.profile import load

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "cases" / "citations_unseen.toml"
DENSITY = 90
"""Code points for one citation: what eyecite's own figure stands at."""
COMPARED = 45_000
"""Code points both matchers read."""
LARGE = 50_000_000
HOSTILE = 4_000_000
_FILLER = "The committee heard both sides and found no reason to go further than the director had. "
_OURS = ("Law 27B1(a)", "правило 65C", "пр. 16А2", "п. 54.3", "see 43B2(a)")
_THEIRS = ("410 U.S. 113", "1 F.3d 22", "347 U.S. 483, 495 (1954)", "17 F. Supp. 2d 100", "98 S. Ct. 7")
_NAMED = ("Roe v. Wade, 410 U.S. 113 (1973)", "Brown v. Board, 347 U.S. 483, 495 (1954)")


def run() -> list[Table]:
    """The tables, as `make bench` prints them."""
    corpus = ROOT / "corpus" / "bridge"
    profile, records = load(corpus), build(corpus)
    grammar = compile_grammar(profile)
    return [_unseen(grammar, records.entries), _beside_eyecite(grammar), _growth(grammar)]


def _unseen(grammar: Grammar, entries: tuple[Entry, ...]) -> Table:
    known = KnownEntries.of(entries)
    right = found = wanted = exact = 0
    missed: list[str] = []
    cases = tomllib.loads(CASES.read_text("utf-8"))["case"]
    for case in cases:
        links = resolve_all(find(case["text"], case["lang"], grammar), known, None, grammar)
        got = sorted("foreign" if link.status == "foreign" else str(link.target) for link in links)
        targets = sorted(case["targets"])
        if not targets:
            got = [target for target in got if target != "foreign"]
        right += sum(min(got.count(t), targets.count(t)) for t in set(got))
        found, wanted = found + len(got), wanted + len(targets)
        exact += got == targets
        if got != targets:
            missed.append(f"{case['text'][:60]!r}: {got} for {targets}")
    rows = (
        ("precision", f"{right / found:.3f}"),
        ("recall", f"{right / wanted:.3f}"),
        ("cases exactly right", f"{exact} of {len(cases)}"),
    )
    return Table("Citations, unseen cases", ("measure", "value"), rows, "\n".join(missed))


def _beside_eyecite(grammar: Grammar) -> Table:
    """Both on the same number of characters with the same number of citations, one after the other."""
    ours = _rate(lambda text: len(find(text, "", grammar)), _dense(_OURS, COMPARED))
    rows = [("kb.cite", *_shown(*ours), "1.0")]
    note = f"{COMPARED:,} code points, one citation each {DENSITY}; processor time, the best of three runs."
    try:
        from eyecite import get_citations
    except ImportError:
        return Table("Citations beside eyecite", _RATES, tuple(rows), f"{note} eyecite is not installed.")
    for name, cited in (("eyecite, reporters only", _THEIRS), ("eyecite, with names of cases", _NAMED)):
        theirs = _rate(lambda text: len(get_citations(text)), _dense(cited, COMPARED))
        rows.append((name, *_shown(*theirs), f"{ours[1] / theirs[1]:.1f}"))
    return Table("Citations beside eyecite", _RATES, tuple(rows), f"{note} Wanted: ten times as quick.")


_RATES = ("matcher", "found", "characters a second", "kb.cite is quicker by")


def _shown(found: int, rate: float) -> tuple[str, str]:
    return f"{found:,}", f"{rate:,.0f}"


def _dense(citations: tuple[str, ...], size: int) -> str:
    """A text of ``size`` code points in which every stretch of DENSITY holds one place that cites."""
    pieces, length, number = [], 0, 0
    while length < size:
        cited = citations[number % len(citations)]
        piece = (cited + " was applied. " + _FILLER * 2)[: DENSITY - 2].rstrip() + ". "
        pieces.append(piece.ljust(DENSITY))
        length += DENSITY
        number += 1
    return "".join(pieces)[:size]


def _rate(count: Callable[[str], int], text: str) -> tuple[int, float]:
    """How many were found, and code points a second: the best of three runs after a short one."""
    count(text[: len(text) // 20])
    best = min((_timed(count, text) for _ in range(3)), key=lambda one: one[1])
    return best[0], len(text) / best[1]


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
    yield "prose with citations", _repeated(_dense(_OURS, 90_000), LARGE)
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
