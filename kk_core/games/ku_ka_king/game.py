"""Ku-Ka-King as a `Game`: the rules of this folder over one deck."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

import config
from config import Source
from kk_core.chance import Chance
from kk_core.checks import check_line, check_viewer
from kk_core.data import convert, version
from kk_core.game import Game
from kk_core.games.ku_ka_king import moves, notation, observe, record, scoring, setup
from kk_core.games.ku_ka_king.data import FILE, Deck, parse_deck, printed
from kk_core.games.ku_ka_king.meta import META
from kk_core.games.ku_ka_king.model import SHEET, Observation, Printed
from kk_core.games.ku_ka_king.state import SEATS_OF, State
from kk_core.text import Text
from kk_core.types import Event, Meta, Move, Options, Outcome, Seat, Sheet, Tree, Viewer

RULES: Final = 1
"""Changes whenever a rule in code changes."""

FIRST_VERSION: Final = "1-dc1adca5"
"""The rules version of matches that kept no rules data."""

FIRST_DATA: Final = "6ae3f202ba78be8082a4110a71d7d1473813496968c6d461aa1f4b0e812bfa35"
"""The SHA-256 of the rules data of these matches, which stand in config/first."""


def create(source: Source | None = None, rules: int = RULES) -> Game[State, Observation]:
    """The game with the deck of a data file, by default the configured one. Raises `BadData`."""
    source = source or config.read(FILE)
    return KuKaKing(source.name, parse_deck(source), rules)


def restore(rules_data: Tree, rules: int) -> Game[State, Observation]:
    """The game of `rules_data`. Raises `BadData`."""
    return KuKaKing("rules_data", convert("rules_data", rules_data, Deck), rules)


class KuKaKing:
    """The rules of Ku-Ka-King; see the `Game` protocol."""

    meta: Final[Meta] = META
    sheet: Final = SHEET

    drawing: Final = None

    def __init__(self, name: str, deck: Deck, rules: int) -> None:
        self.rules_data: Final[Tree] = msgspec.to_builtins(deck)
        self.rules_version: Final = version(rules, self.rules_data)
        self.printed: Final[Printed] = printed(name, deck)
        # what is collected changes with a reveal only, and every viewer of every call wants the score
        self._score = lru_cache(maxsize=1024)(scoring.scorer(self.printed.scale))

    def setup(self, options: Options, seats: int, seed: bytes) -> State:
        """Shuffle, leave cards out, lay the rows."""
        return setup.setup(self.printed, options, seats, seed)

    def active_seats(self, state: State) -> tuple[Seat, ...]:
        """Those affected who have not called yet."""
        return SEATS_OF[state.waiting]

    def legal_moves(self, state: State, seat: Seat) -> tuple[Move, ...]:
        """The rows that a seat may call."""
        return moves.legal_moves(state, seat)

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        """Call a row; the last call reveals all of them. Raises `IllegalMove`."""
        return moves.apply(self.printed, state, seat, move)

    def why_not(self, state: State, seat: Seat, move: Move) -> Text | None:
        """Why a row may not be called."""
        return moves.why_not(state, seat, move)

    def events(self, state: State) -> tuple[Event, ...]:
        """The reveal and what followed from it; nothing after any other call."""
        return state.events

    def turn(self, state: State) -> int:
        """The number of reveals so far: calls may be taken back until the next."""
        return state.turn

    def round(self, state: State) -> int:
        """From one filling of the rows to the next."""
        return state.round

    def scorings(self, state: State) -> int:
        """The first scoring."""
        return int(bool(state.first))

    def reveals(self, before: State, after: State, viewer: Viewer) -> bool:  # noqa: ARG002
        """Whether the calls were revealed in this step, to all at once."""
        return before.turn != after.turn

    def standing(self, state: State, viewer: Viewer) -> Sheet:
        """The sheet that the viewer sees."""
        return self.observe(state, viewer).sheet

    def score(self, state: State) -> Sheet:
        """Both scorings, the final one by the present collections."""
        return observe.sheet(self._score, state)

    def outcome(self, state: State) -> Outcome | None:
        """Who has the most points after the second scoring."""
        return observe.outcome(self._score, state)

    def observe(self, state: State, viewer: Viewer) -> Observation:
        """What a viewer may know."""
        check_viewer(viewer, len(state.calls))
        return observe.observe(self.printed, self._score, state, viewer)

    def visible_move(self, seat: Seat, move: Move, viewer: Viewer) -> Move | None:
        """Only the caller sees a call; all others learn it from the reveal (ruling 1)."""
        return move if viewer == seat else None

    def describe(
        self,
        observation: Observation,
        names: Sequence[str],
        seat: Seat,
        move: Move | None,
        events: Sequence[Event],
    ) -> Sequence[Text]:
        """The log's words for a ply."""
        return notation.describe(observation, names, seat, move, events)

    def determinise(self, observation: Observation, chance: Chance) -> State:
        """Draw pile, unseen box, calls of others and seed anew."""
        return observe.determinise(observation, chance)

    def format_move(self, move: Move) -> str:
        """A call for stored records, such as "call 3"; rows count from 1."""
        return notation.format_move(move)

    def parse_move(self, line: str) -> Move:
        """The move of `format_move`. Raises `InvalidMove`."""
        check_line(line)
        return notation.parse_move(line)

    def export_setup(self, state: State) -> dict[str, Any]:
        """Rows, pile and box."""
        return record.export_setup(state)

    def export_move(self, before: State, seat: Seat, move: Move, after: State) -> dict[str, Any]:  # noqa: ARG002
        """A call, which says everything by itself."""
        return record.export_move(move)

    def export_event(self, after: State, event: Event) -> dict[str, Any] | None:
        """Reveals, ends of rounds, scoring and filling."""
        return record.export_event(after, event)
