"""A position of the board game for bots: a draft that also knows what one more piece gains whom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Final

from kk_core.games.web_of_power.model import (
    ADVISOR,
    ADVISOR_STRIDE,
    CARD_COUNTRIES,
    CLOISTER,
    CLOISTER_OF,
    CLOISTER_STRIDE,
    COUNTRIES,
    FREE,
    OVER,
    Printed,
)
from kk_core.games.web_of_power.moves import Moves
from kk_core.games.web_of_power.state import Draft, State
from kk_core.games.web_of_power.worth import (
    LAST_ROUND_STAGE,
    OVER_STAGE,
    SECOND_HALF,
    Code,
    Spaces,
    alliances_of,
    chains_of,
    code_of,
    countries_of,
    digit,
)
from kk_core.types import Move, Seat

STAGE_CARDS: Final = 10
"""With so many cards fewer in the pile another stage begins."""


class Tables:
    """What never changes on a map with so many seats: for every country its spaces as a set and its allies;
    and what is known of the worth of pieces, in countries for every stage.
    """

    def __init__(self, land: Printed, seats: int) -> None:
        self.land, self.seats = land, seats
        self.sets = [sum(1 << space for space in own) for own in land.spaces_of]
        self.named = [sum(self.sets[country] for country in named) for named in CARD_COUNTRIES]
        self.chains = chains_of(land.neighbours)
        sizes = list(map(len, land.spaces_of))
        self.stages = [[countries_of(n, seats, stage) for n in sizes] for stage in range(OVER_STAGE + 1)]
        self.gains = [[known.gains for known in self.stages[half]] for half in (0, SECOND_HALF)]
        self.court_gains = alliances_of(seats, 0).gains
        self.courts_of = [_with_allies(land.alliances, country) for country in range(len(COUNTRIES))]


tables_of = lru_cache(maxsize=16)(Tables)


class Position(Draft):
    """Has the pieces of every country as codes, of every seat its spaces, their neighbours and how they hang
    together, and the free spaces.
    """

    __slots__ = ("borders", "counts", "courts", "free", "moves", "parts", "spaces", "tables")

    def __init__(self, state: State, moves: Moves, tables: Tables) -> None:
        super().__init__(state)
        self.moves, self.tables = moves, tables
        firsts = range(0, len(state.cloisters), tables.seats)
        self.counts = [code_of(state.cloisters[first : first + tables.seats]) for first in firsts]
        self.courts = [code_of(state.advisors[first : first + tables.seats]) for first in firsts]
        self.spaces = [_spaces(state.board, CLOISTER_OF + seat) for seat in range(tables.seats)]
        self.borders = [tables.chains.around(own) for own in self.spaces]
        self.parts = [tables.chains.parts(own) for own in self.spaces]
        self.free = _spaces(state.board, FREE)

    def copy(self) -> Position:
        """The same position, to be changed by itself."""
        made = _new(Position)
        made.deal, made.moves, made.tables = self.deal, self.moves, self.tables
        made.turn, made.phase, made.begun = self.turn, self.phase, self.begun
        made.begun_empty, made.placed, made.room = self.begun_empty, self.placed, self.room
        made.board, made.cloisters, made.advisors = self.board, self.cloisters, self.advisors
        made.cloisters_left, made.advisors_left = self.cloisters_left, self.advisors_left
        made.hands, made.pile, made.face_up = self.hands, self.pile, self.face_up
        made.discards, made.position, made.pile_runs = self.discards, self.position, self.pile_runs
        made.interim, made.shown, made.old = self.interim, self.shown, self.old
        made.since, made.events = self.since, ()
        made.counts, made.courts = self.counts[:], self.courts[:]
        made.spaces, made.borders, made.free = self.spaces[:], self.borders[:], self.free
        made.parts = self.parts[:]
        return made

    def play(self, seat: Seat, move: Move) -> None:
        """Make a legal move."""
        if move >= CLOISTER:
            self.place_cloister(seat, *divmod(move - CLOISTER, CLOISTER_STRIDE))
        elif move >= ADVISOR:
            self.place_advisor(seat, *divmod(move - ADVISOR, ADVISOR_STRIDE))
        else:
            self.moves.act(self, seat, move)

    def place_cloister(self, seat: Seat, payment: int, space: int) -> None:
        """The seat places a cloister."""
        self.moves.place_cloister(self, seat, payment, space)
        self.counts[self.begun] += digit(seat)
        self.spaces[seat] |= 1 << space
        self.borders[seat] |= self.tables.chains.near[space]
        self.parts[seat] = self.tables.chains.grown(self.parts[seat], space)
        self.free ^= 1 << space

    def place_advisor(self, seat: Seat, payment: int, country: int) -> None:
        """The seat places an advisor."""
        self.moves.place_advisor(self, seat, payment, country)
        self.courts[country] += digit(seat)

    def stage(self) -> int:
        """0 to 3 before the interim scoring, 4 to 7 after it, 8 in the last round; then OVER_STAGE."""
        if self.phase == OVER:
            return OVER_STAGE
        if self.pile_runs > 1:
            return LAST_ROUND_STAGE
        if not self.pile_runs:
            return max(0, SECOND_HALF - 1 - len(self.pile) // STAGE_CARDS)
        if not self.interim:
            return SECOND_HALF - 1
        return max(SECOND_HALF, LAST_ROUND_STAGE - 1 - len(self.pile) // STAGE_CARDS)

    def open_kinds(self) -> int:
        """The kinds of cards that name a country with free spaces."""
        free, kinds = self.free, 0
        for kind, spaces in enumerate(self.tables.named):
            if free & spaces:
                kinds |= 1 << kind
        return kinds

    def country_gain(self, country: int, seat: Seat) -> float:
        """What a cloister more in a country scores, over the others, wherever it stands."""
        return self.tables.gains[self.interim != b""][country][self.counts[country]][seat]

    def best_space(self, country: int, seat: Seat) -> tuple[float, int]:
        """What lines a cloister more makes in a country, at most, and on which free space (or -1)."""
        free = self.free & self.tables.sets[country]
        touching = free & self.borders[seat]
        if not touching:
            return 0.0, (free & -free).bit_length() - 1
        found = self.tables.chains.bests.get((self.spaces[seat], touching))
        return found or self.best_line(seat, touching)

    def best_line(self, seat: Seat, touching: Spaces) -> tuple[float, int]:
        """The same on one of some spaces that touch own ones; not looked up."""
        return self.tables.chains.best(self.spaces[seat], self.parts[seat], touching)

    def advisor_gain(self, country: int, seat: Seat) -> float:
        """What an advisor more in a country is worth."""
        return self.tables.court_gains[self.tables.courts_of[country](self.courts)][seat]


def _with_allies(
    alliances: Sequence[tuple[int, int]], country: int
) -> Callable[[Sequence[Code]], tuple[Code, ...]]:
    """Picks a country's figure of a list, and then those of its allies."""
    allies = [b if a == country else a for a, b in alliances if country in (a, b)]
    return itemgetter(country, *allies) if allies else lambda figures: (figures[country],)


def _spaces(board: bytes, lying: int) -> Spaces:
    return sum(1 << space for space, owner in enumerate(board) if owner == lying)


_new = Position.__new__
