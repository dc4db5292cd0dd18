"""A referee for exported records who knows record, rules and data file, and nothing of the engine.

It objects with an AssertionError to the first thing that is not as it must be.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from hashlib import sha256
from typing import Any, TypeAlias

from kk_core import config
from tests.core.kk1 import shuffled, words

DATA: dict[str, Any] = tomllib.loads(config.read("land_cards.toml").text)
CHART = [
    "Frankreich",
    "Sachsen",
    "Ungarn",
    "Kastilien",
    "Franken",
    "Bayern",
    "Italien",
    "England",
    "Dänemark",
]
SYMBOLS = "KFLAT"
ROUTES = {"": None, "s": "ship", "k": "carriage"}

Place: TypeAlias = tuple[int, int]


def deck() -> list[dict[str, Any]]:
    """The cards in the order in which they stand before the shuffle."""
    cards = []
    for country in CHART:
        for line in DATA["cards"][country]:
            symbols, _, route = line.partition("+")
            shown = [symbol for symbol in symbols if symbol in SYMBOLS]
            cards.append({"country": country, "symbols": shown, "route": ROUTES[route]})
    return cards


class Referee:
    """Plays one record through on a table of its own."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self.n = len(record["seats"])
        self.exposed = record["options"]["take"] == "exposed_at_start"
        layout = record["setup"]["layout"]
        self.check_deal(layout)
        self.cards: dict[Place, dict[str, Any]] = {
            (r, c): card for r, row in enumerate(layout, 1) for c, card in enumerate(row, 1)
        }
        self.lying = set(self.cards)
        self.stones: dict[Place, int] = {}
        self.supply = [3] * self.n
        self.gone = [0] * self.n
        self.hands: list[Counter[str]] = [Counter() for _ in range(self.n)]
        self.won: list[list[dict[str, Any]]] = [[] for _ in range(self.n)]
        self.seat = self.n - 1
        self.turn()

    def check_deal(self, layout: list[list[dict[str, Any]]]) -> None:
        seed = bytes.fromhex(self.record["seed"])
        assert sha256(seed).hexdigest() == self.record["commitment"]
        stream = words(seed)
        cards = shuffled(deck(), stream)
        laws = shuffled([law for law, n in DATA["laws"].items() for _ in range(n)], stream)
        law_at = {(r, c): law for (r, c), law in zip(DATA["layout"]["law_positions"], laws, strict=True)}
        assert [len(row) for row in layout] == [14] * 4
        for r, row in enumerate(layout, 1):
            for c, card in enumerate(row, 1):
                wanted = cards[(r - 1) * 14 + c - 1] | {"law": law_at.get((r, c))}
                assert card == wanted, (r, c)

    def turn(self) -> None:
        self.seat = (self.seat + 1) % self.n
        self.phase = "take"
        self.taken: list[dict[str, Any]] = []
        self.laws: list[str] = []
        self.at_start = self.ends()

    def ends(self) -> set[Place]:
        ends = set()
        for row in range(1, 5):
            columns = [c for r, c in self.lying if r == row]
            if columns:
                ends |= {(row, min(columns)), (row, max(columns))}
        return ends

    def can_take(self, place: Place) -> bool:
        """Whether the seat may take a card now, by the sentences of the rules."""
        if place not in (self.at_start & self.lying if self.exposed else self.ends()):
            return False
        taken = [*self.taken, self.cards[place]]
        symbols = sum(len(card["symbols"]) for card in taken)
        if symbols > (3 if "three_symbols" in self.laws else 2):
            return False
        if len({card["country"] for card in taken}) > 1 and "different_colours" not in self.laws:
            return False
        return self.stones.get(place, self.seat) == self.seat or self.gone[self.seat] < 3

    def can_take_any(self) -> bool:
        return any(self.can_take(place) for place in self.lying)

    def check(self) -> None:
        for number, event in enumerate(self.record["events"]):
            assert self.phase != "over", event
            assert event["seat"] == self.seat, (number, event)
            if event.get("rule") == "skip":
                self.on_nothing_possible()
            else:
                getattr(self, f"on_{event['move']['type']}")(event["move"])
        assert self.phase == "over"
        self.check_result()

    def on_nothing_possible(self) -> None:
        assert self.phase == "take"
        assert not self.taken
        assert not self.can_take_any()
        assert not (self.hands[self.seat]["take_back_stone"] and self.gone[self.seat])
        self.turn()

    def on_take(self, move: dict[str, Any]) -> None:
        place = (move["row"], move["column"])
        assert self.phase == "take"
        assert self.can_take(place), move
        card = self.cards[place]
        self.lying.remove(place)
        self.taken.append(card)
        self.won[self.seat].append(card)
        if card["law"]:
            self.hands[self.seat][card["law"]] += 1
        owner = self.stones.pop(place, None)
        if owner is not None:
            self.supply[owner] += 1
            if owner != self.seat:
                self.phase = "give_up"

    def on_give_up(self, move: dict[str, Any]) -> None:
        assert self.phase == "give_up"
        if move["from"] == "supply":
            owner = self.seat
            self.supply[owner] -= 1
        else:
            owner = self.stones.pop((move["from"]["row"], move["from"]["column"]))
        assert owner == self.seat
        assert self.supply[self.seat] >= 0
        self.gone[self.seat] += 1
        self.phase = "take"

    def on_play_law(self, move: dict[str, Any]) -> None:
        law = move["law"]
        assert self.phase in ("take", "stone")
        assert self.hands[self.seat][law] > 0
        assert law != "minus_two"
        assert law not in self.laws or law == "take_back_stone"
        assert self.phase == "take" or law == "take_back_stone"
        if law == "take_back_stone":
            self.gone[self.seat] -= 1
            self.supply[self.seat] += 1
        assert self.gone[self.seat] >= 0
        self.hands[self.seat][law] -= 1
        self.laws.append(law)

    def on_end_taking(self, move: dict[str, Any]) -> None:
        assert self.phase == "take"
        assert self.taken
        self.phase = "stone" if self.lying else "over"

    def on_skip(self, move: dict[str, Any]) -> None:
        assert self.phase == "take"
        assert not self.taken
        assert not self.can_take_any()
        assert self.hands[self.seat]["take_back_stone"]
        self.turn()

    def may_place(self) -> bool:
        on_cards = list(self.stones.values()).count(self.seat)
        return self.supply[self.seat] > 0 and on_cards < (3 if self.n == 3 else 2)

    def on_place(self, move: dict[str, Any]) -> None:
        place = (move["row"], move["column"])
        assert self.phase == "stone"
        assert self.may_place()
        assert place in self.lying - self.stones.keys()
        self.supply[self.seat] -= 1
        self.stones[place] = self.seat
        self.turn()

    def on_move(self, move: dict[str, Any]) -> None:
        start, target = ((move[key]["row"], move[key]["column"]) for key in ("from", "to"))
        assert self.phase == "stone"
        assert not self.may_place()
        assert target in self.lying - self.stones.keys()
        assert self.stones.pop(start) == self.seat
        self.stones[target] = self.seat
        self.turn()

    def on_pass(self, move: dict[str, Any]) -> None:
        assert self.phase == "stone"
        self.turn()

    def check_result(self) -> None:
        result = self.record["result"]
        sheet = {line["item"]: line["points"] for line in result["sheet"]}
        expected = {item: points for item, points in self.score().items() if any(points)}
        assert {item: points for item, points in sheet.items() if any(points)} == expected
        totals = [sum(points[seat] for points in sheet.values()) for seat in range(self.n)]
        assert result["totals"] == totals
        best = [seat for seat in range(self.n) if totals[seat] == max(totals)]
        cards = [len(won) for won in self.won]
        assert result["tie_break"] == (cards if len(best) > 1 else None)
        best = [seat for seat in best if cards[seat] == max(cards[other] for other in best)]
        assert result["winners"] == (best if len(best) == 1 else [])

    def score(self) -> dict[str, list[int]]:
        sheet = {}
        for country in CHART:
            held = [[card for card in won if card["country"] == country] for won in self.won]
            counts = [len(cards) for cards in held]
            sheet[f"land:{country}"] = [self.land_points(counts, count) for count in counts]
            best = [
                max(Counter(s for card in cards for s in card["symbols"]).values(), default=0)
                for cards in held
            ]
            sheet[f"symbols:{country}"] = [count if count == max(best) else 0 for count in best]
        for item, route in (("ships", "ship"), ("carriages", "carriage")):
            routes = [sum(card["route"] == route for card in won) for won in self.won]
            sheet[item] = [count if count >= 5 else 0 for count in routes]
        sheet["minus_two"] = [-2 * hand["minus_two"] for hand in self.hands]
        return sheet

    @staticmethod
    def land_points(counts: list[int], own: int) -> int:
        more = [count for count in counts if count > own]
        return (min(more) if more else sum(counts)) if own else 0
