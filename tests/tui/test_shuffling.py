"""The app adds to shuffles, and catches a host that does not keep its word."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
from msgspec.structs import replace

from kk_core.errors import KkError
from kk_core.protocol.messages import OpenTable, SetBot, Start, TakeSeat
from kk_core.views import MatchView, SeatView, ShuffleView, TableView
from kk_tui.client.shuffling import Shuffling
from kk_tui.match.table import TableScreen
from kk_tui.match.table_setup import TableSetupScreen
from tests.tui.conftest import Stage, until
from tests.tui.playing import scene_in

HOST, MINE, OTHERS = b"h" * 32, b"m" * 32, b"o" * 32
COMMITTED = sha256(HOST).digest()
SEATS = (SeatView("Anna", "anna", None, True, 0), SeatView("Ben", "ben", None, True, 1))
OPEN = TableView("t", "", "anna", "g", (), False, "open", SEATS, 0, None, shuffle=ShuffleView(COMMITTED))


def table_with(phase: str = "playing", **of_match: Any) -> TableView:
    """The table while its match goes on, or after it."""
    match = MatchView("g", "1", (), COMMITTED, None, None, None, 0, False, None, ())
    return replace(OPEN, phase=phase, shuffle=None, match=replace(match, **of_match))


def added() -> Shuffling:
    """Who has added to the shuffle of the table."""
    shuffling = Shuffling(by_itself=True, draws=lambda: MINE)
    assert shuffling.follow(OPEN, "anna") == MINE
    return shuffling


def fault_of(table: TableView) -> str:
    """What is found to be wrong."""
    shuffling = added()
    shuffling.confirm(MINE)
    shuffling.follow(table_with(), "anna")
    return str(shuffling.fault(table, (0,)) or "")


def test_who_sits_there_adds_once_for_each_commitment_and_others_do_not() -> None:
    shuffling = added()
    assert shuffling.follow(OPEN, "anna") is None
    assert shuffling.follow(OPEN, "eve") is None
    assert shuffling.follow(replace(OPEN, shuffle=ShuffleView(b"x" * 32)), "anna") == MINE


def test_an_app_that_does_not_add_by_itself_adds_what_it_is_given() -> None:
    shuffling = Shuffling(by_itself=False)
    assert shuffling.follow(OPEN, "anna") is None
    assert shuffling.add(OPEN, MINE) == MINE
    shuffling.follow(table_with(contributions=((0, MINE),)), "anna")
    assert shuffling.is_in(table_with(contributions=((0, MINE),)))


def test_words_are_added_while_a_shuffle_is_due_and_refused_in_a_sentence_otherwise() -> None:
    shuffling = Shuffling(by_itself=False)
    assert shuffling.add_words(OPEN, "moon") == sha256(b"moon").digest()
    for place in (None, table_with()):
        with pytest.raises(KkError, match="no shuffle to add words to"):
            shuffling.add_words(place, "moon")


def test_nothing_is_wrong_where_the_seed_is_what_host_and_seats_make() -> None:
    seed = sha256(HOST + b"\x00" + MINE + b"\x01" + OTHERS).digest()
    both = ((0, MINE), (1, OTHERS))
    assert fault_of(table_with(contributions=both)) == ""
    assert fault_of(table_with("finished", contributions=both, seed=seed, host_seed=HOST)) == ""


def test_a_host_that_changes_its_bytes_after_the_contributions_is_caught() -> None:
    other = sha256(b"x" * 32).digest()
    assert "changed its bytes" in fault_of(table_with(contributions=((0, MINE),), commitment=other))
    seed = sha256(b"x" * 32 + b"\x00" + MINE).digest()
    cheated = table_with("finished", contributions=((0, MINE),), seed=seed, host_seed=b"x" * 32)
    assert "doesn't match the host's bytes and yours" in fault_of(cheated)


def test_what_the_server_has_refused_need_not_be_in() -> None:
    shuffling = added()
    shuffling.follow(table_with(), "anna")
    assert shuffling.fault(table_with(contributions=()), (0,)) is None


def test_a_host_that_leaves_a_contribution_out_or_gives_it_to_another_seat_is_caught() -> None:
    assert "left out" in fault_of(table_with(contributions=()))
    assert "left out" in fault_of(table_with(contributions=((0, OTHERS),)))
    assert "left out" in fault_of(table_with(contributions=((1, MINE),)))


def test_a_seed_that_was_mixed_in_another_way_is_caught() -> None:
    seed = sha256(HOST + MINE).digest()
    cheated = table_with("finished", contributions=((0, MINE),), seed=seed, host_seed=HOST)
    assert "doesn't match the host's bytes and yours" in fault_of(cheated)


async def test_the_app_on_ones_own_machine_adds_by_itself_and_finds_its_part(stage: Stage) -> None:
    async with stage.play("anna", local=False, contributes=True) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: TakeSeat(n, 0))
        await until(pilot, lambda: app.store.table and app.store.table.shuffle)
        await until(pilot, lambda: app.store.table.shuffle.added == ("anna",))  # type: ignore[union-attr]
        for seat in range(1, stage.seats):
            await app.request(lambda n, seat=seat: SetBot(n, seat, "random"))  # type: ignore[misc]
        await app.request(Start)
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.shuffling.is_in(scene_in(app).table)
        assert app.shuffling.fault(scene_in(app).table, app.my_seats) is None


async def test_words_that_a_guest_types_are_hashed_and_added(stage: Stage) -> None:
    async with stage.play("anna", local=False) as (app, pilot):
        await app.request(lambda n: OpenTable(n, stage.game, {}, stage.seats))
        await app.request(lambda n: TakeSeat(n, 0))
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        assert app.store.table is not None
        table = stage.hub.tables[app.store.table.id]
        assert table.shuffle.view().added == ()
        await pilot.press("slash", *"shuffle a black cat", "enter")
        await until(pilot, lambda: table.shuffle.view().added == ("anna",))
        (part,) = table.shuffle.contributions(table.state.seats)
        assert part == (0, sha256(b"a black cat").hexdigest())
