"""A scan as it was received, line by line: what went into the text, what was repaired, what was dropped."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from kb.model import Node, Ref, SourceEdit, SourceInfo, Strip
from kb.publish.context import Site
from kb.publish.gaps import line_starts
from kb.publish.markup import attribute, blocks, esc, esc_html, front_matter, visible

LONGEST_BEFORE = 60
"""Characters of a replacement shown in its tip."""


def scan_page(site: Site, source: SourceInfo) -> str:
    """The Markdown of a scan's page."""
    nodes = list(site.kb.read_from(source.name))
    stem = site.scans[source.name]
    label = site.scan_labels[source.name]
    page = f"sources/{stem}.md"
    names = {lang: f"{site.strings.text('scan', lang)} {label}" for lang in site.languages}
    title = " / ".join(dict.fromkeys(names.values()))
    out = [
        f"# {site.strings.words({k: esc(v) for k, v in names.items()}, escaped=True)} {{ #top }}",
        _facts(site, source),
        f"{site.strings.both('scan_intro')}\n{{ .lead }}",
        _legend(site),
        _places(site, page, source, nodes),
        _lines(site, source, list(site.kb.edits(source.name)), used_runs(source, nodes)),
    ]
    description = visible(f"{source.title}. {source.name}") if source.title else source.name
    meta = {"title": f"{title}: {source.title}" if source.title else title, "description": description}
    return front_matter({**meta, "wide": True}) + blocks(out) + "\n"


def strip_path(site: Site, strip: Strip) -> str:
    """Where the picture of a line is published, from the root of the pages."""
    return f"sources/{site.scans[strip.source]}/L{strip.line}.png"


def used_runs(source: SourceInfo, nodes: Iterable[Node]) -> list[tuple[int, int]]:
    """Merged, sorted runs that nodes read from a source; from whole lines where no spans are kept."""
    starts = line_starts(source.text)
    return merge(run for node in nodes for run in _runs(node, source.name, starts))


def _runs(node: Node, source: str, starts: Sequence[int]) -> Iterator[tuple[int, int]]:
    for span in node.spans:
        if span.source == source:
            yield span.source_start, span.source_end
    if not node.spans:
        for witness in node.witnesses:
            if witness.source == source:
                first, last = witness.lines
                yield starts[first - 1], starts[min(last, len(starts) - 1)]


def merge(runs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Runs in order, those that touch joined into one."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(runs):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def _facts(site: Site, source: SourceInfo) -> str:
    work = site.profile.works.get(source.work)
    rows = [
        ("work", esc(source.title or (work.titles[site.languages[0]] if work else source.work)), source.lang),
        ("translator", esc(source.translator), source.lang),
        ("origin", esc(source.origin), "en"),
        ("encoding", esc(source.encoding), "en"),
    ]
    out = ['<dl class="facts">']
    for key, value, lang in rows:
        if value:
            out.append(f'<dt>{site.strings.both(key)}</dt><dd lang="{lang}">{value}</dd>')
    size = f"{site.strings.both('n_lines', n=source.lines)}, {site.strings.both('n_chars', n=source.chars)}"
    out.append(f"<dt>{site.strings.both('size')}</dt><dd>{size}</dd>")
    out.append(f"<dt>SHA-256</dt><dd><code>{esc(source.sha256)}</code></dd></dl>")
    return "\n".join(out)


def _legend(site: Site) -> str:
    marks = [("used", "scan_used"), ("repaired", "scan_repaired"), ("dropped", "scan_dropped")]
    items = " ".join(f'<span class="{cls}">{site.strings.both(key)}</span>' for cls, key in marks)
    return f'<p class="legend"><b>{site.strings.both("scan_legend")}:</b> {items}</p>'


def _places(site: Site, page: str, source: SourceInfo, nodes: Iterable[Node]) -> str:
    """Links to the laws whose text was taken from this scan."""
    refs: dict[Ref, None] = {}
    for node in nodes:  # a source may hold other works than the one it is said to
        if node.ref.path and any(w.source == source.name for w in node.witnesses):
            top = Ref(node.ref.work, node.ref.edition, node.ref.path[:1])
            refs[node.ref if site.is_heading(node.ref) else top] = None
    known = [ref for ref in refs if site.kb.entry(ref)]
    links = ", ".join(site.ref_link(page, ref) for ref in known)
    return f"{site.strings.both('scan_leads')} {links}" if links else ""


def _lines(site: Site, source: SourceInfo, edits: list[SourceEdit], used: list[tuple[int, int]]) -> str:
    """The text as one ``<pre>``, each line with its number and anchor ``L85``."""
    text = source.text
    words = dict.fromkeys(site.strings.text("scan", lang) for lang in site.languages)
    label = " / ".join(attribute(f"{word} {source.name}") for word in words)
    out = [f'<div class="scan" role="region" tabindex="0" aria-label="{label}" lang="{source.lang}">']
    starts = line_starts(text)
    strips = {strip.line: strip for strip in site.kb.strips(source.name)}
    cuts = _cuts(text, edits, used)
    at = 0
    for number, (start, end) in enumerate(pairwise(starts), 1):
        pieces = []
        while at < len(cuts) and cuts[at][0] < end:
            low, high, cls, tip = cuts[at]
            piece = text[max(low, start) : min(high, end)].rstrip("\r\n")
            if piece:
                pieces.append(_piece(piece, cls, tip))
            if high > end:
                break
            at += 1
        body = "".join(pieces)
        picture = _picture(site, strips[number]) if number in strips else ""
        out.append(
            f'<div id="L{number}"><a href="#L{number}">{number}</a>{picture}'
            f"<code>{body or '&#8203;'}</code></div>"
        )
    return "\n".join([*out, "</div>"])


def _picture(site: Site, strip: Strip) -> str:
    """The strip of the page that a line was read from. Its words stand beside it, so it needs none."""
    left, top, right, bottom = strip.box
    name = strip_path(site, strip).rpartition("/")[2]  # beside the page, whose address is its folder
    return f'<img src="{name}" alt="" loading="lazy" width="{right - left}" height="{bottom - top}">'


def _piece(text: str, cls: str, tip: str) -> str:
    safe = esc_html(text)
    if not cls:
        return safe
    title = f' title="{attribute(tip)}"' if tip else ""
    return f'<span class="{cls}"{title}>{safe}</span>'


def _cuts(text: str, edits: list[SourceEdit], used: list[tuple[int, int]]) -> list[tuple[int, int, str, str]]:
    """The whole text as runs ``(start, end, class, tip)``: a repair shows before a use."""
    edges = {0, len(text)}
    for start, end in used:
        edges |= {start, end}
    for edit in edits:
        edges |= {edit.start, edit.end}
    points = sorted(edge for edge in edges if 0 <= edge <= len(text))
    by_start = sorted((e for e in edits if e.end > e.start), key=lambda e: (e.start, -e.end))
    active: list[SourceEdit] = []
    at = 0
    starts = [start for start, _ in used]
    out: list[tuple[int, int, str, str]] = []
    for low, high in pairwise(points):
        while at < len(by_start) and by_start[at].start <= low:
            active.append(by_start[at])
            at += 1
        active = [edit for edit in active if edit.end > low]
        out.append((low, high, *_look(active, used, bisect_right(starts, low) - 1, low)))
    return out


def _look(active: list[SourceEdit], used: list[tuple[int, int]], run: int, low: int) -> tuple[str, str]:
    if active:
        edit = active[-1]
        before, after = (visible(part)[:LONGEST_BEFORE] for part in (edit.before, edit.after))
        return ("repaired" if edit.after.strip() else "dropped"), f"{edit.rule}: «{before}» → «{after}»"
    return ("used", "") if run >= 0 and used[run][1] > low else ("", "")
