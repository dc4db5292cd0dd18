"""What viewers are sent, in every game."""

from __future__ import annotations

from itertools import pairwise

import msgspec

from kk_core.tree import diff, pack, patch, unpack
from kk_core.types import Tree
from kk_core.views import LOG_SLOTS, MatchView, encode_match
from tests.core.contract.tables import Table, copied, every_table, sample_tables, view_bytes, view_tree

FIELDS = MatchView.__struct_fields__


@every_table
def test_an_observation_carries_its_viewers_legal_moves(table: Table) -> None:
    for match in table.random_match():
        for viewer in table.viewers:
            observation = table.game.observe(match.state, viewer)
            expected = () if viewer is None else sorted(table.game.legal_moves(match.state, viewer))
            assert observation.legal_moves == tuple(expected)
            assert observation.active == table.game.active_seats(match.state)
            assert observation.viewer == viewer


@sample_tables
def test_what_is_printed_is_the_same_in_every_observation_and_sent_only_once(table: Table) -> None:
    first = None
    for match in table.random_match(8):
        for viewer in table.viewers:
            assert table.game.observe(match.state, viewer).printed is table.game.printed
            tree = view_tree(match, viewer)
            first = first or tree
            change = unpack(pack(diff(first, tree)))
            assert isinstance(change, dict)
            assert not {MatchView.__struct_fields__.index(name) for name in ("printed", "drawing")} & set(
                change
            )


@every_table
def test_states_and_views_come_back_from_the_wire_as_they_were(table: Table) -> None:
    for match in table.glimpses(1):
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

    for match in table.glimpses(2):
        for viewer in table.viewers:
            check(view_tree(match, viewer))


@sample_tables
def test_the_delta_from_one_view_to_the_next_gives_the_next_for_every_viewer(table: Table) -> None:
    shown = [[view_tree(match, viewer) for viewer in table.viewers] for match in table.random_match(3)]
    for before, after in pairwise(shown):
        for old, new in zip(before, after, strict=True):
            assert patch(old, unpack(pack(diff(old, new)))) == new


@sample_tables
def test_the_seed_is_shown_after_the_last_move_and_never_before(table: Table) -> None:
    for match in table.random_match(4):
        for viewer in table.viewers:
            assert (match.seed in view_bytes(match, viewer)) == match.is_over
            assert match.commitment in view_bytes(match, viewer)


@sample_tables
def test_taking_back_gives_every_viewer_the_view_he_had(table: Table) -> None:
    seen: list[list[bytes]] = []
    for match in table.random_match(7):
        views = [view_bytes(match, viewer) for viewer in table.viewers]
        seen.append(views)
        seat, move = match.plies[-1] if match.plies else (0, 0)
        if not match.may_undo(seat):
            continue
        match.undo(seat)
        assert [view_bytes(match, viewer) for viewer in table.viewers] == seen[-2]
        match.play(seat, move)
        assert [view_bytes(match, viewer) for viewer in table.viewers] == views


@every_table
def test_the_log_says_in_words_what_everybody_has_done(table: Table) -> None:
    names = ("Anna", "Beate", "Claus", "Dora", "Emil")[: table.seats]
    match = table.finished(3)
    for viewer in table.viewers:
        seen = table.game.observe(match.state, viewer)
        said = [
            str(sentence)
            for seat, move, events in ((entry.seat, entry.move, entry.events) for entry in match.log(viewer))
            for sentence in table.game.describe(seen, names, seat, move, events)
        ]
        assert all(any(name in sentence for sentence in said) for name in names)


@every_table
def test_the_events_of_a_ply_can_be_told_without_its_move(table: Table) -> None:
    names = ("Anna", "Beate", "Claus", "Dora", "Emil")[: table.seats]
    match = table.finished(3)
    seen = table.game.observe(match.state, None)
    for entry in match.log(None):
        told = [*table.game.describe(seen, names, entry.seat, entry.move, entry.events)]
        alone = [*table.game.describe(seen, names, entry.seat, None, entry.events)]
        assert all(map(str, alone))
        assert len(alone) <= len(told)


@sample_tables
def test_a_view_tells_of_as_many_of_the_last_plies_as_it_has_room_for(table: Table) -> None:
    counts = set()
    for match in table.random_match():
        plies = len(match.plies)
        told = match.view(None).recent()
        assert [ply for ply, _ in told] == list(range(max(0, plies - LOG_SLOTS), plies))
        assert [entry.seat for _, entry in told] == [ply.seat for ply in match.plies[-LOG_SLOTS:]]
        counts.add(len(told))
    assert max(counts) <= LOG_SLOTS
