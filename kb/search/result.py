"""What a search gives back. The fields are those of ``kb search --json``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, cast

import orjson

from kb.model import Ref

_SORTED = orjson.OPT_SORT_KEYS
_MARKED, _PLAIN = b',"snippet":', b',"snippet_text":'
_written = orjson.dumps


@dataclass(frozen=True, slots=True)
class Shown:
    """What every hit of a provision or comment shows in one language, whatever was asked."""

    ref: Ref
    lang: str
    title: str
    status: str
    in_force: Mapping[str, Any] | None
    url: str
    commentary: tuple[Ref, ...]
    before: bytes = field(init=False, repr=False, compare=False)
    """The JSON of a hit, keys sorted, up to its points."""
    after: bytes = field(init=False, repr=False, compare=False)
    """And from behind its snippet."""

    def __post_init__(self) -> None:
        commentary = list(map(str, self.commentary))
        head = {"commentary": commentary, "in_force": self.in_force or None, "lang": self.lang}
        tail = {"status": self.status, "title": self.title, "url": self.url}
        before = orjson.dumps({**head, "ref": str(self.ref), "score": 0}, option=_SORTED)
        object.__setattr__(self, "before", before[:-2])
        object.__setattr__(self, "after", b"," + orjson.dumps(tail, option=_SORTED)[1:])


class Hit(NamedTuple):
    """A provision or comment that answers."""

    shown: Shown
    score: float
    snippet: str
    """HTML-escaped, with ``<mark>`` only."""
    snippet_text: str
    explain: tuple[tuple[str, str, float], ...] = ()
    """``(word, term, points)``, when it was asked for."""

    @property
    def ref(self) -> Ref:
        """The provision or comment."""
        return self.shown.ref

    @property
    def lang(self) -> str:
        """The language of title and snippet."""
        return self.shown.lang

    @property
    def title(self) -> str:
        """Empty when there is none."""
        return self.shown.title

    @property
    def status(self) -> str:
        """``text``, ``partial``, ``not-supplied`` or ``repealed``."""
        return self.shown.status

    @property
    def in_force(self) -> Mapping[str, Any] | None:
        """What it is in the edition in force."""
        return self.shown.in_force

    @property
    def url(self) -> str:
        """From the root of the site."""
        return self.shown.url

    @property
    def commentary(self) -> tuple[Ref, ...]:
        """The comments on it."""
        return self.shown.commentary

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values, keys as in INTERFACES."""
        shown, score, snippet, plain, explain = self
        data = {
            "ref": str(shown.ref),
            "lang": shown.lang,
            "title": shown.title,
            "status": shown.status,
            "score": score,
            "snippet": snippet,
            "snippet_text": plain,
            "in_force": dict(shown.in_force) if shown.in_force else None,
            "url": shown.url,
            "commentary": list(map(str, shown.commentary)),
        }
        if explain:
            data["explain"] = [list(part) for part in explain]
        return data

    def pieces(self) -> tuple[bytes, ...]:
        """``as_json`` without ``explain``, keys sorted, in UTF-8: to be joined."""
        shown, score, snippet, plain, _ = self
        said = _written(plain)
        # Where nothing is marked or escaped the two are one.
        marked = said if snippet == plain else _written(snippet)
        return shown.before, _written(score), _MARKED, marked, _PLAIN, said, shown.after


made_hit = cast(
    "Callable[[tuple[Shown, float, str, str, tuple[tuple[str, str, float], ...]]], Hit]",
    partial(tuple.__new__, Hit),
)
"""A Hit of a tuple, in a third of the time."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """All a search says. It is the row of its hits: iterated, counted, asked by their place."""

    query: str
    kind: str
    """``words``, ``citation`` or ``empty``."""
    total: int
    """Provisions that match, before ``limit``."""
    took_ms: float
    did_you_mean: str | None
    understood: tuple[str, ...]
    hits: tuple[Hit, ...]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, place: int) -> Hit:
        return self.hits[place]

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values, keys as in INTERFACES."""
        return {
            "query": self.query,
            "kind": self.kind,
            "total": self.total,
            "took_ms": self.took_ms,
            "did_you_mean": self.did_you_mean,
            "understood": list(self.understood),
            "hits": [hit.as_json() for hit in self.hits],
        }

    def as_bytes(self, build: str) -> bytes:
        """``as_json`` with the build it comes from, keys sorted, in UTF-8. Hits do not explain themselves."""
        head = {"build": build, "did_you_mean": self.did_you_mean}
        tail = {
            "kind": self.kind,
            "query": self.query,
            "took_ms": self.took_ms,
            "total": self.total,
            "understood": self.understood,
        }
        written = [_written(head)[:-1], b',"hits":[']
        for hit in self.hits:
            written += hit.pieces()
            written.append(b",")
        # A comma stands between two hits only.
        if self.hits:
            del written[-1]
        written += b"],", _written(tail)[1:]
        return b"".join(written)
