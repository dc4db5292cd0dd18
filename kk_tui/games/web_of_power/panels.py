"""The lines beside the map: what people have, what stands where, and the cards, which can be clicked."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from kk_core.games.web_of_power import model
from kk_core.games.web_of_power.model import Observation
from kk_core.types import Seat
from kk_tui.games.web_of_power.counts import advisors, cloisters, seats_of
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, label_variable
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.lines import code_lines


def person_line(scene: Scene[Observation], seat: Seat, _glyphs: Glyphs) -> Content:
    """Cloisters and advisors that a seat has left."""
    view = scene.observation
    words = _(
        "Cloist. {cloisters}  Adv. {advisors}",
        cloisters=view.cloisters_left[seat],
        advisors=view.advisors_left[seat],
    )
    return Content.styled(words, "$ink-dim")


def collection_lines(scene: Scene[Observation], glyphs: Glyphs) -> Iterator[Content]:
    """Countries down, seats across: cloisters and, after the point, advisors."""
    view = scene.observation
    seats = seats_of(view)
    heads = [(f"{glyphs.owner(seat):^4}", f"bold $seat-{seat}") for seat in seats]
    yield Content.assemble("  ", *heads)
    for country in range(len(model.COUNTRIES)):
        built, sent = cloisters(view, country), advisors(view, country)
        cells = [(_cell(built[seat], sent[seat]), f"$seat-{seat}") for seat in seats]
        yield Content.assemble((render(COUNTRY_CODES[country]), f"bold ${label_variable(country)}"), *cells)
    yield Content.styled(_("cloisters, then advisors"), "$ink-dim")
    yield Content.styled(_("{sign}: the start player", sign=glyphs["start"]), "$ink-dim")
    yield from code_lines(COUNTRY_CODES, model.COUNTRY_NAMES)


def _cell(cloisters_there: int, advisors_there: int) -> str:
    if not cloisters_there and not advisors_there:
        return "    "
    return f" {cloisters_there}{'+' + str(advisors_there) if advisors_there else '':<2}"
