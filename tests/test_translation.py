"""The renderings of the bridge corpus against the gold, and renderings of a made-up corpus."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from goldkb import CORPUS, gold_records

from kb import profile as profiles
from kb.errors import InputError
from kb.model import Finding, Footnote, Node, Ref
from kb.translation import WORKING, Rendering, hash_of, load, render

RUSSIAN = [node for node in gold_records().nodes if node.lang == "ru"]
RENDERINGS = load(profiles.load(CORPUS))
ENGLISH, FINDINGS = render(RUSSIAN, RENDERINGS)
PAIRS = [
    (russian, english)
    for russian in RUSSIAN
    for english in ENGLISH
    if (russian.ref, "en") == (english.ref, english.lang)
]
LAW = Ref.parse("laws/1987/1.A")
NODE = Node(
    LAW, "ru", "section", "A.", "Колода", "52 карты(*).", footnotes=(Footnote("(*)", "Без джокера."),)
)
MADE = Rendering(LAW, "en", "ru", "The Pack", "52 cards(*).", "", ("No joker.",), hash_of(NODE), "x.toml")


def words(node: Node) -> str:
    return "\n".join([node.title, node.text, node.tail, *(note.text for note in node.footnotes)])


def test_every_russian_node_has_its_rendering_and_none_is_stale_or_left_over() -> None:
    assert FINDINGS == []
    assert [node.ref for node in ENGLISH] == [node.ref for node in RUSSIAN]
    laws = [n for n in ENGLISH if n.ref.work == "laws" and n.ref.path[0] != "ch"]
    headings = [n for n in ENGLISH if n.ref.path[0] == "ch"]
    comments = [n for n in ENGLISH if n.kind == "comment"]
    assert (len(laws), len(headings), len(comments)) == (84, 4, 29)
    assert {n.rendering for n in ENGLISH} == {WORKING}


@pytest.mark.parametrize(("russian", "english"), PAIRS, ids=[str(pair[0].ref) for pair in PAIRS])
def test_a_rendering_is_as_whole_and_as_broken_as_its_russian(russian: Node, english: Node) -> None:
    assert not re.search("[А-Яа-яЁё]", words(english))
    for part in ("title", "text", "tail"):
        assert bool(getattr(russian, part)) == bool(getattr(english, part)), part
    if russian.text:
        # A text that opens in the middle of a sentence, or has no end, does so in both languages.
        headless = russian.text[0].islower() and russian.kind not in ("comment", "comment-item")
        assert english.text.startswith("…") == headless
        endless = not russian.text.endswith((".", ";", ":"))
        assert english.text.endswith("…") == endless
    # A list goes on after the same marks.
    last = russian.text[-1:] if russian.text.endswith((";", ":")) else ""
    assert english.text.endswith(last)
    numbers = re.findall(r"\d+", words(russian))
    assert sorted(set(numbers)) == sorted(set(re.findall(r"\d+", words(english))))


def test_a_lost_run_of_words_is_shown_and_not_filled() -> None:
    gaps = {str(node.ref) for node in ENGLISH if "[…]" in words(node)}
    assert gaps == {"commentary/1987/51.3.ii", "commentary/1987/53.3"}


@pytest.mark.parametrize(
    "node", [node for node in RUSSIAN if node.title or node.text], ids=lambda node: str(node.ref)
)
def test_one_changed_letter_makes_a_rendering_stale(node: Node) -> None:
    part = "title" if node.title else "text"
    value = getattr(node, part)
    changed = replace(node, **{part: value[:-1] + ("я" if value[-1] != "я" else "ю")})
    others = [changed if other is node else other for other in RUSSIAN]
    _, findings = render(others, RENDERINGS)
    assert [(f.kind, f.ref) for f in findings] == [("stale-rendering", node.ref)]
    assert hash_of(changed) in findings[0].message


def test_the_hash_is_of_the_words_and_not_of_their_layout() -> None:
    same = [
        replace(NODE, title=" Колода", text="52\nкарты\N{NO-BREAK SPACE}(*)."),
        replace(NODE, marker="Б.", page=7, basis="inferred: so", complete=False),
        replace(NODE, title="Колода", text="52 карты(*).", footnotes=(Footnote("*", "Без джокера."),)),
    ]
    assert {hash_of(node) for node in same} == {hash_of(NODE)}
    decomposed = replace(NODE, title="Чеи\N{COMBINING BREVE} е\N{COMBINING DIAERESIS}")
    assert hash_of(replace(NODE, title="Чей ё")) == hash_of(decomposed)
    other = [
        replace(NODE, title="Колоды"),
        replace(NODE, text="52 карты."),
        replace(NODE, tail="И."),
        replace(NODE, footnotes=()),
    ]
    assert len({hash_of(node) for node in [NODE, *other]}) == 5
    # 16 hexadecimal digits of SHA-256, worked out by hand: printf 'Колода52карты(*).Безджокера.' | sha256sum
    assert hash_of(NODE) == "f6214f4037815b5b"


def test_a_rendering_takes_place_number_and_state_of_its_node() -> None:
    node = replace(NODE, complete=False, missing="end", damaged=True, page=69, page_basis="footer", basis="i")
    (made,), findings = render([node], [MADE])
    assert findings == []
    assert made == Node(
        LAW, "en", "section", "A.", "The Pack", "52 cards(*).", "", (Footnote("(*)", "No joker."),),
        complete=False, missing="end", damaged=True, page=69, page_basis="footer",
        basis="i", rendering=WORKING,
    )  # fmt: skip


def test_a_text_of_a_source_takes_the_place_of_a_rendering() -> None:
    source = replace(NODE, lang="en", title="Deck", text="Fifty-two.")
    made, findings = render([NODE, source], [replace(MADE, hash="0" * 16)])
    assert (made, findings) == ([], [])


def kinds(findings: list[Finding]) -> list[str]:
    return [finding.kind for finding in findings]


def test_what_is_to_do_is_said() -> None:
    other = replace(NODE, ref=Ref.parse("laws/1987/1.B"))
    _, findings = render([NODE, other], [MADE])
    assert [(f.kind, str(f.ref)) for f in findings] == [("untranslated", "laws/1987/1.B")]
    made, findings = render([other], [MADE])
    assert (made, kinds(findings)) == ([], ["untranslated", "orphan-rendering"])
    made, findings = render([NODE], [replace(MADE, hash="")])
    assert len(made) == 1
    assert kinds(findings) == ["stale-rendering"]
    assert "no hash yet" in findings[0].message
    assert findings[0].source == "x.toml"
    assert render([NODE], []) == ([], [])


def test_several_languages_each_want_their_own() -> None:
    french = replace(MADE, lang="fr", title="Le paquet")
    other = replace(NODE, ref=Ref.parse("laws/1987/1.B"))
    made, findings = render([NODE, other], [MADE, french])
    assert [(n.lang, n.title) for n in made] == [("en", "The Pack"), ("fr", "Le paquet")]
    assert [f.message[:5] for f in findings] == ["no en", "no fr"]


PROFILE = """
[corpus]
name = "cats"
title = { fr = "Chats", de = "Katzen" }
languages = ["fr", "de"]
edition = "9"
[works.code]
role = "law"
title = { fr = "Code" }
letter = "k"
label = "code"
[[works.code.levels]]
name = "article"
"""


def corpus(root: Path, text: str | None = None, name: str = "de/code.toml") -> profiles.Profile:
    (root / "profile.toml").write_text(PROFILE, encoding="utf-8")
    if text is not None:
        path = root / "translation" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return profiles.load(root)


def test_another_corpus_with_and_without_renderings(tmp_path: Path) -> None:
    assert load(corpus(tmp_path)) == []
    profile = corpus(tmp_path, '[nodes."1.b"]\ntitle = "Die Katze"\n')
    ref = Ref.parse("code/9/1.b")
    assert load(profile) == [Rendering(ref, "de", "fr", "Die Katze", file="translation/de/code.toml")]
    made, _ = render([Node(ref, "fr", "article", title="Le chat")], load(profile))
    assert [(n.lang, n.title) for n in made] == [("de", "Die Katze")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[nodes", "not valid TOML"),
        ('lang = "fr"', "the folder is 'de'"),
        ('from = "ru"', "language 'ru' is none of fr, de"),
        ('from = "de"', "lang and from are both 'de'"),
        ('work = "rules"', "work 'rules' is none of code"),
        ("nodes = 3", "nodes is no table"),
        ("hash = 3", "unknown key 'hash'"),
        ('[nodes."1.я"]', "not a ref"),
        ("[nodes.1.b]\ntitle = 't'", "unknown key 'b'"),
        ('[nodes]\n"1" = "text"', "not a table"),
        ('[nodes."1"]\ntext = 4', "are strings"),
        ('[nodes."1"]\nfootnotes = "one"', "a list of strings"),
        ('[nodes."1"]\nfootnotes = [1]', "a list of strings"),
        ('[nodes."1"]\ntexte = "t"', "unknown key 'texte'"),
    ],
)
def test_a_mistake_in_a_file_is_named(tmp_path: Path, text: str, says: str) -> None:
    profile = corpus(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load(profile)
    message = str(caught.value)
    assert says in message
    assert "code.toml" in message
    assert "\n" not in message


def test_a_node_rendered_twice_and_a_language_of_another_corpus(tmp_path: Path) -> None:
    corpus(tmp_path, '[nodes."1"]\ntitle = "a"\n', "de/a.toml")
    profile = corpus(tmp_path, '[nodes."1"]\ntitle = "b"\n', "de/b.toml")
    with pytest.raises(InputError, match="twice"):
        load(profile)
    (tmp_path / "translation" / "de" / "b.toml").unlink()
    profile = corpus(tmp_path, '[nodes."1"]\ntitle = "a"\n', "it/a.toml")
    with pytest.raises(InputError, match="'it' is none of fr, de"):
        load(profile)
