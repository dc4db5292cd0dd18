"""From an observation back to a state: one that its viewer cannot tell from the true one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from msgspec.structs import replace

from kk_core.chance import SEED_BYTES, Chance
from kk_core.games.web_of_power.model import CLOISTER_OF, COUNTRIES, FREE, Observation
from kk_core.games.web_of_power.moves import Moves, room_in
from kk_core.games.web_of_power.possible_hands import Holder, PossibleHands
from kk_core.games.web_of_power.setup import unshuffled
from kk_core.games.web_of_power.state import Deal, State
from kk_core.types import Seat

_possible_hands = lru_cache(maxsize=256)(PossibleHands)


def determinise(moves: Moves, seen: Observation, chance: Chance) -> State:
    """A state drawn from those that the viewer could believe in; what led there (its events) is left out.

    Every way in which the cards that he cannot see may lie is equally likely. Raises `ValueError` for what
    nobody can have seen.
    """
    seats = len(seen.hand_sizes)
    cloisters = _cloisters(seen)
    room = (room_in(country, cloisters, seen.advisors, seats) > 0 for country in range(len(COUNTRIES)))
    hands, old, pile = _lay_cards(seen, chance)
    state = State(
        deal=Deal(seats, seen.end_of_round, _seed(chance)),
        turn=seen.turn,
        phase=seen.phase,
        begun=seen.begun,
        begun_empty=seen.begun_empty,
        placed=seen.placed,
        board=seen.board,
        cloisters=cloisters,
        advisors=seen.advisors,
        cloisters_left=seen.cloisters_left,
        advisors_left=seen.advisors_left,
        room=sum(has_room << country for country, has_room in enumerate(room)),
        hands=hands,
        pile=pile,
        face_up=seen.face_up,
        discards=seen.discards,
        position=0,
        pile_runs=seen.pile_runs,
        interim=b"".join(map(bytes, seen.sheet[: len(COUNTRIES)])) if seen.interim_scored else b"",
        shown=seen.shown,
        old=old,
        since=seen.old.since if seen.old else (),
        legal=(),
    )
    return replace(state, legal=moves.legal(state))


def _seed(chance: Chance) -> bytes:
    return b"".join(chance.word().to_bytes(4, "big") for _ in range(SEED_BYTES // 4))


def _cloisters(seen: Observation) -> bytes:
    """The cloisters in the countries, counted on the board."""
    seats = len(seen.hand_sizes)
    counts = bytearray(len(COUNTRIES) * seats)
    for country, owner in zip(seen.printed.country_of, seen.board, strict=True):
        if owner != FREE:
            counts[country * seats + owner - CLOISTER_OF] += 1
    return bytes(counts)


def _lay_cards(seen: Observation, chance: Chance) -> tuple[tuple[bytes, ...], tuple[bytes, ...], bytes]:
    """Hands, old cards and draw pile: the unseen cards laid where the viewer cannot look."""
    seats = range(len(seen.hand_sizes))
    sizes = {seat: seen.hand_sizes[seat] - len(seen.shown[seat]) for seat in seats if seat != seen.viewer}
    hidden, old, left = _lay_old_cards(seen, sizes, chance)
    chance.shuffle(left)
    for seat, size in sizes.items():
        if seat not in hidden:
            hidden[seat] = bytes(left[:size])
            del left[:size]
    if len(left) != seen.pile:
        raise ValueError("the cards do not add up to the deck")
    hands = tuple(
        bytes(sorted(hidden[seat] + seen.shown[seat])) if seat in hidden else seen.hand for seat in seats
    )
    return hands, old, bytes(left)


def _lay_old_cards(
    seen: Observation, sizes: Mapping[Seat, int], chance: Chance
) -> tuple[dict[Seat, bytes], tuple[bytes, ...], list[int]]:
    """The hidden cards of those others who may have old ones, everybody's old cards, and what is left."""
    not_seen = bytes(unshuffled(seen.unseen))
    if seen.old is None:
        return {}, (), list(not_seen)
    known = seen.old
    seats = [seat for seat in sizes if known.counts[seat]]
    holders = tuple(Holder(sizes[seat], known.counts[seat], known.since[seat]) for seat in seats)
    hands, olds, left = _possible_hands(not_seen, known.others, holders).draw(chance)
    old = dict(zip(seats, olds, strict=True))
    if seen.viewer is not None:
        old[seen.viewer] = known.own
    everybodys = tuple(old.get(seat, b"") for seat in range(len(known.counts)))
    return dict(zip(seats, hands, strict=True)), everybodys, left
