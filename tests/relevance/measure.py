"""How well a search answers the judged questions: recall, MRR and nDCG over any ``search(q, lang)``.

Nothing here knows how the search works, so one run can measure several of them side by side.

Answers that stand one below another (Law 65, its section C) are one *line*: a search that shows one hit a
law must not lose for leaving out the parent, and one that shows both must not win twice.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

QUESTIONS = Path(__file__).with_name("questions.toml")
EXACT, USEFUL, RELATED = 3, 2, 1
HALVES = ("tune", "read", "held", "learnt", "fresh", "seen", "unseen")
KINDS = ("words", "typo", "layout", "translit", "citation", "term", "ocr")

Search = Callable[[str, str], Sequence[str]]
"""A query and the language of its asker -> refs, best first."""


@dataclass(frozen=True, slots=True)
class Question:
    """One judged question. ``answers``: ref -> 3 exact, 2 useful, 1 related."""

    id: str
    lang: str
    kind: str
    half: str
    q: str
    answers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Score:
    """What one question got; every number lies between 0 and 1, 1 is best."""

    question: Question
    recall: float
    mrr: float
    mrr_exact: float
    ndcg: float


@dataclass(frozen=True, slots=True)
class Row:
    """The means of a group of scores. ``group`` has a value for each field grouped by."""

    group: tuple[str, ...]
    count: int
    recall: float
    mrr: float
    mrr_exact: float
    ndcg: float


def load(path: Path = QUESTIONS) -> tuple[Question, ...]:
    """The questions of a file, in its order. Raises KeyError or TypeError when a field is missing or new."""
    with path.open("rb") as file:
        return tuple(Question(**entry) for entry in tomllib.load(file)["question"])


def same_line(one: str, other: str) -> bool:
    """True when one ref is the other or stands below it: ``65`` and ``65.C``, never ``6`` and ``65``."""
    short, long = sorted((one, other), key=len)
    return long == short or long.startswith(short + ".")


def lines(answers: Mapping[str, int]) -> dict[str, int]:
    """One answer a line, best first; of equal ones on a line the highest in the tree stands for it."""
    kept: dict[str, int] = {}
    for ref, grade in sorted(answers.items(), key=lambda item: (-item[1], item[0].count("."), item[0])):
        if not any(same_line(ref, other) for other in kept):
            kept[ref] = grade
    return kept


def recall(hits: Sequence[str], answers: Mapping[str, int], k: int = 5) -> float:
    """Share of the exact lines with an exact answer among the first ``k`` hits; of at most ``k`` of them."""
    wanted = [ref for ref, grade in lines(answers).items() if grade == EXACT]
    exact = [hit for hit in hits[:k] if answers.get(hit) == EXACT]
    found = sum(any(same_line(ref, hit) for hit in exact) for ref in wanted)
    return min(found, k) / min(len(wanted), k)


def reciprocal_rank(hits: Sequence[str], answers: Mapping[str, int], least: int = USEFUL) -> float:
    """1 / rank of the first hit graded ``least`` or better; 0 when there is none."""
    ranks = (rank for rank, hit in enumerate(hits, 1) if answers.get(hit, 0) >= least)
    return 1 / next(ranks, math.inf)


def ndcg(hits: Sequence[str], answers: Mapping[str, int], k: int = 5) -> float:
    """Discounted gain of the first ``k`` hits over that of the best possible list; gain is 2^grade - 1.

    A hit gains what it adds to its line: after the parent (useful), the section (exact) adds the rest;
    after the section the parent adds nothing.
    """
    best = lines(answers)
    reached = dict.fromkeys(best, 0)
    total = 0.0
    for rank, hit in enumerate(hits[:k], 1):
        worth = _gain(answers.get(hit, 0))
        # A hit may stand on several lines, as 65 does on 65.C and 65.D; none is worth more than its answer.
        raises = [
            (min(worth, _gain(grade)) - reached[ref], ref)
            for ref, grade in best.items()
            if same_line(ref, hit)
        ]
        raised, line = max(raises, key=lambda item: item[0], default=(0, ""))
        if raised > 0:
            reached[line] += raised
            total += raised / math.log2(rank + 1)
    ideal = (_gain(grade) / math.log2(rank + 1) for rank, grade in enumerate(list(best.values())[:k], 1))
    return total / sum(ideal)


def _gain(grade: int) -> int:
    return (1 << grade) - 1


def measure(questions: Iterable[Question], search: Search, k: int = 5) -> list[Score]:
    """Ask every question once. Whatever the search raises is raised: a crash is no zero."""
    return [_score(question, search(question.q, question.lang), k) for question in questions]


def _score(question: Question, hits: Sequence[str], k: int) -> Score:
    answers = question.answers
    return Score(
        question,
        recall(hits, answers, k),
        reciprocal_rank(hits, answers),
        reciprocal_rank(hits, answers, EXACT),
        ndcg(hits, answers, k),
    )


def summarise(scores: Iterable[Score], by: Sequence[str] = ("half", "kind", "lang")) -> list[Row]:
    """The means of each group, in the order halves, kinds and languages have in the file's head."""
    groups: dict[tuple[str, ...], list[Score]] = {}
    for score in scores:
        groups.setdefault(tuple(getattr(score.question, field) for field in by), []).append(score)
    return [_mean(group, groups[group]) for group in sorted(groups, key=_place)]


def _place(group: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
    known = {name: place for place, name in enumerate((*HALVES, *KINDS))}
    return tuple((known.get(value, len(known)), value) for value in group)


def _mean(group: tuple[str, ...], scores: Sequence[Score]) -> Row:
    def mean(field: str) -> float:
        return math.fsum(getattr(score, field) for score in scores) / len(scores)

    return Row(group, len(scores), mean("recall"), mean("mrr"), mean("mrr_exact"), mean("ndcg"))


def table(scores: Sequence[Score], k: int = 5) -> str:
    """A Markdown table: each half, then its languages, then its kinds by language."""
    head = ["half", "kind", "lang", "n", f"recall@{k}", "MRR", "MRR exact", f"nDCG@{k}"]
    body = [head, ["---"] * 3 + ["---:"] * 5]
    for by in (("half",), ("half", "lang"), ("half", "kind"), ("half", "kind", "lang")):
        for row in summarise(scores, by):
            named = dict(zip(by, row.group, strict=True))
            body.append([named.get(field, "all") for field in ("half", "kind", "lang")] + _cells(row))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in body) + "\n"


def _cells(row: Row) -> list[str]:
    return [str(row.count)] + [f"{value:.3f}" for value in (row.recall, row.mrr, row.mrr_exact, row.ndcg)]
