"""Law cards: ruling 2, 3 and 9."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from random import Random

import pytest
from msgspec.structs import replace

from kk_core.games.land_cards.model import (
    DIFFERENT_COLOURS,
    GIVE_UP,
    GIVING_UP,
    LAWS,
    OVER,
    PLAY_LAW,
    TAKE,
    TAKE_BACK_STONE,
    TAKEN,
    TAKING,
    THREE_SYMBOLS,
)
from kk_core.games.land_cards.rules import settle
from kk_core.games.land_cards.state import State
from kk_core.match import Match
from kk_core.types import Viewer
from kk_core.values import with_item
from tests.core.contract.tables import with_state
from tests.core.land_cards.positions import LAW_LETTERS, RULES, legal, play, position, why


def test_three_symbols_allows_a_third_circle_symbol() -> None:
    after = play(position("FrKK FrF FrLL", hands="A:3"), "take 1 1")
    assert legal(after) == {"end", "law three_symbols"}
    assert legal(play(after, "law three_symbols")) == {"end", "take 1 2"}


def test_two_three_symbols_cards_do_not_add_up() -> None:
    """Ruling 2."""
    after = play(position("FrKK FrF FrL", hands="A:33"), "law three_symbols")
    assert not legal(after, "law")
    assert why(after, "law three_symbols") == "You may already take up to 3 symbols this turn."
    assert after.limit == 3


def test_different_colours_lifts_the_colour_rule_but_not_the_limit() -> None:
    """Ruling 2."""
    after = play(position("FrK SaK UnAA / FrLL", hands="A:d"), "take 1 1; law different_colours")
    assert legal(after) == {"end", "take 1 2"}


def test_different_colours_cannot_be_played_twice_in_a_turn() -> None:
    after = play(position("FrK SaK", hands="A:dd"), "law different_colours")
    assert why(after, "law different_colours") == "Several countries are already allowed this turn."


def test_both_exceptions_may_be_combined_in_one_turn() -> None:
    """Ruling 3."""
    after = play(position("FrKK SaL", hands="A:d3"), "take 1 1; law three_symbols; law different_colours")
    assert legal(after) == {"end", "take 1 2"}


def test_the_exceptions_end_with_the_turn() -> None:
    state = position("FrK SaK UnK UnL UnF", hands="A:d3")
    after = play(state, "law three_symbols; law different_colours; take 1 1; end; pass")
    assert (after.limit, after.any_colour, after.seat) == (2, False, 1)


def test_a_law_taken_in_a_turn_may_be_played_in_the_same_turn() -> None:
    """Ruling 3."""
    after = play(position("FrKK*3 FrF"), "take 1 1")
    assert legal(play(after, "law three_symbols")) == {"end", "take 1 2"}


def test_take_back_a_stone_needs_a_stone_out_of_the_game() -> None:
    """Ruling 3."""
    state = position("FrK FrF", hands="A:t")
    assert why(state, "law take_back_stone") == "None of your stones is out of the game."
    back = play(position("FrK FrF", hands="A:t", gone="A"), "law take_back_stone")
    assert (back.supply[0], back.gone[0]) == (3, 0)


def test_take_back_a_stone_may_be_played_in_the_stone_step_and_the_stone_placed_at_once() -> None:
    """Ruling 3."""
    after = play(position("FrK FrF@A FrL", hands="A:t", gone="AA"), "take 1 1; end")
    assert legal(after) == {"pass", "law take_back_stone", "move 1 2 1 3"}
    assert legal(play(after, "law take_back_stone")) == {"pass", "place 1 3"}


def test_laws_about_taking_are_not_offered_once_taking_has_ended() -> None:
    """Ruling 3."""
    after = play(position("FrK FrF", hands="A:3d"), "take 1 1; end")
    assert not legal(after, "law")
    for law in ("three_symbols", "different_colours"):
        assert (
            why(after, f"law {law}")
            == "You can't take another card this turn; this law would have no effect."
        )


def test_no_law_is_offered_once_the_layout_is_empty() -> None:
    """Ruling 3."""
    after = play(position("FrK", hands="A:t3d", gone="A"), "take 1 1")
    assert legal(after) == {"end"}
    for law in LAWS[:3]:
        assert why(after, f"law {law}") == "No cards are left in the rows; this law would have no effect."


def test_with_only_start_ends_laws_about_taking_need_such_a_card() -> None:
    """Ruling 3."""
    after = play(position("FrK FrF FrL", hands="A:t3d", gone="A", at_start_only=True), "take 1 1; take 1 3")
    assert legal(after) == {"end", "law take_back_stone"}


def test_laws_about_taking_may_be_played_as_long_as_a_card_lies_at_an_end_whether_they_help_or_not() -> None:
    after = play(position("FrKK SaKK@B", hands="A:3d", gone="AAA"), "take 1 1")
    assert legal(after) == {"end", "law three_symbols", "law different_colours"}
    assert legal(play(after, "law three_symbols; law different_colours")) == {"end"}


def test_laws_may_be_played_before_the_first_card() -> None:
    state = position("FrKK SaK", hands="A:t3d", gone="A")
    assert legal(state, "law") == {"law take_back_stone", "law three_symbols", "law different_colours"}


# -- laws that would open no further card --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "alone", "together"),
    [
        ("FrK FrKF SaL", "", ""),
        ("FrKK FrF SaK", "d", ""),
        ("FrKK FrFF SaK", "3d", ""),
        ("FrKK SaL", "3d", ""),
        ("FrK FrKF SaLL", "d", ""),
        ("FrK SaLL UnL", "3", ""),
        ("FrKK FrFF SaKK", "3d", "3d"),
        ("FrKK SaLL UnF", "3d", ""),
        ("FrK SaL@B UnKK@B", "3d", "3d"),
    ],
)
def test_a_law_is_idle_when_by_it_no_further_card_could_be_taken_nor_by_it_and_the_other(
    layout: str, alone: str, together: str
) -> None:
    for hand, idle in expected(alone, together):
        after = play(position(layout, hands=f"A:{hand}", gone="AAA"), "take 1 1")
        assert len(legal(after, "law")) == len(hand)
        assert RULES.observe(after, 0).idle_laws == bytes(map(LAW_LETTERS.index, idle))
        assert RULES.observe(after, 1).idle_laws == b""


def expected(alone: str, together: str) -> Iterator[tuple[str, str]]:
    """Hands with one law or both, and which of their laws are idle."""
    yield from ((law, law if law in alone else "") for law in "3d")
    yield "3d", together


@pytest.mark.parametrize(
    ("layout", "alone", "together"),
    [
        ("FrKK FrF SaK", "", ""),
        ("FrKK SaL", "3d", ""),
        ("FrKK SaLL", "3d", "3d"),
        ("FrK SaL UnLL", "3", ""),
        ("FrKK FrF SaKK", "d", ""),
        ("FrKK UnLL FrF SaKK", "3d", ""),
        # by cards in between that show no symbol, or are uncovered
        ("FrK Fr- FrFF SaLL", "d", ""),
        ("FrKK Sa- SaLL UnKK", "3", "3"),
        # with no stone to pay for them
        ("FrKK SaLL UnK@B", "3d", "3d"),
        ("FrKK", "3d", "3d"),
    ],
)
def test_before_the_first_card_a_law_is_idle_if_it_allows_no_other_whichever_cards_and_law_come_first(
    layout: str, alone: str, together: str
) -> None:
    for hand, idle in expected(alone, together):
        before = position(layout, hands=f"A:{hand}", gone="AAA")
        assert len(legal(before, "law")) == len(hand)
        assert RULES.observe(before, 0).idle_laws == bytes(map(LAW_LETTERS.index, idle))
        assert RULES.observe(before, 1).idle_laws == b""


@pytest.mark.parametrize("before", ["", "take 1 1"])
@pytest.mark.parametrize(("hand", "idle"), [("3", "3"), ("3t", "")])
def test_a_law_is_not_idle_if_the_stone_that_its_card_costs_can_be_taken_back(
    before: str, hand: str, idle: str
) -> None:
    state = position("FrK FrKF@B", hands=f"A:{hand}", gone="AAA")
    after = play(state, before) if before else state
    assert RULES.observe(after, 0).idle_laws == bytes(map(LAW_LETTERS.index, idle))


def test_before_the_first_card_idle_laws_are_those_by_which_no_order_of_taking_gets_a_card_more() -> None:
    """Compared with all turns that may be played, for whatever laws in hand, late in random matches."""
    held = Counter[tuple[bool, bool]]()
    for seed in range(12):
        state, chance = RULES.setup({}, 3, bytes([seed]) * 32), Random(seed)
        while state.phase != OVER:
            if not state.taken and state.phase == TAKING and len(in_rows(state)) <= 12:
                for law, other in permutations((TAKE_BACK_STONE, THREE_SYMBOLS, DIFFERENT_COLOURS), 2):
                    hand = bytes((law, other))
                    holder = settle(replace(state, hands=with_item(state.hands, state.seat, hand)))
                    if law == TAKE_BACK_STONE or PLAY_LAW + law not in holder.legal:
                        continue
                    alone, both = (
                        turns(holder, with_law) - turns(holder, without)
                        for with_law, without in ((hand[:1], b""), (hand, hand[1:]))
                    )
                    is_idle = law in RULES.observe(holder, holder.seat).idle_laws
                    assert is_idle is not bool(alone | both)
                    held[bool(alone), bool(both)] += 1
            state = RULES.apply(state, state.seat, chance.choice(state.legal))
    assert held.keys() == {(True, True), (False, True), (False, False)}


def in_rows(state: State) -> list[int]:
    return [lying for lying in state.board if lying < TAKEN]


def turns(state: State, laws: bytes) -> set[frozenset[int]]:
    """All sets of cards that may be taken in a turn in which no law but these is played."""
    found = {frozenset(state.taken)}
    for move in state.legal:
        is_law = move - PLAY_LAW in {*laws}
        if is_law or TAKE <= move < GIVE_UP or state.phase == GIVING_UP:
            left = laws.replace(bytes((move - PLAY_LAW,)), b"", 1) if is_law else laws
            found |= turns(RULES.apply(state, state.seat, move), left)
    return found


def test_only_laws_that_may_be_played_now_are_idle() -> None:
    after = play(position("FrKK SaLL UnK", hands="A:m3", gone="A"), "take 1 1; law three_symbols")
    assert RULES.observe(after, 0).idle_laws == b""


def test_minus_two_is_never_played() -> None:
    state = position("FrK FrF", hands="A:m")
    assert not legal(state, "law")
    assert why(state, "law minus_two") == "“-2 points” is never played; it counts at the end."


def test_a_law_that_is_not_held_cannot_be_played() -> None:
    assert why(position("FrK"), "law minus_two") == "You don't have the law “-2 points”."


def test_a_played_law_leaves_the_game() -> None:
    after = play(position("FrK FrF", hands="A:3m3"), "law three_symbols")
    assert after.hands[0] == bytes((3, 1))
    assert all(RULES.observe(after, viewer).played == bytes((THREE_SYMBOLS,)) for viewer in (0, 1, None))


# -- who knows what ------------------------------------------------------------------------------------------


def test_a_law_card_in_the_layout_is_unknown_to_all_and_a_taken_one_known_to_its_owner() -> None:
    """Ruling 9."""
    state = position("FrK*d FrF*m")
    assert RULES.observe(state, 0).law_cells == bytes((0, 1))
    after = play(state, "take 1 1")
    own, other, spectator = (RULES.observe(after, viewer) for viewer in (0, 1, None))
    assert own.hands == (b"\x02", b"", b"")
    assert other.hands == spectator.hands == (b"", b"", b"")
    assert own.law_counts == other.law_counts == bytes((1, 0, 0))
    assert own.law_cells == bytes((1,))


def test_all_hands_are_shown_when_the_match_is_over() -> None:
    """Ruling 9."""
    over = play(position("FrK", hands="A:m B:3"), "take 1 1; end")
    assert RULES.observe(over, None).hands == (b"\x03", b"\x01", b"")


def test_minus_two_shows_on_the_sheet_only_at_the_end() -> None:
    state = position("FrK", hands="B:m")
    assert RULES.observe(state, 1).sheet[-1] == (0, 0, 0)
    assert RULES.observe(play(state, "take 1 1; end"), 0).sheet[-1] == (0, -2, 0)


@pytest.mark.parametrize(
    ("moves", "to"),
    [("take 1 1", {0}), ("take 1 3", set()), ("law three_symbols", {1, 2, None}), ("take 2 1", set())],
)
def test_a_law_card_shows_its_kind_to_the_taker_and_later_to_all_others(moves: str, to: set[Viewer]) -> None:
    state = position("FrK*m FrF FrL / SaK", hands="A:3")
    assert {viewer for viewer in (0, 1, 2, None) if RULES.reveals(state, play(state, moves), viewer)} == to


def test_only_the_player_on_turn_sees_legal_moves() -> None:
    state = position("FrK FrF")
    assert RULES.observe(state, 0).legal_moves == RULES.legal_moves(state, 0)
    assert RULES.observe(state, 1).legal_moves == RULES.observe(state, None).legal_moves == ()


@pytest.mark.parametrize("law", LAW_LETTERS)
def test_what_a_card_with_a_law_card_brings_is_told_beforehand_and_the_law_card_is_not(law: str) -> None:
    state, move = position(f"EnLL*{law} SaL", hands="A:m"), RULES.parse_move("take 1 1")
    foreseen = match_in(state).preview(0, move)
    without = match_in(position("EnLL SaL", hands="A:m")).preview(0, move)
    assert foreseen == without
    assert foreseen is not None
    changes = zip(RULES.standing(state, 0), foreseen, strict=True)
    assert {name for name, (now, then) in zip(RULES.sheet, changes, strict=True) if now != then} == {
        "land:England",
        "symbols:England",
    }


@pytest.mark.parametrize("law", ["three_symbols", "different_colours"])
def test_while_a_law_card_is_in_use_the_cards_still_tell_what_they_would_bring(law: str) -> None:
    state = play(position("FrKK FrF SaL*m / UnA", hands="A:3d"), f"take 1 1; law {law}")
    match = match_in(state)
    for move in RULES.legal_moves(state, 0):
        assert match.preview(0, move) is not None


def match_in(state: State) -> Match:
    """A match that has come to a position."""
    return with_state(Match(RULES, {}, ("Andreas", "Beate", "Claus"), bytes(32)), state)
