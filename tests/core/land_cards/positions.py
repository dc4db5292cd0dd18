"""Positions in one line, and play in the stable notation, so that a test of a rule is a pair of strings.

A layout has up to four rows parted by "/", each with cards from column 1 on: two letters for the country
("Fr" is Frankreich, "Fn" Franken), then symbols and route as in the deck file ("FrKK", "SaK+s", "Un-"). "@B"
puts a stone of seat B on a card, "*t" a law card: t take back a stone, 3 three symbols, d different colours,
m minus two. "." is an empty place. Everything else has been taken by the last seat, but for the cards under
which the law cards lay that are held or were played.
"""

from __future__ import annotations

import re
from typing import Final

from kk_core.chance import Chance
from kk_core.games.land_cards.game import create
from kk_core.games.land_cards.layout import LIMIT, STONES, kinds_of, row_ends
from kk_core.games.land_cards.model import (
    CELLS,
    COLUMNS,
    LAW_PLAYED,
    ROUTES,
    STONE,
    SYMBOLS,
    TAKEN,
    TAKING,
    face,
)
from kk_core.games.land_cards.rules import settle
from kk_core.games.land_cards.state import Deal, State

RULES: Final = create()
SEATS: Final = "ABCDE"
LAW_LETTERS: Final = "t3dm"

_CARD: Final = re.compile(r"([A-ZD][a-zä])([KFLAT]*)-?(\+[sk])?(?:@([A-E]))?(?:\*([t3dm]))?")
_COUNTRY_CODES: Final = ("Fr", "Sa", "Un", "Ka", "Fn", "Ba", "It", "En", "Dä")
_FILLER: Final = face(0, (), 0)


def card(code: str) -> int:
    """The face of a code."""
    found = _CARD.fullmatch(code)
    assert found, code
    route = {None: "", "+s": "ship", "+k": "carriage"}[found[3]]
    return face(_COUNTRY_CODES.index(found[1]), tuple(map(SYMBOLS.index, found[2])), ROUTES.index(route))


def position(
    layout: str,
    *,
    seats: int = 3,
    turn: str = "A",
    hands: str = "",
    played: str = "",
    gone: str = "",
    at_start_only: bool = False,
) -> State:
    """A position in the taking phase.

    `hands` are law cards, "A:t3 B:m", and so are those `played` before; all were taken in this order, seat by
    seat. `gone` has a letter per stone out of the game, "AAB".
    """
    faces, board, laws = [_FILLER] * CELLS, [TAKEN + seats - 1] * CELLS, [0] * CELLS
    for row, codes in enumerate(layout.split("/")):
        for column, code in enumerate(codes.split()):
            if code != ".":
                _lay(faces, board, laws, row * COLUMNS + column, code)
    law_log = _take_laws(board, laws, _hands(hands, seats), _hands(played, seats))
    seat = SEATS.index(turn)
    lost = bytes(gone.count(letter) for letter in SEATS[:seats])
    on_cards = [board.count(STONE + owner) for owner in range(seats)]
    return settle(
        State(
            deal=Deal(
                tuple(faces), kinds_of(faces), bytes(laws), seats, 3 if seats == 3 else 2, at_start_only
            ),
            board=bytes(board),
            ends=row_ends(bytes(board)),
            supply=bytes(STONES - a - b for a, b in zip(lost, on_cards, strict=True)),
            gone=lost,
            hands=_hands(hands, seats),
            law_log=law_log,
            phase=TAKING,
            seat=seat,
            turn=0,
            taken=b"",
            symbols=0,
            limit=LIMIT,
            any_colour=False,
        )
    )


def _lay(faces: list[int], board: list[int], laws: list[int], cell: int, code: str) -> None:
    found = _CARD.fullmatch(code)
    assert found, code
    faces[cell] = card(code)
    board[cell] = STONE + SEATS.index(found[4]) if found[4] else 0
    laws[cell] = 1 + LAW_LETTERS.index(found[5]) if found[5] else 0


def _take_laws(
    board: list[int], laws: list[int], hands: tuple[bytes, ...], played: tuple[bytes, ...]
) -> bytes:
    """The law log of seats that have taken what they hold and have played, each from a card taken before."""
    cells = (cell for cell in reversed(range(CELLS)) if board[cell] >= TAKEN)
    log = b""
    for seat in range(len(hands)):
        for kind, cell in zip(played[seat] + hands[seat], cells, strict=False):
            board[cell], laws[cell] = TAKEN + seat, 1 + kind
            log += bytes((seat, cell))
    return log + b"".join(
        bytes((seat, LAW_PLAYED + kind)) for seat, kinds in enumerate(played) for kind in kinds
    )


def _hands(spec: str, seats: int) -> tuple[bytes, ...]:
    held = dict(entry.split(":") for entry in spec.split())
    return tuple(bytes(map(LAW_LETTERS.index, held.get(letter, ""))) for letter in SEATS[:seats])


def play(state: State, moves: str) -> State:
    """The position after moves parted by ";", each made by whoever's turn it is."""
    for line in moves.split(";"):
        state = RULES.apply(state, state.seat, RULES.parse_move(line.strip()))
    return state


def play_at_random(take: str, seats: int, seed: bytes, plies: int = 10_000) -> list[State]:
    """The positions of a match with moves drawn from the seed, at most so many."""
    chance = Chance(seed, position=1000)
    states = [RULES.setup({"take": take}, seats, seed)]
    while RULES.active_seats(states[-1]) and len(states) <= plies:
        state = states[-1]
        moves = RULES.legal_moves(state, state.seat)
        states.append(RULES.apply(state, state.seat, moves[chance.below(len(moves))]))
    return states


def legal(state: State, word: str = "") -> set[str]:
    """The legal moves in notation, or those that begin with a word."""
    lines = {RULES.format_move(move) for move in RULES.legal_moves(state, state.seat)}
    return {line for line in lines if line.startswith(word)}


def why(state: State, line: str, seat: str | None = None) -> str:
    """The sentence that refuses a move."""
    asking = state.seat if seat is None else SEATS.index(seat)
    reason = RULES.why_not(state, asking, RULES.parse_move(line))
    assert reason is not None, f"{line} is legal"
    return str(reason)
