"""The grounds of the card game and what is written on them, for the tests of all palettes."""

from __future__ import annotations

from kk_core.games.land_cards import model
from tests.tui.vision import Grounds, named

COUNTRIES = [f"land_cards-{country}" for country in range(9)]

SYMBOLS = [f"land_cards-symbol-{letter}" for letter in model.SYMBOLS]

BODY = "land_cards-body"

GROUNDS = Grounds(
    # at rest a card has its country's own colour, on a part of it, and a taken one a shade of it
    lit=[COUNTRIES],
    rest=[named(COUNTRIES, "-taken")],
    both=[[*COUNTRIES, BODY]],
    texts={
        "land_cards-open-ink": COUNTRIES,
        "land_cards-body-ink": [BODY],
        "land_cards-taken-ink": named(COUNTRIES, "-taken"),
        "land_cards-law-ink": ["land_cards-law-ground"],
        **{f"{name}-ink": ["ground"] for name in COUNTRIES},
        **{f"{name}-gone": ["ground"] for name in COUNTRIES},
        **{f"{name}-ink": [name] for name in SYMBOLS},
    },
)
