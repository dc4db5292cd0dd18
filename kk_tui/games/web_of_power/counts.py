"""Figures that everybody can count on the board."""

from __future__ import annotations

from kk_core.games.web_of_power.model import (
    CLOISTER_OF,
    FREE,
    Exchange,
    Observation,
    PlaceAdvisor,
    PlaceCloister,
    cards_of,
    read,
)
from kk_core.types import Move, Seat
from kk_tui.games.web_of_power.choices import Target, target_of
from kk_tui.table.scene import Scene


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


def played_cards(scene: Scene[Observation]) -> tuple[Seat, tuple[int, ...]] | None:
    """Who played cards last, and the kinds of all that were played in that turn; None before the first."""
    seat, kinds = None, list[int]()
    for _ply, entry in reversed(scene.match.recent()):
        if seat not in (None, entry.seat):
            break
        found = _kinds(scene.observation, entry.move)
        if found:
            seat, kinds = entry.seat, [*found, *kinds]
    return None if seat is None else (seat, tuple(kinds))


def _kinds(view: Observation, move: Move | None) -> tuple[int, ...]:
    """The kinds of the cards that a move plays."""
    match None if move is None else read(view.printed, move):
        case PlaceCloister(space, payment):
            return cards_of(view.printed.country_of[space], payment)
        case PlaceAdvisor(country, payment):
            return cards_of(country, payment)
        case Exchange(kind):
            return (kind,)
        case _:
            return ()


def recent_targets(scene: Scene[Observation]) -> frozenset[Target]:
    """Where pieces have just been placed."""
    placed = (target_of(scene.observation.printed, entry.move) for entry in scene.just_happened())
    return frozenset(target for target, _payment in filter(None, placed))
