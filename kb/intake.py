"""`kb import`: scans into a corpus, tried on a copy first: it changes only when it builds with them."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from kb import pipeline
from kb import profile as profiles
from kb.errors import InputError, KbError
from kb.model import Records
from kb.profile import Profile, SourceSpec
from kb.publish import files
from kb.read import archive, bounds, formats, received

_STATES = {"not-supplied": 0, "partial": 1, "repealed": 2, "text": 2}
_BATCH = re.compile(r"(?m)^# kb import, batch (\d+)$")
_ENTRY = re.compile(r"(?m)^# kb import, batch (?P<n>\d+)\n\[\[source\]\]\n(?:[^\n]+\n?)*\n?")
_LIST = "sources.toml"


@dataclass(frozen=True, slots=True)
class Scan:
    """A file to be taken in: its name in the corpus, its bytes, what it holds."""

    name: str
    data: bytes
    sha256: str
    work: str
    lang: str
    edition: str

    def entry(self, batch: int) -> str:
        """Its lines for ``sources.toml``; the comment above them lets `undo` find them."""
        pairs = {
            "file": self.name,
            "work": self.work,
            "edition": self.edition,
            "lang": self.lang,
            "sha256": self.sha256,
        }
        # A JSON string is a TOML string, when the characters beyond ASCII stand as they are.
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in pairs.items()]
        return f"\n# kb import, batch {batch}\n[[source]]\n" + "\n".join(lines) + "\n"


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
    variants: tuple[str, ...]
    """Those of them that read otherwise in the new scans."""
    unplaced: tuple[str, ...]
    """Beginnings of runs for which no place was found."""
    here: tuple[tuple[str, str], ...]
    """Files that are in the corpus already, each with the name it has there; they are not added."""
    dry: bool

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "files": list(self.files),
            "new": list(self.new),
            "completed": list(self.completed),
            "witnessed": self.witnessed,
            "variants": list(self.variants),
            "unplaced": list(self.unplaced),
            "already_here": [{"file": file, "as": name} for file, name in self.here],
            "dry_run": self.dry,
        }

    def __str__(self) -> str:
        lines = [f"already here: {file}, as {name}" for file, name in self.here]
        if self.files:
            lines.append(f"{'would add' if self.dry else 'added'} {', '.join(self.files)}")
            lines.append(f"  {self.summary}")
            lines += [f"  {name}: {', '.join(refs)}" for name, refs in self._lists() if refs]
            lines += [f"  unplaced: {text}" for text in self.unplaced]
        return "\n".join(lines)

    @property
    def summary(self) -> str:
        """``adds 12 provisions, completes 68.A and 69.A, 3 variants, 1 run unplaced``."""
        said = []
        if self.new:
            said.append(f"adds {_count(len(self.new), 'provision')}")
        if self.completed:
            said.append(f"completes {_listing(self.completed)}")
        if self.variants:
            said.append(_count(len(self.variants), "variant"))
        if self.unplaced:
            said.append(f"{_count(len(self.unplaced), 'run')} unplaced")
        if not said:
            return f"adds nothing new: another witness of {_count(self.witnessed, 'provision')}"
        if self.witnessed:
            said.append(f"another witness of {self.witnessed}")
        return ", ".join(said)

    def _lists(self) -> list[tuple[str, tuple[str, ...]]]:
        return [("new", self.new), ("now complete", self.completed), ("variants", self.variants)]


@dataclass(frozen=True, slots=True)
class Undone:
    """The files that the last import had added, and that are taken out again."""

    files: tuple[str, ...]
    dry: bool = False

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"removed": list(self.files), "dry_run": self.dry}

    def __str__(self) -> str:
        return f"{'would take out' if self.dry else 'taken out'} {', '.join(self.files)}"


def take_in(
    corpus: Path, paths: Sequence[Path], work: str, lang: str, edition: str = "", dry_run: bool = False
) -> Gain:
    """Copy scans into a corpus and list them with their hashes; what they add.

    Of a zip archive every member that can be read is a scan of its own. A scan that is here already, byte
    for byte or as the same text in another encoding, is said to be and not added. Raises InputError, and
    leaves the corpus as it was, for a file that cannot be read, for an unknown work or language, and when
    the corpus would not build with them.
    """
    profile = profiles.load(corpus)
    if work not in profile.works:
        raise InputError(f"--work {work}: none of {', '.join(profile.works)}")
    if lang not in profile.languages:
        raise InputError(
            f"--lang {lang}: none of {', '.join(profile.languages)} (add it to the profile first)"
        )
    listed = _listed(profile)
    before = pipeline.build(corpus) if listed else None
    shelf = _Shelf(listed, before, (work, lang, edition or profile.edition))
    for path in paths:
        for name, data in _contents(path):
            shelf.add(path, name, data)
    if not shelf.scans:
        return Gain((), (), (), 0, (), (), tuple(shelf.here), dry_run)
    after = _tried(corpus, shelf.scans)
    gain = _gain(shelf, before, after, dry_run)
    if not dry_run:
        for scan in shelf.scans:
            files.write(corpus / "sources" / scan.name, scan.data)
        files.write(corpus / "sources" / _LIST, _with_entries(_read_list(corpus), shelf.scans))
    return gain


def undo(corpus: Path, dry_run: bool = False) -> Undone:
    """Take out again what the last `take_in` added: its lines in ``sources.toml`` and its files.

    Raises InputError, and leaves the corpus as it was, when there is no import to undo, or one of its
    files has changed since.
    """
    profile = profiles.load(corpus)
    text = _read_list(corpus)
    batches = [int(number) for number in _BATCH.findall(text)]
    if not batches:
        raise InputError(f"{corpus / 'sources' / _LIST}: no import to undo (it lists none by `kb import`)")
    last = str(max(batches))
    kept = _ENTRY.sub(lambda m: "" if m.group("n") == last else m.group(), text)
    staying = {table["file"] for table in _tables(corpus, kept)}
    going = [spec for spec in profile.sources if spec.name not in staying]
    for spec in going:
        if spec.path.is_file() and hashlib.sha256(bounds.read_file(spec.path)).hexdigest() != spec.sha256:
            raise InputError(f"{spec.path}: changed since it was imported (take it out by hand)")
    if not dry_run:
        files.write(corpus / "sources" / _LIST, kept.rstrip("\n") + "\n")
        for spec in going:
            spec.path.unlink(missing_ok=True)
    return Undone(tuple(spec.name for spec in going), dry_run)


class _Shelf:
    """The scans to be added, and those that are here already."""

    def __init__(self, listed: dict[str, str], before: Records | None, what: tuple[str, str, str]) -> None:
        self.scans: list[Scan] = []
        self.here: list[tuple[str, str]] = []
        self._hashes = {digest: name for name, digest in listed.items()}
        self._names = set(listed)
        self._what = what
        self._texts = {
            (info.work, info.lang, _plain(info.text)): info.name
            for info in (before.sources if before else ())
        }

    def add(self, path: Path, name: str, data: bytes) -> None:
        """Another scan: to be added under a name that is free, or here already."""
        work, lang, edition = self._what
        digest = hashlib.sha256(data).hexdigest()
        said = str(path) if path.name == name else f"{path}: {name}"
        same = self._hashes.get(digest)
        text = None
        if same is None and formats.READERS.get(Path(name).suffix.lower()) not in ("image", "pdf"):
            spec = SourceSpec(path if path.name == name else path / name, name, work, edition, lang)
            text = (work, lang, _plain(received(data, spec, digest).raw))
            same = self._texts.get(text)
        if same is not None:
            self.here.append((said, same))
            return
        name = self._free(_safe(name), digest)
        self._names.add(name)
        self._hashes[digest] = name
        if text is not None:
            self._texts[text] = name
        self.scans.append(Scan(name, data, digest, work, lang, edition))

    def _free(self, name: str, digest: str) -> str:
        if name not in self._names and name != _LIST:
            return name
        path = PurePosixPath(name)
        return f"{path.stem}-{digest[:8]}{path.suffix}"


def _contents(path: Path) -> Iterator[tuple[str, bytes]]:
    """The scans of a file: itself, or the readable members of a zip archive."""
    try:
        data = bounds.read_file(path)
    except FileNotFoundError:
        raise InputError(f"{path}: cannot be read: no such file") from None
    if path.suffix.lower() != ".zip":
        yield path.name, data
        return
    found = False
    for name, info, zipped in archive.members(data, str(path)):
        if PurePosixPath(name).suffix.lower() in formats.READERS:
            found = True
            yield PurePosixPath(name).name, zipped.read(info)
    if not found:
        raise InputError(f"{path}: no member that can be read (known: {', '.join(sorted(formats.READERS))})")


def _safe(name: str) -> str:
    """A plain file name, as ``sources.toml`` wants it."""
    name = unicodedata.normalize("NFC", bounds.printable(name)).replace("/", "_").replace("\\", "_")
    return name.lstrip(".") or "scan"


def _plain(text: str) -> str:
    return "\n".join(text.split())


def _listed(profile: Profile) -> dict[str, str]:
    """Name to hash of the sources the corpus has; a corpus may have none yet."""
    tables = _tables(profile.root, _read_list(profile.root))
    found = {}
    for spec in profile.sources if tables else ():
        try:
            found[spec.name] = hashlib.sha256(bounds.read_file(spec.path)).hexdigest()
        except FileNotFoundError:
            raise InputError(f"{spec.path}: cannot be read: no such file; mend the corpus first") from None
    return found


def _read_list(corpus: Path) -> str:
    path = corpus / "sources" / _LIST
    profiles.read_toml(path)  # says what is wrong with it
    return path.read_text("utf-8")


def _tables(corpus: Path, text: str) -> list[dict[str, Any]]:
    import tomllib

    try:
        return list(tomllib.loads(text).get("source", []))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{corpus / 'sources' / _LIST}: cannot be changed safely: {error}") from None


def _tried(corpus: Path, scans: Sequence[Scan]) -> Records:
    """The records of the corpus with the scans, built from a folder of links to it and copies of them."""
    with tempfile.TemporaryDirectory(prefix="kb-import-") as temporary:
        trial = Path(temporary)
        (trial / "sources").mkdir()
        for path in sorted(corpus.iterdir()):
            if path.name != "sources":
                (trial / path.name).symlink_to(path.resolve())
        added = {scan.name for scan in scans}
        for path in sorted((corpus / "sources").iterdir()):
            if path.name != _LIST and path.name not in added:
                (trial / "sources" / path.name).symlink_to(path.resolve())
        for scan in scans:
            (trial / "sources" / scan.name).write_bytes(scan.data)
        files.write(trial / "sources" / _LIST, _with_entries(_read_list(corpus), scans))
        try:
            return pipeline.build(trial)
        except KbError as error:
            # What is wrong is wrong in the corpus, and mended there.
            raise type(error)(str(error).replace(str(trial), str(corpus))) from None


def _with_entries(text: str, scans: Sequence[Scan]) -> str:
    """The list of sources with the scans at its end; what it says already stays as it is."""
    batch = max((int(number) for number in _BATCH.findall(text)), default=0) + 1
    return text.rstrip("\n") + "\n" + "".join(scan.entry(batch) for scan in scans)


def _gain(shelf: _Shelf, before: Records | None, after: Records, dry: bool) -> Gain:
    names = {scan.name for scan in shelf.scans}
    rank = {entry.ref: _STATES.get(entry.status, 0) for entry in (before.entries if before else ())}
    new: list[str] = []
    completed: list[str] = []
    for entry in after.entries:
        now, then = _STATES.get(entry.status, 0), rank.get(entry.ref, 0)
        if now > then:
            (new if then == 0 else completed).append(str(entry.ref))
    changed = {*new, *completed}
    seen: dict[str, bool] = {}
    for node in after.nodes:
        for witness in node.witnesses:
            if witness.source in names and str(node.ref) not in changed:
                # What was chosen from a new scan is a variant when an older one reads otherwise.
                other = not witness.same or (witness.chosen and not all(w.same for w in node.witnesses))
                seen[str(node.ref)] = seen.get(str(node.ref), False) or other
    unplaced = tuple(
        " ".join(finding.text.split())[:60]
        for finding in after.findings
        if finding.kind == "unplaced" and finding.source in names
    )
    variants = tuple(ref for ref, other in seen.items() if other)
    return Gain(
        tuple(scan.name for scan in shelf.scans),
        tuple(new),
        tuple(completed),
        len(seen),
        variants,
        unplaced,
        tuple(shelf.here),
        dry,
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _listing(refs: Sequence[str]) -> str:
    """``68.A and 69.A``; beyond four only how many."""
    short = [ref.rpartition("/")[2] for ref in refs]
    if len(short) > 4:
        return _count(len(short), "provision")
    return " and ".join([", ".join(short[:-1]), short[-1]] if len(short) > 1 else short)
