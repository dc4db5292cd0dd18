"""The rules of Ku-Ka-King in short, with the rulings where the printed ones are silent."""

from __future__ import annotations

from typing import Final

from kk_core.text import Text, text

HELP: Final[tuple[Text, ...]] = (
    text("# The aim"),
    text(
        "Collect rows of cards. Your collection is scored twice: once in the middle of the game, once at "
        "its end. Who has the most points in all wins; a tie at the top is a shared win."
    ),
    text("# A round"),
    text(
        "Up to three cards lie beside each number: 6 rows with two players, 7 with three, 8 with four. "
        "Everybody secretly calls a row. Nobody, watchers included, learns a call before the last one has "
        "called; then all are shown at once: Ku - Ka - King!"
    ),
    text("Who calls a row alone takes all cards of it and is done for this round."),
    text(
        "Where several call the same row, nobody gets it, and its outermost card goes into the box. "
        "Those players call again, any row that still has cards. A row that was taken or ran empty is "
        "out until the next round."
    ),
    text(
        "A round ends when everybody has a row. It also ends when, after a clash, fewer than two rows "
        "with cards are left; who has none by then gets nothing. Then all rows are filled up to three "
        "cards again."
    ),
    text("# The two passes"),
    text(
        "After the round in which somebody reaches 13 cards, the first scoring is held. Then cards with "
        "a red cross (churches, victory points, farm) go back into the box; those with a green tick "
        "(animals, kings, knights) stay and count again at the end. The rows are filled up, and the "
        "second pass begins."
    ),
    text(
        "The round for which the draw pile has run empty is the last one; missing cards come from the "
        "shuffled box. If the first scoring is still due when it ends, it is held then, right before the "
        "final one."
    ),
    text("# What scores"),
    text("Kings: the more, the better: 0, 1, 4, 9, 16, 25, 36 points for 1 to 7 and more."),
    text("Churches: 10 points for everybody with the most of them; nobody gets them without a church."),
    text("Victory points: the figure on each card."),
    text("Knights: 1 point each; 2 points each for everybody with the most of them."),
    text("Animals: 1, 3, 6, 10, 15 points for 1 to 5 of one kind, each kind for itself."),
    text("Farm: 7 points for a farmer with a wife, 14 for both with a farmhouse; single cards give nothing."),
    text("# On the screen"),
    text(
        "Each row shows its number, then its cards; the one on the right lies outermost. A card shows "
        "its name, how many there are in the game, tick or cross, and what it scores."
    ),
    text(
        "The keys 1 to 8 call a row at once; so do Enter for the row under the cursor and a click. The "
        "arrow keys move the cursor. As long as somebody is still choosing, u takes your call back."
    ),
    text(
        "The last reveal stays marked until you call again: under a number stands who called it, with a "
        "tick if it worked and a cross if several wanted the same."
    ),
    text(
        "At one keyboard the screen is handed over before each call, so that nobody else sees it. A reveal "
        "stays for all to see until somebody presses Enter."
    ),
)
"""Paragraphs; a line beginning with "# " is a heading."""
