"""Memory of opponents: how likely each plays plainly, as the greedy bot does, by Bayes' rule.

Only moves that everybody may see are read, in worlds drawn from what the bot knew before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, runtime_checkable

from kk_core.chance import Chance
from kk_core.search.strategy import Readable
from kk_core.types import Move, Seat, SeenMove

Memory: TypeAlias = tuple[float, ...]
"""The memory of a bot in its match; empty in the beginning."""


# -- bots that watch -----------------------------------------------------------------------------------------


@runtime_checkable
class Watching(Protocol):
    """A bot that watches; its memory is kept by the caller from one choice to the next."""

    memory: Memory

    def watch(self, moves: Sequence[SeenMove], chance: Chance) -> None:
        """Watch what was done since the last choice, itself included, each move with what its seat saw
        before.
        """
        ...


class BotKnowledge(NamedTuple):
    """The knowledge of a bot that watches, besides its observation; no moves where nothing is told."""

    memory: Memory = ()
    moves: tuple[SeenMove, ...] = ()

    def tell(self, player: object, chance: Chance) -> None:
        """Let a bot know, if it watches."""
        if isinstance(player, Watching):
            player.memory = self.memory
            if self.moves:
                player.watch(self.moves, chance)


NOTHING: Final = BotKnowledge()


def memory_of(player: object) -> Memory:
    """Return what a bot has learned, if it watches."""
    return player.memory if isinstance(player, Watching) else ()


# -- reading moves -------------------------------------------------------------------------------------------


_WORLDS: Final = 8
# A plain player does what is expected this often; something they know and the bot does not may mislead them.
_FAITHFUL: Final = 0.95
# Any other player goes by what is likely this often; otherwise they may do anything.
_CHOOSY: Final = 0.7
# No more certainty than that, so that a change of play is noticed.
_MOST: Final = 8.0
# Odds as sure as these count as no doubt at all.
_SURE: Final = 4.0


def read(
    strategy: Readable[Any], viewer: Seat, moves: Sequence[SeenMove], chance: Chance
) -> dict[Seat, float]:
    """Return by how much moves make it likelier that their seats play plainly, as a logarithm of odds.

    `strategy` is that of the viewer's observation before the first one. Reading ends at a secret, and where
    no world agrees with what was done.
    """
    found: dict[Seat, float] = {}
    worlds = [strategy.world(chance) for _ in range(_WORLDS)]
    for _, seat, move in moves:
        worlds = [
            world
            for world in worlds
            if seat in strategy.active(world) and move in strategy.legal(world, seat)
        ]
        # behind a secret move nobody knows the position any more
        if move is None or not worlds:
            break
        if seat != viewer:
            plainly = sum(_plainly(strategy, world, seat, move) for world in worlds)
            otherwise = sum(_otherwise(strategy, world, seat, move) for world in worlds)
            found[seat] = found.get(seat, 0.0) + log(plainly / otherwise)
        for world in worlds:
            strategy.step(world, seat, move)
    return found


def _plainly(strategy: Readable[Any], world: Any, seat: Seat, move: Move) -> float:
    moves = strategy.plain_moves(world)
    likely = _FAITHFUL / len(moves) if move in moves else 0.0
    return likely + (1 - _FAITHFUL) / len(strategy.legal(world, seat))


def _otherwise(strategy: Readable[Any], world: Any, seat: Seat, move: Move) -> float:
    legal = strategy.legal(world, seat)
    likely = strategy.priors(world, seat, legal)[legal.index(move)]
    return _CHOOSY * likely + (1 - _CHOOSY) / len(legal)


def updated(odds: Sequence[float], change: dict[Seat, float]) -> tuple[float, ...]:
    """Return the odds of every seat (as logarithms) after reading."""
    return tuple(max(-_MOST, min(_MOST, now + change.get(seat, 0.0))) for seat, now in enumerate(odds))


def trust(odds: Sequence[float], viewer: Seat) -> tuple[float, ...]:
    """Return how likely every seat plays plainly; the viewer never does."""
    return tuple(0.0 if seat == viewer else _likely(now) for seat, now in enumerate(odds))


def _likely(odds: float) -> float:
    if abs(odds) >= _SURE:
        return float(odds > 0)
    return 1 / (1 + exp(-odds))
