"""Positions for the search, quick play in simulations, and quick ratings of moves in points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from math import exp
from operator import itemgetter
from typing import Final, TypeAlias

from kk_core.games.web_of_power.ai.evaluation import (
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
from kk_core.games.web_of_power.model import (
    ADVISOR,
    ADVISOR_STRIDE,
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
    NO_CARD,
    OVER,
    PAYMENTS,
    PLACING,
    SINGLE,
    PlaceAdvisor,
    PlaceCloister,
    Printed,
    cards_of,
)
from kk_core.games.web_of_power.rules import Moves, exchanges, payments
from kk_core.games.web_of_power.state import Draft, State
from kk_core.types import Move, Seat

STAGE_CARDS: Final = 10
"""The number of cards drawn from the pile per stage."""


# -- positions -----------------------------------------------------------------------------------------------


class Tables:
    """The constants of a map with a number of seats: every country's spaces as a set, its allies, and the
    worth of pieces by country and stage.
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
    """A draft that also caches every country's pieces as codes, every seat's spaces, their neighbours and
    connected parts, and the free spaces.
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
        """Return an independent copy."""
        # written out for speed, since every simulation begins with a copy
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
        """Place a cloister of the seat."""
        self.moves.place_cloister(self, seat, payment, space)
        self.counts[self.begun] += digit(seat)
        self.spaces[seat] |= 1 << space
        self.borders[seat] |= self.tables.chains.near[space]
        self.parts[seat] = self.tables.chains.grown(self.parts[seat], space)
        self.free ^= 1 << space

    def place_advisor(self, seat: Seat, payment: int, country: int) -> None:
        """Place an advisor of the seat."""
        self.moves.place_advisor(self, seat, payment, country)
        self.courts[country] += digit(seat)

    def stage(self) -> int:
        """Return the stage: 0 to 3 before the interim scoring, 4 to 7 after, 8 in the last round, then 9."""
        if self.phase == OVER:
            return OVER_STAGE
        if self.pile_runs > 1:
            return LAST_ROUND_STAGE
        if not self.pile_runs:
            return max(0, SECOND_HALF - 1 - len(self.pile) // STAGE_CARDS)
        # the pile was shuffled, but the scoring waits for the end of the round
        if not self.interim:
            return SECOND_HALF - 1
        return max(SECOND_HALF, LAST_ROUND_STAGE - 1 - len(self.pile) // STAGE_CARDS)

    def open_kinds(self) -> int:
        """Return the set (bit 1 << kind) of the kinds of cards that name a country with free spaces."""
        free, kinds = self.free, 0
        for kind, spaces in enumerate(self.tables.named):
            if free & spaces:
                kinds |= 1 << kind
        return kinds

    def country_gain(self, country: int, seat: Seat) -> float:
        """Return a seat's gain, relative to the others, by one more cloister in a country, without chains."""
        return self.tables.gains[self.interim != b""][country][self.counts[country]][seat]

    def best_space(self, country: int, seat: Seat) -> tuple[float, int]:
        """Return the greatest gain by lines of a cloister in a country, and the free space for it, or -1."""
        free = self.free & self.tables.sets[country]
        touching = free & self.borders[seat]
        if not touching:
            return 0.0, (free & -free).bit_length() - 1
        found = self.tables.chains.bests.get((self.spaces[seat], touching))
        return found or self.best_line(seat, touching)

    def best_line(self, seat: Seat, touching: Spaces) -> tuple[float, int]:
        """Return the same for some spaces that touch the seat's; computes it without a look at the cache."""
        return self.tables.chains.best(self.spaces[seat], self.parts[seat], touching)

    def advisor_gain(self, country: int, seat: Seat) -> float:
        """Return a seat's gain by one more advisor in a country."""
        return self.tables.court_gains[self.tables.courts_of[country](self.courts)][seat]


def _with_allies(
    alliances: Sequence[tuple[int, int]], country: int
) -> Callable[[Sequence[Code]], tuple[Code, ...]]:
    # returns a function that picks a country's item out of a list, followed by those of its allies
    allies = [b if a == country else a for a, b in alliances if country in (a, b)]
    # `itemgetter` with a single key does not return a tuple
    return itemgetter(country, *allies) if allies else lambda figures: (figures[country],)


def _spaces(board: bytes, lying: int) -> Spaces:
    return sum(1 << space for space, owner in enumerate(board) if owner == lying)


_new = Position.__new__


# -- quick play ----------------------------------------------------------------------------------------------


# in points; measured by letting the bots play against each other
NOISE: Final = 1.0
"""The points by which a country is misjudged at random."""
SECOND: Final = 0.6
"""The weight of a turn's second piece in the choice of the first."""
JOKER: Final = 0.6
"""The worth of the second card of a pair."""
EXCHANGE_COSTS: Final = 1.5
"""The cost of placing nothing in a turn."""
PILE: Final = 1.0
OPEN_CARD: Final = (0.5, 2.0, 1.5, 1.5)
"""The worth of a card from the pile, and of an open one by how many of its kind are in the hand."""

NOTHING: Final = -100.0
"""A value below all others."""

Noise: TypeAlias = Callable[[], float]
"""A source of random numbers from 0 to 1."""


def go_on(position: Position, noise: Noise) -> None:
    """Play on to the end of the turn."""
    take_turn(position, noise, _place_first, _place_second, _draw)


def take_turn(
    position: Position,
    noise: Noise,
    place_first: Callable[[Position, Seat, Noise], None],
    place_second: Callable[[Position, Seat], None],
    draw: Callable[[Position, Seat], None],
) -> None:
    """Play the rest of a turn, with a function for each of its steps."""
    turn, seat = position.turn, position.seat
    if position.phase == PLACING:
        if not position.placed:
            place_first(position, seat, noise)
        if position.placed == 1 and not position.begun_empty:
            place_second(position, seat)
        if position.phase == PLACING and position.turn == turn:
            position.moves.end_placing(position, seat)
    while position.turn == turn and position.phase == DRAWING:
        draw(position, seat)


@cache
def plans(hand: bytes) -> tuple[tuple[int, int, float, bool], ...]:
    """Return the countries a hand can pay for: country, payment, its cost, and whether another can follow."""
    ways: dict[int, int] = {}
    for payment, countries in payments(hand):
        for country in range(len(COUNTRIES)):
            if countries >> country & 1:
                ways.setdefault(country, payment)
    return tuple(
        (country, payment, JOKER * (payment != SINGLE), can_go_on(hand, country, payment))
        for country, payment in sorted(ways.items())
    )


@cache
def can_go_on(hand: bytes, country: int, payment: int) -> bool:
    """Return whether the hand can pay for another piece in the same country afterwards."""
    left = list(hand)
    for kind in cards_of(country, payment):
        left.remove(kind)
    return KIND_OF_COUNTRY[country] in left or any(left.count(kind) > 1 for kind in left)


def _place_first(position: Position, seat: Seat, noise: Noise) -> None:
    # places in the country with the greatest gain, including that of a second piece there
    tables, counts, room, free = position.tables, position.counts, position.room, position.free
    if not position.cloisters_left[seat]:
        free = 0
    if not position.advisors_left[seat]:
        room = 0
    sets, gains, border = tables.sets, tables.gains[position.interim != b""], position.borders[seat]
    chains, own = tables.chains, position.spaces[seat]
    court_gains, courts_of, courts = tables.court_gains, tables.courts_of, position.courts
    best, chosen, where = -EXCHANGE_COSTS, -1, -1
    for country, payment, cost, goes_on in plans(position.hands[seat]):
        spaces, gain, space = free & sets[country], NOTHING, -1
        if spaces:
            gain = gains[country][counts[country]][seat]
            touching = spaces & border
            if touching:
                line, space = chains.bests.get((own, touching)) or position.best_line(seat, touching)
                gain += line
            else:
                space = (spaces & -spaces).bit_length() - 1
        if room >> country & 1:
            other = court_gains[courts_of[country](courts)][seat]
            if other > gain:
                gain, space = other, -1
        value = gain - cost + NOISE * noise()
        # in a country that was empty, no second piece may follow (3-2-1 rule)
        if goes_on and gain > 0 and counts[country]:
            value += SECOND * gain
        if value > best:
            best, chosen, paid, where = value, country, payment, space
    if chosen < 0:
        exchange(position, seat)
    else:
        put(position, seat, chosen, paid, where)


def _place_second(position: Position, seat: Seat) -> None:
    country = position.begun
    for where, payment, cost, _ in plans(position.hands[seat]):
        if where == country:
            gain, space = _piece(position, seat, country)
            if gain > cost:
                put(position, seat, country, payment, space)
            return


def _piece(position: Position, seat: Seat, country: int) -> tuple[float, int]:
    # returns the greater gain, of a cloister or an advisor, with the cloister's space or -1
    gain, space = NOTHING, -1
    if position.free & position.tables.sets[country] and position.cloisters_left[seat]:
        line, space = position.best_space(country, seat)
        gain = line + position.country_gain(country, seat)
    if position.room >> country & 1 and position.advisors_left[seat]:
        other = position.advisor_gain(country, seat)
        if other > gain:
            return other, -1
    return gain, space


def put(position: Position, seat: Seat, country: int, payment: int, space: int) -> None:
    """Place a cloister on a space, or with -1 an advisor."""
    if space < 0:
        position.place_advisor(seat, payment, country)
    else:
        position.place_cloister(seat, payment, space)


def exchange(position: Position, seat: Seat) -> None:
    """Exchange a card of the kind that the hand has fewest of."""
    hand = position.hands[seat]
    position.moves.act(position, seat, min(exchanges(hand), key=lambda move: hand.count(move - EXCHANGE)))


def draw_value(position: Position, seat: Seat, kind: int) -> float:
    """Return the worth of a face-up card: best if it makes a pair and names countries with free spaces."""
    free, sets = position.free, position.tables.sets
    value = OPEN_CARD[position.hands[seat].count(kind)]
    lands = 0
    for country in CARD_COUNTRIES[kind]:
        if free & sets[country]:
            lands += 1
    return value + 0.1 * lands if lands else value - 1.0


def _draw(position: Position, seat: Seat) -> None:
    # a face-up card without another of its kind in the hand is worth less than one from the pile
    best, chosen = PILE if position.pile else NOTHING, NO_CARD
    hand = position.hands[seat]
    for kind in position.face_up:
        if kind in hand or (kind != NO_CARD and not position.pile):
            value = draw_value(position, seat, kind)
            if value > best:
                best, chosen = value, kind
    if chosen == NO_CARD:
        position.moves.draw_from_pile(position, seat)
    else:
        position.moves.draw_face_up(position, seat, chosen)


# -- moves at first sight ------------------------------------------------------------------------------------


# in points; fitted to the choices of long searches
PAIR: Final = 1.1
"""The cost of paying with a pair."""
HOPELESS: Final = 6.0
"""Moves worse than the best by this many times the temperature are not considered."""
GOING_ON: Final = 2.3
"""The worth of being able to pay for a second piece in the same country."""


# the gain of an advisor in a country, of a cloister without its lines, and of the better of both
_Gains: TypeAlias = tuple[float, float, float]


def values(position: Position, moves: Sequence[Move], *, plainly: bool) -> list[float]:
    """Rate every legal move in points: as a good player would, or plainly by what scores now."""
    seat = position.seat
    if position.phase == DRAWING:
        return [
            PILE if move == DRAW_PILE else draw_value(position, seat, move - DRAW_FACE_UP) for move in moves
        ]
    return _pieces(position, seat, moves, JOKER if plainly else PAIR, SECOND if plainly else 0.0, _gains)


def plain_values(position: Position, moves: Sequence[Move]) -> list[float]:
    """Rate every legal move exactly as the greedy bot does."""
    if position.phase == DRAWING:
        return values(position, moves, plainly=True)
    seat, hand = position.seat, position.hands[position.seat]
    looks = _pieces(position, seat, moves, JOKER, SECOND, _gains_now)
    return [
        look if move < EXCHANGE or move >= DRAW_FACE_UP else -1.0 - 0.5 * hand.count(move - EXCHANGE)
        for look, move in zip(looks, moves, strict=True)
    ]


def likely(looks: Sequence[float], temperature: float) -> list[float]:
    """Return move probabilities by a softmax, with 0 for moves that look hopeless."""
    best = max(looks)
    least = best - HOPELESS * temperature
    weights = [exp((look - best) / temperature) if look >= least else 0.0 for look in looks]
    total = sum(weights)
    return [weight / total for weight in weights]


def _pieces(
    position: Position,
    seat: Seat,
    moves: Sequence[Move],
    pair: float,
    second: float,
    gains_in: Callable[[Position, Seat, int], _Gains],
) -> list[float]:
    # `pair` is the cost of paying with one; `second` the weight of a second piece's gain, or with 0, being
    # able to pay for one counts `GOING_ON`
    pieces, hand = pieces_of(position.tables.land.country_of), position.hands[seat]
    line, parts, border = position.tables.chains.line, position.parts[seat], position.borders[seat]
    counts, is_first = position.counts, not position.placed
    known: dict[int, _Gains] = {}
    found = []
    for move in moves:
        if move < ADVISOR:
            found.append(-EXCHANGE_COSTS if move >= EXCHANGE else 0.0)
            continue
        space, country, payment = pieces[move]
        gains = known.get(country)
        if gains is None:
            gains = known[country] = gains_in(position, seat, country)
        value = gains[0] if space < 0 else gains[1]
        if space >= 0 and border >> space & 1:
            value += line(parts, space)
        if payment != SINGLE:
            value -= pair
        if is_first and counts[country] and can_go_on(hand, country, payment):
            value += second * gains[2] if second else GOING_ON
        found.append(value)
    return found


def _gains(position: Position, seat: Seat, country: int) -> _Gains:
    advisor, cloister = position.advisor_gain(country, seat), position.country_gain(country, seat)
    line, _ = position.best_space(country, seat)
    return advisor, cloister, max(0.0, advisor, cloister + line)


def _gains_now(position: Position, seat: Seat, country: int) -> _Gains:
    # like the greedy bot, considers only pieces that can be placed for the better one
    advisor, cloister = position.advisor_gain(country, seat), position.country_gain(country, seat)
    best = 0.0
    if position.room >> country & 1 and position.advisors_left[seat]:
        best = max(best, advisor)
    if position.free & position.tables.sets[country] and position.cloisters_left[seat]:
        best = max(best, cloister + position.best_space(country, seat)[0])
    return advisor, cloister, best


@lru_cache(maxsize=16)
def pieces_of(country_of: bytes) -> list[tuple[int, int, int]]:
    """Return for every placement its space (-1 for an advisor), country and payment."""
    pieces = [(0, 0, 0)] * MOVES_END
    for payment in range(PAYMENTS):
        for country in range(len(COUNTRIES)):
            pieces[PlaceAdvisor(country, payment).move] = -1, country, payment
        for space, country in enumerate(country_of):
            pieces[PlaceCloister(space, payment).move] = space, country, payment
    return pieces
