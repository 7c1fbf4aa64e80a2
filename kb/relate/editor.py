"""An editor's word on what a comment is about: ``links.toml`` -> relations confirmed or refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kb import declared
from kb.errors import InputError
from kb.model import Entry, Ref, Relation
from kb.profile import Profile, read_toml

FILE = "links.toml"
STATUSES = ("confirmed", "refused")


@dataclass(frozen=True, slots=True)
class Verdict:
    """``comment`` is (``confirmed``) or is not (``refused``) about ``law``, because of ``reason``."""

    comment: Ref
    law: Ref
    status: str
    reason: str
    also: bool = False
    """Confirmed beside the main relation, not as the main one."""
    who: str = ""


def load(profile: Profile) -> list[Verdict]:
    """The verdicts of a corpus; none without the file. Raises InputError for one that cannot be read."""
    path = profile.root / FILE
    if not path.exists():
        return []
    found: dict[tuple[Ref, Ref], Verdict] = {}
    for number, table in enumerate(declared.rows(read_toml(path), "link", path), 1):
        where = f"{path}: link {number}"
        gone = [key for key in ("comment", "law", "status", "reason") if not table.get(key)]
        if gone:
            raise InputError(f"{where}: a link needs {', '.join(gone)}")
        if table["status"] not in STATUSES:
            raise InputError(f"{where}: status {table['status']!r} is neither of {', '.join(STATUSES)}")
        verdict = Verdict(
            comment=_ref(str(table["comment"]), "commentary", profile, where),
            law=_ref(str(table["law"]), "law", profile, where),
            status=str(table["status"]),
            reason=str(table["reason"]),
            also=bool(table.get("also", False)),
            who=str(table.get("who", "")),
        )
        if (verdict.comment, verdict.law) in found:
            raise InputError(f"{where}: {table['comment']} and {table['law']} are judged twice")
        found[verdict.comment, verdict.law] = verdict
    return list(found.values())


def check(verdicts: Iterable[Verdict], entries: Iterable[Entry], profile: Profile) -> None:
    """Raises InputError for a verdict on a provision that is neither in the outline nor in a source."""
    judged = list(verdicts)
    known = {entry.ref for entry in entries} if judged else set()
    for verdict in judged:
        if verdict.law not in known:
            path = profile.root / FILE
            raise InputError(
                f"{path}: {verdict.law} (for {verdict.comment}) is in neither outline nor source"
            )


def _ref(text: str, role: str, profile: Profile, where: str) -> Ref:
    """A whole ref, or a path in the first work of a role."""
    works = [work.name for work in profile.works.values() if work.role == role]
    if "/" not in text and works:
        text = f"{works[0]}/{profile.edition}/{text}"
    try:
        ref = Ref.parse(text)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    if ref.work not in works:
        raise InputError(f"{where}: {text} is no {role} of this corpus")
    return ref


def apply(found: Sequence[Relation], verdicts: Iterable[Verdict]) -> list[Relation]:
    """The relations of one comment with the verdicts on it.

    A confirmed one is the main relation, unless it is ``also``; what else the machine thought of goes then,
    but for what the comment cites. A refused one stands last, with confidence 0. The evidence the machine
    found stays beside the editor's.
    """
    known = {relation.law: relation for relation in found}
    main: list[Relation] = []
    beside: list[Relation] = []
    refused: list[Relation] = []
    for verdict in verdicts:
        auto = known.pop(verdict.law, Relation(verdict.comment, verdict.law, (), 0.0))
        said = f"{verdict.reason} ({verdict.who})" if verdict.who else verdict.reason
        ruled = replace(
            auto,
            evidence=("editor", *auto.evidence),
            confidence=1.0 if verdict.status == "confirmed" else 0.0,
            status=verdict.status,
            detail=f"editor: {said}" + (f"; {auto.detail}" if auto.detail else ""),
        )
        (refused if verdict.status == "refused" else beside if verdict.also else main).append(ruled)
    rest = list(known.values())
    if main:
        return [*main, *beside, *(relation for relation in rest if "citation" in relation.evidence), *refused]
    return [*rest[:1], *beside, *rest[1:], *refused]
