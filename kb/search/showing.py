"""From a document to the hit a reader sees: its language, its title, the run of text that answers."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import cached_property

from kb.search.query import Question
from kb.search.result import Hit, made_hit
from kb.search.sheets import Face, Sheet
from kb.search.snippet import Sought, forms, snippet, weights
from kb.search.texts import Texts

Why = Sequence[tuple[str, str, float]]
"""What each word added."""


class Showing:
    """Shows the hits of one question."""

    def __init__(self, question: Question, texts: Texts) -> None:
        self._question = question
        self._vocabulary = texts.vocabulary
        self._texts = texts

    def hits(self, found: Sequence[tuple[Sheet, float, Why]]) -> tuple[Hit, ...]:
        """The hits of documents with their points."""
        chosen = self._chosen({sheet.codes for sheet, _, _ in found})
        faces = [sheet.face(chosen[sheet.codes]) for sheet, _, _ in found]
        # Behind the faces: what is sought are forms that stand in texts that were read.
        sought = forms(weights(self._question.plan.clauses), self._texts)
        return tuple(
            [_hit(face, score, why, sought) for (_, score, why), face in zip(found, faces, strict=True)]
        )

    @cached_property
    def _said(self) -> Mapping[str, int]:
        """Language to the words of the query that are written in its letters."""
        counts = dict.fromkeys(self._vocabulary.codes, 0)
        for word in self._question.words:
            for code in word.codes:
                counts[code] += 1
        return counts

    def _chosen(self, several: set[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
        """Of several languages the one asked for, else that of the query's words, else the first."""
        asked = self._question.lang
        return {codes: asked or max(codes, key=self._said.__getitem__) for codes in several}


def _hit(face: Face, score: float, why: Why, sought: Sought) -> Hit:
    shown, text, note = face
    marked, plain = snippet(text, sought)
    if note:
        # What is not there comes first: the rest is what the provision is known to be about.
        gap = " " if plain else ""
        marked, plain = html.escape(note) + gap + marked, note + gap + plain
    explained = tuple([(word, term, round(points, 3)) for word, term, points in why]) if why else ()
    return made_hit((shown, round(score, 3), marked, plain, explained))
