"""What a table screen draws from: one decoded view of a match, read-only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Generic, TypeVar

import msgspec

from kk_core.errors import KkError
from kk_core.protocol.views import LogEntry, MatchView, TableView
from kk_core.types import CommonObservation, Move, Seat, Sheet, Viewer

O_co = TypeVar("O_co", bound=CommonObservation, covariant=True)


class CannotDraw(KkError):
    """A table that this screen cannot show; the sentence says why."""


@dataclass(frozen=True, eq=False)
class Scene(Generic[O_co]):
    """A table with a match in it as one viewer may see it; a new one for every change.

    `table.viewer` is whose eyes these are. `legal` holds the moves that the viewer may make now,
    `drawing` the drawing data of the game, for one that has any.
    """

    table: TableView
    match: MatchView
    observation: O_co
    drawing: Any
    names: tuple[str, ...]
    legal: frozenset[Move]
    is_through_other_eyes: bool = False
    """Whether somebody looks through the eyes of `viewer` at a match that is over: "you" is nobody then."""

    is_past: bool = False
    """Whether the match stood so earlier, or one looks at it as if it did: a replay shows nothing else."""

    seen_at: float = field(default_factory=monotonic)
    """When this was seen, by a clock that never goes back: what is left on clocks was so at that moment."""

    @property
    def viewer(self) -> Viewer:
        """The seat whose eyes these are, or None for a spectator."""
        return self.table.viewer

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self.observation.outcome is not None

    @property
    def may_act(self) -> bool:
        """Whether the viewer has something to do now."""
        return bool(self.legal)

    @property
    def standing(self) -> Sheet:
        """The score sheet as if everything were scored now."""
        return self.match.standing or self.observation.sheet

    def at_rest(self) -> Scene[O_co]:
        """The same with nobody who is to act: what is seen while a ceremony leads on from it."""
        return replace(self, observation=msgspec.structs.replace(self.observation, active=()))

    def name(self, seat: Seat) -> str:
        """The name shown for a seat."""
        return self.names[seat]

    @property
    def stood_in(self) -> int:
        """How many moves a bot has made for the viewer since the last one that he made himself."""
        return 0 if self.viewer is None else self.table.seats[self.viewer].stood_in

    def just_happened(self) -> list[LogEntry]:
        """The plies since the viewer's own turn (his own until somebody else acts), newest first.

        A spectator gets those of the last seat that acted. What a bot did for the viewer is not his own.
        """
        log = [entry for _ply, entry in reversed(self.match.recent())]
        own, actors = self.stood_in, list[Seat | None]()
        for entry in log:
            is_for_viewer = entry.seat == self.viewer and own > 0
            own -= is_for_viewer
            actors.append(None if is_for_viewer else entry.seat)
        found = []
        for entry, actor in zip(log, actors, strict=True):
            if actor != actors[0] and (self.viewer in (None, actors[0]) or actor == self.viewer):
                break
            found.append(entry)
        return found


def changes(scene: Scene[Any], preview: Sheet | None) -> tuple[int, ...]:
    """What each seat's total would gain or lose; nothing without a preview."""
    if preview is None:
        return (0,) * len(scene.names)
    return gains(scene.standing, preview, range(len(preview)))


def gains(sheet: Sheet, preview: Sheet, lines: Sequence[int]) -> tuple[int, ...]:
    """What each seat would gain or lose in some lines of the score sheet."""
    rows = [[new - old for new, old in zip(preview[at], sheet[at], strict=True)] for at in lines]
    return tuple(sum(column) for column in zip(*rows, strict=True))
