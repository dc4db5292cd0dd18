"""The only way from a state to what a viewer may know."""

from __future__ import annotations

from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.games.land_cards.model import (
    OVER,
    PLAY_LAW,
    TAKE_BACK_STONE,
    TAKEN,
    TAKING,
    Observation,
    Printed,
)
from kk_core.games.land_cards.moves import settle
from kk_core.games.land_cards.scoring import outcome_of, sheet_rows, tally
from kk_core.games.land_cards.state import State
from kk_core.types import Outcome, Viewer


def law_cells(state: State) -> bytes:
    """The cells whose law card still lies there, face down."""
    laws = enumerate(zip(state.deal.laws, state.board, strict=True))
    return bytes(cell for cell, (law, lying) in laws if law and lying < TAKEN)


def outcome(state: State) -> Outcome | None:
    """Who has won; None while the match goes on."""
    if state.phase != OVER:
        return None
    counts = tally(state.deal.faces, state.board, state.deal.seats)
    totals = [sum(column) for column in zip(*sheet_rows(counts, state.hands), strict=True)]
    return outcome_of(totals, [sum(column) for column in zip(*counts.lands, strict=True)])


def known_hands(state: State, viewer: Viewer) -> tuple[bytes, ...]:
    """The kinds of law cards in each hand that a viewer knows (ruling 9)."""
    if state.phase == OVER:
        return state.hands
    return tuple(hand if seat == viewer else b"" for seat, hand in enumerate(state.hands))


def observe(printed: Printed, state: State, viewer: Viewer) -> Observation:
    """What a viewer may know; the sheet counts the "-2 victory points" only when the match is over."""
    deal, is_over = state.deal, state.phase == OVER
    counts = tally(deal.faces, state.board, deal.seats)
    return Observation(
        printed=printed,
        viewer=viewer,
        active=() if is_over else (state.seat,),
        legal_moves=state.legal if viewer == state.seat else (),
        sheet=sheet_rows(counts, state.hands if is_over else (b"",) * deal.seats),
        outcome=outcome(state),
        faces=deal.faces,
        board=state.board,
        law_cells=law_cells(state),
        phase=state.phase,
        taken=state.taken,
        symbols=state.symbols,
        symbol_limit=state.limit,
        any_colour=state.any_colour,
        stone_limit=deal.stone_limit,
        supply=state.supply,
        gone=state.gone,
        law_counts=bytes(len(hand) for hand in state.hands),
        hands=known_hands(state, viewer),
        played=state.played,
    )


def exchange_secrets(state: State, viewer: Viewer, chance: Chance) -> State:
    """Deal the law kinds that the viewer cannot know anew: those in the layout and in the others' hands.

    A seat that may choose whether to skip shows by this that it holds "take back a stone"; it keeps one.
    """
    if state.phase == OVER:
        return state
    hidden = [seat for seat in range(state.deal.seats) if seat != viewer]
    cells = law_cells(state)
    pool = [state.deal.laws[cell] - 1 for cell in cells]
    for seat in hidden:
        pool.extend(state.hands[seat])
    keeper = state.seat if state.seat in hidden and _shows_take_back(state) else None
    if keeper is not None:
        pool.remove(TAKE_BACK_STONE)
    chance.shuffle(pool)
    if keeper is not None:
        pool.append(TAKE_BACK_STONE)
    laws = bytearray(state.deal.laws)
    hands = list(state.hands)
    for seat in sorted(hidden, key=lambda seat: seat != keeper):
        hands[seat] = bytes(pool[len(pool) - len(hands[seat]) :])
        del pool[len(pool) - len(hands[seat]) :]
    for cell, kind in zip(cells, pool, strict=True):
        laws[cell] = 1 + kind
    deal = replace(state.deal, laws=bytes(laws))
    return settle(replace(state, deal=deal, hands=tuple(hands)), state.events)


def _shows_take_back(state: State) -> bool:
    return state.phase == TAKING and not state.taken and state.legal[-1] == PLAY_LAW + TAKE_BACK_STONE
