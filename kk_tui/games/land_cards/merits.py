"""What speaks for a move where no line of the score sheet tells it."""

from __future__ import annotations

from kk_core.games.land_cards.model import Observation, Take, read
from kk_core.types import Move
from kk_tui.i18n import _
from kk_tui.scene import Scene


def merits(scene: Scene[Observation], move: Move) -> str:
    """Whether a card brings a law card."""
    match read(move):
        case Take(cell) if cell in scene.observation.law_cells:
            return _("with the law card that lies under it")
    return ""
