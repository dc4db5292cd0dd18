"""What viewers are sent, in every game."""

from __future__ import annotations

import msgspec

from kk_core.chance import Chance
from kk_core.delta import diff, patch
from kk_core.match import Match
from kk_core.types import Move, Seat, Tree, Viewer
from kk_core.wire.frames import pack, unpack
from kk_core.wire.views import MatchView, encode_match
from tests.core.contract.tables import Table, copied, every_table, view_bytes, view_tree


@every_table
def test_an_observation_carries_its_viewers_legal_moves(table: Table) -> None:
    for match in table.random_match():
        for viewer in table.viewers:
            observation = table.game.observe(match.state, viewer)
            expected = () if viewer is None else sorted(table.game.legal_moves(match.state, viewer))
            assert observation.legal_moves == tuple(expected)
            assert observation.active == table.game.active_seats(match.state)
            assert observation.viewer == viewer


@every_table
def test_states_and_views_come_back_from_the_wire_as_they_were(table: Table) -> None:
    for match in table.random_match(1):
        assert copied(match.state) == match.state
        for viewer in table.viewers:
            view = match.view(viewer)
            tree = unpack(pack(encode_match(view)))
            again = msgspec.convert(tree, MatchView, builtin_types=(bytes,))
            observation = table.game.observe(match.state, viewer)
            assert again.observed(type(observation)) == observation
            assert msgspec.structs.replace(again, observation=observation) == view


@every_table
def test_a_tree_holds_no_maps(table: Table) -> None:
    def check(tree: Tree) -> None:
        assert tree is None or isinstance(tree, (bool, int, str, bytes, list))
        for branch in tree if isinstance(tree, list) else ():
            check(branch)

    for match in table.random_match(2):
        for viewer in table.viewers:
            check(view_tree(match, viewer))


@every_table
def test_the_delta_from_one_view_to_the_next_gives_the_next_for_every_viewer(table: Table) -> None:
    last: dict[Viewer, Tree] = {}
    for match in table.random_match(3):
        for viewer in table.viewers:
            tree = view_tree(match, viewer)
            if viewer in last:
                assert patch(last[viewer], unpack(pack(diff(last[viewer], tree)))) == tree
            last[viewer] = tree


@every_table
def test_the_seed_is_shown_after_the_last_move_and_never_before(table: Table) -> None:
    match = table.match(4)
    for match in table.random_match(4):
        for viewer in table.viewers:
            assert (match.seed in view_bytes(match, viewer)) == match.is_over
            assert match.commitment in view_bytes(match, viewer)


def with_state(match: Match, state: object) -> Match:
    """The same match as if another state had been the truth all along."""
    twin = Match(match.game, match.options, match.seats, match.seed)
    twin.plies, twin.revision, twin.state = list(match.plies), match.revision, state
    twin._events, twin._undoable = list(match._events), list(match._undoable)
    return twin


@every_table
def test_exchanging_what_a_viewer_must_not_know_changes_no_byte_that_he_is_sent(table: Table) -> None:
    exchanged = 0
    chance = Chance(b"exchange".ljust(32))
    for match in table.random_match(5):
        if match.is_over:
            break
        for viewer in table.viewers:
            state = table.game.exchange_secrets(match.state, viewer, chance)
            exchanged += state != match.state
            assert view_bytes(with_state(match, state), viewer) == view_bytes(match, viewer)
    assert exchanged > 10


@every_table
def test_a_step_that_can_be_taken_back_has_told_nobody_anything(table: Table) -> None:
    chance = Chance(b"undo".ljust(32))
    before, steps = table.match(6), 0
    for match in table.random_match(6):
        if match._undoable:
            assert match._undoable[-1] == before.state
            steps += 1
            _check_told_nothing(table, before, match, chance)
        before = with_state(match, match.state)
    assert steps


def _check_told_nothing(table: Table, before: Match, after: Match, chance: Chance) -> None:
    """The move, made in any state that a viewer could not tell from the true one, looks the same to him."""
    seat, move = after.plies[-1]
    for viewer in table.viewers:
        if viewer == seat:
            continue
        state = table.game.exchange_secrets(before.state, viewer, chance)
        if not _possible(table, state, seat, move):
            continue
        twin = with_state(before, state)
        twin.play(seat, move)
        assert view_bytes(twin, viewer) == view_bytes(after, viewer)


def _possible(table: Table, state: object, seat: Seat, move: Move) -> bool:
    return move in table.game.legal_moves(state, seat)


@every_table
def test_taking_back_gives_every_viewer_the_view_he_had(table: Table) -> None:
    seen: list[list[bytes]] = []
    undone = 0
    for match in table.random_match(7):
        views = [view_bytes(match, viewer) for viewer in table.viewers]
        seen.append(views)
        if not match._undoable:
            continue
        seat, move = match.plies[-1]
        assert match.may_undo(seat)
        match.undo(seat)
        assert [view_bytes(match, viewer) for viewer in table.viewers] == seen[-2]
        match.play(seat, move)
        assert [view_bytes(match, viewer) for viewer in table.viewers] == views
        undone += 1
    assert undone
