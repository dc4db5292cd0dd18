"""What one believes of the others' hands: what they did tells it, and nothing that one may not know."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from statistics import fmean

import pytest

from kk_core.chance import Chance
from kk_core.games.web_of_power.ai import greedy
from kk_core.games.web_of_power.ai.beliefs import HANDS, Beliefs
from kk_core.games.web_of_power.ai.policy import Position, plain_values, tables_of
from kk_core.games.web_of_power.ai.strategy import Strategy
from kk_core.games.web_of_power.model import (
    CARD_COUNTRIES,
    CARDS,
    DRAW_FACE_UP,
    DRAW_PILE,
    DRAWING,
    EXCHANGE,
    FREE,
    NO_CARD,
    Observation,
)
from kk_core.games.web_of_power.state import State
from kk_core.types import Move, Seat
from tests.core.web_of_power.positions import GAME, LAND, MOVES, SEED, position

VIEWER: Seat = 0
SURE = 1.0
every_number = pytest.mark.parametrize("seats", [3, 4, 5])


def beliefs(seats: int, weights: tuple[float, ...] = ()) -> Beliefs:
    return Beliefs(MOVES, tables_of(LAND, seats), weights)


def plain_match(seats: int, number: int) -> Iterator[tuple[State, Seat, Move]]:
    """Every position of a match between greedy players, and what is done there."""
    chance = Chance(bytes([number]) * 32)
    state = GAME.setup({}, seats, bytes([number]) * 32)
    while not state.is_over:
        seat = state.seat
        move = greedy.choose(GAME.observe(state, seat), chance)
        yield state, seat, move
        state = GAME.apply(state, seat, move)


def watched(seats: int, number: int) -> Iterator[tuple[State, Observation, Seat, Move, Beliefs]]:
    """The same, with what one of them believes after each move of somebody else, and the state after it."""
    believed, chance = beliefs(seats), Chance(SEED)
    for state, seat, move in plain_match(seats, number):
        if seat != VIEWER:
            seen = GAME.observe(state, VIEWER)
            believed.learn(seen, seat, move, SURE, chance)
            yield GAME.apply(state, seat, move), seen, seat, move, believed


def share(believed: Beliefs, state: State, seat: Seat, kind: int, least: int) -> float:
    """How likely a seat is believed to hold so many cards of a kind, at least."""
    of = believed.of(GAME.observe(state, VIEWER), seat)
    return sum(weight for hand, weight in of.items() if hand.count(kind) >= least)


@every_number
def test_the_greedy_bot_does_what_looks_best_to_a_plain_player(seats: int) -> None:
    choices = 0
    for number in range(3):
        for state, _, move in plain_match(seats, number):
            if len(state.legal) > 1:
                looks = plain_values(Position(state, MOVES, tables_of(LAND, seats)), state.legal)
                assert looks[state.legal.index(move)] == pytest.approx(max(looks))
                choices += 1
    assert choices > 200


def test_the_greedy_bot_exchanges_a_card_that_looks_best_to_a_plain_player() -> None:
    state = position(hand="FK FK BY", cloisters_left=bytes(4), advisors_left=bytes(4))
    move = greedy.choose(GAME.observe(state, 0), Chance(SEED))
    looks = plain_values(Position(state, MOVES, tables_of(LAND, 4)), state.legal)
    assert looks == [-2.0, -1.5]
    assert move == state.legal[1]


@every_number
def test_who_takes_an_open_card_is_believed_to_have_had_one_like_it(seats: int) -> None:
    pairs = [
        share(believed, state, seat, move - DRAW_FACE_UP, 2)
        for state, seen, seat, move, believed in watched(seats, 1)
        if DRAW_FACE_UP <= move < DRAW_FACE_UP + len(CARDS) and seen.pile
    ]
    assert len(pairs) > 5
    assert min(pairs) > 0.5
    assert fmean(pairs) > 0.9


@every_number
def test_who_leaves_an_open_card_for_the_pile_is_believed_to_have_none_like_it(seats: int) -> None:
    found = []
    for state, seat, move in plain_match(seats, 2):
        seen = GAME.observe(state, VIEWER)
        if seat == VIEWER or move != DRAW_PILE or seen.phase != DRAWING:
            continue
        for kind in set(seen.face_up) - {NO_CARD}:
            spaces = [space for country in CARD_COUNTRIES[kind] for space in LAND.spaces_of[country]]
            if any(seen.board[space] == FREE for space in spaces):
                believed = beliefs(seats)
                before = share(believed, state, seat, kind, 1)
                believed.learn(seen, seat, move, SURE, Chance(SEED))
                known = GAME.apply(state, seat, move)
                found.append((before, share(believed, known, seat, kind, 2)))
    assert len(found) > 10
    # what came from the pile may be its like, about each fifth time: two of them would have needed one before
    assert fmean(after for _, after in found) < fmean(before for before, _ in found) / 10


@every_number
def test_true_hands_of_plain_players_are_believed_likelier_than_the_cards_alone_make_them(seats: int) -> None:
    gains = []
    for number in range(3):
        for state, _, seat, _, believed in watched(seats, number):
            if not state.is_over:
                seen = GAME.observe(state, VIEWER)
                true = state.hands[seat]
                now, alone = believed.of(seen, seat).get(true, 1e-4), beliefs(seats).of(seen, seat)[true]
                gains.append(log(now) - log(alone))
    assert fmean(gains) > 0.5


@every_number
def test_hands_are_laid_as_they_look_to_the_viewer_and_all_cards_are_there(seats: int) -> None:
    chance = Chance(SEED)
    for number, (state, _, _, _, believed) in enumerate(watched(seats, 3)):
        if number % 5 or state.is_over:
            continue
        seen = GAME.observe(state, VIEWER)
        hands, pile = believed.dealer(seen).lay(chance)
        assert hands[VIEWER] == seen.hand
        assert bytes(map(len, hands)) == seen.hand_sizes
        assert len(pile) == seen.pile
        for hand, shown in zip(hands, seen.shown, strict=True):
            assert hand == bytes(sorted(hand))
            assert all(hand.count(kind) >= shown.count(kind) for kind in shown)
        lying = b"".join(hands) + pile + seen.face_up
        counts = [lying.count(kind) + seen.discards[kind] for kind in range(len(CARDS))]
        assert counts == list(LAND.deck_for(seats))


@every_number
def test_where_nothing_is_believed_hands_are_laid_as_often_as_the_cards_allow(seats: int) -> None:
    state = next(state for state, _, _, _, _ in watched(seats, 4) if state.turn == 3 * seats)
    seen, chance, times, nothing = GAME.observe(state, VIEWER), Chance(SEED), 4000, beliefs(seats)
    dealer = nothing.dealer(seen)
    laid = [dealer.lay(chance)[0] for _ in range(times)]
    for seat in range(1, seats):
        for hand, weight in nothing.of(seen, seat).items():
            assert abs(sum(hands[seat] == hand for hands in laid) / times - weight) < 0.03


def test_a_hand_that_is_believed_for_sure_is_always_laid() -> None:
    state = next(state for state, _, _, _, _ in watched(4, 4) if state.turn == 12)
    seen, weights = GAME.observe(state, VIEWER), [0.0] * (4 * len(HANDS))
    for seat in (1, 2, 3):
        weights[seat * len(HANDS) + HANDS.index(state.hands[seat])] = 1.0
    for number in range(20):
        hands, _ = beliefs(4, tuple(weights)).dealer(seen).lay(Chance(bytes([number]) * 32))
        assert hands == state.hands


def test_what_is_believed_can_be_noted_in_numbers() -> None:
    state, believed = next(
        (state, believed) for state, _, _, _, believed in watched(4, 5) if state.turn == 12
    )
    numbers, seen = believed.weights(), GAME.observe(state, VIEWER)
    assert len(numbers) == 4 * len(HANDS)
    again = beliefs(4, numbers)
    assert again.weights() == numbers
    assert [again.of(seen, seat) for seat in (1, 2, 3)] == [believed.of(seen, seat) for seat in (1, 2, 3)]


def test_who_does_what_no_believed_hand_allows_may_hold_all_that_is_not_seen() -> None:
    state = GAME.setup({}, 3, SEED)
    state = GAME.apply(state, 0, state.legal[0])  # an exchange
    while state.seat == 0:
        state = GAME.apply(state, 0, state.legal[0])
    kind, other = state.hands[1][0], next(k for k in range(len(CARDS)) if k not in state.hands[1])
    weights = [0.0] * (3 * len(HANDS))
    weights[len(HANDS) + HANDS.index(bytes([other] * 3))] = 1.0
    believed, seen = beliefs(3, tuple(weights)), GAME.observe(state, VIEWER)
    assert believed.of(seen, 1) == {bytes([other] * 3): 1.0}
    assert believed.learn(seen, 1, EXCHANGE + kind, SURE, Chance(SEED)) == 0.0
    assert believed.of(seen, 1) == beliefs(3).of(seen, 1)


def test_who_knows_what_the_others_did_plays_in_worlds_that_agree_with_it() -> None:
    state, believed = next(
        (state, believed) for state, _, _, _, believed in watched(4, 6) if state.turn == 16
    )
    seen, chance = GAME.observe(state, VIEWER), Chance(SEED)
    strategy = Strategy(GAME, seen, (0.0, 1.0, 1.0, 1.0, *believed.weights()))
    for _ in range(50):
        hands = strategy.world(chance).hands
        assert all(hands[seat] in believed.of(seen, seat) for seat in (1, 2, 3))
