"""What a cluster's refusal means: asked again when a node left meanwhile, told at once when it is a fault."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("opensearchpy", reason="the extra opensearch is not installed")

from opensearchpy.exceptions import ConnectionTimeout, NotFoundError, RequestError, TransportError

from kb.search.opensearch_index import _create
from kb.search.opensearch_refusals import patiently


def refusal(status: int, *kinds: str) -> TransportError:
    """An answer of that status whose error was caused by the next, and that by the next."""
    causes = [{"type": kind, "reason": "as told"} for kind in kinds]
    first, *rest = causes
    error = {
        **first,
        "root_cause": causes[-1:],
        "failed_shards": [{"shard": 0, "reason": one} for one in rest],
    }
    made = {400: RequestError, 404: NotFoundError}.get(status, TransportError)
    answered: TransportError = made(status, kinds[0], {"error": error, "status": status})
    return answered


PASSING = [
    refusal(500, "search_phase_execution_exception", "node_disconnected_exception"),
    refusal(500, "search_phase_execution_exception", "node_closed_exception"),
    refusal(404, "search_phase_execution_exception", "search_context_missing_exception"),
    refusal(500, "node_not_connected_exception"),
    refusal(503, "search_phase_execution_exception", "no_shard_available_action_exception"),
    refusal(429, "rejected_execution_exception"),
    ConnectionTimeout("TIMEOUT", "a node", Exception("too long")),
]
LASTING = [
    refusal(400, "search_phase_execution_exception", "parsing_exception"),
    refusal(404, "index_not_found_exception"),
    refusal(500, "search_phase_execution_exception", "null_pointer_exception"),
    TransportError(500, "no JSON at all", "<html>"),
]


def asked(*answers: TransportError | str) -> tuple[list[str], object]:
    """What comes of asking when these are answered in turn, and the answers not needed."""
    left = list(answers)

    def ask() -> str:
        answer = left.pop(0)
        if isinstance(answer, TransportError):
            raise answer
        return answer

    return [patiently(ask, waits=(0, 0))], left


@pytest.mark.parametrize("error", PASSING, ids=str)
def test_asked_again(error: TransportError) -> None:
    assert asked(error, error, "hits") == (["hits"], [])
    with pytest.raises(type(error)):
        asked(error, error, error, "too late")


@pytest.mark.parametrize("error", LASTING, ids=str)
def test_told_at_once(error: TransportError) -> None:
    with pytest.raises(type(error)):
        asked(error, "hits")


@pytest.mark.parametrize("first", [PASSING[-1], refusal(503, "unavailable")], ids=str)
def test_an_index_made_by_a_request_that_was_not_answered_is_ours(first: TransportError) -> None:
    answers = [first, refusal(400, "resource_already_exists_exception")]

    def create(index: str, body: object) -> None:
        raise answers.pop(0)

    _create(SimpleNamespace(indices=SimpleNamespace(create=create)), "made", {})
    assert answers == []
    answers = [refusal(400, "invalid_index_name_exception")]
    with pytest.raises(RequestError):
        _create(SimpleNamespace(indices=SimpleNamespace(create=create)), "Made", {})
