"""Take one to three matches from the heap; who takes the last one wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from kk_core.chance import Chance
from kk_core.checks import (
    check_line,
    check_number,
    check_seat,
    check_viewer,
    checked_setup,
    no_such_move,
)
from kk_core.config import version
from kk_core.errors import BadData, IllegalMove, InvalidMove
from kk_core.text import Text, text
from kk_core.types import (
    CommonObservation,
    Event,
    Meta,
    Move,
    Options,
    Outcome,
    Seat,
    Sheet,
    Tree,
    Viewer,
)

RULES: Final = 1
MOST: Final = 3


class State(msgspec.Struct, frozen=True, array_like=True):
    """Matches left, and whose turn it is."""

    heap: int
    turn: int


class NimObservation(CommonObservation, frozen=True, array_like=True):
    """Everything there is."""

    printed: tuple[int, ...]
    heap: int
    turn: int


class Nim:
    """Nim with one heap."""

    meta: Meta = Meta("nim", text("Nim"), text("Take the last one."), 2, 2, MOST + 1, has_secrets=False)
    rules_data: Final[Tree] = {"heap": 10}
    rules_version: Final = version(RULES, rules_data)
    printed: Final = (10,)
    drawing: Final = None
    sheet: Final = ("points",)

    def setup(self, options: Options, seats: int, seed: bytes) -> State:
        checked_setup(self.meta, options, seats, seed)
        return State(self.printed[0] + Chance(seed).below(3), 0)

    def active_seats(self, state: State) -> tuple[Seat, ...]:
        return (state.turn % 2,) if state.heap else ()

    def legal_moves(self, state: State, seat: Seat) -> tuple[Move, ...]:
        check_seat(seat, 2)
        return tuple(range(1, min(MOST, state.heap) + 1)) if seat == state.turn % 2 else ()

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        reason = self.why_not(state, seat, move)
        if reason is not None:
            raise IllegalMove(reason)
        return State(state.heap - move, state.turn + 1)

    def why_not(self, state: State, seat: Seat, move: Move) -> Text | None:
        check_number(move)
        return None if move in self.legal_moves(state, seat) else text("You cannot take {n}.", n=move)

    def events(self, state: State) -> tuple[Event, ...]:
        return ()

    def turn(self, state: State) -> int:
        return state.turn

    def round(self, state: State) -> int:
        return state.turn // 2 + 1

    def scorings(self, state: State) -> int:
        return 0

    def reveals(self, before: State, after: State, viewer: Viewer) -> bool:
        return False

    def standing(self, state: State, viewer: Viewer) -> Sheet:
        """The sheet that the viewer sees."""
        return self.observe(state, viewer).sheet

    def score(self, state: State) -> Sheet:
        return (tuple(int(not state.heap and (state.turn + 1) % 2 == seat) for seat in range(2)),)

    def outcome(self, state: State) -> Outcome | None:
        return None if state.heap else Outcome(((state.turn + 1) % 2,))

    def observe(self, state: State, viewer: Viewer) -> NimObservation:
        check_viewer(viewer, 2)
        return NimObservation(
            printed=self.printed, viewer=viewer, active=self.active_seats(state),
            legal_moves=() if viewer is None else self.legal_moves(state, viewer),
            sheet=self.score(state), outcome=self.outcome(state), heap=state.heap, turn=state.turn,
        )  # fmt: skip

    def determinise(self, observation: NimObservation, chance: Chance) -> State:
        return State(observation.heap, observation.turn)

    def visible_move(self, seat: Seat, move: Move, viewer: Viewer) -> Move | None:
        return move

    def describe(
        self, observation: CommonObservation, names: Sequence[str], seat: Seat, move: Move | None,
        events: Sequence[Event],
    ) -> Sequence[Text]:  # fmt: skip
        return () if move is None else (text("{name} takes {n}.", name=names[seat], n=move),)

    def format_move(self, move: Move) -> str:
        check_number(move)
        if not 1 <= move <= MOST:
            raise no_such_move(move)
        return f"take {move}"

    def parse_move(self, line: str) -> Move:
        check_line(line)
        for move in range(1, MOST + 1):
            if line == self.format_move(move):
                return move
        raise InvalidMove(text("{line} is no move.", line=repr(line)))

    def export_setup(self, state: State) -> dict[str, Any]:
        return {"heap": state.heap}

    def export_move(self, before: State, seat: Seat, move: Move, after: State) -> dict[str, Any]:
        return {"type": "take", "n": move}

    def export_event(self, after: State, event: Event) -> dict[str, Any] | None:
        return None


def create(source: object = None) -> Nim:
    return Nim()


def restore(rules_data: Tree) -> Nim:
    if rules_data != Nim.rules_data:
        raise BadData("rules_data", "$", text("These are not the rules."))
    return Nim()
