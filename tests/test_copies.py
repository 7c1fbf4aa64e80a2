"""Other copies of the four scans, as such copies exist: re-wrapped, re-numbered, re-cut, other page marks.

Each is made from the hand-checked gold by code and must give the gold back: every provision at its place,
with its text, page and footnote; no other provision beside them; no character unaccounted for.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import damage as generator
import pytest
from test_parse import show

from kb import profile as profiles
from kb.collate import collate, continued
from kb.model import Node, Ref, Span, Witness
from kb.parse import Parsed
from kb.profile import Profile, SourceSpec
from kb.read.columns import set_in_one
from kb.read.extract import one_flow
from kb.repair.pages import PageMap
from kb.sourced import understand
from kb.text import Text

ROOT = Path(__file__).parent.parent
GOLD = Path(__file__).parent / "gold"
KINDS = {"law", "section", "item", "subitem", "comment", "comment-item"}
RUSSIAN = "АБВГДЕЖЗИК"
TWINS = str.maketrans("ABCEHKMOPTX", "АВСЕНКМОРТХ")

Seen = tuple[str, str, int | None, str]
"""Title, text, page and footnotes, white space apart."""


@cache
def bridge() -> Profile:
    return profiles.load(ROOT / "corpus" / "bridge")


def bare(text: str | None) -> str:
    return re.sub(r"\s", "", text or "")


def plain(text: str) -> str:
    """Letters and figures alone: for copies that print headings in capitals or with a full stop."""
    return re.sub(r"[\W_]", "", text).casefold()


# The gold as pages.


@dataclass(frozen=True)
class Piece:
    path: tuple[str, ...]
    kind: str
    title: str = ""
    text: str = ""
    note: str = ""
    level: str = ""


@cache
def pages() -> Mapping[int, tuple[Piece, ...]]:
    """The pages of both law files; page 85 from the one that has it whole."""
    out: dict[int, tuple[Piece, ...]] = {}
    for name in ("003", "004"):
        gold = json.loads((GOLD / f"{name}.json").read_text("utf-8"))
        for page in sorted({node["page"] for node in gold["nodes"]} - set(out)):
            pieces: list[Piece] = []
            for node in (n for n in gold["nodes"] if n["page"] == page):
                for head in gold["headings"]:
                    if head["page"] == page and head["before"] == node["id"]:
                        level, number = head["label"].split()
                        note = head.get("footnote", "")
                        pieces.append(Piece((number,), "heading", head["title_ru"], "", note, level))
                cut = not pieces and not node["title_ru"] and not node["complete"]
                kind = "cut" if cut else node["kind"]
                path = tuple(node["id"].split("."))
                note = node.get("footnote") or ""
                pieces.append(Piece(path, kind, node["title_ru"], node["text"], note))
            out[page] = tuple(pieces)
    return out


def wanted(which: Iterable[int] | None = None) -> dict[str, Seen]:
    return {
        ".".join(p.path): (bare(p.title), bare(p.text), page, bare(p.note))
        for page in (pages() if which is None else which)
        for p in pages()[page]
        if p.kind != "heading"
    }


# How a copy prints.


@dataclass(frozen=True)
class Style:
    law: str = "Правило {n}. {title}"
    heading: str = "{level} {n} - {title}"
    section: str = "{n}.{title}"
    item: str = "{n}.{title}"
    subitem: str = "({n}).{title}"
    joint: str | None = None
    """Between the parts of a number that is printed whole before each provision."""
    letters: str = "latin"
    width: int = 48
    indent: int = 0
    margin: int = 0
    hyphens: bool = True
    rule: str = "Д"
    blank: int = 0
    page: str = "- {p} -"
    head: str = ""
    foot: bool = True
    run_in: bool = False
    capitals: bool = False
    centred: bool = False


def wrap(text: str, width: int, indent: int = 0, hyphens: bool = True) -> list[str]:
    lines: list[str] = []
    line = " " * indent
    if not width:
        return [line + text]
    for word in re.split(r"[ \n]+", text):
        room = width - len(line) - bool(line.strip())
        if len(word) > room and line.strip():
            cut = generator._cut(word, room - 1) if hyphens else 0
            lines.append(f"{line} {word[:cut]}-" if cut else line)
            line = word[cut:]
        else:
            line += (" " if line.strip() else "") + word
    return [*lines, line]


def number(piece: Piece, style: Style) -> str:
    printed = piece.path[-1]
    if piece.kind in ("section", "subitem"):
        printed = printed.upper()
        if style.letters == "twins":
            printed = printed.translate(TWINS)
        elif style.letters == "russian":
            printed = RUSSIAN["ABCDEFGHIJ".index(printed)]
        elif style.letters == "small" and piece.kind == "subitem":
            printed = printed.lower()
    if style.joint is not None and piece.kind in ("section", "item", "subitem"):
        return style.joint.join([*piece.path[:-1], printed])
    return printed


def printed_page(page: int, style: Style) -> list[str]:
    lines: list[str] = []
    for piece in pages()[page]:
        shown = number(piece, style)
        if piece.kind == "cut":
            lines += wrap(piece.text, style.width, 0, style.hyphens)
            continue
        lines += [""] * style.blank
        if piece.kind == "heading":
            said = style.heading.format(level=piece.level, n=shown, title=piece.title)
            said += " (*)" if piece.note else ""
            lines.append(said.center(style.width) if style.centred else said)
            lines += [style.rule * 20] if style.rule else []
            continue
        title = piece.title.upper() if style.capitals and piece.kind == "law" else piece.title
        first = getattr(style, piece.kind).format(n=shown, title=title or "\0")
        if "\0" in first:
            lines += wrap(first.replace("\0", piece.text), style.width, 0, style.hyphens)
            continue
        if style.run_in and piece.kind != "law" and piece.text:
            lines += wrap(f"{first} {piece.text}", style.width, 0, style.hyphens)
            continue
        law = piece.kind == "law"
        heads = wrap(first, style.width, 0, False)
        lines += [line.center(style.width) for line in heads] if law and style.centred else heads
        lines += [style.rule * min(style.width or 40, len(first))] if law and style.rule else []
        lines += wrap(piece.text, style.width, style.indent, style.hyphens) if piece.text else []
    for note in (piece.note for piece in pages()[page] if piece.note):
        lines += [style.rule * 48] if style.rule else []
        lines += wrap(note, style.width, 0, style.hyphens)
    lines = [" " * style.margin + line if line.strip() else line for line in lines]
    mark = [style.page.format(p=page)] if style.page else []
    head = [style.head.format(p=page)] if style.head else []
    return [*head, *lines, *mark] if style.foot else [*mark, *head, *lines]


def copy(style: Style, which: Sequence[int] | None = None) -> str:
    return "".join(line + "\n" for page in which or pages() for line in printed_page(page, style))


# What is read.


def read(raw: str, name: str, work: str = "laws", profile: Profile | None = None) -> tuple[Parsed, PageMap]:
    profile = profile or bridge()
    spec = SourceSpec(Path(name), name, work, profile.edition, profile.lang)
    found = understand(Text(raw, name), raw, spec, profile)
    assert [finding for finding in found.findings if finding.kind == "unaccounted"] == []
    return found.parsed, found.pages


def together(files: Sequence[str], work: str = "laws", profile: Profile | None = None) -> dict[str, Node]:
    """The collated provisions of some files."""
    nodes: list[Node] = []
    maps: dict[str, PageMap] = {}
    leads: list[Node] = []
    for index, raw in enumerate(files):
        parsed, maps[f"{index}.txt"] = read(raw, f"{index}.txt", work, profile)
        nodes += parsed.nodes
        leads += [piece.lead for piece in parsed.unplaced if piece.lead]

    def page_at(source: str, place: int) -> int | None:
        return maps[source].at(place)[0]

    merged, _ = collate([*nodes, *continued(leads, nodes, page_at)], page_at)
    return {node.ref.dotted: node for node in merged if node.kind in KINDS}


def seen(node: Node) -> Seen:
    notes = "".join(bare(f"{note.mark}-{note.text}") for note in node.footnotes)
    return bare(node.title), bare(node.text), node.page, notes


S = Style()
SAME = {
    "narrow": replace(S, width=30),
    "wide": replace(S, width=100),
    "a paragraph a line": replace(S, width=0),
    "no hyphens": replace(S, width=70, hyphens=False),
    "no rules": replace(S, rule=""),
    "blank lines between": replace(S, blank=1),
    "indented": replace(S, indent=4, margin=3),
    "centred headings": replace(S, centred=True, width=70, rule=""),
    "page: стр. N": replace(S, page="стр. {p}"),
    "page: Страница N": replace(S, page="Страница {p}"),
    "page: N": replace(S, page="{p}"),
    "page: [N]": replace(S, page="[{p}]"),
    "page: (N)": replace(S, page="({p})"),
    "page: — N —": replace(S, page="— {p} —"),
    "page: *** N ***": replace(S, page="*** {p} ***"),
    "page: N in the middle": replace(S, page=" " * 22 + "{p}"),
    "page: N and a head": replace(S, page="{p}", head="ПРАВИЛА СПОРТИВНОГО БРИДЖА"),
    "page: head with N": replace(S, page="", head="{p}            ПРАВИЛА СПОРТИВНОГО БРИДЖА"),
    "page: mark at the head": replace(S, foot=False),
    "links between the pages": replace(S, page="- {p} -\n« Назад | Далее »\n[Оглавление]"),
    "page: N at head and foot": replace(S, page="{p}", head="{p}"),
    "page: стр. N at the head, N at the foot": replace(S, page="{p}", head="стр. {p}"),
    "page: p. N": replace(S, page="p. {p}"),
    "page: .N.": replace(S, page=".{p}."),
    "page: Конец страницы N": replace(S, page="Конец страницы {p}"),
    "1), a)": replace(
        S, section="{n}) {title}", item="{n}) {title}", subitem="{n}) {title}", letters="small"
    ),
    "(1)": replace(S, item="({n}) {title}"),
    "a.": replace(S, subitem="{n}. {title}", letters="small"),
    "А В С": replace(S, letters="twins"),
    "А Б В": replace(S, letters="russian"),
    "tabs": replace(S, law="Правило\t{n}.\t{title}", section="{n}\t{title}", item="{n}\t{title}"),
    "spaced stops": replace(S, section="{n} . {title}", item="{n} . {title}"),
    "Правило 65-": replace(S, law="Правило {n}-{title}"),
    "ПРАВИЛО 65.": replace(S, law="ПРАВИЛО {n}.{title}"),
    "ПРАВИЛО 65 on its own line": replace(S, law="ПРАВИЛО {n}\n{title}"),
    "Правило № 65": replace(S, law="Правило № {n}. {title}"),
    "the bare number": replace(S, law="{n}. {title}"),
    "letters set apart": replace(S, law="П Р А В И Л О  {n}. {title}"),
    "Markdown": replace(S, law="## Правило {n}. {title}", section="### {n}. {title}", rule=""),
    "(A) for sections": replace(S, section="({n}) {title}"),
    "(A) for sections and subitems": replace(S, section="({n}) {title}", subitem="({n}) {title}"),
    "sections without a stop": replace(S, section="{n} {title}"),
    "sections without a stop, А В С": replace(S, section="{n} {title}", letters="twins"),
    "page: N / 93": replace(S, page="{p} / 93"),
    "page: Page N of 93": replace(S, page="Page {p} of 93"),
    "page: стр. N из 93": replace(S, page="стр. {p} из 93"),
    "page: Page N": replace(S, page="Page {p}"),
    "page: a day and N": replace(S, page="12.03.1998      {p}"),
    "page: a day, an hour, N of 93": replace(S, page="12.03.98 14:25    Стр. {p} из 93"),
    "page: N of 93 at the head": replace(S, page="{p}/93", foot=False),
    "a rule of #": replace(S, rule="#"),
    "a rule of stops": replace(S, rule="."),
    "a rule of +": replace(S, rule="+"),
    "a rule of ^": replace(S, rule="^"),
    "Law 65": replace(S, law="Law {n}. {title}"),
    "LAW 65 -": replace(S, law="LAW {n} - {title}"),
    "Статья 65": replace(S, law="Статья {n}. {title}"),
    "Закон 65": replace(S, law="Закон {n}. {title}"),
    "_headings_": replace(S, law="_Правило {n}. {title}_", section="_{n}. {title}_", rule=""),
    "*headings*": replace(S, law="*Правило {n}. {title}*", section="*{n}. {title}*", rule=""),
    "=headings=": replace(S, law="== Правило {n}. {title} ==", section="= {n}. {title} =", rule=""),
    "A:": replace(S, section="{n}: {title}"),
    "A/": replace(S, section="{n}/ {title}"),
    "A –": replace(S, section="{n} – {title}"),
    "A -": replace(S, section="{n} - {title}"),
    "[A]": replace(S, section="[{n}] {title}"),
    "• A.": replace(S, section="• {n}. {title}"),
    "- A.": replace(S, section="- {n}. {title}", item="- {n}. {title}"),
    "* A.": replace(S, section="* {n}. {title}"),
    "1:": replace(S, item="{n}: {title}"),
    "№ 1.": replace(S, item="№ {n}. {title}"),
    "[1]": replace(S, item="[{n}] {title}"),
    "• 1.": replace(S, item="• {n}. {title}", subitem="• ({n}) {title}"),
    "65-В-3": replace(S, joint="-", letters="twins", subitem="{n}.{title}"),
    "65.B.3": replace(S, joint=".", subitem="{n}. {title}"),
    "65B3": replace(S, joint="", subitem="{n}. {title}"),
    "65 B": replace(S, joint=" ", item="{n}. {title}", subitem="{n}. {title}"),
    "§ 65.B.3": replace(
        S,
        joint=".",
        law="§ {n}. {title}",
        section="§ {n}. {title}",
        item="§ {n}. {title}",
        subitem="§ {n} {title}",
    ),
    "Раздел A., Пункт 1.": replace(S, section="Раздел {n}. {title}", item="Пункт {n}. {title}"),
    "п. A., пп. 1.": replace(S, section="п. {n}. {title}", item="пп. {n}. {title}"),
    "правило 65.": replace(S, law="правило {n}. {title}"),
    "Правило 65-е.": replace(S, law="Правило {n}-е. {title}"),
    "65-е правило.": replace(S, law="{n}-е правило. {title}"),
    "Пр. 65.": replace(S, law="Пр. {n}. {title}"),
    "A.-": replace(S, section="{n}.- {title}", item="{n}.- {title}"),
    "A.)": replace(S, section="{n}.) {title}", item="{n}.) {title}"),
    "A. on its own line": replace(S, section="{n}.\n{title}"),
    "headings on two lines": replace(S, heading="{level} {n}\n{title}"),
    "a wiki": replace(
        S,
        width=0,
        law="== Правило {n}. {title} ==",
        section="=== {n}. {title} ===",
        item="'''{n}. {title}'''",
        subitem=":(''{n}'') {title}",
    ),
    "a forum": replace(S, width=0, section="[i]{n}. {title}[/i]", item="[*]{n}. {title}"),
    "TeX": replace(
        S,
        law="\\section*{{Правило {n}. {title}}}",
        section="\\subsection*{{{n}. {title}}}",
        item="\\textbf{{{n}. {title}}}",
    ),
    **{
        f"sections {look}": replace(S, section=look.replace("A", "{n}") + " {title}")
        for look in ("A,", "A;", "A..", "A>", "A|", "A°", "/A/", "(A.)", "«A».", "'A'", "A.:", "A_")
    },
    **{
        f"headings {look}": replace(S, law=look.replace("65", "{n}") + " {title}")
        for look in (
            "Правило N 65.",
            "Правило #65.",
            "Правило (65).",
            "Правило [65].",
            "Правило-65.",
            "Правило 65,",
            "Правило 65...",
            "Правило 65*.",
            "Правила 65.",
            "Правипо 65.",
            "Лравило 65.",
            "Г1равило 65.",
            "Pravilo 65.",
            "!! Правило 65.",
            "\n\nПравило 65.",
        )
    },
    "«headings»": replace(S, law="«Правило {n}. {title}»"),
    "^headings^": replace(S, law="^Правило {n}. {title}^"),
    "[h2]": replace(S, law="[h2]Правило {n}. {title}[/h2]"),
    "\\chapter": replace(S, law="\\chapter{{Правило {n}. {title}}}"),
    "page: a browser's footer": replace(S, page="file:///C:/LAWS.HTM ({p} из 93) [12.03.2001 14:02:11]"),
    "page: an address": replace(S, page="http://www.bridge.ru/laws/p{p}.htm"),
    "page: a file, N and a day": replace(S, page="LAWS.DOC   Стр. {p}   12.03.98"),
    "page: a book and a bar": replace(S, page="Правила бриджа 1987 | {p}"),
    "page: N at both ends": replace(S, page="{p}  ПРАВИЛА  {p}"),
    "page: a club, стр. N": replace(S, page="Московский клуб, стр. {p}"),
    "page: an address above": replace(S, page="http://www.bridge.ru/laws/ 12.03.2001\n- {p} -"),
    "page: goes on": replace(S, page="(продолжение следует)\n- {p} -"),
    "bold": replace(S, law="**Правило {n}. {title}**", section="**{n}. {title}**", rule=""),
}
ALIKE = {
    "Правило 65 (title)": replace(S, law="Правило {n} ({title})"),
    "headings in capitals": replace(S, law="ПРАВИЛО {n}\n{title}", capitals=True, rule=""),
    "bare numbers and capitals": replace(S, law="{n}. {title}", capitals=True),
    "headings with a full stop": replace(
        S,
        law="Правило {n}. {title}.",
        section="{n}. {title}.",
        item="{n}. {title}.",
        subitem="({n}) {title}.",
    ),
    "run-in titles": replace(S, section="{n}. {title}.", item="{n}. {title}.", run_in=True),
    "run-in titles with a dash": replace(S, section="{n}. {title} -", run_in=True),
}


@pytest.mark.parametrize("style", SAME.values(), ids=SAME.keys())
def test_another_copy_of_the_laws(style: Style) -> None:
    nodes = together([copy(style)])
    assert {path: seen(node) for path, node in nodes.items()} == wanted()


@pytest.mark.parametrize("changes", [{}, {"hyphens": False, "width": 72}, {"width": 0}], ids=str)
def test_a_copy_in_capitals(changes: Mapping[str, object]) -> None:
    """Where a title ends is not told there; «СМ. ПРАВИЛО 59.» at a line's end is no heading."""
    nodes = together([copy(replace(S, **changes)).upper()])  # type: ignore[arg-type]
    found = {path: (plain(node.title + node.text), node.page) for path, node in nodes.items()}
    assert found == {path: (plain(title + text), page) for path, (title, text, page, _) in wanted().items()}


@pytest.mark.parametrize("changes", [{}, {"hyphens": False, "width": 72}, {"width": 0}], ids=str)
def test_a_copy_in_small_letters(changes: Mapping[str, object]) -> None:
    nodes = together([copy(replace(S, **changes)).lower()])  # type: ignore[arg-type]
    found = {path: (plain(node.title + node.text), node.page) for path, node in nodes.items()}
    assert found == {path: (plain(title + text), page) for path, (title, text, page, _) in wanted().items()}


ITEMS = ["2,", "2..", "(2.)", "2-", "2 -", "2°.", "#2", "2-е.", "2>", "<2>", "«2»", "2|", "2;", "2"]


@pytest.mark.parametrize("look", ITEMS)
def test_items_with_other_signs(look: str) -> None:
    """But for lone items at the edges of pages: with nothing beside them these signs are not told."""
    nodes = together([copy(replace(S, item=look.replace("2", "{n}") + " {title}"))])
    truth = wanted()
    found = {path: seen(node) for path, node in nodes.items()}
    assert set(found) <= set(truth)
    assert sum(found.get(path) == said for path, said in truth.items()) >= len(truth) - 3


@pytest.mark.parametrize("style", ALIKE.values(), ids=ALIKE.keys())
def test_a_copy_with_other_headings(style: Style) -> None:
    """Where a title ends is not told; that nothing is lost, and where it stands, is."""
    nodes = together([copy(style)])
    found = {path: (plain(node.title + node.text), node.page) for path, node in nodes.items()}
    assert found == {path: (plain(title + text), page) for path, (title, text, page, _) in wanted().items()}


# Cut anew.

PAGES = list(pages())
SHUFFLED = random.Random(5).sample(PAGES, len(PAGES))
CUTS: dict[str, list[str]] = {
    "shuffled": [copy(S, SHUFFLED)],
    "from the end": [copy(S, PAGES[::-1])],
    "two halves": [copy(S, PAGES[:5]), copy(S, PAGES[5:])],
    "by turns": [copy(S, PAGES[::2]), copy(S, PAGES[1::2])],
    "in three": [copy(S, PAGES[i::3]) for i in range(3)],
    "a page a file": [copy(S, [page]) for page in PAGES],
    "overlapping, printed otherwise": [
        copy(S, PAGES[:7]),
        copy(replace(S, width=70, letters="twins", page="{p}"), PAGES[4:]),
    ],
    "a page twice": [copy(S, PAGES[:5] + PAGES[3:])],
    "quoted in a message": ["> " + copy(S).replace("\n", "\n> ")],
    "quoted twice": ["> > " + copy(S).replace("\n", "\n> > ")],
    "quoted with initials": ["From : Ivan\nTo   : All\n" + "IK> " + copy(S).replace("\n", "\nIK> ")],
    "no-break spaces": [copy(S).replace(" ", "\xa0")],
    "figures misread": [
        re.sub(r"(?m)^3\.", "З.", re.sub(r"(?m)^1\.", "l.", copy(S).replace("Правило 6", "Правило б")))
    ],
}


def _screens(raw: str, head: str) -> str:
    """A line of the same words after each 37 lines, wherever that is."""
    lines = raw.split("\n")
    return "\n".join(f"{line}\n\n{head}\n" if at % 37 == 36 else line for at, line in enumerate(lines))


def _headed(even: str, odd: str) -> str:
    """The number of each page beside a head, which says on it what it will."""
    out = []
    for turn, (page, pieces) in enumerate(pages().items()):
        laws = [piece.path[0] for piece in pieces if piece.kind != "heading"]
        first = next((p for p in pieces if p.kind == "law"), None)
        title = f"Правило {first.path[0]}. {first.title}" if first else "ПРАВИЛА"
        out.append((odd if turn % 2 else even).format(p=page, a=laws[0], b=laws[-1], title=title))
        out += printed_page(page, replace(S, page=""))
    return "\n".join(out)


def _columns() -> str:
    """Each page in two columns, its number below both."""
    out: list[str] = []
    for page in pages():
        *lines, mark = printed_page(page, replace(S, width=36))
        half = (len(lines) + 1) // 2
        rows = itertools.zip_longest(lines[:half], lines[half:], fillvalue="")
        out += [f"{left:<40}{right}".rstrip() for left, right in rows]
        out.append(mark.center(76).rstrip())
    return "\n".join(out) + "\n"


def _each(said: str, raw: str) -> str:
    lines = raw.split("\n")
    return "\n".join(said.format(line=line, n=n) if line else line for n, line in enumerate(lines, 1))


def _each_line(said: str, raw: str) -> str:
    """Blank lines, too."""
    return "\n".join(said.format(line=line, n=n) for n, line in enumerate(raw.split("\n"), 1))


STREWN = {
    "a head on each screen": _screens(copy(S), "Международный кодекс 1987"),
    "a link on each screen": _screens(copy(S), "Читать далее »"),
    "line numbers": "\n".join(f"{n:4d}  {line}" for n, line in enumerate(copy(S).split("\n"), 1)),
    "two columns": set_in_one(_columns())[0],
    "heads with the Laws of the page": _headed(*["Правила {a} - {b}             {p}"] * 2),
    "heads with the first Law's title": _headed(*["{title}             {p}"] * 2),
    "other heads left and right": _headed("{p}     Правила бриджа", "Международный кодекс     {p}"),
    "each fifth line numbered": "\n".join(
        (f"{n:4d} " if n % 5 == 0 else "     ") + line for n, line in enumerate(copy(S).split("\n"), 1)
    ),
    "each fifth line numbered, anew on a page": "\n".join(
        (f"{n:4d} " if n % 5 == 0 else "     ") + line
        for page in pages()
        for n, line in enumerate(printed_page(page, S), 1)
    ),
    "line numbers at the right": "\n".join(f"{line:<52}{n}" for n, line in enumerate(copy(S).split("\n"), 1)),
    "line numbers and a colon": _each("{n}: {line}", copy(S)),
    "a backslash at line ends": _each("{line}\\", copy(S)),
    "a bar at the ends of long lines": re.sub(r"(?m)^(.{30,})$", r"\1 |", copy(S)),
    "a bar at line ends": _each("{line:<60}|", copy(S)),
    "a bar at both edges": _each("| {line:<60} |", copy(S)),
    "<br>": _each("{line}<br>", copy(S)),
    "<p>": _each("<p>{line}</p>", copy(S)),
    "[b]": re.sub(r"(?m)^(Правило .*|[A-F]\..*)$", r"[b]\1[/b]", copy(S)),
    "specks of dust between lines": re.sub(
        r"(?m)^([^-ДН]{30,})$(?=\n[а-я])",
        lambda m: m[1] + ["\n'", "\n~ .", "\n|", "\n. ,", "\n°"][m.start() % 5],
        copy(S),
    ),
    "a question mark for ё": copy(S).replace("ё", "?"),
    "Latin letters wherever they look alike": copy(S).translate(str.maketrans("соае", "coae")),
    "&laquo; and numbers of signs": re.sub(
        '[«"(§]', lambda m: {"«": "&laquo;", '"': "&quot;"}.get(m[0], f"&#{ord(m[0])};"), copy(S)
    ).replace("»", "&raquo;"),
    "page feeds": one_flow(Text(copy(S).replace("\n- ", "\n\f- "))).value,
    **{
        f"margin: {sign}": _each_line(f"{sign} {{line}}", copy(S))
        for sign in (":", "//", "#", ";", "+", "║", "%", "[{n}]", "({n})", "{n}.", "laws.txt:{n}:")
    },
    **{f"line ends: {sign}": _each_line(f"{{line}}{sign}", copy(S)) for sign in ("$", "\\\\", "  ")},
    "a frame": f"╔{'═' * 60}╗\n" + _each_line("║ {line:<58} ║", copy(S).rstrip()) + f"\n╚{'═' * 60}╝\n",
    "a bar before some lines": "\n".join(
        f"| {line}" if at % 6 == 0 else line for at, line in enumerate(copy(S).split("\n"))
    ),
    "two blank lines between": copy(S).replace("\n", "\n\n\n"),
    "marks that set the direction": re.sub("(?<=[а-я])(?=[бвг])", "\u200e", copy(S)),
    "joiners": re.sub("(?<=[а-я])(?=[бвг])", "\u200d", copy(S)),
    "stress marks": re.sub("(?<=[аеиоуыэюя])(?=[бвгджз])", "\u0301", copy(S)),
    "ë": copy(S).replace("ё", "ë"),
    "ё lost": copy(S).replace("ё", "\ufffd"),
    "bl for ы": re.sub("(?<=[а-я]{3})ы", "bl", copy(S)),
    "3 for з, 4 for ч": re.sub(
        "(?<=[а-я])[зч](?=[а-я])", lambda m: {"з": "3", "ч": "4"}[m[0]] if m.start() % 2 else m[0], copy(S)
    ),
    "UTF-8 as CP850": copy(S).encode().decode("cp850"),
    "letters and their marks apart": unicodedata.normalize("NFD", copy(S)),
    **{
        f"hyphen: {sign!r}": re.sub(r"(?<=[а-я])-\n", f"{sign}\n", copy(S))
        for sign in ("\u00ad", "¬", "\u2011", "–", "_", "=", " -", "-\n", "-\n-", "\n-", "~", "\\", "*")
    },
    "hyphen: '¬ ' in the line": re.sub(r"(?<=[а-я])-\n", "¬ ", copy(S)),
}


def _roman(number: int) -> str:
    said = ""
    for value, sign in (
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
    ):
        said += sign * (number // value)
        number %= value
    return said + "I" * number


@pytest.mark.parametrize("head", ["Правило {n}. ", "ПРАВИЛО {n} - "])
def test_laws_numbered_in_roman_figures(head: str) -> None:
    raw = re.sub(r"(?m)^Правило (\d+)\. ", lambda m: head.format(n=_roman(int(m[1]))), copy(S))
    assert {path: seen(node) for path, node in together([raw]).items()} == wanted()


def test_footnotes_numbered_throughout_and_without_a_dash() -> None:
    raw, number = [], 0
    for page in pages():
        said = "\n".join(printed_page(page, S)) + "\n"
        if "(*)" in said:
            number += 1
            said = said.replace("(*) - ", f"[{number}] ").replace("(*)", f"[{number}]")
        raw.append(said)
    found = {
        path: re.sub(r"\[\d\]-?", "", "".join(map(str, seen(n))))
        for path, n in together(["".join(raw)]).items()
    }
    assert found == {
        path: re.sub(r"\(\*\)-?", "", "".join(map(str, said))) for path, said in wanted().items()
    }


@pytest.mark.parametrize("section", ["{n}. ", "{n}) ", "{n} - "])
def test_sections_numbered_in_roman_figures(section: str) -> None:
    raw = re.sub(r"(?m)^([A-F])\.", lambda m: section.format(n=_roman(ord(m[1]) - 64)), copy(S))
    assert {path: seen(node) for path, node in together([raw]).items()} == wanted()


@pytest.mark.parametrize(
    "mark",
    ["*", "*)", "**", "[*]", "†", "¹", "(1)", "[1]", "/1/", "{1}", "[^1]", "[*1]", "(а)", "(прим.)"],
)
def test_footnotes_with_another_mark(mark: str) -> None:
    nodes = together([copy(S).replace("(*)", mark)])
    found = {path: [str(part).replace(mark, "(*)") for part in seen(node)] for path, node in nodes.items()}
    assert found == {path: [str(part) for part in said] for path, said in wanted().items()}


@pytest.mark.parametrize("raw", STREWN.values(), ids=STREWN.keys())
def test_what_is_strewn_over_a_copy(raw: str) -> None:
    nodes = together([raw])
    assert {path: seen(node) for path, node in nodes.items()} == wanted()


@pytest.mark.parametrize("files", CUTS.values(), ids=CUTS.keys())
def test_cut_anew(files: list[str]) -> None:
    nodes = together(files)
    assert {path: seen(node) for path, node in nodes.items()} == wanted()


@pytest.mark.parametrize("seed", range(3))
def test_with_pages_left_out(seed: int) -> None:
    left = sorted(random.Random(seed).sample(PAGES, 7))
    nodes = together([copy(S, left)])
    assert {path: seen(node) for path, node in nodes.items()} == wanted(left)


@pytest.mark.parametrize(
    "law", sorted({p.path[0] for page in pages().values() for p in page if p.kind == "law"})
)
def test_the_head_of_a_law_is_lost(law: str) -> None:
    """What stood under it is in its place or reported; it is not in another law as if that were sure."""
    nodes = together([re.sub(rf"Правило {law}\..*\n(Д+\n)?", "", copy(S))])
    truth = wanted()
    wrong = {
        p for p, n in nodes.items() if n.basis == "explicit" and p not in truth and p.split(".")[0] != law
    }
    assert wrong <= KNOWN_WRONG.get(law, set())


KNOWN_WRONG: dict[str, set[str]] = {}


# The commentary.


@dataclass(frozen=True)
class Manner:
    head: str = "Правило {n}. {title}"
    para: str = "{n}. {text}"
    item: str = "({n}) {text}"
    numbered: str = "{a}.{b}"
    mark: str = "¶"
    width: int = 66
    blank: int = 0
    indent: int = 0
    command: str = "..page3"
    capitals: bool = True


@cache
def comments() -> tuple[tuple[str, str, Mapping[str, object]], ...]:
    out: list[tuple[str, str, Mapping[str, object]]] = []
    for name in ("001", "000"):
        gold = json.loads((GOLD / f"{name}.json").read_text("utf-8"))
        heads = {str(head["law"]): head["title_ru"] for head in gold["headings"]}
        for para in gold["paras"]:
            law = para["para"].split(".")[0]
            out.append((heads.pop(law, ""), para["para"], para))
    return tuple(out)


def told(manner: Manner, laws: set[str] | None = None) -> str:
    lines: list[str] = []
    for title, path, para in comments():
        a, b = path.split(".")
        if laws is not None and a not in laws:
            continue
        if title:
            lines += [manner.command] if manner.command else []
            said = title if manner.capitals else title.capitalize()
            lines += [manner.head.format(n=a, title=said) + manner.mark] if manner.head else []
        items = [
            manner.item.format(n=item["label"], text=item["text"]) if item["label"] else item["text"]
            for item in para["subitems"]  # type: ignore[attr-defined]
        ]
        first = str(para["intro"] or "") if items else str(para["text"])
        if not first:
            first = items.pop(0)
        parts = [manner.para.format(n=manner.numbered.format(a=a, b=b), text=first), *items]
        parts += [str(para["tail"])] if para.get("tail") else []
        for part in parts:
            wrapped = wrap(part, manner.width, manner.indent)
            wrapped[-1] += manner.mark
            lines += [*wrapped, *[""] * manner.blank]
    return "\n".join(lines) + "\n"


def said() -> dict[str, tuple[str, str]]:
    truth: dict[str, tuple[str, str]] = {}
    for _, path, para in comments():
        items = para["subitems"]
        own = para["intro"] if items else para["text"]
        truth[path] = (bare(str(own or "")), bare(str(para.get("tail") or "")))
        for index, item in enumerate(items, 1):  # type: ignore[arg-type, var-annotated]
            truth[f"{path}.{item['label'] or index}"] = (bare(item["text"]), "")
    return truth


M = Manner()
MANNERS = {
    "no marks": replace(M, mark=""),
    "no marks, heads or commands": replace(M, mark="", head="", command=""),
    "narrow": replace(M, width=30),
    "a paragraph a line": replace(M, width=0, mark="", blank=1),
    "indented, no marks": replace(M, indent=5, mark=""),
    "i)": replace(M, item="{n}) {text}"),
    "i.": replace(M, item="{n}. {text}"),
    "(i).": replace(M, item="({n}). {text}"),
    "65,3": replace(M, numbered="{a},{b}"),
    "65 .3": replace(M, numbered="{a} .{b}"),
    "п. 65.3": replace(M, numbered="п. {a}.{b}"),
    "§ 65.3": replace(M, numbered="§ {a}.{b}"),
    "65.3)": replace(M, para="{n}) {text}"),
    "[65.3]": replace(M, para="[{n}] {text}"),
    "65.3.Text": replace(M, para="{n}.{text}"),
    "65.3 on its own line": replace(M, para="{n}.\n{text}"),
    "small headings": replace(M, capitals=False),
    "a dash": replace(M, head="Правило {n} - {title}", capitals=False),
    "К Правилу": replace(M, head="К Правилу {n}. {title}"),
    "Комментарий к правилу": replace(M, head="Комментарий к правилу {n}. {title}"),
    "the heading on two lines": replace(M, head="ПРАВИЛО {n}\n{title}"),
    "the bare number": replace(M, head="{n}. {title}"),
    "headings without a number": replace(M, head="{title}"),
    "headings without a number, no marks": replace(M, head="{title}", mark="", blank=1),
    "65-3": replace(M, numbered="{a}-{b}"),
    "65:3": replace(M, numbered="{a}:{b}"),
    "Комм. 65.3": replace(M, numbered="Комм. {a}.{b}"),
    "65-3, no heads": replace(M, numbered="{a}-{b}", head="", command=""),
}


@pytest.mark.parametrize("manner", MANNERS.values(), ids=MANNERS.keys())
def test_another_copy_of_the_commentary(manner: Manner) -> None:
    nodes = together([told(manner)], "commentary")
    assert {path: (bare(node.text), bare(node.tail)) for path, node in nodes.items()} == said()


LISTS: dict[str, Sequence[str]] = {
    "1)": "123",
    "(1)": "123",
    "а)": "абв",
    "(а)": "абв",
    "(I)": ["I", "II", "III"],
    "(l)": ["l", "ll", "lll"],
}


@pytest.mark.parametrize(("look", "numbers"), LISTS.items(), ids=LISTS.keys())
def test_lists_in_comments_numbered_otherwise(look: str, numbers: Sequence[str]) -> None:
    def anew(match: re.Match[str]) -> str:
        return re.sub(r"\w+", numbers[len(match[1]) - 1], look) + " "

    nodes = together([re.sub(r"(?m)^\((i{1,3})\) ", anew, told(M))], "commentary")
    assert {path: (bare(node.text), bare(node.tail)) for path, node in nodes.items()} == said()


def test_comments_under_roman_figures() -> None:
    raw = re.sub(r"(?m)^(\d+)\.(\d+)\. ", lambda m: f"{_roman(int(m[1]))}.{m[2]}. ", told(M))
    nodes = together([raw], "commentary")
    assert {path: (bare(node.text), bare(node.tail)) for path, node in nodes.items()} == said()


def test_comments_numbered_without_their_law() -> None:
    """Under a heading they are its own; above the first heading nothing tells, and they stay unplaced."""
    headed = {path.split(".")[0] for title, path, _ in comments() if title}
    manner = replace(M, numbered="{b}")
    nodes = together([told(manner, {"51"}) + told(manner, headed)], "commentary")
    truth = {path: own for path, own in said().items() if path.split(".")[0] in headed}
    assert {path: (bare(node.text), bare(node.tail)) for path, node in nodes.items()} == truth


def test_a_list_inside_a_comment_numbered_without_its_law() -> None:
    raw = (
        "Правило 66. ПРОСМОТР ВЗЯТОК\n1. Главный принцип прост. Он таков.\n"
        "1. Взятка закрыта.\n2. Её не смотрят.\n3. Её кладут.\n"
    )
    nodes = together([raw], "commentary")
    assert {path: node.text.count(".") for path, node in nodes.items()} == {"66.1": 8}


# A law of many pages, each fourth in a file of its own.


@cache
def made(seed: int) -> tuple[list[generator.Made], Mapping[int, list[str]]]:
    nodes = generator.law(seed, 25)
    lines = generator.typed(nodes)
    return nodes, {n: lines[at : at + 40] for n, at in enumerate(range(0, len(lines), 40), 1)}


def outlined(seed: int, folder: Path) -> Profile:
    (folder / "profile.toml").write_text((bridge().root / "profile.toml").read_text("utf-8"), "utf-8")
    (folder / "outline.toml").write_text(generator.outline(made(seed)[0]), "utf-8")
    return profiles.load(folder)


def split(seed: int, parts: int, shuffled: bool = True) -> list[str]:
    files = []
    for part in range(parts):
        numbers = list(made(seed)[1])[part::parts]
        if shuffled:
            random.Random(seed + part).shuffle(numbers)
        files.append("".join(f"{line}\n" for n in numbers for line in [*made(seed)[1][n], f"- {n} -"]))
    return files


@pytest.mark.parametrize(("seed", "parts"), [(1, 2), (1, 3), (1, 4), (3, 4)])
def test_every_fourth_page_in_a_file_of_its_own(seed: int, parts: int, tmp_path: Path) -> None:
    nodes = together(split(seed, parts), profile=outlined(seed, tmp_path))
    truth = {".".join(n.path): (bare(n.title), bare(n.text)) for n in made(seed)[0]}
    assert {path: (bare(node.title), bare(node.text)) for path, node in nodes.items()} == truth
    assert [path for path, node in nodes.items() if not node.complete] == []


@pytest.mark.parametrize("seed", [1, 3])
@pytest.mark.parametrize("absent", range(4))
def test_with_one_file_left_out_what_is_placed_is_right(seed: int, absent: int, tmp_path: Path) -> None:
    files = [raw for part, raw in enumerate(split(seed, 4)) if part != absent]
    nodes = together(files, profile=outlined(seed, tmp_path))
    truth = {".".join(n.path): (bare(n.title), bare(n.text)) for n in made(seed)[0]}
    assert set(nodes) <= set(truth)
    whole = {path: (bare(n.title), bare(n.text)) for path, n in nodes.items() if n.complete and n.text}
    # A sentence that ends where the page does may not be the last one: nothing tells.
    wrong = {p: said for p, said in whole.items() if said != truth[p] and not _begins(truth[p], said)}
    assert wrong == {}
    assert len(whole) > len(truth) / 2


def _begins(whole: tuple[str, str], said: tuple[str, str]) -> bool:
    return whole[0] == said[0] and whole[1].startswith(said[1]) and said[1].endswith((".", ":"))


# Readings composed word by word.

WHOLE = (
    "Игрок, нарушивший порядок карт, которые он сыграл, теряет право спорить о взятках, если судья "
    "не может восстановить порядок карт по памяти остальных игроков."
)
WORDS = WHOLE.split()


def reading(source: str, text: str, **changes: object) -> Node:
    """A reading whose every character stands in its source at the place it has in the text."""
    node = Node(
        ref=Ref("laws", "1987", ("65", "D")),
        lang="ru",
        kind="section",
        marker="D.",
        title="Порядок",
        text=text,
        spans=(Span("text", 0, len(text), source, 0, len(text)),),
        witnesses=(Witness(source, (1, 1), True, True),),
    )
    return replace(node, **changes)  # type: ignore[arg-type]


def started(source: str, text: str) -> Node:
    return reading(source, text, complete=False, missing="end of the sentence")


def ended(source: str, text: str, **changes: object) -> Node:
    lost = "title and start of the text"
    return reading(source, text, marker="", title="", complete=False, missing=lost, **changes)


def only(*readings: Node) -> Node:
    for order in (readings, readings[::-1]):
        nodes, _ = collate(order)
        assert len(nodes) == 1
    said = {node.witnesses[0].source: node.text for node in readings}
    for span in (
        s for s in nodes[0].spans if s.where == "text" and s.end - s.start == s.source_end - s.source_start
    ):
        there = said[span.source][span.source_start : span.source_end]
        assert nodes[0].text[span.start : span.end] == there
    covered = {i for s in nodes[0].spans if s.where == "text" for i in range(s.start, s.end)}
    assert covered == set(range(len(nodes[0].text)))
    return nodes[0]


@pytest.mark.parametrize("cuts", [(12, 7), (15, 4), (20, 10)])
def test_a_cut_end_and_a_cut_start_make_the_whole(cuts: tuple[int, int]) -> None:
    stop, start = cuts
    node = only(started("a", " ".join(WORDS[:stop])), ended("b", " ".join(WORDS[start:])))
    assert (node.text, node.complete, node.missing) == (WHOLE, True, "")
    assert {w.source: (w.chosen, w.same) for w in node.witnesses} == {"a": (True, False), "b": (True, False)}
    assert {span.source for span in node.spans} == {"a", "b"}


def test_a_word_cut_through_is_whole_in_the_other() -> None:
    """The one ends in «восста-», the other begins with «шивший»."""
    stop = WHOLE.index("новить")
    node = only(started("a", WHOLE[:stop] + "-"), ended("b", WHOLE[WHOLE.index("шивший") :]))
    assert node.text == WHOLE


@pytest.mark.parametrize(
    ("first", "second"),
    [(WORDS[:9], WORDS[9:]), (WORDS[:9], WORDS[7:]), (WORDS[:6], WORDS[11:])],
    ids=["no word shared", "two words shared", "a gap between"],
)
def test_nothing_is_composed_where_the_overlap_is_not_sure(first: list[str], second: list[str]) -> None:
    node = only(started("a", " ".join(first)), ended("b", " ".join(second)))
    assert not node.complete
    assert node.text in (" ".join(first), " ".join(second))


def test_an_overlap_that_fits_twice_is_not_sure() -> None:
    phrase = "порядок карт по памяти игроков"
    node = only(
        started("a", f"Судья смотрит {phrase} и {phrase}"), ended("b", f"{phrase} и {phrase} и судит.")
    )
    assert not node.complete


def test_pages_that_follow_are_joined_without_a_shared_word() -> None:
    a = replace(started("a", "Игрок теряет право на восста-"), page=7)
    b = ended("b", "новление порядка карт.", page=8)
    nodes, _ = collate([b, a], lambda source, place: {"a": 7, "b": 8}[source])
    assert (nodes[0].text, nodes[0].complete) == ("Игрок теряет право на восстановление порядка карт.", True)
    nodes, _ = collate([b, a], lambda source, place: {"a": 6, "b": 8}[source])
    assert not nodes[0].complete


def test_a_lost_run_is_filled_from_a_cut_reading() -> None:
    lost = " ".join(WORDS[:8] + WORDS[11:])
    node = only(reading("a", lost, damaged=True), ended("b", " ".join(WORDS[4:])))
    assert (node.text, node.damaged, node.complete) == (WHOLE, False, True)
    assert {w.source for w in node.witnesses if w.chosen} == {"a", "b"}
    assert [w.text for w in node.witnesses if w.source == "a"] == [f"Порядок\n{lost}"]


def test_a_sound_reading_is_not_padded() -> None:
    """Words that another reading adds are a variant, where nothing says that any are lost."""
    more = " ".join([*WORDS[:8], "очень", "сильно", *WORDS[8:]])
    node = only(reading("a", WHOLE), ended("b", " ".join(more.split()[4:])))
    assert node.text == WHOLE


def test_the_reading_with_words_a_dictionary_knows_wins() -> None:
    """Both copies of one ancestor share its error; together they are one voice, and a wrong one."""
    wrong = WHOLE.replace("восстановить", "васстонавить").replace("памяти", "памити")
    node = only(reading("a", wrong), reading("b", wrong), reading("c", WHOLE))
    assert node.text == WHOLE
    assert {w.source: w.same for w in node.witnesses} == {"a": False, "b": False, "c": True}


def test_copies_of_one_ancestor_have_one_voice() -> None:
    """a and b share errors elsewhere, so that where both readings are Russian their two are as one."""
    elsewhere = Ref("laws", "1987", ("66",))
    wrong = "Взядка, каторую смотрят, и взятка, которую не смотрят."
    right = "Взятка, которую смотрят, и взятка, которую не смотрят."
    other = WHOLE.replace("теряет", "утрачивает")
    alone = [reading("a", other), reading("b", other), reading("c", WHOLE), reading("d", WHOLE)]
    first = [replace(reading(s, wrong if s in "ab" else right), ref=elsewhere) for s in "abcd"]
    texts = {node.ref: node.text for node in collate([*first, *alone])[0]}
    assert texts == {elsewhere: right, alone[0].ref: WHOLE}


def test_a_copy_that_lost_a_line_does_not_outvote_one_that_has_it() -> None:
    short = " ".join(WORDS[:8] + WORDS[12:])
    node = only(*(reading(source, short) for source in "abc"), reading("d", WHOLE))
    assert node.text == WHOLE


# Laws of another making, each with a profile of its own and nothing else.

LAWS = Path(__file__).parent / "cases" / "laws"


@pytest.mark.parametrize("folder", sorted(LAWS.iterdir()), ids=lambda folder: folder.name)
def test_a_law_of_another_making(folder: Path) -> None:
    """Articles 13.11 and parts 2.1, sections 12A, points 1.2.3; citations at a line's start that are none."""
    profile = profiles.load(folder)
    parsed, _ = read((folder / "text.txt").read_text("utf-8"), "text.txt", profile.law_work.name, profile)
    assert show(parsed) == (folder / "tree.txt").read_text("utf-8")


def test_a_number_that_stands_twice_in_one_source_is_reported() -> None:
    """Paragraph 1 of a schedule and section 1 have one ref: the second is a variant, and a finding."""
    first = reading("a", WHOLE)
    second = replace(
        reading("a", "Бланк заявления белого цвета."), title="", witnesses=(Witness("a", (9, 9), True, True),)
    )
    _, findings = collate([first, second])
    assert [(f.kind, f.lines) for f in findings] == [("conflict", (9, 9))]
    _, findings = collate([first, reading("b", "Бланк заявления белого цвета.")])
    assert findings == []


@pytest.mark.xfail(strict=True, reason="a list before a page that begins in one is taken for its start")
def test_a_preface_with_a_list_before_a_page_that_begins_in_one() -> None:
    nodes = together(["Вступление.\n1. Купите книгу.\n2. Не забудьте скидку.\n\n" + copy(S)])
    assert {path: seen(node) for path, node in nodes.items()} == wanted()


def test_the_tail_of_a_law_before_one_that_lost_its_head() -> None:
    """A part's heading between the two tells that it is not the law's own."""
    nodes = together([copy(S).replace("Правило 65. Расположение взяток\n", "")])
    assert nodes["64.C"].text.startswith("включая случаи")
