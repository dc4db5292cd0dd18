"""The grounds of the card game and what is written on them, for the tests of all palettes."""

from __future__ import annotations

from tests.tui.vision import Grounds, named

COUNTRIES = [f"land_cards-{country}" for country in range(9)]

GROUNDS = Grounds(
    lit=[COUNTRIES],
    rest=[named(COUNTRIES, "-rest")],
    both=[[*COUNTRIES, *named(COUNTRIES, "-rest")]],
    texts={
        "land_cards-open-ink": COUNTRIES,
        "land_cards-law-ink": ["land_cards-law-ground"],
        **{f"{name}-ink": [f"{name}-rest", "ground"] for name in COUNTRIES},
    },
)
