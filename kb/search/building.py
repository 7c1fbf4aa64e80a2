"""KnowledgeBase -> a finished index: documents counted, words learnt, postings written, switched in."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path

from kb import progress
from kb.errors import InputError, MissingExtra
from kb.model import KnowledgeBase
from kb.profile import Profile
from kb.search import glossary, latent, likely, lines, situations
from kb.search.analysis import Analyser
from kb.search.backend import Backend, Part, Parted, Posting, current, switch
from kb.search.counting import Counts, Piece
from kb.search.documents import Means, Source
from kb.search.ranking import FIELDS, FUNCTION_WEIGHT, SATURATION, UNIT
from kb.search.vocabulary import Builder, Vocabulary

BACKENDS = {
    "whoosh": ("kb.search.whoosh_index", "WhooshBackend"),
    "tantivy": ("kb.search.tantivy_index", "TantivyBackend"),
    "opensearch": ("kb.search.opensearch_index", "OpenSearchBackend"),
}
VOCABULARY, ENGINE = "vocabulary.json", "engine"
REFS = "refs.json"
"""The refs of all documents, in the order of their numbers."""
LIKELY = "likely.json"
_FORMAT = "5"


def backend_named(name: str) -> Backend:
    """Load a backend. Raises InputError that lists the names there are, MissingExtra without its extra."""
    if name not in BACKENDS:
        raise InputError(
            f"--backend {name}: no such search backend (there are: {', '.join(sorted(BACKENDS))})"
        )
    module, made = BACKENDS[name]
    try:
        backend: Backend = getattr(import_module(module), made)()
    except ImportError:
        raise MissingExtra(f"--backend {name} needs an extra: pip install 'lawkb[{name}]'") from None
    return backend


def build_index(
    kb: KnowledgeBase, profile: Profile, folder: Path, backend: str = "whoosh", kept: Counts | None = None
) -> bool:
    """Make the index of a knowledge base in ``folder``. False when the one there is of the same content.

    A reader sees the old index until the new one is whole; a build that is killed leaves the old one.
    """
    engine = backend_named(backend)
    source = Source(kb, profile, kept)
    analyser = Analyser(source.languages)
    vocabulary, means, digest = first_pass(source, analyser, profile, backend)

    before = current(folder)

    def write(draft: Path) -> None:
        refs = [ref for one in source.shelves(analyser) for ref in one.summary.refs]
        read = situations.read_all(source.situations, vocabulary)
        made = weighted_parts(source, analyser, means, vocabulary, read)
        parts = progress.over(made, "writing the index", len(source.shelves(analyser)) + 1)
        if isinstance(engine, Parted):
            engine.build_parts(draft, parts, before)
        else:
            engine.build(draft, (one for part in parts for one in part.documents()))
        (draft / REFS).write_text(json.dumps(refs, ensure_ascii=False), encoding="utf-8")
        places = {ref: number for number, ref in enumerate(refs)}
        likely_words = likely.gathered(source.situations, read, source.homes, vocabulary, places)
        (draft / LIKELY).write_text(likely_words.to_json(), encoding="utf-8")
        (draft / VOCABULARY).write_text(vocabulary.to_json(), encoding="utf-8")
        (draft / ENGINE).write_text(backend + "\n", encoding="utf-8")

    return switch(folder, digest, write)


def first_pass(
    source: Source, analyser: Analyser, profile: Profile, backend: str
) -> tuple[Vocabulary, Means, str]:
    """Words and mean lengths, one shelf at a time, and the digest of all that decides the index."""
    forms: set[str] = set()
    means, digest = Means(), hashlib.sha256()
    for one in source.shelves(analyser):
        forms.update(one.summary.forms)
        means.add(one.summary)
        digest.update(one.summary.digest.encode())
    digest.update(repr(means).encode())
    for situation in source.situations:
        digest.update(repr(situation).encode())
    digest.update(repr(source.homes).encode())
    vocabulary = source.vocabulary(forms, lambda: _learnt(source, analyser, profile, forms))
    constants = [_FORMAT, backend, sorted(FIELDS.items()), SATURATION, UNIT, situations.WEIGHT, situations.B]
    constants += [likely.NEXT_REF, likely.REFS, FUNCTION_WEIGHT, latent.DIMENSIONS, latent.STEP]
    digest.update(json.dumps(constants).encode())
    digest.update(vocabulary.to_json().encode())
    return vocabulary, means, digest.hexdigest()[:16]


def _learnt(source: Source, analyser: Analyser, profile: Profile, forms: Iterable[str]) -> Vocabulary:
    builder = Builder(analyser)
    builder.add(sorted(forms))
    builder.add(situations.telling(source.situations, analyser, forms))
    glossary.teach(builder, profile)
    return builder.build()


def weighted(source: Source, analyser: Analyser, means: Means, vocabulary: Vocabulary) -> Iterator[Posting]:
    """All documents with their weighted terms, numbered in reading order: the second pass."""
    read = situations.read_all(source.situations, vocabulary)
    for part in weighted_parts(source, analyser, means, vocabulary, read):
        yield from part.documents()


def weighted_parts(
    source: Source,
    analyser: Analyser,
    means: Means,
    vocabulary: Vocabulary,
    read: Sequence[situations.Words],
) -> Iterator[Part]:
    """The same in parts: shelf by shelf, then the wordings of situations, of which ``read`` has the words."""
    refs = chain.from_iterable(one.summary.refs for one in source.shelves(analyser))
    places = {ref: number for number, ref in enumerate(refs)}
    bags = situations.bags(source.situations, read, places)
    for piece in source.weighed(analyser, means):
        start, size = piece.shelf.start, len(piece.shelf.summary.refs)
        own = {number: bags[number] for number in range(start, start + size) if number in bags}
        yield Part(f"{start} {piece.hash} {_hashed(own)}", size, partial(_led, piece, own))
    last = list(situations.postings(source.situations, read, vocabulary.function, len(places), places))
    yield Part(_hashed([[one.number, one.terms, one.stored] for one in last]), len(last), lambda: iter(last))


def _led(piece: Piece, bags: Mapping[int, Mapping[str, int]]) -> Iterator[Posting]:
    """The documents of a shelf, with what situations add."""
    for made in alone(piece):
        led = bags.get(made.number)
        yield replace(made, terms=dict(Counter(made.terms) + Counter(led))) if led else made


def alone(piece: Piece) -> Iterator[Posting]:
    """The documents of a shelf by themselves, without what situations add."""
    for number, (terms, shown) in enumerate(lines.unpacked(piece.read().decode()), piece.shelf.start):
        yield Posting(number, terms, shown)


def _hashed(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
