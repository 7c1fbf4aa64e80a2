"""The same work on other machines: ``dask.distributed``, an optional extra."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from kb import kept
from kb.errors import InputError, MissingExtra

Item = TypeVar("Item")
Result = TypeVar("Result")

CONNECT = 15
"""Seconds until a scheduler that does not answer is given up."""
RETRIES = 3
"""How often the work of a lost worker is given to another."""


def run_all(work: Callable[[Item], Result], items: Sequence[Item], address: str) -> list[Result]:
    """``work`` of every item, in order, by the workers of the scheduler at ``address`` (``tcp://host:8786``).

    Workers see the corpus under the same path and have the same version of this program. Work that is lost
    with a worker is done by another. Raises MissingExtra without the extra, InputError when the scheduler
    cannot be reached, has no workers of this version, or lost too many; errors of ``work`` as they are.
    """
    try:
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise MissingExtra("--scheduler needs dask: pip install 'lawkb[dask]'") from None
    where = f"--scheduler {address}"
    open_client: Any = Client
    try:
        client: Any = open_client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{where}: cannot be reached ({reason}); start `dask scheduler` there") from None
    with client:
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise InputError(f"{where}: has no workers; start `dask worker {address}` on some machine")
        futures = client.map(partial(_checked, work, kept.program_hash()), items, pure=False, retries=RETRIES)
        try:
            return list(client.gather(futures))
        except KilledWorker as error:
            raise InputError(f"{where}: its workers die over the work ({error}); see their logs") from None
        except (ModuleNotFoundError, AttributeError) as error:
            raise InputError(f"{where}: a worker cannot do it ({error}); install lawkb there") from None


def _checked(work: Callable[[Item], Result], program: str, item: Item) -> Result:
    """The work, unless this worker would do it otherwise than the machine that asks."""
    if kept.program_hash() != program:
        raise InputError("--scheduler: a worker has another version of lawkb; install the same everywhere")
    return work(item)
