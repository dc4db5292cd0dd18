"""Every table that can be opened: each game with each number of seats and each combination of options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import product
from typing import Any

import msgspec
import pytest

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.match import Match
from kk_core.registry import game, game_ids
from kk_core.tree import pack
from kk_core.types import Move, Tree, Viewer
from kk_core.views import encode_match


@dataclass(frozen=True)
class Table:
    """One way to play a game."""

    game_id: str
    seats: int
    options: tuple[tuple[str, str], ...] = ()

    @cached_property
    def game(self) -> AnyGame:
        return game(self.game_id)

    @property
    def viewers(self) -> tuple[Viewer, ...]:
        """Every seat and a spectator."""
        return (*range(self.seats), None)

    def match(self, number: int = 0) -> Match:
        """A match before its first move."""
        seed = sha256(f"{self}:{number}".encode()).digest()
        return Match(self.game, dict(self.options), tuple("ABCDE"[: self.seats]), seed)

    def random_match(self, number: int = 0) -> Iterator[Match]:
        """A match of random choices, given before its first move and after each move."""
        match = self.match(number)
        chance = Chance(sha256(match.seed + b"choices").digest())
        yield match
        while active := self.game.active_seats(match.state):
            seat = active[chance.below(len(active))]
            moves = self.game.legal_moves(match.state, seat)
            match.play(seat, moves[chance.below(len(moves))])
            yield match

    def glimpses(self, number: int = 0) -> Iterator[Match]:
        """A random match before its first move, after every fifth, and at its end."""
        for match in self.random_match(number):
            if match.is_over or len(match.plies) % 5 == 0:
                yield match

    def finished(self, number: int = 0) -> Match:
        """The end of a random match."""
        *_, match = self.random_match(number)
        return match

    def __str__(self) -> str:
        return "-".join([self.game_id, str(self.seats), *(value for _, value in self.options)])


@dataclass(frozen=True)
class OwnTable(Table):
    """A table of a game that is not registered."""

    own: Any = None

    @cached_property
    def game(self) -> AnyGame:
        return self.own  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return f"{self.game_id}-{self.seats}"


def tables_of(game_id: str) -> list[Table]:
    """All tables of one game."""
    meta = game(game_id).meta
    choices = [[(option.name, value.value) for value in option.values] for option in meta.options]
    seats = range(meta.min_seats, meta.max_seats + 1)
    return [Table(game_id, n, combination) for n in seats for combination in product(*choices)]


every_table = pytest.mark.parametrize(
    "table", [table for game_id in game_ids() for table in tables_of(game_id)], ids=str
)

sample_tables = pytest.mark.parametrize(
    "table", [tables_of(game_id)[i] for game_id in game_ids() for i in (0, -1)], ids=str
)


def people_at(game_id: str, wanted: int = 3) -> int:
    """As many people as wanted, or as near to it as a game has seats."""
    meta = game(game_id).meta
    return min(max(wanted, meta.min_seats), meta.max_seats)


def shows_nothing(table: Table, before: Match, after: Match) -> bool:
    """Whether a step ends no turn and shows nobody anything: its seat may take it back."""
    game, then, now = table.game, before.state, after.state
    if after.is_over or game.turn(then) != game.turn(now):
        return False
    return not any(game.reveals(then, now, viewer) for viewer in table.viewers)


def view_bytes(match: Match, viewer: Viewer) -> bytes:
    """Everything that a viewer is sent of a match."""
    return pack(view_tree(match, viewer))


def view_tree(match: Match, viewer: Viewer) -> Tree:
    return encode_match(match.view(viewer))


def copied(state: Any) -> Any:
    """An equal state that shares nothing with the one given."""
    return msgspec.convert(
        msgspec.to_builtins(state, builtin_types=(bytes,)), type(state), builtin_types=(bytes,)
    )


def some_moves(moves: tuple[Move, ...], most: int) -> tuple[Move, ...]:
    """At most so many of several moves, spread evenly."""
    return moves[:: max(1, -(-len(moves) // most))]


def with_state(match: Match, state: object) -> Match:
    """The same match as if another state had been the truth all along."""
    twin = Match(match.game, match.options, match.seats, match.seed)
    twin.plies, twin.state = list(match.plies), state
    twin.turns, twin._events, twin._undoable = [*match.turns], [*match._events], [*match._undoable]
    return twin
