"""Russian. The morphology (pymorphy3, 0.2 s to load) is loaded at the first question of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from kb.lang import Language
from kb.lang.ru_clauses import subjectless
from kb.lang.ru_words import ABBREVIATIONS, FAMILIES, FUNCTION_WORDS, PREFIXES, SHAPES

_WORD = re.compile(r"(?=.{1,40}\Z)[а-яё]+(?:-[а-яё]+)*\Z")
"""What the morphology is asked about: it fails on characters without a name, and is slow on long ones."""

_ROWS = (("йцукенгшщзхъ", "qwertyuiop[]"), ("фывапролджэ", "asdfghjkl;'"), ("ячсмитьбю", "zxcvbnm,."))
_SHIFTED = (("ЙЦУКЕНГШЩЗХЪ", "QWERTYUIOP{}"), ("ФЫВАПРОЛДЖЭ", 'ASDFGHJKL:"'), ("ЯЧСМИТЬБЮ", "ZXCVBNM<>"))

LOOK_ALIKES = MappingProxyType(dict(zip("АВСЕНКМОРТХавсенкмортху", "ABCEHKMOPTXabcehkmoptxy", strict=True)))
"""Shape by shape. Small в, н, к, м, т differ from b, h, k, m, t, but stand for them in ``65в``."""

LETTER_NAMES = MappingProxyType(
    {"а": "A", "б": "B", "в": "B", "ц": "C", "с": "C", "д": "D", "е": "E", "э": "E", "и": "I"}
    | {"ф": "F", "г": "G", "ж": "J", "н": "H", "х": "H", "к": "K", "л": "L", "м": "M", "о": "O", "р": "P"}
    | {"п": "P", "т": "T"}
)
"""Shape before sound: В is B, С is C, then Б is B, Ц is C, Д is D."""

SOUNDS = MappingProxyType(
    dict(zip("абвгдезийклмнопрстуфцыэ", "abvgdeziyklmnoprstufcye", strict=True))
    | {"ж": "zh", "х": "kh", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ь": "", "ю": "yu", "я": "ya"}
    | {"ё": "yo", "ц": "ts"}
)


@lru_cache(maxsize=1)
def _morphology() -> Any:
    from pymorphy3 import MorphAnalyzer

    return MorphAnalyzer(lang="ru")


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from Stemmer import Stemmer

    return Stemmer("russian")


def _fold(text: str) -> str:
    return text.replace("ё", "е")


SLANTED = MappingProxyType({"u": "и", "n": "п", "m": "т", "g": "д", "r": "г"})
MISREADINGS = {
    "0": "о", "3": "з", "6": "б", "4": "ч",
    "bl": "ы", "bI": "ы", "ьl": "ы", "ьI": "ы", "ь1": "ы", "b1": "ы",
    "ë": "ё", "\ufffd": "ё",
}  # fmt: skip


class Russian(Language):
    code = "ru"
    alphabet = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
    look_alikes = LOOK_ALIKES
    misreadings = MISREADINGS
    slanted = SLANTED
    sounds = SOUNDS
    letter_names = LETTER_NAMES
    keyboard = MappingProxyType(
        {
            own: key
            for rows in (_ROWS, _SHIFTED)
            for owns, keys in rows
            for own, key in zip(owns, keys, strict=True)
        }
        | {"ё": "`", "Ё": "~"}
    )
    abbreviations = ABBREVIATIONS
    page_words = frozenset({"стр", "с", "страница", "страницы", "лист", "л", "page", "p", "pg"})
    function_words = FUNCTION_WORDS
    prefixes = PREFIXES
    shapes = SHAPES
    families = FAMILIES

    def fold(self, text: str) -> str:
        """NFC, small letters, ё -> е."""
        return _fold(super().fold(text))

    def lemmas(self, word: str) -> tuple[str, ...]:
        """All dictionary forms (``взяток`` -> ``взятка``, ``взяток``): the first parse alone misses some."""
        return _lemmas(self.fold(word))

    def stem(self, word: str) -> str:
        """Snowball's stem of the folded word."""
        return _stem(self.fold(word))

    def forms(self, word: str) -> tuple[str, ...]:
        """The paradigm of every lemma the word is the dictionary form of (``болван`` -> ``болвана``, …)."""
        folded = self.fold(word)
        if not _WORD.match(folded):
            return (folded,)
        found = {folded}
        for parse in _morphology().parse(folded):
            if _fold(parse.normal_form) == folded:
                found.update(_fold(form.word) for form in parse.lexeme)
        # Comparatives in по- (посильнее) would leave the paradigm without a common beginning.
        return tuple(sorted(form for form in found if folded.startswith("по") or not form.startswith("по")))

    def known(self, word: str) -> bool:
        """Is it in pymorphy3's dictionary; ё may be written е."""
        return _known(word)

    def unnegated(self, word: str) -> str:
        """``ненарушившая`` -> ``нарушившая``; a verb's ``не`` is a word of its own."""
        bare = word.removeprefix("не")
        return word if _parse(bare)[0].tag.POS in ("VERB", "INFN", "GRND") else bare

    def subjectless(self, text: str) -> Iterator[tuple[int, int]]:
        """Clauses like ``, должен потребовать`` without a word that agrees with the short adjective."""
        return subjectless(text, _parse)


@lru_cache(maxsize=100_000)
def _parse(word: str) -> Any:
    return _morphology().parse(word)


@lru_cache(maxsize=100_000)
def _known(word: str) -> bool:
    return bool(_WORD.match(word.lower()) and _morphology().word_is_known(word))


@lru_cache(maxsize=100_000)
def _lemmas(folded: str) -> tuple[str, ...]:
    if not _WORD.match(folded):
        return (folded,)
    forms = (_fold(parse.normal_form) for parse in _morphology().parse(folded))
    return tuple(dict.fromkeys(forms)) or (folded,)


@lru_cache(maxsize=100_000)
def _stem(folded: str) -> str:
    return str(_stemmer().stemWord(folded))


LANGUAGE = Russian("ru")
