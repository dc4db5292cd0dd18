"""Workers and hubs are killed at random moments while people play: nothing that was acknowledged is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from kk_server.hub import relay
from tests.server.postgres import replicated_postgres
from tools.load.kills import DATABASE, HUB, NODE, WORKER, measure


@pytest.mark.e2e
async def test_no_move_is_lost_or_doubled_whatever_is_killed_and_everybody_is_back_in_his_seat(
    tmp_path: Path,
) -> None:
    tally = await measure(tmp_path, [WORKER, HUB, WORKER], tables=2)
    assert tally.kills == {WORKER: 2, HUB: 1}
    assert tally.moves > 0
    assert (tally.lost, tally.doubled) == (0, 0)


@pytest.mark.e2e
async def test_no_move_is_lost_or_doubled_when_the_standby_of_a_database_is_promoted(tmp_path: Path) -> None:
    with replicated_postgres() as databases:
        tally = await measure(tmp_path, [DATABASE, HUB], tables=2, databases=databases)
    assert tally.kills == {DATABASE: 1, HUB: 1}
    assert tally.moves > 0
    assert (tally.lost, tally.doubled) == (0, 0)


@pytest.mark.e2e
async def test_no_move_is_lost_or_doubled_when_nodes_and_their_database_are_killed_or_freeze(
    tmp_path: Path,
) -> None:
    with replicated_postgres() as databases:
        tally = await measure(tmp_path, [NODE, DATABASE, NODE], tables=2, nodes=2, databases=databases)
    assert tally.kills == {NODE: 2, DATABASE: 1}
    assert tally.moves > 0
    assert (tally.lost, tally.doubled) == (0, 0)
    # no longer than a table may be served by nobody, however full the machine is
    assert max(tally.returns[NODE] + tally.returns[DATABASE]) < relay._PATIENCE
