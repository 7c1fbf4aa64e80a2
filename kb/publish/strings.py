"""The words of the interface: strings.toml -> both languages side by side in the HTML."""

from __future__ import annotations

import html
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

FALLBACK = "en"


@cache
def table() -> dict[str, dict[str, str]]:
    """Key -> language -> text with ``{braces}``."""
    return tomllib.loads((files("kb.publish") / "strings.toml").read_text("utf-8"))


class Strings:
    """Interface strings for the languages of a corpus, the first of which is the main one."""

    def __init__(self, languages: Sequence[str]) -> None:
        self.languages = tuple(languages)

    def text(self, key: str, lang: str, **values: object) -> str:
        """One string in one language, plain. Raises KeyError for an unknown key or brace."""
        entry = table()[key]
        pattern = entry.get(lang) or entry[FALLBACK]
        return pattern.format(**values) if values else pattern

    def has(self, key: str) -> bool:
        """True when there is such a string."""
        return key in table()

    def both(self, key: str, **values: object) -> str:
        """The string in each language of the corpus as inline HTML; values that are HTML stay HTML."""
        safe = {name: v if isinstance(v, Html) else html.escape(str(v)) for name, v in values.items()}
        return self.words({lang: self.text(key, lang, **safe) for lang in self.languages}, escaped=True)

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

    def _spans(self, texts: dict[str, str], kind: str, escaped: bool) -> str:
        """One span a language. A language gives way to another only where there is another.

        The space between two stands inside the second, so that none is left when one of them is hidden.
        """
        given = {lang: texts[lang] for lang in self.languages if texts.get(lang)}
        if len(set(given.values())) == 1:
            lang, text = next(iter(given.items()))
            same = f' lang="{lang}"' if len(given) == 1 else ""
            body = text if escaped else html.escape(text)
            return f"<span{same}>{body}</span>" if same else body
        return "".join(
            f"<span{self.mark(lang, kind)}>{' ' if number else ''}{text if escaped else html.escape(text)}</span>"
            for number, (lang, text) in enumerate(given.items())
        )

    def mark(self, lang: str, kind: str = "l") -> str:
        """The attributes of an element in one language: ``class="l2" lang="en"``; no class without a kind."""
        cls = f' class="{kind}{self.languages.index(lang) + 1}"' if kind and lang in self.languages else ""
        return f'{cls} lang="{lang}"'

    def all_both(self) -> dict[str, str]:
        """Every string without braces, for the templates."""
        return {
            key: self.both(key)
            for key, entry in sorted(table().items())
            if "{" not in entry[FALLBACK]
        }


class Html(str):
    """A string that is HTML already."""

    __slots__ = ()
