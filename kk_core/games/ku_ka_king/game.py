"""Ku-Ka-King as a `Game`: this package's rules with a given deck."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

from kk_core import config
from kk_core.chance import Chance
from kk_core.checks import check_line, check_viewer
from kk_core.config import Source, convert, version
from kk_core.game import Game
from kk_core.games.ku_ka_king import model, notation, observe, rules, scoring
from kk_core.games.ku_ka_king.data import FILE, Deck, parse_deck, printed
from kk_core.games.ku_ka_king.model import META, SHEET, Observation, Printed
from kk_core.games.ku_ka_king.state import SEATS_OF, State
from kk_core.text import Text
from kk_core.types import Event, Meta, Move, Options, Outcome, Seat, Sheet, Tree, Viewer


def export_setup(state: State) -> dict[str, Any]:
    """Return the rows with the outermost card last, the pile with the next card first, and the box."""
    return {
        "rows": [_names(row) for row in state.rows],
        "draw_pile": _names(state.pile),
        "box": _names(state.box),
    }


def export_move(move: Move) -> dict[str, Any]:
    """Return a call."""
    return {"type": "call", "row": model.read(move).row}


def export_event(after: State, event: Event) -> dict[str, Any] | None:
    """Return an event for the record, where all results of a reveal are a single event."""
    match model.read_event(event):
        case model.Revealed():
            return _reveal(after)
        case model.RoundOver():
            return {"rule": "round_over"}
        case model.FirstScored(cards):
            return {"rule": "first_scoring", "returned": _names(cards)}
        case model.Filled(rows):
            return {"chance": "fill", "rows": [_names(cards) for cards in rows]}
        case model.LastRound():
            return {"rule": "last_round"}
        case model.BoxShuffled():
            return {"chance": "box_shuffle", "cards": _names(_shuffled_box(after))}
    return None


def _reveal(after: State) -> dict[str, Any]:
    events = [model.read_event(event) for event in after.events]
    return {
        "rule": "reveal",
        "taken": [[event.seat, event.row] for event in events if isinstance(event, model.Taken)],
        "clashes": [
            {"row": event.row, "seats": list(event.seats), "removed": model.CARDS[event.card]}
            for event in events
            if isinstance(event, model.Clashed)
        ],
    }


def _shuffled_box(after: State) -> bytes:
    # the cards just laid out from the box and those still in it are the whole box as shuffled
    last = model.read_event(after.events[-1])
    assert isinstance(last, model.Filled), "the rows are filled from a box that was shuffled"
    return b"".join(last.rows) + after.box


def _names(cards: bytes) -> list[str]:
    return [model.CARDS[card] for card in cards]


RULES: Final = 1
"""The number of the rules in code; raised with every change of behaviour."""


def create(source: Source | None = None) -> Game[State, Observation]:
    """Return the game with the deck of a data file, by default the configured one. Raises `BadData`."""
    source = source or config.read(FILE)
    return KuKaKing(source.name, parse_deck(source))


def restore(rules_data: Tree) -> Game[State, Observation]:
    """Return the game with stored rules data. Raises `BadData`."""
    return KuKaKing("rules_data", convert("rules_data", rules_data, Deck))


class KuKaKing:
    """Ku-Ka-King, played with a given deck."""

    meta: Final[Meta] = META
    sheet: Final = SHEET
    drawing: Final = None

    def __init__(self, name: str, deck: Deck) -> None:
        self.rules_data: Final[Tree] = msgspec.to_builtins(deck)
        self.rules_version: Final = version(RULES, self.rules_data)
        self.printed: Final[Printed] = printed(name, deck)
        # collections change only with a reveal, while every view of every call needs the score
        self._score = lru_cache(maxsize=1024)(scoring.scorer(self.printed.scale))

    def setup(self, options: Options, seats: int, seed: bytes) -> State:
        return rules.setup(self.printed, options, seats, seed)

    def active_seats(self, state: State) -> tuple[Seat, ...]:
        """Return the affected seats that have not called yet."""
        return SEATS_OF[state.waiting]

    def legal_moves(self, state: State, seat: Seat) -> tuple[Move, ...]:
        return rules.legal_moves(state, seat)

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        return rules.apply(self.printed, state, seat, move)

    def with_taken(self, state: State, seat: Seat, move: Move) -> State:
        """Return the state as if a seat had taken a row's cards."""
        collections = list(state.collections)
        collections[seat] = model.with_cards(collections[seat], state.rows[move - 1])
        return state.__replace__(collections=tuple(collections))

    def why_not(self, state: State, seat: Seat, move: Move) -> Text | None:
        return rules.why_not(state, seat, move)

    def events(self, state: State) -> tuple[Event, ...]:
        """Return the reveal and its results; empty after any other call."""
        return state.events

    def turn(self, state: State) -> int:
        """Return the number of reveals so far; calls may be taken back until the next one."""
        return state.turn

    def round(self, state: State) -> int:
        """Return the number of the round, which lasts from one filling of the rows to the next."""
        return state.round

    def scorings(self, state: State) -> int:
        """Return 1 after the first scoring, 0 before."""
        return int(bool(state.first))

    def reveals(self, before: State, after: State, viewer: Viewer) -> bool:  # noqa: ARG002
        """Return whether the calls were revealed in this step, to all at once."""
        return before.turn != after.turn

    def standing(self, state: State, viewer: Viewer) -> Sheet:
        return self.observe(state, viewer).sheet

    def score(self, state: State) -> Sheet:
        """Return both scorings; the current collections count for the next one."""
        return observe.sheet(self._score, state)

    def outcome(self, state: State) -> Outcome | None:
        return observe.outcome(self._score, state)

    def observe(self, state: State, viewer: Viewer) -> Observation:
        check_viewer(viewer, len(state.calls))
        return observe.observe(self.printed, self._score, state, viewer)

    def visible_move(self, seat: Seat, move: Move, viewer: Viewer) -> Move | None:
        """Return a call to its caller alone; all others learn it from the reveal (ruling 1)."""
        return move if viewer == seat else None

    def describe(
        self,
        observation: Observation,
        names: Sequence[str],
        seat: Seat,
        move: Move | None,
        events: Sequence[Event],
    ) -> Sequence[Text]:
        return notation.describe(observation, names, seat, move, events)

    def determinise(self, observation: Observation, chance: Chance) -> State:
        """Redraw the pile, the unseen part of the box, others' calls and the seed."""
        return observe.determinise(observation, chance)

    def format_move(self, move: Move) -> str:
        return notation.format_move(move)

    def parse_move(self, line: str) -> Move:
        check_line(line)
        return notation.parse_move(line)

    def export_setup(self, state: State) -> dict[str, Any]:
        return export_setup(state)

    def export_move(self, before: State, seat: Seat, move: Move, after: State) -> dict[str, Any]:  # noqa: ARG002
        return export_move(move)

    def export_event(self, after: State, event: Event) -> dict[str, Any] | None:
        return export_event(after, event)
