"""Rules as every game must offer them."""

from __future__ import annotations

import pytest

from kk_core.checks import complete_options
from kk_core.errors import IllegalMove, InvalidMove, InvalidOptions
from tests.core.contract.tables import Table, copied, every_table


@every_table
def test_an_active_seat_has_moves_and_every_other_has_none(table: Table) -> None:
    for match in table.random_match():
        active = table.game.active_seats(match.state)
        for seat in range(table.seats):
            moves = table.game.legal_moves(match.state, seat)
            assert bool(moves) == (seat in active)
            assert len(set(moves)) == len(moves)


@every_table
def test_every_legal_move_is_accepted_and_leaves_the_state_before_as_it_was(table: Table) -> None:
    for match in table.random_match(1):
        before = copied(match.state)
        for seat in table.game.active_seats(match.state):
            for move in table.game.legal_moves(match.state, seat)[::7]:
                table.game.apply(match.state, seat, move)
                assert table.game.why_not(match.state, seat, move) is None
        assert match.state == before


@every_table
def test_a_refused_move_gives_its_reason_and_leaves_everything_equal(table: Table) -> None:
    refused = 0
    for match in table.random_match(2):
        if len(match.plies) % 5:
            continue
        before, plies, revision = copied(match.state), list(match.plies), match.revision
        for seat in range(table.seats):
            legal = set(table.game.legal_moves(match.state, seat))
            for move in (*range(0, 400, 13), 10**6, -1):
                if move in legal:
                    continue
                with pytest.raises(IllegalMove) as refusal:
                    match.play(seat, move)
                assert str(refusal.value).endswith((".", "?", "!"))
                assert refusal.value.reason == table.game.why_not(match.state, seat, move)
                refused += 1
        assert (match.state, match.plies, match.revision) == (before, plies, revision)
    assert refused


@every_table
def test_a_match_comes_to_an_end_with_an_outcome_and_a_sheet_that_adds_up(table: Table) -> None:
    match = table.match()
    for match in table.random_match(3):
        assert (table.game.outcome(match.state) is None) == (not match.is_over)
        assert len(match.plies) < 5000
    outcome, sheet = table.game.outcome(match.state), table.game.score(match.state)
    assert outcome is not None
    assert len(sheet.totals) == table.seats
    best = [seat for seat in range(table.seats) if sheet.totals[seat] == max(sheet.totals)]
    assert set(outcome.winners) <= set(best)
    if len(best) == 1:
        assert outcome.winners == (best[0],)
        assert outcome.tie_break is None
    for viewer in table.viewers:
        observation = table.game.observe(match.state, viewer)
        assert observation.points == sheet.totals
        assert observation.outcome == outcome


@every_table
def test_the_same_seed_gives_the_same_match(table: Table) -> None:
    first, second = list(table.random_match(4))[-1], list(table.random_match(4))[-1]
    assert first.state == second.state
    assert first.plies == second.plies
    assert next(iter(table.random_match(5))).state != table.match(4).state


@every_table
def test_notation_and_moves_are_each_others_inverse(table: Table) -> None:
    for match in table.random_match(6):
        for seat in table.game.active_seats(match.state):
            lines = set()
            moves = table.game.legal_moves(match.state, seat)
            for move in moves:
                line = table.game.format_move(move)
                assert table.game.parse_move(line) == move
                lines.add(line)
            assert len(lines) == len(moves)


@every_table
@pytest.mark.parametrize(
    "line", ["", "?", "take", "take 0 0 0 0 0", "99", "\x00", "place ein wort", "é" * 100]
)
def test_what_is_no_move_is_not_understood(table: Table, line: str) -> None:
    with pytest.raises(InvalidMove):
        table.game.parse_move(line)


@every_table
def test_unknown_seats_and_options_are_refused(table: Table) -> None:
    meta = table.game.meta
    for seats in (0, 1, meta.max_seats + 1):
        with pytest.raises(InvalidOptions):
            complete_options(table.game.meta, seats, {})
    with pytest.raises(InvalidOptions):
        complete_options(table.game.meta, table.seats, {"no such option": "1"})
    for option in meta.options:
        with pytest.raises(InvalidOptions):
            complete_options(table.game.meta, table.seats, {option.name: "no such value"})
