"""The words of the interface: strings.toml -> both languages side by side in the HTML."""

from __future__ import annotations

import html
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

FALLBACK = "en"


@cache
def table() -> dict[str, dict[str, Any]]:
    """Key -> language -> text with ``{braces}``, or a list of its plural forms."""
    return tomllib.loads((files("kb.publish") / "strings.toml").read_text("utf-8"))


def plural(number: int, lang: str, forms: int) -> int:
    """Which of a language's plural forms a number takes: one, few, many in Russian; one, many elsewhere."""
    if forms == 3 and lang == "ru":
        if number % 10 == 1 and number % 100 != 11:
            return 0
        return 1 if number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14) else 2
    return 0 if number == 1 else forms - 1


def notes(lang: str) -> dict[str, str]:
    """Status of a link -> what is to be said of one that leads to a place, but not to the text it names."""
    words = Strings((lang,))
    states = {"not-supplied": "state_not_supplied", "unknown": "cite_unknown"}
    return {status: words.text(key, lang) for status, key in states.items()}


class Strings:
    """Interface strings for the languages of a corpus, the first of which is the main one."""

    def __init__(self, languages: Sequence[str]) -> None:
        self.languages = tuple(languages)
        self._both: dict[str, str] = {}

    def text(self, key: str, lang: str, **values: object) -> str:
        """One string in one language, plain. Raises KeyError for an unknown key or brace."""
        entry = table()[key]
        pattern = entry.get(lang) or entry[FALLBACK]
        if isinstance(pattern, list):
            language = lang if lang in entry else FALLBACK
            pattern = pattern[plural(int(str(values.get("n", 0))), language, len(pattern))]
        return str(pattern).format(**values) if values else str(pattern)

    def phrase(self, text: str, lang: str) -> str:
        """What the program says of a text («cut off»), part by part in a language, as far as it is known."""
        for known, said in table()["phrases"].get(lang, {}).items():
            text = text.replace(known, said)
        return text

    def date(self, day: str, lang: str) -> str:
        """``2017-08-01`` as people write it; a month or a year alone, or what is no date, as it is."""
        parts = day.split("-")
        if len(parts) != 3 or not all(part.isdigit() for part in parts):
            return day
        month = self.text("months", lang).split()[int(parts[1]) - 1]
        return self.text("date", lang, day=int(parts[2]), month=month, year=parts[0])

    def has(self, key: str) -> bool:
        """True when there is such a string."""
        return key in table() and key != "phrases"

    def both(self, key: str, **values: object) -> str:
        """The string in each language of the corpus as inline HTML; values that are HTML stay HTML."""
        if not values:
            if key not in self._both:
                self._both[key] = self._in_each(key)
            return self._both[key]
        return self._in_each(key, **values)

    def _in_each(self, key: str, **values: object) -> str:
        safe = {name: v if isinstance(v, Html) else html.escape(str(v)) for name, v in values.items()}
        texts = {lang: self.text(key, lang, **safe) for lang in self.languages}
        said = {lang: lang if lang in table()[key] else FALLBACK for lang in self.languages}
        return self._spans(texts, "u", True, said)

    def plain(self, key: str, **values: object) -> str:
        """The string in all languages with a stroke between them, for attributes."""
        texts = dict.fromkeys(self.text(key, lang, **values) for lang in self.languages)
        return html.escape(" / ".join(texts), quote=True)

    def words(self, texts: dict[str, str], escaped: bool = False) -> str:
        """Words of the interface by language as inline HTML: of them the reader sees one language."""
        return self._spans(texts, "u", escaped)

    def each(self, texts: dict[str, str], escaped: bool = False) -> str:
        """Content by language as inline HTML: the reader may see one language or both."""
        return self._spans(texts, "l", escaped)

    def _spans(
        self, texts: dict[str, str], kind: str, escaped: bool, said: dict[str, str] | None = None
    ) -> str:
        """One span a language. A language gives way to another only where there is another.

        What stands between two is an element too, so that no space is left when one of them is hidden.
        ``said``: the language a text is really in, where it fell back to another.
        """
        if escaped and not said and len(texts) == 2:
            # The commonest case by far, and the same as below.
            first, second = self.languages[:2] if len(self.languages) == 2 else ("", "")
            one, other = texts.get(first), texts.get(second)
            if one and other and one != other:
                return (
                    f'<span class="{kind}1" lang="{first}">{one}</span><span class="{kind}s"> / </span>'
                    f'<span class="{kind}2" lang="{second}">{other}</span>'
                )
        said = said or {}
        safe = texts if escaped else {lang: html.escape(text) for lang, text in texts.items()}
        given = {lang: safe[lang] for lang in self.languages if safe.get(lang)}
        if len(set(given.values())) == 1:
            lang, text = next(iter(given.items()))
            marked = len(given) == 1 or lang in said
            return f'<span lang="{said.get(lang, lang)}">{text}</span>' if marked else text
        between = f'<span class="{kind}s"> / </span>'
        return between.join(
            f"<span{self.mark(lang, kind, said.get(lang, lang))}>{text}</span>"
            for lang, text in given.items()
        )

    def mark(self, lang: str, kind: str = "l", said: str = "") -> str:
        """The attributes of an element that is shown for a language: ``class="l2" lang="en"``."""
        return f' class="{kind}{self.languages.index(lang) + 1}" lang="{said or lang}"'

    def all_both(self) -> dict[str, str]:
        """Every string without braces, for the templates."""
        return {
            key: self.both(key)
            for key, entry in sorted(table().items())
            if isinstance(entry.get(FALLBACK), str) and "{" not in entry[FALLBACK]
        }


class Html(str):
    """A string that is HTML already."""

    __slots__ = ()
