"""The whole built site: every link leads somewhere, every page is complete, every build is the same."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sitecheck
from sitebuild import ROOT, Built, tool_of

from kb import address
from kb.errors import BuildError
from kb.model import Ref
from kb.publish import site as site_module
from kb.publish.render import build_site
from kb.publish.site import write_pages


@pytest.fixture(scope="module")
def pages(gold_site: Built) -> dict[str, sitecheck.Page]:
    return sitecheck.read(gold_site.site)


def test_no_dead_link_and_no_other_host(gold_site: Built, pages: dict[str, sitecheck.Page]) -> None:
    assert list(sitecheck.dead(gold_site.site, pages))[:10] == []


def test_the_checker_sees_dead_links(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "index.html").write_text(
        '<p id="x">.</p><p id="x">.<a href="../b/">b</a><a href="#y">y</a>'
    )
    (tmp_path / "index.html").write_text(
        '<a href="a/#z">z</a><img src="https://example.org/i.png"><b onclick="x"></i>'
    )
    pages = sitecheck.read(tmp_path)
    assert len(list(sitecheck.dead(tmp_path, pages))) == 4
    assert len(pages["a/index.html"].faults) == 2  # twice the id, a paragraph not closed
    assert len(pages["index.html"].faults) == 3  # inline handler, </i> closes b, b never closed


def test_html_is_whole_and_has_nothing_inline(pages: dict[str, sitecheck.Page]) -> None:
    assert [(name, page.faults) for name, page in pages.items() if page.faults][:5] == []


def test_only_listed_addresses_lead_outside(gold_site: Built, pages: dict[str, sitecheck.Page]) -> None:
    from kb import concordance

    listed = {str(link["url"]) for link in concordance.elsewhere(gold_site.profile)}
    assert {url for page in pages.values() for url in page.external} <= listed


def test_every_page_has_its_marks(gold_site: Built, pages: dict[str, sitecheck.Page]) -> None:
    for name, page in pages.items():
        assert page.title.strip(), name
        assert page.meta.get("description", "").strip(), name
        # An address can be canonical only when the site's own is known (test_site_text.py has one).
        assert bool(page.canonical) == (name.split("/")[0] in ("l", "c")), name
        assert page.lang == gold_site.profile.lang, name
        assert page.meta["Content-Security-Policy"].startswith("default-src 'none'"), name
        assert "unsafe-inline" not in page.meta["Content-Security-Policy"], name
    titles = [page.title for name, page in pages.items() if name.startswith("laws/")]
    assert len(set(titles)) == len(titles)


def test_a_page_for_each_law_and_an_anchor_for_each_place(
    gold_site: Built, pages: dict[str, sitecheck.Page]
) -> None:
    """What the address module promises is there."""
    missing = []
    for entry in gold_site.kb.entries():
        path = address.page(gold_site.profile, entry.ref, gold_site.kb).lstrip("/") + "index.html"
        anchor = address.anchor(gold_site.profile, entry.ref)
        if path not in pages or (anchor and anchor not in pages[path].ids):
            missing.append(str(entry.ref))
    assert missing == []
    laws = [e for e in gold_site.kb.entries("laws") if e.kind == "law"]
    assert len(laws) == 93


def test_permalinks_of_every_place(gold_site: Built, pages: dict[str, sitecheck.Page]) -> None:
    for entry in gold_site.kb.entries():
        path = address.permalink(gold_site.profile, entry.ref).strip("/")
        letter, _, short = path.split("/")
        full, bare = pages[f"{path}/index.html"], pages[f"{letter}/{short}/index.html"]
        assert full.canonical.endswith(f"{path}/") and bare.canonical.endswith(f"{path}/")
        assert (
            full.meta["og:title"]
            and full.meta["og:description"]
            and full.meta["refresh"].startswith("0; url=")
        )
    assert "l/1987/65B1/index.html" in pages and "l/65B1/index.html" in pages
    assert "c/1987/65.3/index.html" in pages and "c/65.3/index.html" in pages


def test_published_addresses_stay(pages: dict[str, sitecheck.Page]) -> None:
    """tests/cases/addresses.txt lists what has been published; a line may be added and never removed."""
    published = (ROOT / "tests" / "cases" / "addresses.txt").read_text("utf-8").split()
    assert len(published) > 500
    assert [path for path in published if f"{path}index.html" not in pages] == []


def test_nothing_is_written_twice(gold_site: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    def stamps() -> dict[Path, int]:
        folder = gold_site.site.parent
        return {p: p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file() and p.suffix != ".sqlite"}

    before = stamps()
    assert write_pages(gold_site.kb, gold_site.profile, gold_site.pages) == []
    assert build_site(gold_site.pages, gold_site.site) == []
    assert stamps() == before


_BUILD = """
import sys; sys.path.insert(0, "tests")
from pathlib import Path
from sitebuild import bilingual_gold, build
from goldkb import CORPUS
from kb import profile
build(bilingual_gold(), profile.load(CORPUS), Path(sys.argv[1]))
"""


def test_builds_are_the_same_bytes(tmp_path: Path) -> None:
    """Other folders, other hash seeds, another day."""
    sums = []
    for name, seed in (("a", "1"), ("b/c", "4242")):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        env = {**os.environ, "PYTHONHASHSEED": seed}
        env.pop("SOURCE_DATE_EPOCH", None)
        subprocess.run([sys.executable, "-c", _BUILD, str(folder)], cwd=ROOT, env=env, check=True)
        sums.append(_sums(folder))
    assert sums[0] == sums[1]
    assert any(name.endswith("sitemap.xml.gz") for name in sums[0])


def _sums(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for part in ("pages", "site")
        for path in sorted((folder / part).rglob("*"))
        if path.is_file()
    }


def test_a_dead_link_stops_the_build_and_leaves_the_old_site(tmp_path: Path) -> None:
    pages, site = _small_pages(tmp_path), tmp_path / "site"
    (pages / "index.md").write_text("# A\n")
    build_site(pages, site)
    before = _sums(tmp_path)
    (pages / "index.md").write_text("# A\n\n[gone](gone.md)\n")
    with pytest.raises(BuildError, match=r"gone\.md"):
        build_site(pages, site)
    assert {k: v for k, v in _sums(tmp_path).items() if k.startswith("site")} == {
        k: v for k, v in before.items() if k.startswith("site")
    }


def test_pages_are_kept_with_settings_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hook that settings name tells of all that the site's own one tells of."""
    from kb.hosts import mkdocs as host
    from kb.publish import events, upkeep

    told = {name for name in vars(events) if name.startswith("on_")}
    assert told == {name for name in host.__all__ if hasattr(host, name)} >= {"on_post_page", "on_config"}
    pages, site = _small_pages(tmp_path), tmp_path / "site"
    (tmp_path / "docs").mkdir()
    for name in ("pages/index.md", "pages/other.md", "docs/more.md"):
        (tmp_path / name).write_text("# A\n")
    settings = tmp_path / "mkdocs.yml"
    settings.write_text(
        f"site_name: T\ntheme: {{name: null, custom_dir: {ROOT}/kb/publish/theme}}\n"
        f"hooks: [{ROOT}/kb/hosts/mkdocs.py]\nplugins: []\nnot_in_nav: '*'\n"
    )
    made: list[str] = []
    monkeypatch.setattr(
        upkeep.Upkeep, "made", _noting(upkeep.Upkeep.made, lambda page: made.append(page.file.src_uri))
    )
    build_site(pages, site, settings)
    assert sorted(made) == ["docs/more.md", "index.md", "other.md"]
    made.clear()
    (pages / "other.md").write_text("# B\n")
    assert [path.name for path in build_site(pages, site, settings) if path.parent.name == "other"]
    assert made == ["other.md"]


def _noting(method: Callable[..., None], note: Callable[[Any], None]) -> Callable[..., None]:
    def noted(self: object, page: Any, output: str) -> None:
        note(page)
        method(self, page, output)

    return noted


def _small_pages(folder: Path) -> Path:
    import json

    data = {
        "languages": ["en"],
        "titles": {"en": "T"},
        "title": "T",
        "strings": _strings(),
        "sections": [["contents", "index.md"]],
        "permalinks": {},
        "plain": dict.fromkeys(site_module.PLAIN, ""),
        "site_url": "",
    }
    pages = folder / "pages"
    pages.mkdir()
    (pages / ".site.json").write_text(json.dumps(data))
    return pages


def _strings() -> dict[str, str]:
    from kb.publish.strings import Strings

    return Strings(["en"]).all_both()


def test_no_pages_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="no pages there; run"):
        build_site(tmp_path / "pages", tmp_path / "site")


def test_a_law_page_is_small(gold_site: Built) -> None:
    import gzip

    ref = Ref.parse("laws/1987/65")
    path = gold_site.site / address.page(gold_site.profile, ref).strip("/") / "index.html"
    theme = sum(
        len(gzip.compress((gold_site.site / n).read_bytes())) for n in ("site.css", "site.js", "first.js")
    )
    assert len(gzip.compress(path.read_bytes())) + theme < 40_000


def test_the_icons_are_the_drawing(tmp_path: Path) -> None:
    from PIL import Image

    tool = tool_of("icons")
    (tmp_path / "favicon.svg").write_text((tool.THEME / "favicon.svg").read_text("utf-8"), "utf-8")
    assert tool.main(tmp_path) == 0
    for name in tool.ICONS:
        drawn, shipped = (Image.open(folder / name).tobytes() for folder in (tmp_path, tool.THEME))
        assert drawn == shipped, name


def test_the_site_is_an_app_of_stated_size(gold_site: Built) -> None:
    import io
    import json

    from PIL import Image

    from kb.publish import offline

    manifest = json.loads((gold_site.site / "manifest.webmanifest").read_text("utf-8"))
    assert manifest["start_url"] == "./" and manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        content = (gold_site.site / icon["src"]).read_bytes()
        if icon["type"] == "image/png":
            image = Image.open(io.BytesIO(content))
            assert f"{image.width}x{image.height}" == icon["sizes"]
            corner = image.getpixel((0, 0))
            assert isinstance(corner, tuple)
            assert corner[3] == (255 if icon["purpose"] == "maskable" else 0)
            assert image.getpixel((image.width // 2, image.height // 2)) == (255, 255, 255, 255)
    names = [
        path.relative_to(gold_site.site).as_posix() for path in gold_site.site.rglob("*") if path.is_file()
    ]
    left = offline.left_out({"permalinks": {"laws": "l", "commentary": "c"}})
    kept = {
        name.removesuffix("index.html"): gold_site.site / name
        for name in names
        if offline.is_kept(name, left)
    }
    assert {"", "laws/1987/65/", "search-data.js", "search.js", "guides/", "api/v1/cite.json"} <= set(kept)
    assert not any(name.startswith(("l/", "c/", "docs/")) or name == "sw.js" for name in kept)
    size = sum(path.stat().st_size for path in kept.values()) / 1e6
    page = (gold_site.site / "offline" / "index.html").read_text("utf-8")
    assert f"{size:.1f} МБ" in page and "[[" not in page
