"""corpus -> everything: the store, then the index, the pages, the open data, the site and the report.

Each stage keeps the hash of what it was made from in `report/state.json`, and is redone only when that hash
or its output has changed. A stage is marked as made only when it is whole, so an interrupted build goes on
where it stopped; what the last good build made stays usable until it is replaced.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kb import inputs, store, stored
from kb import profile as profiles
from kb.errors import InputError
from kb.inputs import hashed
from kb.library import MARKER, public_folder
from kb.model import Finding
from kb.outputs import LISTS, MADE, Outputs
from kb.profile import Profile
from kb.publish import files, reuse
from kb.turns import alone

if TYPE_CHECKING:
    from kb.search import counting

STORE = "store"
"""What all others are made from, and so is always made; alone when nothing else is asked for."""
STAGES = ("index", "pages", "api", "site", "report")
ON_REQUEST = ("site-file",)
"""Stages that are made only when they are asked for by name."""
NEEDS = {"site": ("pages", "api"), "site-file": ("pages", "api", "site")}
"""Stages that are made from the output of others."""
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
    outputs: Outputs
    say: Progress = field(default=lambda line: None)
    digested: dict[Path, Mapping[str, bytes]] = field(default_factory=dict)
    counts: dict[str, counting.Counts] = field(default_factory=dict)

    @cached_property
    def rules(self) -> str:
        """The hash of all that decides what is made of a store."""
        return inputs.rules(self.corpus, self.profile)

    @cached_property
    def config(self) -> Path | None:
        """The settings of the site, where the corpus names some."""
        return inputs.site_config(self.corpus, self.profile)

    def digests(self, kb: store.Store) -> Mapping[str, bytes]:
        """The hashes of what a store holds, worked out once a run."""
        if kb.path not in self.digested:
            self.digested[kb.path] = stored.digests_of(kb, self.build)
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
    _check_apart(corpus, build)
    with alone(build):
        _sweep(build)
        job = Job(corpus, build, profile, chosen, Outputs(build), say)
        return _run(job, _with_needs(only or STAGES), stored.Reading(corpus, build, profile, jobs, scheduler))


def _sweep(build: Path) -> None:
    """Drop the drafts of sites whose build was killed: no other build is running now."""
    for draft in build.glob(".site-*"):
        shutil.rmtree(draft, ignore_errors=True)


def _with_needs(only: Sequence[str]) -> list[str]:
    wanted = {*only, *(need for name in only for need in NEEDS.get(name, ()))}
    return [stage for stage in STAGES + ON_REQUEST if stage in wanted]


def _run(job: Job, wanted: list[str], reading: stored.Reading) -> Made:
    outputs = job.outputs
    given = inputs.everything(job.corpus)
    redone: list[str] = []
    if outputs.stale(STORE, given):
        job.say("reading the corpus")
        # Read all before anything is touched: a corpus that cannot be used changes nothing.
        write = reading.read()
        outputs.begin(STORE)
        write()
        job.digested.update(reading.digested)
        # It holds as much as all that is kept of it in files: nothing needs it any more.
        del write
        outputs.mark(STORE, given)
        redone.append(STORE)
    with ExitStack() as stack:
        kb = public = stack.enter_context(store.open_store(job.build / store.FILE_NAME))
        if public_folder(job.build) != job.build:
            public = stack.enter_context(_published(job))
        for stage in wanted:
            of_site = inputs.of_site(job.config) if stage in _FROM_PAGES else []
            key = hashed(given, stage, *of_site)
            key = hashed(key, job.backend) if stage == "index" else key
            if outputs.stale(stage, key):
                job.say(f"making {stage}")
                outputs.begin(stage)
                _hold(public if stage in _PUBLISHED else kb)
                _MAKERS[stage](job, public if stage in _PUBLISHED else kb)
                outputs.mark(stage, key)
                redone.append(stage)
        marker = {"build": kb.meta.get("build_id", ""), "inputs": given}
        files.write(job.build / MARKER, json.dumps(marker, sort_keys=True) + "\n")
        return Made(tuple(redone), tuple(kb.findings()))


def _hold(kb: store.Store) -> None:
    """Every stage goes through all entries, some of them several times."""
    if not kb.holds:
        kb.hold()


def _published(job: Job) -> store.Store:
    """The store that pages and data are made from: it holds nothing of a private source."""
    return store.open_store(public_folder(job.build) / store.FILE_NAME)


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
    site.write_pages(kb, job.profile, job.build / "pages", kept=kept, tree=job.outputs.tree("pages"))


def _kept(job: Job, kb: store.Store, stage: str) -> Callable[[str], reuse.Kept]:
    """What an earlier build kept of a stage's parts, once what they share is known."""
    given = hashed(job.rules, stage)
    return lambda shared: reuse.Kept(job.build / MADE / stage, hashed(given, shared), job.digests(kb))


def _counts(job: Job, kb: store.Store, name: str) -> counting.Counts:
    """The words an earlier build has counted."""
    from kb.search import counting

    if name not in job.counts:
        given = hashed(job.rules, kb.meta.get("languages", ""))
        job.counts[name] = counting.Counts(job.build / MADE / name, given, job.digests(kb))
    return job.counts[name]


def _make_api(job: Job, kb: store.Store) -> None:
    """Beside the pages, so that whoever runs MkDocs over them has the data too."""
    from kb.cite.grammar import compile_grammar
    from kb.publish import api, inventory, linker, lists, spools
    from kb.search import export

    pages, profile = job.build / "pages", job.profile
    given = hashed(job.rules, kb.meta.get("languages", ""))
    with spools.Spools(job.build / MADE / LISTS, given, job.digests(kb)) as filled:
        lists.fill(kb, profile, {**api.LISTS, **linker.LISTS, **inventory.LISTS}, filled)
        api.write_api(kb, profile, pages, _kept(job, kb, "api"), filled)
        linker.write_linker(kb, profile, compile_grammar(profile), pages, filled)
        inventory.write_inventory(kb, profile, pages, filled)
    name = "words" if public_folder(job.build) == job.build else "words-public"
    export.export_index(kb, job.profile, job.build / "pages", _counts(job, kb, name))
    job.outputs.wrote_data()


def _make_site(job: Job, kb: store.Store) -> None:
    from kb.publish import render

    trees = job.outputs.tree("pages"), job.outputs.tree("site")
    render.build_site(job.build / "pages", job.build / "site", job.config, trees=trees)


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
_FROM_PAGES = frozenset({"pages", "site", "site-file"})
_PUBLISHED = frozenset({"pages", "api"})


def _check_apart(corpus: Path, build: Path) -> None:
    """Output inside the corpus would be read as input, and the corpus inside the output overwritten."""
    inside, around = corpus.resolve(), build.resolve()
    if inside == around or inside in around.parents or around in inside.parents:
        raise InputError(f"--build {build}: lies inside the corpus {corpus}, or holds it; choose another")
