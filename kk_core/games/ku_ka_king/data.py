"""The cards, their values and the set-ups of Ku-Ka-King, read from the data file and checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

import msgspec

from kk_core.config import Source, parse
from kk_core.errors import BadData
from kk_core.games.ku_ka_king.model import (
    ANIMALS,
    CARDS,
    MAX_ROWS,
    META,
    ROW_CARDS,
    CardValues,
    Printed,
    TableSetup,
)
from kk_core.text import Text, text

FILE: Final = "ku_ka_king.toml"
PROSPECTS: Final = "ku_ka_king.prospects.json"
"""The learned weights of what collections will bring (see tools/bench/prospects.py)."""
STYLES: Final = "ku_ka_king.styles.json"
"""The points by which bots like what their style is about (see the game's ai/styles.py)."""

ALL_CARDS: Final = 112
OF_EACH_ANIMAL: Final = 5

_Count = Annotated[int, msgspec.Meta(ge=1, le=ALL_CARDS)]
_Points = Annotated[int, msgspec.Meta(ge=0, le=1000)]
_Steps = Annotated[tuple[_Points, ...], msgspec.Meta(min_length=2)]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seats: int
    rows: Annotated[int, msgspec.Meta(ge=2, le=MAX_ROWS)]
    cards: _Count


class _Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    type: str
    count: _Count
    kept: bool


class _Worth(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kings: _Steps
    churches: _Points
    victory: tuple[_Points, _Points, _Points]
    most_knights: _Points
    knight: _Points
    animals: _Steps
    pair: _Points
    trio: _Points


class Deck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The data file: count and mark of every card type, the values, and the set-ups."""

    cards: tuple[_Kind, ...]
    points: _Worth
    tables: tuple[_Table, ...]


def parse_deck(source: Source) -> Deck:
    """Parse a data file. Raises `BadData` with file, key and reason."""
    return parse(source, Deck)


def printed(name: str, deck: Deck) -> Printed:
    """Check a deck and return it in public form; errors give `name` as its source. Raises `BadData`."""
    _check_cards(name, deck.cards)
    _check_tables(name, deck.tables)
    kinds = {kind.type: kind for kind in deck.cards}
    worth = deck.points
    return Printed(
        counts=bytes(kinds[card].count for card in CARDS),
        kept=bytes(kinds[card].kept for card in CARDS),
        scale=CardValues(
            kings=worth.kings,
            churches=worth.churches,
            points=worth.victory,
            most_knights=worth.most_knights,
            knight=worth.knight,
            animals=worth.animals,
            pair=worth.pair,
            trio=worth.trio,
        ),
        tables=tuple(TableSetup(table.seats, table.rows, table.cards) for table in deck.tables),
    )


def _check_cards(name: str, kinds: Sequence[_Kind]) -> None:
    seen: set[str] = set()
    for i, kind in enumerate(kinds):
        if fault := _fault_of(kind, seen):
            raise BadData(name, f"$.cards[{i}]", fault)
        seen.add(kind.type)
    for card in CARDS:
        if card not in seen:
            raise BadData(name, "$.cards", text("Card type {card} is missing.", card=card))
    total = sum(kind.count for kind in kinds)
    if total != ALL_CARDS:
        reason = text("There must be {wanted} cards in all, not {total}.", wanted=ALL_CARDS, total=total)
        raise BadData(name, "$.cards", reason)


def _fault_of(kind: _Kind, seen: set[str]) -> Text | None:
    if kind.type not in CARDS:
        known = ", ".join(CARDS)
        return text("Unknown type {card}; known types: {known}.", card=repr(kind.type), known=known)
    if kind.type in seen:
        return text("Type {card} is listed twice.", card=kind.type)
    if CARDS.index(kind.type) < ANIMALS and kind.count != OF_EACH_ANIMAL:
        return text(
            "Each animal must have {wanted} cards; {card} has {n}.",
            wanted=OF_EACH_ANIMAL, n=kind.count, card=kind.type,
        )  # fmt: skip
    return None


def _check_tables(name: str, tables: Sequence[_Table]) -> None:
    wanted = list(range(META.min_seats, META.max_seats + 1))
    found = sorted(table.seats for table in tables)
    if found != wanted:
        reason = text(
            "There must be one table for each seat count in {wanted}, not {found}.",
            wanted=str(wanted), found=str(found),
        )  # fmt: skip
        raise BadData(name, "$.tables", reason)
    for i, table in enumerate(tables):
        least = table.rows * ROW_CARDS
        if table.cards < least:
            reason = text(
                "{n} cards cannot fill {rows} rows: {least} are needed.",
                n=table.cards, rows=table.rows, least=least,
            )  # fmt: skip
            raise BadData(name, f"$.tables[{i}].cards", reason)
