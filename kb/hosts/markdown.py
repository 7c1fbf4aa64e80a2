"""A Python-Markdown extension: citations become links, ``{{law 65B1}}`` puts in the provision itself.

In ``mkdocs.yml``::

    markdown_extensions:
      - kb.markdown:
          base_url: https://laws.example/

Options: ``base_url`` (put before each address), ``build`` (a folder made by ``kb build``; without one the
outline of the corpus says what exists), ``corpus``, ``lang``, ``edition``, ``links`` (False: none).
Importing this needs neither an index nor a dictionary nor MkDocs.
"""

from __future__ import annotations

import html
import logging
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

from kb.errors import InputError, KbError

if TYPE_CHECKING:
    from kb.cite.grammar import Grammar
    from kb.cite.resolve import Known
    from kb.library import Library
    from kb.model import Link, Ref
    from kb.profile import Profile

# MkDocs counts the warnings of its own loggers under --strict; the name is enough, no import is needed.
LOG = logging.getLogger("mkdocs.kb.markdown")
DEFAULT_BUILD = "build"


class Citer:
    """What the processors share: the grammar, what is known, the addresses. Opened when first used."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options

    @cached_property
    def library(self) -> Library | None:
        """The build, when one is named, or when a whole one lies in ``build/``."""
        from kb.library import CORPUS_FOLDER, open_library, public_folder

        named = str(self.options["build"])
        folder = Path(named or DEFAULT_BUILD)
        if named or (not self.options["corpus"] and (folder / CORPUS_FOLDER / "profile.toml").is_file()):
            return open_library(public_folder(folder))
        return None

    @cached_property
    def profile(self) -> Profile:
        from kb.cite import corpus_folder
        from kb.profile import load

        return self.library.profile if self.library else load(corpus_folder(self.options["corpus"] or None))

    @cached_property
    def grammar(self) -> Grammar:
        from kb.cite.grammar import compile_grammar

        return self.library.grammar if self.library else compile_grammar(self.profile)

    @cached_property
    def known(self) -> Known:
        from kb.cite.resolve import KnownEntries

        return self.library.known if self.library else KnownEntries.of(self.profile.outline)

    def links(self, text: str) -> list[Link]:
        """The citations of a running text, resolved."""
        from dataclasses import replace

        from kb.cite.find import find
        from kb.cite.resolve import resolve_all

        edition = str(self.options["edition"])
        found = find(text, str(self.options["lang"]), self.grammar)
        named = [replace(c, edition=c.edition or edition) if c.work else c for c in found]
        return resolve_all(named, self.known, None, self.grammar)

    def note(self, link: Link) -> str:
        """What is to be said of a link that does not lead to the text it names; empty of the others."""
        from kb.publish.strings import notes

        return notes(str(self.options["lang"]) or self.profile.lang).get(link.status, "")

    def href(self, link: Link) -> str | None:
        """The address of a link that leads somewhere: to its target, or to what is known above it."""
        target = link.fallback or link.target
        if not link.fallback and link.status not in ("resolved", "not-supplied"):
            return None
        return self.address(target)

    def address(self, ref: Ref) -> str:
        """Page and anchor, behind ``base_url``."""
        from kb import address

        base = str(self.options["base_url"])
        return base.rstrip("/") + address.url(self.profile, ref, self.library.kb if self.library else None)

    def wanted(self, name: str, number: str) -> Ref:
        """The provision of ``{{name number}}``. Raises InputError when there is not exactly one."""
        from kb.cite.query import resolve_query

        works = [w for w in self.profile.works.values() if name in (w.label, w.name)]
        if not works:
            raise InputError(f"{{{{{name} …}}}}: no work of this corpus has that name")
        links = resolve_query(
            f"{works[0].label} {number}", self.known, self.grammar, edition=str(self.options["edition"])
        )
        if len(links) != 1 or links[0].status not in ("resolved", "not-supplied"):
            raise InputError(f"{{{{{name} {number}}}}}: " + (links[0].reason if links else "no citation"))
        return links[0].target

    def names(self) -> str:
        """A pattern of the names that may open a quotation."""
        names = {name for work in self.profile.works.values() for name in (work.label, work.name)}
        return "|".join(sorted(map(re.escape, names), key=lambda name: (-len(name), name)))


class Quotation:
    """One provision as HTML, with all below it, its source and the hash of its text."""

    def __init__(self, citer: Citer, ref: Ref) -> None:
        self.citer = citer
        self.ref = ref
        self.lang = self._lang()

    def _lang(self) -> str:
        from kb.publish import exports

        library = self.citer.library
        asked = str(self.citer.options["lang"])
        if library and asked and exports.whole_text(library.kb, self.ref, asked):
            return asked
        found = exports.text_lang(library.kb, library.profile, self.ref) if library else None
        return found or asked or self.citer.profile.lang

    def block(self) -> str:
        """``<blockquote>`` with the text, the items below it in lists, and a line on where it is from."""
        url = html.escape(self.citer.address(self.ref))
        return (
            f'<blockquote class="kb-quote" cite="{url}" lang="{self.lang}" data-ref="{self.ref}"'
            f"{self._hash('data-hash')}>\n{self._tree(self.ref, top=True)}"
            f'<footer class="kb-source"><a class="kb-cite" href="{url}">{html.escape(self._human())}</a>'
            f"{self._origin()}</footer>\n</blockquote>"
        )

    def plain(self) -> str:
        """The text alone, on one line."""
        from kb.publish import exports

        library = self.citer.library
        text = exports.whole_text(library.kb, self.ref, self.lang) if library else ""
        return " ".join(text.split())

    def _human(self) -> str:
        from kb import address

        work = self.citer.profile.works[self.ref.work]
        pattern = work.human.get(self.lang, "{ref}")
        return pattern.replace("{ref}", address.human(self.citer.profile, self.ref))

    def _tree(self, ref: Ref, top: bool = False) -> str:
        library = self.citer.library
        if library is None:
            return ""
        node = library.kb.node(ref, self.lang)
        entry = library.kb.entry(ref)
        title = node.title if node else (dict(entry.titles).get(self.lang, "") if entry else "")
        head = " ".join(part for part in ("" if top else node.marker if node else "", title) if part)
        parts = [f"<strong>{html.escape(head)}</strong>" if head else "", _escaped(node.text if node else "")]
        own = " ".join(part for part in parts if part)
        children = [child for child in library.kb.children(ref) if self._has_text(child)]
        below = "".join(f"<li>{self._tree(child)}</li>\n" for child in children)
        tail = f"<p>{_escaped(node.tail)}</p>\n" if node and node.tail else ""
        listed = f'<ul class="kb-items">\n{below}</ul>\n' if below else ""
        notes = "".join(
            f"<p><small>{_escaped(f'{note.mark} {note.text}')}</small></p>\n"
            for note in (node.footnotes if node else ())
        )
        return (f"<p>{own}</p>\n" if own else "") + listed + tail + notes

    def _has_text(self, ref: Ref) -> bool:
        from kb.publish import exports

        library = self.citer.library
        return library is not None and bool(exports.whole_text(library.kb, ref, self.lang))

    def _hash(self, name: str) -> str:
        from kb.publish import exports

        library = self.citer.library
        text = exports.whole_text(library.kb, self.ref, self.lang) if library else ""
        return f' {name}="{exports.digest(text)}"' if text else ""

    def _origin(self) -> str:
        """Which source, which lines, and the start of the hash; of what has no text that it has none."""
        from kb.publish.strings import Strings

        library = self.citer.library
        text = self.plain()
        if library is None or not text:
            words = Strings(self.citer.profile.languages)
            return f" — {html.escape(words.text('short_not_supplied', self.lang))}"
        places = [
            f"{witness.source}: {witness.lines[0]}–{witness.lines[1]}"
            for ref in _walk(library, self.ref)
            if (node := library.kb.node(ref, self.lang))
            for witness in node.witnesses
            if witness.chosen
        ]
        mark = self._hash("x").strip()[3:-1]
        origin = f" — {html.escape(places[0])}" if places else ""
        return f'{origin} <code title="sha256 {mark}">{mark[:12]}</code>'


def _walk(library: Library, ref: Ref) -> Iterator[Ref]:
    yield ref
    for child in library.kb.children(ref):
        yield from _walk(library, child)


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


class _Blocks(Preprocessor):
    """``{{law 65B1}}`` on a line of its own. Runs after fenced code has been put away."""

    def __init__(self, md: Markdown, citer: Citer) -> None:
        super().__init__(md)
        self.citer = citer

    def run(self, lines: list[str]) -> list[str]:
        if not any("{{" in line for line in lines):
            return lines
        pattern = re.compile(rf" {{0,3}}\{{\{{\s*({self.citer.names()})\s+([^{{}}]{{1,80}}?)\s*\}}\}}\s*$")
        return [self._line(line, pattern.match(line)) for line in lines]

    def _line(self, line: str, found: re.Match[str] | None) -> str:
        if not found:
            return line
        try:
            block = Quotation(self.citer, self.citer.wanted(found.group(1), found.group(2))).block()
        except InputError as error:
            LOG.warning("%s", error)
            return line
        stash: str = self.md.htmlStash.store(block)
        return f"\n{stash}\n"


class _Inline(InlineProcessor):
    """``{{law 65B1}}`` inside a sentence: the text as ``<q>``."""

    def __init__(self, md: Markdown, citer: Citer) -> None:
        super().__init__(r"\{\{\s*([\w-]+)\s+([^{}]{1,80}?)\s*\}\}", md)
        self.citer = citer

    def handleMatch(  # type: ignore[override]
        self, found: re.Match[str], data: str
    ) -> tuple[ElementTree.Element | None, int | None, int | None]:
        if not re.fullmatch(self.citer.names(), found.group(1)):
            return None, None, None
        try:
            quotation = Quotation(self.citer, self.citer.wanted(found.group(1), found.group(2)))
        except InputError as error:
            LOG.warning("%s", error)
            return None, None, None
        link = ElementTree.Element("a", {"class": "kb-cite", "href": self.citer.address(quotation.ref)})
        quote = ElementTree.SubElement(link, "q", {"lang": quotation.lang})
        from markdown.util import AtomicString

        quote.text = AtomicString(quotation.plain() or quotation._human())
        return link, found.start(0), found.end(0)


class _Links(Postprocessor):
    """Links on the citations of the finished HTML, so that raw HTML has them too."""

    def __init__(self, md: Markdown, citer: Citer) -> None:
        super().__init__(md)
        self.citer = citer

    def run(self, text: str) -> str:
        from kb.cite.annotate import annotate

        return annotate(text, "html", self.citer.links, self.citer.href, self.citer.note)


class CitationExtension(Extension):
    """The extension ``kb.markdown``."""

    def __init__(self, **options: Any) -> None:
        self.config = {
            "base_url": ["", "Address of the site, put before each link"],
            "build": ["", "Folder made by `kb build`; default build/ when it is there"],
            "corpus": ["", "Folder of the corpus, when there is no build"],
            "lang": ["", "Language of quotations"],
            "edition": ["", "Edition that is meant when a citation names none"],
            "links": [True, "Make links of citations"],
        }
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:
        """Register the processors. Raises KbError when the corpus or the build cannot be used."""
        citer = Citer(self.getConfigs())
        try:
            _ = citer.grammar
        except KbError as error:
            raise type(error)(f"kb.markdown: {error}") from None
        # Below fenced_code (25) and html_block (20); above the reference processor's paragraphs.
        md.preprocessors.register(_Blocks(md, citer), "kb_blocks", 15)
        md.inlinePatterns.register(_Inline(md, citer), "kb_inline", 185)
        if self.getConfig("links"):
            # Last of all: raw_html (30), amp_substitute (20) and unescape (10) have run.
            md.postprocessors.register(_Links(md, citer), "kb_links", 0)


def makeExtension(**options: Any) -> CitationExtension:
    """For ``markdown.markdown(text, extensions=["kb.hosts.markdown"])``."""
    return CitationExtension(**options)
