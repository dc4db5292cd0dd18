"""Scenes of real matches, and a page that holds nothing but the board."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar

import msgspec
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType

from kk_core.match import Match
from kk_core.registry import game
from kk_core.types import Viewer
from kk_core.views import MatchView, SeatView, TableView
from kk_tui.games import Face, faces
from kk_tui.keymap import KEYS
from kk_tui.languages import ENGLISH, Translator
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.theme.palette import palette
from kk_tui.widgets.board import Board
from tests.tui.conftest import at_rest

SEED = bytes(range(32))
NAMES = ("Anna", "Beate", "Claus", "Dora", "Emil")
SIZES = {"80x24": (56, 21), "120x40": (84, 37)}
"""What the table screen leaves to a board that is not broad."""


def games_with(part: str) -> list[str]:
    """The games whose face has an optional part, such as a cover."""
    return [game_id for game_id, face in faces().items() if getattr(face, part) is not getattr(Face, part)]


def match_of(game_id: str, seats: int, plies: int = 0, names: Sequence[str] = NAMES) -> Match:
    """A match after some random plies, the same for every run."""
    chance = Random(seats)
    match = Match(game(game_id), {}, tuple(names[:seats]), SEED)
    for _ in range(plies):
        active = match.game.active_seats(match.state)
        if not active:
            break
        match.play(active[0], chance.choice(match.game.legal_moves(match.state, active[0])))
    return match


def running_match(game_id: str, seats: int, plies: int) -> Match:
    """A match after some random plies, or half-way through if it is over by then."""
    match = match_of(game_id, seats, plies)
    return match_of(game_id, seats, len(match.plies) // 2) if match.is_over else match


def scene_of_view(
    view: MatchView, names: Sequence[str], viewer: Viewer, owners: Sequence[str] = ()
) -> Scene[Any]:
    """A view of a match at a table; everybody has an own screen unless `owners` say otherwise."""
    face = faces()[view.game]
    people = zip(names, owners or names, strict=False)
    seats = tuple(SeatView(name, owner, None, True, seat) for seat, (name, owner) in enumerate(people))
    table = TableView("t", "t", seats[0].name, view.game, (), False, "playing", seats, viewer, view)
    observation = view.observed(face.observation)
    drawing = face.drawing and msgspec.convert(view.drawing, face.drawing)
    return Scene(table, view, observation, drawing, tuple(names), frozenset(observation.legal_moves))


def scene_of_match(match: Match, viewer: Viewer = 0, owners: Sequence[str] = ()) -> Scene[Any]:
    """What a viewer sees of a match."""
    return scene_of_view(match.view(viewer), match.seats, viewer, owners)


class Page(App[None]):
    """The board alone, as large as the terminal; keeps what the board asks for, and what it says."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key.key, f"perform('{key.action}')")
        for key in KEYS.values()
        if key.action not in ("do", "next", "previous")
    ]

    def __init__(self, scene: Scene[Any], *, ascii_only: bool = False) -> None:
        self.face = faces()[scene.match.game]
        super().__init__()
        theme = palette("manuscript", [self.face.colours]).theme()
        self.register_theme(theme)
        self.theme = theme.name
        self.glyphs = Glyphs(ascii_only=ascii_only, more=[self.face.glyphs])
        self.translator: Translator = ENGLISH
        self.shown = scene
        self.chosen: list[str] = []
        self.tried: list[str] = []
        self.said: list[str] = []

    def compose(self) -> ComposeResult:
        board = self.face.board(self.shown)
        board.styles.width = board.styles.height = "100%"
        yield board

    @property
    def board(self) -> Any:
        """The board."""
        return self.query_one(Board)

    def on_mount(self) -> None:
        self.board.show(self.shown, pending=False)
        self.board.focus()

    def action_perform(self, name: str) -> None:
        reason = self.board.perform(name)
        if reason is not None:
            self.said.append(str(reason))

    def on_board_chosen(self, event: Board.Chosen) -> None:
        self.chosen.append(game(self.shown.match.game).format_move(event.move))

    def on_board_tried(self, event: Board.Tried) -> None:
        self.tried.append(game(self.shown.match.game).format_move(event.move))


def lines_of(app: App[Any]) -> list[str]:
    """What is on the screen, as text."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


async def drawn(scene: Scene[Any], size: tuple[int, int], *, ascii_only: bool = False) -> list[str]:
    """The board of a scene at a size, as text."""
    page = Page(scene, ascii_only=ascii_only)
    async with page.run_test(size=size) as pilot:
        await at_rest(pilot)
        return lines_of(page)
