"""Scorings step by step: line by line up to the points of the score sheet, in every game."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import chain, pairwise, product
from random import Random
from typing import Any

import pytest
from rich.cells import cell_len
from textual.geometry import Size

from kk_core.games.land_cards.model import SYMBOLS
from kk_core.games.web_of_power.model import COUNTRIES, KIND_OF_COUNTRY
from kk_core.match import Match
from kk_core.registry import game
from kk_core.text import text, text_in
from kk_tui.games import faces
from kk_tui.games.web_of_power.chart import INTERIM, ChartLine, in_groups, together
from kk_tui.games.web_of_power.panels import ALLIANCES
from kk_tui.games.web_of_power.picture import Highlight
from kk_tui.games.web_of_power.theme import kind_variable
from kk_tui.i18n import PlainReader, writing_for
from kk_tui.languages import languages, translate, translator
from kk_tui.pixels import gain, halves, large, number, quadrants
from kk_tui.scene import Scene
from kk_tui.scoring_animation import Banner, Bar, ScoringProgress, Step
from kk_tui.scoring_animation.stage import Ledger, banner_lines
from kk_tui.theme.glyphs import Glyphs
from tests.tui.scenes import NAMES, SEED, games_with, match_of, scene_of_match

every_game = pytest.mark.parametrize("game_id", games_with("scoring_animation"))


@cache
def scenes_of(game_id: str) -> tuple[Scene[Any], ...]:
    """A spectator's scenes of a whole match, one for each ply."""
    chance, seats = Random(1), faces()[game_id].meta.min_seats + 1
    match = Match(game(game_id), {}, NAMES[:seats], SEED)
    scenes = [scene_of_match(match, None)]
    while active := match.game.active_seats(match.state):
        match.play(active[0], chance.choice(match.game.legal_moves(match.state, active[0])))
        scenes.append(scene_of_match(match, None))
    return tuple(scenes)


def scoring_animations(game_id: str) -> list[tuple[Scene[Any], list[Step]]]:
    """All scoring animations of the match, with the scenes that they lead to."""
    scenes, make = scenes_of(game_id), faces()[game_id].scoring_animation
    found = [(after, list(make(before, after))) for before, after in pairwise(scenes)]
    return [(after, steps) for after, steps in found if steps]


def scorings(steps: list[Step]) -> list[ScoringProgress]:
    return [step.scoring for step in steps if step.scoring]


@every_game
def test_the_final_scoring_counts_up_to_the_points_of_the_result(game_id: str) -> None:
    last, steps = scoring_animations(game_id)[-1]
    assert last.is_over
    assert scorings(steps)[-1].totals == last.observation.points


@every_game
def test_one_line_is_added_at_a_time_and_all_of_them_stand_at_the_end(game_id: str) -> None:
    for counted in filter(None, (scorings(steps) for _scene, steps in scoring_animations(game_id))):
        for before, now in pairwise(counted):
            assert now.counted in (before.counted, before.counted + 1, 1)
        assert counted[-1].is_done
        assert counted[-1].counted == len(counted[-1].bars)


PLAIN = Glyphs(ascii_only=True, more=[face.glyphs for face in faces().values()])


def listed(scoring: ScoringProgress, width: int, height: int) -> tuple[int, ...]:
    """The sums of the columns in the table of what is counted."""
    return sums(Ledger(PLAIN), scoring, width, height)


def sums(ledger: Ledger, scoring: ScoringProgress, width: int, height: int) -> tuple[int, ...]:
    """The same, as somebody has scrolled it."""
    found = [0] * len(scoring.names)
    for line in ledger.lines(scoring, width, height):
        for words, colour, _on, is_bold in line:
            if is_bold and colour.startswith("seat-") and words.strip().lstrip("-").isdigit():
                found[int(colour.removeprefix("seat-"))] += int(words)
    return tuple(found)


@every_game
@pytest.mark.parametrize("size", [(25, 20), (25, 14), (36, 45), (120, 30), (120, 8)])
def test_all_lines_of_a_scoring_add_up_to_the_totals_also_where_not_all_have_room(
    game_id: str, size: tuple[int, int]
) -> None:
    done = [scorings(steps)[-1] for _scene, steps in scoring_animations(game_id) if scorings(steps)]
    assert done
    assert [listed(scoring, *size) for scoring in done] == [scoring.totals for scoring in done]


@every_game
@pytest.mark.parametrize("height", [18, 20, 36])
def test_the_totals_at_the_end_of_a_scoring_use_the_rows_that_they_have(game_id: str, height: int) -> None:
    _last, steps = scoring_animations(game_id)[-1]
    lines = Ledger(Glyphs(ascii_only=False)).lines(scorings(steps)[-1], 76, height)
    assert min(0.75 * height, 28) <= len(lines) <= height


def labels(ledger: Ledger, scoring: ScoringProgress, width: int, height: int) -> list[str]:
    """What the first columns say."""
    return [line[0][0].strip() for line in ledger.lines(scoring, width, height) if line]


def names_of(bar: Bar) -> set[str]:
    """What a line may be called."""
    return {str(label) for label in (bar.label, *bar.shorter)}


def test_lines_to_come_are_listed_without_points_where_there_is_room_for_all() -> None:
    first = scorings(scoring_animations("web_of_power")[-1][1])[0]
    named = [str(bar.label) for bar in first.bars]
    said = labels(Ledger(PLAIN), first, 40, 60)
    assert [each for each in said if each in named][-len(named) :] == named
    assert listed(first, 40, 60) == first.totals
    few = labels(Ledger(PLAIN), first, 40, 20)
    assert "..." in few
    assert named[4] in few
    assert listed(first, 40, 20) == first.totals


@pytest.mark.parametrize("language", languages())
def test_lines_out_of_sight_are_summed_up_on_either_side_and_their_number_has_room(language: str) -> None:
    done = scorings(scoring_animations("web_of_power")[-1][1])[-1]
    done = replace(done, bars=done.bars * 2, counted=2 * done.counted)
    more = translate(text_in("points", "{n} more", n=0), language).replace("0", "[0-9]+")
    more += f"|[0-9]+ {PLAIN['ellipsis']}"
    with writing_for(PlainReader(translator(language))):
        ledger, width = Ledger(PLAIN), 6 + 3 * len(done.names)
        labels(ledger, done, width, 19)
        assert ledger.scroll(-2)
        said = labels(ledger, done, width, 19)
    found = [label for label in said if re.fullmatch(more, label)]
    assert len(found) == 2
    hidden = sum(int(re.sub("[^0-9]", "", label)) for label in found)
    seen = {name for bar in done.bars for name in names_of(bar)} & {*said}
    assert hidden + len(seen) == len(done.bars)


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_beside_the_smallest_board_all_nine_countries_of_a_scoring_have_their_own_line(seats: int) -> None:
    begun, over = (scene_of_match(match_of("web_of_power", seats, plies)) for plies in (0, 10_000))
    steps = faces()["web_of_power"].scoring_animation(begun, over)
    counted = [one for one in scorings(list(steps)) if one.bars[one.counted - 1].colour is not None]
    assert max(one.counted for one in counted) == len(COUNTRIES)
    for scoring in counted:
        said = labels(Ledger(PLAIN), scoring, 21, 20)
        rows = said[said.index("") + 1 :]  # below the line that says whose points are in which column
        if any(scoring.start):
            assert rows.pop(0) == "before"
        assert len(rows) >= scoring.counted
        for label, bar in zip(rows, scoring.bars[: scoring.counted], strict=False):
            assert label in names_of(bar)


def test_beside_the_board_gains_are_part_of_the_bars_of_the_totals_and_told_in_figures() -> None:
    counted = [each for _scene, steps in scoring_animations("web_of_power") for each in scorings(steps)]
    for scoring in (one for one in counted if not one.is_done):
        drawn = Ledger(PLAIN).lines(scoring, 21, 20)
        for seat, (points, gained) in enumerate(zip(scoring.totals, scoring.now.points, strict=True)):
            (bar,) = (line for line in drawn if line and line[0][0].strip() == PLAIN.owner(seat))
            long = {ink: len(words) for words, ink, *_ in bar if words and not words.strip("#")}
            figures = {words.strip(): ink for words, ink, *_ in bar[1:] if words.strip("# ")}
            if gained == points:
                assert figures == {str(points): "possible" if points else "ink"}
            else:
                assert figures == {str(points): "ink"} | ({f"{gained:+}": "possible"} if gained else {})
            assert {*long} <= {f"seat-{seat}", "possible"}
            unit = sum(long.values()) / max(1, points)
            assert abs(long.get("possible", 0) - gained * unit) <= 1


@pytest.mark.parametrize(("word", "is_narrow"), [("CLASH", False), ("CHOQUE", False), ("BOTSING", True)])
def test_a_word_too_long_for_the_board_is_written_over_it_in_narrow_letters(
    word: str, is_narrow: bool
) -> None:
    lines = banner_lines(Banner(word), Size(56, 21), ascii_only=False)
    assert len(lines) == 4
    assert max(cell_len(words) for ((words, *_style),) in lines) <= 54
    pixels = large(word, 0)
    assert lines[0][0][0] == (quadrants(pixels) if is_narrow else halves(pixels))[0]
    ((first, *_style), *_more), *_others = banner_lines(Banner(word), Size(56, 21), ascii_only=True)
    assert (first == word) is is_narrow


@pytest.mark.parametrize("size", [(25, 20), (25, 24), (36, 30), (40, 60)])
def test_countries_that_are_counted_have_their_colour_also_where_not_all_lines_have_room(
    size: tuple[int, int],
) -> None:
    grounds = {kind_variable(kind) for kind in KIND_OF_COUNTRY}
    for _scene, steps in scoring_animations("web_of_power"):
        counting = [scoring for scoring in scorings(steps) if scoring.now is not None]
        assert counting
        for scoring in counting:
            coloured = [bar for bar in scoring.bars[: scoring.counted] if bar.colour is not None]
            names = {name for bar in coloured for name in names_of(bar)}
            table = Ledger(PLAIN).lines(scoring, *size)
            rows = [line[0] for line in table if len(line) == len(scoring.names) + 1]
            lit = {words.strip() for words, _ink, ground, _bold in rows if ground in grounds}
            assert lit == {words.strip() for words, *_style in rows} & names


@every_game
@pytest.mark.parametrize("size", [(76, 20), (116, 36), (196, 56)])
def test_over_the_board_nothing_moves_but_what_is_counted_and_figures_stay_by_their_labels(
    game_id: str, size: tuple[int, int]
) -> None:
    for counted in filter(None, (scorings(steps) for _scene, steps in scoring_animations(game_id))):
        heads = set()
        for scoring in counted:
            lines = [
                "".join(words for words, *_style in line) for line in Ledger(PLAIN).lines(scoring, *size)
            ]
            assert len(lines) <= size[1]
            assert max(map(len, lines)) <= size[0]
            head = next(at for at, line in enumerate(lines) if "Total" in line)
            heads.add((head, lines[head].index("Total")))
            row = next(line for line in lines if "o" in line and "Total" in line)
            assert len(row[row.index("Ao") :].rstrip()) <= 5 * len(scoring.names)
        assert len(heads) == 1


@every_game
@pytest.mark.parametrize("size", [(76, 20), (116, 36), (156, 46), (196, 56)])
def test_over_the_board_a_scoring_fills_its_page_and_all_its_bars_share_one_axis(
    game_id: str, size: tuple[int, int]
) -> None:
    for counted in filter(None, (scorings(steps) for _scene, steps in scoring_animations(game_id))):
        axes, measured = set(), 0
        for scoring in counted:
            drawn = Ledger(PLAIN).lines(scoring, *size)
            lines = ["".join(words for words, *_style in line) for line in drawn]
            assert max(map(len, lines)) >= 0.75 * size[0]
            (axis,) = (line for line in drawn if any(words.split()[:1] == ["0"] for words, *_ in line[:2]))
            marks = "".join(words for words, ink, *_ in axis[:2])
            axes.add(marks.rstrip())
            start, last = marks.index("0"), marks.split()[-1]
            unit = (marks.index(last) - start) / int(last)
            bars = [re.match("(#+) ([0-9]+)(?: |$)", line[start:]) for line in lines]
            for bar in filter(None, bars):
                measured += 1
                assert abs(len(bar[1]) - unit * int(bar[2])) <= 2
        assert len(axes) == 1
        assert measured


@pytest.mark.parametrize("size", [(76, 20), (116, 36), (196, 56)])
def test_over_the_board_every_card_that_is_counted_is_drawn_with_its_signs(size: tuple[int, int]) -> None:
    (counted,) = filter(None, (scorings(steps) for _scene, steps in scoring_animations("land_cards")))
    for scoring in (each for each in counted if each.now.things and not each.is_done):
        now = scoring.now
        assert tuple(map(len, now.things)) == now.counts
        drawn = Ledger(PLAIN).lines(scoring, *size)
        grounds = ("land_cards-symbol-", now.colour or "seat-")
        shown = [
            words.strip()
            for line in drawn
            for words, _ink, ground, _bold in line
            if ground and ground.startswith(grounds) and words.strip() in SIGNS
        ]
        signs = [sign for things in now.things for thing in things for sign in thing]
        assert shown == [PLAIN[sign.name] for sign in signs if PLAIN[sign.name] in SIGNS]


def test_of_the_symbols_of_a_country_those_that_score_are_on_their_badges_and_no_others() -> None:
    lit = 0
    for scoring in (each for each in things_of("land_cards") if each.now.shares):
        _land, symbols = scoring.now.shares
        for things, points in zip(scoring.now.things, symbols, strict=True):
            badges = [sign for thing in things for sign in thing if (sign.ground or "").startswith(BADGE)]
            assert len(badges) == points
            assert len({sign.name for sign in badges}) <= 1
            lit += points
    assert lit


BADGE = "land_cards-symbol-"
SIGNS = {PLAIN[f"{BADGE}{letter}"] for letter in SYMBOLS}

FIGURED = Glyphs(ascii_only=False, more=[face.glyphs for face in faces().values()])


def things_of(game_id: str) -> list[ScoringProgress]:
    """The steps of a game's scorings that count things."""
    steps = [step for _scene, steps in scoring_animations(game_id) for step in scorings(steps)]
    return [scoring for scoring in steps if scoring.now.things and not scoring.is_done]


@pytest.mark.parametrize("game_id", ["ku_ka_king", "land_cards"])
@pytest.mark.parametrize("size", [(116, 36), (156, 46), (196, 56)])
def test_over_a_large_board_things_that_are_counted_bear_pictures_and_points_are_in_blocks(
    game_id: str, size: tuple[int, int]
) -> None:
    pictured = 0
    for scoring in things_of(game_id):
        now, drawn = scoring.now, Ledger(FIGURED).lines(scoring, *size)
        assert max(sum(cell_len(words) for words, *_style in line) for line in drawn) <= size[0]
        if max(now.counts) > (4 if size[0] < 150 else 6) or min(now.points) < 0:
            continue
        signs = [sign for things in now.things for thing in things for sign in thing]
        for sign in signs:
            pictured += 1
            shown = [words for line in drawn for words, _ink, ground, _bold in line if ground == sign.ground]
            assert any({*picture} <= {*shown} for picture in sign.pictures)
        first = "\n".join(words for line in drawn for words, ink, *_ in line if ink == "possible")
        assert "+" not in first
        for points in (share[seat] for share in now.shares or (now.points,) for seat in range(len(share))):
            rows = [halves(gain(points, scale=scale)) for scale in (1, 2)]
            assert not points or any(all(row.rstrip() in first for row in block) for block in rows)
    assert pictured


@pytest.mark.parametrize("game_id", ["ku_ka_king", "land_cards"])
@pytest.mark.parametrize("size", [(76, 20), (116, 36), (196, 56)])
def test_what_is_on_a_thing_is_in_its_middle(game_id: str, size: tuple[int, int]) -> None:
    centred = 0
    for scoring in things_of(game_id):
        ground = scoring.now.colour, None
        for line in Ledger(FIGURED).lines(scoring, *size):
            edges = [at for at, (_words, ink, on, _bold) in enumerate(line) if (ink, on) == ground]
            for left, right in pairwise(edges):
                inside = line[left + 1 : right]
                if inside and all(on for _words, _ink, on, _bold in inside):
                    centred += 1
                    assert 0 <= len(line[right][0]) - len(line[left][0]) <= 1
    assert centred


def test_the_points_for_cards_and_symbols_of_a_country_are_told_apart_beside_its_rule() -> None:
    _scene, steps = scoring_animations("land_cards")[-1]
    told = 0
    for step in steps:
        if step.scoring is None or not step.scoring.now.shares or step.scoring.is_done:
            continue
        now, (land, symbols) = step.scoring.now, step.scoring.now.shares
        assert now.points == tuple(map(sum, zip(land, symbols, strict=True)))
        assert f"Cards: {max(land)} for the most, others as many as the place ahead" in str(step.says)
        assert len(str(step.says)) <= 78
        drawn = Ledger(PLAIN).lines(step.scoring, 76, 20)
        shown = [words for line in drawn for words, ink, *_ in line if ink == "possible" and "+" in words]
        pairs = [pair for pair in zip(land, symbols, strict=True) if any(pair)]
        named = [[f"+{one} cards", *([f"+{other} symbols"] if other else [])] for one, other in pairs]
        assert shown == [*chain.from_iterable(named)]
        told += any(symbols)
    assert told


def test_points_in_blocks_say_below_what_they_are_for() -> None:
    named = 0
    for scoring in (each for each in things_of("land_cards") if each.now.shares):
        drawn = Ledger(FIGURED).lines(scoring, 116, 36)
        shown = [words for line in drawn for words, ink, *_ in line if ink == "possible"]
        if not any("+" in words for words in shown):
            land, symbols = scoring.now.shares
            assert sum("cards" in words for words in shown) == sum(map(bool, land))
            assert sum("symbols" in words for words in shown) == sum(map(bool, symbols))
            named += 1
    assert named


def test_the_highest_pictures_on_cards_are_as_far_from_the_upper_edge_as_from_the_lower_one() -> None:
    measured = 0
    counted = [each for each in things_of("land_cards") if each.now.shares]
    for scoring, height in product(counted, range(27, 40)):
        rows = Ledger(FIGURED).lines(scoring, 116, height)
        edges = ["".join(words for words, ink, *_ in row if ink == scoring.now.colour) for row in rows]
        drawn = [any(ground and ground.startswith("land_cards") for *_, ground, _bold in row) for row in rows]
        off = []
        for last in (at for at, edge in enumerate(edges) if FIGURED["upper"] in edge):
            first = max(at for at in range(last) if not edges[at] or FIGURED["upper"] in edges[at]) + 1
            if pictures := [at for at in range(first, last) if drawn[at]]:
                above = pictures[0] - first - 0.5 * (FIGURED["bar"] in edges[first])
                off.append(abs(above - (last - pictures[-1] - 0.5)))
                measured += FIGURED["bar"] in edges[first]
        assert min(off, default=0) in (0, 0.5)
        assert not any(FIGURED["bar"] in edge for edge in edges) or not min(off)
    assert measured


def test_law_cards_that_are_still_secret_are_a_line_for_each_seat_with_their_number() -> None:
    scene, steps = scoring_animations("land_cards")[-1]
    counted = [one for one in scorings(steps) if not one.is_done]
    last = [one for one in counted if all(bar.owner is None for bar in one.bars[: one.counted])][-1]
    lines = ["".join(words for words, *_style in line) for line in Ledger(PLAIN).lines(last, 196, 56)]
    held = [len(hand) for hand in scene.observation.hands]
    told = [f"{PLAIN.owner(seat)} {n} law card" for seat, n in enumerate(held) if n]
    assert [sum(words in line for line in lines) for words in told] == [1] * len(told)
    assert sum("law card" in line for line in lines) == len(told)


def test_a_line_of_one_seat_that_hides_nothing_is_called_the_same_before_it_is_counted() -> None:
    bars = [Bar(text("kings"), (3, 0)), Bar(text("tolls"), (0, 2), owner=1)]
    scoring = ScoringProgress(text("Final scoring"), ("Anna", "Ben"), (0, 0), tuple(bars), 1, over_board=True)
    lines = Ledger(PLAIN).lines(scoring, 76, 20)
    assert any("tolls" in "".join(words for words, *_style in line) for line in lines)


@every_game
@pytest.mark.parametrize("size", [(76, 20), (116, 36), (196, 56)])
def test_over_the_board_the_table_ends_with_the_totals(game_id: str, size: tuple[int, int]) -> None:
    for counted in filter(None, (scorings(steps) for _scene, steps in scoring_animations(game_id))):
        for scoring in counted:
            lines = Ledger(PLAIN).lines(scoring, *size)
            *_rows, last = [line for line in lines if any(words.strip() == "Total" for words, *_ in line)]
            figures = [words.strip() for words, ink, *_ in last if ink == "gold"]
            # the figure of a bar may stand in the same line, before them
            found = [int(each) for each in figures if each.lstrip("-").isdigit()]
            assert found[-len(scoring.totals) :] == [*scoring.totals]


@every_game
def test_at_the_end_points_are_in_large_digits_and_the_most_stand_out(game_id: str) -> None:
    scoring = scorings(scoring_animations(game_id)[-1][1])[-1]
    assert scoring.is_done
    drawn = {
        (words.strip(), ink)
        for line in Ledger(Glyphs(ascii_only=False)).lines(scoring, 96, 36)
        for words, ink, *_ in line
    }
    for points in scoring.totals:
        ink = "gold" if points == max(scoring.totals) else "ink"
        assert {(row.strip(), ink) for row in halves(number(points))} <= drawn


@pytest.mark.parametrize(("size", "is_done"), [((33, 37), False), ((22, 23), True)])
def test_beside_the_board_a_table_ends_with_the_totals_where_it_is_long(
    size: tuple[int, int], is_done: bool
) -> None:
    counted = [each for _scene, steps in scoring_animations("web_of_power") for each in scorings(steps)]
    counted = [scoring for scoring in counted if scoring.is_done >= is_done]
    assert counted
    for scoring in counted:
        label, *figures = Ledger(PLAIN).lines(scoring, *size)[-1]
        assert label[0].strip() == "Total"
        assert [int(words) for words, *_style in figures] == [*scoring.totals]


def test_what_was_scored_before_is_told_without_the_sign_of_a_player() -> None:
    scoring = scorings(scoring_animations("ku_ka_king")[-1][1])[-1]
    shown = labels(Ledger(PLAIN), scoring, 25, 20)
    assert any(scoring.start)
    assert "before" in shown
    assert [label for label in shown if "before" in label] == ["before"]


def test_lines_without_room_can_be_scrolled_to_between_the_sums_of_the_others() -> None:
    scoring, size = scorings(scoring_animations("web_of_power")[-1][1])[-1], (25, 20)
    ledger, seen = Ledger(PLAIN), set[str]()
    while True:
        shown = labels(ledger, scoring, *size)
        seen.update(shown)
        assert sums(ledger, scoring, *size) == scoring.totals
        before = ledger.back
        ledger.back = min(ledger.hidden, before + 2)
        if ledger.back == before:
            break
    assert any(label.endswith(" more") for label in seen)
    assert all(names_of(bar) & seen for bar in scoring.bars if bar.colour is None)


@every_game
def test_a_later_scene_without_a_great_moment_shows_nothing(game_id: str) -> None:
    scenes, make = scenes_of(game_id), faces()[game_id].scoring_animation
    assert not make(scenes[0], scenes[1])
    assert not make(scenes[-1], scenes[-1])


@pytest.mark.parametrize("game_id", ["land_cards", "web_of_power"])
def test_before_a_scoring_begins_the_board_after_the_last_move_waits_to_be_looked_at(game_id: str) -> None:
    for scene, (first, *scoring) in scoring_animations(game_id):
        log = [faces()[game_id].describe(scene, entry) for _ply, entry in scene.match.recent()]
        move = [words[0] for words in log if words][-1]
        title = scorings(scoring)[0].title
        assert (first.scene, first.scoring, first.waits) == (scene, None, True)
        assert str(first.says) == f"{move} {title} is next."


@every_game
def test_every_step_says_something_and_stands_for_a_while_but_not_for_long(game_id: str) -> None:
    for _scene, steps in scoring_animations(game_id):
        for step in steps:
            assert str(step.says)
            assert 0.2 <= step.seconds <= 4


def test_the_interim_scoring_of_the_board_game_points_out_one_country_after_the_other() -> None:
    scene, steps = scoring_animations("web_of_power")[0]
    assert not scene.is_over
    assert "Interim" in str(scorings(steps)[0].title)
    marks = [step.mark for step in steps[1:-1] if step.is_detail]
    assert marks
    assert all(isinstance(mark, ChartLine) and len(mark.shown.countries) == 1 for mark in marks)
    assert scorings(steps)[-1].totals == tuple(
        map(sum, zip(*scene.observation.sheet[: len(COUNTRIES)], strict=True))
    )


def test_a_country_that_is_counted_has_the_colour_of_its_cards() -> None:
    _scene, steps = scoring_animations("web_of_power")[0]
    for step in (each for each in steps[1:-1] if each.is_detail):
        assert isinstance(step.mark, ChartLine)
        assert step.scoring is not None
        (country,) = step.mark.shown.countries
        bar = step.scoring.now
        assert (bar.colour, bar.ink) == (kind_variable(KIND_OF_COUNTRY[country]), "country-ink")


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("width", [22, 25])
def test_what_is_counted_beside_the_board_is_named_whole(width: int, language: str) -> None:
    counted = [each for _scene, steps in scoring_animations("web_of_power") for each in scorings(steps)]
    named = 0
    for scoring in (each for each in counted if not each.is_done):
        whole = {translate(form, language) for form in (scoring.now.label, *scoring.now.shorter)}
        with writing_for(PlainReader(translator(language))):
            head = {
                words.strip() for line in Ledger(PLAIN).lines(scoring, width, 20) for words, *_look in line
            }
        assert head & {label for label in whole if len(label) > len("FR-LO") or scoring.group}
        named += 1
    assert named


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_scoring_of_the_board_game_takes_few_steps_and_every_line_is_told_to_who_wants_it(
    seats: int,
) -> None:
    begun, over = (scene_of_match(match_of("web_of_power", seats, plies)) for plies in (0, 10_000))
    steps = faces()["web_of_power"].scoring_animation(begun, over)
    whole = [step for step in steps if not step.is_detail]
    assert len(whole) <= 12 < len(steps)
    assert sum(step.scoring is None for step in whole) == 2, "the last moves before both scorings"
    singles = [step.scoring for step in steps if step.scoring and not step.scoring.group]
    lines = sum(len(scoring.bars) for scoring in singles if scoring.is_done)
    assert len([scoring for scoring in singles if not scoring.is_done]) == lines
    for scoring in (one for one in scorings(whole) if not one.is_done):
        assert scoring.now.points == tuple(
            map(sum, zip(*(bar.points for bar in scoring.newest), strict=True))
        )
        assert len({bar.colour is None for bar in scoring.newest}) == 1, "no countries among alliances"


def test_a_group_of_lines_ends_where_somebody_takes_the_lead_for_good_and_says_so() -> None:
    told = 0
    for seats in (3, 4, 5):
        begun, over = (scene_of_match(match_of("web_of_power", seats, plies)) for plies in (0, 10_000))
        for step in faces()["web_of_power"].scoring_animation(begun, over):
            scoring = step.scoring
            if scoring is None or scoring.group is None:
                continue
            (ahead, *others) = sorted(scoring.totals, reverse=True)
            if "is ahead now" in str(step.says):
                leader = scoring.names[scoring.totals.index(ahead)]
                assert f" {leader} is ahead now." in str(step.says)
                assert ahead > others[0]
                told += 1
    assert told


def test_the_final_scoring_of_the_board_game_begins_with_what_the_interim_scoring_gave() -> None:
    scene, steps = scoring_animations("web_of_power")[-1]
    interim = tuple(map(sum, zip(*scene.observation.sheet[: len(COUNTRIES)], strict=True)))
    assert scorings(steps)[0].start == interim


@pytest.mark.parametrize(
    ("points", "groups"),
    [
        ([(3, 0), (1, 2), (0, 1)], [(1, 0), (2, None)]),  # the first line decides who is ahead
        ([(1, 1), (2, 2)], [(2, None)]),  # a tie all along
        ([(2, 0), (0, 3), (4, 0), (0, 2)], [(3, 0), (1, None)]),  # the lead changes, and is shared in between
        ([(2, 0), (0, 2)], [(2, None)]),  # a tie in the end: nobody leads for good
        ([(0, 1), (2, 0)], [(2, 0)]),  # the last line decides
    ],
)
def test_lines_are_counted_together_up_to_the_one_by_which_somebody_leads_for_good(
    points: list[tuple[int, int]], groups: list[tuple[int, int | None]]
) -> None:
    scene = scene_of_match(match_of("web_of_power", 3), 0)
    said, part = text("said"), INTERIM
    lines = [ChartLine(part, said, each, Highlight(), said, said) for each in points]
    found = [*in_groups(lines, (0, 0))]
    assert [(len(group), leader) for group, leader in found] == groups
    sums = [together(scene, group, leader).points for group, leader in found]
    assert [sum(column) for column in zip(*sums, strict=True)] == [
        sum(column) for column in zip(*points, strict=True)
    ]
    for group, leader in found:
        words = str(together(scene, group, leader).why)
        assert words.startswith(f"{len(group)} countr")
        assert ("is ahead now" in words) is (leader is not None)
        assert leader is None or scene.name(leader) in words


def test_a_group_of_lines_never_goes_on_into_the_next_part() -> None:
    said = text("said")
    lines = [ChartLine(part, said, (1, 0), Highlight(), said, said) for part in (INTERIM, ALLIANCES)]
    assert [(len(group), leader) for group, leader in in_groups(lines, (0, 0))] == [(1, 0), (1, None)]


def test_every_law_card_left_in_a_hand_is_turned_over_by_name() -> None:
    scene, steps = scoring_animations("land_cards")[-1]
    turned = [str(step.says) for step in steps if "reveals" in str(step.says)]
    assert len(turned) == sum(map(len, scene.observation.hands))


@pytest.mark.parametrize("size", [(76, 20), (116, 36), (196, 56)])
def test_a_law_card_that_is_turned_over_is_drawn_beside_its_holder(size: tuple[int, int]) -> None:
    glyphs = Glyphs(ascii_only=False, more=[faces()["land_cards"].glyphs])
    _scene, steps = scoring_animations("land_cards")[-1]
    turned = [one for one in scorings(steps) if one.now.owner is not None and not one.is_done]
    assert turned
    for scoring in turned:
        drawn = [
            [words for words, _ink, ground, _bold in line if ground == "land_cards-law-ground"]
            for line in Ledger(glyphs).lines(scoring, *size)
        ]
        first = next(row for row, parts in enumerate(drawn) if parts)
        rows = [
            row
            for row, line in enumerate(Ledger(glyphs).lines(scoring, *size))
            if any(glyphs.owner(scoring.now.owner or 0) in words for words, *_style in line)
        ]
        assert min(abs(row - first) for row in rows) <= 3
