"""How the board game's map is drawn, read from its data file and checked: no part of the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Final

import msgspec

from config import Source
from kk_core.data import parse
from kk_core.errors import BadData
from kk_core.games.web_of_power.drawing import FOREIGN, SEA, Drawing, Picture
from kk_core.games.web_of_power.model import COUNTRIES, Pair, Printed
from kk_core.text import Text, text

FILE: Final = "web_of_power.drawing.toml"

MOST_PICTURES: Final = 4
MOST_COLUMNS: Final = 200
MOST_ROWS: Final = 80
MOST_ORNAMENTS: Final = 8


class _Places(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One picture of the file."""

    least: Pair
    land: str
    spaces: dict[str, Pair]
    crests: dict[str, Pair] = {}
    names: dict[str, Pair] = {}
    alliances: dict[str, Pair] = {}
    ornaments: dict[str, Pair] = {}


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The data file: letters for the countries, roads that cross water, and the pictures."""

    letters: dict[str, str]
    sea_roads: tuple[str, ...]
    pictures: dict[str, _Places]


def drawing(source: Source, land: Printed, *, complete: bool) -> Drawing:
    """How a data file draws a board; spaces that it does not know have no place.

    Raises `BadData` with file, key and reason; where it should be `complete`, also for a space that has no
    place or does not stand in its country.
    """
    file = parse(source, _File)
    reading = _Reading(source.name, file, land, complete=complete)
    reading.check_letters()
    pictures = sorted(reading.pictures(), key=lambda picture: picture.least)
    index = {space: i for i, space in enumerate(land.spaces)}
    at_sea = {frozenset(index.get(end) for end in road.split("-")) for road in file.sea_roads}
    return Drawing(
        pictures=tuple(pictures),
        sea_roads=tuple(road for road in land.roads if frozenset(road) in at_sea),
    )


class _Reading:
    """One reading of a file: every check knows the key that it speaks of."""

    def __init__(self, name: str, file: _File, land: Printed, *, complete: bool) -> None:
        self._name, self._file, self._land, self._complete = name, file, land, complete

    def _require(self, holds: bool, where: str, reason: Text) -> None:
        if not holds:
            raise BadData(self._name, where, reason)

    def check_letters(self) -> None:
        """Every country has a letter of its own."""
        letters = self._file.letters
        for name, letter in letters.items():
            where = f"letters.{name}"
            self._require(name in COUNTRIES, where, text("{name} is not known here.", name=repr(name)))
            self._require(
                len(letter) == 1 and letter.isalpha() and letter.isascii(),
                where,
                text("{letter} is not one letter.", letter=repr(letter)),
            )
            of_others = [other for other in letters if other != name and letters[other] == letter]
            self._require(not of_others, where, text("{name} has this letter.", name=" ".join(of_others)))
        for name in COUNTRIES:
            self._require(name in letters, "letters", text("{name} has no letter.", name=name))

    def pictures(self) -> Iterator[Picture]:
        """The pictures of the file, in its order."""
        found = self._file.pictures
        self._require(
            1 <= len(found) <= MOST_PICTURES,
            "pictures",
            text("There must be 1 to {most} of them.", most=MOST_PICTURES),
        )
        for name, places in found.items():
            yield self._picture(f"pictures.{name}", places)

    def _picture(self, where: str, places: _Places) -> Picture:
        rows = self._rows(f"{where}.land", places.land)
        size = len(rows[0]), len(rows)
        wishes = {
            "crests": (places.crests, COUNTRIES),
            "names": (places.names, COUNTRIES),
            "alliances": (places.alliances, self._alliances()),
        }
        found = {
            key: self._wishes(f"{where}.{key}", wished, known, size)
            for key, (wished, known) in wishes.items()
        }
        for name, point in places.ornaments.items():
            self._require_on_grid(f"{where}.ornaments.{name}", point, size)
        self._require(
            len(places.ornaments) <= MOST_ORNAMENTS,
            f"{where}.ornaments",
            text("There must be at most {most} of them.", most=MOST_ORNAMENTS),
        )
        return Picture(
            least=places.least,
            width=size[0],
            height=size[1],
            land=tuple(map(self._runs, rows)),
            points=self._points(f"{where}.spaces", places.spaces, rows),
            crests=found["crests"],
            names=found["names"],
            numbers=found["alliances"],
            ornaments=tuple(places.ornaments.items()),
        )

    def _rows(self, where: str, land: str) -> list[str]:
        """The rows of the land, all equally long: what is missing on the right is sea."""
        rows = land.strip("\n").split("\n")
        wide = max(map(len, rows))
        self._require(
            1 <= wide <= MOST_COLUMNS and len(rows) <= MOST_ROWS,
            where,
            text("The land has at most {columns} columns and {rows} rows.",
                 columns=MOST_COLUMNS, rows=MOST_ROWS),
        )  # fmt: skip
        known = {SEA, FOREIGN, *self._file.letters.values()}
        for number, row in enumerate(rows):
            strange = next((sign for sign in row if sign not in known), "")
            self._require(
                not strange, f"{where}[{number}]", text("{sign} stands for no land.", sign=repr(strange))
            )
        return [row.ljust(wide, SEA) for row in rows]

    def _runs(self, row: str) -> str:
        """A row as runs, the countries by "a" and what follows in the order of COUNTRIES."""
        letters = {self._file.letters[name]: chr(ord("a") + i) for i, name in enumerate(COUNTRIES)}
        return "".join(f"{len(list(run))}{letters.get(sign, sign)}" for sign, run in groupby(row))

    def _points(self, where: str, spaces: Mapping[str, Pair], rows: list[str]) -> tuple[Pair | None, ...]:
        taken = dict[Pair, str]()
        for space, point in spaces.items():
            key = f"{where}.{space}"
            self._require_on_grid(key, point, (len(rows[0]), len(rows)))
            self._require(
                point not in taken, key, text("{space} is drawn at this place.", space=taken.get(point, ""))
            )
            taken[point] = space
        if self._complete:
            self._require_all(where, spaces, rows)
        return tuple(spaces.get(space) for space in self._land.spaces)

    def _require_all(self, where: str, spaces: Mapping[str, Pair], rows: list[str]) -> None:
        for number, space in enumerate(self._land.spaces):
            self._require(
                space in spaces, where, text("There is no place for the space {space}.", space=space)
            )
            country = COUNTRIES[self._land.country_of[number]]
            column, row = spaces[space]
            self._require(
                rows[row][column] == self._file.letters[country],
                f"{where}.{space}",
                text("This place does not lie in {country}.", country=country),
            )

    def _alliances(self) -> list[str]:
        return [f"{COUNTRIES[a]}-{COUNTRIES[b]}" for a, b in self._land.alliances]

    def _wishes(
        self, where: str, wished: Mapping[str, Pair], known: Iterable[str], size: Pair
    ) -> tuple[Pair | None, ...]:
        """Wished places by name in the order of what is known; of others there is no talk in this match."""
        for name, point in wished.items():
            strange = next((part for part in name.split("-") if part not in COUNTRIES), None)
            self._require(
                strange is None, f"{where}.{name}", text("{name} is not known here.", name=repr(strange))
            )
            self._require_on_grid(f"{where}.{name}", point, size)
        either_way = dict(wished) | {"-".join(reversed(name.split("-"))): at for name, at in wished.items()}
        return tuple(either_way.get(name) for name in known)

    def _require_on_grid(self, where: str, point: Pair, size: Pair) -> None:
        self._require(
            0 <= point[0] < size[0] and 0 <= point[1] < size[1],
            where,
            text("The place is off the grid of {size}.", size=f"{size[0]} x {size[1]}"),
        )
