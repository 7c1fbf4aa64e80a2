"""Plain Markdown pages -> the site, through MkDocs with the small theme beside this file.

Only pages that changed go through MkDocs; what the other ones hold is kept from build to build
(``upkeep.py``). Files that are no pages are hard links to those beside the pages, where that can be.
"""

from __future__ import annotations

import filecmp
import io
import json
import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from kb.errors import BuildError
from kb.publish import files, offline, reuse
from kb.publish.site import DATA
from kb.publish.trees import Tree
from kb.publish.upkeep import Upkeep
from kb.unswept import unswept

THEME = Path(__file__).parent / "theme"
EPOCH_SECONDS = "315532800"
"""The day of every build, unless SOURCE_DATE_EPOCH says another: the same corpus, the same bytes."""
RECORD = Path(".made") / "site"
"""Beside the site: what its pages were made from."""

_CONFIG = """
site_name: {name}
docs_dir: {empty}
theme: {{name: null, custom_dir: {theme}, static_templates: [404.html]}}
hooks: [{hook}]
plugins: []
markdown_extensions: [attr_list, md_in_html]
not_in_nav: "*"
validation: {{anchors: warn}}
"""


@unswept()
def build_site(
    pages: Path,
    site: Path,
    config: Path | None = None,
    strict: bool = True,
    trees: tuple[Tree, Tree] | None = None,
) -> list[Path]:
    """Run MkDocs over ``pages`` into ``site``. Gives the files that changed; none when no input has.

    ``config`` is an ``mkdocs.yml``; without one the theme's own settings do. Raises BuildError when MkDocs
    finds a fault, under ``strict`` also a dead link; the site then stays as it was. ``trees``: the files of
    both folders, where they are known.
    """
    given, whole = trees or (Tree(pages), Tree(site))
    if not (pages / DATA).is_file():
        raise BuildError(f"{pages}: no pages there; run `kb build --only pages,site`")
    site.parent.mkdir(parents=True, exist_ok=True)
    register = reuse.Register(site.with_name(RECORD.parts[0]) / RECORD.name)
    upkeep = Upkeep(site, register.rows())
    with tempfile.TemporaryDirectory(prefix=".site-", dir=site.parent) as temporary:
        draft = Path(temporary) / "site"
        try:
            _run_mkdocs(pages, draft, config, strict, upkeep)
        except BuildError:
            register.undo()
            raise
        beside = _beside(given)
        offline.finish(draft, upkeep.files(draft, pages, beside), upkeep.data, THEME)
        made = [name for name, _ in files.sizes(draft)]
        same = whole.same()
        changed = _sync(draft, made, site) + _link(pages, site, [name for name in beside if name not in same])
    whole.wrote(changed)
    whole.prune([*upkeep.kept_names(), *made, *beside], [""])
    register.close(upkeep.rows())
    return changed


def _run_mkdocs(pages: Path, site: Path, config: Path | None, strict: bool, upkeep: Upkeep) -> None:
    os.environ.setdefault("SOURCE_DATE_EPOCH", EPOCH_SECONDS)
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    messages = _Messages(logging.WARNING)
    logger = logging.getLogger("mkdocs")
    logger.addHandler(messages)
    options: dict[str, Any] = {"site_dir": str(site.resolve()), "strict": strict}
    try:
        if config is None:
            empty = site.with_name("empty")
            empty.mkdir()
            loaded = load_config(
                _own_config(pages, empty), config_file_path=str(pages.parent / "mkdocs.yml"), **options
            )
        else:
            loaded = load_config(str(config), **options)
        loaded.extra.update({"kb_pages": str(pages.resolve()), "kb_ready": True, "kb_upkeep": upkeep})
        build(loaded)
    except (MkDocsException, SystemExit) as error:
        first = messages.lines[0] if messages.lines else str(error)
        more = f" (and {len(messages.lines) - 1} more)" if len(messages.lines) > 1 else ""
        raise BuildError(f"{config or pages}: MkDocs stopped: {first}{more}") from None
    finally:
        logger.removeHandler(messages)


class _Messages(logging.Handler):
    """Collects what MkDocs warns of, one line each."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(" ".join(record.getMessage().split()))


def _own_config(pages: Path, empty: Path) -> io.BytesIO:
    data = json.loads((pages / DATA).read_text("utf-8"))
    values = {
        "name": data["titles"][data["languages"][0]],
        "empty": str(empty.resolve()),
        "theme": str(THEME),
        "hook": str(THEME.parent / "events.py"),
    }
    text = _CONFIG.format(**{key: json.dumps(value, ensure_ascii=False) for key, value in values.items()})
    return io.BytesIO(text.encode())


def _beside(pages: Tree) -> list[str]:
    """The files beside the pages that become part of the site as they are."""
    return [
        name
        for name in pages.names()
        if not name.endswith(".md") and not name.startswith(".") and "/." not in name
    ]


def _sync(draft: Path, names: list[str], site: Path) -> list[Path]:
    """Move what was made into the site, touching only files that differ."""
    changed: list[Path] = []
    if not site.exists():
        os.rename(draft, site)
        return [site / name for name in names]
    for name in names:
        target = site / name
        if target.is_file() and filecmp.cmp(draft / name, target, shallow=False):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(draft / name, target)
        changed.append(target)
    return changed


def _link(pages: Path, site: Path, names: list[str]) -> list[Path]:
    """The same bytes under a second name; copies where the file system has no such thing."""
    changed = []
    for name in names:
        source, target = f"{pages}/{name}", f"{site}/{name}"
        try:
            if os.path.samefile(source, target):
                continue
            same = filecmp.cmp(source, target, shallow=False)
        except FileNotFoundError:
            same = False
            os.makedirs(os.path.dirname(target), exist_ok=True)
        draft = f"{target}.part"
        try:
            os.link(source, draft)
        except OSError:
            if same:
                continue
            shutil.copyfile(source, draft)
        os.replace(draft, target)
        if not same:
            changed.append(Path(target))
    return changed
