"""The only way from a state to what a viewer may know."""

from __future__ import annotations

from functools import lru_cache

from kk_core.edit import BYTE, with_item
from kk_core.games.land_cards.model import (
    CELLS,
    DIFFERENT_COLOURS,
    OVER,
    PLAY_LAW,
    TAKING,
    THREE_SYMBOLS,
    Observation,
    Printed,
    law_entries,
)
from kk_core.games.land_cards.moves import apply_legal
from kk_core.games.land_cards.sheet import outcome, sheet_rows
from kk_core.games.land_cards.state import State
from kk_core.types import Viewer


def observe(printed: Printed, state: State, viewer: Viewer) -> Observation:
    """What a viewer may know; the sheet counts the "-2 victory points" only when the match is over."""
    deal, seat, phase = state.deal, state.seat, state.phase
    law_cells, law_counts, laws_taken = _laws(deal.laws, state.law_log, state.hands)
    # by place, because by name it takes several times as long, and bots look before every decision
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
    """The hands as a viewer knows them while the match goes on (ruling 9)."""
    unknown = (b"",) * len(state.hands)
    return unknown if viewer is None else with_item(unknown, viewer, state.hands[viewer])


@lru_cache(maxsize=1024)
def _laws(laws: bytes, law_log: bytes, hands: tuple[bytes, ...]) -> tuple[bytes, bytes, tuple[bytes, ...]]:
    """The cells of the law cards not taken, how many each seat holds, and the kinds that each has taken."""
    cells = _law_cells(laws)
    taken = [b""] * len(hands)
    for seat, cell in law_entries(law_log):
        if cell < CELLS:
            cells = cells.replace(BYTE[cell], b"")
            taken[seat] += BYTE[laws[cell] - 1]
    return cells, bytes(map(len, hands)), tuple(taken)


@lru_cache(maxsize=64)
def _law_cells(laws: bytes) -> bytes:
    """The cells on which law cards were dealt."""
    return bytes(cell for cell, law in enumerate(laws) if law)


def _idle_laws(state: State) -> bytes:
    """The kinds that may be played now, though by it alone no further card could be taken at once.

    Before the first card of a turn there is none: any card may be the first.
    """
    if not (state.taken and state.hands[state.seat]):
        return b""
    legal = set(state.legal)
    return bytes(
        kind
        for kind in (THREE_SYMBOLS, DIFFERENT_COLOURS)
        if PLAY_LAW + kind in legal and legal.issuperset(apply_legal(state, PLAY_LAW + kind).legal)
    )
