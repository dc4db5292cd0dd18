"""Rules as every game must offer them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec
import pytest

from kk_core.chance import Chance
from kk_core.config import canonical_json
from kk_core.errors import (
    BadData,
    IllegalMove,
    InvalidMove,
    InvalidOptions,
    InvalidSeat,
    UndoRefused,
    UnknownRules,
)
from kk_core.game import AnyGame
from kk_core.registry import game_for, game_ids
from kk_core.text import Text
from kk_core.types import Move, Seat, totals
from tests.core.contract.tables import Table, copied, every_table, sample_tables, tables_of


@every_table
def test_an_active_seat_has_moves_and_every_other_has_none(table: Table) -> None:
    for match in table.random_match():
        active = table.game.active_seats(match.state)
        for seat in range(table.seats):
            moves = table.game.legal_moves(match.state, seat)
            assert bool(moves) == (seat in active)
            assert len(set(moves)) == len(moves)
            assert all(0 <= move < table.game.meta.moves for move in moves)


@every_table
def test_every_legal_move_is_accepted_and_leaves_the_state_before_as_it_was(table: Table) -> None:
    for match in table.random_match(1):
        before = copied(match.state)
        for seat in table.game.active_seats(match.state):
            for move in table.game.legal_moves(match.state, seat)[::7]:
                table.game.apply(match.state, seat, move)
                assert table.game.why_not(match.state, seat, move) is None
        assert match.state == before


def sentence_for(game: AnyGame, state: Any, seat: Seat, move: Move) -> Text:
    """What `why_not` says of a number that is no legal move."""
    try:
        reason = game.why_not(state, seat, move)
    except InvalidMove as error:
        said = f"why_not must answer {move} with a sentence: only what is no integer is an InvalidMove"
        raise AssertionError(said) from error
    assert reason is not None, f"why_not must answer {move}, which is not legal, with a sentence"
    return reason


@every_table
def test_a_refused_move_gives_its_reason_and_leaves_everything_equal(table: Table) -> None:
    refused = 0
    for match in table.random_match(2):
        if len(match.plies) % 5:
            continue
        before, plies = copied(match.state), list(match.plies)
        for seat in range(table.seats):
            legal = set(table.game.legal_moves(match.state, seat))
            for move in (*range(0, 400, 13), 10**6, -1):
                if move in legal:
                    continue
                reason = sentence_for(table.game, match.state, seat, move)
                with pytest.raises(IllegalMove) as refusal:
                    match.play(seat, move)
                assert str(refusal.value).endswith((".", "?", "!"))
                assert refusal.value.reason == reason
                refused += 1
        assert (match.state, match.plies) == (before, plies)
    assert refused


@every_table
def test_who_cannot_take_back_is_told_which_reason_it_has(table: Table) -> None:
    last = dict.fromkeys(range(table.seats), -1)  # the turn in which a seat has made its last move
    before = table.match(12).state
    for number, match in enumerate(table.random_match(12)):
        if match.plies:
            last[match.plies[-1].seat] = table.game.turn(before)
        before, turn = match.state, table.game.turn(match.state)
        for seat in range(table.seats) if number % 5 == 0 else ():
            is_active = seat in table.game.active_seats(match.state)
            is_new = last[seat] < 0 or (is_active and last[seat] != turn)
            if match.may_undo(seat):
                continue
            known = "(you've|the others have) seen|no choice" if is_active else "your turn is over"
            with pytest.raises(UndoRefused, match="you haven't done anything yet" if is_new else known):
                match.undo(seat)


@every_table
def test_what_a_move_would_end_is_told_before_it_is_made(table: Table) -> None:
    match, chance = table.match(14), Chance(b"ends".ljust(32))
    chose = set[Seat]()  # who has chosen something that can still be taken back
    while active := table.game.active_seats(match.state):
        seat = active[chance.below(len(active))]
        legal = table.game.legal_moves(match.state, seat)
        move, turn = legal[chance.below(len(legal))], table.game.turn(match.state)
        told, before = match.ends(seat, move), (match.state, list(match.plies))
        assert (match.state, match.plies) == before
        match.play(seat, move)
        chose = (chose | ({seat} if len(legal) > 1 else set())) if told in ("nothing", "choice") else set()
        assert match.may_undo(seat) == (seat in chose)
        assert (len(active) > 1) == (told == "choice") or not match.may_undo(seat)
        assert (match.is_over or table.game.turn(match.state) != turn) == (told == "turn")
    with pytest.raises(IllegalMove):
        match.ends(0, 0)


def undo_after_showing(table: Table) -> Iterator[bool]:
    """Whether seats may take something back, after each step of a match that has shown anybody something."""
    before = table.match(15).state
    for match in table.random_match(15):
        if any(table.game.reveals(before, match.state, viewer) for viewer in table.viewers):
            yield from map(match.may_undo, range(table.seats))
        before = match.state


@every_table
def test_a_step_that_has_shown_anybody_something_can_be_taken_back_by_nobody(table: Table) -> None:
    assert not any(undo_after_showing(table))


@pytest.mark.parametrize("game_id", game_ids())
def test_there_are_steps_that_show_somebody_something(game_id: str) -> None:
    assert list(undo_after_showing(tables_of(game_id)[0]))


@every_table
def test_a_move_is_refused_whose_sender_has_missed_their_own_last_one_or_the_end_of_a_turn(
    table: Table,
) -> None:
    for match in table.random_match(16):
        plies, turn = len(match.plies), table.game.turn(match.state)
        begun = plies - match.turns.count(turn)  # how many there were when the turn began
        assert match.view(None).turn_start == begun
        for seat in range(table.seats):
            match.check_fresh(seat, plies)
            own = [number for number, ply in enumerate(match.plies) if ply.seat == seat]
            for ply in {plies + 1, *range(begun)[-3:], *own[-1:]}:
                with pytest.raises(IllegalMove, match="moved on"):
                    match.check_fresh(seat, ply)


@every_table
def test_where_several_choose_at_once_nobody_has_to_have_seen_the_choices_of_the_others(table: Table) -> None:
    for match in table.random_match(16):
        active, turn = table.game.active_seats(match.state), table.game.turn(match.state)
        for seat in active if len(active) > 1 else ():
            match.check_fresh(seat, len(match.plies) - match.turns.count(turn))


@every_table
def test_a_match_comes_to_an_end_with_an_outcome_and_a_sheet_that_adds_up(table: Table) -> None:
    match = table.match()
    for match in table.random_match(3):
        assert (table.game.outcome(match.state) is None) == (not match.is_over)
        assert len(match.plies) < 5000
    outcome, sheet = table.game.outcome(match.state), totals(table.game.score(match.state))
    assert outcome is not None
    assert len(sheet) == table.seats
    best = [seat for seat in range(table.seats) if sheet[seat] == max(sheet)]
    assert set(outcome.winners) <= set(best)
    assert len(best) > 1 or (outcome.winners, outcome.tie_break) == ((*best,), None)
    for viewer in table.viewers:
        observation = table.game.observe(match.state, viewer)
        assert observation.points == sheet
        assert observation.outcome == outcome


@every_table
def test_the_same_seed_gives_the_same_match(table: Table) -> None:
    first, second = list(table.random_match(4))[-1], list(table.random_match(4))[-1]
    assert first.state == second.state
    assert first.plies == second.plies


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
def test_what_is_no_text_is_no_notation_and_blanks_count(table: Table) -> None:
    nothing: Any
    for nothing in (None, b"take", 1, ["take"]):
        with pytest.raises(InvalidMove):
            table.game.parse_move(nothing)
    state = table.match().state
    seat = table.game.active_seats(state)[0]
    line = table.game.format_move(table.game.legal_moves(state, seat)[0])
    for other in (f" {line}", f"{line} ", line.replace(" ", "  "), f"{line}\n"):
        if other != line:
            with pytest.raises(InvalidMove):
                table.game.parse_move(other)


@every_table
def test_what_is_no_seat_may_neither_look_nor_move(table: Table) -> None:
    game, state = table.game, table.match().state
    move = game.legal_moves(state, game.active_seats(state)[0])[0]
    nobody: Any
    for nobody in (-1, -table.seats, table.seats, 10**30, "0", 1.5, (0,)):
        for refuse in (game.legal_moves, game.observe, game.standing):
            with pytest.raises(InvalidSeat, match="There is no seat"):
                refuse(state, nobody)
    for nobody in (-1, table.seats, "0", 0.0, True, None):
        for act in (game.apply, game.why_not):
            with pytest.raises(InvalidSeat, match="There is no seat"):
                act(state, nobody, move)


NO_NUMBERS: Final[tuple[Any, ...]] = (True, False, 1.0, "1", b"1", None, (1,))


@every_table
def test_what_is_no_number_is_no_move_for_any_member(table: Table) -> None:
    game, state = table.game, table.match().state
    for seat in game.active_seats(state):
        for move in NO_NUMBERS:
            for refuse in (game.apply, game.why_not):
                with pytest.raises(InvalidMove, match="There is no move"):
                    refuse(state, seat, move)
            with pytest.raises(InvalidMove, match="There is no move"):
                game.format_move(move)


@every_table
def test_every_number_either_has_a_notation_of_its_own_or_is_no_move(table: Table) -> None:
    lines: dict[str, int] = {}
    for move in (*range(-300, 6000), 10**6, -(10**30), 10**30):
        try:
            line = table.game.format_move(move)
        except InvalidMove:
            continue
        assert table.game.parse_move(line) == move
        lines[line] = move
    assert lines
    assert max(lines.values()) < table.game.meta.moves
    for match in table.random_match(8):
        for seat in table.game.active_seats(match.state):
            assert {
                table.game.format_move(move) for move in match.game.legal_moves(match.state, seat)
            } <= set(lines)


@every_table
def test_unknown_seats_options_and_seeds_are_refused_before_anything_is_dealt(table: Table) -> None:
    meta, options = table.game.meta, dict(table.options)
    seats: Any
    for seats in (0, 1, -1, meta.max_seats + 1, True, None, 3.0):
        with pytest.raises(InvalidOptions, match="is for"):
            table.game.setup(options, seats, bytes(32))
    with pytest.raises(InvalidOptions, match="has no option"):
        table.game.setup({**options, "no such option": "1"}, table.seats, bytes(32))
    for option in meta.options:
        with pytest.raises(InvalidOptions, match=f"its options: .*{option.name}"):
            table.game.setup({**options, "no such option": "1"}, table.seats, bytes(32))
        with pytest.raises(InvalidOptions, match="cannot be"):
            table.game.setup({**options, option.name: "no such value"}, table.seats, bytes(32))
    nothing: Any
    for nothing in (None, [], "x"):
        with pytest.raises(InvalidOptions, match="Options must map names to values"):
            table.game.setup(nothing, table.seats, bytes(32))
    seed: Any
    for seed in (b"", bytes(31), bytes(33), "0" * 32, None, bytearray(32)):
        with pytest.raises(InvalidOptions, match="A seed has 32 bytes"):
            table.game.setup(options, table.seats, seed)


@every_table
def test_options_that_are_not_given_are_the_defaults(table: Table) -> None:
    given = table.game.setup(table.game.meta.default_options(), table.seats, bytes(32))
    assert table.game.setup({}, table.seats, bytes(32)) == given


@every_table
def test_the_rules_data_make_the_same_game_again(table: Table) -> None:
    game = table.game
    again = game_for(table.game_id, game.rules_version, msgspec.json.decode(canonical_json(game.rules_data)))
    assert again.rules_version == game.rules_version
    assert again.printed == game.printed
    assert again.setup(dict(table.options), table.seats, bytes(32)) == game.setup(
        dict(table.options), table.seats, bytes(32)
    )


@every_table
def test_rules_that_are_not_known_are_refused(table: Table) -> None:
    game = table.game
    number, dash, data = game.rules_version.partition("-")
    other_numbers = [f"{int(number) + step}{dash}{data}" for step in (-1, 1)]
    for version in ("", "0", "-1", number, f"0{number}{dash}{data}", "x-00000000", f"{number}-00000000"):
        with pytest.raises(UnknownRules):
            game_for(table.game_id, version, game.rules_data)
    for version in other_numbers:
        sentence = f"knows only rules {number} of {table.game_id}, not '{version}'"
        with pytest.raises(UnknownRules, match=sentence):
            game_for(table.game_id, version, game.rules_data)
    for no_data in ({"no": "data"}, None):
        with pytest.raises(BadData):
            game_for(table.game_id, game.rules_version, no_data)


@sample_tables
def test_a_choice_made_together_is_seen_by_each_as_it_began_whoever_was_first(table: Table) -> None:
    game, match = table.game, table.match()
    while active := game.active_seats(match.state):
        began = match.state
        for seat in reversed(active):
            assert match.before_choice(seat) is (began if len(active) > 1 else match.state)
            match.play(seat, game.legal_moves(match.state, seat)[0])
        for seat in game.active_seats(match.state):
            assert match.before_choice(seat) is match.state


@sample_tables
def test_choices_made_together_come_to_the_same_whoever_was_first(table: Table) -> None:
    game, one, other = table.game, table.match(), table.match()
    while active := game.active_seats(one.state):
        moves = [(seat, game.legal_moves(one.state, seat)[-1]) for seat in active]
        for match, order in ((one, moves), (other, moves[::-1])):
            for seat, move in order:
                match.play(seat, move)
        assert one.state == other.state
