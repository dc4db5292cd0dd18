"""The lines beside the map: what people have, what stands where, and the cards, which can be clicked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from textual.content import Content
from textual.style import Style

from kk_core.games.web_of_power import model
from kk_core.games.web_of_power.model import Observation
from kk_core.types import Move, Seat
from kk_tui.games.web_of_power.choices import Selection
from kk_tui.games.web_of_power.counts import advisors, cloisters, seats_of
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, kind_variable, label_variable
from kk_tui.i18n import _, ngettext, render
from kk_tui.keymap import KEYS, choice
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.widgets.board import PRESS


def person_line(scene: Scene[Observation], seat: Seat, _glyphs: Glyphs) -> Content:
    """Cloisters and advisors that a seat has left."""
    view = scene.observation
    words = _(
        "Cl {cloisters}  Ad {advisors}",
        cloisters=view.cloisters_left[seat],
        advisors=view.advisors_left[seat],
    )
    return Content.styled(words, "$ink-dim")


def collection_lines(scene: Scene[Observation], _glyphs: Glyphs) -> Iterator[Content]:
    """Countries down, seats across: cloisters and, after the point, advisors."""
    view = scene.observation
    seats = seats_of(view)
    heads = [(f"{letter(seat):^4}", f"bold $seat-{seat}") for seat in seats]
    yield Content.assemble("  ", *heads)
    for country in range(len(model.COUNTRIES)):
        built, sent = cloisters(view, country), advisors(view, country)
        cells = [(_cell(built[seat], sent[seat]), f"$seat-{seat}") for seat in seats]
        yield Content.assemble((render(COUNTRY_CODES[country]), f"bold ${label_variable(country)}"), *cells)
    yield Content.styled(_("cloisters, then advisors"), "$ink-dim")


def _cell(cloisters_there: int, advisors_there: int) -> str:
    if not cloisters_there and not advisors_there:
        return "    "
    return f" {cloisters_there}{'+' + str(advisors_there) if advisors_there else '':<2}"


_ROOMY: Final = 30
"""Lines of a board beside which there is room for a free one between the cards."""


def card_lines(scene: Scene[Observation], selection: Selection, glyphs: Glyphs, height: int) -> list[Content]:
    """Own cards with their keys and whether they are chosen, the open cards, the pile with its count.

    `height` is that of the board beside them.
    """
    view, lines = scene.observation, list[Content]()
    if view.viewer is not None and view.hand:
        lines.append(Content.styled(_("Your cards"), "bold $gold"))
        for position, kind in enumerate(view.hand):
            sign = glyphs["chosen" if position in selection.chosen else "unchosen"]
            style = "bold $possible" if position in selection.chosen else "$ink-dim"
            lines.append(_card(position + 1, sign, style, kind))
    if height >= _ROOMY:
        lines.append(Content())
    lines.append(Content.styled(_("Open cards"), "bold $gold"))
    for place, kind in enumerate(view.face_up):
        here = kind != model.NO_CARD and selection.draw == model.DrawFaceUp(kind).move
        lines.append(_card(model.HAND + 1 + place, *_pointer(glyphs, here=here), kind))
    lines.append(_pile(view, selection.draw, glyphs))
    return lines


def _pointer(glyphs: Glyphs, *, here: bool) -> tuple[str, str]:
    return (glyphs["cursor"], "bold $possible") if here else (" ", "")


def _card(number: int, sign: str, style: str, kind: int) -> Content:
    if kind == model.NO_CARD:
        return Content.styled(f"{number} {sign} {_('taken')}", "$ink-dim")
    name = (render(model.CARD_NAMES[kind]), f"bold $country-ink on ${kind_variable(kind)}")
    line = Content.assemble((str(number), "bold $gold"), " ", (sign, style), " ", name)
    return _clickable(line, choice(number))


def _pile(view: Observation, source: Move | None, glyphs: Glyphs) -> Content:
    words = ngettext("Pile: {n} card", "Pile: {n} cards", view.pile)
    sign, style = _pointer(glyphs, here=source == model.DRAW_PILE)
    can_draw = view.phase == model.DRAWING and source is not None
    key = (KEYS["draw"].shown, "bold $gold" if can_draw else "$ink-dim")
    return _clickable(Content.assemble(key, " ", (sign, style), " ", (words, "$ink")), "draw")


def _clickable(line: Content, action: str) -> Content:
    return line.stylize(Style.from_meta({PRESS: action}))
