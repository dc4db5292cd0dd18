"""docs/scaling.md says what its command computes."""

from __future__ import annotations

from itertools import pairwise

from tools.bench.scaling import PAGE, Figures, Plan, tables, written


def test_the_tables_of_the_page_are_those_that_the_command_prints() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page
    assert all(table in page for table in tables().values())


def test_a_cluster_can_lose_a_node_and_more_people_never_need_less() -> None:
    plans = [Plan(people, Figures()) for people in (100, 1_000, 10_000, 100_000, 1_000_000)]
    for plan in plans:
        assert (plan.nodes - 1) * Figures().node_cores >= plan.cores
    for fewer, more in pairwise(plans):
        assert fewer.nodes <= more.nodes
        assert fewer.spent < more.spent
        assert fewer.euros < more.euros
