"""The grammar is data: its examples are checked, other corpora have their own, time grows with the text."""

from __future__ import annotations

import functools
import json
import operator
import random
import re
import shutil
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from citecases import cases
from goldkb import CORPUS

import kb
from kb.cite.find import find
from kb.cite.grammar import Grammar, load_grammar
from kb.cite.kinds import held
from kb.cite.patterns import filled, named
from kb.cite.resolve import KnownEntries, resolve
from kb.errors import ProfileError
from kb.model import Entry, Ref
from kb.profile import load

CORPORA = Path(__file__).parent / "corpora"


@pytest.fixture(scope="module")
def bridge() -> Grammar:
    return load_grammar(CORPUS)


def cited(text: str, grammar: Grammar, context: str = "") -> list[str]:
    found = find(text, "", grammar, Ref.parse(context) if context else None)
    return [f"{c.work}/{'.'.join(c.path)}" for c in found]


def changed(tmp_path: Path, old: str, new: str) -> Path:
    """A copy of the bridge corpus with one change in its citations.toml."""
    for path in CORPUS.glob("*.toml"):
        shutil.copy(path, tmp_path)
    text = (CORPUS / "citations.toml").read_text("utf-8")
    assert old in text
    (tmp_path / "citations.toml").write_text(text.replace(old, new, 1), "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"см. Правило 65D" = ["65.D"]',
            '"см. Правило 65D" = ["65.C"]',
            r"правило: example .*65\.D.*not.*65\.C",
        ),
        ('"настоящих правил", ', '"настоящих правил 65", ', r"правило: counter-example .*gives a link"),
        ('work = "laws"', 'work = "rules"', r"work 'rules' is none of laws, commentary"),
        ('numbers = ["provision"]', 'numbers = ["numbers"]', r"numbers must be some of"),
        ("rules = true", "rule = true", r"unknown key 'rule'"),
        ("max_range = ", 'max_range = "many" # ', r"numbers.max_range: 'many' is no whole number"),
        ("rules = true", 'rules = "yes"', r"noun правило: rules: 'yes' is no true or false"),
        ('id = "other"', "id = 3", r"foreign .*: id: 3 is no text"),
        ("{_}{year}{o}(?:года", "{_}{year}{o}(?:года(", r"does not compile"),
        ('examples = [" 2017 года"', 'examples = [" 2017"', r"fails its own example ' 2017'"),
    ],
)
def test_a_wrong_entry_is_one_clear_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message) as caught:
        load_grammar(changed(tmp_path, old, new))
    assert "\n" not in str(caught.value) and "citations.toml" in str(caught.value)


WRONG = (7, 1.5, True, "word", ["word"], [3.5], [["word"]], [{"word": 1}], {"word": "word"}, {"a": ["b"]})


def _places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every key of a table and of the tables in it; of a list its first table."""
    rows = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in rows:
        if isinstance(value, dict) or isinstance(inner, dict):
            yield (*path, key)
            yield from _places(inner, (*path, key))


def test_values_of_a_wrong_kind_are_one_clear_line() -> None:
    """Each key once with each of a dozen values: it is refused in one line, or it is of the right kind."""
    table = tomllib.loads((CORPUS / "citations.toml").read_text("utf-8"))
    kinds: dict[str, tuple[str | int, ...]] = {}
    for place in _places(table):
        if not {"examples", "lookalike", "sound"} & set(place[:-1]):
            kinds.setdefault(re.sub(r"\d+", "", ".".join(map(str, place))), place)
    refused = 0
    for place in kinds.values():
        *above, last = place
        inner = functools.reduce(operator.getitem, above, table)  # type: ignore[arg-type]
        kept = inner[last]
        for wrong in WRONG:
            inner[last] = wrong
            try:
                held(table, Path("citations.toml"))
            except ProfileError as error:
                assert str(error).startswith("citations.toml: ") and "\n" not in str(error)
                refused += 1
            else:
                assert type(wrong) is type(kept) or (type(wrong), type(kept)) == (int, str), (place, wrong)
        inner[last] = kept
    assert refused > 7 * len(kinds)


def test_section_signs_and_half_brackets() -> None:
    grammar = load_grammar(CORPORA / "regulation")
    assert cited("see § 1 (1) a) and §§ 4, 5", grammar) == ["rules/1.1.a", "rules/4", "rules/5"]
    assert cited("paragraph (3) applies", grammar, "rules/2003/4.1") == ["rules/4.3"]


def test_inserted_articles_and_dotted_points() -> None:
    grammar = load_grammar(CORPORA / "statute")
    assert cited("по статье 7¹ и п. 7.1", grammar) == ["statute/7-1", "statute/7.1"]
    assert cited("подпункт 2) пункта 7¹.1", grammar) == ["statute/7-1.1.2"]
    assert cited("настоящей статьи", grammar, "statute/1999/7-1.1") == ["statute/7-1"]


def test_a_heading_over_several_articles(tmp_path: Path) -> None:
    for path in (CORPORA / "statute").glob("*.toml"):
        shutil.copy(path, tmp_path)
    commentary = next(w.name for w in load(tmp_path).works.values() if w.role == "commentary")
    with (tmp_path / "citations.toml").open("a", encoding="utf-8") as stream:
        stream.write(
            f'[[noun]]\nname = "heading"\nlang = "ru"\nwork = "{commentary}"\n'
            'numbers = ["provision"]\nheading = true\n'
            'singular = ["комментарий к статьям", "комментарий к статье"]\n'
            'examples = { "Комментарий к статьям 7–8" = ["7~8"], "комментарий к статье 4" = ["4"] }\n'
        )
    grammar = load_grammar(tmp_path)
    assert cited("см. Комментарий к статьям 7–8", grammar) == [f"{commentary}/7~8"]


def test_the_article_of_a_comment_on_several_is_ambiguous() -> None:
    grammar = load_grammar(CORPORA / "statute")
    commentary = next(name for name, work in grammar.data["works"].items() if work["over"])
    entries = [Entry(Ref("statute", "1999", (step,)), "article", None, status="text") for step in ("7", "8")]
    known = KnownEntries.of(entries)
    context = Ref(commentary, "1999", ("7~8",))
    links = [resolve(c, known, context, grammar) for c in find("этой статьи", "", grammar, context)]
    assert [(link.status, [str(ref) for ref in link.alternatives]) for link in links] == [
        ("ambiguous", ["statute/1999/7", "statute/1999/8"])
    ]


def test_a_corpus_without_the_file_is_cited_by_the_names_of_its_levels(tmp_path: Path) -> None:
    shutil.copy(CORPORA / "statute" / "profile.toml", tmp_path)
    assert cited("Статья 7, Пункт 7.1", load_grammar(tmp_path))[0] == "statute/7"


def test_patterns_are_such_as_javascript_reads(bridge: Grammar) -> None:
    data = json.loads(bridge.to_json())
    works = [
        shape[name]
        for shape in data["works"].values()
        for name in ("provision", "query", "relative", "dotted")
    ]
    rx = [pattern.pattern for pattern in bridge.rx.values()]
    for source in [*rx, *data["scan"]["any"], *data["after"], *works]:
        assert not re.search(r"\(\?P|\\[wWdDsSbBAZ]|\(\?[a-zA-Z]|\(\?>|[*+?}]\+", source), source


def test_the_exported_grammar_finds_the_same(bridge: Grammar) -> None:
    again = Grammar(json.loads(bridge.to_json()))
    text = "правила 64А–С, п. 54.3 выше, 2017 Law 16D и ст. 5 ГК РФ"
    assert find(text, "", again) == find(text, "", bridge)
    assert bridge.to_json() == load_grammar(CORPUS).to_json()


def mixtures(number: int) -> list[str]:
    """Texts put together from the cases, from their words and from what may stand between them."""
    chance = random.Random(50)
    pool = [case.text for case in cases("wild", "synthetic", "negative")]
    words = [word for text in pool for word in text.split()]
    joints = [
        " ",
        " ",
        " ",
        ", ",
        ". ",
        "; ",
        ": ",
        "\n",
        "\n\n",
        " и ",
        " в ",
        " - ",
        "",
        " (",
        ") ",
        " 1997 года ",
    ]

    def one() -> str:
        pieces = chance.sample(pool, 3) if chance.random() < 0.4 else chance.choices(words, k=16)
        return "".join(part for piece in pieces for part in (piece, chance.choice(joints)))

    return [one() for _ in range(number)]


def test_the_quick_looks_change_nothing(bridge: Grammar) -> None:
    """The scan stops where the exported pattern does, and where nothing is said to follow nothing does."""
    slow = Grammar(bridge.data)
    slow.quiet.pattern = re.compile("(?!)")
    parts = bridge.data["scan"]
    kinds = filled(f"({')|('.join(parts['any'])})", named(bridge.data))
    exported = re.compile(f"{parts['edge']}{parts['opening']}(?:{kinds})")
    for text in mixtures(600):
        assert find(text, "", bridge) == find(text, "", slow), text
        assert anchors(bridge.scan.pattern, text, 1) == anchors(exported, text, 0), text


def anchors(pattern: re.Pattern[str], text: str, before: int) -> list[tuple[int, int]]:
    """Where the anchors of a text stand; ``before``: how many signs a match begins before its anchor."""
    found, pos, text = [], 1, "\n" + text
    while match := pattern.search(text, pos - before):
        found.append((match.start() + before, match.end()))
        pos = match.end()
    return found


def test_the_package_can_be_called() -> None:
    assert [c.path for c in kb.cite("см. правило 65D", lang="ru")] == [("65", "D")]
    assert kb.cite("этого Правила", context="laws/1987/65.D", corpus=CORPUS)[0].path == ("65",)


ADVERSARIAL = {
    "digits": "1234567890",
    "brackets": "((((((((((",
    "closing": "Law 27(a)(b)(c)",
    "commas": "Law 27" + ", 27" * 5,
    "elided": "правила 27B1, 2, 3, 4, ",
    "dashes": "Law 4-3-3-3-",
    "nouns": "п. 1 ",
    "chain": "подпункт (a) пункта 2 раздела D ",
    "letters": "L27B1(a)",
    "spaces": "Law                    ",
    "dots": "п. 1.1.1.1.",
    "years": "2017 ",
    "cues": "см. ",
    "relative": "B1(a) ",
    "romans": "(ii) выше ",
    "lines": "правило\n",
    "word": "правило",
    "foreign": "КоАП ",
    "this": "этого ",
    "plain": "согласно правилу 45Е пятая карта в строке ",
}


class Counting:
    """A pattern that counts the characters it went over, from where it began to its end."""

    def __init__(self, pattern: re.Pattern[str], steps: list[int]) -> None:
        self.pattern = pattern
        self.steps = steps

    def match(self, text: str, at: int = 0) -> re.Match[str] | None:
        found = self.pattern.match(text, at)
        self.steps[0] += 1 + (found.end() - at if found else 0)
        return found

    def search(self, text: str, at: int = 0, end: int | None = None) -> re.Match[str] | None:
        stop = len(text) if end is None else end
        found = self.pattern.search(text, at, stop)
        self.steps[0] += 1 + ((found.end() if found else stop) - at)
        return found

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self.pattern.fullmatch(text)


def steps(text: str, source: Grammar) -> int:
    """How many characters the patterns were moved over, and how often they were tried."""
    counted = [0]
    grammar = Grammar(source.data)
    rx = {name: Counting(pattern, counted) for name, pattern in source.rx.items()}
    shapes = {
        work: {name: Counting(pattern, counted) if pattern else None for name, pattern in table.items()}
        for work, table in source.shapes.items()
    }
    after = tuple(Counting(pattern, counted) for pattern in source.after)
    for name, value in (("rx", rx), ("shapes", shapes), ("after", after)):
        grammar.__dict__[name] = value
    for quick in (grammar.scan, grammar.quiet):
        quick.pattern = Counting(quick.pattern, counted)  # type: ignore[assignment]
    find(text, "", grammar)
    return counted[0]


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_work_grows_with_the_text(name: str, bridge: Grammar) -> None:
    piece = ADVERSARIAL[name]
    small = steps(piece * 200, bridge)
    large = steps(piece * 800, bridge)
    # Four times the text: four times the work, with room for the edges; a square would be sixteen times.
    assert large <= 6 * small + 1000


@pytest.mark.full
@pytest.mark.parametrize("name", ADVERSARIAL)
def test_time_grows_with_the_text(name: str, bridge: Grammar) -> None:
    """The patterns do not backtrack without end: eight times the text is far from 64 times the time."""
    piece = ADVERSARIAL[name]

    def spent(count: int) -> float:
        text = piece * count
        best = 1e9
        for _ in range(3):
            begun = time.process_time()
            find(text, "", bridge)
            best = min(best, time.process_time() - begun)
        return best

    assert spent(8000) <= 30 * max(spent(1000), 0.002)
