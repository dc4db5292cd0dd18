"""Calling rows, revealing the calls, and what follows when a round is over."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.checks import check_number
from kk_core.errors import IllegalMove
from kk_core.games.ku_ka_king import scoring
from kk_core.games.ku_ka_king.model import (
    BOX_SHUFFLED,
    CLASHED,
    FILLED,
    FIRST_SCORED,
    FIRST_SCORING_AT,
    LAST_ROUND,
    REVEALED,
    ROUND_OVER,
    ROW_CARDS,
    TAKEN,
    Printed,
)
from kk_core.games.ku_ka_king.setup import fill
from kk_core.games.ku_ka_king.state import SEATS_OF, State, open_rows
from kk_core.moveset import has_move
from kk_core.text import Text, text
from kk_core.types import Event, Move, Seat


def legal_moves(state: State, seat: Seat) -> tuple[Move, ...]:
    """The rows that a seat may call now."""
    return state.open_rows if seat >= 0 and state.waiting >> seat & 1 else ()


def why_not(state: State, seat: Seat, move: Move) -> Text | None:
    """Why a seat may not call a row; None when it may. Raises `InvalidMove` for what is no number."""
    check_number(move)
    if not 0 <= seat < len(state.calls):
        return text("There is no seat {seat}.", seat=seat)
    if not state.affected:
        return text("The match is over.")
    if not 1 <= move <= len(state.rows):
        return text("There is no row {row}.", row=move)
    if not state.affected >> seat & 1:
        return text("You already have your cards of this round.")
    if not state.waiting >> seat & 1:
        return text("You have already called.")
    if state.taken >> move & 1:
        return text("Row {row} has already been taken in this round.", row=move)
    if not state.rows[move - 1]:
        return text("Row {row} is empty.", row=move)
    return None


def apply(deck: Printed, state: State, seat: Seat, move: Move) -> State:
    """The state after a call; the last call of a choice reveals all. Raises `IllegalMove`."""
    if not has_move(legal_moves(state, seat), move):
        raise IllegalMove(why_not(state, seat, move) or text("This is not possible now."))
    calls = bytearray(state.calls)
    calls[seat] = move
    waiting = state.waiting & ~(1 << seat)
    if waiting:
        return replace(state, calls=bytes(calls), waiting=waiting, events=())
    return _reveal(deck, state, bytes(calls))


def _reveal(deck: Printed, state: State, calls: bytes) -> State:
    """Settle the calls; repeat with those affected, or end the round."""
    after = _settle(state, calls)
    # Ruling 3: one row with cards, or none, is not enough to choose from.
    if after.affected and len(after.open_rows) > 1:
        return after
    return _end_round(deck, after)


def _settle(state: State, calls: bytes) -> State:
    """Give rows to those who called them alone; take the outermost card of the others."""
    rows = list(state.rows)
    collections = list(state.collections)
    affected, taken = state.affected, state.taken
    events: list[Event] = [(REVEALED, calls)]
    for seat in SEATS_OF[affected]:
        row = calls[seat]
        if calls.count(row) == 1:
            cards = rows[row - 1]
            rows[row - 1] = b""
            collections[seat] = _with(collections[seat], cards)
            affected -= 1 << seat
            taken |= 1 << row
            events.append((TAKEN, seat, row, cards))
    box = state.box + _remove_outermost(rows, calls, affected, events) if affected else state.box
    left = tuple(rows)
    return replace(
        state,
        rows=left, box=box, collections=tuple(collections), affected=affected, waiting=affected,
        calls=bytes(len(calls)), open_rows=open_rows(left) if affected else (), taken=taken,
        turn=state.turn + 1, events=tuple(events),
    )  # fmt: skip


def _remove_outermost(rows: list[bytes], calls: bytes, affected: int, events: list[Event]) -> bytes:
    """Shorten the rows that clashed, in ascending order; the cards for the box."""
    removed = bytearray()
    for row in sorted({calls[seat] for seat in SEATS_OF[affected]}):
        card = rows[row - 1][-1]
        rows[row - 1] = rows[row - 1][:-1]
        removed.append(card)
        clashed = bytes(seat for seat, called in enumerate(calls) if called == row)
        events.append((CLASHED, row, clashed, card))
    return bytes(removed)


def _with(collection: bytes, cards: bytes) -> bytes:
    counts = bytearray(collection)
    for card in cards:
        counts[card] += 1
    return bytes(counts)


def _end_round(deck: Printed, state: State) -> State:
    """Score where it is due, then fill the rows for the next round or end the match."""
    events = (*state.events, (ROUND_OVER, bytes(SEATS_OF[state.affected])))
    # Ruling 6: both scorings are always held.
    if not state.first and (state.last_round or _reached(state.collections)):
        state = _score_first(deck, replace(state, events=events))
        events = state.events
    if state.last_round:
        return replace(state, events=events, affected=0, waiting=0, open_rows=())
    return _begin_round(state, events)


def _reached(collections: Sequence[bytes]) -> bool:
    """Whether anybody has the cards that end the first pass."""
    return max(map(sum, collections)) >= FIRST_SCORING_AT


def _score_first(deck: Printed, state: State) -> State:
    """Hold the first scoring; cards with a red cross go into the box, seat by seat, in order of types."""
    returned = bytearray()
    collections = []
    for collection in state.collections:
        collections.append(bytes(n if kept else 0 for n, kept in zip(collection, deck.kept, strict=True)))
        for card, (n, kept) in enumerate(zip(collection, deck.kept, strict=True)):
            if not kept:
                returned.extend([card] * n)
    return _add(
        state,
        (FIRST_SCORED, bytes(returned)),
        first=scoring.score(state.collections, deck.scale),
        collections=tuple(collections),
        box=state.box + returned,
    )


def _begin_round(state: State, events: tuple[Event, ...]) -> State:
    """Fill the rows from the pile; when it runs empty, from the shuffled box, for the last round."""
    everybody = (1 << len(state.calls)) - 1
    rows, pile, added = fill(state.rows, state.pile)
    state = replace(
        state,
        rows=rows, pile=pile, affected=everybody, waiting=everybody, open_rows=open_rows(rows), taken=0,
        round=state.round + 1, events=(*events, (FILLED, *added)),
    )  # fmt: skip
    return state if pile else _fill_from_box(_add(state, (LAST_ROUND,), last_round=True))


def _fill_from_box(state: State) -> State:
    """Shuffle the box and fill up the rows that are short."""
    if not state.box or all(len(row) == ROW_CARDS for row in state.rows):
        return state
    chance = Chance(state.seed, state.position)
    cards = list(state.box)
    chance.shuffle(cards)
    rows, box, added = fill(state.rows, bytes(cards))
    state = _add(state, (BOX_SHUFFLED,), position=chance.position)
    return _add(state, (FILLED, *added), rows=rows, box=box, unseen=len(box), open_rows=open_rows(rows))


def _add(state: State, event: Event, **changes: object) -> State:
    return replace(state, events=(*state.events, event), **changes)
