"""What bots can tell of a position, from which is learned what it brings in the end."""

from __future__ import annotations

from collections import Counter

import pytest

from kk_core.games.web_of_power.ai.strategy import Strategy
from kk_core.games.web_of_power.model import COUNTRIES, SHEET
from kk_core.registry import game
from tests.core.contract.tables import Table, tables_of

RULES = game("web_of_power")

every_map_table = pytest.mark.parametrize("table", tables_of("web_of_power"), ids=str)


@every_map_table
def test_what_is_told_of_a_position_foretells_every_line_still_to_be_scored_once(table: Table) -> None:
    strategy = Strategy(RULES, RULES.observe(table.match(3).state, 0))
    for match in table.glimpses(3):
        told = list(strategy.keys(strategy.position(match.state)))
        scored = RULES.scorings(match.state) * len(COUNTRIES)
        for seat in range(table.seats):
            lines = Counter(line for _, lines, whose in told for line in lines if whose == seat)
            assert lines == Counter(range(scored, len(SHEET)))
