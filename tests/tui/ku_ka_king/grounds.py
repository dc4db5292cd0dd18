"""The grounds of Ku-Ka-King and what is written on them, for the tests of all palettes."""

from __future__ import annotations

from tests.tui.vision import Grounds, named

CARDS = [f"ku_ka_king-{line}" for line in ("animals", "kings", "knights", "churches", "points", "farm")]

GROUNDS = Grounds(
    lit=[CARDS, named(CARDS, "-under")],
    rest=[named(CARDS, "-rest")],
    both=[],
    texts={
        "ku_ka_king-card-ink": [*CARDS, *named(CARDS, "-under")],
        "possible": ["ku_ka_king-number"],
        **{f"{name}-rest-ink": [f"{name}-rest"] for name in CARDS},
        **{f"{name}-ink": ["ground"] for name in CARDS},
    },
)
