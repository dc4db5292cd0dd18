"""The lines beside and under the rows: stones, law cards, and what everybody has collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.content import Content

from kk_core.games.land_cards import model
from kk_core.games.land_cards.model import Observation
from kk_core.types import Seat
from kk_tui.games.land_cards.counts import Collected, collected, stones_on_cards
from kk_tui.games.land_cards.theme import COUNTRY_CODES, SHORT_LAWS, country_variable
from kk_tui.i18n import _, ngettext, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.theme.palette import Ink

_CELL = 3
_SEATS_WITH_A_GAP = 4
_SHORT_CODE = 2
"""Letters of a country's code where five seats leave no room for more."""


def own_laws(view: Observation) -> tuple[int, ...]:
    """The kinds of law cards in the viewer's hand, without repeats, in the order of their key numbers."""
    return () if view.viewer is None else tuple(sorted(set(view.hands[view.viewer])))


def person_line(scene: Scene[Observation], seat: Seat, glyphs: Glyphs) -> Content:
    """A seat's stones (held, on cards, out of the game), law cards and number of land cards."""
    view = scene.observation
    held = glyphs[f"owner-{seat}"] * view.supply[seat]
    laid = glyphs["land_cards-laid"] * stones_on_cards(view, seat)
    out = glyphs["times"] * view.gone[seat]
    laws = f"{glyphs['land_cards-law']}{view.law_counts[seat]}"
    cards = sum(collected(view, seat).cards)
    return Content.assemble(
        (f"{held}{laid}", f"$seat-{seat}"),
        (f"{out}".ljust(4 - len(held + laid)), "$ink-dim"),
        (f"{laws}  ", "$gold" if view.law_counts[seat] else "$ink-dim"),
        (ngettext("{n} card", "{n} cards", cards), "$ink"),
    )


def panel_lines(scene: Scene[Observation]) -> list[Content]:
    """The limits of the turn, and one's own law cards with their keys."""
    view = scene.observation
    lines: list[Content] = []
    if view.phase in (model.TAKING, model.GIVING_UP):
        used = _("Symbols: {used} of {limit}", used=view.symbols, limit=view.symbol_limit)
        lines.append(Content.styled(used, "bold $gold"))
        if view.any_colour:
            lines.append(Content.styled(_("Different colours"), "$gold"))
    if view.phase != model.OVER:
        lines += _law_lines(scene)
    return lines


def legend(glyphs: Glyphs) -> str:
    """What the signs beside the names mean."""
    return _(
        "{laid} laid {out} out {law} laws",
        laid=glyphs["land_cards-laid"],
        out=glyphs["times"],
        law=glyphs["land_cards-law"],
    )


def played_lines(view: Observation) -> list[Content]:
    """The law cards that are out of the game, and a free line after them."""
    if not view.played:
        return []
    kinds = [_law(kind, copies) for kind, copies in sorted(Counter(view.played).items())]
    lines = [_("Laws played"), *(f"  {kind}" for kind in kinds), ""]
    return [Content.styled(line, "$ink-dim") for line in lines]


def _law(kind: int, copies: int) -> str:
    name = render(SHORT_LAWS[kind])
    return _("{law} x{n}", law=name, n=copies) if copies > 1 else name


def _law_lines(scene: Scene[Observation]) -> Iterator[Content]:
    """One's own law cards, a line each, every kind with its key; bright are those that may be played now.

    Where playing one alone would let no further card be taken, a line under it says so.
    """
    view = scene.observation
    kinds = own_laws(view)
    if view.viewer is None or not kinds:
        return
    yield Content.styled(_("Your law cards"), "bold $gold")
    for number, kind in enumerate(kinds, 1):
        name, copies = render(SHORT_LAWS[kind]), view.hands[view.viewer].count(kind)
        can_play = model.PlayLaw(kind).move in scene.legal
        styles = ("bold $gold", "bold $possible") if can_play else ("$gold", "$ink-dim")
        yield Content.assemble((f"{number} ", styles[0]), (name, styles[1]))
        yield from [Content.styled(f"  {name}", styles[1])] * (copies - 1)
        if kind in view.idle_laws:
            yield Content.styled(_("  opens no card now"), "$ink-dim")


def collection_lines(scene: Scene[Observation], glyphs: Glyphs) -> Sequence[Content]:
    """Countries down, seats across: cards / most of one circle symbol; then ships and carriages."""
    view = scene.observation
    seats = range(len(scene.names))
    all_of = [collected(view, seat) for seat in seats]
    codes = [render(code) for code in COUNTRY_CODES]
    gap = " "
    if len(seats) > _SEATS_WITH_A_GAP:
        codes, gap = [code[:_SHORT_CODE] for code in codes], ""
    code_width = cell_len(codes[0])
    lines = [
        Content.assemble(
            " " * code_width,
            gap,
            *_cells([glyphs.owner(seat) for seat in seats], weight="bold "),
        )
    ]
    for country in range(len(model.COUNTRIES)):
        code = (codes[country], f"$land_cards-open-ink on ${country_variable(country)}")
        figures = [_figure(of.cards[country], of.best[country]) for of in all_of]
        lines.append(Content.assemble(code, gap, *_cells(figures)))
    for route, count in zip(model.ROUTES[1:], _routes(all_of), strict=True):
        sign = glyphs[f"land_cards-route-{route}"].center(code_width)
        lines.append(Content.assemble((sign, "$gold"), gap, *_cells([str(n or "") for n in count])))
    note = _("cards / best symbol")
    return [*lines, Content(""), Content.styled(note, "$ink-dim")]


def _routes(all_of: Sequence[Collected]) -> tuple[list[int], list[int]]:
    return [of.ships for of in all_of], [of.carriages for of in all_of]


def _figure(cards: int, best: int) -> str:
    return f"{cards}/{best}" if cards else ""


def _cells(figures: Sequence[str], weight: str = "") -> Iterator[tuple[str, str]]:
    for seat, figure in enumerate(figures):
        gap = " " if seat + 1 < len(figures) else ""
        yield figure.center(_CELL) + gap, f"{weight}$seat-{seat}"


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
    return [head, *(list(_seat_line(scene, seat, glyphs, ink)) for seat in range(len(scene.names)))]


def _seat_line(scene: Scene[Observation], seat: Seat, glyphs: Glyphs, ink: Ink) -> Iterator[Segment]:
    own = collected(scene.observation, seat)
    name = set_cell_size(f" {glyphs.owner(seat)} {scene.name(seat)}", _HELD_NAME - 1) + " "
    yield Segment(name, ink(f"seat-{seat}", on="ground", bold=True))
    figures = "".join(_held(own, country) for country in range(len(model.COUNTRIES)))
    routes = "".join(f"{n or glyphs['bullet']:>{_HELD_ROUTE - 1}} " for n in (own.ships, own.carriages))
    yield Segment(figures + routes, ink("ink", on="ground"))


def _held(own: Collected, country: int) -> str:
    if not own.cards[country]:
        return " " * _HELD_COLUMN
    best = own.best[country]
    symbols = f"{model.SYMBOLS[own.best_symbol[country]]}{best}" if best else ""
    return f"{own.cards[country]:>2} {symbols:<{_HELD_COLUMN - 3}}"
