"""A referee for exported records that shares no code with the rules: it knows docs/records and the rule text.

Give it the parsed JSON of a record; it raises AssertionError at the first thing that is not as it must be.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import Any

from tests.core.kk1 import shuffled, words

ANIMALS = ("sheep", "horse", "pig", "cow", "chicken", "goose", "goat", "rabbit")
DECK = [
    *(animal for animal in ANIMALS for _ in range(5)),
    *["king"] * 12,
    *["knight"] * 14,
    *["church"] * 10,
    *["points2"] * 4,
    *["points3"] * 4,
    *["points4"] * 4,
    *["farmer"] * 9,
    *["farmers_wife"] * 9,
    *["farmhouse"] * 6,
]
KEPT = {*ANIMALS, "king", "knight"}
TABLES = {2: (6, 80), 3: (7, 102), 4: (8, 112)}


def scoring(hands: list[list[str]]) -> dict[str, list[int]]:
    """The six lines of one scoring."""
    counts = [Counter(hand) for hand in hands]
    most = {card: max(count[card] for count in counts) for card in ("church", "knight")}
    lines: dict[str, list[int]] = {}
    lines["kings"] = [min(max(count["king"] - 1, 0) ** 2, 36) for count in counts]
    lines["churches"] = [10 * (count["church"] == most["church"] > 0) for count in counts]
    lines["points"] = [2 * count["points2"] + 3 * count["points3"] + 4 * count["points4"] for count in counts]
    lines["knights"] = [count["knight"] * (2 if count["knight"] == most["knight"] else 1) for count in counts]
    lines["animals"] = [sum(count[a] * (count[a] + 1) // 2 for a in ANIMALS) for count in counts]
    lines["farm"] = []
    for count in counts:
        pairs = min(count["farmer"], count["farmers_wife"])
        lines["farm"].append(7 * pairs + 7 * min(pairs, count["farmhouse"]))
    return lines


class Referee:
    """Follows one record from its setup to its result."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self.events = list(record["events"])
        self.seats = len(record["seats"])
        seed = bytes.fromhex(record["seed"])
        assert sha256(seed).hexdigest() == record["commitment"]
        self.stream = words(seed)
        self.hands: list[list[str]] = [[] for _ in range(self.seats)]
        self.sheet: dict[str, list[int]] = {}
        self.ply = 0

    def check(self) -> None:
        """Referee the whole match."""
        assert (self.record["format"], self.record["version"], self.record["rng"]) == ("kk-record", 2, "kk-1")
        assert (self.record["game"], self.record["options"]) == ("ku_ka_king", {})
        self.check_setup()
        last = False
        while True:
            self.play_round()
            if "first:kings" not in self.sheet and (last or any(len(hand) >= 13 for hand in self.hands)):
                self.score_first()
            if last:
                break
            last = self.fill()
        assert not self.events, self.events
        self.check_result()

    def check_setup(self) -> None:
        """The deal follows from the seed."""
        rows, used = TABLES[self.seats]
        deck = shuffled(DECK, self.stream)
        setup = self.record["setup"]
        assert setup["rows"] == [deck[3 * row : 3 * row + 3] for row in range(rows)]
        assert setup["draw_pile"] == deck[3 * rows : used]
        assert setup["box"] == deck[used:]
        self.rows = [list(row) for row in setup["rows"]]
        self.pile, self.box = list(setup["draw_pile"]), list(setup["box"])

    def play_round(self) -> None:
        """Calls and reveals until everybody is served, or too few rows have cards (ruling 3)."""
        affected = list(range(self.seats))
        while affected:
            calls = [self.call(seat) for seat in affected]
            reveal = self.next("rule", "reveal")
            alone = [(seat, row) for seat, row in zip(affected, calls, strict=True) if calls.count(row) == 1]
            assert reveal["taken"] == [[seat, row] for seat, row in alone]
            clashes = []
            for row in sorted({row for row in calls if calls.count(row) > 1}):
                both = [seat for seat, called in zip(affected, calls, strict=True) if called == row]
                self.box.append(self.rows[row - 1].pop())
                clashes.append({"row": row, "seats": both, "removed": self.box[-1]})
            assert reveal["clashes"] == clashes
            for seat, row in alone:
                self.hands[seat] += self.rows[row - 1]
                self.rows[row - 1] = []
                affected.remove(seat)
            if sum(bool(row) for row in self.rows) < 2:
                break
        self.next("rule", "round_over")

    def call(self, seat: int) -> int:
        """The next event is the call of a seat, of a row with cards."""
        event = self.events.pop(0)
        self.ply += 1
        row: int = event["move"]["row"]
        assert event == {"ply": self.ply, "seat": seat, "move": {"type": "call", "row": row}}
        assert self.rows[row - 1]
        return row

    def next(self, kind: str, name: str) -> dict[str, Any]:
        """The next event is the one expected."""
        event: dict[str, Any] = self.events.pop(0)
        assert event[kind] == name
        return event

    def score_first(self) -> None:
        """Score, then put the cards with a red cross back."""
        self.sheet |= {f"first:{line}": points for line, points in scoring(self.hands).items()}
        returned = [
            card
            for hand in self.hands
            for card in sorted(hand, key=DECK.index)
            if card not in KEPT
        ]  # fmt: skip
        assert self.next("rule", "first_scoring")["returned"] == returned
        self.box += returned
        self.hands = [[card for card in hand if card in KEPT] for hand in self.hands]

    def fill(self) -> bool:
        """Fill the rows; whether the pile ran empty, so that the last round begins."""
        self.lay_out(self.pile)
        if self.pile:
            return False
        self.next("rule", "last_round")
        if self.box and any(len(row) < 3 for row in self.rows):
            self.shuffle_box()
        return True

    def shuffle_box(self) -> None:
        """The box becomes the pile."""
        self.box = shuffled(self.box, self.stream)
        assert self.next("chance", "box_shuffle")["cards"] == self.box
        self.lay_out(self.box)

    def lay_out(self, source: list[str]) -> None:
        """The next event fills row 1, then row 2 ... from the front of some cards."""
        added = []
        for row in self.rows:
            added.append([source.pop(0) for _ in range(min(3 - len(row), len(source)))])
            row += added[-1]
        assert self.next("chance", "fill")["rows"] == added

    def check_result(self) -> None:
        """The sheet, its totals and the winners."""
        self.sheet |= {f"final:{line}": points for line, points in scoring(self.hands).items()}
        totals = [sum(points[seat] for points in self.sheet.values()) for seat in range(self.seats)]
        result = self.record["result"]
        shown = {item["item"]: item["points"] for item in result["sheet"]}
        assert {k: v for k, v in shown.items() if any(v)} == {k: v for k, v in self.sheet.items() if any(v)}
        assert result["totals"] == totals
        assert result["finished"] is True
        assert result["winners"] == [seat for seat in range(self.seats) if totals[seat] == max(totals)]
        assert result["tie_break"] is None
        held = [card for hand in self.hands for card in hand]
        on_table = [card for row in self.rows for card in row]
        assert Counter(DECK) == Counter([*held, *on_table, *self.pile, *self.box])
