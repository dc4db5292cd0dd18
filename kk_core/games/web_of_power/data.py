"""The data files of the board game, read and checked: map, deck and pieces, and the drawing of the map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Final

import msgspec

from kk_core.config import Source, parse
from kk_core.errors import BadData
from kk_core.games.web_of_power.model import (
    ALLIANCES,
    CARDS,
    COUNTRIES,
    FOREIGN,
    HAND,
    MAX_SPACES,
    MAX_SPACES_OF_COUNTRY,
    OPEN_CARDS,
    SEA,
    Drawing,
    MapPicture,
    Pair,
    Printed,
)
from kk_core.text import Text, text

FILE: Final = "web_of_power.toml"
AVERAGES: Final = "web_of_power.averages.json"
"""The average final worth of lines of the sheet (see tools/bench/averages.py)."""
WEIGHTS: Final = "web_of_power.weights.json"
"""The learned weights of a good player (see tools/bench/weights.py)."""
STYLES: Final = "web_of_power.styles.json"
"""The points by which bots like what their style is about (see the game's ai/styles.py)."""

MOST: Final = 99
"""The most cards of a kind, or pieces of a player, which are counted in bytes."""


MOST_CLOISTERS: Final = 22
"""The most cloisters of a player, since the search for the best chains takes long with many."""

EASY_ROADS: Final = 3
MOST_MORE_ROADS: Final = 8
"""The most roads beyond the third of a space, summed over all spaces: where many roads meet, the search for
the best chains takes long. The shipped map has 4.
"""


# -- map, deck and pieces ------------------------------------------------------------------------------------


class _Country(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    spaces: tuple[str, ...]
    roads: tuple[str, ...]


class _Totals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    spaces: int
    roads: int
    cards: int


class _Pieces(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cloisters: int
    advisors: int


class BoardMap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The data file of the rules: countries with their spaces and roads, alliances, cards, pieces."""

    scoring_order: tuple[str, ...]
    alliances: tuple[str, ...]
    border_roads: tuple[str, ...]
    totals: _Totals
    pieces: _Pieces
    cards: dict[str, int]
    removed: dict[str, int]
    countries: dict[str, _Country]


def parse_board(source: Source) -> BoardMap:
    """Parse the data file of the rules. Raises `BadData` with file, key and reason."""
    return parse(source, BoardMap)


def printed(name: str, board: BoardMap) -> Printed:
    """Check board and deck and return them in public form; errors give `name` as source. Raises `BadData`."""
    return _Check(name, board).printed()


class _Check:
    """Checks a file; errors give the key at fault."""

    def __init__(self, name: str, board: BoardMap) -> None:
        self._name = name
        self._file = board

    def _require(self, holds: bool, where: str, reason: Text) -> None:
        if not holds:
            raise BadData(self._name, where, reason)

    def printed(self) -> Printed:
        file = self._file
        self._require_names("countries", file.countries, COUNTRIES)
        self._require_names("scoring_order", file.scoring_order, COUNTRIES)
        spaces, country_of = self._spaces()
        index = {space: i for i, space in enumerate(spaces)}
        roads = self._roads(index, country_of)
        neighbours = _neighbours(len(spaces), roads)
        self._require_connected(spaces, neighbours)
        self._require_easy(neighbours)
        deck, removed = self._deck()
        self._require_count("pieces.cloisters", self._file.pieces.cloisters, MOST_CLOISTERS)
        self._require_count("pieces.advisors", self._file.pieces.advisors)
        return Printed(
            spaces=tuple(spaces),
            country_of=bytes(country_of),
            spaces_of=tuple(
                tuple(i for i, of in enumerate(country_of) if of == country)
                for country in range(len(COUNTRIES))
            ),
            roads=roads,
            neighbours=neighbours,
            alliances=self._alliances(),
            scoring_order=tuple(COUNTRIES.index(name) for name in file.scoring_order),
            deck=deck,
            removed=removed,
            cloisters=file.pieces.cloisters,
            advisors=file.pieces.advisors,
        )

    def _require_names(self, where: str, found: Iterable[str], wanted: tuple[str, ...]) -> None:
        counted = Counter(list(found))
        for name in counted:
            self._require(name in wanted, where, text("Unknown name {name}.", name=repr(name)))
        for name in wanted:
            self._require(
                counted[name] == 1, where, text("{name} must appear exactly once.", name=repr(name))
            )

    def _require_total(self, where: str, found: int, wanted: int) -> None:
        self._require(
            found == wanted,
            f"totals.{where}",
            text("The file has {found}, not {wanted}.", found=found, wanted=wanted),
        )

    def _spaces(self) -> tuple[list[str], list[int]]:
        # returns the spaces, country by country, and the country of each
        spaces: list[str] = []
        country_of: list[int] = []
        for country, name in enumerate(COUNTRIES):
            own = self._file.countries[name].spaces
            where = f"countries.{name}.spaces"
            self._require(
                1 <= len(own) <= MAX_SPACES_OF_COUNTRY,
                where,
                text("A country has 1 to {most} spaces.", most=MAX_SPACES_OF_COUNTRY),
            )
            for number, space in enumerate(own):
                self._require_space(f"{where}[{number}]", space, spaces)
                spaces.append(space)
                country_of.append(country)
        self._require_total("spaces", len(spaces), self._file.totals.spaces)
        self._require(
            len(spaces) <= MAX_SPACES, "countries", text("A map has at most {most} spaces.", most=MAX_SPACES)
        )
        return spaces, country_of

    def _require_space(self, where: str, space: str, spaces: list[str]) -> None:
        self._require(
            space.isalnum() and space.isascii() and space.isupper(),
            where,
            text("Space names have only capital letters and digits."),
        )
        self._require(space not in spaces, where, text("Duplicate space {space}.", space=space))

    def _roads(self, index: dict[str, int], country_of: list[int]) -> tuple[Pair, ...]:
        # roads inside countries, then border roads
        file = self._file
        roads: list[Pair] = []
        for country, name in enumerate(COUNTRIES):
            for where, road in self._pairs(f"countries.{name}.roads", file.countries[name].roads, index):
                inside = all(country_of[end] == country for end in road)
                self._require(inside, where, text("Both ends must be in {country}.", country=name))
                roads.append(road)
        for where, road in self._pairs("border_roads", file.border_roads, index):
            crossing = country_of[road[0]] != country_of[road[1]]
            self._require(crossing, where, text("The ends must be in different countries."))
            roads.append(road)
        for road, count in Counter(roads).items():
            ends = "-".join(space for space in index if index[space] in road)
            self._require(count == 1, "roads", text("Duplicate road {road}.", road=ends))
        self._require_total("roads", len(roads), file.totals.roads)
        return tuple(roads)

    def _pairs(self, where: str, lines: tuple[str, ...], index: dict[str, int]) -> Iterator[tuple[str, Pair]]:
        # yields every "A-B" of a list as its key and two indexes, the lower one first
        for number, line in enumerate(lines):
            key = f"{where}[{number}]"
            ends = line.split("-")
            self._require(
                len(ends) == 2 and ends[0] != ends[1],
                key,
                text("{line} is not of the form A-B.", line=repr(line)),
            )
            for end in ends:
                self._require(end in index, key, text("Unknown name {name}.", name=repr(end)))
            low, high = sorted(index[end] for end in ends)
            yield key, (low, high)

    def _require_connected(self, spaces: list[str], neighbours: tuple[tuple[int, ...], ...]) -> None:
        reached = {0}
        border = [0]
        while border:
            found = {space for at in border for space in neighbours[at]} - reached
            reached |= found
            border = list(found)
        lost = next((name for i, name in enumerate(spaces) if i not in reached), "")
        self._require(
            not lost, "roads", text("No roads lead from {first} to {lost}.", first=spaces[0], lost=lost)
        )

    def _require_easy(self, neighbours: tuple[tuple[int, ...], ...]) -> None:
        # the best chains must be found quickly, wherever cloisters are
        more = sum(max(0, len(near) - EASY_ROADS) for near in neighbours)
        self._require(
            more <= MOST_MORE_ROADS,
            "roads",
            text(
                "Too many roads meet: spaces have {found} beyond the third; at most {most} are "
                "allowed.",
                found=more, most=MOST_MORE_ROADS,
            ),
        )  # fmt: skip

    def _require_count(self, where: str, count: int, most: int = MOST) -> None:
        self._require(1 <= count <= most, where, text("There must be 1 to {most} of them.", most=most))

    def _alliances(self) -> tuple[Pair, ...]:
        index = {name: i for i, name in enumerate(COUNTRIES)}
        found: list[Pair] = []
        for where, pair in self._pairs("alliances", self._file.alliances, index):
            self._require(pair not in found, where, text("Duplicate alliance."))
            found.append(pair)
        self._require(
            len(found) == ALLIANCES,
            "alliances",
            text("The file has {found}, not {wanted}.", found=len(found), wanted=ALLIANCES),
        )
        return tuple(found)

    def _deck(self) -> tuple[tuple[int, ...], tuple[Pair, ...]]:
        # returns the number of cards of each kind, and (seats, cards of each kind taken out)
        file = self._file
        self._require_names("cards", file.cards, CARDS)
        self._require_names("removed", file.removed, ("3", "4", "5"))
        for card, cards in file.cards.items():
            self._require_count(f'cards."{card}"', cards)
        self._require_total("cards", sum(file.cards.values()), file.totals.cards)
        removed = tuple(sorted((int(seats), count) for seats, count in file.removed.items()))
        for seats, count in removed:
            where = f"removed.{seats}"
            self._require(count >= 0, where, text("This cannot be below 0."))
            for card, cards in file.cards.items():
                self._require(
                    cards > count, f'cards."{card}"', text("With {seats} players none is left.", seats=seats)
                )
            # The pile must not run out twice in a round; a turn takes at most a hand's worth from it.
            least = 2 * HAND * seats + OPEN_CARDS + 1
            in_play = sum(file.cards.values()) - count * len(CARDS)
            self._require(
                in_play >= least,
                where,
                text("{seats} players need at least {least} cards.", seats=seats, least=least),
            )
        return tuple(file.cards[card] for card in CARDS), removed


def _neighbours(spaces: int, roads: Iterable[Pair]) -> tuple[tuple[int, ...], ...]:
    found: list[list[int]] = [[] for _ in range(spaces)]
    for a, b in roads:
        found[a].append(b)
        found[b].append(a)
    return tuple(tuple(sorted(ends)) for ends in found)


# -- how the map is drawn ------------------------------------------------------------------------------------


DRAWING_FILE: Final = "web_of_power.drawing.toml"

MOST_PICTURES: Final = 4
MOST_COLUMNS: Final = 200
MOST_ROWS: Final = 80
MOST_ORNAMENTS: Final = 8


class _Places(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A picture of the map."""

    least: Pair
    land: str
    spaces: dict[str, Pair]
    crests: dict[str, Pair] = {}
    names: dict[str, Pair] = {}
    alliances: dict[str, Pair] = {}
    ornaments: dict[str, Pair] = {}


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The data file of the drawing: letters of the countries, roads that cross water, pictures."""

    letters: dict[str, str]
    sea_roads: tuple[str, ...]
    pictures: dict[str, _Places]


def drawing(source: Source, land: Printed, *, complete: bool) -> Drawing:
    """Return a data file's drawing of a board; spaces that the file does not know have no place.

    Raises `BadData` with file, key and reason; if it should be `complete`, also for a space without a place,
    or with one outside its country.
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
    """Reads and checks a drawing; errors give the key at fault."""

    def __init__(self, name: str, file: _File, land: Printed, *, complete: bool) -> None:
        self._name, self._file, self._land, self._complete = name, file, land, complete

    def _require(self, holds: bool, where: str, reason: Text) -> None:
        if not holds:
            raise BadData(self._name, where, reason)

    def check_letters(self) -> None:
        """Refuse unknown countries, and letters that are missing, shared or not single."""
        letters = self._file.letters
        for name, letter in letters.items():
            where = f"letters.{name}"
            self._require(name in COUNTRIES, where, text("Unknown name {name}.", name=repr(name)))
            self._require(
                len(letter) == 1 and letter.isalpha() and letter.isascii(),
                where,
                text("{letter} is not one letter.", letter=repr(letter)),
            )
            of_others = [other for other in letters if other != name and letters[other] == letter]
            self._require(
                not of_others, where, text("{name} already has this letter.", name=" ".join(of_others))
            )
        for name in COUNTRIES:
            self._require(name in letters, "letters", text("{name} has no letter.", name=name))

    def pictures(self) -> Iterator[MapPicture]:
        """Yield the pictures in the order of the file."""
        found = self._file.pictures
        self._require(
            1 <= len(found) <= MOST_PICTURES,
            "pictures",
            text("There must be 1 to {most} of them.", most=MOST_PICTURES),
        )
        for name, places in found.items():
            yield self._picture(f"pictures.{name}", places)

    def _picture(self, where: str, places: _Places) -> MapPicture:
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
        return MapPicture(
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
        # rows are padded with sea to the same length
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
            self._require(not strange, f"{where}[{number}]", text("Unknown sign {sign}.", sign=repr(strange)))
        return [row.ljust(wide, SEA) for row in rows]

    def _runs(self, row: str) -> str:
        # run-length encoding, with countries as "a", "b" and so on, in the order of COUNTRIES
        letters = {self._file.letters[name]: chr(ord("a") + i) for i, name in enumerate(COUNTRIES)}
        return "".join(f"{len(list(run))}{letters.get(sign, sign)}" for sign, run in groupby(row))

    def _points(self, where: str, spaces: Mapping[str, Pair], rows: list[str]) -> tuple[Pair | None, ...]:
        taken = dict[Pair, str]()
        for space, point in spaces.items():
            key = f"{where}.{space}"
            self._require_on_grid(key, point, (len(rows[0]), len(rows)))
            self._require(
                point not in taken, key, text("{space} is already drawn here.", space=taken.get(point, ""))
            )
            taken[point] = space
        if self._complete:
            self._require_all(where, spaces, rows)
        return tuple(spaces.get(space) for space in self._land.spaces)

    def _require_all(self, where: str, spaces: Mapping[str, Pair], rows: list[str]) -> None:
        for number, space in enumerate(self._land.spaces):
            self._require(space in spaces, where, text("Space {space} has no place.", space=space))
            country = COUNTRIES[self._land.country_of[number]]
            column, row = spaces[space]
            self._require(
                rows[row][column] == self._file.letters[country],
                f"{where}.{space}",
                text("This place is not in {country}.", country=country),
            )

    def _alliances(self) -> list[str]:
        return [f"{COUNTRIES[a]}-{COUNTRIES[b]}" for a, b in self._land.alliances]

    def _wishes(
        self, where: str, wished: Mapping[str, Pair], known: Iterable[str], size: Pair
    ) -> tuple[Pair | None, ...]:
        # in the order of `known`; alliances that the match's map does not have are left out
        for name, point in wished.items():
            strange = next((part for part in name.split("-") if part not in COUNTRIES), None)
            self._require(
                strange is None, f"{where}.{name}", text("Unknown name {name}.", name=repr(strange))
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
