"""Scenes from positions, and measures of the board."""

from __future__ import annotations

from typing import Any

from kk_core.games.land_cards.model import Observation
from kk_core.games.land_cards.state import State
from kk_core.types import Move, Viewer
from kk_core.views import LogEntry, MatchView
from kk_tui.scene import Scene
from tests.core.land_cards.positions import RULES
from tests.tui import scenes

NAMES = ("Andreas", "Beate", "Claus", "Dora", "Emil")

SIZES = {name: (width + 1, height) for name, (width, height) in scenes.SIZES.items()}
"""What the table screen leaves to the board, which is broad."""

TURN = object()
"""The viewer is whoever's turn it is."""


def scene_of(state: State, *log: LogEntry, viewer: Any = TURN) -> Scene[Observation]:
    """What a viewer sees of a position after some plies."""
    eyes: Viewer = state.seat if viewer is TURN else viewer
    seen = RULES.observe(state, eyes)
    view = MatchView("land_cards", "1", (), b"", None, None, None, len(log), False, seen, log)
    return scenes.scene_of_view(view, NAMES[: state.deal.seats], eyes)


def scene_after(seats: int, plies: int = 0) -> Scene[Observation]:
    """What the first seat sees of a match after some random plies."""
    return scenes.scene_of_match(scenes.match_of("land_cards", seats, plies, NAMES))


def move(line: str) -> Move:
    """A move in the stable notation."""
    return RULES.parse_move(line)
