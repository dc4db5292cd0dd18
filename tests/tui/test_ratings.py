"""Ratings on the screen: the choice for a table, the waiting room, the result, and the board of the best."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kk_core.protocol.messages import OpenTable
from kk_core.views import SETTLED, RatingView
from kk_server.accounts.ratings import Rating, Ratings, RatingStore
from kk_server.hub.hub import Hub
from kk_server.storage.entries import Ended, SeatHolder
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.sqlite import open_database
from kk_tui.app import KkApp
from kk_tui.match.result import ResultScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.screens.history import LeaderboardScreen
from kk_tui.screens.new_game import Hosting
from kk_tui.table_words import format_rating
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.charts import RatingAxis
from tests.server.client import Client
from tests.server.playing import finish
from tests.server.test_ratings import differently, rated_table
from tests.tui.conftest import Stage, shown, until
from tests.tui.playing import keys_of
from tests.tui.scenes import lines_of

GAME = "ku_ka_king"


@pytest.fixture
async def rated(tmp_path: Path) -> AsyncIterator[Stage]:
    """A hub where two people have a rating: Anna a first guess, Beate one that is settled."""
    database = await open_database(tmp_path / "tables.sqlite")
    store = RatingStore(database)
    before = Ended(
        "t", 1, 0, GAME, (SeatHolder("a", "anna"), SeatHolder("b", "beate")), (1, 2), (1,), 9, 0, True
    )
    await store.keep(before, {"anna": Rating(1620, 300, 4, 1), "beate": Rating(1480, 200, SETTLED, 5)})
    hub = Hub(MemoryLog(), bot_pause=0, ratings=Ratings(store))
    await hub.load()
    yield Stage(hub, tmp_path / "records")
    await hub.close()
    await database.close()


def page(app: KkApp) -> str:
    return "\n".join(lines_of(app))


def test_a_first_guess_is_marked_and_a_change_has_its_sign() -> None:
    assert format_rating(RatingView(1523, True)) == "1523"
    assert format_rating(RatingView(1523, False, 23)) == "1523? (+23)"
    assert format_rating(RatingView(1480, True, -20)) == "1480 (-20)"


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40), (200, 60)])
async def test_the_board_of_the_best_has_a_table_for_every_game(rated: Stage, size: tuple[int, int]) -> None:
    async with rated.play(local=False, size=size) as (app, pilot):
        await pilot.press("s")
        await until(
            pilot, lambda: isinstance(app.screen, LeaderboardScreen) and "To be the first" in page(app)
        )
        while "beate" not in page(app):
            await pilot.press("right")
            await until(pilot, lambda: "rating" in page(app))
        lines = [" ".join(line.split()) for line in page(app).splitlines()]
        for whole in ("name rating matches wins", "1. beate 1480 10 50 %", "- anna 1620? 4 25 %"):
            assert any(line.startswith(whole) for line in lines)
        # 1320 to 1920 for Anna, 1280 to 1680 for Beate, on one axis
        shown_lines = page(app).splitlines()
        (beate,) = (line for line in shown_lines if "beate" in line)
        (anna,) = (line for line in shown_lines if " anna" in line)
        assert beate.index("├") < anna.index("├") < beate.index("◉") < anna.index("◉")
        assert beate.index("┤") < anna.index("┤")
        (heads,) = (line for line in shown_lines if "wins" in line)
        assert heads.index("name") == beate.index("beate"), "the names of the columns stand over them"
        assert heads.index("matches") + len("matches") == beate.index(" 10 ") + len(" 10")


@pytest.mark.parametrize("width", [12, 21, 65, 120])
def test_on_an_axis_ratings_are_as_far_apart_as_their_figures_and_labels_do_not_touch(width: int) -> None:
    ratings = [(RatingView(shown, shown > 1400), 100) for shown in (1700, 1500, 1300)]
    axis = RatingAxis(ratings, width, Glyphs(ascii_only=False))
    places = [axis.line(*rating, None, "$ink").plain.index("◉") for rating in ratings]
    assert abs(places[0] - 2 * places[1] + places[2]) <= 1
    assert axis.line(*ratings[0], None, "$ink").cell_length == width
    labels = axis.labels()
    assert labels.split()
    assert len(labels) <= width
    assert all(1200 <= int(label) <= 1800 for label in labels.split())


def test_where_one_s_own_rating_is_a_line_goes_through_all_others() -> None:
    own, other = RatingView(1300, True), RatingView(1700, True)
    axis = RatingAxis([(own, 50), (other, 50)], 41, Glyphs(ascii_only=False))
    at = axis.line(own, 50, own, "$ink").plain.index("◉")
    assert axis.between(own).plain.index("│") == axis.line(other, 50, own, "$ink").plain.index("│") == at
    assert not axis.between(None).plain


def test_a_rating_of_an_older_server_which_tells_no_deviation_is_a_mark_alone() -> None:
    only = RatingView(1500, True)
    axis = RatingAxis([(only, 0)], 20, Glyphs(ascii_only=False))
    assert axis.line(only, 0, None, "$ink").plain.strip() == "◉"


async def test_who_opens_a_table_chooses_whether_it_is_rated_and_then_nobody_gets_hints(rated: Stage) -> None:
    async with rated.play(local=False) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: app.screen.query(Hosting))
        form = app.screen.query_one(Hosting)
        form.query_one("#hints").focus()
        await pilot.press("right")
        form.query_one("#rated").focus()
        await pilot.press("right")
        await until(pilot, lambda: not form.query_one("#hints").display)
        await pilot.press("g")
        await until(pilot, lambda: app.store.table is not None)
        assert app.store.table is not None
        assert (app.store.table.rated, app.store.table.hints) == (True, False)
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and "Rated:" in page(app))
        assert "bot" not in keys_of(app)


@pytest.mark.parametrize(
    ("watched", "words"),
    [(True, "rated; guests can watch. Connect with an SSH key"), (False, "rated: connect with an SSH key")],
)
async def test_a_guest_where_matches_are_rated_is_offered_no_seat_and_told_why(
    rated: Stage, watched: bool, words: str
) -> None:
    wish = OpenTable(0, GAME, {}, 2, "Friday", watched=watched, rated=True)
    await rated.hub.open_table("anna", wish)
    async with rated.play("~carl", local=False) as (app, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        assert words in shown(app, "prompt")
        assert "take the seat" not in keys_of(app)
    async with rated.play("beate", local=False) as (app, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen))
        assert "take the seat" in keys_of(app)


async def test_ratings_stand_beside_the_names_and_the_result_says_what_has_changed(rated: Stage) -> None:
    both = {name: Client(rated.hub.connect(name)) for name in ("anna", "beate")}
    pair = await rated_table(both.__getitem__, *both)
    async with rated.play("beate", local=False) as (app, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableSetupScreen) and app.store.table)
        await until(pilot, lambda: "anna 1620?" in page(app))
        assert "beate 1480 (you)" in page(app)
        await pair[0].start()
        await pair[1].until(lambda c: c.table.match is not None)
        await finish(*pair, choose=differently)
        await until(pilot, lambda: isinstance(app.screen, ResultScreen) and "Ratings:" in page(app))
        assert app.store.table is not None
        for seat in app.store.table.seats:
            assert seat.rating is not None
            assert seat.rating.change is not None
            assert f"{seat.name} {format_rating(seat.rating)}" in page(app)
        assert "? (" in page(app)
