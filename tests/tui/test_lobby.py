"""The lobby lists first what concerns the one who reads it."""

from __future__ import annotations

from kk_core.wire.views import SeatView, TableLine
from kk_tui.screens.lobby import ENDED, OPEN, RUNNING, YOUR_TURN, YOURS, rank, state_of

ANNA = SeatView("Anna", "anna", None, True, 0)
BEN = SeatView("Ben", "ben", None, True, 0)
BOT = SeatView("Midas", None, "greedy", True, 0)
FREE = SeatView("", None, None, False, 0)


def line(phase: str, *seats: SeatView, active: tuple[int, ...] = ()) -> TableLine:
    return TableLine("t", "", "land_cards", phase, seats, 5, (), active)


def test_tables_that_wait_for_me_come_first_then_my_own_open_running_and_ended_ones() -> None:
    waiting = line("playing", ANNA, BEN, active=(0,))
    mine = line("playing", ANNA, BEN, active=(1,))
    seated = line("open", ANNA, FREE)
    others = line("playing", BEN, BOT, active=(0,))
    tables = [waiting, mine, seated, line("open", BEN, FREE), others, line("finished", ANNA, BEN)]
    assert [rank(table, "anna") for table in tables] == [YOUR_TURN, YOURS, YOURS, OPEN, RUNNING, ENDED]


def test_a_line_says_whose_turn_it_is_and_how_many_seats_are_free() -> None:
    assert state_of(line("playing", ANNA, BEN, active=(0,)), "anna") == "your turn, round 5"
    assert state_of(line("playing", ANNA, BEN, active=(1,)), "anna") == "playing, round 5"
    assert state_of(line("open", BEN, FREE, FREE), "anna") == "open, 2 free seats"
    assert state_of(line("open", BEN, BOT, FREE), "anna") == "open, 1 free seat"
    assert state_of(line("open", BEN, BOT), "anna") == "open, all seats taken"
