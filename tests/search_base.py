"""The gold knowledge base with its English, and an index of it, for the tests of search."""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from functools import cache
from pathlib import Path

from goldkb import CORPUS, gold_records
from shared import once

from kb import profile as profiles
from kb import translation
from kb.digests import digests
from kb.model import KnowledgeBase
from kb.profile import Profile
from kb.search import SearchIndex, build_index, open_index
from kb.search.counting import Counts
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
def index(engine: str = "whoosh") -> SearchIndex:
    """An open index of it."""
    return open_index(index_folder(engine), *bilingual())


def index_folder(engine: str = "whoosh") -> Path:
    """An index of it, made once a run and not to be changed; what was counted for it is ``counts()``."""
    kb, profile = bilingual()
    return once(f"index-{engine}", lambda draft: build_index(kb, profile, draft, engine, counts()))


def counts() -> Counts:
    """The words of it, counted once a run."""

    def count(folder: Path) -> None:
        build_index(*bilingual(), folder / "index", kept=_counts(folder))

    folder = tempfile.mkdtemp(dir=once("counts", count).parent)
    shutil.copytree(once("counts", count), folder, dirs_exist_ok=True)
    return _counts(Path(folder))


def _counts(folder: Path) -> Counts:
    kb, _ = bilingual()
    return Counts(folder / "words", "", digests(kb))
