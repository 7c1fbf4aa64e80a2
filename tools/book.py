"""``python tools/book.py SITE FOLDER``: the whole code of a built site as PDF, A4 and A5, by language.

Chromium prints the page that has the whole code, without a server: what it asks for comes from the folder.
Headings become bookmarks; a citation of a place in the book leads there, others to the site's address, and
are plain text where the site has none.
"""

from __future__ import annotations

import argparse
import mimetypes
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

FORMATS = {"A4": "10.5pt", "A5": "9pt"}
"""Name of a paper -> the size of its type."""
CHROMIUM = Path("/usr/bin/chromium")
BASE = "http://book.invalid/"
"""Stands for the site while it is printed; no name service knows it."""
PAGES = "*/*/all/index.html"
_ROOT = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
"""Chromium refuses to run as root with its sandbox."""
_EPOCH_SECONDS = "315532800"
_FOOT = (
    '<div style="width:100%; text-align:center; font:8pt serif; color:#333">'
    '<span class="pageNumber"></span></div>'
)
_LINKS = """base => {
  const canonical = document.querySelector('link[rel="canonical"]');
  const here = location.origin + location.pathname;
  const home = canonical && canonical.href.slice(0, canonical.href.length - location.pathname.length + 1);
  for (const link of document.querySelectorAll('main a[href]')) {
    const url = new URL(link.href);
    if (!url.href.startsWith(base)) { continue; }
    const own = decodeURIComponent(url.hash.slice(1));
    if (url.origin + url.pathname === here && document.getElementById(own)) { continue; }
    const beside = new URL('.', url).href;
    const name = beside.startsWith(new URL('..', here).href) ? beside.split('/').slice(-2)[0] : '';
    const id = ['b-' + (own || name), 'b-' + name].find(id => document.getElementById(id));
    if (id) { link.setAttribute('href', '#' + encodeURIComponent(id)); }
    else if (home) { link.setAttribute('href', home + url.href.slice(base.length)); }
    else { link.removeAttribute('href'); }
  }
  document.title = document.querySelector('h1').innerText;
}"""


class Trouble(Exception):
    """What a person can mend, in one line."""


def main(arguments: Sequence[str]) -> int:
    """0 done; 2 for wrong usage, or where the site or the browser is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("site", type=Path, metavar="SITE", help="build/site, say")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the PDF files go")
    parser.add_argument("--paper", choices=[*FORMATS], action="append", help="only this one; may be repeated")
    parser.add_argument("--lang", action="append", help="ru, en, both …; may be repeated; all when not given")
    chosen = parser.parse_args(arguments)
    try:
        for path in books(chosen.site, chosen.folder, chosen.paper or [*FORMATS], chosen.lang):
            print(path)
    except Trouble as error:
        print(f"book: {error}", file=sys.stderr)
        return 2
    return 0


def books(site: Path, folder: Path, papers: Sequence[str], langs: Sequence[str] | None) -> Iterator[Path]:
    """Print each book on each paper in each choice of language. Raises Trouble without a site or browser."""
    found = sorted(site.glob(PAGES))
    if not found:
        raise Trouble(f"{site}: no page with the whole code there; run `kb build --only site`")
    if not CHROMIUM.exists():
        raise Trouble(f"{CHROMIUM} is not there; install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise Trouble("playwright is not there; `pip install playwright`") from None
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=_ROOT)
        for index in found:
            path = index.parent.relative_to(site)
            known = _languages(index)
            for lang in langs or known:
                if lang not in known:
                    raise Trouble(f"--lang {lang}: the site has {', '.join(known)}")
                # Beside both texts, words of the interface are in the browser's language.
                page = _opened(browser, site, f"{BASE}{path.as_posix()}/?lang={lang}", known[0])
                for paper in papers:
                    name = "-".join([*path.parts[:-1], lang, paper.lower()])
                    yield _write(folder / f"{name}.pdf", _printed(page, paper))
        browser.close()


def _languages(index: Path) -> list[str]:
    match = re.search(r'<html[^>]* data-langs="([^"]*)"', index.read_text("utf-8"))
    known = match[1].split() if match else []
    return [*known, "both"] if len(known) > 1 else known


def _opened(browser: Any, site: Path, url: str, locale: str) -> Any:
    """The page, with its links made ready for print."""
    context = browser.new_context(bypass_csp=True, locale=locale, service_workers="block")
    context.route("**/*", lambda route: _answer(route, site.resolve()))
    page = context.new_page()
    page.goto(url, wait_until="load")
    page.evaluate(_LINKS, BASE)
    return page


def _answer(route: Any, site: Path) -> None:
    """A file of the site, or nothing: no request leaves."""
    url = urlsplit(route.request.url)
    path = (site / unquote(url.path).lstrip("/")).resolve()
    path = path / "index.html" if path.is_dir() else path
    if not route.request.url.startswith(BASE) or not path.is_relative_to(site) or not path.is_file():
        route.fulfill(status=404)
        return
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    route.fulfill(body=path.read_bytes(), content_type=f"{kind}; charset=utf-8")


def _printed(page: Any, paper: str) -> bytes:
    size = page.add_style_tag(
        content=f"@media print {{ html {{ font-size: {FORMATS[paper]} !important; }} }}"
    )
    made: bytes = page.pdf(
        format=paper,
        outline=True,
        tagged=True,
        display_header_footer=True,
        header_template="<span></span>",
        footer_template=_FOOT,
    )
    size.evaluate("style => style.remove()")
    return _dated(made)


def _dated(pdf: bytes) -> bytes:
    """The day of every build in place of today, so that the same site gives the same bytes."""
    day = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", _EPOCH_SECONDS)))
    stamp = time.strftime("%Y%m%d%H%M%S", day).encode()
    # Of the same length: the offsets in the file stay true.
    return re.sub(rb"(/(?:Creation|Mod)Date \(D:)\d{14}", lambda match: match[1] + stamp, pdf)


def _write(path: Path, content: bytes) -> Path:
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.part")
        draft.write_bytes(content)
        os.replace(draft, path)
    return path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
