"""From the full truth to what one viewer may know."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from kk_core.games.web_of_power import scoring
from kk_core.games.web_of_power.model import OVER, Observation, OldCards, Printed
from kk_core.games.web_of_power.scoring import Rows
from kk_core.games.web_of_power.state import ALONE, NOBODY, State
from kk_core.types import Outcome, Viewer

FinalRows = Callable[[bytes, bytes, bytes], Rows]
"""The lines of the final scoring for a board, the cloisters and the advisors in the countries."""


def final_sheet(final_rows: FinalRows, state: State) -> Rows:
    """All lines as if the match ended here."""
    interim = scoring.interim_rows(state.interim, state.deal.seats)
    return interim + final_rows(state.board, state.cloisters, state.advisors)


def outcome(final_rows: FinalRows, state: State) -> Outcome | None:
    """Who has won; None while the match goes on."""
    if state.phase != OVER:
        return None
    left = tuple(map(sum, zip(state.cloisters_left, state.advisors_left, strict=True)))
    return scoring.outcome(final_sheet(final_rows, state), left)


def observe(land: Printed, final_rows: FinalRows, state: State, viewer: Viewer) -> Observation:
    """What a viewer may know: hands are secret, everything that was ever played or laid open is not."""
    deal, hands = state.deal, state.hands
    if state.phase == OVER:
        active, sheet = NOBODY, final_sheet(final_rows, state)
        chains = tuple(scoring.chains_of(land, state.board, seat) for seat in range(deal.seats))
    else:
        active, sheet = ALONE[state.turn % deal.seats], scoring.rows_so_far(state.interim, deal.seats)
        chains = ()
    # by place, because by name it takes several times as long, and bots look before every decision
    return Observation(
        land,
        viewer,
        active,
        state.legal if viewer in active else (),
        sheet,
        outcome(final_rows, state),
        state.board,
        state.advisors,
        state.cloisters_left,
        state.advisors_left,
        b"" if viewer is None else hands[viewer],
        bytes(map(len, hands)),
        state.shown,
        old_cards(state.old, state.since, viewer) if state.old else None,
        len(state.pile),
        state.face_up,
        state.discards,
        state.turn,
        state.phase,
        state.begun,
        state.begun_empty,
        state.placed,
        state.pile_runs,
        bool(state.interim),
        deal.end_of_round,
        chains,
    )


@lru_cache(maxsize=1024)
def old_cards(old: tuple[bytes, ...], since: tuple[bytes, ...], viewer: Viewer) -> OldCards:
    """What a viewer could have noted when the draw pile ran out."""
    others = b"".join(hand for seat, hand in enumerate(old) if seat != viewer)
    return OldCards(
        own=b"" if viewer is None else old[viewer],
        others=bytes(sorted(others)),
        counts=bytes(map(len, old)),
        since=since,
    )
