"""One cluster of two nodes for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from clusternodes import Nodes
from sitebuild import need


@pytest.fixture(scope="session")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    try:
        made = Nodes(tmp_path_factory.mktemp("opensearch"), 2)
    except RuntimeError as why:
        need(False, f"a server of OpenSearch ({why})")
        raise
    try:
        made.start()
        yield made
    finally:
        made.stop()
