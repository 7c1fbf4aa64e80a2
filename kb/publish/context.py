"""What every page maker needs: the knowledge base with its profile, words, addresses, and a few look-ups."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import TypeVar

from kb import address
from kb.concordance import elsewhere as load_elsewhere
from kb.concordance import load as load_editions
from kb.editions import Concordance
from kb.guides import Guide
from kb.model import Entry, KnowledgeBase, Node, PlacedLink, Ref, Relation, SourceInfo
from kb.profile import Profile, Work
from kb.publish import gaps, terms
from kb.publish.addresses import Addresses, human, relative
from kb.publish.markup import esc
from kb.publish.strings import Html, Strings
from kb.topics import Topic
from kb.watched import Watched

T = TypeVar("T")
KEPT = 1024
"""Places of which the answers are remembered."""
# Bases of a title that did not stand in the text itself.
TOPIC = "topic"
WORKING = "working title"
DESCRIPTION = 180
"""Characters of a page's description."""
PRIVATE = "private"
"""Rights of a source that never enters the site."""
LEADS_HERE = ("resolved", "not-supplied")
"""Statuses of links whose target itself has a place on the site."""


@dataclass(frozen=True)
class Term:
    """A word of the glossary: language -> term, variants, definition and note. ``id`` is its anchor's end."""

    id: str
    terms: Mapping[str, str]
    variants: Mapping[str, tuple[str, ...]]
    definitions: Mapping[str, str]
    notes: Mapping[str, str]
    patterns: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    """Where it stands in a text. A language without one has the term marked nowhere."""
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words people ask with, who mean this term."""
    same_as: str = ""
    """The term for the same thing by another translator."""
    order: int = 0
    """Its place in the file: the first wins where two are equally long."""
    homes: tuple[Ref, ...] = ()
    """The provisions it is at home in, the most exact first."""


class Site:
    """One build of the pages. Look-ups are cached by page, never by corpus, save small indexes of refs."""

    def __init__(
        self,
        kb: KnowledgeBase,
        profile: Profile,
        editions: Concordance | None = None,
        glossary: tuple[Term, ...] = (),
        guides: tuple[Guide, ...] = (),
        topics: tuple[Topic, ...] = (),
    ) -> None:
        self.kb = kb
        self.profile = profile
        self.editions = editions or load_editions(profile)
        self.elsewhere = load_elsewhere(profile)
        self.glossary = glossary
        self.guides = guides
        self.topics = topics
        self.languages = tuple(kb.meta.get("languages", "").split()) or profile.languages
        self.strings = Strings(self.languages)
        self.addresses = Addresses(kb, profile)
        self.marks = terms.Marks(self)
        self.gaps = gaps.Gaps(kb)
        self._once: dict[Hashable, str] = {}
        self._steps = {
            name: frozenset(level.step for level in work.levels if level.heading and level.step)
            for name, work in profile.works.items()
        }
        self._nodes: dict[Ref, dict[str, Node]] = {}
        self._titles: dict[Ref, dict[str, tuple[str, str]]] = {}
        self._states: dict[Ref, str] = {}
        self._links: dict[Ref, dict[tuple[str, str], list[PlacedLink]]] = {}

    def forget(self) -> None:
        """Ask the knowledge base again: what is asked for a part is noted as read by it."""
        self.addresses.forget()
        for found in (self._nodes, self._titles, self._links, self._states):
            found.clear()

    def read_laws(self) -> None:
        """Read titles and statuses of laws and headings at once, for a page that tells of all of them."""
        quick = self._quick
        for parent in [None, *self.headings] if quick else ():
            for entry, own in (quick and quick.headed_under(parent)) or ():
                self._states[entry.ref] = entry.status
                self._titles[entry.ref] = self._titled(entry, own)

    def titled(self) -> Iterator[tuple[Ref, dict[str, tuple[str, str]]]]:
        """Every entry of the laws with its ``titles``, read at once where that can be."""
        work = self.profile.law_work.name
        quick = self._quick.headed(work) if self._quick else None
        if quick is None:
            yield from ((entry.ref, self.titles(entry.ref)) for entry in self.kb.entries(work))
            return
        for entry, own in quick:
            self._states[entry.ref] = entry.status
            yield entry.ref, self._titled(entry, own)

    @property
    def _quick(self) -> Watched | None:
        """Who is asked for titles at once; nobody where what is private must be looked for."""
        return self.kb if isinstance(self.kb, Watched) and not self._private else None

    def content(self, texts: Mapping[str, str]) -> str:
        """A text by language as inline HTML for Markdown, of which the reader sees one language or both."""
        return self.strings.each({lang: esc(text) for lang, text in texts.items()}, escaped=True)

    def work(self, ref: Ref) -> Work:
        return self.profile.works[ref.work]

    def is_law(self, ref: Ref) -> bool:
        """True for a ref of the work that others comment on."""
        work = self.profile.works.get(ref.work)
        return work is not None and work.role == "law"

    def is_heading(self, ref: Ref) -> bool:
        """As ``address.is_heading``, asked many times of each place."""
        return bool(ref.path) and ref.path[0] in self._steps[ref.work]

    def once(self, key: Hashable, make: Callable[[], str]) -> str:
        """Words that the profile alone decides and many places say."""
        if (said := self._once.get(key)) is None:
            if len(self._once) >= KEPT:
                self._once.clear()
            said = self._once[key] = make()
        return said

    @cached_property
    def refs(self) -> list[Ref]:
        """All entries, in reading order."""
        return [entry.ref for entry in self.kb.entries()]

    @cached_property
    def law_pages(self) -> list[Ref]:
        """The laws, each with a page of its own, in reading order."""
        laws = (ref for ref in self._refs_of(self.profile.law_work.name) if len(ref.path) == 1)
        return [ref for ref in laws if not self.is_heading(ref)]

    @cached_property
    def headings(self) -> list[Ref]:
        """Chapters and their parts, in reading order."""
        return [ref for ref in self._refs_of(self.profile.law_work.name) if ref.path and self.is_heading(ref)]

    @cached_property
    def _own_pages(self) -> frozenset[Ref]:
        """What every page may know, as ``site.py`` counts it among what all are made from."""
        return frozenset([*self.law_pages, *self.headings])

    def _refs_of(self, work: str) -> Iterator[Ref]:
        return (ref for ref in self.refs if ref.work == work)

    @cached_property
    def comment_heads(self) -> dict[Ref, list[Ref]]:
        """Law -> the commentary's top entries that stand on its page."""
        found: dict[Ref, list[Ref]] = {}
        for name, work in self.profile.works.items():
            if work.role != "commentary":
                continue
            for ref in self._refs_of(name):
                if len(ref.path) == 1:
                    home = address.home(self.profile, ref, self.kb)
                    if home is not None and self.kb.entry(home):
                        found.setdefault(home, []).append(ref)
        return found

    @cached_property
    def strays(self) -> dict[str, list[Ref]]:
        """Page -> refs that are cited but known from nothing else: their anchors must exist all the same."""
        found: dict[str, set[Ref]] = {}
        for placed in self.kb.links():
            ref = placed.link.target
            ours = ref.work in self.profile.works and ref.edition == self.edition and bool(ref.path)
            if ours and placed.link.status in LEADS_HERE and self.kb.entry(ref) is None:
                found.setdefault(self.addresses.page(ref), set()).add(ref)
        return {page: sorted(refs) for page, refs in found.items()}

    @cached_property
    def has_renderings(self) -> bool:
        """True when a text of the corpus is a rendering of ours."""
        return any(node.rendering for lang in self.languages[1:] for node in self.kb.nodes(lang=lang))

    @property
    def edition(self) -> str:
        return self.profile.edition

    def nodes(self, ref: Ref) -> dict[str, Node]:
        """Language -> node, for the languages there are, in the order of the corpus."""
        return _kept(self._nodes, ref, self._read_nodes)

    def _read_nodes(self, ref: Ref) -> dict[str, Node]:
        found = {lang: self.kb.node(ref, lang) for lang in self.languages}
        return {lang: public for lang, node in found.items() if node and (public := self.public(node))}

    @cached_property
    def sources(self) -> list[SourceInfo]:
        """The sources that may be shown."""
        return [source for source in self.kb.sources() if source.name not in self._private]

    @cached_property
    def _private(self) -> frozenset[str]:
        return frozenset(source.name for source in self.kb.sources() if source.rights == PRIVATE)

    def public(self, node: Node) -> Node | None:
        """The node without what was read from a private source; None when that is its text."""
        if not self._private or not any(witness.source in self._private for witness in node.witnesses):
            return node
        if any(witness.chosen and witness.source in self._private for witness in node.witnesses):
            return None
        return replace(node, witnesses=tuple(w for w in node.witnesses if w.source not in self._private))

    def titles(self, ref: Ref) -> dict[str, tuple[str, str]]:
        """Language -> (title, basis). A title of the text itself comes before the outline's."""
        return _kept(self._titles, ref, self._read_titles)

    def _read_titles(self, ref: Ref) -> dict[str, tuple[str, str]]:
        own = {lang: node.title for lang, node in self.nodes(ref).items()}
        return self._titled(self.kb.entry(ref), own)

    def _titled(self, entry: Entry | None, nodes: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        """``nodes``: language -> title of a node, empty where it has none."""
        own = {lang: nodes[lang] for lang in self.languages if lang in nodes}
        printed = any(own.values())
        found: dict[str, tuple[str, str]] = {}
        for lang in self.languages:
            if own.get(lang):
                found[lang] = (own[lang], "source")
            elif entry and entry.titles.get(lang) and not (own and not printed):
                basis = entry.title_basis.get(lang, "")
                if not (printed and basis == TOPIC):
                    found[lang] = (entry.titles[lang], basis)
        return found

    def title_text(self, ref: Ref, lang: str) -> str:
        """The title in a language, else in any; empty without one."""
        titles = self.titles(ref)
        return titles[lang][0] if lang in titles else next((t for t, _ in titles.values()), "")

    def human(self, ref: Ref, lang: str) -> str:
        return human(ref, lang, self.profile)

    def human_both(self, ref: Ref) -> Html:
        """The name of a place in each language, as HTML for a line of Markdown."""
        return Html(
            self.strings.words({lang: esc(self.human(ref, lang)) for lang in self.languages}, escaped=True)
        )

    def ref_link(self, page: str, ref: Ref, text: str = "") -> str:
        """A Markdown link to a place; its text is the place's name unless given (as Markdown)."""
        known = self.known(ref)
        text = text or self.human_both(ref)
        if known is None:
            return text
        return f"[{text}]({self.addresses.link(page, known)})"

    def known(self, ref: Ref) -> Ref | None:
        """The ref itself or the nearest above it that has an anchor on the site; None when nothing has."""
        if ref.work not in self.profile.works or ref.edition != self.edition:
            return None
        while ref.path:
            if (
                ref in self._states
                or ref in self._own_pages
                or self.kb.entry(ref) is not None
                or ref in self.strays.get(self.addresses.page(ref), ())
            ):
                return ref
            ref = Ref(ref.work, ref.edition, ref.path[:-1])
        return ref

    def page_link(self, page: str, target: str, text: str) -> str:
        """A Markdown link from one page to another."""
        return f"[{text}]({relative(page, target)})"

    def status(self, ref: Ref) -> str:
        if ref in self._states:
            return self._states[ref]
        entry = self.kb.entry(ref)
        return entry.status if entry else "not-supplied"

    def main_relation(self, comment: Ref) -> Relation | None:
        """The first relation an editor has not refused."""
        return next((r for r in self.kb.relations(comment) if r.status != "refused"), None)

    def cited_by(self, ref: Ref) -> list[Ref]:
        """Places that cite this very place, each once, in reading order; not those inside or around it."""
        found: dict[Ref, None] = {}
        for placed in self.kb.links_to(ref):
            inside = placed.at.within(ref) or (ref.within(placed.at) and not self.is_law(ref))
            if not inside:
                found[placed.at] = None
        return list(found)

    def links(self, ref: Ref) -> dict[tuple[str, str], list[PlacedLink]]:
        """(language, part of the node) -> links that stand in it."""
        return _kept(self._links, ref, self._read_links)

    def _read_links(self, ref: Ref) -> dict[tuple[str, str], list[PlacedLink]]:
        found: dict[tuple[str, str], list[PlacedLink]] = {}
        for placed in self.kb.links(ref):
            found.setdefault((placed.lang, placed.where), []).append(placed)
        return found

    @cached_property
    def scans(self) -> dict[str, str]:
        """Source -> the name of its page: the file name without its ending."""
        return {source.name: PurePosixPath(source.name).stem for source in self.sources}

    @cached_property
    def scan_labels(self) -> dict[str, str]:
        """Source -> a short name for it: up to the first ``_`` while that is unique."""
        short = {name: stem.partition("_")[0] or stem for name, stem in self.scans.items()}
        counts = list(short.values())
        return {
            name: label if counts.count(label) == 1 else self.scans[name] for name, label in short.items()
        }

    def entries_below(self, ref: Ref) -> list[Entry]:
        """The entries listed under one, in order."""
        return [entry for entry in map(self.kb.entry, self.kb.children(ref)) if entry is not None]


def _kept(found: dict[Ref, T], ref: Ref, read: Callable[[Ref], T]) -> T:
    """What is asked of a place again and again while its page is made."""
    made = found.get(ref)
    if made is None:
        if len(found) >= KEPT:
            found.clear()
        made = found[ref] = read(ref)
    return made
