"""What a viewer can have noted: states that he could believe in, followed along the moves really made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

from kk_core.chance import Chance
from kk_core.match import Match
from kk_core.types import Seat, Viewer
from tests.core.contract.tables import Table

Facts = frozenset[Hashable]
"""All that the observations of others say, each single thing by itself."""

_OF_ALL: Final = ("printed", "viewer")
"""Fields that say nothing of a state."""

DRAWS: Final = 48
RARE: Final = 8
"""In so many of those draws a thing may be otherwise than it has to: it is then taken for chance."""

TRIES: Final = 4000
HOPELESS: Final = 400
ENOUGH: Final = 60
PLENTY: Final = 200
"""How many states are followed at most, and where next to none get there; how many of those that get there
something is concluded from, and how many suffice."""


class Past:
    """One viewer from one position on: what he cannot doubt some plies later."""

    def __init__(self, table: Table, matches: Sequence[Match], viewer: Viewer, chance: Chance) -> None:
        """`matches` are the same match at the position and after each ply since."""
        self._table, self._matches, self._viewer, self._chance = table, matches, viewer, chance
        self._seen = [table.game.observe(match.state, viewer) for match in matches]

    def contradictions(self) -> set[Hashable]:
        """What states drawn for the viewer at the end deny though it must be, or tell though it cannot be."""
        truth = self._facts(self._matches[-1].state)
        always, ever, reached = set(truth), set(truth), 1
        drawn = Counter[Hashable]()
        for _ in range(DRAWS):
            drawn.update(self._facts(self._table.game.determinise(self._seen[-1], self._chance)))
        doubted = {fact for fact in always if drawn[fact] <= DRAWS - RARE}
        invented = {fact for fact, n in drawn.items() if n >= RARE and fact not in ever}
        for tried in range(TRIES):
            if not (doubted or invented) or reached == PLENTY or (tried > HOPELESS and reached < 3):
                break
            state = self._followed()
            if state is not None:
                facts = self._facts(state)
                doubted &= facts
                invented -= facts
                reached += 1
        return doubted | invented if reached >= ENOUGH else set()

    def _followed(self) -> Any | None:
        """A state drawn at the beginning, after the moves really made; None where the viewer would notice."""
        game, viewer = self._table.game, self._viewer
        state = game.determinise(self._seen[0], self._chance)
        for i, match in enumerate(self._matches[1:], 1):
            seat, move = match.plies[-1]
            is_open = game.visible_move(seat, move, viewer) is not None
            possible = game.legal_moves(state, seat)
            afterwards = {}
            for choice in possible if not is_open else {move} & set(possible):
                after = game.apply(state, seat, choice)
                if (game.observe(after, viewer), game.events(after)) == (
                    self._seen[i],
                    game.events(match.state),
                ):
                    afterwards[choice] = after
            if not afterwards:
                return None
            # half of all are led to where the truth will be revealed, or hardly any would come so far
            choices = [move] if move in afterwards and self._chance.below(2) else list(afterwards)
            state = afterwards[choices[self._chance.below(len(choices))]]
        return state

    def _facts(self, state: Any) -> Facts:
        facts: set[Hashable] = set()
        for seat in range(self._table.seats):
            if seat != self._viewer:
                observation = self._table.game.observe(state, seat)
                for name in observation.__struct_fields__:
                    facts |= _facts_of(seat, name, getattr(observation, name))
        return frozenset(facts)


@lru_cache(4096)
def _facts_of(seat: Seat, name: str, value: Hashable) -> Facts:
    """What one field says; most of them are the same in nearly all the states that are drawn."""
    return frozenset(_told((seat, name), value)) if name not in _OF_ALL else frozenset()


def _told(where: tuple[Hashable, ...], value: Any) -> Iterator[Hashable]:
    """The single things that a value says: of many numbers each by itself, and how often it is there."""
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            if name not in _OF_ALL:
                yield from _told((*where, name), getattr(value, name))
    elif isinstance(value, bytes) or (isinstance(value, tuple) and all(type(part) is int for part in value)):
        for number, count in Counter(value).items():
            yield from ((*where, number, n) for n in range(1, count + 1))
    elif isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from _told((*where, i), part)
    else:
        yield (*where, value)
