"""Do two languages say the same: a rendering beside the node it was made from.

Only renderings are held to it. A text of a source in the other language is a witness of its own: it may be
whole where this one is cut off, and no finding here could mend it. Nor is a node without a counterpart
looked for here: ``kb.translation`` reports it (``untranslated``, ``orphan-rendering``).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kb import declared
from kb import lang as languages
from kb.errors import InputError
from kb.model import Finding, Node, PlacedLink, Ref
from kb.profile import Profile, read_toml

CHECKS = ("tree", "footnotes", "citations", "term", "copied")
EXCEPTIONS = "parity.toml"
GLOSSARY = "glossary.toml"

FOREIGN_SHARE = 0.1
"""So many letters of the first language's own alphabet are a copied text; fewer may name a word of it."""
COMMON_SHARE = 0.6
COMMON_WORDS = 5
"""Languages of one alphabet: so many words in common, of so many at least, are a copied text."""

_WORD = re.compile(r"[^\W\d_]+")
_KEYS = frozenset({"ref", "lang", "check", "term", "reason"})


@dataclass(frozen=True, slots=True)
class Term:
    """A glossary term: what is found in the one language has to be found in the other."""

    name: str
    source: re.Pattern[str]
    target: re.Pattern[str]
    shown: str = ""
    """Its wordings in the other language, for the message."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An editor's exception: this check may fail at this ref, for this reason."""

    ref: Ref
    check: str
    reason: str
    term: str = ""
    """Of a ``term`` exception, the one term it accepts; empty for all of the node."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What one language is held to by another: the pair of languages, its terms and exceptions."""

    source: str
    target: str
    terms: tuple[Term, ...] = ()
    accepted: tuple[Accepted, ...] = ()


@dataclass(frozen=True, slots=True)
class _Fault:
    check: str
    message: str
    term: str = ""


@dataclass
class _Sides:
    """Nodes and citation targets of the two languages, by ref, in the order they came."""

    source: dict[Ref, Node] = field(default_factory=dict)
    target: dict[Ref, Node] = field(default_factory=dict)
    cites: dict[tuple[Ref, str], set[tuple[str, str]]] = field(default_factory=dict)


def load(profile: Profile, source: str, target: str) -> Rules:
    """The terms of ``glossary.toml`` and the exceptions of ``parity.toml``, as far as a corpus has them.

    Raises InputError that names the file and what is wrong in it.
    """
    return Rules(
        source,
        target,
        tuple(_terms(profile.root / GLOSSARY, source, target)),
        tuple(_accepted(profile.root / EXCEPTIONS, target)),
    )


def check(nodes: Iterable[Node], links: Iterable[PlacedLink], rules: Rules) -> list[Finding]:
    """Findings of kind ``parity``: where a rendering and its node are no pair, in the order of the nodes.

    Compares the tree, the footnotes, the targets of citations, the glossary's terms, and looks for text that
    was copied. An exception that nothing needs any more is a finding too.
    """
    sides = _sides(nodes, links, rules)
    used: set[Accepted] = set()
    findings: list[Finding] = []
    for ref, faults in _all(sides, rules):
        for fault in faults:
            excused = [a for a in rules.accepted if _accepts(a, ref, fault)]
            used.update(excused)
            if not excused:
                findings.append(Finding("parity", f"{fault.check}: {fault.message}", ref))
    for exception in rules.accepted:
        if exception not in used:
            what = f"{exception.check} {exception.term}".strip()
            findings.append(
                Finding(
                    "parity",
                    f"exceptions: nothing to accept any more ({what}); delete it",
                    exception.ref,
                    EXCEPTIONS,
                )
            )
    return findings


def _sides(nodes: Iterable[Node], links: Iterable[PlacedLink], rules: Rules) -> _Sides:
    sides = _Sides()
    for node in nodes:
        if node.lang == rules.source:
            sides.source[node.ref] = node
        elif node.lang == rules.target:
            sides.target[node.ref] = node
    for placed in links:
        targets = sides.cites.setdefault((placed.at, placed.lang), set())
        targets.add((placed.where, str(placed.link.target)))
    return sides


def _all(sides: _Sides, rules: Rules) -> Iterator[tuple[Ref, list[_Fault]]]:
    for ref, node in sides.source.items():
        other = sides.target.get(ref)
        if other is not None and other.rendering:
            yield ref, list(_pair(node, other, sides, rules))


def _pair(node: Node, other: Node, sides: _Sides, rules: Rules) -> Iterator[_Fault]:
    yield from _tree(node, other)
    yield from _footnotes(node, other)
    yield from _citations(node, other, sides.cites)
    yield from _missing_terms(node, other, rules.terms)
    yield from _copied(node, other)


def _tree(node: Node, other: Node) -> Iterator[_Fault]:
    if node.kind != other.kind:
        yield _Fault("tree", f"{node.lang} {node.kind}, {other.lang} {other.kind}")
    for part in ("title", "text", "tail"):
        here, there = bool(getattr(node, part)), bool(getattr(other, part))
        if here != there:
            has, lacks = (node, other) if here else (other, node)
            yield _Fault("tree", f"{part} in {has.lang}, none in {lacks.lang}")


def _footnotes(node: Node, other: Node) -> Iterator[_Fault]:
    here, there = len(node.footnotes), len(other.footnotes)
    if here != there:
        yield _Fault("footnotes", f"{here} in {node.lang}, {there} in {other.lang}")
    for mark in sorted({note.mark for note in node.footnotes if note.mark}):
        for part in ("title", "text", "tail"):
            if getattr(node, part).count(mark) != getattr(other, part).count(mark):
                yield _Fault("footnotes", f"mark {mark} does not stand alike in both {part}s")


def _citations(
    node: Node, other: Node, cites: Mapping[tuple[Ref, str], set[tuple[str, str]]]
) -> Iterator[_Fault]:
    here = cites.get((node.ref, node.lang), set())
    there = cites.get((other.ref, other.lang), set())
    for where, target in sorted(here - there):
        yield _Fault("citations", f"{target} ({where}) is cited in {node.lang} only")
    for where, target in sorted(there - here):
        yield _Fault("citations", f"{target} ({where}) is cited in {other.lang} only")


def _missing_terms(node: Node, other: Node, terms: Sequence[Term]) -> Iterator[_Fault]:
    here, there = _words(node), _words(other)
    for term in terms:
        found = term.source.search(here)
        if found and not term.target.search(there):
            yield _Fault("term", f"{found[0]!r} is not rendered by {term.shown or term.name!r}", term.name)


def _copied(node: Node, other: Node) -> Iterator[_Fault]:
    own = set(languages.get(other.lang).alphabet)
    foreign = set(languages.get(node.lang).alphabet) - own if own else set()
    letters = [letter for letter in _words(other).casefold() if letter.isalpha()]
    share = sum(letter in foreign for letter in letters) / len(letters) if letters else 0.0
    if share > FOREIGN_SHARE:
        yield _Fault("copied", f"{share:.0%} of the letters are {node.lang}")
        return
    known = {word.casefold() for word in _WORD.findall(_words(node))}
    words = [word.casefold() for word in _WORD.findall(_words(other))]
    if len(words) >= COMMON_WORDS and sum(w in known for w in words) / len(words) > COMMON_SHARE:
        yield _Fault("copied", f"the {other.lang} text has the words of the {node.lang} one")


def _words(node: Node) -> str:
    parts = [node.title, node.text, node.tail, *(note.text for note in node.footnotes)]
    return unicodedata.normalize("NFC", "\n".join(part for part in parts if part))


def _accepts(exception: Accepted, ref: Ref, fault: _Fault) -> bool:
    return exception.ref == ref and exception.check == fault.check and exception.term in ("", fault.term)


def _terms(path: Path, source: str, target: str) -> Iterator[Term]:
    """Terms with a pattern in both languages; ``rendered`` is the wider pattern for a rendering."""
    if not path.exists():
        return
    for number, table in enumerate(declared.rows(read_toml(path), "term", path), 1):
        where = f"{path}: term {number}"
        name = str(table.get("id", ""))
        patterns = declared.texts(table.get("pattern", {}), f"{where}: pattern")
        rendered = declared.texts(table.get("rendered", {}), f"{where}: rendered")
        wider = rendered.get(target, patterns.get(target))
        if source not in patterns or wider is None:
            continue
        shown = table.get(target, name)
        yield Term(
            name,
            _compile(patterns[source], where),
            _compile(wider, where),
            shown if isinstance(shown, str) else ", ".join(declared.strings(shown, f"{where}: {target}")),
        )


def _compile(pattern: str, where: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise InputError(f"{where}: pattern {pattern!r} does not compile: {error}") from None


def _accepted(path: Path, target: str) -> Iterator[Accepted]:
    """The exceptions for one language; one without ``lang`` is for each."""
    if not path.exists():
        return
    for number, table in enumerate(read_toml(path).get("exception", []), 1):
        where = f"{path}: exception {number}"
        unknown = sorted(set(table) - _KEYS)
        if unknown:
            raise InputError(f"{where}: unknown key {unknown[0]!r} (known: {', '.join(sorted(_KEYS))})")
        if table.get("check") not in CHECKS:
            raise InputError(f"{where}: check is {table.get('check')!r}, none of {', '.join(CHECKS)}")
        if not str(table.get("reason", "")).strip():
            raise InputError(f"{where}: no reason (say why the two languages may differ here)")
        try:
            ref = Ref.parse(str(table.get("ref", "")))
        except ValueError as error:
            raise InputError(f"{where}: {error}") from None
        if table.get("lang", target) == target:
            yield Accepted(ref, table["check"], table["reason"].strip(), str(table.get("term", "")))
