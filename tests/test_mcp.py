"""The tools for assistants: as plain functions; and over stdio where the optional package is installed."""

from __future__ import annotations

import asyncio
import json
import sys
from importlib.util import find_spec

import pytest
from goldkb import gold_build
from sitebuild import need

from kb.errors import MissingExtra
from kb.hosts import mcp as host
from kb.library import open_library


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    return gold_build(tmp_path_factory.mktemp("build"))


@pytest.fixture(scope="module")
def tools(build):
    return host.Tools(open_library(build))


def test_every_answer_has_edition_status_and_link(tools):
    shown = tools.show("65C")
    found = tools.search("болван")["hits"][0]
    resolved = tools.resolve("Law 49")["results"][0]
    cited = tools.find_citations("см. правило 66C")["results"][0]
    for one in (shown, found, resolved):
        assert one["status"] and one["url"]
    assert cited["status"] == "not-supplied" and cited["refs"] == ["laws/1987/66.C"]
    assert {tools.show("65C")["edition"], tools.resolve("65C")["edition"]} == {"1987"}


@pytest.mark.parametrize("question", ["no such thing", "laws/1987/650", "laws/x"])
def test_a_mistake_is_answered(tools, question):
    assert set(tools.show(question)) == {"error"}


def test_limits(tools):
    assert len(tools.search("карта", limit=10_000)["hits"]) <= host.MOST_HITS
    assert "error" in tools.find_citations("a" * (host.LONGEST + 1))
    assert "error" in tools.search("карта", lang="xx")


def test_without_the_package_it_says_what_to_install(build, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    with pytest.raises(MissingExtra, match=r"lawkb\[mcp\]"):
        host.run(open_library(build))


def test_over_stdio(build):
    """A client of the same package talks to the command."""
    need(find_spec("mcp") is not None, "mcp")
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(
        command=sys.executable, args=["-m", "kb.cli", "--build", str(build), "mcp"]
    )

    async def talk() -> tuple[list[str], dict]:
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            names = [tool.name for tool in (await session.list_tools()).tools]
            answer = await session.call_tool("show", {"ref": "65C"})
            return names, json.loads(answer.content[0].text)

    names, shown = asyncio.run(talk())
    assert names == ["search", "show", "resolve", "find_citations"]
    assert shown["ref"] == "laws/1987/65.C" and shown["url"] == "/laws/1987/65/#65.C"
