"""What a ply placed, played or took, in a few signs for the news beside the board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content

from kk_core.games.web_of_power import model
from kk_core.games.web_of_power.model import Observation
from kk_core.wire.views import LogEntry
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, kind_variable
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs


def brief(scene: Scene[Observation], entry: LogEntry, _glyphs: Glyphs) -> Content:
    """Where a piece was placed and the cards that paid for it; cards given away or drawn; scorings."""
    parts = [*_move(scene, entry), *_events(entry)]
    return Content.styled(", ", "$ink-dim").join(parts)


def hand(scene: Scene[Observation]) -> Sequence[Content]:
    """The viewer's cards."""
    return [chip(kind) for kind in scene.observation.hand]


def chips(kinds: Sequence[int]) -> Content:
    """Cards by the codes of their countries, on their colours."""
    return Content(" ").join([chip(kind) for kind in kinds])


def chip(kind: int) -> Content:
    """A card by the codes of its countries."""
    codes = "/".join(render(COUNTRY_CODES[country]) for country in model.CARD_COUNTRIES[kind])
    return Content.styled(codes, f"bold $country-ink on ${kind_variable(kind)}")


def _move(scene: Scene[Observation], entry: LogEntry) -> Iterator[Content]:
    printed = scene.observation.printed
    match None if entry.move is None else model.read(printed, entry.move):
        case model.PlaceCloister(space, payment):
            kinds = model.cards_of(printed.country_of[space], payment)
            yield Content.assemble((printed.spaces[space], "bold $ink"), " ", chips(kinds))
        case model.PlaceAdvisor(country, payment):
            words = _("advisor {country}", country=render(COUNTRY_CODES[country]))
            yield Content.assemble((words, "bold $ink"), " ", chips(model.cards_of(country, payment)))
        case model.Exchange(kind):
            yield Content.assemble((_("gave away"), "$ink"), " ", chips((kind,)))
        case model.DrawFaceUp(kind):
            yield Content.assemble((_("took"), "$ink"), " ", chips((kind,)))
        case model.DrawFromPile():
            yield Content.styled(_("drew from the pile"), "$ink-dim")
        case _:
            return


def _events(entry: LogEntry) -> Iterator[Content]:
    for event in map(model.read_event, entry.events):
        match event:
            case model.InterimScored():
                yield Content.styled(_("interim scoring"), "bold $gold")
            case model.LastRound():
                yield Content.styled(_("last round"), "bold $gold")
            case model.NobodyCanPlace():
                yield Content.styled(_("nobody can place"), "bold $gold")
            case _:
                continue
