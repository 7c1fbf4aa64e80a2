"""Alphabets, look-alikes, keyboards and lemmas. Form pairs are data: cases/search/forms.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb import lang

CASES = tomllib.loads((Path(__file__).parent / "cases" / "search" / "forms.toml").read_text("utf-8"))
RU, EN = lang.get("ru"), lang.get("en")


@pytest.mark.parametrize("case", CASES["pair"], ids=lambda case: f"{case['base']}")
def test_every_form_shares_a_lemma_with_its_base(case: dict) -> None:
    language = lang.get(case["lang"])
    base = set(language.lemmas(case["base"]))
    lost = [form for form in case["forms"] if not base & set(language.lemmas(form))]
    assert lost == []


@pytest.mark.parametrize("case", CASES["apart"], ids=lambda case: f"{case['a']}-{case['b']}")
def test_different_words_stay_apart(case: dict) -> None:
    language = lang.get(case["lang"])
    assert not set(language.lemmas(case["a"])) & set(language.lemmas(case["b"]))


def test_look_alikes_both_ways() -> None:
    assert RU.to_latin("65С") == "65C"
    assert RU.to_latin("АВСЕНКМОРТХ") == "ABCEHKMOPTX"
    assert RU.from_latin("кaртa") == "карта"
    assert RU.to_latin("10Б") == "10Б"


def test_wrong_keyboard_both_ways() -> None:
    assert RU.from_layout("ghfdbkj 65") == "правило 65"
    assert RU.to_layout("дфц 65") == "law 65"


def test_dictionary() -> None:
    assert RU.known("взяток") and RU.known("судьей") and not RU.known("какойнибудь")
    assert EN.known("revoke") is None


@pytest.mark.parametrize(
    ("said", "filed"),
    [
        ("The Deal", "deal"),
        ("A  card", "card"),
        ("An", "an"),
        ("the ", "the "),
        ("Another", "another"),
        ("", ""),
    ],
)
def test_an_article_is_not_filed(said: str, filed: str) -> None:
    assert EN.filed(said) == filed
    assert lang.get("xx").filed(said) == said.casefold()


def test_unknown_language_is_plain() -> None:
    plain = lang.get("xx-YY")
    assert plain.lemmas("Wörter") == ("wörter",) and plain.stem("Wörter") == "wörter"
    assert plain.known("Wörter") is None


@given(st.text())
def test_any_text_has_lemmas_and_folds_once(text: str) -> None:
    for language in (RU, EN, lang.get("xx")):
        assert all(isinstance(lemma, str) for lemma in language.lemmas(text)) and language.lemmas(text)
        folded = language.fold(text)
        assert language.fold(folded) == folded
