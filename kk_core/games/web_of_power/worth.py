"""What cloisters, advisors and chains will bring in the end; a table learned from whole matches tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple, TypeAlias, TypeVar

from kk_core.data import read_averages
from kk_core.games.web_of_power.chains import SHORTEST, Graph, best_chains
from kk_core.games.web_of_power.data import AVERAGES
from kk_core.games.web_of_power.scoring import alliance_points, cloister_points

K = TypeVar("K")
T = TypeVar("T")

Key: TypeAlias = tuple[int | str, ...]
Code: TypeAlias = int
"""A number of pieces for every seat, as the digits of one number."""
Stock: TypeAlias = tuple[int, int, int]
"""Of a seat: cloisters left, advisors left, and in how many turns its next one is."""
Spaces: TypeAlias = int
"""A set of spaces, the bit 1 << space for each."""

DIGIT_BITS: Final = 4
_DIGIT: Final = (1 << DIGIT_BITS) - 1

SECOND_HALF: Final = 4
"""From this stage on the interim scoring has been, or is due."""
LAST_ROUND_STAGE: Final = 8
OVER_STAGE: Final = 9
"""Stands for the end, where the points are as they are."""

_LINK: Final = 0.7
"""A road to one more own cloister, as the beginning of a chain."""

_COURT: Final = 0.5
"""What an advisor who shares the lead is worth for each alliance that it may yet help in."""

_MOST_ADVISORS: Final = 3
_MOST_POINTS: Final = 20
"""More than these make no difference to the keys."""


_MOST_KEPT: Final = 1 << 15

_NEARBY: Final = tuple(
    tuple(sorted(half, key=lambda other: (abs(other - stage), other)))
    for half in (range(SECOND_HALF), range(SECOND_HALF, LAST_ROUND_STAGE + 1))
    for stage in half
)
"""For every stage those of the same half, the nearest first."""


@cache
def _averages() -> Mapping[Key, float]:
    return read_averages(AVERAGES)


def average(key: Key, stage: int, now: float) -> float:
    """What the table says of a key at a stage, or else at one nearby; if it says nothing, what counts now."""
    averages = _averages()
    for other in _NEARBY[stage]:
        found = averages.get((*key, other))
        if found is not None:
            return found
    return now


def digit(seat: int) -> Code:
    """One piece of a seat."""
    return 1 << DIGIT_BITS * seat


def code_of(counts: Sequence[int]) -> Code:
    """The code of pieces per seat."""
    return sum(n << DIGIT_BITS * seat for seat, n in enumerate(counts))


def _read(code: Code, seats: int) -> list[int]:
    return [code >> DIGIT_BITS * seat & _DIGIT for seat in range(seats)]


def _leads(points: Sequence[float]) -> list[float]:
    """The own points less the others' average."""
    total, others = sum(points), len(points) - 1
    return [own - (total - own) / others for own in points]


def _others(figures: list[int]) -> Iterator[tuple[int, list[int]]]:
    """Every seat's figure with those of the others."""
    for seat, own in enumerate(figures):
        yield own, figures[:seat] + figures[seat + 1 :]


def keep(known: dict[K, T], key: K, found: T) -> None:
    """Remember something; when there is too much of it, all is forgotten first."""
    if len(known) >= _MOST_KEPT:
        known.clear()
    known[key] = found


class Countries:
    """The cloisters in a country of so many spaces, in one stage of a match."""

    def __init__(self, spaces: int, seats: int, stage: int) -> None:
        self._spaces, self._seats, self._stage = spaces, seats, stage
        self._times = 1 if stage >= SECOND_HALF else 2
        self.worths: dict[Code, list[float]] = {}
        self.gains: dict[Code, list[float]] = {}

    def keys(self, code: Code) -> list[Key]:
        """What the table is asked for, per seat."""
        return [
            ("country", self._seats, self._spaces, own, *sorted(others, reverse=True))
            for own, others in _others(_read(code, self._seats))
        ]

    def worth(self, code: Code) -> list[float]:
        """What the cloisters will bring every seat; remembered in `worths`."""
        now = self._points(code)
        if self._stage == OVER_STAGE:
            found = list(map(float, now))
        else:
            found = [average(key, self._stage, own) for key, own in zip(self.keys(code), now, strict=True)]
        keep(self.worths, code, found)
        return found

    def gain(self, code: Code) -> list[float]:
        """What one cloister more scores for every seat, over the others; remembered in `gains`."""
        before = _leads(self._points(code))
        found = [_leads(self._points(code + digit(seat)))[seat] - before[seat] for seat in range(self._seats)]
        keep(self.gains, code, found)
        return found

    def _points(self, code: Code) -> list[int]:
        """As the country stands, for all scorings that are still to come."""
        return [self._times * points for points in cloister_points(_read(code, self._seats))]


class Alliances:
    """The advisors in two allied countries, in one stage of a match."""

    def __init__(self, seats: int, stage: int) -> None:
        self._seats, self._stage = seats, stage
        self.worths: dict[tuple[Code, Code, int], list[float]] = {}
        self.gains: dict[tuple[Code, Code], list[float]] = {}

    def keys(self, first: Code, second: Code, room: int) -> list[Key]:
        """What the table is asked for, per seat; `room` has a bit for each country with a free place."""
        sides = zip(_others(_read(first, self._seats)), _others(_read(second, self._seats)), strict=True)
        keys: list[Key] = []
        for (a, others_a), (b, others_b) in sides:
            one = min(a, _MOST_ADVISORS), min(max(others_a), _MOST_ADVISORS), room & 1
            other = min(b, _MOST_ADVISORS), min(max(others_b), _MOST_ADVISORS), room >> 1
            keys.append(("alliance", self._seats, *min(one, other), *max(one, other)))
        return keys

    def worth(self, first: Code, second: Code, room: int) -> list[float]:
        """What the alliance will bring every seat; remembered in `worths`."""
        now = alliance_points(_read(first, self._seats), _read(second, self._seats))
        if self._stage == OVER_STAGE:
            found = list(map(float, now))
        else:
            keys = self.keys(first, second, room)
            found = [average(key, self._stage, own) for key, own in zip(keys, now, strict=True)]
        keep(self.worths, (first, second, room), found)
        return found

    def gain(self, first: Code, second: Code) -> list[float]:
        """What an advisor more in the first country is worth to every seat; remembered in `gains`."""
        court, other = _read(first, self._seats), _read(second, self._seats)
        before = _leads(alliance_points(court, other))
        found = []
        for seat in range(self._seats):
            after = [n + (of == seat) for of, n in enumerate(court)]
            gain = _leads(alliance_points(after, other))[seat] - before[seat]
            found.append(gain + _COURT * (after[seat] == max(after)))
        keep(self.gains, (first, second), found)
        return found


class Means:
    """What a seat has besides its pieces on the map, in one stage of a match."""

    def __init__(self, seats: int, stage: int) -> None:
        self._seats, self._stage = seats, stage
        self.stocks: dict[Stock, float] = {}
        self.hands: dict[tuple[bytes, int], float] = {}

    def stock_keys(self, cloisters: int, advisors: int, turns: int) -> list[Key]:
        """What the table is asked for, for the pieces left and in how many turns the seat's next one is."""
        return [
            ("cloisters", self._seats, cloisters),
            ("advisors", self._seats, advisors),
            ("next", self._seats, turns),
        ]

    def hand_keys(self, hand: bytes, open_kinds: int) -> list[Key]:
        """The same for a hand; `open_kinds` has a bit for each kind of card with free spaces."""
        most = max(map(hand.count, hand), default=0)
        good = sum(open_kinds >> kind & 1 for kind in hand)
        return [
            ("hand", self._seats, len(hand), most, good),
            *(("card", self._seats, kind, min(2, hand.count(kind))) for kind in sorted(set(hand))),
        ]

    def stock(self, cloisters: int, advisors: int, turns: int) -> float:
        """What the pieces left and the turns to come are worth; remembered in `stocks`."""
        keys = self.stock_keys(cloisters, advisors, turns)
        found = self.stocks[cloisters, advisors, turns] = self._sum(keys)
        return found

    def hand(self, hand: bytes, open_kinds: int) -> float:
        """What a hand is worth; remembered in `hands`."""
        found = self.hands[hand, open_kinds] = self._sum(self.hand_keys(hand, open_kinds))
        return found

    def _sum(self, keys: Sequence[Key]) -> float:
        return sum(average(key, self._stage, 0.0) for key in keys)


class Part(NamedTuple):
    """Connected spaces of one owner, their neighbours, how many they are and what their chains count."""

    spaces: Spaces
    around: Spaces
    size: int
    points: int


class Chains:
    """Chains on one map."""

    def __init__(self, neighbours: Graph) -> None:
        self._neighbours = neighbours
        self.near = [sum(1 << other for other in near) for near in neighbours]
        self._points: dict[Spaces, int] = {}
        self._parts: dict[Spaces, list[Part]] = {}
        self._lines: dict[tuple[Spaces, int], float] = {}
        self.bests: dict[tuple[Spaces, Spaces], tuple[float, int]] = {}
        self.worths: dict[tuple[int, int, Spaces, Spaces], float] = {}

    def around(self, spaces: Spaces) -> Spaces:
        """Their neighbours."""
        around = 0
        while spaces:
            low = spaces & -spaces
            around |= self.near[low.bit_length() - 1]
            spaces ^= low
        return around

    def points(self, part: Spaces) -> int:
        """What the chains of a connected part count."""
        if part.bit_count() < SHORTEST:
            return 0
        found = self._points.get(part)
        if found is None:
            spaces = bytes(space for space in range(len(self.near)) if part >> space & 1)
            found = sum(map(len, best_chains(self._neighbours, spaces)))
            keep(self._points, part, found)
        return found

    def parts(self, own: Spaces) -> list[Part]:
        """The connected parts."""
        found = self._parts.get(own)
        if found is None:
            found, left = [], own
            while left:
                part = self._part(left, left & -left)
                found.append(Part(part, self.around(part), part.bit_count(), self.points(part)))
                left ^= part
            keep(self._parts, own, found)
        return found

    def _part(self, own: Spaces, part: Spaces) -> Spaces:
        """All of the own spaces that are connected with some of them."""
        border = part
        while border:
            border = self.around(border) & own & ~part
            part |= border
        return part

    def joined(self, own: Spaces, space: int) -> tuple[Spaces, int]:
        """A space with the own ones that it connects, and what the chains of these count."""
        bit = 1 << space
        joined, before = bit, 0
        for part in self.parts(own):
            if part.around & bit:
                joined |= part.spaces
                before += part.points
        return joined, before

    def line(self, own: Spaces, space: int) -> float:
        """What a cloister more gains by lines on a space."""
        joined, before = self.joined(own, space)
        if joined == 1 << space:
            return 0.0
        found = self._lines.get((joined, space))
        if found is None:
            links = (joined & self.near[space]).bit_count()
            found = _LINK * min(2, links) + self.points(joined) - before
            keep(self._lines, (joined, space), found)
        return found

    def best(self, own: Spaces, touching: Spaces) -> tuple[float, int]:
        """The most that one more gains by lines on one of some spaces, and which; remembered in `bests`."""
        spaces = [space for space in range(len(self.near)) if touching >> space & 1]
        found = max((self.line(own, space), -space) for space in spaces)
        keep(self.bests, (own, touching), (found[0], -found[1]))
        return found[0], -found[1]

    def worth(self, seats: int, stage: int, own: Spaces, free: Spaces) -> float:
        """What a seat's chains will bring; `free` are those of its neighbours; remembered in `worths`."""
        points, key = self.key(seats, own, free)
        found = average(key, stage, points)
        keep(self.worths, (seats, stage, own, free), found)
        return found

    def key(self, seats: int, own: Spaces, free: Spaces) -> tuple[int, Key]:
        """The points as they stand, and what the table is asked for."""
        points = hopeful = growing = 0
        for _, around, size, worth in self.parts(own):
            if size > 1:
                points += worth
                ways = (around & free).bit_count()
                if worth:
                    growing = max(growing, min(3, ways))
                elif ways:
                    hopeful = max(hopeful, 2 * size + (ways > 1))
        return points, ("chains", seats, min(points, _MOST_POINTS), hopeful, growing)


countries_of: Final = lru_cache(maxsize=1024)(Countries)
chains_of: Final = lru_cache(maxsize=8)(Chains)
alliances_of: Final = lru_cache(maxsize=64)(Alliances)
means_of: Final = lru_cache(maxsize=64)(Means)
