"""The grounds of the board game and what is written on them, for the tests of all palettes."""

from __future__ import annotations

from tests.tui.vision import Grounds, named

LANDS = [f"web_of_power-land-{kind}" for kind in range(5)]
KINDS = [f"web_of_power-kind-{kind}" for kind in range(5)]

GROUNDS = Grounds(
    lit=[KINDS, named(LANDS, "-lit")],
    rest=[[*LANDS, "web_of_power-sea", "web_of_power-foreign", "web_of_power-alliance"]],
    both=[[*LANDS, *named(LANDS, "-lit")]],
    texts={
        "country-ink": KINDS,
        "web_of_power-lit-ink": named(LANDS, "-lit"),
        "web_of_power-sea-road": ["web_of_power-sea"],
        "web_of_power-alliance-ink": ["web_of_power-alliance"],
        **{name.replace("land", "label"): [name, "ground"] for name in LANDS},
    },
)
