"""A provision as plain text for a terminal, 80 columns wide: what `kb show` and `kb explain` print."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kb import address
from kb.library import Library, Provision
from kb.model import Link, Node, PlacedLink, Relation, SourceEdit, Strip, Witness
from kb.publish import exports

WIDTH = 80
_STATUS = {
    "text": "text supplied",
    "partial": "supplied in part",
    "not-supplied": "known, but its text is in none of the sources",
    "repealed": "repealed",
}


def show_text(base: Library, found: Provision, langs: Sequence[str]) -> str:
    """Everything about a provision: title, status, text, children, notes, commentary, citations, source."""
    parts = [_head(base, found, langs)]
    for lang in langs:
        parts += _body(found, lang, named=len(langs) > 1)
    parts += _section("Commentary", (_comment(base, found, c, langs[0]) for c in found.commentary))
    parts += _section("About", (_about(base, r, langs[0]) for r in found.about))
    inside = [placed for below in found.walk() for placed in below.cites if placed.lang in langs]
    parts += _section("Cites", (_cites(base, found, placed, langs[0]) for placed in inside))
    parts += _section("Cited by", _cited_by(base, found, langs))
    parts.append(_foot(base, found, langs))
    return "\n".join(part for part in parts if part) + "\n"


def search_text(answer: Mapping[str, Any]) -> str:
    """The answer of a search for a terminal."""
    if not answer["hits"]:
        if answer["kind"] == "empty":
            return "no words to search for; give some, for example: kb search revoke\n"
        hint = f"; did you mean: {answer['did_you_mean']}?" if answer["did_you_mean"] else ""
        return f"nothing found for «{answer['query']}»{hint}\n"
    lines = []
    for number, hit in enumerate(answer["hits"], 1):
        state = "" if hit["status"] == "text" else f" [{hit['status']}]"
        lines.append(_wrap(f"{number}. {hit['ref']} {hit['title']}{state}", "", "   "))
        if hit["snippet_text"]:
            lines.append(_wrap(hit["snippet_text"], "   ", "   "))
        if hit["commentary"]:
            lines.append(_wrap(f"commentary: {', '.join(hit['commentary'])}", "   ", "   "))
        lines += [f"   {points:8.3f}  {word} ({term})" for word, term, points in hit.get("explain", [])]
    more = answer["total"] - len(answer["hits"])
    if more > 0:
        lines.append(f"and {more} more (--limit)")
    if answer["did_you_mean"]:
        lines.append(f"did you mean: {answer['did_you_mean']}?")
    return "\n".join(lines) + "\n"


def resolve_text(answer: Mapping[str, Any]) -> str:
    """The answer of the resolver for a terminal: a line for each provision named."""
    if not answer["results"]:
        return f"«{answer['input']}» is no citation\n"
    read_as = answer.get("read_as")
    lines = [f"«{answer['input']}» read as «{read_as}»:\n"] if read_as else []
    for row in answer["results"]:
        title = " · ".join(dict.fromkeys(filter(None, row["title"].values())))
        near = f"; nearest: {row['fallback']}" if row["fallback"] else ""
        others = f"; any of {', '.join(row['alternatives'])}" if row.get("alternatives") else ""
        lines.append(
            f"{row['target']}  [{row['status']}{near}{others}]  {row['url'] or ''}  {title}".rstrip() + "\n"
        )
        if asked := row.get("asked"):
            lines += _asked(asked)
        for here in row.get("here", []):
            lines.append(f"    here: {here['target']}, {_how(here)}  {here['url'] or ''}".rstrip() + "\n")
    return "".join(lines)


def _asked(asked: Mapping[str, Any]) -> Iterator[str]:
    """How a place of another edition came to be where it is."""
    yield f"    asked for: {asked['edition']} {asked['path']}, {_how(asked)}\n"
    for note in asked["note"].values():
        yield textwrap.fill(note, WIDTH, initial_indent="    ", subsequent_indent="    ") + "\n"


def _how(asked: Mapping[str, Any]) -> str:
    sure = "" if asked["support"] != "M" else " (from memory, unconfirmed)"
    return f"{asked['change']}{sure}"


def explain_text(base: Library, found: Provision) -> str:
    """Where a provision comes from: sources, lines, page, repairs, the reason for its number and links."""
    parts = [_head(base, found, [base.profile.lang])]
    for lang, node in found.nodes.items():
        parts += _section(f"Text ({lang})", _origin(node))
        for witness in node.witnesses:
            title = f"{witness.source}, {_lines(witness.lines)}"
            parts += _section(title, _reading(base, node, witness.source))
    if not found.nodes:
        basis = ", ".join(f"title ({lang}): {said}" for lang, said in sorted(found.title_basis.items()))
        support = found.entry.support or "none given"
        known = f"It has no text of its own; the outline lists it (support: {support})."
        parts += _section("Text", [known, basis])
    parts += _section("About", (_evidence(r) for r in base.kb.relations(found.ref)))
    parts += _section("Commentary", (_evidence(r, of_comment=True) for r in base.kb.relations_to(found.ref)))
    parts += _section("Citations", (_reason(placed) for placed in found.cites))
    parts += _section(
        "Findings", (f"{f.kind}: {f.message}" for f in base.kb.findings() if f.ref == found.ref)
    )
    return "\n".join(part for part in parts if part) + "\n"


def explain_data(base: Library, found: Provision) -> dict[str, Any]:
    """``explain_text`` as data."""
    return {
        "ref": str(found.ref),
        "status": found.status,
        "support": found.entry.support,
        "title": dict(found.title),
        "title_basis": dict(found.title_basis),
        "nodes": [_node_data(base, node) for node in found.nodes.values()],
        "about": [_relation_data(r) for r in base.kb.relations(found.ref)],
        "commentary": [_relation_data(r) for r in base.kb.relations_to(found.ref)],
        "citations": [
            {
                "surface": p.link.citation.surface,
                "target": str(p.link.target),
                "status": p.link.status,
                "reason": p.link.reason,
            }
            for p in found.cites
        ],
        "findings": [
            {"kind": f.kind, "message": f.message} for f in base.kb.findings() if f.ref == found.ref
        ],
    }


def _head(base: Library, found: Provision, langs: Sequence[str]) -> str:
    titles = " · ".join(dict.fromkeys(found.title[lang] for lang in langs if found.title.get(lang)))
    basis = {found.title_basis.get(lang, "") for lang in langs if found.title.get(lang)} - {"source", ""}
    said = f"  [{', '.join(sorted(basis))}]" if basis else ""
    # A number alone does not say of what it is the number.
    pattern = base.profile.works[found.ref.work].human.get(langs[0], "{ref}")
    named = f"{found.human}. {titles}" if titles else pattern.replace("{ref}", found.human)
    lines = [_wrap(f"{named[:1].upper()}{named[1:]}{said}", "", "  ")]
    status = _STATUS.get(found.status, found.status)
    missing = "; ".join(dict.fromkeys(node.missing for node in found.nodes.values() if node.missing))
    if not found.nodes and found.status == "partial":
        missing = "its own text, before its parts"
    lines.append(
        _wrap(f"{found.ref} · {found.kind} · {status}" + (f" (missing: {missing})" if missing else ""))
    )
    over = found.parent
    if over is not None:
        named = next((over.title[lang] for lang in langs if over.title.get(lang)), "")
        lines.append(_wrap(f"in {over.human}. {named}".rstrip()))
        if found.nodes and not over.nodes and over.status == "partial" and len(over.ref.path) > 1:
            lines.append(_wrap(f"how {over.human} begins is in no source: it may limit what stands here"))
    if any(node.damaged for node in found.nodes.values()):
        lines.append("damaged: words are lost inside the text")
    in_force = exports.concordance(base.profile).in_force(found.ref)
    if in_force is not None:
        # The place is the same, which is not to say that the rule is.
        sure = "same place" if in_force.change == "same" else in_force.change
        if not in_force.confirmed and in_force.change != "unconfirmed":
            sure += ", unconfirmed"
        lines.append(_wrap(f"in force: {in_force.edition}, {in_force.path or 'no counterpart'} ({sure})"))
    return "\n".join(lines)


def _body(found: Provision, lang: str, named: bool) -> list[str]:
    below = list(found.walk())
    has = [one.nodes[lang] for one in below if lang in one.nodes]
    if not has and any(one.nodes for one in below):
        return [f"\n{lang}: no text in this language"]
    renderings = sorted({node.rendering for node in has if node.rendering})
    heading = f"{lang}" + (f" ({', '.join(renderings)})" if renderings else "")
    lines = [*([heading] if named or renderings else []), *_tree(found, lang, 0)]
    return [f"\n{lines[0]}", *lines[1:]] if lines else []


def _tree(found: Provision, lang: str, depth: int) -> Iterator[str]:
    """The own text, then the children, each a step further in."""
    node = found.nodes.get(lang)
    indent = "  " * (depth + 1)
    texts = node.text.split("\n") if node is not None and node.text else []
    if depth:
        title = node.title if node is not None else found.title.get(lang, "")
        mark = "" if node is not None or found.status == "partial" else "[not supplied]"
        # A point without a title goes on with its text, as in print.
        inline = texts.pop(0) if texts and not title else ""
        yield _wrap(" ".join((f"{found.human}.", title, mark, inline)), "  " * depth, indent)
    yield from (_wrap(text, indent, indent) for text in texts if text)
    for child in found.children:
        yield from _tree(child, lang, depth + 1)
    if node is not None:
        if node.tail:
            yield _wrap(node.tail, indent, indent)
        yield from (_wrap(f"{note.mark} {note.text}", indent, indent + "  ") for note in node.footnotes)


def _comment(base: Library, found: Provision, comment: Provision, lang: str) -> str:
    relation = next((r for r in comment.about if r.law.within(found.ref)), None)
    sure = f" [{address.human(base.profile, relation.law)}, {relation.confidence:.0%}]" if relation else ""
    text = next((below.text[lang] for below in comment.walk() if below.text.get(lang)), "")
    return f"{comment.human}{sure} {textwrap.shorten(text, 150, placeholder=' …')}"


def _about(base: Library, relation: Relation, lang: str) -> str:
    law = base.get(relation.law)
    title = law.title.get(lang, "") if law is not None else ""
    why = f"[{relation.confidence:.0%}: {', '.join(relation.evidence)}]"
    return f"{address.human(base.profile, relation.law)}. {title} {why}"


def _cites(base: Library, found: Provision, placed: PlacedLink, lang: str) -> str:
    at = "" if placed.at == found.ref else f"{address.human(base.profile, placed.at)}: "
    return f"{at}«{placed.link.citation.surface}» → {_target(base, placed.link, lang)}"


def _target(base: Library, link: Link, lang: str) -> str:
    law = base.get(link.target)
    title = law.title.get(lang, "") if law is not None else ""
    status = "" if link.status == "resolved" else f" [{link.status}]"
    return f"{link.target} {title}".rstrip() + status


def _cited_by(base: Library, found: Provision, langs: Sequence[str]) -> Iterator[str]:
    for below in found.walk():
        for placed in below.cited_by:
            if placed.lang in langs:
                to = "" if below.ref == found.ref else f" → {below.human}"
                yield f"{placed.at} «{placed.link.citation.surface}»{to}"


def _foot(base: Library, found: Provision, langs: Sequence[str]) -> str:
    lines = [""]
    for lang in langs:
        node = found.nodes.get(lang)
        if node is None:
            continue
        lines += [
            _wrap(f"Source: {w.source}, {_lines(w.lines)}{_page(node)}") for w in node.witnesses if w.chosen
        ]
    lines.append(f"Address: {found.url}  (permalink {found.permalink})")
    return "\n".join(lines)


def _page(node: Node) -> str:
    return f", page {node.page}" if node.page is not None else ""


def _lines(lines: tuple[int, int]) -> str:
    return f"line {lines[0]}" if lines[0] == lines[1] else f"lines {lines[0]}-{lines[1]}"


def _origin(node: Node) -> Iterator[str]:
    yield f"Number: {node.marker or 'none printed'}; {node.basis}"
    if node.page is not None:
        yield f"Page: {node.page}" + (f" ({node.page_basis})" if node.page_basis else "")
    if node.rendering:
        yield f"Rendering: {node.rendering}"
    if node.missing:
        yield f"Missing: {node.missing}"
    if node.damaged:
        yield "Damaged: words are lost inside the text"


def _reading(base: Library, node: Node, source: str) -> Iterator[str]:
    witness = next(w for w in node.witnesses if w.source == source)
    choice = "this reading was chosen" if witness.chosen else "another reading was chosen"
    yield choice + (
        "" if witness.chosen else ("; the two agree" if witness.same else f"; this one has: {witness.text}")
    )
    for edit in edits_of(base, node, source):
        yield f"repair {edit.rule}: {_quoted(edit.before)} → {_quoted(edit.after)} at {edit.start}-{edit.end}"
    info = next((one for one in base.kb.sources() if one.name == source), None)
    if info is not None:
        yield f"read as {info.encoding}, margin {info.margin:.2f}"
    for strip in strips_of(base, witness):
        left, top, right, bottom = strip.box
        yield (
            f"picture of line {strip.line}: page {strip.page}, {left},{top} to {right},{bottom} pixels; on "
            f"the site L{strip.line}.png beside the scan"
        )


def strips_of(base: Library, witness: Witness) -> list[Strip]:
    """The strips of the pictures that a witness was read from, by line; none of a source that is text."""
    first, last = witness.lines
    return [strip for strip in base.kb.strips(witness.source) if first <= strip.line <= last]


def edits_of(base: Library, node: Node, source: str) -> list[SourceEdit]:
    """The repairs that touched the run of a source a node was read from."""
    runs = [(s.source_start, s.source_end) for s in node.spans if s.source == source]
    if not runs:
        return []
    low, high = min(start for start, _ in runs), max(end for _, end in runs)
    return [e for e in base.kb.edits(source) if e.start < high and e.end > low]


def _node_data(base: Library, node: Node) -> dict[str, Any]:
    return {
        "lang": node.lang,
        "marker": node.marker,
        "basis": node.basis,
        "page": node.page,
        "page_basis": node.page_basis,
        "rendering": node.rendering or "source",
        "complete": node.complete,
        "missing": node.missing,
        "damaged": node.damaged,
        "witnesses": [
            {
                "source": w.source,
                "lines": list(w.lines),
                "chosen": w.chosen,
                "same": w.same,
                "text": w.text,
                "strips": [{"line": s.line, "page": s.page, "box": list(s.box)} for s in strips_of(base, w)],
                "repairs": [
                    {"rule": e.rule, "start": e.start, "end": e.end, "before": e.before, "after": e.after}
                    for e in edits_of(base, node, w.source)
                ],
            }
            for w in node.witnesses
        ],
    }


def _relation_data(r: Relation) -> dict[str, Any]:
    return {
        "comment": str(r.comment),
        "law": str(r.law),
        "confidence": r.confidence,
        "evidence": list(r.evidence),
        "status": r.status,
        "detail": r.detail,
    }


def _evidence(r: Relation, of_comment: bool = False) -> str:
    named = r.comment if of_comment else r.law
    # The details name what they are of; what has none stands before them.
    bare = [name for name in r.evidence if not re.search(rf"\b{re.escape(name)}\b", r.detail)]
    why = "; ".join(filter(None, [*bare, r.detail]))
    return f"{named} [{r.confidence:.0%}, {r.status}] {why}"


def _reason(placed: PlacedLink) -> str:
    link = placed.link
    return f"«{link.citation.surface}» → {link.target} [{link.status}] {link.reason}".rstrip()


def _quoted(text: str) -> str:
    shown = (
        textwrap.shorten(text.replace("\n", "⏎"), 40, placeholder="…")
        if text.strip()
        else text.replace("\n", "⏎")
    )
    return f"«{shown}»"


def _section(title: str, lines: Iterable[str]) -> list[str]:
    found = [_wrap(line, "  ", "    ") for line in lines if line]
    return [f"\n{title}", *found] if found else []


def _wrap(text: str, first: str = "", rest: str = "") -> str:
    # White space of the source is no layout here.
    return textwrap.fill(
        " ".join(text.split()), WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )
