"""The card game as the engine knows it; the rules stand in the modules beside this one."""

from __future__ import annotations

from typing import Any, Final

import config
from kk_core.chance import Chance
from kk_core.data import version
from kk_core.errors import IllegalMove
from kk_core.game import Game
from kk_core.games.land_cards import notation, observe, record
from kk_core.games.land_cards.data import FILE, Deck, parse_deck
from kk_core.games.land_cards.meta import META
from kk_core.games.land_cards.model import OVER, Observation
from kk_core.games.land_cards.moves import apply_legal, is_legal
from kk_core.games.land_cards.reasons import why_not
from kk_core.games.land_cards.scoring import score_sheet, tally
from kk_core.games.land_cards.setup import set_up
from kk_core.games.land_cards.state import State
from kk_core.text import Text, text
from kk_core.types import Event, Meta, Move, Options, Outcome, ScoreSheet, Seat, Viewer

RULES: Final = 1
"""Counts changes of the rules in code; a change of the deck shows in the rules version by itself."""


class LandCards:
    """The card game, played with a given deck."""

    def __init__(self, deck: Deck) -> None:
        self._deck = deck
        self._rules_version = version(RULES, deck)

    @property
    def meta(self) -> Meta:
        return META

    @property
    def rules_version(self) -> str:
        return self._rules_version

    def setup(self, options: Options, seats: int, seed: bytes) -> State:
        return set_up(self._deck, options, seats, seed)

    def active_seats(self, state: State) -> tuple[Seat, ...]:
        return () if state.phase == OVER else (state.seat,)

    def legal_moves(self, state: State, seat: Seat) -> tuple[Move, ...]:
        return state.legal if seat == state.seat else ()

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        if is_legal(state, seat, move):
            return apply_legal(state, move)
        raise IllegalMove(why_not(state, seat, move) or text("This move is not possible."))

    def why_not(self, state: State, seat: Seat, move: Move) -> Text | None:
        return why_not(state, seat, move)

    def events(self, state: State) -> tuple[Event, ...]:
        return state.events

    def turn(self, state: State) -> int:
        return state.turn

    def reveals(self, before: State, after: State) -> bool:
        return before.hands != after.hands

    def score(self, state: State) -> ScoreSheet:
        return score_sheet(tally(state.deal.faces, state.board, state.deal.seats), state.hands)

    def outcome(self, state: State) -> Outcome | None:
        return observe.outcome(state)

    def observe(self, state: State, viewer: Viewer) -> Observation:
        return observe.observe(state, viewer)

    def visible_move(self, seat: Seat, move: Move, viewer: Viewer) -> Move | None:  # noqa: ARG002
        return move

    def exchange_secrets(self, state: State, viewer: Viewer, chance: Chance) -> State:
        return observe.exchange_secrets(state, viewer, chance)

    def format_move(self, move: Move) -> str:
        return notation.format_move(move)

    def parse_move(self, line: str) -> Move:
        return notation.parse_move(line)

    def export_setup(self, state: State) -> dict[str, Any]:
        return record.export_setup(state)

    def export_move(self, before: State, seat: Seat, move: Move, after: State) -> dict[str, Any]:  # noqa: ARG002
        return record.export_move(move)

    def export_event(self, after: State, event: Event) -> dict[str, Any] | None:  # noqa: ARG002
        return record.export_event(event)


def create() -> Game[State, Observation]:
    """The game with the deck of the data file. Raises `BadData`."""
    return LandCards(parse_deck(config.read(FILE)))
