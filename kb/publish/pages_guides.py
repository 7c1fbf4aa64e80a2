"""Procedures as decision paths, one page each, and the situations from A to Z."""

from __future__ import annotations

from collections.abc import Iterator

from kb import lang as languages
from kb import topics
from kb.editions import Counterpart
from kb.guides import Guide, Step, Way
from kb.model import Ref
from kb.publish import pages_editions, provision
from kb.publish.context import DESCRIPTION, Site
from kb.publish.markup import attribute, blocks, esc, front_matter, visible
from kb.topics import Topic

INDEX = "guides/index.md"
TOPICS = "situations.md"
OFFERED = 6
"""Guides the search box offers before anything is typed."""
_STATES = ("text", "partial", "repealed", "not-supplied")
PHRASES = 4
"""Wordings of a situation on the page, the first ones; the search knows them all."""


def page_of(guide: str) -> str:
    """The page of a guide, by its id."""
    return f"guides/{guide}.md"


def in_order(site: Site) -> list[Guide]:
    """Those asked for most, then the others by title in the main language."""
    lang = site.languages[0]
    filed = languages.get(lang).filed
    last = len(site.guides)
    return sorted(site.guides, key=lambda g: (g.often or last, filed(g.title.get(lang, "")), g.id))


def offered(site: Site) -> list[dict[str, object]]:
    """What a search box offers: page, name as HTML, the laws it is about, whether it is asked for most."""
    most = [guide.id for guide in in_order(site) if guide.often][:OFFERED]
    return [
        {
            "page": page_of(guide.id),
            "name": site.strings.words(dict(guide.title)),
            "about": " ".join(dict.fromkeys(str(Ref(r.work, r.edition, r.path[:1])) for r in guide.refs)),
            "often": guide.id in most,
        }
        for guide in in_order(site)
    ]


def index_page(site: Site) -> str:
    """All guides, those asked for most first, each with what it is about."""
    lang = site.languages[0]
    lines = []
    for guide in in_order(site):
        link = site.page_link(INDEX, page_of(guide.id), site.content(guide.title))
        refs = provision.places(site, INDEX, list(guide.refs))
        lines.append(f"- {link} <small>{refs}</small>")
    values = _head(site, "guides_title", site.strings.text("guides_intro", lang))
    body = [site.strings.both("guides_intro"), _listed("guides", lines)]
    return values + blocks([f"# {site.strings.both('guides_title')} {{ #top }}", *body]) + "\n"


def guide_page(site: Site, guide: Guide) -> str:
    """One procedure: every step in order, numbered; a script shows one of them at a time."""
    page = page_of(guide.id)
    numbers = {step.id: n for n, step in enumerate(guide.steps, 1)}
    titles = [visible(title) for title in guide.title.values()]
    first = next(iter(guide.steps[0].text.values()))
    values = {
        "title": " / ".join(dict.fromkeys(titles)),
        "description": visible(f"{titles[0]}. {first}")[:DESCRIPTION],
        "template": "guide.html",
        "cards": True,
    }
    up = site.page_link(page, INDEX, site.strings.both("guides_title"))
    label = site.strings.plain("breadcrumbs")
    out = [
        f'<nav class="crumbs" aria-label="{label}" markdown="1">',
        up,
        "</nav>",
        f"# {site.content(guide.title)} {{ #top }}",
        _edition(site, guide),
        "<!-- bar -->",
        '<div class="guide" markdown="1">',
        *[_step(site, page, step, numbers) for step in guide.steps],
        "</div>",
    ]
    return front_matter(dict(values)) + blocks(out) + "\n"


def _edition(site: Site, guide: Guide) -> str:
    """That another edition is in force: a ruling of today rests on it."""
    now = site.editions.current
    if not now or now == site.edition:
        return ""
    parts = [site.strings.both("guide_edition", here=site.edition, edition=now)]
    found = [_differs(site, ref) for step in guide.steps for ref in step.refs]
    if any(one and not one.confirmed for one in found):
        parts.append(pages_editions.star(site))
    return " ".join(parts) + "\n{ .sum }"


def _step(site: Site, page: str, step: Step, numbers: dict[str, int]) -> str:
    anchor = anchor_of(step.id)
    note = site.content(step.note)
    ways = [f"- {_way(site, page, way, numbers)}" for way in step.ways]
    kind = site.strings.both(f"step_{step.kind}")
    return blocks(
        [
            f'<section class="step {step.kind}" id="{anchor}" aria-labelledby="{anchor}-h" markdown="1">',
            f'<p class="kind"><span class="n">{numbers[step.id]}</span> {kind}</p>',
            f"## {site.content(step.text)} {{ #{anchor}-h tabindex=-1 }}",
            f"{note}\n{{ .note }}" if note else "",
            _listed("answers", ways),
            _rests(site, page, step.refs),
            "</section>",
        ]
    )


def anchor_of(step: str) -> str:
    """The id of a step on its page: of its own, whatever other ids the page has."""
    return f"s-{step}"


def _way(site: Site, page: str, way: Way, numbers: dict[str, int]) -> str:
    if way.next:
        text = site.content(way.text) or site.strings.both("guide_on")
        return f'[<span>{text}</span> <span class="to">→ {numbers[way.next]}</span>](#{anchor_of(way.next)})'
    title = next((guide.title for guide in site.guides if guide.id == way.guide), {})
    onward = site.page_link(page, page_of(way.guide), f'<span class="of">{site.content(title)}</span>')
    if not way.text:
        return onward
    both = f'<span>{site.content(way.text)}</span> <small class="of">{site.content(title)}</small>'
    return site.page_link(page, page_of(way.guide), both)


def _rests(site: Site, page: str, refs: tuple[Ref, ...]) -> str:
    """What a step rests on: each place with its title, whether it has a text, what became of it."""
    lines = [f"- {_rest(site, page, ref)}" for ref in refs]
    return f"{site.strings.both('guide_rests')}\n{{ .rests-on }}\n\n{_listed('rests', lines)}"


def _rest(site: Site, page: str, ref: Ref) -> str:
    title = provision.titles(site, ref, notes=False)
    text = site.human_both(ref) + (f". {title}" if title else "")
    known = site.known(ref)
    status = site.status(ref)
    none = " .none" if status == "not-supplied" else ""
    link = text
    if known is not None and known.path:
        link = f"[{text}]({site.addresses.link(page, known)}){{ .cite{none} data-ref={ref} }}"
    parts = [link]
    if status != "text":
        parts.append(f'<span class="tag {status}">{_short(site, status)}</span>')
    now = _in_force(site, ref)
    if now:
        parts.append(f"<small>{now}</small>")
    return " ".join(parts)


def _short(site: Site, status: str) -> str:
    return site.strings.both("short_" + status.replace("-", "_"))


def _differs(site: Site, ref: Ref) -> Counterpart | None:
    """Its place in the edition in force, where that is known to differ."""
    found = site.editions.in_force(ref) if not site.is_heading(ref) else None
    return None if found is None or found.change in ("same", "unconfirmed") else found


def _in_force(site: Site, ref: Ref) -> str:
    found = _differs(site, ref)
    if found is None:
        return ""
    where = f"{esc(pages_editions.short(site, found))} " if found.path else ""
    return f"{esc(found.edition)}: {where}({pages_editions.brief(site, found)})"


def topics_page(site: Site) -> str:
    """The situations of each language from A to Z: a line a topic, and links to where it is ruled."""
    intro = site.strings.text("topics_intro", site.languages[0])
    out = [f"# {site.strings.both('topics_title')} {{ #top }}", site.strings.both("topics_intro")]
    for lang in site.languages:
        found = topics.index(site.topics, lang)
        if found:
            out.append(_alphabet(site, lang, found))
    return _head(site, "topics_title", intro) + blocks(out) + "\n"


def _alphabet(site: Site, lang: str, found: list[tuple[str, list[Topic]]]) -> str:
    mark = site.strings.mark(lang)
    label = attribute(site.strings.text("letters", lang))
    bar = " ".join(f"[{esc(letter)}](#{lang}-{n})" for n, (letter, _) in enumerate(found, 1))
    return blocks(
        [
            f'<div{mark} markdown="1">',
            f'<nav class="letters" aria-label="{label}" markdown="1">',
            bar,
            "</nav>",
            *_letters(site, lang, found),
            "</div>",
        ]
    )


def _letters(site: Site, lang: str, found: list[tuple[str, list[Topic]]]) -> Iterator[str]:
    for n, (letter, group) in enumerate(found, 1):
        yield f"## {esc(letter)} {{ #{lang}-{n} .letter }}"
        yield _listed("topics", [_topic(site, lang, topic) for topic in group])


def _topic(site: Site, lang: str, topic: Topic) -> str:
    anchor = topic_anchor(site, lang, topic.id)
    said = esc(" · ".join(topic.phrases[lang][:PHRASES]))
    links: dict[str, list[str]] = {}
    for ref in topic.refs:
        name = provision.short_name(site, ref, lang) if site.is_law(ref) else esc(site.human(ref, lang))
        links.setdefault(site.status(ref), []).append(site.ref_link(TOPICS, ref, name))
    groups = []
    for status, found in sorted(links.items(), key=lambda group: _STATES.index(group[0])):
        short = esc(site.strings.text("short_" + status.replace("-", "_"), lang))
        groups.append(("" if status == "text" else f"<small>{short}:</small> ") + ", ".join(found))
    head = f'<b id="{anchor}">{esc(topic.head[lang])}</b>'
    return f'- {head} <small class="said">{said}</small> <span class="refs">{"; ".join(groups)}</span>'


def topic_anchor(site: Site, lang: str, topic: str) -> str:
    """The topic's own id in the list of the main language; in the others with the language before it."""
    return topic if lang == site.languages[0] else f"{lang}.{topic}"


def _listed(kind: str, lines: list[str]) -> str:
    """A list with a class: attributes after a list would go to its last item."""
    return blocks([f'<div class="{kind}" markdown="1">', "\n".join(lines), "</div>"]) if lines else ""


def _head(site: Site, key: str, intro: str) -> str:
    titles = dict.fromkeys(site.strings.text(key, lang) for lang in site.languages)
    return front_matter({"title": " / ".join(titles), "description": visible(intro)[:DESCRIPTION]})
