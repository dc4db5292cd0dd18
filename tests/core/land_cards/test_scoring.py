"""Scoring and the end of the game: every worked example of the rules, rulings 7 and 8."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from kk_core.games.land_cards.model import COUNTRIES, SHEET, SYMBOLS
from kk_core.games.land_cards.scoring import (
    chain_points,
    count_cards,
    land_points,
    law_points,
    outcome_of,
    symbol_points,
)
from kk_core.games.land_cards.state import State
from kk_core.types import Outcome, totals
from tests.core.land_cards.positions import RULES, play, play_at_random, position


def symbols(**counts: int) -> list[int]:
    return [counts.get(letter, 0) for letter in SYMBOLS]


# -- land cards ----------------------------------------------------------------------------------------------


def test_andreas_with_5_beate_with_2_and_claus_with_1_of_8_score_8_5_and_2() -> None:
    assert land_points((5, 2, 1), 8) == (8, 5, 2)


def test_andreas_and_beate_with_2_of_4_each_score_the_full_4() -> None:
    assert land_points((2, 2, 0), 4) == (4, 4, 0)


def test_who_has_no_card_of_a_country_scores_nothing_for_it() -> None:
    assert land_points((0, 7, 0), 7) == (0, 7, 0)
    assert land_points((0, 0, 0), 7) == (0, 0, 0)


def test_all_with_the_next_lower_count_get_the_highest_count_and_so_on() -> None:
    """Ruling 7."""
    assert land_points((1, 3, 1, 3, 0), 8) == (3, 8, 3, 8, 0)
    assert land_points((1, 2, 4), 7) == (2, 4, 7)


@given(st.lists(st.integers(0, 8), min_size=3, max_size=5))
def test_more_cards_of_a_country_never_score_less(cards: list[int]) -> None:
    points = land_points(cards, sum(cards))
    pairs = sorted(zip(cards, points, strict=True))
    assert [point for _, point in pairs] == sorted(points)


# -- symbols -------------------------------------------------------------------------------------------------


def test_andreas_with_4_crosses_scores_4_and_beate_with_3_fans_nothing() -> None:
    assert symbol_points((symbols(K=4), symbols(F=3), symbols())) == (4, 0, 0)


def test_all_who_tie_for_the_most_symbols_of_one_type_score_2() -> None:
    assert symbol_points((symbols(F=2), symbols(K=2), symbols(K=2))) == (2, 2, 2)


def test_who_has_the_most_in_several_types_scores_only_one_type() -> None:
    assert symbol_points((symbols(K=3, F=3, L=3), symbols(A=1), symbols())) == (3, 0, 0)


def test_symbols_of_different_types_do_not_add_up() -> None:
    assert symbol_points((symbols(K=1, F=1, L=1), symbols(A=2), symbols())) == (0, 2, 0)


def test_nobody_scores_symbols_where_nobody_has_one() -> None:
    assert symbol_points((symbols(), symbols(), symbols())) == (0, 0, 0)


# -- chains and laws -----------------------------------------------------------------------------------------


def test_3_ships_7_ships_and_5_ships_score_0_7_and_5() -> None:
    assert chain_points((3, 7, 5)) == (0, 7, 5)


def test_4_carriages_3_carriages_and_5_carriages_score_0_0_and_5() -> None:
    assert chain_points((4, 3, 5)) == (0, 0, 5)


def test_claus_with_5_ships_and_5_carriages_scores_10() -> None:
    ships, carriages = chain_points((3, 7, 5)), chain_points((4, 3, 5))
    assert [a + b for a, b in zip(ships, carriages, strict=True)] == [0, 7, 10]


def test_each_minus_two_law_costs_its_holder_two_points() -> None:
    assert law_points((bytes((3, 0)), bytes((3, 3)), bytes((0, 1, 2)))) == (-2, -4, 0)


# -- the winner ----------------------------------------------------------------------------------------------


def test_the_player_with_the_most_points_wins() -> None:
    assert outcome_of((40, 50, 30), (20, 16, 20)) == Outcome((1,), None)


def test_in_case_of_a_tie_the_tied_player_with_the_most_land_cards_wins() -> None:
    """Ruling 8."""
    assert outcome_of((50, 50, 30), (16, 19, 21)) == Outcome((1,), (16, 19, 21))


def test_if_there_is_still_a_tie_there_is_no_winner() -> None:
    """Ruling 8."""
    assert outcome_of((50, 50, 30), (18, 18, 20)) == Outcome((), (18, 18, 20))


# -- the sheet -----------------------------------------------------------------------------------------------


def test_the_sheet_has_a_line_per_country_and_kind_in_scoring_order_then_chains_and_laws() -> None:
    sheet = RULES.score(RULES.setup({}, 4, bytes(32)))
    assert RULES.sheet == SHEET
    assert SHEET[:4] == ("land:Frankreich", "symbols:Frankreich", "land:Sachsen", "symbols:Sachsen")
    assert SHEET[-3:] == ("ships", "carriages", "minus_two")
    assert len(SHEET) == 2 * len(COUNTRIES) + 3
    assert sheet == ((0, 0, 0, 0),) * len(SHEET)


def test_a_play_is_scored_from_the_cards_in_front_of_the_players() -> None:
    state = position("SaKK+s SaK+s / UnL UnL+k / SaF", hands="B:m", seats=4)
    over = play(
        state,
        "take 1 1; end; pass; take 2 2; take 2 1; end; pass; take 1 2; end; pass; take 3 1; end",
    )
    sheet = dict(zip(SHEET, RULES.score(over), strict=True))
    assert sheet["land:Sachsen"] == (3, 0, 3, 3)
    assert sheet["symbols:Sachsen"] == (2, 0, 0, 0)
    assert sheet["land:Ungarn"] == (0, 2, 0, 0)
    assert sheet["symbols:Ungarn"] == (0, 2, 0, 0)
    assert sheet["ships"] == sheet["carriages"] == (0, 0, 0, 0)
    assert sheet["minus_two"] == (0, -2, 0, 0)
    assert RULES.observe(over, None).points == totals(RULES.score(over))


def test_during_the_match_the_sheet_counts_what_lies_open() -> None:
    after = play(position("SaKK SaK / UnL"), "take 1 1")
    observation = RULES.observe(after, None)
    assert observation.outcome is None
    assert observation.sheet[SHEET.index("land:Sachsen")] == (2, 0, 0)
    assert observation.sheet[SHEET.index("symbols:Sachsen")] == (2, 0, 0)


def counted(state: State) -> tuple[tuple[int, ...], ...]:
    """The rows of a sheet, counted from scratch."""
    counts = count_cards(state.deal.faces, state.board, state.deal.seats)
    rows = []
    for lands, figures, total in zip(counts.lands, counts.symbols, counts.totals, strict=True):
        rows += [land_points(lands, total), symbol_points(figures)]
    return (*rows, chain_points(counts.ships), chain_points(counts.carriages), (0,) * state.deal.seats)


def test_a_sheet_is_the_same_whatever_was_looked_at_before() -> None:
    states = [state for seats in (3, 4, 5) for state in play_at_random("one_by_one", seats, bytes(32))[:-1]]
    Random(0).shuffle(states)
    for state in states:
        assert RULES.observe(state, None).sheet == counted(state)


def test_the_outcome_is_part_of_the_last_observation() -> None:
    over = play(position("SaKK"), "take 1 1; end")
    assert RULES.observe(over, 1).outcome == RULES.outcome(over) == Outcome((2,), None)


def test_as_things_stand_viewers_count_their_own_minus_two_and_nobody_elses() -> None:
    state = position("SaKK+s SaK+s / UnL UnL+k / SaF", hands="A:m B:mm", seats=4)
    assert [RULES.standing(state, viewer)[-1] for viewer in (0, 1, 2, None)] == [
        (-2, 0, 0, 0),
        (0, -4, 0, 0),
        (0, 0, 0, 0),
        (0, 0, 0, 0),
    ]
