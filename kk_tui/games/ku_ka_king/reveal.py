"""The last reveal, read from the log: it stays on the screen until the next call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kk_core.games.ku_ka_king import notation
from kk_core.games.ku_ka_king.model import (
    NO_CALL,
    AnyEvent,
    BoxShuffled,
    Clashed,
    FirstScored,
    LastRound,
    Observation,
    Revealed,
    RoundOver,
    Taken,
    read_event,
)
from kk_core.games.ku_ka_king.notation import describe_event, describe_move, went_back
from kk_core.text import Text, text, texts
from kk_core.types import Event, Move, Seat
from kk_core.views import LogEntry
from kk_tui.scene import Scene


@dataclass(frozen=True)
class Reveal:
    """A reveal: `calls` by seat (only of those who called), `clashed` rows with seats and card.

    `taken` is what has been taken so far in this round, by row; `earlier` the rows of those who did so
    before, `earlier_clashes` those before it in the round.
    """

    calls: Mapping[Seat, Move]
    earlier: Mapping[Seat, Move]
    taken: Mapping[Move, Taken]
    clashed: Mapping[Move, tuple[bytes, int]]
    events: tuple[Event, ...] = field(repr=False)
    earlier_clashes: tuple[Clashed, ...] = ()

    @property
    def scored(self) -> bool:
        """True if the first scoring followed."""
        return any(isinstance(event, FirstScored) for event in self.seen)

    @property
    def ended_round(self) -> bool:
        """True if the rows were refilled after it, so that they no longer show what was taken."""
        return any(isinstance(event, RoundOver) for event in self.seen)

    @property
    def seen(self) -> list[AnyEvent]:
        """The events by their meaning."""
        return [read_event(event) for event in self.events]


def last_reveal(scene: Scene[Observation]) -> int | None:
    """Return the ply of the last reveal; None before the first."""
    return max((ply for ply, entry in scene.match.recent() if entry.events), default=None)


def standing(scene: Scene[Observation]) -> Reveal | None:
    """Return the last reveal while it should be shown: until the viewer has called the next row."""
    if scene.observation.own_call != NO_CALL:
        return None
    log = [entry for _ply, entry in scene.match.recent() if entry.events]
    if not log:
        return None
    return read_reveal(log[-1].events, _takers(log[:-1]), _clashes(log[:-1]))


def read_reveal(
    events: tuple[Event, ...], before: Mapping[Move, Taken], clashes: tuple[Clashed, ...] = ()
) -> Reveal:
    """Return a reveal from its events, and from what was taken and lost earlier in the same round."""
    calls: dict[Seat, Move] = {}
    taken = dict(before)
    clashed: dict[Move, tuple[bytes, int]] = {}
    for event in events:
        match read_event(event):
            case Revealed(rows):
                calls = {seat: row for seat, row in enumerate(rows) if row != NO_CALL}
            case Taken(_, row) as took:
                taken[row] = took
            case Clashed(row, seats, card):
                clashed[row] = (seats, card)
    earlier = {took.seat: row for row, took in before.items()}
    return Reveal(calls, earlier, taken, clashed, events, clashes)


def takers(scene: Scene[Observation]) -> dict[Move, Taken]:
    """Return what was taken in this round, by row; after the end of the match, in the last one."""
    return _takers([entry for _ply, entry in scene.match.recent()], over=scene.is_over)


def _takers(log: Sequence[LogEntry], *, over: bool = False) -> dict[Move, Taken]:
    """Return what was taken since the last round ended; if the match is `over`, before its last end."""
    found: dict[Move, Taken] = {}
    for entry in reversed(log):
        for event in reversed(entry.events):
            match read_event(event):
                case RoundOver() if not (over and entry is log[-1]):
                    return found
                case Taken(_, row) as took:
                    found[row] = took
    return found


def _clashes(log: Sequence[LogEntry]) -> tuple[Clashed, ...]:
    """Return the clashes since the last round ended, oldest first."""
    found: list[Clashed] = []
    for event in (read_event(event) for entry in log for event in entry.events):
        if isinstance(event, RoundOver):
            found = []
        elif isinstance(event, Clashed):
            found.append(event)
    return tuple(found)


def notices(reveal: Reveal, is_short: bool = False) -> list[Text]:
    """Return events that happen once in a match: the first scoring (without the points), the last round."""
    sentences: list[Text] = []
    for event in reveal.events:
        match read_event(event):
            case FirstScored(cards):
                short = texts("{n} card goes.", "{n} cards go.", len(cards))
                sentences.append(short if is_short else went_back(cards))
            case LastRound():
                sentences.append(text("The last round.") if is_short else describe_event((), event))
            case BoxShuffled():
                sentences.append(text("Rows filled from the box.") if is_short else describe_event((), event))
    return sentences


def move_words(scene: Scene[Observation], seat: Seat, move: Move) -> Text:
    """Return a call as a sentence."""
    return describe_move(scene.names, seat, move)


def describe(scene: Scene[Observation], entry: LogEntry) -> Sequence[Text]:
    """Return the log's words for a ply."""
    return notation.describe(scene.observation, scene.names, entry.seat, entry.move, entry.events)
