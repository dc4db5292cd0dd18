"""Advice: a few moves that may be made, with reasons that tell nothing one does not know."""

from __future__ import annotations

import pytest

from kk_core.bots import bot
from kk_core.bots.advice import MOST, Adviser, advise
from kk_core.bots.duel import compared
from kk_core.bots.levels import Searcher
from kk_core.bots.search import Budget
from kk_core.bots.watching import NOTHING, Known
from kk_core.chance import Chance
from kk_core.games.ku_ka_king.model import ANIMALS, KNIGHT, POINTS2, POINTS4
from tests.core.contract.tables import Table, sample_tables
from tests.core.contract.test_bots import choices_of

SEED = bytes(32)


@sample_tables
def test_advice_is_of_the_best_moves_and_the_best_comes_first(table: Table) -> None:
    for match, seat in choices_of(table, 16):
        observation = table.game.observe(match.state, seat)
        moves = advise(table.game, observation, Chance(SEED), Budget(30))
        assert 1 <= len(moves) <= MOST
        assert len({advice.move for advice in moves}) == len(moves)
        assert {advice.move for advice in moves} <= set(observation.legal_moves)
        margins = [advice.margin for advice in moves]
        assert margins == sorted(margins, reverse=True)
        assert 0 < sum(advice.share for advice in moves) <= 1.000001


@sample_tables
def test_advice_is_the_same_whatever_one_must_not_know(table: Table) -> None:
    chance = Chance(b"others".ljust(32))
    for match, seat in choices_of(table, 17):
        observation = table.game.observe(match.state, seat)
        twin = table.game.observe(table.game.determinise(observation, chance), seat)
        own, other = (advise(table.game, seen, Chance(SEED), Budget(10)) for seen in (observation, twin))
        assert own == other


def test_advice_goes_by_how_the_others_have_played() -> None:
    table = Table("land_cards", 3)
    match = table.match(5)
    greedy = bot("greedy", table.game)
    while table.game.turn(match.state) < 9:
        (seat,) = table.game.active_seats(match.state)
        seen = table.game.observe(match.state, seat)
        match.play(seat, greedy.choose(seen, Chance(SEED), Budget(1)))
    (seat,) = table.game.active_seats(match.state)
    observation = table.game.observe(match.state, seat)
    known = Known(moves=tuple(match.seen_by(seat)))
    assert len(known.moves) == len(match.plies)
    watched, not_watched = (
        advise(table.game, observation, Chance(SEED), Budget(40), known) for known in (known, NOTHING)
    )
    assert watched != not_watched


def test_who_has_nothing_to_choose_gets_no_advice() -> None:
    table = Table("land_cards", 3)
    observation = table.game.observe(table.match().state, 1)
    assert advise(table.game, observation, Chance(SEED), Budget(10)) == ()


def test_what_a_move_gains_is_told_by_the_line_of_the_score() -> None:
    """The first land card of a country brings all that there are of it."""
    table = Table("land_cards", 3)
    state = table.match(1).state
    seat = table.game.active_seats(state)[0]
    (best, *_) = advise(table.game, table.game.observe(state, seat), Chance(SEED), Budget(50))
    assert best.contested == 0
    change = best.changes[0]
    assert table.game.sheet[change.line].startswith("land:")
    gained = table.game.score(table.game.apply(state, seat, best.move))[change.line][seat]
    assert change.own == gained
    assert change.leads


def test_where_all_choose_at_once_it_is_told_how_likely_others_choose_the_same() -> None:
    table = Table("ku_ka_king", 3)
    observation = table.game.observe(table.match(1).state, 0)
    others = {1: {1: 0.5, 2: 0.5}, 2: {1: 0.25, 3: 0.75}}
    adviser = Adviser(table.game, observation, Chance(SEED), others)
    assert [adviser.contested(row) for row in (1, 2, 3, 4)] == [0.625, 0.5, 0.75, 0.0]


def test_what_others_choose_at_the_same_moment_is_what_a_search_finds_them_to_choose() -> None:
    table = Table("ku_ka_king", 3)
    observation = table.game.observe(table.match(1).state, 0)
    others = Searcher(table.game).think(observation, Chance(SEED), Budget(200)).others
    assert others.keys() == {1, 2}
    for likely in others.values():
        assert sum(likely.values()) == pytest.approx(1)
        assert likely.keys() <= set(observation.legal_moves)


def test_a_move_that_surely_clashes_is_worth_less_to_who_wants_its_row_alone() -> None:
    """Compared are moves while the others choose what is known of them, whichever of the moves it is."""
    table = Table("ku_ka_king", 2)
    observation = table.game.observe(table.match(1).state, 0)
    row = Searcher(table.game).think(observation, Chance(SEED), Budget(200)).moves[0].move
    other = next(move for move in observation.legal_moves if move != row)
    with_it, without = (
        compared(table.game, observation, (row,), Chance(SEED), Budget(200), others={1: {called: 1.0}})[row]
        for called in (row, other)
    )
    assert with_it.margin < without.margin


def test_where_all_choose_at_once_a_change_is_what_one_gets_if_nobody_else_chooses_the_same() -> None:
    table = Table("ku_ka_king", 3)
    state = table.match(1).state
    observation = table.game.observe(state, 0)
    others = {seat: dict.fromkeys(observation.legal_moves, 1.0) for seat in (1, 2)}
    adviser = Adviser(table.game, observation, Chance(SEED), others)
    alone = [
        row for row, cards in enumerate(observation.rows, start=1) if any(map(_counts_at_once, set(cards)))
    ]
    assert alone
    for row in alone:
        changes = adviser.changes(row)
        assert changes, row
        assert all(change.own >= 1 for change in changes), row


def _counts_at_once(card: int) -> bool:
    """Whether the first card of a type brings points to whoever gets it."""
    return card < ANIMALS or card == KNIGHT or POINTS2 <= card <= POINTS4
