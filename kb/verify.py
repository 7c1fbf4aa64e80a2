"""Stored citations against a build: whose text has changed, moved to another number, or come in since.

A stored citation is a permalink with the first 12 hex digits of its text's hash, ``/l/1987/65B1/?h=…``,
anywhere in a text file, or a file of ``kb cite --to json``, whose ``refData`` holds the same hashes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from kb import address
from kb.errors import InputError
from kb.library import Library
from kb.model import Ref
from kb.publish import exports

_HASH = r"[?&]h=(?P<hash>[0-9a-fA-F]{12})(?![0-9a-fA-F])"


@dataclass(frozen=True, slots=True)
class Stored:
    """A citation as its author kept it. ``hash`` is empty when none was kept."""

    file: str
    line: int
    surface: str
    ref: Ref | None
    hash: str
    supplied: bool = True
    """False when the author knew that there was no text."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a stored citation."""

    stored: Stored
    state: str
    """``same``, ``changed``, ``moved``, ``gained-text``, ``lost-text``, ``vanished`` or ``no-hash``."""
    in_force: Mapping[str, Any] | None
    """Where its rule stands in the edition in force, when that is another place or wording."""
    now: Ref | None = None
    """Of a moved text: where it stands in this build."""

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "file": self.stored.file,
            "line": self.stored.line,
            "citation": self.stored.surface,
            "ref": str(self.stored.ref) if self.stored.ref else None,
            "state": self.state,
            "now": str(self.now) if self.now else None,
            "in_force": dict(self.in_force) if self.in_force else None,
        }

    def __str__(self) -> str:
        named = str(self.stored.ref) if self.stored.ref else self.stored.surface
        moved = f" to {self.now}" if self.now else ""
        if self.in_force:
            place = self.in_force["path"] or "no counterpart"
            moved += f"; in {self.in_force['edition']}: {place} ({self.in_force['change']})"
        return f"{self.stored.file}:{self.stored.line}: {named}: {self.state}{moved}"


def verify(base: Library, paths: Sequence[Path]) -> list[Verdict]:
    """Judge every stored citation of some files, in order.

    Raises InputError, before anything is judged, for a file that cannot be read or holds no stored citation.
    """
    known = _Permalinks(base)
    stored: list[Stored] = []
    for path in paths:
        found = list(_stored(known, path))
        if not found:
            raise InputError(
                f"{path}: no stored citation (wanted: permalinks with ?h=…, or JSON of `kb cite --to json`)"
            )
        stored += found
    texts = _Texts(base)
    return [_judge(base, one, texts) for one in stored]


def text_hash(base: Library, ref: Ref) -> str:
    """The 12 hex digits that go into a permalink: of the text of a provision and all below it."""
    lang = exports.text_lang(base.kb, base.profile, ref) or base.profile.lang
    return exports.digest(exports.whole_text(base.kb, ref, lang))[:12]


class _Texts:
    """Finds a text by its hash, wherever in the build it stands."""

    def __init__(self, base: Library) -> None:
        self.base = base

    @cached_property
    def places(self) -> Mapping[str, Ref]:
        """Hash to the one ref whose text has it; a text that stands at several, as under a heading that has
        nothing else, is the first's. Made when first asked: it reads the whole build."""
        table: dict[str, Ref] = {}
        for entry in self.base.kb.entries():
            if exports.text_lang(self.base.kb, self.base.profile, entry.ref) is not None:
                table.setdefault(text_hash(self.base, entry.ref), entry.ref)
        return table


def _judge(base: Library, one: Stored, texts: _Texts) -> Verdict:
    found = _verdict(base, one, one.ref) if one.ref and base.kb.entry(one.ref) else None
    found = found or Verdict(one, "vanished", None)
    if found.state in ("vanished", "changed", "lost-text") and (now := texts.places.get(one.hash.lower())):
        return Verdict(one, "moved", found.in_force, now)
    return found


def _verdict(base: Library, one: Stored, ref: Ref) -> Verdict:
    lang = exports.text_lang(base.kb, base.profile, ref)
    in_force = exports.edition_rows(base.profile, ref)["in_force"]
    elsewhere = in_force if in_force and in_force["change"] not in ("same", "unconfirmed") else None
    return Verdict(one, _state(base, one, ref, lang), elsewhere)


def _state(base: Library, one: Stored, ref: Ref, lang: str | None) -> str:
    had_text = one.supplied and one.hash != exports.digest("")[:12]
    if lang is None:
        return "lost-text" if one.hash and had_text else "same"
    if not had_text:
        return "gained-text"
    if not one.hash:
        return "no-hash"
    # The own text alone is a fair hash too: the index and the open data have it beside the whole one.
    own = exports.own_text(base.kb, ref, lang) or ""
    fair = {text_hash(base, ref), exports.digest(own)[:12]}
    return "same" if one.hash.lower() in fair else "changed"


class _Permalinks:
    """Reads permalinks back into refs."""

    def __init__(self, base: Library) -> None:
        self.base = base
        profile = base.profile
        letters = "|".join(re.escape(work.letter) for work in profile.works.values())
        self.pattern = re.compile(
            rf"/(?P<letter>{letters})/(?:(?P<edition>[A-Za-z0-9_-]+)/)?(?P<short>[A-Za-z0-9_~.-]+)/?{_HASH}"
        )
        names = "|".join(re.escape(name) for name in profile.works)
        self.page = re.compile(
            rf"/(?P<work>{names})/(?P<edition>[A-Za-z0-9_-]+)/[A-Za-z0-9_~.-]+/?{_HASH}#(?P<anchor>[A-Za-z0-9_~.-]+)"
        )

    @cached_property
    def refs(self) -> Mapping[str, Ref]:
        """Permalink and page address to ref, for all that the corpus knows."""
        table: dict[str, Ref] = {}
        for entry in self.base.kb.entries():
            table.setdefault(address.permalink(self.base.profile, entry.ref), entry.ref)
            anchor = address.anchor(self.base.profile, entry.ref)
            page = address.page(self.base.profile, entry.ref, self.base.kb)
            table.setdefault(f"{page}#{anchor}", entry.ref)
        return table

    def found(self, line: str) -> Iterator[tuple[int, str, Ref | None, str]]:
        """Place, surface, ref and hash of each stored permalink of a line, in order."""
        for match in self.pattern.finditer(line):
            edition = match["edition"] or self.base.profile.edition
            ref = self.refs.get(f"/{match['letter']}/{edition}/{match['short']}/")
            yield match.start(), match.group(), ref, match["hash"]
        for match in self.page.finditer(line):
            path = match.group().partition("?")[0].rstrip("/") + "/"
            yield match.start(), match.group(), self.refs.get(f"{path}#{match['anchor']}"), match["hash"]


def _stored(known: _Permalinks, path: Path) -> Iterator[Stored]:
    text = _read(path)
    data = _json_object(text)
    if data is not None:
        yield from _from_json(data, path)
        return
    for number, line in enumerate(text.split("\n"), 1):
        for _, surface, ref, digest in sorted(known.found(line), key=lambda found: found[0]):
            yield Stored(str(path), number, surface, ref, digest)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a text in UTF-8; save it as one") from None


def _json_object(text: str) -> Mapping[str, Any] | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and isinstance(data.get("results"), list) else None


def _from_json(data: Mapping[str, Any], path: Path) -> Iterator[Stored]:
    ref_data = data.get("refData")
    about = ref_data if isinstance(ref_data, dict) else {}
    for result in data["results"]:
        try:
            refs = list(result["refs"])
            states = result.get("statuses") or [result["status"]] * len(refs)
            for name, state in zip(refs, states, strict=True):
                digest = about.get(name, {}).get("hash") or ""
                supplied = state != "not-supplied"
                yield Stored(str(path), 1, str(result["text"]), Ref.parse(name), str(digest), supplied)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise InputError(f"{path}: not the JSON of `kb cite --to json`: {error!r}") from None
