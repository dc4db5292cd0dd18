"""The board of Noughts and bids: what keys and clicks mean, and what is seen of a bid."""

from __future__ import annotations

from kk_core.match import Match
from kk_core.registry import game
from tests.tui.conftest import at_rest
from tests.tui.scenes import Page, drawn, scene_of_match

SIZE = (84, 37)


def played(*lines: str) -> Match:
    """Return a match after some moves, each behind its seat."""
    match = Match(game("noughts"), {}, ("Anna", "Beate"), bytes(32))
    for line in lines:
        seat, _, move = line.partition(" ")
        match.play(int(seat), match.game.parse_move(move))
    return match


async def test_a_number_bids_and_enter_bids_what_the_arrows_have_chosen() -> None:
    page = Page(scene_of_match(played()))
    async with page.run_test(size=SIZE) as pilot:
        await pilot.press("3", "right", "right", "enter")
        await at_rest(pilot)
    assert page.chosen == ["bid 3", "bid 1"]


async def test_who_has_won_the_bidding_places_by_arrows_or_a_click() -> None:
    page = Page(scene_of_match(played("0 bid 2", "1 bid 1")))
    async with page.run_test(size=SIZE) as pilot:
        await pilot.press("3", "right", "up", "enter")
        await pilot.click(offset=(7, 10))
        await at_rest(pilot)
    assert page.chosen == ["place b1", "place a3"]
    assert page.said == ["A number is a bid, and now a mark is placed."]


async def test_the_other_seat_sees_no_bid_before_both_lie_there() -> None:
    few, many = [await drawn(scene_of_match(played(f"0 bid {n}"), 1), SIZE) for n in (1, 4)]
    assert few == many
    own = "\n".join(await drawn(scene_of_match(played("0 bid 4"), 0), SIZE))
    assert "A bid of 4 coins lies there." in own
    opened = "\n".join(await drawn(scene_of_match(played("0 bid 4", "1 bid 1"), 1), SIZE))
    assert "The bids: Anna 4, Beate 1. Anna pays and may place." in opened
