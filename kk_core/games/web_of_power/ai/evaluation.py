"""Estimates of the final points for cloisters, advisors and chains, learned from whole matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple, TypeAlias

from kk_core.config import read_averages
from kk_core.games.web_of_power.chains import Graph, best_chains
from kk_core.games.web_of_power.data import AVERAGES
from kk_core.games.web_of_power.model import SHORTEST
from kk_core.games.web_of_power.scoring import alliance_points, cloister_points
from kk_core.values import MOST, Memo, over_others, with_others

Key: TypeAlias = tuple[int | str, ...]
Code: TypeAlias = int
"""Every seat's number of pieces, packed as the digits of one number."""
Stock: TypeAlias = tuple[int, int, int]
"""A seat's cloisters left, advisors left, and turns until its next one."""
Spaces: TypeAlias = int
"""A set of spaces, the bit 1 << space for each."""

DIGIT_BITS: Final = 4
_DIGIT: Final = (1 << DIGIT_BITS) - 1

SECOND_HALF: Final = 4
"""The first stage after the interim scoring."""
LAST_ROUND_STAGE: Final = 8
OVER_STAGE: Final = 9
"""The stage after the end, where nothing is estimated."""

# the worth of a road to another cloister of the seat, as the beginning of a chain
_LINK: Final = 0.7

# the worth of an advisor who shares the lead, for each alliance that may still come
_COURT: Final = 0.5

_MOST_ADVISORS: Final = 3
# keys do not distinguish more points
_MOST_POINTS: Final = 20


# for every stage those of the same half, nearest first
_NEARBY: Final = tuple(
    tuple(sorted(half, key=lambda other: (abs(other - stage), other)))
    for half in (range(SECOND_HALF), range(SECOND_HALF, LAST_ROUND_STAGE + 1))
    for stage in half
)


@cache
def _averages() -> Mapping[Key, float]:
    return read_averages(AVERAGES)


def average(key: Key, stage: int, now: float) -> float:
    """Return a key's average at a stage, or at the nearest one that has it; `now` if none has."""
    averages = _averages()
    for other in _NEARBY[stage]:
        found = averages.get((*key, other))
        if found is not None:
            return found
    return now


def spaces_in(spaces: Spaces) -> Iterator[int]:
    """Yield the spaces of a set, ascending."""
    while spaces:
        low = spaces & -spaces
        yield low.bit_length() - 1
        spaces ^= low


def digit(seat: int) -> Code:
    """Return the code of one piece of a seat."""
    return 1 << DIGIT_BITS * seat


def code_of(counts: Sequence[int]) -> Code:
    """Return the code of the seats' numbers of pieces."""
    return sum(n << DIGIT_BITS * seat for seat, n in enumerate(counts))


def _read(code: Code, seats: int) -> list[int]:
    return [code >> DIGIT_BITS * seat & _DIGIT for seat in range(seats)]


class Countries:
    """The cloisters in a country of `spaces` spaces, in a stage of a match."""

    def __init__(self, spaces: int, seats: int, stage: int) -> None:
        self._spaces, self._seats, self._stage = spaces, seats, stage
        # until the interim scoring is held, cloisters count in it and at the end
        self._times = 1 if stage >= SECOND_HALF else 2
        self.worths = Memo(self._worth)
        """The expected final worth of the cloisters to every seat, by code."""
        self.gains = Memo(self._gain)
        """Every seat's gain, relative to the others, by one more cloister, by code."""

    def keys(self, code: Code) -> list[Key]:
        """Return the keys in the table of averages, per seat."""
        return [
            ("country", self._seats, self._spaces, own, *sorted(others, reverse=True))
            for own, others in with_others(_read(code, self._seats))
        ]

    def _worth(self, code: Code) -> list[float]:
        now = self._points(code)
        if self._stage == OVER_STAGE:
            return list(map(float, now))
        return [average(key, self._stage, own) for key, own in zip(self.keys(code), now, strict=True)]

    def _gain(self, code: Code) -> list[float]:
        before = over_others(self._points(code))
        return [
            over_others(self._points(code + digit(seat)))[seat] - before[seat] for seat in range(self._seats)
        ]

    def _points(self, code: Code) -> list[int]:
        # the points in all scorings that are left if the country does not change
        return [self._times * points for points in cloister_points(_read(code, self._seats))]


class Alliances:
    """The advisors in two allied countries, in a stage of a match."""

    def __init__(self, seats: int, stage: int) -> None:
        self._seats, self._stage = seats, stage
        self.worths = Memo(self._worth)
        """The expected final worth of the alliance to every seat, by both codes and the room in them."""
        self.gains = Memo(self._gain)
        """Every seat's gain by one more advisor in a country, by its code and those of its allies."""
        self._gains_by_one = Memo(self._gain_by_one)

    def keys(self, first: Code, second: Code, room: int) -> list[Key]:
        """Return the keys in the table of averages, per seat; `room` has a bit per country with space."""
        sides = zip(
            with_others(_read(first, self._seats)), with_others(_read(second, self._seats)), strict=True
        )
        keys: list[Key] = []
        for (a, others_a), (b, others_b) in sides:
            one = min(a, _MOST_ADVISORS), min(max(others_a), _MOST_ADVISORS), room & 1
            other = min(b, _MOST_ADVISORS), min(max(others_b), _MOST_ADVISORS), room >> 1
            # sorted, since an alliance is symmetric
            keys.append(("alliance", self._seats, *min(one, other), *max(one, other)))
        return keys

    def _worth(self, alliance: tuple[Code, Code, int]) -> list[float]:
        first, second, room = alliance
        now = alliance_points(_read(first, self._seats), _read(second, self._seats))
        if self._stage == OVER_STAGE:
            return list(map(float, now))
        keys = self.keys(first, second, room)
        return [average(key, self._stage, own) for key, own in zip(keys, now, strict=True)]

    def _gain(self, codes: tuple[Code, ...]) -> list[float]:
        first, *allies = codes
        by_alliance = [self._gains_by_one[first, ally] for ally in allies]
        return [sum(gains) for gains in zip(*by_alliance, strict=True)]

    def _gain_by_one(self, alliance: tuple[Code, Code]) -> list[float]:
        first, second = alliance
        court, other = _read(first, self._seats), _read(second, self._seats)
        before = over_others(alliance_points(court, other))
        found = []
        for seat in range(self._seats):
            after = [n + (of == seat) for of, n in enumerate(court)]
            gain = over_others(alliance_points(after, other))[seat] - before[seat]
            found.append(gain + _COURT * (after[seat] == max(after)))
        return found


class Means:
    """The worth of what a seat has besides its pieces on the map, in a stage of a match."""

    def __init__(self, seats: int, stage: int) -> None:
        self._seats, self._stage = seats, stage
        self.stocks = Memo(self._stock)
        """The worth of the pieces left and of the next turn's distance."""
        self.hands = Memo(self._hand)
        """The worth of a hand, by its cards and the kinds of cards that name free spaces."""

    def stock_keys(self, cloisters: int, advisors: int, turns: int) -> list[Key]:
        """Return the keys for the pieces left and the turns until the seat's next one."""
        return [
            ("cloisters", self._seats, cloisters),
            ("advisors", self._seats, advisors),
            ("next", self._seats, turns),
        ]

    def hand_keys(self, hand: bytes, open_kinds: int) -> list[Key]:
        """Return the same for a hand; `open_kinds` has a bit for each kind of card with free spaces."""
        most = max(map(hand.count, hand), default=0)
        good = sum(open_kinds >> kind & 1 for kind in hand)
        return [
            ("hand", self._seats, len(hand), most, good),
            *(("card", self._seats, kind, min(2, hand.count(kind))) for kind in sorted(set(hand))),
        ]

    def _stock(self, stock: Stock) -> float:
        return self._sum(self.stock_keys(*stock))

    def _hand(self, hand: tuple[bytes, int]) -> float:
        return self._sum(self.hand_keys(*hand))

    def _sum(self, keys: Sequence[Key]) -> float:
        return sum(average(key, self._stage, 0.0) for key in keys)


class ChainPart(NamedTuple):
    """Connected spaces of an owner: the set, its neighbours, its size, and the points of its chains."""

    spaces: Spaces
    around: Spaces
    size: int
    points: int


class Chains:
    """Chains on a map."""

    def __init__(self, neighbours: Graph) -> None:
        self._neighbours = neighbours
        self.near = [sum(1 << other for other in near) for near in neighbours]
        self.points = Memo(self._points)
        """The points for the chains of a connected part, by its spaces."""
        self._alone = [ChainPart(1 << space, near, 1, 0) for space, near in enumerate(self.near)]
        self.bests: dict[tuple[Spaces, Spaces], tuple[float, int]] = {}
        """By own spaces and candidates: the best candidate's gain by lines, and the candidate; see `best`."""

    def around(self, spaces: Spaces) -> Spaces:
        """Return the neighbours of some spaces."""
        around = 0
        for space in spaces_in(spaces):
            around |= self.near[space]
        return around

    def _points(self, part: Spaces) -> int:
        if part.bit_count() < SHORTEST:
            return 0
        return sum(map(len, best_chains(self._neighbours, bytes(spaces_in(part)))))

    def parts(self, own: Spaces) -> list[ChainPart]:
        """Return the connected parts of an owner's spaces."""
        found: list[ChainPart] = []
        for space in spaces_in(own):
            found = self.grown(found, space)
        return found

    def grown(self, parts: Sequence[ChainPart], space: int) -> list[ChainPart]:
        """Return an owner's parts after getting one more space."""
        bit = 1 << space
        for part in parts:
            if part.around & bit:
                break
        else:
            # it touches none of the owner's parts
            return [*parts, self._alone[space]]
        joined, around, apart = bit, self.near[space], []
        for part in parts:
            if part.around & bit:
                joined |= part.spaces
                around |= part.around
            else:
                apart.append(part)
        return [*apart, ChainPart(joined, around, joined.bit_count(), self.points[joined])]

    def joined(self, parts: Sequence[ChainPart], space: int) -> tuple[Spaces, int]:
        """Return a space joined with the parts that it connects, and the points of their chains before."""
        joined = bit = 1 << space
        before = 0
        for part in parts:
            if part.around & bit:
                joined |= part.spaces
                before += part.points
        return joined, before

    def best(self, own: Spaces, parts: Sequence[ChainPart], touching: Spaces) -> tuple[float, int]:
        """Return the greatest gain by lines of one more cloister on some spaces, and where; fills `bests`."""
        # ties go to the lowest space
        gain, space = max((self.line(parts, space), -space) for space in spaces_in(touching))
        if len(self.bests) >= MOST:
            self.bests.clear()
        self.bests[own, touching] = gain, -space
        return gain, -space

    def line(self, parts: Sequence[ChainPart], space: int) -> float:
        """Return the gain by lines of one more cloister on a space."""
        joined, before = self.joined(parts, space)
        links = (joined & self.near[space]).bit_count()
        return _LINK * min(2, links) + self.points[joined] - before

    def worth(self, seats: int, stage: int, parts: Sequence[ChainPart], free: Spaces) -> float:
        """Estimate the final points for a seat's chains."""
        points, key = self.key(seats, parts, free)
        return average(key, stage, points)

    def key(self, seats: int, parts: Sequence[ChainPart], free: Spaces) -> tuple[int, Key]:
        """Return the current points, and the key in the table of averages."""
        points = hopeful = growing = 0
        for _, around, size, worth in parts:
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
