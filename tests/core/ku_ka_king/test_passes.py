"""Two passes: the first scoring, the last round, and who wins."""

from __future__ import annotations

import pytest

from kk_core.games.ku_ka_king.state import State
from kk_core.types import totals

from .positions import GAME, LINUS, SARAH, TIM, call, cards, collection, exported, position, rows_of

ROWS = "3 sheep / 3 horse / 3 pig / 3 cow / 3 goat / 3 rabbit / 3 chicken"
ALONE = ((TIM, 1), (SARAH, 2), (LINUS, 3))


def rules(state: State) -> list[str]:
    return [event.get("rule") or event["chance"] for event in exported(state)]


def lines(state: State, scoring: str) -> dict[str, tuple[int, ...]]:
    items = (
        (item.partition(":"), points) for item, points in zip(GAME.sheet, GAME.score(state), strict=True)
    )
    return {line: points for (which, _, line), points in items if which == scoring}


def test_the_first_pass_ends_when_a_player_has_13_cards_after_a_round() -> None:
    after = call(position(ROWS, collections=["10 king", "", ""]), *ALONE)
    assert rules(after) == ["reveal", "round_over", "first_scoring", "fill"]
    assert GAME.observe(after, None).second_pass


def test_the_first_pass_goes_on_while_everybody_has_at_most_12_cards() -> None:
    after = call(position(ROWS, collections=["9 king", "9 knight", ""]), *ALONE)
    assert rules(after) == ["reveal", "round_over", "fill"]
    assert not GAME.observe(after, None).second_pass


def test_the_first_scoring_waits_until_the_round_is_completely_finished() -> None:
    after = call(position(ROWS, collections=["10 king", "", ""]), (TIM, 1), (SARAH, 2), (LINUS, 2))
    assert rules(after) == ["reveal"]
    assert rules(call(after, (SARAH, 2), (LINUS, 3))) == ["reveal", "round_over", "first_scoring", "fill"]


def test_the_first_scoring_counts_all_cards_before_any_goes_back() -> None:
    after = call(position(ROWS, collections=["8 king 2 church", "church points4", "points3"]), *ALONE)
    first = lines(after, "first")
    assert first["kings"] == (36, 0, 0)
    assert first["churches"] == (10, 0, 0)
    assert first["points"] == (0, 4, 3)
    assert first["animals"] == (6, 6, 6)


def test_cards_with_a_red_cross_go_into_the_box_and_those_with_a_green_tick_stay() -> None:
    """Ruling 5."""
    mixed = "3 king knight church points2 points3 points4 farmer farmers_wife farmhouse"
    after = call(position(ROWS, collections=[mixed, "rabbit church", ""]), *ALONE)
    assert after.collections == (
        collection("3 king knight 3 sheep"),
        collection("rabbit 3 horse"),
        collection("3 pig"),
    )
    returned = ["church", "points2", "points3", "points4", "farmer", "farmers_wife", "farmhouse", "church"]
    assert exported(after)[2] == {"rule": "first_scoring", "returned": returned}
    assert after.box == cards(" ".join(returned))


def test_there_is_no_further_first_scoring_in_the_second_pass() -> None:
    after = call(position(ROWS, collections=["20 king", "", ""], second_pass=True), *ALONE)
    assert rules(after) == ["reveal", "round_over", "fill"]


def test_cards_of_the_second_pass_are_added_to_those_kept_from_the_first() -> None:
    after = call(position(ROWS, collections=["2 sheep", "", ""], second_pass=True), *ALONE)
    assert after.collections[TIM] == collection("5 sheep")


def test_the_last_round_begins_when_the_pile_is_empty_once_the_rows_are_filled() -> None:
    """Ruling 6."""
    after = call(position(ROWS, pile="9 goose"), *ALONE)
    assert rules(after) == ["reveal", "round_over", "fill", "last_round"]
    assert after.rows == rows_of("3 goose / 3 goose / 3 goose / 3 cow / 3 goat / 3 rabbit / 3 chicken")
    assert GAME.observe(after, None).last_round


def test_one_card_left_in_the_pile_is_not_yet_the_last_round() -> None:
    after = call(position(ROWS, pile="10 goose"), *ALONE)
    assert rules(after) == ["reveal", "round_over", "fill"]


def test_rows_that_cannot_be_filled_from_the_pile_are_filled_from_the_shuffled_box() -> None:
    after = call(position(ROWS, pile="4 goose", box="3 king 3 church 2 farmer"), *ALONE)
    assert rules(after) == ["reveal", "round_over", "fill", "last_round", "box_shuffle", "fill"]
    _, _, first, _, shuffle, second = exported(after)
    assert first["rows"] == [["goose"] * 3, ["goose"], [], [], [], [], []]
    assert sorted(shuffle["cards"]) == sorted(["king"] * 3 + ["church"] * 3 + ["farmer"] * 2)
    assert second["rows"] == [[], shuffle["cards"][:2], shuffle["cards"][2:5], [], [], [], []]
    assert after.box == cards(" ".join(shuffle["cards"][5:]))
    assert [len(row) for row in after.rows] == [3] * 7


def test_an_empty_box_leaves_rows_short_without_a_shuffle() -> None:
    after = call(position(ROWS, pile="4 goose"), *ALONE)
    assert rules(after) == ["reveal", "round_over", "fill", "last_round"]
    assert [len(row) for row in after.rows] == [3, 1, 0, 3, 3, 3, 3]
    assert GAME.legal_moves(after, TIM) == (1, 2, 4, 5, 6, 7)


def test_a_box_with_too_few_cards_is_laid_out_completely() -> None:
    after = call(position(ROWS, pile="4 goose", box="king"), *ALONE)
    assert exported(after)[-1] == {"chance": "fill", "rows": [[], ["king"], [], [], [], [], []]}
    assert after.box == b""


def test_cards_of_the_first_scoring_are_in_the_box_when_it_is_shuffled() -> None:
    """Ruling 5."""
    after = call(position(ROWS, collections=["10 church", "", ""], pile="8 goose"), *ALONE)
    assert rules(after)[2:] == ["first_scoring", "fill", "last_round", "box_shuffle", "fill"]
    assert after.rows[2] == cards("2 goose church")
    assert after.box == cards("9 church")


def test_the_match_is_over_after_the_last_round() -> None:
    after = call(position(ROWS, second_pass=True, last_round=True), *ALONE)
    assert rules(after) == ["reveal", "round_over"]
    assert GAME.active_seats(after) == ()
    assert str(GAME.why_not(after, TIM, 4)) == "The match is over."
    outcome = GAME.outcome(after)
    assert outcome is not None
    assert outcome.tie_break is None


def test_both_scorings_are_held_when_nobody_had_13_cards_before_the_last_round_ends() -> None:
    """Ruling 6."""
    after = call(
        position(ROWS, collections=["2 church", "farmer farmers_wife", "2 king"], last_round=True), *ALONE
    )
    assert rules(after) == ["reveal", "round_over", "first_scoring"]
    assert lines(after, "first")["churches"] == (10, 0, 0)
    assert lines(after, "first")["farm"] == (0, 7, 0)
    assert lines(after, "final")["churches"] == (0, 0, 0)
    assert lines(after, "final")["farm"] == (0, 0, 0)
    assert lines(after, "final")["kings"] == (0, 0, 1)
    assert totals(GAME.score(after)) == (22, 19, 14)
    assert GAME.active_seats(after) == ()


def test_the_player_with_the_most_points_of_both_scorings_wins() -> None:
    after = call(
        position(ROWS, collections=["2 king", "", "4 king"], second_pass=True, last_round=True), *ALONE
    )
    outcome = GAME.outcome(after)
    assert outcome is not None
    assert outcome.winners == (LINUS,)


def test_a_tie_is_a_shared_win() -> None:
    """Ruling 7."""
    after = call(
        position(ROWS, collections=["2 king", "", "2 king"], second_pass=True, last_round=True), *ALONE
    )
    outcome = GAME.outcome(after)
    assert outcome is not None
    assert outcome.winners == (TIM, LINUS)
    assert outcome.tie_break is None


@pytest.mark.parametrize("second_pass", [False, True])
def test_the_collections_count_for_the_scoring_that_comes_next(second_pass: bool) -> None:
    state = position(ROWS, collections=["4 king", "", "church"], second_pass=second_pass)
    coming, other = ("final", "first") if second_pass else ("first", "final")
    assert lines(state, other)["kings"] == (0, 0, 0)
    assert lines(state, coming)["kings"] == (9, 0, 0)
    assert lines(state, coming)["churches"] == (0, 0, 10)
    assert GAME.observe(state, None).standing_from == GAME.sheet.index(f"{coming}:kings")
