"""The words above and below the rows: the calls, what came of them, the cards under the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from rich.cells import cell_len
from textual.content import Content

from kk_core.games.ku_ka_king import model
from kk_core.games.ku_ka_king.model import Observation
from kk_core.games.ku_ka_king.notation import CARD_NAMES
from kk_core.text import Text
from kk_core.types import Move, Seat
from kk_tui.games.ku_ka_king.reveal import Reveal, captions, first_points, notices
from kk_tui.games.ku_ka_king.theme import group, group_variable, sign
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs

Line: TypeAlias = list[tuple[str, str, bool]]
"""Parts of a line: words, theme variable of their colour, whether they are bold."""

_WHOLE: Final = 3
"""Lines that the cards of a row need."""


def clip(line: Line, columns: int, ellipsis: str) -> Line:
    """As much of a line as fits, with an ellipsis where it does not."""
    if sum(cell_len(words) for words, _colour, _bold in line) <= columns:
        return line
    kept, room = list[tuple[str, str, bool]](), columns - cell_len(ellipsis)
    for words, colour, bold in line:
        fitting = Content(words).truncate(room).plain
        kept.append((fitting, colour, bold))
        room -= cell_len(fitting)
        if fitting != words:
            return [*kept, (ellipsis, colour, bold)]
    return kept


def head_lines(
    scene: Scene[Observation], reveal: Reveal | None, glyphs: Glyphs, *, alone: bool
) -> list[Line]:
    """Two lines over the rows; they hold the notices as well when they stand `alone`."""
    if reveal is None:
        return [_progress(scene, glyphs)]
    said = [_happened(words) for words in captions(scene, reveal)]
    if alone:
        said = _notices(scene, reveal, glyphs) + said
    return [_calls(reveal, glyphs), *said[:1]]


def _happened(words: Text, *, bold: bool = False) -> Line:
    return [(f" {render(words)}", "happened", bold)]


def _notices(scene: Scene[Observation], reveal: Reveal, glyphs: Glyphs) -> list[Line]:
    """What happens but once in a match, the points of the first scoring in front."""
    said = [_happened(words, bold=True) for words in notices(reveal)]
    if not reveal.scored:
        return said
    line: Line = [(f" {_('First scoring:')}", "happened", True)]
    for seat, points in enumerate(first_points(scene.observation)):
        line += [(f"  {glyphs.owner(seat)} ", f"seat-{seat}", True), (str(points), "ink", True)]
    return [line, *said]


def _calls(reveal: Reveal, glyphs: Glyphs) -> Line:
    """Ku, Ka, King, and what everybody called; earlier in the round, too, who took a row then."""
    line: Line = [(f" {_('Ku .. Ka .. King!')}", "gold", True)]
    for seat, row in sorted({**reveal.earlier, **reveal.calls}.items()):
        mark, colour = (
            ("goes", "bad") if row in reveal.clashed and seat in reveal.calls else ("stays", "good")
        )
        newest = seat in reveal.calls
        line += [
            (f"  {glyphs.owner(seat)} ", f"seat-{seat}", newest),
            (str(row), "ink" if newest else "ink-dim", newest),
            (glyphs[f"ku_ka_king-{mark}"], f"ku_ka_king-{colour}" if newest else "ink-dim", newest),
        ]
    return line


def _progress(scene: Scene[Observation], glyphs: Glyphs) -> Line:
    """Who has called, never what; but for the viewer's own call."""
    view = scene.observation
    line: Line = []
    if view.own_call != model.NO_CALL:
        line = [(f" {_('Your call: row {row}.', row=view.own_call)}", "possible", True)]
    elif not view.called:
        return [(f" {_('Everybody calls a row, all at the same moment.')}", "ink-dim", False)]
    line += _seats(_("Called:"), view.called, glyphs)
    return line + _seats(_("Choosing:"), view.active, glyphs)


def _seats(words: str, seats: tuple[Seat, ...], glyphs: Glyphs) -> Line:
    if not seats:
        return []
    owners: Line = [(f" {glyphs.owner(seat)}", f"seat-{seat}", True) for seat in seats]
    return [(f" {words}", "ink-dim", False), *owners, (" ", "ink", False)]


def note_lines(
    scene: Scene[Observation], reveal: Reveal | None, cursor: Move, glyphs: Glyphs, room: int
) -> list[Line]:
    """At most `room` lines under the rows: notices while a reveal stands, otherwise the cards of a row."""
    said: list[Line] = []
    if reveal is not None:
        said = _notices(scene, reveal, glyphs)
    if room < _WHOLE or said:
        return said[:room]
    cards = scene.observation.rows[cursor - 1]
    return [_card(scene.observation, card, glyphs) for card in reversed(cards)]


def _card(view: Observation, card: int, glyphs: Glyphs) -> Line:
    """A card in words: its name, how many there are, what becomes of it, what it scores."""
    stays = bool(view.printed.kept[card])
    mark, colour = ("stays", "good") if stays else ("goes", "bad")
    return [
        (f" {glyphs[sign(card)]} {render(CARD_NAMES[card]):<14}", f"{group_variable(group(card))}-ink", True),
        (f"{view.printed.counts[card]:>2}{glyphs['times']} ", "ink", False),
        (glyphs[f"ku_ka_king-{mark}"], f"ku_ka_king-{colour}", True),
        (f" {_('stays') if stays else _('goes back'):<10}", "ink-dim", False),
        (scoring(card, view.printed.scale, 24, glyphs["ellipsis"]), "ink", False),
    ]


def figures(points: Sequence[int], room: int, ellipsis: str) -> str:
    """Points for 1, 2, 3 ... cards; those before the last are left out where there is no room."""
    every = [str(figure) for figure in points]
    full = " ".join(every)
    for shown in range(len(every) - 1, 0, -1):
        if len(full) <= room:
            break
        full = f"{' '.join(every[: shown - 1])}{ellipsis}{every[-1]}"
    return full


def scoring(card: int, scale: model.Scale, room: int, ellipsis: str) -> str:
    """What a card scores, in the words at the bottom of the card; in full where `room` allows."""
    if card < model.ANIMALS:
        return figures(scale.animals[1:], room, ellipsis)
    if card == model.KING:
        return figures(scale.kings[1:], room, ellipsis)
    long, short = _words(card, scale)
    return long if len(long) <= room else short


def _words(card: int, scale: model.Scale) -> tuple[str, str]:
    """In full, and in about 10 columns."""
    if card == model.KNIGHT:
        one, most = scale.knight, scale.most_knights
        return _("{one} each, {most} for the most", one=one, most=most), _(
            "{one}, most {most}", one=one, most=most
        )
    if card == model.CHURCH:
        return _("{points} for the most", points=scale.churches), _("most {points}", points=scale.churches)
    if model.POINTS2 <= card <= model.POINTS4:
        points = scale.points[card - model.POINTS2]
        return _("worth {points} points", points=points), _("worth {points}", points=points)
    full = _("pair {pair}, with house {trio}", pair=scale.pair, trio=scale.trio)
    if card == model.FARMHOUSE:
        return full, _("trio {points}", points=scale.trio)
    return full, _("pair {points}", points=scale.pair)
