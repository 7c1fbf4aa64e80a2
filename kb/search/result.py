"""What a search gives back. The fields are those of ``kb search --json``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kb.model import Ref


@dataclass(frozen=True, slots=True)
class Hit:
    """A provision or comment that answers."""

    ref: Ref
    lang: str
    """The language of title and snippet."""
    title: str
    status: str
    """``text``, ``partial``, ``not-supplied`` or ``repealed``."""
    score: float
    snippet: str
    """HTML-escaped, with ``<mark>`` only."""
    snippet_text: str
    in_force: Mapping[str, Any] | None
    url: str
    commentary: tuple[Ref, ...]
    explain: tuple[tuple[str, str, float], ...] = ()
    """``(word, term, points)``, when it was asked for."""

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values, keys as in INTERFACES."""
        data: dict[str, Any] = {
            "ref": str(self.ref),
            "lang": self.lang,
            "title": self.title,
            "status": self.status,
            "score": self.score,
            "snippet": self.snippet,
            "snippet_text": self.snippet_text,
            "in_force": dict(self.in_force) if self.in_force else None,
            "url": self.url,
            "commentary": [str(ref) for ref in self.commentary],
        }
        if self.explain:
            data["explain"] = [list(part) for part in self.explain]
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
