"""Short words of the board game that are drawn in tables."""

from __future__ import annotations

from typing import Final

from kk_core.text import Text, text

COUNTRY_CODES: Final[tuple[Text, ...]] = (
    text("EN"),
    text("FK"),
    text("BA"),
    text("IT"),
    text("AR"),
    text("FR"),
    text("LO"),
    text("SW"),
    text("BU"),
)
"""Two letters for every country, as on its spaces, in the order of COUNTRIES."""
