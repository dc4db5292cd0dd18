"""Bots, in every game: they know what a human in their seat knows, and play by the rules."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kk_core.bot_names import bot_names, bot_people, other_bots
from kk_core.chance import Chance
from kk_core.errors import BotFailed, InvalidOptions
from kk_core.match import Match
from kk_core.search.arena import play_match
from kk_core.search.bots import Allowance, Searcher, bot, bot_kind, may_watch
from kk_core.search.search import Budget
from kk_core.search.strategy import strategy_of
from tests.core.contract.tables import Table, every_table

SIMULATIONS = 6
EVERY = 23
"""Only so many moves apart bots are asked, since they think."""

every_bot = pytest.mark.parametrize("name", bot_names())


def choices_of(table: Table, number: int) -> Iterator[tuple[Match, int]]:
    """Positions of a random match, each with a seat that has a choice."""
    for ply, match in enumerate(table.random_match(number)):
        for seat in table.game.active_seats(match.state)[:1]:
            if ply % EVERY == 0 and len(table.game.legal_moves(match.state, seat)) > 1:
                yield match, seat


@every_bot
@every_table
def test_a_bot_makes_the_same_legal_move_whatever_it_must_not_know(table: Table, name: str) -> None:
    player, chance = bot(name, table.game), Chance(b"others".ljust(32))
    asked = 0
    for match, seat in choices_of(table, 12):
        asked += 1
        observation = table.game.observe(match.state, seat)
        move = player.choose(observation, Chance(bytes(32)), Budget(SIMULATIONS))
        assert move in observation.legal_moves
        for _ in range(2):
            twin = table.game.observe(table.game.determinise(observation, chance), seat)
            again = bot(name, table.game).choose(twin, Chance(bytes(32)), Budget(SIMULATIONS))
            assert again == move
    assert asked


@every_table
def test_a_strategy_knows_the_same_moves_and_the_same_result_as_the_rules(table: Table) -> None:
    game, chance = table.game, Chance(b"moves".ljust(32))
    observation = game.observe(table.match(13).state, 0)
    strategy, state = strategy_of(game, observation), game.determinise(observation, Chance(bytes(32)))
    position = strategy.world(Chance(bytes(32)))
    while active := game.active_seats(state):
        assert strategy.active(position) == active
        seat = active[chance.below(len(active))]
        moves = strategy.legal(position, seat)
        assert moves == tuple(game.legal_moves(state, seat))
        priors = strategy.priors(position, seat, moves)
        assert len(priors) == len(moves)
        assert min(priors) >= 0
        assert sum(priors) == pytest.approx(1)
        assert strategy.spread(position) > 0
        move = moves[chance.below(len(moves))]
        before = strategy.copy(position)
        strategy.step(position, seat, move)
        assert strategy.legal(before, seat) == moves
        state = game.apply(state, seat, move)
    assert strategy.active(position) == ()
    expected, outcome = strategy.expected(position), game.outcome(state)
    assert outcome is not None
    assert {*outcome.winners} <= {seat for seat, points in enumerate(expected) if points == max(expected)}


@every_table
def test_a_search_tells_what_it_knows_of_every_move_it_tried(table: Table) -> None:
    for match, seat in choices_of(table, 14):
        observation = table.game.observe(match.state, seat)
        findings = Searcher(table.game).think(observation, Chance(bytes(32)), Budget(20))
        assert findings.simulations == 20
        assert sum(found.visits for found in findings.moves) == 20
        assert {found.move for found in findings.moves} <= set(observation.legal_moves)
        visits = [found.visits for found in findings.moves]
        assert visits == sorted(visits, reverse=True)
        assert all(0 <= found.reward <= 1 for found in findings.moves)


def test_a_search_stops_when_its_time_is_over() -> None:
    table = Table("land_cards", 3)
    times = iter([0.0, 0.5, 0.9, 1.0, 1.1])
    budget = Allowance(1000, 1.0).budget(lambda: next(times))
    observation = table.game.observe(table.match(15).state, 0)
    assert Searcher(table.game).think(observation, Chance(bytes(32)), budget).simulations == 3


def test_unknown_bots_are_refused() -> None:
    with pytest.raises(InvalidOptions, match="Unknown bot 'clever'; known bots: expert, hard, medium, easy"):
        bot_kind("clever")


def test_people_at_a_table_have_names_of_their_own() -> None:
    seats = ("expert", None, "expert", "hard", "elsewhere")
    people = bot_people(seats, 3)
    assert people == bot_people(seats, 3)
    assert people != bot_people(seats, 4)
    assert people[1] is None
    assert len(set(people)) == len(people)
    crowd = bot_people(("easy",) * 9, 0)
    assert len(set(crowd)) == 9


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Installs a package `outsiders` with bots: its source, and its entry points by name."""

    def install(source: str, **points: str) -> None:
        (tmp_path / "outsiders.py").write_text("from kk_core.search.bots import BotKind\n" + source)
        folder = tmp_path / "outsiders-1.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: outsiders\nVersion: 1\n")
        lines = [f"{name} = {value}" for name, value in points.items()]
        (folder / "entry_points.txt").write_text("\n".join(["[kk.bots]", *lines, ""]))
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        other_bots.cache_clear()

    yield install
    other_bots.cache_clear()
    bot_kind.cache_clear()
    sys.modules.pop("outsiders", None)


MOVER = """
class Mover:
    def __init__(self, game): pass
    def choose(self, observation, chance, budget): return observation.legal_moves[-1]
"""


def test_another_package_adds_a_bot_by_an_entry_point(package: Callable[..., None]) -> None:
    package(f"{MOVER}KIND = BotKind(Mover)", last="outsiders:KIND")
    table = Table("ku_ka_king", 2)
    observation = table.game.observe(table.match().state, 0)
    move = bot("last", table.game).choose(observation, Chance(bytes(32)), Budget(1))
    assert move == observation.legal_moves[-1]
    assert "last" in bot_names()


def test_a_bot_whose_package_is_gone_is_not_named(package: Callable[..., None]) -> None:
    package(f"{MOVER}KIND = BotKind(Mover)", last="outsiders:KIND", gone="no_such:KIND", deep="no.such:KIND")
    assert "last" in bot_names()
    assert not {"gone", "deep"} & {*bot_names()}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("hard", "kk reserves this name."),
        ("Greedy", "kk reserves this name."),
        ("me", "kk reserves this name."),
        ("two words", "names have 1 to 20 characters: letters, digits, and . _ + -."),
        ("one,two", "names have 1 to 20 characters"),
        ("hard:50", "names have 1 to 20 characters"),
        ("x" * 21, "names have 1 to 20 characters"),
    ],
)
def test_a_bot_whose_name_cannot_be_its_own_is_refused_with_its_package_and_the_reason(
    name: str, reason: str, package: Callable[..., None]
) -> None:
    known = bot_names()
    package(f"{MOVER}KIND = BotKind(Mover)", last="outsiders:KIND", **{name: "outsiders:KIND"})
    assert bot_names() == (*known, "last")
    (refused,) = other_bots().refused
    begins = f"Ignoring bot {name!r} from package outsiders: {reason}"
    assert str(refused.sentence).startswith(begins)


def test_of_two_packages_with_a_bot_of_one_name_the_second_is_refused(
    package: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "late" / "late-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: late\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[kk.bots]\nlast = outsiders:OTHER\n")
    package(f"{MOVER}KIND = BotKind(Mover)", last="outsiders:KIND")
    monkeypatch.setattr(sys, "path", [*sys.path, str(info.parent)])
    assert other_bots().points["last"].value == "outsiders:KIND"
    (refused,) = other_bots().refused
    assert (refused.name, refused.package) == ("last", "late")
    assert "package outsiders already has a bot with this name" in str(refused.sentence)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise RuntimeError", "RuntimeError in <module>:2"),
        ("raise RuntimeError('no model file')", "RuntimeError in <module>:2: no model file"),
        ("def ?", "invalid syntax (outsiders.py, line 2)"),
        ("import no_such_module", "No module named 'no_such_module'"),
        ("KIND = 7", "outsiders:KIND: no BotKind"),
        ("", "AttributeError in "),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_refused_with_the_reason(
    source: str, reason: str, package: Callable[..., None]
) -> None:
    package(source, bad="outsiders:KIND")
    with pytest.raises(InvalidOptions, match=f"The bot 'bad' cannot be loaded: .*{re.escape(reason)}"):
        bot_kind("bad")


def test_of_the_bots_here_expert_alone_wants_to_know_what_the_others_do_and_any_other_may() -> None:
    assert [name for name in (*bot_names(), "bad") if may_watch(name)] == ["expert", "bad"]


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("def make(game): raise ValueError", "The bot 'bad' failed: ValueError in make:2"),
        ("def make(game): raise ValueError('oh')", "The bot 'bad' failed: ValueError in make:2: oh"),
        ("def make(game): raise SystemExit(3)", "The bot 'bad' failed: SystemExit in make:2: 3"),
        (f"{MOVER}    choose = None\nmake = Mover", "The bot 'bad' failed: TypeError in "),
        (MOVER.replace("observation.legal_moves[-1]", "10**9") + "make = Mover", "The bot 'bad' answered"),
        (MOVER.replace("observation.legal_moves[-1]", "'hello'") + "make = Mover", "The bot 'bad' answered"),
    ],
)
def test_what_a_bot_does_wrong_is_told_as_its_fault(
    source: str, fault: str, package: Callable[..., None]
) -> None:
    package(f"{source}\nKIND = BotKind(make)", bad="outsiders:KIND")
    table = Table("ku_ka_king", 2)
    with pytest.raises(BotFailed, match=re.escape(fault)):
        play_match(table.game, table.game.meta.default_options(), ("bad", "greedy"), bytes(32))


def test_the_bot_of_a_seat_keeps_its_name_when_another_seat_gets_another_bot() -> None:
    for others in ("easy", "hard", "random", None):
        assert bot_people((others, "easy", others, "easy"), 3)[1::2] == bot_people(("easy",) * 4, 3)[1::2]
