"""Where words of a text are lost: said in words at the very place, in no letter of the text itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kb.model import KnowledgeBase, Node, Ref, Span

Gap = tuple[int, str]
"""Code points of the part before it, and the key of the string that says what is lost."""

LACUNA = "lacuna"
START = "start of the text"
END = "end of the sentence"
LIST = "the list goes on"
"""What ``Node.missing`` says, as far as it has a place in the text that is there."""


class Gaps:
    """The gaps of one knowledge base's texts."""

    def __init__(self, kb: KnowledgeBase) -> None:
        found = [f for f in kb.findings(LACUNA) if f.ref is not None and f.lines is not None]
        wanted = {finding.source for finding in found}
        starts = {s.name: line_starts(s.text) for s in kb.sources() if s.name in wanted} if wanted else {}
        # Who notes what is read gives nodes without their spans.
        self._spans: Callable[[Ref, str], tuple[Span, ...]] | None = getattr(kb, "spans", None)
        self._lacunae: dict[Ref, list[tuple[str, int]]] = {}
        for finding in found:
            lines, at = finding.lines, starts.get(finding.source, [])
            if finding.ref is not None and lines is not None and lines[1] <= len(at):
                self._lacunae.setdefault(finding.ref, []).append((finding.source, at[lines[1] - 1]))

    def told(self, tops: Iterable[Ref]) -> list[tuple[Ref, list[tuple[str, int]]]]:
        """Where in which source a run is lost, for all that is below some refs."""
        wanted = tuple(tops)
        if not self._lacunae:
            return []
        return [(ref, lost) for ref, lost in self._lacunae.items() if any(ref.within(top) for top in wanted)]

    def of(self, node: Node, part: str) -> list[Gap]:
        """The gaps of a node's ``text`` or ``tail``, in order."""
        text = node.tail if part == "tail" else node.text
        if not text.strip():
            return []
        found = list(self._inside(node, part))
        if part == "text" and START in node.missing:
            found.append((0, "gap_start"))
        if END in node.missing and part == ("tail" if node.tail.strip() else "text"):
            found.append((len(text.rstrip()), "gap_end"))
        return sorted(found)

    def _inside(self, node: Node, part: str) -> Iterator[Gap]:
        """A run lost between two lines of a source: before what is read from the second."""
        lacunae = self._lacunae.get(node.ref)
        if not lacunae:
            return
        spans = self._spans(node.ref, node.lang) if self._spans else node.spans
        for source, at in lacunae:
            for span in spans:
                alike = span.end - span.start == span.source_end - span.source_start
                here = span.where == part and span.source == source and alike
                if here and span.source_start < at < span.source_end:
                    yield span.start + at - span.source_start, "gap_inside"


def line_starts(text: str) -> list[int]:
    """Offsets at which the lines of a text begin, and one past its end."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    starts[-1] = len(text)
    if len(starts) > 2 and starts[-1] == starts[-2]:  # a line end closes a line, it opens none
        starts.pop()
    return starts


def goes_on(node: Node) -> bool:
    """True when the list below a node breaks off."""
    return LIST in node.missing
