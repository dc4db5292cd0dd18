"""From a state to what a viewer may know, and back to a state that is possible for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import combinations
from math import comb, factorial
from typing import Final, NamedTuple, TypeAlias, TypeVar

from msgspec.structs import replace

from kk_core.chance import SEED_BYTES, Chance
from kk_core.games.web_of_power import scoring
from kk_core.games.web_of_power.chains import chains_of
from kk_core.games.web_of_power.model import (
    CARDS,
    CLOISTER_OF,
    COUNTRIES,
    DREW,
    FREE,
    OVER,
    Observation,
    OldCards,
    Printed,
)
from kk_core.games.web_of_power.rules import Moves, room_in, unshuffled
from kk_core.games.web_of_power.scoring import Rows
from kk_core.games.web_of_power.state import ALONE, NOBODY, Deal, Draft, State
from kk_core.types import Outcome, Seat, Viewer

FinalRows = Callable[[bytes, bytes, bytes], Rows]
"""A function from board, cloisters and advisors to the lines of the final scoring."""


# -- points --------------------------------------------------------------------------------------------------


def final_sheet(final_rows: FinalRows, state: State | Draft) -> Rows:
    """Return all lines as if the match ended here."""
    interim = scoring.interim_rows(state.interim, state.deal.seats)
    return interim + final_rows(state.board, state.cloisters, state.advisors)


def outcome(final_rows: FinalRows, state: State) -> Outcome | None:
    """Return who has won; None until the match is over."""
    if state.phase != OVER:
        return None
    left = tuple(map(sum, zip(state.cloisters_left, state.advisors_left, strict=True)))
    return scoring.outcome(final_sheet(final_rows, state), left)


# -- what a viewer may know ----------------------------------------------------------------------------------


def observe(land: Printed, final_rows: FinalRows, state: State, viewer: Viewer) -> Observation:
    """Return what a viewer may know: hands are secret, everything ever played or open is public."""
    deal, hands = state.deal, state.hands
    if state.phase == OVER:
        active, sheet = NOBODY, final_sheet(final_rows, state)
        chains = tuple(chains_of(land, state.board, seat) for seat in range(deal.seats))
    else:
        active, sheet = ALONE[state.turn % deal.seats], scoring.rows_so_far(state.interim, deal.seats)
        chains = ()
    # positional arguments: keywords take several times as long, and bots observe before every decision
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
    """Return what a viewer could have noted when the draw pile ran out."""
    others = b"".join(hand for seat, hand in enumerate(old) if seat != viewer)
    return OldCards(
        own=b"" if viewer is None else old[viewer],
        others=bytes(sorted(others)),
        counts=bytes(map(len, old)),
        since=since,
    )


# -- hands that others may hold ------------------------------------------------------------------------------


K = TypeVar("K")

Cards: TypeAlias = int
"""A multiset of cards as a sum of _ONE: a byte for the number of each kind, so that multisets add quickly."""

Ways: TypeAlias = dict[Cards, int]
"""The number of ways for each multiset of cards."""

_ONE: Final[tuple[Cards, ...]] = tuple(1 << 8 * kind for kind in range(len(CARDS)))
# the top bit of every byte, which is cleared when a subtraction takes too many of that kind
_SIGNS: Final = 0x80 * sum(_ONE)


class CardHolder(NamedTuple):
    """A seat with old cards: its number of hidden cards, of old ones at first, and what has happened since.

    `since` is coded as in `OldCards`.
    """

    hidden: int
    old: int
    since: bytes


class PossibleHands:
    """The possible hidden cards of some holders, given all unseen cards and all of their old cards.

    Draws by rejection sampling, so that every arrangement of cards is equally likely.
    """

    def __init__(self, unseen: bytes, old: bytes, holders: tuple[CardHolder, ...]) -> None:
        self._unseen = unseen
        self._old = _sum_of(old)
        self._holders = holders
        self._played = tuple(played_old(holder.since, holder.old, self._old) for holder in holders)
        self._ways_played = self._in_all(self._places_of(seat) for seat in range(len(holders)))
        self._weights = {
            cards: n * self._ways_to_lie(self._old - cards) for cards, n in self._ways_played[0].items()
        }
        proposals = sum(self._weights.values())
        if not proposals:
            raise ValueError("no cards fit what was seen")
        # both ways of proposing are rejected until one fits; the one with fewer proposals is faster
        self._explained_first = proposals < factorial(len(unseen))
        self._explanations: tuple[dict[bytes, Ways], ...] = tuple({} for _ in holders)

    def draw(self, chance: Chance) -> tuple[list[bytes], list[bytes], list[int]]:
        """Draw the hidden cards of every holder; returns them, the holders' old cards, and the cards left."""
        while True:
            hands, left = self._explained(chance) if self._explained_first else self._shuffled(chance)
            ways = self._in_all(self._explain(seat, hand) for seat, hand in enumerate(hands))
            explanations = ways[0].get(self._old, 0)
            # hands with several explanations are proposed once for each, so accept only one of them
            if explanations and not (self._explained_first and _below(chance, explanations)):
                return hands, self._old_of(chance, hands, ways), left

    def _in_all(self, ways: Iterable[Ways]) -> list[Ways]:
        # for every holder, the sums of its ways and those of all after it; the last entry is for nobody
        found: list[Ways] = [{0: 1}]
        limit = self._old | _SIGNS
        for own in reversed(list(ways)):
            sums: Ways = {}
            for cards, n in own.items():
                for others, m in found[-1].items():
                    if (limit - cards - others) & _SIGNS == _SIGNS:  # not more of any kind than exist
                        sums[cards + others] = sums.get(cards + others, 0) + n * m
            found.append(sums)
        return found[::-1]

    # -- proposing

    def _shuffled(self, chance: Chance) -> tuple[list[bytes], list[int]]:
        left = list(self._unseen)
        return [bytes(sorted(_take(chance, left, holder.hidden))) for holder in self._holders], left

    def _explained(self, chance: Chance) -> tuple[list[bytes], list[int]]:
        played = _pick(chance, self._weights)
        old, left = _list_of(self._old - played), list(self._unseen)
        for kind in old:
            left.remove(kind)
        hands = []
        for seat, holder in enumerate(self._holders):
            own = _pick(chance, _shares(self._places_of(seat), self._ways_played[seat + 1], played))
            played -= own
            kept = _take(chance, old, holder.old - len(_list_of(own)))
            hands.append(bytes(sorted(kept + _take(chance, left, holder.hidden - len(kept)))))
        return hands, left

    def _places_of(self, seat: int) -> Ways:
        # by the old cards that a holder has played: the number of places in its hand for the others
        hidden, old, _ = self._holders[seat]
        return {cards: comb(hidden, old - n) for cards, n in self._played[seat] if old - n <= hidden}

    def _ways_to_lie(self, old: Cards) -> int:
        # the number of arrangements of all unseen cards, given the places of these old ones
        size = len(_list_of(old))
        ways = factorial(size) * factorial(len(self._unseen) - size)
        for kind in range(len(CARDS)):
            ways *= comb(self._unseen.count(kind), old >> 8 * kind & 0xFF)
        return ways

    # -- explaining

    def _explain(self, seat: int, hand: bytes) -> Ways:
        # by the old cards that a holder may have had: the number of ways in which they explain its hand
        known = self._explanations[seat]
        if hand not in known:
            found: Ways = {}
            for played, n in self._played[seat]:
                for kept in combinations(hand, self._holders[seat].old - n):
                    cards = played + _sum_of(kept)
                    found[cards] = found.get(cards, 0) + 1
            known[hand] = found
        return known[hand]

    def _old_of(self, chance: Chance, hands: list[bytes], ways: list[Ways]) -> list[bytes]:
        # draws one of the explanations
        left, found = self._old, []
        for seat, hand in enumerate(hands):
            own = _pick(chance, _shares(self._explain(seat, hand), ways[seat + 1], left))
            left -= own
            found.append(bytes(_list_of(own)))
        return found


@lru_cache(maxsize=4096)
def played_old(since: bytes, old: int, among: Cards) -> tuple[tuple[Cards, int], ...]:
    """Return the multisets of old cards that a holder may have played, each with its number of cards.

    The holder had `old` old cards, a part of `among`. Every card that it played was an old one, or one that
    it had drawn before.
    """
    found = {(0, 0)}
    drawn = played = 0
    limit = among | _SIGNS
    for step in since:
        if step == DREW:
            drawn += 1
            continue
        played += 1
        card = _ONE[step]
        # a card that was not old must have been drawn before it was played
        was_new = {(cards, n) for cards, n in found if played - n <= drawn}
        found = was_new | {
            (cards + card, n + 1)
            for cards, n in found
            if n < old and (limit - cards - card) & _SIGNS == _SIGNS
        }
    return tuple(sorted(found))


def _shares(own: Ways, others: Ways, cards: Cards) -> Ways:
    # by the holder's part of the cards: the number of ways in which it and those after it share them
    return {part: n * others.get(cards - part, 0) for part, n in own.items()}


def _sum_of(kinds: Iterable[int]) -> Cards:
    return sum([_ONE[kind] for kind in kinds])


def _list_of(cards: Cards) -> list[int]:
    return [kind for kind in range(len(CARDS)) for _ in range(cards >> 8 * kind & 0xFF)]


def _take(chance: Chance, cards: list[int], n: int) -> list[int]:
    """Remove `n` random cards from a list and return them."""
    taken = []
    for _ in range(n):
        place = chance.below(len(cards))
        cards[place], cards[-1] = cards[-1], cards[place]
        taken.append(cards.pop())
    return taken


def _pick(chance: Chance, weights: Mapping[K, int]) -> K:
    left = _below(chance, sum(weights.values()))
    for choice, weight in weights.items():
        if left < weight:
            return choice
        left -= weight
    raise AssertionError("the number is below the sum of the weights")


def _below(chance: Chance, k: int) -> int:
    # `Chance.below` for k above 2**32, which numbers of ways exceed
    words = (k.bit_length() + 31) // 32
    end = 1 << 32 * words
    while True:
        number = 0
        for _ in range(words):
            number = number << 32 | chance.word()
        # as in `Chance.below`: numbers from the last multiple of k up would favour low ones
        if number < end - end % k:
            return number % k


_possible_hands = lru_cache(maxsize=256)(PossibleHands)


# -- the way back --------------------------------------------------------------------------------------------


def determinise(moves: Moves, seen: Observation, chance: Chance) -> State:
    """Draw a state that is possible for the viewer, without events.

    Every arrangement of the cards that they cannot see is equally likely. Raises `ValueError` for an
    observation that no state has.
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
    # counted from the board, since the observation has no counts
    seats = len(seen.hand_sizes)
    counts = bytearray(len(COUNTRIES) * seats)
    for country, owner in zip(seen.printed.country_of, seen.board, strict=True):
        if owner != FREE:
            counts[country * seats + owner - CLOISTER_OF] += 1
    return bytes(counts)


def _lay_cards(seen: Observation, chance: Chance) -> tuple[tuple[bytes, ...], tuple[bytes, ...], bytes]:
    # returns hands, old cards and draw pile
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
    # returns the hidden cards of others who may have old ones, everybody's old cards, and the cards left
    not_seen = bytes(unshuffled(seen.unseen))
    if seen.old is None:
        return {}, (), list(not_seen)
    known = seen.old
    seats = [seat for seat in sizes if known.counts[seat]]
    holders = tuple(CardHolder(sizes[seat], known.counts[seat], known.since[seat]) for seat in seats)
    hands, olds, left = _possible_hands(not_seen, known.others, holders).draw(chance)
    old = dict(zip(seats, olds, strict=True))
    if seen.viewer is not None:
        old[seen.viewer] = known.own
    everybodys = tuple(old.get(seat, b"") for seat in range(len(known.counts)))
    return dict(zip(seats, hands, strict=True)), everybodys, left
