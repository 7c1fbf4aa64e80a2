"""The index kept by whoosh: the one module that imports it.

Terms come analysed and weighted, so the schema has no analyser and drops nothing. Whoosh's postings hold our
weights; arrays.py does the sums.
"""

from __future__ import annotations

import pickle
import struct
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from whoosh import __version__, fields, formats, index
from whoosh.codec.whoosh3 import W3Codec, W3Segment
from whoosh.filedb.filestore import FileStorage
from whoosh.filedb.structfile import StructFile
from whoosh.reading import TermNotFound

from kb.errors import BuildError
from kb.search.arrays import Numbers, Ranked, Weights
from kb.search.backend import Posting
from kb.search.lines import shown_text
from kb.search.ranking import ALL

TERMS = "terms"
VERSION = "version"
"""File of an index that says which whoosh wrote it, in which schema."""
_SCHEMA = 1
_OWN_TYPES = {
    ("whoosh.codec.whoosh3", "W3Segment"),
    ("kb.search.whoosh_index", "FixedCodec"),
    ("copyreg", "_reconstructor"),
    ("collections", "defaultdict"),
    ("builtins", "int"),
    ("builtins", "object"),
}
"""All that the pickles inside an index of ours name."""
_UNREADABLE = (
    OSError,
    index.IndexError,
    pickle.UnpicklingError,
    EOFError,
    struct.error,
    zlib.error,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""What whoosh raises over files that are absent, cut short or not its own."""


class _Own(pickle.Unpickler):
    """Takes what our own indexes hold, and no other type: a pickle can name any code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _OWN_TYPES:
            raise pickle.UnpicklingError(f"{module}.{name} has no place in an index")
        return super().find_class(module, name)


class _OwnFile(StructFile):  # type: ignore[misc]
    """A file of an index whose pickles name our own types only; that of the schema is not read at all."""

    def read_pickle(self) -> Any:
        return _Own(self.file).load()


class _OwnStorage(FileStorage):  # type: ignore[misc]
    """A folder whose files are ours; other whoosh indexes of the process are read as ever."""

    def open_file(self, name: str, **kwargs: Any) -> _OwnFile:
        return _OwnFile(open(self._fpath(name), "rb"), name=name, **kwargs)


class WeightedTerms(fields.FieldType):  # type: ignore[misc]
    """A field whose value is a mapping of terms to weights. Pickled in the index: importable by name."""

    def __init__(self) -> None:
        self.format = formats.Existence()
        self.scorable = True
        self.stored = False
        self.unique = False
        self.vector = None
        self.spelling = False
        self.multitoken_query = "default"
        self.column_type = None
        self.analyzer = None

    def index(self, value: Mapping[str, int], **kwargs: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
        """Terms as whoosh wants them: bytes, count, weight, no value."""
        for term in sorted(value):
            yield term.encode(), 1, float(value[term]), b""


class FixedCodec(W3Codec):  # type: ignore[misc]
    """Whoosh's codec with a segment name that is not drawn by lot, for the same bytes every time."""

    def new_segment(self, storage: Any, indexname: str) -> Any:
        return W3Segment(self, indexname, segid="0")


class WhooshBackend:
    """Builds and opens whoosh indexes of one segment."""

    name = "whoosh"

    def build(self, folder: Path, documents: Iterable[Posting]) -> None:
        """Write the index into an empty folder."""
        schema = _schema()
        storage = FileStorage(str(folder))
        made = storage.create_index(schema)
        writer = made.writer(codec=FixedCodec(), compound=False, limitmb=256)
        for document in documents:
            writer.add_document(**{"document": shown_text(document.stored), TERMS: document.terms})
        writer.commit(merge=False)
        made.close()
        for lock in folder.glob("*_WRITELOCK"):
            lock.unlink()
        (folder / VERSION).write_text(_version(), encoding="utf-8")

    def open(self, folder: Path) -> WhooshSearcher:
        """Open for reading. Raises BuildError when there is no whoosh index."""
        try:
            wrote = (folder / VERSION).read_text("utf-8")
            if wrote != _version():
                raise ValueError(f"written by {wrote.strip()[:40]!r}, this is {_version().strip()!r}")
            storage = _OwnStorage(str(folder), readonly=True)
            return WhooshSearcher(index.FileIndex(storage, schema=_schema()))
        except _UNREADABLE as error:
            raise BuildError(
                f"{folder}: not a whoosh index that can be read ({error}); run `kb build`"
            ) from None


def _schema() -> Any:
    return fields.Schema(document=fields.STORED, **{TERMS: WeightedTerms()})


def _version() -> str:
    return f"whoosh {'.'.join(map(str, __version__))} schema {_SCHEMA}\n"


class WhooshSearcher(Ranked):
    """An open whoosh index; threads may share it."""

    def __init__(self, opened: Any) -> None:
        super().__init__(self._read, self._stored)
        self._index = opened
        # Whoosh's readers seek in shared files: two threads that decode at once read each other's places.
        self._turn = threading.Lock()
        self._reader = opened.reader()
        # Whoosh opens files when it needs them; a build that takes over may have dropped them by then.
        if self._reader.doc_count_all():
            self._stored(0)
            self._read(ALL)

    def close(self) -> None:
        """Give the files back."""
        super().close()
        self._reader.close()
        self._index.close()

    def _stored(self, number: int) -> Mapping[str, Any]:
        with self._turn:
            stored = self._reader.stored_fields(number)["document"]
        found: Mapping[str, Any] = orjson.loads(stored)
        return found

    def _read(self, term: str) -> tuple[Numbers, Weights]:
        numbers, weights = [], []
        with self._turn:
            try:
                matcher = self._reader.postings(TERMS, term.encode())
            except TermNotFound:
                return np.zeros(0, np.intp), np.zeros(0, np.int32)
            while matcher.is_active():
                numbers.append(matcher.id())
                weights.append(int(matcher.weight()))
                matcher.next()
        return np.array(numbers, np.intp), np.array(weights, np.int32)
