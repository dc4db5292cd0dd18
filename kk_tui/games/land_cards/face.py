"""The card game on the screen: the one value that the app asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kk_core.games.land_cards import model, notation
from kk_core.games.land_cards.meta import META
from kk_core.games.land_cards.model import Observation
from kk_core.games.land_cards.notation import COUNTRY_NAMES, describe_move
from kk_core.text import Text, text
from kk_core.types import Move, Seat
from kk_core.wire.views import LogEntry
from kk_tui.games import Befell, Face, SheetEntry
from kk_tui.games.land_cards import holdings, panels, prompts
from kk_tui.games.land_cards.board import LandCardsBoard
from kk_tui.games.land_cards.brief import brief
from kk_tui.games.land_cards.ceremony import ceremony
from kk_tui.games.land_cards.chart import ScoreChart
from kk_tui.games.land_cards.colours import COLOURS
from kk_tui.games.land_cards.cover import cover
from kk_tui.games.land_cards.merits import merits
from kk_tui.games.land_cards.theme import CHAIN_NAMES, COUNTRY_CODES, GLYPHS, country_variable
from kk_tui.scene import Scene

_SECTIONS: Final = {
    model.TAKING: "taking-cards",
    model.GIVING_UP: "cards-under-stones",
    model.STONE_STEP: "placing-a-stone",
    model.OVER: "scoring",
}
_LAST_LINES: Final = (*CHAIN_NAMES, text("-2 points"))
_LAST_CODES: Final = (text("Ships"), text("Carr."), text("-2"))


def sheet_label(_scene: Scene[Observation], line: int) -> Text:
    """What a line of the score is for."""
    country, is_symbols = divmod(line, 2)
    if country >= len(model.COUNTRIES):
        return _LAST_LINES[line - 2 * len(model.COUNTRIES)]
    name = COUNTRY_NAMES[country]
    return text("{country}, symbols", country=name) if is_symbols else text("{country}", country=name)


def sheet_entry(_scene: Scene[Observation], line: int) -> SheetEntry:
    """A country, and its symbols in a line of their own."""
    country, is_symbols = divmod(line, 2)
    if country >= len(model.COUNTRIES):
        last = line - 2 * len(model.COUNTRIES)
        return SheetEntry(text("At the end"), _LAST_LINES[last], _LAST_CODES[last])
    name, code = COUNTRY_NAMES[country], COUNTRY_CODES[country]
    if is_symbols:
        name, code = text("{country} +", country=name), text("{country} +", country=code)
    return SheetEntry(text("Cards, + symbols"), name, code, adds=bool(is_symbols))


def holds_secrets(scene: Scene[Observation], seat: Seat) -> bool:
    """Whoever has law cards in hand holds them secretly."""
    return scene.observation.outcome is None and scene.observation.law_counts[seat] > 0


def move_words(scene: Scene[Observation], seat: Seat, move: Move) -> Text:
    """A move as a sentence."""
    return describe_move(scene.observation, scene.name(seat), move)


def describe(scene: Scene[Observation], entry: LogEntry) -> Sequence[Text]:
    """The log's words for a ply."""
    return notation.describe(scene.observation, scene.names, entry.seat, entry.move, entry.events)


def befell(entry: LogEntry) -> Sequence[Befell]:
    """Whom the rules passed over."""
    told = text("had to skip: no card to take")
    to_viewer = text("You had to skip your turn: there was no card you could take.")
    return [Befell(model.read_event(event).seat, told, to_viewer) for event in entry.events]


def help_section(scene: Scene[Observation]) -> str:
    """The rules of the step of the turn."""
    return "skipping-a-turn" if model.Skip().move in scene.legal else _SECTIONS[scene.observation.phase]


FACE: Final = Face(
    meta=META,
    observation=Observation,
    drawing=None,
    colours=COLOURS,
    samples=tuple(country_variable(country) for country in range(len(model.COUNTRIES))),
    glyphs=GLYPHS,
    board=LandCardsBoard,
    chart=ScoreChart,
    status=prompts.status,
    person=panels.person_line,
    collections=holdings.collection_lines,
    sheet_label=sheet_label,
    sheet_entry=sheet_entry,
    move_words=move_words,
    describe=describe,
    brief=brief,
    befell=befell,
    help_section=help_section,
    holds_secrets=holds_secrets,
    ceremony=ceremony,
    cover=cover,
    hand=panels.hand,
    race=holdings.race,
    merits=merits,
)
