"""The bench that tells an expert what it cannot know."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.registry import game
from kk_core.search.arena import play_numbered
from kk_core.search.bots import AdaptiveSearcher
from tools.bench import oracle
from tools.bench.contests import Entry

FEW = 10


class Fair(AdaptiveSearcher):
    """An expert that is told, but does not listen."""

    def __init__(self, rules: AnyGame, _knows: Collection[str]) -> None:
        super().__init__(rules)


@pytest.mark.parametrize("number", [0, 5])
def test_the_matches_of_an_oracle_differ_from_those_of_the_contest_only_by_what_it_knows(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = Entry("ku_ka_king", f"expert:{FEW}", "greedy", 4)
    told = oracle.play(entry, number, oracle.KNOWN, FEW)
    monkeypatch.setattr(oracle, "Oracle", Fair)
    fair = oracle.play(entry, number, oracle.KNOWN, FEW)
    played = play_numbered(game("ku_ka_king"), entry.contest, number, lambda: 0.0)
    assert (fair.number, fair.points, fair.wins) == (number, played.points, played.wins)
    assert told.points != fair.points


def test_an_oracle_that_is_told_the_calls_has_only_its_own_to_choose() -> None:
    rules = game("ku_ka_king")
    state = rules.setup(rules.meta.default_options(), 4, bytes(32))
    seen = rules.observe(state, 2)
    for knows, calls, waiting in (({"calls"}, (4, 5, 0, 4), 0b100), (set[str](), (0, 0, 0, 0), 0b1111)):
        told = oracle.Oracle(rules, knows)
        told.state, told.calls = state, {0: 4, 1: 5, 3: 4}
        world = told._search(seen, Chance(bytes(32)))._world(0)
        assert (tuple(world.calls), world.waiting) == (calls, waiting)


def test_an_oracle_that_is_told_the_cards_sees_the_true_hands() -> None:
    rules = game("web_of_power")
    states = [rules.setup(rules.meta.default_options(), 4, bytes([number]) * 32) for number in range(2)]
    told = oracle.Oracle(rules, {"cards"})
    for told.state in states:
        world = told._search(rules.observe(states[0], 0), Chance(bytes(32)))._world(0)
        assert (world.hands, world.pile) == (told.state.hands, told.state.pile)
    assert states[0].hands != states[1].hands
