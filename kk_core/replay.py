"""A match as it stood after each of its plies, for looking back and for playing on from there."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from kk_core.errors import KkError
from kk_core.match import Match, Ply
from kk_core.text import text
from kk_core.types import Viewer, totals
from kk_core.views import Course, MatchView


class NoSuchPly(KkError):
    """A match has not come as far as was asked for."""


class Replay:
    """A view back over a match, which may go on meanwhile. Positions count from 0, before the first ply."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._plies: list[Ply] = []
        self._states: list[Any] = [match.fresh().state]

    def view(self, ply: int, viewer: Viewer) -> MatchView:
        """Return what a viewer could see after so many plies, without legal moves. Raises `NoSuchPly`."""
        seen = self.at(ply).view(viewer)
        return replace(seen, observation=replace(seen.observation, legal_moves=()))

    def at(self, ply: int) -> Match:
        """Return the match as it stood after so many plies. Raises `NoSuchPly`."""
        self._catch_up()
        if ply >= len(self._states):
            raise NoSuchPly(text("The match has only {n} plies.", n=len(self._plies)))
        return self.match.as_at(ply, self._states[ply])

    def cut(self, ply: int) -> Match:
        """Return the match as far as it can go on from there: not between choices made together.

        Raises `NoSuchPly`.
        """
        then, game = self.at(ply), self.match.game
        turn = game.turn(then.state)
        start = next(i for i, state in enumerate(self._states) if game.turn(state) == turn)
        return self.at(start) if len(game.active_seats(self._states[start])) > 1 else then

    def course(self) -> Course:
        """Return the course of the match by the full truth: only for those who may know all of it."""
        self._catch_up()
        game, states = self.match.game, self._states
        return Course(
            movers=tuple(ply.seat for ply in self._plies),
            turns=_changes(states, game.turn),
            rounds=_changes(states, game.round),
            scorings=_changes(states, lambda state: (game.scorings(state), not game.active_seats(state))),
            points=tuple(totals(game.score(state)) for state in states),
        )

    def _catch_up(self) -> None:
        # The match goes on meanwhile: plies may have been taken back, and others played.
        plies, game = self.match.plies, self.match.game
        both = enumerate(zip(self._plies, plies, strict=False))
        differing = (i for i, (mine, theirs) in both if mine != theirs)
        # states up to there are kept: a match is replayed once, not at each look
        known = next(differing, min(len(plies), len(self._plies)))
        del self._plies[known:], self._states[known + 1 :]
        for ply in plies[known:]:
            self._states.append(game.apply(self._states[-1], ply.seat, ply.move))
            self._plies.append(ply)


def _changes(states: list[Any], of: Callable[[Any], object]) -> tuple[int, ...]:
    values = [of(state) for state in states]
    return tuple(i for i, (before, after) in enumerate(pairwise(values), 1) if before != after)
