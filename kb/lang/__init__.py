"""What is language and not corpus: alphabets, look-alikes, keyboards, lemmas, abbreviations.

``get("ru")`` gives a ``Language``; an unknown code gives a plain one that folds case and nothing more.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType

from kb.lang.shapes import Shapes

EMPTY: Mapping[str, str] = MappingProxyType({})


def words(text: str) -> frozenset[str]:
    """A word list written as running text: easier to read and to keep in order than one of quotes."""
    return frozenset(text.split())


def _table(letters: Mapping[str, str]) -> dict[int, str]:
    return {ord(key): value for key, value in letters.items()}


_MODULES = {"ru": "kb.lang.ru", "en": "kb.lang.en"}


class Language:
    """A language the tools know little of: every form is its own lemma. Others override what they know."""

    code: str = ""
    alphabet: str = ""
    """Its small letters in order; empty when not known."""
    look_alikes: Mapping[str, str] = EMPTY
    """Letter of this alphabet -> the Latin letter of the same shape, both cases."""
    misreadings: Mapping[str, str] = EMPTY
    """What reading machines and lost code pages make of a letter inside a word -> the letter."""
    slanted: Mapping[str, str] = EMPTY
    """Latin small letter -> the letter of this alphabet that looks so in slanted type."""
    sounds: Mapping[str, str] = EMPTY
    """Letter -> Latin letters of the same sound: how people transliterate. Small letters only."""
    letter_names: Mapping[str, str] = EMPTY
    """A letter of a section as people sound it (``ц``) -> the Latin letter. Small letters only."""
    keyboard: Mapping[str, str] = EMPTY
    """Character typed on this language's keyboard -> what the same key gives on the Latin one."""
    abbreviations: frozenset[str] = frozenset()
    """Words after which a full stop ends no sentence; folded, without the stop."""
    articles: frozenset[str] = frozenset()
    """Words that an index leaves out of account at the beginning of a title; folded."""
    page_words: frozenset[str] = frozenset()
    """Words, and their abbreviations, that stand beside a page number; small letters."""
    function_words: frozenset[str] = frozenset()
    """Words that carry little of a question's meaning; folded forms. Never dropped, only weighed down."""

    lemmas_are_stems: bool = False
    """Its lemmas are no words to show to a reader."""
    prefixes: tuple[str, ...] = ()
    """Prefixes that make verbs of verbs (``пере`` in ``перемешать``), longest first."""
    shapes: Shapes = ()
    """Letters that are printed alike."""
    families: tuple[tuple[str, ...], ...] = ()
    """Words of one meaning that share no stem: aspect pairs, verb and noun; dictionary forms."""

    def __init__(self, code: str = "") -> None:
        self.code = code or self.code

    def fold(self, text: str) -> str:
        """NFC and small letters, so that spellings of one word are one string."""
        return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())

    def filed(self, text: str) -> str:
        """What a title is sorted by: folded, without an article in front (``The Deal`` -> ``deal``)."""
        folded = self.fold(text)
        first, _, rest = folded.strip().partition(" ")
        return rest.lstrip() if first in self.articles and rest.strip() else folded

    def ends_abbreviated(self, text: str) -> bool:
        """The full stop a text ends in is that of an abbreviation (``… (см.``): it ends no sentence."""
        return text.endswith(".") and self.fold(text[-13:].split()[-1]).strip("(«.") in self.abbreviations

    def lemmas(self, word: str) -> tuple[str, ...]:
        """All dictionary forms the word may be a form of, likeliest first, folded. Never empty."""
        return (self.fold(word),)

    def stem(self, word: str) -> str:
        """The word without its ending, folded."""
        return self.fold(word)

    def forms(self, word: str) -> tuple[str, ...]:
        """The word and all forms that share its lemma, folded and sorted."""
        return (self.fold(word),)

    def owns(self, word: str) -> bool:
        """Is every letter of the word in this language's alphabet. True of all words where none is known."""
        return not self.alphabet or not set(filter(str.isalpha, self.fold(word))) - set(self.alphabet)

    def known(self, word: str) -> bool | None:
        """Is it a word of the dictionary; None where there is no dictionary to ask."""
        return None

    def unnegated(self, word: str) -> str:
        """The word without a prefix of negation that words of its kind may take (``ненарушившая``)."""
        return word

    def subjectless(self, text: str) -> Iterator[tuple[int, int]]:
        """Runs of clauses that lack the subject their predicate wants; none where it cannot be told."""
        return iter(())

    def to_latin(self, text: str) -> str:
        """Replace the letters that look like a Latin one (``65С`` -> ``65C``); leaves all others."""
        return text.translate(_table(self.look_alikes))

    def from_latin(self, text: str) -> str:
        """The reverse: Latin letters that look like one of this alphabet (``oбa`` with Latin o, a)."""
        return text.translate({ord(latin): own for own, latin in self.look_alikes.items()})

    def spell(self, word: str) -> str:
        """The word in Latin letters, sound by sound (``ход`` -> ``khod``)."""
        return "".join(self.sounds.get(letter, letter) for letter in self.fold(word))

    def from_layout(self, text: str) -> str:
        """What was meant when this language was typed on a Latin keyboard (``ghfdbkj`` -> ``правило``)."""
        return text.translate({ord(latin): own for own, latin in self.keyboard.items()})

    def to_layout(self, text: str) -> str:
        """What was meant when Latin was typed on this language's keyboard (``дфц`` -> ``law``)."""
        return text.translate(_table(self.keyboard))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code!r})"


@lru_cache(maxsize=64)
def get(code: str) -> Language:
    """The language of an ISO 639-1 code (``ru``, ``en-GB``); a plain one for a code without a module."""
    short = code.partition("-")[0].casefold()
    if short not in _MODULES:
        return Language(short)
    language: Language = import_module(_MODULES[short]).LANGUAGE
    return language
