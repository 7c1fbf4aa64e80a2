"""What one source yields on its own: read, cut into parts by work, repaired, parsed, accounted for."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path

from kb import lang
from kb.account import account
from kb.model import Account, Finding, Node, SourceEdit, SourceInfo, Strip
from kb.parse import Parsed, parse
from kb.parts import OTHER, Part, parts
from kb.profile import Profile, SourceSpec, load
from kb.read import read, strips
from kb.repair import repair
from kb.repair.damage import damage_of
from kb.repair.pages import PageMap, page_map
from kb.runs import join
from kb.text import Edit, Text

RULES = ("profile.toml", "outline.toml", "citations.toml")
"""The files of a corpus that decide what a source yields; all others are read later."""
_WORD = re.compile(r"\w{3,}")
_EXCERPT = 300


@dataclass(frozen=True, slots=True)
class Understood:
    """A source's text as read by the rules of each work it holds."""

    parsed: Parsed
    edits: tuple[Edit, ...]
    pages: PageMap
    accounts: tuple[Account, ...]
    findings: tuple[Finding, ...]
    """What could not be placed, what is of no work, pages that are missing, characters that are lost."""
    others: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Sourced:
    """All that one source yields, on its own; the unit of parallel work."""

    info: SourceInfo
    parsed: Parsed
    edits: tuple[SourceEdit, ...]
    accounts: tuple[Account, ...]
    findings: tuple[Finding, ...]
    strips: tuple[Strip, ...] = ()
    pages: PageMap = field(default_factory=PageMap)
    others: tuple[tuple[int, int], ...] = ()
    """Runs that are of no work, code points."""

    def adopting(self, nodes: Sequence[Node]) -> tuple[Account, ...]:
        """The accounts when these readings, of text that had no place on its own, are in their place.

        Of a source without such readings the accounts as they are.
        """
        mine = {(w.source, w.lines) for node in nodes for w in node.witnesses if w.source == self.info.name}
        if not mine:
            return self.accounts
        left = [piece for piece in self.parsed.unplaced if (piece.source, piece.lines) not in mine]
        runs = [run for piece in left for run in piece.runs]
        readings = [*self.parsed.nodes, *nodes]
        accounts, _ = account(self.info.name, self.info.text, self.edits, readings, runs, self.others)
        return tuple(accounts)


def process_source(spec: SourceSpec, root: Path) -> Sourced:
    """Read, repair and parse one source of the corpus in ``root``, and account for its characters."""
    profile = _profile(root, _stamps(root))
    received = read(spec)
    raw = received.raw
    found = understand(received.text, raw, spec, profile)
    return Sourced(
        info=SourceInfo(
            name=spec.name,
            work=spec.work,
            edition=spec.edition,
            lang=spec.lang,
            sha256=received.sha256,
            encoding=received.encoding,
            chars=len(raw),
            lines=raw.count("\n") + (not raw.endswith("\n")),
            title=spec.title,
            translator=spec.translator,
            origin=spec.origin,
            rights=spec.rights,
            text=raw,
            margin=received.encoding_margin,
        ),
        parsed=found.parsed,
        edits=tuple(SourceEdit(spec.name, e.rule, e.start, e.end, e.before, e.after) for e in found.edits),
        accounts=found.accounts,
        findings=(*received.findings, *found.parsed.findings, *found.findings),
        pages=found.pages,
        strips=strips(received),
        others=found.others,
    )


def understand(received: Text, raw: str, spec: SourceSpec, profile: Profile) -> Understood:
    """Repair and parse a text, each part of it by the rules of the work it is of.

    ``received``: ``raw`` with the reader's own edits. What is of another work than ``spec`` says is
    read as a file of its own; what is of no work is kept as it is, in no node.
    """
    alike = partial(similar, lang.get(spec.lang))
    text = repair(received, damage_of(profile, spec.work, spec.lang))
    cut = parts(text, len(raw), profile, spec.work, spec.lang, alike)
    whole = len(cut) == 1 and cut[0].work == spec.work
    works = {spec.work: text} if whole else _apart(received, cut, spec, profile)
    read_works: list[Parsed] = []
    findings: list[Finding] = []
    maps: dict[str, PageMap] = {}
    edits = list(text.edits if whole else received.edits)
    others = [(part.start, part.end) for part in cut if part.work == OTHER]
    for work, repaired in works.items():
        maps[work] = page_map(repaired, damage_of(profile, work, spec.lang))
        parsed = parse(repaired, replace(spec, work=work), profile, maps[work].at, alike, raw)
        findings += _source_findings(spec, parsed, maps[work])
        read_works.append(parsed)
        edits += () if whole else repaired.edits
    if not whole:
        findings += _part_findings(raw, cut, spec)
        edits.sort(key=lambda edit: edit.start)
    parsed = read_works[0] if whole else _as_one(read_works)
    runs = [run for piece in parsed.unplaced for run in piece.runs]
    accounts, lost = account(spec.name, raw, edits, parsed.nodes, runs, others)
    pages = maps[spec.work] if whole else _page_map(cut, maps)
    return Understood(parsed, tuple(edits), pages, tuple(accounts), (*findings, *lost), tuple(others))


def _apart(received: Text, cut: Sequence[Part], spec: SourceSpec, profile: Profile) -> dict[str, Text]:
    """Work -> all its parts, repaired as a file of its own would be."""
    pieces: dict[str, list[Text]] = {}
    low = 0
    for part in cut:
        high = bisect_left(received.starts, part.end, low)
        piece = received[low:high]
        low = high
        if part.work == OTHER or not len(piece):
            continue
        own = pieces.setdefault(part.work, [])
        if own and not own[-1].value.endswith("\n"):  # it was cut inside a line
            end = array("q", [own[-1].end_of(len(own[-1]) - 1)])
            own.append(Text("\n", received.source, end, end))
        own.append(piece)
    return {work: repair(join(texts), damage_of(profile, work, spec.lang)) for work, texts in pieces.items()}


def _as_one(parsed: Sequence[Parsed]) -> Parsed:
    return Parsed(
        tuple(node for one in parsed for node in one.nodes),
        tuple(piece for one in parsed for piece in one.unplaced),
        tuple(finding for one in parsed for finding in one.findings),
        {ref: above for one in reversed(parsed) for ref, above in one.under.items()},
    )


def _page_map(cut: Sequence[Part], maps: Mapping[str, PageMap]) -> PageMap:
    """The maps of all works in one: in each part that of its work holds."""
    found: list[tuple[int, int | None, str]] = []
    for part in cut:
        own = maps.get(part.work, PageMap())
        found.append((part.start, *own.at(part.start)))
        low, high = bisect_right(own.starts, part.start), bisect_left(own.starts, part.end)
        found += zip(own.starts[low:high], own.pages[low:high], own.bases[low:high], strict=True)
    return PageMap(*(tuple(column) for column in zip(*found, strict=True)))


def _part_findings(raw: str, cut: Sequence[Part], spec: SourceSpec) -> Iterator[Finding]:
    """Which lines are of another work than the source is said to hold, and which of none."""
    for part in cut:
        said = raw[part.start : part.end].strip()
        if part.work == spec.work or not said:
            continue
        last = max(part.start, part.end - 1)
        lines = (raw.count("\n", 0, part.start) + 1, raw.count("\n", 0, last) + 1)
        excerpt = said if len(said) <= _EXCERPT else f"{said[:_EXCERPT]}…"
        if part.work == OTHER:
            reason = "other work: of none of the works of this corpus, by its numbers and headings"
            yield Finding("other-work", reason, None, spec.name, lines, excerpt)
        else:
            reason = f"read as {part.work}, by its numbers and headings (sources.toml says {spec.work})"
            yield Finding("mixed-source", reason, None, spec.name, lines, excerpt)


@lru_cache(maxsize=1)
def _profile(root: Path, stamps: tuple[object, ...]) -> Profile:
    """The profile, read once for many sources: its outline is as large as all of them together."""
    return load(root)


def _stamps(root: Path) -> tuple[object, ...]:
    """What tells a changed profile from the one read before; a worker may live for many builds."""
    found = []
    for name in (*RULES, "sources/sources.toml"):
        try:
            stat = (root / name).stat()
        except OSError:
            continue
        found.append((name, stat.st_ino, stat.st_size, stat.st_mtime_ns))
    return tuple(found)


def similar(language: lang.Language, said: str, title: str) -> float:
    """Share of the title's words, by lemma, that are said too: 0..1."""

    def lemmas(text: str) -> set[str]:
        return {lemma for word in _WORD.findall(text) for lemma in language.lemmas(word)[:1]}

    wanted = lemmas(title)
    return len(wanted & lemmas(said)) / len(wanted) if wanted else 0.0


def _source_findings(spec: SourceSpec, parsed: Parsed, pages: PageMap) -> Iterator[Finding]:
    for piece in parsed.unplaced:
        yield Finding("unplaced", piece.reason, None, piece.source, piece.lines, piece.text)
    if pages.missing:
        yield Finding("missing-pages", ranges(pages.missing), None, spec.name)


def ranges(numbers: Sequence[int]) -> str:
    """``[70, 71, 72, 74]`` -> ``70-72, 74``."""
    out: list[list[int]] = []
    for number in numbers:
        if out and number == out[-1][-1] + 1:
            out[-1].append(number)
        else:
            out.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in out)
