"""Positions for the search, quick play in simulations, and quick ratings of moves in points."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from kk_core.games.land_cards.ai.evaluation import GroupGains, Worths
from kk_core.games.land_cards.layout import LIMIT, STONES
from kk_core.games.land_cards.model import (
    CELLS,
    COLUMNS,
    DIFFERENT_COLOURS,
    END_TAKING,
    FREE,
    GIVE_UP,
    GIVE_UP_SUPPLY,
    GIVING_UP,
    MINUS_TWO,
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
    TAKING,
    THREE_SYMBOLS,
)
from kk_core.games.land_cards.rules import (
    act,
    end_taking,
    end_turn,
    give_up_from_supply,
    place,
    take,
    work_out_legal,
)
from kk_core.games.land_cards.state import Draft, State
from kk_core.types import Move, Seat

# in points; measured by letting the bots play against each other
STONE_LOST: Final = 2.0


# -- positions -----------------------------------------------------------------------------------------------


class Position(Draft):
    """A draft that also caches, for every group of cards, the code of who has what, and its row of gains.

    The gains are the expected final ones, or others set by `look_by`. The seats in `plain` are assumed to be
    plain players in this world, who do what the greedy bot does.
    """

    __slots__ = ("codes", "gains", "plain", "rows", "worths")

    def __init__(self, state: State, worths: Worths) -> None:
        self.fill(state)
        self.worths = worths
        self.plain = b""
        self.codes = [0] * len(worths.groups)
        self.gains = worths.gains
        self.rows = [gains.rows[0] for gains in self.gains]
        for cell, lying in enumerate(state.board):
            if lying >= TAKEN:
                self._count(cell, lying - TAKEN)

    def copy(self) -> Position:
        """Return an independent copy."""
        # written out for speed, since every simulation begins with a copy
        made = _new(Position)
        made.deal, made.worths = self.deal, self.worths
        made.board, made.ends, made.taken = self.board, self.ends, self.taken
        made.supply, made.gone, made.hands = self.supply, self.gone, self.hands
        made.law_log, made.events = self.law_log, ()
        made.phase, made.seat, made.turn = self.phase, self.seat, self.turn
        made.symbols, made.limit, made.any_colour = self.symbols, self.limit, self.any_colour
        made.codes, made.gains, made.rows = self.codes[:], self.gains, self.rows[:]
        made.plain = self.plain
        return made

    def look_by(self, gains: list[GroupGains]) -> None:
        """Use these gains from now on: the expected final, plain or keen ones."""
        if gains is not self.gains:
            self.gains = gains
            self.rows = [known.rows[code] for known, code in zip(gains, self.codes, strict=True)]

    def play(self, move: Move) -> None:
        """Make a legal move of the active seat."""
        if TAKE <= move < GIVE_UP:
            self.take(move - TAKE)
        else:
            act(self, move)

    def take(self, cell: int) -> None:
        """Take a card for the active seat."""
        seat = self.seat
        take(self, cell)
        self._count(cell, seat)

    def _count(self, cell: int, seat: Seat) -> None:
        gains, codes = self.gains, self.codes
        for number, digits in self.worths.counted[cell]:
            code = codes[number] = codes[number] + digits[seat]
            self.rows[number] = gains[number].rows[code]

    def gain(self, cell: int, seat: Seat) -> float:
        """Return a seat's gain, relative to the others, by taking a cell's card."""
        country, place, route, _, _, _ = self.worths.cards[seat][cell]
        gain: float | None = self.rows[country][place]
        more: float | None = self.rows[route][seat]
        if gain is None:
            gain = self.gains[country].at(place, self.codes[country])
        if more is None:
            more = self.gains[route].at(seat, self.codes[route])
        return gain + more

    def net_gain(self, cell: int, seat: Seat) -> float:
        """Return the same, with the card's law card and the stone that it may cost."""
        gain = self.gain(cell, seat) + self.worths.cards[seat][cell][5]
        return gain if self.board[cell] in (FREE, STONE + seat) else gain - STONE_LOST


_new = Position.__new__


# -- quick play ----------------------------------------------------------------------------------------------


# in points; measured by letting the bots play against each other
NOISE: Final = 1.0
"""The points by which the first card of a turn is misjudged at random."""
MORE_FOR: Final = 0.3
"""The least gain of another card in a turn."""
GUARD_FOR: Final = 1.5
"""The least gain of a card that is worth a stone."""
LAW_WORTH: Final = {TAKE_BACK_STONE: 1.0, THREE_SYMBOLS: 2.0, DIFFERENT_COLOURS: 2.5, MINUS_TWO: -2.0}

_NOTHING: Final = -100.0
_NEVER: Final = 1000.0


def go_on(position: Position, noise: Callable[[], float]) -> None:
    """Play on to the end of the turn; `noise` gives random numbers from 0 to 1."""
    seat = position.seat
    if position.phase == TAKING and not position.taken:
        hand = position.hands[seat]
        if position.gone[seat] and TAKE_BACK_STONE in hand:
            act(position, PLAY_LAW + TAKE_BACK_STONE)
        cell = _first_card(position, seat, noise)
        if cell < 0:
            end_turn(position)
            return
        position.take(cell)
    while position.phase != STONE_STEP:
        if position.phase == GIVING_UP:
            _give_up(position, seat)
        else:
            _take_more(position, seat)
        if position.phase == OVER:
            return
    cell = _guarded_card(position, seat)
    if cell < 0:
        end_turn(position)
    else:
        place(position, cell)


def _give_up(position: Position, seat: Seat) -> None:
    if position.supply[seat]:
        give_up_from_supply(position)
    else:
        act(position, min(work_out_legal(position), key=lambda move: kept(position, seat, move)))


def kept(position: Position, seat: Seat, move: Move) -> float:
    """Return the worth of the stone that a move gives up."""
    return GUARD_FOR if move == GIVE_UP_SUPPLY else position.net_gain(move - GIVE_UP, seat)


def _first_card(position: Position, seat: Seat, noise: Callable[[], float]) -> int:
    # -1 if no card can be taken; looks at pairs, too, since a card may be best only with a second one
    rows, cards, board, ends = position.rows, position.worths.cards[seat], position.board, position.ends
    own, room, any_colour = STONE + seat, position.limit, position.any_colour
    seen = 0
    gains: list[float] = []
    best, chosen = _NOTHING, -1
    for cell in ends:
        country, place, route, cost, bit, extra = cards[cell]
        try:
            gain = rows[country][place] + rows[route][seat] + extra + NOISE * noise()
        except TypeError:  # one of them is None: not computed yet
            gain = position.gain(cell, seat) + extra + NOISE * noise()
        lying = board[cell]
        if lying and lying != own:
            # without a stone left to give up, a card under another's stone cannot be taken at all
            gain -= STONE_LOST if position.gone[seat] < STONES else _NEVER
        if gain > best:
            best, chosen = gain, cell
        if seen & bit or any_colour:
            # `gains` has only the cells before this one, so each pair is tried once
            for other, more in zip(ends, gains, strict=False):
                if more + gain > best:
                    second = cards[other]
                    if (second[0] == country or any_colour) and second[3] + cost <= room:
                        best, chosen = more + gain, cell
        # the countries so far, to skip the inner loop unless two cards are of the same one
        seen |= bit
        gains.append(gain)
    return chosen


def _take_more(position: Position, seat: Seat) -> None:
    # takes another card if one gains; plays a law if that allows a good one; or else ends taking
    worths, board = position.worths, position.board
    room, any_colour = position.limit - position.symbols, position.any_colour
    countries, costs = worths.country, worths.cost
    country = countries[position.taken[0]]
    best, chosen = MORE_FOR, -1
    for cell in position.ends:
        if (countries[cell] == country or any_colour) and costs[cell] <= room:
            gain = position.net_gain(cell, seat)
            if gain > best and (not board[cell] or position.gone[seat] < STONES):
                best, chosen = gain, cell
    if chosen >= 0:
        position.take(chosen)
        return
    hand = position.hands[seat]
    if hand and (law := _good_law(position, seat, hand)) is not None:
        act(position, PLAY_LAW + law)
    else:
        end_taking(position)


def _good_law(position: Position, seat: Seat, hand: bytes) -> int | None:
    if (
        THREE_SYMBOLS in hand
        and position.limit == LIMIT
        and law_gain(position, seat, THREE_SYMBOLS) > MORE_FOR
    ):
        return THREE_SYMBOLS
    if DIFFERENT_COLOURS in hand and law_gain(position, seat, DIFFERENT_COLOURS) > MORE_FOR:
        return DIFFERENT_COLOURS
    return None


def law_gain(position: Position, seat: Seat, law: int) -> float:
    """Return the greatest gain of another card that a law about taking would allow, less the law's worth.

    Only for use after the first card of a turn.
    """
    worths = position.worths
    before = position.limit - position.symbols
    room = before + (law == THREE_SYMBOLS)
    own = worths.country[position.taken[0]]
    any_colour = position.any_colour or law == DIFFERENT_COLOURS
    can_pay = position.gone[seat] < STONES
    more = -1.0
    for cell in position.ends:
        country, cost = worths.country[cell], worths.cost[cell]
        is_new = cost > before or not (position.any_colour or country == own)
        is_allowed = cost <= room and (any_colour or country == own)
        if is_new and is_allowed and (can_pay or position.board[cell] == FREE):
            more = max(more, position.net_gain(cell, seat))
    return more - LAW_WORTH[law]


def _guarded_card(position: Position, seat: Seat) -> int:
    # -1 if no stone may be placed, or no card is worth one
    supply, chosen = position.supply[seat], -1
    if supply and STONES - supply - position.gone[seat] < position.deal.stone_limit:
        rows, cards, board, best = position.rows, position.worths.cards[seat], position.board, GUARD_FOR
        for cell in position.ends:
            if not board[cell]:
                country, place, route, _, _, _ = cards[cell]
                try:
                    gain = rows[country][place] + rows[route][seat]
                except TypeError:  # not computed yet
                    gain = position.gain(cell, seat)
                if gain > best:
                    best, chosen = gain, cell
    return chosen


# -- moves at first sight ------------------------------------------------------------------------------------


FOLLOW: Final = 0.9
"""The weight of a turn's second card in the choice of the first."""
DEPTH: Final = (1.0, 1.0, 0.6)
"""The weight of a guarded card, by its distance from the end of its row."""


def values(position: Position, moves: Sequence[Move]) -> list[float | None]:
    """Rate every legal move in points; None for moves that nobody would make."""
    if position.phase == TAKING:
        return _takes(position, moves)
    if position.phase == STONE_STEP:
        return _stones(position, moves)
    return [-kept(position, position.seat, move) for move in moves]


def _takes(position: Position, moves: Sequence[Move]) -> list[float | None]:
    seat = position.seat
    gains = {move - TAKE: position.net_gain(move - TAKE, seat) for move in moves if move >= TAKE}
    found: list[float | None] = []
    for move in moves:
        if move >= TAKE:
            found.append(gains[move - TAKE] + FOLLOW * _second(position, move - TAKE, gains))
        elif move in (END_TAKING, SKIP):
            found.append(0.0)
        else:
            found.append(_law(position, move - PLAY_LAW))
    return found


def _second(position: Position, cell: int, gains: dict[int, float]) -> float:
    countries, costs = position.worths.country, position.worths.cost
    room = position.limit - position.symbols - costs[cell]
    country, any_colour = countries[cell], position.any_colour
    more = 0.0
    for other, gain in gains.items():
        fits = (any_colour or countries[other] == country) and costs[other] <= room
        if fits and gain > more and other != cell:
            more = gain
    for other in _uncovered(position, cell):
        if (any_colour or countries[other] == country) and costs[other] <= room and other not in gains:
            more = max(more, position.net_gain(other, position.seat))
    return more


def _uncovered(position: Position, cell: int) -> Iterator[int]:
    if not position.deal.at_start_only:
        column, board = cell % COLUMNS, position.board
        if column and board[cell - 1] < TAKEN:
            yield cell - 1
        if column < COLUMNS - 1 and board[cell + 1] < TAKEN:
            yield cell + 1


def _law(position: Position, law: int) -> float:
    if law == TAKE_BACK_STONE:
        return GUARD_FOR
    return law_gain(position, position.seat, law) if position.taken else -GUARD_FOR


def _stones(position: Position, moves: Sequence[Move]) -> list[float | None]:
    worth = _guarded(position)
    found: list[float | None] = []
    for move in moves:
        if move >= MOVE:
            start, target = divmod(move - MOVE, CELLS)
            more = worth.get(target, 0.0) - worth.get(start, 0.0)
            found.append(more if more > 0 else None)
        elif move >= PLACE:
            found.append(worth.get(move - PLACE))
        else:
            found.append(GUARD_FOR + (move != PASS))
    return found


def _guarded(position: Position) -> dict[int, float]:
    seat, board = position.seat, position.board
    worth: dict[int, float] = {}
    for first in range(0, CELLS, COLUMNS):
        row = [cell for cell in range(first, first + COLUMNS) if board[cell] < TAKEN]
        for share, left, right in zip(DEPTH, row, reversed(row), strict=False):
            for cell in (left, right):
                if cell not in worth and board[cell] in (FREE, STONE + seat):
                    gain = position.gain(cell, seat)
                    if gain > 0:
                        worth[cell] = share * gain
    return worth
