"""Makes small sites for tests: of the gold, or of any records."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
from pathlib import Path
from types import ModuleType

import pytest

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
    from kb.publish.render import build_site
    from kb.publish.site import write_pages

    save(records, folder / "kb.sqlite")
    kb = open_store(folder / "kb.sqlite")
    write_pages(kb, profile, folder / "pages")
    from kb.cite.grammar import compile_grammar
    from kb.publish import linker

    grammar = compile_grammar(profile)
    (folder / "pages" / linker.SCRIPT).write_text(linker.script(kb, profile, grammar), "utf-8")
    (folder / "pages" / linker.DATA).write_text("".join(linker.card_data(kb, profile)), "utf-8")
    if extras:
        from kb.publish.api import write_api
        from kb.search.export import export_index

        write_api(kb, profile, folder / "pages")
        export_index(kb, profile, folder / "pages")
    build_site(folder / "pages", folder / "site")
    return opened(profile, folder)


def opened(profile: Profile, folder: Path) -> Built:
    """What ``build`` made in a folder."""
    return Built(open_store(folder / "kb.sqlite"), profile, folder / "pages", folder / "site")


def tool_of(name: str) -> ModuleType:
    """A script of tools/, as a module."""
    spec = importlib.util.spec_from_file_location(f"{name}_tool", ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def need(present: bool, what: str) -> None:
    """Skip a test whose tool is absent; under KB_REQUIRE_ALL=1 fail instead."""
    if present:
        return
    if os.environ.get("KB_REQUIRE_ALL") == "1":
        pytest.fail(f"{what} is needed (KB_REQUIRE_ALL=1)")
    pytest.skip(f"{what} is not there")
