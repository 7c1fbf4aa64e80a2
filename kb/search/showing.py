"""From a stored document to the hit a reader sees: its language, its title, the run of text that answers."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from kb.model import Ref
from kb.search.query import Question
from kb.search.result import Hit
from kb.search.snippet import NOTES, Snippet, forms, snippet, weights
from kb.search.texts import Texts


class Showing:
    """Shows the hits of one question."""

    def __init__(self, question: Question, texts: Texts) -> None:
        self._question = question
        self._vocabulary = texts.vocabulary
        self._texts = texts

    def hits(
        self, found: Sequence[tuple[Mapping[str, Any], float, Sequence[tuple[str, str, float]]]]
    ) -> tuple[Hit, ...]:
        """The hits of documents with their points, and what each word added, or nothing."""
        langs = [self._lang(document) for document, *_ in found]
        read = [
            self._texts.read(document["texts"].get(lang, ""))
            for (document, *_), lang in zip(found, langs, strict=True)
        ]
        sought = forms(weights(self._question.plan.clauses), self._texts)
        return tuple(
            _hit(document, lang, score, why, _snippet(document, lang, snippet(text, sought)))
            for (document, score, why), lang, text in zip(found, langs, read, strict=True)
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


def _hit(
    document: Mapping[str, Any],
    lang: str,
    score: float,
    why: Sequence[tuple[str, str, float]],
    shown: Snippet,
) -> Hit:
    return Hit(
        ref=_ref(document["ref"]),
        lang=lang,
        title=document["titles"].get(lang, ""),
        status=document["status"],
        score=round(score, 3),
        snippet=shown.marked,
        snippet_text=shown.plain,
        in_force=document["in_force"],
        url=document["url"],
        commentary=tuple(map(_ref, document["commentary"])),
        explain=tuple((word, term, round(points, 3)) for word, term, points in why),
    )


_ref = lru_cache(maxsize=100_000)(Ref.parse)


def _snippet(document: Mapping[str, Any], lang: str, shown: Snippet) -> Snippet:
    notes = NOTES.get(document["status"])
    if notes is None:
        return shown
    # What is not there comes first: the rest is what the provision is known to be about.
    note = notes.get(lang, notes["en"])
    gap = " " if shown.plain else ""
    return Snippet(html.escape(note) + gap + shown.marked, note + gap + shown.plain)
