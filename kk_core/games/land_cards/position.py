"""A position of the card game for bots: a draft that also knows what every card would gain whom."""

from __future__ import annotations

from typing import Final

from kk_core.games.land_cards.model import FREE, GIVE_UP, STONE, TAKE, TAKEN
from kk_core.games.land_cards.moves import act, take
from kk_core.games.land_cards.state import Draft, State
from kk_core.games.land_cards.worth import Gains, Worths
from kk_core.types import Move, Seat

# In points; measured by letting the bots play against each other.
STONE_LOST: Final = 2.0


class Position(Draft):
    """Has, for every group of cards, the code of who has what of it, and the row of gains of that code.

    The gains are those that count in the end, or the plain ones of who looks at what lies there now. Who is
    among the seats `plain` is taken for a plain player here: he does what the greedy bot does.
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
        """The same position, to be changed by itself."""
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

    def look_by(self, gains: list[Gains]) -> None:
        """From now on by these gains, those of the end or the plain ones."""
        if gains is not self.gains:
            self.gains = gains
            self.rows = [known.rows[code] for known, code in zip(gains, self.codes, strict=True)]

    def play(self, move: Move) -> None:
        """Make a legal move of the seat whose turn it is."""
        if TAKE <= move < GIVE_UP:
            self.take(move - TAKE)
        else:
            act(self, move)

    def take(self, cell: int) -> None:
        """The seat whose turn it is takes a card."""
        seat = self.seat
        take(self, cell)
        self._count(cell, seat)

    def _count(self, cell: int, seat: Seat) -> None:
        gains, codes = self.gains, self.codes
        for number, digits in self.worths.counted[cell]:
            code = codes[number] = codes[number] + digits[seat]
            self.rows[number] = gains[number].rows[code]

    def gain(self, cell: int, seat: Seat) -> float:
        """What it is worth to a seat to take a card, over the others."""
        country, place, route, _, _, _ = self.worths.cards[seat][cell]
        gain: float | None = self.rows[country][place]
        more: float | None = self.rows[route][seat]
        if gain is None:
            gain = self.gains[country].at(place, self.codes[country])
        if more is None:
            more = self.gains[route].at(seat, self.codes[route])
        return gain + more

    def net_gain(self, cell: int, seat: Seat) -> float:
        """The same, with what the card may cost and what may come with it."""
        gain = self.gain(cell, seat) + self.worths.cards[seat][cell][5]
        return gain if self.board[cell] in (FREE, STONE + seat) else gain - STONE_LOST


_new = Position.__new__
