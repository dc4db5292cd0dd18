"""Workers and hubs are killed at random moments while people play: nothing that was acknowledged is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.load.kills import HUB, WORKER, measure


@pytest.mark.e2e
async def test_no_move_is_lost_or_doubled_whatever_is_killed_and_everybody_is_back_in_his_seat(
    tmp_path: Path,
) -> None:
    tally = await measure(tmp_path, [WORKER, HUB, WORKER], tables=2)
    assert (tally.workers, tally.hubs) == (2, 1)
    assert tally.moves > 0
    assert (tally.lost, tally.doubled) == (0, 0)
