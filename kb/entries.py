"""Every known ref in reading order, with its state: the outline, and what the sources hold besides."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType

from kb.model import Entry, Node, Ref
from kb.numbers import roman_value
from kb.profile import Level, Profile

_PARTS = re.compile(r"\d+|\D+")


def step_key(step: str, numbering: str = "arabic") -> tuple[object, ...]:
    """Sorting key of a path step: numbers by value, Roman ones too, letters by the alphabet."""
    if numbering in ("roman", "lower-roman"):
        return ((0, roman_value(step) or 0, ""),)
    return tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in _PARTS.findall(step))


def entries_of(
    profile: Profile,
    nodes: Sequence[Node],
    cited: Iterable[Ref] = (),
    under: Mapping[Ref, Ref] = MappingProxyType({}),
    outline: Sequence[Entry] | None = None,
) -> tuple[list[Entry], list[Node]]:
    """All entries in reading order, and the nodes in the same order with the state of the whole laws.

    ``cited``: refs that a citation names and no source supplies; of a commentary they become entries, so
    that they have a page that says so. ``under``: the heading a provision or heading stands under in a
    source, for those that the outline does not list. ``outline``: what of it there is, else all.
    """
    outline = profile.outline if outline is None else outline
    known, by_ref = _known(profile, nodes, cited, under, outline)
    order = _reading_order(known, profile, outline)
    below = _below(order, known)
    completed = [_with_state(node, below, by_ref) for node in nodes]
    first = {node.ref: node for node in reversed(completed)}
    described = {ref: _described(known[ref], by_ref.get(ref, []), profile) for ref in order}
    described |= {ref: _named(entry, described, profile) for ref, entry in described.items()}
    status: dict[Ref, str] = {}
    for ref in reversed(order):
        if described[ref].status == "repealed" or _repealed(by_ref.get(ref, []), profile):
            status[ref] = "repealed"
        else:
            level = _level(described[ref], profile)
            status[ref] = _status(ref, first, below, status, level is not None and level.heading)
    entries = [replace(described[ref], status=status[ref]) for ref in order]
    return entries, _sorted(profile, completed, order)


def in_order(profile: Profile, nodes: Sequence[Node], outline: Sequence[Entry] | None = None) -> list[Node]:
    """The nodes as ``entries_of`` gives them, where nobody needs the entries yet."""
    outline = profile.outline if outline is None else outline
    known, by_ref = _known(profile, nodes, (), {}, outline)
    order = _reading_order(known, profile, outline)
    below = _below(order, known)
    return _sorted(profile, [_with_state(node, below, by_ref) for node in nodes], order)


def _known(
    profile: Profile,
    nodes: Sequence[Node],
    cited: Iterable[Ref],
    under: Mapping[Ref, Ref],
    outline: Sequence[Entry],
) -> tuple[dict[Ref, Entry], dict[Ref, list[Node]]]:
    """The entries there are, without their state, and the nodes of each."""
    known = {entry.ref: entry for entry in outline}
    by_ref: dict[Ref, list[Node]] = {}
    for node in nodes:
        by_ref.setdefault(node.ref, []).append(node)
    for ref, own in by_ref.items():
        _add(ref, own[0].kind, known, profile)
    for ref, heading in under.items():
        if ref in known and heading in known and known[ref].parent is None and not known[ref].support:
            known[ref] = replace(known[ref], parent=heading)
    for ref in cited:
        if ref.work in profile.works and profile.works[ref.work].role == "commentary" and ref not in known:
            _add(ref, "", known, profile, support="cited")
    return known, by_ref


def _sorted(profile: Profile, nodes: Iterable[Node], order: Sequence[Ref]) -> list[Node]:
    rank = {ref: index for index, ref in enumerate(order)}
    languages = {lang: index for index, lang in enumerate(profile.languages)}
    return sorted(nodes, key=lambda node: (rank[node.ref], languages.get(node.lang, 99), node.lang))


def _add(ref: Ref, kind: str, known: dict[Ref, Entry], profile: Profile, support: str = "") -> None:
    """Add a ref and, first, the provisions above it. The kind of one above is that of its level."""
    if ref in known:
        return
    work = profile.works[ref.work]
    heading = any(level.heading and level.step and level.step in ref.path for level in work.levels)
    parent: Ref | None = None
    if heading:
        parent = Ref(ref.work, ref.edition, ref.path[:-2]) if len(ref.path) > 2 else None
        if parent is not None and parent not in known:
            parent = None
    elif len(ref.path) > 1:
        parent = Ref(ref.work, ref.edition, ref.path[:-1])
        _add(parent, "", known, profile, support)
    levels = work.provision_levels
    level = levels[min(len(ref.path), len(levels)) - 1]
    known[ref] = Entry(ref=ref, kind=kind or level.kind, parent=parent, support=support)


def _reading_order(known: Mapping[Ref, Entry], profile: Profile, outline: Sequence[Entry]) -> list[Ref]:
    """Outline entries as listed, others after the siblings that precede them by number."""
    listed = {entry.ref: index for index, entry in enumerate(outline)}
    children: dict[Ref | None, list[Ref]] = {}
    for ref, entry in known.items():
        children.setdefault(entry.parent, []).append(ref)
    order: list[Ref] = []

    def sort_key(ref: Ref) -> tuple[object, ...]:
        """A provision by its number, a heading before the first that stands under it."""
        level = _level(known[ref], profile)
        if level is not None and level.heading:
            return min((sort_key(child) for child in children.get(ref, [])), default=(ref.edition, (), 0))
        numbering = level.numbering if level else "arabic"
        return (ref.edition, step_key(ref.path[-1], numbering) if ref.path else (), 1)

    def walk(parent: Ref | None, within: str) -> None:
        refs = [ref for ref in children.get(parent, []) if ref.work == within]
        for ref in _merged(refs, listed, sort_key):
            order.append(ref)
            walk(ref, within)

    for work in profile.works:
        walk(None, work)
    return order


def _level(entry: Entry, profile: Profile) -> Level | None:
    """The level of an entry, by its kind; None for a table, which has none."""
    levels = profile.works[entry.ref.work].levels
    return next((level for level in levels if level.kind == entry.kind), None)


def _merged(
    refs: list[Ref], listed: Mapping[Ref, int], key: Callable[[Ref], tuple[object, ...]]
) -> list[Ref]:
    """Listed refs in the order of the outline, each other one before the first that comes after it."""
    known = sorted((ref for ref in refs if ref in listed), key=lambda ref: listed[ref])
    others = sorted((ref for ref in refs if ref not in listed), key=key)
    if not others:
        return known
    keys = [key(ref) for ref in known]
    ordered = all(one <= other for one, other in pairwise(keys))
    for ref in others:
        own = key(ref)
        # An outline need not stand in the order of its numbers.
        place = (
            bisect_right(keys, own)
            if ordered
            else next((i for i, other in enumerate(keys) if other > own), len(keys))
        )
        known.insert(place, ref)
        keys.insert(place, own)
    return known


def _below(order: Sequence[Ref], known: Mapping[Ref, Entry]) -> dict[Ref, list[Ref]]:
    children: dict[Ref, list[Ref]] = {}
    for ref in order:
        parent = known[ref].parent
        if parent is not None:
            children.setdefault(parent, []).append(ref)
    return children


def _with_state(node: Node, below: Mapping[Ref, list[Ref]], by_ref: Mapping[Ref, list[Node]]) -> Node:
    """A root provision is complete when it has text or sections, and each section of the outline is whole."""
    if len(node.ref.path) != 1 or not node.complete:
        return node
    sections = below.get(node.ref, [])
    if not sections and not node.text and not node.tail:
        return replace(node, complete=False, missing="whole text (title only)")
    gone = [ref.dotted for ref in sections if _lacks(ref, below, by_ref)]
    cut = [r.dotted for r in _all_below(node.ref, below) for n in by_ref.get(r, []) if not n.complete]
    parts = [f"not there: {', '.join(gone)}"] if gone else []
    parts += [f"cut off: {', '.join(dict.fromkeys(cut))}"] if cut else []
    return replace(node, complete=not parts, missing="; ".join(parts)) if parts else node


def _lacks(ref: Ref, below: Mapping[Ref, list[Ref]], by_ref: Mapping[Ref, list[Node]]) -> bool:
    return ref not in by_ref and not any(child in by_ref for child in _all_below(ref, below))


def _all_below(ref: Ref, below: Mapping[Ref, list[Ref]]) -> list[Ref]:
    found = []
    for child in below.get(ref, []):
        found += [child, *_all_below(child, below)]
    return found


def _described(entry: Entry, nodes: Sequence[Node], profile: Profile) -> Entry:
    """The title a source prints takes the place of the outline's."""
    if not any(node.title for node in nodes):
        return entry
    titles, basis = dict(entry.titles), dict(entry.title_basis)
    for node in nodes:
        if node.title:
            titles[node.lang] = node.title
            basis[node.lang] = node.rendering or "source"
    return replace(entry, titles=titles, title_basis=basis)


def _named(entry: Entry, described: Mapping[Ref, Entry], profile: Profile) -> Entry:
    """A commentary without a heading of its own is called by the law, or the two, that it is on."""
    work = profile.works[entry.ref.work]
    if entry.titles or work.role != "commentary" or len(entry.ref.path) != 1:
        return entry
    steps = entry.ref.path[0].split("~")
    refs = [Ref(work.comments_on or profile.law_work.name, entry.ref.edition, (step,)) for step in steps]
    laws = [described[ref].titles for ref in refs if ref in described]
    if len(laws) != len(refs):
        return entry
    titles = {lang: " – ".join(law[lang] for law in laws) for lang in laws[0] if all(lang in t for t in laws)}
    return replace(entry, titles=titles, title_basis=dict.fromkeys(titles, "outline"))


def _repealed(nodes: Sequence[Node], profile: Profile) -> bool:
    """A source says so: the text of the provision is what its level prints in place of a repealed one."""
    for node in nodes:
        levels = [level for level in profile.works[node.ref.work].levels if level.kind == node.kind]
        if any(level.repealed and level.repealed.match(node.text) for level in levels):
            return True
    return False


def _status(
    ref: Ref,
    first: Mapping[Ref, Node],
    below: Mapping[Ref, list[Ref]],
    status: Mapping[Ref, str],
    heading: bool,
) -> str:
    """Of a provision whose own line is lost at most ``partial``, however much stands below it."""
    node = first.get(ref)
    states = [status[child] for child in below.get(ref, [])]
    if node is None and not any(state in ("text", "partial") for state in states):
        return "not-supplied"
    if node is not None and not node.complete:
        return "partial"
    lists = node is not None or bool(states)
    whole = lists and (node is not None or heading) and all(s in ("text", "repealed") for s in states)
    return "text" if whole else "partial"
