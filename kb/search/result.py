"""What a search gives back. The fields are those of ``kb search --json``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kb.model import Ref


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
    printed: Mapping[str, Any] = field(init=False, repr=False, compare=False)
    """The JSON of a hit, with what hangs on the query left open."""
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The refs of the commentary as printed."""

    def __post_init__(self) -> None:
        printed = {
            "ref": str(self.ref),
            "lang": self.lang,
            "title": self.title,
            "status": self.status,
            "score": 0.0,
            "snippet": "",
            "snippet_text": "",
            "in_force": None,
            "url": self.url,
            "commentary": [],
        }
        object.__setattr__(self, "printed", printed)
        object.__setattr__(self, "names", tuple(map(str, self.commentary)))


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
        data = {**shown.printed}
        data["score"], data["snippet"], data["snippet_text"] = score, snippet, plain
        # Lists and objects are the caller's own.
        data["commentary"] = list(shown.names)
        if shown.in_force:
            data["in_force"] = dict(shown.in_force)
        if explain:
            data["explain"] = [list(part) for part in explain]
        return data


@dataclass(frozen=True, slots=True)
class SearchResult:
    """All a search says. Iterating gives its hits."""

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
