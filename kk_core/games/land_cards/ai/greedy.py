"""The greedy player of the card game, which takes what gains most now; it sees an observation only.

It rates every card by what it adds to its own points and takes from the others'. The more cards of a country
are taken, the more its current points count; before that, having its cards counts. Unfinished chains and law
cards add something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import msgspec

from kk_core.chance import Chance
from kk_core.games.land_cards.model import (
    CELLS,
    CHAIN,
    COLUMNS,
    DIFFERENT_COLOURS,
    FREE,
    GIVING_UP,
    MINUS_TWO,
    STONE,
    STONE_STEP,
    TAKE_BACK_STONE,
    TAKEN,
    THREE_SYMBOLS,
    AnyMove,
    EndTaking,
    GiveUp,
    MoveStone,
    Observation,
    PlaceStone,
    PlayLaw,
    Take,
    country_of,
    read,
    route_of,
    symbols_of,
)
from kk_core.games.land_cards.scoring import CardCounts, count_cards, land_points, symbol_points
from kk_core.types import Move, Seat

T = TypeVar("T")

CARD: Final = 2.0
"""The worth of one more card of a country of which no card is taken yet."""

SYMBOL: Final = 0.3
"""The worth of one more symbol of the seat's best type, likewise."""

STONE_LOST: Final = 2.0
LAW_WORTH: Final = {TAKE_BACK_STONE: 1.0, THREE_SYMBOLS: 2.0, DIFFERENT_COLOURS: 2.5, MINUS_TWO: -2.0}
PLAY_LAW_FOR: Final = 3.0
"""The least gain of another card that is worth playing a law card."""

GUARD_FOR: Final = 1.5
"""The least gain of a card that is worth a stone."""


class _Sight(msgspec.Struct, frozen=True, gc=False):
    """An observation with its card counts, which are changed temporarily to try a card."""

    observation: Observation
    me: Seat
    counts: CardCounts


def choose(observation: Observation, chance: Chance) -> Move:
    """Choose one of the legal moves of the observation's viewer."""
    moves = observation.legal_moves
    if len(moves) == 1 or observation.viewer is None:
        return moves[0]
    choices = [read(move) for move in moves]
    if PlayLaw(TAKE_BACK_STONE) in choices:
        return PlayLaw(TAKE_BACK_STONE).move
    counts = count_cards(observation.faces, observation.board, len(observation.supply))
    sight = _Sight(observation, observation.viewer, counts)
    if observation.phase == GIVING_UP:
        return _best(choices, lambda choice: -_worth_of_stone(sight, choice), chance).move
    if observation.phase == STONE_STEP:
        return _stone(sight, choices, chance).move
    return _take_or_law(sight, choices, chance).move


def _best(things: Sequence[T], worth: Callable[[T], float], chance: Chance) -> T:
    # chance decides between equals
    values = [worth(thing) for thing in things]
    best = max(values)
    equals = [thing for thing, value in zip(things, values, strict=True) if value == best]
    return equals[chance.below(len(equals))] if len(equals) > 1 else equals[0]


# -- taking --------------------------------------------------------------------------------------------------


def _take_or_law(sight: _Sight, choices: Sequence[AnyMove], chance: Chance) -> AnyMove:
    cells = [choice.cell for choice in choices if isinstance(choice, Take)]
    room = sight.observation.symbol_limit - sight.observation.symbols

    def plan(cell: int) -> float:
        return _plan(sight, cell, cells, room)

    if cells:
        best = _best(cells, plan, chance)
        if EndTaking() not in choices or plan(best) > 0:
            return Take(best)
    return _law_for_more(sight, choices, room)


def _plan(sight: _Sight, cell: int, cells: Sequence[int], room: int) -> float:
    # includes the best cards that may follow in the same turn
    observation = sight.observation
    gain = _gain(sight, cell)
    face = observation.faces[cell]
    room -= len(symbols_of(face))
    follow = [
        other
        for other in cells
        if other != cell
        and len(symbols_of(observation.faces[other])) <= room
        and (observation.any_colour or country_of(observation.faces[other]) == country_of(face))
    ]
    if not follow:
        return gain
    _count(sight, face, 1)
    gain += max(0.0, *(_plan(sight, other, follow, room) for other in follow))
    _count(sight, face, -1)
    return gain


def _law_for_more(sight: _Sight, choices: Sequence[AnyMove], room: int) -> AnyMove:
    """Return a law that allows one more good card, or `EndTaking`."""
    observation = sight.observation
    country = country_of(observation.faces[observation.taken[-1]])
    for law, more, any_colour in ((DIFFERENT_COLOURS, 0, True), (THREE_SYMBOLS, 1, observation.any_colour)):
        if PlayLaw(law) not in choices:
            continue
        for cell in _row_ends(observation.board):
            face = observation.faces[cell]
            fits = len(symbols_of(face)) <= room + more and (any_colour or country_of(face) == country)
            is_free = observation.board[cell] in (FREE, STONE + sight.me)
            if fits and is_free and _gain(sight, cell) > PLAY_LAW_FOR:
                return PlayLaw(law)
    return EndTaking()


# -- stones --------------------------------------------------------------------------------------------------


def _stone(sight: _Sight, choices: Sequence[AnyMove], chance: Chance) -> AnyMove:
    """Guard the best card at or next to an end, if that is worth it."""
    worth = {cell: _guarded(sight, cell) for cell in _near_ends(sight.observation.board)}

    def gain(choice: AnyMove) -> float:
        match choice:
            case PlaceStone(cell):
                return worth.get(cell, 0.0)
            case MoveStone(start, target):
                return worth.get(target, 0.0) - worth.get(start, 0.0)
        return GUARD_FOR

    return _best(choices, gain, chance)


def _worth_of_stone(sight: _Sight, choice: AnyMove) -> float:
    match choice:
        case GiveUp(int(cell)):
            return _guarded(sight, cell)
    return GUARD_FOR


def _guarded(sight: _Sight, cell: int) -> float:
    # the card's gain once it is reached; its stone then costs the owner nothing
    return _gain_of_face(sight, sight.observation.faces[cell])


# -- worth of cards ------------------------------------------------------------------------------------------


def _gain(sight: _Sight, cell: int) -> float:
    # with the card's law card, and the stone that it may cost
    observation = sight.observation
    gain = _gain_of_face(sight, observation.faces[cell])
    if cell in observation.law_cells:
        gain += _worth_of_unknown_law(observation)
    if observation.board[cell] not in (FREE, STONE + sight.me):
        gain -= STONE_LOST
    return gain


def _worth_of_unknown_law(observation: Observation) -> float:
    unseen = Counter(observation.printed.laws)
    unseen.subtract(observation.played + b"".join(observation.hands))
    return sum(LAW_WORTH[kind] * count for kind, count in unseen.items()) / unseen.total()


def _gain_of_face(sight: _Sight, face: int) -> float:
    before = _worth(sight, face)
    _count(sight, face, 1)
    after = _worth(sight, face)
    _count(sight, face, -1)
    return after - before


def _count(sight: _Sight, face: int, change: int) -> None:
    counts, me, country = sight.counts, sight.me, country_of(face)
    counts.lands[country][me] += change
    for symbol in symbols_of(face):
        counts.symbols[country][me][symbol] += change
    if route := route_of(face):
        (counts.ships, counts.carriages)[route - 1][me] += change


def _worth(sight: _Sight, face: int) -> float:
    counts, me, country = sight.counts, sight.me, country_of(face)
    symbols, total = counts.symbols[country], counts.totals[country]
    (worth,) = worths_of_country(counts.lands[country], symbols, total, (me,))
    if route := route_of(face):
        worth += worth_of_chain((counts.ships, counts.carriages)[route - 1][me])
    return worth


def worths_of_country(
    lands: Sequence[int], symbols: Sequence[Sequence[int]], total: int, whose: Sequence[Seat]
) -> list[float]:
    """Return a country's worth to each of `whose`, from all seats' cards and symbols by type."""
    settled = sum(lands) / total
    cards, signs = land_points(lands, total), symbol_points(symbols)
    return [
        settled * (_lead(cards, seat) + _lead(signs, seat))
        + (1 - settled) * (CARD * lands[seat] + SYMBOL * max(symbols[seat], default=0))
        for seat in whose
    ]


def worth_of_chain(count: int) -> float:
    """Return the worth of `count` ships, or carriages."""
    return float(count) if count >= CHAIN else count * count / (2 * CHAIN)


def _lead(points: Sequence[int], me: Seat) -> float:
    return points[me] - (sum(points) - points[me]) / (len(points) - 1)


# -- the layout ----------------------------------------------------------------------------------------------


def _row_ends(board: bytes) -> list[int]:
    return sorted({row[i] for row in _rows(board) if row for i in (0, -1)})


def _near_ends(board: bytes) -> list[int]:
    return sorted({cell for row in _rows(board) for cell in (*row[:2], *row[-2:])})


def _rows(board: bytes) -> list[list[int]]:
    return [
        [cell for cell in range(first, first + COLUMNS) if board[cell] < TAKEN]
        for first in range(0, CELLS, COLUMNS)
    ]
