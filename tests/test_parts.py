"""One file with both works, and other books before, between and after them: nothing is forced in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from test_copies import KINDS, PAGES, M, S, bare, bridge, copy, said, seen, told, wanted

from kb.collate import collate, continued
from kb.model import Finding, Node
from kb.profile import SourceSpec
from kb.sourced import understand
from kb.text import Text

LAWS, COMMENTS = copy(S), told(M)
TALK = [
    "Вы садитесь за стол, берёте карты и думаете, что делать дальше.",
    "Это и есть начало долгого пути, который пройдут далеко не все.",
    "Торговля похожа на разговор, в котором каждое слово имеет цену.",
    "Цена эта растёт с каждым кругом, и платят её всегда в конце.",
    "Хороший напарник молчит, когда сказать нечего, а плохой говорит.",
    "Старые мастера любили чай и не любили спешить с ответом.",
    "За окном темнеет, а вы всё ещё считаете козыри и не верите себе.",
]


def prose(lines: int, seed: int = 0) -> str:
    """Lines that never repeat, so that no repair takes them for a page pasted twice."""
    return "".join(f"{TALK[(seed + n * (1 + n // 7)) % 7][:-1]}, раз {seed + n}.\n" for n in range(lines))


PRIMER = f"""БРИДЖ ДЛЯ НАЧИНАЮЩИХ

Глава I - ПЕРВЫЕ ШАГИ

{prose(15)}
1. Купите книгу и прочтите её от начала до конца.
2. Не забудьте скидку, она даётся всем новым читателям.

Глава II - ЧТО ДАЛЬШЕ

{prose(20, 40)}"""
DICTIONARY = f"СЛОВАРЬ ТЕРМИНОВ\n\n{prose(30, 80)}"
NUMBERED = "".join(f"{a}.{b}. {prose(2, 10 * a + b)}" for a in range(1, 8) for b in range(1, 4))
CUT = 5
MANNERS = ["Всегда кормите кошку", "Не забудьте зонт", "Мойте руки", "Любите природу", "Закрывайте окно"]
HOUSE = "".join(f"Правило {n}. {title}\n{prose(3, 7 * n)}" for n, title in enumerate(MANNERS, 1))

MIXED = {
    "laws, commentary": [LAWS, COMMENTS],
    "commentary, laws": [COMMENTS, LAWS],
    "commentary between pages of the laws": [copy(S, PAGES[:CUT]), COMMENTS, copy(S, PAGES[CUT:])],
    "a book between": [LAWS, PRIMER, COMMENTS],
    "a book before": [PRIMER, LAWS, COMMENTS],
    "a book after": [LAWS, COMMENTS, PRIMER],
    "a dictionary after the laws": [LAWS, DICTIONARY],
    "a book numbered as a commentary, after": [LAWS, NUMBERED],
    "a book numbered as a commentary, between": [LAWS, NUMBERED, COMMENTS],
    "rules of another game, after": [LAWS, HOUSE],
    "rules of another game, before": [HOUSE, LAWS],
    "five books": [PRIMER, LAWS, NUMBERED, COMMENTS, HOUSE, DICTIONARY],
}
OURS = {LAWS, COMMENTS, copy(S, PAGES[:CUT]), copy(S, PAGES[CUT:])}


def read(raw: str, work: str) -> tuple[list[Node], list[Finding]]:
    spec = SourceSpec(Path("book.txt"), "book.txt", work, bridge().edition, bridge().lang)
    found = understand(Text(raw, spec.name), raw, spec, bridge())
    leads = [piece.lead for piece in found.parsed.unplaced if piece.lead]
    nodes = list(found.parsed.nodes)

    def page_at(source: str, place: int) -> int | None:
        return found.pages.at(place)[0]

    merged, _ = collate([*nodes, *continued(leads, nodes, page_at)], page_at)
    assert sum(account.chars for account in found.accounts if account.fate != "lost") == len(raw)
    return [node for node in merged if node.kind in KINDS], list(found.findings)


@pytest.mark.parametrize("work", ["laws", "commentary"])
@pytest.mark.parametrize("books", MIXED.values(), ids=MIXED.keys())
def test_each_fragment_is_of_its_work(books: list[str], work: str) -> None:
    raw = "".join(books)
    nodes, findings = read(raw, work)
    laws = {node.ref.dotted: seen(node) for node in nodes if node.ref.work == "laws"}
    comments = {n.ref.dotted: (bare(n.text), bare(n.tail)) for n in nodes if n.ref.work == "commentary"}
    assert laws == wanted()
    assert comments == (said() if COMMENTS in books else {})
    lines = raw.splitlines()
    others = [f.lines for f in findings if f.kind == "other-work" and f.lines]
    kept = bare("".join("\n".join(lines[a - 1 : b]) for a, b in others))
    assert kept == bare("".join(book for book in books if book not in OURS))


def test_what_is_read_as_another_work_is_said() -> None:
    _, findings = read(LAWS + COMMENTS, "laws")
    first = LAWS.count("\n") + 1
    assert [(f.lines[0], f.message[:18]) for f in findings if f.kind == "mixed-source" and f.lines] == [
        (first, "read as commentary")
    ]


def test_laws_and_their_comments_by_turns() -> None:
    """Each law followed by the comments on it, as some editions print them."""
    pages = (
        "Правило 66. Просмотр взяток\n{a}\n66.1. Главный принцип состоит в том, что взятка закрыта.\n"
        "Правило 67. Дефектная взятка\n{b}\n67.1. Игрок может сыграть больше карт, чем надо.\n"
        "67.2. Тогда судья восстановит порядок карт.\n"
        "Правило 68. Претензии и уступки взяток\n{c}\n68.1. Претензия делается словами.\n"
    )
    raw = pages.format(
        a="A.Текущая взятка\nПока сторона не сыграла, взятку можно посмотреть.",
        b="A.До следующей взятки\nОшибка исправляется.\nB.После неё\nОшибка остаётся.",
        c="A.Претензия\nИгрок называет число взяток.\nB.Уступка\nИгрок отдаёт взятки.",
    )
    nodes, _ = read(raw, "laws")
    assert sorted(str(node.ref) for node in nodes) == sorted(
        [f"laws/1987/{p}" for p in ("66", "66.A", "67", "67.A", "67.B", "68", "68.A", "68.B")]
        + [f"commentary/1987/{p}" for p in ("66.1", "67.1", "67.2", "68.1")]
    )
    assert {n.ref.dotted: n.text for n in nodes if n.ref.work == "commentary"}["67.2"].endswith("карт.")


def test_a_title_of_the_profile_tells_where_another_book_begins() -> None:
    """Even one too short to be told by anything else, when an editor names it."""
    import re

    profile = replace(bridge(), others=(re.compile("КАРТОЧНЫЕ ФОКУСЫ"),))
    raw = LAWS + "КАРТОЧНЫЕ ФОКУСЫ\nВозьмите любую карту.\n1. Спрячьте её.\n"
    spec = SourceSpec(Path("book.txt"), "book.txt", "laws", profile.edition, profile.lang)
    found = understand(Text(raw, spec.name), raw, spec, profile)
    assert [f.text[:16] for f in found.findings if f.kind == "other-work"] == ["КАРТОЧНЫЕ ФОКУСЫ"]
    assert all("Спрячьте" not in node.text for node in found.parsed.nodes)
