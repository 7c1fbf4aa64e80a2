"""What the search does for many texts at once is what is done for each plainly."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest
from search_base import index

from kb.search.analysis import Analyser
from kb.search.texts import Texts

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_COMPOUND = re.compile(r"[^\W\d_]{2,}(?:[-‐‑][^\W\d_]{2,})+")


@pytest.mark.parametrize("seed", range(3))
def test_words_stand_where_a_plain_scan_finds_them(seed: int) -> None:
    analyser, chance = Analyser(("ru", "en")), random.Random(seed)
    for _ in range(500):
        text = "".join(chance.choice("абВxyz12 -‐’'_ .-а-б") for _ in range(chance.randrange(40)))
        compounds = {match.end(): match for match in _COMPOUND.finditer(text)}
        plain = []
        for match in _WORD.finditer(text):
            plain.append((analyser.fold(match.group()), *match.span()))
            if whole := compounds.get(match.end()):
                plain.append((analyser.fold(re.sub("[-‐‑]", "", whole.group())), *whole.span()))
        assert list(analyser.tokens(text)) == plain


def test_neighbours_are_counted_in_all_texts_at_once() -> None:
    vocabulary = index().vocabulary
    texts, chance = Texts(vocabulary), random.Random(7)
    forms = [form for form in vocabulary.forms if vocabulary.lemmas(form)][:40]
    counts = []
    for _ in range(60):
        said = [[chance.choice(forms) for _ in range(chance.randrange(12))] for _ in range(5)]
        asked = [vocabulary.lemmas(chance.choice(forms)) for _ in range(chance.randrange(2, 9))]
        got = texts.together([texts.words([texts.read(" ".join(words))]) for words in said], asked)
        for words, part in zip(said, got, strict=True):
            found = {
                place
                for one, other in pairwise(words)
                for place in range(len(asked) - 1)
                if set(vocabulary.lemmas(one)) & set(asked[place])
                and set(vocabulary.lemmas(other)) & set(asked[place + 1])
            }
            assert part == len(found) / (len(asked) - 1)
            counts.append(len(found))
    assert any(counts) and not all(counts)
