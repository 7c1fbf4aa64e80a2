"""Shared by all tests: the gold as a built site, made once a session and only when a test asks for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import shared
from sitebuild import Built, bilingual_gold, build, opened

from kb import profile as profiles


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shared.begin()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shared.end()


@pytest.fixture(scope="session")
def gold_site() -> Built:
    """The site of the gold, with its API and search data."""
    from goldkb import CORPUS

    profile = profiles.load(CORPUS)
    folder = shared.once("site", lambda made: build(bilingual_gold(), profile, made, extras=True))
    return opened(profile, folder)
