"""The running text of a Markdown document: see ``kb.cite.flow``."""

from __future__ import annotations

import re

from kb.cite.flow import BARRIER, BREAK, Flow

_FENCE = re.compile(r"[ ]{0,3}(?:>[ ]?)*[ ]*(?:[-*+][ ]+|\d+[.)][ ]+)?(`{3,}|~{3,})")
_PREFIX = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)]|\[\^[^\]\s]+\]:|:)[ \t]+")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r"[ ]{0,3}(?:=+|-+)[ \t]*$")
_DEFINITION = re.compile(r"[ ]{0,3}\[([^\]^][^\]]*)\]:[ \t]*\S")
_RULE = re.compile(
    r"[ ]{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$|[ ]*\|?[ \t:|-]+\|[ \t:|-]*$"
)
_LABEL = r"\[(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*\]"
_TOKEN = re.compile(
    rf"""\\.                                                # escaped
    | (?P<tick>`+)
    | !?{_LABEL}(?:\((?:[^()\s\\]|\\.|\([^()\s]*\))*(?:[ \t\n]+(?:"[^"]*"|'[^']*'))?[ \t]*\)|\[[^\[\]]*\])
    | \[\[[^\[\]]*\]\] | \[\^[^\[\]\s]+\]
    | (?P<label>!?{_LABEL})
    | \{{\{{[^{{}}]{{0,400}}\}}\}} | \{{%[^{{}}]{{0,400}}%\}} | \{{[:\#.][^{{}}\n]{{0,400}}\}}
    | (?P<tag></?[A-Za-z][^<>]*>) | (?P<comment><!--) | <[a-z][a-z0-9+.-]*:[^<>\s]*>
    | (?:[a-z][a-z+.-]{{1,15}}://|www\.)[^\s<>)]+ | (?<![\w.+-])[\w.+-]{{1,64}}@[\w-]+(?:\.[\w-]+)+
    | (?P<stars>\*{{1,3}}|(?<!\w)_{{1,3}}|_{{1,3}}(?!\w)|~~|==)
    | (?P<cell>\|)""",
    re.VERBOSE,
)
_ENDS_LINK = re.compile(r"<(a|code|pre|kbd|script|style)\b", re.IGNORECASE)


def from_markdown(source: str) -> Flow:
    """Markdown as it comes: CommonMark, and what Python-Markdown and MkDocs add to it."""
    flow = Flow()
    lines = _lines(source)
    labels = {m.group(1).lower() for start, end in lines if (m := _DEFINITION.match(source, start, end))}
    block: list[tuple[int, int]] = []
    at = _front_matter(source, lines)
    in_list = False
    while at < len(lines):
        start, end = lines[at]
        body = _PREFIX.match(source, start, end)
        first = body.end() if body else start
        fence = _FENCE.match(source, start, end)
        if block and _UNDERLINE.match(source, start, end):
            block = []  # it was a heading
        elif fence:
            at = _past_fence(source, lines, at, fence.group(1))
        elif first == end or source[start:end].isspace():
            pass
        elif _HEADING.match(source, first, end) or _DEFINITION.match(source, start, end):
            in_list = in_list and first > start
        elif _RULE.match(source, start, end) or (
            not block and not in_list and _indent(source, start, end) >= 4
        ):
            pass
        else:
            item = _ITEM.match(source, first, end)
            if item:
                _paragraph(flow, source, block, labels)
                block, in_list, first = [], True, item.end()
            elif first == start and not block:
                in_list = False
            block.append((first, end))
            at += 1
            continue
        _paragraph(flow, source, block, labels)
        block = []
        at += 1
    _paragraph(flow, source, block, labels)
    return flow


def _lines(source: str) -> list[tuple[int, int]]:
    found = []
    at = 0
    for line in source.splitlines(keepends=True):
        found.append((at, at + len(line.rstrip("\r\n"))))
        at += len(line)
    return found


def _front_matter(source: str, lines: list[tuple[int, int]]) -> int:
    """The first line after a block between ``---`` lines at the top."""
    if lines and source[slice(*lines[0])].rstrip() == "---":
        for number, (start, end) in enumerate(lines[1:], 1):
            if source[start:end].rstrip() in ("---", "..."):
                return number + 1
    return 0


def _past_fence(source: str, lines: list[tuple[int, int]], at: int, mark: str) -> int:
    """The line that closes a fenced block, or the last one."""
    for number in range(at + 1, len(lines)):
        text = source[slice(*lines[number])].lstrip(" >\t").rstrip()
        if text.startswith(mark) and not text.strip(mark[0]):
            return number
    return len(lines) - 1


def _indent(source: str, start: int, end: int) -> int:
    text = source[start:end].expandtabs(4)
    return len(text) - len(text.lstrip(" "))


def _paragraph(flow: Flow, source: str, block: list[tuple[int, int]], labels: set[str]) -> None:
    """The lines of one paragraph, from where each begins after its prefix."""
    if not block:
        return
    text = "\n".join(source[start:end] for start, end in block)
    places: list[int] = []
    for start, end in block:
        places += range(start, end + 1)  # the last stands for the line break

    at = 0
    ticks = _code_spans(text)
    while found := _TOKEN.search(text, at):
        _copy(flow, text, places, at, found.start())
        at = _token(flow, text, places, found, labels, ticks)
    _copy(flow, text, places, at, len(text))
    flow.put(BREAK, places[-1], places[-1])


def _copy(flow: Flow, text: str, places: list[int], low: int, high: int) -> None:
    for n in range(low, high):
        flow.put(text[n], places[n], places[n] + 1)


def _token(
    flow: Flow, text: str, places: list[int], found: re.Match[str], labels: set[str], ticks: dict[int, int]
) -> int:
    """What a token of mark-up leaves in the flow; where the text goes on."""
    start, end = found.span()
    kind = found.lastgroup
    if kind == "tick":
        end = ticks.get(start, end)
    elif kind == "comment":
        close = text.find("-->", end)
        end = len(text) if close < 0 else close + 3
    elif kind == "stars":
        flow.marks.append((places[start], places[end - 1] + 1, found.group(), None))
        return end
    elif kind == "label" and found.group().strip("![]").lower() not in labels:
        flow.put(text[start], places[start], places[start] + 1)
        return start + 1
    elif kind == "tag" and (opens := _ENDS_LINK.match(found.group())):
        shut = re.compile(f"</{opens.group(1)}>", re.IGNORECASE).search(text, end)
        end = shut.end() if shut else len(text)
    flow.put("\n\n" if kind == "cell" else BARRIER, places[start], places[end - 1] + 1)
    return end


def _code_spans(text: str) -> dict[int, int]:
    """Start of each code span to its end: a run of backticks up to the next run as long."""
    runs = [(m.start(), m.end()) for m in re.finditer("`+", text)]
    later: dict[int, list[tuple[int, int]]] = {}
    for run in reversed(runs):
        later.setdefault(run[1] - run[0], []).append(run)
    spans: dict[int, int] = {}
    past = 0
    for start, end in runs:
        same = later[end - start]
        same.pop()
        if start >= past and same:
            past = spans[start] = same[-1][1]
    return spans
