"""The words of the card game that are drawn on cards and in tables."""

from __future__ import annotations

from typing import Final

from kk_core.text import Text, text

COUNTRY_CODES: Final[tuple[Text, ...]] = (
    text("FRA"),
    text("SAC"),
    text("UNG"),
    text("KAS"),
    text("FKN"),
    text("BAY"),
    text("ITA"),
    text("ENG"),
    text("DÄN"),
)
"""Three letters for every country, in the order of the scoring chart."""

ROUTE_NAMES: Final[tuple[Text, ...]] = (text("no route"), text("ship"), text("carriage"))

SHORT_LAWS: Final[tuple[Text, ...]] = (
    text("Take back a stone"),
    text("3 symbols"),
    text("Different colours"),
    text("-2 points"),
)
"""The kinds of law cards, in at most 18 columns, in the order of LAWS."""
