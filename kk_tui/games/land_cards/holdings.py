"""What everybody has taken, as lines under the cards where there is room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.cells import set_cell_size
from rich.segment import Segment

from kk_core.games.land_cards.model import COUNTRIES, ROUTES, SYMBOLS, Observation
from kk_core.types import Seat
from kk_tui.games.land_cards.counts import Collected, collected
from kk_tui.games.land_cards.picture import Ink
from kk_tui.games.land_cards.signs import country_variable
from kk_tui.games.land_cards.words import COUNTRY_CODES
from kk_tui.i18n import render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs

_NAME: Final = 22
"""Columns for the stone and the name of a seat."""

_COLUMN: Final = 6
"""Columns for a country: cards, the symbol that there is most of, and how often."""

_ROUTE_COLUMN: Final = 4


def holding_lines(scene: Scene[Observation], glyphs: Glyphs, ink: Ink) -> list[list[Segment]]:
    """A heading, and a line for every seat: countries in chart order, ships and carriages."""
    head = [Segment(" " * _NAME, ink("ink", on="ground"))]
    for country in range(len(COUNTRIES)):
        code = render(COUNTRY_CODES[country]).center(_COLUMN - 1)
        head.append(Segment(code, ink("land_cards-open-ink", on=country_variable(country))))
        head.append(Segment(" ", ink("ink", on="ground")))
    routes = "".join(
        glyphs[f"land_cards-route-{route}"].rjust(_ROUTE_COLUMN - 1) + " " for route in ROUTES[1:]
    )
    head.append(Segment(routes, ink("gold", on="ground")))
    return [head, *(list(_seat_line(scene, seat, glyphs, ink)) for seat in range(len(scene.names)))]


def _seat_line(scene: Scene[Observation], seat: Seat, glyphs: Glyphs, ink: Ink) -> Iterator[Segment]:
    own = collected(scene.observation, seat)
    name = set_cell_size(f" {glyphs.owner(seat)} {scene.name(seat)}", _NAME - 1) + " "
    yield Segment(name, ink(f"seat-{seat}", on="ground", bold=True))
    figures = "".join(_figure(own, country) for country in range(len(COUNTRIES)))
    routes = "".join(f"{n or glyphs['bullet']:>{_ROUTE_COLUMN - 1}} " for n in (own.ships, own.carriages))
    yield Segment(figures + routes, ink("ink", on="ground"))


def _figure(own: Collected, country: int) -> str:
    if not own.cards[country]:
        return " " * _COLUMN
    best = own.best[country]
    symbols = f"{SYMBOLS[own.best_symbol[country]]}{best}" if best else ""
    return f"{own.cards[country]:>2} {symbols:<{_COLUMN - 3}}"
