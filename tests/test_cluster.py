"""``kb build --scheduler``: a real scheduler and workers of dask on this machine, and what kills them."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import pytest
from grown import grow
from sitebuild import need

from kb import pipeline
from kb.errors import InputError
from kb.make import make
from kb.pipeline import Means
from kb.store import FILE_NAME
from kb.stored import KEPT

pytestmark = pytest.mark.full
HERE = Path(__file__).parent
SOURCES = 120
"""Of one law each."""
HELD = 20
"""From this source on, workers wait in the middle of each until the test lets them go on."""
STAGES = ("index", "pages", "api", "report")
"""What is made of the store; the site is made of pages and api alone."""
PATIENCE = 120.0
"""Seconds anything may take on a busy machine."""
DASK = [sys.executable, "-m", "dask"]
LOCAL = ["--host", "127.0.0.1", "--no-dashboard"]


@pytest.fixture(scope="module", autouse=True)
def _extra():
    need(find_spec("distributed") is not None, "dask.distributed")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster") / "corpus"
    grow(folder, SOURCES, each=1)
    return folder


@pytest.fixture(scope="module")
def alone(corpus):
    """What a build without a cluster makes."""
    make(corpus, corpus.parent / "alone", only=STAGES)
    return contents(corpus.parent / "alone")


def contents(build: Path) -> dict[str, bytes]:
    """The files of a build; what it keeps for the next one apart."""
    files = {path.relative_to(build): path for path in sorted(build.rglob("*")) if path.is_file()}
    return {str(name): path.read_bytes() for name, path in files.items() if not name.parts[0].startswith(".")}


def until(true, what: str) -> None:
    last = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < last, f"in vain: {what}"
        time.sleep(0.02)


class Cluster:
    """A scheduler without workers; all that is started is killed with it."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.gate = folder / "gate"
        self.gate.mkdir()
        self._stack = stack
        self._found = str(folder / "scheduler.json")
        self._started = 0

    def scheduler(self, *more: str) -> subprocess.Popen[str]:
        from distributed import Client

        made = self.start(*DASK, "scheduler", *LOCAL, "--port", "0", "--scheduler-file", self._found, *more)
        until(Path(self._found).exists, "a scheduler")
        open_client = Client(scheduler_file=self._found, set_as_default=False)
        self.client = self._stack.enter_context(open_client)
        self.address = self.client.scheduler.address
        return made

    def worker(self, name: str, preload: str = "", threads: int = 1) -> subprocess.Popen[str]:
        """One more worker, which is there when this returns; no nanny starts it again."""
        process = self.start(
            *DASK, "worker", *LOCAL, "--scheduler-file", self._found, "--no-nanny", "--name", name,
            "--nthreads", str(threads), "--local-directory", str(self.folder / name),
            *(["--preload", preload] if preload else []),
        )  # fmt: skip
        self._started += 1
        self.client.wait_for_workers(self._started, timeout=PATIENCE)
        return process

    def workers_lost(self) -> None:
        self._started = 0

    def held(self, name: str) -> subprocess.Popen[str]:
        """A worker that stops in the middle of its first source from HELD on."""
        return self.worker(name, str(HERE / "clustergate.py"))

    def build(self, corpus: Path, *more: str) -> subprocess.Popen[str]:
        folders = ["--corpus", str(corpus), "--build", str(self.folder / "build")]
        command = [sys.executable, "-m", "kb.cli", *folders, "-q", "build", "--scheduler", self.address]
        return self.start(*command, *more)

    def start(self, *command: str) -> subprocess.Popen[str]:
        gate = {"KB_GATE": str(self.gate), "KB_GATE_FROM": str(HELD)}
        log = self._stack.enter_context((self.folder / "log").open("a+", encoding="utf-8"))
        err = subprocess.PIPE if "kb.cli" in command else log
        process = subprocess.Popen(
            command, cwd=HERE.parent, env={**os.environ, **gate}, stdout=log, stderr=err, text=True
        )
        self._stack.callback(_end, process)
        return process

    def begun(self, name: str) -> list[str]:
        """The held sources a worker has begun."""
        marks = [mark.name.split(" ") for mark in sorted(self.gate.iterdir()) if " " in mark.name]
        return [source for worker, source in marks if worker == name and int(Path(source).stem) >= HELD]

    def in_the_middle(self, *names: str) -> None:
        """Wait until results have come, and each of the workers is in the middle of a source."""
        kept = self.folder / "build" / KEPT
        until(lambda: kept.is_dir() and any(kept.iterdir()), "a first result")
        for name in names:
            until(lambda name=name: self.begun(name), f"{name} at work")

    def go_on(self) -> None:
        (self.gate / "open").touch()


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


@pytest.fixture()
def cluster(tmp_path):
    with ExitStack() as stack:
        yield Cluster(tmp_path, stack)


def ended(build: subprocess.Popen[str]) -> tuple[int, str]:
    """Its exit code and what it said."""
    said = build.communicate(timeout=PATIENCE)[1]
    return build.returncode, said


def refused(build: subprocess.Popen[str], *said: str) -> None:
    """It ended with 2 and one line."""
    code, line = ended(build)
    assert (code, line.count("\n")) == (2, 1), line
    assert all(part in line for part in ("kb: --scheduler", *said)), line


def test_a_cluster_makes_the_same(cluster, corpus, alone):
    cluster.scheduler()
    cluster.worker("one")
    # Threads beside each other, as `dask worker` has them unless told otherwise.
    cluster.worker("two", threads=2)
    assert ended(cluster.build(corpus, "--only", ",".join(STAGES))) == (0, "")
    made = contents(cluster.folder / "build")
    assert made.keys() == alone.keys()
    assert [name for name in made if made[name] != alone[name]] == []
    assert not any(cluster.client.has_what().values()), "workers hold nothing any more"


def test_a_worker_killed_in_the_middle(cluster, corpus, alone):
    cluster.scheduler()
    one = cluster.held("one")
    cluster.held("two")
    build = cluster.build(corpus, "--only", "report")
    cluster.in_the_middle("one", "two")
    lost = cluster.begun("one")
    one.kill()
    one.wait()
    cluster.go_on()
    assert ended(build) == (0, "")
    assert set(lost) <= set(cluster.begun("two")), "what was lost is done by the other"
    made = contents(cluster.folder / "build")
    assert {FILE_NAME, "report/audit.json"} <= made.keys()
    # report/state.json says which stages were made: fewer here.
    assert [name for name in made if name != "report/state.json" and made[name] != alone[name]] == []


def test_all_workers_killed(cluster, corpus, alone):
    cluster.scheduler()
    workers = [cluster.held("one"), cluster.held("two")]
    build = cluster.build(corpus, "--only", "store")
    cluster.in_the_middle("one", "two")
    for worker in workers:
        worker.kill()
        worker.wait()
    refused(build, "all its workers are lost")
    assert contents(cluster.folder / "build") == {}, "nothing half-written"
    # With a worker again it goes on; what had come is not read again.
    kept = {path.name for path in (cluster.folder / "build" / KEPT).iterdir()}
    cluster.go_on()
    for mark in cluster.gate.glob("* *"):
        mark.unlink()
    cluster.workers_lost()
    cluster.held("three")
    assert ended(cluster.build(corpus, "--only", "store")) == (0, "")
    assert len(list(cluster.gate.glob("three *"))) == SOURCES - len(kept) < SOURCES
    assert (cluster.folder / "build" / FILE_NAME).read_bytes() == alone[FILE_NAME]


def test_the_scheduler_killed(cluster, corpus):
    scheduler = cluster.scheduler()
    cluster.held("one")
    build = cluster.build(corpus, "--only", "store")
    cluster.in_the_middle("one")
    scheduler.kill()
    refused(build, "the scheduler is lost")
    assert contents(cluster.folder / "build") == {}


def test_no_workers(cluster, corpus):
    cluster.scheduler()
    refused(cluster.build(corpus), cluster.address, "has no workers")


ABSENT = 'import sys\nsys.modules["kb"] = None\n'
OTHER = 'from kb import kept\nkept.program_hash = lambda: "another"\n'


@pytest.mark.parametrize(
    ("scheduler", "worker", "said"),
    [
        (ABSENT, "", "install lawkb there"),
        ("", OTHER, "has another version of lawkb"),
    ],
    ids=["scheduler without", "worker of another version"],
)
def test_without_this_program(cluster, corpus, scheduler, worker, said):
    preloads = []
    for name, code in (("scheduler", scheduler), ("worker", worker)):
        path = cluster.folder / f"{name}_preload.py"
        path.write_text(code)
        preloads.append(str(path))
    cluster.scheduler("--preload", preloads[0])
    cluster.worker("one", preloads[1])
    refused(cluster.build(corpus, "--only", "store"), said)


def test_an_error_of_a_source_comes_through(cluster, tmp_path):
    folder = tmp_path / "corpus"
    grow(folder, 4, each=1)
    (folder / "sources" / "00001.txt").write_bytes(b"")
    cluster.scheduler()
    cluster.worker("one")
    with pytest.raises(InputError, match=r"00001\.txt"):
        pipeline.build(folder, Means(scheduler=cluster.address))


def test_whoever_asks_may_be_in_a_loop(cluster, corpus):
    """As a notebook is, and as Playwright leaves the thread of the other tests."""

    async def asked():
        return pipeline.build(corpus, Means(scheduler=cluster.address))

    cluster.scheduler()
    cluster.worker("one")
    with ThreadPoolExecutor(1) as alone:
        there = alone.submit(lambda: asyncio.run(asked())).result()
    assert list(there.nodes) == list(pipeline.build(corpus).nodes)


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:1", "nonsense://x", "nonsense", "127.0.0.1:99999", "tls://127.0.0.1:1"]
)
def test_a_scheduler_that_is_not_there(corpus, address, monkeypatch):
    monkeypatch.setattr("kb.cluster.CONNECT", 2)
    with pytest.raises(InputError, match=f"--scheduler {address}: cannot be reached") as caught:
        pipeline.build(corpus, Means(scheduler=address))
    assert "\n" not in str(caught.value)


def test_the_command_without_a_scheduler(cluster, corpus):
    cluster.address = "tcp://127.0.0.1:1"
    refused(cluster.build(corpus), "cannot be reached")
    assert contents(cluster.folder / "build") == {}


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n" + b"x" * 100])
def test_what_listens_is_no_scheduler(corpus, answer, monkeypatch):
    """Whether it never answers or says something else."""
    monkeypatch.setattr("kb.cluster.CONNECT", 2)
    calls = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            while True:
                try:
                    call, _ = server.accept()
                except OSError:
                    return
                calls.append(call)
                if answer:
                    call.sendall(answer)
                    call.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        with pytest.raises(InputError, match="cannot be reached"):
            pipeline.build(corpus, Means(scheduler=f"tcp://127.0.0.1:{server.getsockname()[1]}"))
        server.shutdown(socket.SHUT_RDWR)
        thread.join(timeout=PATIENCE)
    assert calls, "it was asked"
    for call in calls:
        call.close()
