"""corpus -> everything: the store, then the index, the pages, the open data, the site and the report.

Each stage keeps the hash of what it was made from in `report/state.json`, and is redone only when that hash
or its output has changed. A stage is marked as made only when it is whole, so an interrupted build goes on
where it stopped; what the last good build made stays usable until it is replaced.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb import digests, kept, store
from kb import profile as profiles
from kb.errors import InputError
from kb.library import CORPUS_FOLDER, MARKER, PUBLIC_FOLDER, public_folder
from kb.model import Finding, Records
from kb.profile import Profile
from kb.publish import files, reuse
from kb.publish.trees import Tree
from kb.turns import alone
from kb.unswept import unswept

if TYPE_CHECKING:
    from kb.search import counting

STORE = "store"
"""What all others are made from, and so is always made; alone when nothing else is asked for."""
STAGES = ("index", "pages", "api", "site", "report")
ON_REQUEST = ("site-file",)
"""Stages that are made only when they are asked for by name."""
NEEDS = {"site": ("pages", "api"), "site-file": ("pages", "api", "site")}
"""Stages that are made from the output of others."""
STATE = Path("report") / "state.json"
KEPT = ".sources"
PICTURES = ".ocr"
"""Below a build: what each source yielded, so that only changed ones are worked on again."""
MADE = ".made"
"""Below a build: what the parts of a stage's output were made from, so that only changed ones are redone."""
LISTS = "lists"
"""Below that: the rows of the lists of the open data, law by law."""
SITE_URL = "KB_SITE_URL"
"""The variable that says the address the site will have."""
DEFAULT_BACKEND = "whoosh"

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Made:
    """What a build did: the stages that were redone, and all that a person should know."""

    redone: tuple[str, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Job:
    """One run: where from, where to, how."""

    corpus: Path
    build: Path
    profile: Profile
    backend: str
    jobs: int
    scheduler: str
    say: Progress = field(default=lambda line: None)
    digested: dict[Path, Mapping[str, bytes]] = field(default_factory=dict)
    counts: dict[str, counting.Counts] = field(default_factory=dict)
    trees: dict[str, Tree] = field(default_factory=dict)

    def tree(self, name: str) -> Tree:
        """The files of a folder of the build, looked through once a run."""
        return self.trees.setdefault(name, Tree(self.build / name))

    def digests(self, kb: store.Store) -> Mapping[str, bytes]:
        """The hashes of what a store holds, worked out once a run."""
        if kb.path not in self.digested:
            self.digested[kb.path] = digests.digests(kb)
        return self.digested[kb.path]


def make(
    corpus: Path,
    build: Path,
    only: Sequence[str] = (),
    backend: str = "",
    jobs: int = 1,
    say: Progress = lambda line: None,
    scheduler: str = "",
) -> Made:
    """Build a corpus into a folder. ``only`` limits what is made from the store; ``say`` hears of progress.

    ``jobs`` processes, or the workers of the dask ``scheduler``, read the sources side by side.

    Raises InputError or ProfileError for a corpus that cannot be used, InputError for a folder that cannot be
    written or in which another build runs; what was there stays as it was.
    """
    known = (STORE, *STAGES, *ON_REQUEST)
    unknown = [name for name in only if name not in known]
    if unknown:
        raise InputError(f"--only {unknown[0]}: none of {', '.join(known)}")
    profile = profiles.load(corpus)
    chosen = backend or str(profile.data.get("search", {}).get("backend", DEFAULT_BACKEND))
    job = Job(corpus, build, profile, chosen, jobs, scheduler, say)
    _check_apart(job)
    with alone(build):
        _sweep(build)
        return _run(job, _with_needs(only or STAGES))


def _sweep(build: Path) -> None:
    """Drop the drafts of sites whose build was killed: no other build is running now."""
    for draft in build.glob(".site-*"):
        shutil.rmtree(draft, ignore_errors=True)


def _with_needs(only: Sequence[str]) -> list[str]:
    wanted = {*only, *(need for name in only for need in NEEDS.get(name, ()))}
    return [stage for stage in STAGES + ON_REQUEST if stage in wanted]


def _run(job: Job, wanted: list[str]) -> Made:
    state = _read_state(job.build / STATE)
    inputs = _inputs(job)
    redone: list[str] = []
    if _stale(job, state, "store", inputs):
        job.say("reading the corpus")
        # Read all before anything is touched: a corpus that cannot be used changes nothing.
        records = _records(job)
        _forget(job, state, "store")
        _make_store(job, records)
        # As large as all that is kept of it in files: nothing needs it any more.
        del records
        _mark(job, state, "store", inputs)
        redone.append("store")
    with ExitStack() as stack:
        kb = public = stack.enter_context(store.open_store(job.build / store.FILE_NAME))
        if public_folder(job.build) != job.build:
            public = stack.enter_context(_published(job))
        for stage in wanted:
            key = _hash(inputs, stage, *(_site_inputs(job) if stage in _FROM_PAGES else []))
            key = _hash(key, job.backend) if stage == "index" else key
            if stage not in redone and _stale(job, state, stage, key):
                job.say(f"making {stage}")
                if stage in state:
                    _discard_damaged(job, state, stage)
                _forget(job, state, stage)
                _hold(public if stage in _PUBLISHED else kb)
                _MAKERS[stage](job, public if stage in _PUBLISHED else kb)
                _mark(job, state, stage, key)
                redone.append(stage)
        marker = {"build": kb.meta.get("build_id", ""), "inputs": inputs}
        files.write(job.build / MARKER, json.dumps(marker, sort_keys=True) + "\n")
        return Made(tuple(redone), tuple(kb.findings()))


def _hold(kb: store.Store) -> None:
    """Every stage goes through all entries, some of them several times."""
    if not kb.holds:
        kb.hold()


def _published(job: Job) -> store.Store:
    """The store that pages and data are made from: it holds nothing of a private source."""
    return store.open_store(public_folder(job.build) / store.FILE_NAME)


def _records(job: Job, public: bool = False) -> Records:
    from kb import pipeline

    looked = job.build / MADE / ("looked-public" if public else "looked")
    means = pipeline.Means(job.jobs, job.scheduler, job.build / KEPT, job.build / PICTURES, looked)
    return pipeline.build(job.corpus, means, public, job.profile)


@unswept()
def _make_store(job: Job, records: Records) -> None:
    public = job.build / PUBLIC_FOLDER
    if any(source.private for source in job.profile.sources):
        _save(job, _records(job, public=True), public)
    else:
        shutil.rmtree(public, ignore_errors=True)
    _save(job, records, job.build)
    from kb import pipeline

    kept.prune(job.build / KEPT, pipeline.source_keys(job.profile).values())


def _save(job: Job, records: Records, folder: Path) -> None:
    made = []
    for path in sorted(job.corpus.glob("*.toml")):
        copy = folder / CORPUS_FOLDER / path.name
        files.write(copy, path.read_bytes())
        made.append(copy)
    files.prune(folder / CORPUS_FOLDER, made)
    store.save(records, folder / store.FILE_NAME, identified=True)


def _make_index(job: Job, kb: store.Store) -> None:
    from kb import search

    search.build_index(kb, job.profile, job.build / "index", job.backend, _counts(job, kb, "words"))
    folder = public_folder(job.build)
    if folder != job.build:
        with _published(job) as public:
            counts = _counts(job, public, "words-public")
            search.build_index(public, job.profile, folder / "index", job.backend, counts)


def _make_pages(job: Job, kb: store.Store) -> None:
    from kb.publish import site

    kept = _kept(job, kb, "pages")
    site.write_pages(kb, job.profile, job.build / "pages", kept=kept, tree=job.tree("pages"))


def _kept(job: Job, kb: store.Store, stage: str) -> Callable[[str], reuse.Kept]:
    """What an earlier build kept of a stage's parts, once what they share is known."""
    given = _hash(_rules_hash(job), stage)
    return lambda shared: reuse.Kept(job.build / MADE / stage, _hash(given, shared), job.digests(kb))


def _counts(job: Job, kb: store.Store, name: str) -> counting.Counts:
    """The words an earlier build has counted."""
    from kb.search import counting

    if name not in job.counts:
        given = _hash(_rules_hash(job), kb.meta.get("languages", ""))
        job.counts[name] = counting.Counts(job.build / MADE / name, given, job.digests(kb))
    return job.counts[name]


def _rules_hash(job: Job) -> str:
    return _hash(_tree_hash(job.corpus, _rule_files(job)), kept.program_hash())


def _rule_files(job: Job) -> list[Path]:
    """The corpus without what is read for the store only: sources, renderings, an editor's corrections."""
    sources = {source.path.resolve() for source in job.profile.sources}
    return [
        path
        for path in _corpus_files(job.corpus)
        if path.relative_to(job.corpus).parts[0] not in _IN_THE_STORE and path.resolve() not in sources
    ]


def _make_api(job: Job, kb: store.Store) -> None:
    """Beside the pages, so that whoever runs MkDocs over them has the data too."""
    from kb.cite.grammar import compile_grammar
    from kb.publish import api, inventory, linker, lists, spools
    from kb.search import export

    pages, profile = job.build / "pages", job.profile
    given = _hash(_rules_hash(job), kb.meta.get("languages", ""))
    with spools.Spools(job.build / MADE / LISTS, given, job.digests(kb)) as filled:
        lists.fill(kb, profile, {**api.LISTS, **linker.LISTS, **inventory.LISTS}, filled)
        api.write_api(kb, profile, pages, _kept(job, kb, "api"), filled)
        linker.write_linker(kb, profile, compile_grammar(profile), pages, filled)
        inventory.write_inventory(kb, profile, pages, filled)
    name = "words" if public_folder(job.build) == job.build else "words-public"
    export.export_index(kb, job.profile, job.build / "pages", _counts(job, kb, name))
    job.tree("pages").again(name.removeprefix("pages/") for name in _OUTPUTS["api"])


def _make_site(job: Job, kb: store.Store) -> None:
    from kb.publish import render

    trees = job.tree("pages"), job.tree("site")
    render.build_site(job.build / "pages", job.build / "site", _site_config(job), trees=trees)


def _make_site_file(job: Job, kb: store.Store) -> None:
    from kb.publish import sitefile

    sitefile.write_site_file(job.build / "site", job.build / "site-file")


def _make_report(job: Job, kb: store.Store) -> None:
    from kb import audit

    report = audit.audit(kb, job.profile)
    text = json.dumps(report, ensure_ascii=False, sort_keys=True, indent=1)
    files.write(job.build / "report" / "audit.json", text + "\n")


_MAKERS: dict[str, Callable[[Job, store.Store], None]] = {
    "index": _make_index,
    "pages": _make_pages,
    "api": _make_api,
    "site": _make_site,
    "site-file": _make_site_file,
    "report": _make_report,
}
_IN_THE_STORE = frozenset({"sources", "translation", "corrections.toml", "links.toml"})
"""Of a corpus, what everything after the store knows from the store alone."""
_TREES = frozenset({"pages", "site"})
"""Outputs of so many files that they are looked through once only."""
_FROM_PAGES = frozenset({"pages", "site", "site-file"})
_PUBLISHED = frozenset({"pages", "api"})
_OUTPUTS = {
    "store": (store.FILE_NAME, CORPUS_FOLDER, f"{PUBLIC_FOLDER}/{store.FILE_NAME}"),
    "index": ("index", f"{PUBLIC_FOLDER}/index"),
    "pages": ("pages",),
    "api": (
        "pages/_headers",
        "pages/api",
        "pages/linker-data.js",
        "pages/linker.js",
        "pages/objects.inv",
        "pages/search-data.js",
    ),
    "site": ("site",),
    "site-file": ("site-file",),
    "report": ("report/audit.json",),
}


def _inputs(job: Job) -> str:
    """The hash of all that a build is made from: the corpus's files and this program."""
    return _hash(_tree_hash(job.corpus, _corpus_files(job.corpus)), kept.program_hash())


def _tree_hash(root: Path, paths: Iterable[Path]) -> str:
    return _hash(*(f"{path.relative_to(root).as_posix()}\0{_file_hash(path)}" for path in paths))


def _corpus_files(corpus: Path) -> Iterator[Path]:
    return (path for path in sorted(corpus.rglob("*")) if path.is_file())


def _site_config(job: Job) -> Path | None:
    """The `mkdocs.yml` the profile names (`[site] config`, from the corpus's folder), where it is there.

    An installed corpus has none beside it: its site is then made without the project's documentation.
    """
    named = job.profile.data.get("site", {}).get("config")
    path = job.corpus / str(named) if named else None
    return path.resolve() if path is not None and path.is_file() else None


def _site_inputs(job: Job) -> list[str]:
    """The site's address, and hashes of the settings and of the documentation that becomes part of it."""
    url = f"url {os.environ.get(SITE_URL, '')}"
    config = _site_config(job)
    if config is None:
        return [url]
    docs = config.parent / "docs"
    paths = [config, *(sorted(docs.rglob("*")) if docs.is_dir() else [])]
    hashes = [
        f"{path.relative_to(config.parent).as_posix()}\0{_file_hash(path)}"
        for path in paths
        if path.is_file()
    ]
    return [url, *hashes]


def _file_hash(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read: {error.strerror}; mend it or take it out of the corpus"
        ) from None


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _stale(job: Job, state: dict[str, Any], stage: str, key: str) -> bool:
    found = state.get(stage)
    return (
        not isinstance(found, dict)
        or found.get("inputs") != key
        or found.get("outputs") != _listing(job, stage)
    )


def _listing(job: Job, stage: str) -> str:
    """The hash of the names and sizes of a stage's files: one that was lost or cut off shows."""
    others = {name for key, names in _OUTPUTS.items() if key != stage for name in names}
    lines = []
    for name in _OUTPUTS[stage]:
        top = job.build / name
        if top.is_dir():
            without = {other[len(name) + 1 :] for other in others if other.startswith(f"{name}/")}
            found = job.tree(name).sizes(without) if name in _TREES else files.sizes(top, without)
            lines += [f"{name}/{inside}\0{size}" for inside, size in found]
        elif top.is_file():
            lines.append(f"{name}\0{top.stat().st_size}")
    return _hash(*lines) if lines else "none"


def _discard_damaged(job: Job, state: dict[str, Any], stage: str) -> None:
    """Not what was made stands there: the stage's own notion of being up to date is wrong."""
    found = state[stage]
    if isinstance(found, dict) and found.get("outputs") == _listing(job, stage):
        return
    if stage == "index":
        shutil.rmtree(job.build / "index", ignore_errors=True)
    (job.build / MADE / stage).unlink(missing_ok=True)
    if stage == "api":
        shutil.rmtree(job.build / MADE / LISTS, ignore_errors=True)


def _mark(job: Job, state: dict[str, Any], stage: str, key: str) -> None:
    state[stage] = {"inputs": key, "outputs": _listing(job, stage)}
    _write_state(job, state)


def _forget(job: Job, state: dict[str, Any], stage: str) -> None:
    if state.pop(stage, None) is not None:
        _write_state(job, state)


def _write_state(job: Job, state: dict[str, Any]) -> None:
    files.write(job.build / STATE, json.dumps(state, sort_keys=True, indent=1) + "\n")


def _read_state(path: Path) -> dict[str, Any]:
    """What is made; a file that cannot be read as such means nothing is."""
    try:
        state = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {}
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; choose another --build") from None
    return state if isinstance(state, dict) else {}


def _check_apart(job: Job) -> None:
    """Output inside the corpus would be read as input, and the corpus inside the output overwritten."""
    corpus, build = job.corpus.resolve(), job.build.resolve()
    if corpus == build or corpus in build.parents or build in corpus.parents:
        raise InputError(
            f"--build {job.build}: lies inside the corpus {job.corpus}, or holds it; choose another"
        )
