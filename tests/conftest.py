"""Shared by all tests: the gold as a built site, made once a session and only when a test asks for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from sitebuild import Built, bilingual_gold, build

from kb import profile as profiles


@pytest.fixture(scope="session")
def gold_site(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The site of the gold, with its API and search data."""
    from goldkb import CORPUS

    return build(bilingual_gold(), profiles.load(CORPUS), tmp_path_factory.mktemp("gold"), extras=True)
