"""Scenes from positions and matches, and a page that holds nothing but the board."""

from __future__ import annotations

from random import Random
from typing import Any

from textual.app import App, ComposeResult

from kk_core.games.land_cards.model import Observation
from kk_core.games.land_cards.state import State
from kk_core.match import Match
from kk_core.registry import game
from kk_core.types import Move, Viewer
from kk_core.wire.views import LogEntry, MatchView, SeatView, TableView
from kk_tui.games.land_cards.board import LandCardsBoard
from kk_tui.games.land_cards.face import create
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.theme.palette import CANDLE, THEMES
from tests.core.land_cards.positions import RULES

NAMES = ("Andreas", "Beate", "Claus", "Dora", "Emil")
SEED = bytes(range(32))

SIZES = {"80x24": (57, 21), "120x40": (85, 37)}
"""What the table screen leaves to the board."""

TURN = object()
"""The viewer is whoever's turn it is."""


def scene_of_view(view: MatchView, names: tuple[str, ...], viewer: Viewer) -> Scene[Observation]:
    """A view of a match at a table."""
    seats = tuple(SeatView(name, name, None, True) for name in names)
    table = TableView("t", "t", names[0], "land_cards", (), "playing", seats, viewer, view)
    observation = view.observed(Observation)
    return Scene(table, view, observation, None, names, frozenset(observation.legal_moves))


def scene_of(state: State, *log: LogEntry, viewer: Any = TURN) -> Scene[Observation]:
    """What a viewer sees of a position after some plies."""
    eyes: Viewer = state.seat if viewer is TURN else viewer
    seen = game("land_cards").observe(state, eyes)
    view = MatchView("land_cards", "1", (), b"", None, None, None, len(log), False, seen, log)
    return scene_of_view(view, NAMES[: state.deal.seats], eyes)


def match_of(seats: int, plies: int = 0, *, seed: bytes = SEED) -> Match:
    """A match after some random plies, the same for every run."""
    chance = Random(seats)
    match = Match(game("land_cards"), {}, NAMES[:seats], seed)
    for _ in range(plies):
        if match.is_over:
            break
        (seat,) = match.game.active_seats(match.state)
        match.play(seat, chance.choice(match.game.legal_moves(match.state, seat)))
    return match


def scene_of_match(match: Match, viewer: Viewer = 0) -> Scene[Observation]:
    """What a viewer sees of a match."""
    return scene_of_view(match.view(viewer), match.seats, viewer)


def move(line: str) -> Move:
    """A move in the stable notation."""
    return RULES.parse_move(line)


class Page(App[None]):
    """The board alone, as large as the terminal; keeps what the board asks for."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, scene: Scene[Observation], *, ascii_only: bool = False) -> None:
        self.face: Any = create()
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = CANDLE.name
        self.glyphs = Glyphs(ascii_only=ascii_only, more=[self.face.glyphs])
        self.shown = scene
        self.chosen: list[str] = []
        self.tried: list[str] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return {name: pair[0] for name, pair in self.face.colours.items()}

    def compose(self) -> ComposeResult:
        board = LandCardsBoard()
        board.styles.width = board.styles.height = "100%"
        yield board

    @property
    def board(self) -> LandCardsBoard:
        """The board."""
        return self.query_one(LandCardsBoard)

    def on_mount(self) -> None:
        self.board.show(self.shown, pending=False)
        self.board.focus()

    def on_board_chosen(self, event: LandCardsBoard.Chosen) -> None:
        self.chosen.append(RULES.format_move(event.move))

    def on_board_tried(self, event: LandCardsBoard.Tried) -> None:
        self.tried.append(RULES.format_move(event.move))


def lines_of(app: App[Any]) -> list[str]:
    """What is on the screen, as text."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


async def drawn(scene: Scene[Observation], size: str, *, ascii_only: bool = False) -> list[str]:
    """The board of a scene at a size, as text."""
    page = Page(scene, ascii_only=ascii_only)
    async with page.run_test(size=SIZES[size]) as pilot:
        await pilot.pause()
        return lines_of(page)
