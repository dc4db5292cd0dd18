"""What holds in every position that play can reach, and the setup that leads there."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kk_core.chance import Chance
from kk_core.errors import IllegalMove, InvalidOptions
from kk_core.games.land_cards.layout import STONES, row_ends, stones_of
from kk_core.games.land_cards.model import MOVES_END, OVER, STONE, TAKEN, TAKING, played_laws
from kk_core.games.land_cards.rules import settle
from kk_core.games.land_cards.state import State
from kk_core.match import Match
from kk_core.record import export, format_record, parse_record, record_of, replay
from kk_core.search.bots import bot
from kk_core.search.search import Budget
from kk_core.types import totals
from tests.core.land_cards.positions import RULES, play_at_random

TAKE_OPTIONS = ("one_by_one", "exposed_at_start")

seeds = st.binary(min_size=32, max_size=32)
seat_counts = st.integers(3, 5)
take_options = st.sampled_from(TAKE_OPTIONS)


def is_accepted(state: State, move: int) -> bool:
    try:
        RULES.apply(state, state.seat, move)
    except IllegalMove:
        return False
    return True


@settings(max_examples=40, deadline=None)
@given(take_options, seat_counts, seeds, st.integers(0, 150))
def test_exactly_the_legal_moves_are_accepted_and_all_others_have_a_reason(
    take: str, seats: int, seed: bytes, plies: int
) -> None:
    state = play_at_random(take, seats, seed, plies)[-1]
    legal = RULES.legal_moves(state, state.seat)
    assert list(legal) == sorted(set(legal))
    for move in range(-1, MOVES_END + 1):
        assert (RULES.why_not(state, state.seat, move) is None) == (move in legal)
    for move in (*legal, *range(plies % 16, MOVES_END, 16)):
        assert is_accepted(state, move) == (move in legal)


@settings(max_examples=40, deadline=None)
@given(take_options, seat_counts, seeds)
def test_every_match_ends_with_all_cards_taken_and_no_stone_lost_on_the_way(
    take: str, seats: int, seed: bytes
) -> None:
    states = play_at_random(take, seats, seed)
    for state in states:
        for seat in range(seats):
            on_cards = stones_of(state.board, seat)
            assert len(on_cards) <= (3 if seats == 3 else 2)
            assert len(on_cards) + state.supply[seat] + state.gone[seat] == STONES
        assert len(played_laws(state.law_log)) + sum(map(len, state.hands)) == sum(
            1 for law, lying in zip(state.deal.laws, state.board, strict=True) if law and lying >= TAKEN
        )
    assert states[-1].phase == OVER
    assert min(states[-1].board) >= TAKEN


@settings(max_examples=25, deadline=None)
@given(take_options, seat_counts, seeds)
def test_what_a_position_remembers_follows_from_the_rest(take: str, seats: int, seed: bytes) -> None:
    states = play_at_random(take, seats, seed)
    assert [settle(state, state.events) for state in states] == states
    current = [s for s in states if take == "one_by_one" or (s.phase == TAKING and not s.taken)]
    assert [state.ends for state in current] == [row_ends(state.board) for state in current]
    assert current


# -- setup ---------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_layout_and_another_seed_another() -> None:
    first, same, other = (RULES.setup({}, 3, bytes((n,)) * 32) for n in (1, 1, 2))
    assert first == same
    assert first.deal.faces != other.deal.faces
    assert len({RULES.setup({}, 3, bytes((n,)) * 32).deal.laws for n in range(5)}) > 1


def test_all_cards_are_laid_out_with_the_laws_on_their_cells_and_three_stones_each() -> None:
    state = RULES.setup({}, 5, bytes(32))
    assert not any(state.board)
    assert Counter(state.deal.faces) == Counter(RULES.setup({}, 3, b"\1" * 32).deal.faces)
    assert [cell for cell, law in enumerate(state.deal.laws) if law] == [1, 12, 16, 25, 31, 38, 46, 51]
    assert state.supply == bytes((3, 3, 3, 3, 3))
    assert STONE + 4 < TAKEN


@pytest.mark.parametrize(
    ("options", "seats", "reason"),
    [
        ({}, 2, "is for 3 to 5 players, not 2"),
        ({}, 6, "is for 3 to 5 players, not 6"),
        ({"take": "all"}, 3, "Option take cannot be 'all'; valid values: one_by_one, exposed_at_start."),
    ],
)
def test_unknown_options_and_seat_counts_are_refused(
    options: dict[str, str], seats: int, reason: str
) -> None:
    with pytest.raises(InvalidOptions, match=reason):
        RULES.setup(options, seats, bytes(32))


# -- records and bots ----------------------------------------------------------------------------------------


def play_match(names: tuple[str, ...], seed: bytes) -> Match:
    match = Match(RULES, {"take": "one_by_one"}, tuple(f"bot:{name}" for name in names), seed)
    players = [bot(name, RULES) for name in names]
    chance = Chance(seed, position=1000)
    while not match.is_over:
        (seat,) = RULES.active_seats(match.state)
        match.play(seat, players[seat].choose(RULES.observe(match.state, seat), chance, Budget(1)))
    return match


def test_a_stored_match_is_replayed_to_the_same_position_and_exported_with_its_result() -> None:
    match = play_match(("greedy", "random", "greedy"), bytes(range(32)))
    record = record_of(match)
    assert replay(parse_record(format_record(record))).state == match.state
    exported = export(record)
    plies = [event["ply"] for event in exported["events"] if "ply" in event]
    assert plies == list(range(1, len(match.plies) + 1))
    assert exported["options"] == {"take": "one_by_one"}
    assert exported["result"]["totals"] == list(totals(RULES.score(match.state)))
    takes = [event for event in exported["events"] if event.get("move", {}).get("type") == "take"]
    assert len(takes) == 56


def test_a_greedy_bot_wins_most_matches_against_random_ones() -> None:
    wins = 0
    for n in range(12):
        names = tuple("greedy" if seat == n % 3 else "random" for seat in range(3))
        outcome = RULES.outcome(play_match(names, bytes((n,)) * 32).state)
        wins += outcome is not None and n % 3 in outcome.winners
    assert wins >= 10
