"""The board game on the screen: the one value that the app asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kk_core.games.web_of_power import model, notation
from kk_core.games.web_of_power.drawing import Drawing
from kk_core.games.web_of_power.meta import META
from kk_core.games.web_of_power.model import Observation
from kk_core.games.web_of_power.notation import describe_move
from kk_core.text import Text, text
from kk_core.types import Move, Seat
from kk_core.wire.views import LogEntry
from kk_tui.games import Face, SheetEntry
from kk_tui.games.web_of_power import panels, prompts
from kk_tui.games.web_of_power.board import MapBoard
from kk_tui.games.web_of_power.brief import brief, hand
from kk_tui.games.web_of_power.ceremony import ceremony
from kk_tui.games.web_of_power.chart import ScoreChart
from kk_tui.games.web_of_power.colours import COLOURS
from kk_tui.games.web_of_power.cover import cover
from kk_tui.games.web_of_power.merits import merits
from kk_tui.games.web_of_power.races import races
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, GLYPHS
from kk_tui.scene import Scene

_SECTIONS: Final = {model.PLACING: "placing-pieces", model.DRAWING: "drawing-cards", model.OVER: "scoring"}


def sheet_label(scene: Scene[Observation], line: int) -> Text:
    """What a line of the score is for."""
    countries, number = len(model.COUNTRIES), line - 2 * len(model.COUNTRIES)
    if line < countries:
        return text("Interim: {country}", country=model.COUNTRY_NAMES[line])
    if number < 0:
        return text("Final: {country}", country=model.COUNTRY_NAMES[line - countries])
    if number == len(scene.observation.printed.alliances):
        return text("Chains")
    return text("Alliance {number} {countries}", number=number + 1, countries=_alliance(scene, number))


def line_words(scene: Scene[Observation], line: int) -> Text:
    """The same of the board as it lies there, whichever scoring comes next."""
    countries = len(model.COUNTRIES)
    return model.COUNTRY_NAMES[line % countries] if line < 2 * countries else sheet_label(scene, line)


def sheet_entry(scene: Scene[Observation], line: int) -> SheetEntry:
    """A country under its scoring, an alliance by its countries, which the map numbers."""
    countries, number = len(model.COUNTRIES), line - 2 * len(model.COUNTRIES)
    if number < 0:
        part = text("Interim scoring") if line < countries else text("Final scoring")
        return SheetEntry(part, model.COUNTRY_NAMES[line % countries], COUNTRY_CODES[line % countries])
    if number == len(scene.observation.printed.alliances):
        return SheetEntry(text("Alliances, chains"), text("Chains"), text("Chains"))
    code = _alliance(scene, number)
    name = text("{number} {countries}", number=number + 1, countries=code)
    return SheetEntry(text("Alliances, chains"), name, code)


def _alliance(scene: Scene[Observation], number: int) -> Text:
    """Both countries of an alliance."""
    first, second = scene.observation.printed.alliances[number]
    return text("{first}-{second}", first=COUNTRY_CODES[first], second=COUNTRY_CODES[second])


def holds_secrets(scene: Scene[Observation], _seat: Seat) -> bool:
    """Hands are secret until the match is over."""
    return not scene.is_over


def move_words(scene: Scene[Observation], seat: Seat, move: Move) -> Text:
    """A move as a sentence."""
    return describe_move(scene.observation.printed, move, scene.name(seat))


def describe(scene: Scene[Observation], entry: LogEntry) -> Sequence[Text]:
    """The log's words for a ply."""
    return notation.describe(scene.observation, scene.names, entry.seat, entry.move, entry.events)


def help_section(scene: Scene[Observation]) -> str:
    """The rules of the step of the turn."""
    return _SECTIONS[scene.observation.phase]


FACE: Final = Face(
    meta=META,
    observation=Observation,
    drawing=Drawing,
    colours=COLOURS,
    samples=(),
    glyphs=GLYPHS,
    board=MapBoard,
    chart=ScoreChart,
    status=prompts.status,
    person=panels.person_line,
    collections=panels.collection_lines,
    sheet_label=sheet_label,
    sheet_entry=sheet_entry,
    move_words=move_words,
    describe=describe,
    brief=brief,
    scores_rarely=True,
    help_section=help_section,
    holds_secrets=holds_secrets,
    ceremony=ceremony,
    cover=cover,
    hand=hand,
    race=races,
    line_words=line_words,
    merits=merits,
)
