"""An index that was warmed says what a cold one says; what is worked out quickly is what is plainly so."""

from __future__ import annotations

import math
import random

import pytest
from rapidfuzz.distance import OSA
from relevance.measure import load
from search_base import bilingual, index, index_folder

from kb.search import open_index
from kb.search.arrays import _times
from kb.search.vocabulary import Vocabulary
from kb.search.words import _within, beginning

ASKED = [question.q for question in load()][::23]


@pytest.mark.parametrize("engine", ["whoosh", "tantivy"])
def test_warm_and_cold_answer_alike(engine: str) -> None:
    warmed = open_index(index_folder(engine), *bilingual())
    warmed.warm()
    for asked in ASKED:
        assert warmed.search(asked).hits == index(engine).search(asked).hits, asked
    warmed.close()


def test_lemmas_are_the_same_when_warm() -> None:
    written, chance = index().vocabulary.to_json(), random.Random(11)
    cold, warm = Vocabulary.from_json(written), Vocabulary.from_json(written)
    warm.warm()
    forms = [*cold.forms, "", "я", "zz"]
    forms += [
        "".join(chance.choice("абвоеикнтсzae") for _ in range(chance.randrange(1, 9))) for _ in range(3000)
    ]
    forms += [form[:at] + form[at + 1 :] for form in chance.sample(cold.forms, 500) for at in (0, 1, 2)]
    assert [warm.lemmas(form) for form in forms] == [cold.lemmas(form) for form in forms]


def test_words_that_begin_so_are_found_by_halving() -> None:
    vocabulary = index().vocabulary
    for prefix in ("", "в", "взя", "взятка", "zzzz", "яя"):
        assert list(beginning(prefix, vocabulary)) == [f for f in vocabulary.forms if f.startswith(prefix)]


@pytest.mark.parametrize("limit", [1, 2])
def test_near_words_are_those_a_distance_away(limit: int) -> None:
    forms = index().vocabulary.forms[::7]
    for word in ("взтяка", "болванн", "trik", "разыгрывающй"):
        assert sorted(_within(word, forms, limit)) == [f for f in forms if OSA.distance(word, f) <= limit]


def test_weights_are_added_up_without_rounding_between() -> None:
    chance = random.Random(2)
    for _ in range(200):
        weights = [chance.choice((1.0, 0.45, 0.65, 0.7, 0.9 * 0.45)) for _ in range(5)]
        counts = [chance.randrange(5000) for _ in range(chance.randrange(6))]
        each = [weight for count, weight in zip(counts, weights, strict=False) for _ in range(count)]
        assert _times(counts, weights) == math.fsum(each)
