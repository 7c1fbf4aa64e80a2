"""Links put into documents: in the right places, and nothing else changed."""
# ruff: noqa: E501

from __future__ import annotations

import functools
import re
import time
import tomllib

import pytest
from bs4 import BeautifulSoup
from citecases import CASES, targets
from goldkb import CORPUS
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.cite.annotate import annotate
from kb.cite.find import find
from kb.cite.grammar import Grammar, load_grammar
from kb.errors import InputError
from kb.model import Link, Ref


@functools.cache
def bridge() -> Grammar:
    return load_grammar(CORPUS)


def links(text: str) -> list[Link]:
    found = find(text, "", bridge())
    return [
        Link(c, Ref(c.work or "foreign", "1987", c.path), "resolved" if c.work else "foreign") for c in found
    ]


def href(link: Link) -> str | None:
    return f"/{link.target.dotted}" if link.status == "resolved" else None


def done(source: str, kind: str) -> str:
    return annotate(source, kind, links, href)


HTML = {
    "<p>см. правило 65D</p>": '<p>см. <a class="kb-cite" href="/65.D">правило 65D</a></p>',
    "<p>Правило <b>65D</b>, да</p>": '<p><a class="kb-cite" href="/65.D">Правило <b>65D</b></a>, да</p>',
    "<p><b>Правило 6</b>5</p>": '<p><a class="kb-cite" href="/65"><b>Правило 6</b>5</a></p>',
    "Law 27<sup>2</sup>5": '<a class="kb-cite" href="/27">Law 27</a><sup>2</sup>5',
    "пр.&nbsp;27Б1": '<a class="kb-cite" href="/27.B.1">пр.&nbsp;27Б1</a>',
    "<span>Правило </span><span>65D</span>": '<span>Правило </span><span><a class="kb-cite" href="/65.D">65D</a></span>',
    "<p>Правилам\n            61А\n\n  и 62А</p>": '<p><a class="kb-cite" href="/61.A">Правилам\n            61А</a>\n\n  и '
    '<a class="kb-cite" href="/62.A">62А</a></p>',
    "<p>Laws 68-71</p>": '<p><a class="kb-cite" href="/68">Laws 68-71</a></p>',
    "a < b & Law 65": 'a < b & <a class="kb-cite" href="/65">Law 65</a>',
    "<P CLASS=MsoNormal>Law 65<o:p></o:p></P>": '<P CLASS=MsoNormal><a class="kb-cite" href="/65">Law 65</a><o:p></o:p></P>',
}
SAME_HTML = [
    "<a href='#'>Правило 65D</a>",
    "<code>Law 65</code>",
    "<pre>Law 65\n</pre>",
    "<h2>Правило 65. Расположение взяток</h2>",
    '<img alt="Law 65" title="Law 65">',
    '<p title="см. Law 65 > Law 66">x</p>',
    "<script>var x = 'Law 65 <b>';</script>",
    "<style>/* Law 65 */</style>",
    "<title>Law 65</title>",
    "<!-- Law 65 -->",
    "<textarea>Law 65</textarea>",
    "<head><meta name='Law 65'>Law 65</head>",
    "<p>Law</p><p>65</p>",
    "<a name=x>Law 65<b>Law 66</a>",
    "http://example.org/?q=Law 27".replace(" ", "+"),
    "<![CDATA[ Law 65 ]]>",
    "<?xml Law 65 ?>",
    "Law <",
    "<button>Law 65</button>",
    "<p>ст. 5 ГК РФ</p>",
    "<p>{{ Law 65 }}</p>",
]
MARKDOWN = {
    "см. правило 65D": "см. [правило 65D](/65.D)",
    "Правило **65D**!": "[Правило **65D**](/65.D)!",
    "**Правило** 65D!": "[**Правило** 65D](/65.D)!",
    "**Правило 65D**": "**[Правило 65D](/65.D)**",
    "> Правилам 61А и\n> 62А": "> [Правилам 61А](/61.A) и\n> [62А](/62.A)",
    "- Law 65\n- Law 66": "- [Law 65](/65)\n- [Law 66](/66)",
    "1. Law 65\n2. foo": "1. [Law 65](/65)\n2. foo",
    "| a | b |\n|---|---|\n| Law 65 | 66 |": "| a | b |\n|---|---|\n| [Law 65](/65) | 66 |",
    "[L6], L11B": "[[L6](/6)], [L11B](/11.B)",
    "Law 65[^1]\n\n[^1]: Law 66": "[Law 65](/65)[^1]\n\n[^1]: [Law 66](/66)",
    "- a\n\n    Law 65": "- a\n\n    [Law 65](/65)",
    "`x` Law 65 `y`": "`x` [Law 65](/65) `y`",
}
SAME_MARKDOWN = [
    "[правило 65D](x)", "[Law 65][ref]", "![Law 65](x.png)", "[Law 65]\n\n[Law 65]: http://x", "`Law 65`",
    "``Law 65 ` x``", "```\nLaw 65\n```", "~~~ text\nLaw 65\n~~~", "    Law 65", "# Law 65", "### Law 65 ###",
    "Law 65\n======", "Law 65\n---", "[Law 65]: http://x", "<http://x/Law+65>", "<a href='x'>Law 65</a>",
    "{{law 65B1}}", "{{ Law 65 }}", "---\ntitle: Law 65\n---\n", "<!-- Law 65 -->", "[[Law 65]]",
    "```\nLaw 65", "> ```\n> Law 65\n> ```", '<img alt="Law 65">', "Law\n\n65",
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), HTML.items())
def test_html(source: str, expected: str) -> None:
    assert done(source, "html") == expected


@pytest.mark.parametrize("source", SAME_HTML)
def test_html_left_alone(source: str) -> None:
    assert done(source, "html") == source


@pytest.mark.parametrize(("source", "expected"), MARKDOWN.items())
def test_markdown(source: str, expected: str) -> None:
    assert done(source, "md") == expected


@pytest.mark.parametrize("source", SAME_MARKDOWN)
def test_markdown_left_alone(source: str) -> None:
    assert done(source, "md") == source


def test_text() -> None:
    assert done("см. пр. 27Б1\r\nи всё", "text") == "см. пр. 27Б1 </27.B.1>\r\nи всё"
    with pytest.raises(InputError, match="none of text, html, md"):
        done("x", "rtf")


PIECES = st.lists(
    st.sampled_from(
        ["правило 65", " ", "Law 27B1", "<b>", "</b>", "<p>", "</p>", "<a href='x'>", "</a>", "&nbsp;", "**", "`", "_",
         "\n", "\n\n", "[", "](x)", "# ", "> ", "- ", "    ", "```", "<", ">", "&", "и 62А", "<!--", "-->", "<pre>",
         "</pre>", "\r\n", "|", "«", "😀"]
    ),
    max_size=14,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(PIECES)
def test_only_links_are_added(pieces: list[str]) -> None:
    source = "".join(pieces)
    out = done(source, "html")
    assert re.sub(r'<a class="kb-cite" href="[^"]*">(.*?)</a>', r"\1", out, flags=re.DOTALL) == source
    out = done(source, "md")
    assert (
        re.sub(r"\[((?:(?!\]\(/).)*?)\]\(/[0-9A-Za-z.]+\)", r"\1", out, flags=re.DOTALL) == source
        or "[" in source
    )
    out = done(source, "text")
    assert re.sub(r" </[0-9A-Za-z.]+>", "", out) == source or "<" in source


@pytest.mark.parametrize("source", HTML)
def test_the_tree_is_the_same_without_the_links(source: str) -> None:
    soup = BeautifulSoup(done(source, "html"), "html.parser")
    for link in soup.select("a.kb-cite"):
        link.unwrap()
    soup.smooth()
    assert str(soup) == str(BeautifulSoup(source, "html.parser"))


PIECES_OF_MISCHIEF = [
    "<a ",
    "<b",
    "<!--",
    "&amp",
    "[",
    "`",
    "*",
    "{{",
    "[a](",
    '<a href="',
    "<a '",
    "a@",
    "![[",
    "a",
    "# ",
    "> ",
    "|",
    "<x y='",
]


@pytest.mark.full
@pytest.mark.parametrize("kind", ["html", "md", "text"])
@pytest.mark.parametrize("piece", PIECES_OF_MISCHIEF)
def test_time_grows_with_the_document(kind: str, piece: str) -> None:
    """Eight times the document is far from 64 times the time."""

    def spent(count: int) -> float:
        best = 1e9
        for _ in range(3):
            begun = time.process_time()
            annotate(piece * count, kind, lambda text: [], href)
            best = min(best, time.process_time() - begun)
        return best

    assert spent(16000) <= 30 * max(spent(2000), 0.002)


DOCUMENTS = CASES.parent / "documents"
EXPECTED = tomllib.loads((DOCUMENTS / "expected.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", EXPECTED)
def test_documents_as_they_come_in_practice(name: str) -> None:
    """A forum page, a page that Word exported, an appeal write-up."""
    source = (DOCUMENTS / name).read_bytes().decode("utf-8")
    kind = name.rpartition(".")[2]
    cited: list[str] = []

    def told(text: str) -> list[Link]:
        found = links(text)
        cited.extend(targets([link.citation for link in found]))
        return found

    out = annotate(source, kind, told, href)
    assert " ".join(cited) == EXPECTED[name]
    if kind == "html":
        bare = re.sub(r'<a class="kb-cite" href="[^"]*">(.*?)</a>', r"\1", out, flags=re.DOTALL)
    else:
        bare = re.sub(r"\[([^\]]*?(?:\*\*[^\]]*?)?)\]\(/[0-9A-Za-z.]+\)", r"\1", out)
    assert bare == source
    assert out.count("kb-cite") + len(re.findall(r"\]\(/[0-9]", out)) >= len(set(cited)) - 5
