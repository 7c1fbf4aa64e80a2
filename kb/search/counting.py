"""Words counted once and kept: the documents of a law are analysed again only when the law is another.

Laws stand on shelves: runs of entries of some thirty roots. That a root begins one its name tells: a law
more changes one shelf only. A shelf is a file: a line of what the whole corpus needs to know of it, a line
for each root (its name, the hash of what it was made from, the bytes of its documents, what was read for
it), then what the documents of each root are. What is made of a shelf alone is a file beside it, under the
hash of all that decides it. A shelf that still holds is left as it is, and only its first lines are read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from kb.errors import InputError
from kb.model import Ref
from kb.search.documents import Counted, Document, Summary, together
from kb.search.vocabulary import Vocabulary
from kb.watched import Watched

Group = tuple[Ref, str, Callable[[], tuple[Summary, list[Counted]]]]
"""The first ref of a run of entries, a hash of how they are listed, and what analyses them."""
_ROOTS = 32
"""Roots on a shelf, about."""
_SIZE = 16
_DRAFT = ".part"


class Shelf(NamedTuple):
    """Documents that stand one after the other: the number of the first, what all need to know of them."""

    name: str
    start: int
    summary: Summary
    key: str
    """A hash of all that is on it."""


class Piece(NamedTuple):
    """What is made of one shelf, and a hash of it."""

    shelf: Shelf
    hash: str
    read: Callable[[], bytes]


class Counts:
    """The counted documents of one knowledge base; ``given``: a hash of all else that decides them."""

    def __init__(self, path: Path, given: str, digests: Mapping[str, bytes]) -> None:
        self._path = path
        self._words = path.with_name(f"{path.name}-known")
        self._given = given.encode()
        self._digests = digests
        self._shelves: list[Shelf] | None = None
        self._vocabularies: dict[str, Vocabulary] = {}

    def shelves(self, kb: Watched, groups: Iterable[Group]) -> list[Shelf]:
        """All there is, in reading order. The first time it is looked through, and kept."""
        if self._shelves is None:
            found: list[Shelf] = []
            with _writing(self._path):
                if self._path.is_file():  # of an earlier version
                    self._path.unlink()
                self._path.mkdir(parents=True, exist_ok=True)
                for run in _runs(groups):
                    start = found[-1].start + len(found[-1].summary.refs) if found else 0
                    found.append(self._shelf(kb, run, start))
            self._prune({one.name for one in found})
            self._shelves = found
        return self._shelves

    def counted(self, shelf: Shelf) -> Iterator[Counted]:
        """The documents of a shelf."""
        with _reading(self._path / shelf.name) as stream:
            head = _head(stream)
            for line in head.lines if head else ():
                stream.seek(line.start)
                for row in orjson.loads(stream.read(line.size))[1]:
                    yield _counted(row)

    def made(self, kind: str, given: str, make: Callable[[Shelf], bytes]) -> Iterator[Piece]:
        """What ``make`` makes of each shelf, kept as a file of that ``kind``; ``given``: a hash of all that
        decides it besides the shelf. After ``shelves``."""
        for shelf in self._shelves or ():
            key = blake2b(f"{given}\0{shelf.key}".encode(), digest_size=_SIZE).hexdigest()
            path = self._path / f"{shelf.name}-{kind}"
            told = _told_of(path, key)
            if not told:
                content = make(shelf)
                told = blake2b(content, digest_size=_SIZE).hexdigest()
                with _written(path) as new:
                    new.write(f"{key} {told} {len(content)}\n".encode() + content)
            yield Piece(shelf, told, partial(_content, path))

    def vocabulary(self, forms: Iterable[str], learn: Callable[[], Vocabulary]) -> Vocabulary:
        """The vocabulary that these forms make."""
        told = blake2b(self._given, digest_size=_SIZE)
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

    def _shelf(self, kb: Watched, run: Sequence[Group], start: int) -> Shelf:
        name = blake2b(str(run[0][0]).encode(), digest_size=8).hexdigest()
        with _opened(self._path / name) as old:
            before = _head(old)
            if before and self._all_hold(before, run):
                return Shelf(name, start, _summary(before.told), before.key)
            lines, bodies, summaries = [], [], []
            kept = {line.name: line for line in before.lines} if before else {}
            for first, said, make in run:
                line = kept.get(str(first))
                if line and self._holds(line, said):
                    old.seek(line.start)
                    body, seen = old.read(line.size), line.seen
                    summaries.append(_summary(orjson.loads(body)[0]))
                else:
                    (summary, made), names = kb.watch([first], make)
                    seen = "\x1f".join(names).encode()
                    body = orjson.dumps([_told(summary), [_row(one) for one in made]]) + b"\n"
                    summaries.append(summary)
                told = [str(first), self._hash(seen, said), str(len(body)), seen.decode()]
                lines.append("\t".join(told).encode() + b"\n")
                bodies.append(body)
        whole = together(summaries)
        head = [len(lines), *_told(whole)]
        text = b"".join([orjson.dumps(head), b"\n", *lines])
        with _written(self._path / name) as new:
            new.write(text)
            new.writelines(bodies)
        return Shelf(name, start, whole, _key(text))

    def _all_hold(self, before: _Head, run: Sequence[Group]) -> bool:
        if [line.name for line in before.lines] != [str(first) for first, _, _ in run]:
            return False
        return all(self._holds(line, said) for line, (_, said, _) in zip(before.lines, run, strict=True))

    def _holds(self, line: _Line, said: str) -> bool:
        return line.hash == self._hash(line.seen, said)

    def _hash(self, seen: bytes, said: str) -> str:
        known = self._digests.get
        found = [known(name, b"-") for name in seen.decode().split("\x1f")]
        told = b"\0".join([self._given, said.encode(), seen, *found])
        return blake2b(told, digest_size=_SIZE).hexdigest()

    def _prune(self, names: set[str]) -> None:
        """Drop shelves there are no more, and drafts of builds that were killed."""
        with _writing(self._path):
            for path in self._path.iterdir():
                if path.name.partition("-")[0] not in names or path.name.endswith(_DRAFT):
                    path.unlink()


class _Line(NamedTuple):
    """Of a root on a shelf: the hash of what it was made from, what was read, where its documents are."""

    name: str
    hash: str
    seen: bytes
    start: int
    size: int


class _Head(NamedTuple):
    """The first lines of a shelf."""

    told: list[Any]
    lines: list[_Line]
    key: str


def _head(stream: BinaryIO) -> _Head | None:
    """None where there is no shelf, or not all of one."""
    text = first = stream.readline()
    try:
        count, *told = orjson.loads(first)
        rows = [stream.readline() for _ in range(count)]
    except (ValueError, TypeError):
        return None
    text += b"".join(rows)
    at, lines = len(text), []
    for row in rows:
        name, made_of, size, seen = row[:-1].split(b"\t", 3)
        lines.append(_Line(name.decode(), made_of.decode(), seen, at, int(size)))
        at += int(size)
    return _Head(told, lines, _key(text)) if at == os.fstat(stream.fileno()).st_size else None


def _key(head: bytes) -> str:
    return blake2b(head, digest_size=_SIZE).hexdigest()


def _runs(groups: Iterable[Group]) -> Iterator[list[Group]]:
    run: list[Group] = []
    for group in groups:
        told = blake2b(str(group[0]).encode(), digest_size=4).digest()
        if run and int.from_bytes(told, "big") % _ROOTS == 0:
            yield run
            run = []
        run.append(group)
    if run:
        yield run


def _summary(told: list[Any]) -> Summary:
    refs, forms, lengths, digest = told
    return Summary(refs, forms, {(name, code): (s, n) for name, code, s, n in lengths}, digest)


def _told(one: Summary) -> list[Any]:
    lengths = [[*key, *sums] for key, sums in sorted(one.lengths.items())]
    return [one.refs, one.forms, lengths, one.digest]


def _told_of(path: Path, key: str) -> str:
    """The hash of what a file holds, where it is whole and was made from that; else nothing."""
    try:
        with path.open("rb") as stream:
            head = stream.readline()
            found = head.decode("ascii", "replace").split()
            size = int(found[2]) if len(found) > 2 and found[2].isdigit() else -1
            whole = os.fstat(stream.fileno()).st_size == len(head) + size
            return found[1] if whole and found[0] == key else ""
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise _not_read(path, error) from None


def _content(path: Path) -> bytes:
    with _reading(path) as stream:
        stream.readline()
        return stream.read()


def _opened(path: Path) -> BinaryIO:
    return path.open("rb") if path.is_file() else open(os.devnull, "rb")


@contextmanager
def _reading(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as stream:
            yield stream
    except OSError as error:
        raise _not_read(path, error) from None


def _not_read(path: Path, error: OSError) -> InputError:
    return InputError(f"{path}: cannot be read: {error.strerror}; run `kb build` again")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written: {error.strerror}; free some space or choose --build"
        ) from None


@contextmanager
def _written(path: Path) -> Iterator[BinaryIO]:
    """A file that takes its place when it is whole."""
    draft = path.with_name(f"{path.name}{_DRAFT}")
    with _writing(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("wb") as stream:
                yield stream
            os.replace(draft, path)
        except OSError:
            draft.unlink(missing_ok=True)
            raise


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
