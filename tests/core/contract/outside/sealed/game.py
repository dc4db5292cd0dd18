"""Everybody lays a card of the own hand face down; then the highest one scores a point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

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
CARDS: Final = 12
DATA: Final[Tree] = {"cards": CARDS}


class State(msgspec.Struct, frozen=True, array_like=True):
    """Hands, what lies face down (0 for nothing), points, the cards left over, all played ones, turns."""

    hands: tuple[bytes, ...]
    laid: bytes
    points: bytes
    rest: bytes
    played: bytes
    turn: int
    events: tuple[Event, ...] = ()


class SealedObservation(CommonObservation, frozen=True, array_like=True):
    """The own hand and card, and what everybody sees."""

    printed: tuple[int, ...]
    hand: bytes
    own: int
    sizes: bytes
    played: bytes
    turn: int


class Sealed:
    """Sealed bids for two or three."""

    meta: Meta = Meta("sealed", text("Sealed bids"), text("Lay the highest card."), 2, 3, CARDS + 1)
    rules_data: Tree = DATA
    rules_version = version(RULES, rules_data)
    printed: Final = (CARDS,)
    drawing: Final = None
    sheet: Final = ("points",)
    hand = 3

    def setup(self, options: Options, seats: int, seed: bytes) -> State:
        checked_setup(self.meta, options, seats, seed)
        cards = list(range(1, CARDS + 1))
        Chance(seed).shuffle(cards)
        hands = tuple(bytes(sorted(cards[seat * self.hand :][: self.hand])) for seat in range(seats))
        return State(hands, bytes(seats), bytes(seats), bytes(cards[seats * self.hand :]), b"", 0)

    def active_seats(self, state: State) -> tuple[Seat, ...]:
        return tuple(seat for seat, hand in enumerate(state.hands) if hand and not state.laid[seat])

    def legal_moves(self, state: State, seat: Seat) -> tuple[Move, ...]:
        check_seat(seat, len(state.hands))
        return tuple(state.hands[seat]) if seat in self.active_seats(state) else ()

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        reason = self.why_not(state, seat, move)
        if reason is not None:
            raise IllegalMove(reason)
        laid = bytearray(state.laid)
        laid[seat] = move
        hands = list(state.hands)
        hands[seat] = hands[seat].replace(bytes([move]), b"")
        after = replace(state, hands=tuple(hands), laid=bytes(laid), events=())
        return after if 0 in laid else self._turn_over(after)

    def _turn_over(self, state: State) -> State:
        points = bytearray(state.points)
        points[state.laid.index(max(state.laid))] += 1
        return replace(
            state, laid=bytes(len(points)), points=bytes(points), played=state.played + state.laid,
            turn=state.turn + 1, events=((0, state.laid),),
        )  # fmt: skip

    def why_not(self, state: State, seat: Seat, move: Move) -> Text | None:
        check_number(move)
        return None if move in self.legal_moves(state, seat) else text("You cannot lay {n}.", n=move)

    def events(self, state: State) -> tuple[Event, ...]:
        return state.events

    def turn(self, state: State) -> int:
        return state.turn

    def round(self, state: State) -> int:
        return state.turn + 1

    def scorings(self, state: State) -> int:
        return 0

    def reveals(self, before: State, after: State, viewer: Viewer) -> bool:
        return before.turn != after.turn

    def standing(self, state: State, viewer: Viewer) -> Sheet:
        """The sheet that the viewer sees."""
        return self.observe(state, viewer).sheet

    def score(self, state: State) -> Sheet:
        return (tuple(state.points),)

    def outcome(self, state: State) -> Outcome | None:
        if self.active_seats(state):
            return None
        return Outcome(tuple(seat for seat, n in enumerate(state.points) if n == max(state.points)))

    def observe(self, state: State, viewer: Viewer) -> SealedObservation:
        check_viewer(viewer, len(state.hands))
        return SealedObservation(
            printed=self.printed, viewer=viewer, active=self.active_seats(state),
            legal_moves=() if viewer is None else self.legal_moves(state, viewer),
            sheet=self.score(state), outcome=self.outcome(state),
            hand=b"" if viewer is None else state.hands[viewer],
            own=0 if viewer is None else state.laid[viewer], sizes=bytes(map(len, state.hands)),
            played=state.played, turn=state.turn,
        )  # fmt: skip

    def determinise(self, observation: SealedObservation, chance: Chance) -> State:
        seen = {*observation.played, *observation.hand, observation.own}
        unseen = [card for card in range(1, self.printed[0] + 1) if card not in seen]
        chance.shuffle(unseen)
        hands, laid = [], bytearray(len(observation.sizes))
        for seat, size in enumerate(observation.sizes):
            is_own = seat == observation.viewer
            hands.append(observation.hand if is_own else bytes(sorted(unseen.pop() for _ in range(size))))
            if observation.active and seat not in observation.active:
                laid[seat] = observation.own if is_own else unseen.pop()
        points = bytes(observation.points)
        return State(tuple(hands), bytes(laid), points, bytes(unseen), observation.played, observation.turn)

    def visible_move(self, seat: Seat, move: Move, viewer: Viewer) -> Move | None:
        return move if seat == viewer else None

    def describe(
        self, observation: CommonObservation, names: Sequence[str], seat: Seat, move: Move | None,
        events: Sequence[Event],
    ) -> Sequence[Text]:  # fmt: skip
        said = [] if move is None else [text("{name} lays {n}.", name=names[seat], n=move)]
        for _, laid in events:
            assert isinstance(laid, bytes)
            cards = ", ".join(f"{name} {card}" for name, card in zip(names, laid, strict=True))
            said.append(text("All are turned over: {cards}.", cards=cards))
        return said

    def format_move(self, move: Move) -> str:
        check_number(move)
        if not 1 <= move <= CARDS:
            raise no_such_move(move)
        return f"lay {move}"

    def parse_move(self, line: str) -> Move:
        check_line(line)
        for move in range(1, CARDS + 1):
            if line == self.format_move(move):
                return move
        raise InvalidMove(text("{line} is no move.", line=repr(line)))

    def export_setup(self, state: State) -> dict[str, Any]:
        return {"hands": [list(hand) for hand in state.hands]}

    def export_move(self, before: State, seat: Seat, move: Move, after: State) -> dict[str, Any]:
        return {"type": "lay", "card": move}

    def export_event(self, after: State, event: Event) -> dict[str, Any] | None:
        _, laid = event
        assert isinstance(laid, bytes)
        return {"rule": "turn_over", "cards": list(laid)}


def create(source: object = None) -> Sealed:
    return Sealed()


def restore(rules_data: Tree) -> Sealed:
    if rules_data != Sealed.rules_data:
        raise BadData("rules_data", "$", text("These are not the rules."))
    return Sealed()
