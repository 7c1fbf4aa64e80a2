"""KnowledgeBase -> documents, one a provision, each with its text in all languages in named fields."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from kb import address, concordance, progress
from kb.model import Entry, KnowledgeBase, Node, Ref
from kb.profile import Profile
from kb.search import lines
from kb.search.analysis import Analyser
from kb.search.glossary import at_home
from kb.search.ranking import ALL, TITLE_WEIGHT, UNIT, field_weight, title_terms
from kb.search.situations import situations
from kb.watched import Watched

if TYPE_CHECKING:
    from kb.search.counting import Counts, Piece, Shelf
    from kb.search.vocabulary import Vocabulary

WORK, ROOT, LANG, REF = "@work:", "@root:", "@lang:", "@ref:"
"""Terms that say where a document belongs: filters are postings like any other."""

PRIORS = {"provision": 100, "comment": 90, "heading": 45, "repealed": 70, "item": 30}
"""What a document is worth before the question is known, in hundredths: provisions first."""

_COMMENT_DEPTH = 2
"""A comment's items (65.5.i) are found with it, as one document; alone they are found by their number."""


@dataclass(frozen=True, slots=True)
class Document:
    """A provision, heading or comment as the index sees it."""

    ref: Ref
    kind: str
    status: str
    prior: int
    titles: Mapping[str, str]
    texts: Mapping[str, str]
    """Language to own text: what stands before and after the children, and the footnotes."""
    fields: tuple[tuple[str, str, str], ...]
    """``(field, language, text)``; a field may come several times."""
    commentary: tuple[Ref, ...] = ()
    children: tuple[Ref, ...] = ()
    in_force: Mapping[str, str] | None = None


class Source:
    """Reads a knowledge base into documents. Holds no more than the comments in memory.

    ``kept``: what an earlier build has counted; without it, all is kept as long as this lasts.
    """

    def __init__(self, kb: KnowledgeBase, profile: Profile, kept: Counts | None = None) -> None:
        self.kb = Watched(kb)
        self.kept = kept or self._for_now()
        self.profile = profile
        self.languages = tuple(kb.meta.get("languages", "").split()) or profile.languages
        self.situations = situations(profile)
        self.homes = tuple(at_home(profile))
        self._editions = concordance.load(profile)

    def documents(self) -> Iterator[Document]:
        """All documents in reading order: first the works that others comment on."""
        for entry in self._entries():
            yield from self._of(entry)

    def shelves(self, analyser: Analyser) -> list[Shelf]:
        """All documents with their words counted, some thirty laws at a time."""
        return self.kept.shelves(self.kb, self._groups(analyser))

    def weighed(self, analyser: Analyser, means: Means) -> Iterator[Piece]:
        """The documents by themselves with their weights, shelf by shelf: ``lines.packed`` of each."""
        self.shelves(analyser)

        def weigh(shelf: Shelf) -> bytes:
            every = self.kept.counted(shelf)
            return "".join(
                lines.packed(weights(one, means), stored(one.document, self.profile)) for one in every
            ).encode()

        return self.kept.made("weighed", repr(means), weigh)

    def vocabulary(self, forms: Iterable[str], learn: Callable[[], Vocabulary]) -> Vocabulary:
        """The vocabulary that these forms make."""
        return self.kept.vocabulary(forms, learn)

    def _for_now(self) -> Counts:
        from kb.search.counting import Counts

        folder = tempfile.mkdtemp()
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return Counts(Path(folder) / "words", "", {})

    def _groups(
        self, analyser: Analyser
    ) -> Iterator[tuple[Ref, str, Callable[[], tuple[Summary, list[Counted]]]]]:
        """Runs of entries of one root, with what analyses them."""
        every = progress.over(self._refs(), "counting words", lambda: sum(1 for _ in self._refs()))
        for _, run in groupby(every, key=lambda ref: ref.partition(".")[0]):
            refs = list(run)
            yield Ref.parse(refs[0]), str(refs), partial(self._all, refs, analyser)

    def _all(self, refs: Sequence[str], analyser: Analyser) -> tuple[Summary, list[Counted]]:
        entries = [entry for entry in map(self.kb.entry, map(Ref.parse, refs)) if entry is not None]
        made = [counted(document, analyser) for entry in entries for document in self._of(entry)]
        return summary(made, self.profile), made

    def _refs(self) -> Iterator[str]:
        for work in self._works():
            yield from self.kb.listed(work)

    def _works(self) -> list[str]:
        works = sorted(self.profile.works.values(), key=lambda work: work.role != "law")
        return [work.name for work in works]

    def _entries(self) -> Iterator[Entry]:
        for work in self._works():
            yield from self.kb.entries(work)

    def _of(self, entry: Entry) -> Iterator[Document]:
        comments = self.profile.works[entry.ref.work].role == "commentary"
        document = self._comment(entry) if comments else self._law(entry)
        if document is not None:
            yield document

    def _law(self, entry: Entry) -> Document:
        work = self.profile.works[entry.ref.work]
        heading = address.is_heading(work, entry.ref)
        comments = [r.comment for r in self.kb.relations_to(entry.ref) if r.status != "refused"]
        fields = [*self._own(entry.ref), *self._context(entry)]
        fields += self._under(entry.ref)
        for comment in comments:
            fields += [("commentary", lang, text) for lang, text in self._texts(comment, True).items()]
        prior = "heading" if heading else "repealed" if entry.status == "repealed" else "provision"
        return self._document(entry, prior, fields, tuple(comments))

    def _comment(self, entry: Entry) -> Document | None:
        if len(entry.ref.path) > _COMMENT_DEPTH:
            return self._document(entry, "item", [], ())
        texts = self._texts(entry.ref, True)
        own = texts if len(entry.ref.path) == _COMMENT_DEPTH else self._texts(entry.ref, False)
        if not any(own.values()):
            return None
        fields = [("title", lang, title) for lang, title in self._titles(entry.ref).items()]
        fields += [(self._field(lang), lang, text) for lang, text in texts.items()]
        fields += self._context(entry)
        for relation in self.kb.relations(entry.ref):
            if relation.status != "refused":
                fields += [("context", lang, title) for lang, title in self._titles(relation.law).items()]
        return self._document(entry, "comment", fields, ())

    def _document(
        self, entry: Entry, prior: str, fields: list[tuple[str, str, str]], comments: tuple[Ref, ...]
    ) -> Document:
        texts = self._texts(entry.ref, self.profile.works[entry.ref.work].role == "commentary")
        if not texts:
            # A law that is only its sections: a hit shows what they are about.
            parts: dict[str, list[str]] = {}
            for field_name, lang, title in fields:
                if field_name == "parts":
                    parts.setdefault(lang, []).append(title)
            texts = {lang: " · ".join(titles) for lang, titles in parts.items()}
        return Document(
            ref=entry.ref,
            kind=entry.kind,
            status=entry.status,
            prior=PRIORS[prior],
            titles=self._titles(entry.ref),
            texts=texts,
            fields=tuple(part for part in fields if part[2]),
            commentary=comments,
            children=tuple(self.kb.children(entry.ref)),
            in_force=self._in_force(entry.ref),
        )

    def _in_force(self, ref: Ref) -> dict[str, str] | None:
        """Where the provision is in the edition in force; None when there is nothing to say."""
        found = self._editions.in_force(ref)
        return {"edition": found.edition, "path": found.path, "change": found.change} if found else None

    def _own(self, ref: Ref) -> list[tuple[str, str, str]]:
        fields = [("title", lang, title) for lang, title in self._titles(ref).items()]
        return fields + [(self._field(lang), lang, text) for lang, text in self._texts(ref, False).items()]

    def _field(self, lang: str) -> str:
        return "text" if lang == self.profile.lang else "rendering"

    def _context(self, entry: Entry) -> list[tuple[str, str, str]]:
        """Titles of all that stands above; of an item the text it goes on from, too."""
        fields: list[tuple[str, str, str]] = []
        above = entry.parent
        while above is not None:
            fields += [("context", lang, title) for lang, title in self._titles(above).items()]
            if above == entry.ref.parent:
                fields += [("context", lang, text) for lang, text in self._texts(above, False).items()]
            parent = self.kb.entry(above)
            above = parent.parent if parent else None
        return fields

    def _under(self, ref: Ref) -> list[tuple[str, str, str]]:
        """Titles of the parts of a provision: a law is about what its sections are about."""
        below = [child for child in self.kb.children(ref) if ref.path == child.path[: len(ref.path)]]
        return [("parts", lang, title) for child in below for lang, title in self._titles(child).items()]

    def _titles(self, ref: Ref) -> dict[str, str]:
        entry = self.kb.entry(ref)
        titles = dict(entry.titles) if entry else {}
        for lang in self.languages:
            node = self.kb.node(ref, lang)
            if node and node.title:
                titles[lang] = node.title
        return {lang: titles[lang] for lang in self.languages if titles.get(lang)}

    def _texts(self, ref: Ref, below: bool) -> dict[str, str]:
        texts = {}
        for lang in self.languages:
            parts = list(self._parts(ref, lang, below))
            if parts:
                texts[lang] = "\n".join(parts)
        return texts

    def _parts(self, ref: Ref, lang: str, below: bool) -> Iterator[str]:
        node = self.kb.node(ref, lang)
        if node and node.text:
            yield node.text
        if below:
            for child in self.kb.children(ref):
                yield from self._parts(child, lang, below)
        if node:
            yield from _after(node)


def _after(node: Node) -> Iterator[str]:
    if node.tail:
        yield node.tail
    for note in node.footnotes:
        if note.text:
            yield note.text


@dataclass(frozen=True, slots=True)
class Counted:
    """A document's words, counted field by field, and the forms they stand in."""

    document: Document
    counts: Mapping[tuple[str, str], Mapping[str, int]]
    """(field, language) -> lemma -> count."""
    lengths: Mapping[tuple[str, str], int]
    forms: tuple[str, ...]
    """Sorted."""
    titles: tuple[str, ...]
    """Terms for its whole titles."""
    fields: str
    """A hash of the document's fields."""


def counted(document: Document, analyser: Analyser) -> Counted:
    """Analyse a document once: what follows needs numbers only."""
    counts: dict[tuple[str, str], dict[str, int]] = {}
    lengths: Counter[tuple[str, str]] = Counter()
    forms = set()
    for name, lang, text in document.fields:
        found = counts.setdefault((name, lang), {})
        for token in analyser.tokens(text):
            forms.add(token.form)
            lengths[name, lang] += 1
            for lemma in analyser.lemmas(token.form):
                found[lemma] = found.get(lemma, 0) + 1
    titles = {term for title in document.titles.values() for term in title_terms(analyser.words(title))}
    fields = hashlib.sha256(json.dumps(document.fields, ensure_ascii=False).encode()).hexdigest()
    return Counted(document, counts, lengths, tuple(sorted(forms)), tuple(sorted(titles)), fields)


@dataclass(frozen=True, slots=True)
class Summary:
    """What the whole corpus needs to know of the documents of one law, or of several."""

    refs: Sequence[str]
    forms: Sequence[str]
    """Sorted."""
    lengths: Mapping[tuple[str, str], tuple[int, int]]
    """(field, language) -> words in all documents that have it, and how many these are."""
    digest: str
    """A hash of all that the index has of them."""


def summary(made: Sequence[Counted], profile: Profile) -> Summary:
    """Of the documents of one law."""
    lengths: dict[tuple[str, str], tuple[int, int]] = {}
    digest = hashlib.sha256()
    for one in made:
        for key, length in one.lengths.items():
            words, documents = lengths.get(key, (0, 0))
            lengths[key] = words + length, documents + 1
        told = [one.document.prior, one.fields, stored(one.document, profile)]
        digest.update(json.dumps(told, ensure_ascii=False, sort_keys=True).encode())
    refs = [str(one.document.ref) for one in made]
    return Summary(refs, sorted({form for one in made for form in one.forms}), lengths, digest.hexdigest())


def together(found: Sequence[Summary]) -> Summary:
    """Of several laws, one after the other."""
    lengths: dict[tuple[str, str], tuple[int, int]] = {}
    digest = hashlib.sha256()
    for one in found:
        for key, (words, documents) in one.lengths.items():
            before = lengths.get(key, (0, 0))
            lengths[key] = before[0] + words, before[1] + documents
        digest.update(one.digest.encode())
    refs = [ref for one in found for ref in one.refs]
    return Summary(refs, sorted({form for one in found for form in one.forms}), lengths, digest.hexdigest())


_FINE = 128
"""Means are rounded to one of so many steps from one power of two to the next."""


class Means:
    """Mean length of each field over the documents that have it, gathered law by law.

    Rounded to about a hundredth: it changes no ranking, and a word more in one law does not change the
    weights of all others.
    """

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], tuple[int, int]] = {}

    def add(self, one: Summary) -> None:
        """Count the documents of one law in."""
        for key, (words, documents) in one.lengths.items():
            before = self._sums.get(key, (0, 0))
            self._sums[key] = before[0] + words, before[1] + documents

    def __getitem__(self, key: tuple[str, str]) -> float:
        words, documents = self._sums[key]
        part, power = math.frexp(words / documents)
        return math.ldexp(round(part * _FINE) / _FINE, power)

    def __repr__(self) -> str:
        return repr([(key, self[key]) for key in sorted(self._sums)])


def weights(one: Counted, means: Means) -> dict[str, int]:
    """Fold the fields into one weight a term, and add the terms that say where the document belongs."""
    folded: dict[str, float] = {}
    for key, counts in one.counts.items():
        mean = means[key] if key in one.lengths else 1.0
        for term, count in counts.items():
            more = field_weight(key[0], count, one.lengths[key], mean)
            folded[term] = folded.get(term, 0.0) + more
    terms = {term: max(1, round(weight * UNIT)) for term, weight in folded.items()}
    document = one.document
    terms.update(dict.fromkeys(one.titles, TITLE_WEIGHT))
    terms[ALL] = document.prior
    terms[WORK + document.ref.work] = 1
    terms[ROOT + root(document.ref)] = 1
    terms[REF + str(document.ref)] = 1
    for lang in sorted({*document.titles, *document.texts}):
        terms[LANG + lang] = 1
    return terms


def root(ref: Ref) -> str:
    """The number a ref's path opens with: hits of one root are of one law."""
    return ref.path[0] if ref.path else ""


def stored(document: Document, profile: Profile) -> dict[str, object]:
    """What a hit shows, as plain JSON values."""
    return {
        "ref": str(document.ref),
        "kind": document.kind,
        "status": document.status,
        "titles": dict(document.titles),
        "texts": dict(document.texts),
        "short": address.short(profile, document.ref),
        "url": address.url(profile, document.ref),
        "commentary": [str(ref) for ref in document.commentary],
        "children": [str(ref) for ref in document.children],
        "in_force": document.in_force,
    }
