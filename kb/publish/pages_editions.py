"""Other editions, as a reader sees them: the banner of a page, a provision's line, the crosswalk."""

from __future__ import annotations

from collections.abc import Iterator

from kb import address
from kb.editions import Counterpart
from kb.model import Ref
from kb.publish.context import Site
from kb.publish.markup import blocks, esc, esc_html, front_matter, visible
from kb.publish.strings import Html


def note(site: Site, page: str, ref: Ref) -> str:
    """The banner: which edition is in force, what became of this place in it; what its English is."""
    now = site.editions.current
    out = []
    if now and now != site.edition:
        since = next((e.since for e in site.editions.editions if e.name == now), "")
        since = since or str(site.profile.data.get("in_force", {}).get("since", ""))
        parts = [site.once(("in force", now, since), lambda: _in_force(site, now, since))]
        found = site.editions.in_force(ref) if ref.path and not site.is_heading(ref) else None
        if found is not None:
            parts.append(_fate(site, found))
        parts.append(_told(site, ref))
        same = site.editions.is_same_below(ref)
        if ref.path and not same and any(_unsure(site, place) for place in below(site, ref)):
            parts.append(star(site))
        out.append(" ".join(part for part in parts if part))
    if _rendered(site, ref):
        out.append(f"{site.strings.both('working_translation')}\n{{ .notice }}")
    if not out:
        return ""
    return blocks(['<div class="edition" role="note" markdown="1">', *out, "</div>"])


def _in_force(site: Site, edition: str, since: str) -> str:
    values = {"edition": edition, "here": site.edition}
    texts = {}
    for lang in site.languages:
        if since:
            date = site.strings.date(since, lang)
            texts[lang] = esc(site.strings.text("in_force_since", lang, since=date, **values))
        else:
            texts[lang] = esc(site.strings.text("in_force", lang, **values))
    return site.strings.words(texts, escaped=True)


def _rendered(site: Site, ref: Ref) -> bool:
    """True when a page shows a rendering of ours, or no text at all where only its titles could be one."""
    if not site.has_renderings:
        return False
    bare = True
    for top in [ref, *site.comment_heads.get(ref, [])]:
        for place in below(site, top):
            nodes = site.nodes(place).values()
            if any(node.rendering for node in nodes):
                return True
            bare = bare and not any(node.lang != site.languages[0] for node in nodes)
    return bare


def below(site: Site, ref: Ref) -> Iterator[Ref]:
    """A place and all that stands on its page under it; of a heading, whose laws have their own, itself."""
    yield ref
    if ref.path and not site.is_heading(ref):
        for child in site.kb.children(ref):
            yield from below(site, child)


def _told(site: Site, ref: Ref) -> str:
    told = site.editions.note(ref)
    return site.strings.each({lang: esc(text) for lang, text in told.items()}, escaped=True)


def _fate(site: Site, found: Counterpart) -> str:
    if found.change == "unconfirmed":
        return site.strings.both("in_force_unknown", edition=found.edition)
    key = "in_force_place" if found.path else "in_force_gone"
    return site.strings.both(key, path=short(site, found), change=Html(change(site, found)))


def short(site: Site, found: Counterpart) -> str:
    """The counterpart's number as people write it: ``16D``."""
    if not found.path:
        return "—"
    return address.short(site.profile, Ref(site.editions.work, found.edition, tuple(found.path.split("."))))


def change(site: Site, found: Counterpart) -> str:
    """The kind of change in words, and whether that is confirmed."""
    key = f"change_{found.change}"
    text = site.strings.both(key) if site.strings.has(key) else esc(found.change)
    if found.confirmed or found.change == "unconfirmed":
        return text
    return f"{text}, {site.strings.both('from_memory')}"


def brief(site: Site, found: Counterpart) -> str:
    """The kind of change in words; a star stands for «from memory», which ``star`` tells once on a page."""
    key = f"change_{found.change}"
    text = site.strings.both(key) if site.strings.has(key) else esc(found.change)
    return text if found.confirmed or found.change == "unconfirmed" else f"{text}&#42;"


def star(site: Site) -> str:
    """What the star of ``brief`` says."""
    return f"&#42; — {site.strings.both('from_memory')}."


def _unsure(site: Site, ref: Ref) -> bool:
    """True when the line of a place has a star."""
    return len(ref.path) > 1 and any(not c.confirmed for c in site.editions.changed(ref))


def line(site: Site, ref: Ref) -> str:
    """A provision's places in other editions, where something is known to have changed."""
    if site.is_heading(ref):
        return ""
    places: dict[str, list[str]] = {}
    for found in site.editions.changed(ref):
        places.setdefault(f"{esc(short(site, found))} ({brief(site, found)})", []).append(esc(found.edition))
    parts = [f"{', '.join(names)}: {place}" for place, names in places.items()]
    if _is_told(site, ref):
        parts.append(_told(site, ref))
    return " · ".join(parts) + "\n{ .meta .editions }" if parts else ""


def _is_told(site: Site, ref: Ref) -> bool:
    """True when a place has a note that the one above it, and those beside it, have not told before it."""
    note = site.editions.note(ref)
    return bool(note) and all(site.editions.note(other) != note for other in _before(site, ref))


def _before(site: Site, ref: Ref) -> list[Ref]:
    """The place above one, and those that stand beside and before it."""
    if ref.parent is None:
        return []
    beside = site.kb.children(ref.parent)
    return [ref.parent, *(beside[: beside.index(ref)] if ref in beside else [])]


def elsewhere(site: Site, ref: Ref) -> str:
    """Where the official texts are, on the page of a law whose text is not here."""
    if site.status(ref) != "not-supplied":
        return ""
    links = []
    for link in site.elsewhere:
        if site.edition in link.get("editions", [site.edition]) or site.editions.current in link["editions"]:
            titles = {lang: esc(text) for lang, text in link["titles"].items()}
            links.append(f"[{site.strings.words(titles, escaped=True)}]({link['url']}){{ rel=external }}")
    return f"{site.strings.both('elsewhere')} {', '.join(links)}\n{{ .meta }}" if links else ""


def editions_page(site: Site) -> str:
    """The crosswalk: from this edition to the others, and from the one in force back."""
    now = site.editions.current
    rows = list(site.editions.crosswalk())
    others = site.editions.others
    titles = dict.fromkeys(site.strings.text("editions", lang) for lang in site.languages)
    lang = site.languages[0]
    meta: dict[str, object] = {
        "title": " / ".join(titles),
        "description": visible(site.strings.text("editions_intro_only", lang)),
        "wide": True,
    }
    back = bool(now and now != site.edition)
    intro = site.strings.both(
        "editions_intro" if back else "editions_intro_only", here=site.edition, edition=now
    )
    sure = all(one.confirmed or one.change == "unconfirmed" for _, found in rows for one in found)
    legend = " ".join([site.strings.both("editions_legend"), *([] if sure else [star(site)])])
    out = [f"# {site.strings.both('editions')} {{ #top }}", intro, legend, _table(site, rows, others)]
    if back:
        out += [f"## {site.strings.both('editions_from', edition=now)} {{ #back }}", _back(site, rows, now)]
    return front_matter(meta) + blocks(out) + "\n"


def _table(site: Site, rows: list[tuple[Ref, list[Counterpart]]], others: tuple[str, ...]) -> str:
    head = "".join(f'<th scope="col">{esc_html(name)}</th>' for name in (site.edition, *others))
    lines = []
    for ref, found in rows:
        cells = []
        for name in others:
            here = [c for c in found if c.edition == name]
            cells.append(f"<td>{'<br>'.join(_cell(site, c) for c in here)}</td>")
        lines.append(f'<tr><th scope="row">{_here(site, ref)}</th>{"".join(cells)}</tr>')
        if _is_told(site, ref):
            told = site.strings.each(dict(site.editions.note(ref)))
            lines.append(f'<tr class="told"><td></td><td colspan="{len(others)}">{told}</td></tr>')
    return _wide(site.strings.plain("editions"), head, lines)


def _cell(site: Site, found: Counterpart) -> str:
    """The number; words only where something has changed."""
    if found.change == "unconfirmed":
        return f"<small>{change(site, found)}</small>"
    number = esc_html(short(site, found))
    if found.change == "same":
        return number if found.confirmed else f"{number}&#42;"
    return f"{number} <small>{brief(site, found)}</small>"


def _here(site: Site, ref: Ref) -> str:
    text = esc_html(address.short(site.profile, ref))
    known = site.known(ref)
    return f'<a href="../{site.addresses.url(known)}">{text}</a>' if known and known.path else text


def _back(site: Site, rows: list[tuple[Ref, list[Counterpart]]], now: str) -> str:
    places: dict[str, list[tuple[Ref, Counterpart]]] = {}
    for ref, found in rows:
        for one in found:
            if one.edition == now and one.path and one.change not in ("same", "unconfirmed"):
                places.setdefault(one.path, []).append((ref, one))
    lines = []
    for path in sorted(places, key=_by_number):
        refs = "<br>".join(f"{_here(site, ref)} <small>{brief(site, c)}</small>" for ref, c in places[path])
        lines.append(
            f'<tr><th scope="row">{esc_html(short(site, places[path][0][1]))}</th><td>{refs}</td></tr>'
        )
    head = "".join(f'<th scope="col">{esc_html(name)}</th>' for name in (now, site.edition))
    return _wide(site.strings.plain("editions_from", edition=now), head, lines)


def _wide(label: str, head: str, lines: list[str]) -> str:
    if not lines:
        return ""
    table = f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n" + "\n".join(lines) + "\n</tbody></table>"
    return f'<div class="wide crosswalk" role="region" tabindex="0" aria-label="{label}">{table}</div>'


def _by_number(path: str) -> list[tuple[int, int, str]]:
    return [(0, int(step), "") if step.isdigit() else (1, 0, step) for step in path.split(".")]
