"""The waiting room of a table: taking seats before the match begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import set_cell_size
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from kk_core.bot_names import bot_choices
from kk_core.protocol.messages import LeaveSeat, Propose, SetBot, Start, TakeSeat
from kk_core.text import text
from kk_core.views import SeatView, TableView, is_guest
from kk_tui.i18n import _, ngettext, render, spelled
from kk_tui.keymap import KEYS, Action
from kk_tui.match.table_menu import around, ways_to
from kk_tui.press_guard import TOO_SOON
from kk_tui.screens.base import KkScreen
from kk_tui.screens.chat import enter_words, line_words, speak
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.screens.game_card import CoverView
from kk_tui.table_words import after_name, bot_label, format_rating, seat_name
from kk_tui.widgets.chat_panel import ChatPanel
from kk_tui.widgets.options import Options

_SPACED: Final = 36
"""Rows of the screen from which the seats are spaced out."""

_FREE: Final = 8
"""Columns of the word for a free seat."""


class TableSetupScreen(KkScreen):
    """The seats of an open table: take or free one, put bots on free ones, begin."""

    DEFAULT_CSS = """
    TableSetupScreen #table-words { height: auto; padding: 1 2 0 2; }
    TableSetupScreen ChatPanel { height: 1fr; border-top: solid $ink-line; }
    TableSetupScreen.-roomy #waiting, TableSetupScreen.-wide #waiting { padding-right: 2; }
    TableSetupScreen.-large #waiting, TableSetupScreen.-huge #waiting { padding-right: 2; }
    TableSetupScreen.-spaced #waiting { align-vertical: middle; }
    TableSetupScreen.-spaced #seats { margin-top: 1; }
    TableSetupScreen.-spaced #table-words { padding: 1 2; }
    TableSetupScreen.-spaced ChatPanel { max-height: 16; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._placed = 0
        self._is_moved = False
        self._asked_for: dict[int, str | None] = {}
        self._sat_on: tuple[int, ...] = ()
        self._filled: Sequence[bool] = ()  # the seats when the prompt was last updated

    def body(self) -> ComposeResult:
        """Compose game, seats, chat and cover."""
        with Horizontal(id="opening"):
            with Vertical(id="waiting"):
                yield Static(id="summary", markup=False)
                yield Options(id="seats")
                yield Static(id="table-words", markup=False)
                yield ChatPanel(self.kk.chat_console.completed)
            yield CoverView()

    def place_changed(self) -> None:
        """Update seats and keys."""
        super().place_changed()
        table = self.kk.store.table
        if table is None:
            return
        if self._sat_on != self.kk.my_seats:
            self._sat_on = self.kk.my_seats
            self.kk.press_guard.changed()
        self.title_line(_("Table: {title}", title=table.title or table.id))
        self.query_one("#summary", Static).update(self._game(table))
        about = Content.styled("\n".join(around(table, self.kk.user)), "$ink-dim")
        ways = Content("\n".join(ways_to(table, self.kk.server_address)))
        self.query_one("#table-words", Static).update(Content("\n").join(filter(None, (about, ways))))
        self.query_one(CoverView).show(self.kk.store.face)
        seats = self.query_one(OptionList)
        # setting the options moves the cursor away
        # the message that it was moved may still be on its way
        is_moved = self._is_moved or seats.highlighted not in (None, self._placed)
        before = seats.highlighted if is_moved else None
        is_spaced = self.size.height >= _SPACED
        self.set_class(is_spaced, "-spaced")
        lines = [self._seat(i, seat) for i, seat in enumerate(table.seats)]
        seats.set_options(
            [Option(Content("\n").join(("", line, "")) if is_spaced else line) for line in lines]
        )
        seats.highlighted = self._placed = self._first(table) if before is None else before
        self.call_after_refresh(self.query_one(ChatPanel).show, table, self.kk.chat_reader)
        taken = [_taken(seat) for seat in table.seats]
        if taken != self._filled:  # what was told before may no longer be so
            self.take_back()
        if self.is_current and not self.query_one(ChatPanel).is_written_in:
            self.set_focus(seats)  # at once: the next key may lead into the chat
            self._explain(table)
        elif self.is_current and taken != self._filled:
            self._tell_hearers(self.query_one(ChatPanel).words)
        self._filled = taken

    def on_resize(self) -> None:
        """Fit the seats to the new height."""
        super().on_resize()
        self.place_changed()

    def _first(self, table: TableView) -> int:
        """Return the seat for the cursor until it is moved: one where there is something to do."""
        mine = self.kk.my_seats
        free = [index for index, seat in enumerate(table.seats) if not _taken(seat)]
        wanted = free if free and (not mine or table.owner == self.kk.user) else mine
        return next(iter(wanted), 0)

    def _explain(self, table: TableView) -> None:
        is_mine, owner = table.owner == self.kk.user, seat_name(table, table.owner)
        if self.say_news():
            return
        if not self._may_sit(table):
            if table.watched:
                self.say(_("Matches here are rated; guests can watch. Connect with an SSH key to play."))
            else:
                self.say(_("Matches here are rated: connect with an SSH key to play."))
        elif all(_taken(seat) for seat in table.seats):
            if is_mine:
                self.say(_("All seats are taken: press {start} to begin.", start=KEYS["start"].shown))
            elif self._is_ready(table, self.kk.user):
                self.say(
                    _("You're ready; it begins when everybody is, or when {name} begins it.", name=owner)
                )
            elif self.kk.my_seats:
                self.say(
                    _(
                        "All seats are taken: press {start} when you're ready. {name} can begin at once.",
                        start=KEYS["start"].shown,
                        name=owner,
                    )
                )
            else:
                self.say(_("All seats are taken; the match begins soon."))
        elif is_mine and not table.rated and table.code is not None:
            self.say(
                ngettext(
                    "{n} seat is free: {bot} puts a bot on it, /invite NAME asks people.",
                    "{n} seats are free: {bot} puts a bot on one, /invite NAME asks people.",
                    sum(not _taken(seat) for seat in table.seats),
                    bot=KEYS["bot"].shown,
                )
            )
        elif is_mine and not table.rated:
            self.say(
                ngettext(
                    "{n} seat is free: {bot} puts a bot on it, or wait for people.",
                    "{n} seats are free: {bot} puts a bot on one, or wait for people.",
                    sum(not _taken(seat) for seat in table.seats),
                    bot=KEYS["bot"].shown,
                )
            )
        elif self.kk.my_seats:
            self.say(_("You have a seat; the match can begin when all are taken."))
        else:
            self.say(_("Enter takes a free seat; the match can begin when all are taken."))

    def _may_sit(self, table: TableView) -> bool:
        """Return whether the user may sit here."""
        # a guest's name may be somebody else's tomorrow, so it has no rating
        return not (table.rated and is_guest(self.kk.user))

    def _game(self, table: TableView) -> Content:
        face = self.kk.store.face
        if face is None:
            return Content(table.game)
        chosen = dict(table.options)
        lines = [(render(face.meta.name) + "\n", "bold $gold"), (render(face.meta.summary) + "\n", "$ink")]
        for option in face.meta.options:
            for value in option.values:
                if chosen.get(option.name) == value.value:
                    lines.append((f"{render(option.label)}: {render(value.label)}\n", "$ink-dim"))
        if table.rated:
            lines.append((_("Rated: the match counts for everybody's rating.") + "\n", "$ink-dim"))
        if table.hints:
            lines.append((_("Players may ask for hints.") + "\n", "$ink-dim"))
        return Content.assemble(*lines)

    def _seat(self, index: int, seat: SeatView) -> Content:
        owner = Content.assemble(" ", (self.kk.glyphs.owner(index), f"bold $seat-{index}"), "  ")
        if seat.bot:
            face = self.kk.store.face
            style = None if face is None else face.styles.get(seat.style or "")
            return Content.assemble(
                owner, (spelled(seat.name), "bold $ink"), (f" ({bot_label(seat.bot)})", "$ink-dim"),
                ("" if style is None else f"  {render(style)}", "$ink-dim"),
            )  # fmt: skip
        if not seat.owner:
            return Content.assemble(owner, (set_cell_size(_("free"), _FREE), "$ink"), self._offer())
        mine = _(" (you)") if seat.owner == self.kk.user else ""
        rating = "" if seat.rating is None else f" {format_rating(seat.rating)}"
        return Content.assemble(
            owner, (spelled(seat.name), "bold $ink"), (rating, "$gold"),
            (f"{mine}{after_name(seat)}", "$ink-dim"), self._readiness(seat),
        )  # fmt: skip

    def _offer(self) -> Content:
        """Return what can be done with a free seat."""
        table = self.kk.store.table
        assert table is not None, "its seats are shown"
        may_sit, may_seat_bot = self._may_sit(table), table.owner == self.kk.user and not table.rated
        if may_sit and may_seat_bot:
            return Content.styled(
                _("Enter sits here, {bot} puts a bot here", bot=KEYS["bot"].shown), "$ink-dim"
            )
        return Content.styled(_("Enter sits here"), "$ink-dim") if may_sit else Content()

    def _readiness(self, seat: SeatView) -> Content:
        """Return a mark for a seat whose user is ready."""
        table = self.kk.store.table
        assert table is not None, "its seats are shown"
        is_ready = self._is_ready(table, seat.owner)
        return Content.styled(_("  ready"), "bold $possible") if is_ready else Content()

    def _is_ready(self, table: TableView, user: str | None) -> bool:
        proposal = table.proposal
        return proposal is not None and proposal.what == "start" and user in proposal.agreed

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Update the keys, which depend on the seat; once the user has moved the cursor, leave it there."""
        # Textual also reports when the cursor was placed by the program
        is_moved = event.option_index != self._placed
        self._is_moved = self._is_moved or is_moved
        self.show_keys()
        # what was refused on another seat is no news here
        table = self.kk.store.table
        is_there = event.option_index == event.option_list.highlighted
        if is_moved and is_there and table is not None and not self.query_one(ChatPanel).is_written_in:
            self._placed = event.option_index
            self._explain(table)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the seat, or free the user's own; a bot's is freed with another key."""
        self._is_moved = True
        table, seat = self.kk.store.table, event.option_index
        if table is None:
            return
        # one press too many on the way here takes no seat, and one after that does not give it up again
        if not self.kk.press_guard.is_meant:
            self.complain(TOO_SOON)
            return
        if table.seats[seat].owner == self.kk.user:
            self.ask(lambda number: LeaveSeat(number, seat))
        elif table.seats[seat].owner is not None:
            self._free(table, seat)
        elif table.seats[seat].bot is not None and table.owner != self.kk.user:
            self.complain(
                text(
                    "A bot sits here; {name}, who owns the table, can free the seat.",
                    name=seat_name(table, table.owner),
                )
            )
        elif table.seats[seat].bot is not None:
            key = KEYS["bot"].shown
            self.complain(
                text("A bot sits here; {key} switches bots, and frees the seat after the last.", key=key)
            )
        elif self._would_be_second(table, seat):
            question = text("You already have a seat here. Take a second one, and play for both?")
            self.app.push_screen(
                ConfirmScreen(question, lambda: self.ask(lambda number: TakeSeat(number, seat)))
            )
        else:
            self.ask(lambda number: TakeSeat(number, seat))

    def _would_be_second(self, table: TableView, seat: int) -> bool:
        """Return whether somebody who already sits would take a free seat too."""
        # at home several people share one user: a second seat is nothing to ask about
        return not self.kk.local and bool(self.kk.my_seats) and not _taken(table.seats[seat])

    def _free(self, table: TableView, seat: int) -> None:
        """Free the seat of another user, after a question."""
        name = table.seats[seat].name
        if table.owner != self.kk.user:
            self.complain(text("{name} has this seat.", name=name))
            return
        question = text("Free {name}'s seat? They will be notified.", name=name)
        self.app.push_screen(
            ConfirmScreen(question, lambda: self.ask(lambda number: LeaveSeat(number, seat)))
        )

    def actions(self) -> Sequence[Action]:
        """Return what the table and the seat under the cursor allow."""
        table = self.kk.store.table
        if table is None or table.phase != "open":
            return (Action("help"), Action("back"))
        if self.query_one(ChatPanel).is_written_in:
            line = self.query_one(ChatPanel).words
            return (Action("do", enter_words(line)), Action("back", text("to the seats")))
        is_mine = table.owner == self.kk.user
        seat = table.seats[self.query_one(OptionList).highlighted or 0]
        if seat.owner == self.kk.user:
            enter = [Action("do", text("free the seat"))]
        else:
            may_take = self._may_sit(table) and not _taken(seat)
            label = text("sit here, too") if self.kk.my_seats else text("take the seat")
            enter = [Action("do", label)] if may_take else []
            if is_mine and seat.owner:
                enter = [Action("do", text("free the seat"))]
        may_be_bot = seat.owner in (None, self.kk.user) and not table.rated
        is_only = self._is_only_one(seat)
        other = text("another bot") if seat.bot else None
        bot = [Action("bot", other, in_footer=not is_only)] if is_mine and may_be_bot else []
        may_say_so = bool(self.kk.my_seats) and not self._is_ready(table, self.kk.user)
        ready, is_full = None if is_mine else text("ready"), all(_taken(each) for each in table.seats)
        begin = [Action("start", ready, in_footer=is_full)] if is_mine or may_say_so else []
        about = (Action("chat"), Action("table"), Action("command", in_footer=False))
        return (
            *enter, *bot, *begin, *about, Action("help"), Action("back"),
        )  # fmt: skip

    def open_chat(self, words: str) -> None:
        """Write in the input below the seats."""
        self.query_one(ChatPanel).begin(words)

    @property
    def unsent(self) -> str | None:
        """The text being typed in the input, "" before its first letter; None where keys are no text."""
        return next((chat.unsent for chat in self.query(ChatPanel) if chat.is_written_in), None)

    def on_chat_panel_spoken(self, event: ChatPanel.Spoken) -> None:
        """Say a line, or run it as a command."""
        self._tell_hearers("")
        speak(self, self.query_one(ChatPanel), event.line)

    def _tell_hearers(self, line: str) -> None:
        if line or not self.say_news():
            self.say(line_words(line, _("Everybody at this table will see this.")))

    def on_input_changed(self) -> None:
        """Update keys and prompt for what Enter does with the line."""
        self.show_keys()
        self._tell_hearers(self.query_one(ChatPanel).words)

    def on_chat_panel_left(self) -> None:
        """Return to the seats."""
        self.set_focus(self.query_one(OptionList))
        self.place_changed()

    def on_descendant_focus(self) -> None:
        """Update keys and prompt, which depend on the focus."""
        self.show_keys()
        if self.query_one(ChatPanel).is_written_in:
            self._tell_hearers(self.query_one(ChatPanel).words)
        elif (table := self.kk.store.table) is not None:
            self._explain(table)

    def do_bot(self) -> None:
        """Put the next kind of bot on the seat; after the last one, free it."""
        table, seat = self.kk.store.table, self.query_one(OptionList).highlighted or 0
        if table is None:
            return
        self._is_moved = True
        cycle: list[str | None] = [*bot_choices(), None]
        now = self._asked_for.get(seat, table.seats[seat].bot)
        if self._is_only_one(table.seats[seat]):
            self.complain(text("This is your own seat; Enter frees it."))
            return
        if table.seats[seat].owner == self.kk.user:  # a click takes a seat before anything else
            self.work(self._give_up(seat, bot_choices()[0]))
            return
        following = cycle[(cycle.index(now) + 1) % len(cycle)] if now in cycle else None
        # the answer takes a while: if the key is pressed again before it, it continues from here
        self._asked_for[seat] = following
        self.work(self._set_bot(seat, following))

    def _is_only_one(self, seat: SeatView) -> bool:
        """Return whether it is the user's only seat."""
        # it must not go to a bot by mistake
        return seat.owner == self.kk.user and len(self.kk.my_seats) == 1

    async def _set_bot(self, seat: int, bot: str | None) -> None:
        await self.kk.request(lambda number: SetBot(number, seat, bot))
        # kept after a refusal, so that the key then tries the bot after the refused one
        if self._asked_for.get(seat) == bot:
            self._asked_for.pop(seat, None)

    async def _give_up(self, seat: int, bot: str) -> None:
        await self.kk.request(lambda number: LeaveSeat(number, seat))
        await self.kk.request(lambda number: SetBot(number, seat, bot))

    def do_start(self) -> None:
        """Begin the match; users who do not own the table say that they are ready."""
        table = self.kk.store.table
        if table is None or table.owner == self.kk.user:
            self.ask(Start)
        else:
            self.ask(lambda number: Propose(number, "start"))

    def do_back(self) -> None:
        """Return to the lobby, keeping the seat."""
        self.kk.leave_table()


def _taken(seat: SeatView) -> bool:
    return bool(seat.owner or seat.bot)
