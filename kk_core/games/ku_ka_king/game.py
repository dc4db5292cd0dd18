"""Ku-Ka-King as a `Game`: the rules of this folder over one deck."""

from __future__ import annotations

from typing import Any, Final

import config
from kk_core.chance import Chance
from kk_core.data import version
from kk_core.game import Game
from kk_core.games.ku_ka_king import moves, notation, observe, record, setup
from kk_core.games.ku_ka_king.data import Deck, parse
from kk_core.games.ku_ka_king.meta import META
from kk_core.games.ku_ka_king.model import SHEET, Observation
from kk_core.games.ku_ka_king.state import SEATS_OF, State
from kk_core.text import Text
from kk_core.types import Event, Meta, Move, Options, Outcome, ScoreItem, ScoreSheet, Seat, Viewer

DATA: Final = "ku_ka_king.toml"

RULES: Final = 1
"""Changes whenever a rule in code changes."""


def create() -> Game[State, Observation]:
    """The game with the configured deck. Raises `BadData`."""
    return KuKaKing(parse(config.read(DATA)))


class KuKaKing:
    """The rules of Ku-Ka-King; see the `Game` protocol."""

    meta: Final[Meta] = META

    def __init__(self, deck: Deck) -> None:
        self._deck = deck
        self.rules_version: Final = version(RULES, deck)

    def setup(self, options: Options, seats: int, seed: bytes) -> State:
        """Shuffle, leave cards out, lay the rows."""
        return setup.setup(self._deck, options, seats, seed)

    def active_seats(self, state: State) -> tuple[Seat, ...]:
        """Those affected who have not called yet."""
        return SEATS_OF[state.waiting]

    def legal_moves(self, state: State, seat: Seat) -> tuple[Move, ...]:
        """The rows that a seat may call."""
        return moves.legal_moves(state, seat)

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        """Call a row; the last call reveals all of them. Raises `IllegalMove`."""
        return moves.apply(self._deck, state, seat, move)

    def why_not(self, state: State, seat: Seat, move: Move) -> Text | None:
        """Why a row may not be called."""
        return moves.why_not(state, seat, move)

    def events(self, state: State) -> tuple[Event, ...]:
        """The reveal and what followed from it; nothing after any other call."""
        return state.events

    def turn(self, state: State) -> int:
        """The number of reveals so far: calls may be taken back until the next."""
        return state.turn

    def reveals(self, before: State, after: State) -> bool:
        """Whether the calls were revealed in this step."""
        return before.turn != after.turn

    def score(self, state: State) -> ScoreSheet:
        """Both scorings, the final one by the present collections."""
        lines = observe.sheet(self._deck, state)
        return ScoreSheet(tuple(ScoreItem(item, row) for item, row in zip(SHEET, lines, strict=True)))

    def outcome(self, state: State) -> Outcome | None:
        """Who has the most points after the second scoring."""
        return observe.outcome(self._deck, state)

    def observe(self, state: State, viewer: Viewer) -> Observation:
        """What a viewer may know."""
        return observe.observe(self._deck, state, viewer)

    def visible_move(self, seat: Seat, move: Move, viewer: Viewer) -> Move | None:
        """Only the caller sees a call; all others learn it from the reveal (ruling 1)."""
        return move if viewer == seat else None

    def exchange_secrets(self, state: State, viewer: Viewer, chance: Chance) -> State:
        """Draw pile, unseen box, calls of others and seed anew."""
        return observe.exchange_secrets(state, viewer, chance)

    def format_move(self, move: Move) -> str:
        """A call for stored records, such as "call 3"; rows count from 1."""
        return notation.format_move(move)

    def parse_move(self, line: str) -> Move:
        """The move of `format_move`. Raises `InvalidMove`."""
        return notation.parse_move(line)

    def export_setup(self, state: State) -> dict[str, Any]:
        """Rows, pile and box."""
        return record.export_setup(state)

    def export_move(
        self,
        before: State,  # noqa: ARG002 - a call says everything by itself
        seat: Seat,  # noqa: ARG002
        move: Move,
        after: State,  # noqa: ARG002
    ) -> dict[str, Any]:
        """A call."""
        return record.export_move(move)

    def export_event(self, after: State, event: Event) -> dict[str, Any] | None:
        """Reveals, ends of rounds, scoring and filling."""
        return record.export_event(after, event)
