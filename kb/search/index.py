"""An open index: a query in, hits out."""

from __future__ import annotations

import time
from array import array
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import orjson

from kb.errors import BuildError
from kb.model import KnowledgeBase, Ref
from kb.profile import Profile
from kb.search.backend import Found, Plan, Scored, Searcher, made_scored, opened
from kb.search.building import ENGINE, LIKELY, REFS, VOCABULARY, backend_named
from kb.search.citing import Citations, Cited
from kb.search.documents import REF, root
from kb.search.likely import Likely
from kb.search.query import MOST_WORDS, Question, understand
from kb.search.result import SearchResult
from kb.search.sheets import Sheets
from kb.search.showing import Showing
from kb.search.spreading import CITED, MOST_OF_ONE, Ranking
from kb.search.texts import Texts, in_order
from kb.search.vocabulary import Vocabulary
from kb.search.words import warm

LEAST = 0.12
"""A hit scores at least this part of the best one."""
TOGETHER, LEAST_WORDS, COMPARED = 0.8, 5, 40
"""What a text gains that has the query's words side by side as they were typed; of how many words a query is
compared so, with how many texts: a sentence of a text finds it, whatever a scan did to some of its words."""
_DOCUMENTS = 2_000
"""Documents whose words are read beforehand: some hundred microseconds each."""
LONGEST = 10_000
"""Characters of a query that are read."""


def open_index(folder: Path, kb: KnowledgeBase, profile: Profile) -> SearchIndex:
    """Open the finished index in ``folder``. Raises BuildError when there is none, or it cannot be read."""
    path, searcher = opened(folder, _open)
    try:
        vocabulary = Vocabulary.from_json((path / VOCABULARY).read_text(encoding="utf-8"))
        refs: list[str] = orjson.loads((path / REFS).read_bytes())
        likely = Likely.from_json((path / LIKELY).read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BuildError(f"{path}: its words cannot be read ({error}); run `kb build`") from None
    return SearchIndex(searcher, vocabulary, refs, likely, kb, profile)


def _open(path: Path) -> Searcher:
    engine = (path / ENGINE).read_text(encoding="utf-8").strip()
    return backend_named(engine).open(path)


class SearchIndex:
    """An open index with its words. Threads may share it."""

    def __init__(
        self,
        searcher: Searcher,
        vocabulary: Vocabulary,
        refs: Sequence[str],
        likely: Likely,
        kb: KnowledgeBase,
        profile: Profile,
    ) -> None:
        """``refs``: those of the documents, in the order of their numbers."""
        self.searcher = searcher
        self.vocabulary = vocabulary
        self.refs = refs
        self.likely = likely
        self.kb = kb
        self.profile = profile
        self.languages = vocabulary.codes
        self.quick = searcher.quick
        """Is a short query answered in about a millisecond."""
        self._texts = Texts(vocabulary)
        self._sheets = Sheets(self._texts, searcher.documents)
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
        if given := self.likely.points(question.plan.clauses):
            question.plan = replace(question.plan, given=given)
        found, first = self._find(question), 0
        if cited is not None:
            found, first = self._cited_first(cited, question, found)
        kept, total = found.spread(self._laws, max(0, limit), first)
        sheets = self._sheets.of([scored.number for scored in kept])
        shown = [
            (sheet, score, self.searcher.explain(question.plan, number) if explain else ())
            for sheet, (number, score) in zip(sheets, kept, strict=True)
        ]
        return SearchResult(
            query=words,
            kind="citation" if cited and not cited.rest else "empty" if question.empty else "words",
            total=total,
            took_ms=round((time.perf_counter() - began) * 1000, 2),
            did_you_mean=cited.did_you_mean if cited else question.did_you_mean,
            understood=tuple(ref.dotted for ref in cited.refs) + question.understood
            if cited
            else question.understood,
            hits=Showing(question, self._texts).hits(shown),
        )

    def warm(self) -> None:
        """Make now what else is made when it is first needed: no question waits for it."""
        _ = self._laws, self._places
        self.citations.warm()
        warm(self.vocabulary)
        self.searcher.warm(self.vocabulary.known())
        # Most queries have some of the words that say little, and most documents have them.
        little = sorted(self.vocabulary.function) if self.quick else []
        for first in range(0, len(little), MOST_WORDS):
            self.search(" ".join(little[first : first + MOST_WORDS]))
        if self.quick and len(self.refs) <= _DOCUMENTS:
            for sheet in self._sheets.of(range(len(self.refs))):
                _ = sheet.words

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

    def _find(self, question: Question) -> Ranking:
        if question.empty:
            return Ranking([])
        if question.phrases:
            found = self.searcher.search(question.plan)
            having = self._having(question, found.first())
            if having:
                return self._compared(question, having, None)
            # No text has the quoted words: quotes are often only what somebody said.
            question = replace(question, plan=replace(question.plan, must=question.filters))
        found = self.searcher.search(question.plan, LEAST)
        return self._compared(question, found.first(COMPARED), found)

    def _having(self, question: Question, found: Sequence[Scored]) -> list[Scored]:
        """Those whose text has all the quoted words as they were quoted."""
        texts = [sheet.read for sheet in self._sheets.of([scored.number for scored in found])]
        phrases = [[self._texts.forms_of(lemmas) for lemmas in phrase] for phrase in question.phrases]
        return [
            scored
            for scored, read in zip(found, texts, strict=True)
            if all(in_order(read, phrase) for phrase in phrases)
        ]

    def _compared(self, question: Question, first: list[Scored], found: Found | None) -> Ranking:
        """More for a text that has the words of a longer query side by side."""
        words = [word.lemmas for word in question.words]
        if len(words) >= LEAST_WORDS:
            sheets = self._sheets.of([scored.number for scored in first[:COMPARED]])
            together = self._texts.together([sheet.words for sheet in sheets], words)
            if any(together):
                head = [
                    (-score * (1 + TOGETHER * part), number)
                    for (number, score), part in zip(first[:COMPARED], together, strict=True)
                ]
                head.sort()
                first = [made_scored((number, -score)) for score, number in head] + first[COMPARED:]
        return Ranking(first, found, first[0].score * LEAST if first else 0.0)

    def _cited_first(self, cited: Cited, question: Question, found: Ranking) -> tuple[Ranking, int]:
        """What is cited and what belongs to it; with words beside it, the best answers of the law first.

        Also how many stand before what only the words lead to.
        """
        numbers = [n for ref in cited.refs for n in self._nearest(ref, question)]
        roots = {root(ref) for ref in cited.refs}
        others = found.all() if cited.rest else []
        if cited.rest:
            own = [s.number for s in others if root(Ref.parse(self.refs[s.number])) in roots][:MOST_OF_ONE]
            # Who names a section wants the section; who names a law may want what the words say of it.
            exact = all(len(ref.path) > 1 for ref in cited.refs)
            numbers = numbers + own if exact else own + numbers
        else:
            numbers += self._belonging(numbers, question)
        first = dict.fromkeys(numbers)
        top = [Scored(number, CITED - place) for place, number in enumerate(first)]
        return Ranking([*top, *(s for s in others if s.number not in first)]), len(top)

    def _belonging(self, numbers: Sequence[int], question: Question) -> list[int]:
        """The comments on each provision, then its parts."""
        refs = [
            ref
            for document in self.searcher.documents(numbers)
            for ref in (*document["commentary"], *document["children"])
        ]
        return [n for ref in refs for n in self._numbers(ref, question)]

    def _nearest(self, ref: Ref, question: Question) -> list[int]:
        """The document of a ref, or of the nearest above it: items of a comment are shown with it."""
        above: Ref | None = ref
        while above is not None and above.path:
            if numbers := self._numbers(str(above), question):
                return numbers
            above = above.parent
        return self._commented(ref, question)

    def _commented(self, ref: Ref, question: Question) -> list[int]:
        """Of a comment that is in no source: the law it would be about."""
        work = self.profile.works.get(ref.work)
        if work is None or not work.comments_on:
            return []
        return self._numbers(str(Ref(work.comments_on, ref.edition, ref.path[:1])), question)

    def _numbers(self, ref: str, question: Question) -> list[int]:
        """The document of a ref, unless the question leaves it out."""
        if not question.filters:
            return [self._places[ref]] if ref in self._places else []
        # Quotes around a citation are no phrase to look for.
        plan = Plan((), must=((REF + ref,), *question.filters))
        return [scored.number for scored in self.searcher.search(plan).first()]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {ref: number for number, ref in enumerate(self.refs)}

    @cached_property
    def _laws(self) -> array[int]:
        """Of each document, a number that stands for its law, or for the commentary on it."""
        known: dict[str, int] = {}
        return array("l", (known.setdefault(_law(ref), len(known)) for ref in self.refs))


def _law(ref: str) -> str:
    work, _, place = ref.partition("/")
    return f"{work}/{place.partition('/')[2].partition('.')[0]}"
