"""The card game as a `Game`: this package's rules with a given deck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from kk_core import config
from kk_core.chance import Chance
from kk_core.checks import check_line, check_number, check_seat, check_viewer
from kk_core.config import Source, convert, version
from kk_core.errors import IllegalMove
from kk_core.game import Game
from kk_core.games.land_cards import model, notation, observe
from kk_core.games.land_cards.data import FILE, Deck, parse_deck, printed
from kk_core.games.land_cards.model import CELLS, META, OVER, SHEET, Observation, Printed, law_entries
from kk_core.games.land_cards.notation import row_and_column
from kk_core.games.land_cards.observe import determinise
from kk_core.games.land_cards.rules import apply_legal, set_up, why_not
from kk_core.games.land_cards.scoring import law_points
from kk_core.games.land_cards.state import State
from kk_core.text import Text, text
from kk_core.types import Event, Meta, Move, Options, Outcome, Seat, Sheet, Tree, Viewer
from kk_core.values import has_move


def export_setup(state: State) -> dict[str, Any]:
    """Return the layout, row by row, with its law cards."""
    cards = [_card(face, law) for face, law in zip(state.deal.faces, state.deal.laws, strict=True)]
    return {"layout": [cards[row * model.COLUMNS : (row + 1) * model.COLUMNS] for row in range(model.ROWS)]}


def _card(face: int, law: int) -> dict[str, Any]:
    return {
        "country": model.COUNTRIES[model.country_of(face)],
        "symbols": [model.SYMBOLS[symbol] for symbol in model.symbols_of(face)],
        "route": model.ROUTES[model.route_of(face)] or None,
        "law": model.LAWS[law - 1] if law else None,
    }


def export_move(move: Move) -> dict[str, Any]:
    """Return a move with its type and places."""
    match model.read(move):
        case model.Take(cell):
            return {"type": "take", **_place(cell)}
        case model.GiveUp(cell):
            return {"type": "give_up", "from": "supply" if cell is None else _place(cell)}
        case model.PlayLaw(law):
            return {"type": "play_law", "law": model.LAWS[law]}
        case model.EndTaking():
            return {"type": "end_taking"}
        case model.PlaceStone(cell):
            return {"type": "place", **_place(cell)}
        case model.MoveStone(start, target):
            return {"type": "move", "from": _place(start), "to": _place(target)}
        case model.Pass():
            return {"type": "pass"}
        case model.Skip():
            return {"type": "skip"}


def _place(cell: int) -> dict[str, int]:
    row, column = row_and_column(cell)
    return {"row": row, "column": column}


def export_event(event: Event) -> dict[str, Any]:
    """Return a seat that was passed over."""
    return {"rule": "skip", "seat": model.read_event(event).seat}


RULES: Final = 1
"""The number of the rules in code; raised with every change of behaviour."""


class LandCards:
    """The card game, played with a given deck."""

    meta: Final[Meta] = META
    sheet: Final = SHEET
    drawing: Final = None

    def __init__(self, name: str, deck: Deck) -> None:
        self.rules_data: Final[Tree] = msgspec.to_builtins(deck)
        self.rules_version: Final = version(RULES, self.rules_data)
        self.printed: Final[Printed] = printed(name, deck)

    def setup(self, options: Options, seats: int, seed: bytes) -> State:
        return set_up(self.printed, options, seats, seed)

    def active_seats(self, state: State) -> tuple[Seat, ...]:
        return () if state.phase == OVER else (state.seat,)

    def legal_moves(self, state: State, seat: Seat) -> tuple[Move, ...]:
        if seat == state.seat:
            return state.legal
        check_seat(seat, state.deal.seats)
        return ()

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        if seat == state.seat and type(seat) is int and has_move(state.legal, move):
            return apply_legal(state, move)
        raise IllegalMove(self.why_not(state, seat, move) or text("This move is not possible."))

    def why_not(self, state: State, seat: Seat, move: Move) -> Text | None:
        check_number(move)
        check_seat(seat, state.deal.seats)
        return why_not(state, seat, move)

    def events(self, state: State) -> tuple[Event, ...]:
        return state.events

    def turn(self, state: State) -> int:
        return state.turn

    def round(self, state: State) -> int:
        return state.turn // state.deal.seats + 1

    def scorings(self, state: State) -> int:  # noqa: ARG002
        return 0

    def reveals(self, before: State, after: State, viewer: Viewer) -> bool:
        """Return whether a law card was taken (for its taker), or played, held or lacked (for all others)."""
        noted = law_entries(after.law_log[len(before.law_log) :])
        return any((what < CELLS) == (seat == viewer) for seat, what in noted)

    def foreseen(self, before: State, after: State) -> State:
        """Return the state after a move, without the law card that was taken with a card."""
        return replace(after, hands=before.hands, law_log=before.law_log)

    def standing(self, state: State, viewer: Viewer) -> Sheet:
        """Return the public sheet, with the cost of the viewer's own "-2 victory points"."""
        sheet = self.observe(state, viewer).sheet
        if viewer is None or observe.outcome(state) is not None:
            return sheet
        own = law_points(state.hands)[viewer]
        return (*sheet[:-1], tuple(own if seat == viewer else 0 for seat in range(state.deal.seats)))

    def score(self, state: State) -> Sheet:
        return observe.full_sheet(state)

    def outcome(self, state: State) -> Outcome | None:
        return observe.outcome(state)

    def observe(self, state: State, viewer: Viewer) -> Observation:
        check_viewer(viewer, state.deal.seats)
        return observe.observe(self.printed, state, viewer)

    def determinise(self, observation: Observation, chance: Chance) -> State:
        return determinise(observation, chance)

    def visible_move(self, seat: Seat, move: Move, viewer: Viewer) -> Move | None:  # noqa: ARG002
        return move

    def describe(
        self,
        observation: Observation,
        names: Sequence[str],
        seat: Seat,
        move: Move | None,
        events: Sequence[Event],
    ) -> Sequence[Text]:
        return notation.describe(observation, names, seat, move, events)

    def format_move(self, move: Move) -> str:
        return notation.format_move(move)

    def parse_move(self, line: str) -> Move:
        check_line(line)
        return notation.parse_move(line)

    def export_setup(self, state: State) -> dict[str, Any]:
        return export_setup(state)

    def export_move(self, before: State, seat: Seat, move: Move, after: State) -> dict[str, Any]:  # noqa: ARG002
        return export_move(move)

    def export_event(self, after: State, event: Event) -> dict[str, Any] | None:  # noqa: ARG002
        return export_event(event)


def create(source: Source | None = None) -> Game[State, Observation]:
    """Return the game with the deck of a data file, by default the configured one. Raises `BadData`."""
    source = source or config.read(FILE)
    return LandCards(source.name, parse_deck(source))


def restore(rules_data: Tree) -> Game[State, Observation]:
    """Return the game with stored rules data. Raises `BadData`."""
    return LandCards("rules_data", convert("rules_data", rules_data, Deck))
