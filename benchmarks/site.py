"""The site beside MkDocs: what making our law pages costs, and what plain MkDocs needs for the same words.

Each measurement runs in a process of its own, its modules loaded before. Processor seconds of program and
system. The sizes are those of ``KB_BENCH_LAWS``, as ``93,500``. The files are in ``TMPDIR``, without it in a
file system in memory, where there is one: what a disk adds depends on what else it does.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Any

from benchmarks import INSTALLED, Table

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests")]

LAWS = (93, 500, 5000)
"""About eleven provisions each."""
REPEATED = 1000
"""Up to so many laws every measurement is done ``TIMES``, in turn, and the best counts."""
TIMES = 3
MEMORY = Path("/dev/shm")
NAVIGABLE = 1000
"""Up to so many pages MkDocs is let make its own navigation, whose cost is the square of them."""
SCANS = "sources/"
PERMALINKS = "permalinks"
PEAK = "peak"
APPARATUS = ("search", "material")

OURS = {
    "whole": "our site: its pages, all of them",
    "laws": "of that the law pages",
    "markdown": "of these writing the Markdown",
    "overviews": "contents, subject index, other pages",
    "book": "the whole code on one page, for printing",
}
APART = {
    "permalinks": "permanent addresses",
    "scans": "scan views",
    "api": "open data (API)",
}
THEIRS = {
    "bare": ("MkDocs, its theme, no search", "mkdocs", "[]"),
    "search": ("MkDocs with its own search", "mkdocs", "[search]"),
    "material": ("Material with its own search", "material", "[search]"),
}
WORDS = {"shown": "the words of our page", "law": "the words of the law alone"}


def run() -> list[Table]:
    """One table of the pages, one of what stands beside them."""
    found = {}
    for laws in sizes():
        found[laws] = _measured(laws)
        said = ", ".join(f"{key} {seconds:.2f}" for key, seconds in found[laws].items())
        print(f"{laws} laws: {said}", file=sys.stderr, flush=True)
    return [_beside(found), _apart_from(found), _memory(found)]


def sizes() -> tuple[int, ...]:
    """Laws, as ``KB_BENCH_LAWS`` has them."""
    asked = os.environ.get("KB_BENCH_LAWS", "")
    return tuple(int(part) for part in asked.split(",")) if asked else LAWS


def _measured(laws: int) -> dict[str, float]:
    """Key -> seconds: the best of all turns."""
    best: dict[str, float] = {}
    quick = MEMORY if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=quick) as temporary:
        folder = Path(temporary)
        _process("prepare", folder, str(laws))
        for number in range(TIMES if laws <= REPEATED else 1):
            turn = {**_process("ours", folder), **_process("beside", folder)}
            if not number:
                _process("words", folder)
            for words in WORDS:
                turn |= _process("theirs", folder, "bare", words)
            for name in APPARATUS:
                turn |= _process("theirs", folder, name, "shown")
            if laws <= NAVIGABLE:
                turn |= _process("theirs", folder, "nav", "shown")
            for key, value in turn.items():
                best[key] = min(value, best.get(key, value))
    return best


def _beside(found: dict[int, dict[str, float]]) -> Table:
    rows = [_row(label, key, found) for key, label in OURS.items()]
    rows += [_row(f"{THEIRS['bare'][0]}: {label}", f"bare {words}", found) for words, label in WORDS.items()]
    rows.append(_row(f"{THEIRS['bare'][0]}, navigation of all pages", "nav", found))
    rows += [_row(THEIRS[name][0], name, found) for name in APPARATUS]
    for ours, said in (("whole", "our site"), ("laws", "the law pages")):
        for words, label in WORDS.items():
            rows.append((f"{said}, times MkDocs with {label}", *_shares(found, ours, f"bare {words}"), ""))
    rows += [(f"our site, times {THEIRS[n][0]}", *_shares(found, "whole", n), "") for n in APPARATUS]
    return Table(
        "The site beside MkDocs, s",
        ("", *(f"{laws} laws" for laws in found), "growth for each law"),
        tuple(rows),
        f"One run; up to {REPEATED} laws the best of {TIMES} turns. Processor seconds of program and system. "
        "From the store to the finished site, nothing kept of an earlier build; the page with the whole "
        "code is made up to 300 laws; without what the next table tells. Theirs are as many "
        "pages, their Markdown ready before the clock starts, in headings and paragraphs only, and without "
        "navigation but where it says so. «The words of our page» are all that a reader of a law page finds "
        "in its main part; growth 1.00 is linear.",
    )


def _apart_from(found: dict[int, dict[str, float]]) -> Table:
    return Table(
        "Beside the pages, s",
        ("", *(f"{laws} laws" for laws in found), "growth for each law"),
        tuple(_row(label, key, found) for key, label in APART.items()),
        "The same run. A permanent address leads to each provision, short and with its edition; a scan view "
        "shows the source of twenty laws line by line.",
    )


def _memory(found: dict[int, dict[str, float]]) -> Table:
    labels = {"ours": "our pages", "bare shown": THEIRS["bare"][0]} | {n: THEIRS[n][0] for n in APPARATUS}
    rows = (
        (label, *(f"{one[f'{PEAK} {name}']:.0f}" for one in found.values())) for name, label in labels.items()
    )
    return Table(
        "Peak memory, MB", ("", *(f"{laws} laws" for laws in found)), tuple(rows), "The same processes."
    )


def _shares(found: dict[int, dict[str, float]], ours: str, theirs: str) -> list[str]:
    return [f"{one[ours] / one[theirs]:.2f}" for one in found.values()]


def _row(label: str, key: str, found: dict[int, dict[str, float]]) -> tuple[str, ...]:
    values = {laws: one[key] for laws, one in found.items() if key in one}
    each = [seconds / laws for laws, seconds in values.items()]
    growth = f"{each[-1] / each[0]:.2f}" if len(each) > 1 and all(each) else ""
    return (label, *(f"{values[laws]:.2f}" if laws in values else "–" for laws in found), growth)


def prepare(folder: Path, laws: int) -> None:
    """Grow a corpus and save its store."""
    from grown import grow

    from kb import pipeline
    from kb.store import save

    grow(folder / "corpus", laws)
    save(pipeline.build(folder / "corpus"), folder / "kb.sqlite", identified=True)


def words(folder: Path) -> None:
    """Write what the others are made from, of the words of our site."""
    pages = folder / "site" / "site" / "laws" / "1987"
    for words, made in (("shown", _shown(pages)), ("law", _texts(folder))):
        docs = folder / words
        docs.mkdir()
        (docs / "index.md").write_text("# Laws\n", "utf-8")
        for name, text in made:
            (docs / f"law-{name}.md").write_text(text + "\n", "utf-8")


def _shown(pages: Path) -> Iterator[tuple[str, str]]:
    for page in sorted(pages.glob("*/index.html")):
        if page.parent.name[:1].isdigit():
            reader = _Words()
            reader.feed(page.read_text("utf-8"))
            yield page.parent.name, "\n\n".join(reader.lines)


def _texts(folder: Path) -> Iterator[tuple[str, str]]:
    from kb.store import open_store

    found: dict[str, list[str]] = {}
    with open_store(folder / "kb.sqlite") as kb:
        for node in kb.nodes("laws"):
            if node.ref.path[0][:1].isdigit():
                depth = min(6, len(node.ref.path))
                lines = [f"{'#' * depth} {node.ref.path[-1]}. {node.title}", node.text, node.tail]
                lines += [note.text for note in node.footnotes]
                found.setdefault(node.ref.path[0], []).extend(line for line in lines if line)
    return ((name, "\n\n".join(lines)) for name, lines in found.items())


class _Words(HTMLParser):
    """The main part of a page as plain Markdown: headings and paragraphs."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._inside = False
        self._opened = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = self._inside or tag == "main"
        if self._inside and re.fullmatch("p|li|h[1-6]|dt|dd|summary|pre|button", tag):
            self.lines.append("#" * int(tag[1]) + " " if tag[0] == "h" else "")

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "main"

    def handle_data(self, data: str) -> None:
        words = re.sub(r"[<>\[\]{}*_`|#\\]", "", " ".join(data.split()))
        if self._inside and words:
            if not self.lines:
                self.lines.append("")
            before = self.lines[-1]
            self.lines[-1] = f"{before}{'' if before[-1:] in ('', ' ') else ' '}{words}"


def ours(folder: Path) -> dict[str, float]:
    """Seconds of each part of our pages, built from the store into an empty folder."""
    import mkdocs.commands.build as builder

    from kb import lang as languages
    from kb import profile as profiles
    from kb.kept import program_hash
    from kb.publish import glossary, ready, render, site  # noqa: F401
    from kb.store import open_store

    _load()
    program_hash()  # the program is read before a build begins
    target = folder / "site"
    shutil.rmtree(target, ignore_errors=True)
    profile = profiles.load(folder / "corpus")
    for lang in profile.languages:
        languages.get(lang)
    clock = Clock()
    every = site._all
    # Permanent addresses come last of all.
    site._all = lambda *given: takewhile(lambda item: _kind(item[0]) != PERMALINKS, every(*given))
    clock.through(site, "_all", lambda item: _kind(item[0]))
    with open_store(folder / "kb.sqlite") as kb:
        whole = clock.of(kb.hold) + clock.of(lambda: site.write_pages(kb, profile, target / "pages"))
    markdown_of_laws = clock.spent["laws"]
    for name in ("_populate_page", "_build_page"):
        clock.around(builder, name, lambda page, *_: _kind(page.file.src_uri))
    whole += clock.of(lambda: render.build_site(target / "pages", target / "site"))
    scans, overviews, book = clock.spent["scans"], clock.spent["overviews"], clock.spent.get("book", 0.0)
    return {
        "whole": whole - scans,
        "laws": whole - scans - overviews - book,
        "markdown": markdown_of_laws,
        "overviews": overviews,
        "book": book,
        "scans": scans,
        f"{PEAK} ours": _peak(),
    }


def beside(folder: Path) -> dict[str, float]:
    """Seconds of what stands beside the pages: the addresses written and linked into the site, the data."""
    import mkdocs.commands.build  # noqa: F401

    from kb import profile as profiles
    from kb.cite.grammar import compile_grammar
    from kb.publish import api, ready, render, site, trees  # noqa: F401
    from kb.store import open_store

    target = folder / "beside"
    shutil.rmtree(target, ignore_errors=True)
    profile = profiles.load(folder / "corpus")
    compile_grammar(profile)  # as reading the corpus has done before
    clock = Clock()
    clock.through(site, "_all", lambda item: _kind(item[0]))
    with open_store(folder / "kb.sqlite") as kb:
        kb.hold()
        site.write_pages(kb, profile, target / "pages")
        data = clock.of(lambda: api.write_api(kb, profile, target / "api"))
    # To look for the files beside the pages, and to link them: there are no others worth counting.
    clock.around(trees.Tree, "names", lambda *_: PERMALINKS)
    clock.around(render, "_link", lambda *_: PERMALINKS)
    render.build_site(target / "pages", target / "site")
    shutil.rmtree(target)
    return {PERMALINKS: clock.spent[PERMALINKS], "api": data}


def _kind(path: str) -> str:
    first, _, rest = path.partition("/")
    if path.startswith(SCANS):
        return "scans"
    if rest.endswith("/all.md"):
        return "book"
    if first == "laws":
        return "laws" if rest.rpartition("/")[2][:1].isdigit() else "overviews"
    return PERMALINKS if len(first) == 1 else "overviews"


class Clock:
    """Processor seconds of this process, by what they went into."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    def of(self, work: Callable[[], object]) -> float:
        """The seconds of some work."""
        began = time.process_time()
        work()
        return time.process_time() - began

    def around(self, module: Any, name: str, kind: Callable[..., str]) -> None:
        """Count the seconds of a function's calls to what ``kind`` says of their arguments."""
        function = getattr(module, name)

        def timed(*given: Any, **named: Any) -> Any:
            began = time.process_time()
            try:
                return function(*given, **named)
            finally:
                self._add(kind(*given), began)

        setattr(module, name, timed)

    def through(self, module: Any, name: str, kind: Callable[[Any], str]) -> None:
        """Count to an item's kind the seconds until an iterator has it, and those it is then worked on."""
        function = getattr(module, name)

        def timed(*given: Any) -> Iterator[Any]:
            began = time.process_time()
            for item in function(*given):
                yield item
                began = self._add(kind(item), began)

        setattr(module, name, timed)

    def _add(self, kind: str, began: float) -> float:
        now = time.process_time()
        self.spent[kind] = self.spent.get(kind, 0.0) + now - began
        return now


def theirs(folder: Path, name: str, words: str) -> dict[str, float]:
    """Seconds of MkDocs for the pages that were prepared."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    _load()
    _, theme, plugins = THEIRS["bare" if name == "nav" else name]
    bare = "" if name == "nav" else 'nav: [index.md]\nnot_in_nav: "*"\n'
    settings = folder / "mkdocs.yml"
    lines = f"site_name: Laws\ndocs_dir: {words}\nsite_dir: theirs\ntheme: {theme}\nplugins: {plugins}\n"
    settings.write_text(lines + bare, "utf-8")
    shutil.rmtree(folder / "theirs", ignore_errors=True)
    began = time.process_time()
    build(load_config(str(settings)))
    key = f"{name} {words}" if name == "bare" else name
    return {key: time.process_time() - began, f"{PEAK} {key}": _peak()}


def _load() -> None:
    """Load what MkDocs loads when it is first used, for us and for them."""
    names = ("attr_list", "fenced_code", "md_in_html", "tables", "toc")
    for name in (
        *(f"markdown.extensions.{one}" for one in names),
        "mkdocs.config.defaults",
        "mkdocs.localization",
    ):
        import_module(name)


def _peak() -> float:
    """The most memory this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _process(what: str, folder: Path, *more: str) -> Any:
    """The result of one of the functions here, in a process of its own."""
    code = (
        "import json, sys; from pathlib import Path; from benchmarks import site; "
        "print(json.dumps(site.called(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])))"
    )
    command = [sys.executable, "-c", code, what, str(folder), *more]
    env = {**INSTALLED, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, env=env)
    return json.loads(done.stdout.splitlines()[-1])


def called(what: str, folder: Path, *more: str) -> object:
    """What ``_process`` asks for."""
    if what == "prepare":
        prepare(folder, int(more[0]))
        return None
    if what == "theirs":
        return theirs(folder, *more)
    made: Callable[[Path], object] = {"ours": ours, "words": words, "beside": beside}[what]
    return made(folder)
