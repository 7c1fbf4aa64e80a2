"""What speaks for each candidate of each comment, as numbers; nothing is decided here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kb.model import Entry, Node, PlacedLink, Ref
from kb.profile import Profile
from kb.relate.comments import Cited, Paragraph, is_heading, paragraphs
from kb.relate.words import Lexicon, Terms, Vector, total

_FOLLOWED = 0.5
"""Weight of a paragraph that a comment cites against the comment's own words."""
_NOWHERE = -1 / 3
"""``order`` of what has no place in the law: the mean distance of two places."""

Concepts = Iterable[tuple[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A law, or a part of one, that a comment may be about, and what speaks for it."""

    law: Ref
    place: int | None
    """Its place among the parts of the law the comment stands under; None for the bare law and others'."""
    title: float = 0.0
    """How much of its heading or topic the comment says, 0..1."""
    text: float = 0.0
    """What its whole text, headings and topics below it included, has in common with the comment, 0..1."""
    citation: float = 0.0
    """Is it cited: 1 when it is of the law the comment stands under; of another law the less, the later in
    the paragraph, down to 0."""
    order: float = 0.0
    """How far its place in the law is from the comment's place among the comments, 0 to -1."""
    printed: bool = False
    """``title`` rests on a heading in a source, not on the outline's topic."""
    said: tuple[str, ...] = ()
    """Words of the title that the comment says."""
    shared: tuple[str, ...] = ()
    """Words of the text that the comment says."""
    surfaces: tuple[str, ...] = ()
    """The citations that count for it, as printed."""


@dataclass(frozen=True, slots=True)
class Case:
    """The comments that stand under one law (or a range of laws), with their candidates."""

    group: Ref
    comments: tuple[Ref, ...]
    candidates: tuple[tuple[Candidate, ...], ...]
    likeness: tuple[float, ...]
    """What each comment has in common with the one before it, 0..1."""
    size: int
    """How many places the candidates stand in."""


@dataclass(frozen=True, slots=True)
class _Words:
    text: str
    lang: str
    terms: Terms


@dataclass(slots=True)
class _Part:
    """A law or a part of one, as words."""

    headings: list[_Words] = field(default_factory=list)
    topics: list[_Words] = field(default_factory=list)
    body: list[_Words] = field(default_factory=list)

    @property
    def titles(self) -> list[_Words]:
        return [*self.headings, *self.topics]


def cases(
    comments: Iterable[Node],
    laws: Iterable[Node],
    entries: Iterable[Entry],
    links: Iterable[PlacedLink],
    profile: Profile,
    synonyms: Concepts = (),
) -> list[Case]:
    """One case for each law, or range of laws, that is commented on, in reading order.

    ``entries``: all known refs in reading order; the order of the others does not matter.
    """
    reader = _Reader(laws, list(entries), profile, synonyms)
    members = paragraphs(comments, links, profile, reader.order)
    said = {member.ref: reader.lexicon.terms(member.text, member.lang) for member in members}
    for terms in said.values():
        reader.lexicon.learn(terms)
    groups: dict[Ref, list[Paragraph]] = {}
    for member in members:
        group = Ref(member.ref.work, member.ref.edition, member.ref.path[:1])
        groups.setdefault(group, []).append(member)
    return [_Group(reader, group, found, said).case() for group, found in groups.items()]


class _Reader:
    """The laws as words."""

    def __init__(
        self, laws: Iterable[Node], entries: Sequence[Entry], profile: Profile, synonyms: Concepts
    ) -> None:
        self.profile = profile
        self.lexicon = Lexicon(synonyms)
        self._places = {entry.ref: place for place, entry in enumerate(entries)}
        self.parts: dict[Ref, _Part] = {}
        for node in sorted(laws, key=lambda node: (node.ref, node.lang)):
            if not is_heading(node.ref, node.kind, profile):
                self._add_node(node)
        # The outline has a topic also where a known ref has the heading of a source by now.
        for entry in (*profile.outline, *entries):
            if not is_heading(entry.ref, entry.kind, profile) and profile.works[entry.ref.work].role == "law":
                self._add_entry(entry)
        self._of_root: dict[Ref, dict[Ref, _Part]] = {}
        for ref, part in self.parts.items():
            self._of_root.setdefault(_root(ref), {})[ref] = part
            self.lexicon.learn(t for words in (*part.titles, *part.body) for t in words.terms)

    def _words(self, text: str, lang: str) -> _Words:
        return _Words(text, lang, self.lexicon.terms(text, lang))

    def _add_node(self, node: Node) -> None:
        part = self.parts.setdefault(node.ref, _Part())
        if node.title:
            part.headings.append(self._words(node.title, node.lang))
        body = "\n".join([node.text, node.tail, *(note.text for note in node.footnotes)]).strip()
        if body:
            part.body.append(self._words(body, node.lang))

    def _add_entry(self, entry: Entry) -> None:
        part = self.parts.setdefault(entry.ref, _Part())
        for lang, title in sorted(entry.titles.items()):
            if title and all((known.text, known.lang) != (title, lang) for known in part.titles):
                part.topics.append(self._words(title, lang))

    def order(self, ref: Ref) -> tuple[int, Ref]:
        """Reading order; what is not known stands last."""
        return self._places.get(ref, len(self._places)), ref

    def laws(self, group: Ref) -> list[Ref]:
        """The laws a group stands under: one, or all from the first to the last of a ``~`` range."""
        work = self.profile.works[group.work].comments_on or self.profile.law_work.name
        ends = [Ref(work, group.edition, (step,)) for step in group.path[0].split("~")]
        if len(ends) == 1:
            return ends
        low, high = self.order(ends[0]), self.order(ends[-1])
        between = {root for root in self._of_root if (root.work, root.edition) == (work, group.edition)}
        return sorted({*ends, *(law for law in between if low <= self.order(law) <= high)}, key=self.order)

    def units(self, laws: Sequence[Ref]) -> list[Ref]:
        """What has a place: the parts right below the laws; of several laws each law itself too."""
        found = {
            Ref(ref.work, ref.edition, ref.path[:2])
            for law in laws
            for ref in self._of_root.get(law, ())
            if len(ref.path) > 1
        }
        if len(laws) > 1:
            found |= set(laws)
        return sorted(found, key=self.order)

    def below(self, ref: Ref) -> list[_Part]:
        """A part and all parts below it."""
        return [part for known, part in self._of_root.get(_root(ref), {}).items() if known.within(ref)]


class _Group:
    """The comments of one group against the laws they stand under."""

    def __init__(
        self, reader: _Reader, group: Ref, members: Sequence[Paragraph], said: Mapping[Ref, Terms]
    ) -> None:
        self.reader = reader
        self.lexicon = reader.lexicon
        self.group = group
        self.members = members
        self.said = said
        self.laws = reader.laws(group)
        self.places = {ref: number for number, ref in enumerate(reader.units(self.laws))}
        self.common = self._common()
        self._texts: dict[tuple[Ref, str], tuple[str, Vector]] = {}

    def case(self) -> Case:
        """Candidates of all paragraphs of the group."""
        vectors = [self._vector(member) for member in self.members]
        rows = [
            tuple(self._candidates(number, member, vector))
            for number, (member, vector) in enumerate(zip(self.members, vectors, strict=True))
        ]
        likeness = [0.0, *(a.cosine(b) for a, b in pairwise(vectors))]
        refs = tuple(member.ref for member in self.members)
        return Case(self.group, refs, tuple(rows), tuple(likeness), len(self.places))

    def _common(self) -> dict[str, float]:
        """Terms to the share of the parts' titles, or of the comments, that have them too; the larger."""
        titles = [
            {t for part in self.reader.below(unit) for words in part.titles for t in words.terms}
            for unit in self.places
        ]
        shares: dict[str, float] = {}
        for sets in (titles, [set(self.said[member.ref]) for member in self.members]):
            counts: dict[str, int] = {}
            for terms in sets:
                for term in terms:
                    counts[term] = counts.get(term, 0) + 1
            for term, count in counts.items():
                if count > 1:
                    shares[term] = max(shares.get(term, 0.0), (count - 1) / (len(sets) - 1))
        return shares

    def _vector(self, member: Paragraph) -> Vector:
        """Words of a paragraph; those of paragraphs it cites count in part."""
        cited = {Ref(c.target.work, c.target.edition, c.target.path[:2]) for c in member.cited}
        followed = [self.said[ref] for ref in sorted(cited) if ref in self.said and ref != member.ref]
        words = total([self.said[member.ref], total(followed, _FOLLOWED)])
        return self.lexicon.vector(words, self.common)

    def _candidates(self, number: int, member: Paragraph, vector: Vector) -> Iterator[Candidate]:
        for law in self.laws:
            if law not in self.places:
                named = [cite for cite in member.cited if cite.target == law]
                yield self._bare(law, member, vector, named)
        for unit, place in self.places.items():
            within = [
                c for c in member.cited if c.target == unit or (unit.path[1:] and c.target.within(unit))
            ]
            order = self._order(number, place)
            yield self._read(unit, place, member, vector, (float(bool(within)), order), within)
        work = (self.laws[0].work, self.laws[0].edition)
        for target in dict.fromkeys(cite.target for cite in member.cited):
            # A comment on the whole of another law would stand under that law.
            if (target.work, target.edition) != work or len(target.path) < 2 or target in self.places:
                continue
            same = [cite for cite in member.cited if cite.target == target]
            own = next((unit for unit in self.places if target.within(unit)), None)
            if own is None:
                yield self._read(target, None, member, vector, (1 - same[0].at, _NOWHERE), same)
            else:
                place = self.places[own]
                yield self._read(target, place, member, vector, (1.0, self._order(number, place)), same)

    def _order(self, number: int, place: int) -> float:
        return -abs((number + 0.5) / len(self.members) - (place + 0.5) / len(self.places))

    def _bare(self, law: Ref, member: Paragraph, vector: Vector, named: Sequence[Cited]) -> Candidate:
        """The law as a whole. Its title is on all its parts, so only its own text counts."""
        part = self.reader.parts.get(law, _Part())
        body = _of(part.body, member.lang)
        own = self.lexicon.vector(total(words.terms for words in body), self.common)
        return Candidate(
            law=law,
            place=None,
            text=own.cosine(vector),
            citation=float(bool(named)),
            order=_NOWHERE,
            shared=tuple(s for words in body for s in self.lexicon.shared(words.text, words.lang, vector)),
            surfaces=tuple(dict.fromkeys(cite.surface for cite in named)),
        )

    def _read(
        self,
        ref: Ref,
        place: int | None,
        member: Paragraph,
        vector: Vector,
        strength: tuple[float, float],
        cites: Sequence[Cited],
    ) -> Candidate:
        """A part of a law. ``strength``: of its citation, of its order."""
        part = self.reader.parts.get(ref, _Part())
        scored = [
            (self.lexicon.vector(words.terms, self.common).covered(vector), printed, words)
            for printed, found in ((True, part.headings), (False, part.topics))
            for words in _of(found, member.lang)
        ]
        title, printed, best = max(scored, key=lambda one: one[:2], default=(0.0, False, None))
        text, whole = self._text(ref, member.lang)
        # Whatever a part of another law has in common counts as far as the citation puts it in front.
        weight = strength[0] if place is None else 1.0
        return Candidate(
            law=ref,
            place=place,
            title=title * weight,
            text=whole.cosine(vector) * weight,
            citation=strength[0],
            order=strength[1],
            printed=printed,
            said=tuple(self.lexicon.shared(best.text, best.lang, vector)) if best else (),
            shared=tuple(self.lexicon.shared(text, member.lang, vector)),
            surfaces=tuple(dict.fromkeys(cite.surface for cite in cites)),
        )

    def _text(self, ref: Ref, lang: str) -> tuple[str, Vector]:
        """All words of a part and of what stands below it."""
        if (ref, lang) not in self._texts:
            words = [
                one
                for part in self.reader.below(ref)
                for found in (part.headings, part.topics, part.body)
                for one in _of(found, lang)
            ]
            vector = self.lexicon.vector(total(one.terms for one in words), self.common)
            self._texts[ref, lang] = ("\n".join(one.text for one in words), vector)
        return self._texts[ref, lang]


def _root(ref: Ref) -> Ref:
    return Ref(ref.work, ref.edition, ref.path[:1])


def _of(found: Sequence[_Words], lang: str) -> Sequence[_Words]:
    """Those in the language; where there are none, all: a synonym or a name may still tell."""
    return [words for words in found if words.lang == lang] or found
