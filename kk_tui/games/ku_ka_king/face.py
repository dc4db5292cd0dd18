"""Ku-Ka-King on the screen: the one value that the app asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from kk_core.games.ku_ka_king.meta import META
from kk_core.games.ku_ka_king.model import LINES, NO_CALL, Observation
from kk_core.text import Text, text, texts
from kk_core.types import Seat
from kk_tui.games import Face, SheetEntry
from kk_tui.games.ku_ka_king import panels, prompts, reveal
from kk_tui.games.ku_ka_king.board import KuKaKingBoard
from kk_tui.games.ku_ka_king.brief import brief, news
from kk_tui.games.ku_ka_king.ceremony import ceremony
from kk_tui.games.ku_ka_king.chart import chart
from kk_tui.games.ku_ka_king.colours import COLOURS
from kk_tui.games.ku_ka_king.cover import cover
from kk_tui.games.ku_ka_king.theme import FINAL_NAMES, FIRST_NAMES, GLYPHS, LINE_NAMES
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs


def person(scene: Scene[Observation], seat: Seat, _glyphs: Glyphs) -> Content:
    """How many cards, and whether a call is still awaited."""
    view = scene.observation
    held = sum(view.collections[seat])
    if scene.is_over or seat not in view.affected:
        said = texts("{n} card", "{n} cards", held)
    elif seat in view.active:
        said = texts("choosing, {n} card", "choosing, {n} cards", held)
    else:
        said = texts("called, {n} card", "called, {n} cards", held)
    return Content.styled(render(said), "$ink-dim")


def hand(scene: Scene[Observation]) -> Sequence[Content]:
    """The row that the viewer has called."""
    call = scene.observation.own_call
    return [] if call == NO_CALL else [Content.styled(_("calls row {row}", row=call), "$gold")]


def sheet_label(_scene: Scene[Observation], line: int) -> Text:
    """A line of one of the two scorings."""
    return (*FIRST_NAMES, *FINAL_NAMES)[line]


def line_words(_scene: Scene[Observation], line: int) -> Text:
    """The same of the cards, whichever scoring comes next."""
    kind = line % len(LINE_NAMES)
    return text("victory points") if LINES[kind] == "points" else LINE_NAMES[kind]


def sheet_entry(_scene: Scene[Observation], line: int) -> SheetEntry:
    """The same line under the name of its scoring."""
    is_final, kind = divmod(line, len(LINE_NAMES))
    part = text("Final scoring") if is_final else text("First scoring")
    return SheetEntry(part, LINE_NAMES[kind], LINE_NAMES[kind])


def holds_secrets(scene: Scene[Observation], seat: Seat) -> bool:
    """Whoever is to call does so unseen."""
    return seat in scene.observation.affected


def help_section(scene: Scene[Observation]) -> str:
    """How to call, as long as there is something to call."""
    return "scoring" if scene.is_over else "choosing-a-row"


FACE: Final = Face(
    meta=META,
    observation=Observation,
    drawing=None,
    colours=COLOURS,
    samples=(),
    glyphs=GLYPHS,
    board=KuKaKingBoard,
    chart=chart,
    status=prompts.status,
    person=person,
    collections=panels.collection_lines,
    sheet_label=sheet_label,
    sheet_entry=sheet_entry,
    move_words=reveal.move_words,
    describe=reveal.describe,
    brief=brief,
    has_start_player=False,
    all_at_once=True,
    news=news,
    help_section=help_section,
    holds_secrets=holds_secrets,
    last_reveal=reveal.last_reveal,
    hand=hand,
    race=panels.race,
    line_words=line_words,
    merits=panels.merits,
    clash=panels.clash,
    ceremony=ceremony,
    cover=cover,
)
