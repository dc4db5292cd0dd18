"""From a state to what a viewer may know, and back to a state that is possible for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from kk_core.chance import SEED_BYTES, Chance
from kk_core.games.ku_ka_king import scoring
from kk_core.games.ku_ka_king.model import CARDS, LINES, MAX_ROWS, NO_CALL, Observation, Printed
from kk_core.games.ku_ka_king.state import SEATS_OF, State, open_rows
from kk_core.types import Outcome, Seat, Viewer

Score = Callable[[tuple[bytes, ...]], scoring.Lines]
"""The lines of one scoring for the collections of all seats."""

# the rows in every set of rows (bit 1 << row)
_ROWS_OF: Final = tuple(
    bytes(row for row in range(1, MAX_ROWS + 1) if rows >> row & 1) for rows in range(2 << MAX_ROWS)
)


def sheet(score: Score, state: State) -> scoring.Lines:
    """Return the first scoring and the final one; current collections count for the next one."""
    lines = score(state.collections)
    return state.first + lines if state.first else lines + scoring.NOTHING[len(state.collections)]


def outcome(score: Score, state: State) -> Outcome | None:
    """Return who has won; None until the match is over."""
    return None if state.affected else scoring.outcome(sheet(score, state))


def observe(printed: Printed, score: Score, state: State, viewer: Viewer) -> Observation:
    """Return everything but the pile, what went into the box unseen, and the calls of others (ruling 1)."""
    # positional arguments: keywords take several times as long, and bots observe before every decision; for
    # the same reason `legal_moves` is inlined
    lines, active = sheet(score, state), SEATS_OF[state.waiting]
    return Observation(
        printed,
        viewer,
        active,
        state.open_rows if viewer in active else (),
        lines,
        None if state.affected else scoring.outcome(lines),
        state.rows,
        _ROWS_OF[state.taken],
        len(state.pile),
        len(state.box),
        state.box[state.unseen :],
        state.round,
        state.turn,
        bool(state.first),
        state.last_round,
        state.collections,
        SEATS_OF[state.affected],
        SEATS_OF[state.affected & ~state.waiting],
        NO_CALL if viewer is None else state.calls[viewer],
    )


def determinise(observation: Observation, chance: Chance) -> State:
    """Draw a state that its viewer cannot tell from the true one, each equally likely.

    Cards they have never seen are dealt to the pile and the box; others' calls are drawn from the rows that
    may be called. The seed is new, so that the box will be shuffled differently.
    """
    unseen = _unseen(observation)
    chance.shuffle(unseen)
    rows = open_rows(observation.rows)
    calls = bytearray(len(observation.collections))
    for seat in observation.called:
        is_own = seat == observation.viewer
        calls[seat] = observation.own_call if is_own else rows[chance.below(len(rows))]
    return _state(observation, unseen, calls, bytes(chance.below(256) for _ in range(SEED_BYTES)))


def as_seen(observation: Observation) -> State:
    """Return a state that has what an observation shows, and in which nothing is drawn.

    Cards that its viewer has never seen are in the order of types; calls that are not revealed are missing.
    """
    return _state(observation, _unseen(observation), bytes(len(observation.collections)), bytes(SEED_BYTES))


def _state(observation: Observation, unseen: Sequence[int], calls: Sequence[int], seed: bytes) -> State:
    return State(
        rows=observation.rows,
        pile=bytes(unseen[: observation.pile]),
        box=bytes(unseen[observation.pile :]) + observation.box_seen,
        unseen=len(unseen) - observation.pile,
        collections=observation.collections,
        affected=_set(observation.affected),
        waiting=_set(observation.active),
        calls=bytes(calls),
        open_rows=open_rows(observation.rows) if observation.affected else (),
        taken=_set(observation.taken),
        round=observation.round,
        turn=observation.turn,
        first=observation.sheet[: len(LINES)] if observation.second_pass else (),
        last_round=observation.last_round,
        seed=seed,
        position=0,
    )


def _unseen(observation: Observation) -> list[int]:
    # in the order of types: the input of the shuffle must not depend on where cards really are
    seen = b"".join(observation.rows) + observation.box_seen
    collected = map(sum, zip(*observation.collections, strict=True))
    return [
        card
        for card, count, held in zip(range(len(CARDS)), observation.printed.counts, collected, strict=True)
        for _ in range(count - held - seen.count(card))
    ]


def _set(members: Sequence[Seat]) -> int:
    return sum(1 << member for member in members)
