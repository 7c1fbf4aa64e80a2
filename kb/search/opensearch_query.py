"""A plan as OpenSearch is asked it: the sums of ranking.py, done where the postings are.

Terms come analysed and weighted. A term stands in a document as often as its weight says, and the field's
similarity is our saturation, so that a clause is the best of its terms, a document the sum of its clauses.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from kb.search.backend import Clause, Plan, Posting
from kb.search.ranking import ALL, COVERAGE, SATURATION, SITUATION, UNIT

Body = dict[str, Any]

TERMS, WORDING = "terms", "wording"
"""The fields of provisions' terms, and of situations': each is a corpus of its own."""
_WEIGHT = "\x01"
"""Stands between a term and its weight."""
_SPACE = "\x02"
"""Stands for a space inside a term: tokens are told apart by spaces."""
_LONGEST = 200
"""Characters of a token: the engine cuts longer ones in two."""
MOST_LED = 400
"""Provisions that are given points one by one: the engine takes 1,024 clauses of a query, and its words need
the others."""


def settings(shards: int, replicas: int) -> Body:
    """What an index is made with."""
    half = SATURATION * UNIT
    weighted = {"type": "text", "analyzer": "weighted", "index_options": "freqs", "norms": False}
    field = {**weighted, "similarity": "saturation", "search_analyzer": "whitespace"}
    return {
        "settings": {
            "number_of_shards": shards,
            "number_of_replicas": replicas,
            "refresh_interval": -1,
            "similarity": {
                "saturation": {
                    "type": "scripted",
                    "script": {"source": f"return query.boost * doc.freq / (doc.freq + {half})"},
                }
            },
            "analysis": {
                "filter": {"weight": {"type": "delimited_term_freq", "delimiter": _WEIGHT}},
                "analyzer": {"weighted": {"tokenizer": "whitespace", "filter": ["weight"]}},
            },
        },
        "mappings": {
            "dynamic": False,
            "_source": {"includes": ["document"]},
            "properties": {
                TERMS: field,
                WORDING: field,
                "number": {"type": "integer"},
                "prior": {"type": "integer"},
            },
        },
    }


def document(posting: Posting) -> Body:
    """A posting as it is sent."""
    fields: dict[str, list[str]] = {TERMS: [], WORDING: []}
    for term, weight in sorted(posting.terms.items()):
        field, token = _at(term)
        fields[field].append(f"{token}{_WEIGHT}{weight}")
    return {
        **{field: " ".join(tokens) for field, tokens in fields.items()},
        "number": posting.number,
        "prior": posting.terms.get(ALL, 0),
        "document": dict(posting.stored),
    }


def _at(term: str) -> tuple[str, str]:
    """The field of a term, and the token that stands for it there."""
    head = term.startswith(SITUATION)
    token = (term[len(SITUATION) :] if head else term).replace(" ", _SPACE)
    if len(token) > _LONGEST or any(letter.isspace() or letter == _WEIGHT for letter in token):
        token = "#" + hashlib.sha256(token.encode()).hexdigest()
    return (WORDING if head else TERMS), token


def one(term: str, boost: float = 1.0) -> Body:
    """Documents that have a term; their points are its weight, saturated, times ``boost``."""
    field, token = _at(term)
    return {"term": {field: {"value": token, "boost": boost}}}


def counts(clauses: Sequence[Clause], head: str) -> Body:
    """How many documents have each clause, by the heaviest of its terms they have."""
    named: Body = {}
    for number, clause in enumerate(clauses):
        terms = heaviest(clause)
        for place, (term, _) in enumerate(terms):
            others = [one(head + other) for other, _ in terms[:place]]
            named[f"{number}.{place}"] = {"bool": {"filter": [one(head + term)], "must_not": others}}
    return {"filters": {"filters": named}}


def heaviest(clause: Clause) -> list[tuple[str, float]]:
    """Its terms, the heaviest first."""
    return sorted(clause.terms, key=lambda pair: (-pair[1], pair[0]))


def sums(clauses: Sequence[tuple[Clause, float]], head: str = "") -> Body:
    """Points of all clauses, each with its rarity; more for what answers more of the query's words."""
    shoulds = [
        {
            "dis_max": {
                "queries": [one(head + term, rare * weight) for term, weight in clause.terms],
                "_name": str(number),
            }
        }
        for number, (clause, rare) in enumerate(clauses)
    ]
    added: Body = {"bool": {"should": shoulds, "minimum_should_match": 1}}
    whole = sum(rare for clause, rare in clauses if clause.counts)
    if not whole:
        return added
    functions = [
        {"filter": any_of([head + term for term, _ in clause.terms]), "weight": COVERAGE * rare / whole}
        for clause, rare in clauses
        if clause.counts
    ]
    return {
        "function_score": {
            "query": added,
            "functions": [{"filter": {"match_all": {}}, "weight": 1.0}, *functions],
            "score_mode": "sum",
            "boost_mode": "multiply",
        }
    }


def any_of(terms: Sequence[str]) -> Body:
    """Documents that have one of the terms."""
    return {"bool": {"should": [one(term) for term in terms], "minimum_should_match": 1}}


def whole(plan: Plan, clauses: Sequence[tuple[Clause, float]], led: Mapping[int, float]) -> Body:
    """The query for provisions. ``led``: what situations give to each, the ``MOST_LED`` best of it."""
    prior = {"field_value_factor": {"field": "prior", "factor": 0.01}, "boost_mode": "multiply"}
    shoulds: list[Body] = [
        {"constant_score": {"filter": {"term": {"number": number}}, "boost": points}}
        for number, points in sorted(led.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_LED]
    ]
    if clauses:
        shoulds.append({"function_score": {"query": sums(clauses), **prior}})
    elif not plan.clauses:
        every = {"constant_score": {"filter": one(ALL), "boost": 1.0}}
        shoulds.append({"function_score": {"query": every, **prior}})
    return {
        "bool": {
            "should": shoulds,
            "minimum_should_match": 1,
            "filter": [any_of(choice) for choice in plan.must],
            "must_not": [one(term) for term in plan.never],
        }
    }
