"""What the last reveal was, read from the log: it stands on the screen until the next call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from kk_core.games.ku_ka_king.model import (
    BOX_SHUFFLED,
    CLASHED,
    FILLED,
    FIRST_SCORED,
    LAST_ROUND,
    LINES,
    NO_CALL,
    REVEALED,
    ROUND_OVER,
    TAKEN,
    Observation,
)
from kk_core.games.ku_ka_king.notation import CARD_NAMES, describe_event, describe_move, list_cards
from kk_core.text import Text, text, texts
from kk_core.types import Event, Move, Seat
from kk_core.wire.views import LogEntry, MatchView
from kk_tui.scene import Scene

_MOMENTOUS: Final = (FIRST_SCORED, LAST_ROUND, BOX_SHUFFLED)


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
        return any(event[0] == FIRST_SCORED for event in self.events)

    @property
    def ended_round(self) -> bool:
        """Whether the rows were filled up after it, so that they no longer show what was taken."""
        return any(event[0] == ROUND_OVER for event in self.events)


def last_reveal(match: MatchView) -> int | None:
    """The ply of the last reveal; None before the first."""
    return max((ply for ply, entry in match.recent() if entry.events), default=None)


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
        match event:
            case (kind, bytes(rows)) if kind == REVEALED:
                calls = {seat: row for seat, row in enumerate(rows) if row != NO_CALL}
            case (kind, int(seat), int(row), _) if kind == TAKEN:
                taken[row] = seat
            case (kind, int(row), bytes(seats), int(card)) if kind == CLASHED:
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
            match event:
                case (kind, *_) if kind == ROUND_OVER and not (over and entry is log[-1]):
                    return found
                case (kind, int(seat), int(row), _) if kind == TAKEN:
                    found[row] = seat
    return found


def captions(scene: Scene[Observation], reveal: Reveal) -> list[Text]:
    """What came of a reveal, the most telling first, but for what `notices` says."""
    said: dict[int, list[Text]] = {ROUND_OVER: [], CLASHED: [], TAKEN: []}
    for event in reveal.events:
        match event:
            case (kind, int(row), bytes(), int(card)) if kind == CLASHED:
                said[kind].append(
                    text("Row {row} clashed: {card} goes into the box.", row=row, card=CARD_NAMES[card])
                )
            case (kind, int(seat), int(row), bytes(cards)) if kind == TAKEN:
                words = text(
                    "{name} takes row {row}: {cards}.",
                    name=scene.name(seat),
                    row=row,
                    cards=list_cards(cards),
                )
                said[kind].insert(0 if seat == scene.viewer else len(said[kind]), words)
            case (kind, bytes(seats)) if kind == ROUND_OVER and seats:
                said[kind].append(describe_event(scene.names, event))
    return [sentence for kind in said.values() for sentence in kind]


def notices(reveal: Reveal) -> list[Text]:
    """What happens but once in a match: the first scoring (but for the points), the last round."""
    sentences: list[Text] = []
    for event in reveal.events:
        if event[0] == FIRST_SCORED:
            sentences.append(went_back(event))
        elif event[0] in _MOMENTOUS:
            sentences.append(describe_event((), event))
    return sentences


def went_back(event: Event) -> Text:
    """How many cards left the collections after the first scoring."""
    _kind, cards = event
    return texts(
        "{n} card with a red cross goes back into the box.",
        "{n} cards with a red cross go back into the box.",
        len(cards) if isinstance(cards, bytes) else 0,
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
        match event:
            case (kind, bytes(rows)) if kind == REVEALED:
                calls = [
                    text("{name} {row}", name=scene.name(seat), row=row)
                    for seat, row in enumerate(rows)
                    if row
                ]
                sentences.append(text("Ku ... Ka ... King! {calls}.", calls=listed(calls)))
            case (kind, _) if kind == FIRST_SCORED:
                sentences += [
                    texts(
                        "{name} gets one point in the first scoring.",
                        "{name} gets {n} points in the first scoring.",
                        points, name=scene.name(seat),
                    )
                    for seat, points in enumerate(first_points(scene.observation))
                ]  # fmt: skip
                sentences.append(went_back(event))
            case (kind, *_) if kind != FILLED:
                sentences.append(describe_event(scene.names, event))
    return sentences


def listed(items: Sequence[Text | str]) -> Text | str:
    """One after the other, with commas."""
    *before, last = items
    for item in reversed(before):
        last = text("{first}, {others}", first=item, others=last)
    return last
