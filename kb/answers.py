"""Questions to a Library answered in the shapes of INTERFACES: for the command line, HTTP and assistants."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from kb import address
from kb.counterparts import Asked, counterparts
from kb.errors import InputError
from kb.library import Library, Provision
from kb.model import Link, Ref
from kb.publish import api, exports, strings

if TYPE_CHECKING:
    from kb.search import SearchResult

_SNIPPET = 160
"""Code points of a text that an answer begins to quote."""
_MOST_REMEMBERED = 20_000
"""Refs of which it is remembered what answers say of them."""
_STATES = ("resolved", "not-supplied", "other-edition", "ambiguous", "unknown", "foreign")
"""From the best to the worst."""


def search(
    base: Library,
    query: str,
    lang: str | None = None,
    work: str | None = None,
    limit: int = 20,
    explain: bool = False,
) -> dict[str, Any]:
    """``kb search --json``, with the build it comes from."""
    return {**_found(base, query, lang, work, limit, explain).as_json(), "build": base.build_id}


def search_written(
    base: Library, query: str, lang: str | None = None, work: str | None = None, limit: int = 20
) -> bytes:
    """``search`` as JSON in UTF-8, keys sorted."""
    return _found(base, query, lang, work, limit, False).as_bytes(base.build_id)


def _found(
    base: Library, query: str, lang: str | None, work: str | None, limit: int, explain: bool
) -> SearchResult:
    _known_lang(base, lang)
    _known_work(base, work)
    return base.search(query, lang=lang, work=work, limit=limit, explain=explain)


def provision(base: Library, found: Provision, lang: str | None = None) -> dict[str, Any]:
    """A provision with what is below it, its commentary, and citations in: ``kb show --json``.

    The row of the first language (or of ``lang``) stands at the top; ``nodes`` has the rows of all languages.
    """
    rows = found.rows
    first = next((row for row in rows if row["lang"] == lang), rows[0])
    return {
        **first,
        "titles": dict(found.title),
        "title_basis": dict(found.title_basis),
        "nodes": rows,
        "parent": str(found.entry.parent) if found.entry.parent else None,
        "children": [
            row for child in found.children for row in exports.tree_rows(base.kb, base.profile, child.ref)
        ],
        "commentary": [
            row
            for comment in found.commentary
            for row in exports.tree_rows(base.kb, base.profile, comment.ref)
        ],
        "cited_by": [
            {"ref": str(p.at), "lang": p.lang, "surface": p.link.citation.surface, "target": str(below.ref)}
            for below in found.walk()
            for p in below.cited_by
        ],
        "sha256_whole": api.index_row(base.kb, base.profile, found.entry)["sha256_whole"],
        "permalink": found.permalink,
        **_snippet(base, found.ref),
        "build": base.build_id,
    }


def resolve(
    base: Library,
    text: str,
    edition: str | None = None,
    context: str | None = None,
    on: str | None = None,
    root: str = "",
) -> dict[str, Any]:
    """``kb resolve --json``. ``root``: the site's own address, put before every url. ``read_as``: there when
    the text is a citation only as if typed on another keyboard."""
    found, read_as = base.read(text, edition=edition, context=context, on=on)
    rows = [resolved(base, link, root, asked) for link, asked in found]
    said = {"read_as": read_as} if read_as else {}
    return {"input": text, "results": rows, **said, "build": base.build_id}


def resolved(base: Library, link: Link, root: str = "", asked: Asked | None = None) -> dict[str, Any]:
    """What one citation means, with its address and title.

    ``asked``: the place in another edition it was asked for by. A citation that names another edition itself
    keeps it, and says in ``here`` what it was in the corpus's edition.
    """
    said = _said(base, link.target)
    row: dict[str, Any] = {
        "target": str(link.target),
        "status": link.status,
        "url": _url(base, link, root),
        "human": said["human"],
        "title": said["title"],
        "fallback": str(link.fallback) if link.fallback else None,
        "snippet": said["snippet"],
        "snippet_text": said["snippet_text"],
    }
    if link.alternatives:
        row["alternatives"] = [str(other) for other in link.alternatives]
    if asked is not None:
        row["asked"] = asked.as_dict()
    elif link.status == "other-edition":
        row["here"] = [
            {**how.as_dict(), "target": str(one.target), "status": one.status, "url": _url(base, one, root)}
            for one, how in counterparts(base, link)
            if how is not None and one.status != "other-edition"
        ]
    return row


def _said(base: Library, ref: Ref) -> Mapping[str, Any]:
    """What is said of a ref wherever a citation leads to it."""
    held = base.remembered.get(ref)
    if held is None:
        law = base.get(ref)
        title = dict(law.title) if law is not None else {}
        held = {"human": address.human(base.profile, ref), "title": title, **_snippet(base, ref)}
        if len(base.remembered) >= _MOST_REMEMBERED:
            base.remembered.clear()
        base.remembered[ref] = held
    return held


def find_refs(
    base: Library,
    text: str,
    lang: str | None = None,
    context: str | None = None,
    edition: str | None = None,
    utf16: bool = False,
    root: str = "",
) -> dict[str, Any]:
    """``kb cite --to json``: every citation of a text; offsets in code points, or in UTF-16 units."""
    _known_lang(base, lang)
    links = base.cite(text, lang=lang, context=context, edition=edition)
    at = _utf16_offsets(text) if utf16 else range(len(text) + 1)
    targets = dict.fromkeys(link.target for link in links)
    spans = groupby(links, key=lambda link: (link.citation.start, link.citation.end))
    return {
        "results": [
            {
                "startChar": at[start],
                "endChar": at[end],
                "text": text[start:end],
                **_result(base, list(same), root),
            }
            for (start, end), same in spans
        ],
        "refData": {str(target): _ref_data(base, target, links, root) for target in targets},
        "build": base.build_id,
    }


def _result(base: Library, links: list[Link], root: str) -> dict[str, Any]:
    """What the citations of one span mean; of a range several, the worst status first told."""
    states = [link.status for link in links]
    return {
        "linkFailed": all(_url(base, link, root) is None for link in links),
        "refs": [str(link.target) for link in links],
        "kind": links[0].citation.form,
        "status": max(states, key=_STATES.index),
        "statuses": states,
        "fallback": next((str(link.fallback) for link in links if link.fallback), None),
        "alternatives": [str(other) for link in links for other in link.alternatives],
    }


def annotated(
    base: Library, text: str, kind: str, lang: str | None = None, root: str = "", pin: bool = False
) -> str:
    """The text with links put in, else as it was. ``kind``: ``html``, ``md`` or ``text``.

    ``pin``: to permalinks with the hash of the text, which ``kb verify`` reads.
    """
    from kb.cite.annotate import annotate

    def href(link: Link) -> str | None:
        url = _url(base, link, root)
        return _pinned(base, link.fallback or link.target, root) if pin and url else url

    _known_lang(base, lang)
    said = strings.notes(lang or base.profile.lang)
    return annotate(
        text, kind, lambda flow: base.cite(flow, lang), href, lambda link: said.get(link.status, "")
    )


def _pinned(base: Library, ref: Ref, root: str) -> str:
    return _rooted(f"{address.permalink(base.profile, ref)}?h={_hash(base, ref)}", root)


def _hash(base: Library, ref: Ref) -> str:
    lang = exports.text_lang(base.kb, base.profile, ref) or base.profile.lang
    return exports.digest(exports.whole_text(base.kb, ref, lang))[:12]


def destination(base: Library, citation: str) -> tuple[str | None, list[dict[str, Any]]]:
    """The permalink a citation leads to; without one the candidates, as ``resolved`` rows."""
    named = base.by_short_name(citation)
    if named is not None:
        return named.permalink, []
    told, read_as = base.read(citation)
    links = [link for link, _ in told]
    good = [link.target for link in links if link.status in ("resolved", "not-supplied")]
    if good and not read_as:
        return address.permalink(base.profile, good[0]), []
    near = good + [
        ref for link in links for ref in (*link.alternatives, *([link.fallback] if link.fallback else []))
    ]
    found = [base.get(ref) for ref in dict.fromkeys(near)]
    return None, [
        {"target": str(one.ref), "url": one.permalink, "human": one.human, "title": dict(one.title)}
        for one in found
        if one is not None
    ]


def _ref_data(base: Library, target: Ref, links: Sequence[Link], root: str) -> dict[str, Any]:
    link = next(link for link in links if link.target == target)
    law = base.get(target)
    titles = {lang: law.title.get(lang, "") if law is not None else "" for lang in base.profile.languages}
    return {
        "url": _url(base, link, root),
        "human": address.human(base.profile, target),
        "hash": _hash(base, target),
        "permalink": _pinned(base, target, root) if law is not None else None,
        **_snippet(base, target),
        **titles,
    }


def _snippet(base: Library, ref: Ref) -> dict[str, str]:
    """The beginning of a provision's text, in the first language that has one, as HTML and as plain text."""
    lang = exports.text_lang(base.kb, base.profile, ref)
    text = exports.whole_text(base.kb, ref, lang).partition("\n")[0] if lang else ""
    short = text if len(text) <= _SNIPPET else text[:_SNIPPET].rpartition(" ")[0] + " …"
    return {"snippet": html.escape(short, quote=False), "snippet_text": short}


def _url(base: Library, link: Link, root: str) -> str | None:
    url = exports.link_url(base.kb, base.profile, link)
    return _rooted(url, root) if url else None


def _rooted(url: str, root: str) -> str:
    return urljoin(root.rstrip("/") + "/", url.lstrip("/")) if root else url


def _utf16_offsets(text: str) -> list[int]:
    """For each code point, and the end, its place in UTF-16 units."""
    offsets = [0]
    for char in text:
        offsets.append(offsets[-1] + (2 if ord(char) > 0xFFFF else 1))
    return offsets


def _known_lang(base: Library, lang: str | None) -> None:
    if lang is not None and lang not in base.profile.languages:
        raise InputError(f"lang {lang[:20]!r}: none of {', '.join(base.profile.languages)}")


def _known_work(base: Library, work: str | None) -> None:
    if work is not None and work not in base.profile.works:
        raise InputError(f"work {work[:20]!r}: none of {', '.join(base.profile.works)}")
