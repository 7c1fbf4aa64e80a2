"""``python tests/killed.py [times] [seed]``: kill -9 at random moments of a build, and of its last switch.

A corpus of ours is changed, built and killed, again and again; after each kill the build must answer, with
an old text or the new one. At last the build is completed and compared with one from nothing, to the byte.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from test_interrupted import change, completes, killed, took, usable

from kb.make import make
from kb.scaffold import scaffold

WORDS = ("four tools", "five tools", "three tools")


def main(times: int, seed: int) -> int:
    """Kill so many builds; 0 when every state was usable and the last build is whole."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="kb-killed-") as name:
        place = Path(name)
        scaffold(place / "corpus")
        make(place / "corpus", place / "build")
        change(place / "corpus", WORDS[0])
        whole = took(place)
        for number in range(times):
            said = WORDS[(number + 1) % 3]
            change(place / "corpus", said)
            # Every other one dies late, where what was made takes the place of what there was.
            low = 0.6 if number % 2 else 0.0
            killed(place, chance.uniform(low, 1.1) * whole)
            usable(place, *WORDS)
            if number % 20 == 19:
                # Of a build that has something to do: the last one may have ended.
                took(place)
                said = WORDS[(number + 2) % 3]
                change(place / "corpus", said)
                whole = took(place)
                print(f"{number + 1} killed, all usable; a build takes {whole:.1f} s", flush=True)
        completes(place, place, said)
    print(f"{times} builds killed: every state usable, the last one whole")
    return 0


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*(numbers + [200, 8][len(numbers) :])))
