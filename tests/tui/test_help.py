"""The help is made from docs/rules: all of it can be read, by keys and by mouse, at every size."""

from __future__ import annotations

import re
from random import Random

import pytest
from rich.cells import cell_len
from rich.color import Color
from textual.events import MouseScrollDown
from textual.strip import Strip

from kk_core.match import Match
from kk_core.registry import game, has_lesson
from kk_tui import rules_pages
from kk_tui.app import KkApp
from kk_tui.games import faces
from kk_tui.keymap import CHOICE_OF, KEYS, ON_BOARDS
from kk_tui.keys_page import EVERYWHERE, OUTSIDE, TABLE, keys_chapter
from kk_tui.languages import codes, languages
from kk_tui.match.table import TableScreen
from kk_tui.rules_pages import HelpDrawing, HelpTable, Paragraph, sections
from kk_tui.screens import help as help_page
from kk_tui.screens.game_card import LessonRow
from kk_tui.screens.help import Book, HelpScreen, section_lines
from kk_tui.screens.menu import MenuScreen
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.agreement import AgreementStrip
from kk_tui.widgets.bars import KeyBar, TextLine
from tests.rules_page import numbered
from tests.tui.conftest import Running, Stage, at_rest, shown, until
from tests.tui.playing import begin, can_act
from tests.tui.scenes import scene_of_match

GAMES = tuple(faces())
every_game = pytest.mark.parametrize("name", GAMES)
INDEX = 20
"""Columns that an entry of the index has at 80x24, beside a scrollbar."""


async def opened(app: KkApp, pilot: Running) -> None:
    await until(pilot, lambda: isinstance(app.screen, HelpScreen) and app.screen.query_one(Book).starts)


def columns(app: KkApp, first: int, last: int) -> list[Strip]:
    """The rows of a part of the book."""
    region = app.screen.query_one(Book).region
    strips = app.screen._compositor.render_strips()[region.y : region.bottom]
    return [strip.crop(first, last) for strip in strips]


def page(app: KkApp) -> list[str]:
    """The lines of the text that can be seen."""
    width = app.size.width
    return [strip.text.strip() for strip in columns(app, index_width(app), width - 1)]


def wheel(book: Book, x: int) -> MouseScrollDown:
    """A turn of the wheel over a column."""
    return MouseScrollDown(book, x, 5, 0, 0, 0, shift=False, meta=False, ctrl=False, screen_x=x, screen_y=6)


def index_width(app: KkApp) -> int:
    """Columns of the index, with the line beside it."""
    return columns(app, 0, app.size.width)[0].text.index(app.glyphs["v"]) + 1


def index(app: KkApp) -> list[str]:
    """All entries of the index, whether they can be seen or not."""
    return [" ".join(map(str.strip, entry.rows)) for entry in app.screen.query_one(Book)._index]


def at(app: KkApp) -> str:
    """The entry that the index points at."""
    lit = Color.parse(app.theme_variables["cursor"])
    rows = [
        segment.text.strip()
        for strip in columns(app, 0, index_width(app) - 1)
        for segment in strip
        if segment.style is not None and segment.style.bgcolor == lit
    ]
    return " ".join(filter(None, rows))


async def read_all(app: KkApp, pilot: Running) -> str:
    """Everything that one sees on the way from the first page to the last."""
    seen: dict[tuple[str, int], str] = {}
    before: object = None
    while before != (before := (shown(app, "header"), at(app))):
        top = app.screen.query_one(Book).scroll_offset.y
        title = shown(app, "header").split("  |  ")[1]
        seen |= {(title, top + row): line for row, line in enumerate(page(app))}
        await pilot.press("enter")
        await at_rest(pilot)
    return " ".join(" ".join(seen.values()).split())


@every_game
async def test_whoever_reads_on_sees_every_ruling_and_every_other_paragraph(stage: Stage, name: str) -> None:
    async with stage.play(games={name: faces()[name]}) as (app, pilot):
        await pilot.press("question_mark")
        await opened(app, pilot)
        words = await read_all(app, pilot)
    for section in sections(name):
        paragraphs = [block for block in section.blocks if isinstance(block, Paragraph)]
        assert section.title in words
        for paragraph in paragraphs:
            number = paragraph.mark.removeprefix("-")
            assert f"{number} {paragraph.words.plain}".strip() in words
    assert all(f" {number}. " in words for number in numbered(name, "rulings"))
    assert "Keys and mouse" in words


async def test_at_a_table_the_help_tells_of_its_game_and_opens_where_the_moment_is(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("question_mark")
        await opened(app, pilot)
        await until(pilot, lambda: page(app)[0] == "Taking cards")
        assert at(app) == "Taking cards"
        rules = [section.title for section in sections("land_cards")]
        assert index(app) == [*rules, "Keys and mouse", "Shuffles"]
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))


async def test_a_title_of_several_rows_keeps_its_indent_in_the_index(stage: Stage) -> None:
    wrapped = 0
    async with stage.play(games=faces(), language="de") as (app, pilot):
        await pilot.press("question_mark")
        await opened(app, pilot)
        for entry in app.screen.query_one(Book)._index:
            assert all(row.startswith("  ") == bool(entry.place[1]) for row in entry.rows)
            wrapped += entry.place[1] > 0 and len(entry.rows) > 1
    assert wrapped


@pytest.mark.parametrize("name", [name for name, face in faces().items() if face.drawn])
@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("ascii_only", [False, True])
def test_what_the_rules_draw_of_a_game_has_its_colours_in_every_language(
    name: str, language: str, *, ascii_only: bool
) -> None:
    face = faces()[name]
    first = sections(name, codes(language), twins=face.twins if ascii_only else None)[0]
    drawn = [line for block in first.blocks if isinstance(block, HelpDrawing) for line in block.lines]
    for pattern, style in face.drawn.items():
        found = [found for line in drawn for found in re.finditer(pattern, line)]
        assert found or ascii_only, pattern
        for variable in re.findall(rf"\$({name}-\S+)", style):
            assert variable in face.colours["manuscript"], variable
    lines = section_lines(first, 60, ".", "-", tuple(face.drawn.items()))
    styles = {str(span.style) for line in lines for span in line.spans}
    assert len(styles & {*face.drawn.values()}) >= len({*face.drawn.values()}) - ascii_only


async def test_a_caller_may_name_the_section(stage: Stage) -> None:
    async with stage.play(games=None) as (app, pilot):
        app.show_help("rulings")
        await opened(app, pilot)
        await until(pilot, lambda: page(app)[0] == "Rulings")
        assert "the card game" in shown(app, "header")


async def test_a_section_that_is_not_there_opens_the_help_at_its_beginning(stage: Stage) -> None:
    async with stage.play(games=None) as (app, pilot):
        app.show_help("castling")
        await opened(app, pilot)
        await until(pilot, lambda: at(app) == sections(GAMES[0])[0].title)


async def test_a_game_without_a_page_has_the_keys_to_show(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(help_page, "sections", lambda game, languages, **_more: ())
    async with stage.play() as (app, pilot):
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        await pilot.press("question_mark")
        await opened(app, pilot)
        await until(pilot, lambda: page(app)[0] == at(app) == "Keys and mouse")


async def test_keys_turn_to_the_sections_and_games_one_after_the_other(stage: Stage) -> None:
    first, second = sections(GAMES[0]), sections(GAMES[1])
    async with stage.play(games=None) as (app, pilot):
        await pilot.press("question_mark")
        await opened(app, pilot)
        await pilot.press("left")
        assert at(app) == first[0].title
        turned = []
        for _ in first[1:]:
            await pilot.press("right")
            await until(pilot, lambda: page(app)[0] == at(app))
            turned.append(at(app))
        assert turned == [section.title for section in first[1:]]
        await pilot.press("tab")
        await until(pilot, lambda: page(app)[0] == at(app) == second[0].title)
        await pilot.press("shift+tab")
        await until(pilot, lambda: page(app)[0] == at(app) == first[-1].title)


async def test_the_index_follows_what_is_read(stage: Stage) -> None:
    async with stage.play(games=None) as (app, pilot):
        app.show_help("goal")
        await opened(app, pilot)
        await until(pilot, lambda: at(app) == "Goal")
        while page(app)[0] != "A turn":
            assert at(app) == "Goal"
            await pilot.press("down")
            await at_rest(pilot)
        assert at(app) == "A turn"
        read = shown(app, "header")
        await pilot.press("end")
        await until(pilot, lambda: "100 %" in shown(app, "header"))
        assert "100 %" not in read


async def test_a_click_in_the_index_opens_a_section_or_another_game(stage: Stage) -> None:
    async with stage.play(games=None, size=(120, 40)) as (app, pilot):
        await pilot.press("question_mark")
        await opened(app, pilot)
        titles = [section.title for section in sections(GAMES[0])]
        await pilot.click("#book", offset=(5, titles.index("Scoring")))
        await until(pilot, lambda: page(app)[0] == at(app) == "Scoring")
        await pilot.click("#book", offset=(5, len(titles) + 1))
        await until(pilot, lambda: page(app)[0] == at(app) == sections(GAMES[2])[0].title)


async def test_the_wheel_moves_what_it_is_over(stage: Stage) -> None:
    async with stage.play(games=None) as (app, pilot):
        await pilot.press("question_mark")
        await opened(app, pilot)
        book = app.screen.query_one(Book)
        first = columns(app, 0, 20)[0].text
        book.post_message(wheel(book, x=3))
        await until(pilot, lambda: columns(app, 0, 20)[0].text != first)
        assert book.scroll_offset.y == 0
        book.post_message(wheel(book, x=50))
        await until(pilot, lambda: book.scroll_offset.y > 0)


async def test_the_scrollbar_leads_to_the_end_of_the_text_and_back(stage: Stage) -> None:
    async with stage.play(games=None) as (app, pilot):
        await pilot.press("question_mark")
        await opened(app, pilot)
        book = app.screen.query_one(Book)
        right, bottom = book.size.width - 1, book.size.height - 1
        await pilot.mouse_down("#book", offset=(right, bottom))
        await until(pilot, lambda: "100 %" in shown(app, "header"))
        assert at(app) == sections(GAMES[0])[-1].title
        await pilot.hover("#book", offset=(right, 0))
        await until(pilot, lambda: "  0 %" in shown(app, "header"))
        await pilot.mouse_up("#book", offset=(right, 0))
        await pilot.hover("#book", offset=(right, bottom))
        await at_rest(pilot)
        assert "  0 %" in shown(app, "header")


async def test_the_help_is_one_widget_between_the_lines_that_every_screen_has(stage: Stage) -> None:
    async with stage.play(games=None) as (app, pilot):
        await pilot.press("question_mark")
        await opened(app, pilot)
        own = {type(widget) for widget in app.screen.query("*")} - {TextLine, AgreementStrip, KeyBar}
        assert own == {Book}


async def test_esc_goes_one_step_back(stage: Stage) -> None:
    async with stage.play(games=None) as (app, pilot):
        await pilot.press("question_mark")
        await opened(app, pilot)
        await pilot.press("right", "escape")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))


async def test_another_size_of_the_terminal_leaves_the_reader_in_his_section(stage: Stage) -> None:
    async with stage.play(games=None) as (app, pilot):
        app.show_help("law-cards")
        await opened(app, pilot)
        for size in ((120, 40), (80, 24)):
            await until(pilot, lambda: page(app)[0] == at(app) == "Law cards")
            await pilot.resize_terminal(*size)
        await until(pilot, lambda: page(app)[0] == at(app) == "Law cards")


async def test_the_files_are_read_once_and_never_for_a_key(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in GAMES:
        sections(name)
    monkeypatch.setattr(rules_pages, "parse", lambda source: pytest.fail("parsed again"))
    async with stage.play(games=None) as (app, pilot):
        await pilot.press("question_mark")
        await opened(app, pilot)
        await pilot.press("end")
        await until(pilot, lambda: at(app) == sections(GAMES[0])[-1].title)
        await pilot.press("right")
        await until(pilot, lambda: at(app) == sections(GAMES[1])[0].title)


@every_game
def test_every_section_that_a_face_names_is_in_the_rules(name: str) -> None:
    face, slugs = faces()[name], {section.slug for section in sections(name)}
    chance, seats = Random(1), face.meta.max_seats
    match = Match(game(name), {}, tuple("ABCDE"[:seats]), bytes(32))
    named = set()
    while not match.is_over:
        for viewer in (*range(seats), None):
            named.add(face.help_section(scene_of_match(match, viewer)))
        seat = match.game.active_seats(match.state)[0]
        match.play(seat, chance.choice(match.game.legal_moves(match.state, seat)))
    assert named
    assert named <= slugs


@every_game
def test_headings_fit_into_the_index(name: str) -> None:
    for section in sections(name)[1:]:
        assert cell_len(f"  {section.title}") <= INDEX


@every_game
@pytest.mark.parametrize("width", [52, 80])
def test_no_line_is_wider_than_the_page(name: str, width: int) -> None:
    signs = Glyphs(ascii_only=True)
    for section in sections(name):
        for line in section_lines(section, width, signs["bullet"], signs["h"]):
            assert line.cell_length <= width, line.plain


async def test_before_there_is_a_table_the_help_begins_with_the_game_under_the_cursor(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await until(pilot, lambda: app.screen.query(LessonRow) and app.screen.query_one(LessonRow).offered)
        menu = app.screen
        cards = {menu.query_one(f"#game-{name}"): name for name in GAMES}
        lessons = {menu.query_one(f"#lesson-{name}"): name for name in GAMES if has_lesson(name)}
        for widget, name in (cards | lessons).items():
            menu.set_focus(widget)
            await pilot.press("question_mark")
            await opened(app, pilot)
            assert at(app) == sections(name)[0].title
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is menu)


def told(place: str) -> set[str]:
    """The keys that the help tells of for a place, with those that work everywhere."""
    return {
        row[0].plain
        for section in keys_chapter(ON_BOARDS)
        for block in section.blocks
        if section.slug in (EVERYWHERE, place) and isinstance(block, HelpTable)
        for row in block.rows
    }


def test_the_help_tells_of_every_key_somewhere() -> None:
    everything = set().union(*(told(section.slug) for section in keys_chapter(ON_BOARDS)))
    assert {key.shown for name, key in KEYS.items() if name not in CHOICE_OF} <= everything


def test_the_help_about_a_table_leaves_out_keys_that_its_board_has_not() -> None:
    table = next(section for section in keys_chapter({"end"}) if section.slug == TABLE)
    words = [row[1].plain for block in table.blocks if isinstance(block, HelpTable) for row in block.rows]
    assert "end your turn, or this part of it" in words
    assert "draw a card from the pile" not in words


async def test_the_help_tells_of_the_keys_of_a_place_under_its_title(stage: Stage) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        keys = {KEYS[action.name].shown for action in app.screen.actions()}  # type: ignore[attr-defined]
        assert keys <= told(OUTSIDE)
        await begin(app, pilot)
        await until(pilot, lambda: can_act(app))
        keys = {KEYS[action.name].shown for action in app.screen.actions()}  # type: ignore[attr-defined]
        assert keys - {str(n) for n in CHOICE_OF.values()} <= told(TABLE)


@pytest.mark.parametrize(
    ("key", "page_title"),
    [("comma", "Keys and mouse"), ("l", "Menu and lobby"), ("d", "Menu and lobby")],
)
async def test_settings_past_matches_and_days_have_their_keys_in_the_help(
    stage: Stage, key: str, page_title: str
) -> None:
    async with stage.play(games=faces()) as (app, pilot):
        await pilot.press(key)
        await until(pilot, lambda: not isinstance(app.screen, MenuScreen))
        await at_rest(pilot)
        await pilot.press("question_mark")
        await opened(app, pilot)
        await until(pilot, lambda: page(app)[0] == at(app) == page_title)
