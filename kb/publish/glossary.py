"""The corpus's glossary for its page: glossary.toml -> Terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kb.profile import Profile, read_toml
from kb.publish.context import Term


def load(profile: Profile) -> tuple[Term, ...]:
    """The terms in order of the main language; empty without a ``glossary.toml``."""
    path = profile.root / "glossary.toml"
    if not path.exists():
        return ()
    terms = [_term(table, profile.languages) for table in read_toml(path).get("term", [])]
    lang = profile.languages[0]
    return tuple(sorted(terms, key=lambda term: (term.terms.get(lang, "").casefold(), term.id)))


def _term(table: Mapping[str, Any], languages: tuple[str, ...]) -> Term:
    variants = table.get("variants", {})
    return Term(
        id=str(table.get("id", "")),
        terms={lang: str(table[lang]) for lang in languages if lang in table},
        variants={lang: tuple(variants.get(lang, ())) for lang in languages},
        definitions=dict(table.get("definition", {})),
        notes=dict(table.get("note", {})),
    )
