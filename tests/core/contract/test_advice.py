"""Advice: a few moves that may be made, with reasons that tell nothing one does not know."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain, islice
from statistics import fmean
from typing import Any

import pytest
from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.game import AnyGame, Contested
from kk_core.games.ku_ka_king.model import ANIMALS, KNIGHT, POINTS2, POINTS4
from kk_core.games.land_cards.model import TAKEN, MoveStone, PlaceStone, read
from kk_core.games.land_cards.observe import sheet_rows
from kk_core.registry import part_of
from kk_core.search import review
from kk_core.search.advice import KEENLY, MOST, Adviser, Comparison, Study, advise, compared, study
from kk_core.search.bots import Searcher, bot
from kk_core.search.opponents import NOTHING, BotKnowledge
from kk_core.search.review import Judgement, weigh
from kk_core.search.search import Budget
from kk_core.types import CommonObservation, Move, Seat
from kk_core.values import with_byte
from kk_core.views import CLOSE, is_even
from tests.core.contract.tables import Table, sample_tables
from tests.core.contract.test_bots import choices_of

SEED = bytes(32)
ANEW = bytes(31) + b"1"


@sample_tables
def test_advice_is_of_the_best_moves_and_the_best_comes_first(table: Table) -> None:
    for match, seat in choices_of(table, 16):
        observation = table.game.observe(match.state, seat)
        moves = advise(table.game, observation, Chance(SEED), Budget(30))
        assert 1 <= len(moves) <= MOST
        assert len({advice.move for advice in moves}) == len(moves)
        assert {advice.move for advice in moves} <= set(observation.legal_moves)
        margins = [advice.margin for advice in moves]
        assert margins[1:] == sorted(margins[1:], reverse=True)
        # of those that others may choose, too, the surest of the best
        error = CLOSE if moves[0].rivals else 0.0
        assert margins[0] >= max(margins) - error
        assert 0 < sum(advice.share for advice in moves) <= 1.000001


@sample_tables
def test_advice_is_the_same_whatever_one_must_not_know(table: Table) -> None:
    chance = Chance(b"others".ljust(32))
    for match, seat in choices_of(table, 17):
        observation = table.game.observe(match.state, seat)
        twin = table.game.observe(table.game.determinise(observation, chance), seat)
        own, other = (advise(table.game, seen, Chance(SEED), Budget(10)) for seen in (observation, twin))
        assert own == other


@sample_tables
def test_what_should_follow_a_move_may_follow_it_in_the_same_turn(table: Table) -> None:
    """The sample games hide nothing that decides whether it may."""
    game, goes_on, told = table.game, 0, 0
    for match, seat in choices_of(table, 16):
        moves = advise(game, game.observe(match.state, seat), Chance(SEED), Budget(90))
        for advice in moves:
            after = game.apply(match.state, seat, advice.move)
            is_same_turn = game.active_seats(after) == (seat,) and game.turn(after) == game.turn(match.state)
            may_follow = game.legal_moves(after, seat) if is_same_turn else ()
            assert advice.then in (None, *may_follow)
            goes_on += len(may_follow) > 1
            told += advice.then is not None
    assert bool(told) == bool(goes_on), "of some moves that leave a choice it is told how the turn goes on"


def test_where_cards_make_one_turn_together_the_hint_names_the_second_and_tells_what_both_bring() -> None:
    table = Table("land_cards", 4)
    told = counted = 0
    for match, seat in choices_of(table, 5):
        state, game = match.state, table.game
        moves = advise(game, game.observe(state, seat), Chance(SEED), Budget(120))
        turns = [{advice.move, advice.then} for advice in moves]
        for advice, turn in zip(moves, turns, strict=True):
            if advice.then is None:
                continue
            told += 1
            assert turns.count(turn) == 1
            before, after = (
                game.score(at)
                for at in (state, game.apply(game.apply(state, seat, advice.move), seat, advice.then))
            )
            gains = {
                line: now[seat] - then[seat]
                for line, (then, now) in enumerate(zip(before, after, strict=True))
            }
            compared = [change for change in advice.changes if game.sheet[change.line] != "minus_two"]
            assert [change.own for change in compared] == [gains[change.line] for change in compared]
            counted += len(compared)
    assert (told >= 5, counted >= 5) == (True, True)


def test_what_a_stone_promises_is_what_its_card_will_bring_to_who_lays_it() -> None:
    table = Table("land_cards", 3)
    game, told = table.game, 0
    for match, seat in choices_of(table, 3):
        observation = game.observe(match.state, seat)
        adviser = Adviser(game, observation, Chance(SEED), {})
        for move in observation.legal_moves:
            match read(move):
                case PlaceStone(cell):
                    taken = with_byte(observation.board, cell, TAKEN + seat)
                    now, then = (
                        sum(points[seat] for points in sheet_rows(replace(match.state, board=board)))
                        for board in (observation.board, taken)
                    )
                    promised = adviser.promised(move)
                    assert sum(change.own for change in promised) == then - now
                    told += bool(promised)
                case MoveStone():
                    pass
                case _:
                    assert adviser.promised(move) == ()
    assert told >= 5


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
    known = BotKnowledge(moves=tuple(match.seen_by(seat)))
    assert len(known.moves) == len(match.plies)
    watched, not_watched = (
        advise(table.game, observation, Chance(SEED), Budget(40), known) for known in (known, NOTHING)
    )
    assert watched != not_watched


def test_who_has_nothing_to_choose_gets_no_advice() -> None:
    table = Table("land_cards", 3)
    observation = table.game.observe(table.match().state, 1)
    assert advise(table.game, observation, Chance(SEED), Budget(10)) == ()


class Doubtful:
    """A game in which it hangs on where the hidden laws lie whether a seat may go on after a move."""

    def __init__(self, game: AnyGame, cell: int) -> None:
        self._game, self._cell = game, cell

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def legal_moves(self, state: Any, seat: Seat) -> Sequence[Move]:
        return self._game.legal_moves(state, seat) if self.is_possible(state) else ()

    def is_possible(self, state: Any) -> bool:
        return bool(state.deal.laws[self._cell] % 2)


def test_what_should_follow_is_told_where_it_may_follow_in_more_than_half_of_all_worlds() -> None:
    table = Table("land_cards", 4)
    state = table.match(5).state
    (seat,) = table.game.active_seats(state)
    observation = table.game.observe(state, seat)
    first = observation.legal_moves[0]
    then = max(table.game.legal_moves(table.game.apply(state, seat, first), seat))
    told = set()
    for cell in observation.law_cells:
        game = Doubtful(table.game, cell)
        adviser, chance = Adviser(game, observation, Chance(SEED), {}), Chance(SEED)
        worlds = [table.game.determinise(observation, chance) for _ in range(16)]
        possible = sum(map(game.is_possible, worlds))
        assert adviser.next_after(first, then) == (then if possible > 8 else None)
        told.add((possible > 0, possible > 8))
    assert told >= {(True, True), (True, False)}


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


@pytest.mark.parametrize("round_", [1, 2, 3])
def test_where_all_choose_at_once_a_hint_shows_the_choice_that_brings_most_at_once(round_: int) -> None:
    table = Table("ku_ka_king", 3)
    observation = table.game.observe(table.match(round_).state, 0)
    told = advise(table.game, observation, Chance(SEED), Budget(120))
    adviser = Adviser(table.game, observation, Chance(SEED), {})

    def at_once(row: Move) -> float:
        return sum(change.own for change in adviser.changes(row))

    assert max(map(at_once, observation.legal_moves)) == max(at_once(advice.move) for advice in told)


@pytest.mark.parametrize(("game_id", "every"), [("ku_ka_king", 1), ("land_cards", 14)])
def test_where_the_best_move_is_told_to_have_done_better_it_does_so_in_new_simulations(
    game_id: str, every: int
) -> None:
    table, told = Table(game_id, 3), 0
    for match, seat in islice(choices_of(table, 16), 0, None, every):
        observation = table.game.observe(match.state, seat)
        found = study(table.game, observation, Chance(SEED), Budget(600))
        first, *others = found.moves
        assert (first.missed, first.ended, first.error) == ((), (), 0.0)
        for other in others:
            moves, chance = (first.move, other.move), Chance(ANEW)
            anew = Comparison(table.game, observation, moves, chance, KEENLY, found.learned, found.others)
            anew.run(Budget(600))
            for change in other.missed:
                assert max(abs(change.own), -change.loss) >= 1
                assert (change.rival is None) == (change.loss == 0)
                for who, points in ((seat, max(0.0, change.own)), (change.rival, change.loss)):
                    if who is not None and points:
                        ours, theirs = (
                            fmean(sheet[change.line][who] for sheet in anew.ends[move]) for move in moves
                        )
                        assert (ours - theirs) * points > 0
                        told += 1
            for who, points in enumerate(other.ended):
                if points:
                    ours, theirs = (fmean(end[who] for end in anew.expected[move]) for move in moves)
                    assert (ours - theirs) * points > 0
                    told += 1
    assert told >= 2


@sample_tables
def test_of_moves_that_are_equally_good_nothing_is_told_that_came_by_chance(table: Table) -> None:
    match, seat = next(iter(choices_of(table, 16)))
    observation = table.game.observe(match.state, seat)
    move = observation.legal_moves[0]
    comparison = Comparison(table.game, observation, (move,), Chance(SEED))
    comparison.run(Budget(60))
    assert comparison.missed(move, move) == ()
    assert not any(comparison.ended(move, move))


@sample_tables
def test_of_each_further_move_it_is_told_how_far_its_distance_from_the_best_is_sure(table: Table) -> None:
    match, seat = next(iter(choices_of(table, 16)))
    seen = table.game.observe(match.state, seat)
    errors = [
        [advice.error for advice in advise(table.game, seen, Chance(SEED), Budget(number))[1:]]
        for number in (60, 300)
    ]
    assert all(few > 0 for few in errors[0])
    assert fmean(errors[1]) < fmean(errors[0])


@sample_tables
def test_the_further_ahead_a_move_leads_the_likelier_it_is_told_to_win(table: Table) -> None:
    for match, seat in choices_of(table, 16):
        observation = table.game.observe(match.state, seat)
        moves = advise(table.game, observation, Chance(SEED), Budget(30))
        chances = [advice.chance for advice in sorted(moves, key=lambda advice: advice.margin)]
        assert all(chance is not None and 0 <= chance <= 1 for chance in chances)
        assert chances == sorted(chances, key=lambda chance: chance or 0.0)


def test_what_a_rival_would_get_by_the_same_choice_is_told_line_by_line() -> None:
    table = Table("ku_ka_king", 3)
    state, game = table.match(1).state, table.game
    assert isinstance(game, Contested)
    observation = game.observe(state, 0)
    adviser = Adviser(game, observation, Chance(SEED), {1: dict.fromkeys(observation.legal_moves, 1.0)})
    told = 0
    for row in observation.legal_moves:
        (rival,) = adviser.rivals(row)
        before, after = game.score(state), game.score(game.with_taken(state, 1, row))
        more = {line: now[1] - then[1] for line, (then, now) in enumerate(zip(before, after, strict=True))}
        assert dict(rival.gains) == {line: points for line, points in more.items() if points > 0}
        points = [points for _line, points in rival.gains]
        assert points == sorted(points, reverse=True)
        told += len(points)
    assert told


class Hidden:
    """A game in which it hangs on the first card of the pile whether a row brings anything."""

    def __init__(self, game: Any) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def with_taken(self, state: Any, seat: Seat, row: Move) -> Any:
        return self._game.with_taken(state, seat, row) if state.pile[0] < ANIMALS else state


def test_what_a_rival_would_get_is_the_mean_of_all_worlds_and_no_line_is_told_that_some_lack() -> None:
    table = Table("ku_ka_king", 3)
    observation = table.game.observe(table.match(1).state, 0)
    others = {1: dict.fromkeys(observation.legal_moves, 1.0)}
    sure, unsure = (
        Adviser(game, observation, Chance(SEED), others) for game in (table.game, Hidden(table.game))
    )
    gains = 0
    for row in observation.legal_moves:
        (known,), (guessed,) = sure.rivals(row), unsure.rivals(row)
        assert guessed.gains == ()
        assert (0 < guessed.gain < known.gain) == (known.gain > 0)
        gains += known.gain > 0
    assert gains


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


# -- weighed before they are made ----------------------------------------------------------------------------


@pytest.fixture
def little_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little is thought, and a small loss counts as much."""
    monkeypatch.setattr(review, "_LOOKS", (10, 40))
    monkeypatch.setattr(review, "_CERTAIN", 0.5)
    monkeypatch.setattr(review, "MUCH", 1)


def studied(table: Table, seen: CommonObservation) -> Study:
    """A little study of a choice."""
    return study(table.game, seen, Chance(SEED), Budget(30))


@cache
def weighed(table: Table) -> Sequence[tuple[CommonObservation, Study, Move, Judgement | None]]:
    """Choices in random matches, each with its study, a move, and what is said of that before it is made.

    They are the same in all tests that think little.
    """
    told = []
    for match, seat in chain(choices_of(table, 18), choices_of(table, 19)):
        observation = table.game.observe(match.state, seat)
        move = observation.legal_moves[len(match.plies) % len(observation.legal_moves)]
        found = studied(table, observation)
        told.append((observation, found, move, weigh(table.game, observation, found, move, Chance(SEED))))
    return told


def least_of(table: Table) -> int:
    """How many of a match's moves are seen to give away much: plain chance may see none."""
    return int(part_of(table.game_id, "ai.strategy") is not None)


@sample_tables
@pytest.mark.usefixtures("little_depth")
def test_a_move_that_gives_away_much_is_met_with_a_better_one_that_may_be_made(table: Table) -> None:
    warned = [(seen, move, found) for seen, _, move, found in weighed(table) if found is not None]
    assert len(warned) >= least_of(table)
    for seen, move, (played, better) in warned:
        assert played.move == move != better.move
        assert better.move in seen.legal_moves
        assert round(better.margin - played.margin) >= 1


@sample_tables
@pytest.mark.usefixtures("little_depth")
def test_what_is_said_of_a_move_before_it_is_made_is_the_same_whatever_one_must_not_know(
    table: Table,
) -> None:
    chance = Chance(b"others".ljust(32))
    for seen, _hint, move, found in weighed(table):
        assert seen.viewer is not None
        for _ in range(2):
            twin = table.game.observe(table.game.determinise(seen, chance), seen.viewer)
            assert weigh(table.game, twin, studied(table, twin), move, Chance(SEED)) == found


@sample_tables
@pytest.mark.usefixtures("little_depth")
def test_what_is_said_of_a_move_agrees_with_the_hint_of_the_same_position(table: Table) -> None:
    told = 0
    for seen, hint, _move, found in weighed(table):
        best = hint.moves[0]
        for shown in hint.moves:
            is_costly = round(best.margin - shown.margin) >= 1 and not is_even(best, shown)
            said = weigh(table.game, seen, hint, shown.move, Chance(SEED))
            assert said == (Judgement(shown, best) if is_costly else None)
        if found is not None:
            told += 1
            assert found.better == best
    assert told >= least_of(table)


@sample_tables
@pytest.mark.usefixtures("little_depth")
def test_of_a_move_that_no_hint_shows_nothing_is_said_where_there_is_no_time_to_weigh_it(
    table: Table,
) -> None:
    told = 0
    for seen, hint, _move, _found in weighed(table):
        alone, legal = hint._replace(moves=hint.moves[:1]), seen.legal_moves
        for move in {*legal[:: 1 + len(legal) // 4]} - {hint.moves[0].move}:
            told += weigh(table.game, seen, alone, move, Chance(SEED)) is not None
            assert weigh(table.game, seen, alone, move, Chance(SEED), lambda: 1.0) is None
    assert told >= least_of(table)
