"""The knowledge base a perfect pipeline would make, built from tests/gold/ and the outline alone.

Tests of everything after the waist use it, so that they do not depend on the parser.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from shared import once

from kb import profile as profiles
from kb.model import (
    Citation,
    Entry,
    Finding,
    Footnote,
    KnowledgeBase,
    Link,
    Node,
    PlacedLink,
    Records,
    Ref,
    Relation,
    SourceInfo,
    Witness,
)
from kb.search import build_index
from kb.store import open_store, save

ROOT = Path(__file__).parent.parent
GOLD = Path(__file__).parent / "gold"
CORPUS = ROOT / "corpus" / "bridge"
EDITION = "1987"
LAW_FILES = ("003", "004")
COMMENT_FILES = ("001", "000")


@cache
def gold_records() -> Records:
    """All records of the bridge corpus as the gold has them: 84 law nodes, 29 comments, headings, links."""
    laws = _law_nodes()
    comments = _comment_nodes()
    nodes = {node.ref: node for node in [*laws.values(), *comments]}
    entries = _entries(nodes)
    order = {entry.ref: n for n, entry in enumerate(entries)}
    known = set(order)
    texts = {ref for node in nodes.values() for ref in _upward(node.ref)}
    return Records(
        meta=_meta(),
        entries=tuple(entries),
        nodes=tuple(sorted(nodes.values(), key=lambda node: order[node.ref])),
        links=tuple(
            sorted(_links(nodes, known, texts), key=lambda p: (order[p.at], p.where, p.link.citation.start))
        ),
        relations=tuple(_relations()),
        findings=tuple(_findings(nodes.values(), entries)),
        sources=tuple(_sources()),
    )


@cache
def gold_kb() -> KnowledgeBase:
    """``gold_records()`` through the store, opened once a process."""
    folder = tempfile.TemporaryDirectory(prefix="goldkb-")
    path = Path(folder.name) / "kb.sqlite"
    save(gold_records(), path)
    store = open_store(path)
    # The open file outlives its name: nothing is left behind.
    folder.cleanup()
    return store


def gold_build(folder: Path, index: bool = True) -> Path:
    """A build folder of the gold: store, declarative files, and the search index."""
    save(gold_records(), folder / "kb.sqlite")
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    for path in CORPUS.glob("*.toml"):
        shutil.copy(path, folder / "corpus")
    if index:
        made = once("gold-index", lambda draft: build_index(gold_kb(), profiles.load(CORPUS), draft))
        shutil.copytree(made, folder / "index")
    return folder


def _gold(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((GOLD / f"{name}.json").read_text(encoding="utf-8"))
    return data


def _law(dotted: str) -> Ref:
    return Ref("laws", EDITION, tuple(dotted.split(".")))


def _comment(dotted: str) -> Ref:
    return Ref("commentary", EDITION, tuple(dotted.split(".")))


def _upward(ref: Ref) -> list[Ref]:
    found = [ref]
    while found[-1].path:
        found.append(found[-1].parent or found[-1])
    return found


def _meta() -> dict[str, str]:
    profile = profiles.load(CORPUS)
    return {
        "name": profile.name,
        **{f"title.{lang}": title for lang, title in profile.titles.items()},
        "build_id": "gold",
        "languages": " ".join(profile.languages),
        "edition": profile.edition,
        "works": " ".join(profile.works),
        "law_work": profile.law_work.name,
    }


def _law_nodes() -> dict[Ref, Node]:
    """One node an id; where both scans have it, the complete reading, else the first."""
    readings: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    nodes: dict[Ref, Node] = {}
    for name in LAW_FILES:
        data = _gold(name)
        for found in data["nodes"]:
            readings.setdefault(found["id"], []).append((data["seed"], found))
        for heading in data["headings"]:
            node = _heading(heading)
            nodes[node.ref] = node
    for dotted, found in readings.items():
        ranked = sorted(found, key=lambda pair: not pair[1]["complete"])
        seed, chosen = ranked[0]
        same = [_bare(reading["text"]) == _bare(chosen["text"]) for _, reading in ranked]
        nodes[_law(dotted)] = Node(
            ref=_law(dotted),
            lang="ru",
            kind=chosen["kind"],
            marker=_marker(dotted),
            title=chosen["title_ru"],
            text=chosen["text"],
            footnotes=_footnotes(chosen.get("footnote")),
            complete=chosen["complete"],
            missing=chosen.get("missing", ""),
            page=chosen["page"],
            page_basis=chosen["page_basis"],
            basis=_basis(chosen["id_basis"]),
            witnesses=tuple(
                Witness(
                    source, tuple(reading["lines"]), source == seed, equal, "" if equal else reading["text"]
                )
                for (source, reading), equal in zip(ranked, same, strict=True)
            ),
        )
    return nodes


def _heading(heading: dict[str, Any]) -> Node:
    steps: list[str] = []
    for step, number in zip(
        ("ch", "pt", "sec"), heading["chain"].partition(" (")[0].split(" / "), strict=False
    ):
        if number != "-":
            steps += [step, number]
    kind = {"section": "group"}.get(heading["kind"], heading["kind"])
    return Node(
        ref=Ref("laws", EDITION, tuple(steps)),
        lang="ru",
        kind=kind,
        marker=heading["label"],
        title=heading["title_ru"],
        footnotes=_footnotes(heading.get("footnote")),
        page=heading.get("page"),
    )


def _comment_nodes() -> list[Node]:
    nodes: list[Node] = []
    for name in COMMENT_FILES:
        data = _gold(name)
        for heading in data["headings"]:
            ref = _comment(str(heading["law"]))
            nodes.append(Node(ref, "ru", "group", str(heading["law"]), heading["title_ru"]))
        for para in data["paras"]:
            nodes += _paragraph(para, data["seed"])
    return nodes


def _paragraph(para: dict[str, Any], seed: str) -> list[Node]:
    ref = _comment(para["para"])
    items = para["subitems"]
    whole = Node(
        ref=ref,
        lang="ru",
        kind="comment",
        marker=f"{para['para']}.",
        text=(para["intro"] or "") if items else para["text"],
        tail=para.get("tail") or "",
        complete=para["complete"],
        missing=para.get("missing", ""),
        damaged=para.get("damaged", False),
        witnesses=(Witness(seed, (para["lines"][0], para["lines"][1]), True, True),),
    )
    below = [
        Node(
            ref=ref.child(item["label"] or str(number)),
            lang="ru",
            kind="comment-item",
            marker=f"({item['label']})" if item["label"] else "",
            text=item["text"],
            witnesses=(Witness(seed, (item["lines"][0], item["lines"][1]), True, True),),
        )
        for number, item in enumerate(items, 1)
    ]
    return [whole, *below]


def _entries(nodes: dict[Ref, Node]) -> list[Entry]:
    """The outline, then what only the gold knows: deeper items and the commentary."""
    known = {entry.ref: entry for entry in profiles.load(CORPUS).outline}
    for ref, node in nodes.items():
        for above in reversed(_upward(ref)[:-1]):
            if above not in known and "ch" not in above.path[:1]:
                over = above.parent if above.parent and above.parent.path else None
                known[above] = Entry(above, nodes[above].kind if above in nodes else _kind(above), over)
        if ref not in known:
            known[ref] = Entry(ref, node.kind, None)
    places = {ref: n for n, ref in enumerate(known)}
    below: dict[Ref | None, list[Ref]] = {}
    for ref, entry in known.items():
        below.setdefault(entry.parent, []).append(ref)

    def key(ref: Ref) -> tuple[Any, ...]:
        # An item the outline does not list stands among its siblings by number.
        if ref.path[0] == "ch" or (len(ref.path) == 1 and ref.work == "laws"):
            return (0, places[ref])
        return (1, ref.work == "commentary", int(ref.path[-1]) if ref.path[-1].isdigit() else 0, places[ref])

    entries: list[Entry] = []

    def walk(parent: Ref | None) -> None:
        for ref in sorted(below.get(parent, []), key=key):
            entries.append(_filled(known[ref], nodes))
            walk(ref)

    walk(None)
    return entries


def _kind(ref: Ref) -> str:
    if ref.work == "commentary":
        return "group"
    return ("law", "section", "item", "subitem")[len(ref.path) - 1]


def _filled(entry: Entry, nodes: dict[Ref, Node]) -> Entry:
    node = nodes.get(entry.ref)
    below = [other for ref, other in nodes.items() if ref != entry.ref and ref.within(entry.ref)]
    if entry.status == "repealed":
        status = "repealed"
    elif node and node.complete and not node.missing:
        status = "text"
    elif node or below:
        status = "partial"
    else:
        status = "not-supplied"
    titles, basis = dict(entry.titles), dict(entry.title_basis)
    if node and node.title:
        titles[node.lang] = node.title
        basis[node.lang] = "source"
    return Entry(entry.ref, entry.kind, entry.parent, titles, basis, entry.support or "seed", status)


def _links(nodes: dict[Ref, Node], known: set[Ref], texts: set[Ref]) -> list[PlacedLink]:
    found: list[PlacedLink] = []
    for name in LAW_FILES:
        for node in _gold(name)["nodes"]:
            at = nodes[_law(node["id"])]
            found += [placed for ref in node["refs"] if (placed := _placed(at, ref, known, texts))]
    for name in COMMENT_FILES:
        for para in _gold(name)["paras"]:
            whole = _comment(para["para"])
            for ref in para["refs"]:
                # A citation of a paragraph with items stands in the paragraph's own text or in one of them.
                below = [other for other in nodes if other.within(whole)]
                places = [whole.child(ref["sub"])] if ref.get("sub") else below
                found += [p for at in places if (p := _placed(nodes[at], ref, known, texts))][:1]
    return list(dict.fromkeys(found))


def _placed(at: Node, ref: dict[str, Any], known: set[Ref], texts: set[Ref]) -> PlacedLink | None:
    parts = [
        ("text", at.text),
        ("tail", at.tail),
        *((f"footnote {n}", f.text) for n, f in enumerate(at.footnotes, 1)),
    ]
    for where, text in parts:
        start = text.find(ref["surface"])
        if start >= 0 and where.startswith(ref.get("where", where)):
            return PlacedLink(at.ref, at.lang, where, _link(at, ref, start, known, texts))
    # The reading of the other scan was chosen, and it lacks the words.
    return None


def _link(at: Node, ref: dict[str, Any], start: int, known: set[Ref], texts: set[Ref]) -> Link:
    named = ref["target"]
    edition = ""
    if named.startswith("para:"):
        target, form = _comment(re.sub(r"\((\w+)\)", r".\1", named[5:])), "paragraph"
        if ref.get("kind") == "internal":
            form = "local"
    elif named.startswith("code:"):
        edition, _, dotted = named[5:].partition("/")
        path = re.sub(r"\((\w+)\)", lambda m: "." + m[1].upper(), dotted)
        target, form = Ref("laws", edition, tuple(path.split(".")) if path else ()), "full"
    else:
        target, form = _law(named), "full"
    if ref.get("anaphoric"):
        form = "anaphoric"
    elif ref.get("elided_noun"):
        form = "list"
    citation = Citation(
        start, start + len(ref["surface"]), ref["surface"], form, target.work, edition, target.path
    )
    return _resolved(citation, target, known, texts)


def _resolved(citation: Citation, target: Ref, known: set[Ref], texts: set[Ref]) -> Link:
    if target.edition != EDITION:
        return Link(citation, target, "other-edition", f"the text names the edition of {target.edition}")
    if target in texts:
        return Link(citation, target, "resolved", "known and supplied")
    if target in known or target.work == "commentary":
        return Link(citation, target, "not-supplied", "known, but in none of the scans")
    above = next(ref for ref in _upward(target) if ref in known)
    return Link(citation, target, "unknown", f"{above} has no such part in the outline", above)


def _relations() -> list[Relation]:
    found = []
    for name in COMMENT_FILES:
        for para in _gold(name)["paras"]:
            also = [dotted for dotted in para.get("also_about", []) if dotted != para["comments_on"]]
            for dotted, confidence in [(para["comments_on"], 1.0), *((dotted, 0.5) for dotted in also)]:
                found.append(
                    Relation(
                        _comment(para["para"]),
                        _law(dotted),
                        ("editor",),
                        confidence,
                        "confirmed",
                        para["reason"],
                    )
                )
    return found


def _findings(nodes: Any, entries: list[Entry]) -> list[Finding]:
    found = []
    for name in LAW_FILES:
        data = _gold(name)
        pages = ", ".join(map(str, data["missing_pages"]))
        found.append(Finding("missing-pages", f"pages {pages} are not in the scan", source=data["seed"]))
    found += [Finding("truncated", node.missing, node.ref) for node in nodes if node.missing]
    found += [
        Finding("lacuna", "words are lost inside the paragraph", node.ref) for node in nodes if node.damaged
    ]
    return found + [
        Finding("not-supplied", "known, but in none of the scans", entry.ref)
        for entry in entries
        if entry.status == "not-supplied" and entry.kind == "law"
    ]


def _sources() -> list[SourceInfo]:
    found = []
    for spec in profiles.load(CORPUS).sources:
        text = spec.path.read_bytes().decode("utf-8")
        found.append(
            SourceInfo(
                name=spec.name,
                work=spec.work,
                edition=spec.edition,
                lang=spec.lang,
                sha256=spec.sha256,
                encoding="utf-8",
                chars=len(text),
                lines=text.count("\n") + 1,
                title=spec.title,
                translator=spec.translator,
                origin=spec.origin,
                rights=spec.rights,
                text=text,
            )
        )
    return found


def _footnotes(note: str | None) -> tuple[Footnote, ...]:
    if not note:
        return ()
    mark, _, text = note.partition(" - ")
    return (Footnote(mark, text),)


def _marker(dotted: str) -> str:
    step = dotted.rpartition(".")[2]
    return f"({step.upper()})" if step.islower() else f"{step}."


def _basis(gold: str) -> str:
    return gold if gold == "explicit" or gold.startswith("inferred: ") else f"inferred: {gold}"


def _bare(text: str) -> str:
    return "".join(text.split())
