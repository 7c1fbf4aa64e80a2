"""For assistants, over stdio: search, show, resolve, find citations. Answers have edition, status and link.

Needs the optional package `mcp`; the tools themselves are plain functions of a Library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kb import answers
from kb.errors import KbError, MissingExtra
from kb.library import Library

INSTRUCTIONS = (
    "A body of law with its commentary, made from scans. Quote a provision only as these tools give it, with "
    "its address. A status other than 'text' means that the text is partial or was never supplied: say so "
    "and do not fill it in from memory. 'in_force' says what became of it in the edition in force today."
)
MOST_HITS = 20
LONGEST = 100_000
"""Code points of a text that is looked through for citations."""


class Tools:
    """The four tools. Each gives plain JSON values; a mistake of the caller is answered, not raised."""

    def __init__(self, base: Library) -> None:
        self.base = base
        self.site = str(base.profile.data.get("site", {}).get("url", ""))

    def search(self, query: str, lang: str = "", work: str = "", limit: int = 5) -> dict[str, Any]:
        """Full-text search in the law and its commentary. Any question or citation is a query.

        lang: only texts in this language; work: only this work; limit: how many hits, 20 at most.
        """
        limit = max(1, min(limit, MOST_HITS))
        return self._answered(lambda: answers.search(self.base, query, lang or None, work or None, limit))

    def show(self, ref: str, lang: str = "") -> dict[str, Any]:
        """A provision or comment with its text, what is below it, its commentary and who cites it.

        ref: a ref such as work/edition/path, or a citation as people write it.
        """
        return self._answered(lambda: answers.provision(self.base, self.base.find(ref), lang or None))

    def resolve(self, citation: str, edition: str = "", context: str = "") -> dict[str, Any]:
        """What a citation means: the provisions it names, their titles, status and addresses."""
        return self._answered(
            lambda: answers.resolve(self.base, citation, edition or None, context or None, root=self.site)
        )

    def find_citations(self, text: str, lang: str = "") -> dict[str, Any]:
        """All citations in a text, with their places (code points) and what they mean."""
        if len(text) > LONGEST:
            return {"error": f"the text has {len(text)} code points, at most {LONGEST} are taken"}
        return self._answered(lambda: answers.find_refs(self.base, text, lang or None, root=self.site))

    def all(self) -> list[Callable[..., dict[str, Any]]]:
        """The tools, by the names assistants see."""
        return [self.search, self.show, self.resolve, self.find_citations]

    def _answered(self, answer: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        try:
            return {"edition": self.base.profile.edition, "site": self.site, **answer()}
        except KbError as error:
            return {"error": str(error)}


def run(base: Library) -> None:
    """Serve the tools over stdio until the client leaves. Raises MissingExtra without the package."""
    try:
        from mcp.server.mcpserver import MCPServer
    except ImportError:
        raise MissingExtra(
            "kb mcp: needs the package mcp 2.3 or later; install it: pip install 'lawkb[mcp]'"
        ) from None
    title = base.profile.titles.get(base.profile.lang, base.profile.name)
    server = MCPServer("kb", title=title, instructions=INSTRUCTIONS)
    for tool in Tools(base).all():
        server.tool()(tool)
    server.run("stdio")
