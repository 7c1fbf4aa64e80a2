"""What the repairs win, style of damage by style, beside ftfy alone and beside none; and what they cost.

The texts are of our own (tests/damage.py), so the truth is known to the letter. ``KB_BENCH_MB``: the sizes of
the table of growth, in MB of UTF-8 (1,10,100).
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import combinations
from pathlib import Path

import ftfy
from damage import SHARES, STYLES, Made, law, marker, typed
from grown import grow
from manuals import prose
from rapidfuzz.distance import Levenshtein

from benchmarks import Table
from kb import lang
from kb import profile as profiles
from kb.parse import parse
from kb.pipeline import similar
from kb.profile import Profile, SourceSpec
from kb.repair import repair
from kb.repair.damage import damage_of
from kb.repair.pages import page_map
from kb.text import Text

ROOT = Path(__file__).parent.parent


SEED, LAWS, SHARE = 65, 20, 0.25
MANY = 200
"""Laws of the text whose provisions are counted: more than two thousand of these."""
PROSE = 1_000_000
Mend = Callable[[str], Text]


def run() -> Iterator[Table]:
    """Recovery and errors by style, of two styles at once, then false repairs, then speed."""
    yield _recovery()
    yield _errors_table()
    yield _pairs()
    yield _false()
    yield _speed()
    yield _growth()


@cache
def _truth(laws: int = LAWS) -> tuple[Made, ...]:
    return tuple(law(SEED, laws))


@cache
def _corpus(laws: int = LAWS) -> tuple[Profile, SourceSpec]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "corpus"
        grow(folder, laws, SEED)
        profile = profiles.load(folder)
        # Both are read when first asked for, and the folder goes.
        assert profile.outline
        return profile, profile.sources[0]


def _ours(source: str) -> Text:
    profile, spec = _corpus()
    return repair(Text(source, spec.name), damage_of(profile, spec.work, spec.lang))


def _ftfy(source: str) -> Text:
    return Text(ftfy.fix_text(source), _corpus()[1].name)


def _none(source: str) -> Text:
    return Text(source, _corpus()[1].name)


MENDS: dict[str, Mend] = {"ours": _ours, "ftfy": _ftfy, "none": _none}


def _harmed(laws: int, styles: Sequence[str], share: float) -> str:
    """The text with each of the styles done to it, one after the other."""
    chance = random.Random(SEED)
    lines = typed(_truth(laws))
    for style in styles:
        lines = (STYLES.get(style) or _as_typed)(lines, share, chance)
    return "\n".join(lines) + "\n"


_ALONE = ("as typed", *STYLES)


def _recovery() -> Table:
    rows = []
    for style in _ALONE:
        cells = []
        for name, mend in MENDS.items():
            for share in SHARES if name == "ours" else SHARES[1:2]:
                source = _harmed(MANY, [style], share)
                cells.append(f"{100 * _recovered(mend(source), source, MANY):.1f}")
        rows.append((style, *cells))
    shares = tuple(f"ours, {100 * share:.0f} %" for share in SHARES)
    return Table(
        "Provisions recovered, by style of damage",
        ("style", *shares, "ftfy, 25 %", "none, 25 %"),
        tuple(rows),
        f"Share of {len(_truth(MANY))} provisions of our own wording, typed in lines of 60 with hyphens and "
        "ruled heads, that have the right number, heading and text after the same parser; by the share of "
        "the lines that are damaged (all, where the style is of the page). Mind: the repairs were made with "
        "this generator at hand, so this shows that they do what they are for, not how they meet damage "
        "nobody has thought of; the others lose most to the hyphens and rules of «as typed»; and ftfy is "
        "made for wrongly decoded text, of which these styles have little.",
    )


def _errors_table() -> Table:
    rows = []
    for style in _ALONE:
        cells = []
        for share in SHARES:
            source = _harmed(LAWS, [style], share)
            cells += [f"{100 * _errors(MENDS[name](source).value):.2f}" for name in ("none", "ftfy", "ours")]
        rows.append((style, *cells))
    columns = (f"{100 * share:.0f} % {name}" for share in SHARES for name in ("before", "ftfy", "after"))
    return Table(
        "Character errors before and after, by style of damage",
        ("style", *columns),
        tuple(rows),
        f"Characters to change in hundred, of the whole text as it was meant ({len(_truth())} provisions), "
        "white space levelled: as damaged, after ftfy alone, after our repairs.",
    )


def _pairs() -> Table:
    """Each style with each other one, both ways round taken as one."""
    found: dict[str, dict[float, list[tuple[float, str]]]] = {}
    for one, two in combinations(STYLES, 2):
        for share in SHARES:
            source = _harmed(LAWS, [one, two], share)
            rate = 100 * _recovered(_ours(source), source)
            for style, other in ((one, two), (two, one)):
                found.setdefault(style, {}).setdefault(share, []).append((rate, other))
    rows = []
    for style, shares in found.items():
        cells = [f"{sum(rate for rate, _ in rates) / len(rates):.1f}" for rates in shares.values()]
        low, other = min(pair for rates in shares.values() for pair in rates)
        rows.append((style, *cells, f"{low:.1f}", other))
    return Table(
        "Provisions recovered, two styles of damage at once",
        ("style", *(f"mean, {100 * share:.0f} %" for share in SHARES), "worst", "with"),
        tuple(rows),
        f"Each style with each of the {len(STYLES) - 1} others, {len(_truth())} provisions; the mean by the "
        "share of the lines that are damaged, and the worst pair at any.",
    )


def _as_typed(lines: list[str], share: float, rng: random.Random) -> list[str]:
    """No damage but that of typing: lines cut with hyphens, headings with a rule below."""
    return lines


def _recovered(text: Text, source: str, laws: int = LAWS) -> float:
    profile, spec = _corpus(laws)
    pages = page_map(text, damage_of(profile, spec.work, spec.lang))
    parsed = parse(text, spec, profile, pages.at, partial(similar, lang.get(spec.lang)), source)
    found = {node.ref.path: (node.title, node.text) for node in parsed.nodes}
    truth = _truth(laws)
    return sum(found.get(made.path) == (made.title, made.text) for made in truth) / len(truth)


def _errors(value: str) -> float:
    meant = _level(_meant(_truth()))
    return Levenshtein.distance(_level(value), meant) / len(meant)


def _level(text: str) -> str:
    return " ".join(text.split())


def _meant(nodes: Sequence[Made]) -> str:
    """The text without damage: a heading or a paragraph a line, nothing cut."""
    return "\n".join(line for node in nodes for line in (f"{marker(node)}{node.title}", node.text) if line)


def _false() -> Table:
    rows = []
    ours = "".join(_meant(law(1000 + seed, 10)) + "\n" for seed in range(20))
    texts = {"our own wording": ours, **{f"manuals, {code}": prose(code, PROSE) for code in ("ru", "en")}}
    for name, clean in texts.items():
        if len(clean) < 1000:
            rows.append((name, "not installed", "", ""))
            continue
        cells = []
        for mend in (_ours, _ftfy):
            mended = mend(clean).value
            pairs = zip(clean.split("\n"), mended.split("\n"), strict=False)
            cells.append(str(sum(a != b for a, b in pairs) + abs(clean.count("\n") - mended.count("\n"))))
        rows.append((name, f"{len(clean):,}", *cells))
    return Table(
        "False repairs on clean text",
        ("", "characters", "lines changed by ours", "by ftfy"),
        tuple(rows),
        "Texts without damage, a paragraph a line: twenty of ten laws of our own wording, and what Debian's "
        "manuals have of prose. Slips of their writers, a Latin H in «Hастройка», stay: a repair of letters "
        "or hyphens must find something in each 100,000 characters of a text without the headings of the "
        "corpus. ftfy makes quotation marks straight, which is what it is for.",
    )


def _speed() -> Table:
    """Repair, then repair and parse, beside ftfy: as typed, then damage upon damage, then all of a kind."""
    rows = []
    for style, share in _INPUTS:
        harm = {"as typed": _as_typed, **STYLES}[style]
        source = "\n".join(harm(typed(law(7, 200)), share, random.Random(7))) + "\n"
        rows.append((f"{style}, {share:.0%}" if share else style, *_costs(source)))
    return Table(
        "Cost of repair and parsing",
        (
            "input",
            "characters",
            "ftfy, M/s",
            "repair, M/s",
            "with parse, M/s",
            "repair to ftfy",
            "both to ftfy",
        ),
        tuple(rows),
        "Million characters a second of processor time on one core, best of five, the three in turn; "
        "to ftfy: our time by that of `ftfy.fix_text`, so that less than 1 is quicker. «As typed» has a word "
        "cut by a hyphen in every fourth line.",
    )


_INPUTS = (
    ("as typed", 0.0),
    *((style, share) for style in ("flattened", "latin_inside", "invisible") for share in SHARES),
    *((style, 0.25) for style in ("yo_quote", "justified", "bars", "double_spaced", "page_footers")),
)


def _costs(source: str) -> tuple[str, ...]:
    profile, spec = _corpus()
    damage = damage_of(profile, spec.work, spec.lang)

    def parsed() -> None:
        text = repair(Text(source, spec.name), damage)
        parse(text, spec, profile, page_map(text, damage).at, partial(similar, lang.get(spec.lang)), source)

    parsed()  # the dictionary is loaded once in a build
    work: tuple[Callable[[], object], ...] = (
        lambda: ftfy.fix_text(source),
        lambda: repair(Text(source, spec.name), damage),
        parsed,
    )
    rounds = [[_seconds(one) for one in work] for _ in range(5)]
    times = [min(of_one) for of_one in zip(*rounds, strict=True)]
    speeds = [f"{len(source) / seconds / 1e6:.2f}" for seconds in times]
    return (f"{len(source):,}", *speeds, *(f"{seconds / times[0]:.2f}" for seconds in times[1:]))


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return max(time.process_time() - began, 1e-9)


_MEGABYTES = tuple(int(size) for size in os.environ.get("KB_BENCH_MB", "1,10,100").split(","))
_CHARACTERS_A_LAW = 2232
_LINES_A_PAGE = 40
_UPON = {"undamaged": (), "damaged": ("latin_inside", "invisible", "yo_quote", "bars")}


def _growth() -> Table:
    """Repair and parsing of one text of 1, 10 and 100 MB, each in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        found = {state: [_grown(Path(name), size, state) for size in _MEGABYTES] for state in _UPON}
    rows = []
    for state, sizes in found.items():
        rows += [
            (f"{state}: million characters", *(f"{one['characters'] / 1e6:.1f}" for one in sizes)),
            ("repair, s a million", *(f"{one['repair'] / one['characters'] * 1e6:.2f}" for one in sizes)),
            ("parse, s a million", *(f"{one['parse'] / one['characters'] * 1e6:.2f}" for one in sizes)),
            ("peak of memory, MB", *(f"{one['peak']:,.0f}" for one in sizes)),
        ]
    return Table(
        "Growth of repair and parsing",
        ("", *(f"{size} MB" for size in _MEGABYTES)),
        tuple(rows),
        f"One text in UTF-8, laws as typed, a page number each {_LINES_A_PAGE} lines; processor seconds, the "
        "dictionary loaded before. Damaged: a twentieth of the lines with Latin letters in words, invisible "
        "signs and a sign for ё, a bar before each line. Memory is that of the whole process, the text and "
        "what was read of it with it.",
    )


def _grown(folder: Path, megabytes: int, state: str) -> dict[str, float]:
    lines = typed(law(7, round(megabytes * 1e6 / 1.83 / _CHARACTERS_A_LAW)))
    pages = range(0, len(lines), _LINES_A_PAGE)
    paged = [line for n in pages for line in (*lines[n : n + _LINES_A_PAGE], f"- {n // _LINES_A_PAGE + 1} -")]
    for style in _UPON[state]:
        paged = STYLES[style](paged, SHARES[0], random.Random(SEED))
    path = folder / "text.txt"
    path.write_text("\n".join(paged) + "\n", "utf-8")
    code = "import json, sys; from benchmarks.repair import measure; print(json.dumps(measure(sys.argv[1])))"
    place = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": place},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure(path: str) -> dict[str, float]:
    """In a process of its own: characters, processor seconds of repair and of parsing, peak in MB."""
    profile, spec = _corpus()
    damage = damage_of(profile, spec.work, spec.lang)
    repair(Text("воп-\nрос\n"), damage)
    source = Path(path).read_text("utf-8")
    began = time.process_time()
    text = repair(Text(source, spec.name), damage)
    repaired = time.process_time()
    parse(text, spec, profile, page_map(text, damage).at, partial(similar, lang.get(spec.lang)), source)
    ended = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "characters": len(source),
        "repair": repaired - began,
        "parse": ended - repaired,
        "peak": peak,
    }
