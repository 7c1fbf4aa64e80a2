"""Words counted once and kept: the documents of a law are analysed again only when the law is another.

A file of lines, one for each run of entries of one root: its name, the hash of what it was made from, what
was read for that, and the counted documents. Lines that still hold are copied as they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

from kb.errors import InputError
from kb.model import Ref
from kb.search.documents import Counted, Document
from kb.watched import Watched

Group = tuple[Ref, str, Callable[[], list[Counted]]]
"""The first ref of a run of entries, a hash of how they are listed, and what analyses them."""


class Counts:
    """The counted documents of one knowledge base; ``given``: a hash of all else that decides them."""

    def __init__(self, path: Path, given: str, digests: Mapping[str, bytes]) -> None:
        self._path = path
        self._given = given
        self._digests = digests
        self._whole = False

    def all(self, kb: Watched, groups: Iterable[Group]) -> Iterator[Counted]:
        """All documents in reading order. The first time they are looked through, and kept."""
        if not self._whole:
            self._keep(kb, groups)
            self._whole = True
        try:
            with self._path.open("rb") as stream:
                for line in stream:
                    yield from map(_counted, json.loads(line.split(b"\t", 3)[3]))
        except OSError as error:
            raise InputError(
                f"{self._path}: cannot be read: {error.strerror}; run `kb build` again"
            ) from None

    def _keep(self, kb: Watched, groups: Iterable[Group]) -> None:
        draft = self._path.with_name(f"{self._path.name}.part")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with _opened(self._path) as old, draft.open("wb") as new:
                before = _places(old)
                for first, said, make in groups:
                    new.write(self._line(kb, first, said, make, before, old))
            os.replace(draft, self._path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise InputError(
                f"{self._path}: cannot be written: {error.strerror}; free some space or choose --build"
            ) from None

    def _line(
        self,
        kb: Watched,
        first: Ref,
        said: str,
        make: Callable[[], list[Counted]],
        before: Mapping[str, int],
        old: BinaryIO,
    ) -> bytes:
        name = str(first)
        if name in before:
            old.seek(before[name])
            line = old.readline()
            parts = line.split(b"\t", 3)
            whole = len(parts) == 4 and line.endswith(b"\n")
            if whole and parts[1].decode() == self._hash(parts[2].decode().split("\x1f"), said):
                return line
        made, seen = kb.watch([first], make)
        told = json.dumps([_row(one) for one in made], ensure_ascii=False, separators=(",", ":"))
        return "\t".join([name, self._hash(seen, said), "\x1f".join(seen), told + "\n"]).encode()

    def _hash(self, seen: Iterable[str], said: str) -> str:
        made = blake2b(f"{self._given}\0{said}".encode(), digest_size=16)
        for name in seen:
            made.update(name.encode() + b"\0" + self._digests.get(name, b"-"))
        return made.hexdigest()


def _opened(path: Path) -> BinaryIO:
    return path.open("rb") if path.is_file() else open(os.devnull, "rb")


def _places(stream: BinaryIO) -> dict[str, int]:
    """The name of each line -> where the line begins."""
    found = {}
    at = 0
    for line in stream:
        found[line.split(b"\t", 1)[0].decode("utf-8", "replace")] = at
        at += len(line)
    return found


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
