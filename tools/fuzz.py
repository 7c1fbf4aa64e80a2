"""Spoiled files through every reader, the repairs and the parser: no crash, no hang, no lost character.

And, for a third of the time, spoiled corpora, citations, queries and requests (``tools/fuzz_asked.py``).

``python tools/fuzz.py --seconds 3600 --out /tmp/fuzz``: takes texts of the tests' generators, spoils them as
text, writes them in some encoding and format, spoils the bytes, and reads the result. A file that cannot be
read must say so (KbError). Every failure is kept in the folder, the file beside what went wrong; figures are
printed at the end and every minute. Run it with ``nice`` and as one process; the same seed gives the same
files.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tools")]

import documents  # noqa: E402
import fuzz_asked  # noqa: E402
from damage import SHARES, STYLES, law, typed  # noqa: E402

from kb import profile as profiles  # noqa: E402
from kb.errors import KbError  # noqa: E402
from kb.profile import Profile, SourceSpec  # noqa: E402
from kb.read import received  # noqa: E402
from kb.repair import RULES  # noqa: E402
from kb.repair.damage import damage_of  # noqa: E402
from kb.sourced import understand  # noqa: E402

TIMEOUT = 60
"""Seconds of processor time for one file, beyond which it hangs; ten times as many if it only waits."""
MEMORY = 3 * 2**30
FILES = "files"
WEIGHTS = {FILES: 10, "corpora": 1, "declarations": 1, "citations": 1, "queries": 1, "requests": 1}
"""What is tried, and its share of the time."""
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "cp866", "cp1251", "koi8-r", "iso8859-5", "mac_cyrillic")
SIGNS = '\f\x1a\x14\x8d\xad\xa0\u200b\u2028\ufeff\ufffd¶|§№•­()[]«»"-–—.:;…0123456789IVXАВСЕABC\t\r\n \\{}<>&#'
FORMATS: dict[str, Callable[[Sequence[str]], bytes]] = {
    ".html": documents.html,
    ".fb2": documents.fb2,
    ".epub": documents.epub,
    ".docx": documents.docx,
    ".odt": documents.odt,
    ".rtf": documents.rtf,
    ".pdf": documents.pdf,
}


@dataclass
class Tally:
    """What came of the files."""

    files: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    chars: int = 0
    slowest: tuple[float, str] = (0.0, "")

    def __str__(self) -> str:
        files = f"{sum(self.files.values())} files ({dict(sorted(self.files.items()))})"
        slowest = f"slowest {self.slowest[0]:.1f} s ({self.slowest[1]})"
        failed = f"{sum(self.failed.values())} failures {dict(self.failed)}"
        refused = f"{sum(self.refused.values())} refused"
        return f"{files}, {self.chars:,} characters read, {refused}, {slowest}, {failed}"


def main() -> int:
    """Run for a time. 0: no failure; 1: some, kept in the folder."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--out", type=Path, default=Path("build/fuzz"))
    asked = options.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _hangs)
    signal.signal(signal.SIGPROF, _hangs)
    profile = profiles.load(ROOT / "corpus" / "bridge")
    tally, end, told = Tally(), time.monotonic() + asked.seconds, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kb-fuzz-") as folder:
        others = _others(Path(folder))
        spent = dict.fromkeys(WEIGHTS, 0.0)
        made = Counter(dict.fromkeys(WEIGHTS, asked.seed * 1000000))
        while (began := time.monotonic()) < end:
            # What had least of the time it ought to have is next.
            kind = min(WEIGHTS, key=lambda kind: spent[kind] / WEIGHTS[kind])
            made[kind] += 1
            if kind == FILES:
                _one(made[kind], profile, tally, asked.out)
            else:
                _other(kind, made[kind], others[kind], tally, asked.out)
            spent[kind] += time.monotonic() - began
            if time.monotonic() - told > 60:
                told = time.monotonic()
                print(tally, flush=True)
    print(tally, flush=True)
    return 1 if tally.failed else 0


def _alarm(seconds: int) -> None:
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(10 * seconds)


def _hangs(signum: int, frame: object) -> None:
    raise TimeoutError(f"more than {TIMEOUT} s")


def _others(folder: Path) -> dict[str, Callable[[random.Random], None]]:
    build = fuzz_asked.Asked(folder)
    return {
        "corpora": fuzz_asked.corpus,
        "declarations": fuzz_asked.declared,
        "citations": build.cite,
        "queries": build.query,
        "requests": build.request,
    }


def _other(kind: str, number: int, check: Callable[[random.Random], None], tally: Tally, out: Path) -> None:
    """One of what is no file. Its number is kept: the same number makes the same again."""
    tally.files[kind] += 1
    began = time.process_time()
    _alarm(TIMEOUT)
    try:
        check(random.Random(f"{kind} {number}"))
    except KbError as error:
        said = str(error)
        tally.refused[said.rpartition(": ")[2][:40]] += 1
        if "\n" in said or not said:
            _keep(out, number, kind, said.encode(), "refused", "refused in more than one line", tally)
    except Exception:  # whatever it is, it is what is looked for
        _keep(out, number, kind, b"", "failed", traceback.format_exc(), tally)
    finally:
        _alarm(0)
    tally.slowest = max(tally.slowest, (time.process_time() - began, f"{number} {kind}"))


def _one(number: int, profile: Profile, tally: Tally, out: Path) -> None:
    chance = random.Random(number)
    name, data = made(chance)
    suffix = Path(name).suffix
    tally.files[suffix] += 1
    work = chance.choice(list(profile.works))
    began = time.process_time()
    _alarm(TIMEOUT)
    try:
        tally.chars += check(name, data, work, profile)
    except KbError as error:
        said = str(error)
        tally.refused[said.rpartition(": ")[2][:40]] += 1
        if "\n" in said or not said:
            _keep(out, number, name, data, work, "refused in more than one line", tally)
    except Exception:  # whatever it is, it is what is looked for
        _keep(out, number, name, data, work, traceback.format_exc(), tally)
    finally:
        _alarm(0)
    tally.slowest = max(tally.slowest, (time.process_time() - began, f"{number}{suffix}"))


def _keep(out: Path, number: int, name: str, data: bytes, work: str, said: str, tally: Tally) -> None:
    key = said.strip().splitlines()[-1][:80]
    tally.failed[key] += 1
    if tally.failed[key] <= 5:
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{number}-{work}-{name}").write_bytes(data)
        (out / f"{number}.txt").write_text(said, "utf-8")
        print(f"FAILED {number} {key}", flush=True)


def check(name: str, data: bytes, work: str, profile: Profile) -> int:
    """Read a file and hold it to what is promised; how many characters it has.

    Raises KbError for a file that cannot be read, AssertionError for a broken promise.
    """
    spec = SourceSpec(Path(name), name, work, profile.edition, profile.lang)
    source = received(data, spec, hashlib.sha256(data).hexdigest())
    found = understand(source.text, source.raw, spec, profile)
    lost = [finding for finding in found.findings if finding.kind == "unaccounted"]
    assert not lost, lost[0].message
    assert sum(account.chars for account in found.accounts) == len(source.raw), "accounts do not add up"
    for edit in found.edits:
        assert 0 <= edit.start <= edit.end <= len(source.raw), "an edit outside of the source"
    touched = {place for edit in found.edits for place in range(edit.start, edit.end)}
    for node in found.parsed.nodes:
        assert node.ref.path, "a node without a path"
        for span in node.spans:
            assert 0 <= span.source_start <= span.source_end <= len(source.raw), (
                "a span outside of the source"
            )
            part = {"marker": None, "title": node.title, "text": node.text, "tail": node.tail}.get(span.where)
            if part is not None:
                assert 0 <= span.start <= span.end <= len(part), "a span outside of its node"
                same = span.end - span.start == span.source_end - span.source_start > 1
                there = source.raw[span.source_start : span.source_end]
                said = part[span.start : span.end]
                assert not same or _alike(said, there, span.source_start, touched), "a span of another text"
    damage = damage_of(profile, work, profile.lang)
    text = source.text
    for rule in RULES:
        text = rule(text, damage)
        assert rule(text, damage).value == text.value, f"{rule.__name__} twice is not it once"
    return len(source.raw)


def _alike(said: str, there: str, start: int, touched: set[int]) -> bool:
    """The same but for what an edit touched, and for line ends that are spaces."""
    return all(
        a == b or (a == " " and b.isspace()) or start + at in touched
        for at, (a, b) in enumerate(zip(said, there, strict=True))
    )


def made(chance: random.Random) -> tuple[str, bytes]:
    """A spoiled file: its name, and its bytes."""
    lines = _spoiled(_lines(chance), chance)
    if chance.random() < 0.5:
        encoding = chance.choice(ENCODINGS)
        data, name = "\n".join(lines).encode(encoding, "replace"), f"x-{encoding}.txt"
    else:
        suffix = chance.choice(list(FORMATS))
        # What XML and fonts cannot hold is for the bytes to spoil.
        lines = ["".join(c for c in line if c >= " " and c not in "\ufeff\ufffd") for line in lines]
        lines = [line.replace("\u2028", " ") for line in lines]
        data, name = FORMATS[suffix](lines[:60] if suffix == ".pdf" else lines), f"x{suffix}"
    return name, _bytes(data, chance)


def _lines(chance: random.Random) -> list[str]:
    lines = typed(law(chance.randrange(10_000), chance.randint(1, 12)), chance.choice([0, 30, 60, 90]) or 400)
    kind = chance.random()
    if kind < 0.4:
        comments = [f"{n}.{m}. {lines[(n * 7 + m) % len(lines)]}" for n in range(50, 54) for m in range(1, 5)]
        lines = comments if kind < 0.2 else [*lines, *comments]
    for name in chance.sample(list(STYLES), chance.choice([0, 1, 1, 2])):
        lines = STYLES[name](lines, chance.choice(SHARES), chance)
    return [line for one in lines for line in one.split("\n")]


def _spoiled(lines: list[str], chance: random.Random) -> list[str]:
    for _ in range(chance.choice([0, 1, 2, 5, 20])):
        if not lines:
            break
        at, kind = chance.randrange(len(lines)), chance.randrange(9)
        line = lines[at]
        place = chance.randrange(len(line) + 1)
        if kind == 0:
            del lines[at : at + chance.choice([1, 3, 30])]
        elif kind == 1:
            lines[at:at] = lines[: chance.choice([1, 5, 60])]
        elif kind == 2:
            lines[at] = (
                line[:place] + chance.choice(SIGNS) * chance.choice([1, 1, 2, 50, 3000]) + line[place:]
            )
        elif kind == 3:
            lines[at] = (
                line[:place] + chr(chance.choice([chance.randrange(1, 0xD800), 0x1F600])) + line[place:]
            )
        elif kind == 4:
            lines[at] = chance.choice([line.upper(), line[::-1], line.replace(" ", ""), " " * 40 + line, ""])
        elif kind == 5:
            chance.shuffle(lines)
        elif kind == 6:
            lines[at : at + 2] = ["".join(lines[at : at + 2])]
        elif kind == 7:
            lines.insert(at, f"- {chance.randrange(200)} -")
        else:
            lines[at] = line[:place]
            lines.insert(at + 1, line[place:])
    return lines


def _bytes(data: bytes, chance: random.Random) -> bytes:
    spoiled = bytearray(data)
    for _ in range(chance.choice([0, 0, 0, 1, 3, 30])):
        if not spoiled:
            break
        at = chance.randrange(len(spoiled))
        kind = chance.randrange(4)
        if kind == 0:
            spoiled[at] = chance.randrange(256)
        elif kind == 1:
            del spoiled[at : at + chance.choice([1, 10, 1000])]
        elif kind == 2:
            spoiled[at:at] = spoiled[at : at + chance.choice([1, 10, 1000])]
        else:
            spoiled[at:at] = chance.randbytes(chance.choice([1, 4, 64]))
    return bytes(spoiled)


if __name__ == "__main__":
    sys.exit(main())
