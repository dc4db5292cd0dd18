"""What stands on the board as points: the races, the figures over the map, cards on the table, news."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import groupby, pairwise
from re import findall
from textwrap import wrap
from typing import Any

import msgspec
import pytest
from textual.app import App, ComposeResult
from textual.content import Content
from textual.geometry import Region

from kk_core.games.web_of_power.model import (
    CARD_COUNTRIES,
    CARDS,
    CLOISTER_OF,
    COUNTRIES,
    COUNTRY_NAMES,
    NO_CARD,
    NO_COUNTRY,
    PLACING,
    SHORTEST,
    SINGLE,
    Exchange,
    PlaceAdvisor,
    PlaceCloister,
    cards_of,
    counts_of,
    read,
)
from kk_core.match import Match
from kk_core.text import text
from kk_core.types import totals
from kk_core.views import LogEntry
from kk_tui.games.web_of_power import panels
from kk_tui.games.web_of_power.board import MapBoard
from kk_tui.games.web_of_power.chart import CHAINS as CHAINED
from kk_tui.games.web_of_power.chart import FINAL, INTERIM, PARTS, MapScoreChart, score_lines
from kk_tui.games.web_of_power.choices import CREST, country_of, target_of
from kk_tui.games.web_of_power.face import FACE
from kk_tui.games.web_of_power.heraldry import arms
from kk_tui.games.web_of_power.land import MapScale
from kk_tui.games.web_of_power.mapview import DETAIL, detail, races
from kk_tui.games.web_of_power.meaning import Kind, Sign, explain, places_left
from kk_tui.games.web_of_power.panels import (
    ALLIANCES,
    CHAINS,
    CLOISTERS,
    _card_words,
    advisors,
    bare,
    brief,
    card_lines,
    cloisters,
    may_be_last,
    newest_target,
    played_cards,
)
from kk_tui.games.web_of_power.picture import Marks
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, GLYPHS
from kk_tui.keymap import KEYS
from kk_tui.languages import ENGLISH, Translator, languages, translate, translator
from kk_tui.scene import Scene
from kk_tui.table.news import news_lines
from kk_tui.table.score_sheet import score_sheet, sheet_over_board
from kk_tui.theme.glyphs import Glyphs, figures
from kk_tui.theme.palette import palette
from tests.core.web_of_power.positions import LAND, position
from tests.tui.conftest import at_rest, until
from tests.tui.scenes import Page, lines_of, match_of, scene_of_match

NAMES = list(COUNTRY_NAMES)
SIGNS = Glyphs(ascii_only=False, more=[GLYPHS])


@pytest.mark.parametrize("width", [54, 82])
def test_all_alliances_of_a_crest_are_told_in_the_line_under_the_map(width: int) -> None:
    scene = scene_of_match(match_of("web_of_power", 3))
    for country in range(len(COUNTRIES)):
        _crest, partners = detail(scene, CREST + country, width)
        assert len(str(partners)) <= width
        own = [number for number, pair in enumerate(LAND.alliances, 1) if country in pair]
        assert [int(part.split()[0]) for part in str(partners).partition(": ")[2].split(", ")] == own


def test_of_a_crest_it_is_told_who_holds_which_of_its_alliances_as_things_stand() -> None:
    told = 0
    for plies in range(60, 220, 20):
        scene = scene_of_match(match_of("web_of_power", 3, plies))
        for country in range(len(COUNTRIES)):
            _crest, partners = detail(scene, CREST + country, 54)
            for part in str(partners).partition(": ")[2].split(", "):
                number, _partner, *held = part.split()
                points = scene.standing[ALLIANCES + int(number) - 1]
                holding = "".join("ABC"[seat] for seat, each in enumerate(points) if each)
                assert held == ([f"({holding})"] if holding else [])
                told += bool(held)
            assert len(str(partners)) <= 54
    assert told


def test_the_news_name_points_of_a_scoring_as_such_and_not_as_those_of_a_move() -> None:
    match = match_of("web_of_power", 3, 40)
    scene = scene_of_match(match, 0)
    before = tuple(points - 7 for points in scene.observation.points)
    told = [line.plain for line in news_lines(scene, FACE, SIGNS, 400, before)]
    assert told
    assert all(line.endswith("scored +7") for line in told)


def test_every_country_is_competed_for_in_the_order_of_scoring() -> None:
    match = match_of("web_of_power", 4, 90)
    scene = scene_of_match(match)
    found = races(scene)[: len(COUNTRIES)]
    counts = [cloisters(scene.observation, country) for country in LAND.scoring_order]
    assert [race.counts for race in found] == counts
    assert any(map(any, counts))


@pytest.mark.parametrize("plies", [0, 30, 90, 140])
def test_the_races_hold_every_point_that_there_would_be_now(plies: int) -> None:
    match = match_of("web_of_power", 4, plies)
    scene = scene_of_match(match)
    found = races(scene)
    final = match.game.score(match.state)[len(COUNTRIES) :]
    assert [sum(race.points[seat] for race in found) for seat in range(4)] == [
        sum(row[seat] for row in final) for seat in range(4)
    ]
    assert all(scene.standing[line] == race.points for race in found for line in race.line)
    assert found[-1].line == (CHAINS,)


@pytest.mark.parametrize("seats", [3, 4])
def test_of_an_alliance_all_advisors_are_drawn_so_that_its_points_can_be_counted(seats: int) -> None:
    told = 0
    for plies in range(60, 220, 20):
        for race in races(scene_of_match(match_of("web_of_power", seats, plies))):
            if race.line and ALLIANCES <= race.line[0] < CHAINS:
                assert max(race.points) in (0, sum(race.counts))
                assert (race.why is None) == any(race.points)
                told += any(race.points)
    assert told


def test_an_alliance_without_points_says_why_it_has_none() -> None:
    scene = scene_of_match(match_of("web_of_power", 3))
    first, second = LAND.alliances[0]
    sent = bytearray(len(scene.observation.advisors))
    sent[first * 3 : first * 3 + 3], sent[second * 3 : second * 3 + 3] = (2, 1, 0), (0, 1, 2)
    view = msgspec.structs.replace(scene.observation, advisors=bytes(sent))
    (race,) = races(replace(scene, observation=view))[len(COUNTRIES) : -1]
    assert (race.counts, race.points) == ((2, 2, 2), (0, 0, 0))
    assert str(race.why) == "Nobody has the most in both."


def test_at_the_end_a_line_says_that_its_cloisters_were_those_of_the_interim_scoring() -> None:
    scene = scene_of_match(match_of("web_of_power", 3, 10_000))
    assert scene.is_over
    said = {True: 0, False: 0}
    for line in score_lines(scene):
        if line.part in (INTERIM, FINAL):
            built = cloisters(scene.observation, NAMES.index(line.label))
            has_changed = line.part == INTERIM and counts_of(line.points) != built
            assert (" at the interim scoring;" in str(line.why)) == has_changed
            said[has_changed] += 1
    assert all(said.values())


def last_turn_of(match: Match) -> list[int]:
    """The kinds of the cards played by whoever played last."""
    kinds: list[int] = []
    player = None
    for seat, move in reversed(match.plies):
        match read(LAND, move):
            case PlaceCloister(space, payment):
                paid = cards_of(LAND.country_of[space], payment)
            case PlaceAdvisor(country, payment):
                paid = cards_of(country, payment)
            case Exchange(kind):
                paid = (kind,)
            case _:
                paid = ()
        if player not in (None, seat):
            break
        if paid:
            player = seat
            kinds += paid
    return kinds


@pytest.mark.parametrize("plies", range(1, 40))
def test_the_cards_played_last_lie_on_the_table_for_all_to_see(plies: int) -> None:
    match = match_of("web_of_power", 3, plies)
    wanted = last_turn_of(match)
    for viewer in (None, 0, 1, 2):
        found = played_cards(scene_of_match(match, viewer))
        assert sorted(found[1] if found else ()) == sorted(wanted)


@pytest.mark.parametrize("width", [82, 84, 110, 140])
def test_no_name_of_a_country_reaches_the_edge_of_its_card(width: int) -> None:
    scene = scene_of_match(match_of("web_of_power", 3))
    for kind in range(len(CARDS)):
        view = msgspec.structs.replace(scene.observation, hand=(kind,) * 3)
        dealt = replace(scene, observation=view)
        lines = card_lines(dealt, MapBoard(dealt).selection, SIGNS, width)
        first = next(at for at, line in enumerate(lines) if line.plain.startswith(" 1"))
        for line in lines[first + 1 : first + 3]:
            columns = (len(line.plain) - 2) // 3
            assert (line.plain[0], line.plain[columns - 1]) == (" ", " ")


def test_before_the_first_move_no_card_lies_on_the_table() -> None:
    assert played_cards(scene_of_match(match_of("web_of_power", 3))) is None


@pytest.mark.parametrize(("width", "at_most"), [(56, 22), (70, 28), (84, 34), (116, 42), (144, 54)])
def test_the_cards_fit_beside_the_board(width: int, at_most: int) -> None:
    for plies in range(24):
        scene = scene_of_match(match_of("web_of_power", 5, plies), 0)
        board = MapBoard(scene)
        lines = card_lines(scene, board.selection, SIGNS, width)
        assert max(line.cell_length for line in lines) <= at_most
        assert len(lines) <= 15


@pytest.mark.parametrize(("width", "at_most", "rows"), [(56, 22, 1), (70, 28, 1), (84, 34, 6), (116, 42, 7)])
@pytest.mark.parametrize("plies", [0, 5, 40])
def test_where_all_hands_are_open_the_rest_of_the_cards_needs_few_lines(
    width: int, at_most: int, rows: int, plies: int
) -> None:
    scene = scene_of_match(match_of("web_of_power", 5, plies), 0)
    lines = card_lines(scene, MapBoard(scene).selection, SIGNS, width, has_hand=False)
    words = "\n".join(line.plain for line in lines)
    assert max(line.cell_length for line in lines) <= at_most
    assert len(lines) <= rows + 1
    assert str(scene.observation.pile) in words
    assert "Your cards" not in words


def test_broad_cards_have_the_arms_of_their_countries_as_on_the_map() -> None:
    scene = scene_of_match(match_of("web_of_power", 3, 40), 0)
    lines = [line.plain for line in card_lines(scene, MapBoard(scene).selection, SIGNS, 144)]
    above, below = lines[4:6]
    for number, kind in enumerate(scene.observation.hand):
        drawn = [arms(country, MapScale.MEDIUM) for country in CARD_COUNTRIES[kind]]
        card = slice(17 * number, 17 * number + 16)
        assert all(first in above[card] and second in below[card] for first, second in drawn)


def test_news_tell_where_a_piece_stands_and_what_paid_for_it() -> None:
    match = match_of("web_of_power", 3, 40)
    scene = scene_of_match(match, None)
    for _ply, entry in scene.match.recent():
        words = brief(scene, entry, SIGNS).plain
        placed = target_of(LAND, entry.move)
        if placed is None:
            continue
        sign = GLYPHS["web_of_power-free" if placed[0] < CREST else "web_of_power-advisor"][0]
        assert words.startswith(f"{sign} {COUNTRY_NAMES[country_of(LAND, placed[0])]} ")
        assert any(card.split("/")[0][:1] in words for card in CARDS)


@pytest.mark.parametrize("size", [(56, 21), (70, 27), (84, 37), (116, 47), (144, 57)])
@pytest.mark.parametrize("plies", [90, 140])
async def test_a_key_writes_on_the_map_what_all_would_give_now_and_esc_takes_it_away(
    size: tuple[int, int], plies: int
) -> None:
    scene = scene_of_match(match_of("web_of_power", 4, plies), 0)
    page = Page(scene)
    async with page.run_test(size=size) as pilot:
        await at_rest(pilot)
        before = "\n".join(lines_of(page))
        await pilot.press(KEYS["influence"].key)
        await at_rest(pilot)
        lines = lines_of(page)[: -len(("words", "hint"))]
        screen = "\n".join(lines)
        for country, race in enumerate(sorted(races(scene)[:9], key=lambda race: NAMES.index(race.label))):
            figures = [f"{'ABCD'[seat]}{n}" for seat, n in enumerate(race.points) if n]
            name = str(COUNTRY_NAMES[country]).upper()
            assert any(gap.join(figures) in screen for gap in (" ", ""))
            assert any(words in screen for words in (name, " ".join(name), str(COUNTRY_CODES[country])))
        wanted = {f"{'ABCD'[seat]}{n}" for race in races(scene) for seat, n in enumerate(race.points) if n}
        assert {*findall(r"[A-D]\d+", screen)} <= wanted, (
            "a figure and the number of an alliance run together"
        )
        assert page.board.step_back()
        await until(pilot, lambda: "\n".join(lines_of(page)) == before)


@pytest.mark.parametrize("language", languages())
async def test_under_the_points_on_the_map_stand_those_of_chains_so_that_nothing_is_missing(
    language: str,
) -> None:
    scene = scene_of_match(match_of("web_of_power", 5, 140), 0)
    chained = (10, 4, 0, 12, 10)
    sheet = (*scene.standing[:CHAINS], chained)
    page = Page(replace(scene, match=msgspec.structs.replace(scene.match, standing=sheet)))
    page.translator = translator(language)
    async with page.run_test(size=(56, 21)) as pilot:
        await pilot.press(KEYS["influence"].key)
        await at_rest(pilot)
        *_map, total, rest = lines_of(page)
        assert figures(totals(sheet)) in total
        assert rest.endswith(figures(chained))


@pytest.mark.parametrize("size", [(57, 21), (84, 37), (116, 47)])
async def test_what_alliances_would_give_does_not_look_like_what_countries_would(
    size: tuple[int, int],
) -> None:
    scene = scene_of_match(match_of("web_of_power", 4, 120), 0)
    page = Page(scene)
    async with page.run_test(size=size) as pilot:
        await pilot.press(KEYS["influence"].key)
        await at_rest(pilot)
        board, found = page.board, set()
        for y in range(size[1]):
            for words, style, _ in board.render_line(y):
                found.add((words.strip(), style.bgcolor if style else None))
        medallion = board.ink("ink", on="web_of_power-number-ground").bgcolor
        for race in races(scene)[len(COUNTRIES) : -1]:
            figures = [f"{'ABCD'[seat]}{n}" for seat, n in enumerate(race.points) if n]
            assert all((words, medallion) in found for words in figures)
        gained = {
            f"{'ABCD'[s]}{n}" for race in races(scene)[: len(COUNTRIES)] for s, n in enumerate(race.points)
        }
        assert any(words in gained and ground != medallion for words, ground in found)


async def test_who_only_watches_has_no_cursor_until_moving_it() -> None:
    page = Page(scene_of_match(match_of("web_of_power", 3, 30), None))
    async with page.run_test(size=(57, 21)) as pilot:
        await until(pilot, lambda: "ENGLAND" in "\n".join(lines_of(page)))
        assert "[" not in "\n".join(lines_of(page))
        assert page.board.cursor_place() is None
        named = ["1-15 alliances", "━━ chain"]
        below = [line.split("  ")[0].strip() for line in lines_of(page)[-2:]]
        assert [line.split("  ")[-1].strip() for line in lines_of(page)[-2:]] == named
        newest = newest_target(page.board.scene)
        assert newest is not None, "what was placed last is told of instead"
        assert below[0] == str(detail(page.board.scene, newest, 57)[0])
        await pilot.press("right")
        await until(pilot, lambda: "[" in "\n".join(lines_of(page)))
        assert page.board.cursor_place() is not None
        assert all(line.strip() not in named for line in lines_of(page)[-2:])


@pytest.mark.parametrize("language", languages())
async def test_what_numbers_and_thick_roads_are_is_said_in_every_language(language: str) -> None:
    page = Page(scene_of_match(match_of("web_of_power", 3), 0))
    page.translator = translator(language)
    async with page.run_test(size=(57, 21)) as pilot:
        await at_rest(pilot)
        for line, word in zip(lines_of(page)[-2:], ("alliances", "chain"), strict=True):
            assert line.rstrip().endswith(f" {translate(text(word), language)}")
        assert (language == "en") == lines_of(page)[-2].rstrip().endswith("alliances")


@pytest.mark.parametrize("size", [(57, 21), (84, 37), (116, 47)])
async def test_numbers_of_alliances_look_unlike_keys_and_are_named_under_the_map(
    size: tuple[int, int],
) -> None:
    page = Page(scene_of_match(match_of("web_of_power", 3), 0))
    async with page.run_test(size=size) as pilot:
        await at_rest(pilot)
        board = page.board
        written = [segment for y in range(size[1]) for segment in board.render_line(y)]
        plate, key = (
            board.ink("web_of_power-alliance-ink", on="web_of_power-alliance", bold=True),
            board.ink("gold"),
        )
        plates = {segment.text for segment in written if segment.style == plate}
        assert plates == {*map(str, range(1, len(LAND.alliances) + 1)), f"1-{len(LAND.alliances)}"}
        assert plate.color != key.color
        assert plate.bgcolor != board.ink("gold", on="ground").bgcolor
        assert lines_of(page)[-2].rstrip().endswith("1-15 alliances")


def built(owners: dict[int, int]) -> Scene[Any]:
    """A match in which cloisters of these owners stand on these spaces, and nowhere else."""
    scene = scene_of_match(match_of("web_of_power", 3), 0)
    board = bytearray(len(LAND.spaces))
    for space, owner in owners.items():
        board[space] = CLOISTER_OF + owner
    return replace(scene, observation=msgspec.structs.replace(scene.observation, board=bytes(board)))


def line_of(length: int, begun: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Spaces in a line along roads, of which no other roads join any two; empty if it cannot go on."""
    if len(begun) == length:
        return begun
    for space in LAND.neighbours[begun[-1]] if begun else range(len(LAND.spaces)):
        if space not in begun and not {*LAND.neighbours[space]} & {*begun[:-1]}:
            found = line_of(length, (*begun, space))
            if found:
                return found
    return ()


def thick_roads(scene: Scene[Any], page: Page) -> set[tuple[int, int]]:
    """The roads that are drawn thick where no others share their cells."""
    painter, thick = page.board.painter, set()
    own = {sign for name, (sign, _plain) in GLYPHS.items() if "-own-" in name and "tie" not in name}
    lines = [
        "".join(part.text for part in painter.line(scene.observation, Marks(), y))
        for y in range(painter.layout.height)
    ]
    uses = Counter(cell for road in painter.layout.roads for cell in road)
    for road, cells in zip(LAND.roads, painter.layout.roads, strict=True):
        if own & {lines[y][x] for x, y in cells if uses[x, y] == 1}:
            thick.add(road)
    return thick


@pytest.mark.parametrize("size", [(57, 21), (84, 37), (116, 47)])
@pytest.mark.parametrize("length", [2, 3, 4, 5])
async def test_only_a_chain_by_the_rules_is_drawn_as_one(size: tuple[int, int], length: int) -> None:
    line = line_of(length)
    scene = built(dict.fromkeys(line, 1))
    page = Page(scene)
    async with page.run_test(size=size) as pilot:
        await at_rest(pilot)
        steps = {(min(step), max(step)) for step in pairwise(line)}
        assert thick_roads(scene, page) == (steps if length >= SHORTEST else set())


async def test_a_branch_beside_a_chain_is_not_drawn_as_a_part_of_it() -> None:
    line = next(
        (*line_of(4, (space,)), near)
        for space in range(len(LAND.spaces))
        if (four := line_of(4, (space,)))
        for near in LAND.neighbours[four[1]]
        if near not in four and {*LAND.neighbours[near]} & {*four} == {four[1]}
    )
    scene = built(dict.fromkeys(line, 2))
    page = Page(scene)
    async with page.run_test(size=(84, 37)) as pilot:
        await at_rest(pilot)
        thick = thick_roads(scene, page)
        assert len(thick) == SHORTEST - 1
        owned = {road for road in LAND.roads if {*road} <= {*line}}
        (branch,) = owned - thick
        said = str(explain(scene, Sign(Kind.ROAD, LAND.roads.index(branch))).sentence)
        assert said.endswith("but it is in no chain of four.")
        for road in thick:
            said = str(explain(scene, Sign(Kind.ROAD, LAND.roads.index(road))).sentence)
            assert said.endswith("chain, which would score 4 now.")


def test_a_cloister_that_keeps_others_from_a_chain_says_so() -> None:
    line = line_of(5)
    scene = built({**dict.fromkeys(line, 0), line[2]: 1})
    where, _country = detail(scene, line[2], 82)
    name, other = scene.name(1), scene.name(0)
    assert str(where).endswith(f": {name} blocks a chain of {other}")
    assert str(explain(scene, Sign(Kind.SPACE, line[2])).sentence).endswith(
        f"{name}'s cloister keeps {other} from a chain of 5."
    )
    for space in (line[0], line[1], line[3]):
        assert "a cloister of" in str(detail(scene, space, 82)[0])
    crossed = LAND.roads.index((min(line[1:3]), max(line[1:3])))
    assert str(explain(scene, Sign(Kind.ROAD, crossed)).sentence).endswith("no chain runs along it.")


async def test_in_a_replay_no_cursor_is_shown_and_the_words_are_about_the_piece_just_placed() -> None:
    match = match_of("web_of_power", 3, 40)
    while target_of(LAND, match.plies[-1][1]) is None:
        match = match_of("web_of_power", 3, len(match.plies) - 1)
    (target, _payment) = target_of(LAND, match.plies[-1][1]) or (0, 0)
    scene = replace(scene_of_match(match, 0), is_past=True, legal=frozenset())
    page = Page(scene)
    async with page.run_test(size=(84, 37)) as pilot:
        await at_rest(pilot)
        assert page.board.cursor_place() is None
        told, _country = detail(scene, target, 82)
        assert lines_of(page)[-2].startswith(f" {told} ")
        # where the coach has a better move, the cursor shows it
        page.board.show(replace(scene, legal=scene_of_match(match, match.plies[-1][0]).legal), pending=True)
        await at_rest(pilot)
        assert (page.board.cursor_place() is None) == (not page.board.scene.may_act)


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_between_a_key_and_the_card_after_it_is_a_blank_however_crowded_it_is(seats: int) -> None:
    for plies in range(0, 60, 3):
        scene = scene_of_match(match_of("web_of_power", seats, plies), 0)
        lines = card_lines(scene, MapBoard(scene).selection, SIGNS, 56, is_crowded=True)
        assert max(line.cell_length for line in lines) <= 21
        words = " ".join(line.plain for line in lines)
        assert not findall(r"\d[A-Z]|[A-Z]\d", words)
        assert len(findall(r"[1-5] [A-Z]", words)) == len(scene.observation.hand) + sum(
            kind != NO_CARD for kind in scene.observation.face_up
        )


@pytest.mark.parametrize("size", [(57, 21), (84, 37), (116, 47)])
async def test_over_the_map_no_points_stand_right_beside_the_number_of_their_alliance(
    size: tuple[int, int],
) -> None:
    page = Page(scene_of_match(match_of("web_of_power", 4, 120), 0))
    async with page.run_test(size=size) as pilot:
        await pilot.press(KEYS["influence"].key)
        await at_rest(pilot)
        board, told = page.board, 0
        for box in board.painter.layout.numbers:
            cells = board.painter._cells(board._marks, box.y, range(board.painter.layout.width))
            for x in {box.x - 1, box.x + box.width} & cells.keys():
                if cells[x].about.kind is Kind.OF_ALLIANCE:
                    assert cells[x].sign == " "
                    told += 1
        assert told


async def test_what_enter_and_a_click_would_do_is_known_before() -> None:
    match = match_of("web_of_power", 3)
    page = Page(scene_of_match(match, 0))
    async with page.run_test(size=(56, 21)) as pilot:
        await at_rest(pilot)
        board = page.board
        assert board.candidate() is None
        await pilot.press("1", "enter")
        candidate = board.candidate()
        assert candidate in page.shown.legal
        hovered = max(board.open)
        board._hover(hovered)
        assert target_of(LAND, board.candidate()) == (hovered, 0)


@pytest.mark.parametrize("width", [56, 84])
async def test_what_a_scoring_right_after_the_move_would_change_is_said_in_words(width: int) -> None:
    scene = scene_of_match(match_of("web_of_power", 3, 30), 0)
    page = Page(scene)
    first, *rest = scene.standing
    async with page.run_test(size=(width, 21)) as pilot:
        await at_rest(pilot)
        before = lines_of(page)
        page.board.foresee(((first[0] + 7, first[1], first[2] - 1), *rest), "secret")
        said = "If scored after this move: A +7 C -1"
        await until(pilot, lambda: said in lines_of(page)[-1])
        page.board.foresee(None, None)
        await until(pilot, lambda: lines_of(page) == before)


CHAIN = next(
    (road[0], *other)
    for road in LAND.roads
    for other in LAND.roads
    if road[1] == other[0] and LAND.country_of[road[0]] != LAND.country_of[other[1]]
)
"""Three spaces along roads, the ends of which lie in two countries."""


def with_chain() -> Scene[Any]:
    scene = scene_of_match(match_of("web_of_power", 3, 30))
    return replace(scene, observation=msgspec.structs.replace(scene.observation, chains=((), (CHAIN,), ())))


async def test_while_points_are_counted_the_pieces_placed_last_are_not_framed() -> None:
    scene = scene_of_match(match_of("web_of_power", 3, 1000))
    page = Page(scene)
    async with page.run_test(size=(116, 37)):
        assert page.board._marks.recent
        page.board.highlight(page.board.score[0])
        assert not page.board._marks.recent
        page.board.highlight(None)
        assert page.board._marks.recent


async def test_a_chain_is_named_by_the_countries_at_its_ends_since_the_map_names_no_spaces() -> None:
    scene = with_chain()
    async with Page(scene).run_test():
        (told,) = [line for line in score_lines(scene) if line.part == CHAINED]
        countries = [LAND.country_of[space] for space in CHAIN]
        first, last = (COUNTRY_NAMES[country] for country in (countries[0], countries[-1]))
        assert str(told.label) == f"B: {first}-{last}"
        assert str(told.shorter[-1]) == f"{COUNTRY_CODES[countries[0]]}-{COUNTRY_CODES[countries[-1]]}"
        named = ", ".join(str(COUNTRY_NAMES[country]) for country, _same in groupby(countries))
        assert str(told.why).endswith(f" of 3 cloisters gives 3 points: {named}.")
        assert told.points == (0, 3, 0)


def test_in_lines_of_text_which_have_no_map_a_chain_is_told_from_space_to_space() -> None:
    (told,) = [line for line in score_lines(with_chain()) if line.part == CHAINED]
    assert str(told.why).endswith(f": {'-'.join(LAND.spaces[space] for space in CHAIN)}.")


CODE = r"\b[A-Z]{2}[0-9]\b"
"""The name of a space, which lines of text have and the map has not."""


async def test_on_the_screen_no_words_of_a_move_name_a_space_that_the_map_does_not_name() -> None:
    scene = scene_of_match(match_of("web_of_power", 3, 1000))
    entries = [entry for _ply, entry in scene.match.recent()]
    placed = [entry for entry in entries if (target_of(LAND, entry.move) or (CREST, 0))[0] < CREST]
    assert placed

    def words(entry: LogEntry) -> list[str]:
        assert entry.move is not None
        moved = [FACE.move_words(scene, entry.seat, entry.move), FACE.place_words(scene, entry.move)]
        return [str(said) for said in (*moved, *FACE.describe(scene, entry))]

    assert all(findall(CODE, said) for entry in placed for said in words(entry)), "in lines of text"
    page = Page(scene)
    async with page.run_test():
        assert not any(findall(CODE, said) for entry in placed for said in words(entry))
        spaces = range(len(LAND.spaces))
        assert not any(findall(CODE, str(said)) for space in spaces for said in detail(scene, space, 80))


@pytest.mark.parametrize(
    ("moves", "told"),
    [
        (("cloister AR2 Franken/Aragon",), "⌂ Aragon"),
        (("cloister AR2 Franken/Aragon", "cloister AR3 Franken/Aragon"), "⌂ ⌂ Aragon"),
        (("cloister AR2 Franken/Aragon", "advisor Aragon Franken/Aragon"), "⌂ ♙ Aragon"),
    ],
)
def test_the_shortest_news_name_the_country_of_both_pieces_of_a_turn_once(
    moves: tuple[str, ...], told: str
) -> None:
    match = match_of("web_of_power", 3, 0)
    match.state = position(hand="FK FK FK", cloisters={"AR1": 0})
    for line in moves:
        match.play(0, match.game.parse_move(line))
    scene = scene_of_match(match, 1)
    said = [bare(scene, entry, SIGNS).plain for entry in reversed(scene.just_happened())]
    assert " ".join(filter(None, said)) == told


@pytest.mark.parametrize("width", [24, 26, 27, 28, 40])
def test_on_the_sheet_the_grounds_of_all_countries_are_equally_broad(width: int) -> None:
    scene = scene_of_match(match_of("web_of_power", 5, 1000), 0)
    lines = score_sheet(scene, FACE, SIGNS, width).lines
    grounds = {
        span.end - span.start for line in lines for span in line.spans if "country-ink on" in str(span.style)
    }
    assert len(grounds) == 1


@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("plies", [60, 120, 1000])
def test_the_sheet_over_the_smallest_board_names_countries_whole_and_parts_no_scoring(
    seats: int, plies: int
) -> None:
    scene = scene_of_match(match_of("web_of_power", seats, plies), 0)
    sheet, wide = sheet_over_board(scene, FACE, SIGNS, 54, 21), 54 // 2
    assert not sheet.codes
    lines = [line.plain for line in sheet.lines]
    scored = [line for line in range(ALLIANCES) if any(scene.standing[line])]
    assert sum(f" {COUNTRY_NAMES[line % CLOISTERS]} " in "\n".join(lines) for line in scored) == len(scored)
    if sheet.head[0].plain.count("Score sheet") > 1:
        alliances = [line[wide:] for line in lines if "-" in line[wide:]]
        assert lines[0][wide:].strip(" ()").startswith(("Alliances, chains", "Final scoring"))
        assert all(line.split()[0].isdecimal() for line in alliances)
    if plies == 1000:
        assert sheet.rows <= 21


class ChartPage(App[None]):
    """The score at the end alone."""

    glyphs = SIGNS
    translator: Translator = ENGLISH

    def __init__(self, scene: Scene[Any]) -> None:
        super().__init__()
        theme = palette("manuscript", [FACE.colours]).theme()
        self.register_theme(theme)
        self.theme = theme.name
        self.shown = scene

    def compose(self) -> ComposeResult:
        yield MapScoreChart(self.shown, SIGNS)

    def on_mount(self) -> None:
        self.query_one(MapScoreChart).focus()


@pytest.mark.parametrize("size", [(76, 20), (96, 26), (116, 20), (156, 26), (196, 32)])
async def test_beside_the_list_of_the_score_lies_the_whole_map_and_under_it_how_the_list_goes_on(
    size: tuple[int, int],
) -> None:
    scene = scene_of_match(match_of("web_of_power", 5, 1000))
    page = ChartPage(scene)
    async with page.run_test(size=size) as pilot:
        await at_rest(pilot)
        chart, short = page.query_one(MapScoreChart), 0
        for number in range(len(chart.lines)):
            screen = [chart.render_line(y).text for y in range(size[1])]
            assert chart.painter.layout.height <= size[1] - chart._least_words
            owned = sum(line[chart.list_width :].count(shape) for line in screen for shape in "●■▲◆★")
            is_long = len(chart._told()) > chart._least_words  # then the map shows what the line is about
            assert is_long or owned >= len(LAND.spaces) - scene.observation.board.count(0)
            told = f"{number + 1} of {len(chart.lines)}: up and down for the others."
            if len(chart._told()) < size[1] - chart.room:
                assert told in screen[-1]
                short += 1
            await pilot.press("down")
        assert bool(short) == (size[1] >= 24)


async def test_the_cursor_on_a_crest_is_no_wider_than_what_stands_there() -> None:
    page = Page(scene_of_match(match_of("web_of_power", 3, 60), 0))
    async with page.run_test(size=(57, 21)) as pilot:
        await at_rest(pilot)
        board, left = page.board, page.board.corner[0]
        for country in range(len(COUNTRIES)):
            board._go(CREST + country)
            box = board.painter.box(board.view, board._marks, CREST + country)
            here = sum(advisors(board.view, country)) + places_left(board.view, country)
            assert box.width == board.painter.layout.scale.crest(here)[0]
            line = board.render_line(board.corner[1] + box.y).text
            assert line[left + box.x + box.width] == "]"


@pytest.mark.parametrize("size", [(57, 21), (84, 37), (116, 47)])
async def test_what_a_lesson_lights_has_its_arrows_beside_it_and_not_over_it(size: tuple[int, int]) -> None:
    page = Page(scene_of_match(match_of("web_of_power", 3, 6), 0))
    async with page.run_test(size=size) as pilot:
        await at_rest(pilot)
        board, layout = page.board, page.board.painter.layout
        left, top = board.corner
        for space in range(len(board.printed.spaces)):
            board.cursor = space
            (place,) = board.places(PlaceCloister(space, SINGLE).move)
            box = layout.boxes[space]
            assert place == Region(left + box.x, top + box.y, *layout.scale.house)
            board.cursor = CREST
            (tight,) = board.places(PlaceCloister(space, SINGLE).move)
            is_half = layout.scale is MapScale.SMALL and not board.view.board[space]
            assert (tight.x, tight.right) == (place.x + is_half, place.right)


# -- what is said of cards and of the end ----------------------------------------------------------------


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_card_and_a_country_say_how_many_such_cards_there_are(seats: int) -> None:
    scene = scene_of_match(match_of("web_of_power", seats))
    deck = LAND.deck_for(seats)
    counts = f"({deck[0]} of {sum(deck)}"
    name = explain(scene, Sign(Kind.NAME, 1)).sentence
    assert f"Franken: a Franken/Aragon card {counts})" in str(name)
    told = [str(_card_words(scene.observation, kind)) for kind in range(len(CARDS))]
    assert told[0].startswith(f"Franken/Aragon {counts} cards)")
    assert max(map(len, (*told, str(name)))) <= 78


def test_before_a_round_in_which_the_pile_may_run_out_again_everybody_is_warned() -> None:
    view = scene_of_match(match_of("web_of_power", 3, 20)).observation
    start, last = (msgspec.structs.replace(view, pile_runs=1, turn=turn) for turn in (9, 11))
    # three cards a turn at most, for all who still have theirs in this round
    for seen, most in ((start, 9), (last, 3)):
        assert may_be_last(msgspec.structs.replace(seen, pile=most))
        assert not may_be_last(msgspec.structs.replace(seen, pile=most + 1))
    assert not may_be_last(msgspec.structs.replace(start, pile=1, pile_runs=0))
    scene = scene_of_match(match_of("web_of_power", 3, 20))
    warned = replace(
        scene,
        observation=msgspec.structs.replace(start, pile=9, phase=PLACING, begun=NO_COUNTRY),
        legal=frozenset((PlaceCloister(0, SINGLE).move,)),
    )
    assert "maybe the last" in str(panels.status(warned)[0])
    assert "this round is the last" in str(panels.prompt(warned, MapBoard(warned).selection))


def test_who_has_nothing_more_to_draw_is_told_that_the_end_of_placing_ends_the_turn() -> None:
    view = scene_of_match(match_of("web_of_power", 3, 20)).observation
    bare = bytes([NO_CARD]) * len(view.face_up)
    last = msgspec.structs.replace(view, pile_runs=2, pile=0, face_up=bare)
    assert str(panels.only_end(last)) == "No card is left to draw: Enter ends your turn."
    assert str(panels.only_end(last, may_undo=True)).endswith("ends your turn, u takes a step back.")
    drawing = msgspec.structs.replace(last, face_up=view.face_up)
    assert "No card is left" not in str(panels.only_end(drawing))


def test_an_interim_scoring_counts_the_cloisters_that_stood_then_however_late_it_is_shown() -> None:
    begun, over = (scene_of_match(match_of("web_of_power", 3, plies)) for plies in (0, 10_000))
    steps = FACE.scoring_animation(begun, over)
    (interim,) = {step.scoring.bars for step in steps if step.scoring and not any(step.scoring.start)}
    assert [bar.counts for bar in interim] == [counts_of(bar.points) for bar in interim]
    assert any(bar.counts != cloisters(over.observation, NAMES.index(bar.label)) for bar in interim)


@pytest.mark.parametrize("language", languages())
def test_the_rule_of_each_scoring_has_room_under_the_smallest_map(language: str) -> None:
    rules = {translate(line.rule, language) for line in score_lines(scored(3))}
    assert len(rules) == len(("countries", "alliances", "chains"))
    assert all(len(wrap(rule, 54)) <= DETAIL for rule in rules)
    assert max(map(len, rules)) <= 75, "a line of the chart at the end"


def scored(seats: int) -> Scene[Any]:
    """The end of a match, with a chain as long as any."""
    scene = scene_of_match(match_of("web_of_power", seats, 10_000))
    chains = ((bytes(range(8, 24)),), *((),) * (seats - 1))
    return replace(scene, observation=msgspec.structs.replace(scene.observation, chains=chains))


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("seats", [3, 5])
async def test_of_every_line_of_the_score_reason_and_rule_stand_whole_under_the_smallest_map(
    seats: int, language: str
) -> None:
    page = Page(scored(seats))
    page.translator = translator(language)
    async with page.run_test(size=(80, 22)) as pilot:
        board = page.board
        board.styles.width = 56
        await until(pilot, lambda: board.size.width == 56)
        rows, parts = range(board.size.height), set[int]()
        for number, line in enumerate(board.score):
            board.highlight(line)
            said = [board.render_line(y).text.strip() for y in rows][-board.told_lines :]
            reason, rule = translate(line.why, language), translate(line.rule, language)
            covered = len(Content(reason).wrap(78)) - 1  # by the prompt, which tells the reason
            assert " ".join(said).split() == rule.split()
            assert not any(said[len(said) - covered :])
            board.counted = None
            board._redraw_all()
            said = [board.render_line(y).text.strip() for y in rows][-board.told_lines :]
            place = text("{at} of {lines}. {why}", at=number + 1, lines=len(board.score), why=line.why)
            # a line may end after a dash
            assert "".join("".join(said).split()) == "".join(f"{translate(place, language)}{rule}".split())
            later = [words for words in said[1:] if words not in rule]
            assert not findall(r"(?m)^\d+[,;.]?(?: |$)", "\n".join(later)), "a figure apart from its word"
            parts.add(line.part)
        assert len(parts) == len(PARTS)


async def test_words_about_a_line_of_the_score_are_made_once_and_not_for_every_line_of_the_map(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page, asked, about = Page(scored(3)), list[int](), MapBoard._about_score

    def counted(board: MapBoard, at: int) -> list[tuple[str, str]]:
        asked.append(at)
        return about(board, at)

    monkeypatch.setattr(MapBoard, "_about_score", counted)
    async with page.run_test(size=(80, 22)) as pilot:
        await pilot.press("tab", "tab")
        await at_rest(pilot)
        assert page.board.score_line == 1
        assert asked == [0, 1]


@pytest.mark.parametrize("seats", [3, 4, 5])
async def test_in_the_chart_of_the_end_no_label_is_cut(seats: int) -> None:
    page = ChartPage(scored(seats))
    async with page.run_test(size=(80, 20)) as pilot:
        await at_rest(pilot)
        chart = page.query_one(MapScoreChart)
        for line in chart.lines:
            row = next(
                text for y in range(chart.room) if (text := chart.render_line(y).text)[0] == SIGNS["cursor"]
            )
            label = row[1 : chart.list_width - 1 - 3 * seats].strip()
            assert label in {str(form) for form in (line.label, *line.shorter)}
            assert all(label.removeprefix("#").startswith(f"{number}") for number in line.shown.alliances)
            await pilot.press("down")


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("size", [(80, 20), (120, 36)])
async def test_in_the_chart_of_the_end_every_line_has_its_rule_below_its_reason(
    size: tuple[int, int], language: str
) -> None:
    page = ChartPage(scored(3))
    page.translator = translator(language)
    async with page.run_test(size=size) as pilot:
        await at_rest(pilot)
        chart = page.query_one(MapScoreChart)
        for line in chart.lines:
            said = " ".join(chart.render_line(y).text.strip() for y in range(chart.room, size[1]))
            reason, rule = translate(line.why, language), translate(line.rule, language)
            assert said.split()[: len(f"{reason} {rule}".split())] == f"{reason} {rule}".split()
            await pilot.press("down")
