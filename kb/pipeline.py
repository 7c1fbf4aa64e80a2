"""Corpus -> Records. The one place that knows the order of the stages."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from kb import cluster, corrections, kept, parity, progress, relate, translation
from kb.cite.find import find
from kb.cite.grammar import Grammar, compile_grammar
from kb.cite.resolve import Known, KnownEntries, resolve_all
from kb.collate import PageAt, collate, continued
from kb.digests import root
from kb.entries import entries_of, in_order
from kb.model import Citation, Entry, Finding, Node, PlacedLink, Records, Ref, Relation
from kb.profile import Profile, SourceSpec, load
from kb.proposals import propose
from kb.proposals.words import Spelt
from kb.sourced import RULES, Sourced, process_source, ranges, similar
from kb.unswept import unswept


@dataclass(frozen=True, slots=True)
class Means:
    """How sources are worked on: by how many processes or which dask scheduler; where results are kept."""

    jobs: int = 1
    scheduler: str = ""
    kept: Path | None = None
    cache: Path | None = None
    """Where the words of pictures are kept by the picture: they outlive a change of the program."""
    looked: Path | None = None
    """Where texts are noted in which a search for losses finds nothing."""


@dataclass(frozen=True, slots=True)
class SourceNotes:
    """Of a source: the hash of all that decides what it yields; whether it has text that another one may
    place; the pages it has of each work."""

    key: str
    leads: bool
    pages: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, source: Sourced, key: str) -> SourceNotes:
        """Of what it yielded."""
        pages: dict[str, set[int]] = {}
        for node in source.parsed.nodes:
            own = pages.setdefault(node.ref.work, set())
            if node.page is not None:
                own.add(node.page)
        leads = any(piece.lead for piece in source.parsed.unplaced)
        return cls(key, leads, {work: sorted(own) for work, own in pages.items()})


@dataclass(frozen=True, slots=True)
class Notes:
    """What a build knows besides its records: of each source by name, of texts, of words by language."""

    sources: Mapping[str, SourceNotes]
    looked: kept.Looked
    words: dict[str, Spelt] = field(default_factory=dict)


_ALONE = Means()
READING = "reading sources"


@unswept()
def build(
    corpus: Path, means: Means = _ALONE, public: bool = False, profile: Profile | None = None
) -> Records:
    """Everything a corpus folder holds. Reads only, but for what sources yield, as ``means`` says.

    ``public``: as if the sources with ``rights = "private"`` were not there, for all that is published.
    ``profile``: that of the folder, where it is read already.

    Raises InputError or ProfileError, each one line, for a corpus that cannot be used.
    """
    return noted(profile or load(corpus), means, public)[0]


@unswept()
def noted(profile: Profile, means: Means, public: bool = False) -> tuple[Records, Notes]:
    """The same, with what a later build needs to know to work on changed sources only."""
    keys = source_keys(profile) if means.kept else {}
    sources = process_all(profile, means, specs_of(profile, means, public), keys)
    adopted = _adopted(sources)
    nodes, findings = text_of(profile, sources, adopted)
    grammar = compile_grammar(profile)
    nodes, more = translated(profile, nodes)
    under = {ref: heading for source in sources for ref, heading in source.parsed.under.items()}
    entries, ordered = entries_of(profile, nodes, under=under)
    said = list(citations_of(ordered, grammar))
    links = tuple(links_of(said, _known(ordered, entries), grammar))
    cited = without_entry(profile, links, {entry.ref for entry in entries})
    if cited:
        # What is cited and in no source becomes an entry, which other citations may mean.
        entries, ordered = entries_of(profile, nodes, cited, under)
        links = tuple(links_of(said, _known(ordered, entries), grammar))
    nodes = ordered
    relations = relations_of(profile, nodes, entries, links)
    told = {source.info.name: SourceNotes.of(source, keys.get(source.info.name, "")) for source in sources}
    findings += missing_pages(told.values())
    findings += more + checked(profile, nodes, links, {node.lang for node in nodes}) + link_findings(links)
    notes = Notes(told, kept.Looked(means.looked, kept.program_hash() if means.looked else ""))
    findings += propose(profile, nodes, entries, links, notes.looked, notes.words)
    records = Records(
        meta=_meta(profile),
        entries=tuple(entries),
        nodes=tuple(nodes),
        links=links,
        relations=tuple(relations),
        findings=tuple(in_places(findings, (str(entry.ref) for entry in entries), told)),
        sources=tuple(source.info for source in sources),
        edits=tuple(edit for source in sources for edit in source.edits),
        accounts=tuple(line for source in sources for line in source.adopting(adopted)),
        strips=tuple(strip for source in sources for strip in source.strips),
    )
    return records, notes


def in_places(findings: Iterable[Finding], refs: Iterable[str], sources: Iterable[str]) -> list[Finding]:
    """Findings by kind, then by the provision they are of, then by source.

    ``refs``: those of all entries, ``sources``: all names, in order.
    """
    tops: dict[str, int] = {}
    for ref in refs:
        tops.setdefault(root(ref), len(tops))
    names = {name: number for number, name in enumerate(sources)}

    def place(one: Finding) -> tuple[str, int, str, int]:
        top = root(str(one.ref)) if one.ref else ""
        return one.kind, tops.get(top, len(tops) if top else -1), top, names.get(one.source, -1)

    return sorted(findings, key=place)


def specs_of(profile: Profile, means: Means, public: bool) -> list[SourceSpec]:
    """The sources that are read."""
    return [replace(spec, cache=means.cache) for spec in profile.sources if not (public and spec.private)]


def _known(nodes: Iterable[Node], entries: Iterable[Entry]) -> KnownEntries:
    return KnownEntries.of(entries, (node.ref for node in nodes))


def process_all(
    profile: Profile, means: Means, specs: Sequence[SourceSpec], keys: Mapping[str, str]
) -> list[Sourced]:
    """What each source yields: kept from an earlier build, or made now. ``keys``: ``source_keys``."""
    if means.kept is None:
        return list(_worked(profile, means, specs))
    found = {spec.name: kept.load(means.kept, keys[spec.name]) for spec in specs}
    fresh = [spec for spec in specs if found[spec.name] is None]
    # Each is kept as it comes: what a build had read before it was stopped is not read again.
    for spec, made in zip(fresh, _worked(profile, means, fresh), strict=True):
        kept.save(means.kept, keys[spec.name], made)
        found[spec.name] = made
    return [found[spec.name] for spec in specs]


def _worked(profile: Profile, means: Means, specs: Sequence[SourceSpec]) -> Iterator[Sourced]:
    """What each source yields, in order, as it comes."""
    work = partial(process_source, root=profile.root)
    if means.scheduler and specs:
        work = partial(process_source, root=profile.root.resolve())
        made = cluster.run_all(work, specs, means.scheduler, lambda spec: spec.name)
        yield from progress.over(made, READING, len(specs))
    elif means.jobs > 1 and len(specs) > 1:
        with ProcessPoolExecutor(min(means.jobs, len(specs))) as pool:
            yield from progress.over(pool.map(work, specs), READING, len(specs))
    else:
        yield from (work(spec) for spec in progress.over(specs, READING))


def source_keys(profile: Profile) -> dict[str, str]:
    """Source -> the hash of all that decides what it yields: bytes, description, rules, program."""
    rules = [kept.program_hash()]
    for name in RULES:
        path = profile.root / name
        rules.append(hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "")
    keys = {}
    for spec in profile.sources:
        try:
            own = hashlib.sha256(spec.path.read_bytes()).hexdigest()
        except OSError:
            # Reading it for the work says what is wrong.
            own = "absent"
        told = repr(replace(spec, path=Path(), cache=None))
        keys[spec.name] = hashlib.sha256("\n".join([*rules, own, told]).encode()).hexdigest()
    return keys


def _adopted(sources: Sequence[Sourced]) -> list[Node]:
    """Readings of text that its own source could not place: the page before, in any source, tells."""
    readings = [node for source in sources for node in source.parsed.nodes]
    leads = [piece.lead for source in sources for piece in source.parsed.unplaced if piece.lead]
    return continued(leads, readings, _page_at(sources))


def _page_at(sources: Sequence[Sourced]) -> PageAt:
    maps = {source.info.name: source.pages for source in sources}
    return lambda source, place: maps[source].at(place)[0]


def text_of(
    profile: Profile,
    sources: Sequence[Sourced],
    adopted: Sequence[Node],
    outline: Sequence[Entry] | None = None,
    emendations: Sequence[corrections.Emendation] | None = None,
) -> tuple[list[Node], list[Finding]]:
    """The collated and emended nodes in the languages of the sources, and what the stages found.

    ``outline``, ``emendations``: those that are of these sources, else all.
    """
    page_at = _page_at(sources)
    readings = [node for source in sources for node in source.parsed.nodes]
    placed = {("unplaced", w.source, w.lines) for node in adopted for w in node.witnesses}
    every = [finding for source in sources for finding in source.findings]
    findings = [f for f in every if (f.kind, f.source, f.lines) not in placed]
    nodes, conflicts = collate([*readings, *adopted], page_at)
    emendations = corrections.load(profile) if emendations is None else emendations
    nodes, emended = corrections.emend(nodes, emendations, str(profile.root / corrections.FILE))
    nodes = in_order(profile, nodes, outline)
    return nodes, findings + conflicts + emended + _truncated(nodes)


def missing_pages(sources: Iterable[SourceNotes]) -> list[Finding]:
    """Pages that no source of a work has, between the first and the last that one has."""
    pages: dict[str, set[int]] = {}
    for source in sources:
        for work, own in source.pages.items():
            pages.setdefault(work, set()).update(own)
    found = []
    for work, had in pages.items():
        gone = [page for page in range(min(had), max(had)) if page not in had] if had else []
        if gone:
            found.append(Finding("missing-pages", f"in no source of {work}: {ranges(gone)}"))
    return found


def _truncated(nodes: Sequence[Node]) -> list[Finding]:
    found = []
    for node in nodes:
        if not node.complete:
            chosen = next((w for w in node.witnesses if w.chosen), None)
            source, lines = (chosen.source, chosen.lines) if chosen else ("", None)
            found.append(Finding("truncated", node.missing, node.ref, source, lines))
    return found


def translated(profile: Profile, nodes: list[Node]) -> tuple[list[Node], list[Finding]]:
    rendered, findings = translation.render(nodes, translation.load(profile))
    return [*nodes, *rendered], findings


def _meta(profile: Profile) -> dict[str, str]:
    meta = {
        "name": profile.name,
        "languages": " ".join(profile.languages),
        "edition": profile.edition,
        "works": " ".join(profile.works),
        "law_work": profile.law_work.name,
    }
    meta |= {f"title.{code}": title for code, title in profile.titles.items()}
    return meta


def without_entry(profile: Profile, links: Iterable[PlacedLink], known: Container[Ref]) -> list[Ref]:
    """Comments that are cited and that nothing else tells of."""
    targets = {placed.link.target for placed in links if placed.link.target not in known}
    roles = {name: work.role for name, work in profile.works.items()}
    return sorted(ref for ref in targets if roles.get(ref.work) == "commentary")


Said = tuple[Ref, str, str, list[Citation]]
"""Node, language and part of the node, and the citations that stand there."""


def links_of(said: Sequence[Said], known: Known, grammar: Grammar) -> Iterator[PlacedLink]:
    """All citations resolved, in reading order."""
    for ref, code, where, citations in said:
        for link in resolve_all(citations, known, ref, grammar):
            yield PlacedLink(ref, code, where, link)


def citations_of(nodes: Sequence[Node], grammar: Grammar) -> Iterator[Said]:
    """All citations of all nodes, in reading order."""
    for node in progress.over(nodes, "finding citations"):
        notes = [(f"footnote {n}", note.text) for n, note in enumerate(node.footnotes, 1)]
        for where, value in [("text", node.text), ("tail", node.tail), *notes]:
            if value:
                found = find(value, node.lang, grammar, node.ref)
                if found:
                    yield node.ref, node.lang, where, found


def link_findings(links: Sequence[PlacedLink]) -> list[Finding]:
    """Citations that lead to no text: kept, each with its status and reason."""
    kinds = {"not-supplied": "cites-not-supplied", "unknown": "unresolved", "ambiguous": "unresolved"}
    return [
        Finding(
            kinds[placed.link.status],
            f"«{placed.link.citation.surface}» -> {placed.link.target}: {placed.link.reason}",
            placed.at,
        )
        for placed in links
        if placed.link.status in kinds
    ]


def checked(
    profile: Profile, nodes: Sequence[Node], links: Sequence[PlacedLink], present: Container[str]
) -> list[Finding]:
    """Parity of the first language with each of the others that has nodes at all: ``present``."""
    findings: list[Finding] = []
    for target in profile.languages[1:]:
        if target in present:
            findings += parity.check(nodes, links, parity.load(profile, profile.lang, target))
    return findings


def relations_of(
    profile: Profile, nodes: Sequence[Node], entries: Sequence[Entry], links: Sequence[PlacedLink]
) -> tuple[Relation, ...]:
    """What each comment is about, in all languages at once."""
    roles = {work.name: work.role for work in profile.works.values()}
    comments = [node for node in nodes if roles[node.ref.work] == "commentary"]
    laws = [node for node in nodes if roles[node.ref.work] == "law"]
    return tuple(relate.relate(comments, laws, entries, links, profile))


__all__ = ["Means", "Sourced", "build", "process_source", "similar", "source_keys"]
