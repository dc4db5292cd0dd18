"""What stands beside the board, above it, in the chart and in the help."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from random import Random

import pytest
from msgspec import structs
from syrupy.assertion import SnapshotAssertion
from textual.content import Content

from kk_core.games.land_cards.model import CELLS, COUNTRIES, SHEET, SKIPPED, SYMBOLS, TAKING, Observation
from kk_core.games.land_cards.state import State
from kk_core.types import Outcome, Seat
from kk_core.views import LogEntry, MatchView
from kk_tui import i18n
from kk_tui.games.land_cards.board import detail_lines
from kk_tui.games.land_cards.face import FACE, chart
from kk_tui.games.land_cards.panels import (
    actions,
    collected,
    collection_lines,
    legend,
    panel_lines,
    person_line,
    played_lines,
    prompt,
    whole_legend,
)
from kk_tui.games.land_cards.theme import COUNTRY_CODES
from kk_tui.languages import translator
from kk_tui.match.result import verdict
from kk_tui.scene import Scene
from kk_tui.table.news import ScoreBaseline, last_words, log_lines, news_lines, news_of_each
from kk_tui.table.score_sheet import score_sheet
from kk_tui.table.side_panel import Beside, SidePanel
from kk_tui.theme.glyphs import Glyphs
from tests.core.land_cards.positions import RULES, play, position
from tests.tui.land_cards.scenes import NAMES, move, scene_after, scene_of
from tests.tui.pseudo import Pseudo, outside_of_brackets
from tests.tui.scenes import match_of, scene_of_match, scene_of_view

GLYPHS = Glyphs(ascii_only=False, more=[FACE.glyphs])


def words(lines: Sequence[Content]) -> str:
    return "\n".join(line.plain for line in lines)


def person(state: State, seat: Seat) -> str:
    return person_line(scene_of(state), seat, GLYPHS).plain


# -- the people ----------------------------------------------------------------------------------------------


def test_beside_a_name_stand_stones_in_hand_on_cards_and_out_of_the_game() -> None:
    state = position("FrKK@A FrK@B SaL", hands="B:t3", gone="AC")
    assert person(state, 0).startswith("●○× §0")
    assert person(state, 1).startswith("■■○ §2")
    assert person(state, 2).startswith("▲▲× §0")


@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("plies", [0, 60, 1000])
def test_all_lines_fit_beside_the_board(seats: int, plies: int) -> None:
    scene = scene_after(seats, plies)
    for seat in range(seats):
        assert person_line(scene, seat, GLYPHS).cell_length <= 18
    lines = [*panel_lines(scene), *collection_lines(scene, GLYPHS, 21)]
    assert max(line.cell_length for line in lines) <= 21


def test_own_law_cards_that_can_be_played_stand_there_with_keys_and_those_of_others_as_a_count() -> None:
    state = position("FrKK@A FrK@B SaL", hands="A:mm3 B:t")
    shown = words(panel_lines(scene_of(state)))
    assert "1  Up to 3 symbols" in shown
    assert [line.strip() for line in shown.splitlines()[-2:]] == ["1  Up to 3 symbols", "-2 points x2"]
    assert "Take back a stone" not in shown
    assert "symbols" not in words(panel_lines(scene_of(state, viewer=1))).split("Your law cards")[1]
    assert "Your law cards" not in words(panel_lines(scene_of(state, viewer=None)))


def test_law_cards_seen_through_other_eyes_have_no_keys_nor_do_they_stand_there_twice() -> None:
    scene = replace(scene_of(position("FrKK@A FrK@B SaL", hands="A:3")), is_through_other_eyes=True)
    shown = words(panel_lines(scene))
    assert f"{NAMES[0]}'s law cards" in shown
    assert [line.strip() for line in shown.splitlines()[-1:]] == ["Up to 3 symbols"]
    assert "law cards" not in words(panel_lines(scene, has_hand=False))


def test_law_cards_of_a_kind_share_a_line_that_has_room_for_their_number() -> None:
    state = position("FrKK@A FrK@B SaL", hands="A:33t")
    *_others, kinds, single = words(panel_lines(scene_of(state))).splitlines()
    assert [kinds.strip(), single.strip()] == ["1  Take back a stone", "2 Up to 3 symbols x2"]
    left = words(panel_lines(scene_of(play(state, "take 1 3; law three_symbols"))))
    assert left.endswith("Up to 3 symbols  ")


def test_under_a_law_card_by_which_no_further_card_could_be_taken_it_says_so() -> None:
    shown = words(panel_lines(scene_of(play(position("FrKK FrF SaKK", hands="A:3d"), "take 1 1"))))
    assert [line.strip() for line in shown.splitlines()[-3:]] == [
        "1  Up to 3 symbols",
        "2  Several countries",
        "no use right now",
    ]


def test_collections_count_cards_and_the_symbol_that_is_there_most() -> None:
    state = play(position("SaK+s SaK SaF+k EnL ItF"), "take 1 1; take 1 2; end; pass; take 1 3; end; pass")
    scene = scene_of(state)
    own = collected(scene.observation, 0)
    assert (own.cards[1], own.best[1], own.best_symbol[1], own.ships, own.carriages) == (2, 2, 0, 1, 0)
    lines = [line.plain for line in collection_lines(scene, GLYPHS, 21)]
    told = [line.rstrip() for line in lines]
    assert told[:3] == ["·2 in the rows", "†2 two crosses", "   A● B■ C▲"]
    row = told.index("SAC 2  1")
    assert told[row + 1 : row + 3] == ["   †2 ▽1", "UNG"]
    row = told.index("ITA")
    assert told[row + 1 : row + 4] == ["·1", "ENG", "·1"]
    codes = told.index("FRA Frankreich")
    assert [line for line in told[:codes] if line[:1] in ("≈", "⊕")] == ["≈   1", "⊕      1"]


@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("plies", [20, 60, 110])
def test_where_there_is_room_countries_have_their_names_in_the_collections_and_symbols_in_a_column(
    seats: int, plies: int
) -> None:
    scene = scene_after(seats, plies)
    lines = [line.plain for line in collection_lines(scene, GLYPHS, 53)]
    assert max(map(len, lines)) <= 53
    rows = [next(line for line in lines if line.startswith(f" {name} ")) for name in COUNTRIES]
    signs = [GLYPHS[f"land_cards-symbol-{symbol}"] for symbol in SYMBOLS]
    columns = [[row.index(sign) for sign in signs if sign in row] for row in rows]
    assert len({min(found) for found in columns if found}) == 1
    assert "FRA Frankreich" not in lines


@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("plies", [20, 60, 110])
def test_in_a_narrow_table_of_collections_only_what_leads_is_lit_and_all_figures_stand_in_columns(
    seats: int, plies: int
) -> None:
    scene = scene_after(seats, plies)
    all_of = [collected(scene.observation, seat) for seat in range(seats)]
    lines = [*collection_lines(scene, GLYPHS, 21)]
    assert max(line.cell_length for line in lines) <= 21
    first = 0
    for country, code in enumerate(COUNTRY_CODES):
        first = next(
            row for row, line in enumerate(lines) if row > first and line.plain.startswith(str(code))
        )
        for row, counts in (
            (lines[first], [of.cards[country] for of in all_of]),
            (lines[first + 1], [of.best[country] for of in all_of]),
        ):
            for seat, count in enumerate(counts):
                end = 5 + 3 * seat
                if count:
                    assert row.plain[:end].endswith(str(count))
                    styles = {str(span.style) for span in row.spans if span.start < end <= span.end}
                    assert any("bold" in style for style in styles) is (count == max(counts))


def test_every_contest_tells_cards_and_the_points_of_its_lines_of_the_sheet() -> None:
    scene = scene_after(4, 1000)
    view, contests = scene.observation, FACE.race(scene)
    assert [str(contest.label) for contest in contests][-3:] == ["Dänemark", "Ships", "Carriages"]
    assert [line for contest in contests for line in contest.line] == list(range(len(SHEET) - 1))
    for contest in contests:
        rows = [view.sheet[line] for line in contest.line]
        assert contest.points == tuple(sum(column) for column in zip(*rows, strict=True))
    countries = contests[: len(COUNTRIES)]
    assert sum(sum(contest.counts) for contest in countries) == CELLS
    assert contests[-2].counts == tuple(collected(view, seat).ships for seat in range(4))


def test_where_there_is_room_all_signs_are_explained() -> None:
    signs, routes = "† cross  ▽ fan  ☼ lion  Ψ eagle  ⌂ tower  ≈ ship", "⊕ carriage"
    assert whole_legend(GLYPHS, 56, 2) == [signs, f"{routes}  {legend(GLYPHS)}"]
    assert whole_legend(GLYPHS, 56, 1) == [legend(GLYPHS)]
    assert whole_legend(GLYPHS, 120, 1) == [f"{signs}  {routes}  {legend(GLYPHS)}"]


# -- prompt, keys, header, log -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "hands", "gone", "before", "said", "keys"),
    [
        ("FrKK SaL", "", "", "", "Take a card from the left or right end of a row.", ""),
        ("FrK FrL SaL", "", "", "take 1 1", "Take another card of Frankreich, or end taking (1 of 2 symbols)."
         , "end"),
        ("FrKK SaL", "", "", "take 1 1", "You can't take another card (2 of 2 symbols): end taking.", "end"),
        ("FrKK SaL", "A:3", "", "take 1 1", "You can't take another card (2 of 2 symbols): end taking.",
         "end choice_1"),
        ("FrKK FrL", "A:3", "", "take 1 1", "Only a law card lets you take more: play one, or end taking.",
         "end choice_1"),
        ("FrK SaL", "", "", "take 1 1",
         "No other card of Frankreich is at the end of a row: end taking.", "end"),
        ("FrK", "", "", "take 1 1", "No cards are left in the rows: end taking.", "end"),
        ("FrK FrLL SaL", "", "", "take 1 1",
         "No card at an end can be added to yours (1 of 2 symbols): end taking.", "end"),
        ("FrK SaL FrL", "A:d", "", "take 1 1; law different_colours",
         "Take another card of any country, or end taking (1 of 2 symbols).", "end"),
        ("FrKK@B SaL", "", "", "take 1 1",
         "The card was under an opponent's stone: Enter gives up one from your supply.", "give"),
        ("FrKK@B SaL@A", "", "", "take 1 1",
         "You owe a stone for that card: choose one on a card, or one from your supply.", "give"),
        ("FrKK@B SaL@A EnF@A FrK@A", "", "", "take 1 1",
         "You owe a stone for that card: choose one of yours on a card.", ""),
        ("FrKK SaL", "", "", "take 1 1; end",
         "Place a stone on a card in the rows, or leave the stones as they are.", "pass"),
        ("FrKK SaL@A EnF@A FrK@A", "", "", "take 1 1; end",
         "You can't place or move a stone: leave the stones as they are.",
         "pass"),
        ("FrKK@B SaLL@C", "A:t", "AAA", "",
         "You can't take a card: play “Take back a stone”, or skip your turn.", "pass choice_1"),
    ],
)  # fmt: skip
def test_the_prompt_says_what_can_be_done_and_the_keys_follow(
    layout: str, hands: str, gone: str, before: str, said: str, keys: str
) -> None:
    state = position(layout, hands=hands, gone=gone)
    scene = scene_of(play(state, before) if before else state)
    assert str(prompt(scene, None)) == said
    assert len(said) <= 78
    assert " ".join(action.name for action in actions(scene)) == keys


def test_with_all_stones_on_cards_the_prompt_asks_for_the_stone_then_for_the_card() -> None:
    scene = scene_of(play(position("FrKK SaL@A EnF@A FrK@A FrF"), "take 1 1; end"))
    assert str(prompt(scene, None)).startswith("All your stones are on cards: choose one")
    assert str(prompt(scene, 1)).startswith("Choose a card to move the stone to")


def test_the_log_tells_the_move_and_who_was_passed_over() -> None:
    scene = scene_of(position("FrKK SaL"))
    entry = LogEntry(1, move("take 1 1"), ((SKIPPED, 2),))
    assert [str(sentence) for sentence in FACE.describe(scene, entry)] == [
        "Beate takes Frankreich (two crosses) from row 1.",
        "Claus can't take a card and must skip.",
    ]


def test_in_few_columns_stand_everybodys_stones_and_the_law_cards_that_somebody_holds() -> None:
    scene = scene_of(position("FrKK@A FrK@B SaL", hands="B:t3", gone="AC"))
    assert [FACE.stock(scene, seat, GLYPHS).plain for seat in range(3)] == ["●○×", "■■○§2", "▲▲×"]


def test_who_had_to_skip_is_told_so_in_the_prompt_and_all_are_in_the_news() -> None:
    log = (LogEntry(1, move("take 1 1"), ((SKIPPED, 2),)), LogEntry(0, move("end")))
    scenes = [scene_of(position("FrKK SaL"), *log, viewer=viewer) for viewer in (2, 1)]
    prompts = [last_words(scene, FACE, 78) for scene in scenes]
    assert prompts == [
        "You had to skip your turn: you had no stone to give up for a card.",
        "Waiting for Andreas.",
    ]
    assert last_words(scenes[0], FACE, 90).endswith("for a card - waiting for Andreas.")
    for scene in scenes:
        news = [line.plain for line in news_lines(scene, FACE, GLYPHS, 60, None)]
        assert "C▲ had to skip: no stone to give up" in news


def test_who_had_to_skip_stands_in_the_order_of_turns() -> None:
    log = (LogEntry(0, move("take 1 1"), ((SKIPPED, 1),)), LogEntry(2, move("take 1 2")))
    scene = scene_of(position("FrKK SaL EnF"), *log, viewer=0)
    now = scene.observation.points
    told = [line.plain for line in news_lines(scene, FACE, GLYPHS, 60, [now[0], now[1], now[2] - 1])]
    assert told[0] == "B■ had to skip: no stone to give up"
    assert told[1].startswith("C▲ +1 took")


def test_who_had_to_skip_before_the_viewers_turn_is_no_part_of_it() -> None:
    log = (LogEntry(0, move("end")), LogEntry(1, move("take 1 1"), ((SKIPPED, 2),)))
    before = scene_of(position("FrKK SaL EnF"), *log, viewer=0)
    assert any("had to skip" in line.plain for line in news_lines(before, FACE, GLYPHS, 60, None))
    scene = scene_of(position("FrKK SaL EnF"), *log, LogEntry(0, move("take 1 1")), viewer=0)
    begun = replace(scene, match=structs.replace(scene.match, turn_start=2))
    assert begun.is_turn_begun
    assert not any("had to skip" in line.plain for line in news_lines(begun, FACE, GLYPHS, 60, None))


def test_who_had_to_skip_twice_is_told_so_once() -> None:
    log = (LogEntry(1, move("take 1 1"), ((SKIPPED, 2),)), LogEntry(1, move("end"), ((SKIPPED, 2),)))
    scene = scene_of(position("FrKK SaL"), *log, viewer=0)
    told = [line.plain.rstrip() for line in news_lines(scene, FACE, GLYPHS, 60, None)]
    assert told[-1] == "C▲ had to skip: no stone to give up (twice)"


def test_whoever_plays_again_after_all_others_were_skipped_begins_a_round_in_the_log() -> None:
    skipped = ((SKIPPED, 2), (SKIPPED, 0))
    log = (
        LogEntry(1, move("take 1 1")), LogEntry(1, move("end"), skipped), LogEntry(1, move("end"), skipped),
        LogEntry(1, move("end")), LogEntry(2, move("end")), LogEntry(0, move("end")),
    )  # fmt: skip
    scene = scene_of(position("FrKK SaL"), *log, viewer=0)
    lines = [line.plain.strip() for line in log_lines(scene, FACE, GLYPHS, 40, 40)]
    between = [at for at, line in enumerate(lines) if line and {*line} == {GLYPHS["h"]}]
    assert len(between) == 3, lines


@pytest.mark.parametrize("width", [20, 40, 60])
def test_a_seat_that_is_passed_over_first_in_a_round_stands_below_the_line_of_that_round(width: int) -> None:
    log = (
        LogEntry(0, move("end")), LogEntry(1, move("take 1 1"), ((SKIPPED, 2), (SKIPPED, 0))),
        LogEntry(1, move("take 1 2")),
    )  # fmt: skip
    scene = scene_of(position("FrKK SaL"), *log, viewer=0)
    lines = [line.plain for line in log_lines(scene, FACE, GLYPHS, width, 40)]
    (begins,) = [at for at, line in enumerate(lines) if {*line.strip()} == {GLYPHS["h"]}]
    before, after = " ".join(lines[:begins]), " ".join(lines[begins:])
    assert before.count("skip") == after.count("skip") == 1
    for said, seat in ((before, 2), (after, 0)):
        assert (NAMES[seat] if width == 60 else f"{GLYPHS.owner(seat)} ") in said


@pytest.mark.parametrize("missed", [None, 1, 2])
def test_the_news_tell_what_a_players_own_moves_gained_and_not_what_later_ones_took_from_them(
    missed: int | None,
) -> None:
    # Beate has the most symbols of Ungarn until Claus takes two crosses
    states, log, gains = [position("SaL SaL / UnKF / UnKK")], list[LogEntry](), ScoreBaseline()
    for line in ("take 1 1", "end", "pass", "take 2 1", "end", "pass", "take 3 1", "end", "pass"):
        log.append(LogEntry(states[-1].seat, move(line)))
        states.append(play(states[-1], line))
    for ply, one in enumerate(states):
        if ply != 3 * (missed or -1):
            gains.follow(scene_of(one, *log[:ply], viewer=0))
    scene = scene_of(states[-1], *log, viewer=0)
    told = [line.plain for line in news_lines(scene, FACE, GLYPHS, 60, gains.before(scene, FACE))]
    figures = [re.search(r"[+-]\d+", line) for line in told]
    assert [found and found[0] for found in figures] == {
        None: ["+3", "+4"],
        1: [None, "+4"],
        2: [None, None],
    }[missed]


LAWS_PLAYED = (
    LogEntry(1, move("take 1 1")),
    LogEntry(1, move("law different_colours")),
    LogEntry(1, move("take 2 1")),
    LogEntry(1, move("give supply")),
    LogEntry(1, move("place 3 1")),
    LogEntry(2, move("pass")),
)
"""What two others have done; the second of them has done nothing worth a word."""


def test_beside_the_board_the_news_tell_what_was_taken_played_lost_and_placed_one_thing_a_line() -> None:
    scene = scene_of(position("FrKK@C UnA+k / SaL / ItF+s"), *LAWS_PLAYED, viewer=0)
    (each,) = news_of_each(scene, FACE, GLYPHS, 20, None, is_brief=True)
    assert [line.plain.rstrip() for line in each] == [
        "B■ took FRA†† SAC☼", "   law countries", "   lost a stone", "   stone on ITA▽≈",
    ]  # fmt: skip
    wide = [line.plain.rstrip() for line in news_lines(scene, FACE, GLYPHS, 36, None)]
    assert wide == ["B■ took FRA†† SAC☼ law countries", "   lost a stone, stone on ITA▽≈"]


def test_the_news_say_from_which_card_a_stone_was_lost_where_one_was_moved_to_and_who_skipped() -> None:
    log = (LogEntry(1, move("take 1 1")), LogEntry(1, move("give 2 1")), LogEntry(1, move("move 3 1 2 1")))
    scene = scene_of(position("FrKK@C UnA+k / SaL / ItF+s"), *log, LogEntry(2, move("skip")), viewer=0)
    told = [line.plain.rstrip() for line in news_lines(scene, FACE, GLYPHS, 21, None)]
    assert told == ["B■ took FRA††", "   lost stone SAC☼", "   stone on SAC☼", "C▲ skipped"]


@pytest.mark.parametrize("language", ["en", "de", "nl", "es"])
def test_no_card_in_the_news_is_broken_at_the_end_of_a_line(language: str) -> None:
    with i18n.writing_for(i18n.PlainReader(translator(language))):
        for seats, plies in product((3, 4, 5), range(5, 120, 5)):
            scene = scene_after(seats, plies)
            for line in news_lines(scene, FACE, GLYPHS, 20, None):
                assert re.match(r"...[\w-]", line.plain), "no line begins with the signs of a card"


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_at_80_columns_nobodys_cards_taken_lack_in_the_news(seats: int) -> None:
    panel = SidePanel(GLYPHS)
    for plies in range(5, 120, 5):
        scene = scene_after(seats, plies)
        lines = panel._over_news(scene, FACE, 21, 22, Beside())
        shown = words([*panel._news(scene, FACE, 21, 22 - len(lines), None)])
        whole = words([*news_lines(scene, FACE, GLYPHS, 21, None)])
        assert shown.count("took") == whole.count("took")
        assert "…" not in shown


@pytest.mark.parametrize("width", range(16, 60))
def test_no_line_of_the_news_begins_with_a_comma(width: int) -> None:
    scene = scene_of(position("FrKK@C UnA+k / SaL / ItF+s"), *LAWS_PLAYED, viewer=0)
    told = [line.plain[3:] for line in news_lines(scene, FACE, GLYPHS, width, None)]
    assert any("countries" in line for line in told)
    assert not [line for line in told if line.startswith(",")]


@pytest.mark.parametrize("misses", [False, True])
def test_a_spectator_is_told_what_a_turn_gained_and_not_what_its_player_has(misses: bool) -> None:
    match, gains = match_of("land_cards", 3), ScoreBaseline()
    chance = Random(2)
    scenes = [scene_of_match(match, None)]
    while len(scenes) < 60 or match.state.seat == scenes[-1].match.recent()[-1][1].seat:
        active = match.state.seat
        match.play(active, chance.choice(match.game.legal_moves(match.state, active)))
        scenes.append(scene_of_match(match, None))
    turn = len(scenes[-1].just_happened())
    before, now = scenes[-1 - turn].observation.points, scenes[-1].observation.points
    seat = scenes[-1].just_happened()[0].seat
    assert 0 < now[seat] - before[seat] < now[seat]
    # who comes back to a turn that has begun cannot know what it has gained
    for scene in (*scenes[: -1 - turn], scenes[-1]) if misses else scenes:
        gains.follow(scene)
    told = words([*news_lines(scenes[-1], FACE, GLYPHS, 60, gains.before(scenes[-1], FACE))])
    assert ("+" in told) is not misses
    assert misses or told.startswith(f"{GLYPHS.owner(seat)} {now[seat] - before[seat]:+} ")


def test_law_cards_that_cost_points_at_the_end_are_told_behind_their_holders_last_move() -> None:
    state = play(position("FrKK SaL", hands="B:mm C:mt"), "take 1 1; end; pass; take 1 2; end")
    log = (LogEntry(2, move("pass")), LogEntry(0, move("take 1 1")), LogEntry(1, move("take 1 2")))
    scene = scene_of(state, *log, LogEntry(1, move("end")), viewer=0)
    told = [FACE.brief(scene, entry, GLYPHS) for _ply, entry in scene.match.recent()]
    assert [words.plain for words in told if words is not None and words.plain != ""] == [
        "placed no stone, revealed: -2 points",
        "took  FRA †† ",
        "took  SAC ☼ ",
        "revealed: -2 points x2",
    ]


def test_that_taking_has_ended_is_told_by_no_line_of_its_own() -> None:
    scene = scene_of(position("FrKK SaL"))
    assert FACE.describe(scene, LogEntry(1, move("end"))) == ()
    skipped = FACE.describe(scene, LogEntry(1, move("end"), ((SKIPPED, 2),)))
    assert [str(sentence) for sentence in skipped] == ["Claus can't take a card and must skip."]


def test_the_header_tells_the_phase_and_how_many_cards_are_left() -> None:
    state = play(position("FrKK SaL@B EnF"), "take 1 1")
    assert [*map(str, FACE.status(scene_of(state)))] == ["taking cards", "2 cards in the rows"]
    over = scene_after(3, 1000)
    assert [*map(str, FACE.status(over))] == ["all cards taken"]
    # as between the last card and the result, while the scoring is shown
    taken = structs.replace(over.observation, phase=TAKING)
    assert [*map(str, FACE.status(replace(over, observation=taken)))] == ["all cards taken"]


def test_only_who_holds_law_cards_has_secrets_and_nobody_after_the_end() -> None:
    scene = scene_of(position("FrKK SaL", hands="B:t"))
    assert [FACE.holds_secrets(scene, seat) for seat in range(3)] == [False, True, False]
    over = scene_after(3, 1000)
    assert over.is_over
    assert not any(FACE.holds_secrets(over, seat) for seat in range(3))


def test_every_line_of_the_score_sheet_has_a_label_of_its_own() -> None:
    scene = scene_after(3)
    labels = [str(FACE.sheet_label(scene, line)) for line in range(len(SHEET))]
    assert len(set(labels)) == len(SHEET)
    assert labels[:2] == ["Frankreich", "Frankreich, symbols"]
    assert labels[-3:] == ["Ships", "Carriages", "-2 points"]
    assert max(map(len, labels)) <= 21


def test_the_score_sheet_counts_the_viewers_own_minus_two_and_nobody_elses() -> None:
    state = play(position("FrKK SaL SaF", hands="A:m B:m"), "take 1 1; end; pass; take 1 2; end; pass")
    own, other, none = (-2, 0, 0), (0, -2, 0), (0, 0, 0)
    for viewer, laws in ((0, own), (1, other), (2, none), (None, none)):
        seen = RULES.observe(state, viewer)
        view = MatchView(
            "land_cards",
            "1",
            (),
            b"",
            None,
            None,
            None,
            6,
            False,
            seen,
            (),
            standing=RULES.standing(state, viewer),
        )
        sheet = score_sheet(scene_of_view(view, NAMES[:3], viewer), FACE, GLYPHS, 40)
        (total,) = sheet.foot
        public = seen.points
        assert total.plain.split()[-3:] == [str(sum(pair)) for pair in zip(public, laws, strict=True)]
        lines = [line.plain.split() for line in sheet.lines]
        assert (["-2", "points", "-2"] in lines) is any(laws)


# -- the chart -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [3, 5])
def test_the_chart_is_the_printed_one_but_that_it_counts_ships_and_carriages_apart(
    seats: int, snapshot: SnapshotAssertion
) -> None:
    shown = chart(scene_after(seats, 1000), GLYPHS)
    assert max(line.cell_length for line in shown.split("\n")) <= 76
    assert shown.plain == snapshot


def test_bots_of_one_kind_are_told_apart_in_the_chart() -> None:
    names = ("Anna", "bot:greedy", "bot:greedy 2", "bot:greedy 3")
    match = match_of("land_cards", 4, 1000)
    shown = chart(scene_of_view(match.view(0), names, 0), GLYPHS).plain
    assert shown.splitlines()[0].split("▲")[1].split("◆")[0].split() == ["bot:greedy", "2", "D"]


def test_the_columns_of_the_chart_add_up() -> None:
    scene = scene_after(4, 1000)
    rows = {line.split()[0]: line.split()[1:] for line in chart(scene, GLYPHS).plain.splitlines()[2:] if line}
    figures = {name: [int(word) for word in row if word.lstrip("-").isdigit()] for name, row in rows.items()}
    columns = [
        sum(column) for column in zip(*(row for row in figures.values() if len(row) == 8), strict=True)
    ]
    subtotals = figures["Subtotal"]
    assert [half // 2 for half in columns] == subtotals
    of_countries = figures["Countries"]
    assert of_countries == [sum(pair) for pair in zip(subtotals[::2], subtotals[1::2], strict=True)]
    assert figures["Total"] == list(scene.observation.points)
    sums = zip(of_countries, figures["Ships"], figures["Carriages"], figures["-2"][-4:], strict=True)
    assert figures["Total"] == [sum(parts) for parts in sums]


@pytest.mark.parametrize(
    ("moves", "section"),
    [
        ("", "taking-cards"),
        ("take 1 1", "cards-under-stones"),
        ("take 1 1; give supply; end", "placing-a-stone"),
        ("take 1 1; give supply; end; pass", "skipping-a-turn"),
        ("take 1 1; give supply; end; pass; skip; take 1 2; end", "scoring"),
    ],
)
def test_the_help_opens_at_the_step_of_the_turn(moves: str, section: str) -> None:
    state = position("FrK@C FrF@C", hands="B:t", gone="BBB")
    after = play(state, moves) if moves else state
    assert FACE.help_section(scene_of(after)) == section


# -- the result ----------------------------------------------------------------------------------------------


def tied(winners: tuple[Seat, ...], cards: tuple[int, ...] | None) -> Scene[Observation]:
    """A finished match in which A and B have 30 points and C has 20."""
    scene = scene_after(3, 1000)
    outcome = Outcome(winners, cards)
    sheet = ((30, 30, 20), *((0, 0, 0) for _ in SHEET[1:]))
    return replace(scene, observation=structs.replace(scene.observation, sheet=sheet, outcome=outcome))


def test_a_tie_is_told_in_words_with_what_was_compared() -> None:
    said = verdict(tied((1,), (17, 19, 20)), FACE.meta, GLYPHS).plain.splitlines()
    assert said[:2] == ["B■ Beate wins.", "30 points each, so land cards are compared: Andreas 17, Beate 19."]


def test_where_land_cards_are_equal_too_nobody_wins() -> None:
    said = verdict(tied((), (18, 18, 20)), FACE.meta, GLYPHS).plain.splitlines()
    assert said[0] == "Nobody wins: points and tie-break are equal."
    assert said[1] == "30 points each, so land cards are compared: Andreas 18, Beate 18."


def test_without_a_tie_nothing_is_said_of_one() -> None:
    said = verdict(tied((0,), None), FACE.meta, GLYPHS).plain
    assert "compared" not in said


@pytest.mark.parametrize("cards", [None, (17, 19, 20)])
def test_chart_and_verdict_show_the_total_at_80x24_without_scrolling(cards: tuple[int, ...] | None) -> None:
    scene = tied((1,), cards)
    lines = verdict(scene, FACE.meta, GLYPHS).plain.splitlines() + chart(scene, GLYPHS).plain.splitlines()
    around = 4  # header, a free line, prompt and keys
    assert len(lines) + around <= 24


# -- translation ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("plies", [0, 60, 1000])
def test_all_words_of_the_game_are_translated(plies: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(i18n, "current", Pseudo)
    scene = scene_after(3, plies)
    view = scene.observation
    said = [
        words(panel_lines(scene)),
        words(played_lines(view)),
        words(whole_legend(GLYPHS, 200, 1)),
        words(collection_lines(scene, GLYPHS, 21)),
        *(person_line(scene, seat, GLYPHS).plain for seat in range(3)),
        *chart(scene, GLYPHS).plain.splitlines()[2:],
        *(line for cell in range(56) if view.board[cell] < 8
          for line in detail_lines(view, cell, scene.names, GLYPHS)),
        *(action.words() for action in actions(scene)),
        *map(i18n.render, FACE.status(scene)),
    ]  # fmt: skip
    left = outside_of_brackets("\n".join(said))
    for name in NAMES:
        left = left.replace(name, "")
    assert re.findall(r"[^\W\d_]{2,}", left) == []
