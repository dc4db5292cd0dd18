"""The lines beside the board: stones, law cards, and what everybody has collected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content

from kk_core.games.land_cards.model import COUNTRIES, GIVING_UP, OVER, ROUTES, TAKING, Observation
from kk_core.types import Seat
from kk_tui.games.land_cards.counts import Collected, cards_left, collected, stones_on_cards
from kk_tui.games.land_cards.signs import country_variable
from kk_tui.games.land_cards.words import COUNTRY_CODES, SHORT_LAWS
from kk_tui.i18n import _, ngettext, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs

_WIDE_CELL = 4
_SEATS_WITH_A_GAP = 4


def own_laws(view: Observation) -> tuple[int, ...]:
    """The kinds of law cards in the viewer's hand, without repeats, in the order of their key numbers."""
    return () if view.viewer is None else tuple(sorted(set(view.hands[view.viewer])))


def person_line(view: Observation, seat: Seat, glyphs: Glyphs) -> Content:
    """A seat's stones (held, on cards, out of the game), law cards and number of land cards."""
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


def panel_lines(scene: Scene[Observation], glyphs: Glyphs) -> list[Content]:
    """The limits of the turn, one's own law cards with their keys, the laws played, and the signs explained."""
    view = scene.observation
    lines = [Content(ngettext("{n} card in the rows", "{n} cards in the rows", cards_left(view)))]
    if view.phase in (TAKING, GIVING_UP):
        used = _("Symbols: {used} of {limit}", used=view.symbols, limit=view.symbol_limit)
        lines.append(Content.styled(used, "bold $gold"))
        if view.any_colour:
            lines.append(Content.styled(_("Different colours"), "$gold"))
    if view.phase != OVER:
        lines += _law_lines(view)
    if view.played:
        lines.append(Content.styled(_("Laws played"), "$ink-dim"))
        lines += [Content.styled(f"  {render(SHORT_LAWS[kind])}", "$ink-dim") for kind in view.played]
    signs = (
        _("{sign} on a card", sign=glyphs["land_cards-laid"]),
        _("{sign} out of the game", sign=glyphs["times"]),
        _("{sign} law cards", sign=glyphs["land_cards-law"]),
    )
    return [*lines, Content(""), *(Content.styled(line, "$ink-dim") for line in signs)]


def _law_lines(view: Observation) -> Iterator[Content]:
    kinds = own_laws(view)
    if view.viewer is None or not kinds:
        return
    yield Content.styled(_("Your law cards"), "bold $gold")
    for number, kind in enumerate(kinds, 1):
        copies = view.hands[view.viewer].count(kind)
        name = render(SHORT_LAWS[kind])
        times = f" x{copies}" if copies > 1 else ""
        yield Content.assemble((f"{number} ", "bold $gold"), (f"{name}{times}", "$ink"))


def collection_lines(scene: Scene[Observation], glyphs: Glyphs) -> Sequence[Content]:
    """Countries down, seats across: cards / most of one circle symbol; then ships and carriages."""
    view = scene.observation
    seats = range(len(scene.names))
    all_of = [collected(view, seat) for seat in seats]
    gap = " " if len(seats) <= _SEATS_WITH_A_GAP else ""
    lines = [
        Content.assemble(
            "   ",
            gap,
            *((glyphs.owner(seat).center(3).ljust(_WIDE_CELL), f"bold $seat-{seat}") for seat in seats),
        )
    ]
    for country in range(len(COUNTRIES)):
        code = (render(COUNTRY_CODES[country]), f"$land_cards-open-ink on ${country_variable(country)}")
        figures = [_figure(of.cards[country], of.best[country]) for of in all_of]
        lines.append(Content.assemble(code, gap, *_cells(figures)))
    for route, count in zip(ROUTES[1:], _routes(all_of), strict=True):
        sign = glyphs[f"land_cards-route-{route}"].center(3)
        lines.append(Content.assemble((sign, "$gold"), gap, *_cells([str(n or "") for n in count])))
    note = _("cards / best symbol")
    return [*lines, Content(""), Content.styled(note, "$ink-dim")]


def _routes(all_of: Sequence[Collected]) -> tuple[list[int], list[int]]:
    return [of.ships for of in all_of], [of.carriages for of in all_of]


def _figure(cards: int, best: int) -> str:
    return f"{cards}/{best}" if cards else ""


def _cells(figures: Sequence[str]) -> Iterator[tuple[str, str]]:
    for seat, figure in enumerate(figures):
        yield figure.center(3).ljust(_WIDE_CELL), f"$seat-{seat}"
