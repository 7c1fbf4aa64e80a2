"""The gold knowledge base with its English, and an index of it, for the tests of search."""

from __future__ import annotations

import dataclasses
import tempfile
from functools import cache
from pathlib import Path

from goldkb import CORPUS, gold_records

from kb import profile as profiles
from kb import translation
from kb.model import KnowledgeBase
from kb.profile import Profile
from kb.search import SearchIndex, build_index, open_index
from kb.store import open_store, save


@cache
def bilingual() -> tuple[KnowledgeBase, Profile]:
    """The gold with the corpus's own English rendering beside it."""
    profile = profiles.load(CORPUS)
    records = gold_records()
    nodes, _ = translation.render(records.nodes, translation.load(profile))
    whole = tuple(dict.fromkeys((*records.nodes, *nodes)))
    folder = tempfile.TemporaryDirectory(prefix="searchkb-")
    path = Path(folder.name) / "kb.sqlite"
    save(dataclasses.replace(records, nodes=whole), path)
    store = open_store(path)
    # The open file outlives its name: nothing is left behind.
    folder.cleanup()
    return store, profile


@cache
def index() -> SearchIndex:
    """An open index of it."""
    kb, profile = bilingual()
    with tempfile.TemporaryDirectory(prefix="searchindex-") as folder:
        build_index(kb, profile, Path(folder))
        return open_index(Path(folder), kb, profile)
