"""Where every character of a source went: kept, repaired or dropped, each by a rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kb.model import Account, Finding, Node, SourceEdit
from kb.text import Edit


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
    fate: list[tuple[str, str] | None] = [None] * len(raw)
    for edit in edits:
        kind = ("repaired" if edit.after else "dropped", edit.rule)
        fate[edit.start : edit.end] = [kind] * (edit.end - edit.start)
    for start, end in unplaced:
        _keep(fate, start, end, "unplaced")
    for start, end in others:
        _keep(fate, start, end, "other work")
    for node in nodes:
        for span in node.spans:
            if span.source == source:
                _keep(fate, span.source_start, span.source_end, span.where.split()[0])
    lost: list[int] = []
    for place, known in enumerate(fate):
        if known is None:
            if raw[place].isspace():
                fate[place] = ("dropped", "white-space")
            else:
                lost.append(place)
    counts = Counter(known for known in fate if known is not None)
    accounts = [Account(source, kind, rule, number) for (kind, rule), number in sorted(counts.items())]
    findings = []
    if lost:
        accounts.append(Account(source, "lost", "unaccounted", len(lost)))
        line = raw.count("\n", 0, lost[0]) + 1
        message = f"{len(lost)} characters are in no node and no edit, the first in line {line}"
        findings.append(Finding("unaccounted", message, None, source, (line, line)))
    return accounts, findings


def _keep(fate: list[tuple[str, str] | None], start: int, end: int, where: str) -> None:
    for place in range(start, end):
        if fate[place] is None or fate[place] == ("dropped", "white-space"):
            fate[place] = ("kept", where)
