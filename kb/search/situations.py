"""Situations (``topics.toml``) in the index: each wording is a small document that leads to provisions.

A question is compared with one wording at a time. All wordings that lead to a provision are a field of it
besides, of little weight: by itself such a bag would seem to answer the more, the more of them there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from kb import topics
from kb.profile import Profile
from kb.search.analysis import Analyser
from kb.search.backend import Posting
from kb.search.ranking import ALL, FUNCTION_WEIGHT, SITUATION, UNIT, field_weight
from kb.search.vocabulary import Vocabulary

WEIGHT, B = 3.0, 0.5
"""Weight of a word in a wording, and how much the wording's length matters."""
FIRST = 22_000
"""So many wordings a browser loads before it answers, those that stand first in their topics; the others
after its first answer, where the network is good."""
MANY = 5_000
"""Of so many wordings a word must be said by two, or stand in a text: what one alone says of them all nobody
else asks with, but there are so many such words that a phone would load a tenth more for them."""


Words = list[tuple[str, ...]]
"""The lemmas of each word of a wording."""


@dataclass(frozen=True, slots=True)
class Situation:
    """One wording and the refs it leads to, the most exact first."""

    phrase: str
    lang: str
    refs: tuple[str, ...]


def situations(profile: Profile) -> tuple[Situation, ...]:
    """All wordings of a corpus, in the order of its file: the ``FIRST`` before the others."""
    found: list[Situation] = []
    turns: list[int] = []
    for topic in topics.load(profile):
        refs = tuple(map(str, topic.refs))
        for lang, phrases in topic.phrases.items():
            found += [Situation(phrase, lang, refs) for phrase in phrases]
            turns += range(len(phrases))
    by_turn = sorted(range(len(found)), key=turns.__getitem__)
    return tuple(found[place] for part in (by_turn[:FIRST], by_turn[FIRST:]) for place in sorted(part))


def telling(found: Sequence[Situation], analyser: Analyser, forms: Iterable[str]) -> list[str]:
    """The forms of the words of all wordings that are looked for; ``forms``: those of the texts."""
    said = [{token.form for token in analyser.tokens(one.phrase)} for one in found]
    if len(found) < MANY:
        return sorted(set().union(*said))
    counts = Counter(
        lemma for words in said for lemma in {lemma for form in words for lemma in analyser.lemmas(form)}
    )
    known = {lemma for form in forms for lemma in analyser.lemmas(form)}
    known.update(lemma for lemma, count in counts.items() if count > 1)
    return sorted(form for form in set().union(*said) if not known.isdisjoint(analyser.lemmas(form)))


def bags(
    found: tuple[Situation, ...], texts: Sequence[Words], places: Mapping[str, int]
) -> dict[int, dict[str, int]]:
    """Number of a document -> what all wordings that lead to it add to the weights of its terms.

    ``texts``: the words of each wording, as ``read_all`` has them; so below.
    """
    said: dict[int, list[tuple[str, ...]]] = {}
    for one, words in zip(found, texts, strict=True):
        for ref in one.refs:
            if ref in places:
                said.setdefault(places[ref], []).extend(words)
    mean = sum(map(len, said.values())) / max(1, len(said))
    return {
        number: {
            lemma: max(1, round(field_weight("topic", count, len(words), mean) * UNIT))
            for lemma, count in Counter(lemma for lemmas in words for lemma in lemmas).items()
        }
        for number, words in said.items()
    }


def read_all(found: tuple[Situation, ...], vocabulary: Vocabulary) -> list[Words]:
    """The lemmas of each wording, word by word: of those words that are looked for.

    They are the vocabulary's, not the morphology's: the browser makes what is of situations itself.
    """
    return [[lemmas for _, lemmas in read(one.phrase, vocabulary)] for one in found]


def read(phrase: str, vocabulary: Vocabulary) -> list[tuple[str, tuple[str, ...]]]:
    """The words of a wording that are looked for: form and lemmas."""
    forms = [token.form for token in vocabulary.analyser.tokens(phrase)]
    return [(form, vocabulary.lemmas(form)) for form in forms if form in vocabulary.all_forms]


def postings(
    found: tuple[Situation, ...],
    texts: Sequence[Words],
    function: Set[str],
    start: int,
    places: Mapping[str, int],
) -> Iterator[Posting]:
    """The wordings as documents numbered from ``start``; ``places``: ref -> number of its document."""
    mean = sum(map(len, texts)) / max(1, len(texts))
    for number, (one, said) in enumerate(zip(found, texts, strict=True), start):
        counts = Counter(lemma for lemmas in said for lemma in set(lemmas))
        norm = 1 - B + B * len(said) / mean
        terms = {SITUATION + lemma: max(1, round(WEIGHT * UNIT * n / norm)) for lemma, n in counts.items()}
        terms[SITUATION + ALL] = 100
        size = sum(FUNCTION_WEIGHT if set(lemmas) <= function else 1.0 for lemmas in said)
        leads = [places[ref] for ref in one.refs if ref in places]
        yield Posting(number, terms, _stored(one, leads, size))


def _stored(one: Situation, leads: list[int], size: float) -> dict[str, object]:
    """``size``: its words, those that say little counting little."""
    return {"phrase": one.phrase, "lang": one.lang, "leads": leads, "size": max(size, 0.1)}
