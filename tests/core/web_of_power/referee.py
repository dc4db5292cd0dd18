"""A referee who knows the exported record, the rules and the data file, and nothing of the engine."""

from __future__ import annotations

import tomllib
from collections import Counter
from hashlib import sha256
from typing import Any

from kk_core import config
from tests.core.kk1 import shuffled, words

BOARD: dict[str, Any] = tomllib.loads(config.read("web_of_power.toml").text)
KINDS = ["Franken/Aragon", "Bayern/Burgund", "Lothringen/Italien", "England/Schwaben", "Frankreich"]


def standing(counts: Counter[str]) -> list[str]:
    """Cards as they stand before a shuffle."""
    return [kind for kind in KINDS for _ in range(counts[kind])]


class Referee:
    """Plays an export through with cards and wooden pieces, and objects to anything that is not right."""

    def __init__(self, export: dict[str, Any], board: dict[str, Any] = BOARD) -> None:
        self.board = board
        self.pieces: dict[str, int] = board["pieces"]
        countries = board["countries"]
        self.country_of = {space: name for name in countries for space in countries[name]["spaces"]}
        inside = [road for country in countries.values() for road in country["roads"]]
        self.roads = {frozenset(road.split("-")) for road in inside + board["border_roads"]}
        self.seats = len(export["seats"])
        self.immediate = export["options"] == {"interim_scoring": "immediate"}
        seed = bytes.fromhex(export["seed"])
        assert sha256(seed).hexdigest() == export["commitment"]
        self.stream = words(seed)
        self.events = list(export["events"])
        self.result = export["result"]
        self.deal(export["setup"])
        self.cloisters: dict[str, int] = {}
        self.advisors: dict[str, Counter[int]] = {name: Counter() for name in countries}
        self.discards: Counter[str] = Counter()
        self.sheet: dict[str, list[int]] = {}
        self.ran_out = 0
        self.plies = 0

    def deal(self, setup: dict[str, Any]) -> None:
        out = self.board["removed"][str(self.seats)]
        assert Counter(setup["removed"]) == Counter({kind: out for kind in KINDS if out})
        deck = Counter({kind: count - out for kind, count in self.board["cards"].items()})
        cards = shuffled(standing(deck), self.stream)
        self.hands = [Counter(cards[3 * seat : 3 * seat + 3]) for seat in range(self.seats)]
        assert [Counter(hand) for hand in setup["hands"]] == self.hands
        first = 3 * self.seats
        self.open, self.pile = cards[first : first + 2], cards[first + 2 :]
        assert (setup["face_up"], setup["draw_pile"]) == (self.open, self.pile)

    # -- reading events --------------------------------------------------------------------------------------

    def expect(self, **event: Any) -> None:
        assert self.events.pop(0) == event

    def next_is(self, kind: str) -> bool:
        return bool(self.events) and self.events[0].get("move", {}).get("type") == kind

    def move(self, seat: int) -> dict[str, Any]:
        event = self.events.pop(0)
        self.plies += 1
        assert (event["ply"], event["seat"]) == (self.plies, seat)
        move: dict[str, Any] = event["move"]
        return move

    # -- the match -------------------------------------------------------------------------------------------

    def referee(self) -> None:
        while self.ran_out < 2:
            for seat in range(self.seats):
                if not self.turn(seat):
                    return self.end()
            self.score_what_is_due()
        return self.end()

    def score_what_is_due(self) -> None:
        """The interim scoring, when the pile has run out and it was not held at once."""
        if self.ran_out and "interim:cloisters:England" not in self.sheet:
            self.expect(rule="interim_scoring")
            self.score_cloisters("interim")

    def turn(self, seat: int) -> bool:
        assert self.hands[seat].total() == 3
        if self.next_is("exchange"):
            self.pay(seat, [self.move(seat)["card"]])
        else:
            self.place_pieces(seat)
            if not self.anybody_can_place():
                self.expect(rule="nobody_can_place")
                self.score_what_is_due()
                return False
        while self.hands[seat].total() < 3 and (self.pile or self.open):
            self.draw(seat)
        while len(self.open) < 2 and self.pile:
            card = self.pile.pop(0)
            self.expect(chance="face_up", card=card)
            self.open.append(card)
            self.when_run_out()
        return True

    def draw(self, seat: int) -> None:
        move = self.move(seat)
        assert move["type"] == "draw"
        card, from_pile = move["card"], move["from"] == "pile"
        source = self.pile if from_pile else self.open
        assert source.pop(0 if from_pile else source.index(card)) == card
        self.hands[seat][card] += 1
        if from_pile:
            self.when_run_out()

    def when_run_out(self) -> None:
        if self.pile:
            return None
        self.ran_out += 1
        if self.ran_out == 2:
            return self.expect(rule="last_round")
        if self.immediate:
            self.expect(rule="interim_scoring")
            self.score_cloisters("interim")
        self.pile = shuffled(standing(self.discards), self.stream)
        self.discards = Counter()
        self.expect(chance="reshuffle", draw_pile=self.pile)
        self.pile = list(self.pile)
        return None

    # -- pieces ----------------------------------------------------------------------------------------------

    def pay(self, seat: int, cards: list[str]) -> None:
        assert Counter(cards) <= self.hands[seat]
        self.hands[seat] -= Counter(cards)
        self.discards += Counter(cards)

    def place_pieces(self, seat: int) -> None:
        begun = None
        was_empty = False
        pieces = 0
        while self.next_is("place"):
            move = self.move(seat)
            country = self.country_of[move["space"]] if move["piece"] == "cloister" else move["country"]
            assert begun in (None, country)
            if begun is None:
                begun, was_empty = country, not any(self.counts(country))
            cards = move["cards"]
            assert (len(cards) == 1 and country in cards[0].split("/")) or len(cards) == 2
            assert len(set(cards)) == 1
            self.pay(seat, cards)
            if move["piece"] == "cloister":
                self.place_cloister(seat, move["space"])
            else:
                self.place_advisor(seat, country, was_empty)
            pieces += 1
        assert pieces == 1 or (pieces == 2 and not was_empty)
        assert self.move(seat) == {"type": "end_placing"}

    def place_cloister(self, seat: int, space: str) -> None:
        assert space not in self.cloisters
        self.cloisters[space] = seat
        assert list(self.cloisters.values()).count(seat) <= self.pieces["cloisters"]

    def place_advisor(self, seat: int, country: str, was_empty: bool) -> None:
        assert not was_empty
        assert self.room(country) > 0
        self.advisors[country][seat] += 1
        assert sum(court[seat] for court in self.advisors.values()) <= self.pieces["advisors"]

    def counts(self, country: str) -> list[int]:
        owners = [owner for space, owner in self.cloisters.items() if self.country_of[space] == country]
        return [owners.count(seat) for seat in range(self.seats)]

    def room(self, country: str) -> int:
        return max(self.counts(country)) - self.advisors[country].total()

    def anybody_can_place(self) -> bool:
        is_free = len(self.cloisters) < len(self.country_of)
        if is_free and len(self.cloisters) < self.pieces["cloisters"] * self.seats:
            return True
        placed = sum(court.total() for court in self.advisors.values())
        has_room = any(self.room(country) for country in self.advisors)
        return has_room and placed < self.pieces["advisors"] * self.seats

    # -- points ----------------------------------------------------------------------------------------------

    def score_cloisters(self, when: str) -> None:
        for country in self.board["scoring_order"]:
            counts = self.counts(country)
            points = []
            for count in counts:
                above = [other for other in counts if other > count]
                points.append(0 if not count else min(above) if above else sum(counts))
            self.sheet[f"{when}:cloisters:{country}"] = points

    def end(self) -> None:
        assert not self.events
        self.score_cloisters("final")
        for number, pair in enumerate(self.board["alliances"], 1):
            courts = [self.advisors[country] for country in pair.split("-")]
            total = sum(court.total() for court in courts)
            self.sheet[f"alliance:{number}"] = [
                total if all(court[seat] and court[seat] == max(court.values()) for court in courts) else 0
                for seat in range(self.seats)
            ]
        self.sheet["chains"] = [self.chains(seat) for seat in range(self.seats)]
        sheet = {line["item"]: line["points"] for line in self.result["sheet"]}
        never = {item: [0] * self.seats for item in sheet.keys() - self.sheet.keys()}
        assert self.sheet | never == sheet
        totals = [sum(points[seat] for points in self.sheet.values()) for seat in range(self.seats)]
        assert self.result["totals"] == totals
        built = list(self.cloisters.values())
        sent = [sum(court[seat] for court in self.advisors.values()) for seat in range(self.seats)]
        pieces = sum(self.pieces.values())
        left = [pieces - built.count(seat) - sent[seat] for seat in range(self.seats)]
        best = [seat for seat in range(self.seats) if totals[seat] == max(totals)]
        assert self.result["tie_break"] == (left if len(best) > 1 else None)
        assert self.result["winners"] == [
            seat for seat in best if left[seat] == max(left[other] for other in best)
        ]
        assert self.result["finished"] is True

    def chains(self, seat: int) -> int:
        """The best by trying, road by road, whether it belongs to a chain."""
        own = {space for space, owner in self.cloisters.items() if owner == seat}
        roads = [tuple(sorted(road)) for road in self.roads if road <= own]
        best = 0
        for part in _parts(own, roads):
            inside = [(a, b) for a, b in roads if a in part]
            best += _most_on_lines(inside, {space: (space,) for space in part}, Counter())
        return best


def _parts(own: set[str], roads: list[tuple[str, ...]]) -> list[set[str]]:
    parts = [{space} for space in own]
    for a, b in roads:
        first = next(part for part in parts if a in part)
        second = next(part for part in parts if b in part)
        if first is not second:
            parts.remove(second)
            first |= second
    return parts


def _most_on_lines(
    roads: list[tuple[str, str]], line_of: dict[str, tuple[str, ...]], used: Counter[str]
) -> int:
    """Take or leave the first road; no space has more than two, and no line closes to a ring."""
    if not roads:
        return sum(len(line) for line in set(line_of.values()) if len(line) >= 4)
    (a, b), rest = roads[0], roads[1:]
    best = _most_on_lines(rest, line_of, used)
    if best < len(line_of) and used[a] < 2 and used[b] < 2 and line_of[a] != line_of[b]:
        joined = tuple(sorted(line_of[a] + line_of[b]))
        lines = line_of | dict.fromkeys(joined, joined)
        best = max(best, _most_on_lines(rest, lines, used + Counter((a, b))))
    return best
