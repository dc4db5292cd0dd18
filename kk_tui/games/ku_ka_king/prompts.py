"""What the one at the keyboard can do now: header, prompt line and keys."""

from __future__ import annotations

from kk_core.text import Text, text


def title(round_: int, *, second: bool, last: bool, pile: int, box: int) -> Text:
    """The header's words: round, pass, and what is left."""
    if last:
        return text(
            "Round {round}, the last one  |  pile {pile}, box {box}", round=round_, pile=pile, box=box
        )
    number = 2 if second else 1
    return text(
        "Round {round}, pass {number} of 2  |  pile {pile}, box {box}",
        round=round_, number=number, pile=pile, box=box,
    )  # fmt: skip
