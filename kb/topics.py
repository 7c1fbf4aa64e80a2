"""Situations and where they are ruled: ``topics.toml`` of a corpus -> Topics.

For the search (each phrase is a field of the provisions it leads to), for suggestions while typing, and for
the A–Z page (`index`): a line a topic, its head, then links to its refs; ``id`` is its anchor. A ref may be
one whose text no source supplies. `load` tells what a profile alone can tell; a build, which knows all refs,
also calls `check`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kb import lang as languages
from kb import refs
from kb.errors import InputError
from kb.model import Ref
from kb.profile import Profile, read_toml

FILE_NAME = "topics.toml"


@dataclass(frozen=True, slots=True)
class Topic:
    """A situation, as people say it, and the provisions it leads to."""

    id: str
    """ASCII, stable: its anchor on the A–Z page."""
    head: Mapping[str, str]
    """Language to its line of the A–Z page, the noun first."""
    phrases: Mapping[str, tuple[str, ...]]
    """Language to wordings, everyday ones beside those of the text; the languages of ``head``."""
    refs: tuple[Ref, ...]
    """The most exact first; at least one."""


def load(profile: Profile) -> list[Topic]:
    """The topics of a corpus in the order of the file; empty without one.

    Raises InputError that names the file, the topic and what is wrong in it: an unknown key, a ref that
    cannot be one of this corpus, an id or a wording that stands twice.
    """
    path = profile.root / FILE_NAME
    if not path.exists():
        return []
    topics: list[Topic] = []
    ids: set[str] = set()
    taken: dict[tuple[str, str], str] = {}
    for number, table in enumerate(_tables(read_toml(path), str(path)), 1):
        name = table.get("id")
        where = f"{path}: topic {name or number}"
        if not isinstance(name, str) or not name.replace("-", "").isalnum() or not name.isascii():
            raise InputError(f"{where}: needs an id of ASCII letters, digits and hyphens")
        if name in ids:
            raise InputError(f"{where}: stands twice")
        ids.add(name)
        topic = _topic(table, profile, where)
        for lang, wordings in topic.phrases.items():
            for wording in wordings:
                first = taken.setdefault((lang, languages.get(lang).fold(wording)), name)
                if first != name or wordings.count(wording) > 1:
                    raise InputError(f"{where}: {wording!r} stands twice (also in {first})")
        topics.append(topic)
    return topics


def check(profile: Profile, topics: Iterable[Topic], known: Collection[Ref]) -> None:
    """Raises InputError for a ref that is not among ``known``, the refs of all entries of a build."""
    for topic in topics:
        refs.must_be_known(topic.refs, known, f"{profile.root / FILE_NAME}: topic {topic.id}")


def index(topics: Iterable[Topic], lang: str) -> list[tuple[str, list[Topic]]]:
    """The A–Z of one language: ``(letter, topics)``, by head; those without a head in it are left out."""
    filed = languages.get(lang).filed
    groups: dict[str, list[Topic]] = {}
    for topic in sorted((t for t in topics if lang in t.head), key=lambda t: (filed(t.head[lang]), t.id)):
        first = next((char for char in filed(topic.head[lang]) if char.isalnum()), "#")
        groups.setdefault(first.upper(), []).append(topic)
    return list(groups.items())


def _tables(data: Mapping[str, Any], path: str) -> list[Mapping[str, Any]]:
    tables = data.get("topic", [])
    other = sorted(set(data) - {"topic"})
    if other or not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InputError(f"{path}: holds [[topic]] tables" + (f", not {other[0]!r}" if other else ""))
    return tables


def _topic(table: Mapping[str, Any], profile: Profile, where: str) -> Topic:
    unknown = sorted(set(table) - {"id", "head", "refs", *profile.languages})
    if unknown:
        known = ", ".join(["id", "head", "refs", *profile.languages])
        raise InputError(f"{where}: unknown key {unknown[0]!r} (known: {known})")
    head = refs.languages(table.get("head"), profile, f"{where}: head")
    phrases = {
        lang: refs.strings(table[lang], f"{where}: {lang}") for lang in profile.languages if lang in table
    }
    if not all(phrases.values()) or list(phrases) != list(head):
        raise InputError(f"{where}: has to have wordings and a head in the same languages")
    targets = refs.strings(table.get("refs", []), f"{where}: refs")
    found = tuple(refs.written(profile, target, where) for target in targets)
    if not found or len(set(found)) < len(found):
        raise InputError(f"{where}: " + ("a ref stands twice" if found else "no refs"))
    return Topic(table["id"], head, phrases, found)
