"""What a ply placed or drew, in a few words."""

from __future__ import annotations

from textual.content import Content

from kk_core.games.web_of_power import model
from kk_core.games.web_of_power.model import Observation
from kk_core.wire.views import LogEntry
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, kind_variable
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs


def brief(scene: Scene[Observation], entry: LogEntry, _glyphs: Glyphs) -> Content | None:
    """A piece with its place on the ground of the country; the end of placing needs no word."""
    printed = scene.observation.printed
    match None if entry.move is None else model.read(printed, entry.move):
        case model.PlaceCloister(space, _payment):
            place = _chip(printed.spaces[space], model.KIND_OF_COUNTRY[printed.country_of[space]])
            said = Content.assemble(_("cloister"), " ", place)
        case model.PlaceAdvisor(country, _payment):
            place = _chip(render(COUNTRY_CODES[country]), model.KIND_OF_COUNTRY[country])
            said = Content.assemble(_("advisor"), " ", place)
        case model.DrawFaceUp(kind):
            said = Content.assemble(_("drew"), " ", _chip(render(model.CARD_NAMES[kind]), kind))
        case model.DrawFromPile():
            said = Content(_("drew from the pile"))
        case model.Exchange(kind):
            said = Content.assemble(_("discarded"), " ", _chip(render(model.CARD_NAMES[kind]), kind))
        case model.EndPlacing():
            said = Content()
        case _:
            return None
    if model.InterimScored() in map(model.read_event, entry.events):
        scored = Content.styled(_("interim scoring"), "$gold")
        return Content.assemble(said, ", ", scored) if said.plain else scored
    return said


def _chip(words: str, kind: int) -> Content:
    return Content.styled(f" {words} ", f"$country-ink on ${kind_variable(kind)}")
