"""The lines beside and under the rows: stones, law cards, and what the signs mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len
from textual.content import Content
from textual.style import Style

from kk_core.games.land_cards import model
from kk_core.games.land_cards.model import Observation
from kk_core.games.land_cards.notation import LAW_NAMES, SYMBOL_NAMES
from kk_core.types import Seat
from kk_tui.games.land_cards.counts import collected, stones_on_cards
from kk_tui.games.land_cards.theme import ROUTE_NAMES
from kk_tui.i18n import _, ngettext, render
from kk_tui.keymap import choice
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.board import PRESS

_PARCHMENT: Final = 21
"""Columns of a law card beside the board."""


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


def hand(scene: Scene[Observation]) -> Sequence[Content]:
    """The viewer's law cards."""
    view = scene.observation
    kinds = [] if view.viewer is None else sorted(view.hands[view.viewer])
    style = "$land_cards-law-ink on $land_cards-law-ground"
    return [Content.styled(render(LAW_NAMES[kind]), style) for kind in kinds]


def panel_lines(scene: Scene[Observation]) -> list[Content]:
    """The limits of the turn, and one's own law cards with their keys."""
    view = scene.observation
    lines: list[Content] = []
    if view.phase in (model.TAKING, model.GIVING_UP):
        used = _("Symbols: {used} of {limit}", used=view.symbols, limit=view.symbol_limit)
        lines.append(Content.styled(used, "bold $gold"))
        if view.any_colour:
            lines.append(Content.styled(render(LAW_NAMES[model.DIFFERENT_COLOURS]), "$gold"))
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


def whole_legend(glyphs: Glyphs, width: int, lines: int) -> list[str]:
    """What all signs mean in so many columns and lines; where that is too little, those beside the names."""
    symbols = [
        _("{sign}{letter} {name}", sign=glyphs[f"land_cards-symbol-{letter}"], letter=letter, name=name)
        for letter, name in zip(model.SYMBOLS, SYMBOL_NAMES, strict=True)
    ]
    routes = [
        _("{sign} {name}", sign=glyphs[f"land_cards-route-{route}"], name=name)
        for route, name in zip(model.ROUTES[1:], ROUTE_NAMES[1:], strict=True)
    ]
    short = legend(glyphs)
    found = [""]
    for part in (*symbols, *routes, short):
        longer = f"{found[-1]}  {part}" if found[-1] else part
        if cell_len(longer) <= width:
            found[-1] = longer
        else:
            found.append(part)
    return found if len(found) <= lines else [short]


def played_lines(view: Observation) -> list[Content]:
    """The law cards that are out of the game, and a free line after them."""
    if not view.played:
        return []
    kinds = [_law(kind, copies) for kind, copies in sorted(Counter(view.played).items())]
    lines = [_("Laws played"), *(f"  {kind}" for kind in kinds), ""]
    return [Content.styled(line, "$ink-dim") for line in lines]


def _law(kind: int, copies: int) -> str:
    name = render(LAW_NAMES[kind])
    return _("{law} x{n}", law=name, n=copies) if copies > 1 else name


def _law_lines(scene: Scene[Observation]) -> Iterator[Content]:
    """One's own law cards as parchments, every kind with its key; bold are those that may be played now.

    Where playing one alone would let no further card be taken, a line under it says so.
    """
    view = scene.observation
    kinds = own_laws(view)
    if view.viewer is None or not kinds:
        return
    is_own, name = not scene.is_through_other_eyes, scene.name(view.viewer)
    words = _("Your law cards") if is_own else _("{name}'s law cards", name=name)
    yield Content.styled(words, "bold $gold")
    for number, kind in enumerate(kinds, 1):
        name, copies = render(LAW_NAMES[kind]), view.hands[view.viewer].count(kind)
        weight = "bold " if model.PlayLaw(kind).move in scene.legal else ""
        for sign in (str(number), *" " * (copies - 1)):
            words = f" {sign} {name}".ljust(_PARCHMENT)
            card = Content.styled(words, f"{weight}$land_cards-law-ink on $land_cards-law-ground")
            yield card.stylize(Style.from_meta({PRESS: choice(number)}))
        if kind in view.idle_laws:
            yield Content.styled(_("  opens no card now"), "$ink-dim")
