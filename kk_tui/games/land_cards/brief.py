"""What a ply took or laid, in a few words and signs."""

from __future__ import annotations

from textual.content import Content

from kk_core.games.land_cards import model
from kk_core.games.land_cards.model import Observation
from kk_core.games.land_cards.notation import LAW_NAMES
from kk_core.wire.views import LogEntry
from kk_tui.games.land_cards.theme import COUNTRY_CODES, country_variable
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs


def brief(scene: Scene[Observation], entry: LogEntry, glyphs: Glyphs) -> Content | None:
    """A card as its chip, with the verb before it; the end of taking needs no word."""
    view = scene.observation
    match None if entry.move is None else model.read(entry.move):
        case model.Take(cell):
            return Content.assemble(_("took"), " ", chip(view.faces[cell], glyphs))
        case model.Place(cell):
            return Content.assemble(_("stone on"), " ", chip(view.faces[cell], glyphs))
        case model.MoveStone(_start, target):
            return Content.assemble(_("moved a stone to"), " ", chip(view.faces[target], glyphs))
        case model.GiveUp(None):
            return Content(_("gave up a stone in hand"))
        case model.GiveUp(int(cell)):
            return Content.assemble(_("gave up the stone on"), " ", chip(view.faces[cell], glyphs))
        case model.PlayLaw(law):
            return Content.assemble(_("law"), " ", (render(LAW_NAMES[law]), "$gold"))
        case model.Pass():
            return Content(_("placed no stone"))
        case model.EndTaking():
            return Content()
    return None


def chip(face: int, glyphs: Glyphs) -> Content:
    """A card as a word: its country's short name with its symbols and route, on the country's ground."""
    country, route = model.country_of(face), model.route_of(face)
    signs = "".join(glyphs[f"land_cards-symbol-{model.SYMBOLS[symbol]}"] for symbol in model.symbols_of(face))
    way = glyphs[f"land_cards-route-{model.ROUTES[route]}"] if route else ""
    words = " ".join(part for part in (render(COUNTRY_CODES[country]), signs + way) if part)
    return Content.styled(f" {words} ", f"$land_cards-open-ink on ${country_variable(country)}")
