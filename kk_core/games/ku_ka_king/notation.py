"""Moves, cards and events of Ku-Ka-King as text: for records, and for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kk_core.errors import InvalidMove
from kk_core.games.ku_ka_king import model
from kk_core.games.ku_ka_king.model import read
from kk_core.text import Text, joined, listed, text, texts
from kk_core.types import Event, Move, Seat, totals

CARD_NAMES: Final = (
    text("sheep"),
    text("horse"),
    text("pig"),
    text("cow"),
    text("chicken"),
    text("goose"),
    text("goat"),
    text("rabbit"),
    text("king"),
    text("knight"),
    text("church"),
    text("2 points"),
    text("3 points"),
    text("4 points"),
    text("farmer"),
    text("wife"),
    text("house"),
)
"""Names of `model.CARDS` for people."""

_VERB: Final = "call"


def format_move(move: Move) -> str:
    """Return a call in the notation of stored records: "call 3". Raises `InvalidMove`."""
    return f"{_VERB} {read(move).row}"


def parse_move(line: str) -> Move:
    """Parse a move that `format_move` wrote. Raises `InvalidMove`."""
    for move in range(1, model.MAX_ROWS + 1):
        if line == format_move(move):
            return move
    reason = text(
        'A move is "call" and a row from 1 to {rows}, such as "call 3", not {line}.',
        rows=model.MAX_ROWS, line=repr(line),
    )  # fmt: skip
    raise InvalidMove(reason)


def describe_move(names: Sequence[str], seat: Seat, move: Move | None) -> Text:
    """Describe a call for the log, without the row if `move` is None."""
    if move is None:
        return text("{name} has called.", name=names[seat])
    return text("{name} calls row {row}.", name=names[seat], row=move)


def describe_event(names: Sequence[str], event: Event) -> Text:
    """Describe an event for the log, with the names of all seats."""
    match model.read_event(event):
        case model.Revealed():
            return text("Ku-Ka-King!")
        case model.Taken(seat, row, cards):
            taken = list_cards(cards)
            return text("{name} takes row {row}: {cards}.", name=names[seat], row=row, cards=taken)
        case model.Clashed(row, seats, card):
            return _describe_clash([names[seat] for seat in seats], row, CARD_NAMES[card])
        case model.RoundOver(seats):
            return _describe_round_over([names[seat] for seat in seats])
        case model.FirstScored(cards):
            return texts(
                "First scoring. One card with a cross goes into the box.",
                "First scoring. {n} cards with a cross go into the box.",
                len(cards),
            )
        case model.Filled(rows):
            added = sum(map(len, rows))
            return texts("One card is laid out.", "{n} cards are laid out.", added)
        case model.LastRound():
            return text("The pile is empty: this is the last round.")
        case model.BoxShuffled():
            return text("The rows are refilled with shuffled cards from the box.")


def describe(
    observation: model.Observation,
    names: Sequence[str],
    seat: Seat,
    move: Move | None,
    events: Sequence[Event],
) -> Sequence[Text]:
    """Describe a ply for the log: the call, then the results of the reveal; nothing for a secret call."""
    said = [] if move is None else [describe_move(names, seat, move)]
    for event in events:
        match model.read_event(event):
            case model.Revealed(rows):
                calls = [text("{name} {row}", name=names[n], row=row) for n, row in enumerate(rows) if row]
                said.append(text("Ku ... Ka ... King! {calls}.", calls=listed(calls)))
            case model.FirstScored(cards):
                said += [
                    texts(
                        "{name} gets one point in the first scoring.",
                        "{name} gets {n} points in the first scoring.",
                        points, name=name,
                    )
                    for name, points in zip(names, first_points(observation), strict=True)
                ]  # fmt: skip
                said.append(went_back(cards))
            case model.Filled():
                pass
            case _:
                said.append(describe_event(names, event))
    return tuple(said)


def first_points(observation: model.Observation) -> tuple[int, ...]:
    """Return the points of every seat in the first scoring."""
    return totals(observation.sheet[: len(model.LINES)])


def went_back(cards: bytes) -> Text:
    """Count the cards that left the collections after the first scoring."""
    return texts(
        "{n} card with a cross goes into the box.",
        "{n} cards with a cross go into the box.",
        len(cards),
    )


def list_cards(cards: bytes) -> Text | str:
    """Join cards for a sentence: "sheep, king, church"."""
    return listed([CARD_NAMES[card] for card in cards])


def _describe_clash(names: Sequence[str], row: int, card: Text) -> Text:
    called = joined(names)
    if len(names) == 2:
        return text("{names} both call row {row}. Into the box: {card}.", names=called, row=row, card=card)
    return text("{names} all call row {row}. Into the box: {card}.", names=called, row=row, card=card)


def _describe_round_over(empty_handed: Sequence[str]) -> Text:
    if not empty_handed:
        return text("The round is over.")
    return text(
        "The round is over: too few rows have cards left. No cards for {names}.",
        names=joined(empty_handed),
    )
