"""What a viewer may know of a match of Ku-Ka-King."""

from __future__ import annotations

from msgspec.structs import replace

from kk_core.chance import SEED_BYTES, Chance
from kk_core.games.ku_ka_king import scoring
from kk_core.games.ku_ka_king.model import MAX_ROWS, NO_CALL, Observation, Printed
from kk_core.games.ku_ka_king.moves import legal_moves
from kk_core.games.ku_ka_king.state import SEATS_OF, State
from kk_core.types import Outcome, Viewer


def sheet(deck: Printed, state: State) -> scoring.Lines:
    """The first scoring, zero until it was held, and the final one of the present collections."""
    first = state.first or scoring.nothing(len(state.collections))
    return (*first, *scoring.score(state.collections, deck.scale))


def outcome(deck: Printed, state: State) -> Outcome | None:
    """Who has won; None while the match goes on."""
    return None if state.affected else scoring.outcome(sheet(deck, state))


def observe(deck: Printed, state: State, viewer: Viewer) -> Observation:
    """Everything but the pile, the box and the calls of others."""
    lines = sheet(deck, state)
    return Observation(
        printed=deck,
        viewer=viewer,
        active=SEATS_OF[state.waiting],
        legal_moves=() if viewer is None else legal_moves(state, viewer),
        sheet=lines,
        outcome=None if state.affected else scoring.outcome(lines),
        rows=state.rows,
        taken=bytes(row for row in range(1, MAX_ROWS + 1) if state.taken >> row & 1),
        pile=len(state.pile),
        box=len(state.box),
        round=state.round,
        second_pass=bool(state.first),
        last_round=state.last_round,
        collections=state.collections,
        affected=SEATS_OF[state.affected],
        called=SEATS_OF[state.affected & ~state.waiting],
        own_call=NO_CALL if viewer is None else state.calls[viewer],
    )


def exchange_secrets(state: State, viewer: Viewer, chance: Chance) -> State:
    """Another state that looks the same: unseen cards, calls of others and the seed are drawn anew.

    Unseen are the pile and the cards put into the box unseen; once the pile is empty, everybody can tell
    what the box holds, and its order decides nothing any more.
    """
    box, pile = state.box, state.pile
    if not state.last_round:
        unseen = list(pile + box[: state.unseen])
        chance.shuffle(unseen)
        pile = bytes(unseen[: len(pile)])
        box = bytes(unseen[len(pile) :]) + box[state.unseen :]
    calls = bytearray(state.calls)
    for seat in SEATS_OF[state.affected & ~state.waiting]:
        if seat != viewer:
            calls[seat] = state.open_rows[chance.below(len(state.open_rows))]
    seed = bytes(chance.below(256) for _ in range(SEED_BYTES))
    return replace(state, pile=pile, box=box, calls=bytes(calls), seed=seed)
