"""Reads a built site as a browser would, without one: elements, ids, links, and what breaks the rules."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
)


@dataclass
class Page:
    """One HTML file. ``path`` counts from the root of the site."""

    path: str
    ids: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    """(element, address) of every href, src and refresh."""
    external: list[str] = field(default_factory=list)
    """Addresses an editor has listed, marked ``rel=external``."""
    faults: list[str] = field(default_factory=list)
    title: str = ""
    meta: dict[str, str] = field(default_factory=dict)
    canonical: str = ""
    lang: str = ""
    text: list[tuple[str, str]] = field(default_factory=list)
    """(language, text) in order."""


class Reader(HTMLParser):
    """Fills a Page. An element that is closed out of order, or never, is a fault."""

    def __init__(self, path: str) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page(path)
        self.stack: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        page = self.page
        page.faults += [
            f"two attributes {key} on <{tag}>" for key, n in Counter(k for k, _ in attrs).items() if n > 1
        ]
        page.faults += [f"inline {key} on <{tag}>" for key in given if key.startswith("on") or key == "style"]
        if "markdown" in given:
            page.faults.append(f"markdown attribute left on <{tag}>")
        if "id" in given:
            page.ids.append(given["id"])
        for key in ("href", "src", "action"):
            if key in given:
                kept = page.external if "external" in given.get("rel", "").split() else None
                page.links.append((tag, given[key])) if kept is None else kept.append(given[key])
        if tag == "meta":
            page.meta[given.get("name") or given.get("property") or given.get("http-equiv", "")] = given.get(
                "content", ""
            )
            if given.get("http-equiv") == "refresh":
                page.links.append((tag, given["content"].partition("url=")[2]))
        if tag == "link" and given.get("rel") == "canonical":
            page.canonical = given["href"]
        if tag == "html":
            page.lang = given.get("lang", "")
        if tag == "script" and "src" not in given and given.get("type") != "application/ld+json":
            page.faults.append("inline script")
        if tag == "style":
            page.faults.append("inline style")
        if tag not in VOID:
            outer = self.stack[-1][1] if self.stack else ""
            self.stack.append((tag, given.get("lang", outer)))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self.stack or self.stack[-1][0] != tag:
            self.page.faults.append(f"</{tag}> closes {self.stack[-1][0] if self.stack else 'nothing'}")
        if any(open_tag == tag for open_tag, _ in self.stack):
            while self.stack.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self.stack and self.stack[-1][0] == "title":
            self.page.title += data
        elif self.stack and data.strip() and self.stack[-1][0] != "script":
            self.page.text.append((self.stack[-1][1], data))

    def finish(self) -> Page:
        self.close()
        self.page.faults += [f"<{tag}> is never closed" for tag, _ in self.stack]
        self.page.faults += [
            f"id {name!r} stands {n} times" for name, n in Counter(self.page.ids).items() if n > 1
        ]
        return self.page


def read(site: Path) -> dict[str, Page]:
    """Every HTML file of a site by its path from the root."""
    pages = {}
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        reader = Reader(name)
        reader.feed(path.read_text("utf-8"))
        pages[name] = reader.finish()
    return pages


def dead(site: Path, pages: dict[str, Page]) -> Iterator[str]:
    """Links and sources that leave the site, or lead to no file or no id."""
    ids = {name: frozenset(page.ids) for name, page in pages.items()}
    for name, page in pages.items():
        for tag, address in page.links:
            fault = _fault(site, ids, name, tag, address)
            if fault:
                yield f"{name}: <{tag}> {address!r}: {fault}"


def _fault(site: Path, ids: dict[str, frozenset[str]], name: str, tag: str, address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return "another host"
    base = "" if parts.path.startswith("/") else posixpath.dirname(name)
    target = posixpath.normpath(posixpath.join(base, unquote(parts.path).lstrip("/"))) if parts.path else name
    if target.startswith(".."):
        return "above the site"
    path = site / target
    if path.is_dir():
        target = posixpath.join(target, "index.html").removeprefix("./")
        path = path / "index.html"
    if not path.is_file():
        return "no such file"
    if parts.fragment and unquote(parts.fragment) not in ids.get(target, frozenset()):
        return "no such id"
    return ""
