"""Which parts of a page are the site's and not the text's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kb.lang import words

if TYPE_CHECKING:
    from bs4 import Tag

PARTS = words("nav footer aside form button menu dialog")
ROLES = words("navigation banner contentinfo search complementary menu menubar toolbar dialog")
_HOLDERS = words("div ul ol table td tr p center section span header")
_NAMES = re.compile(
    r"(?:^|[-_\s])(?:nav|navi|navbar|navigation|menu|submenu|sidebar|breadcrumbs?|pagination|pager|pages|"
    r"paginator|footer|share|sharing|social|banner|ads?|advert|cookies?|login|search|toolbar|fontsize|"
    r"font-size|counter|related|widget|prevnext|copyright)(?:$|[-_\s])",
    re.IGNORECASE,
)
_MAIN = 0.5
"""Share of the page's text that <main> must hold to be all of it; no part of the site holds more."""


class _Sizes:
    """Letters of each element, letters in links below it, and the number of links."""

    def __init__(self, body: Tag, unseen: frozenset[str]) -> None:
        from bs4 import NavigableString, Tag
        from bs4.element import PreformattedString

        self.text: dict[int, int] = {}
        self.linked: dict[int, int] = {}
        self.links: dict[int, int] = {}
        for node in reversed(list(body.descendants)):
            here, up = id(node), id(node.parent)
            if isinstance(node, Tag):
                if node.name in unseen:
                    continue
                text = self.text.get(here, 0)
                link = node.name == "a"
                linked = text if link else self.linked.get(here, 0)
                links = 1 if link else self.links.get(here, 0)
                self.linked[up] = self.linked.get(up, 0) + linked
                self.links[up] = self.links.get(up, 0) + links
            elif isinstance(node, NavigableString) and not isinstance(node, PreformattedString):
                text = len("".join(str(node).split()))
            else:
                continue
            self.text[up] = self.text.get(up, 0) + text


def find_chrome(body: Tag, unseen: frozenset[str]) -> dict[int, str]:
    """Elements to drop: ``id`` of the element -> the rule it is logged under.

    By tag and role, by the names sites give such parts, as rows of links, or as what stands outside the
    one <main> or <article> that holds the text. Nothing that holds half of the page's text is dropped.
    """
    sizes = _Sizes(body, unseen)
    whole = sizes.text.get(id(body), 0)
    found: dict[int, str] = {}
    main = _main(body, sizes, whole)
    if main is not None:
        for outer in [main, *main.parents]:
            if outer is body:
                break
            for sibling in [*outer.find_previous_siblings(), *outer.find_next_siblings()]:
                found[id(sibling)] = "page-chrome"
    for node in body.find_all(True):
        text = sizes.text.get(id(node), 0)
        if text and text <= whole * _MAIN and id(node) not in found:
            rule = _rule(node, text, sizes)
            if rule:
                found[id(node)] = rule
    return found


def _main(body: Tag, sizes: _Sizes, whole: int) -> Tag | None:
    nodes: list[Tag] = body.find_all(["main", "article", "div", "section"])
    for node in nodes:
        named = node.name in ("main", "article") or node.get("role") == "main"
        if named and sizes.text.get(id(node), 0) >= whole * _MAIN:
            return node
    return None


def _rule(node: Tag, text: int, sizes: _Sizes) -> str:
    if node.name in PARTS or str(node.get("role", "")).lower() in ROLES:
        return "page-chrome"
    if node.name in _HOLDERS:
        links, linked = sizes.links.get(id(node), 0), sizes.linked.get(id(node), 0)
        if links >= 4 and linked * 10 >= text * 8:
            return "page-navigation"
        classes = node.get("class") or []
        names = " ".join([*([classes] if isinstance(classes, str) else classes), str(node.get("id", ""))])
        if _NAMES.search(names):
            return "page-chrome"
    return ""
