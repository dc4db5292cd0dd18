"""The entry of the board game in the lobby."""

from __future__ import annotations

from typing import Final

from kk_core.games.web_of_power.model import MOVES_END
from kk_core.text import text
from kk_core.types import Meta, Option, OptionValue

INTERIM_SCORING: Final = "interim_scoring"
IMMEDIATE: Final = "immediate"
END_OF_ROUND: Final = "end_of_round"

META: Final = Meta(
    id="web_of_power",
    name=text("Kardinal & König: the board game"),
    summary=text("Spread cloisters along the roads of Europe, and win its courts over with advisors."),
    min_seats=3,
    max_seats=5,
    moves=MOVES_END,
    order=2,
    tie_break=text("pieces left"),
    options=(
        Option(
            INTERIM_SCORING,
            text("Interim scoring"),
            (
                OptionValue(IMMEDIATE, text("at once when the draw pile is empty")),
                OptionValue(END_OF_ROUND, text("at the end of the round in which it is empty")),
            ),
        ),
    ),
)
