"""A store made of the one before: only what hangs together with the changed sources is worked out again.

Sources hang together when they have readings of the same provision. All other provisions stay as they are,
row by row, where nothing passes from these to them: the same provisions with the same titles and states, so
that citations lead where they led. What comments are about weighs the words of all, and is weighed again
where words are others. Where more may change the corpus is read whole, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kb import corrections, entries, lang, pipeline, rows
from kb.cite.grammar import Grammar, compile_grammar
from kb.cite.resolve import TEXT
from kb.digests import root
from kb.errors import BuildError
from kb.model import Entry, Finding, Node, PlacedLink, Records, Ref, Relation
from kb.pipeline import Means, Notes, SourceNotes
from kb.profile import Profile
from kb.proposals.citations import odd_citations
from kb.proposals.lacunae import keys as texts_looked_at
from kb.proposals.lacunae import lacunae
from kb.proposals.words import Spelt, spelt, unknown_words
from kb.splice import Before, Splice
from kb.store import Store, open_store
from kb.unswept import unswept

UNKNOWN, ODD, MISSING = "unknown-word", "odd-citation", "missing-pages"
"""Kinds of findings that rest on more than one source."""
_REPEALED = "repealed"
_MOST = 4
"""At most one source in so many is worked on: more are read sooner with all others."""


@dataclass(frozen=True, slots=True)
class Amendment:
    """A changed store, to be saved."""

    splice: Splice
    notes: Notes


class _Stop(Exception):
    """More may change than what hangs together: the corpus has to be read whole."""


@unswept()
def amended(
    profile: Profile,
    means: Means,
    before: Path,
    noted: Callable[[Store], Notes | None],
    digests: Callable[[Store], Mapping[str, bytes] | None],
    public: bool = False,
) -> Amendment | None:
    """What the store at ``before`` becomes; None where the corpus has to be read whole.

    ``noted``, ``digests``: what is kept of a store. Reads only, but for what sources yield.
    """
    try:
        kb = open_store(before)
    except BuildError:
        return None
    with kb:
        notes, counted = noted(kb), digests(kb)
        if notes is None or counted is None:
            return None
        try:
            return _Amending(profile, means, kb, notes, counted, public).done()
        except _Stop:
            return None


class _Places:
    """The provision, or the one heading, that a ref as printed stands in."""

    def __init__(self, profile: Profile) -> None:
        self._steps = {
            (work.name, level.step)
            for work in profile.works.values()
            for level in work.levels
            if level.heading and level.step
        }

    def heading(self, ref: str) -> bool:
        work, _, path = ref.split("/") if ref.count("/") == 2 else (ref, "", "")
        return (work, path.partition(".")[0]) in self._steps

    def of(self, ref: str) -> str:
        return ref if self.heading(ref) else root(ref)

    def among(self, entries: Iterable[Entry], places: Container[str]) -> list[Entry]:
        """The headings, and what is in one of the places."""
        found = []
        top, inside = "", False
        for entry in entries:
            ref = entry.ref
            here = f"{ref.work}/{ref.edition}/{ref.path[0]}" if ref.path else f"{ref.work}/{ref.edition}"
            if here != top:
                top, inside = here, here in places
            if inside or (ref.work, ref.path[0] if ref.path else "") in self._steps:
                found.append(entry)
        return found


class _Known:
    """``KnownEntries`` of the entries of a store, of which it reads what is asked for."""

    def __init__(self, kb: Store) -> None:
        self._kb = kb

    def status(self, ref: Ref) -> str:
        """See ``Known``."""
        own = str(ref)
        rows = [row for row in self._kb.within("entries", "ref", own) if f"{row[1]}.".startswith(f"{own}.")]
        if ref.path and any(row[8] in TEXT for row in rows):
            return "text"
        return "not-supplied" if any(row[1] == own for row in rows) else ""


class _Amending:
    """One amendment: what hangs together, worked out anew, beside what it was."""

    def __init__(
        self,
        profile: Profile,
        means: Means,
        kb: Store,
        notes: Notes,
        digests: Mapping[str, bytes],
        public: bool,
    ) -> None:
        self.profile, self.kb, self.notes, self.digests = profile, kb, notes, digests
        self.where = _Places(profile)
        keys = pipeline.source_keys(profile)
        specs = pipeline.specs_of(profile, means, public)
        self.names = [spec.name for spec in specs]
        if self.names != list(notes.sources) or any(one.leads for one in notes.sources.values()):
            raise _Stop
        changed = {name for name in self.names if notes.sources[name].key != keys[name]}
        self.readings = [(source, node) for _, source, node in kb.rows("readings")]
        self.tops = list(dict.fromkeys([ref.partition(".")[0] for ref in kb.listed()]))
        self.sources, self.places = self._together(changed)
        if not changed or len(self.sources) > max(1, len(specs) // _MOST):
            raise _Stop
        own = [spec for spec in specs if spec.name in self.sources]
        self.read = pipeline.process_all(profile, means, own, keys)
        told = {one.info.name: SourceNotes.of(one, keys[one.info.name]) for one in self.read}
        if any(one.leads for one in told.values()):
            raise _Stop
        self.told = {name: told.get(name, one) for name, one in notes.sources.items()}
        self.old = [row for place in sorted(self.places) for row in self._rows("nodes", place)]
        self.old.sort()

    def _together(self, changed: Iterable[str]) -> tuple[set[str], set[str]]:
        """The sources that have readings of the same provisions as the changed ones, and these provisions."""
        read_by: dict[int, set[str]] = {}
        for source, node in self.readings:
            read_by.setdefault(node, set()).add(source)
        sources: set[str] = set()
        places: set[str] = set()
        waiting = set(changed)
        while waiting:
            source = waiting.pop()
            sources.add(source)
            for node in self.kb.read_from(source):
                place = self.where.of(str(node.ref))
                if place not in places:
                    places.add(place)
                    for row in self._rows("nodes", place):
                        waiting |= read_by.get(row[0], set()) - sources
        return sources, places

    def _rows(self, table: str, place: str, column: str = "ref") -> list[tuple[Any, ...]]:
        at = {"ref": 1, "at": 1, "target": 11}[column]
        found = self.kb.within(table, column, place)
        return [row for row in found if self.where.of(row[at]) == place]

    def _own(self, ref: object) -> bool:
        return self.where.of(str(ref)) in self.places

    def done(self) -> Amendment:
        """Raises _Stop where more has to be worked out."""
        outline = self.where.among(self.profile.outline, self.places)
        if not all(self._own(node.ref) for one in self.read for node in one.parsed.nodes):
            raise _Stop
        emendations = [one for one in corrections.load(self.profile) if self._own(one.ref)]
        nodes, findings = pipeline.text_of(self.profile, self.read, [], outline, emendations)
        nodes, more = pipeline.translated(self.profile, nodes)
        under = {ref: above for one in self.read for ref, above in one.parsed.under.items()}
        made, nodes = entries.entries_of(self.profile, nodes, under=under, outline=outline)
        self._same(made, nodes)
        grammar = compile_grammar(self.profile)
        links = self._links(nodes, grammar)
        present = self.kb.node_languages()
        findings += more + pipeline.checked(self.profile, nodes, links, present)
        findings += pipeline.link_findings(links)
        findings = [one for one in findings if self._mine(one)]
        relations = self._relations(nodes, links)
        records = Records(
            meta={},
            nodes=tuple(nodes),
            links=tuple(links),
            relations=relations or (),
            sources=tuple(one.info for one in self.read),
            edits=tuple(edit for one in self.read for edit in one.edits),
            accounts=tuple(line for one in self.read for line in one.accounts),
            strips=tuple(strip for one in self.read for strip in one.strips),
        )
        words, findings = self._proposed(nodes, links, findings)
        splice = Splice.of(
            self.kb,
            records,
            Before(self.old, self.readings, self.names, self.tops, self.digests),
            findings,
            relations is not None,
        )
        return Amendment(splice, replace(self.notes, sources=self.told, words=words))

    def _same(self, made: Sequence[Entry], nodes: Sequence[Node]) -> None:
        """All that others know of these provisions is as it was."""
        old = {row[1]: row[2:] for place in self.places for row in self._rows("entries", place)}
        own = tuple(one for one in made if self._own(one.ref))
        tables = {name: list(found) for name, found in rows.tables(Records({}, own, tuple(nodes)))}
        new = {row[1]: row[2:] for row in tables["entries"]}
        if set(old) != set(new) or len(tables["nodes"]) != len(self.old):
            raise _Stop
        for ref, row in new.items():
            # Of a heading the state is that of all below it, which stays when all these do.
            same = row == old[ref]
            if self.where.heading(ref):
                same = row[:-1] == old[ref][:-1] and (row[-1] == _REPEALED) == (old[ref][-1] == _REPEALED)
            if not same:
                raise _Stop
        for row, before in zip(tables["nodes"], self.old, strict=True):
            if row[1:3] != before[1:3] or (self.where.heading(row[1]) and row[10] != before[10]):
                raise _Stop

    def _links(self, nodes: Sequence[Node], grammar: Grammar) -> list[PlacedLink]:
        """The citations of these provisions; they make and end no entry."""
        said = list(pipeline.citations_of(nodes, grammar))
        links = list(pipeline.links_of(said, _Known(self.kb), grammar)) if said else []
        if any(self.kb.entry(ref) is None for ref in pipeline.without_entry(self.profile, links, ())):
            raise _Stop
        targets = {str(placed.link.target) for placed in links}
        for place in self.places:
            for row in self._rows("links", place, "at"):
                target = str(row[11])
                entry = self.kb.entry(rows.read_ref(target)) if target not in targets else None
                if entry is not None and entry.support == "cited":
                    raise _Stop
        return links

    def _relations(self, nodes: Sequence[Node], links: Sequence[PlacedLink]) -> tuple[Relation, ...] | None:
        """What all comments are about; None where it stays, because all words and what comments cite do."""
        roles = {work.name: work.role for work in self.profile.works.values()}
        if not any(next(self.kb.nodes(name), None) for name, role in roles.items() if role == "commentary"):
            return None
        before = [rows.node(row) for row in self.old]
        was = [rows.link(row) for place in sorted(self.places) for row in self._rows("links", place, "at")]
        citing = [[one for one in own if roles[one.at.work] == "commentary"] for own in (was, links)]
        if list(map(_said, before)) == list(map(_said, nodes)) and _cited(citing[0]) == _cited(citing[1]):
            return None
        others = [node for node in self.kb.nodes() if not self._own(node.ref)]
        cited = [placed for placed in self.kb.links() if not self._own(placed.at)]
        entries = list(self.kb.entries())
        return pipeline.relations_of(self.profile, [*others, *nodes], entries, [*cited, *citing[1]])

    def _mine(self, one: Finding) -> bool:
        return self._own(one.ref) if one.ref else one.source in self.sources

    def _proposed(
        self, nodes: Sequence[Node], links: Sequence[PlacedLink], findings: list[Finding]
    ) -> tuple[dict[str, Spelt], list[Finding]]:
        """The words of the whole text, and all findings: those there were, these, and what is proposed."""
        before = [rows.node(row) for row in self.old]
        words, found = self._words(before, nodes), list(findings)
        looked = self.notes.looked
        looked.carry()
        for node in before:
            for key in texts_looked_at(node) if not node.rendering else ():
                looked.drop(key)
        for code, own in _by_language(nodes).items():
            found += lacunae(own, lang.get(code), looked)
        for code, spoken in words.items():
            found += unknown_words(spoken, lang.get(code))
        odd, asked = self._odd(nodes, links)
        found += odd + pipeline.missing_pages(self.told.values())
        kept = [
            one
            for one in self.kb.findings()
            if not (self._mine(one) or one.kind == UNKNOWN or (one.kind == ODD and one.ref in asked))
            and (one.ref or one.source or one.kind != MISSING)
        ]
        return words, pipeline.in_places([*kept, *found], self.tops, self.names)

    def _words(self, before: Sequence[Node], nodes: Sequence[Node]) -> dict[str, Spelt]:
        """The words of the whole text by language."""
        words = dict(self.notes.words)
        was = _by_language(before)
        for code, own in _by_language(nodes).items():
            language, whole = lang.get(code), words.get(code)
            new, old = spelt(own, language), spelt(was.get(code, ()), language)
            if new is None or old is None or whole is None:
                if new is not None or whole is not None:
                    raise _Stop
                continue
            counts = whole.counts + new.counts
            counts.subtract(old.counts)
            unknown = [one for one in whole.unknown if not self._own(one.ref)] + new.unknown
            if unknown:
                tops = {top: number for number, top in enumerate(self.tops)}
                unknown.sort(key=lambda one: tops[root(one.ref)])
            words[code] = Spelt(+counts, unknown)
        return words

    def _odd(self, nodes: Sequence[Node], links: Sequence[PlacedLink]) -> tuple[list[Finding], set[Ref]]:
        """What is odd among the citations in these provisions and, their texts being others, of those to
        them; and the provisions that were asked for it."""
        leading = (row[1] for place in self.places for row in self._rows("links", place, "target"))
        citing = {ref for ref in map(rows.read_ref, leading) if not self._own(ref)}
        asked = citing | {node.ref for node in nodes}
        every = [*links, *(placed for ref in sorted(citing) for placed in self.kb.links(ref))]
        if not every:
            return [], asked
        around = {root(str(ref)) for ref in (*citing, *(placed.link.target for placed in every))}
        others = {row[0]: rows.node(row) for top in around for row in self.kb.within("nodes", "ref", top)}
        known = [*nodes, *(node for _, node in sorted(others.items()) if not self._own(node.ref))]
        listed = list(self.kb.entries())
        found: list[Finding] = []
        for code, own in _by_language(known).items():
            found += odd_citations(own, listed, every, lang.get(code), self.profile.law_work.name)
        return found, asked


def _said(node: Node) -> tuple[object, ...]:
    """What is compared with other texts."""
    return node.ref, node.lang, node.kind, node.rendering, node.title, node.text, node.tail, node.footnotes


def _cited(links: Iterable[PlacedLink]) -> list[PlacedLink]:
    return sorted(links, key=repr)


def _by_language(nodes: Iterable[Node]) -> dict[str, list[Node]]:
    """What is read from sources, by language."""
    found: dict[str, list[Node]] = {}
    for node in nodes:
        if not node.rendering:
            found.setdefault(node.lang, []).append(node)
    return found
