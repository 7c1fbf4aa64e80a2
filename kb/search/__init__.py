"""Full-text search: ``build_index`` makes an index of a knowledge base, ``open_index`` asks it.

One analyser (analysis.py) and one ranking (ranking.py) serve every backend and, exported, the browser.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kb.errors import BuildError
from kb.model import KnowledgeBase, Ref
from kb.profile import Profile
from kb.search.backend import Clause, Scored, Searcher, opened
from kb.search.building import ENGINE, VOCABULARY, backend_named, build_index
from kb.search.documents import root
from kb.search.query import Question, understand
from kb.search.result import Hit, SearchResult
from kb.search.snippet import NOTES, snippet, weights
from kb.search.vocabulary import Vocabulary

__all__ = ["Hit", "SearchIndex", "SearchResult", "build_index", "open_index"]

MOST_OF_ONE = 2
"""Hits of one law, and of the commentary on it, in one list."""
LEAST = 0.12
"""A hit scores at least this part of the best one."""
LONGEST = 10_000
"""Characters of a query that are read."""


def open_index(folder: Path, kb: KnowledgeBase, profile: Profile) -> SearchIndex:
    """Open the finished index in ``folder``. Raises BuildError when there is none, or it cannot be read."""
    path, searcher = opened(folder, _open)
    try:
        vocabulary = Vocabulary.from_json((path / VOCABULARY).read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError) as error:
        raise BuildError(f"{path / VOCABULARY}: cannot be read ({error}); run `kb build`") from None
    return SearchIndex(searcher, vocabulary, kb, profile)


def _open(path: Path) -> Searcher:
    engine = (path / ENGINE).read_text(encoding="utf-8").strip()
    return backend_named(engine).open(path)


class SearchIndex:
    """An open index with its words. Threads may share it."""

    def __init__(
        self, searcher: Searcher, vocabulary: Vocabulary, kb: KnowledgeBase, profile: Profile
    ) -> None:
        self.searcher = searcher
        self.vocabulary = vocabulary
        self.kb = kb
        self.profile = profile
        self.languages = vocabulary.codes

    def search(
        self,
        words: str,
        lang: str | None = None,
        work: str | None = None,
        limit: int = 10,
        explain: bool = False,
    ) -> SearchResult:
        """Find what answers ``words``; a citation leads to what it names. Any string is a query.

        ``lang``: only what has this language, shown in it. ``work``: only this work. ``explain``: hits say
        what each word added.
        """
        began = time.perf_counter()
        question = understand(words[:LONGEST], self.vocabulary, lang, [work] if work else [])
        kind, found = self._find(question)
        kept = _spread(found, self.searcher)
        hits = tuple(self._hit(scored, question, explain) for scored in kept[: max(0, limit)])
        return SearchResult(
            query=words,
            kind=kind,
            total=len(kept),
            took_ms=round((time.perf_counter() - began) * 1000, 2),
            did_you_mean=question.did_you_mean,
            understood=question.understood,
            hits=hits,
        )

    def close(self) -> None:
        """Give the index's files back."""
        self.searcher.close()

    def _find(self, question: Question) -> tuple[str, Sequence[Scored]]:
        if question.empty:
            return "empty", ()
        found = self.searcher.search(question.plan)
        floor = found[0].score * LEAST if found else 0.0
        return "words", [scored for scored in found if scored.score >= floor]

    def _hit(self, scored: Scored, question: Question, explain: bool) -> Hit:
        document = self.searcher.document(scored.number)
        clauses = question.plan.clauses
        lang = self._lang(document, question)
        shown = self._shown(document, lang, clauses)
        return Hit(
            ref=Ref.parse(document["ref"]),
            lang=lang,
            title=document["titles"].get(lang, ""),
            status=document["status"],
            score=round(scored.score, 3),
            snippet=shown.marked,
            snippet_text=shown.plain,
            in_force=document.get("in_force"),
            url=document["url"],
            commentary=tuple(Ref.parse(ref) for ref in document["commentary"]),
            explain=tuple(
                (word, term, round(points, 3))
                for word, term, points in (
                    self.searcher.explain(question.plan, scored.number) if explain else ()
                )
            ),
        )

    def _lang(self, document: Mapping[str, Any], question: Question) -> str:
        """The language asked for, else the one of the query's words, else the first the document has."""
        if question.lang:
            return question.lang
        owned = dict.fromkeys(self.languages, 0)
        for word in question.words:
            for language in self.vocabulary.analyser.owners(word.reading.forms[0]):
                owned[language.code] += 1
        has = [code for code in self.languages if code in document["texts"]] or [
            code for code in self.languages if code in document["titles"]
        ]
        return max(has or self.languages, key=lambda code: owned[code])

    def _shown(self, document: Mapping[str, Any], lang: str, clauses: Sequence[Clause]) -> Any:
        text = document["texts"].get(lang, "")
        if not text and document["status"] in NOTES:
            notes = NOTES[document["status"]]
            text = notes.get(lang, notes["en"])
            return snippet(text, {}, self.vocabulary)
        return snippet(text, weights(clauses), self.vocabulary)


def _spread(found: Sequence[Scored], searcher: Searcher) -> list[Scored]:
    """At most ``MOST_OF_ONE`` hits of one law: the answer is not to be buried under its neighbours."""
    counts: dict[tuple[str, str], int] = {}
    kept = []
    for scored in found:
        ref = Ref.parse(searcher.document(scored.number)["ref"])
        key = (ref.work, root(ref))
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= MOST_OF_ONE:
            kept.append(scored)
    return kept
