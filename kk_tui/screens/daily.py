"""The deal of the day: its table, the way to the match, and a row on the first screen that leads here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import ClassVar, Final

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from kk_core.bot_names import level_of
from kk_core.daily import STANDING_SIGNS, daily_words, share_text, streak_words
from kk_core.errors import KkError
from kk_core.protocol.messages import Daily, GetDaily, OpenDaily
from kk_core.text import Text, joined, text, texts
from kk_core.views import DailyLine, DailyTable, is_guest
from kk_tui.i18n import _, format_date, format_span, render, spelled
from kk_tui.keymap import Action
from kk_tui.screens.base import AppOfScreens, KkScreen
from kk_tui.screens.game_card import CoverView
from kk_tui.screens.history import ByGameScreen, row, short_name
from kk_tui.settings import NAMELESS
from kk_tui.table_words import signs_in_ascii
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.form import LineButton

_WIDTHS: Final = 27, 9
"""Columns of place and name, and of a figure."""


async def daily_table(kk: AppOfScreens, game: str, day: str = "") -> DailyTable | None:
    """Return how the deal of a game went on a day, by default today. Raises `KkError`."""
    reply = await kk.request(lambda number: GetDaily(number, game, day))
    return reply.table if isinstance(reply, Daily) else None


def copy_to_share(screen: KkScreen, table: DailyTable) -> None:
    """Copy the lines to share into the clipboard of the user's terminal."""
    lines = [render(line) for line in _to_share(screen.kk, table)]
    # by OSC 52: the terminal copies, wherever the app runs
    screen.app.copy_to_clipboard("\n".join(lines))
    screen.tell(text("Copied, if your terminal allows it: {line}", line=lines[1]))


def shared_lines(kk: AppOfScreens, table: DailyTable) -> list[str]:
    """Return the lines to share as the user's terminal can show them; none before the deal is finished."""
    return [render(line) for line in _to_share(kk, replace(table, signs=shown_signs(kk, table)))]


def _to_share(kk: AppOfScreens, table: DailyTable) -> Sequence[Text]:
    return share_text(table, kk.games[table.game].meta.name)


def shown_signs(kk: AppOfScreens, table: DailyTable) -> str:
    """Return the signs of the user's match as their terminal can show them."""
    return signs_in_ascii(table.signs) if kk.glyphs.ascii_only else table.signs


_STANDING: Final = ("$gold", "$ink", "$ink-dim")
"""Inks of the signs of a match for first, in between, and last."""


def _in_inks(line: str, signs: str) -> Content:
    """Return a line, in which the signs of a match have inks by what they mean: alike, they are a slab."""
    if not signs or line != signs:
        return Content.styled(line, "$ink")
    inks = dict(zip(STANDING_SIGNS, _STANDING, strict=True))
    inks |= dict(zip(signs_in_ascii(STANDING_SIGNS), _STANDING, strict=True))
    return Content.assemble(*((sign, inks.get(sign, "$ink")) for sign in signs))


class DailyRow(Horizontal):
    """A line on the first screen that leads to the deals of the day."""

    def compose(self) -> ComposeResult:
        """Make the button."""
        yield LineButton(_("Deal of the day"), id="daily")

    async def load(self, screen: KkScreen) -> None:
        """Say how far the user has come today."""
        tables: dict[str, DailyTable] = {}
        if screen.kk.local:  # where nothing counts, and asking would load all rules
            self.query_one(LineButton).say(row_words(tables, is_home=True))
            return
        try:
            for game in screen.kk.games:
                if (table := await daily_table(screen.kk, game)) is not None:
                    tables[game] = table
        except KkError:
            return  # the screen of the deal says why, to whoever goes there
        if screen.is_alive and tables:
            self.query_one(LineButton).say(row_words(tables, is_home=False))


def row_words(tables: Mapping[str, DailyTable], *, is_home: bool) -> str:
    """Return the words of the row on the first screen."""
    if is_home:
        return _("Deal of the day: the same cards for everybody, unranked")
    head, parts = _("Deal of the day"), []
    done = sum(table.own is not None for table in tables.values())
    if any(table.table is not None for table in tables.values()):
        parts.append(_("one in progress"))
    elif done:
        parts.append(_("{n} of {all} finished", n=done, all=len(tables)))
    else:
        parts.append(_("the same cards for everybody, once a day"))
    streak = max(table.streak for table in tables.values())
    if streak > 1:
        parts.append(_("{n} days in a row", n=streak))
    return f"{head}: {', '.join(parts)}"


_DAY: Final = 2
"""Columns of a day."""

_SPACED: Final = 36
"""Rows of the screen from which lines are spaced out."""

_CENTRED: Final = 50
"""Rows of the screen from which the page stands in the middle."""

_WEEK: Final = 7
_MOST_WEEKS: Final = 6


class PastDays(Widget):
    """The user's days up to today, a line for each game: those that they have won, or just played."""

    DEFAULT_CSS = "PastDays { height: auto; width: 100%; }"

    def __init__(self) -> None:
        super().__init__(id="past")
        self._table: DailyTable | None = None

    def show(self, table: DailyTable) -> None:
        """Show what is known with the table of a day."""
        self._table = table
        self.refresh(layout=True)

    def render(self) -> Content:
        """Return the lines for the present width; none before anything is known."""
        return Content("\n").join(self._lines(self._table)) if self._table is not None else Content()

    def _lines(self, table: DailyTable) -> Iterator[Content]:
        screen: KkScreen = self.screen  # type: ignore[assignment]
        names = {game: short_name(screen.game_name(game)) for game in screen.kk.games}
        label = max(map(len, names.values())) + 1
        weeks = max(1, min(_MOST_WEEKS, (self.size.width - label) // (_DAY * _WEEK)))
        today = max(date.fromisoformat(day) for day in (table.day, table.later or table.day))
        days = [today - timedelta(days=n) for n in reversed(range(weeks * _WEEK))]
        yield Content.assemble(" " * label, *self._heads(days))
        for game, name in names.items():
            style = "bold $gold" if game == table.game else "$ink"
            yield Content.assemble((name.ljust(label), style), *self._marks(table, game, days))
        if screen.size.height >= _SPACED:
            yield Content()
        glyphs = screen.kk.glyphs
        streak = f"{render(streak_words(table.streak))}  " if table.streak else ""
        yield Content.assemble(
            (streak.ljust(label + 1), "bold $gold"),
            (glyphs["day-won"], "bold $gold"), (" " + _("won") + "  ", "$ink-dim"),
            (glyphs["day-played"], "$ink"), (" " + _("played") + "  ", "$ink-dim"),
            (glyphs["day-open"], "bold $possible"), (" " + _("open today"), "$ink-dim"),
        )  # fmt: skip

    @staticmethod
    def _heads(days: Sequence[date]) -> Iterator[tuple[str, str]]:
        """Yield the numbers of the Mondays, and of today."""
        for day in days[:-1]:
            is_told = day.weekday() == 0 and (days[-1] - day).days > 1
            yield f"{day.day:>{_DAY}}" if is_told else " " * _DAY, "$ink-dim"
        yield f"{days[-1].day:>{_DAY}}", "bold $gold"

    def _marks(self, table: DailyTable, game: str, days: Sequence[date]) -> Iterator[tuple[str, str]]:
        screen: KkScreen = self.screen  # type: ignore[assignment]
        won = {one.day: one.won for one in table.past if one.game == game}
        for day in days:
            name, style = "bullet", "$ink-dim"
            if (share := won.get(day.isoformat())) is not None:
                name, style = ("day-won", "bold $gold") if share else ("day-played", "$ink")
            elif day == days[-1]:
                name, style = "day-open", "bold $possible"
            yield f"{screen.kk.glyphs[name]:>{_DAY}}", style


_BAR: Final = 24
"""Columns of the longest bar."""


def day_lines(table: DailyTable, glyphs: Glyphs) -> Iterator[Content]:
    """Yield the user's days in the game of a table, the newest first: points, as a bar, too, and who won."""
    own = [one for one in table.past if one.game == table.game]
    yield Content.styled(_("Your results"), "bold $gold")
    if not own:
        yield Content.styled(_("None yet: the days you finish are listed here."), "$ink-dim")
    most = max((one.points for one in own), default=0)
    for one in own:
        bar = glyphs["bar"] * max(1, round(_BAR * max(0, one.points) / max(1, most)))
        won = "" if not one.won else _("won") if one.won == 1 else _("shared")
        ink = "$gold" if one.won else "$ink-dim"
        yield Content.assemble(
            (format_date(date.fromisoformat(one.day)), "bold $ink" if one.day == table.day else "$ink"),
            (f"  {one.points:>4}  ", "$ink"),
            (bar.ljust(_BAR), ink), (f"  {won}", "bold $gold"),
        )  # fmt: skip


class DailyScreen(ByGameScreen):
    """The deal of a game on a day, how it went for everybody, and the days before."""

    CSS = """
    DailyScreen #board { width: 1fr; min-width: 79; height: 1fr; }
    DailyScreen #deal { height: auto; padding: 1 2 0 2; }
    DailyScreen #past { padding: 1 2 0 2; }
    DailyScreen #columns { height: 1; padding: 0 2; margin-top: 1; color: $ink-dim; }
    DailyScreen #leaders { height: 1fr; padding: 0 2; }
    DailyScreen #lines { height: auto; }
    DailyScreen #said { height: auto; padding: 1 0 0 0; color: $ink-dim; }
    DailyScreen #days { height: auto; padding: 1 0; }
    DailyScreen #more { height: auto; padding: 0 0 1 0; color: $ink-dim; }
    DailyScreen.-at-home #said { display: none; }
    DailyScreen.-centred #board { height: auto; }
    DailyScreen.-centred #leaders { height: auto; max-height: 30; }
    DailyScreen.-huge #opening CoverView { width: 72; max-height: 36; }
    DailyScreen.-secret #columns, DailyScreen.-secret #lines { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "act('do')", show=False)]

    def __init__(self, game: str = "") -> None:
        super().__init__()
        self._first = game
        self._table: DailyTable | None = None
        self._day = ""  # the day to show; empty for today

    def body(self) -> ComposeResult:
        """Compose choice, deal and table, and the game's picture where there is room."""
        with Horizontal(id="opening"):
            with Vertical(id="board"):
                yield from self.choice()
                yield Static(id="deal", markup=False)
                yield PastDays()
                columns = _("points"), _("won")
                yield Static(row("     " + _("name"), columns, _WIDTHS), id="columns", markup=False)
                with VerticalScroll(id="leaders"):
                    yield Static(id="lines", markup=False)
                    yield Static(id="said", markup=False)
                    yield Static(id="days", markup=False)
                    yield Static(id="more", markup=False)
            yield CoverView()

    def _classes_at(self, size: Size) -> dict[str, bool]:
        return super()._classes_at(size) | {"-centred": size.height >= _CENTRED}

    def on_mount(self) -> None:
        """Request the table of today."""
        self.title_line(_("Deal of the day"))
        if self._first in self.kk.games:
            self.choose_game(self._first)
        self.query_one("#leaders").focus()
        self.show_game()

    def keeping_changed(self) -> None:
        """Request the table again if the matches could not be read before."""
        super().keeping_changed()
        if self.kk.warning is None:
            self.show_game()

    def show_game(self) -> None:
        """Request the table of the chosen game, on the same day."""
        self.query_one(CoverView).show(self.kk.games[self.game])
        self._go_to(self._day)

    def _go_to(self, day: str) -> None:
        self._day = day
        self.work(self._fetch(day))

    async def _fetch(self, day: str) -> None:
        game = self.game
        table = await daily_table(self.kk, game, day)
        # another game or day may have been chosen since the request
        if table is not None and self.is_alive and (game, day) == (self.game, self._day):
            if table.later is None:
                self._day = ""
            self._table = table
            self._show(table)

    def _show(self, table: DailyTable) -> None:
        self.query_one("#deal", Static).update(self._deal(table))
        self.query_one(PastDays).show(table)
        self.query_one("#lines", Static).update(Content("\n").join(map(self._line, table.lines)))
        self.query_one("#said", Static).update("\n".join(map(render, self._said(table))))
        self.query_one("#more", Static).update("\n".join(map(render, self._more(table))))
        self.query_one("#days", Static).update(Content("\n").join(self._own_days(table)))
        # at home the only line would be what stands above
        self.set_class(not (table.lines and table.ranked), "-secret")
        self.set_class(not table.ranked, "-at-home")
        self.query_one("#leaders").scroll_home(animate=False)
        if (unread := self.kk.save_state.unread) is not None:
            self.say(unread, "$refused")
        else:
            self.say(self._prompt(table))
        self.show_keys()

    def _deal(self, table: DailyTable) -> Content:
        """Return the day and when the next one comes, against whom it is played, and how it stands."""
        over = _("over")
        if table.left:
            over = _("next one in {span}, at midnight UTC", span=format_span(table.left))
        against = texts(
            "You play against {names}, a {level} bot.", "You play against {names}, {level} bots.",
            len(table.bots), names=joined(table.bots), level=level_of(table.bot),
        )  # fmt: skip
        done, style = self._state(table)
        signs = shown_signs(self.kk, table)
        gap = "\n" if self.size.height >= _SPACED else ""
        return Content.assemble(
            (format_date(date.fromisoformat(table.day)), "bold $gold"), (f"  {over}\n", "$ink-dim"), gap,
            (render(against), "$ink"), "\n", gap,
            (done, style), "  ", _in_inks(signs, signs),
        )  # fmt: skip

    @staticmethod
    def _state(table: DailyTable) -> tuple[str, str]:
        """Return how far the user has come with a deal, and the style of that."""
        if table.own is not None:
            points = table.own.points
            if table.own.won:
                return _("Your first try: {points} points, and you won.", points=points), "bold $happened"
            return _("Your first try: {points} points; a bot won.", points=points), "bold $ink"
        if table.table is not None:
            return _("You are playing it now."), "bold $possible"
        if table.is_over:
            return _("You didn't play it."), "$ink-dim"
        return _("You haven't finished it.") if table.tried else _("Ready to play."), "bold $possible"

    def _line(self, line: DailyLine) -> Content:
        won = "" if not line.won else _("won") if line.won == 1 else _("shared")
        # alone in the table, only a win is a place
        has_place = line.won or self._table is None or len(self._table.lines) > 1
        place = f"{line.place:>3}." if has_place else f"{self.kk.glyphs['bullet']:>4}"
        words = row(f"{place} {spelled(line.name)}", (str(line.points), won), _WIDTHS)
        is_own = self._table is not None and line == self._table.own
        return Content.styled(words, "bold $gold" if is_own else "$ink")

    def _said(self, table: DailyTable) -> Iterator[Text]:
        """Yield how the deal stands, where others play it too."""
        if table.ranked:
            yield from self._words(table)[:-1]

    def _more(self, table: DailyTable) -> Iterator[Text]:
        """Yield what is to be known besides, and the seed or its digest."""
        if table.signs:
            yield text("The bars show your standing from start to end: low is behind, high is ahead.")
        if own := [one for one in table.past if one.game == table.game]:
            yield text(
                "Your past weeks: {n} played, {won} won, best: {points} points.",
                n=len(own), won=sum(one.won > 0 for one in own), points=max(one.points for one in own),
            )  # fmt: skip
        yield text("Whoever makes the same moves gets the same match: cards and bots are the same.")
        yield from self._words(table)[-1:]

    def _words(self, table: DailyTable) -> Sequence[Text]:
        return list(daily_words(table, is_guest=is_guest(self.kk.user), has_state=False))

    def _own_days(self, table: DailyTable) -> Iterator[Content]:
        """Yield what there is to share, and the user's days."""
        if is_guest(self.kk.user) and not self.kk.local:  # whose days are not kept
            return
        shared = shared_lines(self.kk, table)
        if shared:
            yield Content.styled(_("To share"), "bold $gold")
            signs = shown_signs(self.kk, table)
            yield from (_in_inks(line, signs) for line in shared)
            yield Content()
        yield from day_lines(table, self.kk.glyphs)

    def _prompt(self, table: DailyTable) -> str:
        if table.is_over:
            return _("This day is over: its records can be checked against the seed.")
        if table.table is not None:
            return _("Enter continues where you left off.")
        if not table.ranked and table.own is not None:
            return _("You have finished today's deal. Enter plays it again.")
        if not table.ranked:
            return _("Enter plays it: your first try of the day is recorded, just for you.")
        if is_guest(self.kk.user):
            return _("Enter plays it; guests' results don't count.")
        if table.tried:
            return _("Enter plays it once more, for practice: only your first try counts.")
        return _("Enter plays it: your first try counts, without hints or undo.")

    # -- keys ------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        """Return the actions of this deal, those that lead to others, and back."""
        table, rest = self._table, (Action("next", text("other game")), Action("help", minor=True))
        if table is None:
            return (*rest, Action("back"))
        again = text("play")
        if table.tried:
            again = text("practice") if table.ranked else text("play again")
        plays = again if table.table is None else text("go on")
        return (
            *([] if table.is_over else [Action("do", plays)]),
            *([Action("collections", text("copy to share"))] if table.own is not None else []),
            *([Action("earlier", text("day before"))] if table.earlier is not None else []),
            *([Action("later", text("day after"))] if table.later is not None else []),
            *rest,
            Action("back"),
        )

    def do_do(self) -> None:
        """Go to the match of today's deal."""
        game, name = self.game, (self.kk.own_name or NAMELESS) if self.kk.local else ""
        self.visit(lambda number: OpenDaily(number, game, name))

    def do_collections(self) -> None:
        """Copy the lines to share."""
        if self._table is not None:
            copy_to_share(self, self._table)

    def do_earlier(self) -> None:
        """Show the day before that has a deal."""
        if self._table is not None and self._table.earlier is not None:
            self._go_to(self._table.earlier)

    def do_later(self) -> None:
        """Show the next day that has a deal."""
        if self._table is not None and self._table.later is not None:
            self._go_to(self._table.later)
