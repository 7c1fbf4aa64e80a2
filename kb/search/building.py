"""KnowledgeBase -> a finished index: documents counted, words learnt, postings written, switched in."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from kb.errors import InputError, MissingExtra
from kb.model import KnowledgeBase
from kb.profile import Profile
from kb.search import glossary, likely, situations
from kb.search.analysis import Analyser
from kb.search.backend import Backend, Posting, switch
from kb.search.counting import Counts
from kb.search.documents import Counted, Means, Source, posting, stored
from kb.search.ranking import FIELDS, SATURATION, UNIT
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
        refs: list[str] = []
        engine.build(draft, _noted(weighted(source, analyser, means, profile, vocabulary), refs))
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
    builder, means, digest = Builder(analyser), Means(), hashlib.sha256()
    for one in source.counted(analyser):
        builder.add(one.forms)
        means.add(one)
        digest.update(_fingerprint(one, profile))
    for situation in source.situations:
        builder.add(token.form for token in analyser.tokens(situation.phrase))
        digest.update(repr(situation).encode())
    digest.update(repr(source.homes).encode())
    glossary.teach(builder, profile)
    vocabulary = builder.build()
    constants = [_FORMAT, backend, sorted(FIELDS.items()), SATURATION, UNIT, situations.WEIGHT, situations.B]
    constants += [likely.NEXT_REF, likely.REFS]
    digest.update(json.dumps(constants).encode())
    digest.update(vocabulary.to_json().encode())
    return vocabulary, means, digest.hexdigest()[:16]


def weighted(
    source: Source, analyser: Analyser, means: Means, profile: Profile, vocabulary: Vocabulary
) -> Iterator[Posting]:
    """All documents with their weighted terms, numbered in reading order: the second pass."""
    places = {str(one.document.ref): number for number, one in enumerate(source.counted(analyser))}
    bags = situations.bags(source.situations, vocabulary, places)
    for made in alone(source, analyser, means, profile):
        terms = Counter(made.terms)
        terms.update(bags.get(made.number, {}))
        yield replace(made, terms=dict(terms))
    yield from situations.postings(source.situations, vocabulary, len(places), places)


def _noted(postings: Iterator[Posting], refs: list[str]) -> Iterator[Posting]:
    """The same postings; their refs are noted as they pass."""
    for made in postings:
        if "ref" in made.stored:
            refs.append(made.stored["ref"])
        yield made


def alone(source: Source, analyser: Analyser, means: Means, profile: Profile) -> Iterator[Posting]:
    """The documents by themselves, without what situations add."""
    for number, one in enumerate(source.counted(analyser)):
        yield posting(number, one, means, profile)


def _fingerprint(one: Counted, profile: Profile) -> bytes:
    values = [one.document.prior, one.fields, stored(one.document, profile)]
    return json.dumps(values, ensure_ascii=False, sort_keys=True).encode()
