"""The same work on other machines: ``dask.distributed``, an optional extra."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from kb import kept
from kb.errors import InputError, MissingExtra

Item = TypeVar("Item")
Result = TypeVar("Result")

CONNECT = 15.0
"""Seconds until a scheduler that does not answer is given up."""
LOST = 20.0
"""Seconds without any worker until the work is given up: a nanny starts a lost one again in fewer."""
LOOK = 2.0
"""Seconds between looks whether a worker is left."""


def run_all(
    work: Callable[[Item], Result], items: Sequence[Item], address: str, name: Callable[[Item], str] = str
) -> Iterator[Result]:
    """``work`` of every item, in order, by the workers of the scheduler at ``address`` (``tcp://host:8786``).

    Workers see the corpus under the same path and have, as the scheduler has, the same version of this
    program. Work that is lost with a worker is done by another. ``name``: what to call an item by.

    Raises MissingExtra without the extra, InputError when the scheduler cannot be reached or is lost, has no
    workers (any more), none of this version, or an item costs it several; errors of ``work`` as they are.
    """
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra("--scheduler needs dask: pip install 'lawkb[dask]'") from None
    where = f"--scheduler {address}"
    # What goes wrong is said once, in our words.
    for logger in ("asyncio", "distributed", "distributed.client"):
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    if not _workers(address, where):
        raise InputError(f"{where}: has no workers; start `dask worker {address}` on some machine")
    open_client: Any = Client
    with open_client(address, timeout=CONNECT, set_as_default=False) as client:
        futures = deque(client.map(partial(_checked, work, kept.program_hash()), items, pure=False))
        for item in items:
            # Let go of each as it is taken: a worker then forgets what it holds of it.
            yield _result(client, futures.popleft(), where, name(item))


def _workers(address: str, where: str) -> int:
    """How many workers a scheduler has. Raises InputError when none answers at the address.

    Asked before there is a client: one that cannot be opened outlives its failure by half a minute.
    """
    from distributed.core import rpc

    async def asked() -> int:
        open_rpc: Any = rpc
        async with open_rpc(address, timeout=CONNECT) as scheduler:
            return len((await scheduler.identity(n_workers=-1))["workers"])

    async def in_time() -> int:
        # Whatever listens there may take the call and never answer.
        return await asyncio.wait_for(asked(), CONNECT + 1)

    try:
        # In a thread of its own: whoever asks may be in a loop already, as a notebook is.
        with ThreadPoolExecutor(1) as alone:
            return alone.submit(lambda: asyncio.run(in_time())).result()
    except (OSError, ValueError, TypeError, LookupError, AttributeError, MemoryError) as error:
        # What is no scheduler can answer anything: a size no memory holds, a reply without workers.
        reason = " ".join(str(error).split()) or "no answer"
        raise InputError(f"{where}: cannot be reached ({reason}); start `dask scheduler` there") from None


def _result(client: Any, future: Any, where: str, name: str) -> Any:
    """What a future yields, while there are workers to wait for."""
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    seen = time.monotonic()
    try:
        while True:
            try:
                return future.result(timeout=LOOK)
            except TimeoutError:
                if future.done():
                    raise
            if client.scheduler_info(n_workers=-1)["workers"]:
                seen = time.monotonic()
            elif time.monotonic() - seen > LOST:
                raise InputError(f"{where}: all its workers are lost; start some and build again")
    except KilledWorker as error:
        died = error.allowed_failures + 1
        raise InputError(f"{where}: {died} workers died over {name}; their logs may say why") from None
    except (FutureCancelledError, CommClosedError):
        raise InputError(f"{where}: the scheduler is lost; start it again and build again") from None
    except (ModuleNotFoundError, AttributeError) as error:
        raise InputError(f"{where}: a worker cannot do it ({error}); install lawkb there") from None
    except RuntimeError as error:
        if "deserialization" not in str(error):
            raise
        raise InputError(f"{where}: the scheduler cannot read the work; install lawkb there") from None


def _checked(work: Callable[[Item], Result], program: str, item: Item) -> Result:
    """The work, unless this worker would do it otherwise than the machine that asks."""
    if kept.program_hash() != program:
        raise InputError("--scheduler: a worker has another version of lawkb; install the same everywhere")
    return work(item)
