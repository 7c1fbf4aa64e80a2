"""What makes the built site an app that works without a network: manifest, icons, service worker."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

WORKER = "sw.js"
MANIFEST = "manifest.webmanifest"
PAGE = "offline/index.html"
ICON = ("icon-192.png", 192)
MASKABLE = ("icon-mask-512.png", 512)
"""Pictures of the theme, which ``tools/icons.py`` draws, and the pixels of a side."""
THEME_COLOUR = "#17573f"
GROUND = "#fbfaf7"
KEPT_DATA = frozenset({"api/v1/cite.json"})
"""Of the open data, what a page of the site reads."""
LEFT_OUT = frozenset({"api", "docs", WORKER, "_headers", "objects.inv", "sitemap.xml", "sitemap.xml.gz"})
"""Names at the top of the site that nobody reads at the table. Permanent addresses are left out too: the
worker leads from them to the page itself."""
TRIED = 8
"""One page of so many is compressed to know how many bytes all are."""
PIECES, PIECE = 8, 1 << 16
"""Of a file that is larger so many pieces of so many bytes, evenly spread: it is taken to be as they are."""

_PATTERN = "/*kb*/"


class Size(NamedTuple):
    """A file: the beginning of its hash, its bytes, and as many as a server sends that compresses.

    Of a page that was not tried these are 0: it is taken to be like those that were.
    """

    sha256: str
    bytes: int
    sent: int


def finish(site: Path, files: Mapping[str, Path | Size], data: Mapping[str, Any], theme: Path) -> None:
    """Write the app's files into a folder that becomes part of the site, or is the site.

    ``files``: every file of the site by its name, with its place or its size. ``data`` is what the templates
    know (``.site.json``).
    """
    manifest = json.dumps(_manifest(data), ensure_ascii=False, sort_keys=True, indent=1) + "\n"
    (site / MANIFEST).write_text(manifest, "utf-8")
    made = {**files, MANIFEST: site / MANIFEST}
    left = left_out(data)
    kept = {
        name.removesuffix("index.html"): _size(name, found) if isinstance(found, Path) else found
        for name, found in sorted(made.items())
        if is_kept(name, left)
    }
    page = site / PAGE
    if page.is_file():
        said = {
            "sent": _megabytes(_sent(kept)),
            "kept": _megabytes(sum(one.bytes for one in kept.values())),
        }
        text = page.read_text("utf-8")
        for key, value in said.items():
            text = text.replace(f"[[{key}]]", value)
        page.write_text(text, "utf-8")
        kept[PAGE.removesuffix("index.html")] = size(text.encode())
    (site / WORKER).write_text(_worker(kept, data, theme), "utf-8")


def left_out(data: Mapping[str, Any]) -> frozenset[str]:
    """The names at the top of the site that are not kept on the device."""
    return LEFT_OUT.union(data["permalinks"].values())


def is_kept(name: str, left: frozenset[str]) -> bool:
    """Whether a file of the site is kept on the device; ``left``: as of ``left_out``."""
    return name in KEPT_DATA or name.partition("/")[0] not in left


def size(content: bytes, name: str = "") -> Size:
    """The size of a file's content. Of pages one in ``TRIED`` is compressed, as the hash of its name has
    it: the same ones whichever generator made them."""
    digest = hashlib.sha256(content).hexdigest()[:10]
    if name.endswith(".html") and zlib.crc32(name.encode()) % TRIED:
        return Size(digest, len(content), 0)
    tried = _pieces(content)
    sent = len(gzip.compress(tried, 6, mtime=0)) * len(content) // max(1, len(tried))
    return Size(digest, len(content), min(len(content), sent))


def _pieces(content: bytes) -> bytes:
    last = len(content) - PIECE
    if last <= (PIECES - 1) * PIECE:
        return content
    starts = (last * number // (PIECES - 1) for number in range(PIECES))
    return b"".join(content[start : start + PIECE] for start in starts)


def _size(name: str, path: Path) -> Size:
    return size(path.read_bytes(), name)


def _sent(kept: Mapping[str, Size]) -> float:
    """Bytes on the way. Pages that were not tried compress as the others do, or as the scripts."""
    pages = [one for name, one in kept.items() if name.endswith("/") or not name]
    files = [one for name, one in kept.items() if name and not name.endswith("/")]
    like = [one for one in pages if one.sent] or files
    share = sum(one.sent for one in like) / max(1, sum(one.bytes for one in like))
    return sum(one.sent or one.bytes * share for one in [*pages, *files])


def _megabytes(size: float) -> str:
    return f"{size / 1_000_000:.1f}"


def _worker(kept: Mapping[str, Size], data: Mapping[str, Any], theme: Path) -> str:
    """The worker with its list: address -> hash, so that an update asks only for what has changed."""
    hashes = {name: one.sha256 for name, one in kept.items()}
    script = (theme / WORKER).read_text("utf-8")
    works = {letter: work for work, letter in data["permalinks"].items()}
    listed = json.dumps(hashes, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    version = hashlib.sha256((listed + script).encode()).hexdigest()[:12]
    values = {"files": hashes, "version": version, "works": works}
    return script.replace(
        _PATTERN, json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    )


def _manifest(data: Mapping[str, Any]) -> dict[str, Any]:
    lang = data["languages"][0]
    name = data["titles"][lang]
    images = [_image(*ICON, "any"), _image(*MASKABLE, "maskable")]
    return {
        "background_color": GROUND,
        "display": "standalone",
        "icons": [{"purpose": "any", "sizes": "any", "src": "favicon.svg", "type": "image/svg+xml"}, *images],
        "id": "./",
        "lang": lang,
        "name": name,
        "scope": "./",
        "short_name": name.split()[0],
        "start_url": "./",
        "theme_color": THEME_COLOUR,
    }


def _image(name: str, size: int, purpose: str) -> dict[str, str]:
    return {"purpose": purpose, "sizes": f"{size}x{size}", "src": name, "type": "image/png"}
