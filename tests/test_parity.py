"""The bridge renderings side by side with their Russian, and every way a made-up pair can fail.

On the gold, then on what the pipeline makes of the scans, where the citations are found and resolved.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from goldkb import CORPUS, gold_records

from kb import profile as profiles
from kb.errors import InputError
from kb.model import Citation, Footnote, Link, Node, PlacedLink, Records, Ref
from kb.parity import CHECKS, Accepted, Rules, Term, check, load
from kb.pipeline import build
from kb.translation import WORKING, Rendering, render
from kb.translation import load as load_renderings

RUSSIAN = [node for node in gold_records().nodes if node.lang == "ru"]
ENGLISH, _ = render(RUSSIAN, load_renderings(profiles.load(CORPUS)))
BRIDGE = load(profiles.load(CORPUS), "ru", "en")
AT = Ref.parse("laws/1987/1.A")
TRICK = Term("trick", re.compile(r"взят(?:ка|ку)"), re.compile(r"\btricks?\b"), "trick")
RULES = Rules("ru", "en", (TRICK,))
RU = Node(
    AT,
    "ru",
    "section",
    "A.",
    "Ход",
    "Ход во взятку(*), см. правило 2.",
    footnotes=(Footnote("(*)", "Или нет."),),
)
EN = Node(
    AT, "en", "section", "A.", "Lead", "Lead to a trick(*), see Law 2.",
    footnotes=(Footnote("(*)", "Or not."),), rendering=WORKING,
)  # fmt: skip


def cite(lang: str, target: str = "laws/1987/2", where: str = "text") -> PlacedLink:
    ref = Ref.parse(target)
    citation = Citation(0, 1, "x", "full", ref.work, "", ref.path)
    return PlacedLink(AT, lang, where, Link(citation, ref, "resolved"))


BOTH = [cite("ru"), cite("en")]


def said(nodes: Sequence[Node], links: Sequence[PlacedLink] = BOTH, rules: Rules = RULES) -> list[str]:
    findings = check(nodes, links, rules)
    assert {finding.kind for finding in findings} <= {"parity"}
    return [finding.message for finding in findings]


def test_the_bridge_renderings_are_pairs_of_their_russian() -> None:
    assert [f"{f.ref}: {f.message}" for f in check([*RUSSIAN, *ENGLISH], [], BRIDGE)] == []


KINDS = ("parity", "stale-rendering", "untranslated", "orphan-rendering")


def concerns(records: Records) -> list[tuple[str, str, str]]:
    return [(f.kind, str(f.ref), f.message) for f in records.findings if f.kind in KINDS]


@pytest.fixture(scope="module")
def built() -> Records:
    return build(CORPUS)


def test_the_scans_as_built_have_a_fresh_english_pair_for_every_node(built: Records) -> None:
    assert concerns(built) == []
    by_lang = {lang: [node.ref for node in built.nodes if node.lang == lang] for lang in ("ru", "en")}
    assert by_lang["ru"] == by_lang["en"]
    assert len(by_lang["en"]) == len(ENGLISH)


def test_both_languages_cite_the_same_with_the_same_outcome(built: Records) -> None:
    cited = {
        lang: Counter(
            (str(p.at), p.where, str(p.link.target), p.link.status, p.link.citation.form)
            for p in built.links
            if p.lang == lang
        )
        for lang in ("ru", "en")
    }
    assert cited["ru"] == cited["en"]
    assert cited["en"].total() >= 55


@pytest.mark.parametrize(
    ("file", "before", "after", "found"),
    [
        (
            "translation/en/laws.toml", "see Law 66C", "see Law 66D",
            [("parity", "laws/1987/61.B", "citations: laws/1987/66.C (text) is cited in ru only"),
             ("parity", "laws/1987/61.B", "citations: laws/1987/66.D (text) is cited in en only")],
        ),
        (
            "translation/en/commentary.toml", "section 54(c) of the 1975 Laws", "Law 54C",
            [("parity", "commentary/1987/54.1", "citations: laws/1975/54.C (text) is cited in ru only"),
             ("parity", "commentary/1987/54.1", "citations: laws/1987/54.C (text) is cited in en only"),
             ("parity", "commentary/1987/54.1", "term: 'разделе' is not rendered by 'section'")],
        ),
        (
            "translation/en/laws.toml", "(translator's note)\"]", "\", \"And more.\"]",
            [("parity", "laws/1987/ch.VII", "footnotes: 1 in ru, 2 in en")],
        ),
        (
            "translation/en/laws.toml", '[nodes."84"]', '[nodes."85"]',
            [("orphan-rendering", "laws/1987/85", "the en rendering has no ru node in any source"),
             ("untranslated", "laws/1987/84", "no en text (add [nodes.\"84\"] to a file in translation/en)")],
        ),
    ],
)  # fmt: skip
def test_a_slip_in_a_rendering_is_found_in_the_build(
    tmp_path: Path, file: str, before: str, after: str, found: list[tuple[str, str, str]]
) -> None:
    root = shutil.copytree(CORPUS, tmp_path / "corpus")
    text = (root / file).read_text(encoding="utf-8")
    assert text.count(before) == 1
    (root / file).write_text(text.replace(before, after), encoding="utf-8")
    assert sorted(concerns(build(root))) == found


def test_a_better_scan_makes_a_rendering_stale(tmp_path: Path) -> None:
    root = shutil.copytree(CORPUS, tmp_path / "corpus")
    listed = root / "sources" / "sources.toml"
    lines = listed.read_text(encoding="utf-8").splitlines()
    listed.write_text("\n".join(line for line in lines if not line.startswith("sha256")), encoding="utf-8")
    scan = next(path for path in sorted((root / "sources").glob("004*.txt")))
    text = scan.read_bytes().decode()
    assert text.count("никоим образом") == 1
    scan.write_bytes(text.replace("никоим образом", "никаким образом").encode())
    ((kind, ref, message),) = concerns(build(root))
    assert (kind, ref) == ("stale-rendering", "laws/1987/76.A.4")
    assert "was made from another ru text" in message


def test_the_bridge_terms_are_all_there_and_really_looked_for() -> None:
    assert len(BRIDGE.terms) >= 100
    text = "\n".join(f"{n.title}\n{n.text}\n{n.tail}" for n in RUSSIAN)
    used = [term for term in BRIDGE.terms if term.source.search(text)]
    assert len(used) >= 70
    # Without its English words, a term that the Russian uses is missed at least once.
    for term in used:
        english = [
            replace(n, title=term.target.sub("-", n.title), text=term.target.sub("-", n.text),
                    tail=term.target.sub("-", n.tail))
            for n in ENGLISH
        ]  # fmt: skip
        only = replace(BRIDGE, terms=(term,), accepted=())
        assert any(f.message.startswith("term: ") for f in check([*RUSSIAN, *english], [], only)), term.name


def test_at_most_five_exceptions_each_with_its_reason() -> None:
    assert len(BRIDGE.accepted) <= 5
    assert all(len(exception.reason) > 20 for exception in BRIDGE.accepted)


def test_a_true_pair_passes() -> None:
    assert said([RU, EN]) == []


@pytest.mark.parametrize(
    ("english", "message"),
    [
        (replace(EN, kind="item"), "tree: ru section, en item"),
        (replace(EN, title=""), "tree: title in ru, none in en"),
        (replace(EN, tail="And so."), "tree: tail in en, none in ru"),
        (replace(EN, footnotes=()), "footnotes: 1 in ru, 0 in en"),
        (replace(EN, text="Lead to a trick."), "footnotes: mark (*) does not stand alike in both texts"),
        (replace(EN, text="Lead to a stack(*), see Law 2."), "term: 'взятку' is not rendered by 'trick'"),
        (replace(RU, lang="en", rendering=WORKING), "copied: 100% of the letters are ru"),
        (replace(EN, text="Lead to a trick(*), см. правило 2."), "copied: 30% of the letters are ru"),
    ],
)  # fmt: skip
def test_a_false_pair_is_found(english: Node, message: str) -> None:
    assert message in said([RU, english])


def test_a_single_foreign_word_is_no_copied_text() -> None:
    named = replace(
        EN, text="Lead (in the translation “ход”) to a trick(*), see Law 2 of these Laws of duplicate bridge."
    )
    assert said([RU, named]) == []


def test_citations_lead_to_the_same_places() -> None:
    only_ru = said([RU, EN], [cite("ru")])
    assert only_ru == ["citations: laws/1987/2 (text) is cited in ru only"]
    other = said([RU, EN], [*BOTH, cite("en", "laws/1987/3", "footnote 1")])
    assert other == ["citations: laws/1987/3 (footnote 1) is cited in en only"]
    moved = said([RU, EN], [cite("ru"), cite("en", where="tail")])
    assert len(moved) == 2
    assert said([RU, EN], [*BOTH, cite("ru")]) == []


def test_a_node_without_a_counterpart_is_reported_once_and_elsewhere() -> None:
    assert said([RU]) == []
    english, findings = render([RU], [Rendering(AT, "en", "ru"), Rendering(AT.child("1"), "en", "ru")])
    assert [(f.kind, f.ref) for f in findings] == [
        ("stale-rendering", AT),
        ("orphan-rendering", AT.child("1")),
    ]
    # An empty rendering is no translation: it passes neither as a pair.
    assert said([RU, *english])[:2] == ["tree: title in ru, none in en", "tree: text in ru, none in en"]


def test_a_source_in_the_other_language_is_not_held_to_this_one() -> None:
    source = replace(EN, rendering="", title="", text="Something else.")
    assert said([RU, source], []) == []
    assert said([source], []) == []


def test_an_exception_accepts_one_fault_and_is_reported_when_idle() -> None:
    english = replace(EN, text="Lead to a stack(*), see Law 2.")
    accepted = Accepted(AT, "term", "the Russian means a stack of cards here", "trick")
    rules = replace(RULES, accepted=(accepted,))
    assert said([RU, english], rules=rules) == []
    assert said([RU, replace(english, title="")], rules=rules) == ["tree: title in ru, none in en"]
    idle = said([RU, EN], rules=rules)
    assert idle == ["exceptions: nothing to accept any more (term trick); delete it"]
    another = replace(rules, accepted=(replace(accepted, term="lead"),))
    assert len(said([RU, english], rules=another)) == 2
    whole = replace(rules, accepted=(replace(accepted, term=""),))
    assert said([RU, english], rules=whole) == []


def test_languages_of_one_alphabet_and_without_a_known_alphabet() -> None:
    rules = Rules("fr", "de")
    french = Node(AT, "fr", "article", text="Le chat dort sur la table.")
    german = Node(AT, "de", "article", text="Die Katze schläft auf dem Tisch.", rendering=WORKING)
    assert said([french, german], [], rules) == []
    copied = replace(french, lang="de", rendering=WORKING)
    assert said([french, copied], [], rules) == ["copied: the de text has the words of the fr one"]


def corpus(root: Path, exceptions: str) -> profiles.Profile:
    (root / "parity.toml").write_text(exceptions, encoding="utf-8")
    (root / "profile.toml").write_bytes((CORPUS / "profile.toml").read_bytes())
    return profiles.load(root)


def test_a_corpus_without_glossary_and_exceptions_is_held_to_the_rest(tmp_path: Path) -> None:
    profile = corpus(tmp_path, "")
    (tmp_path / "parity.toml").unlink()
    assert load(profile, "ru", "en") == Rules("ru", "en")


def test_exceptions_are_read(tmp_path: Path) -> None:
    text = '[[exception]]\nref = "laws/1987/1.A"\ncheck = "term"\nterm = "trick"\nreason = "a stack "\n'
    one = (Accepted(AT, "term", "a stack", "trick"),)
    assert load(corpus(tmp_path, text), "ru", "en").accepted == one
    german = load(corpus(tmp_path, text + 'lang = "de"\n'), "ru", "de")
    assert german.accepted == one
    assert load(corpus(tmp_path, text + 'lang = "de"\n'), "ru", "en").accepted == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            'ref = "laws/1987/1"\ncheck = "terms"\nreason = "r"',
            "check is 'terms', none of " + ", ".join(CHECKS),
        ),
        ('ref = "laws/1987/1"\ncheck = "term"', "no reason"),
        ('ref = "laws/1987/1"\ncheck = "term"\nreason = " "', "no reason"),
        ('ref = "1.A"\ncheck = "term"\nreason = "r"', "not a ref: '1.A'"),
        ('ref = "laws/1987/1"\ncheck = "term"\nreason = "r"\nwhy = "w"', "unknown key 'why'"),
    ],
)
def test_a_mistake_in_the_exceptions_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        load(corpus(tmp_path, f"[[exception]]\n{text}\n"), "ru", "en")
    assert says in str(caught.value)
    assert "parity.toml: exception 1" in str(caught.value)
