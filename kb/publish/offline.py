"""What makes the built site an app that works without a network: manifest, icons, service worker."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kb.publish import icons

WORKER = "sw.js"
MANIFEST = "manifest.webmanifest"
PAGE = "offline/index.html"
ICONS = (("icon-192.png", 192, False),)
MASKABLE = ("icon-mask-512.png", 512, True)
THEME_COLOUR = "#17573f"
GROUND = "#fbfaf7"
KEPT_DATA = frozenset({"api/v1/cite.json"})
"""Of the open data, what a page of the site reads."""
LEFT_OUT = frozenset({"api", "docs", WORKER, "_headers", "objects.inv", "sitemap.xml", "sitemap.xml.gz"})
"""Names at the top of the site that nobody reads at the table. Permanent addresses are left out too: the
worker leads from them to the page itself."""

_PATTERN = "/*kb*/"


def finish(site: Path, data: Mapping[str, Any], theme: Path) -> None:
    """Write the app's files into a built site. ``data`` is what the templates know (``.site.json``)."""
    svg = (theme / "favicon.svg").read_text("utf-8")
    for name, size, bleed in (*ICONS, MASKABLE):
        (site / name).write_bytes(icons.png(svg, size, bleed))
    manifest = json.dumps(_manifest(data), ensure_ascii=False, sort_keys=True, indent=1) + "\n"
    (site / MANIFEST).write_text(manifest, "utf-8")
    kept = kept_files(site, set(data["permalinks"].values()))
    sizes = [_sizes(path) for path in kept.values()]
    page = site / PAGE
    if page.is_file():
        said = {
            "sent": _megabytes(sum(sent for _, sent in sizes)),
            "kept": _megabytes(sum(n for n, _ in sizes)),
        }
        text = page.read_text("utf-8")
        for key, value in said.items():
            text = text.replace(f"[[{key}]]", value)
        page.write_text(text, "utf-8")
    (site / WORKER).write_text(_worker(kept, data, theme), "utf-8")


def kept_files(site: Path, letters: set[str]) -> dict[str, Path]:
    """Address -> file of all that is kept on the device, by address; a page by its folder."""
    found = {}
    for path in sorted(site.rglob("*")):
        name = path.relative_to(site).as_posix()
        top = name.split("/")[0]
        if path.is_file() and (name in KEPT_DATA or top not in LEFT_OUT | letters):
            found[name.removesuffix("index.html")] = path
    return found


def _sizes(path: Path) -> tuple[int, int]:
    """Bytes of a file, and about as many as a server sends that compresses."""
    content = path.read_bytes()
    return len(content), min(len(content), len(gzip.compress(content, 6, mtime=0)))


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:.1f}"


def _worker(kept: Mapping[str, Path], data: Mapping[str, Any], theme: Path) -> str:
    """The worker with its list: address -> hash, so that an update asks only for what has changed."""
    hashes = {name: hashlib.sha256(path.read_bytes()).hexdigest()[:10] for name, path in kept.items()}
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
    images = [_image(file, size, "any") for file, size, _ in ICONS] + [
        _image(MASKABLE[0], MASKABLE[1], "maskable")
    ]
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
