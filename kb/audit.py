"""What is missing, damaged, unplaced, unresolved or untranslated; where every character of a source went."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kb.model import Finding, KnowledgeBase, Ref
from kb.profile import Profile

WIDTH = 80
Report = Mapping[str, Any]
_SHOWN_APART = ("cites-not-supplied", "not-supplied")
"""Kinds of findings that the list of unsupplied provisions says in fewer words."""


def audit(kb: KnowledgeBase, profile: Profile) -> dict[str, Any]:
    """The whole report as plain JSON values.

    ``coverage``: work to state to number of provisions; ``sources``: where the characters of each went, by
    fate and rule, with ``unaccounted`` 0 when none is lost; ``unsupplied``: roots without any text, with who
    cites them; ``unresolved``: citations that lead nowhere; ``untranslated``: language to refs; ``findings``:
    all else that was found, by kind.
    """
    return {
        "build": kb.meta.get("build_id", ""),
        "coverage": _coverage(kb, profile),
        "sources": [_source(kb, source.name, source.chars) for source in kb.sources()],
        "unsupplied": list(_unsupplied(kb, profile)),
        "unresolved": list(_unresolved(kb)),
        "untranslated": {lang: _untranslated(kb, profile, lang) for lang in profile.languages[1:]},
        "findings": _findings(kb),
    }


def clean(report: Report) -> bool:
    """True when there is nothing a person should see to: what ``--strict`` asks."""
    lost = any(source["unaccounted"] for source in report["sources"])
    return not (lost or report["unresolved"] or report["findings"])


def as_text(report: Report) -> str:
    """The report for a terminal."""
    lines = ["Coverage"]
    for work, states in report["coverage"].items():
        said = ", ".join(f"{number} {state}" for state, number in states.items() if state != "all" and number)
        lines.append(f"  {work}: {states['all']} provisions: {said}")
    lines += ["", "Characters of the sources"]
    for source in report["sources"]:
        lines += _source_lines(source)
    lines += _listed("Known, but in no source", map(_unsupplied_line, report["unsupplied"]))
    lines += _listed("Citations that lead nowhere", map(_unresolved_line, report["unresolved"]))
    for lang, refs in report["untranslated"].items():
        lines += _listed(f"Without a text in {lang}", refs)
    for kind, found in report["findings"].items():
        if kind not in _SHOWN_APART:
            lines += _listed(kind, map(_finding_line, found))
    return "\n".join(lines) + "\n"


def _coverage(kb: KnowledgeBase, profile: Profile) -> dict[str, dict[str, int]]:
    found = {}
    for work in profile.works:
        states = Counter(entry.status for entry in kb.entries(work))
        found[work] = {"all": sum(states.values()), **dict(sorted(states.items()))}
    return found


def _source(kb: KnowledgeBase, name: str, chars: int) -> dict[str, Any]:
    accounts = [account for account in kb.accounts() if account.source == name]
    fates: Counter[str] = Counter()
    for account in accounts:
        fates[account.fate] += account.chars
    return {
        "name": name,
        "chars": chars,
        "unaccounted": chars - sum(fates.values()),
        "fates": dict(sorted(fates.items())),
        "rules": [{"fate": a.fate, "rule": a.rule, "chars": a.chars} for a in accounts],
    }


def _unsupplied(kb: KnowledgeBase, profile: Profile) -> Iterator[dict[str, Any]]:
    """The roots no source has a word of, with the citations to them and to what is below."""
    citing: dict[Ref, dict[str, None]] = {}
    for placed in kb.links():
        target = placed.link.target
        if placed.link.status == "not-supplied" and target.path:
            root = Ref(target.work, target.edition, target.path[:1])
            citing.setdefault(root, {})[str(placed.at)] = None
    for work in profile.works.values():
        steps = {level.step for level in work.levels if level.heading and level.step}
        for entry in kb.entries(work.name):
            if len(entry.ref.path) == 1 and entry.ref.path[0] not in steps and entry.status == "not-supplied":
                yield {
                    "ref": str(entry.ref),
                    "title": {lang: entry.titles[lang] for lang in profile.languages if lang in entry.titles},
                    "cited_by": list(citing.get(entry.ref, ())),
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


def _untranslated(kb: KnowledgeBase, profile: Profile, lang: str) -> list[str]:
    return [str(node.ref) for node in kb.nodes(lang=profile.lang) if kb.node(node.ref, lang) is None]


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


def _source_lines(source: Mapping[str, Any]) -> Iterator[str]:
    fates = ", ".join(f"{number} {fate}" for fate, number in source["fates"].items())
    lost = (
        f"; {source['unaccounted']} UNACCOUNTED FOR" if source["unaccounted"] else "; every one accounted for"
    )
    yield _wrap(f"{source['name']}: {source['chars']}: {fates}{lost}", "  ", "    ")
    for fate in source["fates"]:
        rules = ", ".join(f"{r['rule']} {r['chars']}" for r in source["rules"] if r["fate"] == fate)
        yield _wrap(f"{fate}: {rules}", "    ", "      ")


def _unsupplied_line(row: Mapping[str, Any]) -> str:
    title = next(iter(row["title"].values()), "")
    cited = f" (cited by {', '.join(row['cited_by'])})" if row["cited_by"] else ""
    return f"{row['ref']} {title}{cited}"


def _unresolved_line(row: Mapping[str, Any]) -> str:
    return f"{row['at']} «{row['surface']}» → {row['target']} [{row['status']}] {row['reason']}"


def _finding_line(row: Mapping[str, Any]) -> str:
    lines = row["lines"]
    at = f"{row['source']}" + (f":{lines[0]}-{lines[1]}" if lines else "")
    return " ".join(
        part for part in (row["ref"] or "", row["message"], f"({at})" if row["source"] else "") if part
    )


def _listed(title: str, lines: Iterable[str]) -> list[str]:
    found = [_wrap(line, "  ", "    ") for line in lines]
    return ["", f"{title}: {len(found)}", *found] if found else []


def _wrap(text: str, first: str, rest: str) -> str:
    return textwrap.fill(
        " ".join(text.split()), WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )
