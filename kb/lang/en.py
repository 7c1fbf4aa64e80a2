"""English. No dictionary: irregular forms from a table, then Snowball's stem, which serves as the lemma."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import Any

from kb.lang import Language
from kb.lang.en_words import ABBREVIATIONS, FAMILIES, FUNCTION_WORDS, SHAPES

_IRREGULAR = """
be: am are is was were been being | bear: bore borne | become: became | begin: began begun
break: broke broken | bring: brought | build: built | buy: bought | catch: caught | choose: chose chosen
come: came | deal: dealt | do: did does done doing | draw: drew drawn | drop: dropt | eat: ate eaten
fall: fell fallen | feel: felt | find: found | forbid: forbade forbidden | forget: forgot forgotten
get: got gotten | give: gave given | go: went gone goes | have: has had having | hear: heard | hold: held
keep: kept | know: knew known | lay: laid | lead: led | leave: left | lie: lay lain lying | lose: lost
make: made | mean: meant | meet: met | mistake: mistook mistaken | overcall: overcalled | pay: paid
rise: rose risen | say: said says | see: saw seen | sell: sold | send: sent | show: showed shown
sit: sat | speak: spoke spoken | spend: spent | stand: stood | take: took taken | tell: told
think: thought | throw: threw thrown | understand: understood | undo: undid undone | wear: wore worn
win: won | withdraw: withdrew withdrawn | write: wrote written | misdeal: misdealt | mislead: misled
man: men | woman: women | person: people | foot: feet | child: children | die: dice
"""


def _table() -> dict[str, str]:
    pairs = (part.split(":") for line in _IRREGULAR.strip().splitlines() for part in line.split("|"))
    return {form: base.strip() for base, forms in pairs for form in forms.split()}


IRREGULAR = MappingProxyType(_table())


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from Stemmer import Stemmer

    return Stemmer("english")


_FORMS: dict[str, tuple[str, ...]] = {}
for _form, _base in IRREGULAR.items():
    _FORMS[_base] = (*_FORMS.get(_base, ()), _form)

_ENDINGS = ("", "s", "es", "d", "ed", "ing", "'s", "ly", "er", "ers", "or", "ors", "ment", "ments")


class English(Language):
    code = "en"
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    abbreviations = ABBREVIATIONS
    articles = frozenset({"a", "an", "the"})
    page_words = frozenset({"page", "p", "pg", "folio"})
    lemmas_are_stems = True
    families = FAMILIES
    function_words = FUNCTION_WORDS
    shapes = SHAPES

    def fold(self, text: str) -> str:
        """NFC, small letters, the curly apostrophe straight."""
        return super().fold(text).replace("’", "'")

    def lemmas(self, word: str) -> tuple[str, ...]:
        """One lemma, the stem of the base form (``led`` -> ``lead``, ``penalties`` -> ``penalti``)."""
        return (self.stem(word),)

    def forms(self, word: str) -> tuple[str, ...]:
        """Regular inflections of the word that keep its stem, and the irregular ones of its table."""
        folded = self.fold(word)
        base = IRREGULAR.get(folded, folded)
        bodies = {base, base.removesuffix("e"), base.removesuffix("s"), base + base[-1:]}
        bodies |= {base[:-1] + "i"} if base.endswith("y") else set()
        bodies |= {base.removesuffix(ending) for ending in _ENDINGS if ending}
        made = {body + ending for body in bodies for ending in _ENDINGS} | {
            base,
            folded,
            *_FORMS.get(base, ()),
        }
        stem = self.stem(folded)
        return tuple(sorted(form for form in made if form and self.stem(form) == stem))

    def stem(self, word: str) -> str:
        """Snowball's stem, of the base form when the word is irregular."""
        return _stem(self.fold(word))


@lru_cache(maxsize=100_000)
def _stem(folded: str) -> str:
    return str(_stemmer().stemWord(IRREGULAR.get(folded, folded)))


LANGUAGE = English("en")
