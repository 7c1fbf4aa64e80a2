"""Letters that are printed alike: what a machine, or a tired eye, reads for another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Shapes = Sequence[tuple[str, str]]
"""What is read for what: pairs of small letters, each way that happens."""


def both_ways(text: str) -> tuple[tuple[str, str], ...]:
    """``rn/m`` -> ``("rn", "m"), ("m", "rn")``, the pairs parted by spaces."""
    pairs = [(one, other) for one, other in (pair.split("/") for pair in text.split())]
    return tuple(dict.fromkeys([*pairs, *((other, one) for one, other in pairs)]))


def readings(form: str, shapes: Shapes) -> Iterator[str]:
    """What the form may have been: one place read otherwise, then one or two kinds of letters throughout."""
    for seen, meant in shapes:
        at = form.find(seen)
        while at >= 0:
            yield form[:at] + meant + form[at + len(seen) :]
            at = form.find(seen, at + 1)
    present = [pair for pair in shapes if pair[0] in form]
    for seen, meant in present:
        once = form.replace(seen, meant)
        yield once
        for second, second_meant in present:
            if second in once and second != meant:
                yield once.replace(second, second_meant)
