"""`kb import`: scans into a corpus, tried on a copy first: it changes only when it builds with them."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb import pipeline
from kb import profile as profiles
from kb.errors import InputError
from kb.model import Records
from kb.profile import Profile
from kb.publish import files

_STATES = {"not-supplied": 0, "partial": 1, "repealed": 2, "text": 2}


@dataclass(frozen=True, slots=True)
class Scan:
    """A file to be taken in."""

    path: Path
    sha256: str
    work: str
    lang: str
    edition: str

    @property
    def name(self) -> str:
        """Its name in the corpus."""
        return self.path.name

    @property
    def entry(self) -> str:
        """Its lines for ``sources.toml``."""
        pairs = {
            "file": self.name,
            "work": self.work,
            "edition": self.edition,
            "lang": self.lang,
            "sha256": self.sha256,
        }
        # A JSON string is a TOML string, when the characters beyond ASCII stand as they are.
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in pairs.items()]
        return "\n[[source]]\n" + "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Gain:
    """What some scans add to a corpus. Refs as text, in reading order."""

    files: tuple[str, ...]
    new: tuple[str, ...]
    """Provisions that had no text."""
    completed: tuple[str, ...]
    """Provisions that had a part of their text, and now have all."""
    witnessed: int
    """Provisions of which there was a text, and now is another witness."""
    unplaced: tuple[str, ...]
    """Beginnings of runs for which no place was found."""
    dry: bool

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "files": list(self.files),
            "new": list(self.new),
            "completed": list(self.completed),
            "witnessed": self.witnessed,
            "unplaced": list(self.unplaced),
            "dry_run": self.dry,
        }

    def __str__(self) -> str:
        lines = [f"{'would add' if self.dry else 'added'} {', '.join(self.files)}"]
        lines.append(f"  new text: {len(self.new)}" + (f": {', '.join(self.new)}" if self.new else ""))
        lines.append(
            f"  now complete: {len(self.completed)}"
            + (f": {', '.join(self.completed)}" if self.completed else "")
        )
        lines.append(f"  another witness of: {self.witnessed}")
        lines += [f"  unplaced: {text}" for text in self.unplaced]
        return "\n".join(lines)


def take_in(
    corpus: Path, paths: Sequence[Path], work: str, lang: str, edition: str = "", dry_run: bool = False
) -> Gain:
    """Copy scans into a corpus and list them with their hashes; what they add.

    Raises InputError, and leaves the corpus as it was, for a file that cannot be read, is in the corpus
    already or has a name that is taken, for an unknown work, and when the corpus would not build with them.
    """
    profile = profiles.load(corpus)
    if work not in profile.works:
        raise InputError(f"--work {work}: none of {', '.join(profile.works)}")
    if lang not in profile.languages:
        raise InputError(
            f"--lang {lang}: none of {', '.join(profile.languages)} (add it to the profile first)"
        )
    listed = _listed(profile)
    scans = [_scan(path, work, lang, edition or profile.edition) for path in paths]
    _check_new(scans, listed)
    before = pipeline.build(corpus) if listed else None
    after = _tried(corpus, scans)
    gain = _gain(scans, before, after, dry_run)
    if not dry_run:
        for scan in scans:
            files.copy(scan.path, corpus / "sources" / scan.name)
        _list(corpus, corpus, scans)
    return gain


def _listed(profile: Profile) -> dict[str, str]:
    """Name to hash of the sources the corpus has; a corpus may have none yet."""
    tables = profiles.read_toml(profile.root / "sources" / "sources.toml").get("source", [])
    found = {}
    for spec in profile.sources if tables else ():
        try:
            found[spec.name] = hashlib.sha256(spec.path.read_bytes()).hexdigest()
        except OSError as error:
            raise InputError(
                f"{spec.path}: cannot be read: {error.strerror}; mend the corpus first"
            ) from None
    return found


def _scan(path: Path, work: str, lang: str, edition: str) -> Scan:
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    return Scan(path, digest, work, lang, edition)


def _check_new(scans: Sequence[Scan], listed: dict[str, str]) -> None:
    names = dict(listed)
    for scan in scans:
        same = next((name for name, digest in names.items() if digest == scan.sha256), None)
        if same is not None:
            raise InputError(f"{scan.path}: in the corpus already, as {same}")
        if scan.name in names or scan.name.startswith(".") or scan.name == "sources.toml":
            raise InputError(
                f"{scan.path}: the name {scan.name} cannot be used in the corpus; rename the file"
            )
        names[scan.name] = scan.sha256


def _tried(corpus: Path, scans: Sequence[Scan]) -> Records:
    """The records of the corpus with the scans, built from a folder of links to both."""
    with tempfile.TemporaryDirectory(prefix="kb-import-") as temporary:
        trial = Path(temporary)
        (trial / "sources").mkdir()
        for path in sorted(corpus.iterdir()):
            if path.name != "sources":
                (trial / path.name).symlink_to(path.resolve())
        present = [path for path in sorted((corpus / "sources").iterdir()) if path.name != "sources.toml"]
        for path in [*present, *(scan.path for scan in scans)]:
            (trial / "sources" / path.name).symlink_to(path.resolve())
        _list(corpus, trial, scans)
        return pipeline.build(trial)


def _list(corpus: Path, target: Path, scans: Iterable[Scan]) -> None:
    """Add the scans to the list of sources, which stays as it is otherwise."""
    text = (corpus / "sources" / "sources.toml").read_text("utf-8")
    entries = "".join(scan.entry for scan in scans)
    files.write(target / "sources" / "sources.toml", text.rstrip("\n") + "\n" + entries)


def _gain(scans: Sequence[Scan], before: Records | None, after: Records, dry: bool) -> Gain:
    names = {scan.name for scan in scans}
    states = {entry.ref: entry.status for entry in before.entries} if before else {}
    rank = {ref: _STATES.get(status, 0) for ref, status in states.items()}
    new: list[str] = []
    completed: list[str] = []
    for entry in after.entries:
        now, then = _STATES.get(entry.status, 0), rank.get(entry.ref, 0)
        if now > then:
            (new if then == 0 else completed if now == 2 else new).append(str(entry.ref))
    changed = {*new, *completed}
    seen = {node.ref for node in after.nodes for witness in node.witnesses if witness.source in names}
    unplaced = tuple(
        " ".join(finding.text.split())[:60]
        for finding in after.findings
        if finding.kind == "unplaced" and finding.source in names
    )
    witnessed = sum(1 for ref in seen if str(ref) not in changed)
    return Gain(tuple(scan.name for scan in scans), tuple(new), tuple(completed), witnessed, unplaced, dry)
