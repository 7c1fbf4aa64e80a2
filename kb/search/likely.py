"""How much likelier the words of a query are in the wordings that lead to a provision than in any.

A unigram language model of the wordings of each provision, with Dirichlet smoothing (Zhai and Lafferty,
2001). Many wordings that share a word each with the query say together what none of them does alone, and a
provision with many wordings gains nothing by their number. Authors write wordings, so there are never so
many that they would not all fit into memory: every engine gets the points with the plan. The browser does
the same.

Words that no wording of a provision has may still be of its kind: latent.py.

A query that is nothing but a term of the glossary leads to where the term is at home: of many provisions that
speak of a revoke that is the one which says what a revoke is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kb.search import latent
from kb.search.backend import Clause
from kb.search.keeping import Kept
from kb.search.ranking import FUNCTION_WEIGHT, UNIT, title_terms
from kb.search.situations import Situation, Words
from kb.search.vocabulary import Vocabulary

WEIGHT, SMOOTHING = 0.8, 110.0
"""What the logarithm of the odds counts; how many words of any kind each provision's are given besides."""
ENOUGH = 4.0
"""A query of more words than these says no more by their number: a sentence of a text is looked up."""
HOME, NEXT_HOME = 9.0, 0.85
"""What it gives a provision that the term asked for is at home there; the next of its provisions."""
NEXT_REF, REFS = 0.6, 3
"""What a wording counts for its second ref; for how many of its refs."""

Named = tuple[str, Sequence[str]]
"""A name of a term, and the refs where it is at home."""
Gain = tuple[NDArray[np.intp], NDArray[np.float64]]
"""Places of documents, and how much likelier each makes a word."""
_ENTRIES = 1_000_000
"""Entries of gains that are kept."""
Bag = tuple[Sequence[int], Sequence[int]]
"""Numbers of documents, ascending, and how often their wordings have a word, in ``UNIT``."""
Numbers = NDArray[np.float64]
_NO_WORDS: tuple[Gain, Numbers] = (np.zeros(0, np.intp), np.zeros(0)), np.zeros(0)


class Likely:
    """The words of all wordings, by provision; and where terms are at home."""

    def __init__(
        self,
        sizes: Mapping[int, int],
        bags: Mapping[str, Bag],
        homes: Mapping[str, Sequence[int]],
        kin: latent.Latent,
    ) -> None:
        """``homes``: a name of a term, as `title_terms` has it, -> numbers of documents."""
        self.homes = homes
        self.kin = kin
        self._sizes = sizes
        self._bags = bags
        self._whole = sum(sizes.values())
        self._gains: Kept[tuple[Gain, Numbers]] = Kept(_ENTRIES)

    def points(self, clauses: Sequence[Clause]) -> dict[int, float]:
        """Document -> what the words of a query give it; none for one they speak against."""
        if not self._sizes:
            return self._at_home(clauses)
        numbers, lacking = self._documents
        odds, like = np.zeros(len(numbers)), np.zeros(len(numbers))
        asked = 0.0
        for clause in clauses:
            (places, gains), likes = self._gain(clause) if clause.counts else _NO_WORDS
            if len(places):
                asked += clause.weight
                odds[places] += clause.weight * gains
                like[places] += clause.weight * likes
        if not asked:
            return self._at_home(clauses)
        given = WEIGHT * np.maximum(odds + asked * lacking, 0.0)
        if self.kin.strengths:
            given += latent.WEIGHT * np.maximum(self.kin.cosines(like) - latent.LEAST, 0.0)
        likely = given.nonzero()[0]
        given = given[likely] * min(1.0, ENOUGH / asked)
        found = dict(zip(numbers[likely].tolist(), given.tolist(), strict=True))
        for number, points in self._at_home(clauses).items():
            found[number] = found.get(number, 0.0) + points
        return found

    @cached_property
    def _documents(self) -> Gain:
        """Their numbers, and the logarithm of what a word that none of its wordings has is worth in each."""
        smoothing = SMOOTHING * UNIT
        lacking = [math.log(smoothing / (size + smoothing)) for size in self._sizes.values()]
        return np.array(list(self._sizes), np.intp), np.array(lacking, np.float64)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {number: place for place, number in enumerate(self._sizes)}

    def _gain(self, clause: Clause) -> tuple[Gain, Numbers]:
        held = self._gains.held(clause.terms)
        if held is None:
            held = self._gained(clause.terms)
            self._gains.put(clause.terms, held, len(held[0][0]) + 1)
        return held

    def _gained(self, terms: Sequence[tuple[str, float]]) -> tuple[Gain, Numbers]:
        """Gains of a clause by place, and how like its words each is (latent.py)."""
        bags = [(self._bags[term], weight) for term, weight in terms if term in self._bags]
        if not bags:
            return _NO_WORDS
        counts: dict[int, float] = {}
        likes: dict[int, float] = {}
        for (numbers, said), weight in bags:
            rarity = latent.rarity(self._whole / UNIT, sum(said) / UNIT)
            for number, count in zip(numbers, said, strict=True):
                counts[number] = counts.get(number, 0.0) + weight * count
                if self.kin.strengths:
                    like = weight * self.kin.worth(count / UNIT, rarity, self._places[number])
                    likes[number] = likes.get(number, 0.0) + like
        expected = SMOOTHING * UNIT * max(sum(said) for (_, said), _ in bags) / self._whole
        gains = [math.log(1 + weighed / expected) for weighed in counts.values()]
        places = np.array([self._places[n] for n in counts], np.intp)
        return (places, np.array(gains, np.float64)), np.array(
            [likes.get(n, 0.0) for n in counts], np.float64
        )

    def _at_home(self, clauses: Sequence[Clause]) -> dict[int, float]:
        if not self.homes:
            return {}
        homes = [self.homes[term] for c in clauses for term, _ in c.terms if term in self.homes]
        return {number: HOME * NEXT_HOME**place for place, number in enumerate(homes[0])} if homes else {}

    def to_json(self) -> str:
        """One line; ``from_json`` reads it."""
        return json.dumps(
            {
                "sizes": list(self._sizes.items()),
                "bags": dict(sorted(self._bags.items())),
                "homes": self.homes,
                "kin": asdict(self.kin),
            },
            ensure_ascii=False,
            separators=(",", ":"),
        )

    @classmethod
    def from_json(cls, text: str) -> Likely:
        """Raises ValueError, KeyError or TypeError on anything that ``to_json`` did not write."""
        data = json.loads(text)
        bags = {term: (bag[0], bag[1]) for term, bag in data["bags"].items()}
        return cls(dict(data["sizes"]), bags, dict(data["homes"]), latent.Latent(**data["kin"]))


def homes(names: Iterable[Named], vocabulary: Vocabulary, places: Mapping[str, int]) -> dict[str, list[int]]:
    """Names of terms, as `title_terms` has them -> the documents where they are at home."""
    found: dict[str, list[int]] = {}
    for name, refs in names:
        words = [vocabulary.lemmas(token.form) for token in vocabulary.analyser.tokens(name)]
        numbers = [places[ref] for ref in refs if ref in places]
        if all(words) and numbers:
            for term in title_terms(words):
                found.setdefault(term, numbers)
    return dict(sorted(found.items()))


def gathered(
    found: tuple[Situation, ...],
    read: Sequence[Words],
    names: Iterable[Named],
    vocabulary: Vocabulary,
    places: Mapping[str, int],
) -> Likely:
    """Of the wordings and the terms of a corpus; ``read``: the words of each wording (situations.py);
    ``places``: ref -> number of its document."""
    sizes: dict[int, float] = {}
    counts: dict[str, dict[int, float]] = {}
    for one, words in zip(found, read, strict=True):
        targets = [places[ref] for ref in one.refs if ref in places]
        for place, number in enumerate(targets[:REFS]):
            for lemmas in words:
                little = set(lemmas) <= vocabulary.function
                worth = NEXT_REF**place * (FUNCTION_WEIGHT if little else 1.0) * UNIT
                sizes[number] = sizes.get(number, 0.0) + worth
                for lemma in lemmas:
                    bag = counts.setdefault(lemma, {})
                    bag[number] = bag.get(number, 0.0) + worth
    whole = {number: max(1, round(size)) for number, size in sorted(sizes.items())}
    bags = {
        lemma: (sorted(bag), [max(1, round(bag[number])) for number in sorted(bag)])
        for lemma, bag in counts.items()
    }
    return Likely(whole, bags, homes(names, vocabulary, places), _kin(whole, bags))


def _kin(sizes: Mapping[int, int], bags: Mapping[str, Bag]) -> latent.Latent:
    place = {number: n for n, number in enumerate(sizes)}
    said = (
        ([place[number] for number in numbers], [count / UNIT for count in counts])
        for _, (numbers, counts) in sorted(bags.items())
    )
    return latent.gathered(said, sum(sizes.values()) / UNIT, len(sizes))
