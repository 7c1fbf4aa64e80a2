"""Procedures as decision paths: ``guides/*.toml`` of a corpus -> Guides.

One file is one guide, and its name, without ``.toml``, is the guide's id. In the file::

    title = {ru = "…", en = "…"}     # in the languages of the guide: each of its texts is in all of them
    refs = ["55", "53.A"]            # what it is about, the main provision first; bare paths are of the laws
    often = 3                        # optional: its place among those asked for most

    [[step]]                         # the first step is the start
    id = "played"
    question = {ru = "…", en = "…"}  # with at least two answers, or …
    refs = ["53.A"]                  # every step rests on a provision
    note = {ru = "…", en = "…"}      # optional: an editor's word beside the step
    [[step.answer]]
    text = {ru = "…", en = "…"}
    next = "accepted"                # the id of a step, or guide = "…", another guide's id

    [[step]]
    id = "accepted"
    ruling = {ru = "…", en = "…"}    # … a ruling; the path ends here unless it has next or guide
    refs = ["53.A"]

Whether a provision has its text, and what became of it in the edition in force, is not written here: whoever
shows a step asks the knowledge base and `kb.editions` for each of its refs. `load` tells what a profile alone
can tell; a build, which knows all refs, also calls `check`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kb import refs
from kb.errors import InputError
from kb.model import Ref
from kb.profile import Profile, read_toml

FOLDER = "guides"

_GUIDE_KEYS = frozenset({"title", "refs", "often", "step"})
_STEP_KEYS = frozenset({"id", "question", "ruling", "refs", "note", "answer", "next", "guide"})
_ANSWER_KEYS = frozenset({"text", "next", "guide"})


@dataclass(frozen=True, slots=True)
class Way:
    """Where it goes on: an answer and the step it leads to, or what follows a ruling (``text`` is empty)."""

    text: Mapping[str, str]
    next: str = ""
    """Id of a step of this guide; empty when another guide goes on."""
    guide: str = ""
    """Id of the guide that goes on; else empty."""


@dataclass(frozen=True, slots=True)
class Step:
    """A question with its answers, or a ruling."""

    id: str
    kind: str
    """``question`` or ``ruling``."""
    text: Mapping[str, str]
    refs: tuple[Ref, ...]
    """What it rests on, at least one, the most exact first."""
    ways: tuple[Way, ...] = ()
    """Of a question its answers, two or more; of a ruling none when the path ends, else one."""
    note: Mapping[str, str] = field(default_factory=dict)
    """Language to an editor's word; mostly empty."""

    @property
    def last(self) -> bool:
        """The path ends here, or goes on in another guide."""
        return not any(way.next for way in self.ways)


@dataclass(frozen=True)
class Guide:
    """A procedure: the first of ``steps`` is the start, and each step is reached from it."""

    id: str
    title: Mapping[str, str]
    refs: tuple[Ref, ...]
    steps: tuple[Step, ...]
    often: int = 0
    """Its place among those asked for most, from 1; 0 when it is none of them."""

    def step(self, name: str) -> Step:
        """The step of this id. Raises KeyError."""
        for step in self.steps:
            if step.id == name:
                return step
        raise KeyError(name)

    @property
    def all_refs(self) -> tuple[Ref, ...]:
        """Its own refs, then those of its steps, each once."""
        return tuple(dict.fromkeys([*self.refs, *(ref for step in self.steps for ref in step.refs)]))


def load(profile: Profile) -> list[Guide]:
    """The guides of a corpus by id; empty without a folder.

    Raises InputError that names the file, the step and what is wrong: an unknown key, a text that lacks a
    language, a ref that cannot be one of this corpus, a way to a step or guide that is not there, a step
    that nothing leads to or from which no path ends.
    """
    guides = [_guide(path, profile) for path in sorted((profile.root / FOLDER).glob("*.toml"))]
    names = {guide.id for guide in guides}
    for guide in guides:
        for step in guide.steps:
            for way in step.ways:
                if way.guide and (way.guide not in names or way.guide == guide.id):
                    raise InputError(f"{_at(profile, guide, step)}: {way.guide!r} is no other guide")
    return guides


def check(profile: Profile, guides: Iterable[Guide], known: Collection[Ref]) -> None:
    """Raises InputError for a ref that is not among ``known``, the refs of all entries of a build."""
    for guide in guides:
        refs.must_be_known(guide.refs, known, str(profile.root / FOLDER / f"{guide.id}.toml"))
        for step in guide.steps:
            refs.must_be_known(step.refs, known, _at(profile, guide, step))


def _at(profile: Profile, guide: Guide, step: Step) -> str:
    return f"{profile.root / FOLDER / guide.id}.toml: step {step.id}"


def _guide(path: Path, profile: Profile) -> Guide:
    data = read_toml(path)
    where = str(path)
    _keys(data, _GUIDE_KEYS, where)
    title = refs.languages(data.get("title"), profile, f"{where}: title")
    guide = Guide(
        id=path.stem,
        title=title,
        refs=_refs(data, profile, where),
        steps=tuple(_steps(data, profile, tuple(title), where)),
        often=_often(data, where),
    )
    _check_paths(guide.steps, where)
    return guide


def _often(data: Mapping[str, Any], where: str) -> int:
    value = data.get("often", 0)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError(f"{where}: often has to be a whole number from 1 on")
    return value


def _steps(data: Mapping[str, Any], profile: Profile, langs: Sequence[str], where: str) -> Iterator[Step]:
    seen: set[str] = set()
    for number, table in enumerate(_tables(data.get("step", []), f"{where}: step"), 1):
        name = table.get("id")
        place = f"{where}: step {name or number}"
        if not isinstance(name, str) or not name or name in seen:
            raise InputError(f"{place}: needs an id of its own")
        seen.add(name)
        yield _step(table, profile, langs, place)
    if not seen:
        raise InputError(f"{where}: no [[step]]")


def _step(table: Mapping[str, Any], profile: Profile, langs: Sequence[str], where: str) -> Step:
    _keys(table, _STEP_KEYS, where)
    kinds = [kind for kind in ("question", "ruling") if kind in table]
    if len(kinds) != 1:
        raise InputError(f"{where}: has to have either a question or a ruling")
    answers = [
        _way(answer, profile, langs, f"{where}: answer {number}")
        for number, answer in enumerate(_tables(table.get("answer", []), f"{where}: answer"), 1)
    ]
    onward = {key: table[key] for key in ("next", "guide") if key in table}
    if kinds == ["question"] and (len(answers) < 2 or onward):
        raise InputError(f"{where}: a question has two answers or more, and each says where it leads")
    if kinds == ["ruling"] and answers:
        raise InputError(f"{where}: a ruling has no answers (next says what follows it)")
    if onward:
        answers = [Way({}, **_target(onward, where))]
    return Step(
        id=table["id"],
        kind=kinds[0],
        text=_text(table[kinds[0]], profile, langs, where),
        refs=_refs(table, profile, where),
        ways=tuple(answers),
        note=_text(table["note"], profile, langs, f"{where}: note") if "note" in table else {},
    )


def _way(table: Mapping[str, Any], profile: Profile, langs: Sequence[str], where: str) -> Way:
    _keys(table, _ANSWER_KEYS, where)
    return Way(_text(table.get("text"), profile, langs, where), **_target(table, where))


def _target(table: Mapping[str, Any], where: str) -> dict[str, str]:
    target = {key: table[key] for key in ("next", "guide") if key in table}
    if len(target) != 1 or not all(isinstance(name, str) and name for name in target.values()):
        raise InputError(f"{where}: has to say where it leads, either next or guide")
    return target


def _text(value: object, profile: Profile, langs: Sequence[str], where: str) -> dict[str, str]:
    text = refs.languages(value, profile, where)
    missing = [lang for lang in langs if lang not in text]
    if missing:
        raise InputError(f"{where}: not in {missing[0]!r}, a language of the title")
    return text


def _refs(table: Mapping[str, Any], profile: Profile, where: str) -> tuple[Ref, ...]:
    targets = refs.strings(table.get("refs", []), f"{where}: refs")
    if not targets:
        raise InputError(f"{where}: no refs (every step rests on a provision)")
    return tuple(dict.fromkeys(refs.written(profile, target, where) for target in targets))


def _tables(value: object, where: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
        raise InputError(f"{where}: has to be tables, each under a line of its own [[…]]")
    return value


def _keys(table: Mapping[str, Any], known: Collection[str], where: str) -> None:
    unknown = sorted(set(table) - set(known))
    if unknown:
        raise InputError(f"{where}: unknown key {unknown[0]!r} (known: {', '.join(sorted(known))})")


def _check_paths(steps: Sequence[Step], where: str) -> None:
    """Every way leads to a step, every step is reached from the first, and from each some path ends."""
    ways = {step.id: [way.next for way in step.ways if way.next] for step in steps}
    for step, targets in ways.items():
        for target in targets:
            if target not in ways:
                raise InputError(f"{where}: step {step}: leads to {target!r}, which is no step")
    for step in sorted(ways.keys() - _closed({steps[0].id}, ways)):
        raise InputError(f"{where}: step {step}: nothing leads to it")
    back: dict[str, list[str]] = {step: [] for step in ways}
    for step, targets in ways.items():
        for target in targets:
            back[target].append(step)
    ends = {step.id for step in steps if len(ways[step.id]) < max(1, len(step.ways))}
    for step in sorted(ways.keys() - _closed(ends, back)):
        raise InputError(f"{where}: step {step}: no path from it ends in a ruling")


def _closed(start: set[str], ways: Mapping[str, Sequence[str]]) -> set[str]:
    """The steps reached from ``start``, itself included."""
    reached, waiting = set(start), sorted(start)
    while waiting:
        for target in ways[waiting.pop()]:
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached
