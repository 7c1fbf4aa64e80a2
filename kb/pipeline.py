"""Corpus -> Records. The one place that knows the order of the stages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from kb import cluster, corrections, kept, parity, progress, relate, translation
from kb.cite.find import find
from kb.cite.grammar import Grammar, compile_grammar
from kb.cite.resolve import KnownEntries, resolve_all
from kb.collate import PageAt, collate, continued
from kb.entries import entries_of, in_order
from kb.model import Citation, Entry, Finding, Node, PlacedLink, Records, Ref, Relation
from kb.profile import Profile, SourceSpec, load
from kb.proposals import propose
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


_ALONE = Means()
READING = "reading sources"


@unswept()
def build(
    corpus: Path, means: Means = _ALONE, public: bool = False, profile: Profile | None = None
) -> Records:
    """Everything a corpus folder holds. Reads only, but for what ``means`` keeps.

    ``public``: as if the sources with ``rights = "private"`` were not there, for all that is published.
    ``profile``: that of the folder, where it is read already.

    Raises InputError or ProfileError, each one line, for a corpus that cannot be used.
    """
    profile = profile or load(corpus)
    sources = _process_all(profile, means, public)
    adopted = _adopted(sources)
    nodes, findings = _text(profile, sources, adopted)
    grammar = compile_grammar(profile)
    nodes, more = _translated(profile, nodes)
    under = {ref: heading for source in sources for ref, heading in source.parsed.under.items()}
    entries, ordered = entries_of(profile, nodes, under=under)
    said = list(_citations(ordered, grammar))
    links = tuple(_links(said, nodes, grammar, entries))
    cited = _without_entry(profile, links, entries)
    if cited:
        # What is cited and in no source becomes an entry, which other citations may mean.
        entries, ordered = entries_of(profile, nodes, cited, under)
        links = tuple(_links(said, nodes, grammar, entries))
    nodes = ordered
    relations = _relations(profile, nodes, entries, links)
    findings += more + _checked(profile, nodes, links) + _link_findings(links)
    looked = kept.Looked(means.looked, kept.program_hash() if means.looked else "")
    findings += propose(profile, nodes, entries, links, looked)
    looked.save()
    return Records(
        meta=_meta(profile, sources),
        entries=tuple(entries),
        nodes=tuple(nodes),
        links=links,
        relations=tuple(relations),
        findings=tuple(findings),
        sources=tuple(source.info for source in sources),
        edits=tuple(edit for source in sources for edit in source.edits),
        accounts=tuple(line for source in sources for line in source.adopting(adopted)),
        strips=tuple(strip for source in sources for strip in source.strips),
    )


def _process_all(profile: Profile, means: Means, public: bool) -> list[Sourced]:
    """What each source yields: kept from an earlier build, or made now."""
    specs = [replace(spec, cache=means.cache) for spec in profile.sources if not (public and spec.private)]
    if means.kept is None:
        return list(_worked(profile, means, specs))
    keys = source_keys(profile)
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


def _text(
    profile: Profile, sources: Sequence[Sourced], adopted: Sequence[Node]
) -> tuple[list[Node], list[Finding]]:
    """The collated and emended nodes in the languages of the sources, and what the stages found."""
    page_at = _page_at(sources)
    readings = [node for source in sources for node in source.parsed.nodes]
    placed = {("unplaced", w.source, w.lines) for node in adopted for w in node.witnesses}
    every = [finding for source in sources for finding in source.findings]
    findings = [f for f in every if (f.kind, f.source, f.lines) not in placed]
    nodes, conflicts = collate([*readings, *adopted], page_at)
    emendations = corrections.load(profile)
    nodes, emended = corrections.emend(nodes, emendations, str(profile.root / corrections.FILE))
    nodes = in_order(profile, nodes)
    return nodes, findings + conflicts + emended + _missing_pages(sources) + _truncated(nodes)


def _missing_pages(sources: Sequence[Sourced]) -> list[Finding]:
    """Pages that no source of a work has, between the first and the last that one has."""
    found = []
    nodes = [node for source in sources for node in source.parsed.nodes]
    for work in dict.fromkeys(node.ref.work for node in nodes):
        pages = {node.page for node in nodes if node.ref.work == work and node.page is not None}
        gone = [page for page in range(min(pages), max(pages)) if page not in pages] if pages else []
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


def _translated(profile: Profile, nodes: list[Node]) -> tuple[list[Node], list[Finding]]:
    rendered, findings = translation.render(nodes, translation.load(profile))
    return [*nodes, *rendered], findings


def _meta(profile: Profile, sources: Sequence[Sourced]) -> dict[str, str]:
    meta = {
        "name": profile.name,
        "languages": " ".join(profile.languages),
        "edition": profile.edition,
        "works": " ".join(profile.works),
        "law_work": profile.law_work.name,
    }
    meta |= {f"title.{code}": title for code, title in profile.titles.items()}
    return meta


def _without_entry(profile: Profile, links: Iterable[PlacedLink], entries: Iterable[Entry]) -> list[Ref]:
    """Comments that are cited and that nothing else tells of."""
    known = {entry.ref for entry in entries}
    targets = {placed.link.target for placed in links} - known
    roles = {name: work.role for name, work in profile.works.items()}
    return sorted(ref for ref in targets if roles.get(ref.work) == "commentary")


Said = tuple[Ref, str, str, list[Citation]]
"""Node, language and part of the node, and the citations that stand there."""


def _links(
    said: Sequence[Said], nodes: Sequence[Node], grammar: Grammar, entries: Sequence[Entry]
) -> Iterator[PlacedLink]:
    """All citations resolved, in reading order."""
    known = KnownEntries.of(entries, (node.ref for node in nodes))
    for ref, code, where, citations in said:
        for link in resolve_all(citations, known, ref, grammar):
            yield PlacedLink(ref, code, where, link)


def _citations(nodes: Sequence[Node], grammar: Grammar) -> Iterator[Said]:
    """All citations of all nodes, in reading order."""
    for node in progress.over(nodes, "finding citations"):
        notes = [(f"footnote {n}", note.text) for n, note in enumerate(node.footnotes, 1)]
        for where, value in [("text", node.text), ("tail", node.tail), *notes]:
            if value:
                found = find(value, node.lang, grammar, node.ref)
                if found:
                    yield node.ref, node.lang, where, found


def _link_findings(links: Sequence[PlacedLink]) -> list[Finding]:
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


def _checked(profile: Profile, nodes: Sequence[Node], links: Sequence[PlacedLink]) -> list[Finding]:
    """Parity of the first language with each of the others that has nodes."""
    findings: list[Finding] = []
    present = {node.lang for node in nodes}
    for target in profile.languages[1:]:
        if target in present:
            findings += parity.check(nodes, links, parity.load(profile, profile.lang, target))
    return findings


def _relations(
    profile: Profile, nodes: Sequence[Node], entries: Sequence[Entry], links: Sequence[PlacedLink]
) -> tuple[Relation, ...]:
    """What each comment is about, in all languages at once."""
    roles = {work.name: work.role for work in profile.works.values()}
    comments = [node for node in nodes if roles[node.ref.work] == "commentary"]
    laws = [node for node in nodes if roles[node.ref.work] == "law"]
    return tuple(relate.relate(comments, laws, entries, links, profile))


__all__ = ["Means", "Sourced", "build", "process_source", "similar", "source_keys"]
