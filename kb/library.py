"""The Python face of a build: look up, resolve, search, cite.

``kb.open("build")`` gives a Library. Nothing heavy is imported before it is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb import address, profile, store
from kb.errors import BuildError, InputError, NotFound
from kb.model import Entry, KnowledgeBase, Link, Node, PlacedLink, Ref, Relation
from kb.profile import Profile

if TYPE_CHECKING:
    from kb.cite.grammar import Grammar
    from kb.cite.resolve import Known
    from kb.counterparts import Asked
    from kb.search import SearchIndex, SearchResult

CORPUS_FOLDER = "corpus"
"""The folder of a build that keeps the declarative files it was made by."""
PUBLIC_FOLDER = "public"
"""Below a build with private sources: the same corpus built without them."""

INDEX_FOLDER = "index"
MARKER = Path("report") / "build.json"
"""Written last of all by a build: a new one is whole when this changes."""


class Absent(NotFound, KeyError):
    """A ref that is not in the corpus, for ``base[...]``: a KeyError whose message is one line."""

    def __str__(self) -> str:
        return str(self.args[0])


class Provision:
    """One ref with all that is known of it. ``title`` and ``text`` are by language; most parts are lazy."""

    def __init__(self, base: Library, entry: Entry) -> None:
        self._base = base
        self.entry = entry
        self.ref = entry.ref
        self.kind = entry.kind
        self.status = entry.status

    def __repr__(self) -> str:
        return f"Provision({str(self.ref)!r}, status={self.status!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Provision) and (self._base, self.ref) == (other._base, other.ref)

    def __hash__(self) -> int:
        return hash(self.ref)

    @cached_property
    def nodes(self) -> Mapping[str, Node]:
        """Language to node, for the languages that have one; in the order of the corpus."""
        found = ((lang, self._base.kb.node(self.ref, lang)) for lang in self._base.profile.languages)
        return {lang: node for lang, node in found if node is not None}

    @property
    def title(self) -> Mapping[str, str]:
        """Language to title: of the text where it has one, else of the outline (see ``title_basis``)."""
        printed = {lang: node.title for lang, node in self.nodes.items()}
        found = (
            (lang, printed.get(lang) or self.entry.titles.get(lang)) for lang in self._base.profile.languages
        )
        return {lang: title for lang, title in found if title}

    @property
    def title_basis(self) -> Mapping[str, str]:
        """Language to where the title comes from; ``source`` when it stands in the text."""
        return {
            **self.entry.title_basis,
            **{lang: "source" for lang, n in self.nodes.items() if n.title and not n.rendering},
        }

    @property
    def text(self) -> Mapping[str, str]:
        """Language to own text, the children apart. A language without a node is absent."""
        return {lang: node.text for lang, node in self.nodes.items()}

    @property
    def short(self) -> str:
        """As people write it: ``65B1``."""
        return address.short(self._base.profile, self.ref)

    @property
    def human(self) -> str:
        """The short name for a reader's eye: ``7–8``, ``7¹``."""
        return address.human(self._base.profile, self.ref)

    @property
    def url(self) -> str:
        """Page and anchor from the root of the site."""
        return address.url(self._base.profile, self.ref, self._base.kb)

    @property
    def permalink(self) -> str:
        """The address that never moves."""
        return address.permalink(self._base.profile, self.ref)

    @property
    def parent(self) -> Provision | None:
        """What it is listed under: of a section its law, of a law its chapter or part."""
        return self._base.get(self.entry.parent) if self.entry.parent else None

    @property
    def children(self) -> list[Provision]:
        """What is listed right below, in order."""
        return [self._base[ref] for ref in self._base.kb.children(self.ref)]

    def walk(self) -> Iterator[Provision]:
        """This provision and all below it, in reading order."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def cites(self) -> list[PlacedLink]:
        """Citations that stand in it, in order; the children apart."""
        return list(self._base.kb.links(self.ref))

    @property
    def cited_by(self) -> list[PlacedLink]:
        """Citations that lead to this very ref."""
        return list(self._base.kb.links_to(self.ref))

    @property
    def about(self) -> list[Relation]:
        """Of a comment: what it is about, the main relation first; without those an editor refused."""
        return [r for r in self._base.kb.relations(self.ref) if r.status != "refused"]

    @property
    def commentary(self) -> list[Provision]:
        """Comments on this very ref, in order; for a law those on its sections too."""
        found = {
            r.comment
            for below in self.walk()
            for r in self._base.kb.relations_to(below.ref)
            if r.status != "refused"
        }
        comments = [self._base.get(ref) for ref in sorted(found, key=reading_key)]
        return [comment for comment in comments if comment is not None]

    @property
    def editions(self) -> dict[str, Any]:
        """``in_force`` and ``counterparts`` as in the open data."""
        from kb.publish import exports

        return exports.edition_rows(self._base.profile, self.ref)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The lines of the open data for this ref, one a language."""
        from kb.publish import exports

        return list(exports.entry_rows(self._base.kb, self._base.profile, self.entry))


class Library(Mapping[str, Provision]):
    """A build, read only: a mapping of refs to provisions, in reading order; usable from several threads."""

    def __init__(self, kb: KnowledgeBase, profile: Profile, build: Path) -> None:
        self.kb = kb
        self.profile = profile
        self.build = build
        self.remembered: dict[Ref, dict[str, Any]] = {}
        """What answers say of a ref, told once: a build does not change."""

        self.stamp = _stamp(build, kb)
        """What this build is told from others by: its marker, else its id."""

    @property
    def build_id(self) -> str:
        """The id of the build, the same for the same content."""
        return self.kb.meta.get("build_id", "")

    @cached_property
    def index(self) -> SearchIndex:
        """The search index, opened when first asked. Raises BuildError when there is none."""
        from kb.search import open_index

        return open_index(self.build / INDEX_FOLDER, self.kb, self.profile)

    @cached_property
    def grammar(self) -> Grammar:
        """The citation grammar, compiled when first asked."""
        from kb.cite.grammar import compile_grammar

        return compile_grammar(self.profile)

    @cached_property
    def known(self) -> Known:
        """What the resolver asks."""
        from kb.cite.resolve import KnownBase

        return KnownBase(self.kb)

    def warm(self) -> None:
        """Open all that answers need, so that the first question is as quick as the next."""
        self.read("1")
        if (self.build / INDEX_FOLDER).is_dir():
            self.index.warm()

    def search(
        self,
        words: str,
        lang: str | None = None,
        work: str | None = None,
        limit: int = 10,
        explain: bool = False,
    ) -> SearchResult:
        """Full text; iterating the result gives its hits, best first."""
        return self.index.search(words, lang=lang, work=work, limit=limit, explain=explain)

    def resolve(
        self, text: str, edition: str | None = None, context: str | Ref | None = None, on: str | None = None
    ) -> list[Link]:
        """What a citation means, as people write it; empty when it is none.

        ``edition``: meant when the citation names none; ``on``: the one in force on a day. A provision of
        another edition leads to what it was in the corpus's, as the concordance has it. ``context``:
        where relative citations are read. Raises InputError for an unknown edition, day or context.
        """
        return [link for link, _ in self.resolve_told(text, edition, context, on)]

    def resolve_told(
        self,
        text: str,
        edition: str | None = None,
        context: str | Ref | None = None,
        on: str | None = None,
    ) -> list[tuple[Link, Asked | None]]:
        """``resolve``, each with the place of another edition it was asked for by, or None."""
        return self.read(text, edition, context, on)[0]

    def read(
        self,
        text: str,
        edition: str | None = None,
        context: str | Ref | None = None,
        on: str | None = None,
    ) -> tuple[list[tuple[Link, Asked | None]], str]:
        """``resolve_told``, and how the text had to be read: what it is on another keyboard (``ghfdbkj 65``
        is «правило 65»), so that it can be offered. Empty when it was read as it stands."""
        from kb.cite.query import read_query
        from kb.counterparts import counterparts

        at = parse_ref(context) if isinstance(context, str) else context
        meant = self._edition(edition, on)
        links, read_as = read_query(text, self.known, self.grammar, edition=meant, context=at)
        found = [
            told
            for link in links
            for told in (counterparts(self, link) if not link.citation.edition else [(link, None)])
        ]
        return found, read_as

    def cite(
        self, text: str, lang: str | None = None, context: str | Ref | None = None, edition: str | None = None
    ) -> list[Link]:
        """All citations of a text, in order, with what they mean."""
        from kb.cite.find import find
        from kb.cite.resolve import resolve_all

        at = parse_ref(context) if isinstance(context, str) else context
        named = self._edition(edition, None)
        scope = Ref(at.work if at else self.profile.law_work.name, named) if named else at
        return resolve_all(
            find(text, lang or self.profile.lang, self.grammar, at), self.known, scope, self.grammar
        )

    def find(self, text: str) -> Provision:
        """The provision of a ref, of a citation as people write it, or of a bare path in the law.

        Raises Absent for one that is not in the corpus, InputError for none of these or one of several.
        """
        if "/" in text and text.strip().partition("/")[0] in self.profile.works:
            return self[text]
        named = self.by_short_name(text)
        if named is not None:
            return named
        links = self.resolve(text)
        if not links:
            bare = Ref(self.profile.law_work.name, self.profile.edition, tuple(text.strip().split(".")))
            if self.kb.entry(bare):
                return self[bare]
            said = "neither a ref (work/edition/path) nor a citation; `kb search` looks for words"
            raise InputError(f"{text!r}: {said}")
        link = links[0]
        if link.status == "ambiguous":
            raise InputError(f"{text!r}: may be any of {', '.join(map(str, link.alternatives))}; name one")
        found: Provision | None = self.get(link.target)
        if found is None:
            near = f"; the nearest above it is {link.fallback}" if link.fallback else ""
            raise Absent(f"{link.target}: not in this corpus ({link.status}: {link.reason}){near}")
        return found

    def by_short_name(self, text: str) -> Provision | None:
        """The provision whose short name this is, in Latin letters: the resolver would say the same, after
        the time it takes to compile the grammar. None when it is no such name, or that of two; a number alone
        is that of the law, not of the commentary on it."""
        found = [entry for ref in address.shortened(self.profile, text) if (entry := self.kb.entry(ref))]
        if len(found) > 1 and text.isdigit():
            found = [entry for entry in found if entry.ref.work == self.profile.law_work.name]
        return Provision(self, found[0]) if len(found) == 1 else None

    def _edition(self, edition: str | None, on: str | None) -> str:
        """The edition meant when a text names none: given, or in force on a day; empty without either."""
        if edition is None and on is None:
            return ""
        from kb.publish.exports import concordance

        editions = concordance(self.profile)
        if edition is not None:
            editions.known(edition)
            return edition
        return editions.edition_on(on or "")

    def __getitem__(self, ref: str | Ref) -> Provision:
        """The provision of a ref. Raises Absent (a KeyError), or InputError for what is no ref."""
        parsed = ref if isinstance(ref, Ref) else parse_ref(ref)
        entry = self.kb.entry(parsed)
        if entry is None:
            raise Absent(f"{parsed}: not in this corpus (`kb search` or `kb resolve` may find what is meant)")
        return Provision(self, entry)

    def get(self, ref: Any, default: Any = None) -> Any:
        """The provision, or the default."""
        try:
            return self[ref]
        except (Absent, InputError):
            return default

    def __contains__(self, ref: object) -> bool:
        return isinstance(ref, str | Ref) and self.get(ref) is not None

    def __iter__(self) -> Iterator[str]:
        return (str(entry.ref) for entry in self.kb.entries())

    def __len__(self) -> int:
        return self._length

    def __bool__(self) -> bool:
        # A Library is there, whatever it holds; asking must not count its provisions.
        return True

    @cached_property
    def _length(self) -> int:
        return sum(1 for _ in self.kb.entries())

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


def public_folder(build: str | Path) -> Path:
    """The build that may be published: one of its own where a source is private, else the build itself."""
    folder = Path(build) / PUBLIC_FOLDER
    return folder if (folder / store.FILE_NAME).is_file() else Path(build)


def open_library(build: str | Path = "build") -> Library:
    """Open a build folder. Raises BuildError, saying what to do, when it is absent or half-made."""
    folder = Path(build)
    kb = store.open_store(folder / store.FILE_NAME)
    rules = folder / CORPUS_FOLDER
    if not (rules / "profile.toml").is_file():
        raise BuildError(f"{rules}: not there, so the build is not complete; run `kb build` again")
    return Library(kb, profile.load(rules), folder)


def _stamp(build: Path, kb: KnowledgeBase) -> str:
    try:
        return (build / MARKER).read_text("utf-8")
    except OSError:
        return kb.meta.get("build_id", "")


def parse_ref(text: str) -> Ref:
    """``laws/1987/65.C`` as a Ref. Raises InputError for what is none."""
    try:
        return Ref.parse(text)
    except ValueError as error:
        raise InputError(str(error)) from None


def reading_key(ref: Ref) -> tuple[Any, ...]:
    """Sorts refs of one work in reading order: by the numbers of the path, figures as numbers."""
    steps = [(0, int(step), "") if step.isdigit() else (1, 0, step) for step in ref.path]
    return (ref.work, ref.edition, *steps)
