"""The board game as the core's `Game` protocol: every method hands on to the module that knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

import config
from config import Source
from kk_core import data
from kk_core.chance import Chance
from kk_core.checks import check_number
from kk_core.errors import IllegalMove
from kk_core.game import Game
from kk_core.games.web_of_power import notation, observe, record, refusals
from kk_core.games.web_of_power.data import Board, Places, drawing, parse_places, printed
from kk_core.games.web_of_power.meta import META
from kk_core.games.web_of_power.model import COUNTRIES, SHEET, Drawing, Observation, Printed
from kk_core.games.web_of_power.moves import Moves, is_legal
from kk_core.games.web_of_power.scoring import final_rows, interim_rows
from kk_core.games.web_of_power.setup import deal_cards
from kk_core.games.web_of_power.state import State
from kk_core.text import Text
from kk_core.types import Event, Meta, Move, Options, Outcome, ScoreItem, ScoreSheet, Seat, Tree, Viewer

FILE: Final = "web_of_power.toml"
DRAWING: Final = "web_of_power.drawing.toml"

RULES: Final = 1
"""Counts the changes of the rules in code; those of the data file are noticed by themselves."""

FIRST_VERSION: Final = "1-cb2e8e8f"
"""The rules version of matches that kept no rules data."""


def create(source: Source | None = None, rules: int = RULES) -> Game[State, Observation]:
    """The game with the board of a data file, by default the configured one. Raises `BadData`."""
    read = config.read if source is None else config.read_shipped
    source = source or config.read(FILE)
    board = data.parse(source, Board)
    land = printed(source.name, board)
    return WebOfPower(board, land, drawing(parse_places(read(DRAWING), land), land), rules)


def restore(rules_data: Tree, rules: int) -> Game[State, Observation]:
    """The game of `rules_data`, drawn as far as the places are known today. Raises `BadData`."""
    board = data.convert("rules_data", rules_data, Board)
    land = printed("rules_data", board)
    return WebOfPower(board, land, drawing(data.parse(config.read(DRAWING), Places), land), rules)


class WebOfPower:
    """Kardinal & König, the board game, on one map."""

    meta: Final[Meta] = META

    def __init__(self, board: Board, land: Printed, places: Drawing, rules: int) -> None:
        self.rules_data: Final[Tree] = msgspec.to_builtins(board)
        self.rules_version: Final = data.version(rules, self.rules_data)
        self.printed: Final = land
        self.drawing: Final = places
        self._moves = Moves(land)

    def setup(self, options: Options, seats: int, seed: bytes) -> State:
        """The position before the first move. Raises `InvalidOptions`."""
        return self._moves.first(deal_cards(self.printed, options, seats, seed))

    def active_seats(self, state: State) -> tuple[Seat, ...]:
        """The seat whose turn it is; nobody when the match is over."""
        return () if state.is_over else (state.seat,)

    def legal_moves(self, state: State, seat: Seat) -> Sequence[Move]:
        """All moves of a seat, ascending."""
        return state.legal if seat == state.seat else ()

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        """The position after a move. Raises `IllegalMove`."""
        if not is_legal(state, seat, move):
            reason = self.why_not(state, seat, move)
            assert reason is not None
            raise IllegalMove(reason)
        return self._moves.apply_legal(state, move)

    def why_not(self, state: State, seat: Seat, move: Move) -> Text | None:
        """Why a move is not legal; None when it is."""
        check_number(move)
        return refusals.why_not(self.printed, state, seat, move)

    def events(self, state: State) -> tuple[Event, ...]:
        """What rule and chance did in the step that led here."""
        return state.events

    def turn(self, state: State) -> int:
        """The number of the turn, from 0."""
        return state.turn

    def reveals(self, before: State, after: State) -> bool:
        """Whenever the pile changes, a card was drawn from it or turned up; the end shows everything."""
        return before.pile != after.pile or after.is_over

    def score(self, state: State) -> ScoreSheet:
        """The sheet as if the match ended here; countries stand in the order of the data file."""
        seats = state.deal.seats
        final = final_rows(self.printed, state.board, state.cloisters, state.advisors)
        rows = (*interim_rows(state.interim, seats), *final)
        order = [
            *self.printed.scoring_order,
            *(len(COUNTRIES) + country for country in self.printed.scoring_order),
            *range(2 * len(COUNTRIES), len(SHEET)),
        ]
        return ScoreSheet(tuple(ScoreItem(SHEET[line], rows[line]) for line in order))

    def outcome(self, state: State) -> Outcome | None:
        """Most points; then most pieces left in the supply; then the win is shared (ruling 9)."""
        if not state.is_over:
            return None
        totals = self.score(state).totals
        best = [seat for seat, total in enumerate(totals) if total == max(totals)]
        if len(best) == 1:
            return Outcome(tuple(best))
        left = tuple(map(sum, zip(state.cloisters_left, state.advisors_left, strict=True)))
        most = max(left[seat] for seat in best)
        return Outcome(tuple(seat for seat in best if left[seat] == most), left)

    def observe(self, state: State, viewer: Viewer) -> Observation:
        """What a viewer may know."""
        return observe.observe(self.printed, state, viewer, self.outcome(state))

    def visible_move(self, seat: Seat, move: Move, viewer: Viewer) -> Move | None:  # noqa: ARG002
        """Every move is made for all to see; which card came from the pile is not part of it."""
        return move

    def exchange_secrets(self, state: State, viewer: Viewer, chance: Chance) -> State:
        """Another position that the viewer cannot tell from this one."""
        return observe.exchange_secrets(self._moves, state, viewer, chance)

    def format_move(self, move: Move) -> str:
        """A move in one line."""
        return notation.format_move(self.printed, move)

    def parse_move(self, line: str) -> Move:
        """The move of a line. Raises `InvalidMove`."""
        return notation.parse_move(self.printed, line)

    def export_setup(self, state: State) -> dict[str, Any]:
        """The deal, for the exported record."""
        return record.export_setup(self.printed, state)

    def export_move(self, before: State, seat: Seat, move: Move, after: State) -> dict[str, Any]:  # noqa: ARG002
        """A move, for the exported record."""
        return record.export_move(self.printed, before, move)

    def export_event(self, after: State, event: Event) -> dict[str, Any] | None:
        """A chance or rule event, for the exported record."""
        return record.export_event(after, event)
