"""The index kept by tantivy, an optional extra: the one module that imports it.

Terms come analysed and weighted. A posting is kept as a token that ends in its weight; a query asks for all
tokens of a term at once, each scored by that weight, so weights come back exact and ranking.py does the same
sums as over whoosh: the same hits in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from kb.errors import BuildError, MissingExtra
from kb.search import lines
from kb.search.arrays import Numbers, Ranked, Weights
from kb.search.backend import Part, Posting
from kb.search.segments import Segments

TERMS, NUMBER, DOCUMENT = "terms", "number", "document"
_READ_BEFORE, _ROOM = 500_000, 50
"""Entries of terms that are read beforehand, half a microsecond each; as how many a term counts besides."""
_HEAP = 256 << 20
"""Bytes the writer fills before it begins another segment."""
_DOCUMENTS = 8192
"""Documents of a segment, or a few more."""


def _tantivy() -> Any:
    try:
        import tantivy
    except ImportError:
        raise MissingExtra("--backend tantivy needs an extra: pip install 'lawkb[tantivy]'") from None
    return tantivy


class TantivyBackend:
    """Builds and opens tantivy indexes."""

    name = "tantivy"

    def build(self, folder: Path, documents: Iterable[Posting]) -> None:
        """Write the index into an empty folder. Raises MissingExtra without the extra."""
        every = list(documents)
        self.build_parts(folder, [Part("", len(every), lambda: iter(every))], None)

    def build_parts(self, folder: Path, parts: Iterable[Part], before: Path | None) -> None:
        """The same of parts, some to a segment, which is taken from an index ``before`` that has it."""
        tantivy = _tantivy()
        made = Segments(folder, before)
        for run in _runs(parts):
            documents = chain.from_iterable(part.documents() for part in run)
            made.add((part.key for part in run), partial(_write, tantivy, documents))
        made.finish(partial(_write, tantivy, ()))

    def open(self, folder: Path) -> TantivySearcher:
        """Open for reading. Raises BuildError without such an index, MissingExtra without the extra."""
        tantivy = _tantivy()
        try:
            if not tantivy.Index.exists(str(folder)):
                raise ValueError("there is none")
            made = tantivy.Index(_schema(tantivy), path=str(folder), reuse=True)
            return TantivySearcher(tantivy, made)
        except (ValueError, OSError) as error:
            reason = " ".join(str(error).split())
            raise BuildError(
                f"{folder}: not a tantivy index that can be read ({reason}); run `kb build`"
            ) from None


class TantivySearcher(Ranked):
    """An open tantivy index; threads may share it."""

    def __init__(self, tantivy: Any, made: Any) -> None:
        super().__init__(self._read, self._stored)
        self._tantivy = tantivy
        self._schema = made.schema
        self._searcher = made.searcher()
        self._addresses: dict[int, Any] = {}
        """Number -> where its document is; before `warm` each is looked up."""

    def close(self) -> None:
        """Give the files back."""
        super().close()
        del self._searcher, self._addresses

    def warm(self, terms: Iterable[str]) -> None:
        """Also know where documents are, and read the postings of terms."""
        size = self._searcher.num_docs
        if size:
            hits = self._searcher.search(self._tantivy.Query.all_query(), limit=size, count=False).hits
            addresses = [address for _, address in hits]
            numbers = self._searcher.fast_field_values(NUMBER, addresses)
            self._addresses = dict(zip(numbers, addresses, strict=True))
        left = _READ_BEFORE
        for term in terms:
            if left <= 0:
                break
            left -= _ROOM + len(self.postings(term)[0])
        super().warm(terms)

    def _stored(self, number: int) -> Mapping[str, Any]:
        document = self._searcher.doc(self._addresses.get(number) or self._address(number))
        found: Mapping[str, Any] = orjson.loads(document.get_first(DOCUMENT))
        return found

    def _address(self, number: int) -> Any:
        query = self._tantivy.Query.term_query(self._schema, NUMBER, number)
        hits = self._searcher.search(query, limit=1, count=False).hits
        if not hits:
            raise BuildError(f"document {number} is not in the index; run `kb build`")
        return hits[0][1]

    def _read(self, term: str) -> tuple[Numbers, Weights]:
        query = self._tantivy.Query
        tokens = self._searcher.terms_with_prefix(TERMS, lines.token(term))
        size = sum(count for _, count in tokens)
        if not size:
            return np.zeros(0, np.intp), np.zeros(0, np.int32)
        scored = [
            query.const_score_query(
                query.term_query(self._schema, TERMS, token, "basic"), float(lines.weight(token))
            )
            for token, _ in tokens
        ]
        hits = self._searcher.search(query.disjunction_max_query(scored), limit=size, count=False).hits
        numbers = self._searcher.fast_field_values(NUMBER, [address for _, address in hits])
        found = np.fromiter(numbers, np.intp, len(hits))
        weights = np.fromiter((score for score, _ in hits), np.int32, len(hits))
        order = np.argsort(found)
        return found[order], weights[order]


def _schema(tantivy: Any) -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(TERMS, tokenizer_name="whitespace", index_option="basic")
    builder.add_unsigned_field(NUMBER, indexed=True, fast=True)
    builder.add_bytes_field(DOCUMENT, stored=True)
    return builder.build()


def _write(tantivy: Any, documents: Iterable[Posting], folder: Path) -> None:
    made = tantivy.Index(_schema(tantivy), path=str(folder))
    # One thread: documents keep their order, and the same documents give the same segments.
    writer = made.writer(heap_size=_HEAP, num_threads=1)
    for document in documents:
        made_of = tantivy.Document()
        made_of.add_text(TERMS, lines.terms_text(document.terms))
        made_of.add_unsigned(NUMBER, document.number)
        made_of.add_bytes(DOCUMENT, lines.shown_text(document.stored).encode())
        writer.add_document(made_of)
    writer.commit()
    writer.wait_merging_threads()


def _runs(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """Parts by segments: a query costs the more, the more of these there are."""
    run: list[Part] = []
    size = 0
    for part in parts:
        run.append(part)
        size += part.size
        if size >= _DOCUMENTS:
            yield run
            run, size = [], 0
    if run:
        yield run
