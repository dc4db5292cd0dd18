"""Whole matches: what stays true in every position, who may know what, notation, and the greedy player."""

from itertools import pairwise

import pytest

from kk_core.chance import Chance
from kk_core.errors import IllegalMove, InvalidMove, InvalidOptions
from kk_core.games.web_of_power.ai import greedy
from kk_core.games.web_of_power.lesson import JUTTAS_ALLIANCE
from kk_core.games.web_of_power.model import (
    CARDS,
    CLOISTER_OF,
    COUNTRIES,
    HAND,
    INTERIM_SCORED,
    MOVES_END,
    NO_CARD,
    PLACING,
    SHEET,
)
from kk_core.games.web_of_power.notation import describe_event, describe_move
from kk_core.games.web_of_power.rules import can_anybody_place, room_in
from kk_core.games.web_of_power.state import State
from kk_core.registry import game, lesson_of
from kk_core.types import totals
from tests.core.web_of_power.positions import GAME, LAND, SEED, position, random_play

TABLES = [(seats, option) for seats in (3, 4, 5) for option in ("immediate", "end_of_round")]
tables = pytest.mark.parametrize(("seats", "option"), TABLES)


def cards_in_play(state: State) -> list[int]:
    """How many cards of each kind there are, wherever they lie."""
    lying = b"".join(state.hands) + state.pile + state.face_up
    return [lying.count(kind) + state.discards[kind] for kind in range(len(CARDS))]


# -- what stays true -----------------------------------------------------------------------------------------


@tables
def test_no_card_and_no_piece_is_ever_lost(seats: int, option: str) -> None:
    for state in random_play(seats, option, 1):
        assert cards_in_play(state) == list(LAND.deck_for(seats))
        for seat in range(seats):
            standing = state.board.count(CLOISTER_OF + seat)
            assert standing == sum(state.cloisters[seat::seats])
            assert standing + state.cloisters_left[seat] == 20
            assert sum(state.advisors[seat::seats]) + state.advisors_left[seat] == 8


@tables
def test_the_board_and_what_is_counted_on_it_agree(seats: int, option: str) -> None:
    for state in random_play(seats, option, 2):
        for country, spaces in enumerate(LAND.spaces_of):
            owners = [state.board[space] for space in spaces]
            for seat in range(seats):
                assert state.cloisters[country * seats + seat] == owners.count(CLOISTER_OF + seat)
            room = room_in(country, state.cloisters, state.advisors, seats)
            assert room >= 0
            assert bool(state.room >> country & 1) == (room > 0)


@tables
def test_a_turn_plays_at_most_three_cards_for_two_pieces_in_one_country(seats: int, option: str) -> None:
    turns: dict[int, list[State]] = {}
    for state in random_play(seats, option, 3):
        turns.setdefault(state.turn, []).append(state)
    assert len(turns) > 20
    for states, following in pairwise(turns.values()):
        before, after = states[0], following[0]
        changed = [
            country
            for country in range(len(COUNTRIES))
            for part in (slice(country * seats, (country + 1) * seats),)
            if (before.cloisters[part], before.advisors[part])
            != (after.cloisters[part], after.advisors[part])
        ]
        pieces = sum(after.cloisters + after.advisors) - sum(before.cloisters + before.advisors)
        assert len(changed) <= 1
        had_cloisters = all(any(before.cloisters[land * seats : (land + 1) * seats]) for land in changed)
        assert pieces <= (2 if had_cloisters else 1)


@tables
def test_a_turn_begins_with_a_full_hand_and_open_cards_unless_the_pile_has_run_out(
    seats: int, option: str
) -> None:
    turns = [s for s in random_play(seats, option, 4) if s.phase == PLACING and not s.placed]
    assert len(turns) > 20
    for state in turns:
        assert len(state.hands[state.seat]) == HAND
        assert NO_CARD not in state.face_up or (not state.pile and state.pile_runs == 2)


@tables
@pytest.mark.parametrize("number", range(8))
def test_every_match_comes_to_its_end_in_turn_order(seats: int, option: str, number: int) -> None:
    states = list(random_play(seats, option, number))
    end = states[-1]
    kinds = [event[0] for state in states for event in GAME.events(state)]
    assert kinds.count(2) == kinds.count(1) == 1
    assert end.is_over
    assert end.seat == seats - 1 or not can_anybody_place(end)
    outcome = GAME.outcome(end)
    assert outcome is not None
    assert outcome.winners
    assert all(GAME.outcome(state) is None for state in states[:-1])


def test_the_match_depends_on_options_seats_and_seed_alone() -> None:
    assert position() == position()
    other = GAME.setup({}, 4, bytes(32))
    assert GAME.setup({}, 4, SEED) == GAME.setup({"interim_scoring": "immediate"}, 4, SEED) != other


@pytest.mark.parametrize(
    ("seats", "options", "sentence"),
    [
        (2, {}, "is for 3 to 5 players, not 2"),  # ruling 10
        (6, {}, "is for 3 to 5 players, not 6"),
        (3, {"interim_scoring": "never"}, "cannot be 'never'"),
    ],
)
def test_unknown_seat_counts_and_options_are_refused(
    seats: int, options: dict[str, str], sentence: str
) -> None:
    with pytest.raises(InvalidOptions, match=sentence):
        GAME.setup(options, seats, SEED)


def is_accepted(state: State, seat: int, move: int) -> bool:
    """Whether a move changes a position; otherwise it must be refused with a sentence."""
    try:
        return GAME.apply(state, seat, move) != state
    except IllegalMove as error:
        return not str(error)


@tables
def test_every_number_is_either_a_legal_move_that_can_be_made_or_has_a_reason(
    seats: int, option: str
) -> None:
    for state in list(random_play(seats, option, 5))[::9]:
        for seat in range(seats):
            moves = GAME.legal_moves(state, seat)
            assert list(moves) == sorted(set(moves))
            for move in range(-1, MOVES_END + 2):
                assert (GAME.why_not(state, seat, move) is None) == (move in moves)
                assert is_accepted(state, seat, move) == (move in moves)


def test_every_position_but_the_last_has_a_move() -> None:
    for seats, option in TABLES:
        for state in random_play(seats, option, 6):
            assert state.is_over != bool(GAME.legal_moves(state, state.seat))


# -- who may know what ---------------------------------------------------------------------------------------


def test_a_viewer_sees_his_own_hand_and_only_how_many_cards_the_others_hold() -> None:
    state = position("FK FK EN")
    seen = GAME.observe(state, 0)
    assert (seen.hand, seen.hand_sizes) == (bytes([0, 0, 3]), bytes([3] * 4))
    assert GAME.observe(state, None).hand == b""
    assert GAME.observe(state, 1).hand == state.hands[1]
    assert GAME.observe(state, 1).legal_moves == ()
    assert seen.legal_moves == tuple(GAME.legal_moves(state, 0))


def test_during_the_match_the_sheet_has_only_points_that_were_scored() -> None:
    state = position(cloisters={"EN1": 0})
    assert GAME.observe(state, 0).points == (0, 0, 0, 0)
    scored = position(cloisters={"EN1": 0}, interim=bytes([1, 0, 0, 0]) + bytes(32))
    assert GAME.observe(scored, 0).points == (1, 0, 0, 0)
    assert len(GAME.observe(scored, 0).sheet) == len(SHEET)


def test_after_the_end_everybody_sees_the_final_sheet_and_the_chains() -> None:
    end = list(random_play(4, "immediate", 9))[-1]
    seen = GAME.observe(end, None)
    sheet = GAME.score(end)
    assert seen.sheet == sheet
    assert seen.outcome == GAME.outcome(end)
    assert tuple(sum(map(len, chains)) for chains in seen.chains) == seen.sheet[-1]


# -- notation ------------------------------------------------------------------------------------------------


def test_every_move_can_be_written_and_read_back() -> None:
    moves = {move for seats, option in TABLES for s in random_play(seats, option, 10) for move in s.legal}
    assert len(moves) > 250
    for move in moves:
        assert GAME.parse_move(GAME.format_move(move)) == move
        assert "Anna" in str(describe_move(LAND, move, "Anna"))


def test_moves_are_written_with_the_fixed_identifiers() -> None:
    for line in (
        "cloister FR3 Frankreich", "cloister FR3 Bayern/Burgund+Bayern/Burgund",
        "advisor Italien Frankreich+Frankreich", "advisor Italien Lothringen/Italien", "end",
        "exchange England/Schwaben", "draw pile", "draw Frankreich",
    ):  # fmt: skip
        assert GAME.format_move(GAME.parse_move(line)) == line


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "'' is not a move"),
        ("cloister", "'cloister' is not a move"),
        ("cloister FR9 Frankreich", "Unknown name 'FR9'"),
        ("cloister FR1 France", "Unknown name 'France'"),
        ("cloister FR1 England/Schwaben", "doesn't pay for Frankreich"),
        ("cloister FR1 Frankreich+England/Schwaben", "doesn't pay for Frankreich"),
        ("advisor Spanien Frankreich", "Unknown name 'Spanien'"),
        ("advisor Italien Frankreich+Frankreich+Frankreich", "doesn't pay for Italien"),
        ("draw 7", "Unknown name '7'"),
    ],
)
def test_a_line_that_is_no_move_is_refused_with_the_part_that_is_wrong(line: str, sentence: str) -> None:
    with pytest.raises(InvalidMove, match=sentence.replace("+", r"\+")):
        GAME.parse_move(line)


def test_every_event_is_told_in_a_sentence_of_its_own() -> None:
    events = {event for seats, option in TABLES for s in random_play(seats, option, 11) for event in s.events}
    sentences = {str(describe_event(event)) for event in events} | {str(describe_event((4,)))}
    assert len(sentences) == len(events | {(4,)})


def test_the_log_tells_the_points_of_the_interim_scoring_by_name() -> None:
    state = next(state for state in random_play(3, "immediate", 11) if (INTERIM_SCORED,) in state.events)
    seen = GAME.observe(state, None)
    *_, said = GAME.describe(seen, ("Anna", "Beate", "Claus"), 0, None, state.events)
    anna, beate, claus = totals(seen.sheet[: len(COUNTRIES)])
    assert str(said) == f"Points in the interim scoring: Anna {anna}, Beate {beate}, Claus {claus}."
    assert anna + beate + claus > 0


# -- the greedy player ---------------------------------------------------------------------------------------


@tables
def test_the_greedy_player_beats_players_who_choose_at_random(seats: int, option: str) -> None:
    chance = Chance(bytes([seats] * 32))
    won = 0
    for number in range(6):
        state = GAME.setup({"interim_scoring": option}, seats, bytes([number] * 32))
        greedy_seat = number % seats
        while active := GAME.active_seats(state):
            seen = GAME.observe(state, active[0])
            moves = seen.legal_moves
            greedily = active[0] == greedy_seat
            move = greedy.choose(seen, chance) if greedily else moves[chance.below(len(moves))]
            state = GAME.apply(state, active[0], move)
        outcome = GAME.outcome(state)
        won += outcome is not None and greedy_seat in outcome.winners
    assert won >= 5


def test_the_first_alliance_of_the_lesson_is_the_one_that_it_tells_of() -> None:
    course = lesson_of(game("web_of_power"))
    state, first, alliances = course.game.setup({}, 3, course.seed), SHEET.index("alliance:1"), range(1, 16)
    for seat, move in course.line():
        state = course.game.apply(state, seat, move)
        lines = course.game.standing(state, 0)[first : first + len(alliances)]
        won = {number: line for number, line in zip(alliances, lines, strict=True) if any(line)}
        if won:
            break
    assert won == {JUTTAS_ALLIANCE: (0, 2, 0)}


def test_the_lesson_speaks_of_a_number_only_as_that_of_an_alliance() -> None:
    course = lesson_of(game("web_of_power"))
    line = [*course.line()]
    names = ["Anna", "Jutta", "Emma"]
    skipped = (course.progress(line[:n], names).skips for n in range(len(course.opening), len(line)))
    told = {str(words) for words in skipped if words and str(JUTTAS_ALLIANCE) in str(words).split(".")[1]}
    assert told
    assert all(f"alliance, number {JUTTAS_ALLIANCE}" in words for words in told)
