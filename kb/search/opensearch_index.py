"""The index kept by a cluster of OpenSearch, an optional extra: the one module that imports its client.

Every build loads an index of its own. Its aliases are set when all of it is there: ``NAME-gDIGEST``, which
the build's folder names, and ``NAME``, which is always the newest. A server that has the build before it open
goes on with that one: of the finished indexes the last two stay.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb.errors import BuildError, InputError, MissingExtra
from kb.search import opensearch_query as asked
from kb.search.backend import Clause, Plan, Posting
from kb.search.keeping import Kept
from kb.search.opensearch_refusals import PASSING, WAITS, kinds, patiently
from kb.search.ranking import ALL, SITUATION, SITUATIONS, Listed, led, rarity

FILE = "opensearch.json"
"""In the folder of an index: the alias it is under, and how many documents it has."""
MOST = 1000
"""Hits of one query that are looked at."""
_BYTES, _COUNT = 4 << 20, 1000
"""Of one load: bytes and documents."""
_SEARCH_TRIES = 4
_LOST_AFTER = 24 * 3600
"""Seconds after which an index nobody finished is dropped: its build was killed."""
_WORDS, _DOCUMENTS = 50_000, 64 << 20
"""Clauses that are kept, and bytes of documents."""
_TOGETHER = 200
"""Documents fetched at once."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where the cluster is, and how an index is spread over it."""

    hosts: tuple[str, ...]
    name: str = "lawkb"
    shards: int = 1
    replicas: int = 1
    timeout: float = 10.0
    """Seconds one request may take."""

    @classmethod
    def of_environment(cls, values: Mapping[str, str] = os.environ) -> Cluster:
        """As the environment has it: where a cluster is does not belong to a corpus. Raises InputError."""
        hosts = tuple(host.strip() for host in values.get("KB_OPENSEARCH", "").split(",") if host.strip())
        if not hosts:
            raise InputError(
                "--backend opensearch: set KB_OPENSEARCH to the addresses of its nodes, "
                "as in http://10.0.0.1:9200,http://10.0.0.2:9200"
            )
        return cls(
            hosts,
            values.get("KB_OPENSEARCH_INDEX") or "lawkb",
            _number(values, "KB_OPENSEARCH_SHARDS", 1, 1),
            _number(values, "KB_OPENSEARCH_REPLICAS", 1, 0),
        )


def _number(values: Mapping[str, str], name: str, default: int, least: int) -> int:
    value = values.get(name) or str(default)
    if not value.isdecimal() or not least <= int(value) <= 1024:
        raise InputError(f"{name}={value}: must be a whole number from {least} to 1024")
    return int(value)


class OpenSearchBackend:
    """Builds and opens indexes of one cluster."""

    name = "opensearch"

    def __init__(self, cluster: Cluster | None = None) -> None:
        self._given = cluster

    def build(self, folder: Path, documents: Iterable[Posting]) -> None:
        """Load an index and let it take over; the folder gets its name.

        Raises MissingExtra without the extra, InputError without an address, BuildError when the cluster
        does not take it: the index before it stays.
        """
        cluster, client = self._connected()
        made = f"{cluster.name}-i{secrets.token_hex(8)}"
        try:
            _create(client, made, asked.settings(cluster.shards, cluster.replicas))
            count, digest = _load(client, made, documents)
            alias = f"{cluster.name}-g{digest}"
            _finish(client, cluster, made, alias, count)
        except BaseException as error:
            with suppress(_failure()):
                client.indices.delete(index=made, ignore_unavailable=True)
            if isinstance(error, _failure()):
                raise BuildError(f"{_where(cluster)}: {_reason(error)}; the index before stays") from None
            raise
        told = {"alias": alias, "documents": count}
        (folder / FILE).write_text(json.dumps(told, sort_keys=True) + "\n", encoding="utf-8")

    def open(self, folder: Path) -> OpenSearchSearcher:
        """Open for reading. Raises BuildError without such an index, or when no node answers."""
        cluster, client = self._connected()
        try:
            told = json.loads((folder / FILE).read_text("utf-8"))
            alias, count = str(told["alias"]), int(told["documents"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BuildError(f"{folder}: no index of opensearch ({error}); run `kb build`") from None
        return OpenSearchSearcher(client, cluster, alias, count)

    def _connected(self) -> tuple[Cluster, Any]:
        try:
            import opensearchpy
        except ImportError:
            raise MissingExtra(
                "--backend opensearch needs an extra: pip install 'lawkb[opensearch]'"
            ) from None
        cluster = self._given or Cluster.of_environment()
        client = opensearchpy.OpenSearch(
            list(cluster.hosts),
            timeout=cluster.timeout,
            max_retries=len(cluster.hosts),
            retry_on_timeout=True,
            retry_on_status=PASSING,
        )
        return cluster, client


def _failure() -> type[Exception]:
    from opensearchpy.exceptions import TransportError

    failure: type[Exception] = TransportError
    return failure


def _create(client: Any, index: str, settings: asked.Body) -> None:
    """Make an index of a name that is ours alone."""
    try:
        patiently(lambda: client.indices.create(index=index, body=settings))
    except _failure() as error:
        # The answer came too late and the client asked again: what is there is what the first request made.
        if "resource_already_exists_exception" not in kinds(error):
            raise


def _load(client: Any, index: str, documents: Iterable[Posting]) -> tuple[int, str]:
    """Send all documents: how many there were, and a digest of them."""
    count, digest = 0, hashlib.sha256()
    for load in _loads(documents):
        for _, body in load:
            digest.update(body)
        count += len(load)
        _send(client, index, load)
    return count, digest.hexdigest()[:16]


def _loads(documents: Iterable[Posting]) -> Iterator[list[tuple[int, bytes]]]:
    load: list[tuple[int, bytes]] = []
    size = 0
    for posting in documents:
        body = json.dumps(asked.document(posting), sort_keys=True, separators=(",", ":")).encode()
        if load and (size + len(body) > _BYTES or len(load) >= _COUNT):
            yield load
            load, size = [], 0
        load.append((posting.number, body))
        size += len(body)
    if load:
        yield load


def _send(client: Any, index: str, load: Sequence[tuple[int, bytes]]) -> None:
    """Send a load; what the cluster could not take now is sent again, after a longer wait each time."""
    left = dict(load)
    for wait in (*WAITS, None):
        lines = [line for n, body in left.items() for line in (b'{"index":{"_id":"%d"}}' % n, body)]
        body = b"\n".join(lines) + b"\n"
        told = patiently(lambda body=body: client.bulk(body=body, index=index))  # type: ignore[misc]
        refused = {int(item["index"]["_id"]): item["index"] for item in told["items"] if _bad(item)}
        if not refused:
            return
        worst = next((item for item in refused.values() if item["status"] not in PASSING), None)
        if worst or wait is None:
            why = json.dumps((worst or next(iter(refused.values())))["error"], ensure_ascii=False)[:300]
            raise BuildError(f"{index}: {len(refused)} documents were not taken: {why}")
        left = {number: left[number] for number in refused}
        time.sleep(wait)


def _bad(item: Mapping[str, Any]) -> bool:
    return int(item["index"]["status"]) >= 300


def _finish(client: Any, cluster: Cluster, made: str, alias: str, count: int) -> None:
    """Let a loaded index take over, all aliases at once, and drop those nobody has open any more."""
    patiently(lambda: client.indices.refresh(index=made))
    there = patiently(lambda: client.count(index=made))["count"]
    if there != count:
        raise BuildError(f"{made}: has {there} of {count} documents")
    held = patiently(lambda: client.indices.get(index=f"{cluster.name}-i*"))
    actions = [
        {"remove": {"index": name, "alias": old}}
        for name, one in held.items()
        for old in one["aliases"]
        if old in (cluster.name, alias)
    ]
    actions += [{"add": {"index": made, "alias": name}} for name in (cluster.name, alias)]
    patiently(lambda: client.indices.update_aliases(body={"actions": actions}))
    for name in _stale(held, made, alias):
        patiently(lambda name=name: client.indices.delete(index=name, ignore_unavailable=True))  # type: ignore[misc]


def _stale(held: Mapping[str, Any], made: str, alias: str) -> list[str]:
    """Indexes to drop: finished ones but the newest besides ``made``, and those of killed builds."""
    ages = {name: int(one["settings"]["index"]["creation_date"]) for name, one in held.items()}
    finished = [name for name, one in held.items() if name != made and set(one["aliases"]) - {alias}]
    newest = max(finished, key=lambda name: (ages[name], name), default="")
    old = max(ages.values(), default=0) - _LOST_AFTER * 1000
    lost = [name for name, one in held.items() if not one["aliases"] and ages[name] < old]
    replaced = [name for name, one in held.items() if set(one["aliases"]) & {alias} and name != made]
    return sorted({*finished, *lost, *replaced} - {newest, made})


def _where(cluster: Cluster) -> str:
    """The addresses without what may be a password."""
    return ", ".join(host.rpartition("@")[2] for host in cluster.hosts)


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


class OpenSearchSearcher:
    """An open index; threads may share it."""

    quick = False

    def __init__(self, client: Any, cluster: Cluster, alias: str, count: int) -> None:
        self._client = client
        self._where = _where(cluster)
        self._alias = alias
        self._having: Kept[float] = Kept(_WORDS)
        self._documents: Kept[Mapping[str, Any]] = Kept(_DOCUMENTS)
        filters = {"terms": asked.one(ALL), "wording": asked.one(SITUATION + ALL)}
        found = self._ask(_counting({"all": {"filters": {"filters": filters}}}))
        there = {name: one["doc_count"] for name, one in found["aggregations"]["all"]["buckets"].items()}
        if sum(there.values()) != count:
            raise BuildError(
                f"{self._where}: {alias} has {sum(there.values())} of {count} documents; run `kb build`"
            )
        self._counts = {"": there["terms"], SITUATION: there["wording"]}

    def search(self, plan: Plan, least: float = 0.0) -> Listed:
        """The documents that match, the ``MOST`` best of them."""
        led = self._led(plan)
        for number, points in plan.given.items():
            led[number] = led.get(number, 0.0) + points
        clauses = self._rare(plan.clauses, "")
        if not (clauses or led or (not plan.clauses and (plan.must or plan.never))):
            return Listed({})
        hits = self._hits(asked.whole(plan, clauses, led), MOST)
        scores = {int(hit["_id"]): float(hit["_score"]) for hit in hits}
        floor = least * max(scores.values(), default=0.0)
        return Listed({number: score for number, score in scores.items() if score >= floor})

    def warm(self, terms: Iterable[str]) -> None:
        """Its engine keeps what it needs."""

    def explain(self, plan: Plan, number: int) -> Sequence[tuple[str, str, float]]:
        """What each word of the query added to a document's score."""
        told = []
        this = {"ids": {"values": [str(number)]}}
        for clause, rare in self._rare(plan.clauses, ""):
            terms = {
                term: self._hits({"bool": {"must": [asked.one(term, rare * weight)], "filter": [this]}}, 1)
                for term, weight in clause.terms
            }
            points = {term: float(hits[0]["_score"]) for term, hits in terms.items() if hits}
            if points:
                best = max(points, key=lambda term: points[term])
                told.append((clause.word, best, points[best]))
        situations = self._led(plan).get(number, 0.0) + plan.given.get(number, 0.0)
        return told + ([("", SITUATION, situations)] if situations else [])

    def documents(self, numbers: Sequence[int]) -> list[Mapping[str, Any]]:
        """What was stored with each; those not kept are fetched together."""
        found: dict[int, Mapping[str, Any]] = {}
        for number in numbers:
            if (kept := self._documents.held(number)) is not None:
                found[number] = kept
        lacking = [number for number in dict.fromkeys(numbers) if number not in found]
        for at in range(0, len(lacking), _TOGETHER):
            body = {"ids": [str(number) for number in lacking[at : at + _TOGETHER]]}
            for one in self._tried(lambda body=body: self._client.mget(body=body, index=self._alias))["docs"]:  # type: ignore[misc]
                if not one.get("found"):
                    raise BuildError(f"document {one['_id']} is not in the index; run `kb build`")
                document = one["_source"]["document"]
                found[int(one["_id"])] = document
                self._documents.put(int(one["_id"]), document, len(json.dumps(document)))
        return [found[number] for number in numbers]

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def _led(self, plan: Plan) -> dict[int, float]:
        """What the situations most like the query give to the provisions they lead to."""
        clauses = self._rare(plan.clauses, SITUATION)
        if not clauses:
            return {}
        hits = self._hits(asked.sums(clauses, SITUATION), SITUATIONS, "document.leads", "document.size")
        leads = {int(hit["_id"]): hit["_source"]["document"] for hit in hits}
        alike = [
            (
                int(hit["_id"]),
                float(hit["_score"]),
                sum(clauses[int(n)][0].weight for n in hit["matched_queries"] if clauses[int(n)][0].counts),
            )
            for hit in hits
        ]
        return led(alike, lambda number: (leads[number]["leads"], leads[number]["size"]))

    def _rare(self, clauses: Sequence[Clause], head: str) -> list[tuple[Clause, float]]:
        """The clauses that lead to anything, each with its rarity."""
        new = [c for c in dict.fromkeys(clauses) if self._having.held((head, c.terms)) is None]
        if new:
            found = self._ask(_counting({"words": asked.counts(new, head)}))["aggregations"]["words"]
            for number, clause in enumerate(new):
                had = [
                    weight * found["buckets"][f"{number}.{place}"]["doc_count"]
                    for place, (_, weight) in enumerate(asked.heaviest(clause))
                ]
                self._having.put((head, clause.terms), sum(had), 1)
        count = self._counts[head]
        having = [(clause, self._having.held((head, clause.terms)) or 0.0) for clause in clauses]
        return [(clause, rarity(clause, count, some)) for clause, some in having if some]

    def _hits(self, query: asked.Body, size: int, *fields: str) -> list[dict[str, Any]]:
        body = {
            "query": query,
            "size": size,
            "_source": list(fields) or False,
            "track_total_hits": False,
            "sort": ["_score", {"number": "asc"}],
        }
        hits: list[dict[str, Any]] = self._ask(body)["hits"]["hits"]
        return hits

    def _ask(self, body: asked.Body) -> dict[str, Any]:
        # A part of the answers is none: without a shard the best hit may be missing.
        return self._tried(
            lambda: self._client.search(body=body, index=self._alias, allow_partial_search_results=False)
        )

    def _tried(self, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        try:
            return patiently(ask, WAITS[:_SEARCH_TRIES])
        except _failure() as error:
            raise BuildError(f"{self._where}: {_reason(error)}") from None


def _counting(aggregations: asked.Body) -> asked.Body:
    return {"size": 0, "track_total_hits": False, "aggs": aggregations}
