"""What stands beside the board, in the log and in the chart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len

from kk_core.games.ku_ka_king.model import CARDS, LINES, SHEET
from kk_core.match import Match
from kk_tui.games.ku_ka_king.face import FACE, chart_lines, collected_lines, news
from kk_tui.games.ku_ka_king.panels import collection_lines, figures, head_lines, prompt, status
from kk_tui.games.ku_ka_king.reveal import standing
from kk_tui.games.ku_ka_king.theme import SHORT_NAMES, group, signed_name
from kk_tui.i18n import render
from kk_tui.scene import Scene
from kk_tui.table.news import ScoreBaseline, log_lines, news_lines, news_of_each
from kk_tui.theme.glyphs import Glyphs
from tests.tui.ku_ka_king.scenes import match_of, rounds
from tests.tui.scenes import scene_of_match

SIGNS = Glyphs(ascii_only=False, more=[FACE.glyphs])


def log_of(seats: int, count: int) -> list[str]:
    match = match_of(seats)
    rounds(match, count)
    scene = scene_of_match(match, None)
    return [str(said) for _, entry in scene.match.recent() for said in FACE.describe(scene, entry)]


def test_the_log_tells_calls_only_once_they_are_revealed() -> None:
    match = match_of(3, [(0, 6), (1, 2)])
    scene = scene_of_match(match, 2)
    said = [str(words) for _, entry in scene.match.recent() for words in FACE.describe(scene, entry)]
    assert said == []
    match.play(2, 2)
    assert (
        str(FACE.describe(scene_of_match(match, 0), scene_of_match(match, 0).match.recent()[0][1])[0])
        == "Tim calls row 6."
    )
    scene = scene_of_match(match, 2)
    newest = [str(words) for words in FACE.describe(scene, scene.match.recent()[-1][1])]
    assert newest[:2] == ["Linus calls row 2.", "Ku ... Ka ... King! Tim 6, Sarah 2, Linus 2."]
    assert newest[2].startswith("Tim takes row 6: ")
    assert newest[3].startswith("Sarah and Linus both call row 2.")


def test_the_news_and_an_open_hand_name_the_row_that_was_called() -> None:
    scene = scene_of_match(match_of(3, [(0, 6)]), 0)
    ((_ply, entry),) = scene.match.recent()
    news = FACE.brief(scene, entry, SIGNS)
    assert news is not None
    assert news.plain == "called row 6"
    assert [thing.plain for thing in FACE.hand(scene)] == ["calls row 6"]


def news_of(match: Match, viewer: int, earlier: Iterable[Scene[Any]] = ()) -> list[str]:
    gains, scene = ScoreBaseline(), scene_of_match(match, viewer)
    for each in (*earlier, scene):
        gains.follow(each)
    return [line.plain for line in news_lines(scene, FACE, SIGNS, 200, gains.before(scene, FACE))]


def test_the_news_name_row_and_cards_of_every_rival_and_what_he_gained_in_the_last_round_alone() -> None:
    match = match_of(3)
    rounds(match, 2)
    before = scene_of_match(match, 0)
    rounds(match, 1)
    scene = scene_of_match(match, 0)
    gained = [new - old for new, old in zip(scene.observation.points, before.observation.points, strict=True)]
    for calls in ([], [(1, 5)], [(0, 4)]):  # secret calls of the next round are no news
        for seat, row in calls:
            match.play(seat, row)
        told = news_of(match, 0, [before])
        assert [line[:2] for line in told] == ["B■", "C▲"]
        for seat, line in enumerate(told, start=1):
            names = ", ".join(str(SHORT_NAMES[card]) for card in before.observation.rows[seat])
            assert line[3:] == f"row {seat + 1}: {names}, {gained[seat]:+}"


def test_what_stays_after_the_first_scoring_is_no_gain_of_the_round_before_it() -> None:
    match = match_of(2)
    rounds(match, 4)
    before = scene_of_match(match, 0)
    rounds(match, 1)
    view = match.view(None).observed(FACE.observation)
    assert view.second_pass
    gained = sum(row[1] for row in view.sheet[: len(LINES)]) - before.observation.points[1]
    assert view.points[1] - before.observation.points[1] > gained
    assert news_of(match, 0, [before])[0].endswith(f", {gained:+}")


@pytest.mark.parametrize("width", range(14, 30))
def test_no_line_of_the_news_ends_within_the_name_of_a_card(width: int) -> None:
    scene = scene_of_match(match_of(2, [(0, 1), (1, 2)]), 0)
    lines = [line.plain for line in news_lines(scene, FACE, SIGNS, width, None)]
    for name in ("church", "wife", "3 pts"):
        assert any(name in line for line in lines)


def test_the_news_tell_of_a_clash_with_the_card_it_cost_and_of_the_row_that_was_called_then() -> None:
    match = match_of(3, [(0, 6), (1, 2), (2, 2)])
    lost = render(SHORT_NAMES[match.state.box[-1]])
    assert [line[3:] for line in news_of(match, 0)] == [f"clash in row 2 (lost: {lost})"] * 2
    assert news_of(match, 1)[0].startswith("A● row 6: ")
    assert news_of(match, 1)[1] == f"C▲ clash with you in row 2 (lost: {lost})"
    told = news(scene_of_match(match, 0)).told[1][0]
    name = told.plain.index(lost)
    assert [(span.start, span.end) for span in told.spans] == [(name, name + len(lost))]
    for seat in (1, 2):
        match.play(seat, seat + 3)
    clash = f"clash in row 2 (lost: {lost}), "
    assert [line[3 : 3 + len(clash) + 6] for line in news_of(match, 0)] == [
        f"{clash}row {n}:" for n in (4, 5)
    ]


def test_who_clashed_and_called_again_reads_what_everybody_took_in_the_round() -> None:
    match = match_of(3, [(0, 6), (1, 2), (2, 2), (1, 4), (2, 5)])
    lost = render(SHORT_NAMES[match.state.box[-1]])
    first, second = news_of(match, 1)
    assert first.startswith("A● row 6: ")
    assert second.startswith(f"C▲ clash with you in row 2 (lost: {lost}), row 5: ")
    rounds(match, 1)  # which ends what is told of the one before
    assert [line.split(":")[0] for line in news_of(match, 1)] == ["A● row 1", "C▲ row 3"]


def test_where_the_news_may_be_cut_a_gain_stands_before_the_row_that_brought_it_and_no_clash() -> None:
    match, gains = match_of(3), ScoreBaseline()
    gains.follow(scene_of_match(match, 0))
    for seat, row in ((0, 6), (1, 2), (2, 2), (1, 4), (2, 5)):
        match.play(seat, row)
    scene = scene_of_match(match, 0)
    gains.follow(scene)
    before = gains.before(scene, FACE)
    assert before is not None
    for brief, whole in zip(
        news_of_each(scene, FACE, SIGNS, 200, before, is_brief=True),
        news_of_each(scene, FACE, SIGNS, 200, before),
        strict=True,
    ):
        sign, _clash, rest = re.split(r"(clash in .*?, )", whole[0].plain)
        took, _comma, gain = rest.rpartition(", ")
        called, _colon, cards = took.removeprefix("row ").partition(": ")
        assert brief[0].plain == f"{sign}{gain} {called}: {cards.replace(', ', ' ')}"


def test_the_score_sheet_says_of_a_scoring_whether_it_has_been_held() -> None:
    match = match_of(2)
    assert sheet_parts(match)[0] == "First scoring so far"
    rounds(match, 5)
    assert sheet_parts(match) == ["First scoring", "Final scoring so far"]


def sheet_parts(match: Match) -> list[str]:
    """The headings of the lines of both scorings."""
    scene = scene_of_match(match, 0)
    return [render(FACE.sheet_entry(scene, line).part) for line in (0, len(LINES))]


@pytest.mark.parametrize("viewer", [0, 1, None])
def test_over_the_rows_a_clash_is_told_until_the_round_after_it_is_revealed(viewer: int | None) -> None:
    match = match_of(3, [(0, 6), (1, 2), (2, 2)])
    for seat in (1, 2):
        match.play(seat, seat + 3)
    scene = scene_of_match(match, viewer)
    calls, brought = head_lines(scene, standing(scene), SIGNS, 84)
    assert "clash: B■C▲ 2" in "".join(words for words, *_ in calls)
    lost = render(SHORT_NAMES[match.state.box[-1]])
    assert f" 2 {SIGNS['down']} {lost}" in "".join(words for words, *_ in brought)
    rounds(match, 1)
    scene = scene_of_match(match, viewer)
    assert "clash" not in "".join(words for words, *_ in head_lines(scene, standing(scene), SIGNS, 84)[0])


def test_where_there_is_one_line_over_the_rows_it_tells_which_card_a_clash_has_cost() -> None:
    match = match_of(3, [(0, 6), (1, 2), (2, 2)])
    for seat in (1, 2):
        match.play(seat, seat + 3)
    scene = scene_of_match(match, 0)
    lost = render(SHORT_NAMES[match.state.box[-1]])
    for room, width, told in ((1, 56, True), (1, 45, False), (2, 56, False)):
        calls = "".join(words for words, *_ in head_lines(scene, standing(scene), SIGNS, width, room)[0])
        assert calls.endswith(f"clash: B■C▲ 2 {SIGNS['down']} {lost}") is told
        assert "clash: B■C▲ 2" in calls


def test_where_the_line_over_the_rows_is_narrow_calls_are_told_whole_rather_than_ku_ka_king() -> None:
    match = match_of(4, [(0, 2), (1, 2), (2, 6), (3, 6), (0, 4), (1, 4), (2, 3), (3, 5)])
    scene = scene_of_match(match, 0)
    whole = "  C▲ 3  D◆ 5  clash:  A● 4  B■ 4  before: A●B■ 2, C▲D◆ 6"
    narrow = whole.replace("  ", " ")
    for width, told in ((80, f" Ku .. Ka .. King!{whole}"), (len(whole), whole), (len(narrow), narrow)):
        calls = "".join(words for words, *_ in head_lines(scene, standing(scene), SIGNS, width)[0])
        assert calls == told


def test_several_clashes_of_a_round_are_told_apart() -> None:
    match = match_of(2, [(0, 4), (1, 4), (0, 6), (1, 6), (0, 5), (1, 2)])
    scene = scene_of_match(match, 0)
    calls, _brought = head_lines(scene, standing(scene), SIGNS, 84)
    assert "".join(words for words, *_ in calls).endswith("clash: A●B■ 4, A●B■ 6")


def test_where_the_points_before_are_not_known_the_news_tell_of_no_gain() -> None:
    match = match_of(3)
    rounds(match, 1)
    assert not any("+" in line for line in news_of(match, 0))


def test_in_the_log_a_reveal_bears_nobodys_mark() -> None:
    scene = scene_of_match(match_of(3, [(0, 6), (1, 2), (2, 2)]), 0)
    lines = [line.plain for line in log_lines(scene, FACE, SIGNS, 80, 24)]
    assert lines[0] == "A● Tim calls row 6."
    assert lines[1] == "   Ku ... Ka ... King! Tim 6, Sarah 2, Linus 2."
    assert all(line.startswith("   ") for line in lines[1:])


def test_in_a_log_of_few_columns_a_reveal_tells_the_calls_and_everybodys_cards_behind_their_signs() -> None:
    scene = scene_of_match(match_of(3, [(0, 6), (1, 2), (2, 2)]), 0)
    lines = [line.plain.rstrip() for line in log_lines(scene, FACE, SIGNS, 20, 24)]
    assert lines[0] == "   A●6 B■2 C▲2"
    assert any(line.startswith("A● 6: ") for line in lines)
    assert {line[:2] for line in lines if "clash 2:" in line} == {"B■", "C▲"}


def test_in_a_log_of_few_columns_the_own_call_stands_until_all_are_revealed() -> None:
    scene = scene_of_match(match_of(3, [(0, 6), (1, 2)]), 0)
    assert [line.plain for line in log_lines(scene, FACE, SIGNS, 20, 24)] == ["A● called row 6"]


def test_once_all_is_revealed_the_log_does_not_say_that_somebody_has_called() -> None:
    scene = scene_of_match(match_of(3, [(0, 6), (1, 2), (2, 2)]), 0)
    newest = [str(words) for words in FACE.describe(scene, scene.match.recent()[-1][1])]
    assert newest[0] == "Ku ... Ka ... King! Tim 6, Sarah 2, Linus 2."


@pytest.mark.parametrize("calls", [[(0, 6), (1, 2), (2, 2)], [(0, 4), (1, 4), (2, 4)]])
def test_after_a_clash_those_who_wanted_the_same_row_are_asked_to_call_again(
    calls: list[tuple[int, int]],
) -> None:
    before, after = (scene_of_match(match_of(3, made), 2) for made in ([], calls))
    assert str(prompt(before, None)).startswith("Call a row: ")
    assert str(prompt(after, None)).startswith("Call again: ")


def test_after_a_clash_the_rows_that_are_left_are_named() -> None:
    match = match_of(3, [(0, 6), (1, 2), (2, 2)])
    left = "1, 2, 3, 4, 5 or 7"
    assert str(prompt(scene_of_match(match, 2), None)) == f"Call again: {left}, arrows or a click."


def test_in_a_new_round_everybody_is_asked_to_call_a_row() -> None:
    match = match_of(3)
    rounds(match, 1)
    assert str(prompt(scene_of_match(match, 0), None)).startswith("Call a row: ")


def test_the_log_tells_what_the_first_scoring_gave_everybody() -> None:
    said = log_of(2, 5)
    match = match_of(2)
    rounds(match, 5)
    sheet = match.view(None).observed(FACE.observation).sheet
    for seat, name in enumerate(match.seats):
        points = sum(row[seat] for row in sheet[: len(LINES)])
        assert f"{name} gets {points} points in the first scoring." in said


def test_collections_are_shown_by_type_in_columns_that_fit_beside_a_small_board() -> None:
    match = match_of(4)
    rounds(match, 2)
    scene = scene_of_match(match, 0)
    head, *lines = [line.plain for line in collection_lines(scene, SIGNS, 21)]
    expected = {}
    for card in (card for line in LINES for card in range(len(CARDS)) if group(card) == line):
        counts = [cards[card] for cards in scene.observation.collections]
        if any(counts):
            expected[signed_name(card, SIGNS)] = "".join(f"{count or '':>3}" for count in counts)
    assert [(line[:8].strip(), line[8:]) for line in lines] == [*expected.items()]
    assert max(map(cell_len, (head, *lines))) <= 20


def test_below_the_chart_further_lines_of_cards_begin_under_the_first_one() -> None:
    match = match_of(4)
    rounds(match, 9)
    scene = scene_of_match(match, 0)
    lines = [line.plain for line in collected_lines(scene, SIGNS, 60, 40)]
    names = [line for line in lines if any(name in line for name in scene.names)]
    further = [line for line in lines if line and line not in names]
    begins = {len(SIGNS.owner(0)) + 3 + max(map(len, scene.names))}
    assert further
    assert {len(line) - len(line.lstrip()) for line in further} == begins


@pytest.mark.parametrize("seats", [2, 4])
def test_below_the_chart_are_the_whole_collections_or_none(seats: int) -> None:
    match = match_of(seats)
    rounds(match, 9)
    scene = scene_of_match(match, 0)
    told = ["\n".join(line.plain for line in collected_lines(scene, SIGNS, 44, room)) for room in range(30)]
    assert told[0] == ""
    assert all(words.count("\n") < room for room, words in enumerate(told) if words)
    for words in filter(None, told):
        for seat, cards in enumerate(scene.observation.collections):
            own = words.partition(SIGNS.owner(seat))[2].partition(SIGNS.owner(seat + 1))[0]
            assert all(render(SHORT_NAMES[card]) in own for card, n in enumerate(cards) if n)
    assert len({*told}) == 3, "with free lines between them, without, and nothing"


@pytest.mark.parametrize(("width", "king"), [(32, "0 1 4 9…36"), (53, "0 1 4 9 16 25 36")])
def test_beside_the_collections_is_what_the_cards_score_where_there_is_room(width: int, king: str) -> None:
    match = match_of(4)
    rounds(match, 6)
    scene = scene_of_match(match, 0)
    narrow = [line.plain for line in collection_lines(scene, SIGNS, 21)]
    wide = [line.plain for line in collection_lines(scene, SIGNS, width)]
    assert max(map(cell_len, wide)) <= width
    assert any(line.startswith("♔ king") and line.endswith(f"  {king}") for line in wide)
    assert [line[:20].rstrip() for line in wide] == [line.rstrip() for line in narrow]
    assert all(len(line) > 20 for line in wide[1:])


def test_the_chart_has_both_scorings_and_adds_up() -> None:
    match = match_of(4)
    rounds(match, 9)
    scene = scene_of_match(match, 0)
    chart = [line.plain for line in chart_lines(scene, SIGNS)]
    for seat, name in enumerate(scene.names):
        begins = [found.start() for found in re.finditer("first", chart[1])][seat]
        assert chart[0][begins:].startswith(f"{SIGNS.owner(seat)} {name}")
    for index in range(len(LINES)):
        numbers = [int(n) for n in chart[2 + index].split()[1:]]
        first, final = scene.observation.sheet[index], scene.observation.sheet[len(LINES) + index]
        assert numbers == [n for pair in zip(first, final, strict=True) for n in pair]
    assert [int(n) for n in chart[-1].split()[1:]] == list(scene.observation.points)
    assert max(map(len, chart)) <= 76
    assert len(chart) <= 12


@pytest.mark.parametrize("line", range(len(SHEET)))
def test_every_line_of_the_sheet_has_a_label_that_fits(line: int) -> None:
    label = FACE.sheet_label(scene_of_match(match_of(2), 0), line)
    assert len(str(label)) <= 22


@pytest.mark.parametrize(
    ("room", "shown"),
    [(16, "0 1 4 9 16 25 36"), (15, "0 1 4 9 16…36"), (10, "0 1 4 9…36"), (9, "0 1 4…36")],
)
def test_figures_that_do_not_fit_leave_out_those_before_the_last(room: int, shown: str) -> None:
    assert figures([0, 1, 4, 9, 16, 25, 36], room, "…") == shown


def test_the_screen_is_handed_over_to_whoever_has_a_call_to_make() -> None:
    match = match_of(3, [(0, 6)])
    assert FACE.holds_secrets(scene_of_match(match, 0), 1)
    for seat in (1, 2):
        match.play(seat, 2)
    assert not FACE.holds_secrets(scene_of_match(match, None), 0)
    assert FACE.holds_secrets(scene_of_match(match, None), 1)


def test_the_prompt_asks_others_to_look_away_only_where_several_share_a_screen() -> None:
    match = match_of(3)
    alone, together = scene_of_match(match, 1), scene_of_match(match, 1, owners=("x", "x", "x"))
    assert "look away" not in str(prompt(alone, None))
    assert "Sarah, call a row (others look away):" in str(prompt(together, None))


def test_the_help_opens_at_choosing_a_row_and_after_the_end_at_the_scoring() -> None:
    match = match_of(2)
    assert FACE.help_section(scene_of_match(match, 0)) == "choosing-a-row"
    while not match.is_over:
        rounds(match, 1)
    assert FACE.help_section(scene_of_match(match, 0)) == "scoring"


def test_the_header_counts_cards_up_to_the_scoring_and_no_further() -> None:
    scene = scene_of_match(match_of(3), 0)
    for most, said, beside in (
        (12, "Round 1, pass 1: 12 of 13 cards", "choosing, 12 cards"),
        (13, "Round 1, the last of pass 1", "choosing, 13 cards"),
        (15, "Round 1, the last of pass 1", "choosing, 15 cards"),
    ):
        collections = (bytes([most]).ljust(len(CARDS), b"\0"), *[bytes(len(CARDS))] * 2)
        view = scene.observation.__replace__(collections=collections)
        counted = replace(scene, observation=view)
        assert str(status(counted)[0]) == said
        assert FACE.person(counted, 0, SIGNS).plain == beside
