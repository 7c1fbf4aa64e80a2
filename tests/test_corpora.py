"""Corpora of other shapes than bridge build with a profile alone.

Each folder of `tests/corpora/` has an `expected.txt` that a person can read and edit: the tree, the links and
the main relations. `show` prints a built corpus in that form:
`.venv/bin/python -m tests.test_corpora tests/corpora/statute`.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kb import address
from kb import profile as profiles
from kb.cli import cli
from kb.model import Entry, Node, Records, Ref
from kb.pipeline import build
from kb.store import open_store, save

CORPORA = Path(__file__).parent / "corpora"
NAMES = sorted(path.parent.name for path in CORPORA.glob("*/profile.toml"))
TREE, LINKS, RELATIONS = "# tree", "# links", "# relations"


@cache
def records(name: str) -> Records:
    return build(CORPORA / name)


# How a corpus is written down.


def show(built: Records) -> str:
    """The whole of `expected.txt`."""
    parts = [TREE, *tree(built), "", LINKS, *links(built), "", RELATIONS, *relations(built)]
    return "\n".join(parts) + "\n"


def tree(built: Records) -> Iterator[str]:
    """`dotted kind [state] p.N inferred "title" (marker) first words … last words`, indented by parent."""
    entries = {entry.ref: entry for entry in built.entries}
    nodes: dict[Ref, list[Node]] = {}
    for node in built.nodes:
        nodes.setdefault(node.ref, []).append(node)
    work = ""
    for entry in built.entries:
        if entry.ref.work != work:
            work = entry.ref.work
            yield f"{work}/{entry.ref.edition}"
        pad = "  " * (_depth(entry, entries) + 1)
        yield f"{pad}{entry.ref.dotted} {entry.kind}{_state(entry)}"
        for node in nodes.get(entry.ref, []):
            yield from (f"{pad}  | {line}" for line in _lines(node))


def _depth(entry: Entry, entries: dict[Ref, Entry]) -> int:
    return 1 + _depth(entries[entry.parent], entries) if entry.parent else 0


def _state(entry: Entry) -> str:
    return "" if entry.status == "text" else f" [{entry.status}]"


def _lines(node: Node) -> Iterator[str]:
    page = "" if node.page is None else f"p.{node.page} "
    found = "" if node.basis == "explicit" else "inferred "
    yield f"{page}{found}{node.marker}{' ' if node.title and node.marker else ''}{node.title}".strip() or "-"
    if node.text:
        yield _ends(node.text)
    if node.tail:
        yield f"tail: {_ends(node.tail)}"
    for note in node.footnotes:
        yield f"note {note.mark}: {_ends(note.text)}"
    if not node.complete:
        yield f"missing: {node.missing}"
    if node.damaged:
        yield "damaged"


def _ends(text: str) -> str:
    words = text.split()
    return " ".join(words) if len(words) < 8 else f"{' '.join(words[:4])} … {' '.join(words[-3:])}"


def links(built: Records) -> Iterator[str]:
    for placed in built.links:
        where = "" if placed.where == "text" else f" ({placed.where})"
        link = placed.link
        yield f"{placed.at}{where}: {' '.join(link.citation.surface.split())} -> {link.target} {link.status}"


def relations(built: Records) -> Iterator[str]:
    """The main relation of each comment."""
    seen = set()
    for relation in built.relations:
        if relation.comment not in seen:
            seen.add(relation.comment)
            yield f"{relation.comment} is about {relation.law}"


def expected(name: str, start: str) -> list[str]:
    lines = (CORPORA / name / "expected.txt").read_text(encoding="utf-8").splitlines()
    at = lines.index(start) + 1
    end = next((i for i in range(at, len(lines)) if lines[i] in (TREE, LINKS, RELATIONS)), len(lines))
    return [line for line in lines[at:end] if line.strip() and not line.startswith("#")]


# The trees, the links, the relations.


@pytest.mark.parametrize("name", NAMES)
def test_tree(name: str) -> None:
    assert list(tree(records(name))) == expected(name, TREE)


@pytest.mark.parametrize("name", NAMES)
def test_links(name: str) -> None:
    assert list(links(records(name))) == expected(name, LINKS)


@pytest.mark.parametrize("name", NAMES)
def test_every_comment_is_about_the_law_that_a_reader_would_name(name: str) -> None:
    assert list(relations(records(name))) == expected(name, RELATIONS)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_a_source_is_lost(name: str) -> None:
    built = records(name)
    assert [f for f in built.findings if f.kind == "unaccounted"] == []
    for source in built.sources:
        assert sum(a.chars for a in built.accounts if a.source == source.name) == source.chars


@pytest.mark.parametrize("name", NAMES)
def test_every_character_of_a_node_leads_home(name: str) -> None:
    built = records(name)
    raw = {source.name: source.text for source in built.sources}
    for node in built.nodes:
        for span in node.spans:
            if span.where in ("text", "tail", "title") and span.end - span.start > 3:
                own = getattr(node, span.where)[span.start : span.end]
                home = raw[span.source][span.source_start : span.source_end]
                assert own.split() == home.split()


def test_the_order_of_the_sources_is_of_no_matter(tmp_path: Path) -> None:
    copied = _copy("regulation", tmp_path)
    listing = copied / "sources" / "sources.toml"
    blocks = listing.read_text(encoding="utf-8").split("[[source]]")
    listing.write_text("[[source]]".join([blocks[0], *reversed(blocks[1:])]), encoding="utf-8")
    assert show(build(copied)) == show(records("regulation"))


# What this corpus holds that bridge does not.


def test_a_table_stands_verbatim_in_both_copies() -> None:
    built = records("regulation")
    tables = [node for node in built.nodes if node.kind == "table"]
    assert [node.ref.dotted for node in tables] == ["6.1.t1"]
    for source in ("typescript.txt", "carbon_copy.txt"):
        raw = next(info.text for info in built.sources if info.name == source)
        assert tables[0].text in raw
    assert all(witness.same for witness in tables[0].witnesses) and len(tables[0].witnesses) == 2


def test_two_copies_of_a_page_are_one_text_with_two_witnesses() -> None:
    node = next(n for n in records("regulation").nodes if n.ref.dotted == "7.1")
    assert [(w.source, w.same) for w in node.witnesses] == [
        ("carbon_copy.txt", True),
        ("typescript.txt", True),
    ]


def test_a_repealed_article_says_so_and_counts_as_no_gap() -> None:
    built = records("statute")
    states = {entry.ref.dotted: entry.status for entry in built.entries if entry.ref.work == "statute"}
    assert states["9"] == states["8.2"] == states["3.3"] == "repealed"
    assert states["8"] == states["3"] == "text"


def test_dotted_numbers_are_provisions_where_the_profile_says_so() -> None:
    kinds = {str(node.ref): node.kind for node in records("statute").nodes}
    assert kinds["statute/1999/7.2"] == "point"
    assert kinds["commentary/1999/7~8.1"] == "comment"


# One corpus knows nothing of another.

BRIDGE = CORPORA.parent.parent / "corpus" / "bridge"


def names(folder: Path) -> set[str]:
    """What a profile calls its corpus, works and levels, as single words in small letters."""
    profile = profiles.load(folder)
    said = [profile.name, *profile.titles.values()]
    for work in profile.works.values():
        said += [work.name, work.label, *work.titles.values(), *work.human.values()]
        for level in work.levels:
            said += [level.name, level.kind, *level.names.values()]
    return _vocabulary(" ".join(said))


def _vocabulary(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{4,}", text.lower()))


def foreign(name: str) -> set[str]:
    """Names of the other corpora that this one has no use for, neither in its profile nor in its sources."""
    others = set().union(*(names(CORPORA / other) for other in NAMES if other != name), names(BRIDGE))
    own = names(CORPORA / name) | _vocabulary("".join(source.text for source in records(name).sources))
    return (
        others
        - own
        - _vocabulary((CORPORA / name / "outline.toml").read_text() if name == "regulation" else "")
    )


@pytest.mark.parametrize("name", NAMES)
def test_no_record_has_a_word_of_another_corpus(name: str) -> None:
    built = records(name)
    parts = (built.meta, built.entries, built.nodes, built.links, built.relations, built.findings)
    assert len(foreign(name)) > 10
    assert _vocabulary("".join(map(repr, parts))) & (foreign(name) - PROGRAM) == set()


PROGRAM = _vocabulary(
    "commentary комментария правило rule "
    "citation entry footnote footnotes label language languages law link links marker note page paragraph "
    "reason source sources text title titles work works part comment group laws list heading"
)
"""Words of the program's own: names of fields, and what the site says of any corpus («правило обработки»)."""


# The store and the command line.


@pytest.fixture(scope="module", params=NAMES)
def stored(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp(request.param)
    save(records(request.param), folder / "kb.sqlite")
    return request.param, folder


def test_the_store_gives_back_every_node(stored: tuple[str, Path]) -> None:
    name, folder = stored
    base = open_store(folder / "kb.sqlite")
    assert list(base.nodes()) == list(records(name).nodes)
    assert list(base.entries()) == list(records(name).entries)


def _copy(name: str, to: Path) -> Path:
    return Path(shutil.copytree(CORPORA / name, to / name))


@pytest.fixture(scope="module", params=NAMES)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A corpus with its index and site, made by the command line."""
    folder = tmp_path_factory.mktemp(f"{request.param}-build")
    done = _run(request.param, folder, "build")
    assert done.exit_code == 0, done.output
    return request.param, folder


def _run(name: str, folder: Path, *arguments: str) -> Result:
    where = ("-q", "--corpus", str(CORPORA / name), "--build", str(folder))
    return CliRunner().invoke(cli, [*where, *arguments])


COMMANDS = {
    "regulation": [
        (("show", "§ 4 (2) b)"), "to a crew under a coach;"),
        (("show", "rules/2003/5.2"), "carbon_copy.txt, lines 1-2, page 4"),
        (("resolve", "§ 3 (2)"), "rules/2003/3.2 [resolved] /rules/2003/3/#3.2"),
        (("search", "lights in the dark"), "rules/2003/9"),
        (("search", "§ 13"), "rules/2003/13"),
    ],
    "statute": [
        (("show", "статья 7¹"), "Льготы для жителей квартала"),
        (("show", "пункт 10.2(1)"), "утверждает городское собрание"),
        (("resolve", "подпункт 2) пункта 7.2"), "statute/1999/7.2.2 [resolved] /statute/1999/7/#7.2.2"),
        (("search", "поводок для собаки"), "statute/1999/8.1"),
        (("search", "ст. 7¹"), "statute/1999/7-1"),
    ],
    "moorings": [
        (("resolve", "п. 2 ст. 36"), "law/2012/36.2 [resolved] /law/2012/36/#36.2"),
        (("resolve", "п. 13.11(1)"), "law/2012/13.11-1 [resolved] /law/2012/13/#13.11-1"),
        (("resolve", "статья 36¹"), "law/2012/36-1 [resolved]"),
        (("show", "п. 13.11(2)"), "Дежурный следит за очередью"),
        (("show", "ст. 14"), "repealed"),
        (("search", "час стоянки"), "commentary/2012/36~38.2"),
    ],
    "allotments": [
        (("resolve", "Section 12A(3)(b)"), "act/1988/12A.3.b [resolved] /act/1988/12A/#12A.3.b"),
        (("show", "s. 12B"), "repealed"),
        (("search", "ss. 12A"), "act/1988/12A"),
        (("search", "schools at half the rent"), "act/1988/12A.1"),
    ],
}


def test_commands(made: tuple[str, Path]) -> None:
    name, folder = made
    for arguments, said in COMMANDS[name]:
        done = _run(name, folder, *arguments)
        assert done.exit_code == 0, (arguments, done.output)
        assert said in " ".join(done.output.split()), (arguments, done.output)


def test_every_entry_has_its_place_on_the_site(made: tuple[str, Path]) -> None:
    name, folder = made
    profile = profiles.load(CORPORA / name)
    base = open_store(folder / "kb.sqlite")
    pages: dict[str, str] = {}
    for entry in records(name).entries:
        page, _, anchor = address.url(profile, entry.ref, base).partition("#")
        file = folder / "site" / page.strip("/") / "index.html"
        html = pages.setdefault(page, file.read_text(encoding="utf-8"))
        assert not anchor or f'id="{anchor}"' in html, entry.ref
        assert (folder / "site" / address.permalink(profile, entry.ref).strip("/") / "index.html").exists()


def test_the_site_has_no_word_of_another_corpus(made: tuple[str, Path]) -> None:
    name, folder = made
    for page in sorted((folder / "site").rglob("*.html")):
        html = page.read_text(encoding="utf-8")
        seen = re.sub(r"<(script|style)\b.*?</\1>|<[^>]+>", " ", html, flags=re.DOTALL)
        assert _vocabulary(seen) & (foreign(name) - PROGRAM) == set(), page


def test_the_table_stands_verbatim_on_the_site(made: tuple[str, Path]) -> None:
    name, folder = made
    for node in records(name).nodes:
        if node.kind == "table":
            assert node.text in (folder / "site" / "rules" / "2003" / "6" / "index.html").read_text("utf-8")


if __name__ == "__main__":
    sys.stdout.write(show(build(Path(sys.argv[1]))))
