"""The expected final worth of taken cards for every seat, by a table learned from whole matches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from operator import add
from typing import Any, Final, TypeAlias

import msgspec

from kk_core.config import read_averages, read_weights
from kk_core.games.land_cards.ai.greedy import (
    GUARD_FOR,
    LAW_WORTH,
    PLAY_LAW_FOR,
    STONE_LOST,
    worth_of_chain,
    worths_of_country,
)
from kk_core.games.land_cards.data import AVERAGES, WEIGHTS
from kk_core.games.land_cards.layout import COST, COUNTRY
from kk_core.games.land_cards.model import COUNTRIES, ROUTES, route_of, symbols_of
from kk_core.games.land_cards.scoring import chain_points, land_points, symbol_points
from kk_core.values import Memo, over_others, with_others

# -- weights -------------------------------------------------------------------------------------------------


class GainWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weights of a player; in points unless stated otherwise."""

    countries: float
    """The weight of a card's expected final gain in its country, besides its gain now."""
    routes: float
    """The same for ships and carriages."""
    stone_lost: float
    """The cost of taking a card under another's stone."""
    guard_for: float
    """The least gain of a card that is worth a stone."""
    move_for: float
    """The least difference in gain that is worth moving a stone."""
    next_to_end: float
    """The weight of a card next to an end, as a place for a stone."""
    laws: tuple[float, float, float, float]
    """The worth of a law card of each kind."""
    play_law_for: float
    """The least gain of another card that is worth playing a law card."""
    more_for: float
    """The least gain of another card in a turn."""


PLAIN: Final = GainWeights(
    countries=0.0, routes=0.0, stone_lost=STONE_LOST, guard_for=GUARD_FOR, move_for=GUARD_FOR,
    next_to_end=1.0, laws=(LAW_WORTH[0], LAW_WORTH[1], LAW_WORTH[2], LAW_WORTH[3]),
    play_law_for=PLAY_LAW_FOR, more_for=0.0,
)  # fmt: skip
"""The weights of the greedy bot."""


@cache
def strong_weights() -> GainWeights:
    """Return the learned weights of a good player."""
    return read_weights(WEIGHTS, GainWeights)


Key: TypeAlias = tuple[int | str, ...]
Code: TypeAlias = int
"""Every seat's cards and symbols of a group, packed as the digits of one number."""
Row: TypeAlias = list[Any]
"""Every seat's gain by a card of each kind (at kind * seats + seat); None until it is needed."""

_COUNT_BITS: Final = 4
# the most entries of each cache
_MOST: Final = 1 << 13

UNKNOWN_LAW: Final = 0.6
"""The worth of an unknown law card in points; measured by letting the bots play against each other."""


@cache
def _averages() -> Mapping[Key, float]:
    return read_averages(AVERAGES)


# -- worth ---------------------------------------------------------------------------------------------------


class Group:
    """Cards that are scored together: their worth to every seat, and the gain by one more of them.

    Cards of a kind are scored alike. `digits[kind][seat]` is added to the code when the seat takes one.
    """

    digits: Sequence[Sequence[Code]]

    def __init__(self, cards: tuple[int, ...], seats: int) -> None:
        self.cards, self.seats = cards, seats
        self.worths = Memo(self._worth, _MOST)
        """The expected final worth of the cards to every seat, by code."""
        self._leads: Memo[Code, list[float]] = Memo(lambda code: over_others(self.worths[code]), _MOST)
        self._plain_worths = Memo(self.plain_worth, _MOST)
        self.gains, self.plain_gains = GroupGains(self, self.gain), GroupGains(self, self.plain_gain)
        self.keen_gains = self.gains_by(strong_weights())
        self._counts_mask = (1 << _COUNT_BITS * seats) - 1

    def kind(self, face: int) -> int:
        """Return the kind of a card."""
        raise NotImplementedError

    def keys(self, code: Code) -> list[list[Key]]:
        """Return the keys in the table of averages: for every line of the score sheet, one key per seat."""
        raise NotImplementedError

    def _worth(self, code: Code) -> list[float]:
        raise NotImplementedError

    def _counts(self, code: Code) -> list[int]:
        return [code >> _COUNT_BITS * seat & 15 for seat in range(self.seats)]

    def gain(self, kind: int, seat: int, code: Code) -> float:
        """Return a seat's gain, relative to the others, by taking a card of a kind."""
        return self._leads[code + self.digits[kind][seat]][seat] - self._leads[code][seat]

    def plain_gain(self, kind: int, seat: int, code: Code) -> float:
        """Return the same by the greedy bot's evaluation."""
        return self._plain_worths[code + self.digits[kind][seat]][seat] - self._plain_worths[code][seat]

    def gains_by(self, weights: GainWeights) -> GroupGains:
        """Return the gains of one more card by these weights."""
        share = self.share(weights)

        def gain(kind: int, seat: int, code: Code) -> float:
            return self.plain_gain(kind, seat, code) + share * self.gain(kind, seat, code)

        return GroupGains(self, gain)

    def share(self, weights: GainWeights) -> float:
        """Return the weight of expected final gains in this group."""
        raise NotImplementedError

    def plain_worth(self, code: Code) -> list[float]:
        """Return the worth of the cards to every seat by the greedy bot's evaluation."""
        raise NotImplementedError


class GroupGains:
    """The gains by one more card of a group, cached by code."""

    def __init__(self, group: Group, gain: Callable[[int, int, Code], float]) -> None:
        self._group, self._gain = group, gain
        self.rows = Memo(self._row, _MOST)
        """The gains of all kinds and seats by code, filled lazily."""

    def _row(self, _code: Code) -> Row:
        # not in `__init__`: the group sets its digits only after creating its gains
        return [None] * (len(self._group.digits) * self._group.seats)

    def at(self, place: int, code: Code) -> float:
        """Return the gain at a place in a code's row."""
        row = self.rows[code]
        found: float | None = row[place]
        if found is None:
            kind, seat = divmod(place, self._group.seats)
            found = row[place] = self._gain(kind, seat, code)
        return found


class Country(Group):
    """The cards of a country: lands and symbols. Cards with the same symbols are of one kind."""

    def __init__(self, cards: tuple[int, ...], seats: int) -> None:
        super().__init__(cards, seats)
        self._kinds = sorted({symbols_of(face) for face in cards})
        shown = [symbol for face in cards for symbol in symbols_of(face)]
        self._types = sorted(set(shown))
        self._totals = [shown.count(symbol) for symbol in self._types]
        # bits for one count of symbols, above the counts of cards in a code
        self._bits = len(shown).bit_length()
        self.digits = [[self._digit(kind, seat) for seat in range(seats)] for kind in self._kinds]
        self._lands = Memo(self._land_worth)

    def kind(self, face: int) -> int:
        return self._kinds.index(symbols_of(face))

    def plain_worth(self, code: Code) -> list[float]:
        lands, symbols = self._counts(code), self._symbols(code)
        return worths_of_country(lands, symbols, len(self.cards), range(self.seats))

    def _digit(self, kind: Sequence[int], seat: int) -> Code:
        digit = 1 << _COUNT_BITS * seat
        for symbol in kind:
            digit += 1 << self._shift(seat, self._types.index(symbol))
        return digit

    def _shift(self, seat: int, number: int) -> int:
        return _COUNT_BITS * self.seats + self._bits * (seat * len(self._types) + number)

    def _symbols(self, code: Code) -> list[list[int]]:
        code >>= _COUNT_BITS * self.seats
        bits, types = self._bits, range(len(self._types))
        mask = (1 << bits) - 1
        found = []
        for _ in range(self.seats):
            own = []
            for _ in types:
                own.append(code & mask)
                code >>= bits
            found.append(own)
        return found

    def _worth(self, code: Code) -> list[float]:
        # lands do not depend on symbols, so they are cached by the counts alone
        lands = self._lands[code & self._counts_mask]
        left = len(self.cards) - sum(self._counts(code))
        return list(map(add, lands, self._symbol_worth(self._symbols(code), left)))

    def _land_worth(self, counts: Code) -> list[float]:
        lands = self._counts(counts)
        now = land_points(lands, len(self.cards))
        if sum(lands) == len(self.cards):
            return [float(points) for points in now]
        return list(map(_averages().get, self._land_keys(lands), now))

    def _symbol_worth(self, symbols: list[list[int]], cards_left: int) -> list[float]:
        now = symbol_points(symbols)
        if not cards_left:
            return [float(points) for points in now]
        return list(map(_averages().get, self._symbol_keys(symbols, cards_left), now))

    def share(self, weights: GainWeights) -> float:
        return weights.countries

    def keys(self, code: Code) -> list[list[Key]]:
        lands = self._counts(code)
        left = len(self.cards) - sum(lands)
        return [self._land_keys(lands), self._symbol_keys(self._symbols(code), left)]

    def _land_keys(self, lands: list[int]) -> list[Key]:
        seats, total = self.seats, len(self.cards)
        return [
            ("land", seats, total, own, *sorted(others, reverse=True)) for own, others in with_others(lands)
        ]

    def _symbol_keys(self, symbols: list[list[int]], cards_left: int) -> list[Key]:
        # a key has a seat's most symbols of one type, now and at most in the end, and the same of its best
        # rivals
        taken = list(map(sum, zip(*symbols, strict=True)))
        left = [total - gone for total, gone in zip(self._totals, taken, strict=True)]
        best = [max(own) for own in symbols]
        possible = [max(map(add, own, left)) for own in symbols]
        rivals, rivals_possible = _best_of_others(best), _best_of_others(possible)
        return [
            ("symbols", self.seats, *figures, cards_left)
            for figures in zip(best, rivals, possible, rivals_possible, strict=True)
        ]


class Route(Group):
    """All ships, or all carriages: only each seat's number of them matters."""

    def __init__(self, cards: tuple[int, ...], seats: int) -> None:
        super().__init__(cards, seats)
        self.digits = [[1 << _COUNT_BITS * seat for seat in range(seats)]]

    def kind(self, face: int) -> int:  # noqa: ARG002
        return 0

    def _worth(self, code: Code) -> list[float]:
        counts = self._counts(code)
        now = chain_points(counts)
        if sum(counts) == len(self.cards):
            return [float(points) for points in now]
        return list(map(_averages().get, *self.keys(code), now))

    def share(self, weights: GainWeights) -> float:
        return weights.routes

    def keys(self, code: Code) -> list[list[Key]]:
        counts = self._counts(code)
        left = len(self.cards) - sum(counts)
        return [[("route", self.seats, count, left) for count in counts]]

    def plain_worth(self, code: Code) -> list[float]:
        return [worth_of_chain(count) for count in self._counts(code)]


def _best_of_others(figures: list[int]) -> list[int]:
    second, best = sorted(figures)[-2:]
    if second == best:
        return [best] * len(figures)
    return [second if own == best else best for own in figures]


class Nothing(Group):
    """The group of cards without a route."""

    def __init__(self, cards: tuple[int, ...], seats: int) -> None:
        super().__init__(cards, seats)
        self.digits = [[0] * seats]

    def _worth(self, code: Code) -> list[float]:  # noqa: ARG002
        return [0.0] * self.seats

    def share(self, weights: GainWeights) -> float:  # noqa: ARG002
        return 0.0

    def keys(self, code: Code) -> list[list[Key]]:  # noqa: ARG002
        return []

    def plain_worth(self, code: Code) -> list[float]:  # noqa: ARG002
        return [0.0] * self.seats


# cached across deals, with all their caches
_country: Final = lru_cache(maxsize=256)(Country)
_route: Final = lru_cache(maxsize=64)(Route)


Card: TypeAlias = tuple[int, int, int, int, int, float]
"""A cell's card for a seat: the number of its country's group and its place in the row there, the number of
its route's group, its circle symbols, the country as a bit, and the worth of its law card.
"""


class Worths:
    """A deal: all groups (the countries, then the routes, then nothing), and the card of every cell.

    `law_cells` are those with a law card, `gains`, `plain_gains` and `keen_gains` those of the groups. By
    cell there are `country`, `cost`, `cards[seat]`, and `counted`: the number of each of its groups, and what
    is added to the code when a seat takes it.
    """

    def __init__(self, faces: tuple[int, ...], law_cells: bytes, seats: int) -> None:
        # sorted, so that all deals share the cached groups
        order = sorted(faces)
        countries = [[f for f in order if COUNTRY[f] == country] for country in range(len(COUNTRIES))]
        routes = [[f for f in order if route_of(f) == route] for route in range(1, len(ROUTES))]
        self.groups: list[Group] = [
            *(_country(tuple(cards), seats) for cards in countries),
            *(_route(tuple(cards), seats) for cards in routes),
            Nothing((), seats),
        ]
        self.gains = [group.gains for group in self.groups]
        self.plain_gains = [group.plain_gains for group in self.groups]
        self.keen_gains = [group.keen_gains for group in self.groups]
        self.country = bytes(COUNTRY[face] for face in faces)
        self.cost = bytes(COST[face] for face in faces)
        self.cards = [
            [self._card(face, seat, has_law=cell in law_cells) for cell, face in enumerate(faces)]
            for seat in range(seats)
        ]
        self.counted = [self._counted(card, seats) for card in self.cards[0]]

    def _card(self, face: int, seat: int, *, has_law: bool) -> Card:
        country = COUNTRY[face]
        place = self.groups[country].kind(face) * self.groups[country].seats + seat
        route = len(COUNTRIES) + (route_of(face) - 1) % len(ROUTES)
        return country, place, route, COST[face], 1 << country, UNKNOWN_LAW if has_law else 0.0

    def _counted(self, card: Card, seats: int) -> list[tuple[int, Sequence[Code]]]:
        country, place, route, *_ = card
        found = [(country, self.groups[country].digits[place // seats])]
        has_route = route < len(self.groups) - 1
        return [*found, (route, self.groups[route].digits[0])] if has_route else found

    def expected(self, codes: Sequence[Code]) -> list[float]:
        """Return the expected final points of all taken cards, per seat."""
        rows = [group.worths[code] for code, group in zip(codes, self.groups, strict=True)]
        return [sum(points) for points in zip(*rows, strict=True)]

    def gain(self, codes: Sequence[Code], cell: int, seat: int) -> float:
        """Return a seat's gain, relative to the others, by taking a cell's card."""
        country, place, route, *_ = self.cards[seat][cell]
        return self.gains[country].at(place, codes[country]) + self.gains[route].at(seat, codes[route])

    def keys(self, codes: Sequence[Code]) -> Iterator[tuple[Key, tuple[int, ...], int]]:
        """Yield the keys in the table of averages, with the lines of the sheet and the seat each predicts."""
        line = 0
        for code, group in zip(codes, self.groups, strict=True):
            for keys in group.keys(code):
                yield from ((key, (line,), seat) for seat, key in enumerate(keys))
                line += 1


worths_of: Final = lru_cache(maxsize=16)(Worths)
