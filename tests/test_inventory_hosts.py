"""objects.inv in the programs it is for: a small Sphinx project, and mkdocstrings' own reader of inventories.

Both packages are optional; `pip install sphinx mkdocstrings` runs these.
"""

from __future__ import annotations

import subprocess
import sys

import pytest
from goldkb import CORPUS, gold_kb

from kb import profile
from kb.publish import inventory

pytestmark = pytest.mark.full
SITE = "https://laws.example/"
PAGE = """
Test
====
See :ref:`law-65c`, :external+laws:ref:`comment-65.3`, :ref:`words <law-43b2a>`,
:term:`trick`, :term:`взятка`.
"""


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inventory")
    inventory.write_inventory(gold_kb(), profile.load(CORPUS), folder)
    return folder / inventory.FILE_NAME


def test_a_sphinx_project_without_any_extension_of_ours(objects, tmp_path):
    pytest.importorskip("sphinx")
    mapping = {"laws": (SITE, str(objects))}
    (tmp_path / "conf.py").write_text(
        f"extensions = ['sphinx.ext.intersphinx']\nintersphinx_mapping = {mapping!r}\nnitpicky = True\n"
    )
    (tmp_path / "index.rst").write_text(PAGE, "utf-8")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(tmp_path), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    for address in (
        "laws/1987/65/#65.C",
        "laws/1987/65/#c65.3",
        "laws/1987/43/#43.B.2.a",
        "glossary/#term-trick",
    ):
        assert f'href="{SITE}{address}"' in page


def test_mkdocstrings_reads_it(objects):
    mkdocstrings = pytest.importorskip("mkdocstrings")
    with objects.open("rb") as stream:
        found = mkdocstrings.Inventory.parse_sphinx(stream)
    assert found["law-65c"].uri == "laws/1987/65/#65.C" and found["trick"].role == "term"
