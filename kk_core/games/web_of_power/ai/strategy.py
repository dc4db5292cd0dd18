"""The strategy for the board game: likely moves, playing on, and evaluating positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import ceil, sqrt
from random import Random
from typing import Final, Protocol, cast

from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.game import Game
from kk_core.games.web_of_power.ai.beliefs import Beliefs, Dealer
from kk_core.games.web_of_power.ai.evaluation import (
    OVER_STAGE,
    SECOND_HALF,
    Key,
    Stock,
    alliances_of,
    means_of,
)
from kk_core.games.web_of_power.ai.policy import Noise, Position, go_on, likely, tables_of, values
from kk_core.games.web_of_power.ai.rollout import keen_of
from kk_core.games.web_of_power.ai.styles import preferences
from kk_core.games.web_of_power.model import ALLIANCES, COUNTRIES, DRAWING, OVER, Observation
from kk_core.games.web_of_power.observe import final_sheet
from kk_core.games.web_of_power.rules import Moves
from kk_core.games.web_of_power.scoring import final_rows
from kk_core.games.web_of_power.state import State
from kk_core.types import Move, Seat, SeenMove, Sheet

# in points; measured by letting the bots play against each other
TEMPERATURE: Final = 1.0
"""The points by which a move must be better to be e times as likely."""
RIVALS: Final = 0.5
"""The same for the others' moves."""
TURNS: Final = 4
"""The least number of turns of a playout, which goes on until all have had as many as the viewer."""
SPREAD: Final = 10.0
"""The error of an evaluation at the start, in points."""
SIMULATIONS: Final = {"expert": 1600, "hard": 400}
"""Simulations by level; fewer than in other games, since each takes longer here."""
CARE: Final = 0.15
"""The easy bot's exponent, set so that beginners beat it: `python -m tools.bench.slips`."""
NEVER: Final = 10
"""The turns until the next one if there is none, in the last round: more than are possible."""
# the approximate number of cards to come at the start
_MUCH: Final = 60


class _HasMoves(Protocol):
    moves: Moves


def _never() -> float:
    return 0.0


class Strategy:
    """A `kk_core.search.strategy.SearchStrategy` for one observation."""

    foretell: Final = None

    def __init__(
        self,
        game: Game[State, Observation],
        observation: Observation,
        learned: Sequence[float] = (),
    ) -> None:
        self._game, self._observation = game, observation
        self._moves = cast(_HasMoves, game).moves
        self._final_rows = partial(final_rows, observation.printed)
        self._turn = observation.turn
        self._seats = len(observation.hand_sizes)
        self._tables = tables_of(observation.printed, self._seats)
        self._keen = keen_of(self._tables)
        self._is_plain = [trust == 1 for trust in learned[: self._seats]] or [False] * self._seats
        self._dealer: Dealer | None = None
        if learned:
            self._dealer = Beliefs(self._moves, self._tables, learned[self._seats :]).dealer(observation)

    def world(self, chance: Chance) -> Position:
        state = self._game.determinise(self._observation, chance)
        if self._dealer is not None:
            hands, pile = self._dealer.lay(chance)
            # simulations are not observed, so they need no notes of old cards
            state = replace(state, hands=hands, pile=pile, old=(), since=())
        return self.position(state)

    def learn(
        self,
        seen: Sequence[SeenMove],
        trust: Sequence[float],
        beliefs: Sequence[float],
        chance: Chance,
    ) -> tuple[dict[Seat, float], tuple[float, ...]]:
        """Learn from others' moves whether they play plainly, and which hands they have."""
        hands, change = Beliefs(self._moves, self._tables, beliefs), dict.fromkeys(range(self._seats), 0.0)
        for observation, seat, move, _ in seen:
            if seat != self._observation.viewer and move is not None:
                change[seat] += hands.learn(observation, seat, move, trust[seat], chance)
        return change, hands.weights()

    def position(self, state: State) -> Position:
        """Return a state as a mutable position."""
        return Position(state, self._moves, self._tables)

    def copy(self, position: Position) -> Position:
        return position.copy()

    def active(self, position: Position) -> tuple[Seat, ...]:
        return () if position.phase == OVER else (position.seat,)

    def legal(self, position: Position, seat: Seat) -> tuple[Move, ...]:  # noqa: ARG002
        return self._moves.legal(position)

    def step(self, position: Position, seat: Seat, move: Move) -> None:
        position.play(seat, move)

    def priors(self, position: Position, seat: Seat, moves: Sequence[Move]) -> list[float]:
        """Return move probabilities; the others go by what scores now."""
        is_rival = seat != self._observation.viewer
        return likely(values(position, moves, plainly=is_rival), RIVALS if is_rival else TEMPERATURE)

    def keen_priors(self, position: Position, seat: Seat, moves: Sequence[Move]) -> list[float]:
        """Return move probabilities; the viewer plays like a good player."""
        if seat != self._observation.viewer:
            return self.priors(position, seat, moves)
        return likely(self._keen.values(position, moves), TEMPERATURE)

    def preferences(self, style: str, position: Position, seat: Seat, moves: Sequence[Move]) -> list[float]:
        """Return what a style likes about each move, in points."""
        return preferences(style, position, seat, moves)

    def let_play(self, position: Position, random: Random) -> bool:
        """Play another's turn by the quick policy, which leaves more simulations for the viewer's turns."""
        go_on(position, self._noise(position.seat, random))
        return True

    def _noise(self, seat: Seat, random: Random) -> Noise:
        # a seat known to play plainly makes no random mistakes
        return _never if self._is_plain[seat] else random.random

    def _last(self, position: Position) -> int:
        # the first turn at least `TURNS` from now by which all seats have had equally many since the root
        return self._turn + ceil((position.turn - self._turn + TURNS) / self._seats) * self._seats

    def playout(self, position: Position, random: Random) -> None:
        last, noise = self._last(position), random.random
        while position.phase != OVER and position.turn < last:
            go_on(position, noise)

    def long_playout(self, position: Position, random: Random) -> tuple[Sequence[float], float] | None:
        """Play to the end, with the viewer playing well; return the outlook where quick playouts end."""
        on_the_way = self._last(position)
        viewer, play_well = self._observation.viewer, self._keen.play_turn
        noises = [self._noise(seat, random) for seat in range(self._seats)]
        outlook = None
        while position.phase != OVER:
            if outlook is None and position.turn >= on_the_way:
                outlook = self.expected(position), self.spread(position)
            if position.seat == viewer:
                play_well(position, _never)
            else:
                go_on(position, noises[position.seat])
        return outlook

    def finish_turn(self, position: Position, random: Random) -> None:
        """Play on to the end of the turn if it has begun."""
        if position.phase == DRAWING or position.placed:
            go_on(position, random.random)

    def settle(self, position: Position, random: Random) -> None:
        """Do nothing: the evaluation takes into account whose turn is next."""

    def expected(self, position: Position) -> Sequence[float]:
        stage, land = position.stage(), self._tables.land
        rows = [
            countries.worths[code]
            for countries, code in zip(self._tables.stages[stage], position.counts, strict=True)
        ]
        alliances, room, courts = alliances_of(self._seats, stage), position.room, position.courts
        for a, b in land.alliances:
            rows.append(alliances.worths[courts[a], courts[b], (room >> a & 1) + 2 * (room >> b & 1)])
        rows.append(self._chain_points(position, stage))
        if stage != OVER_STAGE:
            rows.append(self._own_means(position, stage))
        points = [sum(column) for column in zip(*rows, strict=True)]
        for seat in range(self._seats if position.interim else 0):
            points[seat] += sum(position.interim[seat :: self._seats])
        return points

    def _chain_points(self, position: Position, stage: int) -> list[float]:
        chains = self._tables.chains
        if stage == OVER_STAGE:
            return [float(sum(part.points for part in parts)) for parts in position.parts]
        return [chains.worth(self._seats, stage, parts, position.free) for parts in position.parts]

    def _own_means(self, position: Position, stage: int) -> list[float]:
        means, open_kinds = means_of(self._seats, stage), position.open_kinds()
        stocks, hands = means.stocks, means.hands
        return [stocks[stock] + hands[hand, open_kinds] for stock, hand in self._own(position)]

    def spread(self, position: Position) -> float:
        if position.phase == OVER:
            return 0.3
        left = len(position.pile) + (0 if position.pile_runs else _MUCH // 2)
        return 2.0 + SPREAD * sqrt(left / _MUCH)

    def sheet(self, position: Position) -> Sheet:
        return final_sheet(self._final_rows, position)

    def keys(self, position: Position) -> Iterator[tuple[Key, tuple[int, ...], Seat]]:
        """Yield the keys in the table of averages, with the final lines and the seat that each predicts."""
        stage, n, room = position.stage(), len(COUNTRIES), position.room
        countries, land = self._tables.stages[stage], self._tables.land
        for country, code in enumerate(position.counts):
            lines = (country, n + country) if stage < SECOND_HALF else (n + country,)
            for seat, key in enumerate(countries[country].keys(code)):
                yield (*key, stage), lines, seat
        for number, (a, b) in enumerate(land.alliances):
            courts = position.courts[a], position.courts[b], (room >> a & 1) + 2 * (room >> b & 1)
            for seat, key in enumerate(alliances_of(self._seats, stage).keys(*courts)):
                yield (*key, stage), (2 * n + number,), seat
        for seat, parts in enumerate(position.parts):
            key = self._tables.chains.key(self._seats, parts, position.free)[1]
            yield (*key, stage), (2 * n + ALLIANCES,), seat
        means = means_of(self._seats, stage)
        for seat, (stock, hand) in enumerate(self._own(position)):
            for key in (*means.stock_keys(*stock), *means.hand_keys(hand, position.open_kinds())):
                yield (*key, stage), (), seat

    def _own(self, position: Position) -> Iterator[tuple[Stock, bytes]]:
        # yields each seat's pieces left, the turns until its next one, and its hand
        seats, current = self._seats, position.seat
        # in the last round, seats before the current one have no further turn
        wait = NEVER if position.pile_runs > 1 else seats
        turns = [seat - current if seat >= current else seat - current + wait for seat in range(seats)]
        stocks = zip(position.cloisters_left, position.advisors_left, turns, strict=True)
        return zip(stocks, position.hands, strict=True)
