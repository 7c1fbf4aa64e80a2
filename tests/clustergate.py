"""``dask worker --preload tests/clustergate.py``: in its hands, later sources wait for a file ``open``.

In the folder KB_GATE names it notes what is begun, as ``worker source``; sources of a number from
KB_GATE_FROM on wait there. So a test can kill a worker in the middle of a source, and know of which.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from kb import sourced
from kb.profile import SourceSpec


def dask_setup(worker: Any) -> None:
    """Put the gate before the work; what comes over the wire finds it by its name."""
    folder, first = Path(os.environ["KB_GATE"]), int(os.environ["KB_GATE_FROM"])
    true = sourced.process_source

    def held(spec: SourceSpec, root: Path) -> sourced.Sourced:
        (folder / f"{worker.name} {spec.name}").touch()
        while int(Path(spec.name).stem) >= first and not (folder / "open").exists():
            time.sleep(0.02)
        return true(spec, root)

    sourced.process_source = held
