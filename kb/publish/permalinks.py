"""Small pages at addresses that never move. Each names its place, unfurls in a chat, and leads on."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator

from kb.model import Ref
from kb.publish.context import DESCRIPTION, Site
from kb.publish.markup import visible
from kb.publish.pages_law import name_and_title

_PAGE = """<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; base-uri 'none'">
<title>{title}</title>
<meta name="description" content="{description}">
<link rel="canonical" href="{canonical}">
<meta property="og:type" content="article">
<meta property="og:site_name" content="{site}">
<meta property="og:title" content="{title}">
<meta property="og:description" content="{description}">
<meta property="og:url" content="{canonical}">
<meta http-equiv="refresh" content="0; url={target}">
<link rel="stylesheet" href="{root}site.css">
</head>
<body class="permalink">
<main>
<h1>{heading}</h1>
<p>{leads} <a href="{target}">{name}</a></p>
<p>{description}</p>
</main>
</body>
</html>
"""


def refs(site: Site) -> list[Ref]:
    """What has a permalink: every entry, and every cited place with an anchor."""
    found = [ref for ref in site.refs if ref.path]
    return list(dict.fromkeys([*found, *(ref for page in sorted(site.strays) for ref in site.strays[page])]))


def pages(site: Site, refs: Iterable[Ref], base: str = "") -> Iterator[tuple[str, str]]:
    """``(path, html)`` of each permalink page of some refs.

    ``base`` is the address of the site, ending in ``/``; without it the canonical address is relative.
    """
    for ref in refs:
        addresses = site.addresses.permalinks(ref)
        said, url = _said(site, ref), site.addresses.url(ref)
        for path in addresses:
            root = "../" * path.count("/")
            page = _PAGE.format(
                **said,
                canonical=html.escape((base or root) + addresses[0]),
                target=html.escape(root + url),
                root=root,
            )
            yield f"{path}index.html", page


def _said(site: Site, ref: Ref) -> dict[str, str]:
    """What both pages of a place say."""
    lang = site.languages[0]
    names = [name_and_title(site, ref, code) for code in site.languages]
    title = visible(" / ".join(dict.fromkeys(names)))
    return {
        "lang": lang,
        "title": html.escape(title),
        "heading": html.escape(visible(names[0])),
        "name": html.escape(visible(site.human(ref, lang))),
        "leads": site.strings.both("permalink_leads"),
        "description": html.escape(text_of(site, ref)),
        "site": html.escape(site.profile.titles.get(lang, site.profile.name)),
    }


def text_of(site: Site, ref: Ref) -> str:
    """The beginning of a place's own text, else of the first below it that has one, else its state."""
    for place in [ref, *site.kb.children(ref)]:
        for node in site.nodes(place).values():
            if node.text.strip():
                text = visible(node.text)
                return text if len(text) <= DESCRIPTION else text[: DESCRIPTION - 1].rpartition(" ")[0] + "…"
    lang = site.languages[0]
    status = site.status(ref)
    title = site.title_text(ref, lang)
    state = site.strings.text("state_" + status.replace("-", "_"), lang)
    return visible(f"{title}. {state}" if title else state)
