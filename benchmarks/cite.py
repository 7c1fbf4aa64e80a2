"""Citations: precision and recall on cases written by someone who has not read the grammar, and speed."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path

from benchmarks import Table
from kb.cite.find import find
from kb.cite.grammar import compile_grammar
from kb.cite.resolve import KnownEntries, resolve_all
from kb.pipeline import build
from kb.profile import load

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "cases" / "citations_unseen.toml"


def run() -> list[Table]:
    """Exact targets of 165 unseen cases; characters a second at the density of the scans."""
    corpus = ROOT / "corpus" / "bridge"
    profile, records = load(corpus), build(corpus)
    grammar = compile_grammar(profile)
    known = KnownEntries.of(records.entries)
    right = found = wanted = exact = 0
    missed: list[str] = []
    cases = tomllib.loads(CASES.read_text("utf-8"))["case"]
    for case in cases:
        links = resolve_all(find(case["text"], case["lang"], grammar), known, None, grammar)
        got = sorted("foreign" if link.status == "foreign" else str(link.target) for link in links)
        targets = sorted(case["targets"])
        if not targets:
            got = [target for target in got if target != "foreign"]
        hits = sum(min(got.count(t), targets.count(t)) for t in set(got))
        right, found, wanted = right + hits, found + len(got), wanted + len(targets)
        exact += got == targets
        if got != targets:
            missed.append(f"{case['text'][:60]!r}: {got} for {targets}")
    rows = [
        ("precision", f"{right / found:.3f}"),
        ("recall", f"{right / wanted:.3f}"),
        ("cases exactly right", f"{exact} of {len(cases)}"),
    ]
    text = " ".join(node.text for node in records.nodes if node.text) * 20
    start = time.perf_counter()
    citations = len(find(text, profile.lang, grammar))
    seconds = time.perf_counter() - start
    rows.append(("characters a second", f"{len(text) / seconds:,.0f}"))
    rows.append(("characters for each citation", f"{len(text) / citations:.0f}"))
    return [Table("Citations, unseen cases", ("measure", "value"), tuple(rows), "\n".join(missed))]
