"""The site as a folder that opens without a server: links end in ``index.html``, data comes as scripts."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from kb.errors import BuildError
from kb.publish import files

LEFT_OUT = frozenset({"404.html", "api", "_headers", "objects.inv", "sitemap.xml", "sitemap.xml.gz", "sw.js"})
"""What only a server, or a program, has a use for."""
DATA = "api/v1/cite.json"
SCRIPT = "cite-data.js"

_LINK = re.compile(
    r'(<(?:a|link|form|script|meta)\b[^>]*?\s(?:href|src|action|content)=")((?:0; url=)?)([^"]*)(")'
)
_DROPPED = re.compile(
    r'<link rel="(?:manifest|canonical|alternate)"[^>]*>\n?|<script src="[^"]*offline\.js"[^>]*></script>\n?'
)


def write_site_file(site: Path, folder: Path) -> list[Path]:
    """Write the folder from a built site. Gives the files that changed. Raises BuildError without a site."""
    if not (site / "index.html").is_file():
        raise BuildError(f"{site}: no site there; run `kb build --only site`")
    made: list[Path] = []
    changed: list[Path] = []
    for name, content in _all(site):
        target = folder / name
        made.append(target)
        if files.write(target, content):
            changed.append(target)
    files.prune(folder, made)
    return changed


def _all(site: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(site.rglob("*")):
        name = path.relative_to(site).as_posix()
        if not path.is_file() or name.split("/")[0] in LEFT_OUT:
            continue
        content = path.read_bytes()
        yield name, _page(site, name, content.decode()).encode() if path.suffix == ".html" else content
    data = site / DATA
    if data.is_file():
        # As JSON inside a script: U+2028 and U+2029 may stand in JSON, and in scripts since 2019.
        yield SCRIPT, b"window.kbCiteData = " + data.read_bytes().strip() + b";\n"


def _page(site: Path, name: str, page: str) -> str:
    """A page whose links name files, not folders."""
    here = posixpath.dirname(name)

    def named(match: re.Match[str]) -> str:
        before, refresh, address, after = match.groups()
        if match[1].startswith("<meta") and not refresh:
            return match.group()
        return before + refresh + _named(site, here, address) + after

    return _LINK.sub(named, _DROPPED.sub("", page))


def _named(site: Path, here: str, address: str) -> str:
    plain = html.unescape(address)
    path = re.split(r"[?#]", plain, maxsplit=1)[0]
    rest = plain[len(path) :]
    if not path or re.match(r"[a-z][a-z0-9+.-]*:|//", path):
        return address
    target = posixpath.normpath(posixpath.join(here, path))
    if (site / target).is_dir():
        path = posixpath.join(path, "index.html")
    return html.escape(path + rest)
