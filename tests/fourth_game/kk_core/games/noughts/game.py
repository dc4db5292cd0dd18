"""Noughts and bids as a `Game`: the rules of this folder, which need no data file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from kk_core.chance import Chance
from kk_core.checks import check_line, check_viewer
from kk_core.config import Source, convert, version
from kk_core.errors import BadData
from kk_core.game import Game
from kk_core.games.noughts import notation, observe, record, rules, scoring
from kk_core.games.noughts.model import BID, COINS, META, PLACE, SHEET, Observation, Printed
from kk_core.games.noughts.state import State
from kk_core.text import Text, text
from kk_core.types import Event, Meta, Move, Options, Outcome, Seat, Sheet, Tree, Viewer

RULES: Final = 1
"""Number of the rules in code; raised with every change of them."""


class _Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    coins: int  # that each seat begins with


def create(source: Source | None = None) -> Game[State, Observation]:  # noqa: ARG001
    """Return the game; there is no data file that could say anything else."""
    return Noughts(_Rules(COINS // 2))


def restore(rules_data: Tree) -> Game[State, Observation]:
    """Return the game of `rules_data`. Raises `BadData`."""
    found = convert("rules_data", rules_data, _Rules)
    if not 1 <= found.coins <= COINS // 2:
        reason = text("Each seat begins with 1 to {n} coins.", n=COINS // 2)
        raise BadData("rules_data", "$.coins", reason)
    return Noughts(found)


class Noughts:
    """Noughts and bids, played with a number of coins."""

    meta: Final[Meta] = META
    sheet: Final = SHEET
    drawing: Final = None

    def __init__(self, rules_data: _Rules) -> None:
        self.rules_data: Final[Tree] = msgspec.to_builtins(rules_data)
        self.rules_version: Final = version(RULES, self.rules_data)
        self.printed: Final = Printed(rules_data.coins)

    def setup(self, options: Options, seats: int, seed: bytes) -> State:
        return rules.setup(self.printed, options, seats, seed)

    def active_seats(self, state: State) -> tuple[Seat, ...]:
        return rules.active_seats(state)

    def legal_moves(self, state: State, seat: Seat) -> tuple[Move, ...]:
        return rules.legal_moves(state, seat)

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        return rules.apply(state, seat, move)

    def why_not(self, state: State, seat: Seat, move: Move) -> Text | None:
        return rules.why_not(state, seat, move)

    def events(self, state: State) -> tuple[Event, ...]:
        """Return the bids, where they were turned over."""
        return state.events

    def turn(self, state: State) -> int:
        """Count the biddings and marks so far."""
        return state.turn

    def round(self, state: State) -> int:
        """Return the number of the round: a bidding and a mark."""
        return state.turn // 2 + 1

    def scorings(self, state: State) -> int:  # noqa: ARG002
        return 0

    def reveals(self, before: State, after: State, viewer: Viewer) -> bool:  # noqa: ARG002
        """Return whether the bids were turned over in this step, to all at once."""
        return before.placer is None and after.placer is not None

    def standing(self, state: State, viewer: Viewer) -> Sheet:
        check_viewer(viewer, len(state.coins))
        return scoring.sheet(state.board)

    def score(self, state: State) -> Sheet:
        return scoring.sheet(state.board)

    def outcome(self, state: State) -> Outcome | None:
        return scoring.outcome(state.board)

    def observe(self, state: State, viewer: Viewer) -> Observation:
        check_viewer(viewer, len(state.coins))
        return observe.observe(self.printed, state, viewer)

    def visible_move(self, seat: Seat, move: Move, viewer: Viewer) -> Move | None:
        """Return a bid to its seat alone (ruling 2), a mark to all."""
        return None if BID <= move < PLACE and viewer != seat else move

    def describe(
        self,
        observation: Observation,  # noqa: ARG002
        names: Sequence[str],
        seat: Seat,
        move: Move | None,
        events: Sequence[Event],
    ) -> Sequence[Text]:
        return notation.describe(names, seat, move, events)

    def determinise(self, observation: Observation, chance: Chance) -> State:
        """Draw the other seat's bid anew."""
        return observe.determinise(observation, chance)

    def format_move(self, move: Move) -> str:
        return notation.format_move(move)

    def parse_move(self, line: str) -> Move:
        check_line(line)
        return notation.parse_move(line)

    def export_setup(self, state: State) -> dict[str, Any]:
        return record.export_setup(state)

    def export_move(self, before: State, seat: Seat, move: Move, after: State) -> dict[str, Any]:  # noqa: ARG002
        return record.export_move(move)

    def export_event(self, after: State, event: Event) -> dict[str, Any] | None:  # noqa: ARG002
        return record.export_event(event)
