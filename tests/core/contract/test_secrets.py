"""Nobody learns what he must not know, in every game.

`determinise` is the yardstick: a state drawn for a viewer has to look to him, byte for byte, like the true
one, and what others know must come out of the draw differently.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.game import Contested
from kk_core.match import Match, Replay
from kk_core.types import CommonObservation, Move, Seat, Viewer
from tests.core.contract.memory import Past
from tests.core.contract.tables import (
    Table,
    every_table,
    sample_tables,
    shows_nothing,
    some_moves,
    view_bytes,
    with_state,
)

MATCHES = 8
"""How many may go by until every seat has held a secret."""

CHOICES = 12
"""How many moves of a seat are compared with each other."""


@every_table
def test_a_state_drawn_for_a_viewer_looks_to_him_like_the_true_one(table: Table) -> None:
    chance = Chance(b"draw".ljust(32))
    for number, match in enumerate(table.random_match(5)):
        for viewer in table.viewers if match.is_over or number % 3 == 0 else ():
            observation = table.game.observe(match.state, viewer)
            state = table.game.determinise(observation, chance)
            assert table.game.observe(state, viewer) == observation
            assert view_bytes(with_state(match, state), viewer) == view_bytes(match, viewer)


@every_table
def test_a_drawn_state_can_be_played_to_its_end(table: Table) -> None:
    chance = Chance(b"play on".ljust(32))
    for number, match in enumerate(table.random_match(9)):
        if number % 20:
            continue
        viewer = table.viewers[number // 20 % len(table.viewers)]
        state = table.game.determinise(table.game.observe(match.state, viewer), chance)
        for _ in range(5000):
            active = table.game.active_seats(state)
            if not active:
                break
            moves = table.game.legal_moves(state, active[0])
            state = table.game.apply(state, active[0], moves[chance.below(len(moves))])
        assert table.game.outcome(state) is not None


@every_table
def test_what_only_others_know_comes_out_differently_when_it_is_drawn_for_a_viewer(table: Table) -> None:
    """A game in which some hold secrets shows them to nobody else; in any other all see the same."""
    chance = Chance(b"others".ljust(32))
    everybody = {(viewer, other) for viewer in table.viewers for other in range(table.seats)}
    expected = {(viewer, other) for viewer, other in everybody if viewer != other}
    expected = expected if table.game.meta.has_secrets else set()
    differing: set[tuple[Viewer, Viewer]] = set()
    for number in range(10 * MATCHES):  # of a short match with few secrets more are looked at
        for match in table.glimpses(10 + number):
            seen = {viewer: table.game.observe(match.state, viewer) for viewer in table.viewers}
            for viewer in table.viewers:
                state = table.game.determinise(seen[viewer], chance)
                views = {other: table.game.observe(state, other) for other in range(table.seats)}
                differing |= {(viewer, other) for other, view in views.items() if view != seen[other]}
                is_open = _but_for_the_viewer(seen[viewer]) == _but_for_the_viewer(seen[None])
                assert is_open or table.game.meta.has_secrets
        if differing >= expected:
            break
    assert differing == expected


@every_table
def test_points_now_and_after_a_move_tell_nothing_that_the_seat_could_not_work_out(table: Table) -> None:
    """They are the same whichever of the states is the true one that the seat cannot tell apart."""
    chance = Chance(b"preview".ljust(32))
    previews = quiet = 0
    for number, match in enumerate(table.random_match(12)):
        for seat in table.game.active_seats(match.state) if number % 3 == 0 else ():
            state = table.game.determinise(table.game.observe(match.state, seat), chance)
            twin = with_state(match, state)
            assert twin.view(seat).standing == match.view(seat).standing
            for move in some_moves(tuple(table.game.legal_moves(match.state, seat)), CHOICES):
                sheet = match.preview(seat, move)
                assert twin.preview(seat, move) == sheet
                assert twin.ends(seat, move) == match.ends(seat, move)
                assert twin.shows(seat, move) == match.shows(seat, move)
                previews += sheet is not None
                after = table.game.apply(match.state, seat, move)
                quiet += not table.game.reveals(match.state, after, seat)
    assert previews > 0 or not quiet  # where each step draws a card, none can be shown beforehand


KINDS = range(-1, 1000)
"""Numbers among which there are moves of every kind, and such as are no moves."""


@every_table
def test_what_the_step_that_ends_a_match_would_bring_is_tried_out_by_nobody(table: Table) -> None:
    """The end shows what everybody has hidden. What a choice gives to who alone makes it lies open."""
    match = table.finished(9)
    last = Replay(match).at(len(match.plies) - 1)
    game, (seat, move) = table.game, match.plies[-1]
    assert last.ends(seat, move) == "turn"
    alone = game.with_taken(last.state, seat, move) if isinstance(game, Contested) else None
    assert last.preview(seat, move) == (None if alone is None else game.standing(alone, seat))


@every_table
def test_a_reason_tells_nothing_that_its_seat_could_not_work_out(table: Table) -> None:
    """Whether it is its turn or not, and whether the move is legal or not."""
    chance = Chance(b"reason".ljust(32))
    asked = 0
    for number, match in enumerate(table.random_match(13)):
        for seat in range(table.seats) if number % 5 == 0 else ():
            legal = table.game.legal_moves(match.state, seat)
            state = table.game.determinise(table.game.observe(match.state, seat), chance)
            for move in (*KINDS[number % 7 :: 7], *some_moves(tuple(legal), CHOICES)):
                reason = table.game.why_not(match.state, seat, move)
                assert table.game.why_not(state, seat, move) == reason
                asked += reason is not None
    assert asked > 0


DEALS = 24
"""How many matches are dealt, to compare the truth with what is drawn."""


@every_table
def test_the_truth_is_as_likely_as_any_other_state_that_is_drawn(table: Table) -> None:
    """Two draws come to the same as often as a draw and the truth: neither always, nor one of a few."""
    chance = Chance(b"alike".ljust(32))
    like_each_other, like_the_truth = Counter[Viewer](), Counter[Viewer]()
    for number in range(DEALS):
        match = table.match(100 + number)
        truth = _fate(table, match.state)
        for viewer in table.viewers:
            observation = table.game.observe(match.state, viewer)
            one, other = (_fate(table, table.game.determinise(observation, chance)) for _ in range(2))
            like_each_other[viewer] += one == other
            like_the_truth[viewer] += one == truth
    for viewer in table.viewers:
        assert abs(like_each_other[viewer] - like_the_truth[viewer]) <= DEALS // 4


FATE = 100
"""How many plies are played to see what a state holds."""


def _fate(table: Table, state: Any) -> list[CommonObservation]:
    """What all see of a state, now and after the same simple play."""
    game, seats = table.game, range(table.seats)
    seen = [game.observe(state, seat) for seat in seats]
    for _ in range(FATE):
        active = game.active_seats(state)
        if not active:
            break
        state = game.apply(state, active[0], game.legal_moves(state, active[0])[-1])
    return seen + [game.observe(state, seat) for seat in seats]


PAST = 7
"""Over how many plies a viewer's memory is tried."""


@sample_tables
def test_a_drawn_state_never_contradicts_what_its_viewer_has_seen_before(table: Table) -> None:
    chance = Chance(b"memory".ljust(32))
    course = [with_state(match, match.state) for match in table.random_match(14)]
    past = min(PAST, len(course) // 2)
    for number, start in enumerate(range(0, len(course) - past, max(past, len(course) // 4))):
        matches = course[start : start + past + 1]
        for viewer in (table.viewers[number % table.seats], None):
            assert not Past(table, matches, viewer, chance).contradictions()


def _but_for_the_viewer(observation: CommonObservation) -> CommonObservation:
    return replace(observation, viewer=None, legal_moves=())


@every_table
def test_log_and_events_tell_a_choice_only_to_those_whose_view_tells_it(table: Table) -> None:
    """Where a viewer's view is the same after either of two moves, so is what the log shows of them."""
    for match in table.random_match(11):
        for seat in table.game.active_seats(match.state):
            moves = some_moves(tuple(table.game.legal_moves(match.state, seat)), CHOICES)
            after = {move: table.game.apply(match.state, seat, move) for move in moves}
            for viewer in table.viewers:
                told: list[tuple[CommonObservation, Any, Any]] = []
                for move, state in after.items():
                    view = table.game.observe(state, viewer)
                    shown = table.game.visible_move(seat, move, viewer), table.game.events(state)
                    assert shown[0] in (move, None)
                    told.extend([(view, state, shown)])
                _check_told(told)


def _check_told(told: list[tuple[CommonObservation, Any, Any]]) -> None:
    for i, (view, state, shown) in enumerate(told):
        for other_view, other_state, other_shown in told[:i]:
            is_secret = view == other_view and state != other_state
            assert not is_secret or shown == other_shown


@every_table
def test_a_step_that_can_be_taken_back_has_told_nobody_anything(table: Table) -> None:
    """It could be made in any state that a viewer could not tell from the true one, and looks the same there.

    A state in which it cannot be made is one that the viewer has seen to be wrong, and would draw again once
    the step is taken back.
    """
    chance = Chance(b"undo".ljust(32))
    before, checked, quiet = table.match(6), 0, 0
    for match in table.random_match(6):
        quiet += bool(match.plies) and shows_nothing(table, before, match)
        if match._undoable:
            checked += 1
            assert match._undoable[-1] == before.state
            _check_told_nothing(table, before, match, chance)
        before = with_state(match, match.state)
    assert checked == quiet


def _check_told_nothing(table: Table, before: Match, after: Match, chance: Chance) -> None:
    seat, move = after.plies[-1]
    for viewer in table.viewers:
        if viewer == seat:
            continue
        state = table.game.determinise(table.game.observe(before.state, viewer), chance)
        possible = set(table.game.legal_moves(state, seat))
        is_open = table.game.visible_move(seat, move, viewer) is not None
        assert any(
            _seen_after(with_state(before, state), seat, choice, viewer) == view_bytes(after, viewer)
            for choice in (possible & {move} if is_open else possible)
        )


def _seen_after(match: Match, seat: Seat, move: Move, viewer: Viewer) -> bytes:
    match.play(seat, move)
    return view_bytes(match, viewer)


SURE = 10
"""Of so many steps that cannot be taken back, one may have shown what could be worked out before."""


@sample_tables
def test_a_step_that_nobody_can_take_back_has_told_somebody_something(table: Table) -> None:
    """Within a turn, undo is refused hardly anywhere but where it has to be."""
    chance = Chance(b"final".ljust(32))
    told = Counter[bool]()
    before = table.match(6)
    for match in table.random_match(6):
        is_same_turn = table.game.turn(before.state) == table.game.turn(match.state)
        if match.plies and is_same_turn and not (match._undoable or match.is_over):
            told[any(_tells(table, before, match, viewer, chance) for viewer in table.viewers)] += 1
        before = with_state(match, match.state)
    assert told[False] * SURE <= told[True]


def _tells(table: Table, before: Match, after: Match, viewer: Viewer, chance: Chance) -> bool:
    """Whether some of the states that a viewer could believe in turn out to be wrong with the last ply."""
    seat, move = after.plies[-1]
    seen = table.game.observe(before.state, viewer)
    for state in (table.game.determinise(seen, chance) for _ in range(CHOICES)):
        if move not in table.game.legal_moves(state, seat):
            return True
        if _seen_after(with_state(before, state), seat, move, viewer) != view_bytes(after, viewer):
            return True
    return False
