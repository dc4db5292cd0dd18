"""The board game as a `Game`: this package's rules with a given map."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from kk_core import config
from kk_core.chance import Chance
from kk_core.checks import check_line, check_number, check_seat, check_viewer
from kk_core.config import Source, convert, version
from kk_core.errors import IllegalMove
from kk_core.game import Game
from kk_core.games.web_of_power import model, notation, observe, rules
from kk_core.games.web_of_power.data import DRAWING_FILE as DRAWING_FILE
from kk_core.games.web_of_power.data import FILE, BoardMap, drawing, parse_board, printed
from kk_core.games.web_of_power.model import META, OVER, SHEET, Drawing, Observation, Printed
from kk_core.games.web_of_power.observe import determinise
from kk_core.games.web_of_power.rules import Moves, deal_cards, unshuffled
from kk_core.games.web_of_power.scoring import final_rows
from kk_core.games.web_of_power.state import ALONE, NOBODY, State
from kk_core.text import Text, text
from kk_core.types import Event, Meta, Move, Options, Outcome, Seat, Sheet, Tree, Viewer
from kk_core.values import has_move


def export_setup(land: model.Printed, state: State) -> dict[str, Any]:
    """Return the deal, from the state before the first move."""
    return {
        "hands": [_names(hand) for hand in state.hands],
        "face_up": _names(state.face_up),
        "draw_pile": _names(state.pile),
        "removed": _names(unshuffled((land.removed_of_each(state.deal.seats),) * len(model.CARDS))),
    }


def export_move(land: model.Printed, before: State, move: Move) -> dict[str, Any]:
    """Return a move; a card drawn from the pile is named, which the notation cannot do."""
    match model.read(land, move):
        case model.PlaceCloister(space, payment):
            cards = _names(model.cards_of(land.country_of[space], payment))
            return {"type": "place", "piece": "cloister", "space": land.spaces[space], "cards": cards}
        case model.PlaceAdvisor(country, payment):
            cards = _names(model.cards_of(country, payment))
            return {"type": "place", "piece": "advisor", "country": model.COUNTRIES[country], "cards": cards}
        case model.DrawFaceUp(kind):
            return {"type": "draw", "from": "face_up", "card": model.CARDS[kind]}
        case model.DrawFromPile():
            return {"type": "draw", "from": "pile", "card": model.CARDS[before.pile[0]]}
        case model.EndPlacing():
            return {"type": "end_placing"}
        case model.Exchange(kind):
            return {"type": "exchange", "card": model.CARDS[kind]}


def export_event(after: State, event: Event) -> dict[str, Any]:
    """Return a chance or rule event; a reshuffled pile is taken from the state after it."""
    match model.read_event(event):
        case model.TurnedUp(kind):
            return {"chance": "face_up", "card": model.CARDS[kind]}
        case model.Reshuffled():
            return {"chance": "reshuffle", "draw_pile": _reshuffled(after, event)}
        case model.InterimScored():
            return {"rule": "interim_scoring"}
        case model.LastRound():
            return {"rule": "last_round"}
        case model.NobodyCanPlace():
            return {"rule": "nobody_can_place"}


def _reshuffled(after: State, event: Event) -> list[str]:
    # face-up cards replaced in the same step have already left the new pile: they are put back on top
    since = map(model.read_event, after.events[after.events.index(event) + 1 :])
    gone = [later.kind for later in since if isinstance(later, model.TurnedUp)]
    return _names((*gone, *after.pile))


def _names(kinds: Sequence[int]) -> list[str]:
    return [model.CARDS[kind] for kind in kinds]


RULES: Final = 2
"""The number of the rules in code; raised with every change of behaviour."""


def create(source: Source | None = None) -> Game[State, Observation]:
    """Return the game with the board of a data file, by default the configured one. Raises `BadData`."""
    read = config.read if source is None else config.read_shipped
    source = source or config.read(FILE)
    board = parse_board(source)
    land = printed(source.name, board)
    return WebOfPower(board, land, drawing(read(DRAWING_FILE), land, complete=True))


def restore(rules_data: Tree) -> Game[State, Observation]:
    """Return the game with stored rules data, drawn as far as today's drawing knows it. Raises `BadData`."""
    board = convert("rules_data", rules_data, BoardMap)
    land = printed("rules_data", board)
    return WebOfPower(board, land, drawing(config.read(DRAWING_FILE), land, complete=False))


class WebOfPower:
    """Kardinal & König, the board game, on a given map."""

    meta: Final[Meta] = META
    sheet: Final = SHEET

    def __init__(self, board: BoardMap, land: Printed, places: Drawing) -> None:
        self.rules_data: Final[Tree] = msgspec.to_builtins(board)
        self.rules_version: Final = version(RULES, self.rules_data)
        self.printed: Final = land
        self.drawing: Final = places
        self.moves: Final = Moves(land)
        # shared by all viewers
        self._final_rows = lru_cache(maxsize=64)(partial(final_rows, land))

    def setup(self, options: Options, seats: int, seed: bytes) -> State:
        state = deal_cards(self.printed, options, seats, seed)
        return replace(state, legal=self.moves.legal(state))

    def active_seats(self, state: State) -> tuple[Seat, ...]:
        return NOBODY if state.phase == OVER else ALONE[state.turn % state.deal.seats]

    def legal_moves(self, state: State, seat: Seat) -> Sequence[Move]:
        if seat == state.seat:
            return state.legal
        check_seat(seat, state.deal.seats)
        return ()

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        if seat == state.seat and type(seat) is int and has_move(state.legal, move):
            return self.moves.apply_legal(state, seat, move)
        raise IllegalMove(self.why_not(state, seat, move) or text("This move is not possible."))

    def why_not(self, state: State, seat: Seat, move: Move) -> Text | None:
        check_number(move)
        check_seat(seat, state.deal.seats)
        return rules.why_not(self.printed, state, seat, move)

    def events(self, state: State) -> tuple[Event, ...]:
        return state.events

    def turn(self, state: State) -> int:
        return state.turn

    def round(self, state: State) -> int:
        """Return the number of the round, in which every seat has one turn."""
        return state.turn // state.deal.seats + 1

    def scorings(self, state: State) -> int:
        """Return 1 after the interim scoring, 0 before."""
        return int(bool(state.interim))

    def reveals(self, before: State, after: State, viewer: Viewer) -> bool:
        """Return whether a card was drawn from the pile or turned up, or the match ended.

        For all but its owner, a card played from the hidden part of a hand counts, too.
        """
        seat = before.seat
        has_shown_card = seat != viewer and _hidden(before, seat) != _hidden(after, seat)
        return before.pile != after.pile or after.is_over or has_shown_card

    def standing(self, state: State, viewer: Viewer) -> Sheet:
        """Return the sheet as if the match ended here: everything that counts is on the board."""
        check_viewer(viewer, state.deal.seats)
        return self.score(state)

    def score(self, state: State) -> Sheet:
        return observe.final_sheet(self._final_rows, state)

    def outcome(self, state: State) -> Outcome | None:
        return observe.outcome(self._final_rows, state)

    def observe(self, state: State, viewer: Viewer) -> Observation:
        check_viewer(viewer, state.deal.seats)
        return observe.observe(self.printed, self._final_rows, state, viewer)

    def visible_move(self, seat: Seat, move: Move, viewer: Viewer) -> Move | None:  # noqa: ARG002
        """Return the move, which is public; it does not say which card came from the pile."""
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

    def determinise(self, observation: Observation, chance: Chance) -> State:
        """Redraw the others' hands, the draw pile and the seed."""
        return determinise(self.moves, observation, chance)

    def format_move(self, move: Move) -> str:
        return notation.format_move(self.printed, move)

    def parse_move(self, line: str) -> Move:
        check_line(line)
        return notation.parse_move(self.printed, line)

    def export_setup(self, state: State) -> dict[str, Any]:
        return export_setup(self.printed, state)

    def export_move(self, before: State, seat: Seat, move: Move, after: State) -> dict[str, Any]:  # noqa: ARG002
        return export_move(self.printed, before, move)

    def export_event(self, after: State, event: Event) -> dict[str, Any] | None:
        return export_event(after, event)


def _hidden(state: State, seat: Seat) -> int:
    # the number of cards in a hand that others have not seen
    return len(state.hands[seat]) - len(state.shown[seat])
