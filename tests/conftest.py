"""Shared by all tests: the gold as a built site, made once a session and only when a test asks for it."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from kb import profile as profiles
from kb import translation
from kb.model import KnowledgeBase, Records
from kb.profile import Profile
from kb.store import open_store, save

ROOT = Path(__file__).parent.parent
CHROMIUM = Path("/usr/bin/chromium")


@dataclasses.dataclass(frozen=True)
class Built:
    """A built site with what it was made from."""

    kb: KnowledgeBase
    profile: Profile
    pages: Path
    site: Path


def bilingual_gold() -> Records:
    """The gold with the corpus's own English rendering of it."""
    from goldkb import CORPUS, gold_records

    records = gold_records()
    made, _ = translation.render(records.nodes, translation.load(profiles.load(CORPUS)))
    return dataclasses.replace(records, nodes=(*records.nodes, *made))


def build(records: Records, profile: Profile, folder: Path, extras: bool = False) -> Built:
    """Pages and site of some records; with ``extras`` the API and the search data beside the pages."""
    from kb.publish.site import build_site, write_pages

    save(records, folder / "kb.sqlite")
    kb = open_store(folder / "kb.sqlite")
    write_pages(kb, profile, folder / "pages")
    if extras:
        from kb.publish.api import write_api
        from kb.search.export import export_index

        write_api(kb, profile, folder / "pages")
        export_index(kb, profile, folder / "pages")
    build_site(folder / "pages", folder / "site")
    return Built(kb, profile, folder / "pages", folder / "site")


@pytest.fixture(scope="session")
def gold_site(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The site of the gold, with its API and search data."""
    from goldkb import CORPUS

    return build(bilingual_gold(), profiles.load(CORPUS), tmp_path_factory.mktemp("gold"), extras=True)


def need(present: bool, what: str) -> None:
    """Skip a test whose tool is absent; under KB_REQUIRE_ALL=1 fail instead."""
    if present:
        return
    if os.environ.get("KB_REQUIRE_ALL") == "1":
        pytest.fail(f"{what} is needed (KB_REQUIRE_ALL=1)")
    pytest.skip(f"{what} is not there")
