"""Answers to what cannot be answered: problem documents, and a page of what may have been meant."""

from __future__ import annotations

import html
import json
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from kb.library import Library
from kb.publish import nearest
from kb.serve.builds import Opened


def problem(status: int, title: str, detail: str, **more: object) -> Response:
    """An RFC 9457 problem document."""
    content = {"type": "about:blank", "title": title, "status": status, "detail": detail, **more}
    body = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
    return Response(body, status_code=status, media_type="application/problem+json")


def candidates_page(opened: Opened, citation: str, candidates: list[dict[str, Any]]) -> str:
    """The site's page for lost readers with what is near; without a site, a bare one."""
    found = candidates or _near(opened.base, citation)
    items = "".join(
        f'<li><a href="{html.escape(quote(c["url"], safe="/#.~-"))}">{html.escape(c["human"])}</a> '
        f"{html.escape(' · '.join(c['title'].values()))}</li>"
        for c in found
        if c["url"]
    )
    lost = opened.site.lost.body.decode() if opened.site.lost is not None else ""
    if nearest.PLACE in lost:
        return lost.replace(nearest.PLACE, items)
    named = html.escape(citation)
    return (
        '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>404 {named}</title><h1>404</h1><p>{named}</p><ul>{items}</ul><p><a href='/'>…</a></p>"
    )


def _near(base: Library, citation: str) -> list[dict[str, Any]]:
    found = [base.get(ref) for ref in nearest.nearest(base.kb, base.profile, citation)]
    return [{"url": one.permalink, "human": one.human, "title": dict(one.title)} for one in found if one]
