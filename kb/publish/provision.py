"""One provision as Markdown: its marker, title, text in each language, footnotes, source, who cites it."""

from __future__ import annotations

import re
from collections.abc import Callable

from kb.model import Link, Node, PlacedLink, Ref
from kb.publish import gaps
from kb.publish.addresses import number, relative
from kb.publish.context import TOPIC, WORKING, Site
from kb.publish.markup import blocks, esc, esc_html, linked


def heading(site: Site, ref: Ref, level: int) -> str:
    """The heading line: the path above for those who listen, the marker as a link to itself, the titles."""
    anchor = site.addresses.anchor(ref)
    over = ref.work, ref.path[:-1]
    hidden = site.once(over, lambda: _above(site, ref)) if over[1] else ""
    marker = f"[{esc(ref.path[-1])}](#{anchor}){{ .m data-permalink={site.addresses.permalinks(ref)[0]} }}"
    title = titles(site, ref)
    bare = "" if title else " .bare"
    return f"{'#' * min(level, 6)} {hidden}{marker} {title} {{ #{anchor}-h{bare} }}"


def _above(site: Site, ref: Ref) -> str:
    """The path that a place stands below."""
    path = esc(", ".join(ref.path[:-1]))
    words = {lang: f"{esc(root_name(site, ref, lang))} {path}, " for lang in site.languages}
    return f'<span class="vh">{site.strings.words(words, escaped=True)}</span>'


def root_name(site: Site, ref: Ref, lang: str) -> str:
    """The name of the level that opens a path: «Правило», “Law”."""
    level = site.work(ref).root_level
    return level.names.get(lang) or level.names.get("en") or level.name


def titles(site: Site, ref: Ref, notes: bool = True) -> str:
    """The titles in each language as HTML; a topic, and with ``notes`` a working title, says so."""
    found = site.titles(ref)
    bases = {basis for _, basis in found.values()}
    texts = {}
    for lang, (title, basis) in found.items():
        before = after = ""
        if basis == TOPIC:
            before = f'<small class="about">{esc(site.strings.text("topic", lang))}:</small> '
        elif basis == WORKING and notes:
            after = f' <small class="tag">{esc(site.strings.text("working_title", lang))}</small>'
        texts[lang] = f"{before}{esc(title)}{after}"
    text = site.strings.each(texts, escaped=True)
    return f'<span class="topic">{text}</span>' if bases == {TOPIC} else text


def body(site: Site, page: str, ref: Ref, part: str = "text", marks: bool = True) -> str:
    """The own text of a place before (``text``) or after (``tail``) its children, in each language.

    ``marks``: with the glossary's terms marked, for pages that list them.
    """
    whole = site.nodes(ref)
    nodes = {lang: node for lang, node in whole.items() if getattr(node, part).strip()}
    # A list that breaks off does so after its last item: there its tail would stand.
    broken = [lang for lang, node in whole.items() if gaps.goes_on(node)] if part == "tail" else []
    if not nodes and not broken:
        return ""
    links = site.links(ref)
    paragraphs = []
    for lang, node in nodes.items():
        mark, _ = _attributes(site, lang, len(nodes) > 1)
        value: str = getattr(node, part)
        if _is_table(site, node):
            cls = f' class="{mark} table"' if mark else ' class="table"'
            paragraphs.append(f'<pre{cls} lang="{lang}" tabindex="0">{esc_html(value)}</pre>')
        else:
            runs = link_runs(site, page, links.get((lang, part), []))
            runs += site.marks.runs(page, ref, lang, part) if marks else []
            text = linked(value, runs + _gaps(site, node, part, runs))
            paragraphs.append(f"{text}\n{{ {f'.{mark} ' if mark else ''}lang={lang} }}")
    for lang in broken:
        mark, _ = _attributes(site, lang, len(broken) > 1)
        said = _gap(site, "gap_list", lang)
        paragraphs.append(f"{said}\n{{ {f'.{mark} ' if mark else ''}lang={lang} }}")
    return blocks(['<div class="pair" markdown="1">', *paragraphs, "</div>"])


def _gaps(site: Site, node: Node, part: str, runs: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Words at the places where some of a text are lost; a gap within a citation stands after it."""
    found = []
    for at, key in site.gaps.of(node, part):
        at = next((end for start, end, _ in runs if start < at < end), at)
        said = _gap(site, key, node.lang)
        found.append((at, at, f" {said}" if key == "gap_end" else f"{said} "))
    return found


def _gap(site: Site, key: str, lang: str) -> str:
    return f'<small class="gap">[{esc(site.strings.text(key, lang))}]</small>'


def _is_table(site: Site, node: Node) -> bool:
    """True when line ends count: a node of the kind ``table``, or one that holds drawn lines."""
    return node.kind == "table"


def link_runs(site: Site, page: str, placed: list[PlacedLink]) -> list[tuple[int, int, str]]:
    """Citations of a text as runs with their Markdown."""
    return [(p.link.citation.start, p.link.citation.end, _citation(site, page, p.link)) for p in placed]


def _citation(site: Site, page: str, link: Link) -> str:
    """The Markdown of one citation; ``{}`` is its text. Without a place here it is marked, not linked."""
    if link.status in ("foreign", "other-edition", "ambiguous"):
        note = site.strings.both("cite_" + link.status.replace("-", "_"))
        more = ""
        if link.status == "ambiguous":
            more = ": " + ", ".join(site.ref_link(page, ref) for ref in link.alternatives)
        elif link.status == "other-edition":
            more = f": {esc(link.target.edition)}"
        return f'<span class="cite elsewhere">{{}}</span> <small class="note">({note}{more})</small>'
    target = site.known(link.target if link.status != "unknown" else link.fallback or link.target)
    if target is None:
        return '<span class="cite">{}</span>'
    cls = " .none" if link.status == "not-supplied" else ""
    href = site.addresses.link(page, target)
    text = f"[{{}}]({href}){{ .cite{cls} data-ref={link.target} }}"
    if link.status == "unknown":
        return f'{text} <small class="note">({site.strings.both("cite_unknown")})</small>'
    return text


def footnotes(site: Site, page: str, ref: Ref, marks: bool = True) -> str:
    """The footnotes of a place, in each language, with their citations."""
    nodes = {lang: node for lang, node in site.nodes(ref).items() if node.footnotes}
    links = site.links(ref)
    paragraphs = []
    for lang, node in nodes.items():
        mark, _ = _attributes(site, lang, len(nodes) > 1)
        for n, note in enumerate(node.footnotes, 1):
            where = f"footnote {n}"
            runs = link_runs(site, page, links.get((lang, where), []))
            runs += site.marks.runs(page, ref, lang, where) if marks else []
            text = linked(note.text, runs)
            paragraphs.append(f"{esc(note.mark)} {text}\n{{ {f'.{mark} ' if mark else ''}lang={lang} }}")
    if not paragraphs:
        return ""
    return blocks(['<div class="pair notes" role="note" markdown="1">', *paragraphs, "</div>"])


def state(site: Site, ref: Ref, own: bool = True) -> str:
    """What is not as it should be with a place, in words; empty when all is well."""
    entry = site.kb.entry(ref)
    nodes = site.nodes(ref)
    out = []
    status = entry.status if entry else "not-supplied"
    if status in ("not-supplied", "repealed"):
        part = len(ref.path) > 1 and not site.is_heading(ref)
        short = "_here" if status == "not-supplied" and part else ""
        out.append(site.strings.both("state_" + status.replace("-", "_") + short))
    if status == "partial" and not nodes and len(ref.path) > 1 and not site.is_heading(ref):
        out.append(site.strings.both("state_own_lost"))
    for node in list(nodes.values())[:1]:
        if not node.complete:
            out.append(partial(site, node.ref, node.missing))
        elif status == "partial" and own:
            out.append(site.strings.both("state_children"))
        if node.damaged:
            out.append(site.strings.both("state_damaged"))
    if entry and status == "not-supplied" and entry.support == "M":
        out.append(f"({site.strings.both('unconfirmed')})")
    if not out:
        return ""
    return f'<p class="state {status}">{" ".join(out)}</p>'


_PATH = re.compile(r"(?<![\w.])\w+(?:\.\w+)+")
"""A path within a sentence of the program."""


def partial(site: Site, ref: Ref, missing: str) -> str:
    """That a text is not whole, and what of it is missing, as far as that is known."""
    if not missing:
        return site.strings.both("state_partial")

    def named(path: re.Match[str]) -> str:
        known = Ref(ref.work, ref.edition, tuple(path.group().split(".")))
        return number(known, site.profile) if site.kb.entry(known) else path.group()

    missing = _PATH.sub(named, missing)
    why = {lang: esc(site.strings.phrase(missing, lang)) for lang in site.languages}
    texts = {lang: site.strings.text("state_partial_why", lang, missing=why[lang]) for lang in site.languages}
    return site.strings.words(texts, escaped=True)


def meta(site: Site, page: str, ref: Ref) -> str:
    """Page and scan lines, how the place was found, who cites it, what else comments on it."""
    nodes = site.nodes(ref)
    node = next((n for n in nodes.values() if n.witnesses), next(iter(nodes.values()), None))
    parts = []
    if node is not None:
        parts += [_scan(site, page, w.source, w.lines, node.page) for w in node.witnesses if w.chosen]
        if not parts and node.page is not None:
            parts.append(site.strings.both("page", n=node.page))
    cited = site.cited_by(ref)
    if cited:
        parts.append(f"{site.strings.both('cited_by')} {places(site, page, cited)}")
    others = _other_comments(site, page, ref)
    if others:
        parts.append(f"{site.strings.both('see_comments')} {places(site, page, others)}")
    line = " · ".join(parts) + "\n{ .meta }" if parts else ""
    if node is None:
        return line
    return blocks([line, _basis(site, node), _readings(site, page, node)])


def places(site: Site, page: str, refs: list[Ref]) -> str:
    """Links by number only: those of the laws first, then by work with its name once."""
    return _by_work(site, refs, lambda ref: site.ref_link(page, ref, short_name(site, ref)))


def short_name(site: Site, ref: Ref, lang: str = "", safe: Callable[[str], str] = esc) -> str:
    """The number of a place; a heading has none, and is called by its name, in one language or in all.

    ``safe`` escapes it: for Markdown, or for HTML.
    """
    if not ref.path or not site.is_heading(ref):
        return safe(number(ref, site.profile))
    if lang:
        return safe(site.human(ref, lang))
    return site.strings.words({code: safe(site.human(ref, code)) for code in site.languages}, escaped=True)


def places_html(site: Site, up: str, refs: list[Ref], lang: str = "") -> str:
    """The same as HTML, in one language or in all; ``up`` leads from the page to the site's root."""

    def link(ref: Ref) -> str:
        known = site.known(ref)
        text = short_name(site, ref, lang, esc_html)
        return text if known is None else f'<a href="{up}{site.addresses.url(known)}">{text}</a>'

    return _by_work(site, refs, link, lang)


def _by_work(site: Site, refs: list[Ref], link: Callable[[Ref], str], lang: str = "") -> str:
    groups: dict[str, list[Ref]] = {}
    for ref in refs:
        groups.setdefault("" if site.is_law(ref) else ref.work, []).append(ref)
    out = []
    for work, found in sorted(groups.items()):
        links = ", ".join(map(link, found))
        root = Ref(work, site.edition)
        name = (esc_html(site.human(root, lang)) if lang else site.human_both(root)) if work else ""
        out.append(f"{name} {links}" if name else links)
    return "; ".join(out)


def _scan(site: Site, page: str, source: str, lines: tuple[int, int], leaf: int | None = None) -> str:
    first, last = lines
    key = "scan_line" if first == last else "scan_lines"
    values = {
        "scan": site.scan_labels.get(source, source),
        "lines": str(first) if first == last else f"{first}–{last}",
    }
    texts = {}
    for lang in site.languages:
        where = site.strings.text("page", lang, n=leaf) + ", " if leaf is not None else ""
        texts[lang] = esc(where + site.strings.text(key, lang, **values))
    text = site.strings.words(texts, escaped=True)
    if source not in site.scans:
        return text
    return f"[{text}]({relative(page, f'sources/{site.scans[source]}.md')}#L{first})"


def _basis(site: Site, node: Node) -> str:
    """How a place was found that the scan itself does not name."""
    if not node.basis.startswith("inferred"):
        return ""
    summary = f'<summary markdown="span">{site.strings.both("placed_by")}</summary>'
    reason = f"{esc(node.basis.partition(':')[2].strip())}\n{{ lang=en }}"
    return blocks(['<details class="why" markdown="1">', summary, reason, "</details>"])


def _other_comments(site: Site, page: str, ref: Ref) -> list[Ref]:
    """Comments about this place that do not stand beside it."""
    found: dict[Ref, None] = {}
    for relation in site.kb.relations_to(ref):
        if relation.status == "refused" or site.known(relation.comment) != relation.comment:
            continue
        main = site.main_relation(relation.comment)
        beside = main is not None and main.law == ref and site.addresses.page(relation.comment) == page
        if not beside:
            found[relation.comment] = None
    return list(found)


def _readings(site: Site, page: str, node: Node) -> str:
    """Readings of other scans that differ from the chosen one, on demand."""
    others = [w for w in node.witnesses if not w.chosen and not w.same and w.text]
    if not others:
        return ""
    items = [
        f"{_scan(site, page, w.source, w.lines)}: «{esc(w.text)}»\n{{ lang={node.lang} }}" for w in others
    ]
    summary = f'<summary markdown="span">{site.strings.both("variants")}</summary>'
    return blocks(['<details class="readings" markdown="1">', summary, *items, "</details>"])


def _attributes(site: Site, lang: str, choice: bool) -> tuple[str, str]:
    """The class that lets a paragraph give way to its counterpart, and the language."""
    return (f"l{site.languages.index(lang) + 1}" if choice else "", lang)
