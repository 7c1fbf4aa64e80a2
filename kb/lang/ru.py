"""Russian. The morphology (pymorphy3, 0.2 s to load) is loaded at the first question of it."""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from kb.lang import Language, words

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

ABBREVIATIONS = words(
    "т е д п др пр см ср гл ст стр с пп рис табл напр прим пер ред изд г гг в вв мин сек руб коп чел им"
)

FUNCTION_WORDS = words(
    "а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да для до его "
    "ее ей если есть еще ж же за и из или им их к как когда ко кто ли либо меня мне мной мы на над надо "
    "нам нас не него нее ней нет ни них но ну нужно о об он она они оно от очень по под при про с сам "
    "себе себя со так там те тем то тогда того тоже той только том ты у уже хотя чего чей чем что чтобы "
    "это этого этой этом этот эту я мой моя мое мою моей наш наша свой своя свое свою своей своего куда "
    "какой какая какое какую каком какого можно может могу мочь должен ведь разве зачем почему сколько "
    "делать потому поэтому тут здесь пока дальше потом обратно вообще просто зря сразу еще лишь даже "
    "такой такая такое другой другая другое чужой пусть вдруг снова опять теперь сейчас"
)

PREFIXES = tuple(
    sorted(
        words(
            "в вз воз вос вс вы до за из ис на недо о об обо от ото пере по под подо при про раз рас с со у"
        ),
        key=lambda prefix: (-len(prefix), prefix),
    )
)

_FAMILIES = """
класть положить положение | брать взять взятие | говорить сказать | ловить поймать
идти ходить пойти сходить заходить зайти ход | спросить спрашивать вопрос | ответить отвечать ответ
смотреть посмотреть просмотр просматривать просмотреть глядеть поглядеть
видеть увидеть | показать показывать показ | открыть открывать открытый | объяснить объяснять объяснение
перемешать смешать мешать смешивать перемешивать тасовать стасовать тасование
забыть забывать | вспомнить вспоминать | дать давать | выбрать выбирать выбор
бросить бросать сбросить сбрасывать | уронить ронять упасть | считать посчитать сосчитать счет подсчет
спорить оспаривать оспорить спор | ошибиться ошибаться ошибка ошибочный
наказать наказывать наказание | вернуть возвращать возврат | закончить заканчивать окончить окончание конец
подать подавать подача | начать начинать начало | принять принимать принятие | запретить запрещать запрет
требовать потребовать требование | отказаться отказываться отказ отказать
заявить заявлять заявка заявление | исправить исправлять исправление | нарушить нарушать нарушение
отменить отменять отмена | сыграть играть игра | разыграть разыгрывать розыгрыш
назвать называть | потерять терять потеря | найти находить | трогать тронуть коснуться касаться
ждать подождать | думать подумать раздумье задумка задуматься | опоздать опаздывать опоздание
мешать помешать | помочь помогать помощь | обсудить обсуждать обсуждение
продолжить продолжать продолжение | выиграть выигрывать выигрыш | проиграть проигрывать проигрыш
разрешить разрешать разрешение | подсказать подсказывать подсказка | предупредить предупреждать предупреждение
позвать вызвать вызывать вызов звать | пожаловаться жаловаться жалоба | уступить уступать уступка
"""

FAMILIES = tuple(tuple(part.split()) for line in _FAMILIES.strip().splitlines() for part in line.split("|"))


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


class Russian(Language):
    code = "ru"
    alphabet = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
    look_alikes = LOOK_ALIKES
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
    function_words = FUNCTION_WORDS
    prefixes = PREFIXES
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
