"""An open index: a query in, hits out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from kb.errors import BuildError
from kb.model import KnowledgeBase, Ref
from kb.profile import Profile
from kb.search.backend import Plan, Scored, Searcher, opened
from kb.search.building import ENGINE, VOCABULARY, backend_named
from kb.search.citing import Citations, Cited
from kb.search.documents import REF, root
from kb.search.query import Question, understand
from kb.search.result import SearchResult
from kb.search.showing import Showing
from kb.search.snippet import in_order, pairs, together
from kb.search.vocabulary import Vocabulary

MOST_OF_ONE = 4
"""Hits of one law, and of the commentary on it, in one list."""
LEAST = 0.12
"""A hit scores at least this part of the best one."""
TOGETHER, LEAST_WORDS, COMPARED = 1.0, 5, 40
"""What a text gains that has the query's words side by side as they were typed; of how many words a query is
compared so, with how many texts: a sentence of a text finds it, whatever a scan did to some of its words."""
CITED = 1000.0
"""Score of what is cited; what follows has one less each."""
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
        self._pairs = lru_cache(maxsize=2048)(self._side_by_side)
        self.citations = Citations(kb, profile, vocabulary.analyser.languages)

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
        question, cited = self._understood(words[:LONGEST], lang, [work] if work else [])
        found = self._find(question)
        if cited is not None:
            found = self._cited_first(cited, question, found)
        kept = _spread(found, self.searcher, len(found) if cited else 0)
        showing = Showing(question, self.vocabulary)
        hits = tuple(
            showing.hit(
                self.searcher.document(scored.number),
                scored.score,
                self.searcher.explain(question.plan, scored.number) if explain else (),
            )
            for scored in kept[: max(0, limit)]
        )
        return SearchResult(
            query=words,
            kind="citation" if cited and not cited.rest else "empty" if question.empty else "words",
            total=len(kept),
            took_ms=round((time.perf_counter() - began) * 1000, 2),
            did_you_mean=cited.did_you_mean if cited else question.did_you_mean,
            understood=tuple(ref.dotted for ref in cited.refs) + question.understood
            if cited
            else question.understood,
            hits=hits,
        )

    def close(self) -> None:
        """Give the index's files back."""
        self.searcher.close()

    def _understood(self, text: str, lang: str | None, works: list[str]) -> tuple[Question, Cited | None]:
        """A query's citation, when it has one, and its words: with a citation those that stand beside it."""
        question = understand(text, self.vocabulary, lang, works)
        cited = self.citations.read(question.rest) if question.rest else None
        meant = question.did_you_mean
        if cited is None and meant and (cited := self.citations.read(meant)):
            cited = replace(cited, did_you_mean=meant)
        if cited is None:
            return question, None
        return understand(text, self.vocabulary, lang, works, rest=cited.rest), cited

    def _find(self, question: Question) -> list[Scored]:
        if question.empty:
            return []
        found = list(self.searcher.search(question.plan))
        for phrase in question.phrases:
            found = [scored for scored in found if self._has(scored.number, phrase)]
        if question.phrases and not found:
            # No text has the quoted words: quotes are often only what somebody said.
            found = list(self.searcher.search(replace(question.plan, must=question.filters)))
        found = self._compared(question, found)
        floor = found[0].score * LEAST if found else 0.0
        return [scored for scored in found if scored.score >= floor]

    def _compared(self, question: Question, found: list[Scored]) -> list[Scored]:
        """More for a text that has the words of a longer query side by side."""
        words = [word.lemmas for word in question.words]
        if len(words) < LEAST_WORDS:
            return found
        first = [
            replace(one, score=one.score * (1 + TOGETHER * together(words, self._pairs(one.number))))
            for one in found[:COMPARED]
        ]
        return sorted(first, key=lambda one: (-one.score, one.number)) + found[COMPARED:]

    def _side_by_side(self, number: int) -> frozenset[tuple[str, str]]:
        document = self.searcher.document(number)
        return pairs([*document["titles"].values(), *document["texts"].values()], self.vocabulary)

    def _has(self, number: int, phrase: Sequence[Sequence[str]]) -> bool:
        document = self.searcher.document(number)
        return in_order([*document["titles"].values(), *document["texts"].values()], phrase, self.vocabulary)

    def _cited_first(self, cited: Cited, question: Question, found: list[Scored]) -> list[Scored]:
        """What is cited and what belongs to it; with words beside it, the best answers of the law first."""
        numbers = [n for ref in cited.refs for n in self._nearest(ref, question)]
        roots = {root(ref) for ref in cited.refs}
        if cited.rest:
            own = [s.number for s in found if root(self._ref(s.number)) in roots][:MOST_OF_ONE]
            # Who names a section wants the section; who names a law may want what the words say of it.
            exact = all(len(ref.path) > 1 for ref in cited.refs)
            numbers = numbers + own if exact else own + numbers
        else:
            below = [n for number in numbers for n in self._belonging(number, question)]
            numbers += below
        first = list(dict.fromkeys(numbers))
        top = [Scored(number, CITED - place) for place, number in enumerate(first)]
        return top + ([s for s in found if s.number not in set(first)] if cited.rest else [])

    def _belonging(self, number: int, question: Question) -> list[int]:
        """The comments on a provision, then its parts."""
        document = self.searcher.document(number)
        refs = [*document["commentary"], *document["children"]]
        return [n for other in refs for n in self._numbers(REF + other, question)]

    def _nearest(self, ref: Ref, question: Question) -> list[int]:
        """The document of a ref, or of the nearest above it: items of a comment are shown with it."""
        above: Ref | None = ref
        while above is not None and above.path:
            if numbers := self._numbers(REF + str(above), question):
                return numbers
            above = above.parent
        return self._commented(ref, question)

    def _commented(self, ref: Ref, question: Question) -> list[int]:
        """Of a comment that is in no source: the law it would be about."""
        work = self.profile.works.get(ref.work)
        if work is None or not work.comments_on:
            return []
        return self._numbers(REF + str(Ref(work.comments_on, ref.edition, ref.path[:1])), question)

    def _numbers(self, term: str, question: Question) -> list[int]:
        # Quotes around a citation are no phrase to look for.
        plan = Plan((), must=((term,), *question.filters))
        return [scored.number for scored in self.searcher.search(plan)]

    def _ref(self, number: int) -> Ref:
        return Ref.parse(self.searcher.document(number)["ref"])


def _spread(found: Sequence[Scored], searcher: Searcher, cited: int) -> list[Scored]:
    """At most ``MOST_OF_ONE`` hits of one law: the answer is not to be buried under its neighbours."""
    counts: dict[tuple[str, str], int] = {}
    kept = []
    for scored in found:
        work, _, place = searcher.document(scored.number)["ref"].partition("/")
        key = (work, place.partition("/")[2].partition(".")[0])
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= MOST_OF_ONE or scored.score > CITED - cited:
            kept.append(scored)
    return kept
