"""The citation grammar of a corpus: ``citations.toml`` -> one table of plain data -> compiled patterns.

The table (``Grammar.data``) is what ``to_json`` gives to the browser, so that both matchers read the very
same patterns and word lists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from kb.cite import kinds, shapes
from kb.cite.patterns import acts_of, after, any_of, capitals_of, filled, named, patterns
from kb.cite.quiet import JOINTS, Quiet
from kb.cite.scan import Scan, anchors
from kb.cite.shapes import Letters
from kb.errors import ProfileError
from kb.lang import get as language
from kb.lang.sounds import SOUNDS, sound_key
from kb.profile import Profile, Work, load

VERSION = 1
_NOUN_KEYS = {
    "name", "lang", "work", "numbers", "singular", "plural", "short", "exact", "weak", "whole", "dot",
    "heading", "rules", "not_after", "never_after", "listed",
    "places", "examples", "counter_examples",
}  # fmt: skip
_NUMBERS = {"provision", "lettered", "dotted", "relative"}


@dataclass(frozen=True)
class Grammar:
    """A compiled grammar. ``data`` holds everything as strings, lists and dicts, ready for JSON."""

    data: Mapping[str, Any]

    @property
    def edition(self) -> str:
        """The edition that is meant when a text names none."""
        return str(self.data["edition"])

    @cached_property
    def bare_nouns(self) -> Mapping[str, str]:
        """Work -> a noun that may stand before a bare number of it: of dotted ones where it has those."""
        found: dict[str, str] = {}
        for word, (kind, nouns, _) in sorted(self.data["lexicon"].items()):
            for noun in (self.data["nouns"][n] for n in nouns if kind == "noun"):
                if ("provision" if noun["work"] == self.data["law"] else "dotted") in (noun["numbers"] or []):
                    found.setdefault(noun["work"], word)
        return found

    @cached_property
    def spelt(self) -> Mapping[str, str]:
        """The sound of a noun in Latin letters (``pravilo``) -> the noun."""
        found: dict[str, str] = {}
        nouns = sorted(word for word, entry in self.data["lexicon"].items() if entry[0] == "noun")
        for sounds in self.data["typed"]["sounds"]:
            for noun in nouns:
                plain = noun.rstrip(".")
                if plain and all(letter in sounds for letter in plain):
                    found.setdefault(sound_key("".join(sounds[letter] for letter in plain)), noun)
        return found

    @cached_property
    def rx(self) -> Mapping[str, re.Pattern[str]]:
        """The patterns by name."""
        names = named(self.data)
        return {name: re.compile(filled(source, names)) for name, source in self.data["rx"].items()}

    @cached_property
    def shapes(self) -> Mapping[str, Mapping[str, re.Pattern[str] | None]]:
        """Work to the patterns of its numbers, by the names of ``kb.cite.shapes.Shape``."""
        names = ("provision", "query", "relative", "dotted", "typed", "bare")
        return {
            work: {name: re.compile(table[name]) if table[name] else None for name in names}
            for work, table in self.data["works"].items()
        }

    @cached_property
    def letters(self) -> Letters:
        return Letters(self.data["letters"], frozenset())

    @cached_property
    def after(self) -> tuple[re.Pattern[str], ...]:
        """Ways an edition is named after a number; the group is the year."""
        return tuple(re.compile(source) for source in self.data["after"])

    @cached_property
    def heads(self) -> frozenset[str]:
        """The first four letters of the names of other games; it saves looking for them."""
        return frozenset(name[:4] for name in self.data["games"].split("|"))

    @cached_property
    def scan(self) -> Scan:
        """Finds the places where a citation may begin."""
        return Scan(self.data)

    @cached_property
    def quiet(self) -> Quiet:
        """Says where nothing behind a number belongs to it."""
        return Quiet(self.data)

    @cached_property
    def numbers(self) -> dict[tuple[str, bool, tuple[str, ...]], tuple[tuple[str, ...], int, bool]]:
        """Numbers already read: see ``kb.cite.numbers``, which keeps it small."""
        return {}

    @cached_property
    def outline(self) -> Mapping[str, Mapping[str, int]]:
        """Work to dotted path to place in the order of the outline."""
        return {
            work: {dotted: at for at, dotted in enumerate(paths)}
            for work, paths in self.data["outline"].items()
        }

    def to_json(self) -> str:
        """The whole grammar as one line of JSON, keys sorted."""
        return json.dumps(self.data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def compile_grammar(profile: Profile) -> Grammar:
    """The grammar of a corpus: from its ``citations.toml``, else from the names of its levels.

    Raises ProfileError for an unknown key or work, a pattern that does not compile, and an example or
    counter-example that reads otherwise than it says.
    """
    known = _COMPILED.get(id(profile))
    if known is None or known[0] is not profile:
        # The profile is kept with it, so that no other one has its id.
        known = profile, _compiled(profile)
        _COMPILED.clear()
        _COMPILED[id(profile)] = known
    return known[1]


_COMPILED: dict[int, tuple[Profile, Grammar]] = {}
"""The last one: the stages of a build ask for the same several times."""


def _compiled(profile: Profile) -> Grammar:
    path = profile.root / "citations.toml"
    raw = profile.citations
    table = raw if raw else _default(profile)
    kinds.held(table, path)
    try:
        grammar = Grammar(_data(profile, table, path))
        _ = grammar.rx, grammar.shapes, grammar.after
    except re.error as error:
        raise ProfileError(f"{path}: pattern {error.pattern!r} does not compile: {error}") from None
    check(grammar, table, path)
    return grammar


def load_grammar(root: Path) -> Grammar:
    """The grammar of a corpus folder. Raises as ``compile_grammar`` and ``kb.profile.load``."""
    return compile_grammar(load(root))


def check(grammar: Grammar, table: Mapping[str, Any], path: Path) -> None:
    """Try every entry on the examples beside it."""
    from kb.cite.find import find

    for entry in [*table.get("noun", []), *table.get("rule", []), *table.get("foreign", [])]:
        name = f"{path}: {entry.get('name', '?')}"
        if not entry.get("examples"):
            raise ProfileError(f"{name}: needs at least one example beside it")
        for text, targets in entry["examples"].items():
            found = [".".join(c.path) for c in find(text, "", grammar) if c.work]
            if found != list(targets):
                raise ProfileError(f"{name}: example {text!r} gives {found}, not {list(targets)}")
        for text in entry.get("counter_examples", []):
            wrong = [c.surface for c in find(text, "", grammar) if c.work]
            if wrong:
                raise ProfileError(f"{name}: counter-example {text!r} gives a link on {wrong[0]!r}")


def _default(profile: Profile) -> dict[str, Any]:
    """A grammar of the bare minimum: the names the profile gives to its levels, followed by a number."""
    nouns = []
    for work in profile.works.values():
        levels = [level for level in work.provision_levels if level.names]
        for level in levels:
            root = level is work.root_level
            if level.numbering == "dotted":
                numbers = ["dotted"]
            elif root and work.role == "law":
                dotted = any(below.numbering == "dotted" for below in levels)
                numbers = ["dotted", "provision"] if dotted else ["provision"]
            elif root:
                continue
            else:
                numbers = ["relative"]
            for lang, word in level.names.items():
                sample = {"arabic": "1", "dotted": "1.1"}.get(level.numbering, "")
                text = f"{word} {sample}" if sample and numbers != ["relative"] else "1"
                nouns.append(
                    {
                        "name": f"{level.name} {lang}",
                        "lang": lang,
                        "work": work.name,
                        "numbers": numbers,
                        "singular": [word.lower()],
                        "examples": {text: [sample] if text != "1" else []},
                    }
                )
    return {"noun": nouns, "numbers": {"half_brackets": True}}


def _data(profile: Profile, table: Mapping[str, Any], path: Path) -> dict[str, Any]:
    numbers = table.get("numbers", {})
    maps = table.get("letters", {})
    words = table.get("words", {})
    known = shapes.letters(
        str(numbers.get("sections", "A-Z")),
        maps.get("lookalike", {}),
        maps.get("sound", {}),
        maps.get("words", "aA"),
        any_of([*words.get("and", []), *words.get("letter_before", [])]),
        (word for word in words.get("and", []) if len(word) < 4),
    )
    works = {name: _work(work, profile, known, numbers) for name, work in profile.works.items()}
    lexicon, exact, nouns = _lexicon(table, works, path)
    friends, setting = table.get("false_friends", {}), table.get("setting", {})
    root_digits = max(
        (len(entry.ref.path[0]) for entry in profile.outline if entry.ref.path[0].isdigit()), default=3
    )
    return {
        "version": VERSION,
        "edition": profile.edition,
        "editions": sorted({profile.edition, *map(str, table.get("editions", {}).get("known", []))}),
        "law": profile.law_work.name,
        "works": works,
        "letters": dict(known.table),
        "lexicon": lexicon,
        "exact": exact,
        "nouns": nouns,
        "rootDigits": root_digits,
        "maxRange": int(numbers.get("max_range", 40)),
        "rules": sorted(str(n) for n in friends.get("rules", [])),
        "talked": sorted(str(n) for n in friends.get("talked_rules", [])),
        "games": shapes.exactly(setting["games"]) if setting.get("games") else "",
        "elsewhere": str(setting.get("id", "")),
        "weakContrast": sorted(words.get("weak_contrast", [])),
        "bids": str(friends.get("bid_letters", "")),
        "places": sorted(friends.get("places", [])),
        "count": _counted(table),
        "countEndings": sorted(table.get("count", {}).get("endings", [])),
        "acts": next((str(code["id"]) for code in table.get("foreign", []) if code.get("acts")), ""),
        "localCues": sorted(words.get("local_cues", [])),
        "fillers": sorted(words.get("fillers", [])),
        "rx": patterns(table, exact, known, words),
        "scan": anchors(lexicon, exact, acts_of(table), capitals_of(known)),
        "adjectives": sorted(words.get("adjective", [])),
        "joints": sorted({str(word).lower() for name in JOINTS for word in words.get(name, [])}),
        "after": after(table, lexicon, path),
        "outline": _outline(profile),
        "typed": _typed(profile),
    }


def _typed(profile: Profile) -> dict[str, Any]:
    """How what people type may have to be read: their keyboards, and words written by their sound."""
    languages = [language(code) for code in profile.languages]
    keyboards = [sorted(one.keyboard.items()) for one in languages if one.keyboard]
    return {
        "keyboards": [["".join(sign) for sign in zip(*pairs, strict=True)] for pairs in keyboards],
        "sounds": [dict(one.sounds) for one in languages if one.sounds],
        "fold": [list(pair) for pair in SOUNDS],
    }


def _outline(profile: Profile) -> dict[str, list[str]]:
    paths: dict[str, list[str]] = {}
    for entry in profile.outline:
        if entry.ref.path[0][0].isdigit():
            paths.setdefault(entry.ref.work, []).append(entry.ref.dotted)
    return paths


def _work(work: Work, profile: Profile, known: Letters, numbers: Mapping[str, Any]) -> dict[str, Any]:
    made = shapes.shape(
        [level.numbering for level in work.provision_levels],
        known,
        bool(numbers.get("half_brackets", False)),
        bool(numbers.get("extra", False)),
        bool(numbers.get("inserted", False)),
    )
    over = "" if work.role == "law" else work.comments_on or profile.law_work.name
    return {
        "role": work.role, "over": over, "letter": work.letter, "label": work.label,
        "steps": list(made.steps), "provision": made.provision, "query": made.query,
        "relative": made.relative, "dotted": made.dotted, "typed": made.typed,
        "bare": made.bare if work.role == "law" else "",
    }  # fmt: skip


def _lexicon(
    table: Mapping[str, Any], works: Mapping[str, Any], path: Path
) -> tuple[dict[str, list[Any]], dict[str, list[Any]], list[dict[str, Any]]]:
    """Word to ``[kind, nouns or code, flag]``: what the finder does when it meets the word.

    The flag: of a noun, it may be a plural; of a foreign code, it may stand before the number (``titled``: at
    the head of a longer name); of a cue, it is a sure one.
    """
    lexicon: dict[str, list[Any]] = {}
    exact: dict[str, list[Any]] = {}
    nouns: list[dict[str, Any]] = []
    for noun in table.get("noun", []):
        where = f"{path}: noun {noun.get('name', '?')}"
        if unknown := sorted(set(noun) - _NOUN_KEYS):
            raise ProfileError(f"{where}: unknown key {unknown[0]!r}")
        if noun.get("work") not in works:
            raise ProfileError(f"{where}: work {noun.get('work')!r} is none of {', '.join(works)}")
        if not set(noun.get("numbers", [])) <= _NUMBERS or not (noun.get("numbers") or noun.get("whole")):
            raise ProfileError(f"{where}: numbers must be some of {', '.join(sorted(_NUMBERS))}")
        keys = (
            "work",
            "numbers",
            "weak",
            "whole",
            "dot",
            "heading",
            "rules",
            "not_after",
            "never_after",
            "listed",
            "places",
        )
        nouns.append({key: noun.get(key, False) for key in keys})
        for group, plural in (("singular", False), ("plural", True), ("short", False)):
            for word in noun.get(group, []):
                known = lexicon.setdefault(str(word).lower(), ["noun", [], plural])
                known[1].append(len(nouns) - 1)
                known[2] = known[2] or plural
        for word in set(noun.get("plural", [])) - set(noun.get("singular", [])):
            # Never one law alone: «по правилам 1 лиги».
            if noun.get("rules"):
                lexicon[str(word).lower()][2] = 2
        for word in noun.get("exact", []):
            exact[str(word)] = ["noun", [len(nouns) - 1], False]
    words = table.get("words", {})
    for kind in ("this", "same", "ibid", "cue", "weak_cue"):
        for word in words.get(kind, []):
            lexicon.setdefault(str(word).lower(), [kind.removeprefix("weak_"), [], kind == "cue"])
    for code in table.get("foreign", []):
        for word in [*code.get("words", []), *code.get("titled", [])]:
            before: bool | str = bool(code.get("before", False))
            before = "titled" if word in code.get("titled", []) else before
            lexicon.setdefault(str(word).lower(), ["foreign", code["id"], before])
    return lexicon, exact, nouns


def _counted(table: Mapping[str, Any]) -> dict[str, str]:
    """Word to the counts it can follow: ``1``, ``2`` (two to four), ``5`` (five and more), ``*``."""
    found: dict[str, set[str]] = {}
    for one, few, many in table.get("count", {}).get("nouns", []):
        for word, key in ((one, "1"), (few, "2"), (many, "5")):
            found.setdefault(str(word).lower(), set()).add(key)
    for word in table.get("count", {}).get("always", []):
        found.setdefault(str(word).lower(), set()).add("*")
    return {word: "".join(sorted(keys)) for word, keys in sorted(found.items())}
