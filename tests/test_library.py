"""The Python face: look up, search, resolve, cite. Built from the gold."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from goldkb import gold_build, gold_records

import kb
from kb.errors import BuildError, InputError, NotFound
from kb.model import Node, Ref
from kb.store import save
from kb.verify import text_hash, verify


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return kb.open(gold_build(tmp_path_factory.mktemp("build")))


def test_a_provision(base):
    found = base["laws/1987/65.C"]
    assert found.text["ru"].startswith("Каждый игрок располагает") and found.title["ru"] == "Порядок"
    assert found.title["en"] == "orderliness" and found.title_basis["en"] == "topic"
    assert found.parent == base["laws/1987/65"] and found.children == []
    assert [str(c.ref) for c in found.commentary] == ["commentary/1987/65.3"]
    assert found.url == "/laws/1987/65/#65.C" and found.permalink == "/l/1987/65C/"


def test_a_law_gathers_what_is_below(base):
    law = base["laws/1987/65"]
    assert [c.short for c in law.children] == ["65A", "65B", "65C", "65D"]
    assert {"commentary/1987/65.3", "commentary/1987/65.5"} <= {str(c.ref) for c in law.commentary}
    assert [str(p.at) for p in law.cited_by][:1] == ["laws/1987/44.B"]


def test_a_comment_knows_what_it_is_about(base):
    assert str(base["commentary/1987/65.3"].about[0].law) == "laws/1987/65.C"


def test_it_is_a_mapping(base):
    assert "laws/1987/65.C" in base and "laws/1987/65.Z" not in base and "no ref" not in base
    assert base.get("laws/1987/65.Z") is None
    assert next(iter(base)) == "laws/1987/ch.I" and len(base) == len(list(base))
    with pytest.raises(KeyError) as caught:
        base["laws/1987/65.Z"]
    assert isinstance(caught.value, NotFound) and str(caught.value).startswith("laws/1987/65.Z: ")
    with pytest.raises(InputError):
        base["nonsense"]


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("65C", ["laws/1987/65.C"]),
        ("65с", ["laws/1987/65.C"]),
        ("65.C", ["laws/1987/65.C"]),
        ("65.3", ["commentary/1987/65.3"]),
        ("правилам 61А и 62А", ["laws/1987/61.A", "laws/1987/62.A"]),
        ("Law 43B2(a)", ["laws/1987/43.B.2.a"]),
        ("ch. no citation at all", []),
    ],
)
def test_resolve(base, text, targets):
    assert [str(link.target) for link in base.resolve(text)] == targets


def test_the_quick_way_to_a_short_name_is_the_resolvers(base):
    """A name it finds is the one the resolver finds, wherever the resolver finds one."""
    found = {ref: base.by_short_name(base[ref].short) for ref in base}
    named = {ref: quick for ref, quick in found.items() if quick is not None}
    assert len(named) > 400
    for ref, quick in named.items():
        law = ref.startswith("laws/") or not base[ref].short.isdigit()
        assert str(quick.ref) == (ref if law else str(base.resolve(quick.short)[0].target))
    for quick in named.values():
        links = base.resolve(quick.short)
        assert not links or links[0].target == quick.ref
    assert str(base.by_short_name("65").ref) == "laws/1987/65", "of a law and the commentary on it the law"
    assert base.find("43b2A").ref.dotted == "43.B.2.a"
    assert base.find("ch.VII").ref.dotted == "ch.VII"  # a path that no citation has


def test_resolve_in_other_editions(base):
    for asked in ({"edition": "2017"}, {"on": "2018-01-01"}):
        ((link, how),) = base.resolve_told("16D", **asked)
        assert (str(link.target), link.status) == ("laws/1987/16.B", "not-supplied")
        assert (how.edition, how.path, how.change, how.support) == ("2017", "16.D", "moved", "S")
        assert "2017 16D" in how.note["en"]
    assert str(base.resolve("16D", on="1990")[0].target) == "laws/1987/16.D"
    assert str(base.resolve("65C 1975", edition="2017")[0].target) == "laws/1975/65.C", "the text's own word"
    ((link, how),) = base.resolve_told("12C3", edition="2017")
    assert (link.status, how.change) == ("other-edition", "new")
    with pytest.raises(InputError, match="1999"):
        base.resolve("16D", edition="1999")


def test_cite(base):
    text = "См. правило 66C и п. 65.3."
    links = base.cite(text, lang="ru")
    assert [str(link.target) for link in links] == ["laws/1987/66.C", "commentary/1987/65.3"]
    assert all(text[c.start : c.end] == c.surface for c in (link.citation for link in links))


def test_search(base):
    result = base.search("болван спросил разыгрывающего о фальшренонсе")
    assert result[0] == result.hits[0] == next(iter(result))
    assert result.hits and isinstance(result.hits[0], kb.Hit)


def test_verify(base, tmp_path):
    c, law49 = base["laws/1987/65.C"], base["laws/1987/49"]
    good, none = text_hash(base, c.ref), text_hash(base, law49.ref)
    note = tmp_path / "appeal.md"
    note.write_text(
        f"See https://x.example/l/1987/65C/?h={good} and /l/65C/?h=000000000000,\n"
        f"/l/1987/49/?h={none}, /l/1987/65C/?h={none}\n/l/1987/650C/?h=123456789abc "
        f"/laws/1987/65/?h={good}#65.C\n",
        "utf-8",
    )
    found = verify(base, [note])
    states = [(v.stored.line, v.state) for v in found]
    assert states == [
        (1, "same"),
        (1, "changed"),
        (2, "same"),
        (2, "gained-text"),
        (3, "vanished"),
        (3, "same"),
    ]
    assert all("\n" not in str(verdict) for verdict in found)


def test_verify_json_of_cite(base, tmp_path):
    import json

    from kb import answers

    stored = tmp_path / "cites.json"
    data = answers.find_refs(base, "Правило 65C, правило 49")
    stored.write_text(json.dumps(data))
    assert [v.state for v in verify(base, [stored])] == ["same", "same"]
    data["refData"]["laws/1987/65.C"]["hash"] = "0" * 12
    data["results"][1]["refs"] = ["laws/1987/65.A"]
    stored.write_text(json.dumps(data))
    assert [v.state for v in verify(base, [stored])] == ["changed", "gained-text"]


def test_verify_between_two_builds(tmp_path):
    """A write-up pinned to one build, judged by the next one: text mended, moved, come in, gone."""
    old = kb.open(gold_build(tmp_path / "old", index=False))
    from kb import answers

    text = "Правила 65A, 65C, 43B2(a), 61A и 49."
    note = tmp_path / "note.md"
    note.write_text(answers.annotated(old, text, "md", root="https://x.example/", pin=True), "utf-8")
    assert [v.state for v in verify(old, [note])] == ["same"] * 5
    records = gold_records()
    texts = {str(n.ref): n.text for n in records.nodes if n.lang == "ru"}
    written = {
        "laws/1987/65.C": "Другие слова.",
        "laws/1987/43.B.2.a": "И здесь другие.",
        "laws/1987/44.A": texts["laws/1987/43.B.2.a"],
    }
    nodes = [replace(n, text=written.get(str(n.ref), n.text)) for n in records.nodes]
    nodes = [n for n in nodes if not str(n.ref).startswith("laws/1987/61.A")]
    known = {str(n.ref) for n in nodes}
    for name, said in (("44.A", written["laws/1987/44.A"]), ("49", "Теперь текст есть.")):
        if f"laws/1987/{name}" not in known:
            nodes.append(Node(Ref.parse(f"laws/1987/{name}"), "ru", "section", text=said))
    save(replace(records, nodes=tuple(nodes)), gold_build(tmp_path / "new", index=False) / "kb.sqlite")
    new = kb.open(tmp_path / "new")
    judged = {str(v.stored.ref).removeprefix("laws/1987/"): v for v in verify(new, [note])}
    assert {ref: v.state for ref, v in judged.items()} == {
        "65.A": "same",
        "65.C": "changed",
        "43.B.2.a": "moved",
        "61.A": "lost-text",
        "49": "gained-text",
    }
    assert str(judged["43.B.2.a"].now) == "laws/1987/44.A"


def test_verify_wants_stored_citations(base, tmp_path):
    (tmp_path / "none.txt").write_text("no citation here")
    with pytest.raises(InputError, match="no stored citation"):
        verify(base, [tmp_path / "none.txt"])


def test_no_build(tmp_path):
    with pytest.raises(BuildError, match="kb build"):
        kb.open(tmp_path)


def test_importing_kb_imports_nothing_else():
    code = "import sys, kb; print([m for m in sys.modules if m.startswith('kb.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    with pytest.raises(AttributeError):
        kb.nothing  # noqa: B018


def test_a_warm_library_has_all_it_needs(tmp_path_factory):
    """What a first question would have to import or compile is there before it."""
    build = gold_build(tmp_path_factory.mktemp("warm"))
    code = (
        "import sys, kb\n"
        f"base = kb.open({str(build)!r}); base.warm(); had = set(sys.modules)\n"
        "for asked in ('взятка', 'взятак', 'ghfdbkj 65', '65c', 'правило 65 взятка', '\"взятка\"'):\n"
        "    base.search(asked)\n"
        "base.read('правило 65')\n"
        "print(sorted(set(sys.modules) - had))\n"
        "print('_resolver' in vars(base.index.citations), '_laws' in vars(base.index))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "True True"]
