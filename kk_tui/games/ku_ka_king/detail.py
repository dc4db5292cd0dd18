"""The words above the rows, what came of the calls, and what cards score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from rich.cells import cell_len
from textual.content import Content

from kk_core.games.ku_ka_king import model
from kk_core.games.ku_ka_king.model import Observation
from kk_core.games.ku_ka_king.notation import first_points
from kk_core.types import Seat
from kk_tui.games.ku_ka_king.reveal import Reveal, notices
from kk_tui.games.ku_ka_king.theme import SHORT_NAMES, group, group_variable, sign
from kk_tui.i18n import _, render
from kk_tui.table.scene import Scene
from kk_tui.theme.glyphs import Glyphs

Line: TypeAlias = list[tuple[str, str, bool]]
"""Parts of a line: words, theme variable of their colour, whether they are bold."""


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


def head_lines(scene: Scene[Observation], reveal: Reveal | None, glyphs: Glyphs, width: int) -> list[Line]:
    """Two lines over the rows: who has called, or what everybody called and what that brought."""
    if reveal is None:
        return [_progress(scene, glyphs)]
    said = _notices(scene, reveal, glyphs, width)
    return [
        clip(said or calls_line(reveal, glyphs, _past(scene, reveal)), width, glyphs["ellipsis"]),
        brought(reveal, glyphs, width),
    ]


def _notices(scene: Scene[Observation], reveal: Reveal, glyphs: Glyphs, width: int) -> Line:
    """What happens but once in a match, the points of the first scoring in front; in fewer words where
    there is no room for all."""
    line: Line = []
    if reveal.scored:
        line = [(f" {_('First scoring:')}", "happened", True)]
        for seat, points in enumerate(first_points(scene.observation)):
            line += [(f"  {glyphs.owner(seat)} ", f"seat-{seat}", True), (str(points), "ink", True)]
        line.append((" ", "ink", False))
    for is_short in (False, True):
        whole = [*line, *((f" {render(words)}", "happened", True) for words in notices(reveal, is_short))]
        if sum(cell_len(words) for words, *_rest in whole) <= width:
            return whole
    return line or whole


def _past(scene: Scene[Observation], reveal: Reveal) -> str | None:
    """Which round a reveal belongs to, when another one has begun."""
    is_past = reveal.ended_round and not scene.is_over
    return _("Round {round}:", round=scene.observation.round - 1) if is_past else None


def calls_line(reveal: Reveal, glyphs: Glyphs, head: str | None = None) -> Line:
    """Ku, Ka, King, or another head, and what everybody called; who took a row earlier in the round, too."""
    line: Line = [(f" {head or _('Ku .. Ka .. King!')}", "gold", True)]
    for seat, row in sorted({**reveal.earlier, **reveal.calls}.items()):
        clashed = row in reveal.clashed and seat in reveal.calls
        mark, colour = ("goes", "bad") if clashed else ("stays", "good")
        newest = seat in reveal.calls
        line += [
            (f"  {glyphs.owner(seat)} ", f"seat-{seat}", newest),
            (str(row), "ink" if newest else "ink-dim", newest),
            (glyphs[f"ku_ka_king-{mark}"], f"ku_ka_king-{colour}" if newest else "ink-dim", newest),
        ]
    return line


def brought(reveal: Reveal, glyphs: Glyphs, width: int) -> Line:
    """Which cards everybody has taken, and which ones clashes have cost; by signs where it is narrow."""
    for named in (True, False):
        line: Line = []
        for took in sorted(reveal.taken.values(), key=lambda took: took.seat):
            newest = took.seat in reveal.calls
            line.append((f" {glyphs.owner(took.seat)} ", f"seat-{took.seat}", newest))
            line += _cards(took.cards, glyphs, named=named)
        for row, (_seats, card) in sorted(reveal.clashed.items()):
            goes = f" {row} {glyphs['ku_ka_king-goes']} "
            line += [(goes, "ku_ka_king-bad", True), *_cards(bytes([card]), glyphs, named=named)]
        if sum(cell_len(words) for words, *_rest in line) <= width:
            break
    return clip(line, width, glyphs["ellipsis"])


def _cards(cards: bytes, glyphs: Glyphs, *, named: bool) -> Line:
    """Some cards by sign, or by sign and name; of victory points the number is what counts."""
    line: Line = []
    for card in cards:
        points = model.POINTS2 <= card <= model.POINTS4
        mark = str(card - model.POINTS2 + 2) if points and not named else glyphs[sign(card)]
        words = f"{mark} {render(SHORT_NAMES[card])}  " if named else f"{mark} "
        line.append((words, f"{group_variable(group(card))}-ink", True))
    return line


def _progress(scene: Scene[Observation], glyphs: Glyphs) -> Line:
    """Who has called, never what; but for the viewer's own call."""
    view = scene.observation
    line: Line = []
    if view.own_call != model.NO_CALL:
        line = [(f" {_own_call(scene, view.own_call)}", "possible", True)]
    elif not view.called:
        return [(f" {_('Everybody calls a row, all at the same moment.')}", "ink-dim", False)]
    line += _seats(_("Called:"), view.called, glyphs)
    return line + _seats(_("Choosing:"), view.active, glyphs)


def _own_call(scene: Scene[Observation], row: int) -> str:
    viewer = scene.observation.viewer
    if viewer is None or not scene.is_through_other_eyes:
        return _("Your call: row {row}.", row=row)
    return _("{name} calls row {row}.", name=scene.name(viewer), row=row)


def _seats(words: str, seats: tuple[Seat, ...], glyphs: Glyphs) -> Line:
    if not seats:
        return []
    owners: Line = [(f" {glyphs.owner(seat)}", f"seat-{seat}", True) for seat in seats]
    return [(f" {words}", "ink-dim", False), *owners, (" ", "ink", False)]


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
    every = _words(card, scale)
    return next((words for words in every if len(words) <= room), every[-1])


def _words(card: int, scale: model.Scale) -> tuple[str, ...]:
    """In full, in about 10 columns, and in 4."""
    if card == model.KNIGHT:
        one, most = scale.knight, scale.most_knights
        return (
            _("{one} each, {most} for the most", one=one, most=most),
            _("{one}, most {most}", one=one, most=most),
            f"{one}/{most}",
        )
    if card == model.CHURCH:
        points = scale.churches
        return _("{points} for the most", points=points), _("most {points}", points=points), str(points)
    if model.POINTS2 <= card <= model.POINTS4:
        points = scale.points[card - model.POINTS2]
        return _("worth {points} points", points=points), _("worth {points}", points=points), str(points)
    full, least = (
        _("pair {pair}, with house {trio}", pair=scale.pair, trio=scale.trio),
        f"{scale.pair}/{scale.trio}",
    )
    if card == model.FARMHOUSE:
        return full, _("trio {points}", points=scale.trio), least
    return full, _("pair {points}", points=scale.pair), least
