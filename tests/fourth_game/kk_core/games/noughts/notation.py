"""Moves and events of Noughts and bids as text: for records, and for people."""

from __future__ import annotations

from collections.abc import Sequence

from kk_core.errors import InvalidMove
from kk_core.games.noughts.model import BID, CELLS, PLACE, SIDE, Bid, read, read_event
from kk_core.text import Text, text, texts
from kk_core.types import Event, Move, Seat


def name_of(space: int) -> str:
    """Name a space by column and row: "b2" is the middle."""
    row, column = divmod(space, SIDE)
    return f"{'abc'[column]}{row + 1}"


def format_move(move: Move) -> str:
    """Format a move for stored records: "bid 3", "place b2". Raises `InvalidMove`."""
    meant = read(move)
    return f"bid {meant.coins}" if isinstance(meant, Bid) else f"place {name_of(meant.space)}"


def parse_move(line: str) -> Move:
    """Parse a move that `format_move` wrote. Raises `InvalidMove`."""
    for move in range(BID, PLACE + CELLS):
        if line == format_move(move):
            return move
    raise InvalidMove(text('A move is like "bid 3" or "place b2", not {line}.', line=repr(line)))


def describe_move(name: str, move: Move | None) -> Text:
    """Describe a move for the log; a bid stays unsaid where `move` is None."""
    if move is None:
        return text("{name} has bid.", name=name)
    meant = read(move)
    if isinstance(meant, Bid):
        return texts("{name} bids {n} coin.", "{name} bids {n} coins.", meant.coins, name=name)
    return text("{name} marks {space}.", name=name, space=name_of(meant.space))


def describe(names: Sequence[str], seat: Seat, move: Move | None, events: Sequence[Event]) -> Sequence[Text]:
    """Describe a ply for the log: the move, then the bids that were turned over."""
    said = [describe_move(names[seat], move)]
    for event in map(read_event, events):
        (one, other), winner = event.bids, names[event.seat]
        said.append(
            text("The bids: {first} {one}, {second} {other}. {winner} pays and may place.",
                 first=names[0], second=names[1], one=one, other=other, winner=winner)
        )  # fmt: skip
    return tuple(said)
