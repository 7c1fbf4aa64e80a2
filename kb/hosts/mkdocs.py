"""A hooks file for MkDocs 1.x: builds the corpus and its pages first, then hands them to MkDocs.

In ``mkdocs.yml``: ``hooks: [kb/hosts/mkdocs.py]``; ``extra: {kb_corpus: DIR, kb_build: DIR}`` for other
folders than ``corpus/bridge`` and ``build`` beside the settings file. ``kb build`` does nothing when nothing
has changed, so it is asked before every build: under ``mkdocs serve`` also whenever a watched file changes.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kb.publish.events import (
    on_build_error,
    on_env,
    on_files,
    on_page_content,
    on_post_build,
    on_post_page,
    on_startup,
    on_template_context,
)
from kb.publish.events import on_config as _hand_over

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

__all__ = [
    "on_build_error",
    "on_config",
    "on_env",
    "on_files",
    "on_page_content",
    "on_post_build",
    "on_post_page",
    "on_startup",
    "on_template_context",
]

PAGES = "pages"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make the pages, unless whoever runs MkDocs has just made them (``extra.kb_ready``)."""
    if not config.extra.get("kb_ready"):
        base = Path(config.config_file_path).parent
        build = base / str(config.extra.get("kb_build", "build"))
        make(base / str(config.extra.get("kb_corpus", "corpus/bridge")), build)
        config.extra["kb_pages"] = str(build / PAGES)
    return _hand_over(config)


def make(corpus: Path, build: Path) -> None:
    """Run ``kb build`` for the pages and what stands beside them. Raises PluginError with its message."""
    from mkdocs.exceptions import PluginError

    command = [sys.executable, "-m", "kb.cli", "--corpus", str(corpus), "--build", str(build), "build"]
    done = subprocess.run([*command, "--only", "pages,api"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise PluginError((done.stderr.strip() or done.stdout.strip()).splitlines()[-1])
