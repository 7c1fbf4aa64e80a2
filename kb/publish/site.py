"""KnowledgeBase -> plain Markdown pages, of which MkDocs makes the site (``render.py``)."""

from __future__ import annotations

import hashlib
import html
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path

from kb import guides, progress, topics
from kb.editions import Concordance
from kb.model import KnowledgeBase, Ref, SourceInfo
from kb.profile import Profile
from kb.publish import (
    files,
    glossary,
    pages_book,
    pages_editions,
    pages_glossary,
    pages_graph,
    pages_guides,
    pages_home,
    pages_law,
    pages_other,
    pages_subjects,
    permalinks,
    reuse,
    scanview,
)
from kb.publish.context import Site
from kb.publish.reuse import Content
from kb.publish.trees import Tree
from kb.unswept import unswept
from kb.watched import Watched

DATA = ".site.json"
"""What the templates need to know, beside the pages. MkDocs leaves out names that begin with a dot."""
SITE_URL = "KB_SITE_URL"


@unswept()
def write_pages(
    kb: KnowledgeBase,
    profile: Profile,
    folder: Path,
    editions: Concordance | None = None,
    kept: Callable[[str], reuse.Kept] = reuse.nothing,
    tree: Tree | None = None,
) -> list[Path]:
    """Write every page below ``folder`` and remove those of an earlier build that are no more.

    Files of others in the folder (``api``, the search data) stay. Gives the paths that changed. Raises
    InputError when one cannot be written, and for a guide or topic that rests on what is not there.
    ``kept``: from a hash of what all pages share to what an earlier build kept of them. ``tree``: the files
    of the folder, where they are known.
    """
    tree = tree or Tree(folder)
    tree.look()  # before there is much in it
    watched = Watched(kb)
    site = Site(
        watched,
        profile,
        editions,
        glossary.load(profile),
        tuple(guides.load(profile)),
        tuple(topics.load(profile)),
    )
    # What is only cited has an anchor too.
    known = set(site.refs).union(*site.strays.values())
    guides.check(profile, site.guides, known)
    topics.check(profile, site.topics, known)
    glossary.check(profile, site.glossary, known)
    changed: list[Path] = []
    made: list[str] = []
    parts = Parts(site, watched, kept(_shared(site)))
    for name, content in _all(site, parts):
        made.append(name)
        path = folder / name
        if files.write(path, content, new=not tree.has(name)):
            changed.append(path)
    made += parts.kept.standing
    tops = {name.partition("/")[0] for name in made}
    tree.wrote(changed)
    tree.prune(made, [top for top in sorted(tops) if (folder / top).is_dir()])
    parts.kept.save()
    return changed


def _shared(site: Site) -> str:
    """A hash of what every page may tell: of the knowledge base only what changes seldom."""
    meta = {key: value for key, value in site.kb.meta.items() if key != "build_id"}
    known = [site.law_pages, site.headings, sorted(site.comment_heads.items()), sorted(site.strays.items())]
    told = [sorted(meta.items()), known, site.scans, site.scan_labels, site.has_renderings]
    return hashlib.sha256(f"{told} {site_url(site.profile)}".encode()).hexdigest()


class Parts:
    """The parts of the pages, each made only when what it is made from has changed."""

    def __init__(self, site: Site, watched: Watched, kept: reuse.Kept) -> None:
        self.site = site
        self.watched = watched
        self.kept = kept

    def page(self, ref: Ref, make: Callable[[], str], *more: object) -> list[tuple[str, Content]]:
        """The page of a law or heading. ``more``: what it is made from besides the knowledge base."""
        path = self.site.addresses.page(ref)
        return self.of(f"page {ref}", ref, lambda: [(path, make())], *more)

    def overview(self, path: str, make: Callable[[], str]) -> list[tuple[str, Content]]:
        """A page that tells of all places, and nothing of their texts."""
        made = partial(self._alone, lambda: [(path, make())])
        return self.kept.files(f"overview {path}", self.watched, [], made, titles=True)

    def of(
        self, name: str, ref: Ref | None, make: Callable[[], list[tuple[str, Content]]], *more: object
    ) -> list[tuple[str, Content]]:
        """The files of any part; of a ref it reads the ref's own, and the comments beside it, whole."""
        own = [ref, *self.site.comment_heads.get(ref, ())] if ref else []
        told = [" ".join(map(str, more)), str(self.site.gaps.told(own))]
        return self.kept.files(name, self.watched, own, partial(self._alone, make), "\n".join(told))

    def _alone(self, make: Callable[[], list[tuple[str, Content]]]) -> list[tuple[str, Content]]:
        """What is asked for a part is read for it, and what was read for it is not all there is."""
        self.site.forget()
        try:
            return make()
        finally:
            self.site.forget()


def _all(site: Site, parts: Parts) -> Iterator[tuple[str, Content]]:
    """``(path, content)`` of every file, in no particular order but always the same.

    Without those of an earlier build that stand as they would be made: ``parts.kept`` has their names.
    """
    yield DATA, json.dumps(_data(site), ensure_ascii=False, sort_keys=True, indent=1) + "\n"
    yield from parts.overview("index.md", lambda: pages_home.home_page(site))
    law = Ref(site.profile.law_work.name, site.edition)
    yield from parts.overview(site.addresses.page(law), lambda: pages_other.contents_page(site))
    if pages_book.fits(site):
        yield pages_book.page_of(site), parts.watched.through(lambda: pages_book.page(site))
    laws, headings = site.law_pages, site.headings
    for before, ref, after in progress.over(_neighbours(laws), "writing pages", len(laws)):
        yield from parts.page(ref, partial(pages_law.law_page, site, ref, before, after), before, after)
    for before, ref, after in _neighbours(headings):
        yield from parts.page(ref, partial(pages_other.heading_page, site, ref, before, after), before, after)
    for name, work in site.profile.works.items():
        if work.role == "commentary":
            yield site.addresses.page(Ref(name, site.edition)), pages_other.commentary_page(site, name)
    yield from parts.overview("search.md", lambda: pages_other.search_page(site))
    yield "offline.md", pages_other.offline_page(site)
    yield "cite/index.md", pages_other.cite_page(site)
    if site.guides:
        yield pages_guides.INDEX, pages_guides.index_page(site)
    for guide in site.guides:
        yield pages_guides.page_of(guide.id), pages_guides.guide_page(site, guide)
    if site.topics:
        yield pages_guides.TOPICS, pages_guides.topics_page(site)
    yield from parts.overview(pages_subjects.PAGE, lambda: pages_subjects.page(site))
    if site.glossary:
        yield "glossary.md", pages_glossary.page(site)
    more = []
    found = pages_graph.graph(site)
    if found.edges:
        more.append(("citations_title", pages_graph.PAGE))
        yield pages_graph.PAGE, pages_graph.page(site, found)
    if site.editions.others:
        yield "editions.md", pages_editions.editions_page(site)
    yield "about/index.md", pages_other.about_page(site, more)
    yield "about/rights.md", pages_other.rights_page(site)
    yield "about/quality.md", pages_other.quality_page(site)
    yield "sources/index.md", pages_other.sources_page(site)
    for source in site.sources:
        if source.text:
            name = f"scan {source.name}"
            yield from parts.of(name, None, partial(_scan, site, source), replace(source, text=""))
    base = site_url(site.profile)
    for top, refs in groupby(permalinks.refs(site), key=lambda ref: Ref(ref.work, ref.edition, ref.path[:1])):
        own = list(refs)
        yield from parts.of(f"permalinks {own[0]}", top, partial(_permalinks, site, own, base), *own)


def _scan(site: Site, source: SourceInfo) -> list[tuple[str, Content]]:
    page = f"sources/{site.scans[source.name]}.md"
    strips = [(scanview.strip_path(site, strip), strip.png) for strip in site.kb.strips(source.name)]
    return [(page, scanview.scan_page(site, source)), *strips]


def _permalinks(site: Site, refs: list[Ref], base: str) -> list[tuple[str, Content]]:
    return list(permalinks.pages(site, refs, base))


def _neighbours(refs: list[Ref]) -> Iterator[tuple[Ref | None, Ref, Ref | None]]:
    padded: list[Ref | None] = [None, *refs, None]
    for number, ref in enumerate(refs, 1):
        yield padded[number - 1], ref, padded[number + 1]


def _data(site: Site) -> dict[str, object]:
    """What the templates know: languages, titles, words, the site's sections."""
    law = Ref(site.profile.law_work.name, site.edition)
    known = site.editions.editions
    sections = [
        ("contents", site.addresses.page(law)),
        *([("guides", pages_guides.INDEX)] if site.guides else []),
        *([("topics", pages_guides.TOPICS)] if site.topics else []),
        ("subjects", pages_subjects.PAGE),
        *([("glossary", "glossary.md")] if site.glossary else []),
        ("sources", "sources/index.md"),
        ("about", "about/index.md"),
    ]
    return {
        "build_id": site.kb.meta.get("build_id", ""),
        "edition": site.edition,
        "hint": pages_other.examples(site, "search_hint"),
        "languages": list(site.languages),
        "permalinks": {name: work.letter for name, work in site.profile.works.items()},
        "offered": pages_guides.offered(site),
        "sections": [list(section) for section in sections],
        "short": site.strings.words(dict(next((e.titles for e in known if e.name == site.edition), {}))),
        "site_url": site_url(site.profile),
        "strings": site.strings.all_both(),
        "plain": {key: site.strings.plain(key) for key in PLAIN} | _spoken(site),
        "titles": {lang: site.profile.titles.get(lang, site.profile.name) for lang in site.languages},
        "title": site.strings.words({lang: site.profile.titles.get(lang, "") for lang in site.languages}),
    }


def _spoken(site: Site) -> dict[str, str]:
    """What a place of another work than the laws is called, its number as ``{ref}``: ``comment {ref}``."""
    found = {}
    for name, work in site.profile.works.items():
        if work.role != "law":
            said = {lang: work.human.get(lang) or work.human.get("en") or "{ref}" for lang in site.languages}
            found[f"work_{name}"] = html.escape(" / ".join(dict.fromkeys(said.values())), quote=True)
    return found


PLAIN = (
    "copied",
    "guide_trail",
    "lang_both",
    "language",
    "lead",
    "main_nav",
    "offered",
    "pinned_said",
    "search",
    "search_failed",
    "search_none",
    "see_all",
    "suggestions",
    "tools",
    "unpin",
    "unpinned_said",
    "short_not_supplied",
    "short_partial",
    "short_repealed",
)
"""Strings that the scripts say, or that stand in attributes."""


def site_url(profile: Profile) -> str:
    """The address the site will have, ending in ``/``: KB_SITE_URL, else ``[site] url`` of the profile."""
    url = os.environ.get(SITE_URL) or str(profile.data.get("site", {}).get("url", ""))
    return url.rstrip("/") + "/" if url else ""
