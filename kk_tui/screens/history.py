"""Past matches with their results and replays, and the leaderboard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import ClassVar, Final

from msgspec.structs import replace
from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from kk_core.match_name import match_name
from kk_core.protocol.messages import Forget, GetHistory, GetLeaders, History, Leaders, OpenReplay
from kk_core.text import Text, joined, text, texts
from kk_core.types import Seat
from kk_core.views import SETTLED, LeaderLine, PastMatch
from kk_tui.i18n import _, format_number, format_when, ngettext, render, spelled
from kk_tui.keymap import KEYS, Action
from kk_tui.keys_page import OUTSIDE
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.game_card import CoverView
from kk_tui.settings import NAMELESS
from kk_tui.table_words import bot_label, format_rating, program_words
from kk_tui.theme.glyphs import SEATS
from kk_tui.widgets.charts import SHORTEST_AXIS, Column, RatingAxis, column_chart
from kk_tui.widgets.form import LineSelect
from kk_tui.widgets.lines import packed
from kk_tui.widgets.options import Options

ALL = ""
"""The choice of all games."""


class _Which(LineSelect, can_focus=False):
    """The choice of a game, changed with keys of the screen."""


class ByGameScreen(KkScreen):
    """A screen with a choice of games; subclasses list one game's content in `show_game`."""

    help_section = OUTSIDE

    DEFAULT_CSS = """
    ByGameScreen #which { height: 1; padding: 0 2; }
    ByGameScreen #nothing { display: none; width: 100%; height: 1fr; padding: 2 8; text-align: center; }
    ByGameScreen #nothing { content-align: center middle; color: $ink-dim; }
    ByGameScreen.-empty #nothing { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        # with priority, since lists and scrollable parts bind these keys too
        Binding("left,shift+tab", "turn(-1)", show=False, priority=True),
        Binding("right,tab", "turn(1)", show=False, priority=True),
    ]

    def choice(self, *more: tuple[str, str]) -> Iterator[Widget]:
        """Yield the choice of games, after further choices."""
        games = [(game, self.game_name(game)) for game in self.kk.games]
        yield _Which(_("Game"), [*more, *games], id="which")

    def nothing(self, words: Text) -> Iterator[Widget]:
        """Yield the words shown while nothing is listed."""
        yield Static(render(words), id="nothing", markup=False)

    @property
    def game(self) -> str:
        """The chosen game; `ALL` if that is a choice."""
        return self.query_one(_Which).value

    def show_game(self) -> None:
        """Hook: list the content for the chosen game."""

    def choose_game(self, game: str) -> None:
        """Choose a game by its identifier."""
        self.query_one(_Which).choose(game)

    def action_turn(self, by: int) -> None:
        """Choose another game."""
        self.query_one(_Which).action_turn(by)

    def on_line_select_changed(self) -> None:
        """List the content for the chosen game."""
        self.show_game()


def row(name: str, figures: Sequence[str], widths: tuple[int, int]) -> str:
    """Return a line of a table: a name and figures, in the two `widths`."""
    wide, each = widths
    return set_cell_size(name, wide) + "".join(f"{figure:>{each}}" for figure in figures)


def short_name(name: str) -> str:
    """Return what follows the colon in the name of a game that has one."""
    return name.rpartition(": ")[2]


@dataclass(frozen=True)
class KeptList:
    """Past matches that were listed, and the place in the list, for whoever comes back to it."""

    matches: Sequence[PastMatch]
    has_older: bool
    game: str
    here: int


@dataclass(frozen=True)
class LeaderboardEntry:
    """One name's results in one game; a shared win counts as a fraction for each winner."""

    name: str
    bot: str | None
    played: int
    """The matches, however many seats bots of this kind had in them."""
    won: float
    mean: float
    best: int
    is_program: bool = False
    """True for matches that a program has played under the name."""


def standings(matches: Iterable[PastMatch]) -> list[LeaderboardEntry]:
    """Return everybody's results, those with the most wins first.

    Matches continued from another one are left out: their players knew the cards.
    """
    results: dict[tuple[str, str | None, bool], list[tuple[int, int, float]]] = {}
    for nth, match in enumerate(matches):
        if match.replayed:
            continue
        for seat, (name, bot) in enumerate(zip(match.names, match.bots, strict=True)):
            # a shared win is divided, so that everybody's wins add up to the matches
            won = 1 / len(match.winners) if seat in match.winners else 0.0
            results.setdefault((bot or name, bot, seat in match.programs), []).append(
                (nth, match.points[seat], won)
            )
    found = [_standing(*one, own) for one, own in results.items()]
    return sorted(found, key=lambda standing: (-standing.won, -standing.mean, standing.name))


def _standing(
    name: str, bot: str | None, is_program: bool, results: Sequence[tuple[int, int, float]]
) -> LeaderboardEntry:
    matches, points, won = zip(*results, strict=True)
    mean = sum(points) / len(points)
    return LeaderboardEntry(name, bot, len(set(matches)), sum(won), mean, max(points), is_program)


_WHEN: Final = 17
"""Columns of the date."""

_AROUND: Final = 5
"""Columns around a line of the list, including a scrollbar, which may appear along with the lines."""

_WIDTHS: Final = 20, 8
"""Columns of a name and of a figure below the list."""

_FIGURES: Final = 56
"""Columns of one game's figures, including the gap to the next."""

_WIDE: Final = 120
"""Screen columns from which the games' pictures may be shown."""

_HIGH: Final = 16
"""Rows that the pictures of the games need."""

_ROOM_FOR_OTHERS: Final = 25
"""Rows from which those of the other games stand below a list, where a chart would be."""

_LINES: Final = 9
"""Rows beside list and figures, including those left blank between them, but not the names of columns."""

_BESIDE: Final = ((200, 80), (160, 52), (_WIDE, 42))
"""Columns for the match under the cursor, from so many screen columns on."""

_RIGHT: Final = 2
"""Columns that stay free on the right of them."""

_OVER_WORDS: Final = 3
"""Rows of a result over its words, without those of the people: game, time, and a blank one."""

_BESIDE_BAR: Final = 12
"""Columns beside the list without name and bar: points, and space around them."""

_CHART: Final = (4, 28)
"""Rows of the chart of the user's results, at least and at most."""

_ROOMY: Final = 19
"""Rows from which on a list in one row each leaves so many that each match can have a second one."""

_AROUND_CHART: Final = 3
"""Rows for its title, for the sign that points at a column, and for a blank one."""

_EMPTY: Final = 0.35
"""Share of the screen for the words shown if there is no list."""


class PastMatchesScreen(ByGameScreen):
    """Matches of all games or of one, the newest first, everybody's results, and the match pointed at."""

    CSS = """
    PastMatchesScreen #middle { height: 1fr; }
    PastMatchesScreen #listed { width: 1fr; height: 1fr; }
    PastMatchesScreen #matches { height: 1fr; width: 100%; padding: 0 1; margin-top: 1; }
    PastMatchesScreen.-few #matches { height: auto; margin: 1 0; }
    PastMatchesScreen #course { display: none; height: auto; padding: 0 2; margin-bottom: 1; }
    PastMatchesScreen.-few #course { height: 1fr; }
    PastMatchesScreen #course.-told { content-align: center middle; }
    PastMatchesScreen #others { display: none; height: 1fr; padding: 0 1; margin-bottom: 1; }
    PastMatchesScreen #others CoverView { margin: 0 1; }
    PastMatchesScreen.-few.-with-others #course { height: auto; }
    PastMatchesScreen.-few.-with-others #others { display: block; }
    PastMatchesScreen.-empty #matches, PastMatchesScreen.-empty #figures { display: none; }
    PastMatchesScreen #heads { display: none; height: 1; padding: 0 2; margin-top: 1; color: $ink-dim; }
    PastMatchesScreen.-headed #heads { display: block; }
    PastMatchesScreen.-headed #matches { margin: 0 0 1 0; }
    PastMatchesScreen #result { width: 1fr; height: auto; padding: 0 2 0 0; }
    PastMatchesScreen.-empty #result { display: none; }
    PastMatchesScreen #covers { display: none; height: 1fr; layout: vertical; margin-top: 1; }
    PastMatchesScreen.-with-covers #covers { display: block; }
    PastMatchesScreen #covers CoverView { margin: 1 2 1 0; max-height: 26; }
    PastMatchesScreen.-huge #covers CoverView { max-height: 40; }
    PastMatchesScreen.-empty #middle { layout: vertical; }
    PastMatchesScreen.-empty.-with-covers #listed { height: 35%; }
    PastMatchesScreen.-empty #covers { layout: horizontal; }
    PastMatchesScreen.-empty #covers CoverView { margin: 0 2 1 2; max-height: 100%; }
    PastMatchesScreen #figures { height: auto; max-height: 40%; padding: 0 2 1 2;
        border-top: solid $ink-line; }
    PastMatchesScreen.-few #figures { max-height: 100%; }
    PastMatchesScreen #results { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("backspace", "act('delete')", show=False),
    ]

    def __init__(self, kept: KeptList | None = None) -> None:
        super().__init__()
        self._kept = kept
        self._matches: Sequence[PastMatch] | None = None
        self._has_older = False
        self._is_looking = False  # for older ones
        self._free = 0  # rows that list and figures leave
        self._standings: dict[str, list[LeaderboardEntry]] = {}  # by game

    def body(self) -> ComposeResult:
        """Compose choice, list, figures and pictures."""
        yield from self.choice((ALL, _("all games")))
        with Horizontal(id="middle"):
            with Vertical(id="listed"):
                yield Static(id="heads", markup=False)
                yield Options(id="matches")
                yield from self.nothing(
                    text(
                        "Finished matches are listed here with their results; you can replay them move by "
                        "move.\n\n{back} goes back, and {new} there starts a match.",
                        back=KEYS["back"].shown,
                        new=KEYS["new"].shown,
                    )
                )
                yield Static(id="course", markup=False)
                with Horizontal(id="others"):
                    for _game in self.kk.games:
                        yield CoverView()
                with VerticalScroll(id="figures", can_focus=False):
                    yield Static(id="results", markup=False)
            with Vertical(id="covers"):
                yield Static(id="result", markup=False)
                for _game in self.kk.games:
                    yield CoverView()

    def on_mount(self) -> None:
        """Request the matches."""
        for covers in self._covers:
            for cover, game in zip(covers, self.kk.games.values(), strict=True):
                cover.show(game)
        self.title_line(_("Past matches"))
        self.query_one(OptionList).focus()
        if (kept := self._kept) is not None:
            self._matches, self._has_older = kept.matches, kept.has_older
            with self.prevent(LineSelect.Changed):
                self.choose_game(kept.game)
            self.show_game(kept.here)
        self.work(self._fetch())

    def keeping_changed(self) -> None:
        """Request the matches again if they could not be read before."""
        super().keeping_changed()
        if self.kk.warning is None:
            self._matches = None
            self.work(self._fetch())

    async def _fetch(self) -> None:
        """Request the newest matches, which go before those that are already here."""
        reply = await self.kk.request(GetHistory)
        if not (isinstance(reply, History) and self.is_alive):
            return
        newest, known = tuple(map(self._with_own_name, reply.matches)), tuple(self._matches or ())
        ids = [match_id(match) for match in known]
        # where the oldest of them is not listed here, too many are missing in between
        if newest and match_id(newest[-1]) in ids:
            newest += known[ids.index(match_id(newest[-1])) + 1 :]
        else:
            self._has_older = reply.has_older
        shown, here = self._shown(), self.query_one(OptionList).highlighted or 0
        at = match_id(shown[here]) if here < len(shown) else None
        self._matches = newest
        if self._matches != known or self.query_one(OptionList).highlighted is None:
            self.show_game(self._line_of(at, here))

    async def _fetch_older(self) -> None:
        """Request the matches before those that are already here."""
        before = self._matches or ()
        try:
            reply = await self.kk.request(lambda number: GetHistory(number, len(before)))
        finally:
            self._is_looking = False
        if isinstance(reply, History) and self.is_alive:
            known = self._matches or ()  # where matches may have been added and deleted since
            # otherwise too many new ones are missing in between
            if not known or known[-1] in before:
                # if others have ended meanwhile, the first of them are here already
                ids = set(map(match_id, before))
                older = [match for match in reply.matches if match_id(match) not in ids]
                self._matches = (*known, *map(self._with_own_name, older))
                self._has_older = reply.has_older
            self.show_game(self.query_one(OptionList).highlighted or 0)

    def _line_of(self, at: tuple[str, int] | None, here: int) -> int:
        """Return the line of a match in the list; `here` if it is not listed."""
        lines = [match_id(match) for match in self._shown()]
        return lines.index(at) if at in lines else here

    def _with_own_name(self, match: PastMatch) -> PastMatch:
        """Return a match in which whoever played without a name of their own is called you."""
        if not self.kk.local or len(match.mine) != 1 or self.kk.own_name == NAMELESS:
            return match
        names = (
            _("You") if seat in match.mine and name == NAMELESS else name
            for seat, name in enumerate(match.names)
        )
        return replace(match, names=tuple(names))

    # -- drawing ---------------------------------------------------------------------------------------------

    def _shown(self) -> list[PastMatch]:
        return [match for match in self._matches or () if self.game in (ALL, match.game)]

    def show_game(self, here: int = 0) -> None:
        """Show list and figures of the chosen game, with the cursor on line `here`."""
        shown = self._shown()
        matches = self.query_one(OptionList)
        matches.set_options([Option(line) for line in self._lines(shown)])
        matches.highlighted = min(here, len(shown) - 1) if shown else None
        self.set_class(not shown, "-empty")
        taken = self._rows(shown) if shown else round(_EMPTY * self.size.height)
        self._free = self.size.height - _LINES - self.has_class("-headed") - taken
        self._standings = {
            game: standings(match for match in self._matches or () if match.game == game)
            for game in dict.fromkeys(match.game for match in shown)
        }
        # that of the longest one, so that the picture below stays where it is
        rows = max(map(self._result_rows, shown), default=0) if self._beside else 0
        self.query_one("#result").styles.min_height = rows
        self._show_figures()
        self.set_class(bool(shown) and self._free >= 0, "-few")
        has_covers = bool(shown) or self._free >= _HIGH
        self.set_class(self.size.width >= _WIDE and has_covers, "-with-covers")
        self.query_one("#covers").styles.width = self._beside if shown else "100%"
        if shown:
            self._say_what_to_do(shown)
        elif (unread := self.kk.save_state.unread) is not None:
            self.say(unread, "$refused")
        else:
            self.say(_("You haven't finished a match yet."))
        self.show_keys()
        self._look_further()

    def _say_what_to_do(self, shown: Sequence[PastMatch]) -> None:
        """Say what can be done with the match under the cursor, and where else it can be seen."""
        match = shown[self.query_one(OptionList).highlighted or 0]
        words = [_("Enter replays the match, Del deletes it; left and right choose a game.")]
        if link := self.kk.server_address.link(f"match/{match_name(match.table, match.match)}"):
            # whether anybody could watch is nothing that a line of the history knows
            words.append(
                _("In a browser: {url} (others can open it only if spectators were allowed)", url=link)
            )
        self.say(" ".join(words))

    def _look_further(self) -> None:
        """Request older matches when the cursor reaches the end of the list."""
        shown, here = self._shown(), self.query_one(OptionList).highlighted
        if self._has_older and not self._is_looking and (here is None or here == len(shown) - 1):
            self._is_looking = True
            self.work(self._fetch_older())

    @property
    def _covers(self) -> tuple[list[CoverView], list[CoverView]]:
        """The pictures beside the list, and those that fill the room that a chart would have."""
        ours, others = (
            list(self.query(f"{place} CoverView").results(CoverView)) for place in ("#covers", "#others")
        )
        return ours, others

    @property
    def _beside(self) -> int:
        """Columns for the match under the cursor; none on a narrow screen."""
        return next((columns for least, columns in _BESIDE if self.size.width >= least), 0)

    def _rows(self, shown: Sequence[PastMatch]) -> int:
        """Return the rows of list and figures."""
        said = [*self._lines(shown), self._figures(shown)]
        return sum(len(part.plain.splitlines()) for part in said)

    def _show_figures(self) -> None:
        """Show the figures, starting with the game of the match under the cursor, and its result."""
        shown, here = self._shown(), self.query_one(OptionList).highlighted
        match = shown[here] if here is not None and here < len(shown) else None
        first = "" if match is None else match.game
        ours, others = self._covers
        for game, cover, other in zip(self.kk.games, ours, others, strict=True):
            cover.display = match is None or game == first
            other.display = game != first
        if match is not None:
            self.query_one("#result", Static).update(Content("\n").join(self._result(match)))
        course = self.query_one("#course", Static)
        rows = self._chart_rows(shown)
        course.update(Content("\n").join(self._course(match, rows) if match is not None else ()))
        course.display = rows > 0
        results = 0 if match is None else len(self._own(match.game))
        course.set_class(results < 2, "-told")
        has_room = self._beside > 0 and self._free >= _ROOM_FOR_OTHERS
        self.set_class(has_room and results == 1 and len(self.kk.games) > 1, "-with-others")
        self.query_one("#results", Static).update(
            # sorting is stable: only the game under the cursor moves to the front
            self._figures(sorted(shown, key=lambda match: match.game != first))
        )

    def _result(self, match: PastMatch) -> Iterator[Content]:
        """Yield everybody's points as bars under the game of the match, and how it ended."""
        yield Content.styled(self.game_name(match.game), "bold $gold")
        yield Content.styled(format_when(match.at), "$ink-dim")
        people = self._people(match, has_points=False)
        width, most = max(person.cell_length for person in people), max(1, *match.points)
        longest = max(0, self._beside - width - _BESIDE_BAR)
        for seat, person in zip(_order(match), people, strict=True):
            points = match.points[seat]
            bar = self.kk.glyphs["full"] * round(longest * max(0, points) / most)
            yield Content()
            yield Content.assemble(
                person.pad_right(width - person.cell_length), (f"{points:>4}  ", "bold $ink"),
                (bar, f"$seat-{match.colours[seat] % SEATS}"),
            )  # fmt: skip
        yield Content()
        yield from self._words_below(match)

    def _words_below(self, match: PastMatch) -> Iterator[Content]:
        """Yield how a match ended, its length, and how well the user has played in others."""
        yield Content.styled(render(how_it_ended(match)), "$ink")
        yield Content.styled(ngettext("{n} move", "{n} moves", match.plies), "$ink-dim")
        if len(match.mine) == 1:
            name = match.names[match.mine[0]]
            known = self._standings[match.game]
            own = next((one for one in known if one.name == name and one.bot is None), None)
            if own is not None and own.played > 1:
                mean = format_number(own.mean, 1)
                said = text(
                    "Your mean in {n} matches is {mean}, your best {best}.",
                    n=own.played, mean=mean, best=own.best,
                )  # fmt: skip
                yield Content.styled(render(said), "$ink-dim")

    def _result_rows(self, match: PastMatch) -> int:
        """Return the rows of a result."""
        width = self._beside - _RIGHT
        words = self._words_below(match)
        below = sum(1 if line.cell_length <= width else len(line.wrap(width)) for line in words)
        return _OVER_WORDS + 2 * len(match.names) + below

    def _chart_rows(self, shown: Sequence[PastMatch]) -> int:
        """Return the rows of a chart; 0 if there is no room for it, or the user has played in no match."""
        least, most = _CHART
        rows = min(most, self._free - _AROUND_CHART)
        has_own = any(self._own(game) for game in {match.game for match in shown})
        return rows if has_own and rows >= least else 0

    def _own(self, game: str) -> list[PastMatch]:
        """Return the fetched matches of a game in which one seat was the user's, the newest first."""
        fetched = self._matches or ()
        # with several people at one keyboard, no seat is the user's
        return [one for one in fetched if one.game == game and len(one.mine) == 1 and not one.replayed]

    def _has_chart(self, game: str) -> bool:
        return len(self._own(game)) > 1

    def _course(self, match: PastMatch, rows: int) -> Iterator[Content]:
        """Yield the user's points in the fetched matches of a game as columns, or what brings them here."""
        own, game = self._own(match.game), short_name(self.game_name(match.game))
        if not rows:
            return
        if not self._has_chart(match.game):
            played = sum(one.game == match.game for one in self._matches or ())
            if played == len(own) == 1 and not self._has_older:
                said = _("{game}: your points appear here from your second match on", game=game)
                yield Content.styled(said, "$ink-dim")
            return
        won = Content.assemble((f"  {self.kk.glyphs['full']} ", "$gold"), (_("won"), "$ink-dim"))
        title = _("Your points, match by match: {game}", game=game)
        yield Content.assemble((title, "bold $gold"), won)
        columns = [
            Column(
                one.points[one.mine[0]],
                "$gold" if (is_won := one.mine[0] in one.winners) else "$ink-dim",
                is_marked=one is match,
                is_shaded=not is_won,  # for terminals without colours
            )
            for one in reversed(own)
        ]
        width = self.size.width - self._beside - _AROUND
        yield from column_chart(columns, width, rows, self.kk.glyphs)

    def on_option_list_option_highlighted(self) -> None:
        """Update figures, list and link for the match under the cursor."""
        self._show_figures()
        if shown := self._shown():
            self._say_what_to_do(shown)
        self._look_further()

    def on_resize(self) -> None:
        """Rebuild the lines for the new width."""
        if self._matches is not None:
            self.show_game(self.query_one(OptionList).highlighted or 0)

    def _lines(self, shown: Sequence[PastMatch]) -> list[Content]:
        """Return date, game and people of each match in a line; below, if rows are left, how it ended."""
        heads = [self._head(match) for match in shown]
        people = [self._people(match) for match in shown]
        room = self.size.width - self._beside - _AROUND
        head = max((head.cell_length for head in heads), default=0) + 3
        # matches have different numbers of people, so shorter lines have no cell in the last columns
        columns = [max(cell.cell_length for cell in column if cell) for column in zip_longest(*people)]
        # all on two lines each if one would be too long
        beside, columned = head + sum(columns) - 3 <= room, sum(columns) - 1 <= room
        self._show_heads(head if beside and shown else None)
        taken = 2 * len(shown) + len(self._figures(shown).plain.splitlines())
        is_roomy = self.size.height - _LINES - taken >= _ROOMY
        lines = []
        for match, first, cells in zip(shown, heads, people, strict=True):
            if columned:
                cells = [
                    cell.pad_right(width - cell.cell_length)
                    for cell, width in zip(cells, columns, strict=False)
                ]
            if beside:
                line = Content.assemble(first.pad_right(head - first.cell_length), *cells).rstrip()
                ending = render(how_it_ended(match)) if is_roomy else ""
                if ending and head + cell_len(ending) <= room:
                    line = Content.assemble(line, (f"\n{' ' * head}{ending}", "$ink-dim"))
                lines.append(line)
            else:
                lines.append(Content.assemble(_with_ending(first, head, match, room), packed(cells, room, 2)))
        return lines

    def _show_heads(self, head: int | None) -> None:
        """Name the columns of the list, the people's beginning after `head` columns; None without them."""
        self.set_class(head is not None, "-headed")
        if head is not None:
            won = _("players, best first")
            words = set_cell_size(_("when"), _WHEN) + set_cell_size(_("game"), head - _WHEN) + won
            mark = Content.assemble((f"   {self.kk.glyphs['ornament']} ", "$gold"), _("won"))
            self.query_one("#heads", Static).update(Content.assemble(words, mark))

    def _head(self, match: PastMatch) -> Content:
        when = set_cell_size(format_when(match.at), _WHEN)
        mark = _("  played on from move {n}", n=match.replayed) if match.replayed else ""
        return Content.assemble(
            (when, "$ink-dim"), (short_name(self.game_name(match.game)), "bold $ink"), (mark, "$happened")
        )

    def _people(self, match: PastMatch, *, has_points: bool = True) -> list[Content]:
        """Return everybody, with their points or without, the winners first and marked."""
        return [self._person(match, seat, has_points=has_points) for seat in _order(match)]

    def _person(self, match: PastMatch, seat: Seat, *, has_points: bool) -> Content:
        crown = self.kk.glyphs["ornament"] if seat in match.winners else ""
        style = "bold $ink" if seat in match.mine else "$ink-dim"
        return self.person(
            seat, match.colours[seat], match.names[seat], style,
            (program_words(is_program=seat in match.programs), "$ink-dim"),
            f" {match.points[seat]}" if has_points else "", (crown, "$gold"),
        )  # fmt: skip

    def _figures(self, shown: Sequence[PastMatch]) -> Content:
        """Return a table for each game played, as many side by side as fit."""
        games = dict.fromkeys(match.game for match in shown)
        tables = [self._table([match for match in shown if match.game == game]) for game in games]
        beside = max(1, (self.size.width - self._beside - _AROUND) // _FIGURES)
        lines: list[Content] = []
        if self._has_older:
            known = _(
                "Your latest {n} matches; older ones follow at the end of the list.",
                n=format_number(len(self._matches or ()), 0),
            )
            lines = [Content.styled(known, "$ink-dim")]
        for first in range(0, len(tables), beside):
            lines += [Content()] if lines else []
            for cells in zip_longest(*tables[first : first + beside], fillvalue=Content()):
                padded = [cell.pad_right(_FIGURES - cell.cell_length) for cell in cells]
                lines.append(Content.assemble(*padded).rstrip())
        return Content("\n").join(lines)

    def _table(self, own: Sequence[PastMatch]) -> list[Content]:
        counted = ngettext("{n} match", "{n} matches", sum(not match.replayed for match in own))
        head = Content.assemble((self.game_name(own[0].game), "bold $gold"), (f"  {counted}", "$ink-dim"))
        columns = row("", (_("matches"), _("wins"), _("mean"), _("best")), _WIDTHS)
        return [head, Content.styled(columns, "$ink-dim"), *map(_figures_of, standings(own))]

    # -- keys ------------------------------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the replay."""
        match = self._shown()[event.option_index]
        # leaving the replay leads back here
        kept = KeptList(self._matches or (), self._has_older, self.game, event.option_index)
        self.kk.return_to = partial(PastMatchesScreen, kept)
        self.visit(lambda number: OpenReplay(number, match.table, match.match))

    def actions(self) -> Sequence[Action]:
        """Return the actions for the match under the cursor, and those of the list."""
        own = [Action("do", text("replay")), Action("delete")] if self._shown() else []
        return (*own, Action("next", text("other game")), Action("help", minor=True), Action("back"))

    def do_delete(self) -> None:
        """Delete the match under the cursor, after a question."""
        match = self._shown()[self.query_one(OptionList).highlighted or 0]
        question = text(
            "Delete the match of {names} from your history? This can't be undone.",
            names=", ".join(match.names),
        )
        self.app.push_screen(
            ConfirmScreen(question, lambda: self.work(self._delete(match)), text("Delete it"))
        )

    async def _delete(self, match: PastMatch) -> None:
        await self.kk.request(lambda number: Forget(number, match.table, match.match))
        if self.is_alive:
            self._matches = tuple(other for other in self._matches or () if other != match)
            self.show_game(self.query_one(OptionList).highlighted or 0)


def match_id(match: PastMatch) -> tuple[str, int]:
    """Return what tells a match from all others: its table, and its number there."""
    return match.table, match.match


def _with_ending(head: Content, column: int, match: PastMatch, room: int) -> Content:
    """Return the first of two lines of a match with how it ended from a column on, if that fits."""
    ending = Content.styled(render(how_it_ended(match)), "$ink-dim")
    whole = Content.assemble(head.pad_right(column - head.cell_length), ending)
    return whole if whole.cell_length <= room else head


def how_it_ended(match: PastMatch) -> Text:
    """Return who won, and by how much, unless somebody with more points gave up."""
    names = [match.names[seat] for seat in match.winners]
    if not names:
        return text("Nobody wins: points and tie-break are equal.")
    own = match.points[match.winners[0]]
    others = [points for seat, points in enumerate(match.points) if seat not in match.winners]
    ahead = own - max(others, default=own)
    if len(names) == 1 and others and ahead == 0:
        return text("{name} won by the tie-break.", name=names[0])
    if len(names) == 1 and ahead > 0:
        return texts("{name} won by {n} point.", "{name} won by {n} points.", ahead, name=names[0])
    return texts("{names} wins.", "{names} share the win.", len(names), names=joined(names))


def _order(match: PastMatch) -> Sequence[Seat]:
    """Return the seats, the winners first."""
    seats = range(len(match.names))
    return sorted(seats, key=lambda seat: (seat not in match.winners, -match.points[seat]))


def _figures_of(standing: LeaderboardEntry) -> Content:
    mark = program_words(is_program=standing.is_program)
    person = set_cell_size(standing.name, _WIDTHS[0] - cell_len(mark)).rstrip() + mark
    name = bot_label(standing.bot) if standing.bot else person
    won = format_number(standing.won, 0 if standing.won.is_integer() else 1)
    figures = (str(standing.played), won, format_number(standing.mean, 1), str(standing.best))
    return Content.styled(row(name, figures, _WIDTHS), "$ink-dim" if standing.bot else "$ink")


_NOBODY: Final = text(
    "The best players of this game are listed here, with their ratings and wins. Nobody "
    "has a rating yet.\n\n"
    'To be the first, connect with an SSH key, press {new} in the lobby, choose "Rated: yes" '
    "in the form, and play against others who have a key. After {n} matches your rating "
    "is settled and gets a place.",
    n=SETTLED,
    new=KEYS["new"].word,
)
_LEADERS: Final = 27, 8
"""Columns of place and name, and of a figure."""

_PADDED: Final = 5
"""Columns around the table, including a scrollbar, which may appear along with the lines."""

_ABOVE: Final = 9
"""Rows above and below the table."""

_MOST_ROWS: Final = 3
"""Rows that a line of the table gets, at most, if there are few."""

_PICTURE: Final = 62
"""Columns of the game's picture and of the space beside it."""

_BESIDE_AXIS: Final = 3
"""Columns between the figures and the axis."""

_PICTURED: Final = 160
"""Screen columns from which the picture leaves enough room for the table."""


class LeaderboardScreen(ByGameScreen):
    """A table of ratings for each game, on an axis if there is room, with the user's own line marked."""

    CSS = """
    LeaderboardScreen #board { width: 1fr; min-width: 57; height: 1fr; }
    LeaderboardScreen #columns { height: 1; padding: 0 2; margin-top: 1; color: $ink-dim; }
    LeaderboardScreen #leaders { height: 1fr; padding: 0 2; }
    LeaderboardScreen #lines { height: auto; }
    LeaderboardScreen.-spaced #leaders { padding: 1 2 0 2; }
    LeaderboardScreen.-empty #columns, LeaderboardScreen.-empty #leaders { display: none; }
    LeaderboardScreen.-roomy #opening CoverView { display: none; }
    LeaderboardScreen.-wide #opening CoverView { display: none; }
    LeaderboardScreen.-empty.-wide #opening CoverView { display: block; }
    LeaderboardScreen.-large #opening CoverView { width: 60; }
    LeaderboardScreen.-huge #opening CoverView { width: 60; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._leaders: Sequence[LeaderLine] | None = None

    def body(self) -> ComposeResult:
        """Compose choice and table, and the game's picture if there is room."""
        with Horizontal(id="opening"):
            with Vertical(id="board"):
                yield from self.choice()
                yield Static(id="columns", markup=False)
                with VerticalScroll(id="leaders"):
                    yield Static(id="lines", markup=False)
                yield from self.nothing(_NOBODY)
            yield CoverView()

    def on_mount(self) -> None:
        """Request the leaders of the first game."""
        self.title_line(_("Leaderboard"))
        self.query_one("#leaders").focus()
        self.show_game()

    def show_game(self) -> None:
        """Request the leaders of the chosen game."""
        self.query_one(CoverView).show(self.kk.games[self.game])
        self.work(self._fetch())

    async def _fetch(self) -> None:
        game = self.game
        reply = await self.kk.request(lambda number: GetLeaders(number, game))
        # another game may have been chosen since the request
        if isinstance(reply, Leaders) and self.is_alive and game == self.game:
            self._show(reply.lines)

    def on_resize(self) -> None:
        """Rebuild the table for the new size."""
        if self._leaders is not None:
            self._list(self._leaders)

    def _show(self, leaders: Sequence[LeaderLine]) -> None:
        self._leaders = leaders
        self._list(leaders)
        self.query_one("#leaders").scroll_home(animate=False)
        if leaders:
            self.say(
                _("Lines show how sure a rating is; one with ? has fewer than {n} rated matches.", n=SETTLED)
            )
        else:
            self.say(_("Nobody has a rating in this game yet."))
        self.show_keys()

    def _list(self, leaders: Sequence[LeaderLine]) -> None:
        width = self.size.width - _PADDED - (_PICTURE if self.size.width >= _PICTURED else 0)
        room = width - _LEADERS[0] - 3 * _LEADERS[1] - _BESIDE_AXIS
        known = [(leader.rating, leader.deviation) for leader in leaders]
        axis = RatingAxis(known, room, self.kk.glyphs) if known and room >= SHORTEST_AXIS else None
        own = next((leader.rating for leader in leaders if leader.name == self.kk.user), None)
        columns = row(_place("", _("name")), (_("rating"), _("matches"), _("wins")), _LEADERS)
        gap = " " * _BESIDE_AXIS
        labels = gap + axis.labels() if axis else ""
        self.query_one("#columns", Static).update(columns + labels)
        rows = max(1, min(_MOST_ROWS, (self.size.height - _ABOVE) // max(1, len(leaders))))
        blank = " " * (_LEADERS[0] + 3 * _LEADERS[1]) + gap
        lines = list[Content]()
        for leader in leaders:
            style = "bold $gold" if leader.name == self.kk.user else "$ink"
            between = Content.assemble(blank, axis.between(own)) if axis and own else Content()
            lines += [between] * (rows - 1) if lines else []
            mark = axis.line(leader.rating, leader.deviation, own, style) if axis else Content()
            lines.append(Content.assemble(self._line(leader, style), gap, mark))
        self.query_one("#lines", Static).update(Content("\n").join(lines))
        self.set_class(not leaders, "-empty")
        self.set_class(rows > 1, "-spaced")

    def _line(self, leader: LeaderLine, style: str) -> Content:
        place = f"{leader.place}." if leader.place else "-"
        figures = (
            format_rating(leader.rating),
            str(leader.played),
            f"{100 * leader.won / leader.played:.0f} %",
        )
        line = row(_place(place, spelled(leader.name)), figures, _LEADERS)
        return Content.styled(line, style)

    def actions(self) -> Sequence[Action]:
        """Return the keys: other games, help, back."""
        return (Action("next", text("other game")), Action("help", minor=True), Action("back"))


def _place(place: str, name: str) -> str:
    return f"{place:>4} {name}"
