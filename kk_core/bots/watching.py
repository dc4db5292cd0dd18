"""Bots that watch: they learn from what the others do, between one choice and the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias, runtime_checkable

from kk_core.chance import Chance
from kk_core.types import Seen

Memory: TypeAlias = tuple[float, ...]
"""What a bot has learned of its match; empty in the beginning."""


@runtime_checkable
class Watching(Protocol):
    """A bot that watches; whoever asks it keeps its memory from one choice to the next."""

    memory: Memory

    def watch(self, moves: Sequence[Seen], chance: Chance) -> None:
        """Told before a choice: what has been done since the last one, itself included, each with what its
        seat saw before.
        """
        ...


class Known(NamedTuple):
    """What a bot that watches is to know besides its observation; no moves where nothing is told."""

    memory: Memory = ()
    moves: tuple[Seen, ...] = ()

    def tell(self, player: object, chance: Chance) -> None:
        """Let a bot know, if it watches."""
        if isinstance(player, Watching):
            player.memory = self.memory
            if self.moves:
                player.watch(self.moves, chance)


NOTHING: Final = Known()


def memory_of(player: object) -> Memory:
    """What a bot has learned, if it watches."""
    return player.memory if isinstance(player, Watching) else ()
