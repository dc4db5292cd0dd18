"""What taken cards will bring in the end, by who has which; a table learned from whole matches tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from operator import add
from typing import Final, TypeAlias

from kk_core.data import read_averages
from kk_core.games.land_cards.data import AVERAGES
from kk_core.games.land_cards.layout import COUNTRY
from kk_core.games.land_cards.model import CELLS, COUNTRIES, ROUTES, SYMBOLS, TAKEN, route_of, symbols_of
from kk_core.games.land_cards.scoring import chain_points, count_country, land_points, symbol_points
from kk_core.types import Seat

Key: TypeAlias = tuple[int | str, ...]
Code: TypeAlias = int
"""Who has which cards of a group, as one number."""

_SYMBOLS_OF: Final = tuple(symbols_of(face) for face in range(1 << 12))
_OWNER_BITS: Final = 3
_COUNT_BITS: Final = 4
_MOST_KEPT: Final = 1 << 14


@cache
def _averages() -> Mapping[Key, float]:
    return read_averages(AVERAGES)


class Group:
    """Some cards that are scored together: what they bring every seat, and what one more of them is worth.

    `digits[card][seat]` is added to the code when the seat takes the card.
    """

    digits: Sequence[Sequence[Code]]

    def __init__(self, cards: tuple[int, ...], seats: int) -> None:
        self.cards, self.seats = cards, seats
        self.worths: dict[Code, list[float]] = {}
        self.gains: Sequence[dict[Code, list[float]]] = [{} for _ in cards]
        self._leads: dict[Code, list[float]] = {}

    def keys(self, code: Code) -> list[list[Key]]:
        """What the table is asked for: for every line of the score sheet, one key per seat."""
        raise NotImplementedError

    def points(self, code: Code) -> list[Sequence[int]]:
        """The points as they stand, for every line of the score sheet."""
        raise NotImplementedError

    def is_settled(self, code: Code) -> bool:
        """Whether no card is left."""
        raise NotImplementedError

    def worth(self, code: Code) -> list[float]:
        """What the cards will bring every seat."""
        found = self.worths.get(code)
        if found is None:
            now = self.points(code)
            if self.is_settled(code):
                found = [float(sum(points)) for points in zip(*now, strict=True)]
            else:
                get = _averages().get
                lines = [list(map(get, *line)) for line in zip(self.keys(code), now, strict=True)]
                found = [sum(points) for points in zip(*lines, strict=True)]
            self._keep(self.worths, code, found)
        return found

    def gain(self, card: int, code: Code) -> list[float]:
        """What it is worth to every seat to take a card, over the others; remembered in `gains`."""
        before, digits = self._lead(code), self.digits[card]
        found = [self._lead(code + digits[seat])[seat] - before[seat] for seat in range(self.seats)]
        self._keep(self.gains[card], code, found)
        return found

    def _lead(self, code: Code) -> list[float]:
        """The own points less the others' average."""
        found = self._leads.get(code)
        if found is None:
            worth, others = self.worth(code), self.seats - 1
            total = sum(worth)
            found = [own - (total - own) / others for own in worth]
            self._keep(self._leads, code, found)
        return found

    def _keep(self, known: dict[Code, list[float]], code: Code, found: list[float]) -> None:
        """Remember something; when there is too much of it, all is forgotten first."""
        if len(known) >= _MOST_KEPT:
            known.clear()
        known[code] = found


class Country(Group):
    """The cards of a country: lands and symbols."""

    def __init__(self, cards: tuple[int, ...], seats: int) -> None:
        super().__init__(cards, seats)
        self.digits = [[1 + seat << _OWNER_BITS * i for seat in range(seats)] for i in range(len(cards))]

    def _owners(self, code: Code) -> list[Seat]:
        """Who has each card; -1 where it is not taken."""
        return [(code >> _OWNER_BITS * i & 7) - 1 for i in range(len(self.cards))]

    def _counts(self, code: Code) -> tuple[list[int], list[list[int]]]:
        owners = self._owners(code)
        lying = [TAKEN + owner if owner >= 0 else 0 for owner in owners]
        return count_country(zip(self.cards, lying, strict=True), self.seats)

    def is_settled(self, code: Code) -> bool:
        return min(self._owners(code)) >= 0

    def points(self, code: Code) -> list[Sequence[int]]:
        lands, symbols = self._counts(code)
        return [land_points(lands, len(self.cards)), symbol_points(symbols)]

    def keys(self, code: Code) -> list[list[Key]]:
        lands, symbols = self._counts(code)
        best = [max(own) for own in symbols]
        left = self._symbols_left(code)
        possible = [max(map(add, own, left)) for own in symbols]
        cards_left = len(self.cards) - sum(lands)
        seats, total = self.seats, len(self.cards)
        return [
            [("land", seats, total, own, *sorted(others, reverse=True)) for own, others in _each(lands)],
            [
                ("symbols", seats, own, max(others), most, max(others_most), cards_left)
                for (own, others), (most, others_most) in zip(_each(best), _each(possible), strict=True)
            ],
        ]

    def _symbols_left(self, code: Code) -> list[int]:
        """How many symbols of each type are on cards that nobody has taken."""
        left = [0] * len(SYMBOLS)
        for card, owner in zip(self.cards, self._owners(code), strict=True):
            if owner < 0:
                for symbol in _SYMBOLS_OF[card]:
                    left[symbol] += 1
        return left


class Route(Group):
    """All ships, or all carriages: only how many each seat has counts."""

    def __init__(self, cards: tuple[int, ...], seats: int) -> None:
        super().__init__(cards, seats)
        self.digits = [[1 << _COUNT_BITS * seat for seat in range(seats)]] * len(cards)
        self.gains = [{}] * len(cards)

    def _counts(self, code: Code) -> list[int]:
        return [code >> _COUNT_BITS * seat & 15 for seat in range(self.seats)]

    def is_settled(self, code: Code) -> bool:
        return sum(self._counts(code)) == len(self.cards)

    def points(self, code: Code) -> list[Sequence[int]]:
        return [chain_points(self._counts(code))]

    def keys(self, code: Code) -> list[list[Key]]:
        counts = self._counts(code)
        left = len(self.cards) - sum(counts)
        return [[("route", self.seats, count, left) for count in counts]]


def _each(figures: list[int]) -> Iterator[tuple[int, list[int]]]:
    """Every seat's figure with those of the others."""
    for seat, own in enumerate(figures):
        yield own, figures[:seat] + figures[seat + 1 :]


_country: Final = lru_cache(maxsize=256)(Country)
_route: Final = lru_cache(maxsize=64)(Route)


class Place:
    """A cell's card in one of its groups: number and group, its index there, the gains known of it."""

    __slots__ = ("card", "digits", "gains", "group", "number")

    def __init__(self, number: int, group: Group, card: int) -> None:
        self.number, self.group, self.card = number, group, card
        self.digits, self.gains = group.digits[card], group.gains[card]


class Worths:
    """One deal: all groups (the countries, then the routes), and to which of them every cell belongs.

    A country's cards stand alike in all deals, so that what is known of it serves for all of them.
    """

    def __init__(self, faces: tuple[int, ...], seats: int) -> None:
        order = sorted(range(CELLS), key=faces.__getitem__)
        countries = [[c for c in order if COUNTRY[faces[c]] == country] for country in range(len(COUNTRIES))]
        routes = [[c for c in order if route_of(faces[c]) == route] for route in range(1, len(ROUTES))]
        self.groups: list[Group] = [
            *(_country(tuple(faces[cell] for cell in cells), seats) for cells in countries),
            *(_route(tuple(faces[cell] for cell in cells), seats) for cells in routes),
        ]
        self.places: list[list[Place]] = [[] for _ in range(CELLS)]
        for number, cells in enumerate((*countries, *routes)):
            for card, cell in enumerate(cells):
                self.places[cell].append(Place(number, self.groups[number], card))

    def expected(self, codes: Sequence[Code]) -> list[float]:
        """What all cards will bring every seat."""
        rows = []
        for code, group in zip(codes, self.groups, strict=True):
            known = group.worths.get(code)
            rows.append(group.worth(code) if known is None else known)
        return [sum(points) for points in zip(*rows, strict=True)]

    def gain(self, codes: Sequence[Code], cell: int, seat: Seat) -> float:
        """What it is worth to a seat to take a card, over the others."""
        gain = 0.0
        for place in self.places[cell]:
            code = codes[place.number]
            gain += (place.gains.get(code) or place.group.gain(place.card, code))[seat]
        return gain

    def keys(self, codes: Sequence[Code]) -> Iterator[tuple[Key, tuple[int, ...], Seat]]:
        """What the table is asked for, and which lines of the sheet each key foretells."""
        line = 0
        for code, group in zip(codes, self.groups, strict=True):
            for keys in group.keys(code):
                yield from ((key, (line,), seat) for seat, key in enumerate(keys))
                line += 1


worths_of: Final = lru_cache(maxsize=16)(Worths)
