"""Looking back at a match and playing on from the middle of one, in every game."""

from __future__ import annotations

from copy import copy
from itertools import chain

import pytest
from msgspec.structs import replace

from kk_core.errors import BadRecord, UndoRefused
from kk_core.match import Match, NoSuchPly, Replay
from kk_core.record import export, format_record, parse_record, record_of
from kk_core.record import replay as replayed
from kk_core.registry import game_ids
from kk_core.tree import pack
from kk_core.types import totals
from kk_core.views import encode_match
from tests.core.contract.tables import Table, every_table, shows_nothing, tables_of


def frozen(table: Table, number: int) -> list[Match]:
    """A match as it stood before and after each of its plies, all of them kept."""
    kept = []
    for match in table.random_match(number):
        kept.append(copy(match))
        kept[-1].plies, kept[-1].turns, kept[-1]._events = [*match.plies], [*match.turns], [*match._events]
        kept[-1]._undoable = []
    return kept


@every_table
def test_a_look_back_shows_a_viewer_what_he_was_sent_at_that_time_and_nothing_else(table: Table) -> None:
    then = frozen(table, 20)
    replay = Replay(then[-1])
    for ply, match in enumerate(then):
        for viewer in table.viewers:
            sent = match.view(viewer)
            sent = replace(sent, observation=replace(sent.observation, legal_moves=()))
            assert pack(encode_match(replay.view(ply, viewer))) == pack(encode_match(sent))


@every_table
def test_a_look_back_follows_a_match_that_goes_on_and_steps_that_are_taken_back(table: Table) -> None:
    replay, taken_back, quiet, before = None, 0, 0, table.match(21)
    for match in table.random_match(21):
        replay = replay or Replay(match)
        assert replay.at(len(match.plies)).state == match.state
        seat, move = match.plies[-1] if match.plies else (0, 0)
        # one that was forced is taken back only along with another one
        is_choice = len(table.game.legal_moves(before.state, seat)) > 1
        quiet += is_choice and bool(match.plies) and shows_nothing(table, before, match)
        before = copy(match)
        if match.may_undo(seat):
            taken_back += is_choice
            match.undo(seat)
            assert replay.at(len(match.plies)).state == match.state
            with pytest.raises(NoSuchPly):
                replay.at(len(match.plies) + 1)
            match.play(seat, move)
        assert replay.at(len(match.plies)).state == match.state
    assert taken_back == quiet


@every_table
def test_nothing_is_taken_back_in_the_past(table: Table) -> None:
    """Not even the step that its seat could take back at the table just now."""
    replay = None
    for match in table.random_match(21):
        replay, plies = replay or Replay(match), len(match.plies)
        for ply in range(max(0, plies - 3), plies + 1):
            then = replay.at(ply)
            assert not any(then.may_undo(seat) for seat in range(table.seats))
            assert not any(replay.view(ply, viewer).may_undo for viewer in table.viewers)


@pytest.mark.parametrize("number", [6, 21])
def test_in_some_games_steps_are_taken_back(number: int) -> None:
    """So that what has to be true of them is asked of some."""
    matches = chain(*(tables_of(game_id)[0].random_match(number) for game_id in game_ids()))
    assert sum(match.may_undo(match.plies[-1].seat) for match in matches if match.plies) > 10


@every_table
def test_the_course_of_a_match_tells_its_turns_rounds_and_scorings_in_order(table: Table) -> None:
    match = table.finished(22)
    end, course = len(match.plies), Replay(match).course()
    assert course.movers == tuple(ply.seat for ply in match.plies)
    assert course.points[-1] == totals(match.game.score(match.state))
    assert len(course.points) == end + 1
    for positions in (course.turns, course.rounds, course.scorings):
        assert list(positions) == sorted(set(positions))
        assert all(0 < position <= end for position in positions)
    assert course.scorings[-1] == end
    held = Replay(match).at(course.scorings[0])
    assert len(course.scorings) == match.game.scorings(match.state) + 1
    assert held.is_over or match.game.scorings(held.state) == 1


@every_table
def test_rounds_and_scorings_are_never_lower_than_before(table: Table) -> None:
    before = (1, 0)
    for match in table.random_match(23):
        now = match.game.round(match.state), match.game.scorings(match.state)
        assert now[0] >= before[0]
        assert now[1] >= before[1]
        before = now


def played_on(table: Table, ply: int, number: int = 24) -> tuple[Match, Match]:
    """A match, and another one that begins with its first plies and ends differently."""
    first = table.finished(number)
    cut = Replay(first).cut(ply)
    match = Match(first.game, first.options, first.seats, first.host_seed)
    for past in cut.plies:
        match.play(*past)
    if cut.plies:
        match.close_replayed()
    while active := match.game.active_seats(match.state):
        match.play(active[-1], match.game.legal_moves(match.state, active[-1])[-1])
    return first, match


@every_table
def test_a_match_played_on_from_another_one_has_a_good_record_that_says_so(table: Table) -> None:
    first, match = played_on(table, len(table.finished(24).plies) - 1)
    record = parse_record(format_record(record_of(match)))
    again = replayed(record)
    assert again.state == match.state
    assert again.replayed == match.replayed
    assert first.plies[: match.replayed] == match.plies[: match.replayed]
    assert export(record).get("replayed", 0) == match.replayed
    assert "replayed" not in format_record(record_of(first))


@every_table
def test_what_was_taken_over_is_never_taken_back(table: Table) -> None:
    for number, match in enumerate(table.random_match(25)):
        if number > 12:
            break
        match.close_replayed()
        for seat in range(table.seats):
            with pytest.raises(UndoRefused, match="haven't done anything yet"):
                match.undo(seat)


@every_table
def test_nobody_plays_on_between_choices_that_are_made_at_the_same_moment(table: Table) -> None:
    replay = Replay(table.finished(26))
    course = replay.course()
    for ply in range(len(course.movers) + 1):
        cut = replay.cut(ply)
        assert len(cut.plies) <= ply
        several = len(cut.game.active_seats(cut.state)) > 1
        assert len(cut.plies) == ply or several
        assert len(cut.plies) in (ply, 0, *course.turns)


@pytest.mark.parametrize("replayed_plies", [0, -1, 10_000, True, "3"])
def test_a_number_of_replayed_plies_that_cannot_be_is_refused(replayed_plies: object) -> None:
    table = tables_of("ku_ka_king")[0]
    content = format_record(record_of(table.finished(27)))
    value = f'"{replayed_plies}"' if isinstance(replayed_plies, str) else str(replayed_plies).lower()
    with pytest.raises(BadRecord):
        replayed(parse_record(content.replace('"moves"', f'"replayed": {value}, "moves"')))


def test_a_record_from_which_the_mark_was_taken_away_is_noticed() -> None:
    _, match = played_on(tables_of("land_cards")[0], 30)
    content = format_record(record_of(match))
    without = content.replace(f' "replayed": {match.replayed},\n', "")
    assert without != content
    with pytest.raises(BadRecord, match="chain"):
        replayed(parse_record(without))
