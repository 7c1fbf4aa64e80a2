"""The corpus's glossary for its pages: glossary.toml -> Terms."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from kb import declared, refs
from kb import lang as languages
from kb.errors import InputError
from kb.model import Ref
from kb.profile import Profile, read_toml
from kb.publish.context import Term

FILE = "glossary.toml"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")


def load(profile: Profile) -> tuple[Term, ...]:
    """The terms in order of the main language; empty without a ``glossary.toml``.

    Raises InputError for an id that cannot be an anchor, and for a pattern that does not compile.
    """
    path = profile.root / FILE
    if not path.exists():
        return ()
    data = read_toml(path)
    asked: dict[str, dict[str, dict[str, None]]] = {}
    for synonym in declared.rows(data, "synonym", path):
        by_lang = asked.setdefault(str(synonym.get("term", "")), {})
        words = synonym.get("words", [])
        by_lang.setdefault(str(synonym.get("lang", "")), {}).update(
            dict.fromkeys(_words(words, f"{path}: synonym"))
        )
    terms = []
    for number, table in enumerate(declared.rows(data, "term", path), 1):
        where = f"{path}: term {number}"
        terms.append(_term(table, profile, asked, number, where))
    lang = profile.languages[0]
    filed = languages.get(lang).filed
    return tuple(sorted(terms, key=lambda term: (filed(term.terms.get(lang, "")), term.id)))


def check(profile: Profile, terms: Iterable[Term], known: Collection[Ref]) -> None:
    """Raises InputError for a term at home in what is not among ``known``, the refs of all entries."""
    for term in terms:
        refs.must_be_known(term.homes, known, f"{profile.root / FILE}: term {term.id}")


def _term(
    table: Mapping[str, Any],
    profile: Profile,
    asked: Mapping[str, Mapping[str, Mapping[str, None]]],
    order: int,
    where: str,
) -> Term:
    name = str(table.get("id", ""))
    if not _ID.fullmatch(name):
        raise InputError(f"{where}: needs an id of ASCII letters, digits and hyphens, not {name!r}")
    variants = declared.table(table.get("variants", {}), f"{where}: variants")
    homes = refs.strings(table.get("refs", []), f"{where}: refs")
    return Term(
        id=name,
        terms={lang: str(table[lang]) for lang in profile.languages if lang in table},
        variants={lang: _words(variants.get(lang, []), where) for lang in profile.languages},
        definitions=dict(declared.texts(table.get("definition", {}), f"{where}: definition")),
        notes=dict(declared.texts(table.get("note", {}), f"{where}: note")),
        patterns={
            lang: _compile(pattern, f"{where}, {name}")
            for lang, pattern in declared.texts(table.get("pattern", {}), f"{where}: pattern").items()
        },
        synonyms={lang: tuple(words) for lang, words in asked.get(name, {}).items()},
        same_as=str(table.get("same_as", "")),
        order=order,
        homes=tuple(refs.written(profile, text, f"{where}, {name}") for text in homes),
    )


def _words(value: Any, where: str) -> tuple[str, ...]:
    """One string or several."""
    return tuple(declared.one_or_several(value, where))


def _compile(pattern: str, where: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise InputError(f"{where}: pattern {pattern!r} does not compile: {error}") from None
