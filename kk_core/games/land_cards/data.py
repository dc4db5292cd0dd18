"""The deck of the card game, read from its data file and checked."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec

from kk_core.config import Source, parse
from kk_core.errors import BadData
from kk_core.games.land_cards.model import COLUMNS, COUNTRIES, LAWS, ROUTES, ROWS, SYMBOLS, Printed, face
from kk_core.text import text

FILE: Final = "land_cards.toml"
AVERAGES: Final = "land_cards.averages.json"
"""The average final worth of lines of the sheet (see tools/bench/averages.py)."""
WEIGHTS: Final = "land_cards.weights.json"
"""The learned weights of good players' turns (see tools/bench/weights.py)."""
STYLES: Final = "land_cards.styles.json"
"""The points by which bots like what their style is about (see the game's ai/styles.py)."""

CARDS_PER_COUNTRY: Final = (8, 7, 6, 7, 7, 6, 6, 5, 4)
"""Number of cards in the printed game, in the order of COUNTRIES; 56 in all."""

LAW_CARDS: Final = 8

_ROUTE_LETTERS: Final = {"": "", "s": "ship", "k": "carriage"}


class LawLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The places of the law cards: (row, column), counted from 1."""

    law_positions: tuple[tuple[int, int], ...]


class Deck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The data file: the codes of every country's cards, the number of law cards of each kind, the layout."""

    cards: dict[str, tuple[str, ...]]
    laws: dict[str, int]
    layout: LawLayout


def parse_deck(source: Source) -> Deck:
    """Parse a data file. Raises `BadData` with file, key and reason."""
    return parse(source, Deck)


def printed(name: str, deck: Deck) -> Printed:
    """Check a deck and return its cards; errors give `name` as its source. Raises `BadData`."""
    return Printed(_faces(name, deck.cards), _laws(name, deck.laws), _cells(name, deck.layout))


def _faces(file: str, cards: dict[str, tuple[str, ...]]) -> tuple[int, ...]:
    _check_names(file, "cards", cards, COUNTRIES)
    faces = []
    for country in COUNTRIES:
        codes = cards[country]
        wanted = CARDS_PER_COUNTRY[COUNTRIES.index(country)]
        where = f"cards.{country}"
        if len(codes) != wanted:
            raise BadData(
                file,
                where,
                text("{n} cards, but the printed game has {wanted}.", n=len(codes), wanted=wanted),
            )
        faces += [_face(file, f"{where}[{i}]", country, code) for i, code in enumerate(codes)]
    return tuple(faces)


def _face(file: str, where: str, country: str, code: str) -> int:
    letters, plus, route = code.partition("+")
    if route not in _ROUTE_LETTERS or (plus and not route):
        raise BadData(
            file, where, text("{code} has no valid route: +s is a ship, +k a carriage.", code=repr(code))
        )
    symbols = "" if letters == "-" else letters
    if not letters or any(letter not in SYMBOLS for letter in symbols):
        raise BadData(
            file,
            where,
            text(
                "{code} must begin with symbols ({known}), or - for none.",
                code=repr(code),
                known=" ".join(SYMBOLS),
            ),
        )
    if len(symbols) > 2:
        raise BadData(file, where, text("{code} has more than two symbols.", code=repr(code)))
    return face(
        COUNTRIES.index(country),
        tuple(SYMBOLS.index(letter) for letter in symbols),
        ROUTES.index(_ROUTE_LETTERS[route]),
    )


def _laws(file: str, counts: dict[str, int]) -> bytes:
    _check_names(file, "laws", counts, LAWS)
    for kind, count in counts.items():
        if count < 1:
            raise BadData(file, f"laws.{kind}", text("There must be at least one card of each kind."))
    total = sum(counts.values())
    if total != LAW_CARDS:
        raise BadData(
            file,
            "laws",
            text("{n} law cards, but the printed game has {wanted}.", n=total, wanted=LAW_CARDS),
        )
    return bytes(kind for kind, name in enumerate(LAWS) for _ in range(counts[name]))


def _cells(file: str, layout: LawLayout) -> bytes:
    where = "layout.law_positions"
    positions = layout.law_positions
    for row, column in positions:
        if not (1 <= row <= ROWS and 1 <= column <= COLUMNS):
            raise BadData(
                file,
                where,
                text(
                    "Row {row}, column {column} is outside the layout of {rows} rows of {columns}.",
                    row=row,
                    column=column,
                    rows=ROWS,
                    columns=COLUMNS,
                ),
            )
    cells = bytes((row - 1) * COLUMNS + column - 1 for row, column in positions)
    if len(set(cells)) != len(cells):
        raise BadData(file, where, text("A position is named twice."))
    if len(cells) != LAW_CARDS:
        raise BadData(
            file, where, text("{n} positions for {wanted} law cards.", n=len(cells), wanted=LAW_CARDS)
        )
    return cells


def _check_names(file: str, table: str, given: Collection[str], known: tuple[str, ...]) -> None:
    for name in given:
        if name not in known:
            raise BadData(
                file,
                f"{table}.{name}",
                text("Unknown name; known names: {known}.", known=", ".join(known)),
            )
    for name in known:
        if name not in given:
            raise BadData(file, f"{table}.{name}", text("This entry is missing."))
