"""From the full truth to what a viewer may know, and back to any truth that they could believe in."""

from __future__ import annotations

from kk_core.chance import Chance
from kk_core.games.noughts import rules, scoring
from kk_core.games.noughts.model import NO_BID, Observation, Printed
from kk_core.games.noughts.state import State
from kk_core.types import Viewer


def observe(printed: Printed, state: State, viewer: Viewer) -> Observation:
    """Return everything but the bids of others."""
    return Observation(
        printed=printed,
        viewer=viewer,
        active=rules.active_seats(state),
        legal_moves=() if viewer is None else rules.legal_moves(state, viewer),
        sheet=scoring.sheet(state.board),
        outcome=scoring.outcome(state.board),
        board=state.board,
        coins=state.coins,
        placer=state.placer,
        favoured=state.favoured,
        turn=state.turn,
        own_bid=NO_BID if viewer is None else state.bids[viewer],
        opened=state.opened,
    )


def determinise(view: Observation, chance: Chance) -> State:
    """Draw a state in which any bid that a seat can pay is as likely as any other."""
    bids = bytearray(len(view.coins))
    for seat, coins in enumerate(view.coins):
        has_bid = bool(view.active) and view.placer is None and seat not in view.active
        if has_bid:
            bids[seat] = view.own_bid if seat == view.viewer else 1 + chance.below(coins + 1)
    return State(view.board, view.coins, bytes(bids), view.placer, view.favoured, view.turn, view.opened)
