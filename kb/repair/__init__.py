"""Repairs of damaged text: one function a repair, Text -> Text, each change logged under its rule.

``RULES`` is the order, top to bottom; a rule stands twice where another one first must make or join
words. A repair takes the text and the damage this corpus knows, changes nothing when its damage is not
there, and run twice changes nothing more.
"""

from __future__ import annotations

from collections.abc import Callable

from kb.repair import breaks, copies, edges, encodings, layout, letters, marks, ocr, pages, strewn, words
from kb.repair.damage import Damage
from kb.text import Text
from kb.unswept import unswept

Repair = Callable[[Text, Damage], Text]

RULES: tuple[Repair, ...] = (
    encodings.end_of_file,
    encodings.soft_returns,
    encodings.high_bits,
    encodings.format_codes,
    encodings.misread,
    marks.line_ends,
    marks.invisible,
    strewn.composed,
    strewn.markup,
    edges.quoted,
    edges.end_bars,
    edges.margin_signs,
    edges.stray_bars,
    layout.margin_bars,
    edges.line_numbers,
    layout.drawn_rules,
    marks.paragraph_marks,
    marks.emphasis,
    strewn.adorned,
    layout.drawn_rules,
    marks.paragraph_marks,
    marks.commands,
    layout.chrome,
    layout.navigation,
    letters.stress_marks,
    letters.misread_letters,
    words.substituted_letters,
    words.lost_letters,
    words.letter_spacing,
    layout.contents,
    copies.doubled_pages,
    ocr.misread_markers,
    pages.running_heads,
    pages.page_marks,
    strewn.repeated_lines,
    strewn.specks,
    copies.overstrikes,
    copies.doubled_lines,
    layout.double_spacing,
    layout.glued_headings,
    words.mixed_scripts,
    breaks.odd_hyphens,
    words.hyphenation,
    letters.misread_letters,
    words.lost_letters,
    words.split_words,
    words.hyphen_space,
    words.mixed_scripts,
)


@unswept()
def repair(text: Text, damage: Damage) -> Text:
    """Run all repairs in order. The log of what was done is ``edits`` of the result."""
    changes = 0
    done: dict[Repair, int] = {}
    for rule in RULES:
        if done.get(rule) == changes:
            continue  # run twice it changes nothing more
        made = rule(text, damage)
        changes += made is not text
        done[rule], text = changes, made
    return text


__all__ = ["RULES", "Damage", "Repair", "repair"]
