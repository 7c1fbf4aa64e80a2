"""Understanding a query: words, phrases, exclusions, filters -> Plan. Citations are read in __init__.py.

``"the exact words"``, ``-word``, ``work:name``, ``law:65``. Nothing that can be typed is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kb.search.analysis import Token
from kb.search.backend import Clause, Plan
from kb.search.documents import LANG, ROOT, WORK
from kb.search.ranking import FUNCTION_WEIGHT, title_terms
from kb.search.vocabulary import Vocabulary
from kb.search.words import Reading, by_sound, other_layout, read_word

_BETWEEN = 2
_KEPT_CUT = 100
"""Characters of a run of letters that may have been typed on the wrong keyboard."""
MOST_WORDS = 64
"""Words of a query that are looked for; what follows is left out."""
_MEANT = ("typo", "sound")
"""Readings that say something else was meant than was typed."""
TITLE_CLAUSE = 0.7
TERM_WEIGHT = 0.8
"""Weight of the other ways to say a term of several words."""

_QUOTED = re.compile(r'"([^"]*)"|«([^»]*)»|“([^”]*)”|„([^“”]*)[“”]')
_QUOTES = '"«“„'
_MINUS = "-−–"
_FILTER = re.compile(r"(?<!\S)(work|law|lang):(\S*)", re.IGNORECASE)
_WITHOUT = re.compile(r"(?<!\S)[-−–](?=[^\W_])(\S+)")
_BROKEN = re.compile(r"(?<=[^\W\d_])[-¬\u00ad]\s*\n\s*(?=[^\W\d_])|\u00ad")


class Word(NamedTuple):
    """A word of the query as it was read."""

    reading: Reading
    lemmas: tuple[str, ...]
    clause: Clause
    shown: str
    """Its dictionary form; empty for a word that says little."""
    codes: tuple[str, ...]
    """The languages that write with its letters."""


class Alone(NamedTuple):
    """The words of a run of letters and signs, when they are read so whatever stands beside it."""

    words: tuple[Word, ...]
    joins: str
    """The first of them, when it is no word of the corpus: it may be the end of the one before."""
    last: str


@dataclass
class Question:
    """A query taken apart. ``plan`` is what the index is asked; the rest is shown to the reader."""

    text: str
    plan: Plan
    understood: tuple[str, ...] = ()
    did_you_mean: str | None = None
    rest: str = ""
    """The query without its operators: what may be a citation."""
    works: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    lang: str | None = None
    filters: tuple[tuple[str, ...], ...] = ()
    """The part of the plan's ``must`` that was asked for as such."""
    phrases: tuple[tuple[tuple[str, ...], ...], ...] = ()
    """Runs of words, each word a choice of lemmas, that stand in a text in this order."""
    words: list[Word] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Nothing to look for."""
        return not (self.plan.clauses or self.plan.must or self.plan.never)


def understand(
    text: str,
    vocabulary: Vocabulary,
    lang: str | None = None,
    works: Sequence[str] = (),
    rest: str | None = None,
) -> Question:
    """Read a query. ``lang`` and ``works``: filters set outside of it; ``rest`` replaces its plain words."""
    # Most queries have none of all this, and are looked at in passing.
    left = _BROKEN.sub("", text) if "\n" in text or "\u00ad" in text else text
    filters: dict[str, list[str]] = {"work": list(works), "law": [], "lang": [lang] if lang else []}
    if ":" in left:
        for match in _FILTER.finditer(left):
            if match[2]:
                filters[match[1].lower()].append(match[2])
        left = _FILTER.sub(" ", left)
    quoted = []
    if any(map(left.__contains__, _QUOTES)):
        quoted = [next(filter(None, match.groups()), "") for match in _QUOTED.finditer(left)]
        left = _QUOTED.sub(lambda m: " " + next(filter(None, m.groups()), "") + " ", left)
    without = _WITHOUT.findall(left) if any(map(left.__contains__, _MINUS)) else []
    left = " ".join((_WITHOUT.sub(" ", left) if without else left).split())
    asked = left if rest is None else rest
    words, corrected = _words(asked, vocabulary)
    phrases = tuple(phrase for run in quoted if (phrase := _phrase(run, vocabulary)))
    asked_for = _must(filters)
    question = Question(
        text=text,
        plan=Plan(
            clauses=(*_clauses(words), *_terms(words, vocabulary), *_title(words)),
            must=(*asked_for, *sorted({choice for phrase in phrases for choice in phrase})),
            never=tuple(sorted({lemma for word in without for lemma in _lemmas(word, vocabulary)})),
        ),
        phrases=phrases,
        filters=asked_for,
        understood=tuple(dict.fromkeys(word.shown for word in words if word.shown)),
        did_you_mean=corrected,
        rest=left,
        works=tuple(filters["work"]),
        roots=tuple(filters["law"]),
        lang=filters["lang"][0] if filters["lang"] else None,
        words=words,
    )
    return question


def _must(filters: dict[str, list[str]]) -> tuple[tuple[str, ...], ...]:
    if not any(filters.values()):
        return ()
    chosen = {
        WORK: filters["work"],
        ROOT: [_root(value) for value in filters["law"]],
        LANG: filters["lang"][:1],
    }
    return tuple(tuple(head + value for value in values) for head, values in chosen.items() if values)


def _root(value: str) -> str:
    """The number of a law, however it is named: ``65``, ``65.C``, ``7-1``."""
    number = re.search(r"\d+(?:-\d+)?", value)
    return number.group() if number else value


def _words(text: str, vocabulary: Vocabulary) -> tuple[list[Word], str | None]:
    """The words as read, and the query as it was probably meant, when that is another one."""
    alone = _apart(text, vocabulary)
    if alone is not None:
        return alone, None
    typed = _typed(text, vocabulary)
    tokens = _tokens(typed, vocabulary)[:MOST_WORDS]
    readings = _in_sound([(token, read_word(token.form, vocabulary)) for token in tokens], vocabulary)
    words = [_word(token.form, reading, vocabulary) for token, reading in readings]
    meant: list[str] = []
    at = 0
    for token, reading in readings:
        if reading.how in _MEANT and token.start >= at:
            meant += [typed[at : token.start], reading.forms[0]]
            at = token.end
    meant_text = "".join([*meant, typed[at:]])
    return words, meant_text if meant_text != text else None


def _apart(text: str, vocabulary: Vocabulary) -> list[Word] | None:
    """The words of a text, as `_words` reads them, when none has to do with those beside it; else None."""
    words: list[Word] = []
    last = ""
    for chunk in text.split(" "):
        key = "alone", chunk
        alone: Alone | bool | None = vocabulary.kept.held(key)
        if alone is None:
            alone = _alone(chunk, vocabulary)
            vocabulary.kept.put(key, alone, 2 * _KEPT_CUT + len(chunk))
        if not isinstance(alone, Alone) or (alone.joins and last and vocabulary.lemmas(last + alone.joins)):
            return None
        words += alone.words
        last = alone.last or last
    return words if len(words) <= MOST_WORDS else None


def _alone(chunk: str, vocabulary: Vocabulary) -> Alone | bool:
    """False for a run that is read by what stands beside it, or another way than it is typed."""
    if len(chunk) > _KEPT_CUT or _put_right(chunk, vocabulary):
        return False
    tokens = _tokens(chunk, vocabulary)
    readings = [read_word(token.form, vocabulary) for token in tokens]
    if any(reading.how in _MEANT for reading in readings):
        return False
    words = [_word(token.form, reading, vocabulary) for token, reading in zip(tokens, readings, strict=True)]
    first = next(vocabulary.analyser.tokens(chunk), None)
    joins = first.form if first and not vocabulary.lemmas(first.form) else ""
    return Alone(tuple(words), joins, tokens[-1].form if tokens else "")


def _word(form: str, reading: Reading, vocabulary: Vocabulary) -> Word:
    """All that a word is, wherever it stands: kept."""
    key = "read", form, reading.forms, reading.weight, reading.how
    held: Word | None = vocabulary.kept.held(key)
    if held is None:
        found = tuple(dict.fromkeys(x for one in reading.forms for x in vocabulary.lemmas(one)))
        lemmas = found or (form,)
        shown = "" if vocabulary.function.issuperset(lemmas) else _shown(form, reading, lemmas, vocabulary)
        clause = _weighed(form, lemmas, reading.weight, vocabulary)
        codes = tuple(language.code for language in vocabulary.analyser.owners(reading.forms[0]))
        held = Word(reading, lemmas, clause, shown, codes)
        vocabulary.kept.put(key, held, _KEPT_CUT * len(held.clause.terms))
    return held


def _typed(text: str, vocabulary: Vocabulary) -> str:
    """The text with what was typed on the wrong keyboard put right. Short runs follow a longer one."""
    chunks = text.split()
    right: dict[int, str] = {}
    for number, chunk in enumerate(chunks[:MOST_WORDS]):
        if len(chunk) <= _KEPT_CUT and (meant := _put_right(chunk, vocabulary)):
            right[number] = meant
    if not any(len(chunks[number]) > 3 for number in right):
        return text
    return " ".join(right.get(number, chunk) for number, chunk in enumerate(chunks))


def _put_right(chunk: str, vocabulary: Vocabulary) -> str:
    """What a run was meant to be that has no word as it stands; empty when it is nothing else."""
    key = "right", chunk
    held: str | None = vocabulary.kept.held(key)
    if held is None:
        forms = [token.form for token in vocabulary.analyser.tokens(chunk)]
        strange = forms and not any(vocabulary.lemmas(form) or form.isdigit() for form in forms)
        held = (other_layout(chunk, vocabulary) if strange else None) or ""
        vocabulary.kept.put(key, held, _KEPT_CUT + len(chunk))
    return held


def _in_sound(readings: list[tuple[Token, Reading]], vocabulary: Vocabulary) -> list[tuple[Token, Reading]]:
    """Where a word is read by its sound, the short words beside it are, too."""
    if not any(reading.how == "sound" for _, reading in readings):
        return readings
    return [
        (token, Reading(found, 0.9, "sound"))
        if reading.how == "unknown" and (found := by_sound(token.form, vocabulary))
        else (token, reading)
        for token, reading in readings
    ]


def _tokens(text: str, vocabulary: Vocabulary) -> list[Token]:
    """Tokens to look for. A word in two pieces is joined again when only the whole is known."""
    kept: list[Token] = []
    lemmas = vocabulary.lemmas
    for token in vocabulary.analyser.tokens(text):
        parts = []
        if kept and token.start < kept[-1].end:
            # A compound, which stands where its parts stand.
            parts = [other for other in kept[-3:] if token.start <= other.start and other.end <= token.end]
        if not parts and kept and not lemmas(token.form):
            whole = Token(kept[-1].form + token.form, kept[-1].start, token.end)
            if lemmas(whole.form):
                token, parts = whole, kept[-1:]
        if not parts:
            kept.append(token)
        elif lemmas(token.form) and not all(lemmas(part.form) for part in parts):
            kept = [*kept[: -len(parts)], token]
    return kept


def _clauses(words: Iterable[Word]) -> list[Clause]:
    clauses: dict[tuple[tuple[str, float], ...], Clause] = {}
    for word in words:
        clauses.setdefault(word.clause.terms, word.clause)
    return list(clauses.values())


def _weighed(form: str, lemmas: tuple[str, ...], sure: float, vocabulary: Vocabulary) -> Clause:
    """A word's clause: its terms, and how much it counts."""
    weights: dict[str, float] = {}
    for lemma in lemmas:
        weights[lemma] = sure
        for other, weight in vocabulary.near.get(lemma, ()):
            weights[other] = max(weights.get(other, 0.0), weight * sure)
    little = all(lemma in vocabulary.function for lemma in lemmas)
    return Clause(form, FUNCTION_WEIGHT if little else 1.0, tuple(sorted(weights.items())))


def _title(words: list[Word]) -> list[Clause]:
    terms = title_terms([word.lemmas for word in words])
    return [Clause("@title", TITLE_CLAUSE, tuple((term, 1.0) for term in terms), False)] if terms else []


def _terms(words: list[Word], vocabulary: Vocabulary) -> list[Clause]:
    """Clauses for the other ways to say a term of several words that stands in the query."""
    clauses: dict[str, Clause] = {}
    for at, word in enumerate(words):
        for lemma in word.lemmas:
            for term in vocabulary.term_starts.get(lemma, ()):
                if not _stands(term.words, words[at:]):
                    continue
                said = {choice for mean in term.means for choice in mean}
                said = {choice for choice in said if not set(choice.split("|")) <= vocabulary.function}
                weight = TERM_WEIGHT * min(1.0, len(term.words) / max(1, len(said)))
                for choice in sorted(said):
                    terms = tuple((other, 1.0) for other in choice.split("|"))
                    if choice not in clauses or clauses[choice].weight < weight:
                        clauses[choice] = Clause("+" + choice, weight, terms, False)
    return [clauses[choice] for choice in sorted(clauses)]


def _stands(term: tuple[str, ...], words: list[Word]) -> bool:
    """Do the words begin with the term; up to ``_BETWEEN`` others may stand between its words."""
    left = list(term)
    for word in words[: len(term) + _BETWEEN]:
        if left and set(left[0].split("|")) & set(word.lemmas):
            del left[0]
    return not left


def _phrase(run: str, vocabulary: Vocabulary) -> tuple[tuple[str, ...], ...]:
    return tuple(_lemmas(token.form, vocabulary) for token in _tokens(run, vocabulary)[:MOST_WORDS])


def _lemmas(word: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    forms = [token.form for token in _tokens(word, vocabulary)]
    return tuple(lemma for form in forms for lemma in (vocabulary.lemmas(form) or (form,)))


def _shown(form: str, reading: Reading, lemmas: tuple[str, ...], vocabulary: Vocabulary) -> str:
    """The dictionary form of a word."""
    owners = vocabulary.analyser.owners(form)
    if reading.how == "known" and any(language.lemmas_are_stems for language in owners):
        return form
    if reading.how == "known":
        # The lemma nearest to what was typed: of several the one that shares most letters with it.
        return max(lemmas, key=lambda lemma: (_shared(lemma, form), lemma))
    return reading.forms[0]


def _shared(one: str, other: str) -> int:
    size = 0
    while size < min(len(one), len(other)) and one[size] == other[size]:
        size += 1
    return size
