"""How the board game is played well: which moves are likely, how play goes on, what a position is worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import ceil, exp, sqrt
from random import Random
from typing import Final, Protocol, cast

from msgspec.structs import astuple

from kk_core.chance import Chance
from kk_core.game import Game
from kk_core.games.web_of_power.model import (
    ADVISOR,
    ADVISOR_STRIDE,
    ALLIANCES,
    CARD_COUNTRIES,
    CLOISTER,
    CLOISTER_OF,
    CLOISTER_STRIDE,
    COUNTRIES,
    DRAW_FACE_UP,
    DRAW_PILE,
    DRAWING,
    EXCHANGE,
    FREE,
    KIND_OF_COUNTRY,
    MOVES_END,
    OVER,
    PAYMENTS,
    SINGLE,
    Observation,
    PlaceAdvisor,
    PlaceCloister,
    cards_of,
)
from kk_core.games.web_of_power.moves import Moves
from kk_core.games.web_of_power.state import State
from kk_core.games.web_of_power.worth import (
    OVER_STAGE,
    SECOND_HALF,
    Code,
    Key,
    Spaces,
    alliances_of,
    average,
    chains_of,
    code_of,
    countries_of,
    digit,
)
from kk_core.types import Move, Seat

# All in points.
SECOND: Final = 0.6
"""How much a second piece of the same turn counts when the first is chosen."""
JOKER: Final = 0.6
"""What the second card of a pair is worth."""
TEMPERATURE: Final = 1.0
"""How much better a move must be to be e times as likely."""
TURNS: Final = 12
"""Play goes on for so many turns, and then until all have had as many as the viewer."""
SPREAD: Final = 10.0
"""How wrong an evaluation is in the beginning."""
_MUCH: Final = 60
"""Cards to come in the beginning, about."""


class _HasMoves(Protocol):
    moves: Moves


class Position(State, kw_only=True):
    """A draft that also knows the pieces of every country as codes, and the spaces of every seat."""

    counts: list[Code]
    courts: list[Code]
    spaces: list[Spaces]

    def copy(self) -> Position:
        """The same position, to be changed by itself."""
        counts, courts, spaces = self.counts.copy(), self.courts.copy(), self.spaces.copy()
        return self.__replace__(counts=counts, courts=courts, spaces=spaces)


def _spaces(board: bytes, lying: int) -> Spaces:
    return sum(1 << space for space, owner in enumerate(board) if owner == lying)


class Strategy:
    """How to play on from one observation; a `kk_core.bots.strategy.Strategy`."""

    def __init__(self, game: Game[State, Observation], observation: Observation) -> None:
        self._game, self._observation = game, observation
        self._moves = cast(_HasMoves, game).moves
        self._turn = observation.turn
        self._seats = len(observation.hand_sizes)
        self._land = land = observation.printed
        self._chains = chains_of(land.neighbours)
        self._pieces = _pieces(land.country_of)
        self._sizes = [len(own) for own in land.spaces_of]
        self._allies = [
            [b if a == country else a for a, b in land.alliances if country in (a, b)]
            for country in range(len(COUNTRIES))
        ]

    def world(self, chance: Chance) -> Position:
        return self.position(self._game.determinise(self._observation, chance))

    def position(self, state: State) -> Position:
        """A state, to be changed."""
        seats = self._seats
        firsts = range(0, len(state.cloisters), seats)
        return Position(
            *astuple(state),
            counts=[code_of(state.cloisters[first : first + seats]) for first in firsts],
            courts=[code_of(state.advisors[first : first + seats]) for first in firsts],
            spaces=[_spaces(state.board, CLOISTER_OF + seat) for seat in range(seats)],
        )

    def copy(self, position: Position) -> Position:
        return position.copy()

    def active(self, position: Position) -> tuple[Seat, ...]:
        return () if position.phase == OVER else (position.seat,)

    def legal(self, position: Position, seat: Seat) -> tuple[Move, ...]:  # noqa: ARG002
        return self._moves.legal(position)

    def step(self, position: Position, seat: Seat, move: Move) -> None:
        self._moves.act(position, seat, move)
        if move >= CLOISTER:
            space = (move - CLOISTER) % CLOISTER_STRIDE
            position.counts[self._land.country_of[space]] += digit(seat)
            position.spaces[seat] |= 1 << space
        elif move >= ADVISOR:
            position.courts[(move - ADVISOR) % ADVISOR_STRIDE] += digit(seat)

    # -- evaluation ------------------------------------------------------------------------------------------

    def _stage(self, position: Position) -> int:
        """0 and 1 before the interim scoring, 2 and 3 after it, 4 in the last round; then OVER_STAGE."""
        if position.phase == OVER:
            return OVER_STAGE
        is_late = len(position.pile) <= len(self._land.spaces) // 4
        if position.pile_runs and not position.interim:
            return SECOND_HALF - 1
        return SECOND_HALF * position.pile_runs + (is_late and position.pile_runs < 2)

    def _rooms(self, position: Position) -> list[int]:
        """For every country whether it has a free advisor place."""
        return [position.room >> country & 1 for country in range(len(COUNTRIES))]

    def expected(self, position: Position) -> Sequence[float]:
        stage = self._stage(position)
        rows = [
            self._country(stage, size, code) for size, code in zip(self._sizes, position.counts, strict=True)
        ]
        alliances = alliances_of(self._seats, stage)
        rooms, courts = self._rooms(position), position.courts
        for a, b in self._land.alliances:
            key = courts[a], courts[b], rooms[a] + 2 * rooms[b]
            rows.append(alliances.worths.get(key) or alliances.worth(*key))
        rows.append(self._chain_points(position, stage))
        points = [sum(column) for column in zip(*rows, strict=True)]
        for seat in range(self._seats if position.interim else 0):
            points[seat] += sum(position.interim[seat :: self._seats])
        return points

    def _country(self, stage: int, size: int, code: Code) -> list[float]:
        countries = countries_of(size, self._seats, stage)
        return countries.worths.get(code) or countries.worth(code)

    def _chain_points(self, position: Position, stage: int) -> list[float]:
        chains = self._chains
        if stage == OVER_STAGE:
            return [float(sum(map(chains.points, chains.parts(own)))) for own in position.spaces]
        free = _spaces(position.board, FREE)
        found = []
        for own in position.spaces:
            points, key = chains.key(self._seats, own, free)
            found.append(average(key, stage, points))
        return found

    def spread(self, position: Position) -> float:
        if position.phase == OVER:
            return 0.3
        left = len(position.pile) + (0 if position.pile_runs else _MUCH // 2)
        return 2.0 + SPREAD * sqrt(left / _MUCH)

    # -- policy ----------------------------------------------------------------------------------------------

    def priors(self, position: Position, seat: Seat, moves: Sequence[Move]) -> list[float]:
        values = self._values(position, seat, moves)
        best = max(values)
        weights = [exp((value - best) / TEMPERATURE) for value in values]
        total = sum(weights)
        return [weight / total for weight in weights]

    def _values(self, position: Position, seat: Seat, moves: Sequence[Move]) -> list[float]:
        """What every move gains over the others."""
        if position.phase == DRAWING:
            return [self._draw(position, seat, move) for move in moves]
        pieces, hand = self._pieces, position.hands[seat]
        gains, most = self._gains(position, seat, {pieces[move][:2] for move in moves if move >= ADVISOR})
        values = []
        for move in moves:
            if move >= ADVISOR:
                piece, country, payment = pieces[move]
                value = gains[piece]
                if payment != SINGLE:
                    value -= JOKER
                if not position.placed and position.counts[country] and _can_go_on(hand, country, payment):
                    value += SECOND * max(0.0, most[country])
                values.append(value)
            else:
                values.append(-1.0 - 0.5 * hand.count(move - EXCHANGE) if move >= EXCHANGE else 0.0)
        return values

    def _gains(
        self, position: Position, seat: Seat, pieces: Iterable[tuple[int, int]]
    ) -> tuple[dict[int, float], dict[int, float]]:
        """What each piece gains, and the most of each country."""
        stage, lines = self._stage(position), self._chains.lines(position.spaces[seat])
        cloisters: dict[int, float] = {}
        gains: dict[int, float] = {}
        most: dict[int, float] = {}
        for piece, country in pieces:
            if piece < 0:
                gain = self._advisor_gain(position, seat, country, stage)
            else:
                if country not in cloisters:
                    cloisters[country] = self._cloister_gain(position, seat, country, stage)
                gain = cloisters[country] + lines.get(piece, 0.0)
            gains[piece] = gain
            if country not in most or gain > most[country]:
                most[country] = gain
        return gains, most

    def _cloister_gain(self, position: Position, seat: Seat, country: int, stage: int) -> float:
        countries = countries_of(self._sizes[country], self._seats, stage)
        code = position.counts[country]
        return (countries.gains.get(code) or countries.gain(code))[seat]

    def _advisor_gain(self, position: Position, seat: Seat, country: int, stage: int) -> float:
        alliances, courts = alliances_of(self._seats, stage), position.courts
        court = courts[country]
        gain = 0.0
        for ally in self._allies[country]:
            key = court, courts[ally]
            gain += (alliances.gains.get(key) or alliances.gain(*key))[seat]
        return gain

    def _draw(self, position: Position, seat: Seat, move: Move) -> float:
        """Prefer an open card that makes a pair, then the pile, then what is left."""
        if move == DRAW_PILE:
            return 1.0
        kind = move - DRAW_FACE_UP
        board, spaces_of = position.board, self._land.spaces_of
        lands = sum(FREE in [board[space] for space in spaces_of[of]] for of in CARD_COUNTRIES[kind])
        return (0.5, 2.0, 1.5)[min(position.hands[seat].count(kind), 2)] + 0.1 * lands - (lands == 0)

    # -- playing on ------------------------------------------------------------------------------------------

    def playout(self, position: Position, random: Random) -> None:  # noqa: ARG002
        rounds = ceil((position.turn - self._turn + TURNS) / self._seats)
        last = self._turn + rounds * self._seats
        while position.phase != OVER and position.turn < last:
            seat, legal = position.seat, self._moves.legal(position)
            values = self._values(position, seat, legal) if len(legal) > 1 else [0.0]
            self.step(position, seat, legal[values.index(max(values))])

    # -- learning --------------------------------------------------------------------------------------------

    def keys(self, position: Position) -> Iterator[tuple[Key, tuple[int, ...], Seat]]:
        """What a table of averages is asked for, and which lines of the final sheet each key foretells."""
        stage, n, rooms = self._stage(position), len(COUNTRIES), self._rooms(position)
        for country, code in enumerate(position.counts):
            lines = (country, n + country) if stage < SECOND_HALF else (n + country,)
            for seat, key in enumerate(countries_of(self._sizes[country], self._seats, stage).keys(code)):
                yield (*key, stage), lines, seat
        for number, (a, b) in enumerate(self._land.alliances):
            courts = position.courts[a], position.courts[b], rooms[a] + 2 * rooms[b]
            for seat, key in enumerate(alliances_of(self._seats, stage).keys(*courts)):
                yield (*key, stage), (2 * n + number,), seat
        free = _spaces(position.board, FREE)
        for seat, own in enumerate(position.spaces):
            yield (*self._chains.key(self._seats, own, free)[1], stage), (2 * n + ALLIANCES,), seat


@lru_cache(maxsize=16)
def _pieces(country_of: Sequence[int]) -> list[tuple[int, int, int]]:
    """For every move what it places (a space, or -1 - country for an advisor), the country, the payment."""
    pieces = [(0, 0, 0)] * MOVES_END
    for payment in range(PAYMENTS):
        for country in range(len(COUNTRIES)):
            pieces[PlaceAdvisor(country, payment).move] = -1 - country, country, payment
        for space, country in enumerate(country_of):
            pieces[PlaceCloister(space, payment).move] = space, country, payment
    return pieces


@lru_cache(maxsize=4096)
def _can_go_on(hand: bytes, country: int, payment: int) -> bool:
    """Whether another piece could be paid for in the same country."""
    left = list(hand)
    for kind in cards_of(country, payment):
        left.remove(kind)
    return KIND_OF_COUNTRY[country] in left or any(left.count(kind) > 1 for kind in left)
