"""The static files beside the site: every ref, every law, the graph, the open data, the resolver's data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from kb import address, progress
from kb.cite.grammar import compile_grammar
from kb.model import Entry, KnowledgeBase, Ref
from kb.profile import Profile
from kb.publish import citethis, exports, files, lists, reuse
from kb.publish.spools import Spools
from kb.unswept import unswept
from kb.watched import Watched

FOLDER = Path("api") / "v1"


@unswept()
def write_api(
    kb: KnowledgeBase,
    profile: Profile,
    site: Path,
    kept: Callable[[str], reuse.Kept] = reuse.nothing,
    filled: Spools | None = None,
) -> list[Path]:
    """Write ``/api/v1/`` below the site's folder; files of an earlier build that are no more are removed.

    Gives the paths that changed. Raises InputError when one cannot be written. ``kept``: what an earlier
    build kept of the files of the laws; ``filled``: spools that have the ``LISTS``.
    """
    with lists.of(kb, profile, LISTS, filled) as rows:
        return _write(Watched(kb), profile, site, kept, rows)


def _write(
    kb: Watched, profile: Profile, site: Path, kept: Callable[[str], reuse.Kept], rows: Spools
) -> list[Path]:
    folder = site / FOLDER
    changed: list[Path] = []
    made: list[Path] = []

    def put(path: Path, chunks: Iterable[str | bytes]) -> None:
        made.append(path)
        if files.write_stream(path, chunks):
            changed.append(path)

    build = f'{{"build": {exports.json_text(kb.meta.get("build_id", ""))},\n'
    grammar = f'"grammar": {compile_grammar(profile).to_json()},\n'
    put(folder / "index.json", _array(f'{build}"refs": [', [rows.chunks("index")], "]}\n"))
    put(folder / "kb.jsonl", rows.chunks("jsonl"))
    put(folder / "links.csv", chain([exports.csv_head()], rows.chunks("links")))
    graph = chain(
        _array('{"nodes": [', [rows.chunks("graph-nodes")], "],\n"),
        _array('"edges": [', [rows.chunks("graph-cites"), rows.chunks("graph-about")], "]}\n"),
    )
    put(folder / "graph.json", graph)
    put(folder / "cite.json", _array(f'{build}{grammar}"refs": [', [rows.chunks("cite")], "]}\n"))
    laws = kept("")
    beside = _beside(kb, profile)
    for ref in progress.over(list(roots(kb, profile)), "writing data"):
        name = f"{ref.work}/{ref.edition}/{ref.dotted}.json"
        tops = beside.get(address.page(profile, ref, kb), [])
        make = partial(_law_files, kb, profile, ref, name, tops, rows)
        told = " ".join(f"{top} {rows.made_from(str(top))}" for top in (ref, *tops))
        for path, content in laws.files(name, kb, [ref, *tops], make, told):
            put(folder / path, iter([content]))
    made += [folder / path for path in laws.standing]
    # What others write here: files of their own, and the versions of linker.js.
    others = [path for top in ("*", "linker/*") for path in folder.glob(top) if path.is_file()]
    files.prune(folder, [*made, *others])
    laws.save()
    return changed


def _law_files(
    kb: KnowledgeBase, profile: Profile, ref: Ref, name: str, tops: list[Ref], rows: Spools
) -> list[tuple[str, reuse.Content]]:
    return [(name, law_text(kb, profile, ref, tops, rows) + "\n")]


def law_text(kb: KnowledgeBase, profile: Profile, ref: Ref, tops: Sequence[Ref], rows: Spools) -> str:
    """``law`` as JSON. What ``rows`` have of the same refs in the same order is not made again."""
    if address.is_heading(profile.works[ref.work], ref):
        return exports.json_text(law(kb, profile, ref, tops))
    parts = {key: exports.json_text(value) for key, value in _told(kb, profile, ref).items()}
    parts["nodes"] = f"[{', '.join(_below(kb, profile, ref, rows))}]"
    parts["commentary"] = f"[{', '.join(row for top in tops for row in _below(kb, profile, top, rows))}]"
    return "{" + ", ".join(f'"{key}": {parts[key]}' for key in sorted(parts)) + "}"


def _below(kb: KnowledgeBase, profile: Profile, ref: Ref, rows: Spools) -> list[str]:
    """The rows of an entry and of all below it, as JSON."""
    refs = " ".join(map(str, exports.tree(kb, ref)))
    found = rows.rows_of(str(ref), refs, "jsonl")
    return found if found is not None else list(map(exports.json_text, exports.tree_rows(kb, profile, ref)))


def roots(kb: KnowledgeBase, profile: Profile) -> Iterator[Ref]:
    """The refs that have a file of their own: the laws, and the headings nothing stands above."""
    for entry in kb.entries():
        work = profile.works[entry.ref.work]
        if work.role == "law" and not address.anchor(profile, entry.ref):
            yield entry.ref


def law(
    kb: KnowledgeBase, profile: Profile, ref: Ref, commentary: Sequence[Ref] | None = None
) -> dict[str, Any]:
    """A law (or a heading) with all below it, and the commentary that stands on its page.

    ``commentary``: the top entries of that, where they are known.
    """
    tops = commentary_roots(kb, profile, ref) if commentary is None else commentary
    entry = kb.entry(ref)
    work = profile.works[ref.work]
    below = exports.entry_rows(kb, profile, entry) if entry and address.is_heading(work, ref) else None
    return {
        **_told(kb, profile, ref),
        "nodes": list(below if below is not None else exports.tree_rows(kb, profile, ref)),
        "commentary": [row for top in tops for row in exports.tree_rows(kb, profile, top)],
    }


def _told(kb: KnowledgeBase, profile: Profile, ref: Ref) -> dict[str, Any]:
    entry = kb.entry(ref)
    titles = dict(entry.titles) if entry else {}
    return {
        "ref": str(ref),
        "title": titles,
        "status": entry.status if entry else "unknown",
        "url": address.url(profile, ref, kb),
        "parent": str(entry.parent) if entry and entry.parent else None,
        "cite": citethis.forms(kb, profile, ref),
        "children": [str(child) for child in kb.children(ref)],
        "cited_by": [
            {"ref": str(placed.at), "lang": placed.lang, "surface": placed.link.citation.surface}
            for placed in kb.links_to(ref)
        ],
    }


def commentary_roots(kb: KnowledgeBase, profile: Profile, ref: Ref) -> list[Ref]:
    """The top entries of the commentaries that stand on a law's page."""
    return _beside(kb, profile).get(address.page(profile, ref, kb), [])


def _beside(kb: KnowledgeBase, profile: Profile) -> dict[str, list[Ref]]:
    """Page -> the top entries of the commentaries that stand on it."""
    found: dict[str, list[Ref]] = {}
    for top in kb.children(None):
        if profile.works[top.work].role == "commentary":
            found.setdefault(address.page(profile, top, kb), []).append(top)
    return found


def index_row(kb: KnowledgeBase, profile: Profile, entry: Entry) -> dict[str, Any]:
    """What the index says of a ref. ``sha256`` is of the own text in the first language that has one;
    ``sha256_whole`` of the own text and all below it: what a permalink's ``?h=`` is checked against."""
    row: dict[str, Any] = {
        "ref": str(entry.ref),
        "kind": entry.kind,
        "title": dict(entry.titles),
        "status": entry.status,
        "url": address.url(profile, entry.ref, kb),
        "permalink": address.permalink(profile, entry.ref),
        "sha256": None,
        "sha256_whole": None,
    }
    lang = exports.text_lang(kb, profile, entry.ref)
    if lang is not None:
        own = exports.own_text(kb, entry.ref, lang)
        row["sha256"] = exports.digest(own) if own is not None else None
        row["sha256_whole"] = exports.digest(exports.whole_text(kb, entry.ref, lang))
    return row


def _array(head: str, rows: Iterable[Iterable[bytes]], tail: str) -> Iterator[str | bytes]:
    """Values of JSON between brackets, one a line, so that two builds compare line by line.

    ``rows`` end in a comma and a line end each; the last one's comma is left out.
    """
    yield head
    yield "\n"
    held = b""
    for chunk in chain.from_iterable(rows):
        whole = held + chunk
        yield whole[: -len(_END)]
        held = whole[-len(_END) :]
    yield ("\n" if held else "") + tail


_END = b",\n"


def _index(kb: KnowledgeBase, profile: Profile, entry: Entry) -> Iterator[str]:
    yield _line(index_row(kb, profile, entry))


def _jsonl(kb: KnowledgeBase, profile: Profile, entry: Entry) -> Iterator[str]:
    return (exports.json_text(row) + "\n" for row in exports.entry_rows(kb, profile, entry))


def _links(kb: KnowledgeBase, profile: Profile, entry: Entry) -> Iterator[str]:
    return (exports.csv_line(kb, profile, placed) for placed in kb.links(entry.ref))


def _graph_node(kb: KnowledgeBase, profile: Profile, e: Entry) -> Iterator[str]:
    row = {"ref": str(e.ref), "kind": e.kind, "title": dict(e.titles), "status": e.status}
    yield _line({**row, "url": address.url(profile, e.ref, kb)})


def _cite(kb: KnowledgeBase, profile: Profile, e: Entry) -> Iterator[str]:
    """What a resolver without a server needs beside the grammar: each ref, its short name, its address."""
    row = {
        "ref": str(e.ref),
        "human": address.human(profile, e.ref),
        "status": e.status,
        "title": dict(e.titles),
        "url": address.url(profile, e.ref, kb),
        "permalink": address.permalink(profile, e.ref),
    }
    yield _line(row)


def _cites(kb: KnowledgeBase, profile: Profile, entry: Entry) -> Iterator[str]:
    for placed in kb.links(entry.ref):
        row = {
            "source": str(placed.at),
            "target": str(placed.link.target),
            "kind": "cites",
            "status": placed.link.status,
            "lang": placed.lang,
        }
        yield _line(row)


def _about(kb: KnowledgeBase, profile: Profile, entry: Entry) -> Iterator[str]:
    for relation in kb.relations(entry.ref):
        row = {
            "source": str(relation.comment),
            "target": str(relation.law),
            "kind": "about",
            "status": relation.status,
            "confidence": relation.confidence,
        }
        yield _line(row)


def _line(row: Mapping[str, Any]) -> str:
    return exports.json_text(row) + ",\n"


LISTS: Mapping[str, lists.Rows] = {
    "index": _index,
    "jsonl": _jsonl,
    "links": _links,
    "graph-nodes": _graph_node,
    "graph-cites": _cites,
    "graph-about": _about,
    "cite": _cite,
}
"""What each entry adds to the files that hold the whole corpus."""
