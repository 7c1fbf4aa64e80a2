"""Where every character of a source went: kept, repaired or dropped, each by a rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kb.model import Account, Finding, Node, SourceEdit
from kb.text import Edit

Fate = tuple[str, str]
"""Kept, repaired or dropped; and as what, or by which rule."""
_BLANK: Fate = ("dropped", "white-space")


def account(
    source: str,
    raw: str,
    edits: Sequence[Edit | SourceEdit],
    nodes: Iterable[Node],
    unplaced: Iterable[tuple[int, int]],
    others: Iterable[tuple[int, int]] = (),
) -> tuple[list[Account], list[Finding]]:
    """Account for each character of one source.

    ``raw``: the decoded source; ``nodes``: all its readings, before collation; ``unplaced``: runs of text
    that have no place; ``others``: runs of a book that is none of the works. A character in a node is kept
    (``text``, ``title`` …); one that an edit replaced is repaired, one that it took away is dropped, by the
    edit's rule; white space between the lines is dropped. What is none of these is a finding:
    it must not happen.
    """
    codes: dict[Fate, int] = {_BLANK: 1}

    def code(kind: str, rule: str) -> int:
        return codes.setdefault((kind, rule), len(codes) + 1)

    kept = [(start, end, code("kept", "unplaced")) for start, end in unplaced]
    kept += [(start, end, code("kept", "other work")) for start, end in others]
    kept += [
        (span.source_start, span.source_end, code("kept", span.where.split()[0]))
        for node in nodes
        for span in node.spans
        if span.source == source
    ]
    changed = [(e.start, e.end, code("repaired" if e.after else "dropped", e.rule)) for e in edits]
    fate = _painted(len(raw), kept[::-1])  # where two claim it, the first has it
    _over(fate, changed)
    lost = _blank_left(fate, raw)
    counts = {known: number for known, one in codes.items() if (number := fate.count(one))}
    accounts = [Account(source, kind, rule, number) for (kind, rule), number in sorted(counts.items())]
    findings = []
    if lost:
        accounts.append(Account(source, "lost", "unaccounted", len(lost)))
        line = raw.count("\n", 0, lost[0]) + 1
        message = f"{len(lost)} characters are in no node and no edit, the first in line {line}"
        findings.append(Finding("unaccounted", message, None, source, (line, line)))
    return accounts, findings


def _painted(size: int, runs: Iterable[tuple[int, int, int]]) -> bytearray:
    """A byte a character: the code of the last run that holds it, else 0. (Rules are few; a byte will do.)"""
    fate = bytearray(size)
    for start, end, code in runs:
        fate[start:end] = bytes((code,)) * (end - start)
    return fate


def _over(fate: bytearray, changed: list[tuple[int, int, int]]) -> None:
    """Put the edits over what is kept; white space that was dropped gives way to it."""
    edited = _painted(len(fate), changed)
    for start, end, _ in changed:
        run = edited[start:end]
        if 1 in run:
            run = bytearray(
                old if old and new == 1 else new for old, new in zip(fate[start:end], run, strict=True)
            )
        fate[start:end] = run


def _blank_left(fate: bytearray, raw: str) -> list[int]:
    """Count white space that nothing claims as dropped; the places of all else that nothing claims."""
    lost: list[int] = []
    for run in re.finditer(rb"\x00+", fate):
        start, end = run.span()
        if not raw[start:end].isspace():
            lost += [place for place in range(start, end) if not raw[place].isspace()]
    fate[:] = fate.replace(b"\x00", b"\x01")
    for place in lost:
        fate[place] = 0
    return lost
