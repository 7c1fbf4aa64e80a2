"""What is written to a connection in one turn of the event loop goes out together, and nothing is lost."""

import asyncio

import pytest

from kb.serve.whole import Gathered


class Below:
    """A transport that notes what is asked of it."""

    def __init__(self):
        self.told = []

    def write(self, data):
        self.told.append(bytes(data))

    def close(self):
        self.told.append("closed")

    def is_closing(self):
        return "closed" in self.told


def _run(work):
    below = Below()

    async def turn():
        await work(Gathered(below))

    asyncio.run(turn())
    return below.told


async def _head_and_body(transport):
    transport.write(b"head ")
    transport.write(b"body")


async def _two_turns(transport):
    transport.write(b"one")
    await asyncio.sleep(0)
    transport.write(b"two")
    await asyncio.sleep(0)


async def _closed_at_once(transport):
    transport.write(b"last")
    transport.close()
    assert transport.is_closing()


async def _large(transport):
    for _ in range(3):
        transport.write(b"x" * 40_000)


@pytest.mark.parametrize(
    ("work", "told"),
    [
        (_head_and_body, [b"head body"]),
        (_two_turns, [b"one", b"two"]),
        (_closed_at_once, [b"last", "closed"]),
        (_large, [b"x" * 80_000, b"x" * 40_000]),
    ],
)
def test_written(work, told):
    """In order, once, joined by turns of the loop; no more waits than fits in memory many times over."""
    assert _run(work) == told
