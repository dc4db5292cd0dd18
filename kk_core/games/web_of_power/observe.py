"""From the full truth to what one viewer may know, and back to any truth that he could believe in."""

from __future__ import annotations

from msgspec.structs import replace

from kk_core.chance import SEED_BYTES, Chance
from kk_core.games.web_of_power.model import Observation, Printed
from kk_core.games.web_of_power.moves import Moves
from kk_core.games.web_of_power.scoring import chains_of, empty_final_rows, final_rows, interim_rows
from kk_core.games.web_of_power.state import State
from kk_core.types import Outcome, Viewer


def observe(land: Printed, state: State, viewer: Viewer, outcome: Outcome | None) -> Observation:
    """What a viewer may know: hands are secret, everything that was ever played or laid open is not."""
    seats = state.deal.seats
    over = state.is_over
    final = (
        final_rows(land, state.board, state.cloisters, state.advisors) if over else empty_final_rows(seats)
    )
    return Observation(
        printed=land,
        viewer=viewer,
        active=() if over else (state.seat,),
        legal_moves=state.legal if viewer == state.seat else (),
        sheet=(*interim_rows(state.interim, seats), *final),
        outcome=outcome,
        board=state.board,
        advisors=state.advisors,
        cloisters_left=state.cloisters_left,
        advisors_left=state.advisors_left,
        hand=b"" if viewer is None else state.hands[viewer],
        hand_sizes=bytes(map(len, state.hands)),
        pile=len(state.pile),
        face_up=state.face_up,
        discards=state.discards,
        round=state.turn // seats + 1,
        phase=state.phase,
        begun=state.begun,
        placed=state.placed,
        pile_runs=state.pile_runs,
        interim_scored=bool(state.interim),
        chains=tuple(chains_of(land, state.board, seat) for seat in range(seats)) if over else (),
    )


def exchange_secrets(moves: Moves, state: State, viewer: Viewer, chance: Chance) -> State:
    """Deal the draw pile and the hands that the viewer cannot see anew, and let chance go another way.

    The cards taken out before the deal are no secret: they are so many of each kind.
    """
    others = [seat for seat in range(state.deal.seats) if seat != viewer]
    cards = [kind for seat in others for kind in state.hands[seat]] + list(state.pile)
    chance.shuffle(cards)
    hands = list(state.hands)
    for seat in others:
        size = len(hands[seat])
        hands[seat] = bytes(sorted(cards[:size]))
        del cards[:size]
    seed = b"".join(chance.word().to_bytes(4, "big") for _ in range(SEED_BYTES // 4))
    changed = replace(state, deal=replace(state.deal, seed=seed), hands=tuple(hands), pile=bytes(cards))
    return replace(changed, legal=moves.legal(changed))
