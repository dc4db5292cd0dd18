"""Scenes from real matches, and a page that holds nothing but the board."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from textual.app import App, ComposeResult

from kk_core.games.ku_ka_king.model import Observation
from kk_core.match import Match
from kk_core.registry import game
from kk_core.types import Move, Seat, Viewer
from kk_core.wire.views import SeatView, TableView
from kk_tui.games.ku_ka_king.board import KuKaKingBoard
from kk_tui.games.ku_ka_king.face import create
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.theme.palette import CANDLE, THEMES

NAMES = ("Tim", "Sarah", "Linus", "Anna")
SEED = bytes(range(32))


def match_of(seats: int, calls: Iterable[tuple[Seat, Move]] = (), seed: bytes = SEED) -> Match:
    """A match of the first names, after some calls."""
    match = Match(game("ku_ka_king"), {}, NAMES[:seats], seed)
    for seat, row in calls:
        match.play(seat, row)
    return match


def rounds(match: Match, count: int) -> None:
    """Play rounds in which nobody clashes: seat 0 takes row 1, seat 1 row 2 ..."""
    for _ in range(count):
        for seat in range(len(match.seats)):
            match.play(seat, seat + 1)


def scene_of(match: Match, viewer: Viewer, owners: Sequence[str] = NAMES) -> Scene[Observation]:
    """What a viewer sees of it."""
    view = match.view(viewer)
    seats = tuple(SeatView(name, owner, None, True) for name, owner in zip(match.seats, owners, strict=False))
    table = TableView("t", "t", owners[0], "ku_ka_king", (), "playing", seats, viewer, view)
    observation = view.observed(Observation)
    return Scene(table, view, observation, None, match.seats, frozenset(observation.legal_moves))


class Page(App[None]):
    """The board alone, as large as the terminal."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, scene: Scene[Observation], *, ascii_only: bool = False) -> None:
        self.face: Any = create()
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = CANDLE.name
        self.glyphs = Glyphs(ascii_only=ascii_only, more=[self.face.glyphs])
        self.shown = scene

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return {name: pair[0] for name, pair in self.face.colours.items()}

    def compose(self) -> ComposeResult:
        board = KuKaKingBoard()
        board.styles.width = board.styles.height = "100%"
        yield board

    def on_mount(self) -> None:
        self.query_one(KuKaKingBoard).show(self.shown, pending=False)


SIZES = {"80x24": (56, 21), "120x40": (84, 37)}
"""What the table screen leaves to the board."""


def lines_of(app: App[Any]) -> list[str]:
    """What is on the screen, as text."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


async def drawn(scene: Scene[Observation], size: str, *, ascii_only: bool = False) -> list[str]:
    """The board of a scene at a size, as text."""
    page = Page(scene, ascii_only=ascii_only)
    async with page.run_test(size=SIZES[size]) as pilot:
        await pilot.pause()
        return lines_of(page)
