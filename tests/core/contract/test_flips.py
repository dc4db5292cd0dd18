"""A record notices when a bit of it is changed, whichever it is."""

from __future__ import annotations

import pytest

from kk_core.registry import game_ids
from tools.bench.flips import REFUSED, flips, records

STRIDE = 97
"""Every 97th bit, so that each of a byte's eight takes its turn; `python -m tools.bench.flips` flips all."""


@pytest.mark.parametrize("game_id", game_ids())
def test_a_flipped_bit_is_refused(game_id: str) -> None:
    for content in records(game_id):
        counts = flips(content, STRIDE)
        assert set(counts) == {REFUSED}
        assert counts[REFUSED] == len(range(0, len(content) * 8, STRIDE))
