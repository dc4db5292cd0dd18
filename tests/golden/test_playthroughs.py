"""Whole matches as somebody would tell them: a change of rules, notation or events shows here, line by line.

After a wanted change: `pytest tests/golden --snapshot-update`, and read the difference.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from kk_core.match import Match
from kk_core.registry import game_ids
from kk_core.types import Seat, totals
from tests.core.contract.tables import Table, tables_of, view_bytes


class Playthrough(SingleFileSnapshotExtension):
    """One text file for each match."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


def tables() -> list[Table]:
    """The fewest and the most players of every game, with every option."""
    found = []
    for game_id in game_ids():
        every = tables_of(game_id)
        found += [table for table in every if table.seats in (every[0].seats, every[-1].seats)]
    return found


@pytest.mark.parametrize("table", tables(), ids=str)
def test_a_playthrough_stays_as_it_is(table: Table, snapshot: SnapshotAssertion) -> None:
    told = "\n".join([*_setup(table), *_turns(table), *_end(table)]) + "\n"
    assert told == snapshot(extension_class=Playthrough)


def _setup(table: Table) -> Iterator[str]:
    """How everything lay before the first move."""
    match = table.match()
    yield f"{table.game_id}, {table.seats} players, {match.options}"
    for name, value in table.game.export_setup(match.state).items():
        yield f"{name}: {_compact(value)}"


def _turns(table: Table) -> Iterator[str]:
    """A line for what a seat did in one turn, then one for each thing that rule or chance did."""
    game, steps, seat, turn = table.game, list[str](), None, -1
    before = table.match().state
    for match in table.random_match():
        if not match.plies:
            continue
        ply = match.plies[-1]
        if (ply.seat, game.turn(before)) != (seat, turn):
            yield from _line(seat, steps)
            steps, seat, turn = [], ply.seat, game.turn(before)
        steps.append(game.format_move(ply.move))
        events = [game.export_event(match.state, event) for event in game.events(match.state)]
        if any(events):
            yield from _line(seat, steps)
            yield from (f"    {_compact(event)}" for event in events if event)
            steps = []
        before = match.state
    yield from _line(seat, steps)


def _line(seat: Seat | None, steps: list[str]) -> Iterator[str]:
    if steps and seat is not None:
        yield f"{'ABCDE'[seat]}: {', '.join(steps)}"


def _end(table: Table) -> Iterator[str]:
    """The score, who has won, and a digest of all that each viewer was sent."""
    match = table.finished()
    sheet = table.game.score(match.state)
    for item, points in zip(table.game.sheet, sheet, strict=True):
        yield f"{item}: {_compact(points)}"
    yield f"total: {_compact(totals(sheet))}"
    yield f"{table.game.outcome(match.state)}"
    for viewer, seen in _digests(table).items():
        yield f"seen by {'a spectator' if viewer is None else 'ABCDE'[viewer]}: {seen}"


def _digests(table: Table) -> dict[Seat | None, str]:
    digests = {viewer: blake2b(digest_size=8) for viewer in table.viewers}
    match: Match
    for match in table.random_match():
        for viewer, digest in digests.items():
            digest.update(view_bytes(match, viewer))
    return {viewer: digest.hexdigest() for viewer, digest in digests.items()}


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
