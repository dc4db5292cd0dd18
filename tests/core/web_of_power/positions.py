"""Positions and moves of the board game as short texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from random import Random

from msgspec.structs import replace

from kk_core.games.web_of_power.game import create
from kk_core.games.web_of_power.model import CLOISTER_OF, COUNTRIES, Drawing, Printed
from kk_core.games.web_of_power.rules import Moves, room_in
from kk_core.games.web_of_power.state import State

GAME = create()
LAND: Printed = GAME.printed
DRAWING: Drawing = GAME.drawing
MOVES = Moves(LAND)
SEED = bytes(range(32))
SHORT = {"FK": 0, "BY": 1, "LO": 2, "EN": 3, "FR": 4}
"""Kinds of cards: Franken/Aragon, Bayern/Burgund, Lothringen/Italien, England/Schwaben, Frankreich."""


def cards(names: str) -> bytes:
    """Kinds by their short names: "FK FK BY"."""
    return bytes(SHORT[name] for name in names.split())


def owned(spaces: str, owners: Iterable[int]) -> dict[str, int]:
    """Owners of the spaces named, one after the other."""
    return dict(zip(spaces.split(), owners, strict=True))


def position(
    hand: str = "FK BY LO",
    cloisters: Mapping[str, int] | None = None,
    advisors: Mapping[str, Iterable[int]] | None = None,
    *,
    seats: int = 4,
    seat: int = 0,
    option: str = "immediate",
    **fields: object,
) -> State:
    """The turn of a seat with this hand, owners of spaces, owners of advisors by country, other fields."""
    state: State = GAME.setup({"interim_scoring": option}, seats, SEED)
    board = bytearray(len(LAND.spaces))
    built = bytearray(len(COUNTRIES) * seats)
    courts = bytearray(len(COUNTRIES) * seats)
    for space, owner in (cloisters or {}).items():
        index = LAND.spaces.index(space)
        board[index] = CLOISTER_OF + owner
        built[LAND.country_of[index] * seats + owner] += 1
    for country, owners in (advisors or {}).items():
        for owner in owners:
            courts[COUNTRIES.index(country) * seats + owner] += 1
    hands = list(state.hands)
    hands[seat] = bytes(sorted(cards(hand)))
    changed = replace(
        state,
        turn=seat,
        board=bytes(board),
        cloisters=bytes(built),
        advisors=bytes(courts),
        cloisters_left=bytes(LAND.cloisters - sum(built[owner::seats]) for owner in range(seats)),
        advisors_left=bytes(LAND.advisors - sum(courts[owner::seats]) for owner in range(seats)),
        room=sum(
            1 << country
            for country in range(len(COUNTRIES))
            if room_in(country, bytes(built), bytes(courts), seats) > 0
        ),
        hands=tuple(hands),
    )
    changed = replace(changed, **fields)
    return replace(changed, legal=MOVES.legal(changed))


def play(state: State, *lines: str) -> State:
    """The position after moves of whoever's turn it is, in the notation of records."""
    for line in lines:
        state = GAME.apply(state, state.seat, GAME.parse_move(line))
    return state


def legal(state: State) -> list[str]:
    """The legal moves in the notation of records."""
    return [GAME.format_move(move) for move in GAME.legal_moves(state, state.seat)]


def reason(state: State, line: str) -> str:
    """Why a move of the seat whose turn it is is not legal; empty when it is."""
    return str(GAME.why_not(state, state.seat, GAME.parse_move(line)) or "")


def random_play(seats: int, option: str, number: int) -> Iterator[State]:
    """All positions of a random match from its start to its end."""
    random = Random(number)
    state = GAME.setup({"interim_scoring": option}, seats, random.randbytes(32))
    yield state
    while active := GAME.active_seats(state):
        state = GAME.apply(state, active[0], random.choice(list(GAME.legal_moves(state, active[0]))))
        yield state
