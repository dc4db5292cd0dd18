"""Styles: bots of one level that like different things, told by the names they bear."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

import pytest

from kk_core.bot_names import BOTS, LEVELS, STYLES, bot_people, style_of
from kk_core.chance import Chance
from kk_core.errors import InvalidOptions
from kk_core.registry import game
from kk_core.search.arena import parse_contestant
from kk_core.search.bots import bot
from kk_core.search.search import Budget
from kk_core.search.strategy import Styled, strategy_of
from kk_core.types import CommonObservation
from kk_tui.games import faces
from tests.core.contract.tables import Table, every_table

EVERY = 11
"""Only so many moves apart positions are looked at."""

every_style = pytest.mark.parametrize("style", STYLES)


def choices_of(table: Table, number: int, every: int = EVERY) -> Iterator[CommonObservation]:
    """What the active seat of a random match sees where it has a choice."""
    for ply, match in enumerate(table.random_match(number)):
        for seat in table.game.active_seats(match.state)[:1]:
            if ply % every == 0 and len(table.game.legal_moves(match.state, seat)) > 1:
                yield table.game.observe(match.state, seat)


def has_styles(table: Table) -> bool:
    """Whether bots differ in a game."""
    return isinstance(strategy_of(table.game, table.game.observe(table.match().state, 0)), Styled)


def preferences(table: Table, seen: CommonObservation, style: str) -> list[float]:
    """What a style likes about each legal move."""
    strategy = strategy_of(table.game, seen)
    assert isinstance(strategy, Styled)
    assert seen.viewer is not None
    return strategy.preferences(style, strategy.world(Chance(bytes(32))), seen.viewer, seen.legal_moves)


@every_style
@every_table
def test_a_style_likes_some_moves_better_than_others(table: Table, style: str) -> None:
    if not has_styles(table):
        return
    spreads = []
    for seen in choices_of(table, 21):
        liked = preferences(table, seen, style)
        assert len(liked) == len(seen.legal_moves)
        assert all(map(isfinite, liked))
        spreads.append(max(liked) - min(liked))
    assert any(spreads)


@every_style
@every_table
@pytest.mark.parametrize("name", ["easy", "medium", "expert"])
def test_a_bot_with_a_style_makes_the_same_legal_move_whatever_it_must_not_know(
    table: Table, style: str, name: str
) -> None:
    chance = Chance(b"others".ljust(32))
    for number, seen in enumerate(choices_of(table, 12)):
        if number % 3 == 0:
            assert seen.viewer is not None
            move = bot(name, table.game, style).choose(seen, Chance(bytes(32)), Budget(4))
            assert move in seen.legal_moves
            twin = table.game.observe(table.game.determinise(seen, chance), seen.viewer)
            assert bot(name, table.game, style).choose(twin, Chance(bytes(32)), Budget(4)) == move


@every_style
@pytest.mark.parametrize(("name", "times"), [("easy", 40), ("medium", 3)])
@pytest.mark.parametrize("game_id", list(faces()))
def test_a_bot_makes_more_of_the_moves_that_its_style_likes(
    game_id: str, name: str, times: int, style: str
) -> None:
    table = Table(game_id, min(3, game(game_id).meta.max_seats))
    if not has_styles(table):
        return
    bots = {kind: bot(name, table.game, kind) for kind in (style, None)}
    liked = dict.fromkeys(bots, 0.0)
    for seen in choices_of(table, 22, 4):
        likes = dict(zip(seen.legal_moves, preferences(table, seen, style), strict=True))
        for kind, player in bots.items():
            for number in range(times):
                move = player.choose(seen, Chance(bytes([number]).ljust(32)), Budget(12))
                liked[kind] += likes[move]
    assert liked[style] > liked[None]


@every_table
def test_every_game_with_styles_says_what_each_likes(table: Table) -> None:
    if table.game_id in faces():
        assert set(faces()[table.game_id].styles) == set(STYLES if has_styles(table) else ())


def test_the_name_that_a_bot_bears_tells_its_style() -> None:
    for level in LEVELS:
        people = [name for name in bot_people((level,) * 6, 0) if name is not None]
        assert [style_of(level, name) for name in people] == [*STYLES, None, None]
        # so does one with a number, where there are more bots than names
        crowd = [name for name in bot_people((level,) * 8, 0) if name is not None]
        assert [style_of(level, name) for name in crowd[6:]] == [*STYLES[:2]]


def test_people_and_other_bots_have_no_style() -> None:
    benno = next(name for name in bot_people(("easy",) * 6, 0) if name and style_of("easy", name))
    assert style_of(None, benno) is None
    assert style_of("hard", benno) is None
    for other in (*BOTS, "elsewhere"):
        assert style_of(other, (bot_people((other,), 0)[0]) or "") is None


def test_a_contest_takes_a_level_in_a_style() -> None:
    found = parse_contestant("easy:builder", "land_cards")
    assert (found.name, found.style, found.label) == ("easy", "builder", "easy:builder")
    gambler, usual = (parse_contestant(label, "land_cards") for label in ("hard:gambler", "hard"))
    assert gambler.allowance == usual.allowance


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        ("easy:waverer", "there is no style 'waverer'; there are builder, courtier, denier, gambler."),
        ("greedy:builder", "the bot greedy does not search"),
    ],
)
def test_a_contest_refuses_a_style_that_there_is_not(label: str, reason: str) -> None:
    with pytest.raises(InvalidOptions, match=reason):
        parse_contestant(label, "land_cards")
