"""What MkDocs is told beside its settings: where the pages are, and the words of the templates.

A hooks file of MkDocs 1.x: ``hooks: [kb/publish/events.py]``. Pages come from ``extra.kb_pages``, else from
``build/pages`` beside the settings file; with another ``docs_dir`` its files go below ``docs/``.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb import progress
from kb.publish import files as files_below
from kb.publish import offline

if TYPE_CHECKING:
    import jinja2
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.pages import Page

    from kb.publish.upkeep import Upkeep

THEME = Path(__file__).parent / "theme"
DATA = ".site.json"
DOCS = "docs"
_CLOSED = re.compile(r"<((?:br|hr|img)\b[^<>]*?) />")
_serving = False
_steps: progress.Steps = progress.UNSEEN
"""The pages of the build under way: MkDocs goes through them itself."""


def on_startup(*, command: str, dirty: bool) -> None:
    """Remember whether this is ``mkdocs serve``, whose reload script a strict CSP would stop."""
    global _serving
    _serving = command == "serve"
    os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800")


def pages_folder(config: MkDocsConfig) -> Path:
    """Where the pages are."""
    given = config.extra.get("kb_pages")
    base = Path(config.config_file_path).parent if config.config_file_path else Path.cwd()
    return Path(str(given)) if given else base / "build" / "pages"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Hand the words and sections to the templates; the site's address, unless the settings have one."""
    path = pages_folder(config) / DATA
    if not path.is_file():
        from mkdocs.exceptions import PluginError

        raise PluginError(f"{path.parent}: no pages there; run `kb build --only pages`")
    data = json.loads(path.read_text("utf-8"))
    config.extra["kb"] = data
    config.extra["csp"] = not _serving
    if not config.site_url and data["site_url"]:
        config.site_url = data["site_url"]
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """All files of the site: the pages at the top, the documentation below ``docs/``."""
    from mkdocs.structure.files import Files as FilesType
    from mkdocs.structure.files import InclusionLevel

    from kb.publish.small import make_smaller

    pages = pages_folder(config)
    docs = Path(config.docs_dir).resolve()
    own = docs == pages.resolve()
    letters = _letters(config)
    kept: dict[str, File] = {}
    for file in files:
        inside = file.src_dir is not None and Path(file.src_dir).resolve() == docs
        moved = _file(f"{DOCS}/{file.src_uri}", docs.parent, config) if inside and not own else file
        if inside and not own and docs.name != DOCS:
            moved.abs_src_path = str(docs / file.src_uri)
        kept[moved.src_uri] = moved
    if not own:
        for name in _names(pages, letters):
            kept[name] = _file(name, pages, config)
    kept = {name: file for name, file in kept.items() if name.split("/")[0] not in letters}
    for file in kept.values():
        if file.inclusion is InclusionLevel.UNDEFINED:
            file.inclusion = InclusionLevel.NOT_IN_NAV
    found = FilesType(kept.values())
    make_smaller(found, THEME)
    config.extra["kb_files"] = list(found.documentation_pages())
    if upkeep := _upkeep(config):
        upkeep.sort_out(found, config)
    global _steps
    _steps = progress.begin("rendering pages", len(found.documentation_pages()))
    if str(THEME) in config.theme.dirs:
        _make_ready(found, config)
    return found


def _make_ready(files: Files, config: MkDocsConfig) -> None:
    """The pages of the corpus read and render themselves; the documentation is MkDocs' own affair."""
    from kb.publish.ready import Links, ReadyPage

    links, upkeep = Links(files), _upkeep(config)
    for file in files.documentation_pages():
        if not file.src_uri.startswith(f"{DOCS}/"):
            ReadyPage(file, config, links, upkeep.contents if upkeep else {})


def _upkeep(config: MkDocsConfig) -> Upkeep | None:
    """What is kept of an earlier build; None where MkDocs is run by hand."""
    found: Upkeep | None = config.extra.get("kb_upkeep")
    return found


def _names(pages: Path, letters: frozenset[str]) -> list[str]:
    """The files below a folder that MkDocs gets; permanent addresses go straight into the site."""
    names = (name for name, _ in files_below.sizes(pages, letters))
    return [name for name in names if not name.startswith(".") and "/." not in name]


def _letters(config: MkDocsConfig) -> frozenset[str]:
    """The folders of the permanent addresses."""
    return frozenset(config.extra["kb"].get("permalinks", {}).values())


def _file(name: str, folder: Path, config: MkDocsConfig) -> File:
    from mkdocs.structure.files import File as FileType

    from kb.publish.ready import Beside

    made = Beside if _upkeep(config) else FileType
    return made(name, str(folder), config.site_dir, config.use_directory_urls)


def on_env(env: jinja2.Environment, *, config: MkDocsConfig, files: Files) -> jinja2.Environment:
    """``t(key)``: an interface string in each language, as HTML."""
    from kb.publish.compiled import Compiled
    from kb.publish.ready import Frame

    if str(THEME) in config.theme.dirs:
        env.bytecode_cache = Compiled()
    frame = Frame()
    strings: dict[str, str] = config.extra["kb"]["strings"]
    env.globals["t"] = strings.__getitem__
    env.globals["address"] = _addresses(files)
    env.globals["part"] = frame.part
    env.filters["url"] = frame.url
    env.globals["has"] = lambda path: files.get_file_from_path(path) is not None
    return env


def on_template_context(context: Any, *, template_name: str, config: MkDocsConfig) -> Any:
    """The site map tells of all pages, also of those that stand as they are."""
    context["pages"] = config.extra["kb_files"]
    return context


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """HTML, where Python-Markdown writes XHTML."""
    return _CLOSED.sub(r"<\1>", html) if " />" in html else html


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Remember what a page was made from, and let go of what it was made of."""
    if upkeep := _upkeep(config):
        upkeep.made(page, output)
        page.content = None
    _steps.step()
    return output


def on_build_error(*, error: Exception) -> None:
    """The line of the bar ends before that of the error begins."""
    _steps.close()


def on_post_build(*, config: MkDocsConfig) -> None:
    """Add the permanent addresses, and what makes the site an app.

    No app while serving: a page kept on the device would hide every change.
    """
    _steps.close()
    if upkeep := _upkeep(config):
        upkeep.check(config.validation.links.anchors)
        return
    pages, site = pages_folder(config), Path(config.site_dir)
    for letter in sorted(_letters(config)):
        for path in sorted((pages / letter).rglob("*")):
            target = site / path.relative_to(pages)
            if path.is_dir():
                target.mkdir(parents=True, exist_ok=True)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
    if not _serving:
        found = {name: site / name for name, _ in files_below.sizes(site)}
        offline.finish(site, found, config.extra["kb"], THEME)


def _addresses(files: Files) -> Any:
    def address(page: str) -> str:
        file = files.get_file_from_path(page)
        if file is None:
            raise KeyError(page)
        return file.url

    return address
