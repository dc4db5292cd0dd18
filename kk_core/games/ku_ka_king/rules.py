"""The rules of Ku-Ka-King: set-up, calls, the reveal, and the end of a round."""

from __future__ import annotations

from collections.abc import Sequence

from kk_core.chance import Chance
from kk_core.checks import check_number, check_seat, checked_setup
from kk_core.errors import IllegalMove
from kk_core.games.ku_ka_king import scoring
from kk_core.games.ku_ka_king.model import (
    BOX_SHUFFLED,
    CARDS,
    CLASHED,
    FILLED,
    FIRST_SCORED,
    FIRST_SCORING_AT,
    LAST_ROUND,
    META,
    REVEALED,
    ROUND_OVER,
    ROW_CARDS,
    TAKEN,
    Printed,
    with_cards,
)
from kk_core.games.ku_ka_king.state import SEATS_OF, State, open_rows
from kk_core.text import Text, text
from kk_core.types import Event, Move, Options, Seat
from kk_core.values import BYTE

# -- set-up --------------------------------------------------------------------------------------------------


def setup(deck: Printed, options: Options, seats: int, seed: bytes) -> State:
    """Return the state before the first call. Raises `InvalidOptions`."""
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
    """Fill row 1, then row 2 ... up to three cards; returns the rows, the cards left, and those added."""
    used = 0
    filled = list(rows)
    added = [b""] * len(rows)
    for i, row in enumerate(rows):
        if missing := ROW_CARDS - len(row):
            added[i] = more = source[used : used + missing]
            filled[i] = row + more
            used += missing
    return tuple(filled), source[used:], tuple(added)


# -- moves ---------------------------------------------------------------------------------------------------


def legal_moves(state: State, seat: Seat) -> tuple[Move, ...]:
    """Return the rows that a seat may call now. Raises `InvalidSeat`."""
    if seat in SEATS_OF[state.waiting]:
        return state.open_rows
    check_seat(seat, len(state.calls))
    return ()


def why_not(state: State, seat: Seat, move: Move) -> Text | None:
    """Explain why a seat may not call a row; None if it may. Raises `InvalidMove` or `InvalidSeat`."""
    check_number(move)
    check_seat(seat, len(state.calls))
    if not state.affected:
        return text("The match is over.")
    if not 1 <= move <= len(state.rows):
        return text("There is no row {row}.", row=move)
    if not state.affected >> seat & 1:
        return text("You already have your cards for this round.")
    if not state.waiting >> seat & 1:
        return text("You have already called.")
    if state.taken >> move & 1:
        return text("Row {row} is already taken this round.", row=move)
    if not state.rows[move - 1]:
        return text("Row {row} is empty.", row=move)
    return None


def apply(deck: Printed, state: State, seat: Seat, move: Move) -> State:
    """Return the state after a call; the last call of a choice reveals all. Raises `IllegalMove`."""
    # a hot path, so `legal_moves` and `has_move` are inlined
    is_caller = type(seat) is int and seat >= 0 and state.waiting >> seat & 1
    if not (is_caller and type(move) is int and move in state.open_rows):
        raise IllegalMove(why_not(state, seat, move) or text("You can't do that now."))
    draft = state.__replace__()
    act(deck, draft, seat, move)
    return draft


def act(deck: Printed, draft: State, seat: Seat, move: Move) -> None:
    """Make a legal call in a draft, a private copy of a state."""
    calls = draft.calls
    draft.calls = calls[:seat] + BYTE[move] + calls[seat + 1 :]
    draft.waiting -= 1 << seat
    if draft.waiting:
        draft.events = ()
    else:
        reveal(deck, draft)


def reveal(deck: Printed, draft: State) -> None:
    """Reveal the calls in a draft in which all affected seats have called, and carry out the results."""
    events: list[Event] = [(REVEALED, draft.calls)]
    _settle(draft, events)
    # Ruling 3: one row with cards, or none, is not enough to choose from.
    if not draft.affected or len(draft.open_rows) < 2:
        _end_round(deck, draft, events)
    draft.events = tuple(events)


def _settle(draft: State, events: list[Event]) -> None:
    """Give rows to the seats that called them alone; remove the outermost card of contested ones."""
    rows, collections, calls = [*draft.rows], [*draft.collections], draft.calls
    affected, taken = draft.affected, draft.taken
    for seat in SEATS_OF[affected]:
        row = calls[seat]
        # a row called by several goes to nobody
        if calls.count(row) == 1:
            cards = rows[row - 1]
            rows[row - 1] = b""
            collections[seat] = with_cards(collections[seat], cards)
            affected -= 1 << seat
            taken |= 1 << row
            events.append((TAKEN, seat, row, cards))
    if affected:
        draft.box += _remove_outermost(rows, calls, affected, events)
    draft.rows = tuple(rows)
    draft.open_rows = open_rows(rows) if affected else ()
    draft.collections = tuple(collections)
    draft.affected = draft.waiting = affected
    draft.taken = taken
    draft.calls = bytes(len(calls))
    draft.turn += 1


def _remove_outermost(rows: list[bytes], calls: bytes, affected: int, events: list[Event]) -> bytes:
    """Shorten the rows that clashed, and return the cards for the box."""
    removed = []
    # ascending, since the order of the box affects the shuffle of the last round
    for row in sorted({calls[seat] for seat in SEATS_OF[affected]}):
        card = rows[row - 1][-1]
        rows[row - 1] = rows[row - 1][:-1]
        removed.append(card)
        clashed = bytes([seat for seat, called in enumerate(calls) if called == row])
        events.append((CLASHED, row, clashed, card))
    return bytes(removed)


# -- the end of a round --------------------------------------------------------------------------------------


def _end_round(deck: Printed, draft: State, events: list[Event]) -> None:
    """Hold the first scoring if due, then fill the rows for the next round or end the match."""
    events.append((ROUND_OVER, bytes(SEATS_OF[draft.affected])))
    # Ruling 6: both scorings are always held.
    most = max(map(sum, draft.collections))
    if not draft.first and (draft.last_round or most >= FIRST_SCORING_AT):
        _score_first(deck, draft, events)
    if draft.last_round:
        draft.affected = draft.waiting = 0
        draft.open_rows = ()
    else:
        _begin_round(draft, events)


def _score_first(deck: Printed, draft: State, events: list[Event]) -> None:
    """Hold the first scoring, and put the cards with a red cross into the box."""
    draft.first = scoring.score(draft.collections, deck.scale)
    collections, returned = [], bytearray()
    for collection in draft.collections:
        left = bytearray(collection)
        # seat by seat, in the order of types, since the order of the box affects its shuffle
        for card, kept in enumerate(deck.kept):
            if not kept:
                returned += BYTE[card] * collection[card]
                left[card] = 0
        collections.append(bytes(left))
    draft.collections = tuple(collections)
    draft.box += bytes(returned)
    events.append((FIRST_SCORED, bytes(returned)))


def _begin_round(draft: State, events: list[Event]) -> None:
    """Fill the rows for the next round."""
    everybody = (1 << len(draft.calls)) - 1
    draft.rows, draft.pile, added = fill(draft.rows, draft.pile)
    draft.affected = draft.waiting = everybody
    draft.open_rows = open_rows(draft.rows)
    draft.taken = 0
    draft.round += 1
    events.append((FILLED, *added))
    # once the pile is empty, the box is shuffled for one last round
    if not draft.pile:
        draft.last_round = True
        events.append((LAST_ROUND,))
        _fill_from_box(draft, events)


def _fill_from_box(draft: State, events: list[Event]) -> None:
    """Shuffle the box and fill up short rows."""
    if not draft.box or all(len(row) == ROW_CARDS for row in draft.rows):
        return
    chance = Chance(draft.seed, draft.position)
    cards = list(draft.box)
    chance.shuffle(cards)
    draft.rows, draft.box, added = fill(draft.rows, bytes(cards))
    # after the shuffle, nobody knows the order of the box
    draft.unseen = len(draft.box)
    draft.position = chance.position
    draft.open_rows = open_rows(draft.rows)
    events.extend([(BOX_SHUFFLED,), (FILLED, *added)])
