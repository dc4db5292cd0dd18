"""How the card game is played well: which moves are likely, how play goes on, what a position is worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, exp, sqrt
from random import Random
from typing import Final

from msgspec.structs import astuple

from kk_core.chance import Chance
from kk_core.game import Game
from kk_core.games.land_cards.determinise import determinise
from kk_core.games.land_cards.layout import COST, COUNTRY, STONES, stones_of
from kk_core.games.land_cards.legal import work_out_legal
from kk_core.games.land_cards.model import (
    CELLS,
    COLUMNS,
    COUNTRIES,
    DIFFERENT_COLOURS,
    END_TAKING,
    FREE,
    GIVE_UP,
    GIVE_UP_SUPPLY,
    MINUS_TWO,
    MOVE,
    OVER,
    PASS,
    PLACE,
    PLAY_LAW,
    ROUTES,
    SKIP,
    STONE,
    STONE_STEP,
    TAKE,
    TAKE_BACK_STONE,
    TAKEN,
    TAKING,
    THREE_SYMBOLS,
    Observation,
)
from kk_core.games.land_cards.moves import act
from kk_core.games.land_cards.state import State
from kk_core.games.land_cards.worth import Key, Worths, worths_of
from kk_core.types import Move, Seat

# All in points; measured by letting the bots play against each other.
STONE_LOST: Final = 2.0
UNKNOWN_LAW: Final = 0.6
GUARD_FOR: Final = 1.5
"""What a card must gain to be worth a stone."""
LAW_WORTH: Final = {TAKE_BACK_STONE: 1.0, THREE_SYMBOLS: 2.0, DIFFERENT_COLOURS: 2.5, MINUS_TWO: -2.0}
FOLLOW: Final = 0.9
"""How much a second card of the turn counts when the first one is chosen."""
DEPTH: Final = (1.0, 1.0, 0.6)
"""How much a guarded card counts, by how far it lies from the end of its row."""
STONE_LEFT: Final = 1.0
"""What a stone in hand is worth, and one out of the game costs, while half of the cards are left."""
GUARDED: Final = 0.4
"""How much of its gain a card under an own stone counts."""

TEMPERATURE: Final = 1.5
"""Points by which a move must be better to be e times as likely."""
NOISE: Final = 1.0
"""By how much moves are misjudged at random when play goes on."""
MORE_FOR: Final = 0.3
"""What a further card of a turn must gain when play goes on."""
TURNS: Final = 9
"""Play goes on for so many turns, and then until all have had as many as the viewer."""
SPREAD: Final = 10.0
"""How wrong an evaluation is in the beginning."""


class Position(State, kw_only=True):
    """A draft that also knows, for every group of cards, the code of who has which of them."""

    worths: Worths
    codes: list[int]

    def copy(self) -> Position:
        """The same position, to be changed by itself."""
        return self.__replace__(codes=self.codes.copy())

    def play(self, move: Move) -> None:
        """Make a legal move of the seat whose turn it is."""
        seat = self.seat
        act(self, move)
        if TAKE <= move < GIVE_UP:
            self.count(move - TAKE, seat)

    def count(self, cell: int, seat: Seat) -> None:
        """The seat has taken a card."""
        for place in self.worths.places[cell]:
            self.codes[place.number] += place.digits[seat]

    def gain(self, cell: int, seat: Seat) -> float:
        """What a card is worth to a seat, with what it may cost and what may come with it."""
        gain = self.worths.gain(self.codes, cell, seat)
        lying = self.board[cell]
        if lying not in (FREE, STONE + seat):
            gain -= STONE_LOST
        return gain + UNKNOWN_LAW if self.deal.laws[cell] else gain


class Strategy:
    """How to play on from one observation; a `kk_core.bots.strategy.Strategy`."""

    def __init__(self, game: Game[State, Observation], observation: Observation) -> None:  # noqa: ARG002
        self._observation = observation
        self._turn = observation.turn
        self._seats = len(observation.supply)
        self._worths = worths_of(observation.faces, self._seats)

    def world(self, chance: Chance) -> Position:
        return self.position(determinise(self._observation, chance))

    def position(self, state: State) -> Position:
        """A state, to be changed."""
        codes = [0] * (len(COUNTRIES) + len(ROUTES) - 1)
        position = Position(*astuple(state), worths=self._worths, codes=codes)
        for cell, lying in enumerate(state.board):
            if lying >= TAKEN:
                position.count(cell, lying - TAKEN)
        return position

    def copy(self, position: Position) -> Position:
        return position.copy()

    def active(self, position: Position) -> tuple[Seat, ...]:
        return () if position.phase == OVER else (position.seat,)

    def legal(self, position: Position, seat: Seat) -> tuple[Move, ...]:  # noqa: ARG002
        return work_out_legal(position)

    def step(self, position: Position, seat: Seat, move: Move) -> None:  # noqa: ARG002
        position.play(move)

    # -- evaluation ------------------------------------------------------------------------------------------

    def expected(self, position: Position) -> Sequence[float]:
        points = self._worths.expected(position.codes)
        share = position.board.count(FREE) / CELLS
        for seat, hand in enumerate(position.hands):
            for law in hand:
                points[seat] += LAW_WORTH[law] * (1 if law == MINUS_TWO else share)
            if share:
                stones = position.supply[seat] - position.gone[seat]
                points[seat] += STONE_LEFT * stones * min(1, 2 * share)
                for cell in stones_of(position.board, seat):
                    points[seat] += GUARDED * self._worths.gain(position.codes, cell, seat)
        return points

    def spread(self, position: Position) -> float:
        return 1.5 + SPREAD * sqrt(position.board.count(FREE) / CELLS)

    # -- policy ----------------------------------------------------------------------------------------------

    def priors(self, position: Position, seat: Seat, moves: Sequence[Move]) -> list[float]:
        if position.phase == TAKING:
            values = self._takes(position, seat, moves)
        elif position.phase == STONE_STEP:
            values = self._stones(position, seat, moves)
        else:
            values = [-self._kept(position, seat, move) for move in moves]
        best = max(values)
        weights = [exp((value - best) / TEMPERATURE) for value in values]
        total = sum(weights)
        return [weight / total for weight in weights]

    def _kept(self, position: Position, seat: Seat, move: Move) -> float:
        """What the stone that a move gives up is worth."""
        return GUARD_FOR if move == GIVE_UP_SUPPLY else position.gain(move - GIVE_UP, seat)

    def _takes(self, position: Position, seat: Seat, moves: Sequence[Move]) -> list[float]:
        gains = {move - TAKE: position.gain(move - TAKE, seat) for move in moves if move >= TAKE}
        values = []
        for move in moves:
            if move >= TAKE:
                values.append(gains[move - TAKE] + FOLLOW * self._second(position, seat, move - TAKE, gains))
            elif move in (END_TAKING, SKIP):
                values.append(0.0)
            else:
                values.append(self._law(position, seat, move - PLAY_LAW))
        return values

    def _second(self, position: Position, seat: Seat, cell: int, gains: dict[int, float]) -> float:
        """The most that another card can gain in the same turn after this one."""
        faces = position.deal.faces
        room = position.limit - position.symbols - COST[faces[cell]]
        country = -1 if position.any_colour else COUNTRY[faces[cell]]
        more = 0.0
        for other, gain in gains.items():
            face = faces[other]
            if gain > more and other != cell and COST[face] <= room and country in (-1, COUNTRY[face]):
                more = gain
        for other in self._uncovered(position, cell):
            face = faces[other]
            if other not in gains and COST[face] <= room and country in (-1, COUNTRY[face]):
                more = max(more, position.gain(other, seat))
        return more

    def _uncovered(self, position: Position, cell: int) -> Iterator[int]:
        """The neighbours that are at an end once the card of a cell is taken."""
        if not position.deal.at_start_only:
            column, board = cell % COLUMNS, position.board
            if column and board[cell - 1] < TAKEN:
                yield cell - 1
            if column < COLUMNS - 1 and board[cell + 1] < TAKEN:
                yield cell + 1

    def _law(self, position: Position, seat: Seat, law: int) -> float:
        """The most that another card can gain which a law allows, less the law."""
        if law == TAKE_BACK_STONE:
            return GUARD_FOR
        if not position.taken:
            return -GUARD_FOR
        faces = position.deal.faces
        before = position.limit - position.symbols
        room = before + (law == THREE_SYMBOLS)
        own = COUNTRY[faces[position.taken[0]]]
        any_colour = position.any_colour or law == DIFFERENT_COLOURS
        more = -1.0
        for cell in position.ends:
            country, cost = COUNTRY[faces[cell]], COST[faces[cell]]
            is_new = cost > before or not (position.any_colour or country == own)
            if is_new and cost <= room and (any_colour or country == own):
                more = max(more, position.gain(cell, seat))
        return more - LAW_WORTH[law]

    def _stones(self, position: Position, seat: Seat, moves: Sequence[Move]) -> list[float]:
        worth = self._guarded(position, seat)
        values = []
        for move in moves:
            if move >= MOVE:
                start, target = divmod(move - MOVE, CELLS)
                values.append(worth.get(target, 0.0) - worth.get(start, 0.0))
            elif move >= PLACE:
                values.append(worth.get(move - PLACE, 0.0))
            else:
                values.append(GUARD_FOR + (move != PASS))
        return values

    def _guarded(self, position: Position, seat: Seat) -> dict[int, float]:
        """What a stone guards on each card near an end."""
        board = position.board
        worth: dict[int, float] = {}
        for first in range(0, CELLS, COLUMNS):
            row = [cell for cell in range(first, first + COLUMNS) if board[cell] < TAKEN]
            for depth, share in enumerate(DEPTH[: len(row)]):
                for cell in (row[depth], row[-1 - depth]):
                    if cell not in worth and board[cell] in (FREE, STONE + seat):
                        worth[cell] = share * self._worths.gain(position.codes, cell, seat)
        return worth

    # -- playing on ------------------------------------------------------------------------------------------

    def playout(self, position: Position, random: Random) -> None:
        rounds = ceil((position.turn - self._turn + TURNS) / self._seats)
        last = self._turn + rounds * self._seats
        while position.phase != OVER and position.turn < last:
            position.play(self._quick_move(position, random))

    def _quick_move(self, position: Position, random: Random) -> Move:
        if position.phase == STONE_STEP:
            return self._quick_stone(position)
        seat = position.seat
        if position.phase != TAKING:
            if position.supply[seat]:
                return GIVE_UP_SUPPLY
            return min(work_out_legal(position), key=lambda move: self._kept(position, seat, move))
        hand = position.hands[seat]
        if TAKE_BACK_STONE in hand and position.gone[seat]:
            return PLAY_LAW + TAKE_BACK_STONE
        if position.taken:
            return self._quick_further(position, hand)
        return self._quick_first(position, random)

    def _open(self, position: Position) -> Iterable[int]:
        """The ends that the seat can pay for."""
        if position.gone[position.seat] < STONES:
            return position.ends
        return [cell for cell in position.ends if position.board[cell] == FREE]

    def _quick_first(self, position: Position, random: Random) -> Move:
        """The card that gains most together with a second one."""
        seat, faces, noise = position.seat, position.deal.faces, random.random
        room, any_colour = position.limit, position.any_colour
        found = [
            (position.gain(cell, seat) + NOISE * noise(), cell, COUNTRY[faces[cell]], COST[faces[cell]])
            for cell in self._open(position)
        ]
        best, chosen = -100.0, SKIP
        for gain, cell, country, cost in found:
            more = 0.0
            for other, place, land, price in found:
                if (
                    other > more
                    and price + cost <= room
                    and place != cell
                    and (land == country or any_colour)
                ):
                    more = other
            if gain + more > best:
                best, chosen = gain + more, TAKE + cell
        return chosen

    def _quick_further(self, position: Position, hand: bytes) -> Move:
        """Another card, as long as one gains; a law, where it opens the way to a good one."""
        seat, faces = position.seat, position.deal.faces
        room, any_colour = position.limit - position.symbols, position.any_colour
        country = COUNTRY[faces[position.taken[0]]]
        best, chosen = MORE_FOR, END_TAKING
        for cell in self._open(position):
            face = faces[cell]
            if COST[face] <= room and (any_colour or COUNTRY[face] == country):
                gain = position.gain(cell, seat)
                if gain > best:
                    best, chosen = gain, TAKE + cell
        if hand and chosen == END_TAKING:
            for move in work_out_legal(position):
                if (
                    PLAY_LAW <= move < GIVE_UP_SUPPLY
                    and self._law(position, seat, move - PLAY_LAW) > MORE_FOR
                ):
                    return move
        return chosen

    def _quick_stone(self, position: Position) -> Move:
        """A stone on the best card at an end, where one may be placed."""
        seat, board = position.seat, position.board
        supply = position.supply[seat]
        best, chosen = GUARD_FOR, PASS
        if supply and STONES - supply - position.gone[seat] < position.deal.stone_limit:
            for cell in position.ends:
                if board[cell] == FREE:
                    gain = self._worths.gain(position.codes, cell, seat)
                    if gain > best:
                        best, chosen = gain, PLACE + cell
        return chosen

    # -- learning --------------------------------------------------------------------------------------------

    def keys(self, position: Position) -> Iterator[tuple[Key, tuple[int, ...], Seat]]:
        """What a table of averages is asked for, and which lines of the final sheet each key foretells."""
        return self._worths.keys(position.codes)
