"""The pages around the laws: front page, contents, chapters, search, glossary, about, sources, quality."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from kb import address
from kb.model import Finding, Ref
from kb.publish import comments, pages_book, pages_editions, pages_law, provision
from kb.publish.context import Site
from kb.publish.markup import blocks, esc, esc_html, front_matter, visible
from kb.publish.strings import FALLBACK, Html

SHOWN_FINDINGS = 60
"""Findings of one kind listed by name on the quality page; the count is of all."""
BEGINNING = 90
"""Characters of a comment shown in the list of comments."""


def simple(site: Site, key: str, body: list[str], **meta: object) -> str:
    """A page titled by an interface string."""
    title = site.strings.text(key, site.languages[0])
    titles = dict.fromkeys(site.strings.text(key, lang) for lang in site.languages)
    values: dict[str, object] = {
        "title": " / ".join(titles),
        "description": visible(f"{title}. {site.profile.titles.get(site.languages[0], site.profile.name)}"),
        **meta,
    }
    return front_matter(values) + blocks([f"# {site.strings.both(key)} {{ #top }}", *body]) + "\n"


def examples(site: Site, key: str) -> str:
    """An interface string with what one may write: a provision's number and the title of its law."""
    found = (ref for ref in reversed(site.law_pages) if site.status(ref) == "text" and site.kb.children(ref))
    law = next(found, None)
    if law is None:
        return ""
    names = {}
    for lang in site.languages:
        number = address.short(site.profile, site.kb.children(law)[0])
        title = site.title_text(law, lang) if key == "search_hint" else site.human(law, lang)
        names[lang] = site.strings.text(key, lang, examples=f"{number}, {visible(title).lower()}")
    return site.strings.words(names)


def contents_page(site: Site) -> str:
    """All chapters, parts and laws, each law with its completeness in words."""
    site.read_laws()
    ref = Ref(site.profile.law_work.name, site.edition)
    page = site.addresses.page(ref)
    book = site.page_link(page, pages_book.page_of(site), site.strings.both("book"))
    body = [
        pages_editions.note(site, page, ref),
        completeness(site),
        *([f"{book}\n{{ .sum }}"] if pages_book.fits(site) else []),
        tree(site, page, None),
        _comment_list(site, page),
    ]
    return simple(site, "contents", body)


def completeness(site: Site) -> str:
    """How many laws have their text, in words."""
    count = Counter(site.status(ref) for ref in site.law_pages)
    total = len(site.law_pages)
    return (
        site.strings.both(
            "completeness_sum",
            total=total,
            text=count["text"],
            partial=count["partial"],
            none=total - count["text"] - count["partial"],
        )
        + "\n{ .sum }"
    )


def tree(site: Site, page: str, under: Ref | None, deep: bool = True) -> str:
    """A nested list of what stands under an entry; with ``deep`` down to the laws, else the top headings."""
    return "\n".join(_tree(site, page, under, deep, 0))


def _tree(site: Site, page: str, under: Ref | None, deep: bool, depth: int) -> Iterator[str]:
    law = site.profile.law_work.name
    for ref in site.kb.children(under):
        if ref.work != law:
            continue
        name = site.human_both(ref)
        heading = site.is_heading(ref)
        status = site.status(ref)
        link = site.ref_link(page, ref, f"{name}. {provision.titles(site, ref, notes=False)}")
        tag = "" if heading and site.kb.children(ref) else short_state(site, status)
        yield f"{'    ' * depth}- {link}{tag}"
        if heading and deep:
            yield from _tree(site, page, ref, deep, depth + 1)


def short_state(site: Site, status: str) -> str:
    """The completeness of a place in a word."""
    key = "short_" + status.replace("-", "_")
    return f' <span class="tag {status}">{site.strings.both(key)}</span>'


def heading_page(site: Site, ref: Ref, before: Ref | None, after: Ref | None) -> str:
    """A chapter or part: what stands in it, and its own text and notes."""
    page = site.addresses.page(ref)
    below = tree(site, page, ref)
    out = [
        pages_law.breadcrumbs(site, page, ref),
        f'# {pages_law.number(site, ref)} <span class="name">{provision.titles(site, ref)}</span> {{ #top }}',
        pages_law.TOOLS,
        pages_editions.note(site, page, ref),
        provision.state(site, ref) if not below else "",
        provision.body(site, page, ref),
        provision.footnotes(site, page, ref),
        provision.meta(site, page, ref),
        below or site.strings.both("definitions_none"),
        site.marks.listed(page),
        pages_law.neighbours(site, page, ref, before, after),
    ]
    return pages_law.head(site, ref) + blocks(out) + "\n"


def _comment_list(site: Site, page: str) -> str:
    lines = []
    for name, work in site.profile.works.items():
        if work.role == "commentary" and next(site.kb.entries(name), None):
            ref = Ref(name, site.edition)
            lines.append(f"## {site.ref_link(page, ref)} {{ #{name} }}")
    return blocks(lines)


def commentary_page(site: Site, name: str) -> str:
    """A commentary as a whole: links to its paragraphs on the laws' pages; those without a law stand here."""
    ref = Ref(name, site.edition)
    page = site.addresses.page(ref)
    work = site.profile.works[name]
    out = [f"# {site.human_both(ref)} {{ #top }}"]
    for entry in site.kb.entries(name):
        if len(entry.ref.path) != 1:
            continue
        title = provision.titles(site, entry.ref)
        if site.addresses.page(entry.ref) == page:
            out.append(comments.comment(site, page, entry.ref))
            out += [comments.comment(site, page, child) for child in site.kb.children(entry.ref)]
            continue
        level = work.root_level
        names = {lang: f"{level.names.get(lang, level.name)} {entry.ref.dotted}" for lang in site.languages}
        names = {lang: esc(text[:1].upper() + text[1:]) for lang, text in names.items()}
        text = site.strings.words(names, escaped=True)
        out.append(f'## {text} <span class="name">{title}</span> {{ #{site.addresses.anchor(entry.ref)}-h }}')
        children = site.kb.children(entry.ref) or [entry.ref]
        out.append("\n".join(f"- {_comment_line(site, page, child)}" for child in children))
    out.append(site.marks.listed(page))
    titles = dict.fromkeys(site.human(ref, lang) for lang in site.languages)
    lang = site.languages[0]
    meta: dict[str, object] = {
        "title": " / ".join(titles),
        "description": visible(f"{site.human(ref, lang)}. {site.profile.titles.get(lang, '')}"),
    }
    return front_matter(meta) + blocks(out) + "\n"


def _comment_line(site: Site, page: str, ref: Ref) -> str:
    """A comment's number, what it is about, how it begins."""
    relation = site.main_relation(ref)
    parts = [site.ref_link(page, ref)]
    if relation is not None:
        parts.append(site.strings.both("comment_on", law=Html(site.ref_link(page, relation.law))))
    begins = {lang: esc(_beginning(node.text)) for lang, node in site.nodes(ref).items() if node.text}
    if begins:
        parts.append(f'<small class="said">{site.strings.each(begins, escaped=True)}</small>')
    return " ".join(parts)


def _beginning(text: str) -> str:
    text = visible(text)
    return text if len(text) <= BEGINNING else text[:BEGINNING].rpartition(" ")[0] + " …"


def search_page(site: Site) -> str:
    """The full search; without a script, the list of all laws."""
    note = f"{site.strings.both('search_noscript')}"
    site.read_laws()
    body = ["<!-- box -->", '<div class="plain" markdown="1">', note, tree(site, "search.md", None), "</div>"]
    return simple(site, "search", body, template="search.html", hint=examples(site, "search_hint"))


def cite_page(site: Site) -> str:
    """The static resolver: reads what follows # in the address; without a script, the contents help."""
    link = site.page_link(
        "cite/index.md",
        site.addresses.page(Ref(site.profile.law_work.name, site.edition)),
        site.strings.both("contents"),
    )
    hint = examples(site, "cite_intro")
    return simple(site, "cite_title", ["<!-- box -->", link], template="cite.html", hint=hint)


def about_page(site: Site, more: Sequence[tuple[str, str]] = ()) -> str:
    """What the site is, how to use it, and where the rest is told; ``more``: (words, page) of other pages."""
    page = "about/index.md"
    links = [("sources", "sources/index.md"), ("rights", "about/rights.md"), ("quality", "about/quality.md")]
    if site.editions.others:
        links.insert(0, ("editions", "editions.md"))
    links[:0] = [("subjects_title", "subjects.md"), *([("glossary", "glossary.md")] if site.glossary else [])]
    links[:0] = [*more, ("offline", "offline.md")]
    lines = "\n".join(f"- {site.page_link(page, target, site.strings.both(key))}" for key, target in links)
    return simple(site, "about", [site.strings.both("about_text"), site.strings.both("about_use"), lines])


def rights_page(site: Site) -> str:
    """Whose the texts are: our words, then the corpus's own ``RIGHTS.md``, which is Markdown."""
    texts = [site.strings.both("rights_text")]
    if len(site.languages) > 1:
        texts.append(site.strings.both("working_translation"))
    for lang in site.languages:
        for name in (f"RIGHTS.{lang}.md", *(["RIGHTS.md"] if lang == FALLBACK else [])):
            path = site.profile.root / name
            if path.is_file():
                body = re.sub(r"\A# .*\n+", "", path.read_text("utf-8"))
                label = site.strings.plain("rights")
                region = f'role="region" tabindex="0" aria-label="{label}"'
                texts += [
                    f'<div class="wide own" lang="{lang}" {region} markdown="1">',
                    body.strip(),
                    "</div>",
                ]
    return simple(site, "rights", texts)


def offline_page(site: Site) -> str:
    """What stays on the device, how large it is, and whether it is there; filled in when the site is made."""
    size = site.strings.both("offline_size", sent=Html("[[sent]]"), kept=Html("[[kept]]"))
    states = "".join(
        f'<p data-state="{state}" hidden>{site.strings.both("offline_" + state)}</p>'
        for state in ("keeping", "kept", "failed", "unable", "asks")
    )
    button = f'<div class="tools"><button type="button">{site.strings.both("offline_keep")}</button></div>'
    body = [
        site.strings.both("offline_text"),
        f'<p class="sum">{size}</p>',
        f'<div data-offline class="offline" role="status">{states}{button}</div>',
        site.strings.both("offline_install"),
    ]
    return simple(site, "offline", body)


def sources_page(site: Site) -> str:
    """Every scan, with its facts and a link to its view."""
    page = "sources/index.md"
    rows = []
    for source in site.sources:
        link = f'<a href="{site.scans[source.name]}/">{esc(site.scan_labels[source.name])}</a>'
        size = (
            f"{site.strings.both('n_lines', n=source.lines)}, {site.strings.both('n_chars', n=source.chars)}"
        )
        rows.append(
            f'<tr><th scope="row">{link}</th><td lang="{source.lang}">{esc(source.title)}</td>'
            f'<td lang="{source.lang}">{esc(source.translator)}</td><td>{size}</td></tr>'
        )
    heads = [site.strings.both(key) for key in ("scan", "work", "translator", "size")]
    quality = site.page_link(page, "about/quality.md", site.strings.both("quality"))
    return simple(
        site,
        "sources",
        [_table(site, "sources", heads, rows), quality],
    )


def quality_page(site: Site) -> str:
    """The accounts of every character, and what is not in order yet."""
    out = [
        completeness(site),
        f"## {site.strings.both('accounts')} {{ #accounts }}",
        site.strings.both("accounts_intro"),
    ]
    out += _accounts(site)
    out += [f"## {site.strings.both('findings')} {{ #findings }}", site.strings.both("findings_intro")]
    out += list(_findings(site))
    return simple(site, "quality", out)


_FATES = {"kept": "scan_used", "repaired": "scan_repaired", "dropped": "scan_dropped"}


def _accounts(site: Site) -> Iterator[str]:
    """How many characters of each scan went where; rule by rule on demand."""
    accounts = list(site.kb.accounts())
    if not accounts:
        return
    fates = list(dict.fromkeys([*_FATES, *(account.fate for account in accounts)]))
    words = {fate: site.strings.both(_FATES[fate]) if fate in _FATES else esc(fate) for fate in fates}
    sums: dict[str, Counter[str]] = {}
    for account in accounts:
        sums.setdefault(account.source, Counter())[account.fate] += account.chars
    labels = {name: esc(site.scan_labels.get(name, name)) for name in sums}
    lines = [
        f'<tr><th scope="row">{labels[name]}</th>'
        + "".join(f'<td class="n">{count[fate]}</td>' for fate in fates)
        + "</tr>"
        for name, count in sums.items()
    ]
    yield _table(site, "characters", [site.strings.both("scan"), *words.values()], lines)
    rules = [
        f'<tr><th scope="row">{labels[one.source]}</th><td>{words[one.fate]}</td>'
        f'<td lang="en">{esc(one.rule)}</td><td class="n">{one.chars}</td></tr>'
        for one in accounts
    ]
    head = [site.strings.both(key) for key in ("scan", "fate", "rule", "characters")]
    summary = f"<summary>{site.strings.both('accounts_rules')}</summary>"
    yield f'<details class="findings">{summary}\n{_table(site, "accounts_rules", head, rules)}\n</details>'


def _table(site: Site, label: str, heads: Sequence[str], lines: Sequence[str]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{site.strings.plain(label)}">'
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n" + "\n".join(lines) + "\n</tbody></table></div>"
    )


def _findings(site: Site) -> Iterator[str]:
    kinds: dict[str, list[Finding]] = {}
    for finding in site.kb.findings():
        kinds.setdefault(finding.kind, []).append(finding)
    page = "about/quality.md"
    for kind, found in sorted(kinds.items()):
        lines = [_finding(site, page, finding) for finding in found[:SHOWN_FINDINGS]]
        if len(found) > SHOWN_FINDINGS:
            lines.append(f"<li>… {len(found)}</li>")
        named = site.strings.has(f"finding_{kind}")
        name = site.strings.both(f"finding_{kind}") if named else f'<span lang="en">{esc(kind)}</span>'
        summary = f"<summary>{name}: {len(found)}</summary>"
        yield f'<details class="findings">{summary}\n<ul>\n' + "\n".join(lines) + "\n</ul></details>"


def _finding(site: Site, page: str, finding: Finding) -> str:
    where = ""
    known = site.known(finding.ref) if finding.ref else None
    if finding.ref and known and known.path:
        href = "../../" + site.addresses.url(known)
        where = f'<a href="{href}">{site.human_both(finding.ref)}</a>: '
    elif finding.source in site.scans:
        line = f"#L{finding.lines[0]}" if finding.lines else ""
        label = site.strings.both("scan")
        href = f"../../sources/{site.scans[finding.source]}/{line}"
        where = f'<a href="{href}">{label} {esc(site.scan_labels[finding.source])}</a>: '
    message = _REF.sub(lambda found: _named(site, found.group()), finding.message)
    return f'<li>{where}<span lang="en">{esc_html(message)}</span></li>'


_REF = re.compile(r"(?<![\w/])[a-z][\w-]*/\w+/\w+(?:[.~-]\w+)*")


def _named(site: Site, written: str) -> str:
    """A ref in a message as a reader knows it; what is none stays."""
    work, edition, path = written.split("/")
    ref = Ref(work, edition, tuple(path.split(".")))
    return site.human(ref, FALLBACK) if work in site.profile.works and edition == site.edition else written
