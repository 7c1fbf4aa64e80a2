"""Glossary terms where they stand in a text: found, marked once a provision, explained once a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from kb import lang as languages
from kb.model import Node, Ref
from kb.publish.markup import blocks, esc_html, visible

if TYPE_CHECKING:
    from kb.publish.context import Site, Term

Run = tuple[int, int, str]
"""Start and end in code points, and the id of the term."""
KEPT = 128
"""Provisions whose runs are remembered: a text, its notes and its tail are asked for one after the other."""

_QUANTIFIER = re.compile(r"[?*{]")
_SHORTEST = 2


@dataclass(frozen=True, slots=True)
class _Sought:
    """A pattern with letters of which one run at least must stand in a text that it matches."""

    id: str
    pattern: re.Pattern[str]
    letters: tuple[str, ...]


class Finder:
    """Finds terms by their patterns. At one place the longest match wins, then the term listed first."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self._sought: dict[str, list[_Sought]] = {}
        for term in sorted(terms, key=lambda term: term.order):
            for lang, pattern in term.patterns.items():
                found = _Sought(term.id, pattern, letters(pattern.pattern))
                self._sought.setdefault(lang, []).append(found)

    def find(self, text: str, lang: str) -> list[Run]:
        """Every place a term stands at, in order, none over another."""
        lower = text.lower()
        found: list[tuple[int, int, int, str]] = []
        for order, one in enumerate(self._sought.get(lang, ())):
            if one.letters and not _any_in(one.letters, lower):
                continue
            found += [
                (m.start(), -m.end(), order, one.id)
                for m in one.pattern.finditer(text)
                if m.end() > m.start()
            ]
        return list(_apart(sorted(found)))


def _any_in(runs: tuple[str, ...], text: str) -> bool:
    for run in runs:  # noqa: SIM110 — a generator would cost more than the looks
        if run in text:
            return True
    return False


def _apart(found: Iterable[tuple[int, int, int, str]]) -> Iterator[Run]:
    at = 0
    for start, minus_end, _, name in found:
        if start >= at:
            at = -minus_end
            yield start, at, name


def letters(pattern: str) -> tuple[str, ...]:
    """Lower-case runs of letters: a text without any of them does not match. Empty when that is not known.

    ``\\bвзят(?:ка|ки)\\b`` -> ``("взят",)``. Most terms are in most texts not there, and a look for a few
    letters is many times cheaper than a search.
    """
    found = []
    for branch in _branches(pattern):
        best = max(_plain(branch), key=len, default="")
        if len(best) < _SHORTEST:
            return ()
        found.append(best.lower())
    return tuple(found)


def _branches(pattern: str) -> Iterator[str]:
    """The alternatives at the top of a pattern, each with its groups and classes as NUL."""
    depth, branch = 0, ""
    tokens = re.finditer(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", pattern, re.DOTALL)
    for token in (match.group() for match in tokens):
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
            branch += "\0" if depth == 0 else ""
        elif depth == 0 and token == "|":
            yield branch
            branch = ""
        elif depth == 0:
            branch += "\0" if len(token) > 1 else token
    yield branch


def _plain(branch: str) -> Iterator[str]:
    """Runs of letters that must stand there: the one before a quantifier need not."""
    for match in re.finditer(r"[^\W\d_]+", branch):
        optional = _QUANTIFIER.match(branch, match.end()) is not None
        yield match.group()[:-1] if optional else match.group()


class Marks:
    """The terms of one site's texts. Remembers which a page has shown until the page lists them."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._finder = Finder(site.glossary)
        self._shown: dict[str, set[str]] = {}
        self._of = lru_cache(KEPT)(self._find)

    def runs(self, page: str, ref: Ref, lang: str, part: str) -> list[tuple[int, int, str]]:
        """Runs of a part of a node with the Markdown that marks them: each term once a provision."""
        if not self._site.glossary:
            return []
        found = self._of(ref).get((lang, part), [])
        self._shown.setdefault(page, set()).update(name for _, _, name in found)
        return [(start, end, f'<span class="t" data-t="{name}">{{}}</span>') for start, end, name in found]

    def listed(self, page: str) -> str:
        """The terms marked on a page so far, with what they mean; a script shows that at the marks too."""
        shown = self._shown.pop(page, set())
        terms = [term for term in self._site.glossary if term.id in shown]
        if not terms:
            return ""
        words = self._site.strings
        items = "\n".join(entry(self._site, term) for term in terms)
        head = f"<summary>{words.both('terms_here', n=len(terms))}</summary>"
        dl = f'<dl class="glossary">\n{items}\n</dl>'
        return blocks([f'<details class="terms" id="terms">{head}\n{dl}</details>'])

    def _find(self, ref: Ref) -> dict[tuple[str, str], list[Run]]:
        cited = {
            key: [(p.link.citation.start, p.link.citation.end) for p in placed]
            for key, placed in self._site.links(ref).items()
        }
        found: dict[tuple[str, str], list[Run]] = {}
        for lang, node in self._site.nodes(ref).items():
            seen: set[str] = set()
            for part, text in parts(node):
                broken = [(at, at) for at, _ in self._site.gaps.of(node, part)]
                runs = _free(self._finder.find(text, lang), [*cited.get((lang, part), ()), *broken])
                found[lang, part] = list(_first(runs, seen))
        return found

    def find(self, text: str, lang: str) -> list[Run]:
        """Every place a term stands at in a line that is no provision: a title."""
        return self._finder.find(text, lang)

    @cached_property
    def uses(self) -> dict[str, list[Ref]]:
        """Term -> the provisions and comments whose text has it, in reading order."""
        found: dict[str, dict[Ref, None]] = {}
        for node in self._site.kb.nodes() if self._site.glossary else ():
            public = self._site.public(node)
            for _, text in parts(public) if public else ():
                for _, _, name in self._finder.find(text, node.lang):
                    found.setdefault(name, {})[node.ref] = None
        return {name: list(refs) for name, refs in found.items()}


def parts(node: Node) -> Iterator[tuple[str, str]]:
    """The parts of a node that terms are marked in, with their names in links."""
    if node.kind == "table":
        return
    yield "text", node.text
    yield "tail", node.tail
    for number, note in enumerate(node.footnotes, 1):
        yield f"footnote {number}", note.text


def _free(runs: Iterable[Run], taken: Sequence[tuple[int, int]]) -> Iterator[Run]:
    """Runs that touch no citation, where there would be two things to tap, and run over no gap."""
    for start, end, name in runs:
        if not any(start < last and first < end for first, last in taken):
            yield start, end, name


def _first(runs: Iterable[Run], seen: set[str]) -> Iterator[Run]:
    for start, end, name in runs:
        if name not in seen:
            seen.add(name)
            yield start, end, name


def entry(site: Site, term: Term, more: str = "") -> str:
    """A term of a ``<dl>``: its names, what it means, notes; ``more``: HTML after them."""
    names = " ".join(_name(site, term, lang) for lang in site.languages if lang in term.terms)
    items = [f'<dt id="term-{term.id}">{names}</dt>']
    for texts in (term.definitions, term.notes):
        given = {lang: _quoted(site, texts[lang], lang) for lang in site.languages if texts.get(lang)}
        if given:
            items.append(f"<dd>{site.strings.each(given, escaped=True)}</dd>")
    return "\n".join([*items, *([f"<dd>{more}</dd>"] if more else [])])


def _quoted(site: Site, text: str, lang: str) -> str:
    """A text as HTML in which words of another language of the corpus, told by their letters, say so."""
    text = esc_html(visible(text))
    own = set(languages.get(lang).alphabet)
    for other in site.languages:
        foreign = "".join(sorted(set(languages.get(other).alphabet) - own)) if own else ""
        if other != lang and foreign and not foreign.isascii():
            words = re.compile(rf"[{foreign}]+(?:[ -][{foreign}]+)*", re.IGNORECASE)
            text = words.sub(rf'<span lang="{other}">\g<0></span>', text)
    return text


def _name(site: Site, term: Term, lang: str) -> str:
    others = [v for v in term.variants.get(lang, ()) if v != term.terms[lang]]
    more = ""
    if others:
        names = visible(", ".join(others))
        more = f" <small>{esc_html(site.strings.text('variants_of_term', lang, variants=names))}</small>"
    return f'<span class="term" lang="{lang}">{esc_html(visible(term.terms[lang]))}{more}</span>'
