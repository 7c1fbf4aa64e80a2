"""The declarative rules of a corpus: TOML -> Profile. Loading checks every pattern on its examples."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from kb import declared
from kb.errors import InputError, ProfileError
from kb.model import Entry, Ref

NUMBERINGS = frozenset({"arabic", "dotted", "roman", "lower-roman", "upper", "lower", "none"})
"""``none``: a heading without a number, known by its words; counted in order where the outline lists none."""


OUTLINE = "outline.toml"
"""The known refs, in a corpus."""


@dataclass(frozen=True, slots=True)
class Marker:
    """One way a level is numbered in print: a pattern for the start of a line, with a group ``n``."""

    lang: str
    pattern: re.Pattern[str]
    glued: bool = False
    """Also looked for inside a line, after the end of a sentence (headings glued to paragraphs)."""
    unsure: bool = False
    """Too weak alone: taken where the outline has its number and words, or its first child follows."""

    @property
    def numbered(self) -> bool:
        """It has a number of its own, or its level needs none; else the number below tells what it heads."""
        return "n" in self.pattern.groupindex or not self.unsure


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a work, as the profile names it: chapter, law, section, comment …"""

    name: str
    kind: str
    numbering: str
    step: str = ""
    """Prefix step of a heading's path (``ch`` in ``ch.VII``); empty for a numbered provision."""
    heading: bool = False
    """Groups what follows; its number is no part of the refs below it."""
    titled: str = "maybe"
    """``always``, ``maybe`` or ``never``: does a title stand between the marker and the text."""
    unlabelled: bool = False
    """Items printed without a label after a colon are numbered in order."""
    paragraphs: bool = False
    """Its nodes carry no number at all: each paragraph under the heading is one, numbered in order."""
    with_items: bool = False
    """Whole only with its items: a list that is cut off leaves it incomplete."""
    repealed: re.Pattern[str] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    markers: tuple[Marker, ...] = ()

    def marker_for(self, lang: str) -> list[Marker]:
        """The markers of one language, in the order of the profile."""
        return [m for m in self.markers if m.lang in (lang, "*")]


@dataclass(frozen=True, slots=True)
class Work:
    """A work of the corpus: its name in refs, the letter of its permalinks, its levels from the top."""

    name: str
    titles: Mapping[str, str]
    letter: str
    label: str
    role: str
    """``law`` or ``commentary``."""
    comments_on: str = ""
    levels: tuple[Level, ...] = ()
    human: Mapping[str, str] = field(default_factory=dict)
    """Language to the pattern a ref is shown by, ``Правило {ref}``."""
    opens: tuple[re.Pattern[str], ...] = ()
    """Lines that are its title or its running head: what follows is of this work."""

    @property
    def root_level(self) -> Level:
        """The level whose number opens a path: the law, the article, the group of comments on a law."""
        return next(level for level in self.levels if not level.heading)

    @property
    def provision_levels(self) -> tuple[Level, ...]:
        """The levels that make up a path, from the root down."""
        return tuple(level for level in self.levels if not level.heading)


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """A line of ``sources.toml``: which file, what it holds, and the hash it must have."""

    path: Path
    name: str
    work: str
    edition: str
    lang: str
    sha256: str = ""
    encoding: str = ""
    title: str = ""
    translator: str = ""
    origin: str = ""
    rights: str = "public"
    alphabet: str = ""
    cache: Path | None = None
    """Folder for what is costly to read (pictures), by the hash of its content; None keeps nothing."""

    @property
    def private(self) -> bool:
        """A text its owner may read and search, but not publish."""
        return self.rights == "private"


@dataclass(frozen=True)
class Profile:
    """Everything that is particular to a corpus. ``data`` is the TOML as read; ``root`` its folder."""

    root: Path
    data: Mapping[str, Any]
    name: str
    titles: Mapping[str, str]
    languages: tuple[str, ...]
    edition: str
    works: Mapping[str, Work]
    damage: Mapping[str, Any]
    others: tuple[re.Pattern[str], ...] = ()
    """Lines that are the title or the running head of a book that is none of the works."""

    @property
    def lang(self) -> str:
        """The language of the sources: the first of ``languages``."""
        return self.languages[0]

    @cached_property
    def law_work(self) -> Work:
        """The work that others comment on."""
        return next(work for work in self.works.values() if work.role == "law")

    @cached_property
    def sources(self) -> tuple[SourceSpec, ...]:
        """The scans of ``sources.toml``, in its order. Raises InputError for a file that is not there."""
        return _sources(self.root, self)

    @cached_property
    def outline(self) -> tuple[Entry, ...]:
        """The known refs of ``outline.toml``, in reading order; empty without one."""
        return _outline(self.root, self)

    @cached_property
    def citations(self) -> Mapping[str, Any]:
        """``citations.toml`` as read: how this corpus is cited; empty without one."""
        path = self.root / "citations.toml"
        return read_toml(path) if path.exists() else {}


def load(root: Path) -> Profile:
    """Read ``profile.toml`` of a corpus folder.

    Raises InputError when the folder or the file is not there, ProfileError when a value is missing,
    unknown, or a pattern fails its own examples.
    """
    path = root / "profile.toml"
    if not root.is_dir():
        raise InputError(f"{root}: no such corpus folder (--corpus names a folder with a profile.toml)")
    data = read_toml(path)
    corpus = declared.need(data, "corpus", path)
    languages = tuple(declared.strings(declared.need(corpus, "languages", path), f"{path}: languages"))
    if not languages:
        raise ProfileError(f"{path}: languages needs one at least, that of the sources first")
    works: dict[str, Work] = {}
    for name, table in declared.table(declared.need(data, "works", path), f"{path}: works").items():
        works[name] = _work(name, table, path)
    if sum(work.role == "law" for work in works.values()) != 1:
        raise ProfileError(f'{path}: exactly one work needs role = "law"')
    return Profile(
        root=root,
        data=data,
        name=str(declared.need(corpus, "name", path)),
        titles=declared.texts(declared.need(corpus, "title", path), f"{path}: title"),
        languages=languages,
        edition=str(declared.need(corpus, "edition", path)),
        works=works,
        damage=declared.table(data.get("damage", {}), f"{path}: damage"),
        others=_titles(data.get("other_works", []), f"{path}: other_works"),
    )


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file as a dict. Raises InputError that names the file and the place of the mistake."""
    try:
        with path.open("rb") as stream:
            return tomllib.load(stream)
    except FileNotFoundError:
        raise InputError(
            f"{path}: not there (a corpus needs it; `kb new DIR` makes a commented one)"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not valid TOML: {error}") from None


def compile_checked(table: Mapping[str, Any], where: str, flags: int = 0) -> re.Pattern[str]:
    """Compile ``table["pattern"]`` and try it on its ``examples`` and ``counter_examples``.

    An example must match at its start, a counter-example must not. Raises ProfileError that names the
    pattern and the example.
    """
    if not isinstance(table, Mapping):
        raise ProfileError(f"{where}: {table!r} is no table with a pattern and its examples")
    source = str(table.get("pattern", ""))
    try:
        pattern = re.compile(source, flags)
    except re.error as error:
        raise ProfileError(f"{where}: pattern {source!r} does not compile: {error}") from None
    examples, counters = (
        declared.strings(table.get(key, []), where) for key in ("examples", "counter_examples")
    )
    if not source or not examples:
        raise ProfileError(f"{where}: a pattern needs text and at least one example beside it")
    for example in examples:
        if not pattern.match(example):
            raise ProfileError(f"{where}: pattern {source!r} fails its own example {example!r}")
    for counter in counters:
        if pattern.match(counter):
            raise ProfileError(f"{where}: pattern {source!r} matches its counter-example {counter!r}")
    return pattern


def _work(name: str, table: Mapping[str, Any], path: Path) -> Work:
    where = f"{path}: works.{name}"
    role = declared.table(table, where).get("role", "law")
    if role not in ("law", "commentary"):
        raise ProfileError(f"{where}: role is {role!r}, not law or commentary")
    levels = tuple(
        _level(level, f"{where}.levels")
        for level in declared.tables(declared.need(table, "levels", where), where)
    )
    if not any(not level.heading for level in levels):
        raise ProfileError(f"{where}: no level without heading = true")
    return Work(
        name=name,
        titles=declared.texts(declared.need(table, "title", where), f"{where}.title"),
        letter=str(declared.need(table, "letter", where)),
        label=str(declared.need(table, "label", where)),
        role=role,
        comments_on=str(table.get("comments_on", "")),
        levels=levels,
        human=declared.texts(table.get("human", {}), f"{where}.human"),
        opens=_titles(table.get("opens", []), f"{where}.opens"),
    )


def _titles(tables: Sequence[Mapping[str, Any]], where: str) -> tuple[re.Pattern[str], ...]:
    return tuple(compile_checked(table, where) for table in declared.tables(tables, where))


def _level(table: Mapping[str, Any], where: str) -> Level:
    name = str(declared.need(table, "name", where))
    where = f"{where}.{name}"
    numbering = table.get("numbering", "arabic")
    if not isinstance(numbering, str) or numbering not in NUMBERINGS:
        raise ProfileError(f"{where}: numbering {numbering!r} is none of {', '.join(sorted(NUMBERINGS))}")
    if numbering == "none" and not table.get("heading"):
        raise ProfileError(f'{where}: only a level with heading = true can have numbering = "none"')
    markers = []
    for marker in declared.tables(table.get("markers", []), f"{where}.markers"):
        pattern = compile_checked(marker, where)
        glued, unsure = bool(marker.get("glued", False)), bool(marker.get("unsure", False))
        # A range heading has a group "to" beside it; a heading without a number is always unsure.
        if "n" not in pattern.groupindex and numbering != "none" and not unsure:
            raise ProfileError(f"{where}: pattern {pattern.pattern!r} has no group (?P<n>…) for the number")
        markers.append(Marker(str(marker.get("lang", "*")), pattern, glued, unsure))
    repealed = compile_checked(table["repealed"], f"{where}.repealed") if "repealed" in table else None
    return Level(
        name=name,
        kind=str(table.get("kind", name)),
        numbering=numbering,
        step=str(table.get("step", "")),
        heading=bool(table.get("heading", False)),
        titled=str(table.get("titled", "maybe")),
        unlabelled=bool(table.get("unlabelled", False)),
        paragraphs=bool(table.get("paragraphs", False)),
        with_items=bool(table.get("with_items", False)),
        repealed=repealed,
        names=declared.texts(table.get("names", {}), f"{where}.names"),
        markers=tuple(markers),
    )


def _sources(root: Path, profile: Profile) -> tuple[SourceSpec, ...]:
    path = root / "sources" / "sources.toml"
    specs = []
    seen: set[str] = set()
    for number, table in enumerate(declared.rows(read_toml(path), "source", path), 1):
        where = f"{path}: source {number}"
        name = str(declared.need(table, "file", where))
        if name in seen or "/" in name or "\\" in name or name.startswith(".") or not name.isprintable():
            raise InputError(f"{where}: file = {name!r} is listed twice or is not a plain file name")
        seen.add(name)
        work = str(declared.need(table, "work", where))
        if work not in profile.works:
            raise InputError(f"{where}: work {work!r} is none of {', '.join(profile.works)}")
        specs.append(
            SourceSpec(
                path=path.parent / name,
                name=name,
                work=work,
                edition=str(table.get("edition", profile.edition)),
                lang=str(table.get("lang", profile.lang)),
                sha256=str(table.get("sha256", "")),
                encoding=str(table.get("encoding", "")),
                title=str(table.get("title", "")),
                translator=str(table.get("translator", "")),
                origin=str(table.get("origin", "")),
                rights=str(table.get("rights", "public")),
                alphabet=str(table.get("alphabet", "")),
            )
        )
    if not specs:
        raise InputError(f"{path}: no [[source]] (list each scan with its file, work and sha256)")
    return tuple(specs)


def _outline(root: Path, profile: Profile) -> tuple[Entry, ...]:
    path = root / OUTLINE
    if not path.exists():
        return ()
    key = _outline_key(path, profile)
    if key not in _OUTLINES:
        # The last one read: a build asks for it several times, and it may be as large as the sources.
        found = _outline_of(path, profile)
        _OUTLINES.clear()
        _OUTLINES[key] = found
    return _OUTLINES[key]


def remember_outline(profile: Profile, found: tuple[Entry, ...]) -> None:
    """What the outline of a profile is known to be, without reading it."""
    _OUTLINES.clear()
    _OUTLINES[_outline_key(profile.root / OUTLINE, profile)] = found


def _outline_key(path: Path, profile: Profile) -> tuple[object, ...]:
    stat = path.stat()
    return (path.resolve(), stat.st_ino, stat.st_size, stat.st_mtime_ns, profile.edition, *profile.works)


_OUTLINES: dict[tuple[object, ...], tuple[Entry, ...]] = {}


def _outline_of(path: Path, profile: Profile) -> tuple[Entry, ...]:
    data = read_toml(path)
    work = str(data.get("work", profile.law_work.name))
    if work not in profile.works:
        raise InputError(f"{path}: work {work!r} is not in the profile")
    entries = []
    seen: set[str] = set()
    for table in declared.rows(data, "entry", path):
        dotted = str(declared.need(table, "path", path))
        if dotted in seen:
            raise InputError(f"{path}: entry {dotted!r} stands twice")
        seen.add(dotted)
        under = table.get("under")
        if not dotted.strip() or not isinstance(under, str | None):
            raise InputError(
                f"{path}: entry {dotted!r} has to have a path, and a path for what it stands under"
            )
        if under is None and dotted[0].isdigit() and "." in dotted:
            under = dotted.rpartition(".")[0]
        if under and under not in seen:
            raise InputError(f"{path}: entry {dotted!r} stands under {under!r}, which is not above it")
        try:
            ref = Ref.parse(f"{work}/{profile.edition}/{dotted}")
            parent = Ref.parse(f"{work}/{profile.edition}/{under}") if under else None
        except ValueError as error:
            raise InputError(f"{path}: {error}") from None
        entries.append(
            Entry(
                ref=ref,
                kind=str(declared.need(table, "kind", f"{path}: {dotted}")),
                parent=parent,
                titles=declared.texts(table.get("titles", {}), f"{path}: {dotted}: titles"),
                title_basis=declared.texts(table.get("basis", {}), f"{path}: {dotted}: basis"),
                support=str(table.get("support", "")),
                status=str(table.get("status", "not-supplied")),
            )
        )
    return tuple(entries)
