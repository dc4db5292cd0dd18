"""What stands beside the board: cards that stay in view, and news that are cut with a sign."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import structs
from rich.cells import cell_len
from textual.content import Content
from textual.events import MouseScrollDown
from textual.screen import Screen

from kk_core.games.web_of_power.model import CARD_COUNTRIES, COUNTRY_NAMES, DRAW_PILE, PlaceCloister, read
from kk_core.match import Match
from kk_core.registry import game
from kk_core.text import Text
from kk_core.types import totals
from kk_core.views import ClockRule, ClockView, LogEntry, SeatClock, SeatView
from kk_tui.app import KkApp
from kk_tui.games import Race, faces, no_contests
from kk_tui.games.ku_ka_king.face import FACE
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, SHORT_NAMES
from kk_tui.i18n import PlainReader, writing_for
from kk_tui.languages import languages, translator
from kk_tui.match.screen import SheetScreen
from kk_tui.match.table import TableScreen
from kk_tui.scene import Scene
from kk_tui.table import side_panel
from kk_tui.table.news import entry_lines, log_lines, news_lines
from kk_tui.table.score_sheet import score_sheet
from kk_tui.table.side_panel import DRAWERS, Beside, SidePanel, who
from kk_tui.table_words import tells_time
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.explanation import explanation_at
from kk_tui.widgets.lines import Lines, sentence_lines
from tests.core.contract.tables import people_at
from tests.tui.conftest import Stage, at_rest, renewed, shown, until
from tests.tui.ku_ka_king.scenes import rounds
from tests.tui.playing import at_table, begin, can_act, keys_of, scene_in
from tests.tui.scenes import NAMES, SEED, games_with, lines_of, match_of, scene_of_match, scene_of_view


@pytest.mark.parametrize("size", [(80, 23), (80, 24), (120, 40), (200, 60)])
async def test_no_drawer_covers_the_own_hand_or_the_open_cards(stage: Stage, size: tuple[int, int]) -> None:
    board_game = {"web_of_power": faces()["web_of_power"]}
    async with stage.play(size=size, games=board_game) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app) and "Face up" in "\n".join(lines_of(app)))
        side = app.screen.query_one("#people", Lines)
        for name in DRAWERS:
            app.screen.action_act(name)  # type: ignore[attr-defined]
            await until(pilot, lambda: len(side.window) >= 4)
            seen, view = "\n".join(lines_of(app)), scene_in(app).observation
            for key, kind in enumerate((*view.hand, *view.face_up), 1):
                countries = CARD_COUNTRIES[kind]
                card = "/".join(str(COUNTRY_CODES[country]) for country in countries)
                assert re.search(rf"{key} ?{card}", seen) or all(
                    str(COUNTRY_NAMES[one]) in seen or str(SHORT_NAMES[one]) in seen for one in countries
                )
            assert side.region.y + side.window.stop <= app.screen.query_one(SidePanel).region.bottom


@pytest.mark.parametrize("game_id", list(faces()))
def test_the_line_of_a_bot_says_what_those_of_its_style_like(game_id: str) -> None:
    face, scene = faces()[game_id], scene_of_match(match_of(game_id, game(game_id).meta.max_seats))
    for style, likes in face.styles.items():
        seats = (*scene.table.seats[:2], SeatView("Till", None, "easy", False, 2, style=style))
        told = replace(scene, table=structs.replace(scene.table, seats=seats))
        said = str(who(told, face, 2, Glyphs(ascii_only=False)))
        assert said.startswith("Claus, easy bot: their sign is")
        assert said.endswith(f". {likes}")
        plain = structs.replace(told.table, seats=(*seats[:2], structs.replace(seats[2], style=None)))
        assert str(likes) not in str(who(replace(told, table=plain), face, 2, Glyphs(ascii_only=False)))


def after(plies: int, viewer: int | None = 0) -> Any:
    """The board game after some plies, before a turn of the first player, who looks, or somebody else."""
    match = Match(game("web_of_power"), {}, NAMES[:3], SEED)
    for _ in range(plies):
        (seat,) = match.game.active_seats(match.state)
        match.play(seat, match.game.legal_moves(match.state, seat)[0])
    while match.game.active_seats(match.state) != (0,):
        (seat,) = match.game.active_seats(match.state)
        match.play(seat, match.game.legal_moves(match.state, seat)[0])
    return scene_of_match(match, viewer)


def test_the_news_stand_in_the_order_of_the_turns() -> None:
    scene, glyphs = after(12), Glyphs(ascii_only=False)
    said = [line.plain for line in news_lines(scene, faces()["web_of_power"], glyphs, 22, None)]
    signs = [line[0] for line in said if line[0] != " "]
    assert signs == ["B", "C"]


def test_what_somebody_did_several_times_in_a_row_is_told_once() -> None:
    match, chance = Match(game("web_of_power"), {}, NAMES[:3], SEED), Random(1)
    while [ply.move for ply in match.plies[-2:]] != [DRAW_PILE] * 2:
        (seat,) = match.game.active_seats(match.state)
        moves = match.game.legal_moves(match.state, seat)
        match.play(seat, DRAW_PILE if DRAW_PILE in moves else chance.choice(moves))
    scene, face = scene_of_match(match, None), faces()["web_of_power"]
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    (said,) = (line.plain for line in news_lines(scene, face, glyphs, 200, None))
    assert said.endswith(", drew from the pile twice")
    assert said.count("drew") == 1


def test_news_without_enough_room_tell_of_everybody_and_end_in_a_sign_where_they_are_cut() -> None:
    scene, glyphs = after(12), Glyphs(ascii_only=False)
    face = replace(faces()["web_of_power"], tight=None, bare=None)  # in signs they would have room
    panel = SidePanel(glyphs)
    whole = [line.plain.rstrip() for line in news_lines(scene, face, glyphs, 22, None)]
    assert len(whole) == 4
    for room in range(2, len(whole)):
        head, *shown = (line.plain for line in panel._news(scene, face, 22, 1 + room, None))
        assert head == "Since your turn", "the free line goes first"
        assert len(shown) == room
        assert [line[0] for line in shown if line[0] != " "] == ["B", "C"]
        assert any(line.endswith("…") for line in shown)


def test_news_of_a_reveal_whose_words_have_no_room_are_told_in_signs_and_none_is_cut() -> None:
    match = match_of("ku_ka_king", 4)
    rounds(match, 2)
    scene, glyphs = scene_of_match(match), Glyphs(ascii_only=False, more=[FACE.glyphs])
    panel = SidePanel(glyphs)
    _head, *roomy = (line.plain for line in panel._news(scene, FACE, 20, 7, None))
    _head, *tight = (line.plain for line in panel._news(scene, FACE, 20, 4, None))
    assert [line[0] for line in tight] == ["B", "C", "D"]
    assert max(map(cell_len, tight)) <= 20
    assert not any("…" in line for line in (*roomy, *tight))
    assert tight != roomy


def test_news_of_plies_without_room_for_what_they_cost_name_every_piece_and_none_is_cut() -> None:
    face, named, shortened = faces()["web_of_power"], 0, 0
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    for plies in range(12, 120):
        scene = scene_of_match(match_of("web_of_power", 3, plies))
        panel = SidePanel(glyphs)
        _head, *shown = (line.plain for line in panel._news(scene, face, 21, 3, None))
        assert not any("…" in line for line in shown)
        told = (entry.move for entry in scene.just_happened() if entry.move is not None)
        moves = [read(scene.observation.printed, move) for move in told]
        built = [move.space for move in moves if isinstance(move, PlaceCloister)]
        names = [str(COUNTRY_NAMES[scene.observation.printed.country_of[space]]) for space in built]
        said = "\n".join(shown)
        assert all(name in said for name in names)
        named += len(names)
        shortened += bool(names) and not any("/" in line for line in shown)
    assert named > shortened > 0


def test_brief_news_of_a_game_without_signs_are_told_once() -> None:
    scene, glyphs, face = after(12), Glyphs(ascii_only=False), faces()["web_of_power"]
    told: list[LogEntry] = []

    def counted(scene: Scene[Any], entry: LogEntry, glyphs: Glyphs) -> Content | None:
        told.append(entry)
        return face.brief(scene, entry, glyphs)

    panel, brief = SidePanel(glyphs), replace(face, tight=counted)
    shown = panel._brief_news(scene, brief, 22, 2, None)
    assert len(shown) == 2
    assert len(told) == len(scene.just_happened())


def test_where_not_even_a_line_for_each_has_room_the_news_say_of_how_many_they_do_not_tell() -> None:
    match, glyphs = Match(game("web_of_power"), {}, NAMES[:5], SEED), Glyphs(ascii_only=False)
    while len(match.plies) < 3 or match.game.active_seats(match.state) != (0,):
        (seat,) = match.game.active_seats(match.state)
        match.play(seat, match.game.legal_moves(match.state, seat)[0])
    panel, scene = SidePanel(glyphs), scene_of_match(match)
    _head, *shown = (line.plain for line in panel._news(scene, faces()["web_of_power"], 12, 4, None))
    assert [line[0] for line in shown] == ["B", "C", "▼"]
    assert shown[-1].endswith("2 more")
    # before that, players stand side by side
    for width, rows in ((44, 1), (22, 2)):
        _head, *shown = (
            line.plain for line in panel._news(scene, faces()["web_of_power"], width, 1 + rows, None)
        )
        assert len(shown) == rows
        assert [word[0] for word in " ".join(shown).split() if word[0] in "BCDE"] == [*"BCDE"]
        assert max(map(cell_len, shown)) <= width


def test_collections_of_the_board_game_tell_of_all_countries_with_pieces_and_of_no_others() -> None:
    face = faces()["web_of_power"]
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    assert not [*face.collections(scene_of_match(match_of("web_of_power", 3)), glyphs, 21)]
    for plies in (20, 60):
        scene = scene_of_match(match_of("web_of_power", 3, plies))
        board, country_of = scene.observation.board, scene.observation.printed.country_of
        built = {country_of[space] for space, owner in enumerate(board) if owner}
        names = [str(COUNTRY_NAMES[country]) for country in sorted(built)]
        for width in (21, 32, 54):
            head, signs, *lines = (line.plain for line in face.collections(scene, glyphs, width))
            if width == 54:
                lines, signs = [signs, *lines], head
            assert head.startswith("Cloisters + advisors")
            assert signs.split()[-3:] == ["A●", "B■", "C▲"]
            firsts = [line[: width - 12].split()[0] for line in lines]
            assert all(name.startswith(first.rstrip(".")) for first, name in zip(firsts, names, strict=True))
            assert firsts == names or width == 21
            assert {len(line) for line in (signs, *lines)} <= {width}


def test_where_points_leave_no_room_for_what_everybody_has_it_stands_below_them_if_all_of_it_fits() -> None:
    face, scene = faces()["web_of_power"], scene_of_match(match_of("web_of_power", 5, 40))
    panel = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
    panel.drawer, signs = "race", "●■▲◆★"
    low, high = ([line.plain for line in panel._drawn(scene, face, 21, room, None)] for room in (12, 60))
    below = [line.strip() for line in high if line.strip() and {*line.strip()} <= {*signs}]
    counts = [race.counts for race in face.race(scene) if any(race.counts)]
    assert [tuple(line.count(sign) for sign in signs) for line in below] == counts
    assert not [line for line in low if {*line.strip()} <= {*signs}]
    assert {*low} < {*high}


def test_the_board_game_calls_what_everybody_has_pieces() -> None:
    face = faces()["web_of_power"]
    panel, scene = SidePanel(Glyphs(ascii_only=False)), scene_of_match(match_of("web_of_power", 3))
    panel.drawer = "collections"
    (title,) = panel._title(scene, face)
    assert (title.plain, str(face.collections_label)) == ("Pieces", "pieces")


def test_where_names_of_countries_have_no_room_short_ones_are_explained_below_them() -> None:
    face = faces()["web_of_power"]
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    _head, *lines = (
        line.plain for line in face.collections(scene_of_match(match_of("web_of_power", 5, 60)), glyphs, 21)
    )
    assert all(len(line) <= 22 for line in lines)
    assert [line for line in lines if line.startswith("EN")][-1] == "EN England"


@pytest.mark.parametrize(("seats", "rows"), [(3, 2), (4, 1), (5, 1)])
def test_at_80_columns_people_keep_their_rows_whatever_stands_below_them(seats: int, rows: int) -> None:
    panel, face = (
        SidePanel(Glyphs(ascii_only=False, more=[faces()["web_of_power"].glyphs])),
        faces()["web_of_power"],
    )
    heights = set()
    for plies in range(0, 150, 7):
        match = match_of("web_of_power", seats, plies)
        lines = [line.plain for line in panel._over_news(scene_of_match(match), face, 22, 21, Beside())]
        heights.add(len([line for line in lines if line]) - 1)
    assert heights == {seats * rows}


def test_news_of_a_single_player_without_enough_room_end_in_a_sign_of_the_cut() -> None:
    scene, glyphs = after(12), Glyphs(ascii_only=False)
    face = replace(faces()["web_of_power"], tight=None, bare=None)  # in signs they would have room
    panel, width = SidePanel(glyphs), 12
    whole = [line.plain.rstrip() for line in news_lines(scene, face, glyphs, width, None)]
    assert whole[1].startswith(" "), "the first one has two lines"
    _free, _head, shown = (line.plain for line in panel._news(scene, face, width, 3, None))
    assert shown.startswith("C")
    assert shown.endswith("…")
    assert len(shown) <= width


@pytest.mark.parametrize(
    ("rounds_played", "height", "is_told"), [(0, 37, True), (0, 21, False), (9, 57, True)]
)
def test_what_gives_points_is_told_under_the_contests_where_that_and_the_news_have_room(
    rounds_played: int, height: int, is_told: bool
) -> None:
    match = match_of("ku_ka_king", 4)
    rounds(match, rounds_played)
    scene, panel = scene_of_match(match, 0), SidePanel(Glyphs(ascii_only=False, more=[FACE.glyphs]))
    lines = [line.plain for line in panel._over_news(scene, FACE, 54, height, Beside())]
    whys = [str(race.why) for race in FACE.race(scene)]
    assert [why in {line.strip() for line in lines} for why in whys] == [is_told] * len(whys)
    assert len(lines) < height


def test_without_room_for_all_contests_those_of_nobody_go_first_and_then_those_of_a_part_share_rows() -> None:
    scene, face = scene_of_match(match_of("web_of_power", 3, 60)), faces()["web_of_power"]
    board_game = [race for race in face.race(scene) if race.part is None]
    empty = sum(not any((*race.counts, *race.points)) for race in board_game)
    assert 0 < empty < len(board_game)
    alliances = [
        Race(Text(f"{n} AB-CD"), None, (n, 0, 0), (n, 0, 0), part=Text("Alliances")) for n in (1, 2, 3, 4, 11)
    ]
    races, panel = [*board_game, *alliances], SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
    face = replace(face, race=lambda _scene: races)
    heads = len(panel._over_news(scene, replace(face, race=lambda _scene: []), 32, 38, Beside())) + 2
    whole, begun, short = (
        [line.plain for line in panel._over_news(scene, face, 32, height, Beside())][heads:]
        for height in (heads + len(races) + 6, heads + len(races) + 5, heads + len(board_game) - empty + 4)
    )
    assert len(whole) == len(races)
    assert len(begun) == len(races) - empty
    assert short[-4:] == [
        " Alliances              21      ",
        " 1 AB-CD A1    2 AB-CD A2",
        " 3 AB-CD A3    4 AB-CD A4",
        " 11 AB-CD A11",
    ]


@pytest.mark.parametrize("name", ["Anna", "Beate", "Konrad"])
def test_beside_the_stock_a_name_is_whole_on_a_small_screen(name: str) -> None:
    scene = replace(after(12), names=(name,) * 3)
    panel = SidePanel(Glyphs(ascii_only=False, more=[faces()["web_of_power"].glyphs]))
    panel.drawer = "sheet"
    said = [line.plain for line in panel._people(scene, faces()["web_of_power"], 21, Beside())]
    assert all(name in line and "…" not in line for line in said)
    assert ["►" in line for line in said] == [True, False, False]


@pytest.mark.parametrize(
    ("width", "is_short", "rows", "kinds"),
    [
        (20, False, [2, 2], ["(easy bot)", "(hard bot)"]),
        (19, False, [2, 2], ["(easy)", "(hard)"]),
        (24, False, [1, 1], ["(easy)", "(hard)"]),
        (33, True, [1, 1], ["(easy)", "(hard)"]),
        (36, True, [1, 1], ["(easy bot)", "(hard bot)"]),
    ],
)
def test_what_plays_a_bot_stands_in_one_form_and_row_for_all(
    width: int, is_short: bool, rows: list[int], kinds: list[str]
) -> None:
    face, scene = faces()["web_of_power"], replace(after(12), names=("Anna", "Ada", "Wibald"))
    levels = (None, "easy", "hard")
    seats = [structs.replace(seat, bot=bot) for seat, bot in zip(scene.table.seats, levels, strict=True)]
    scene = replace(scene, table=structs.replace(scene.table, seats=tuple(seats)))
    panel = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
    lines = [line.plain for line in panel._people(scene, face, width, Beside(), is_short=is_short)]
    found = [(at, kind) for at, line in enumerate(lines) for kind in re.findall(r"\([eh][a-z ]+\)", line)]
    names = [next(at for at, line in enumerate(lines) if name in line) for name in ("Ada", "Wibald")]
    assert [kind for _at, kind in found] == kinds
    assert [1 + at - name for (at, _kind), name in zip(found, names, strict=True)] == rows


@pytest.mark.parametrize("name", ["Anna", "Beate", "Konrad"])
def test_a_name_is_whole_beside_what_the_move_under_the_cursor_would_change(name: str) -> None:
    face, scene = faces()["land_cards"], replace(scene_of_match(match_of("land_cards", 3)), names=(name,) * 3)
    panel = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
    preview = ((8, 0, 0), *scene.standing[1:])
    own = next(iter(panel._people(scene, face, 20, Beside(preview=preview), is_short=True)))
    assert f"{name} " in own.plain
    assert "+8" in own.plain


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("~greta", "►A● ~greta ●●● ▶+8 0"),
        ("Mathilde", "►A● Mathi… ●●● ▶+8 0"),
        ("Henrike", "►A● Henrike ●●● +8 0"),
    ],
)
def test_even_where_a_name_is_cut_a_blank_parts_it_from_its_stock_and_the_sign_of_a_change_stays(
    name: str, own: str
) -> None:
    face, scene = faces()["land_cards"], scene_of_match(match_of("land_cards", 3))
    # the own law cards, which are listed below, need no room here
    view = structs.replace(scene.observation, law_counts=b"\x01\0\0")
    scene = replace(scene, names=(name, "Anna", "Oda"), observation=view)
    panel, preview = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs])), ((8, 0, 0), *scene.standing[1:])
    shown = next(iter(panel._people(scene, face, 20, Beside(preview=preview), is_short=True)))
    assert shown.plain == own


def test_what_the_move_under_the_cursor_changes_for_others_gives_way_to_their_names() -> None:
    face, scene = faces()["land_cards"], scene_of_match(match_of("land_cards", 3))
    view = structs.replace(scene.observation, law_counts=b"\0\x02\0")
    scene = replace(scene, names=("Anna", "Henrike", "Oda"), observation=view)
    panel, preview = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs])), ((8, 1, 1), *scene.standing[1:])
    own, *others = (
        line.plain for line in panel._people(scene, face, 20, Beside(preview=preview), is_short=True)
    )
    assert "▶+8" in own
    assert others == [" B■ Henrike  ■■■§2 0", " C▲ Oda    ▲▲▲ ▶+1 0"]


@pytest.mark.parametrize(("room", "shown"), [(0, 0), (3, 0), (4, 2), (5, 3), (6, 6), (7, 6)])
def test_of_cards_that_have_no_room_beside_a_board_no_heading_alone_is_shown(room: int, shown: int) -> None:
    panel = SidePanel(Glyphs(ascii_only=False))
    panel._panel = tuple(map(Content, ["Your cards", "1 Bayern", "2 England", "Face up", "4 Aragon", "5"]))
    lines = [line.plain for line in panel._panel_in(room)]
    assert len(lines) <= room
    whole = [line.plain for line in panel._panel]
    free = [""] * (room != len(whole))
    assert lines == [[], [*free, *whole[:shown], *["…"] * (shown < len(whole))]][shown > 0]


@pytest.mark.parametrize(("viewer", "title"), [(0, "Since your turn"), (None, "The last turns")])
def test_only_who_has_turns_reads_what_was_done_since_his_own(viewer: int | None, title: str) -> None:
    scene, glyphs = after(12, viewer), Glyphs(ascii_only=False)
    _free, head, *_news = SidePanel(glyphs)._news(scene, faces()["web_of_power"], 22, 9, None)
    assert head.plain == title


def test_what_stands_under_the_news_is_called_what_was_before_them_and_alone_it_is_the_log() -> None:
    """The moves that the news tell are left out there."""
    face, glyphs = faces()["web_of_power"], Glyphs(ascii_only=False)
    panel = SidePanel(glyphs)
    heads = [
        line.plain
        for line in panel._news(after(12, 0), face, 30, 40, None)
        if "bold $gold" in str(line.markup)
    ]
    assert [head for head in heads if head in ("Since your turn", "Before that", "Log")] == [
        "Since your turn",
        "Before that",
    ]


def test_what_was_before_the_news_stands_oldest_first_like_the_log_and_what_a_ply_led_to() -> None:
    scene, face, glyphs = after(12, 0), faces()["web_of_power"], Glyphs(ascii_only=False)
    lines = [line.plain.rstrip() for line in SidePanel(glyphs)._news(scene, face, 60, 60, None)]
    told = [line for line in lines[lines.index("Before that") + 1 :] if line[:1].strip()]
    before = scene.match.recent()[: len(scene.match.recent()) - len(scene.just_happened())]
    oldest_first = [next(entry_lines(scene, face, entry, glyphs, 60)) for _ply, entry in before]
    assert told == [line.plain.rstrip() for line in oldest_first]
    assert len(set(told)) > 2


def test_after_the_end_no_turn_is_told_as_if_it_went_on() -> None:
    match = match_of("land_cards", 3, 1000)
    scenes = [scene_of_match(match, seat) for seat in range(3)]
    panel = SidePanel(Glyphs(ascii_only=False, more=[faces()["land_cards"].glyphs]))
    heads = [[*panel._news(scene, faces()["land_cards"], 30, 30, None)][1].plain for scene in scenes]
    assert heads == ["The last turn"] * 3


def test_the_own_turn_is_told_as_going_on_until_it_ends_and_as_the_last_one_from_then_on() -> None:
    face, told = faces()["web_of_power"], []
    panel = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
    match = match_of("web_of_power", 3)
    while match.game.active_seats(match.state) == (0,):
        match.play(0, match.game.legal_moves(match.state, 0)[0])
        told.append([*panel._news(scene_of_match(match, 0), face, 30, 30, None)][1].plain)
    *going_on, ended = told
    assert set(going_on) == {"Your turn so far"}
    assert ended == "Your last turn"


def test_of_two_own_turns_in_a_row_the_first_is_told_until_the_second_has_begun() -> None:
    match = match_of("web_of_power", 3)
    while match.game.active_seats(match.state) == (0,):
        match.play(0, match.game.legal_moves(match.state, 0)[0])
    view = match.view(0)
    plies = [entry for _ply, entry in view.recent()][::-1]
    for begun, just in ((0, plies), (1, plies[:1]), (2, plies[:2])):
        scene = scene_of_view(structs.replace(view, turn_start=view.ply - begun), match.seats, 0)
        assert scene.is_turn_begun == bool(begun)
        assert scene.just_happened() == just


async def test_what_the_log_is_called_stays_in_view_while_it_shows_its_end(tmp_path: Path) -> None:
    async with at_table(match_of("web_of_power", 5, 60), tmp_path, games=faces()) as (app, pilot):
        await pilot.press("l")
        side = app.screen.query_one("#people", Lines)
        await until(pilot, lambda: side.top == side.hidden > 0)
        assert any(line.rpartition("│")[2].strip() == "Log" for line in lines_of(app))


@pytest.mark.parametrize("width", [20, 31, 58])
@pytest.mark.parametrize("game_id", faces())
def test_every_entry_of_the_score_sheet_has_one_line_and_a_name_of_its_own(game_id: str, width: int) -> None:
    rules, face, glyphs = game(game_id), faces()[game_id], Glyphs(ascii_only=False)
    scene = scene_of_match(match_of(game_id, rules.meta.max_seats))
    view = scene.observation
    full = tuple((3,) * len(scene.names) for _ in view.sheet)
    whole = replace(scene, observation=structs.replace(view, sheet=full))
    sheet = score_sheet(whole, face, glyphs, width)
    lines = [line.plain for line in sheet.lines]
    seen, part, entries = set[tuple[str, str]](), "", 0
    for line in lines:
        figures = re.search(r"((?: +3(?:\+3)?)+) *$", line)
        part = part if figures else line
        seen.add((part, line))
        entries += figures[0].count("3") if figures else 0
    assert max(map(len, (*(line.plain for line in (*sheet.head, *sheet.foot)), *lines))) <= width
    assert len(seen) == len(lines)
    assert entries == len(full) * len(scene.names)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("game_id", faces())
async def test_whose_points_they_are_and_the_totals_stay_in_view_where_the_score_sheet_scrolls(
    tmp_path: Path, game_id: str, size: tuple[int, int]
) -> None:
    seats = game(game_id).meta.max_seats
    whole = len(match_of(game_id, seats, 10_000).plies)
    wanted = {"land_cards": 150, "web_of_power": 120}.get(game_id, 40)  # until the sheet is well filled
    match = match_of(game_id, seats, min(wanted, whole - 1))
    words = {"now)", "Total", "Σ"}  # the last of them, as many as five columns leave room for
    async with at_table(match, tmp_path, games=faces(), size=size) as (app, pilot):
        points, side = [*map(str, totals(scene_in(app).standing))], app.screen.query_one(SidePanel)
        await pilot.press("s")
        signs = [Glyphs(ascii_only=False).owner(seat) for seat in range(len(points))]
        for key in ("home", "end"):
            await pilot.press(key)
            await until(
                pilot,
                lambda: any(
                    line[-len(points) :] == points and line[-len(points) - 1] in words
                    for line in (row.rstrip("▲▼ ").split() for row in lines_of_sheet(app, side))
                    if len(line) > len(points)
                ),
            )
            heads = [line.split() for line in lines_of_sheet(app, side)]
            assert any(head[-len(signs) :] == signs for head in heads)


def lines_of_sheet(app: KkApp, side: SidePanel) -> list[str]:
    """The part of the screen with the score sheet: the board's, or that beside it."""
    if isinstance(app.screen, SheetScreen):
        return [line[: side.region.x] for line in lines_of(app)]
    return [line[side.region.x :] for line in lines_of(app)]


@pytest.mark.parametrize("game_id", ["land_cards", "web_of_power", "ku_ka_king"])
async def test_a_score_sheet_without_room_beside_the_board_lies_over_it_and_follows_the_match(
    tmp_path: Path, game_id: str
) -> None:
    seats = game(game_id).meta.max_seats
    match = match_of(game_id, seats, {"land_cards": 150, "web_of_power": 120}.get(game_id, 58))
    async with at_table(match, tmp_path, games=faces(), size=(80, 24)) as (app, pilot):
        side = app.screen.query_one(SidePanel)
        beside = [line[side.region.x :] for line in lines_of(app)]
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, SheetScreen) and "Score sheet" in lines_of(app)[1])
        page = app.screen.query_one("#sheet-page", Lines)
        await until(pilot, lambda: page.within)
        assert not page.hidden, "all of it is in sight"
        scene, face = scene_in(app), faces()[game_id]
        entries = [face.sheet_entry(scene, line) for line, row in enumerate(scene.standing) if any(row)]
        shown = "\n".join(lines_of_sheet(app, side))
        assert all(entry.adds or str(entry.name) in shown or str(entry.code) in shown for entry in entries)
        assert [line[side.region.x :] for line in lines_of(app)][1:20] == beside[1:20], "nothing else changes"
        renewed(app)
        await at_rest(pilot)
        assert isinstance(app.screen, SheetScreen)
        for key in ("s", "escape"):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, TableScreen))
            await pilot.press("s")
            await until(pilot, lambda: isinstance(app.screen, SheetScreen))
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and side.drawer == "sheet")


@pytest.mark.parametrize("game_id", ["land_cards", "web_of_power", "ku_ka_king"])
async def test_a_score_sheet_that_scrolls_says_how_many_lines_are_out_of_sight_and_by_which_key_they_come(
    tmp_path: Path, game_id: str
) -> None:
    wanted = {"land_cards": 150, "web_of_power": 120}.get(game_id, 40)  # until the sheet is well filled
    match = match_of(game_id, game(game_id).meta.max_seats, wanted)
    async with at_table(match, tmp_path, games=faces(), size=(80, 24)) as (app, pilot):
        assert isinstance(app.screen, TableScreen)
        app.screen.turn_drawer("sheet")  # as it is where it was opened before it was so long
        side = app.screen.query_one("#people", Lines)
        await until(pilot, lambda: "Score sheet" in side.render().plain)
        count = side.hidden
        assert count, "it does not fit"
        await until(pilot, lambda: f"▼ {count} more: PgDn" in side.render().plain)
        last = side.within[-1].plain
        await pilot.press(*["pagedown"] * 9)
        await until(pilot, lambda: f"▲ {count} above: PgUp" in side.render().plain)
        assert last in side.render().plain


@pytest.mark.parametrize("seats", [3, 5])
def test_at_120_columns_the_whole_score_sheet_of_the_card_game_is_as_short_as_the_printed_chart(
    seats: int,
) -> None:
    scene, face = scene_of_match(match_of("land_cards", seats, 1000)), faces()["land_cards"]
    sheet = score_sheet(scene, face, Glyphs(ascii_only=False), 33)
    lines = [line.plain for line in sheet.lines]
    assert any("+" in line for line in lines)
    assert len(lines) <= 9 + 3 + 2


@pytest.mark.parametrize("drawer", [None, "sheet"])
async def test_a_long_name_is_whole_where_who_is_away_is_said_in_the_line_below_if_there_is_one(
    tmp_path: Path, drawer: str | None
) -> None:
    match = Match(game("ku_ka_king"), {}, ("Anna", "~carolina-b"), SEED)
    async with at_table(match, tmp_path, games=faces(), size=(80, 24)) as (app, pilot):
        side = app.screen.query_one(SidePanel)
        app.screen.turn_drawer(drawer)  # type: ignore[attr-defined]
        await until(pilot, lambda: side.drawer == drawer)
        said = [str(line) for line in side._people(scene_in(app), FACE, 21, Beside())]
        name = next(line for line in said if "~ca" in line)
        assert ("(away)" in "\n".join(said)) is (drawer is None)
        assert "~carolina-b" in name


@pytest.mark.parametrize("width", range(18, 30))
@pytest.mark.parametrize("game_id", faces())
def test_the_name_of_whose_turn_it_is_stands_behind_one_sign_also_where_they_are_away(
    game_id: str, width: int
) -> None:
    scene = scene_of_match(match_of(game_id, people_at(game_id), 10))
    seats = tuple(
        structs.replace(seat, name="anna", owner="anna", bot=None, online=False) for seat in scene.table.seats
    )
    table = structs.replace(scene.table, seats=seats)
    away = replace(scene, table=table, names=("anna",) * len(seats))
    panel = SidePanel(Glyphs(ascii_only=False, more=[faces()[game_id].glyphs]))
    said = [line.plain for line in panel._people(away, faces()[game_id], width, Beside())]
    named = [line for line in said if "anna" in line]
    on_turn = [panel._glyphs.owner(seat) for seat in scene.observation.active]
    assert [line.split()[0] for line in named if "►" in line] == [f"►{owner}" for owner in on_turn] != []
    assert all(line.count("►") <= 1 and "*" not in line for line in named)
    assert len(named) == len(seats)
    assert sum("away" in line for line in said) == len(seats)
    assert max(map(len, named)) <= width


@pytest.mark.parametrize(("name", "words"), [("Dora", "Dora away"), ("Maximilian", "Maximilian")])
def test_a_name_of_ten_letters_is_whole_in_a_short_line_and_dim_where_its_player_is_away(
    name: str, words: str
) -> None:
    scene = replace(scene_of_match(match_of("ku_ka_king", 3, 10)), names=("Anna", name, "Oda"))
    seats = tuple(structs.replace(seat, owner="x", bot=None, online=False) for seat in scene.table.seats)
    scene = replace(scene, table=structs.replace(scene.table, seats=seats))
    panel = SidePanel(Glyphs(ascii_only=False, more=[FACE.glyphs]))
    width = 5 + 10 + len(panel._figures_of(scene, FACE).reached(20)[0])
    _own, line, _other = panel._people(scene, FACE, width, Beside(), is_short=True)
    assert line.plain.split("■ ")[1].rstrip("0123456789 ").rstrip() == words
    assert {span.style for span in line.spans if line.plain[span.start : span.end] == name} == {"$ink-dim"}


def test_only_a_game_with_a_start_player_marks_one() -> None:
    for name, face in faces().items():
        panel = SidePanel(Glyphs(ascii_only=False, more=[face.glyphs]))
        first, *_others = panel._people(
            scene_of_match(match_of(name, people_at(name)), 0), face, 22, Beside()
        )
        assert first.plain.startswith("S ") == face.has_start_player
    assert not faces()["ku_ka_king"].has_start_player


@pytest.mark.parametrize("drawer", ["log", "collections"])
@pytest.mark.parametrize("game_id", faces())
def test_a_drawer_with_nothing_in_it_yet_says_so(game_id: str, drawer: str) -> None:
    face = faces()[game_id]
    panel, scene = (
        SidePanel(Glyphs(ascii_only=False, more=[face.glyphs])),
        scene_of_match(match_of(game_id, people_at(game_id))),
    )
    panel.drawer = drawer
    (title,), lines = panel._title(scene, face), panel._drawn(scene, face, 20, 9, None)
    assert title.plain
    assert "".join(line.plain for line in lines).strip()


async def test_a_game_without_contests_offers_no_key_for_them_and_says_so(tmp_path: Path) -> None:
    games = {**faces(), "ku_ka_king": replace(FACE, race=no_contests)}
    async with at_table(match_of("ku_ka_king", 2), tmp_path, games=games) as (app, pilot):
        assert "score sheet" in keys_of(app)
        assert "as things stand" not in keys_of(app)
        await pilot.press("t")
        await at_rest(pilot)
        assert shown(app, "prompt") == "This game has no contests."
        assert app.screen.query_one(SidePanel).drawer is None


@pytest.mark.parametrize("room", range(5, 24))
def test_the_first_line_seen_of_a_log_begins_a_sentence(room: int) -> None:
    face, scene = faces()["web_of_power"], after(60)
    lines = [line.plain for line in log_lines(scene, face, Glyphs(ascii_only=False), 24, room)]
    assert len(lines) > room
    first, *_others = seen = lines[-room:]
    assert not first.startswith("  ")
    assert any(seen)
    everything = log_lines(scene, face, Glyphs(ascii_only=False), 24, 10_000)
    assert [line.plain for line in everything] == lines[: len(everything)]


@pytest.mark.parametrize("width", [19, 20, 24, 31])
@pytest.mark.parametrize("game_id", faces())
def test_a_log_of_few_columns_tells_every_turn_in_the_words_of_the_news(game_id: str, width: int) -> None:
    face = faces()[game_id]
    scene = scene_of_match(match_of(game_id, people_at(game_id), 40))
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    brief, full = (log_lines(scene, face, glyphs, columns, 10_000) for columns in (width, 60))
    assert all(line.cell_length <= width for line in brief)
    signs = {glyphs.owner(seat) for seat in range(len(scene.names))}
    assert signs == {line.plain[:2] for line in brief if line.plain.strip() and line.plain[:2] in signs}
    told = [line for line in brief if line.plain[:2] in signs]
    assert len(brief) < 2.5 * len(told), "sentences are too long here: see `Face.brief` and `Face.log`"
    sentences = [entry_lines(scene, face, entry, glyphs, width) for _ply, entry in scene.match.recent()]
    in_full = [*chain.from_iterable(sentences)]
    between_rounds = sum(line.plain == glyphs["h"] * width for line in brief)
    assert len(brief) - between_rounds <= len(in_full)
    assert len(brief) < len(in_full) or game_id not in games_with("brief"), "brief is shorter by whole lines"
    assert full[0].plain != brief[0].plain


@pytest.mark.parametrize("width", [20, 31, 60])
def test_between_the_rounds_of_a_log_is_a_line_that_explains_itself(width: int) -> None:
    face, scene = faces()["land_cards"], scene_of_match(match_of("land_cards", 3, 40))
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    lines = log_lines(scene, face, glyphs, width, 10_000)
    between = [number for number, line in enumerate(lines) if line.plain == "─" * width]
    assert between
    for number in between:
        assert lines[number + 1].plain.startswith("A●")
        meaning = explanation_at(lines[number], 4)
        assert meaning is not None
        assert str(meaning.sentence) == "From the log: here a new round begins."


def test_a_turn_in_a_log_of_few_columns_explains_itself_by_its_sentence() -> None:
    face, scene = faces()["land_cards"], scene_of_match(match_of("land_cards", 3, 12))
    lines = log_lines(scene, face, Glyphs(ascii_only=False, more=[face.glyphs]), 20, 10_000)
    said = {str(sentence) for _ply, entry in scene.match.recent() for sentence in face.describe(scene, entry)}
    told = [explanation_at(line, 4) for line in lines]
    assert any(meaning is not None and str(meaning.sentence) in said for meaning in told)


def test_where_contests_have_to_scroll_the_pieces_in_them_stand_below_and_those_of_nobody_are_left_out() -> (
    None
):
    face, glyphs = faces()["web_of_power"], Glyphs(ascii_only=False)
    scene = scene_of_match(match_of("web_of_power", 5, 150))
    panel = SidePanel(glyphs)
    panel.drawer = "race"
    begun = [race for race in face.race(scene) if any((*race.counts, *race.points))]
    lines = [line.plain for line in panel._drawn(scene, face, 20, 12, None)]
    assert len(lines) == 1 + len(begun) + sum(any(race.counts) for race in begun)
    shapes = {glyphs[f"owner-{seat}"] for seat in range(len(scene.names))}
    assert sum(set(line.strip()) <= shapes | {*"0123456789 "} and bool(shapes & {*line}) for line in lines)
    assert all(cell_len(line) < 20 for line in lines)


def test_with_five_in_the_card_game_the_sheet_sums_up_countries_and_stays_clear_of_the_scrollbar() -> None:
    face, glyphs = faces()["land_cards"], Glyphs(ascii_only=False)
    panel, scene = SidePanel(glyphs), scene_of_match(match_of("land_cards", 5, 1000))
    sheet = panel._sheet(scene, face, 20, 8)
    assert not sheet.is_cut
    assert len(sheet.lines) <= 9 + 3 + 2
    (total,) = sheet.foot
    assert total.plain.split() == ["Σ", *map(str, scene.observation.points)]
    assert max(line.cell_length for line in (*sheet.lines, total)) < 20


def test_the_figures_of_a_score_sheet_that_scrolls_stay_clear_of_the_scrollbar() -> None:
    face, glyphs = faces()["web_of_power"], Glyphs(ascii_only=False)
    panel, scene = SidePanel(glyphs), scene_of_match(match_of("web_of_power", 3, 1000))
    whole, scrolled = (panel._sheet(scene, face, 20, room) for room in (99, 8))
    assert max(line.cell_length for line in whole.lines) == 20
    assert max(line.cell_length for line in scrolled.lines) < 20
    assert not scrolled.is_cut


@pytest.mark.parametrize("language", languages())
def test_with_four_in_ku_ka_king_the_figures_of_the_sheet_stay_clear_of_the_scrollbar(language: str) -> None:
    panel, scene = SidePanel(Glyphs(ascii_only=False)), scene_of_match(match_of("ku_ka_king", 4, 60))
    with writing_for(PlainReader(translator(language))):
        sheet = panel._sheet(scene, FACE, 20, 8)
    assert not sheet.is_cut
    assert max(line.cell_length for line in (*sheet.lines, *sheet.foot)) < 20


@pytest.mark.parametrize("game_id", ["web_of_power", "land_cards"])
def test_a_score_sheet_in_codes_ends_with_what_they_stand_for(game_id: str) -> None:
    face, glyphs = faces()[game_id], Glyphs(ascii_only=False)
    scene = scene_of_match(match_of(game_id, 5, 1000))
    narrow, wide = (score_sheet(scene, face, glyphs, width).codes for width in (20, 60))
    _free, *meanings = (line.plain for line in narrow)
    assert {"web_of_power": "EN England", "land_cards": "ENG England"}[game_id] in meanings
    assert len(meanings) == len({words.split()[0] for words in meanings})
    assert not wide


async def test_end_and_home_lead_through_an_open_drawer(tmp_path: Path) -> None:
    async with at_table(match_of("web_of_power", 5, 60), tmp_path, games=faces()) as (app, pilot):
        await pilot.press("c")
        side = app.screen.query_one("#people", Lines)
        await until(pilot, lambda: side.hidden > 0)
        await pilot.press("end")
        await until(pilot, lambda: side.top == side.hidden)
        await pilot.press("home")
        await until(pilot, lambda: side.top == 0)


async def test_the_scrollbar_of_an_open_drawer_follows_the_mouse(tmp_path: Path) -> None:
    async with at_table(match_of("web_of_power", 5, 60), tmp_path, games=faces()) as (app, pilot):
        await pilot.press("c")
        side = app.screen.query_one("#people", Lines)
        await until(pilot, lambda: side.hidden > 0)
        column, first, last = side.size.width - 1, side.window.start, side.window.stop - 1
        await pilot.mouse_down(side, offset=(column, first))
        await pilot.hover(side, offset=(column, last))
        await until(pilot, lambda: side.top == side.hidden)
        await pilot.mouse_up(side, offset=(column, last))
        await pilot.hover(side, offset=(column, first))
        assert side.top == side.hidden


async def test_a_click_beside_the_thumb_and_the_wheel_scroll_an_open_drawer(tmp_path: Path) -> None:
    async with at_table(match_of("web_of_power", 5, 60), tmp_path, games=faces()) as (app, pilot):
        await pilot.press("c")
        side = app.screen.query_one("#people", Lines)
        await until(pilot, lambda: side.hidden > 0)
        column, rows = side.size.width - 1, side.window
        await pilot.click(side, offset=(column, rows.stop - 1))
        await until(pilot, lambda: side.top == min(len(rows), side.hidden))
        await pilot.click(side, offset=(column, rows.start))
        await until(pilot, lambda: side.top == 0)
        await pilot._post_mouse_events([MouseScrollDown], side, button=0)
        await until(pilot, lambda: side.top == min(2, side.hidden))


async def test_a_drawer_is_opened_and_closed_without_laying_the_screen_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_table(match_of("web_of_power", 5), tmp_path, games=faces()) as (app, pilot):
        laid_out = list[None]()
        monkeypatch.setattr(Screen, "_refresh_layout", lambda *_, **__: laid_out.append(None))
        for name, key in zip(DRAWERS, "lsct", strict=True):
            await pilot.press(key)
            assert app.screen.side.drawer == name  # type: ignore[attr-defined]
            await pilot.press(key)
            assert app.screen.side.drawer is None  # type: ignore[attr-defined]
        assert not laid_out


async def test_a_table_that_hears_nothing_new_draws_nothing_and_lays_nothing_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_table(match_of("web_of_power", 5), tmp_path, games=faces()) as (app, pilot):
        await until(pilot, lambda: app.focused is not None and app.focused.id == "board")
        await at_rest(pilot)
        done = list[str]()
        monkeypatch.setattr(Screen, "_refresh_layout", lambda *_, **__: done.append("laid out"))
        draw = Screen._compositor_refresh

        def drawn(screen: Screen[Any]) -> None:
            done.append("drawn")
            draw(screen)

        monkeypatch.setattr(Screen, "_compositor_refresh", drawn)
        app.screen.place_changed()  # type: ignore[attr-defined]
        await at_rest(pilot)
        assert not done
        app.screen.title_line("A title of another length")  # type: ignore[attr-defined]
        await until(pilot, lambda: "drawn" in done)
        assert "laid out" not in done


@pytest.mark.parametrize("game_id", faces())
def test_on_the_score_sheet_the_most_of_each_line_is_bold_and_a_part_says_what_it_adds_up_to(
    game_id: str,
) -> None:
    seats, face = game(game_id).meta.max_seats, faces()[game_id]
    scene = scene_of_match(match_of(game_id, seats, 10_000))
    sums = [0] * seats
    for line in score_sheet(scene, face, Glyphs(ascii_only=False), 54).lines:
        figures = line.plain[-seats * 8 :]
        if line.spans[0].style == "$ink-dim":
            said = [int(n) for n in re.findall(r"-?\d+", figures)]
            rows = [row for row in _of_part(scene, face, line.plain) if any(row)]
            assert sum(said) == (sum(map(sum, rows)) if len(rows) > 1 else 0)
            sums = [a + b for a, b in zip(sums, _columns_of(rows), strict=True)]
            continue
        bold = [str(span.style) for span in line.spans if "bold" in str(span.style)]
        assert bold
        assert len(bold) <= seats
    assert tuple(sums) == tuple(scene.observation.points)


def _of_part(scene: Any, face: Any, heading: str) -> list[tuple[int, ...]]:
    """The lines of a part of the sheet."""
    sheet = scene.observation.sheet
    entries = [face.sheet_entry(scene, line) for line in range(len(sheet))]
    return [row for row, entry in zip(sheet, entries, strict=True) if heading.startswith(str(entry.part))]


def _columns_of(rows: list[tuple[int, ...]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize(("plies", "word"), [(40, "(total now)"), (130, "(total now)"), (10_000, "Total")])
@pytest.mark.parametrize("width", [21, 36, 54])
def test_the_score_sheet_adds_up_to_the_points_beside_the_names_and_marks_those_as_things_stand(
    width: int, plies: int, word: str
) -> None:
    face = faces()["web_of_power"]
    scene = scene_of_match(match_of("web_of_power", 3, plies))
    glyphs = Glyphs(ascii_only=False, more=[face.glyphs])
    panel = SidePanel(glyphs)
    assert [*panel._people(scene, face, width, Beside())]
    beside = [int(line.plain.split()[-1].strip("()")) for _seat, line in panel._names]
    sheet = score_sheet(scene, face, glyphs, width)
    *_rest, foot = sheet.foot
    assert [int(figure) for figure in foot.plain.split()[-3:]] == beside == [*totals(scene.standing)]
    assert sheet.foot[0].plain.startswith(f"{word} ") or sheet.foot[0].plain == word
    slanted = {
        line.plain.split("  ")[0].strip(" ()")
        for line in sheet.lines
        if any("italic" in str(span.style) for span in line.spans)
    }
    assert ("Final scoring so far" in slanted) == (not scene.is_over)
    assert "Interim scoring" not in slanted


def test_a_word_wider_than_its_line_is_broken_behind_its_slash() -> None:
    said = "Lothringen/Italien is unclaimed"
    assert [line.plain for line in sentence_lines(said, "", 17)] == ["Lothringen/", "Italien is", "unclaimed"]
    assert [line.plain for line in sentence_lines(said, "", 18)] == ["Lothringen/Italien", "is unclaimed"]


@pytest.mark.parametrize("game_id", list(faces()))
async def test_once_a_cursor_has_left_a_move_the_side_is_as_before_in_the_signs_and_the_language_of_now(
    stage: Stage, game_id: str
) -> None:
    async with stage.play(size=(120, 40), games={game_id: faces()[game_id]}) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        side, scene, face = app.screen.query_one(SidePanel), scene_in(app), faces()[game_id]
        sheet = tuple(tuple(points + 1 for points in line) for line in scene.standing)

        def told(preview: Any) -> list[str]:
            side.show(scene, face, Beside(preview=preview))
            return [line.plain for line in side.people._lines]

        before, names = told(None), side.name_rows
        assert told(sheet) != before
        assert told(None) == before
        assert side.name_rows == names
        with writing_for(PlainReader(translator("de"))):
            assert told(None) != before
        app.glyphs.use(ascii_only=True)
        assert "\n".join(told(None)).isascii()
        app.glyphs.use(ascii_only=False)
        assert told(None) == before


async def test_of_a_scene_that_is_shown_again_only_the_clocks_have_gone_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    face = faces()["land_cards"]
    async with stage.play(size=(120, 40), games={"land_cards": face}) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        side, untimed = app.screen.query_one(SidePanel), scene_in(app)
        clock = ClockView(ClockRule(30, 300), (SeatClock(30, 300, runs=True),) * len(untimed.names))
        timed = replace(untimed, table=structs.replace(untimed.table, clock=clock))

        def told(scene: Scene[Any], seconds: int) -> list[str]:
            monkeypatch.setattr(side_panel, "monotonic", lambda: scene.seen_at + seconds)
            side.show(scene, face, Beside())
            return [line.plain for line in side.people._lines]

        assert told(untimed, 0) == told(untimed, 10)
        before, later = told(timed, 0), told(timed, 10)
        assert later != before
        assert [re.sub(r"\d", "", line) for line in later] == [re.sub(r"\d", "", line) for line in before]


def test_words_about_people_change_with_the_time_while_a_clock_runs_or_somebody_is_away() -> None:
    table = scene_of_match(match_of("land_cards", 3)).table
    here = [structs.replace(seat, owner="anna", online=True) for seat in table.seats]
    away = structs.replace(here[0], online=False, away=1)
    assert not tells_time(structs.replace(table, seats=tuple(here), clock=None))
    assert tells_time(structs.replace(table, seats=(away, *here[1:]), clock=None))
    clock = ClockView(ClockRule(30, 300), ())
    assert tells_time(structs.replace(table, seats=tuple(here), clock=clock))
