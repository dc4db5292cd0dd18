"""The entry of the card game in the lobby."""

from __future__ import annotations

from typing import Final

from kk_core.games.land_cards.model import MOVES_END
from kk_core.text import text
from kk_core.types import Meta, Option, OptionValue

TAKE_OPTION: Final = "take"
ONE_BY_ONE: Final = "one_by_one"
EXPOSED_AT_START: Final = "exposed_at_start"

META: Final = Meta(
    id="land_cards",
    name=text("Kardinal & König: the card game"),
    summary=text(
        "Take land cards from the ends of four rows, guard them with stones, bend the rules with laws."
    ),
    min_seats=3,
    max_seats=5,
    moves=MOVES_END,
    order=1,
    tie_break=text("land cards"),
    options=(
        Option(
            TAKE_OPTION,
            text("Which cards may be taken"),
            (
                OptionValue(ONE_BY_ONE, text("also those uncovered in the same turn")),
                OptionValue(EXPOSED_AT_START, text("only those at an end when the turn begins")),
            ),
        ),
    ),
)
