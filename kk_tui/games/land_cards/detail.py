"""The words about one card."""

from __future__ import annotations

from collections.abc import Sequence

from kk_core.games.land_cards import model
from kk_core.games.land_cards.model import Observation
from kk_core.games.land_cards.notation import COUNTRY_NAMES, SYMBOL_NAMES
from kk_tui.games.land_cards.theme import ROUTE_NAMES
from kk_tui.i18n import _, render
from kk_tui.theme.glyphs import Glyphs


def face_words(face: int, glyphs: Glyphs) -> str:
    """Symbols and route of a card, each with its sign and its name."""
    parts = [
        _(
            "{sign} {name}",
            sign=glyphs[f"land_cards-symbol-{model.SYMBOLS[symbol]}"],
            name=SYMBOL_NAMES[symbol],
        )
        for symbol in model.symbols_of(face)
    ]
    route = model.route_of(face)
    if route:
        sign = glyphs[f"land_cards-route-{model.ROUTES[route]}"]
        parts.append(_("{sign} {name}", sign=sign, name=ROUTE_NAMES[route]))
    return "  ".join(parts) or _("no circle symbol")


def detail_lines(view: Observation, cell: int, names: Sequence[str], glyphs: Glyphs) -> tuple[str, str, str]:
    """A card of the layout in words: its country and face, how many are left of it, what lies on it."""
    face = view.faces[cell]
    country = model.country_of(face)
    here = [i for i, other in enumerate(view.faces) if model.country_of(other) == country]
    left = sum(view.board[i] < model.TAKEN for i in here)
    title = f"{render(COUNTRY_NAMES[country])}  {face_words(face, glyphs)}"
    count = _("{left} of {all} in the rows", left=left, all=len(here))
    return title, count, _lying(view, cell, names, glyphs)


def _lying(view: Observation, cell: int, names: Sequence[str], glyphs: Glyphs) -> str:
    lies, law = view.board[cell], cell in view.law_cells
    if lies == model.FREE:
        return _("A law card lies on it, face down.") if law else ""
    seat = lies - model.STONE
    stone = glyphs.owner(seat)
    if law:
        return _("{name}'s stone {stone} and a face-down law card lie on it.", name=names[seat], stone=stone)
    return _("{name}'s stone {stone} lies on it.", name=names[seat], stone=stone)
