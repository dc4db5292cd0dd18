"""The scene of a table: one decoded view of a match, read-only, from which everything is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Generic, TypeVar

import msgspec

from kk_core.errors import KkError
from kk_core.text import Text, joined, text, texts
from kk_core.types import CommonObservation, Move, Seat, Sheet, Viewer
from kk_core.views import LogEntry, MatchView, TableView

O_co = TypeVar("O_co", bound=CommonObservation, covariant=True)


class CannotDraw(KkError):
    """The table cannot be shown here; the sentence says why."""


@dataclass(frozen=True, eq=False)  # compared by identity, since it is a whole match
class Scene(Generic[O_co]):
    """A table with a match as one viewer may see it; there is a new one for every change.

    `legal` are the moves that the viewer may make now, `drawing` the drawing data of games that have any.
    """

    table: TableView
    match: MatchView
    observation: O_co
    drawing: Any
    names: tuple[str, ...]
    legal: frozenset[Move]
    is_through_other_eyes: bool = False
    """True if a finished match is shown as `viewer` saw it, maybe to somebody else: nobody is "you" then."""

    is_past: bool = False
    """True if this is an earlier position of the match, as in all replays."""

    seen_at: float = field(default_factory=monotonic)
    """The monotonic time at which the clocks of the table had the time left that it shows."""

    @property
    def shares_screen(self) -> bool:
        """Return whether several seats belong to the viewer's owner."""
        if self.viewer is None:
            return False
        owner = self.table.seats[self.viewer].owner
        return sum(seat.owner == owner for seat in self.table.seats) > 1

    @property
    def viewer(self) -> Viewer:
        """The seat whose view this is, or None for a spectator."""
        return self.table.viewer

    @property
    def match_key(self) -> tuple[str, bytes]:
        """The match's identity: one that is played on from another has the same shuffle at another table."""
        return self.table.id, self.match.commitment

    @property
    def position(self) -> tuple[tuple[str, bytes], int, Viewer]:
        """The match, its ply, and the viewer: nothing has moved between two scenes with the same position."""
        return self.match_key, self.match.ply, self.viewer

    @property
    def is_over(self) -> bool:
        """True once the match has ended."""
        return self.observation.outcome is not None

    @property
    def may_act(self) -> bool:
        """True while the viewer can make a move."""
        return bool(self.legal)

    @property
    def standing(self) -> Sheet:
        """The score sheet as if everything were scored now."""
        return self.match.standing or self.observation.sheet

    def at_rest(self) -> Scene[O_co]:
        """Return the scene with nobody to act, as shown during a scoring."""
        return replace(self, observation=msgspec.structs.replace(self.observation, active=()))

    def name(self, seat: Seat) -> str:
        """Return the name shown for a seat."""
        return self.names[seat]

    def names_of(self, seats: Sequence[Seat]) -> Text:
        """Return the names of one or two seats, or the number if there are more."""
        if len(seats) <= 2:
            return text("{name}", name=joined([self.names[seat] for seat in seats]))
        return texts("{n} player", "{n} players", len(seats))

    @property
    def stood_in(self) -> int:
        """The number of moves that a bot has made for the viewer since their own last one."""
        return 0 if self.viewer is None else self.table.seats[self.viewer].stood_in

    @property
    def is_turn_begun(self) -> bool:
        """True if somebody has acted in the current turn or simultaneous choice."""
        return self.match.ply > self.match.turn_start

    def just_happened(self) -> list[LogEntry]:
        """Return the plies since the viewer's last turn, newest first; their own until somebody else acts.

        Once the viewer has begun another turn, those of the one before it are left out. A spectator gets
        those of the last seat that acted. A stand-in's moves are not the viewer's own.
        """
        log = self.match.recent()[::-1]
        own, actors = self.stood_in, list[Seat | None]()  # the viewer's newest moves are the stand-in's
        for _ply, entry in log:
            is_for_viewer = entry.seat == self.viewer and own > 0
            own -= is_for_viewer
            actors.append(None if is_for_viewer else entry.seat)
        is_own_turn = self.is_turn_begun and actors[:1] == [self.viewer]
        first = self.match.turn_start if is_own_turn else 0
        found = []
        for (ply, entry), actor in zip(log, actors, strict=True):
            is_earlier = actor != actors[0] and (self.viewer in (None, actors[0]) or actor == self.viewer)
            if is_earlier or ply < first:
                break
            found.append(entry)
        return found


def changes(scene: Scene[Any], preview: Sheet | None) -> tuple[int, ...]:
    """Return the change of each seat's total; zeros without a preview."""
    if preview is None:
        return (0,) * len(scene.names)
    return gains(scene.standing, preview, range(len(preview)))


def gains(sheet: Sheet, preview: Sheet, lines: Sequence[int]) -> tuple[int, ...]:
    """Return the change of each seat's points in some lines of the score sheet."""
    rows = [[new - old for new, old in zip(preview[at], sheet[at], strict=True)] for at in lines]
    return tuple(sum(column) for column in zip(*rows, strict=True))
