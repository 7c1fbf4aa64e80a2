"""objects.inv, version 2: any Sphinx or mkdocstrings site links to a provision or a term by its name."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kb import address, declared
from kb.errors import InputError
from kb.model import Entry, KnowledgeBase
from kb.profile import Profile, read_toml
from kb.publish import files, lists
from kb.publish.spools import Spools

FILE_NAME = "objects.inv"
GLOSSARY_PAGE = "glossary/"


def write_inventory(kb: KnowledgeBase, profile: Profile, site: Path, filled: Spools | None = None) -> bool:
    """Write ``objects.inv`` into the site's folder; True when it changed.

    ``filled``: spools that have the ``LISTS``.
    """
    with lists.of(kb, profile, LISTS, filled) as rows:
        head, listed = _inventory(profile, rows)
    path = site / FILE_NAME
    # To compress the list costs ten times as much as to read one.
    return not _is(path, head, listed) and files.write(path, head + zlib.compress(listed, 9))


def _is(path: Path, head: bytes, listed: bytes) -> bool:
    """Whether a file holds this very list."""
    try:
        found = path.read_bytes()
        return found.startswith(head) and zlib.decompress(found[len(head) :]) == listed
    except (FileNotFoundError, zlib.error):
        return False
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; choose another --build") from None


def _inventory(profile: Profile, rows: Spools) -> tuple[bytes, bytes]:
    """The file: four lines of heading; the list, to be compressed by zlib, in order of the names."""
    title = profile.titles.get(profile.lang, profile.name)
    head = (
        "# Sphinx inventory version 2\n"
        f"# Project: {_line(title)}\n"
        f"# Version: {profile.edition}\n"
        "# The remainder of this file is compressed using zlib.\n"
    )
    lines = sorted({*(line + "\n" for line in rows.lines("labels")), *_terms(profile)})
    return head.encode(), "".join(lines).encode()


def _labels(kb: KnowledgeBase, profile: Profile, entry: Entry) -> Iterator[str]:
    name = address.label(profile, entry.ref)
    where = address.url(profile, entry.ref, kb).lstrip("/")
    yield f"{name} std:label -1 {where} {_line(_shown(entry, profile))}\n"


LISTS: Mapping[str, lists.Rows] = {"labels": _labels}
"""What each entry adds to the inventory."""


def _shown(entry: Entry, profile: Profile) -> str:
    """The words a link gets when its author gives none: the short name and the title."""
    work = profile.works[entry.ref.work]
    pattern = "{ref}" if address.is_heading(work, entry.ref) else work.human.get(profile.lang, "{ref}")
    name = pattern.replace("{ref}", address.human(profile, entry.ref))
    title = entry.titles.get(profile.lang, "")
    return f"{name}. {title}" if title else name


def _terms(profile: Profile) -> Iterator[str]:
    """Names of ``glossary.toml``, then their variants; a name leads to the entry that stands first."""
    path = profile.root / "glossary.toml"
    tables = declared.rows(read_toml(path), "term", path) if path.exists() else []
    seen: dict[str, str] = {}
    for names in (_names, _variants):
        for table in tables:
            for name in names(table, profile):
                seen.setdefault(_line(name), str(table.get("id", "")))
    for name, anchor in seen.items():
        yield f"{name} std:term -1 {GLOSSARY_PAGE}#term-{anchor} -\n"


def _names(table: Mapping[str, Any], profile: Profile) -> Iterator[str]:
    return (str(table[lang]) for lang in profile.languages if table.get(lang))


def _variants(table: Mapping[str, Any], profile: Profile) -> Iterator[str]:
    variants = declared.table(table.get("variants", {}), "glossary.toml: variants")
    said = (declared.one_or_several(variants.get(lang, []), "glossary.toml") for lang in profile.languages)
    return (name for names in said for name in names)


def _line(text: str) -> str:
    """On one line, as the format wants it."""
    return " ".join(text.split())
