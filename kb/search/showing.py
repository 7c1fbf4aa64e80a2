"""From a stored document to the hit a reader sees: its language, its title, the run of text that answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from kb.model import Ref
from kb.search.query import Question
from kb.search.result import Hit
from kb.search.snippet import NOTES, Snippet, snippet, weights
from kb.search.vocabulary import Vocabulary


class Showing:
    """Shows the hits of one question."""

    def __init__(self, question: Question, vocabulary: Vocabulary) -> None:
        self._question = question
        self._vocabulary = vocabulary
        self._sought = weights(question.plan.clauses)

    def hit(self, document: Mapping[str, Any], score: float, why: Sequence[tuple[str, str, float]]) -> Hit:
        """A hit. ``why``: what each word added, or nothing."""
        lang = self._lang(document)
        shown = self._snippet(document, lang)
        return Hit(
            ref=Ref.parse(document["ref"]),
            lang=lang,
            title=document["titles"].get(lang, ""),
            status=document["status"],
            score=round(score, 3),
            snippet=shown.marked,
            snippet_text=shown.plain,
            in_force=document["in_force"],
            url=document["url"],
            commentary=tuple(Ref.parse(ref) for ref in document["commentary"]),
            explain=tuple((word, term, round(points, 3)) for word, term, points in why),
        )

    @cached_property
    def _said(self) -> Mapping[str, int]:
        """Language to the words of the query that are written in its letters."""
        counts = dict.fromkeys(self._vocabulary.codes, 0)
        for word in self._question.words:
            for language in self._vocabulary.analyser.owners(word.reading.forms[0]):
                counts[language.code] += 1
        return counts

    def _lang(self, document: Mapping[str, Any]) -> str:
        """The language asked for, else the one of the query's words, else the first the document has."""
        if self._question.lang:
            return self._question.lang
        codes = self._vocabulary.codes
        has = [code for code in codes if code in document["texts"]]
        has = has or [code for code in codes if code in document["titles"]]
        return max(has or codes, key=lambda code: self._said[code])

    def _snippet(self, document: Mapping[str, Any], lang: str) -> Snippet:
        shown = snippet(document["texts"].get(lang, ""), self._sought, self._vocabulary)
        notes = NOTES.get(document["status"])
        if notes is None:
            return shown
        # What is not there comes first: the rest is what the provision is known to be about.
        note = snippet(notes.get(lang, notes["en"]), {}, self._vocabulary)
        gap = " " if shown.plain else ""
        return Snippet(note.marked + gap + shown.marked, note.plain + gap + shown.plain)
