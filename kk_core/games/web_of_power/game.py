"""The board game as the core's `Game` protocol: every method hands on to the module that knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kk_core import data
from kk_core.chance import Chance
from kk_core.errors import IllegalMove
from kk_core.game import Game
from kk_core.games.web_of_power import notation, observe, record, refusals
from kk_core.games.web_of_power.meta import META
from kk_core.games.web_of_power.model import COUNTRIES, SHEET, Map, Observation, load_map
from kk_core.games.web_of_power.moves import Moves, is_legal
from kk_core.games.web_of_power.scoring import final_rows, interim_rows
from kk_core.games.web_of_power.setup import deal_cards
from kk_core.games.web_of_power.state import State
from kk_core.text import Text
from kk_core.types import Event, Meta, Move, Options, Outcome, ScoreItem, ScoreSheet, Seat, Viewer

_RULES: Final = 1
"""Counts the changes of the rules in code; those of the data file are noticed by themselves."""


def create() -> Game[State, Observation]:
    """The game on the map of the data file. Raises `BadData`."""
    return WebOfPower(load_map())


class WebOfPower:
    """Kardinal & König, the board game, on one map."""

    def __init__(self, land: Map) -> None:
        self._map = land
        self._moves = Moves(land)
        self._version = data.version(_RULES, land)

    @property
    def meta(self) -> Meta:
        """Name, seat range and options."""
        return META

    @property
    def rules_version(self) -> str:
        """Changes whenever the deck, the map or a rule changes."""
        return self._version

    def setup(self, options: Options, seats: int, seed: bytes) -> State:
        """The position before the first move. Raises `InvalidOptions`."""
        return self._moves.first(deal_cards(self._map, options, seats, seed))

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
        return refusals.why_not(self._map, state, seat, move)

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
        final = final_rows(self._map, state.board, state.cloisters, state.advisors)
        rows = (*interim_rows(state.interim, seats), *final)
        order = [
            *self._map.scoring_order,
            *(len(COUNTRIES) + country for country in self._map.scoring_order),
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
        return observe.observe(self._map, state, viewer, self.outcome(state))

    def visible_move(self, seat: Seat, move: Move, viewer: Viewer) -> Move | None:  # noqa: ARG002
        """Every move is made for all to see; which card came from the pile is not part of it."""
        return move

    def exchange_secrets(self, state: State, viewer: Viewer, chance: Chance) -> State:
        """Another position that the viewer cannot tell from this one."""
        return observe.exchange_secrets(self._moves, state, viewer, chance)

    def format_move(self, move: Move) -> str:
        """A move in one line."""
        return notation.format_move(self._map, move)

    def parse_move(self, line: str) -> Move:
        """The move of a line. Raises `InvalidMove`."""
        return notation.parse_move(self._map, line)

    def export_setup(self, state: State) -> dict[str, Any]:
        """The deal, for the exported record."""
        return record.export_setup(self._map, state)

    def export_move(self, before: State, seat: Seat, move: Move, after: State) -> dict[str, Any]:  # noqa: ARG002
        """A move, for the exported record."""
        return record.export_move(self._map, before, move)

    def export_event(self, after: State, event: Event) -> dict[str, Any] | None:
        """A chance or rule event, for the exported record."""
        return record.export_event(after, event)
