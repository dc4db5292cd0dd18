"""The strategy for the card game: likely moves, playing on, and evaluating positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, exp, sqrt
from random import Random
from typing import Final

from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.game import Game
from kk_core.games.land_cards.ai.evaluation import Key, worths_of
from kk_core.games.land_cards.ai.policy import Position, go_on, values
from kk_core.games.land_cards.ai.rollout import PLAIN_PLAYER, keen_player
from kk_core.games.land_cards.ai.styles import preferences
from kk_core.games.land_cards.layout import stones_of
from kk_core.games.land_cards.model import (
    CELLS,
    DIFFERENT_COLOURS,
    FREE,
    MINUS_TWO,
    OVER,
    TAKE_BACK_STONE,
    TAKEN,
    THREE_SYMBOLS,
    MoveStone,
    Observation,
    PlaceStone,
    read,
)
from kk_core.games.land_cards.observe import determinise, full_sheet
from kk_core.games.land_cards.rules import work_out_legal
from kk_core.games.land_cards.state import State
from kk_core.types import Move, Seat, Sheet
from kk_core.values import with_byte

# in points; measured by letting the bots play against each other
LAW_HELD: Final = {TAKE_BACK_STONE: 1.5, THREE_SYMBOLS: 1.3, DIFFERENT_COLOURS: 6.0, MINUS_TWO: -2.0}
"""The worth of a law card in hand with a full layout, which decreases to 0; constant for the last kind."""
STONE_LEFT: Final = 1.0
"""The worth of a stone in hand, and the cost of one out of the game, while half the cards are left."""
GUARDED: Final = 0.4
"""The share of its gain that a card under the seat's own stone counts."""
TEMPERATURE: Final = 1.5
"""The points by which a move must be better to be e times as likely."""
RIVALS: Final = 0.6
"""The same for the others' moves."""
TURNS: Final = 8
"""The least number of turns of a playout, which goes on until all have had as many as the viewer."""
SPREAD: Final = 10.0
"""The error of an evaluation at the start, in points."""
LONG: Final = 20
"""The same number for expert's playouts, unless all others play plainly."""
SIMULATIONS: Final = {"expert": 3200}
"""Simulations by level; more than in other games, since many choices are clear early."""
CARE: Final = 0.2
"""The easy bot's exponent, set so that beginners beat it: `python -m tools.bench.slips`."""
_PARTS: Final = 1 << 16


def _always() -> float:
    return 0.0


def _likely(looks: Sequence[float | None], temperature: float) -> list[float]:
    best = max(look for look in looks if look is not None)
    weights = [0.0 if look is None else exp((look - best) / temperature) for look in looks]
    total = sum(weights)
    return [weight / total for weight in weights]


class Strategy:
    """A `kk_core.search.strategy.SearchStrategy` for one observation."""

    foretell: Final = None

    def __init__(
        self,
        game: Game[State, Observation],  # noqa: ARG002
        observation: Observation,
        trust: Sequence[float] = (),
    ) -> None:
        self._observation, self._trust = observation, trust
        self.let_play = self._let_play if any(trust) else None
        self._turn = observation.turn
        self._seats = len(observation.supply)
        self._worths = worths_of(observation.faces, observation.law_cells, self._seats)

    def world(self, chance: Chance) -> Position:
        position = self.position(determinise(self._observation, chance))
        position.plain = bytes(
            [seat for seat, trust in enumerate(self._trust) if chance.below(_PARTS) < trust * _PARTS]
        )
        return position

    def position(self, state: State) -> Position:
        """Return a state as a mutable position."""
        return Position(state, self._worths)

    def copy(self, position: Position) -> Position:
        return position.copy()

    def active(self, position: Position) -> tuple[Seat, ...]:
        return () if position.phase == OVER else (position.seat,)

    def legal(self, position: Position, seat: Seat) -> tuple[Move, ...]:  # noqa: ARG002
        return work_out_legal(position)

    def step(self, position: Position, seat: Seat, move: Move) -> None:  # noqa: ARG002
        position.play(move)

    def priors(self, position: Position, seat: Seat, moves: Sequence[Move]) -> list[float]:
        """Return move probabilities: the viewer goes by expected final gains, the others by current ones."""
        if seat == self._observation.viewer:
            return _likely(values(position, moves), TEMPERATURE)
        gains, rows = position.gains, position.rows
        position.look_by(self._worths.plain_gains)
        looks = values(position, moves)
        position.gains, position.rows = gains, rows
        return _likely(looks, RIVALS)

    keen_priors = priors

    def preferences(self, style: str, position: Position, seat: Seat, moves: Sequence[Move]) -> list[float]:
        """Return what a style likes about each move, in points."""
        return preferences(style, position, seat, moves)

    def plain_moves(self, position: Position) -> Sequence[Move]:
        """Return a plain player's possible next moves, by current gains."""
        position.look_by(self._worths.plain_gains)
        moves = PLAIN_PLAYER.moves(position, _always)
        position.look_by(self._worths.gains)
        return moves

    def _let_play(self, position: Position, random: Random) -> bool:
        # plays for plain players; the others' choices are searched
        if position.seat not in position.plain:
            return False
        position.look_by(self._worths.plain_gains)
        while position.seat in position.plain and position.phase != OVER:
            PLAIN_PLAYER.play_turn(position, random.random)
        position.look_by(self._worths.gains)
        return True

    def _last(self, position: Position, turns: int) -> int:
        # the first turn at least `turns` from now by which all seats have had equally many since the root
        return self._turn + ceil((position.turn - self._turn + turns) / self._seats) * self._seats

    def playout(self, position: Position, random: Random) -> None:
        last, noise = self._last(position, TURNS), random.random
        position.look_by(self._worths.plain_gains)
        while position.phase != OVER and position.turn < last:
            go_on(position, noise)

    def settle(self, position: Position, random: Random) -> None:
        """Play to the end of the round."""
        position.look_by(self._worths.plain_gains)
        while position.phase != OVER and position.turn % self._seats:
            go_on(position, random.random)

    def long_playout(self, position: Position, random: Random) -> tuple[Sequence[float], float] | None:
        """Play on for longer; seats that do not play plainly play well.

        If all others play plainly, it goes to the end of the match, since their moves are predictable.
        Otherwise it returns the outlook at the point where quick playouts end.
        """
        outlook, play_well = None, keen_player().play_turn
        plain, noise = position.plain, random.random
        must_look = len(plain) < self._seats - 1
        on_the_way, last = self._last(position, TURNS), self._last(position, LONG if must_look else CELLS)
        keen_gains, plain_gains = self._worths.keen_gains, self._worths.plain_gains
        while position.phase != OVER and position.turn < last:
            if must_look and position.turn >= on_the_way:
                outlook, must_look = (self.expected(position), self.spread(position)), False
            if position.seat in plain:
                position.look_by(plain_gains)
                PLAIN_PLAYER.play_turn(position, noise)
            else:
                position.look_by(keen_gains)
                play_well(position, noise)
        return outlook

    def expected(self, position: Position) -> Sequence[float]:
        points = self._worths.expected(position.codes)
        share = position.board.count(FREE) / CELLS
        for seat, hand in enumerate(position.hands):
            for law in hand:
                points[seat] += LAW_HELD[law] * (1 if law == MINUS_TWO else share)
            if share:
                stones = position.supply[seat] - position.gone[seat]
                points[seat] += STONE_LEFT * stones * min(1, 2 * share)
                for cell in stones_of(position.board, seat):
                    points[seat] += GUARDED * self._worths.gain(position.codes, cell, seat)
        return points

    def spread(self, position: Position) -> float:
        return 1.5 + SPREAD * sqrt(position.board.count(FREE) / CELLS)

    def sheet(self, position: Position) -> Sheet:
        return full_sheet(position)

    def keys(self, position: Position) -> Iterator[tuple[Key, tuple[int, ...], Seat]]:
        """Yield the keys in the table of averages, with the final lines and the seat that each predicts."""
        return self._worths.keys(position.codes)

    def with_reserved(self, state: State, seat: Seat, move: Move) -> State | None:
        """Return a state in which the stone's owner already has the card that the move guards."""
        match read(move):
            case PlaceStone(cell) | MoveStone(_, cell):
                return replace(state, board=with_byte(state.board, cell, TAKEN + seat))
        return None
