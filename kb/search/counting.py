"""Words counted once and kept: the documents of a law are analysed again only when the law is another.

Four files. One has a line for each run of entries of one root: its name, the hash of what it was made from,
what was read for that, what the whole corpus needs of it, and the bytes of its counted documents, which the
next has, a line a run. One has the same documents with their weights, as engines take them. One has the
vocabulary. What still holds is copied as it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from kb.errors import InputError
from kb.model import Ref
from kb.search import lines
from kb.search.documents import Counted, Document, Summary, Weighed
from kb.search.vocabulary import Vocabulary
from kb.watched import Watched

Group = tuple[Ref, str, Callable[[], tuple[Summary, list[Counted]]]]
"""The first ref of a run of entries, a hash of how they are listed, and what analyses them."""
_TELLS, _SIZE = 3, 4
"""Parts of a line of counts: what the whole corpus needs of it, and how many bytes its documents are."""
_MUCH = 1 << 20
"""Bytes that are copied at once."""


class Counts:
    """The counted documents of one knowledge base; ``given``: a hash of all else that decides them."""

    def __init__(self, path: Path, given: str, digests: Mapping[str, bytes]) -> None:
        self._path = path
        self._held = path.with_name(f"{path.name}-held")
        self._weights = path.with_name(f"{path.name}-weighed")
        self._words = path.with_name(f"{path.name}-known")
        self._given = given
        self._digests = digests
        self._whole = False
        self._summaries: list[Summary] | None = None
        self._weighed = ""
        self._vocabularies: dict[str, Vocabulary] = {}

    def all(self, kb: Watched, groups: Iterable[Group]) -> Iterator[Counted]:
        """All documents in reading order. The first time they are looked through, and kept."""
        self._keep(kb, groups)
        for (line,) in _lines(self._held, 0):
            yield from map(_counted, json.loads(line))

    def summaries(self, kb: Watched, groups: Iterable[Group]) -> Iterator[Summary]:
        """What the whole corpus needs to know, run by run; read once."""
        self._keep(kb, groups)
        if self._summaries is None:
            # The same words stand in many laws: each is held once.
            one: dict[str, str] = {}
            self._summaries = [_summary(parts[_TELLS], one) for parts in _lines(self._path, _SIZE)]
        return iter(self._summaries)

    def weighed(
        self, kb: Watched, groups: Iterable[Group], given: str, weigh: Callable[[Counted], Weighed]
    ) -> Iterator[Weighed]:
        """All documents with their weights; ``given``: a hash of all else that decides these."""
        self._keep(kb, groups)
        if self._weighed != given:
            self._weigh(given, weigh)
            self._weighed = given
        for parts in _lines(self._weights, 2):
            yield from lines.unpacked(parts[2].decode())

    def vocabulary(self, forms: Iterable[str], learn: Callable[[], Vocabulary]) -> Vocabulary:
        """The vocabulary that these forms make."""
        told = blake2b(self._given.encode(), digest_size=16)
        for form in sorted(forms):
            told.update(f"{form}\0".encode())
        key = told.hexdigest()
        if key not in self._vocabularies:
            self._vocabularies[key] = self._known(key) or self._learnt(key, learn())
        return self._vocabularies[key]

    def _known(self, key: str) -> Vocabulary | None:
        try:
            found, _, text = self._words.read_text("utf-8").partition("\n")
            return Vocabulary.from_json(text) if found == key else None
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError):
            # What cannot be read is learnt again.
            return None

    def _learnt(self, key: str, made: Vocabulary) -> Vocabulary:
        with _written(self._words) as new:
            new.write(f"{key}\n{made.to_json()}".encode())
        return made

    def _keep(self, kb: Watched, groups: Iterable[Group]) -> None:
        if self._whole:
            return
        with (
            _opened(self._path) as old,
            _opened(self._held) as held,
            _written(self._path) as new,
            # Killed in between, nothing is known: never places in another file.
            _written(self._held, lambda: self._path.unlink(missing_ok=True)) as documents,
        ):
            before = _tells(old)
            whole = os.fstat(held.fileno()).st_size
            copies = _Copies(held, documents)
            for first, said, make in groups:
                tells = before.get(str(first))
                if tells and tells.start + tells.size <= whole and self._holds(tells, said):
                    new.write(tells.line)
                    copies.take(tells.start, tells.size)
                    continue
                (summary, made), seen = kb.watch([first], make)
                text = _packed([_row(one) for one in made]).encode() + b"\n"
                copies.put(text)
                lengths = [[*key, *sums] for key, sums in sorted(summary.lengths.items())]
                told = _packed([summary.refs, summary.forms, lengths, summary.digest])
                parts = [str(first), self._hash(seen, said), "\x1f".join(seen), told, f"{len(text)}\n"]
                new.write("\t".join(parts).encode())
            copies.flush()
        self._whole = True

    def _holds(self, tells: _Tells, said: str) -> bool:
        return tells.hash == self._hash(tells.read, said)

    def _weigh(self, given: str, weigh: Callable[[Counted], Weighed]) -> None:
        with _opened(self._held) as held, _opened(self._weights) as old, _written(self._weights) as new:
            before = _places(old)
            at = 0
            for name, made_of, _, _, size in _lines(self._path, _SIZE):
                key = blake2b(f"{given}\0".encode() + made_of, digest_size=16).hexdigest()
                line = _at(old, before, name.decode())
                parts = line.split(b"\t", 2)
                if not (len(parts) > 2 and line.endswith(b"\n") and parts[1].decode() == key):
                    held.seek(at)
                    rows = json.loads(held.read(int(size)))
                    made = "".join(lines.packed(*weigh(_counted(row))) for row in rows)
                    line = b"\t".join([name, key.encode(), made.encode() + b"\n"])
                new.write(line)
                at += int(size)

    def _hash(self, seen: Iterable[str], said: str) -> str:
        made = blake2b(f"{self._given}\0{said}".encode(), digest_size=16)
        for name in seen:
            made.update(name.encode() + b"\0" + self._digests.get(name, b"-"))
        return made.hexdigest()


class _Tells(NamedTuple):
    """A line of counts: whole, the hash of what it was made from, what was read, where its documents are."""

    line: bytes
    hash: str
    read: Sequence[str]
    start: int
    size: int


def _tells(stream: BinaryIO) -> dict[str, _Tells]:
    """The lines of an earlier build, as far as they are whole, by name."""
    found = {}
    at = 0
    for line in stream:
        name, *parts = line.split(b"\t", _SIZE)
        if len(parts) < _SIZE or not parts[-1].rstrip(b"\n").isdigit():
            break
        size = int(parts[-1])
        found[name.decode()] = _Tells(line, parts[0].decode(), parts[1].decode().split("\x1f"), at, size)
        at += size
    return found


def _summary(text: bytes, held: dict[str, str]) -> Summary:
    refs, forms, lengths, digest = json.loads(text)
    shared = [held.setdefault(form, form) for form in forms]
    return Summary(refs, shared, {(name, code): (s, n) for name, code, s, n in lengths}, digest)


class _Copies:
    """Copies stretches of a file into another one; those that follow each other at once."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source = source
        self._target = target
        self._start = self._end = 0

    def take(self, start: int, size: int) -> None:
        """The next stretch."""
        if start != self._end:
            self.flush()
            self._start = start
        self._end = start + size

    def put(self, content: bytes) -> None:
        """What stands next is new."""
        self.flush()
        self._target.write(content)

    def flush(self) -> None:
        """Write what was taken."""
        self._source.seek(self._start)
        while self._start < self._end:
            piece = self._source.read(min(_MUCH, self._end - self._start))
            self._target.write(piece)
            self._start += len(piece)


def _opened(path: Path) -> BinaryIO:
    return path.open("rb") if path.is_file() else open(os.devnull, "rb")


@contextmanager
def _written(path: Path, first: Callable[[], None] = lambda: None) -> Iterator[BinaryIO]:
    """A file that takes its place when it is whole; ``first`` is done right before."""
    draft = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as stream:
            yield stream
        first()
        os.replace(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(
            f"{path}: cannot be written: {error.strerror}; free some space or choose --build"
        ) from None


def _lines(path: Path, last: int) -> Iterator[list[bytes]]:
    """Every line in its parts, the last of this number."""
    try:
        with path.open("rb") as stream:
            for line in stream:
                yield line.split(b"\t", last)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; run `kb build` again") from None


def _places(stream: BinaryIO) -> dict[str, int]:
    """The name of each line -> where the line begins."""
    found = {}
    at = 0
    for line in stream:
        found[line.split(b"\t", 1)[0].decode("utf-8", "replace")] = at
        at += len(line)
    return found


def _at(stream: BinaryIO, places: Mapping[str, int], name: str) -> bytes:
    """The line of a name, empty when there is none."""
    if name not in places:
        return b""
    stream.seek(places[name])
    return stream.readline()


def _packed(value: Sequence[object]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _row(one: Counted) -> list[Any]:
    d = one.document
    # fmt: off
    return [
        str(d.ref), d.kind, d.status, d.prior, dict(d.titles), dict(d.texts), [str(r) for r in d.commentary],
        [str(r) for r in d.children], d.in_force, one.fields, one.titles, one.forms,
        [[*key, one.lengths.get(key, 0), counts] for key, counts in one.counts.items()],
    ]
    # fmt: on


def _counted(row: list[Any]) -> Counted:
    ref, kind, status, prior, titles, texts, commentary, children, in_force, fields, own, forms, counts = row
    document = Document(
        ref=Ref.parse(ref),
        kind=kind,
        status=status,
        prior=prior,
        titles=titles,
        texts=texts,
        fields=(),
        commentary=tuple(map(Ref.parse, commentary)),
        children=tuple(map(Ref.parse, children)),
        in_force=in_force,
    )
    return Counted(
        document=document,
        counts={(name, lang): found for name, lang, _, found in counts},
        lengths={(name, lang): length for name, lang, length, _ in counts if length},
        forms=tuple(forms),
        titles=tuple(own),
        fields=fields,
    )
