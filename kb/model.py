"""The types every stage shares. Frozen values and one protocol; they know nothing of the stages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

UNSURE_END = "a sure end (pages are missing behind it without a mark)"
"""Of a text behind which pages are missing that no mark tells: it may be cut, or run into another one."""
_STEP = "[A-Za-z0-9_~-]+"
_REF = re.compile(rf"([a-z][a-z0-9_-]*)/([A-Za-z0-9_-]+)(?:/({_STEP}(?:\.{_STEP})*)?)?\Z")


@dataclass(frozen=True, slots=True, order=True)
class Ref:
    """Identity of a provision or a comment: ``laws/1987/43.B.2.a``. Never moves, knows no language.

    ``path`` is a tuple of ASCII steps; empty for the work itself (``laws/1987``). Headings have paths
    of their own (``ch.VI.pt.IV``). An inserted number is hyphenated (7¹ is ``7-1``), a heading over
    several provisions is a ``~`` range (``7~8``).
    """

    work: str
    edition: str
    path: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Ref:
        """Read the printed form. Raises ValueError, naming the text, when it is not one."""
        found = _REF.match(text.strip())
        if found is None:
            raise ValueError(
                f"not a ref: {text!r} (expected work/edition or work/edition/path; "
                "steps of the path are ASCII letters, digits, - and ~)"
            )
        work, edition, path = found.groups()
        return cls(work, edition, tuple(path.split(".")) if path else ())

    def __hash__(self) -> int:
        # Works and editions are few: to hash them too would cost more than it tells apart.
        return hash(self.path)

    def __str__(self) -> str:
        head = f"{self.work}/{self.edition}"
        return f"{head}/{self.dotted}" if self.path else head

    @property
    def dotted(self) -> str:
        """The path as printed: ``43.B.2.a``."""
        return ".".join(self.path)

    @property
    def parent(self) -> Ref | None:
        """The ref one step up; of a one-step path the work itself; of the work None."""
        return Ref(self.work, self.edition, self.path[:-1]) if self.path else None

    def child(self, *steps: str) -> Ref:
        """The ref with further steps below this one."""
        return Ref(self.work, self.edition, self.path + steps)

    def within(self, other: Ref) -> bool:
        """True when this ref is ``other`` or stands below it."""
        return (self.work, self.edition) == (other.work, other.edition) and self.path[
            : len(other.path)
        ] == other.path


class Span(NamedTuple):
    """A run of a node's text and the run of source it was read from.

    ``start``/``end``: code points in the node's text (``where``: ``text``, ``tail``, ``title``,
    ``marker``, ``footnote N``, or ``title mark`` and ``footnote N mark``, which stand in no field);
    ``source_start``/``source_end``: code points in the decoded source.
    The two runs are of equal length unless a logged edit replaced the characters.
    """

    where: str
    start: int
    end: int
    source: str
    source_start: int
    source_end: int


@dataclass(frozen=True, slots=True)
class Footnote:
    """A note at the foot of a page: its mark as printed, ``(*)``, and its text without the mark."""

    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class Witness:
    """One source's reading of a node. ``lines`` are 1-based and inclusive, as received."""

    source: str
    lines: tuple[int, int]
    chosen: bool
    same: bool
    """White space apart, this reading equals the chosen one."""
    text: str = ""
    """The reading itself, kept only when it is another one."""


@dataclass(frozen=True, slots=True)
class Node:
    """A provision, heading or comment in one language. Keyed by ``(ref, lang)``."""

    ref: Ref
    lang: str
    kind: str
    """A level of the profile: for the bridge corpus chapter, part, group, law, section, item, subitem,
    table, comment or comment-item."""
    marker: str = ""
    """The number as printed (``(A)``); empty when the source prints none."""
    title: str = ""
    text: str = ""
    """Own text before the children."""
    tail: str = ""
    """Own text after the children."""
    footnotes: tuple[Footnote, ...] = ()
    complete: bool = True
    missing: str = ""
    """What is not there, in a few words; empty when complete. ``UNSURE_END``: where its own text ends."""
    damaged: bool = False
    page: int | None = None
    page_basis: str = ""
    basis: str = "explicit"
    """Why the node has this ref: ``explicit`` or ``inferred: why``."""
    rendering: str = ""
    """``source`` (read from a scan) is the empty string; else ``working translation``."""
    witnesses: tuple[Witness, ...] = ()
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A known ref, with or without text: a line of the outline, or of what the sources hold."""

    ref: Ref
    kind: str
    parent: Ref | None
    """The entry it is listed under: the chapter of a law, the law of a section. None at the top."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Language to title; for a section without a heading in any source, what it is about."""
    title_basis: Mapping[str, str] = field(default_factory=dict)
    """Language to ``source``, ``contents``, ``working title`` or ``topic``."""
    support: str = ""
    """How well the outline's entry is supported: ``seed``, ``S`` (seen), ``M`` (memory)."""
    status: str = "not-supplied"
    """``text`` (whole), ``partial``, ``not-supplied`` or ``repealed``."""


@dataclass(frozen=True, slots=True)
class Citation:
    """What a text says: a run of it that names a provision. ``start``/``end`` count code points."""

    start: int
    end: int
    surface: str
    form: str
    """``full``, ``list``, ``range``, ``anaphoric``, ``paragraph`` or ``local``."""
    work: str
    """The work that is meant, or the empty string for another code."""
    edition: str
    """The edition the text itself names, else empty."""
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """What a citation means: where it leads, how well, and why."""

    citation: Citation
    target: Ref
    status: str
    """``resolved``, ``not-supplied``, ``other-edition``, ``unknown``, ``ambiguous`` or ``foreign``."""
    reason: str = ""
    fallback: Ref | None = None
    """For an unknown target the nearest known ref above it."""
    alternatives: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedLink:
    """A link and the place it stands in: the node and the part of it (``text``, ``tail``, ``footnote 1``)."""

    at: Ref
    lang: str
    where: str
    link: Link


@dataclass(frozen=True, slots=True)
class Relation:
    """``comment`` is about ``law``, because of ``evidence``. The first of a comment's is the main one."""

    comment: Ref
    law: Ref
    evidence: tuple[str, ...]
    """Names of the evidence, strongest first: ``citation``, ``heading``, ``topic``, ``vocabulary``,
    ``order``, ``editor``."""
    confidence: float
    status: str = "auto"
    """``auto``, ``confirmed`` or ``refused``."""
    detail: str = ""
    """The evidence spelled out for a reader."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a person should know: where, of which kind, and what to do."""

    kind: str
    """For example ``missing-pages``, ``lacuna``, ``truncated``, ``unplaced``, ``unmarked-gap``."""
    message: str
    ref: Ref | None = None
    source: str = ""
    lines: tuple[int, int] | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """A scan as received. ``sha256`` is of its bytes, ``chars`` its decoded length in code points."""

    name: str
    work: str
    edition: str
    lang: str
    sha256: str
    encoding: str
    chars: int
    lines: int
    title: str = ""
    translator: str = ""
    origin: str = ""
    rights: str = ""
    text: str = ""
    """The decoded source, whole: the trail of every node ends here."""
    margin: float = 1.0
    """How sure its encoding is: 0 a toss, 1 certain or stated."""


@dataclass(frozen=True, slots=True)
class SourceEdit:
    """One repair: the run of the source it touched, and what stood there before and after."""

    source: str
    rule: str
    start: int
    end: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Strip:
    """The strip of a page's picture that a line of a source was read from."""

    source: str
    line: int
    """1-based, of the source's text."""
    page: int
    """1-based, of the pictures of the source."""
    box: tuple[int, int, int, int]
    """Left, top, right, bottom on the page as it was read (turned and straightened), in pixels."""
    words: tuple[tuple[int, int, int, int, int, int], ...]
    """Start and end of each word in the source's text, and its left, top, right, bottom on the page."""
    png: bytes = field(repr=False, default=b"")


@dataclass(frozen=True, slots=True)
class Account:
    """How many characters of a source went one way: ``kept``, ``repaired`` or ``dropped``, by which rule."""

    source: str
    fate: str
    rule: str
    chars: int


@dataclass(frozen=True, slots=True)
class Records:
    """What the pipeline hands to the store: all records of a corpus, each kind in reading order."""

    meta: Mapping[str, str]
    entries: tuple[Entry, ...] = ()
    nodes: tuple[Node, ...] = ()
    links: tuple[PlacedLink, ...] = ()
    relations: tuple[Relation, ...] = ()
    findings: tuple[Finding, ...] = ()
    sources: tuple[SourceInfo, ...] = ()
    edits: tuple[SourceEdit, ...] = ()
    accounts: tuple[Account, ...] = ()
    strips: tuple[Strip, ...] = ()


class KnowledgeBase(Protocol):
    """The waist. Everything after it reads the corpus through these iterators and look-ups only.

    Orders are reading order: the laws by outline, then the commentary by number.
    """

    meta: Mapping[str, str]
    """``name``, ``title.ru``, ``title.en``, ``build_id``, ``languages`` (space separated) and the like."""

    def entries(self, work: str | None = None) -> Iterator[Entry]: ...
    def entry(self, ref: Ref) -> Entry | None: ...
    def children(self, ref: Ref | None) -> list[Ref]:
        """Refs listed under an entry, in order; of None the top ones."""
        ...

    def nodes(self, work: str | None = None, lang: str | None = None) -> Iterator[Node]: ...
    def node(self, ref: Ref, lang: str) -> Node | None: ...
    def read_from(self, source: str) -> Iterator[Node]:
        """The nodes that a source has a reading of, in reading order."""
        ...

    def links(self, at: Ref | None = None) -> Iterator[PlacedLink]: ...
    def links_to(self, target: Ref) -> Iterator[PlacedLink]:
        """Links whose target is this very ref."""
        ...

    def relations(self, comment: Ref | None = None) -> Iterator[Relation]:
        """The main relation of each comment first."""
        ...

    def relations_to(self, law: Ref) -> Iterator[Relation]: ...
    def findings(self, kind: str | None = None) -> Iterator[Finding]: ...
    def sources(self) -> Iterator[SourceInfo]: ...
    def edits(self, source: str) -> Iterator[SourceEdit]: ...
    def accounts(self) -> Iterator[Account]: ...
    def strips(self, source: str) -> Iterator[Strip]:
        """The strips of a source that was read from pictures, by line; of any other none."""
        ...
