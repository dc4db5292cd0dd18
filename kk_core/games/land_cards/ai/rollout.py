"""Turns in simulations, played by weights from the gains that positions cache.

With the greedy bot's weights they are its moves, found faster. The position has to use the gains of the
active player's weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from operator import mul
from typing import Final, TypeAlias

from kk_core.games.land_cards.ai.evaluation import PLAIN, Code, GainWeights, strong_weights
from kk_core.games.land_cards.ai.policy import Position
from kk_core.games.land_cards.layout import LIMIT, NEIGHBOURS, STONES, has_cards, row_ends, stones_of
from kk_core.games.land_cards.model import (
    CELLS,
    DIFFERENT_COLOURS,
    END_TAKING,
    FREE,
    GIVE_UP,
    GIVE_UP_SUPPLY,
    GIVING_UP,
    LAWS,
    MOVE,
    OVER,
    PASS,
    PLACE,
    PLAY_LAW,
    SKIP,
    STONE,
    STONE_STEP,
    TAKE,
    TAKE_BACK_STONE,
    TAKEN,
    THREE_SYMBOLS,
    played_laws,
)
from kk_core.types import Move, Seat

_NOTHING: Final = -100.0
_MUCH: Final = 100.0


Noise: TypeAlias = Callable[[], float]
"""A source of random numbers from 0 to 1."""

KEEN_NOISE: Final = 1.0
"""The points by which a good player misjudges cards at random, so that simulations differ and their mean says
more; the greedy bot does not.
"""


class TurnPlayer:
    """A player in simulations, with weights."""

    def __init__(self, weights: GainWeights, noise: float = 0.0) -> None:
        self._weights, self._noise = weights, noise
        self._unknown_law = lru_cache(maxsize=1024)(self._work_out_unknown_law)

    def play_turn(self, position: Position, noise: Noise) -> None:
        """Play on to the end of the turn."""
        turn = position.turn
        while position.turn == turn and position.phase != OVER:
            moves = self.moves(position, noise)
            position.play(moves[0] if len(moves) == 1 else moves[int(noise() * len(moves))])

    def moves(self, position: Position, noise: Noise) -> list[Move]:
        """Return the best moves by these weights, all equally good."""
        seat, phase = position.seat, position.phase
        if phase == GIVING_UP:
            return self._give_up(position, seat)
        if position.gone[seat] and TAKE_BACK_STONE in position.hands[seat] and has_cards(position.board):
            return [PLAY_LAW + TAKE_BACK_STONE]
        return self._stone(position, seat) if phase == STONE_STEP else self._take(position, seat, noise)

    # -- taking ----------------------------------------------------------------------------------------------

    def _take(self, position: Position, seat: Seat, noise: Noise) -> list[Move]:
        cells, room = _within_reach(position, seat), position.limit - position.symbols
        has_taken = bool(position.taken)
        best, chosen = self._weights.more_for if has_taken else _NOTHING, []
        countries, any_colour = position.worths.country, position.any_colour
        lands = [countries[cell] for cell in cells]
        for cell, land in zip(cells, lands, strict=True):
            plan = self._gain(position, seat, cell) + self._noise * noise()
            if any_colour or lands.count(land) > 1:
                plan += self._follow(position, seat, cell, cells, room, {})
            if plan > best:
                best, chosen = plan, [TAKE + cell]
            elif plan == best and chosen:
                chosen.append(TAKE + cell)
        if chosen:
            return chosen
        if not has_taken:
            return [SKIP]
        return [self._law_for_more(position, seat, room) if position.hands[seat] else END_TAKING]

    def _follow(
        self,
        position: Position,
        seat: Seat,
        first: int,
        cells: Sequence[int],
        room: int,
        codes: dict[int, Code],
    ) -> float:
        # the gain of the best cards to follow; `codes` are those that `first` and earlier cards have changed
        worths, any_colour = position.worths, position.any_colour
        countries, costs = worths.country, worths.cost
        room, country = room - costs[first], countries[first]
        follow = [
            cell
            for cell in cells
            if costs[cell] <= room and (any_colour or countries[cell] == country) and cell != first
        ]
        if not follow:
            return 0.0
        after = codes.copy()
        for number, digits in worths.counted[first]:
            after[number] = codes.get(number, position.codes[number]) + digits[seat]
        return max(
            0.0,
            *(
                self._gain(position, seat, cell, after)
                + self._follow(position, seat, cell, follow, room, after)
                for cell in follow
            ),
        )

    def _gain(self, position: Position, seat: Seat, cell: int, codes: dict[int, Code] | None = None) -> float:
        # with the card's law card, and the stone that it may cost
        country, place, route, _, _, law = position.worths.cards[seat][cell]
        if codes is None:
            gain = position.gain(cell, seat)
        else:
            gains, held = position.gains, position.codes
            of_country, of_route = codes.get(country, held[country]), codes.get(route, held[route])
            gain = gains[country].at(place, of_country) + gains[route].at(seat, of_route)
        if law:
            gain += self._unknown_law(
                position.deal.laws, played_laws(position.law_log) + position.hands[seat]
            )
        lying = position.board[cell]
        return gain - self._weights.stone_lost if lying != FREE and lying != STONE + seat else gain

    def _law_for_more(self, position: Position, seat: Seat, room: int) -> Move:
        """Return a law that allows one more good card, or `END_TAKING`."""
        hand, board, worths = position.hands[seat], position.board, position.worths
        laws = []
        if DIFFERENT_COLOURS in hand and not position.any_colour:
            laws.append((DIFFERENT_COLOURS, room, True))
        if THREE_SYMBOLS in hand and position.limit == LIMIT:
            laws.append((THREE_SYMBOLS, room + 1, position.any_colour))
        if not laws or not position.ends:
            return END_TAKING
        ends, country = row_ends(board), worths.country[position.taken[-1]]
        for law, more_room, any_colour in laws:
            for cell in ends:
                fits = worths.cost[cell] <= more_room and (any_colour or worths.country[cell] == country)
                is_free = board[cell] in (FREE, STONE + seat)
                if fits and is_free and self._gain(position, seat, cell) > self._weights.play_law_for:
                    return PLAY_LAW + law
        return END_TAKING

    # -- stones ----------------------------------------------------------------------------------------------

    def _give_up(self, position: Position, seat: Seat) -> list[Move]:
        least = self._weights.guard_for if position.supply[seat] else _MUCH
        chosen = [GIVE_UP_SUPPLY] if position.supply[seat] else []
        for cell in stones_of(position.board, seat):
            worth = position.gain(cell, seat)
            if worth < least:
                least, chosen = worth, [GIVE_UP + cell]
            elif worth == least:
                chosen.append(GIVE_UP + cell)
        return chosen

    def _stone(self, position: Position, seat: Seat) -> list[Move]:
        """Guard the best card at or next to an end, if that is worth it."""
        board, supply = position.board, position.supply[seat]
        may_place = supply and STONES - supply - position.gone[seat] < position.deal.stone_limit
        own = [] if may_place else stones_of(board, seat)
        if not (may_place or own):
            return [PASS]
        worths = self._guarded(position, seat)
        best, chosen = self._weights.guard_for if may_place else self._weights.move_for, [PASS]
        for start in own or (-1,):
            lost = worths.get(start, 0.0)
            first = MOVE + start * CELLS if own else PLACE
            for cell, worth in worths.items():
                if board[cell] == FREE:
                    if worth - lost > best:
                        best, chosen = worth - lost, [first + cell]
                    elif worth - lost == best:
                        chosen.append(first + cell)
        return chosen

    def _guarded(self, position: Position, seat: Seat) -> dict[int, float]:
        board, share = position.board, self._weights.next_to_end
        ends = row_ends(board) if position.deal.at_start_only else position.ends
        worths = {cell: position.gain(cell, seat) for cell in ends}
        return worths | {cell: share * position.gain(cell, seat) for cell in _next_to(board, ends)}

    def _work_out_unknown_law(self, laws: bytes, seen: bytes) -> float:
        # the mean over the kinds that are not in `seen`; `laws` are the deal's by cell
        unseen = [laws.count(1 + kind) - seen.count(kind) for kind in range(len(LAWS))]
        worth: float = sum(map(mul, self._weights.laws, unseen))
        return worth / max(1, sum(unseen))


def _next_to(board: bytes, ends: bytes) -> list[int]:
    return [near for cell in ends for near in NEIGHBOURS[cell] if board[near] < TAKEN and near not in ends]


def _within_reach(position: Position, seat: Seat) -> bytes | list[int]:
    board, ends = position.board, position.ends
    can_pay = position.gone[seat] < STONES
    if not position.taken:
        return ends if can_pay else [cell for cell in ends if board[cell] == FREE]
    countries, costs, any_colour = position.worths.country, position.worths.cost, position.any_colour
    room, country = position.limit - position.symbols, countries[position.taken[0]]
    return [
        cell
        for cell in ends
        if costs[cell] <= room
        and (any_colour or countries[cell] == country)
        and (can_pay or board[cell] == FREE)
    ]


PLAIN_PLAYER: Final = TurnPlayer(PLAIN)


@cache
def keen_player() -> TurnPlayer:
    """Return a good player, with learned weights."""
    return TurnPlayer(strong_weights(), KEEN_NOISE)
