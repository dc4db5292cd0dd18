"""Laying out Ku-Ka-King: the shuffle, the first rows, and filling them up."""

from __future__ import annotations

from collections.abc import Sequence

from kk_core.chance import Chance
from kk_core.checks import checked_setup
from kk_core.edit import BYTE
from kk_core.games.ku_ka_king.meta import META
from kk_core.games.ku_ka_king.model import CARDS, ROW_CARDS, Printed
from kk_core.games.ku_ka_king.state import State, open_rows
from kk_core.types import Options


def setup(deck: Printed, options: Options, seats: int, seed: bytes) -> State:
    """The state before the first call. Raises `InvalidOptions`."""
    checked_setup(META, options, seats, seed)
    table = deck.table(seats)
    chance = Chance(seed)
    cards = list(b"".join([BYTE[card] * count for card, count in enumerate(deck.counts)]))
    chance.shuffle(cards)
    rows, pile, _ = fill((b"",) * table.rows, bytes(cards[: table.cards]))
    everybody = (1 << seats) - 1
    return State(
        rows=rows,
        pile=pile,
        box=bytes(cards[table.cards :]),
        unseen=len(cards) - table.cards,
        collections=(bytes(len(CARDS)),) * seats,
        affected=everybody,
        waiting=everybody,
        calls=bytes(seats),
        open_rows=open_rows(rows),
        taken=0,
        round=1,
        turn=0,
        first=(),
        last_round=False,
        seed=seed,
        position=chance.position,
    )


def fill(rows: Sequence[bytes], source: bytes) -> tuple[tuple[bytes, ...], bytes, tuple[bytes, ...]]:
    """Fill row 1, then row 2 ... up to three cards: the new rows, what is left, and what was added."""
    used = 0
    filled = list(rows)
    added = [b""] * len(rows)
    for i, row in enumerate(rows):
        if missing := ROW_CARDS - len(row):
            added[i] = more = source[used : used + missing]
            filled[i] = row + more
            used += missing
    return tuple(filled), source[used:], tuple(added)
