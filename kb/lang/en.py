"""English. No dictionary: irregular forms from a table, then Snowball's stem, which serves as the lemma."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import Any

from kb.lang import Language, words

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

FUNCTION_WORDS = words(
    "a am an and any are as at be been being but by can cannot could did do does doing done for from had "
    "has have having he her him his how i if in into is it its may me might my myself no nor not of off "
    "on or our out she should so some that the their them then there these they this those to up us was "
    "we were what when where which while who whom whose why will with would you your he's she's it's "
    "i'm don't doesn't didn't can't isn't aren't wasn't s t must just also about"
)

ABBREVIATIONS = words(
    "mr mrs ms dr st no nos vs e.g i.e eg ie cf p pp para sec ch vol ed eds etc viz fig al art"
)


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from Stemmer import Stemmer

    return Stemmer("english")


class English(Language):
    code = "en"
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    abbreviations = ABBREVIATIONS
    function_words = FUNCTION_WORDS

    def fold(self, text: str) -> str:
        """NFC, small letters, the curly apostrophe straight."""
        return super().fold(text).replace("’", "'")

    def lemmas(self, word: str) -> tuple[str, ...]:
        """One lemma, the stem of the base form (``led`` -> ``lead``, ``penalties`` -> ``penalti``)."""
        return (self.stem(word),)

    def stem(self, word: str) -> str:
        """Snowball's stem, of the base form when the word is irregular."""
        return _stem(self.fold(word))


@lru_cache(maxsize=100_000)
def _stem(folded: str) -> str:
    return str(_stemmer().stemWord(IRREGULAR.get(folded, folded)))


LANGUAGE = English("en")
