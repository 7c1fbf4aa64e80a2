"""Commentary as Markdown: each paragraph beside the provision it is mainly about, with the reason."""

from __future__ import annotations

from kb import address
from kb.model import Ref, Relation
from kb.publish import provision
from kb.publish.addresses import number
from kb.publish.context import Site
from kb.publish.markup import blocks, esc


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
        links = ", ".join(site.ref_link(page, child, esc(number(child, site.profile))) for child in children)
        state = site.nodes(head)
        missing = next((node.missing for node in state.values() if node.missing), "")
        note = f" · {provision.partial(site, head, missing)}" if missing else ""
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
    about = relation is not None and relation.law != address.home(site.profile, ref, site.kb)
    names = {}
    for lang in site.languages:
        names[lang] = esc(site.human(ref, lang))
        if relation is not None and about:
            law = site.human(relation.law, lang)
            names[lang] += f' <span class="on">{esc(site.strings.text("comment_on", lang, law=law))}</span>'
    summary = f'<summary markdown="span">{site.strings.words(names, escaped=True)}</summary>'
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
    label = number(ref, site.profile) if len(ref.path) <= 2 else ref.path[-1]
    anchor = site.addresses.anchor(ref)
    return f"[{esc(label)}](#{anchor}){{ .m data-permalink={site.addresses.permalinks(ref)[0]} }}\n{{ .num }}"


def _cited(site: Site, page: str, ref: Ref) -> str:
    cited = site.cited_by(ref)
    refs = provision.places(site, page, cited)
    return f"{site.strings.both('cited_by')} {refs}\n{{ .meta .cited }}" if cited else ""


def why(site: Site, page: str, ref: Ref) -> str:
    """Why a comment is linked to its provision: the evidence, how sure it is, who says so."""
    relations = [r for r in site.kb.relations(ref) if r.status != "refused"]
    if not relations:
        return ""
    main = relations[0]
    texts = {lang: esc(_reason(site, main, lang)) for lang in site.languages}
    law = provision.places(site, page, [main.law])
    lines = [f"{law}: {site.strings.words(texts, escaped=True)}"]
    if main.detail:
        lines.append(f"{esc(main.detail)}\n{{ lang=en }}")
    if len(relations) > 1:
        others = provision.places(site, page, [r.law for r in relations[1:]])
        lines.append(f"{site.strings.both('also_about')} {others}")
    summary = f'<summary markdown="span">{site.strings.both("why")}</summary>'
    return blocks(['<details class="why" markdown="1">', summary, *lines, "</details>"])


def _reason(site: Site, relation: Relation, lang: str) -> str:
    """The evidence by name, how sure it is, and who says so, in one language."""
    words = site.strings
    known = [f"evidence_{name}" for name in relation.evidence]
    names = [
        words.text(key, lang) if words.has(key) else name
        for key, name in zip(known, relation.evidence, strict=True)
    ]
    sure = words.text("confidence", lang, n=round(relation.confidence * 100))
    return " · ".join([", ".join(names), sure, words.text(f"status_{relation.status}", lang)])


def missing(site: Site, page: str) -> str:
    """Places that are cited but stand in no source and in no outline, so that the links lead somewhere."""
    refs = site.strays.get(page, [])
    if not refs:
        return ""
    out = ['<section class="strays" aria-labelledby="strays-h" markdown="1">']
    out.append(f"## {site.strings.both('comments_missing')} {{ #strays-h }}")
    for ref in refs:
        cited = provision.places(site, page, site.cited_by(ref))
        out += [
            f'<div class="item" id="{site.addresses.anchor(ref)}" markdown="1">',
            _marked(site, ref),
            f"{site.human_both(ref)}",
            f'<p class="state not-supplied">{site.strings.both("state_not_supplied")}</p>',
            f"{site.strings.both('cited_by')} {cited}\n{{ .meta .cited }}" if cited else "",
            "</div>",
        ]
    return blocks([*out, "</section>"])
