"""Synonyms and the other language: ``glossary.toml`` of a corpus into the vocabulary.

A group is a term in all its languages, the entries that are the same thing by another translator, and the
words people ask with. Who asks for one of the group looks for the others too, each below the literal word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

from kb import declared, refs
from kb.errors import InputError
from kb.model import Ref
from kb.profile import Profile, read_toml
from kb.search.vocabulary import Builder

FILE = "glossary.toml"
SAME, EVERYDAY, OTHER_LANGUAGE = 0.8, 0.7, 0.7
"""Weights below the literal word: another translator's word, a player's, that of another language."""
ALIKE = 0.17
"""Weight of an everyday word of nearly the same sense. Such groups overlap, and are not followed further."""


def teach(builder: Builder, profile: Profile) -> None:
    """Add all groups of the corpus's glossary, if it has one. Raises InputError for a term not there."""
    path = profile.root / FILE
    if not path.exists():
        return
    data = read_toml(path)
    terms = {str(term.get("id", "")): term for term in declared.rows(data, "term", path)}
    asked: dict[str, list[tuple[str, str]]] = {}
    for synonym in declared.rows(data, "synonym", path):
        name = str(synonym.get("term", ""))
        if name not in terms:
            raise InputError(f"{path}: a [[synonym]] leads to {name!r}, which is no [[term]]")
        lang = str(synonym.get("lang", ""))
        asked.setdefault(name, []).extend((lang, word) for word in _listed(synonym.get("words"), path))
    for group in declared.rows(data, "alike", path):
        words = _listed(group.get("words"), path)
        for one, other in permutations(words, 2):
            builder.say(one, other, ALIKE)
    for name, term in terms.items():
        _group(builder, profile, path, term, _same(terms, name), asked)


def at_home(profile: Profile) -> Iterator[tuple[str, tuple[str, ...]]]:
    """``(name, refs)`` of each name of a term that says where it is at home."""
    path = profile.root / FILE
    data = read_toml(path) if path.exists() else {}
    terms = {str(term.get("id", "")): term for term in declared.rows(data, "term", path)}
    for name, targets in _homes(profile, terms):
        said = [words for one in (terms[name], *_same(terms, name)) for words in _names(one, profile, path)]
        for synonym in declared.rows(data, "synonym", path):
            if synonym.get("term") == name:
                said += _listed(synonym.get("words"), path)
        for words in dict.fromkeys(said):
            yield words, tuple(map(str, targets))


def _homes(profile: Profile, terms: dict[str, Mapping[str, Any]]) -> Iterator[tuple[str, list[Ref]]]:
    for name, term in terms.items():
        if "refs" in term:
            where = f"{profile.root / FILE}: term {name}"
            yield (
                name,
                [refs.written(profile, text, where) for text in refs.strings(term["refs"], f"{where}: refs")],
            )


def _names(term: Mapping[str, Any], profile: Profile, path: Path) -> Iterator[str]:
    for _, words in _said(term, profile, path):
        yield words
    for variants in declared.table(term.get("variants", {}), f"{path}: variants").values():
        yield from _listed(variants, path)


def _group(
    builder: Builder,
    profile: Profile,
    path: Path,
    term: Mapping[str, Any],
    same: Sequence[Mapping[str, Any]],
    asked: dict[str, list[tuple[str, str]]],
) -> None:
    said = list(_said(term, profile, path))
    others = [pair for other in same for pair in _said(other, profile, path)]
    for lang, words in said:
        for other_lang, other in said + others:
            if other != words:
                builder.say(words, other, SAME if lang == other_lang else OTHER_LANGUAGE)
    for lang, words in asked.get(str(term.get("id", "")), []):
        for other_lang, other in said + others:
            if other != words:
                builder.say(words, other, EVERYDAY if lang == other_lang else OTHER_LANGUAGE * EVERYDAY)


def _said(term: Mapping[str, Any], profile: Profile, path: Path) -> Iterator[tuple[str, str]]:
    """``(language, words)`` of a term, without what stands in brackets."""
    for lang in profile.languages:
        for words in _listed(term.get(lang), path):
            for variant in words.partition("(")[0].split(" / "):
                if variant.strip():
                    yield lang, variant.strip()


def _same(terms: dict[str, Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    """The entries for the same thing: those this one names, and those that name it."""
    target = str(terms[name].get("same_as", ""))
    found = [terms[target]] if target in terms else []
    found += [
        term for term in terms.values() if term.get("same_as", "") in (name, target) and term.get("same_as")
    ]
    return [term for term in found if term is not terms[name]]


def _listed(value: Any, path: Path) -> list[str]:
    if value is None:
        return []
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(word, str) for word in listed):
        raise InputError(f"{path}: words of a term are a string or a list of strings, not {value!r}")
    return listed
