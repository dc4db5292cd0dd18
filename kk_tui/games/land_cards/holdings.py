"""What everybody has collected: as a table of bars, as a line for every seat, as contests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.content import Content

from kk_core.games.land_cards import model
from kk_core.games.land_cards.model import Observation
from kk_core.games.land_cards.notation import COUNTRY_NAMES
from kk_core.text import Text
from kk_core.types import Seat
from kk_tui.games import Race
from kk_tui.games.land_cards.panels import Collected, collected, in_rows
from kk_tui.games.land_cards.theme import CHAIN_NAMES, COUNTRY_CODES, country_variable
from kk_tui.i18n import _, render
from kk_tui.table.scene import Scene
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.theme.palette import Ink
from kk_tui.widgets.lines import code_lines

# -- the drawer: a bar of shapes for each country ------------------------------------------------------------

Parts = list[tuple[str, str]]


def collection_lines(scene: Scene[Observation], glyphs: Glyphs) -> Sequence[Content]:
    """Per country everybody's cards as a bar of his shape, most first, and the most of one circle symbol.

    Dots are cards that still lie in the rows. Under the countries stand ships and carriages.
    """
    all_of = [collected(scene.observation, seat) for seat in range(len(scene.names))]
    lines = []
    for country, code in enumerate(COUNTRY_CODES):
        label = (render(code), f"$land_cards-open-ink on ${country_variable(country)}")
        bars = _bars([of.cards[country] for of in all_of], glyphs)
        left = glyphs["bullet"] * in_rows(scene.observation, country)
        lines.append(Content.assemble(label, " ", *bars, (left, "$ink-dim")))
        if symbols := _symbols(all_of, country, glyphs):
            lines.append(Content.assemble(" " * (4 if len(symbols) < _MANY else 1), *symbols))
    for route, counts in zip(model.ROUTES[1:], _routes(all_of), strict=True):
        sign = (glyphs[f"land_cards-route-{route}"], "bold $gold")
        lines.append(Content.assemble(sign, " ", *_figures(counts)))
    notes = (_("Who has most is first"), _("{dot} still in the rows", dot=glyphs["bullet"]))
    told = [Content.styled(note, "$ink-dim") for note in notes]
    return [*lines, Content(""), *told, *code_lines(COUNTRY_CODES, COUNTRY_NAMES)]


_MANY: Final = 5
"""Seats whose symbols leave no room for an indent."""


def _bars(counts: Sequence[int], glyphs: Glyphs) -> Parts:
    """For every seat that has any its letter and so many of its shapes; who has most is bold."""
    parts = []
    for seat in sorted(range(len(counts)), key=lambda one: -counts[one]):
        if counts[seat]:
            bar = letter(seat) + glyphs[f"owner-{seat}"] * counts[seat]
            parts += [(bar, _weight(counts, seat) + f"$seat-{seat}"), (" ", "")]
    return parts[:-1]


def _symbols(all_of: Sequence[Collected], country: int, glyphs: Glyphs) -> Parts:
    """For every seat that has any the symbol that it has most of, and how often."""
    counts = [of.best[country] for of in all_of]
    parts = []
    for seat, of in enumerate(all_of):
        if counts[seat]:
            sign = glyphs[f"land_cards-symbol-{model.SYMBOLS[of.best_symbol[country]]}"]
            parts.append(
                (f"{glyphs[f'owner-{seat}']}{sign}{counts[seat]} ", _weight(counts, seat) + f"$seat-{seat}")
            )
    return parts


def _figures(counts: Sequence[int]) -> Parts:
    return [
        (f"{letter(seat)}{count} ", _weight(counts, seat) + f"$seat-{seat}")
        for seat, count in enumerate(counts)
        if count
    ]


def _weight(counts: Sequence[int], seat: Seat) -> str:
    return "bold " if counts[seat] == max(counts) else ""


def _routes(all_of: Sequence[Collected]) -> tuple[list[int], list[int]]:
    return [of.ships for of in all_of], [of.carriages for of in all_of]


# -- the contests --------------------------------------------------------------------------------------------


def race(scene: Scene[Observation]) -> Sequence[Race]:
    """Every country by cards, its points those for cards and symbols; then ships and carriages."""
    view, seats = scene.observation, range(len(scene.names))
    all_of = [collected(view, seat) for seat in seats]
    counts = [tuple(of.cards[country] for of in all_of) for country in range(len(model.COUNTRIES))]
    contests = [
        _contest(
            view,
            COUNTRY_NAMES[country],
            country_variable(country),
            cards,
            (2 * country, 2 * country + 1),
            COUNTRY_CODES[country],
        )
        for country, cards in enumerate(counts)
    ]
    first = 2 * len(model.COUNTRIES)
    for line, (label, figures) in enumerate(zip(CHAIN_NAMES, _routes(all_of), strict=True), first):
        contests.append(_contest(view, label, None, tuple(figures), (line,)))
    return contests


def _contest(
    view: Observation, label: Text, colour: str | None, counts: tuple[int, ...], lines: tuple[int, ...],
    code: Text | None = None,
) -> Race:  # fmt: skip
    points = tuple(sum(view.sheet[line][seat] for line in lines) for seat in range(len(counts)))
    return Race(label, colour, counts, points, code, lines)


# -- under the rows: a line for every seat -------------------------------------------------------------------

_HELD_NAME: Final = 22
"""Columns for the stone and the name of a seat."""

_HELD_COLUMN: Final = 6
"""Columns for a country: cards, the symbol that there is most of, and how often."""

_HELD_ROUTE: Final = 4


def holding_lines(scene: Scene[Observation], glyphs: Glyphs, ink: Ink) -> list[list[Segment]]:
    """A heading, and a line for every seat: countries in chart order, ships and carriages."""
    head = [Segment(" " * _HELD_NAME, ink("ink", on="ground"))]
    for country in range(len(model.COUNTRIES)):
        code = render(COUNTRY_CODES[country]).center(_HELD_COLUMN - 1)
        head.append(Segment(code, ink("land_cards-open-ink", on=country_variable(country))))
        head.append(Segment(" ", ink("ink", on="ground")))
    routes = "".join(
        glyphs[f"land_cards-route-{route}"].rjust(_HELD_ROUTE - 1) + " " for route in model.ROUTES[1:]
    )
    head.append(Segment(routes, ink("gold", on="ground")))
    all_of = [collected(scene.observation, seat) for seat in range(len(scene.names))]
    return [head, *(list(_seat_line(scene, all_of, seat, glyphs, ink)) for seat in range(len(all_of)))]


def _seat_line(
    scene: Scene[Observation], all_of: Sequence[Collected], seat: Seat, glyphs: Glyphs, ink: Ink
) -> Iterator[Segment]:
    """The name and the figures of a seat; bright are those that nobody has more of."""
    name = set_cell_size(f" {glyphs.owner(seat)} {scene.name(seat)}", _HELD_NAME - 1) + " "
    yield Segment(name, ink(f"seat-{seat}", on="ground", bold=True))
    own = all_of[seat]
    for country in range(len(model.COUNTRIES)):
        cards, best = own.cards[country], own.best[country]
        sign = glyphs[f"land_cards-symbol-{model.SYMBOLS[own.best_symbol[country]]}"]
        symbols = f"{sign}{best}" if best else ""
        most = max(of.cards[country] for of in all_of), max(of.best[country] for of in all_of)
        yield Segment(f"{cards or '':>2} ", _bright(ink, leads=cards == most[0]))
        yield Segment(f"{symbols:<{_HELD_COLUMN - 3}}", _bright(ink, leads=best == most[1]))
    for count, counts in zip((own.ships, own.carriages), _routes(all_of), strict=True):
        figure = f"{count or glyphs['bullet']:>{_HELD_ROUTE - 1}} "
        yield Segment(figure, _bright(ink, leads=0 < count == max(counts)))


def _bright(ink: Ink, *, leads: bool) -> Style:
    return ink("possible" if leads else "ink-dim", on="ground", bold=leads)
