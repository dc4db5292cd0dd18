"""What the last reveal was, read from the log: it stands on the screen until the next call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kk_core.games.ku_ka_king.model import (
    LINES,
    NO_CALL,
    AnyEvent,
    BoxShuffled,
    Clashed,
    Filled,
    FirstScored,
    LastRound,
    Observation,
    Revealed,
    RoundOver,
    Taken,
    read_event,
)
from kk_core.games.ku_ka_king.notation import CARD_NAMES, describe_event, describe_move, list_cards
from kk_core.text import Text, text, texts
from kk_core.types import Event, Move, Seat
from kk_core.wire.views import LogEntry
from kk_tui.scene import Scene


@dataclass(frozen=True)
class Reveal:
    """`calls` by seat (only of those who called), `taken` rows by row, `clashed` rows with seats and card.

    `earlier` are the rows that others had taken before in the same round.
    """

    calls: Mapping[Seat, Move]
    earlier: Mapping[Seat, Move]
    taken: Mapping[Move, Seat]
    clashed: Mapping[Move, tuple[bytes, int]]
    events: tuple[Event, ...] = field(repr=False)

    @property
    def scored(self) -> bool:
        """Whether the first scoring followed."""
        return any(isinstance(event, FirstScored) for event in self.seen)

    @property
    def ended_round(self) -> bool:
        """Whether the rows were filled up after it, so that they no longer show what was taken."""
        return any(isinstance(event, RoundOver) for event in self.seen)

    @property
    def seen(self) -> list[AnyEvent]:
        """The events by their meaning."""
        return [read_event(event) for event in self.events]


def last_reveal(scene: Scene[Observation]) -> int | None:
    """The ply of the last reveal; None before the first."""
    return max((ply for ply, entry in scene.match.recent() if entry.events), default=None)


def standing(scene: Scene[Observation]) -> Reveal | None:
    """The last reveal, while it is to be seen: until the viewer has called the next row."""
    if scene.observation.own_call != NO_CALL:
        return None
    log = [entry for _ply, entry in scene.match.recent() if entry.events]
    if not log:
        return None
    before = {seat: row for row, seat in _takers(log[:-1]).items()}
    return _read(log[-1].events, before)


def _read(events: tuple[Event, ...], before: Mapping[Seat, Move]) -> Reveal:
    calls: dict[Seat, Move] = {}
    taken: dict[Move, Seat] = {}
    clashed: dict[Move, tuple[bytes, int]] = {}
    for event in events:
        match read_event(event):
            case Revealed(rows):
                calls = {seat: row for seat, row in enumerate(rows) if row != NO_CALL}
            case Taken(seat, row):
                taken[row] = seat
            case Clashed(row, seats, card):
                clashed[row] = (seats, card)
    return Reveal(calls, before, taken, clashed, events)


def takers(scene: Scene[Observation]) -> dict[Move, Seat]:
    """Who has taken which row in this round, the last one when the match is over."""
    return _takers([entry for _ply, entry in scene.match.recent()], over=scene.is_over)


def _takers(log: Sequence[LogEntry], *, over: bool = False) -> dict[Move, Seat]:
    """Who has taken which row since the last round ended; when all is `over`, before the last end."""
    found: dict[Move, Seat] = {}
    for entry in reversed(log):
        for event in reversed(entry.events):
            match read_event(event):
                case RoundOver() if not (over and entry is log[-1]):
                    return found
                case Taken(seat, row):
                    found[row] = seat
    return found


def captions(scene: Scene[Observation], reveal: Reveal) -> list[Text]:
    """What came of a reveal, the most telling first, but for what `notices` says."""
    over: list[Text] = []
    clashes: list[Text] = []
    takes: list[Text] = []
    for event in reveal.events:
        match read_event(event):
            case Clashed(row, _, card):
                clashes.append(
                    text("Row {row} clashed: {card} goes into the box.", row=row, card=CARD_NAMES[card])
                )
            case Taken(seat, row, cards):
                words = text(
                    "{name} takes row {row}: {cards}.",
                    name=scene.name(seat),
                    row=row,
                    cards=list_cards(cards),
                )
                takes.insert(0 if seat == scene.viewer else len(takes), words)
            case RoundOver(seats) if seats:
                over.append(describe_event(scene.names, event))
    return [*over, *clashes, *takes]


def notices(reveal: Reveal) -> list[Text]:
    """What happens but once in a match: the first scoring (but for the points), the last round."""
    sentences: list[Text] = []
    for event in reveal.events:
        match read_event(event):
            case FirstScored(cards):
                sentences.append(went_back(cards))
            case LastRound() | BoxShuffled():
                sentences.append(describe_event((), event))
    return sentences


def went_back(cards: bytes) -> Text:
    """How many cards left the collections after the first scoring."""
    return texts(
        "{n} card with a red cross goes back into the box.",
        "{n} cards with a red cross go back into the box.",
        len(cards),
    )


def first_points(view: Observation) -> tuple[int, ...]:
    """What the first scoring gave every seat."""
    return tuple(sum(column) for column in zip(*view.sheet[: len(LINES)], strict=True))


def describe(scene: Scene[Observation], entry: LogEntry) -> Sequence[Text]:
    """The log's words for a ply: the call, then what the reveal brought; nothing for a secret call."""
    if entry.move is None and not entry.events:
        return ()
    sentences = [] if entry.move is None else [describe_move(scene.names, entry.seat, entry.move)]
    for event in entry.events:
        match read_event(event):
            case Revealed(rows):
                calls = [
                    text("{name} {row}", name=scene.name(seat), row=row)
                    for seat, row in enumerate(rows)
                    if row
                ]
                sentences.append(text("Ku ... Ka ... King! {calls}.", calls=listed(calls)))
            case FirstScored(cards):
                sentences += [
                    texts(
                        "{name} gets one point in the first scoring.",
                        "{name} gets {n} points in the first scoring.",
                        points, name=scene.name(seat),
                    )
                    for seat, points in enumerate(first_points(scene.observation))
                ]  # fmt: skip
                sentences.append(went_back(cards))
            case Filled():
                pass
            case _:
                sentences.append(describe_event(scene.names, event))
    return sentences


def listed(items: Sequence[Text | str]) -> Text | str:
    """One after the other, with commas."""
    *before, last = items
    for item in reversed(before):
        last = text("{first}, {others}", first=item, others=last)
    return last
