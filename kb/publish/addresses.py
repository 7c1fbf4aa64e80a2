"""Files and links of the site: Ref -> the Markdown page it stands on, and the way from page to page."""

from __future__ import annotations

import posixpath
from functools import lru_cache

from kb import address
from kb.model import KnowledgeBase, Ref
from kb.profile import Profile


def number(ref: Ref, profile: Profile) -> str:
    """The number of a place for a reader: ``65B1``; of a comment on several provisions ``7–8.1``."""
    return address.human(profile, ref)


def human(ref: Ref, lang: str, profile: Profile) -> str:
    """The name of a place for a reader: ``Правило 65B1``; of a heading by its last level: ``Глава VII``."""
    work = profile.works.get(ref.work)
    if work is None:
        return str(ref)
    if not ref.path:
        return str(work.titles.get(lang) or next(iter(work.titles.values())))
    if address.is_heading(work, ref):
        step, last = ref.path[-2], ref.path[-1]
        level = next((level for level in work.levels if level.step == step), None)
        name = (level.names.get(lang) or level.name) if level else step
        return f"{name} {last}"
    pattern = work.human.get(lang) or work.human.get("en") or "{ref}"
    return pattern.format(ref=number(ref, profile))


class Addresses:
    """Pages and anchors of one knowledge base. Paths count from the root of the pages, no leading slash."""

    def __init__(self, kb: KnowledgeBase, profile: Profile) -> None:
        self.kb = kb
        self.profile = profile
        self._pages: dict[Ref, str] = {}

    def forget(self) -> None:
        """Ask the knowledge base again."""
        self._pages.clear()

    def page(self, ref: Ref) -> str:
        """The Markdown file a place stands on: ``laws/1987/65.md``; of a work ``laws/1987/index.md``."""
        found = self._pages.get(ref)
        if found is None:
            path = address.page(self.profile, ref, self.kb).strip("/")
            alone = path.count("/") == 1
            found = self._pages[ref] = f"{path}/index.md" if alone else f"{path}.md"
        return found

    def anchor(self, ref: Ref) -> str:
        """The id of a place on its page; empty for what the page itself is about."""
        return address.anchor(self.profile, ref)

    def link(self, page: str, ref: Ref) -> str:
        """A link to a place for the Markdown of ``page``: ``66.md#66.C``; on the page itself ``#66.C``."""
        target, anchor = self.page(ref), self.anchor(ref)
        if target == page:
            return f"#{anchor or 'top'}"
        return relative(page, target) + (f"#{anchor}" if anchor else "")

    def url(self, ref: Ref) -> str:
        """Page and anchor from the root of the site: ``laws/1987/65/#65.C``."""
        return address.url(self.profile, ref, self.kb).lstrip("/")

    def permalinks(self, ref: Ref) -> list[str]:
        """The address that never moves, ``l/1987/65B1/``; for the corpus's edition also the bare one."""
        full = address.permalink(self.profile, ref).strip("/") + "/"
        if ref.edition != self.profile.edition:
            return [full]
        letter, _, rest = full.split("/", 2)
        return [full, f"{letter}/{rest}"]


def relative(page: str, target: str) -> str:
    """A path from one page's folder to another file, both from the root of the pages."""
    return _from(posixpath.dirname(page) or ".", target)


@lru_cache(4096)
def _from(folder: str, target: str) -> str:
    above, _, name = target.rpartition("/")
    return name if above == folder else posixpath.relpath(target, folder)
