"""What speaks for a card that is drawn: no line of the score sheet tells it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kk_core.games.web_of_power.model import (
    CARD_COUNTRIES,
    CARDS,
    COUNTRY_NAMES,
    DRAW_FACE_UP,
    FREE,
    Observation,
)
from kk_core.types import Move
from kk_tui.i18n import _, ngettext, render
from kk_tui.scene import Scene

_PAIR: Final = 2
"""Two cards of a kind are good for any country."""


def merits(scene: Scene[Observation], move: Move) -> str:
    """What an open card makes with the hand, and where there are free spaces in its countries."""
    kind = move - DRAW_FACE_UP
    return "; ".join(_told(scene.observation, kind)) if 0 <= kind < len(CARDS) else ""


def _told(view: Observation, kind: int) -> Iterator[str]:
    alike = view.hand.count(kind) + 1
    if alike == _PAIR:
        yield _("makes a pair, which pays for a piece in any country")
    elif alike > _PAIR:
        yield _("then all three of the hand are alike")
    for country in CARD_COUNTRIES[kind]:
        free = sum(view.board[space] == FREE for space in view.printed.spaces_of[country])
        name = render(COUNTRY_NAMES[country])
        yield ngettext("{name}: {n} free space", "{name}: {n} free spaces", free, name=name, n=free)
