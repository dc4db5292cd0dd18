"""The bell rings for who had to wait, and the window says whose turn it is."""

from __future__ import annotations

from kk_core.text import text
from kk_tui.table.turn_signal import QUIET, Signal, TurnSignal

CHESS = text("chess")


class Clock:
    """Stands until it is moved."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_the_bell_rings_when_the_turn_comes_back_after_a_while() -> None:
    clock = Clock()
    signal = TurnSignal(clock)
    signal.follow(CHESS, is_mine=False)
    clock.seconds += QUIET
    assert signal.follow(CHESS, is_mine=True).rings
    assert not signal.follow(CHESS, is_mine=True).rings


def test_no_bell_rings_for_who_had_hardly_to_wait_or_for_the_first_turn() -> None:
    clock = Clock()
    signal = TurnSignal(clock)
    clock.seconds += QUIET
    assert not signal.follow(CHESS, is_mine=True).rings
    signal.follow(CHESS, is_mine=False)
    clock.seconds += QUIET / 2
    assert not signal.follow(CHESS, is_mine=True).rings


def test_the_title_says_whose_turn_it_is_and_goes_with_the_match() -> None:
    signal = TurnSignal(Clock())
    assert signal.follow(CHESS, is_mine=True).title == text("Your turn: {game}", game=CHESS)
    assert signal.follow(CHESS, is_mine=False).title == CHESS
    assert signal.follow(None, is_mine=False) == Signal(False, None)


def test_after_the_end_the_title_says_of_nobody_that_it_is_his_turn() -> None:
    signal = TurnSignal(Clock())
    signal.follow(CHESS, is_mine=True)
    assert signal.follow(CHESS, is_mine=True, is_over=True) == Signal(False, CHESS)
