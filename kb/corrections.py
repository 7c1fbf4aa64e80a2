"""An editor's emendations: ``corrections.toml`` -> changes in the collated text, each with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kb.errors import InputError
from kb.model import Finding, Footnote, Node, Ref, Span
from kb.profile import Profile, read_toml

FILE = "corrections.toml"
_PARTS = ("title", "text", "tail")


@dataclass(frozen=True, slots=True)
class Emendation:
    """At ``ref``, in ``part`` (title, text, tail or ``footnote N``), ``expect`` is to be read as ``read``."""

    ref: Ref
    lang: str
    part: str
    expect: str
    read: str
    reason: str
    who: str
    line: int
    """Line of the file on which it begins, for messages."""


def load(profile: Profile) -> list[Emendation]:
    """The emendations of a corpus; none without the file. Raises InputError for one that lacks a key."""
    path = profile.root / FILE
    if not path.exists():
        return []
    lines = _table_lines(path)
    found = []
    for number, table in enumerate(read_toml(path).get("correction", [])):
        line = lines[number] if number < len(lines) else 1
        where = f"{path}:{line}"
        gone = [key for key in ("place", "expect", "read", "reason", "who") if key not in table]
        if gone:
            raise InputError(f"{where}: a correction needs {', '.join(gone)}")
        place, _, part = str(table["place"]).partition("#")
        try:
            ref = Ref.parse(place)
        except ValueError as error:
            raise InputError(f"{where}: {error}") from None
        part = part.replace("-", " ") or "text"
        if part not in _PARTS and not part.startswith("footnote "):
            raise InputError(f"{where}: part {part!r} is none of title, text, tail, footnote-1")
        lang = str(table.get("lang", profile.lang))
        expect, read, reason, who = (str(table[key]) for key in ("expect", "read", "reason", "who"))
        found.append(Emendation(ref, lang, part, expect, read, reason, who, line))
    return found


def emend(
    nodes: Sequence[Node], emendations: Iterable[Emendation], file: str = FILE
) -> tuple[list[Node], list[Finding]]:
    """Apply the emendations in their order; each is a finding of kind ``emended``.

    Raises InputError with the line of the file when the text does not have the expected reading exactly
    once, so that a better scan never silently undoes or doubles an editor's work.
    """
    found = {(node.ref, node.lang): node for node in nodes}
    findings = []
    for change in emendations:
        node = found.get((change.ref, change.lang))
        if node is None:
            raise InputError(f"{file}:{change.line}: {change.ref} is in no source; take the correction out")
        before = _part(node, change.part)
        times = before.count(change.expect) if change.expect else 0
        if times != 1:
            raise InputError(
                f"{file}:{change.line}: {change.ref} has {change.expect!r} {times} times "
                f"in its {change.part}, not once; look at the text again"
            )
        found[change.ref, change.lang] = _changed(node, change, before.index(change.expect))
        message = f"{change.part}: {change.expect!r} is read {change.read!r}: {change.reason} ({change.who})"
        findings.append(Finding("emended", message, change.ref, FILE, (change.line, change.line)))
    return [found[node.ref, node.lang] for node in nodes], findings


def _part(node: Node, part: str) -> str:
    if part.startswith("footnote "):
        number = int(part.split()[1])
        return node.footnotes[number - 1].text if number <= len(node.footnotes) else ""
    return str(getattr(node, part))


def _changed(node: Node, change: Emendation, at: int) -> Node:
    text = _part(node, change.part)
    after = text[:at] + change.read + text[at + len(change.expect) :]
    end = at + len(change.expect)
    shift = len(change.read) - len(change.expect)
    spans: list[Span] = []
    for span in node.spans:
        if span.where != change.part or span.end <= at:
            spans.append(span)
        elif span.start >= end:
            spans.append(span._replace(start=span.start + shift, end=span.end + shift))
        else:
            spans += _around(span, at, end, shift)
    if change.part.startswith("footnote "):
        number = int(change.part.split()[1]) - 1
        notes = list(node.footnotes)
        notes[number] = Footnote(notes[number].mark, after)
        return replace(node, footnotes=tuple(notes), spans=tuple(spans))
    return replace(node, spans=tuple(spans), **{change.part: after})  # type: ignore[arg-type]


def _around(span: Span, start: int, end: int, shift: int) -> list[Span]:
    """What is left of a span when a run inside it is no longer the source's."""
    parts = []
    single = span.source_end - span.source_start == span.end - span.start
    if span.start < start:
        cut = span.source_start + start - span.start if single else span.source_end
        parts.append(span._replace(end=start, source_end=cut))
    if span.end > end:
        cut = span.source_end - (span.end - end) if single else span.source_start
        parts.append(span._replace(start=end + shift, end=span.end + shift, source_start=cut))
    return parts


def _table_lines(path: Path) -> list[int]:
    lines = path.read_text("utf-8").splitlines()
    return [number for number, line in enumerate(lines, 1) if line.strip() == "[[correction]]"]
