"""Moves as text: the stable notation of stored records, and sentences for a log."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kk_core.errors import InvalidMove
from kk_core.games.land_cards.model import (
    CELLS,
    COLUMNS,
    END_TAKING,
    GIVE_UP,
    GIVE_UP_SUPPLY,
    LAWS,
    MOVE,
    MOVES_END,
    PASS,
    PLACE,
    PLAY_LAW,
    ROWS,
    SKIP,
    SYMBOLS,
    TAKE,
    Observation,
    country_of,
    route_of,
    symbols_of,
)
from kk_core.text import Text, text
from kk_core.types import Event, Move

COUNTRY_NAMES: Final = (
    text("Frankreich"),
    text("Sachsen"),
    text("Ungarn"),
    text("Kastilien"),
    text("Franken"),
    text("Bayern"),
    text("Italien"),
    text("England"),
    text("Dänemark"),
)
"""In the order of COUNTRIES."""

SYMBOL_NAMES: Final = (text("cross"), text("fan"), text("lion"), text("eagle"), text("tower"))
"""In the order of SYMBOLS."""

LAW_NAMES: Final = (
    text("Take back a stone"),
    text("3 symbols allowed"),
    text("Different colours allowed"),
    text("-2 victory points"),
)
"""In the order of LAWS."""

_WORDS: Final = {END_TAKING: "end", PASS: "pass", SKIP: "skip", GIVE_UP_SUPPLY: "give supply"}
_MOVE_OF_WORDS: Final = {words: move for move, words in _WORDS.items()}
_BASES: Final = {"take": TAKE, "give": GIVE_UP, "place": PLACE}
_ON_A_CELL: Final = re.compile(r"(take|give|place) ([1-4]) ([1-9][0-9]?)", re.ASCII)
_FROM_CELL_TO_CELL: Final = re.compile(r"move ([1-4]) ([1-9][0-9]?) ([1-4]) ([1-9][0-9]?)", re.ASCII)


def row_and_column(cell: int) -> tuple[int, int]:
    """Where a cell is, both counted from 1."""
    row, column = divmod(cell, COLUMNS)
    return row + 1, column + 1


# -- stable notation -----------------------------------------------------------------------------------------


def format_move(move: Move) -> str:
    """A move in one line, e.g. "take 1 14"; rows and columns count from 1. Raises `InvalidMove`."""
    if move in _WORDS:
        return _WORDS[move]
    if 0 <= move - PLAY_LAW < len(LAWS):
        return f"law {LAWS[move - PLAY_LAW]}"
    if MOVE <= move < MOVES_END:
        start, target = divmod(move - MOVE, CELLS)
        return "move {} {} {} {}".format(*row_and_column(start), *row_and_column(target))
    for word, base in _BASES.items():
        if 0 <= move - base < CELLS:
            return "{} {} {}".format(word, *row_and_column(move - base))
    raise InvalidMove(text("There is no move {move}.", move=str(move)))


def parse_move(line: str) -> Move:
    """The move of `format_move`. Raises `InvalidMove`."""
    if line in _MOVE_OF_WORDS:
        return _MOVE_OF_WORDS[line]
    word, _, law = line.partition(" ")
    if word == "law" and law in LAWS:
        return PLAY_LAW + LAWS.index(law)
    if found := _ON_A_CELL.fullmatch(line):
        return _BASES[found[1]] + _parse_cell(line, found[2], found[3])
    if found := _FROM_CELL_TO_CELL.fullmatch(line):
        start, target = _parse_cell(line, found[1], found[2]), _parse_cell(line, found[3], found[4])
        return MOVE + start * CELLS + target
    raise InvalidMove(text("{line} is not a move of this game.", line=repr(line)))


def _parse_cell(line: str, row: str, column: str) -> int:
    if int(column) > COLUMNS:
        raise InvalidMove(
            text("{line}: there are {rows} rows of {columns}.", line=repr(line), rows=ROWS, columns=COLUMNS)
        )
    return (int(row) - 1) * COLUMNS + int(column) - 1


# -- sentences -----------------------------------------------------------------------------------------------


def card_name(face: int) -> Text:
    """A card by its country and what is on it, e.g. "Frankreich KF"."""
    country = COUNTRY_NAMES[country_of(face)]
    symbols = "".join(SYMBOLS[symbol] for symbol in symbols_of(face))
    if not symbols:
        return (
            text("{country} without a symbol", country=country),
            text("{country} without a symbol, with a ship", country=country),
            text("{country} without a symbol, with a carriage", country=country),
        )[route_of(face)]
    return (
        text("{country} {symbols}", country=country, symbols=symbols),
        text("{country} {symbols} with a ship", country=country, symbols=symbols),
        text("{country} {symbols} with a carriage", country=country, symbols=symbols),
    )[route_of(face)]


def describe_move(observation: Observation, seat_name: str, move: Move) -> Text:
    """What a seat did, as a sentence for a log. Raises `InvalidMove`."""
    if move == END_TAKING:
        return text("{name} takes no more cards.", name=seat_name)
    if move == PASS:
        return text("{name} leaves the stones as they are.", name=seat_name)
    if move == SKIP:
        return text("{name} skips the turn.", name=seat_name)
    if move == GIVE_UP_SUPPLY:
        return text("{name} gives up a stone from the supply.", name=seat_name)
    if 0 <= move - PLAY_LAW < len(LAWS):
        return text("{name} plays the law “{law}”.", name=seat_name, law=LAW_NAMES[move - PLAY_LAW])
    return _describe_on_cards(observation, seat_name, move)


def _describe_on_cards(observation: Observation, name: str, move: Move) -> Text:
    def card(cell: int) -> Text:
        return card_name(observation.faces[cell])

    if 0 <= move - TAKE < CELLS:
        cell = move - TAKE
        row = cell // COLUMNS + 1
        return text("{name} takes {card} from row {row}.", name=name, card=card(cell), row=row)
    if 0 <= move - GIVE_UP < CELLS:
        return text("{name} gives up the stone on {card}.", name=name, card=card(move - GIVE_UP))
    if 0 <= move - PLACE < CELLS:
        return text("{name} places a stone on {card}.", name=name, card=card(move - PLACE))
    if MOVE <= move < MOVES_END:
        start, target = divmod(move - MOVE, CELLS)
        return text(
            "{name} moves a stone from {start} to {target}.",
            name=name,
            start=card(start),
            target=card(target),
        )
    raise InvalidMove(text("There is no move {move}.", move=str(move)))


def describe_event(event: Event, seat_names: Sequence[str]) -> Text:
    """What the rules did, as a sentence for a log; the only kind is SKIPPED."""
    _, seat = event
    assert isinstance(seat, int)
    return text("{name} can take no card and must skip.", name=seat_names[seat])
