"""Short ways of the search say what the long ones say: answers as bytes, words read apart, the run shown."""

from __future__ import annotations

import random
from collections.abc import Sequence

import orjson
import pytest
from relevance.measure import load
from search_base import index

from kb.search import query
from kb.search.snippet import WIDTH, Place, _start

ASKED = [question.q for question in load()][::5]
ODD = ["", "65C", '"<b> &amp;', "«не своей руки» -болван", "zzzz", "work:laws карта", "перемешал ка рты"]


@pytest.mark.parametrize("lang", [None, "en"])
def test_bytes_are_those_of_the_json(lang: str | None) -> None:
    hits = 0
    for asked in [*ASKED[::4], *ODD]:
        result = index().search(asked, lang=lang)
        plain = {**result.as_json(), "build": "b"}
        assert result.as_bytes("b") == orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)
        hits += len(result)
    assert hits


def test_words_read_apart_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary, chance = index().vocabulary, random.Random(3)
    words = [word for asked in ASKED for word in asked.split()]
    pieces = [part for word in words[:300] for part in (word[: len(word) // 2], word[len(word) // 2 :])]
    strange = ["-", "...", "ход/масть", "какой-нибудь", "rfhnf", "dpznrf", "karta", "взяка", "65", "9" * 200]
    choice = [*words, *pieces, *strange * 5]
    mixed = [" ".join(chance.choices(choice, k=chance.randrange(1, 8))) for _ in range(600)]
    # A word cut in two, and the halves side by side.
    mixed += [f"{word[:at]} {word[at:]} {word}" for word in words[:200] for at in (2, 4) if len(word) > at]
    texts = [" ".join(text.split()) for text in [*ASKED, *mixed, *ODD, " ".join(words[:90])]]
    quick = [query._words(text, vocabulary) for text in texts]
    apart = sum(query._apart(text, vocabulary) is not None for text in texts)
    monkeypatch.setattr(query, "_apart", lambda text, vocabulary: None)
    assert quick == [query._words(text, vocabulary) for text in texts]
    assert len(texts) / 5 < apart < len(texts), "both ways were gone"


def test_the_run_that_is_shown_has_most() -> None:
    chance = random.Random(5)
    for _ in range(300):
        starts = sorted(chance.sample(range(2000), chance.randrange(1, 30)))
        found = [(at, at + 3, chance.randrange(4), chance.choice((0.0, 0.2, 0.5, 1.0))) for at in starts]
        shown = _start(found)
        best = max(_worth(found, low) for low in starts)
        assert any(max(0, low - 40) == shown and _worth(found, low) >= best - 1e-9 for low in [*starts, 0])


def _worth(found: Sequence[Place], low: int) -> float:
    """What a run from ``low`` has, each clause once."""
    most: dict[int, float] = {}
    for start, end, clause, weight in found:
        if low <= start and end <= low + WIDTH - 40:
            most[clause] = max(most.get(clause, 0.0), weight)
    return sum(most.values())
