"""objects.inv in the programs it is for: a small Sphinx project, a small MkDocs project with mkdocstrings."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest
from goldkb import CORPUS, gold_kb
from sitebuild import need

from kb import profile
from kb.publish import inventory

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
    need(find_spec("sphinx") is not None, "sphinx")
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


MODULE = '''"""How this club scores: see [the order][law-65c] and [][comment-65.3]."""


def score(tricks: int) -> int:
    """Points for `tricks`; a revoke is settled by [Law 65C][law-65c] first."""
    return tricks
'''
SETTINGS = """
site_name: Club
theme: {{name: mkdocs, highlightjs: false}}
plugins:
- autorefs
- mkdocstrings:
    handlers:
      python:
        paths: [{paths}]
        inventories:
        - url: {inventory}
          base_url: {site}
          domains: [std]
"""


def test_a_mkdocs_project_with_mkdocstrings(objects, tmp_path):
    need(find_spec("mkdocstrings_handlers") is not None, "mkdocstrings[python]")
    (tmp_path / "docs").mkdir()
    (tmp_path / "club.py").write_text(MODULE, "utf-8")
    (tmp_path / "docs" / "index.md").write_text("# Club\n\nBy [Law 65][law-65].\n\n::: club\n", "utf-8")
    settings = SETTINGS.format(paths=json.dumps(str(tmp_path)), inventory=objects.as_uri(), site=SITE)
    (tmp_path / "mkdocs.yml").write_text(settings, "utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", str(tmp_path / "mkdocs.yml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    found = set(re.findall(rf'href="({re.escape(SITE)}[^"]*)"', page))
    assert found == {f"{SITE}laws/1987/65/", f"{SITE}laws/1987/65/#65.C", f"{SITE}laws/1987/65/#c65.3"}
