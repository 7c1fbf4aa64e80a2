"""What is asked for is read as the standard library reads it, and told to the log in ASCII."""

from __future__ import annotations

import asyncio
import io
import json
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.serve.given import pairs
from kb.serve.journal import LOGGED, Journal

_PIECES = st.sampled_from(
    ["q", "=", "&", ";", "+", "%", "%2", "%D0", "%d1%8f", "%26", "%00", "%zz", "я", "a b"]
)


@given(st.one_of(st.text(), st.lists(_PIECES).map("".join)))
def test_a_query_is_read_as_the_library_reads_it(query):
    raw = query.encode("utf-8", "surrogatepass")
    assert pairs(raw) == dict(parse_qsl(raw.decode("latin-1"), keep_blank_values=True))


@pytest.mark.parametrize("asked", [{"q": "взятка & ход", "limit": "5"}, {"q": "100 %", "lang": ""}])
def test_what_a_form_sends_is_what_is_read(asked):
    assert pairs(urlencode(asked).encode()) == asked


def test_the_journal_tells_all_of_one_turn_at_once():
    stream = io.StringIO()

    async def told():
        journal = Journal(stream)
        journal.tell("GET", "/a\n", 200, 0.0126)
        journal.tell("GET", "/я\u202e" + "x" * 300, 404, 0.0)
        assert not stream.getvalue()
        await asyncio.sleep(0)
        journal.tell("GET", "/b", 200, 0.0)
        await asyncio.sleep(0)

    # In a thread of its own: another test may have left a loop running in this one.
    with ThreadPoolExecutor() as pool:
        pool.submit(asyncio.run, told()).result()
    lines = stream.getvalue().splitlines()
    assert stream.getvalue().isascii() and stream.getvalue().endswith("\n")
    assert [json.loads(line)["path"] for line in lines] == ["/a\n", ("/я\u202e" + "x" * 300)[:LOGGED], "/b"]
    assert json.loads(lines[0]) == {"method": "GET", "path": "/a\n", "status": 200, "ms": 12.6}
