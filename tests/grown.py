"""Corpora of any size, of our own wording (damage.py), so that their truth is known."""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

from damage import STYLES, Made, law, outline, typed

BRIDGE = Path(__file__).parent.parent / "corpus" / "bridge"
PER_SOURCE = 20
"""Laws in one source."""


def grow(
    folder: Path, laws: int, seed: int = 1, style: str = "", share: float = 0.25, each: int = PER_SOURCE
) -> list[Made]:
    """Make a corpus of ``laws`` laws, about ten provisions each, in sources of ``each``; its true nodes.

    It is cut and cited as the bridge corpus is. ``style``: what damage the sources have.
    """
    made = law(seed, laws)
    (folder / "sources").mkdir(parents=True)
    profile = (BRIDGE / "profile.toml").read_text("utf-8")
    # Numbers of four and five figures, and a site without this project's own documentation.
    profile = profile.replace(r"\d{1,3}", r"\d{1,5}")
    profile = re.sub(r"(?m)^config = .*$", "", profile)
    (folder / "profile.toml").write_text(profile, "utf-8")
    (folder / "citations.toml").write_text(_citations(), "utf-8")
    (folder / "outline.toml").write_text(outline(made), "utf-8")
    chance = random.Random(seed)
    listing = ""
    for number, part in enumerate(_parts(made, each)):
        lines = typed(part)
        if style:
            lines = STYLES[style](lines, share, chance)
        name = f"{number:05}.txt"
        (folder / "sources" / name).write_text("\n".join(lines) + "\n", "utf-8")
        listing += f'[[source]]\nfile = "{name}"\nwork = "laws"\nedition = "1987"\nlang = "ru"\n\n'
    (folder / "sources" / "sources.toml").write_text(listing, "utf-8")
    return made


def comment(folder: Path, laws: int, seed: int = 1, each: int = PER_SOURCE) -> None:
    """Comments on every second law of a grown corpus, two or three each, in sources of their own; they speak
    in words of the law, cite its neighbours and one another."""
    chance = random.Random(seed)
    made = law(seed, laws)
    listing = (folder / "sources" / "sources.toml").read_text("utf-8")
    for start in range(1, laws + 1, each):
        lines = []
        for number in range(start, min(start + each, laws + 1), 2):
            lines += ["", f"Правило {number}. О ПРАВИЛЕ", ""]
            own = " ".join(node.text for node in made if node.path[0] == str(number)).lower().split()
            for paragraph in range(1, chance.randrange(3, 5)):
                words = " ".join(chance.choices(own or ["игрок"], k=24))
                cited = chance.choice([f"Правило {number % laws + 1}", f"{number}.1", f"правило {number}А"])
                said = f"{number}.{paragraph}. Судья решает так: {words} (смотри {cited})."
                lines += [*textwrap.wrap(said, 60, break_on_hyphens=False), ""]
        name = f"comment-{start:05}.txt"
        (folder / "sources" / name).write_text("\n".join(lines), "utf-8")
        listing += f'[[source]]\nfile = "{name}"\nwork = "commentary"\nedition = "1987"\nlang = "ru"\n\n'
    (folder / "sources" / "sources.toml").write_text(listing, "utf-8")


def _citations() -> str:
    """Bridge's grammar without the nouns whose examples name sections of bridge's own outline."""
    blocks = re.split(r"(?m)^(?=\[)", (BRIDGE / "citations.toml").read_text("utf-8"))
    return "".join(block for block in blocks if not re.search(r"(?m)^listed = true", block))


def _parts(made: Sequence[Made], each: int) -> list[list[Made]]:
    parts: list[list[Made]] = []
    for node in made:
        at = (int(node.path[0]) - 1) // each
        if at == len(parts):
            parts.append([])
        parts[at].append(node)
    return parts
