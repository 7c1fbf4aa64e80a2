"""A generator of law texts whose truth is known, and of the damage such texts come with.

``law(seed, laws)`` makes nodes of our own wording; ``typed`` prints them as the typed pages are printed;
each function in ``STYLES`` does one kind of damage to some share of the lines. Nothing here is of the scans.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

WHO = [
    "игрок",
    "судья",
    "разыгрывающий",
    "болван",
    "партнёр игрока",
    "оппонент",
    "секретарь",
    "капитан команды",
]
DOES = [
    "обязан назвать",
    "может проверить",
    "должен сохранить",
    "вправе потребовать",
    "не может изменить",
    "объявляет",
    "записывает",
    "показывает",
    "подтверждает",
    "исправляет",
]
WHAT = [
    "порядок карт",
    "номер сдачи",
    "результат розыгрыша",
    "количество взяток",
    "запись заявок",
    "свою карту",
    "протокол турнира",
    "решение комитета",
    "условия соревнования",
    "расстановку пар",
    "масть контракта",
    "содержание объяснения",
    "заполненную карточку",
    "очередь хода",
]
WHEN = [
    "до начала раунда",
    "после окончания торговли",
    "пока карты не возвращены в коробку",
    "в присутствии судьи",
    "по просьбе оппонента",
    "не дожидаясь следующей сдачи",
    "как только замечена ошибка",
    "в течение всего тура",
    "если участники согласны с этим",
    "когда розыгрыш завершён",
    "вместе с партнёром",
    "без предупреждения",
]
HEADS = [
    "Порядок записи",
    "Обязанности игроков",
    "Проверка результата",
    "Исправление ошибки",
    "Хранение карт",
    "Права участников",
    "Решение спора",
    "Начало раунда",
    "Окончание розыгрыша",
    "Передача протокола",
    "Назначение наказания",
    "Вызов судьи",
    "Подсчёт взяток",
    "Смена партнёров",
    "Показ карты",
    "Сроки обжалования",
    "Объяснение заявки",
    "Очередь хода",
    "Состав команды",
    "Ведение протокола",
]

Path = tuple[str, ...]


@dataclass(frozen=True)
class Made:
    """A node of the generated law: its path, heading and text."""

    path: Path
    title: str
    text: str


def law(seed: int, laws: int) -> list[Made]:
    """The nodes of a law of ``laws`` provisions with sections, items and subitems: about ten each."""
    rng = random.Random(seed)
    nodes: list[Made] = []
    for number in range(1, laws + 1):
        nodes.append(Made((str(number),), _head(rng), ""))
        for section in range(rng.randint(2, 4)):
            path = (str(number), "ABCD"[section])
            listed = rng.random() < 0.45
            nodes.append(Made(path, _head(rng), "" if listed else _text(rng)))
            for item in range(rng.randint(2, 4) if listed else 0):
                deeper = rng.random() < 0.3
                nodes.append(Made((*path, str(item + 1)), _head(rng), _text(rng, "" if not deeper else ":")))
                nodes += [
                    Made((*path, str(item + 1), "abc"[sub]), _head(rng), _text(rng))
                    for sub in range(rng.randint(2, 3) if deeper else 0)
                ]
    return nodes


def _head(rng: random.Random) -> str:
    return f"{rng.choice(HEADS)} {rng.choice(WHEN)}" if rng.random() < 0.3 else rng.choice(HEADS)


def _sentence(rng: random.Random) -> str:
    parts = [rng.choice(WHO), rng.choice(DOES), rng.choice(WHAT), rng.choice(WHEN)]
    if rng.random() < 0.4:
        parts[-1] += f", и {rng.choice(WHO)} {rng.choice(DOES)} {rng.choice(WHAT)}"
    said = " ".join(parts)
    return said[0].upper() + said[1:]


def _text(rng: random.Random, end: str = "") -> str:
    sentences = [_sentence(rng) for _ in range(rng.randint(1, 4))]
    if end:
        return ". ".join([*sentences[:-1], f"{sentences[-1]}{end}"])
    return ". ".join(sentences) + "."


def outline(nodes: Iterable[Made]) -> str:
    """The outline of the generated law, as TOML."""
    kinds = ("law", "section", "item", "subitem")
    return 'work = "laws"\n' + "".join(
        f'\n[[entry]]\npath = "{".".join(n.path)}"\nkind = "{kinds[len(n.path) - 1]}"\n'
        f'titles = {{ ru = "{n.title}" }}\n'
        for n in nodes
    )


# As it is typed.


def marker(node: Made) -> str:
    """The number of a node as it is typed."""
    last = node.path[-1]
    return (f"Правило {last}. ", f"{last}.", f"{last}.", f"({last.upper()}).")[len(node.path) - 1]


def typed(nodes: Iterable[Made], width: int = 60, rule: str = "Д", indent: int = 0) -> list[str]:
    """Lines as typed: heading, a rule under a law's heading, text wrapped with hyphens, one kind of break."""
    lines: list[str] = []
    for node in nodes:
        lines += wrap(f"{marker(node)}{node.title}", width)
        if len(node.path) == 1 and rule:
            lines.append(rule * min(width, 8 + len(node.title)))
        if node.text:
            lines += wrap(node.text, width, indent)
    return lines


def wrap(text: str, width: int, indent: int = 0) -> list[str]:
    """Lines of at most ``width``, words cut after a vowel where they do not fit."""
    lines: list[str] = []
    line = " " * indent
    for word in text.split():
        room = width - len(line) - (1 if line.strip() else 0)
        if len(word) > room:
            cut = _cut(word, room - 1)
            if cut:
                lines.append(f"{line}{' ' if line.strip() else ''}{word[:cut]}-")
                word = word[cut:]
            else:
                lines.append(line)
            line = word
        else:
            line = f"{line}{' ' if line.strip() else ''}{word}"
    return [*lines, line]


def _cut(word: str, room: int) -> int:
    letters = re.match(r"\w+", word)
    longest = min(room, (letters.end() if letters else 0) - 2)
    for at in range(longest, 1, -1):
        if word[at - 1] in "аеиоуыэюя" and word[at].isalpha() and word[at] not in "аеёиоуыьъйэюя":
            return at
    return 0


# Damage. Each takes the lines, a share of them to touch, and a source of chance.

Style = Callable[[list[str], float, random.Random], list[str]]


def _some(lines: list[str], share: float, rng: random.Random, change: Callable[[str], str]) -> list[str]:
    return [change(line) if line.strip() and rng.random() < share else line for line in lines]


def rules_koi8(lines: list[str], share: float, rng: random.Random) -> list[str]:
    return _some(lines, share, rng, lambda s: re.sub(r"^Д{5,}$", lambda m: "д" * len(m.group()), s))


def rules_mac(lines: list[str], share: float, rng: random.Random) -> list[str]:
    return _some(lines, share, rng, lambda s: re.sub(r"^Д{5,}$", lambda m: "њ" * len(m.group()), s))


def rules_true(lines: list[str], share: float, rng: random.Random) -> list[str]:
    return _some(lines, share, rng, lambda s: re.sub(r"^Д{5,}$", lambda m: "─" * len(m.group()), s))


def rules_questions(lines: list[str], share: float, rng: random.Random) -> list[str]:
    return _some(lines, share, rng, lambda s: re.sub(r"^Д{5,}$", lambda m: "?" * len(m.group()), s))


def yo_quote(lines: list[str], share: float, rng: random.Random) -> list[str]:
    return _some(lines, share, rng, lambda s: s.replace("ё", "„"))


def bars(lines: list[str], share: float, rng: random.Random) -> list[str]:
    """All lines or none: a bar stands in the margin of a whole page."""
    return [f"| {line}" for line in lines]


def control_marks(lines: list[str], share: float, rng: random.Random) -> list[str]:
    mark = rng.choice(["¶", "\x14", "(DC4)"])
    return _some(lines, share, rng, lambda s: s + mark if s.endswith((".", ":")) else s)


def double_spaced(lines: list[str], share: float, rng: random.Random) -> list[str]:
    out: list[str] = []
    for line in lines:
        out += [line, ""]
    return out


def flattened(lines: list[str], share: float, rng: random.Random) -> list[str]:
    """Paragraphs on one line each, the hyphens of the breaks left inside the words."""
    out: list[str] = []
    for line in lines:
        starts = re.match(r"(?:Правило \d+\.|[A-D]\.|\d\.|\([A-C]\)\.|[ДдН─?њ]{5,})", line)
        if (
            out
            and not starts
            and not re.match(r"[ДдН─?њ]{5,}", out[-1])
            and line[:1].islower()
            and rng.random() < share
        ):
            out[-1] = f"{out[-1]} {line}"
        else:
            out.append(line)
    return out


def flattened_whole(lines: list[str], share: float, rng: random.Random) -> list[str]:
    """Marker, heading and text of a section run together in one line, hyphens of the breaks left inside."""
    out: list[str] = []
    for line in lines:
        starts = re.match(r"(?:Правило \d+\.|[A-D]\.|\d\.|\([A-C]\)\.|[ДдН─?њ]{5,})", line)
        ruled = out and re.match(r"[ДдН─?њ]{5,}|Правило", out[-1])
        if out and not starts and not ruled and rng.random() < share:
            out[-1] = f"{out[-1]} {line}"
        else:
            out.append(line)
    return out


def justified(lines: list[str], share: float, rng: random.Random) -> list[str]:
    def spread(line: str) -> str:
        gaps = [m.start() for m in re.finditer(" ", line)]
        for at in sorted(rng.sample(gaps, min(len(gaps), 3)), reverse=True):
            line = line[:at] + "  " + line[at:]
        return "    " + line

    return _some(lines, share, rng, spread)


_TWINS = str.maketrans("аеосрхАВЕКМНОРСТХ", "aeocpxABEKMHOPCTX")


def latin_inside(lines: list[str], share: float, rng: random.Random) -> list[str]:
    """One look-alike in some words is the Latin letter."""

    def swap(line: str) -> str:
        def word(match: re.Match[str]) -> str:
            said = match.group()
            places = [i for i in range(1, len(said)) if said[i] != said[i].translate(_TWINS)]
            if not places or rng.random() < 0.6:
                return said
            at = rng.choice(places)
            return said[:at] + said[at].translate(_TWINS) + said[at + 1 :]

        return re.sub(r"[а-яё]{4,}", word, line)

    return _some(lines, share, rng, swap)


def cyrillic_markers(lines: list[str], share: float, rng: random.Random) -> list[str]:
    back = str.maketrans("ABC", "АВС")

    def swap(line: str) -> str:
        return re.sub(r"^(?:[ABC]\.|\([ABC]\)\.)", lambda m: m.group().translate(back), line)

    return _some(lines, share, rng, swap)


def spaced_markers(lines: list[str], share: float, rng: random.Random) -> list[str]:
    return _some(lines, share, rng, lambda s: re.sub(r"^([A-D]|\d|\([A-C]\))\.(?=\S)", r"\1. ", s))


def running_heads(lines: list[str], share: float, rng: random.Random) -> list[str]:
    """A head, and a page number, on each page of forty lines."""
    out: list[str] = []
    for number, start in enumerate(range(0, len(lines), 40), 1):
        page = lines[start : start + 40]
        out += [*(["КОДЕКС СОРЕВНОВАНИЙ"] if number > 1 else []), *page, f"- {number} -"]
    return out


def page_footers(lines: list[str], share: float, rng: random.Random) -> list[str]:
    out: list[str] = []
    for number, start in enumerate(range(0, len(lines), 40), 7):
        out += [*lines[start : start + 40], f"- {number} -"]
    return out


def dos_ends(lines: list[str], share: float, rng: random.Random) -> list[str]:
    """Soft returns, and the end-of-file mark."""
    out = _some(lines, share, rng, lambda s: s + "\r")
    return [*out, "\x1a"]


def invisible(lines: list[str], share: float, rng: random.Random) -> list[str]:
    def sprinkle(line: str) -> str:
        at = rng.randrange(1, len(line)) if len(line) > 1 else 0
        return (line[:at] + rng.choice("\u00ad\u200b\u2060") + line[at:]).replace(" ", rng.choice(" \u00a0"))

    return _some(lines, share, rng, sprinkle)


def contents_page(lines: list[str], share: float, rng: random.Random) -> list[str]:
    """A contents page before the text: headings with dot leaders."""
    heads = [line for line in lines if re.match(r"Правило \d+\.|[A-D]\.", line)]
    return [
        "СОДЕРЖАНИЕ",
        *(f"{line} {'.' * rng.randint(5, 30)} {n}" for n, line in enumerate(heads, 3)),
        "",
        *lines,
    ]


def commands(lines: list[str], share: float, rng: random.Random) -> list[str]:
    out: list[str] = []
    for line in lines:
        if re.match(r"Правило", line) and rng.random() < max(share, 0.2):
            out.append(f"..page{rng.randint(2, 60)}")
        out.append(line)
    return out


def doubled(lines: list[str], share: float, rng: random.Random) -> list[str]:
    """Some page stands twice."""
    at = rng.randrange(0, max(1, len(lines) - 60))
    at = next((i for i in range(at, len(lines)) if lines[i].startswith("Правило")), 0)
    return [*lines[: at + 60], *lines[at : at + 60], *lines[at + 60 :]]


STYLES: dict[str, Style] = {
    style.__name__: style
    for style in (
        rules_koi8,
        rules_mac,
        rules_true,
        rules_questions,
        yo_quote,
        bars,
        control_marks,
        double_spaced,
        flattened,
        flattened_whole,
        justified,
        latin_inside,
        cyrillic_markers,
        spaced_markers,
        running_heads,
        page_footers,
        dos_ends,
        invisible,
        contents_page,
        commands,
        doubled,
    )
}
SHARES = (0.05, 0.25, 1.0)
