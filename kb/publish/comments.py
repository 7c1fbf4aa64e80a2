"""Commentary as Markdown: each paragraph beside the provision it is mainly about, with the reason."""

from __future__ import annotations

from kb import address
from kb.model import Ref, Relation
from kb.publish import provision
from kb.publish.context import Site
from kb.publish.markup import blocks, esc
from kb.publish.strings import Html


def by_place(site: Site, law: Ref) -> tuple[dict[Ref, list[Ref]], list[Ref]]:
    """The comments on a law's page: provision -> comments beside it, and those of no single provision."""
    beside: dict[Ref, list[Ref]] = {}
    rest: list[Ref] = []
    for head in site.comment_heads.get(law, []):
        own = any(node.text for node in site.nodes(head).values())
        for comment in ([head] if own else []) + site.kb.children(head):
            relation = site.main_relation(comment)
            place = _place(site, relation, law)
            if place is None:
                rest.append(comment)
            else:
                beside.setdefault(place, []).append(comment)
    return beside, rest


def index(site: Site, page: str, law: Ref) -> str:
    """The commentary on a law in one line: its title, where there is one, and its paragraphs in order."""
    out = []
    for head in site.comment_heads.get(law, []):
        children = site.kb.children(head)
        if not children:  # it stands among the comments itself
            continue
        own = any(node.text for node in site.nodes(head).values())
        anchor = "" if own else f"#{site.addresses.anchor(head)} "
        name = site.ref_link(page, Ref(head.work, head.edition))
        title = provision.titles(site, head)
        links = ", ".join(site.ref_link(page, child, esc(child.dotted)) for child in children)
        state = site.nodes(head)
        missing = next((node.missing for node in state.values() if node.missing), "")
        phrases = {lang: f"({esc(site.strings.phrase(missing, lang))})" for lang in site.languages}
        note = f" {site.strings.words(phrases, escaped=True)}" if missing else ""
        out.append(f"{name}{f' ({title})' if title else ''}: {links}{note}\n{{ {anchor}.meta .comments }}")
    return blocks(out)


def _place(site: Site, relation: Relation | None, law: Ref) -> Ref | None:
    """The provision of this page a comment stands beside: what it is about, or the nearest known above."""
    ref = relation.law if relation else None
    while ref is not None and ref != law and ref.within(law):
        if site.kb.entry(ref) is not None:
            return ref
        ref = ref.parent
    return None


def comment(site: Site, page: str, ref: Ref) -> str:
    """One comment: closed or opened by the reader, with its items, source and why it stands here."""
    relation = site.main_relation(ref)
    about = ""
    if relation is not None and relation.law != address.home(site.profile, ref, site.kb):
        name = Html(site.human_both(relation.law))
        about = f' <span class="on">{site.strings.both("comment_on", law=name)}</span>'
    summary = f'<summary markdown="span">{site.human_both(ref)}{about}</summary>'
    anchor = site.addresses.anchor(ref)
    return blocks(
        [
            f'<details class="comment" id="{anchor}" open="open" markdown="1">',
            summary,
            provision.state(site, ref),
            _marked(site, ref),
            provision.body(site, page, ref),
            *[item(site, page, child) for child in _own_children(site, ref)],
            provision.body(site, page, ref, "tail"),
            provision.footnotes(site, page, ref),
            provision.meta(site, page, ref),
            why(site, page, ref),
            "</details>",
        ]
    )


def item(site: Site, page: str, ref: Ref) -> str:
    """An item of a comment, with an anchor of its own."""
    return blocks(
        [
            f'<div class="item" id="{site.addresses.anchor(ref)}" markdown="1">',
            provision.state(site, ref),
            _marked(site, ref),
            provision.body(site, page, ref),
            *[item(site, page, child) for child in site.kb.children(ref)],
            provision.body(site, page, ref, "tail"),
            provision.footnotes(site, page, ref),
            _cited(site, page, ref),
            "</div>",
        ]
    )


def _own_children(site: Site, ref: Ref) -> list[Ref]:
    """A comment's items; of a heading with a text of its own none, since its comments stand by themselves."""
    return site.kb.children(ref) if len(ref.path) > 1 else []


def _marked(site: Site, ref: Ref) -> str:
    """The number as a link to itself, in a paragraph of its own."""
    label = ref.dotted if len(ref.path) <= 2 else ref.path[-1]
    anchor = site.addresses.anchor(ref)
    return f"[{esc(label)}](#{anchor}){{ .m data-permalink={site.addresses.permalinks(ref)[0]} }}\n{{ .num }}"


def _cited(site: Site, page: str, ref: Ref) -> str:
    cited = site.cited_by(ref)
    refs = ", ".join(site.ref_link(page, at) for at in cited)
    return f"{site.strings.both('cited_by')} {refs}\n{{ .meta .cited }}" if cited else ""


def why(site: Site, page: str, ref: Ref) -> str:
    """Why a comment is linked to its provision: the evidence, how sure it is, who says so."""
    relations = [r for r in site.kb.relations(ref) if r.status != "refused"]
    if not relations:
        return ""
    main = relations[0]
    names = [_evidence(site, name) for name in main.evidence]
    parts = [
        f"{site.ref_link(page, main.law)}: {', '.join(names)}",
        site.strings.both("confidence", n=round(main.confidence * 100)),
        site.strings.both(f"status_{main.status}"),
    ]
    lines = [" · ".join(part for part in parts if part)]
    if main.detail:
        lines.append(f"{esc(main.detail)}\n{{ lang=en }}")
    if len(relations) > 1:
        others = ", ".join(site.ref_link(page, r.law) for r in relations[1:])
        lines.append(f"{site.strings.both('also_about')} {others}")
    summary = f'<summary markdown="span">{site.strings.both("why")}</summary>'
    return blocks(['<details class="why" markdown="1">', summary, *lines, "</details>"])


def _evidence(site: Site, name: str) -> str:
    return site.strings.both(f"evidence_{name}") if site.strings.has(f"evidence_{name}") else esc(name)


def missing(site: Site, page: str) -> str:
    """Places that are cited but stand in no source and in no outline, so that the links lead somewhere."""
    refs = site.strays.get(page, [])
    if not refs:
        return ""
    out = ['<section class="strays" aria-labelledby="strays-h" markdown="1">']
    out.append(f"## {site.strings.both('comments_missing')} {{ #strays-h }}")
    for ref in refs:
        cited = ", ".join(site.ref_link(page, at) for at in site.cited_by(ref))
        out += [
            f'<div class="item" id="{site.addresses.anchor(ref)}" markdown="1">',
            _marked(site, ref),
            f"{site.human_both(ref)}",
            f'<p class="state not-supplied">{site.strings.both("state_not_supplied")}</p>',
            f"{site.strings.both('cited_by')} {cited}\n{{ .meta .cited }}" if cited else "",
            "</div>",
        ]
    return blocks([*out, "</section>"])
