"""From a state to what a viewer may know, and back to a state that is possible for them."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, combinations
from math import factorial, prod
from typing import Final, NamedTuple, TypeAlias

from kk_core.chance import Chance
from kk_core.games.land_cards.layout import COUNTRY_OF_KIND, RAISED_LIMIT, kinds_of, row_ends
from kk_core.games.land_cards.model import (
    CELLS,
    DIFFERENT_COLOURS,
    FREE,
    GIVE_UP,
    GIVING_UP,
    LAW_HELD,
    LAW_LACKED,
    LAW_PLAYED,
    OVER,
    PLAY_LAW,
    STONE,
    TAKE,
    TAKE_BACK_STONE,
    TAKEN,
    TAKING,
    THREE_SYMBOLS,
    Observation,
    Printed,
    law_entries,
)
from kk_core.games.land_cards.rules import apply_legal, settle
from kk_core.games.land_cards.scoring import (
    Points,
    RunningSheet,
    count_owners,
    law_points,
    outcome_of,
)
from kk_core.games.land_cards.state import Deal, Draft, State
from kk_core.types import Outcome, Seat, Sheet, Viewer
from kk_core.values import BYTE, has_move, with_item

Rows: TypeAlias = tuple[Points, ...]

_ONLY_TAKEN: Final = bytes(lying if lying >= TAKEN else 0 for lying in range(256))


# -- the score sheet -----------------------------------------------------------------------------------------


def sheet_rows(state: State | Draft) -> Rows:
    """Return a row of points for each line of `SHEET`; "-2 victory points" count only after the end."""
    deal = state.deal
    rows = _sheet_of(deal).rows(state.board.translate(_ONLY_TAKEN))
    return rows if state.phase != OVER else (*rows[:-1], law_points(state.hands))


def full_sheet(state: State | Draft) -> Sheet:
    """Return the sheet from the full state, including "-2 victory points" in hands."""
    return (*sheet_rows(state)[:-1], law_points(state.hands))


def outcome(state: State) -> Outcome | None:
    """Return who has won; None until the match is over."""
    if state.phase != OVER:
        return None
    totals = [sum(column) for column in zip(*sheet_rows(state), strict=True)]
    return outcome_of(totals, count_owners(state.board, state.deal.seats))


_SHEETS: Final[dict[int, tuple[Deal, RunningSheet]]] = {}
"""The sheets of the latest deals, by the identity of the deal."""

_DEALS: Final = 64


def _sheet_of(deal: Deal) -> RunningSheet:
    # by identity, since hashing a deal's faces costs as much as a whole sheet; the entry keeps the deal
    # alive, so that its id cannot be reused
    found = _SHEETS.get(id(deal))
    if found is None or found[0] is not deal:
        if len(_SHEETS) >= _DEALS:
            del _SHEETS[next(iter(_SHEETS))]
        found = _SHEETS[id(deal)] = deal, RunningSheet(deal.faces, deal.seats)
    return found[1]


# -- what a viewer may know ----------------------------------------------------------------------------------


def observe(printed: Printed, state: State, viewer: Viewer) -> Observation:
    """Return what a viewer may know; the sheet counts "-2 victory points" only after the end."""
    deal, seat, phase = state.deal, state.seat, state.phase
    law_cells, law_counts, laws_taken = _laws(deal.laws, state.law_log, state.hands)
    # positional arguments: keywords take several times as long, and bots observe before every decision
    return Observation(
        printed,
        viewer,
        () if phase == OVER else (seat,),
        state.legal if viewer == seat else (),
        sheet_rows(state),
        outcome(state),
        deal.faces,
        state.board,
        law_cells,
        phase,
        state.turn,
        state.taken,
        state.symbols,
        state.limit,
        state.any_colour,
        deal.at_start_only,
        deal.stone_limit,
        state.supply,
        state.gone,
        law_counts,
        state.hands if phase == OVER else _own_hand(state, viewer),
        state.law_log,
        b"" if viewer is None else laws_taken[viewer],
        _idle_laws(state) if viewer == seat and phase == TAKING else b"",
    )


def _own_hand(state: State, viewer: Viewer) -> tuple[bytes, ...]:
    # until the end, only the viewer's own hand is known (ruling 9)
    unknown = (b"",) * len(state.hands)
    return unknown if viewer is None else with_item(unknown, viewer, state.hands[viewer])


@lru_cache(maxsize=1024)
def _laws(laws: bytes, law_log: bytes, hands: tuple[bytes, ...]) -> tuple[bytes, bytes, tuple[bytes, ...]]:
    # returns the cells of laws not taken, the number that each seat holds, and the kinds that each has taken
    cells = _law_cells(laws)
    taken = [b""] * len(hands)
    for seat, cell in law_entries(law_log):
        if cell < CELLS:
            cells = cells.replace(BYTE[cell], b"")
            taken[seat] += BYTE[laws[cell] - 1]
    return cells, bytes(map(len, hands)), tuple(taken)


@lru_cache(maxsize=64)
def _law_cells(laws: bytes) -> bytes:
    return bytes(cell for cell, law in enumerate(laws) if law)


def _idle_laws(state: State) -> bytes:
    # Laws that may be played, but that would not allow another card, not even with the others in hand: not at
    # once or, before the first card of a turn, not in this turn, whichever cards come first.
    if not state.hands[state.seat]:
        return b""
    helps = _opens if state.taken else _may_help
    return bytes(
        kind
        for kind in (THREE_SYMBOLS, DIFFERENT_COLOURS)
        if has_move(state.legal, PLAY_LAW + kind) and not helps(_after_others(state, kind), kind)
    )


def _after_others(state: State, law: int) -> State:
    # What a law allows without others, it also allows with them, as each lifts a restriction of its own. They
    # are played at once: later, the hand may have one whose kind its holder does not know yet.
    for other in state.hands[state.seat]:
        if other != law and has_move(state.legal, PLAY_LAW + other):
            state = apply_legal(state, PLAY_LAW + other)
    return state


def _opens(state: State, law: int) -> bool:
    return not set(state.legal).issuperset(apply_legal(state, PLAY_LAW + law).legal)


def _may_help(state: State, law: int) -> bool:
    # before the first card of a turn
    return _is_for_two_ends(state, law) or any(_may_open(then, law) for then in _after_takes(state))


def _is_for_two_ends(state: State, law: int) -> bool:
    # the usual case, found faster: two cards at ends may be taken together by the law
    board, kinds, free = state.board, state.deal.kinds, (FREE, STONE + state.seat)
    for one, other in combinations([kinds[cell] for cell in state.ends if board[cell] in free], 2):
        is_same, cost = not (one ^ other) & COUNTRY_OF_KIND, (one >> 4) + (other >> 4)
        if law == DIFFERENT_COLOURS:
            if not is_same and cost <= state.limit:
                return True
        elif (is_same or state.any_colour) and cost == RAISED_LIMIT:
            return True
    return False


def _may_open(state: State, law: int) -> bool:
    if state.phase == GIVING_UP:
        state = apply_legal(state, state.legal[0])  # which stone it is makes no difference to taking
    if not has_move(state.legal, PLAY_LAW + law):
        return False
    return _opens(state, law) or any(_may_open(then, law) for then in _after_takes(state))


def _after_takes(state: State) -> Iterator[State]:
    return (apply_legal(state, move) for move in state.legal if TAKE <= move < GIVE_UP)


# -- the way back --------------------------------------------------------------------------------------------


def determinise(seen: Observation, chance: Chance) -> State:
    """Draw a state with this observation, each equally likely; it has no events.

    Raises `ValueError` for an observation that no state has.
    """
    history, lying = _draw(seen, chance)
    return settle(
        State(
            deal=Deal(
                seen.faces, kinds_of(seen.faces), _laws_again(seen, history.taken, lying),
                len(seen.supply), seen.stone_limit, seen.at_start_only,
            ),
            board=seen.board, ends=_ends(seen), supply=seen.supply, gone=seen.gone, hands=history.hands,
            law_log=seen.law_log, phase=seen.phase, seat=_seat(seen), turn=seen.turn, taken=seen.taken,
            symbols=seen.symbols, limit=seen.symbol_limit, any_colour=seen.any_colour,
        )
    )  # fmt: skip


def _laws_again(seen: Observation, taken: bytes, lying: list[int]) -> bytes:
    laws = bytearray(CELLS)
    cells = [what for _, what in law_entries(seen.law_log) if what < CELLS]
    for cell, kind in zip((*cells, *seen.law_cells), (*taken, *lying), strict=True):
        laws[cell] = 1 + kind
    return bytes(laws)


def _ends(seen: Observation) -> bytes:
    if not seen.at_start_only:
        return row_ends(seen.board)
    at_start = bytearray(seen.board)
    for cell in seen.taken:
        at_start[cell] = FREE
    return row_ends(bytes(at_start)).translate(None, seen.taken)


def _seat(seen: Observation) -> Seat:
    return seen.active[0] if seen.active else seen.board[seen.taken[-1]] - TAKEN


# -- law cards -----------------------------------------------------------------------------------------------


class _History(NamedTuple):
    """A possible explanation of the law log.

    `taken` are the kinds of the law cards taken, in the order of the log, `hands` those still held, `left`
    those that nobody has taken.
    """

    taken: bytes
    hands: tuple[bytes, ...]
    left: bytes

    def after_taking(self, seat: Seat, kind: int) -> _History:
        """Return the history after the seat takes a law card of a kind."""
        hands = with_item(self.hands, seat, self.hands[seat] + BYTE[kind])
        return _History(self.taken + BYTE[kind], hands, self.left.replace(BYTE[kind], b"", 1))

    def after_playing(self, seat: Seat, kind: int) -> _History:
        """Return the history after the seat plays a law card of a kind."""
        return self._replace(hands=with_item(self.hands, seat, self.hands[seat].replace(BYTE[kind], b"", 1)))

    def weight(self) -> int:
        """Return the number of arrangements of the kinds that are left."""
        return factorial(len(self.left)) // prod(factorial(self.left.count(kind)) for kind in set(self.left))


def _draw(seen: Observation, chance: Chance) -> tuple[_History, list[int]]:
    # returns the history, and the kinds on `law_cells`
    shown = seen.hands if seen.phase == OVER else None
    histories, ends = _histories(
        seen.printed.laws, len(seen.supply), seen.law_log, seen.viewer, seen.laws_taken, shown
    )
    history = histories[bisect(ends, chance.below(ends[-1]))]
    lying = list(history.left)
    chance.shuffle(lying)
    return history, lying


@lru_cache(maxsize=256)
def _histories(
    laws: bytes,
    seats: int,
    law_log: bytes,
    viewer: Viewer,
    laws_taken: bytes,
    shown: tuple[bytes, ...] | None,
) -> tuple[list[_History], list[int]]:
    # returns all histories that fit what a viewer saw, and the running sums of their weights; `laws` are all
    # kinds, `laws_taken` those that the viewer took, `shown` the hands after the end
    own = iter(laws_taken)
    found = [_History(b"", (b"",) * seats, laws)]
    for seat, what in law_entries(law_log):
        if what < CELLS:
            kinds = [next(own)] if seat == viewer else sorted(set(laws))
            found = [one.after_taking(seat, kind) for one in found for kind in kinds if kind in one.left]
        elif what == LAW_HELD:
            found = [one for one in found if TAKE_BACK_STONE in one.hands[seat]]
        elif what == LAW_LACKED:
            found = [one for one in found if TAKE_BACK_STONE not in one.hands[seat]]
        else:
            kind = what - LAW_PLAYED
            found = [one.after_playing(seat, kind) for one in found if kind in one.hands[seat]]
    # after the end all hands are public
    found = [one for one in found if shown in (None, one.hands)]
    if not found:
        raise ValueError(f"no deal of law cards fits this observation: {law_log!r}")
    return found, list(accumulate(one.weight() for one in found))
