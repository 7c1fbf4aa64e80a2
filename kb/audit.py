"""What is missing, damaged, unplaced, unresolved or untranslated; where every character of a source went."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from kb.accepted import ACCEPTED, Report, all_open, compared, unresolved_line
from kb.model import Account, Finding, KnowledgeBase, Ref, SourceInfo, Witness
from kb.profile import Profile
from kb.unswept import unswept

WIDTH = 80
# fmt: off
_ROMAN = [
    "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x",
    "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii", "xviii", "xix", "xx",
]
# fmt: on
_FATES = ("kept", "repaired", "dropped")
_SHOWN_APART = ("cites-not-supplied", "not-supplied")
"""Kinds of findings that the list of unsupplied provisions says in fewer words."""


@unswept()
def audit(kb: KnowledgeBase, profile: Profile) -> dict[str, Any]:
    """The whole report as plain JSON values.

    ``coverage``: work to state to number of provisions; ``laws``: state of a whole law (``whole``,
    ``partial``, ``commentary only``, ``absent``) to its refs; ``sources``: where the characters of each went,
    by fate and rule, with ``unaccounted`` 0 when none is lost, how it was decoded with what margin (0 a toss,
    1 sure), how many lines of how many pictures it was read from; ``unsupplied``: roots without any text,
    with who cites them; ``gaps``: numbers left out among the parts of a provision that has some of them;
    ``variants``: readings of another source that differ; ``unresolved``: citations that lead nowhere;
    ``untranslated``: language to refs; ``findings``: all else that was found, by kind; ``new``: what is in no
    ``accepted.toml`` of the corpus; ``gone``: what is accepted there and no longer found.

    Raises InputError for an ``accepted.toml`` that cannot be read.
    """
    known = _Known(kb)
    accounts: dict[str, list[Account]] = {}
    for account in kb.accounts():
        accounts.setdefault(account.source, []).append(account)
    variants, untranslated = _of_nodes(kb, profile)
    report: dict[str, Any] = {
        "build": kb.meta.get("build_id", ""),
        "coverage": _coverage(known, profile),
        "laws": _laws(kb, known, profile),
        "sources": [_source(kb, source, accounts.get(source.name, [])) for source in kb.sources()],
        "unsupplied": list(_unsupplied(kb, known, profile)),
        "gaps": list(_gaps(known, profile)),
        "variants": variants,
        "unresolved": list(_unresolved(kb)),
        "untranslated": untranslated,
        "findings": _findings(kb),
    }
    report["new"], report["gone"] = compared(report, profile)
    return report


_Row = tuple[str, str, str | None, str]
"""What is asked of every entry: its ref as printed, its work, what it is listed under, its state."""


class _Known:
    """All entries, read once."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._of: dict[str, list[_Row]] = {}
        self._below: dict[str, list[_Row]] = {}
        for row in _states(kb):
            self._of.setdefault(row[1], []).append(row)
            if row[2] is not None:
                self._below.setdefault(row[2], []).append(row)

    def entries(self, work: str) -> list[_Row]:
        return self._of.get(work, [])

    def children(self, ref: str) -> list[_Row]:
        return self._below.get(ref, [])


def _path(ref: str) -> list[str]:
    _, _, *path = ref.split("/")
    return path[0].split(".") if path else []


def _states(kb: KnowledgeBase) -> Iterator[_Row]:
    """Those of all entries, in order; quickly where it can be."""
    quick: Callable[[], Iterator[_Row]] | None = getattr(kb, "states", None)
    if quick:
        return quick()
    return ((str(e.ref), e.ref.work, str(e.parent) if e.parent else None, e.status) for e in kb.entries())


def clean(report: Report) -> bool:
    """True when there is nothing a person should see to: what ``--strict`` asks.

    What ``accepted.toml`` lists is seen to; an entry there that nothing answers to any more is not.
    """
    return not (report["new"] or report["gone"])


def as_text(report: Report) -> str:
    """The report for a terminal."""
    lines = ["Coverage"]
    for work, states in report["coverage"].items():
        said = ", ".join(f"{number} {state}" for state, number in states.items() if state != "all" and number)
        lines.append(f"  {work}: {states['all']} provisions: {said}")
    lines += ["", "Characters of the sources"]
    for source in report["sources"]:
        lines += _source_lines(source)
    for state, refs in report["laws"].items():
        if state in ("whole", "partial", "commentary only"):
            lines += _listed(f"Laws: {state}", [", ".join(refs)] if refs else [], len(refs))
    lines += _listed("Known, but in no source", map(_unsupplied_line, report["unsupplied"]))
    lines += _listed(
        "Numbers left out", (f"{row['under']}: {', '.join(row['missing'])}" for row in report["gaps"])
    )
    lines += _listed("Readings that differ", map(_variant_line, report["variants"]))
    lines += _listed("Citations that lead nowhere", map(unresolved_line, report["unresolved"]))
    for lang, refs in report["untranslated"].items():
        lines += _listed(f"Without a text in {lang}", refs)
    for kind, found in report["findings"].items():
        if kind not in _SHOWN_APART:
            lines += _listed(kind, map(_finding_line, found))
    cites = report["findings"].get("cites-not-supplied", [])
    if cites:
        lines += ["", f"cites-not-supplied: {len(cites)} (by the laws above: «cited by»)"]
    if len(report["new"]) < sum(1 for _ in all_open(report)):
        lines += _listed(f"New, not in {ACCEPTED}", map(_open_line, report["new"]))
    lines += _listed("Accepted, but no longer found", map(_open_line, report["gone"]))
    return "\n".join(lines) + "\n"


def _coverage(kb: _Known, profile: Profile) -> dict[str, dict[str, int]]:
    found = {}
    for work in profile.works:
        states = Counter(status for _, _, _, status in kb.entries(work))
        found[work] = {"all": sum(states.values()), **dict(sorted(states.items()))}
    return found


def _laws(kb: KnowledgeBase, known: _Known, profile: Profile) -> dict[str, list[str]]:
    """State to the roots of the laws in it, in reading order."""
    main: dict[Ref, Ref] = {}
    for relation in kb.relations():
        main.setdefault(relation.comment, relation.law)
    commented = {f"{law.work}/{law.edition}/{law.path[0]}" for law in main.values() if law.path}
    found: dict[str, list[str]] = {
        "whole": [],
        "partial": [],
        "commentary only": [],
        "absent": [],
        "repealed": [],
    }
    for ref, _, _, status in _roots(known, profile, profile.law_work.name):
        state = {"text": "whole", "not-supplied": "absent"}.get(status, status)
        if state == "absent" and ref in commented:
            state = "commentary only"
        found[state].append(ref)
    return found


def _roots(kb: _Known, profile: Profile, work: str) -> Iterator[_Row]:
    """The provisions at the top of a work, headings left out."""
    steps = {level.step for level in profile.works[work].levels if level.heading and level.step}
    for row in kb.entries(work):
        path = row[0].rpartition("/")[2]
        if "." not in path and path not in steps and row[0].count("/") == 2:
            yield row


def _gaps(kb: _Known, profile: Profile) -> Iterator[dict[str, Any]]:
    """Parts that stand before a supplied one by number, and have no text: ``65.1`` when 65.2 opens."""
    for work in profile.works.values():
        levels = work.provision_levels
        for ref, *_ in kb.entries(work.name):
            below = kb.children(ref)
            if not below:
                continue
            path = _path(ref)
            numbering = levels[min(len(path), len(levels) - 1)].numbering
            supplied: dict[str, set[int]] = {}
            for part, _, _, status in below:
                step = _path(part)[-1]
                own = part[: -len(step) - 1] == ref
                counted = _counted(step, numbering) if own else None
                if counted and status != "not-supplied":
                    supplied.setdefault(counted[0], set()).add(counted[1])
            dotted = ".".join(path)
            missing = [
                f"{dotted}.{_name(first, number)}"
                for first, numbers in sorted(supplied.items())
                for number in range(1, max(numbers))
                if number not in numbers
            ]
            if missing:
                yield {"under": ref, "missing": missing}


def _counted(step: str, numbering: str) -> tuple[str, int] | None:
    """The first step of the same series, and the place in it: ``C`` is (``A``, 3), ``iv`` is (``i``, 4)."""
    if step.isascii() and step.isdigit():
        return "1", int(step)
    if "roman" in numbering:
        place = _ROMAN.index(step.lower()) + 1 if step.lower() in _ROMAN else 0
        return ("I" if step.isupper() else "i", place) if place else None
    if len(step) == 1 and step.isascii() and step.isalpha():
        first = "A" if step.isupper() else "a"
        return first, ord(step) - ord(first) + 1
    return None


def _name(first: str, number: int) -> str:
    """The step at a place of a series."""
    if first == "1":
        return str(number)
    if first.lower() == "i":
        return _ROMAN[number - 1].upper() if first == "I" else _ROMAN[number - 1]
    return chr(ord(first) + number - 1)


def _of_nodes(kb: KnowledgeBase, profile: Profile) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
    """The readings that differ, and of each further language the refs without a text in it."""
    variants: list[dict[str, Any]] = []
    having: dict[str, dict[str, None]] = {lang: {} for lang in profile.languages}
    for ref, lang, witnesses in _witnessed(kb):
        having.setdefault(lang, {})[ref] = None
        variants += [_variant(ref, lang, witness) for witness in witnesses if not witness.same]
    first, *others = profile.languages
    return variants, {lang: [ref for ref in having[first] if ref not in having[lang]] for lang in others}


def _witnessed(kb: KnowledgeBase) -> Iterator[tuple[str, str, Sequence[Witness]]]:
    """Ref, language and readings of each node; quickly where it can be."""
    quick: Callable[[], Iterator[tuple[str, str, Sequence[Witness]]]] | None = getattr(kb, "witnessed", None)
    return quick() if quick else ((str(node.ref), node.lang, node.witnesses) for node in kb.nodes())


def _variant(ref: str, lang: str, witness: Witness) -> dict[str, Any]:
    return {
        "ref": ref,
        "lang": lang,
        "source": witness.source,
        "lines": list(witness.lines),
        "text": witness.text,
    }


def _source(kb: KnowledgeBase, source: SourceInfo, accounts: list[Account]) -> dict[str, Any]:
    name, chars = source.name, source.chars
    strips = list(kb.strips(name))
    fates: Counter[str] = Counter()
    for account in accounts:
        fates[account.fate] += account.chars
    return {
        "name": name,
        "chars": chars,
        "encoding": source.encoding,
        "margin": round(source.margin, 2),
        "pictures": {"pages": len({strip.page for strip in strips}), "lines": len(strips)},
        "unaccounted": chars - sum(fates[fate] for fate in _FATES),
        "fates": dict(sorted(fates.items())),
        "rules": [{"fate": a.fate, "rule": a.rule, "chars": a.chars} for a in accounts],
    }


def _unsupplied(kb: KnowledgeBase, known: _Known, profile: Profile) -> Iterator[dict[str, Any]]:
    """The roots no source has a word of, with the citations to them and to what is below."""
    citing: dict[str, dict[str, None]] = {}
    for placed in kb.links():
        target = placed.link.target
        if placed.link.status == "not-supplied" and target.path:
            root = f"{target.work}/{target.edition}/{target.path[0]}"
            citing.setdefault(root, {})[str(placed.at)] = None
    for work in profile.works:
        for ref, _, _, status in _roots(known, profile, work):
            if status == "not-supplied":
                entry = kb.entry(Ref.parse(ref))
                titles = entry.titles if entry else {}
                yield {
                    "ref": ref,
                    "title": {lang: titles[lang] for lang in profile.languages if lang in titles},
                    "cited_by": list(citing.get(ref, ())),
                }


def _unresolved(kb: KnowledgeBase) -> Iterator[dict[str, Any]]:
    for placed in kb.links():
        link = placed.link
        if link.status in ("unknown", "ambiguous"):
            yield {
                "at": str(placed.at),
                "lang": placed.lang,
                "surface": link.citation.surface,
                "target": str(link.target),
                "status": link.status,
                "reason": link.reason,
            }


def _findings(kb: KnowledgeBase) -> dict[str, list[dict[str, Any]]]:
    kinds: dict[str, list[dict[str, Any]]] = {}
    for finding in kb.findings():
        kinds.setdefault(finding.kind, []).append(_finding(finding))
    return kinds


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "message": finding.message,
        "ref": str(finding.ref) if finding.ref else None,
        "source": finding.source,
        "lines": list(finding.lines) if finding.lines else None,
        "text": finding.text,
    }


def _open_line(row: Mapping[str, str]) -> str:
    return " ".join(part for part in (row["kind"], row["ref"], row["source"], f"({row['message']})") if part)


def _variant_line(row: Mapping[str, Any]) -> str:
    first, last = row["lines"]
    text = textwrap.shorten(row["text"], 60, placeholder=" …")
    return f"{row['ref']} «{text}» ({row['source']}:{first}-{last})"


def _source_lines(source: Mapping[str, Any]) -> Iterator[str]:
    fates = ", ".join(f"{number} {fate}" for fate, number in source["fates"].items())
    lost = (
        f"; {source['unaccounted']} UNACCOUNTED FOR" if source["unaccounted"] else "; every one accounted for"
    )
    yield _wrap(f"{source['name']}: {source['chars']}: {fates}{lost}", "  ", "    ")
    pictures = source["pictures"]
    seen = f"; {pictures['lines']} lines on {pictures['pages']} pictures" if pictures["lines"] else ""
    yield _wrap(f"read as {source['encoding']}, margin {source['margin']:.2f}{seen}", "    ", "      ")
    for fate in source["fates"]:
        rules = ", ".join(f"{r['rule']} {r['chars']}" for r in source["rules"] if r["fate"] == fate)
        yield _wrap(f"{fate}: {rules}", "    ", "      ")


def _unsupplied_line(row: Mapping[str, Any]) -> str:
    title = next(iter(row["title"].values()), "")
    cited = f" (cited by {', '.join(row['cited_by'])})" if row["cited_by"] else ""
    return f"{row['ref']} {title}{cited}"


def _finding_line(row: Mapping[str, Any]) -> str:
    lines = row["lines"]
    at = f"{row['source']}" + (f":{lines[0]}-{lines[1]}" if lines else "")
    return " ".join(
        part for part in (row["ref"] or "", row["message"], f"({at})" if row["source"] else "") if part
    )


def _listed(title: str, lines: Iterable[str], number: int | None = None) -> list[str]:
    found = [_wrap(line, "  ", "    ") for line in lines]
    return ["", f"{title}: {len(found) if number is None else number}", *found] if found else []


def _wrap(text: str, first: str, rest: str) -> str:
    return textwrap.fill(
        " ".join(text.split()), WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )
