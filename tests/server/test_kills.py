"""Workers and hubs are killed at random moments while people play: nothing that was acknowledged is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.postgres import Postgres, replicated_postgres
from tools.load.kills import DATABASE, HUB, WORKER, measure, measure_nodes


@pytest.mark.e2e
async def test_no_move_is_lost_or_doubled_whatever_is_killed_and_everybody_is_back_in_his_seat(
    tmp_path: Path,
) -> None:
    tally = await measure(tmp_path, [WORKER, HUB, WORKER], tables=2)
    assert (tally.workers, tally.hubs) == (2, 1)
    assert tally.moves > 0
    assert (tally.lost, tally.doubled) == (0, 0)


@pytest.mark.e2e
async def test_no_move_is_lost_or_doubled_when_the_standby_of_a_database_is_promoted(tmp_path: Path) -> None:
    with replicated_postgres() as databases:
        tally = await measure(tmp_path, [DATABASE, HUB], tables=2, databases=databases)
    assert (tally.databases, tally.hubs) == (1, 1)
    assert tally.moves > 0
    assert (tally.lost, tally.doubled) == (0, 0)


@pytest.mark.e2e
async def test_no_move_is_lost_or_doubled_when_nodes_are_killed_or_freeze(
    tmp_path: Path, postgres: Postgres
) -> None:
    tally = await measure_nodes(tmp_path, 2, 2, 2, postgres)
    assert tally.nodes == 2
    assert tally.moves > 0
    assert (tally.lost, tally.doubled) == (0, 0)
