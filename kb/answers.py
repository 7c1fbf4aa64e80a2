"""Questions to a Library answered in the shapes of INTERFACES: for the command line, HTTP and assistants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urljoin

from kb import address
from kb.errors import InputError
from kb.library import Library, Provision
from kb.model import Link, Ref
from kb.publish import api, exports


def search(
    base: Library,
    query: str,
    lang: str | None = None,
    work: str | None = None,
    limit: int = 20,
    explain: bool = False,
) -> dict[str, Any]:
    """``kb search --json``, with the build it comes from."""
    _known_lang(base, lang)
    _known_work(base, work)
    answer = base.search(query, lang=lang, work=work, limit=limit, explain=explain).as_json()
    return {**answer, "build": base.build_id}


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
    """``kb resolve --json``. ``root``: the site's own address, put before every url."""
    links = base.resolve(text, edition=edition, context=context, on=on)
    return {"input": text, "results": [resolved(base, link, root) for link in links]}


def resolved(base: Library, link: Link, root: str = "") -> dict[str, Any]:
    """What one citation means, with its address and title."""
    law = base.get(link.target)
    row: dict[str, Any] = {
        "target": str(link.target),
        "status": link.status,
        "url": _url(base, link, root),
        "human": address.short(base.profile, link.target),
        "title": dict(law.title) if law is not None else {},
        "fallback": str(link.fallback) if link.fallback else None,
    }
    if link.alternatives:
        row["alternatives"] = [str(other) for other in link.alternatives]
    return row


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
    return {
        "results": [
            {
                "startChar": at[link.citation.start],
                "endChar": at[link.citation.end],
                "text": link.citation.surface,
                "linkFailed": _url(base, link, root) is None,
                "refs": [str(link.target)],
                "kind": link.citation.form,
                "status": link.status,
                "alternatives": [str(other) for other in link.alternatives],
            }
            for link in links
        ],
        "refData": {str(target): _ref_data(base, target, links, root) for target in targets},
        "build": base.build_id,
    }


def annotated(base: Library, text: str, kind: str, lang: str | None = None, root: str = "") -> str:
    """The text with links put in, else as it was. ``kind``: ``html``, ``md`` or ``text``."""
    from kb.cite.annotate import annotate

    _known_lang(base, lang)
    return annotate(text, kind, lambda flow: base.cite(flow, lang), lambda link: _url(base, link, root))


def destination(base: Library, citation: str) -> tuple[str | None, list[dict[str, Any]]]:
    """The permalink a citation leads to; without one the candidates, as ``resolved`` rows."""
    links = base.resolve(citation)
    good = [link for link in links if link.status in ("resolved", "not-supplied")]
    if good:
        return address.permalink(base.profile, good[0].target), []
    near = [
        ref for link in links for ref in (*link.alternatives, *([link.fallback] if link.fallback else []))
    ]
    found = [base.get(ref) for ref in dict.fromkeys(near)]
    return None, [
        {"target": str(one.ref), "url": one.permalink, "human": one.short, "title": dict(one.title)}
        for one in found
        if one is not None
    ]


def _ref_data(base: Library, target: Ref, links: Sequence[Link], root: str) -> dict[str, Any]:
    link = next(link for link in links if link.target == target)
    law = base.get(target)
    titles = {lang: law.title.get(lang, "") if law is not None else "" for lang in base.profile.languages}
    lang = exports.text_lang(base.kb, base.profile, target) or base.profile.lang
    whole = exports.digest(exports.whole_text(base.kb, target, lang))[:12]
    return {
        "url": _url(base, link, root),
        "human": address.short(base.profile, target),
        "hash": whole,
        **titles,
    }


def _url(base: Library, link: Link, root: str) -> str | None:
    url = exports.link_url(base.kb, base.profile, link)
    return urljoin(root.rstrip("/") + "/", url.lstrip("/")) if url and root else url


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
