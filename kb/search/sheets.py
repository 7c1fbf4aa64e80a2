"""Documents as hits show them: what does not hang on the query is made once, when one is first shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, cast

from kb.model import Ref
from kb.search.keeping import Kept
from kb.search.result import Shown
from kb.search.snippet import NOTES
from kb.search.texts import Read, Texts, Words

_LETTERS = 12_000_000
"""Letters of all texts that are kept with their words, some six bytes each."""
_ROOM = 1_000
"""What a document takes besides, in letters."""

_ref = lru_cache(maxsize=100_000)(Ref.parse)


class Face(NamedTuple):
    """A document in one language."""

    shown: Shown
    text: Read
    note: str
    """What stands in the place of a text that is not there."""


class Sheet:
    """A document. Threads may share it."""

    def __init__(self, document: Mapping[str, Any], texts: Texts) -> None:
        codes = texts.vocabulary.codes
        has = [code for code in codes if code in document["texts"]]
        has = has or [code for code in codes if code in document["titles"]]
        self.codes = tuple(has) or codes
        """The languages it can be shown in, in the order of the corpus."""
        self._document = document
        self._texts = texts
        self._faces: dict[str, Face] = {}

    def face(self, lang: str) -> Face:
        """The document in a language; without title and text when it has none in it."""
        face = self._faces.get(lang)
        if face is None:
            face = self._faces[lang] = self._made(lang)
        return face

    @cached_property
    def read(self) -> tuple[Read, ...]:
        """Its titles and texts, in all languages."""
        document = self._document
        return tuple(self._texts.read(text) for text in document["titles"].values()) + tuple(
            self.face(lang).text for lang in document["texts"]
        )

    @cached_property
    def words(self) -> Words:
        """The words of all of them (`Texts.words`)."""
        return self._texts.words(self.read)

    def _made(self, lang: str) -> Face:
        document = self._document
        notes = NOTES.get(document["status"], {})
        shown = Shown(
            ref=_ref(document["ref"]),
            lang=lang,
            title=document["titles"].get(lang, ""),
            status=document["status"],
            in_force=document["in_force"],
            url=document["url"],
            commentary=tuple(map(_ref, document["commentary"])),
        )
        text = self._texts.read(document["texts"].get(lang, ""))
        return Face(shown, text, notes.get(lang, notes.get("en", "")))


class Sheets:
    """The documents of an index that were shown lately."""

    def __init__(self, texts: Texts, read: Callable[[Sequence[int]], list[Mapping[str, Any]]]) -> None:
        """``read``: what was stored with documents."""
        self._texts = texts
        self._read = read
        self._kept: Kept[Sheet] = Kept(_LETTERS)

    def of(self, numbers: Sequence[int]) -> list[Sheet]:
        """Those of documents, in this order."""
        sheets = list(map(self._kept.held, numbers))
        if all(sheets):
            return cast("list[Sheet]", sheets)
        missing = [number for number, sheet in zip(numbers, sheets, strict=True) if sheet is None]
        made = {}
        for number, document in zip(missing, self._read(missing), strict=True):
            made[number] = sheet = Sheet(document, self._texts)
            self._kept.put(number, sheet, _ROOM + sum(map(len, document["texts"].values())))
        return [sheet or made[number] for number, sheet in zip(numbers, sheets, strict=True)]
