"""Figures that everybody can count on the board."""

from __future__ import annotations

from kk_core.games.web_of_power.model import CLOISTER_OF, FREE, Observation
from kk_tui.games.web_of_power.choices import Target, target_of
from kk_tui.scene import Scene


def seats_of(view: Observation) -> range:
    """The seats of the match."""
    return range(len(view.hand_sizes))


def cloisters(view: Observation, country: int) -> tuple[int, ...]:
    """Every seat's cloisters in a country."""
    lying = [view.board[space] for space in view.printed.spaces_of[country]]
    return tuple(lying.count(CLOISTER_OF + seat) for seat in seats_of(view))


def free_spaces(view: Observation, country: int) -> int:
    """Spaces of a country without a cloister."""
    return sum(view.board[space] == FREE for space in view.printed.spaces_of[country])


def advisors(view: Observation, country: int) -> tuple[int, ...]:
    """Every seat's advisors in a country."""
    seats = len(view.hand_sizes)
    return tuple(view.advisors[country * seats : (country + 1) * seats])


def recent_targets(scene: Scene[Observation]) -> frozenset[Target]:
    """Where pieces have just been placed."""
    placed = (target_of(scene.observation.printed, entry.move) for entry in scene.just_happened())
    return frozenset(target for target, _payment in filter(None, placed))
