"""What is not as it should be, and what of it the corpus says is seen to: ``accepted.toml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kb.errors import InputError
from kb.profile import Profile, read_toml

ACCEPTED = "accepted.toml"
Report = Mapping[str, Any]


def all_open(report: Report) -> Iterator[dict[str, str]]:
    """All that is not as it should be, one shape: kind, ref, source, message."""
    for source in report["sources"]:
        if source["unaccounted"]:
            message = f"{source['unaccounted']} characters"
            yield {"kind": "unaccounted", "ref": "", "source": source["name"], "message": message}
    for row in report["unresolved"]:
        yield {"kind": "unresolved", "ref": row["at"], "source": "", "message": unresolved_line(row)}
    for kind, found in report["findings"].items():
        for row in found:
            yield {"kind": kind, "ref": row["ref"] or "", "source": row["source"], "message": row["message"]}


def compared(report: Report, profile: Profile) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """What is found and not accepted, and what is accepted and not found; the last of too many is new."""
    accepted = _accepted(profile)
    seen = [0] * len(accepted)
    new = []
    for one in all_open(report):
        answering = [at for at, (entry, _) in enumerate(accepted) if _answers(one, entry)]
        for at in answering:
            seen[at] += 1
        if not any(accepted[at][1] == 0 or seen[at] <= accepted[at][1] for at in answering):
            new.append(one)
    gone = []
    for (entry, times), found in zip(accepted, seen, strict=True):
        if found < max(times, 1):
            message = entry["reason"] + (f" ({found} of {times} still found)" if found else "")
            gone.append({"ref": "", "source": ""} | entry | {"message": message})
    return new, gone


def _answers(found: Mapping[str, str], entry: Mapping[str, str]) -> bool:
    """An entry names a kind, and may narrow it down to a ref, a source or both."""
    return all(entry.get(key) in (None, found[key]) for key in ("kind", "ref", "source"))


def _accepted(profile: Profile) -> list[tuple[dict[str, str], int]]:
    """``[[accepted]]`` entries, and how many findings each stands for (0: any number).

    ``kind`` and ``reason``; ``ref`` or ``source`` where it is not every one; or ``refs``, a table of refs
    and of how many findings each has.
    """
    path = profile.root / ACCEPTED
    if not path.exists():
        return []
    entries: list[tuple[dict[str, str], int]] = []
    for number, table in enumerate(read_toml(path).get("accepted", []), 1):
        where = f"{path}: accepted {number}"
        if not (table.get("kind") and table.get("reason")):
            raise InputError(f"{where}: needs a kind and a reason")
        strange = sorted(set(table) - {"kind", "ref", "refs", "source", "reason"})
        if strange:
            raise InputError(f"{where}: {strange[0]} is none of kind, ref, refs, source, reason")
        refs = table.get("refs", {})
        if not isinstance(refs, dict) or not all(type(times) is int and times > 0 for times in refs.values()):
            raise InputError(f'{where}: refs is a table of refs and numbers of findings ("a/b/1" = 2)')
        plain = {key: str(value) for key, value in table.items() if key != "refs"}
        entries += [(plain | {"ref": ref}, times) for ref, times in refs.items()] or [(plain, 0)]
    return entries


def unresolved_line(row: Mapping[str, Any]) -> str:
    return f"{row['at']} «{row['surface']}» → {row['target']} [{row['status']}] {row['reason']}"
