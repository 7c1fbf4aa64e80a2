"""A corpus's own renderings of its nodes in another language: TOML -> Rendering -> Node.

Any ``translation/LANG/*.toml`` of a corpus is read. Each rendering keeps a hash of the node it was made from,
so that a better scan, which changes that node, shows which renderings are no longer of the text they stand
beside.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb.errors import InputError
from kb.model import Finding, Footnote, Node, Ref
from kb.profile import Profile, read_toml

FOLDER = "translation"
WORKING = "working translation"
"""What ``Node.rendering`` says of a node made here."""
HASH_DIGITS = 16

_TOP_KEYS = frozenset({"work", "edition", "lang", "from", "nodes"})
_NODE_KEYS = frozenset({"title", "text", "tail", "footnotes", "hash"})


@dataclass(frozen=True, slots=True)
class Rendering:
    """One node's wording in ``lang``, made from the node of the same ref in ``made_from``."""

    ref: Ref
    lang: str
    made_from: str
    title: str = ""
    text: str = ""
    tail: str = ""
    footnotes: tuple[str, ...] = ()
    """Their texts, without the marks."""
    hash: str = ""
    """``hash_of`` the node it was made from; empty while nobody has confirmed it."""
    file: str = ""
    """Where it stands, below the corpus folder."""


def load(profile: Profile) -> list[Rendering]:
    """All renderings of a corpus, in the order of folders, files and tables; empty without a folder.

    Raises InputError that names the file and what is wrong in it.
    """
    found: list[Rendering] = []
    seen: dict[tuple[Ref, str], str] = {}
    for path in sorted((profile.root / FOLDER).glob("*/*.toml")):
        for rendering in _read(path, profile):
            key = (rendering.ref, rendering.lang)
            if key in seen:
                raise InputError(f"{path}: {rendering.ref} is rendered twice (also in {seen[key]})")
            seen[key] = rendering.file
            found.append(rendering)
    return found


def hash_of(node: Node) -> str:
    """The first 16 hexadecimal digits of SHA-256 of a node's words: NFC, all white space removed.

    Title, own text, tail and footnote texts count; marks, markers and positions do not.
    """
    words = "\n".join([node.title, node.text, node.tail, *(note.text for note in node.footnotes)])
    bare = "".join(unicodedata.normalize("NFC", words).split())
    return hashlib.sha256(bare.encode()).hexdigest()[:HASH_DIGITS]


def render(nodes: Iterable[Node], renderings: Iterable[Rendering]) -> tuple[list[Node], list[Finding]]:
    """The rendered nodes, in the order of the nodes they are made from, and what is to be done about them.

    ``nodes`` are those read from the sources, in all languages. A node of a source takes the place of a
    rendering. Findings: ``stale-rendering`` (the node it was made from has changed), ``untranslated`` (a
    node without a counterpart in a language that has renderings), ``orphan-rendering`` (its node is in no
    source).
    """
    nodes, renderings = list(nodes), list(renderings)
    sources = {(node.ref, node.lang) for node in nodes}
    wanted = {(r.ref, r.made_from, r.lang): r for r in renderings}
    pairs = sorted({(r.made_from, r.lang) for r in renderings})
    made: list[Node] = []
    findings: list[Finding] = []
    for node in nodes:
        for target in [lang for made_from, lang in pairs if made_from == node.lang]:
            if (node.ref, target) in sources:
                continue
            rendering = wanted.get((node.ref, node.lang, target))
            if rendering is None:
                findings.append(_untranslated(node, target))
                continue
            made.append(_node(node, rendering))
            findings.extend(_stale(node, rendering))
    findings.extend(_orphan(r) for r in renderings if (r.ref, r.made_from) not in sources)
    return made, findings


def _read(path: Path, profile: Profile) -> Iterator[Rendering]:
    data = read_toml(path)
    _only(data, _TOP_KEYS, str(path))
    lang, work = str(data.get("lang", path.parent.name)), str(data.get("work", profile.law_work.name))
    made_from = str(data.get("from", profile.lang))
    edition = str(data.get("edition", profile.edition))
    if lang != path.parent.name:
        raise InputError(f"{path}: lang = {lang!r}, but the folder is {path.parent.name!r}")
    for code in (lang, made_from):
        if code not in profile.languages:
            raise InputError(f"{path}: language {code!r} is none of {', '.join(profile.languages)}")
    if lang == made_from:
        raise InputError(f"{path}: lang and from are both {lang!r}")
    if work not in profile.works:
        raise InputError(f"{path}: work {work!r} is none of {', '.join(profile.works)}")
    tables = data.get("nodes", {})
    if not isinstance(tables, dict):
        raise InputError(f'{path}: nodes is no table (write [nodes."1.A"])')
    file = path.relative_to(profile.root).as_posix()
    for dotted, table in tables.items():
        where = f"{path}: nodes.{dotted!r}"
        try:
            ref = Ref.parse(f"{work}/{edition}/{dotted}")
        except ValueError as error:
            raise InputError(f"{where}: {error}") from None
        yield _rendering(ref, lang, made_from, table, file, where)


def _rendering(ref: Ref, lang: str, made_from: str, table: Any, file: str, where: str) -> Rendering:
    if not isinstance(table, dict):
        raise InputError(f'{where}: not a table (quote a path with dots: [nodes."1.A"])')
    _only(table, _NODE_KEYS, where)
    words = {key: table.get(key, "") for key in ("title", "text", "tail", "hash")}
    footnotes = table.get("footnotes", [])
    if not isinstance(footnotes, list) or not all(
        isinstance(value, str) for value in [*words.values(), *footnotes]
    ):
        raise InputError(f"{where}: title, text, tail and hash are strings, footnotes a list of strings")
    return Rendering(ref, lang, made_from, footnotes=tuple(footnotes), file=file, **words)


def _only(table: Mapping[str, Any], known: frozenset[str], where: str) -> None:
    unknown = sorted(set(table) - known)
    if unknown:
        raise InputError(f"{where}: unknown key {unknown[0]!r} (known: {', '.join(sorted(known))})")


def _node(node: Node, rendering: Rendering) -> Node:
    marks = [note.mark for note in node.footnotes]
    # A footnote too many has no mark to take over; the parity checks report it.
    marks += [""] * (len(rendering.footnotes) - len(marks))
    return Node(
        ref=node.ref,
        lang=rendering.lang,
        kind=node.kind,
        marker=node.marker,
        title=rendering.title,
        text=rendering.text,
        tail=rendering.tail,
        footnotes=tuple(map(Footnote, marks, rendering.footnotes)),
        complete=node.complete,
        missing=node.missing,
        damaged=node.damaged,
        page=node.page,
        page_basis=node.page_basis,
        basis=node.basis,
        rendering=WORKING,
    )


def _stale(node: Node, rendering: Rendering) -> Iterator[Finding]:
    now = hash_of(node)
    if rendering.hash == now:
        return
    said = f"was made from another {node.lang} text" if rendering.hash else "has no hash yet"
    yield Finding(
        "stale-rendering",
        f'the {rendering.lang} rendering {said}: compare the two, then set hash = "{now}"',
        ref=node.ref,
        source=rendering.file,
    )


def _untranslated(node: Node, lang: str) -> Finding:
    return Finding(
        "untranslated",
        f'no {lang} text (add [nodes."{node.ref.dotted}"] to a file in {FOLDER}/{lang})',
        ref=node.ref,
    )


def _orphan(rendering: Rendering) -> Finding:
    return Finding(
        "orphan-rendering",
        f"the {rendering.lang} rendering has no {rendering.made_from} node in any source",
        ref=rendering.ref,
        source=rendering.file,
    )
