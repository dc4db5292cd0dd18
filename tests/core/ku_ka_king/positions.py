"""Positions in one line: cards are words, a number before a word repeats it, "/" separates rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from kk_core.games.ku_ka_king.game import create
from kk_core.games.ku_ka_king.model import CARDS
from kk_core.games.ku_ka_king.state import State, open_rows
from kk_core.types import Move, Seat

GAME = create()

TIM, SARAH, LINUS, EVA = range(4)
NAMES = ("Tim", "Sarah", "Linus", "Eva")


def cards(words: str) -> bytes:
    """Cards in order: "king 2 sheep" is king, sheep, sheep."""
    found = bytearray()
    times = 1
    for word in words.split():
        if word.isdigit():
            times = int(word)
            continue
        found.extend([CARDS.index(word)] * times)
        times = 1
    return bytes(found)


def collection(words: str) -> bytes:
    """The counts per type of some cards."""
    found = cards(words)
    return bytes(found.count(card) for card in range(len(CARDS)))


def rows_of(words: str) -> tuple[bytes, ...]:
    """Rows of cards, the outermost last: "king 2 sheep / church"."""
    return tuple(cards(row) for row in words.split("/"))


def position(
    rows: str,
    *,
    collections: Sequence[str] = ("", "", ""),
    pile: str = "100 goose",
    box: str = "",
    second_pass: bool = False,
    last_round: bool = False,
) -> State:
    """The beginning of a round."""
    laid_out = rows_of(rows)
    seats = len(collections)
    return State(
        rows=laid_out,
        pile=b"" if last_round else cards(pile),
        box=cards(box),
        unseen=0,
        collections=tuple(collection(words) for words in collections),
        affected=(1 << seats) - 1,
        waiting=(1 << seats) - 1,
        calls=bytes(seats),
        open_rows=open_rows(laid_out),
        taken=0,
        round=1,
        turn=0,
        first=((0,) * seats,) * 6 if second_pass else (),
        last_round=last_round,
        seed=bytes(32),
        position=0,
    )


def call(state: State, *calls: tuple[Seat, Move]) -> State:
    """The state after some calls."""
    for seat, row in calls:
        state = GAME.apply(state, seat, row)
    return state


def exported(state: State) -> list[dict[str, Any]]:
    """The events of the last step as the record has them."""
    events = (GAME.export_event(state, event) for event in GAME.events(state))
    return [event for event in events if event is not None]


def seed(number: int) -> bytes:
    """A seed for tests."""
    return number.to_bytes(32, "big")


def random_states(seats: int, number: int) -> Iterator[State]:
    """All states of a random match; seats call in any order."""
    random = Random(number)
    state = GAME.setup({}, seats, seed(number))
    yield state
    while active := GAME.active_seats(state):
        seat = random.choice(active)
        state = GAME.apply(state, seat, random.choice(GAME.legal_moves(state, seat)))
        yield state


def all_cards(state: State) -> bytes:
    """Every card of a state, in order of types."""
    collected = b"".join(bytes([card]) * n for owned in state.collections for card, n in enumerate(owned))
    return bytes(sorted(b"".join(state.rows) + state.pile + state.box + collected))


def clash_until(state: State, seats: Sequence[Seat], row: Move, stop: Callable[[State], bool]) -> State:
    """Let seats call the same row again and again."""
    while not stop(state):
        state = call(state, *((seat, row) for seat in seats))
    return state
