"""Which pages MkDocs need not make again, and what the others must know of them.

A page depends on its Markdown, on the theme, settings and program, and on whether the files it links to are
there. Of a page that is kept its anchors are remembered, and its links to the anchors of others: both are
checked as if MkDocs had made it.
"""

from __future__ import annotations

import hashlib
import logging
import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kb.kept import program_hash
from kb.publish import files
from kb.publish.offline import Size, is_kept, left_out, size

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.pages import Page

ALWAYS = "offline.md"
"""The page that tells how large all others are."""
# Each begins with letters of its own: so they are found many times as fast as in one pattern.
_TARGETS = [
    re.compile(pattern)
    for pattern in (
        r"\]\(<?([^)\s>#?]+)",
        r'href="([^"#?]+)',
        r'src="([^"#?]+)',
        r"""\ndata: *["']?([^"'\n]+)""",
        r"""\ntemplate: *["']?([^"'\n]+)""",
    )
]


class Made(NamedTuple):
    """A page: its file, the hash of what it was made from, its size, its anchors, its links to others'; the
    hash of its Markdown, and what that may lead to."""

    name: str
    hash: str
    size: Size
    anchors: list[str]
    links: dict[str, dict[str, str]]
    source: str
    targets: Sequence[str]


class Upkeep:
    """What one build of the site keeps of the one before."""

    def __init__(self, site: Path, rows: Iterable[list[Any]]) -> None:
        self._site = site
        self._before: dict[str, Made] = {}
        self._sizes_before: dict[str, Size] = {}
        for row in rows:
            if len(row) == 8:
                self._before[row[0]] = Made(row[1], row[2], Size(*row[3]), *row[4:])
            elif len(row) == 2:
                self._sizes_before[row[0]] = Size(*row[1])
        self._hashes: dict[str, str] = {}
        self._read: dict[str, tuple[str, Sequence[str]]] = {}
        self._kept: dict[str, Made] = {}
        self._made: dict[str, Made] = {}
        self._sizes: dict[str, Size] = {}
        self.contents: dict[str, bytes] = {}
        """The Markdown of the pages that have to be made."""
        self.data: Mapping[str, Any] = {}

    def sort_out(self, found: Files, config: MkDocsConfig) -> None:
        """Hide the pages that need not be made from MkDocs: their files still count as link targets."""
        self.data = config.extra["kb"]
        given, known = _given(config, found), found.src_uris
        for file in list(found):
            if not file.is_documentation_page():
                continue
            path = str(file.abs_src_path)
            with open(path, "rb") as stream:
                content = stream.read()
            before = self._before.get(file.src_uri)
            source = hashlib.sha256(content).hexdigest()[:32]
            same = before is not None and before.source == source
            targets = (
                before.targets
                if before and same
                else _targets(file.src_uri, content.decode("utf-8", "replace"))
            )
            self._read[file.src_uri] = source, targets
            there = "".join("+" if target in known else "-" for target in targets)
            made = hashlib.sha256(given + f"{source} {there}".encode())
            self._hashes[file.src_uri] = made.hexdigest()[:32]
            same = before is not None and before.hash == self._hashes[file.src_uri]
            if before and same and file.src_uri != ALWAYS and os.path.exists(self._site / before.name):
                self._kept[file.src_uri] = before
                _keep(file, before, config)
            else:
                self.contents[file.src_uri] = content

    def made(self, page: Page, output: str) -> None:
        """A page that MkDocs has made."""
        links = {
            to.src_uri: dict(sorted(anchors.items())) for to, anchors in (page.links_to_anchors or {}).items()
        }
        name = page.file.src_uri
        self._made[name] = Made(
            page.file.dest_uri,
            self._hashes[name],
            size(output.encode("utf-8", errors="xmlcharrefreplace"), page.file.dest_uri),
            sorted(page.present_anchor_ids or ()),
            dict(sorted(links.items())),
            *self._read[name],
        )

    def check(self, level: int) -> None:
        """Links of kept pages to anchors that pages made now no longer have: told as MkDocs tells them."""
        logger = logging.getLogger("mkdocs.structure.pages")
        anchors = {name: frozenset(made.anchors) for name, made in self._made.items()}
        for name, kept in sorted(self._kept.items()):
            for target, links in kept.links.items():
                for anchor, link in links.items() if target in anchors else ():
                    if anchor not in anchors[target]:
                        logger.log(
                            level,
                            f"Doc file '{name}' contains a link '{link}', but the doc '{target}' does not "
                            f"contain an anchor '#{anchor}'.",
                        )

    def kept_names(self) -> set[str]:
        """The files of the pages that stand as they are."""
        return {kept.name for kept in self._kept.values()}

    def files(self, draft: Path, pages: Path, beside: Iterable[str]) -> dict[str, Path | Size]:
        """Every file of the site that is kept on a device: where it is, or its size."""
        left = left_out(self.data)
        self._sizes = {name: self._size(name, pages) for name in beside if is_kept(name, left)}
        found: dict[str, Path | Size] = {**self._sizes}
        found |= {name: draft / name for name, _ in files.sizes(draft)}
        found |= {made.name: made.size for name, made in self._made.items() if name != ALWAYS}
        found |= {kept.name: kept.size for kept in self._kept.values()}
        return found

    def _size(self, name: str, pages: Path) -> Size:
        """That of a file beside the pages. While the site has the very file, it was not written since."""
        path = f"{pages}/{name}"
        before = self._sizes_before.get(name)
        if before is not None:
            with suppress(FileNotFoundError):
                if os.path.samefile(path, f"{self._site}/{name}"):
                    return before
        with open(path, "rb") as stream:
            return size(stream.read(), name)

    def rows(self) -> Iterator[list[object]]:
        """What is kept for the next build."""
        for name, made in sorted((self._kept | self._made).items()):
            yield [name, *made]
        for name, found in sorted(self._sizes.items()):
            yield [name, found]


def _given(config: MkDocsConfig, found: Files) -> bytes:
    """A hash of all that every page is made from."""
    import markdown
    import mkdocs

    shared = {key: value for key, value in config.extra["kb"].items() if key != "build_id"}
    told: list[object] = [
        mkdocs.__version__,
        markdown.__version__,
        program_hash(),
        sorted(shared.items()),
        config.site_url,
    ]
    told += [os.environ.get("SOURCE_DATE_EPOCH"), "linker-data.js" in found.src_uris]
    made = hashlib.sha256(repr(told).encode())
    settings = config.config_file_path
    more = [settings] if settings and os.path.isfile(settings) else []
    for path in [*more, *(str(config.hooks[name].__file__) for name in sorted(config.hooks))]:
        made.update(Path(path).read_bytes())
    return made.digest()


def _targets(page: str, text: str) -> list[str]:
    """The files that a page may lead to or ask for, by their names from the root of the pages."""
    folder = posixpath.dirname(page)
    found = {target for pattern in _TARGETS for target in pattern.findall(text)}
    return sorted(found.union(_near(folder, target) for target in found))


@lru_cache(4096)
def _near(folder: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(folder, target))


def _keep(file: File, made: Made, config: MkDocsConfig) -> None:
    """Make it a file that MkDocs links to and does not touch."""
    from mkdocs.structure.pages import Page

    page = Page(None, file, config)
    page.present_anchor_ids = set(made.anchors)
    # What is computed once from what kind of file it is.
    _ = file.dest_uri, file.url
    file.__class__ = _untouched()


@cache
def _untouched() -> type[File]:
    from mkdocs.structure.files import File as FileType

    class Kept(FileType):
        def is_documentation_page(self) -> bool:
            return False

        def copy_file(self, dirty: bool = False) -> None:
            pass

    return Kept
