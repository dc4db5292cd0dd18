"""Chains of the board game: the optimal set of disjoint, unbranched lines, found by an exact search."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from kk_core.games.web_of_power.model import CLOISTER_OF, SHORTEST, Printed
from kk_core.types import Seat

# a longer path can be cut into two that are long enough, and `_mend` joins them again
_LONGEST: Final = 2 * SHORTEST - 1

Graph = tuple[tuple[int, ...], ...]
Path = tuple[int, ...]


@lru_cache(maxsize=4096)
def best_chains(neighbours: Graph, own: bytes) -> tuple[bytes, ...]:
    """Return disjoint chains over the spaces `own` (ascending) that cover as many of them as possible."""
    chains: list[Path] = []
    for part in _parts(neighbours, own):
        if len(part) >= SHORTEST:
            chains += _mend(neighbours, _best_of_part(neighbours, part))
    return tuple(bytes(chain) for chain in sorted(chains))


def _parts(neighbours: Graph, own: bytes) -> list[list[int]]:
    # connected parts, in breadth-first order: with neighbours close together, `most` below has fewer cases
    left = set(own)
    parts = []
    while left:
        part = [min(left)]
        left.remove(part[0])
        for space in part:
            found = [near for near in neighbours[space] if near in left]
            left.difference_update(found)
            part += found
        parts.append(part)
    return parts


def _best_of_part(neighbours: Graph, part: list[int]) -> list[Path]:
    # The first space is on one of the paths through it, or on none: each case leaves a smaller part.
    bit = {space: 1 << i for i, space in enumerate(part)}
    through = _paths_by_first(neighbours, bit)
    known: dict[int, tuple[int, int]] = {}  # spaces left -> (most covered, the path to take first or 0)

    def most(left: int) -> int:
        size = left.bit_count()
        if size < SHORTEST:
            return 0
        if left in known:
            return known[left][0]
        first = left & -left
        best, choice = -1, 0
        for path in through[first]:
            if path & left == path:
                covered = path.bit_count() + most(left ^ path)
                if covered > best:
                    best, choice = covered, path
                    if best == size:
                        break
        # without the first space, at most size - 1 are covered
        if best < size - 1 and (without := most(left ^ first)) > best:
            best, choice = without, 0
        known[left] = best, choice
        return best

    left = (1 << len(part)) - 1
    most(left)
    chosen = []
    while left in known:
        choice = known[left][1]
        if choice:
            chosen.append(through[choice & -choice][choice])
        left ^= choice or left & -left
    return chosen


def _paths_by_first(neighbours: Graph, bit: dict[int, int]) -> dict[int, dict[int, Path]]:
    # returns {first space: {set of spaces: a path along them}}, of four to seven spaces
    found: dict[int, dict[int, Path]] = {first: {} for first in bit.values()}

    def extend(path: Path, spaces: int) -> None:
        if len(path) >= SHORTEST:
            found[spaces & -spaces].setdefault(spaces, path)
        if len(path) < _LONGEST:
            for near in neighbours[path[-1]]:
                if near in bit and not bit[near] & spaces:
                    extend((*path, near), spaces | bit[near])

    for space in bit:
        extend((space,), bit[space])
    return found


def _mend(neighbours: Graph, paths: Iterable[Path]) -> list[Path]:
    # joins paths whose ends are neighbours: the same spaces in fewer, longer chains
    left = list(paths)
    done: list[Path] = []
    while left:
        path = left.pop()
        joined = next(
            (
                (other, ahead + behind)
                for other in left
                for ahead in (path, path[::-1])
                for behind in (other, other[::-1])
                if behind[0] in neighbours[ahead[-1]]
            ),
            None,
        )
        if joined is None:
            done.append(path)
        else:
            left.remove(joined[0])
            left.append(joined[1])
    return done


def chains_of(land: Printed, board: bytes, seat: Seat) -> tuple[bytes, ...]:
    """Return a seat's best chains, each as the spaces along it."""
    own = CLOISTER_OF + seat
    return best_chains(land.neighbours, bytes(space for space, owner in enumerate(board) if owner == own))
