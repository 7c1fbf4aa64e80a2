"""KnowledgeBase -> a finished index: documents counted, words learnt, postings written, switched in."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from itertools import chain
from pathlib import Path

from kb import progress
from kb.errors import InputError, MissingExtra
from kb.model import KnowledgeBase
from kb.profile import Profile
from kb.search import glossary, latent, likely, situations
from kb.search.analysis import Analyser
from kb.search.backend import Backend, Posting, switch
from kb.search.counting import Counts
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
_FORMAT = "4"


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

    def write(draft: Path) -> None:
        refs = [ref for one in source.summaries(analyser) for ref in one.refs]
        postings = weighted(source, analyser, means, vocabulary)
        engine.build(draft, progress.over(postings, "writing the index", len(refs)))
        (draft / REFS).write_text(json.dumps(refs, ensure_ascii=False), encoding="utf-8")
        places = {ref: number for number, ref in enumerate(refs)}
        likely_words = likely.gathered(source.situations, source.homes, vocabulary, places)
        (draft / LIKELY).write_text(likely_words.to_json(), encoding="utf-8")
        (draft / VOCABULARY).write_text(vocabulary.to_json(), encoding="utf-8")
        (draft / ENGINE).write_text(backend + "\n", encoding="utf-8")

    return switch(folder, digest, write)


def first_pass(
    source: Source, analyser: Analyser, profile: Profile, backend: str
) -> tuple[Vocabulary, Means, str]:
    """Words and mean lengths, one document at a time, and the digest of all that decides the index."""
    forms: set[str] = set()
    means, digest = Means(), hashlib.sha256()
    for one in source.summaries(analyser):
        forms.update(one.forms)
        means.add(one)
        digest.update(one.digest.encode())
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
    for situation in source.situations:
        builder.add(token.form for token in analyser.tokens(situation.phrase))
    glossary.teach(builder, profile)
    return builder.build()


def weighted(source: Source, analyser: Analyser, means: Means, vocabulary: Vocabulary) -> Iterator[Posting]:
    """All documents with their weighted terms, numbered in reading order: the second pass."""
    refs = chain.from_iterable(one.refs for one in source.summaries(analyser))
    places = {ref: number for number, ref in enumerate(refs)}
    bags = situations.bags(source.situations, vocabulary, places)
    for made in alone(source, analyser, means):
        led = bags.get(made.number)
        if led:
            made = replace(made, terms=dict(Counter(made.terms) + Counter(led)))
        yield made
    yield from situations.postings(source.situations, vocabulary, len(places), places)


def alone(source: Source, analyser: Analyser, means: Means) -> Iterator[Posting]:
    """The documents by themselves, without what situations add."""
    for number, (terms, shown) in enumerate(source.weighed(analyser, means)):
        yield Posting(number, terms, shown)
