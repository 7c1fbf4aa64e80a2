"""A page of ours in MkDocs: read and made into HTML the quick way, wherever that gives the same."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from jinja2 import pass_context
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url
from mkdocs.utils.templates import url_filter

from kb.publish import quick
from kb.publish.stash import put_aside, put_back

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

EXTENSIONS = frozenset({"toc", "tables", "fenced_code", "attr_list", "md_in_html"})
"""What `quick` gives the HTML of: the settings of our own, and what MkDocs adds."""
_KEY = re.compile(r"[a-z]+")
# What YAML reads otherwise than JSON, or not at all.
_ODD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ID = re.compile(r' id="([^"]*)"')


class Links:
    """Where the links of one build's pages lead, each worked out once for all pages of a folder."""

    def __init__(self, files: Files) -> None:
        self._files = files.src_uris
        self._found: dict[tuple[str, str], tuple[File, str] | None] = {}

    def of(self, page: File, path: str) -> tuple[File, str] | None:
        """The file a path leads to, and its address as seen from the page; None when it is not there."""
        folder = posixpath.dirname(page.src_uri)
        if page.name == "index":
            return self._find(page, folder, path)
        key = folder, path
        if key not in self._found:
            self._found[key] = self._find(page, folder, path)
        found = self._found[key]
        if found is not None and found[0].url.startswith(page.url):
            return self._find(page, folder, path)
        return found

    def _find(self, page: File, folder: str, path: str) -> tuple[File, str] | None:
        target = self._files.get(posixpath.normpath(posixpath.join(folder, path)))
        if target is None or target.inclusion.value <= InclusionLevel.DRAFT.value:
            return None
        # Of what lies below the page itself the address is another from its neighbours.
        return target, get_relative_url(target.url, page.url)


class Beside(File):
    """A file that MkDocs links to and does not copy: the site gets the file itself."""

    def copy_file(self, dirty: bool = False) -> None:
        """Nothing."""


class ReadyPage(Page):
    """A page whose Markdown and front matter are of our own making.

    MkDocs renders all pages before it writes the first: until then each is kept as bytes, of which Cyrillic
    text with its tags needs half as many, and its Markdown goes once it is rendered.
    """

    _kept: bytes | None = None
    _shown: str | None = None

    @property
    def content(self) -> str | None:
        """The HTML; None before it is rendered."""
        if self._shown is None and self._kept is not None:
            self._shown = self._kept.decode("utf-8", "surrogatepass")
        return self._shown

    @content.setter
    def content(self, content: str | None) -> None:
        if content is None:
            self._kept = None
        elif content is not self._shown:
            self._kept = content.encode("utf-8", "surrogatepass")
        self._shown = None

    def __init__(self, file: File, config: MkDocsConfig, links: Links, contents: dict[str, bytes]) -> None:
        """``contents``: what has been read of files already, by name; each is given away once."""
        super().__init__(None, file, config)
        self._links = links
        self._contents = contents

    def read_source(self, config: MkDocsConfig) -> None:
        """Take the front matter as the JSON it is; what is not, as MkDocs does."""
        content = self._contents.pop(self.file.src_uri, None)
        source = (self.file.content_bytes if content is None else content).decode("utf-8-sig")
        read = None if config.plugins.events["page_read_source"] else _front_matter(source)
        if read is None:
            super().read_source(config)
        else:
            self.meta, self.markdown = read

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """The HTML, its anchors, and the links to anchors that MkDocs checks."""
        known = EXTENSIONS.issuperset(config.markdown_extensions) and not config.mdx_configs
        self.links_to_anchors = {}
        content = quick.render(self.markdown or "", self._link) if known else None
        if content is None:
            self._render_plainly(config, files)
        else:
            self.content = content
            self.present_anchor_ids = set(_anchors(content))
        self.markdown = ""

    def _render_plainly(self, config: MkDocsConfig, files: Files) -> None:
        """By Python-Markdown, which spends half of its time on inline tags: they are put aside."""
        self.markdown, aside = put_aside(self.markdown or "")
        super().render(config, files)
        self.content = put_back(self.content or "", aside)

    def _link(self, address: str) -> str | None:
        path, mark, anchor = address.partition("#")
        if ":" in address or path.startswith("/") or (mark and not anchor):
            return None
        found = self._links.of(self.file, path) if path else (self.file, "")
        if found is None:
            return None
        target, url = found
        if anchor and self.links_to_anchors is not None:
            self.links_to_anchors.setdefault(target, {}).setdefault(anchor, address)
        return f"{url}{mark}{anchor}"


def _anchors(content: str) -> Iterator[str]:
    """The ids of the elements: found by what is seldom, and then seen to stand in a tag."""
    for found in _ID.finditer(content):
        at = found.start()
        if content.rfind("<", 0, at) > content.rfind(">", 0, at):
            yield found[1]


def _front_matter(source: str) -> tuple[dict[str, object], str] | None:
    """What ``markup.front_matter`` has written, and the Markdown; None for any other."""
    end = source.find("\n---\n", 3)
    if not source.startswith("---\n") or end < 0 or _ODD.search(source, 0, end) or "\r" in source:
        return None
    values: dict[str, object] = {}
    for line in source[4:end].split("\n"):
        key, _, value = line.partition(": ")
        try:
            values[key] = json.loads(value)
        except ValueError:
            return None
        if not _KEY.fullmatch(key):
            return None
    return values, source[end + 5 :].lstrip("\n")


class Frame:
    """What the templates write alike on all pages of a folder: addresses, and parts of the page around them.

    Each is made once. A page differs from its neighbours where an address is its own or lies below it.
    """

    def __init__(self) -> None:
        self._urls: dict[tuple[str, str], str] = {}
        self._parts: dict[tuple[str, str], str] = {}
        self._above: set[str] = set()

    @pass_context
    def url(self, context: Any, value: str) -> str:
        """The templates' ``url`` filter: an address as seen from the page."""
        page = context["page"]
        if page is None or page.file.name == "index" or value.startswith(("/", "#", "../")):
            return str(url_filter(context, value))
        if value.startswith(page.url):
            self._above.add(page.url)
            return str(url_filter(context, value))
        key = posixpath.dirname(page.url.rstrip("/")), value
        if key not in self._urls:
            self._urls[key] = str(url_filter(context, value))
            steps = value.split("/")[:-1]
            self._above.update("/".join(steps[:count]) + "/" for count in range(1, len(steps) + 1))
        return self._urls[key]

    @pass_context
    def part(self, context: Any, name: str, caller: Callable[[], str]) -> str:
        """A part of a template, by its name: ``{% call part('foot') %}…{% endcall %}``."""
        page = context["page"]
        if page is None or page.file.name == "index":
            return caller()
        key = posixpath.dirname(page.url.rstrip("/")), name
        made = self._parts.get(key) if page.url not in self._above else caller()
        if made is None:
            made = caller()
            if page.url not in self._above:
                self._parts[key] = made
        return made
