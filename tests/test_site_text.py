"""Text of unknown origin comes out as that text, and as nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import markdown
import pytest
import sitecheck
from hypothesis import example, given
from hypothesis import strategies as st
from sitebuild import build

from kb import profile as profiles
from kb.model import Entry, Footnote, Node, Records, Ref, SourceInfo, Witness
from kb.profile import Profile
from kb.publish import markup, stash
from kb.publish.strings import Strings

EXTENSIONS = ["toc", "tables", "fenced_code", "attr_list", "md_in_html"]  # MkDocs' own, and ours

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(1)> </div> *a* _b_ `c` [d](javascript:e) ![f](g) "
    "{ #h .i } {: j=k } ~~~ | l | # m &amp; &lt; n \u202eo\u202c \x14p http://example.org q@r.org $s$ \\t"
)
NASTY = st.text(
    alphabet=st.one_of(
        st.sampled_from("*_`[](){}<>&#|~!\\-+=.:;\"'$^/%@0123456789 \n\tаbЖ\u202e\x14\ue000\ue001\x02\x03"),
        st.characters(codec="utf-8"),
    ),
    max_size=60,
)


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))


def _shown(source: str) -> _Text:
    parser = _Text()
    parser.feed(markdown.markdown(source, extensions=EXTENSIONS))
    parser.close()
    return parser


def _expected(text: str) -> str:
    """Controls by name, white space to one space: what a reader is to see."""
    named = markup.visible(text)
    return re.sub(r"\[(U\+[0-9A-F]{4})\]", r"\1", named)


@given(NASTY)
@example(HOSTILE)
@example("1. no list")
@example("- no list")
@example("1) x\n\n2) y")
@example("    no code")
@example("a { .b }")
@example("===")
@example("\u200e#")
@example("*[a]: b")
@example("[a]: http://b")
@example("a | b\n--|--\nc | d")
def test_escaped_text_is_shown_as_it_is(text: str) -> None:
    shown = _shown(markup.esc(text))
    assert re.sub(r"\s+", "", shown.text) == re.sub(r"\s+", "", _expected(text))
    assert {tag for tag, _ in shown.tags} <= {"p", "span"}
    assert all(tag == "p" or attrs == [("class", "control")] for tag, attrs in shown.tags)


def test_a_link_after_an_exclamation_mark_is_no_image() -> None:
    shown = _shown(markup.linked("so! 65A", [(3, 3, "[{}](65.md#65.A)")]))
    assert [tag for tag, _ in shown.tags] == ["p", "a"] and shown.text == "so! 65A"


@given(NASTY, st.data())
def test_a_link_changes_no_letter(text: str, data: st.DataObject) -> None:
    """Links put into a text leave what is read as it was."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    shown = _shown("x " + markup.linked(text, [(start, end, "[{}](65.md#65.A){ .cite }")]))
    assert re.sub(r"\s+", "", shown.text) == "x" + re.sub(r"\s+", "", _expected(text))


@given(NASTY)
def test_html_keeps_white_space(text: str) -> None:
    parser = _Text()
    parser.feed(f"<pre>{markup.esc_html(text)}</pre>")
    parser.close()
    assert [tag for tag, _ in parser.tags if tag not in ("pre", "span")] == []
    assert parser.text.count("\n") >= text.count("\n") - text.count("\r")


@given(NASTY, NASTY)
@example("x", "[a](b)")
@example("\r", "")
def test_tags_put_aside_change_nothing(one: str, other: str) -> None:
    words = Strings(["ru", "en"])
    title = words.each({"ru": markup.esc(one), "en": markup.esc(other)}, escaped=True)
    source = "\n\n".join(
        [
            f"## {words.both('cited_by')} {title} {{ #h }}",
            f"[{words.both('up')} <small>{markup.esc(one)}</small>](a.md){{ .k }} {markup.esc(other)}",
            '<div class="pair" markdown="1">',
            f"{markup.esc(other)}\n{{ .l1 lang=ru }}",
            f"- <b>{markup.esc(one)}</b>\n    - {words.both('print')}",
            "</div>",
            f'<p><span class="n">{markup.esc_html(one)}</span></p>',
        ]
    )
    text, aside = stash.put_aside(source)
    html = markdown.markdown(source, extensions=EXTENSIONS)
    assert stash.put_back(markdown.markdown(text, extensions=EXTENSIONS), aside) == html


@pytest.mark.parametrize("code", ["`<b>`", "    <b>", "\tx <span>", "~~~\n<b>\n~~~"])
def test_a_tag_in_code_stays_code(code: str) -> None:
    assert stash.put_aside(f"<small>a</small>\n\n{code}\n") == (f"<small>a</small>\n\n{code}\n", {})
    assert stash.put_aside("<small>a</small>")[1]


PROFILE = """
[corpus]
name = "house"
title = { en = "House Rules" }
languages = ["en"]
edition = "2020"

[works.rules]
role = "law"
title = { en = "Rules" }
letter = "r"
label = "rule"
human = { en = "§ {ref}" }
[[works.rules.levels]]
name = "title"
heading = true
step = "ti"
numbering = "arabic"
names = { en = "Title" }
[[works.rules.levels]]
name = "article"
numbering = "arabic"
names = { en = "Article" }
[[works.rules.levels]]
name = "point"
numbering = "arabic"

[works.notes]
role = "commentary"
comments_on = "rules"
title = { en = "Notes" }
letter = "n"
label = "note"
human = { en = "note {ref}" }
[[works.notes.levels]]
name = "heading"
kind = "group"
numbering = "arabic"
names = { en = "Notes on" }
[[works.notes.levels]]
name = "note"
numbering = "arabic"
"""


def _corpus(folder: Path) -> Profile:
    folder.mkdir()
    (folder / "profile.toml").write_text(PROFILE)
    (folder / "sources").mkdir()
    return profiles.load(folder)


def _records() -> Records:
    def ref(path: str, work: str = "rules") -> Ref:
        return Ref.parse(f"{work}/2020/{path}")

    def node(at: Ref, kind: str, text: str, **more: object) -> Node:
        seen = (Witness("house_1.txt", (1, 2), True, True),)
        return Node(at, "en", kind, text=text, witnesses=seen, **more)  # type: ignore[arg-type]

    top, first, inserted = ref("ti.1"), ref("7"), ref("7-1")
    notes = Ref("notes", "2020", ("7~8",))
    private = Node(
        ref("9"), "en", "article", text="SECRET", witnesses=(Witness("secret.txt", (1, 1), True, True),)
    )
    return Records(
        meta={"name": "house", "languages": "en", "build_id": "x", "title.en": "House Rules"},
        entries=(
            Entry(top, "title", None, {"en": HOSTILE}, {"en": "source"}, "seed", "text"),
            Entry(first, "article", top, {"en": HOSTILE}, {"en": "source"}, "seed", "partial"),
            Entry(first.child("1"), "point", first, {}, {}, "seed", "text"),
            Entry(first.child("1", "1"), "point", first.child("1"), {}, {}, "seed", "text"),
            Entry(inserted, "article", top, {"en": "Repealed one"}, {"en": "source"}, "seed", "repealed"),
            Entry(ref("9"), "article", top, {}, {}, "seed", "text"),
            Entry(notes, "group", None, {"en": "On 7 and 8"}, {"en": "source"}, "seed", "text"),
        ),
        nodes=(
            node(
                first,
                "article",
                HOSTILE,
                title=HOSTILE,
                footnotes=(Footnote("(*)", HOSTILE),),
                missing=HOSTILE,
                complete=False,
            ),
            node(first.child("1"), "point", HOSTILE, tail=HOSTILE, basis=f"inferred: {HOSTILE}"),
            node(first.child("1", "1"), "table", "┌──┐\n│<b>│\n└──┘"),
            private,
            node(notes, "group", "Both are meant."),
        ),
        sources=(
            SourceInfo(
                "house_1.txt",
                "rules",
                "2020",
                "en",
                "0" * 64,
                "utf-8",
                30,
                2,
                HOSTILE,
                HOSTILE,
                HOSTILE,
                text=f"{HOSTILE}\r\nsecond\n",
            ),
            SourceInfo(
                "secret.txt", "rules", "2020", "en", "0" * 64, "utf-8", 6, 1, rights="private", text="SECRET"
            ),
        ),
    )


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> dict[str, sitecheck.Page]:
    """A corpus of another language and other levels, whose every text is hostile."""
    folder = tmp_path_factory.mktemp("house")
    built = build(_records(), _corpus(folder / "corpus"), folder)
    pages = sitecheck.read(built.site)
    faults = [f for f in sitecheck.dead(built.site, pages) if "search.js" not in f]
    assert faults == []
    return pages


def test_hostile_text_is_text_everywhere(house: dict[str, sitecheck.Page]) -> None:
    assert [(name, page.faults) for name, page in house.items() if page.faults] == []
    wanted = re.sub(r"\s", "", _expected(HOSTILE))
    for name in (
        "rules/2020/7/index.html",
        "sources/house_1/index.html",
        "rules/2020/ti.1/index.html",
        "subjects/index.html",
    ):
        assert wanted in re.sub(r"\s", "", "".join(text for _, text in house[name].text)), name


def test_another_corpus_has_its_own_words(house: dict[str, sitecheck.Page]) -> None:
    text = " ".join(words for _, words in house["rules/2020/7/index.html"].text)
    assert "§ 7" in text and "note 7–8" in text and "Both are meant." in text
    assert not re.search("[А-Яа-я]", "".join(words for page in house.values() for _, words in page.text))
    assert "r/2020/7.1/index.html" in house and "r/7/index.html" in house and "r/2020/7-1/index.html" in house
    assert "7.1.1" in house["rules/2020/7/index.html"].ids and "n7~8" in house["rules/2020/7/index.html"].ids
    repealed = " ".join(words for _, words in house["rules/2020/7-1/index.html"].text)
    assert "Repealed." in repealed


def test_one_language_has_no_switch(house: dict[str, sitecheck.Page]) -> None:
    assert {page.lang for page in house.values()} == {"en"}
    assert not any("working translation" in text for page in house.values() for _, text in page.text)


def test_a_private_source_stays_off_the_site(house: dict[str, sitecheck.Page]) -> None:
    assert not any("SECRET" in text for page in house.values() for _, text in page.text)
    assert not any("SECRET" in page.meta.get("description", "") for page in house.values())
    assert not any("secret" in name for name in house)


def test_a_table_keeps_its_lines(house: dict[str, sitecheck.Page]) -> None:
    assert any("┌──┐\n│<b>│\n└──┘" in text for _, text in house["rules/2020/7/index.html"].text)


def test_a_site_with_an_address_has_it_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_SITE_URL", "https://laws.example/bridge")
    built = build(_records(), _corpus(tmp_path / "corpus"), tmp_path)
    pages = sitecheck.read(built.site)
    assert pages["rules/2020/7/index.html"].canonical == "https://laws.example/bridge/rules/2020/7/"
    assert pages["r/7/index.html"].canonical == "https://laws.example/bridge/r/2020/7/"
    assert pages["r/7/index.html"].meta["og:url"] == "https://laws.example/bridge/r/2020/7/"
    sitemap = (built.site / "sitemap.xml").read_text("utf-8")
    assert "<loc>https://laws.example/bridge/rules/2020/7/</loc>" in sitemap and "lastmod" not in sitemap


def test_a_language_without_words_falls_back_and_says_so() -> None:
    words = Strings(["de"])
    assert words.both("contents") == '<span lang="en">Contents</span>'
    both = Strings(["ru", "de"]).both("contents")
    assert '<span class="u1" lang="ru">Содержание</span>' in both
    assert '<span class="u2" lang="en">Contents</span>' in both


def test_pages_of_the_documentation_are_html_and_not_xhtml() -> None:
    from kb.publish import events

    own: Any = None
    xhtml = '<p>a<br />b <img alt="c" src="d.svg" /></p><code>&lt;br /&gt;</code><svg><path d="M0" /></svg>'
    html = '<p>a<br>b <img alt="c" src="d.svg"></p><code>&lt;br /&gt;</code><svg><path d="M0" /></svg>'
    assert events.on_page_content(xhtml, page=own, config=own, files=own) == html
