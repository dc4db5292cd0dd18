"""Opponent modelling: how likely each opponent plays plainly, as the greedy bot does, by Bayes' rule.

Only public moves are read, in worlds drawn from what the bot knew before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, runtime_checkable

from kk_core.chance import Chance
from kk_core.search.strategy import Readable
from kk_core.types import Move, Seat, SeenMove

Memory: TypeAlias = tuple[float, ...]
"""A bot's memory in a match; empty at first."""


# -- bots that watch -----------------------------------------------------------------------------------------


@runtime_checkable
class Watching(Protocol):
    """A bot that watches; its memory is kept by the caller from one choice to the next."""

    memory: Memory

    def watch(self, moves: Sequence[SeenMove], chance: Chance) -> None:
        """Watch the moves since and including the bot's last one, each with what the bot saw before it."""
        ...


class BotKnowledge(NamedTuple):
    """The knowledge of a bot besides its observation: its memory, and the moves since its last one."""

    memory: Memory = ()
    moves: tuple[SeenMove, ...] = ()

    def tell(self, player: object, chance: Chance) -> None:
        """Pass the knowledge to a bot, if it watches."""
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
# how often a plain player does what is expected; not always, since they may know what the bot does not
_FAITHFUL: Final = 0.95
# how often any other player follows the policy; otherwise they may do anything
_CHOOSY: Final = 0.7
# the cap on log odds, so that a change of play is noticed
_MOST: Final = 8.0
# the log odds that count as certain
_SURE: Final = 4.0


def read(
    strategy: Readable[Any], viewer: Seat, moves: Sequence[SeenMove], chance: Chance
) -> dict[Seat, float]:
    """Return the change in each seat's log odds of playing plainly, given the moves.

    `strategy` is for the viewer's observation before the first move. Reading stops at a secret move, or when
    the moves are possible in no world.
    """
    found: dict[Seat, float] = {}
    worlds = [strategy.world(chance) for _ in range(_WORLDS)]
    for _, seat, move, _ in moves:
        worlds = [
            world
            for world in worlds
            if seat in strategy.active(world) and move in strategy.legal(world, seat)
        ]
        # after a secret move, the position is unknown
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
    """Return every seat's log odds after a change, capped.

    A change may be that of many moves, of which only the sum is capped: whoever is told a whole match at once
    may trust a seat a little more or less than a bot that watched it move by move.
    """
    return tuple(max(-_MOST, min(_MOST, now + change.get(seat, 0.0))) for seat, now in enumerate(odds))


def trust(odds: Sequence[float], viewer: Seat) -> tuple[float, ...]:
    """Return the probability that each seat plays plainly; 0 for the viewer."""
    return tuple(0.0 if seat == viewer else _likely(now) for seat, now in enumerate(odds))


def _likely(odds: float) -> float:
    if abs(odds) >= _SURE:
        return float(odds > 0)
    return 1 / (1 + exp(-odds))
