"""KnowledgeBase -> plain Markdown pages -> the site, through MkDocs with the small theme beside this file."""

from __future__ import annotations

import filecmp
import hashlib
import io
import json
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kb import guides, topics
from kb.editions import Concordance
from kb.errors import BuildError
from kb.model import KnowledgeBase, Ref
from kb.profile import Profile
from kb.publish import (
    files,
    glossary,
    pages_book,
    pages_editions,
    pages_glossary,
    pages_graph,
    pages_guides,
    pages_home,
    pages_law,
    pages_other,
    pages_subjects,
    permalinks,
    scanview,
)
from kb.publish.context import Site

THEME = Path(__file__).parent / "theme"
DATA = ".site.json"
"""What the templates need to know, beside the pages. MkDocs leaves out names that begin with a dot."""
SITE_URL = "KB_SITE_URL"
EPOCH_SECONDS = "315532800"
"""The day of every build, unless SOURCE_DATE_EPOCH says another: the same corpus, the same bytes."""

_CONFIG = """
site_name: {name}
docs_dir: {pages}
theme: {{name: null, custom_dir: {theme}, static_templates: [404.html]}}
hooks: [{hook}]
plugins: []
markdown_extensions: [attr_list, md_in_html]
not_in_nav: "*"
validation: {{anchors: warn}}
"""


def write_pages(
    kb: KnowledgeBase, profile: Profile, folder: Path, editions: Concordance | None = None
) -> list[Path]:
    """Write every page below ``folder`` and remove those of an earlier build that are no more.

    Files of others in the folder (``api``, the search data) stay. Gives the paths that changed. Raises
    InputError when one cannot be written, and for a guide or topic that rests on what is not there.
    """
    site = Site(
        kb,
        profile,
        editions,
        glossary.load(profile),
        tuple(guides.load(profile)),
        tuple(topics.load(profile)),
    )
    # What is only cited has an anchor too.
    known = {entry.ref for entry in kb.entries()}.union(*site.strays.values())
    guides.check(profile, site.guides, known)
    topics.check(profile, site.topics, known)
    changed: list[Path] = []
    made: list[Path] = []
    for name, content in _all(site):
        path = folder / name
        made.append(path)
        if files.write(path, content):
            changed.append(path)
    for name in sorted({path.relative_to(folder).parts[0] for path in made}):
        if (folder / name).is_dir():
            files.prune(folder / name, made)
    return changed


def _all(site: Site) -> Iterator[tuple[str, str | bytes]]:
    """``(path, content)`` of every file, in no particular order but always the same."""
    yield DATA, json.dumps(_data(site), ensure_ascii=False, sort_keys=True, indent=1) + "\n"
    yield "index.md", pages_home.home_page(site)
    law = Ref(site.profile.law_work.name, site.edition)
    yield site.addresses.page(law), pages_other.contents_page(site)
    yield pages_book.page_of(site), pages_book.page(site)
    laws, headings = site.law_pages, site.headings
    for before, ref, after in _neighbours(laws):
        yield site.addresses.page(ref), pages_law.law_page(site, ref, before, after)
    for before, ref, after in _neighbours(headings):
        yield site.addresses.page(ref), pages_other.heading_page(site, ref, before, after)
    for name, work in site.profile.works.items():
        if work.role == "commentary":
            yield site.addresses.page(Ref(name, site.edition)), pages_other.commentary_page(site, name)
    yield "search.md", pages_other.search_page(site)
    yield "offline.md", pages_other.offline_page(site)
    yield "cite/index.md", pages_other.cite_page(site)
    if site.guides:
        yield pages_guides.INDEX, pages_guides.index_page(site)
    for guide in site.guides:
        yield pages_guides.page_of(guide.id), pages_guides.guide_page(site, guide)
    if site.topics:
        yield pages_guides.TOPICS, pages_guides.topics_page(site)
    yield pages_subjects.PAGE, pages_subjects.page(site)
    if site.glossary:
        yield "glossary.md", pages_glossary.page(site)
    more = []
    found = pages_graph.graph(site)
    if found.edges:
        more.append(("citations_title", pages_graph.PAGE))
        yield pages_graph.PAGE, pages_graph.page(site, found)
    if site.editions.others:
        yield "editions.md", pages_editions.editions_page(site)
    yield "about/index.md", pages_other.about_page(site, more)
    yield "about/rights.md", pages_other.rights_page(site)
    yield "about/quality.md", pages_other.quality_page(site)
    yield "sources/index.md", pages_other.sources_page(site)
    used = scanview.used_runs(site)
    for source in site.sources:
        if source.text:
            page = scanview.scan_page(site, source, used.get(source.name, []))
            yield f"sources/{site.scans[source.name]}.md", page
            for strip in site.kb.strips(source.name):
                yield scanview.strip_path(site, strip), strip.png
    yield from permalinks.pages(site, site_url(site.profile))


def _neighbours(refs: list[Ref]) -> Iterator[tuple[Ref | None, Ref, Ref | None]]:
    padded: list[Ref | None] = [None, *refs, None]
    for number, ref in enumerate(refs, 1):
        yield padded[number - 1], ref, padded[number + 1]


def _data(site: Site) -> dict[str, object]:
    """What the templates know: languages, titles, words, the site's sections."""
    law = Ref(site.profile.law_work.name, site.edition)
    sections = [
        ("contents", site.addresses.page(law)),
        *([("guides", pages_guides.INDEX)] if site.guides else []),
        *([("topics", pages_guides.TOPICS)] if site.topics else []),
        ("subjects", pages_subjects.PAGE),
        *([("glossary", "glossary.md")] if site.glossary else []),
        ("sources", "sources/index.md"),
        ("about", "about/index.md"),
    ]
    return {
        "build_id": site.kb.meta.get("build_id", ""),
        "edition": site.edition,
        "languages": list(site.languages),
        "permalinks": {name: work.letter for name, work in site.profile.works.items()},
        "sections": [list(section) for section in sections],
        "site_url": site_url(site.profile),
        "strings": site.strings.all_both(),
        "plain": {key: site.strings.plain(key) for key in PLAIN},
        "titles": {lang: site.profile.titles.get(lang, site.profile.name) for lang in site.languages},
        "title": site.strings.words({lang: site.profile.titles.get(lang, "") for lang in site.languages}),
    }


PLAIN = (
    "copied",
    "guide_trail",
    "lang_both",
    "language",
    "main_nav",
    "pinned_said",
    "search",
    "search_failed",
    "search_none",
    "see_all",
    "suggestions",
    "tools",
    "unpin",
    "unpinned_said",
    "short_not_supplied",
    "short_partial",
    "short_repealed",
)
"""Strings that the scripts say, or that stand in attributes."""


def site_url(profile: Profile) -> str:
    """The address the site will have, ending in ``/``: KB_SITE_URL, else ``[site] url`` of the profile."""
    url = os.environ.get(SITE_URL) or str(profile.data.get("site", {}).get("url", ""))
    return url.rstrip("/") + "/" if url else ""


def build_site(pages: Path, site: Path, config: Path | None = None, strict: bool = True) -> list[Path]:
    """Run MkDocs over ``pages`` into ``site``. Gives the files that changed; none when no input has.

    ``config`` is an ``mkdocs.yml``; without one the theme's own settings do. Raises BuildError when MkDocs
    finds a fault, under ``strict`` also a dead link; the site then stays as it was.
    """
    stamp = site.with_name(f".{site.name}.sha256")
    digest = _digest(pages, config)
    if site.is_dir() and stamp.is_file() and stamp.read_text() == digest:
        return []
    if not (pages / DATA).is_file():
        raise BuildError(f"{pages}: no pages there; run `kb build --only pages,site`")
    site.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".site-", dir=site.parent) as temporary:
        _run_mkdocs(pages, Path(temporary), config, strict)
        stamp.unlink(missing_ok=True)
        changed = _sync(Path(temporary), site)
    files.write(stamp, digest)
    return changed


def _run_mkdocs(pages: Path, site: Path, config: Path | None, strict: bool) -> None:
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
            loaded = load_config(
                _own_config(pages), config_file_path=str(pages.parent / "mkdocs.yml"), **options
            )
        else:
            loaded = load_config(str(config), **options)
        loaded.extra.update({"kb_pages": str(pages.resolve()), "kb_ready": True})
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


def _own_config(pages: Path) -> io.BytesIO:
    data = json.loads((pages / DATA).read_text("utf-8"))
    values = {
        "name": data["titles"][data["languages"][0]],
        "pages": str(pages.resolve()),
        "theme": str(THEME),
        "hook": str(THEME.parent / "events.py"),
    }
    text = _CONFIG.format(**{key: json.dumps(value, ensure_ascii=False) for key, value in values.items()})
    return io.BytesIO(text.encode())


def _sync(new: Path, site: Path) -> list[Path]:
    """Make ``site`` equal to ``new``, touching only files that differ."""
    kept: list[Path] = []
    changed: list[Path] = []
    for path in sorted(new.rglob("*")):
        if path.is_dir():
            continue
        target = site / path.relative_to(new)
        kept.append(target)
        if target.is_file() and filecmp.cmp(path, target, shallow=False):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(path, target)
        changed.append(target)
    files.prune(site, kept)
    return changed


def _digest(pages: Path, config: Path | None) -> str:
    """A hash of all that the site is made from: pages, theme, settings, the documentation beside them."""
    import mkdocs

    digest = hashlib.sha256(f"{mkdocs.__version__} {os.environ.get(SITE_URL, '')}".encode())
    roots = [pages, THEME]
    if config is not None:
        digest.update(config.read_bytes())
        roots.append(config.parent / "docs")
    for code in sorted(THEME.parent.glob("*.py")):
        digest.update(code.read_bytes())
    for root in roots:
        for path in sorted(root.rglob("*")) if root.is_dir() else []:
            if path.is_file():
                digest.update(f"{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest() + "\n"
