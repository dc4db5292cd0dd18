"""The menu of a table: answering and making proposals, handing the table on, closing it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from time import time
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from kk_core.protocol.messages import ClientMessage, HandOn, Propose, TakeSeat, Vote
from kk_core.text import Text, text
from kk_core.views import SeatView, TableView
from kk_tui.i18n import _, ngettext, render
from kk_tui.keymap import KEYS, Action
from kk_tui.press_guard import TOO_SOON
from kk_tui.screens.base import KkScreen
from kk_tui.screens.dialogs import ConfirmScreen
from kk_tui.server_address import UNKNOWN, ServerAddress
from kk_tui.table_words import (
    bot_label,
    format_rule,
    played_for,
    program_words,
    proposal_words,
    seat_name,
    waits_for,
    watching_words,
)
from kk_tui.widgets.options import Options


@dataclass(frozen=True)
class Offer:
    """An entry of the menu: a request, or a choice about the coach, which nobody else is told about."""

    label: Text
    request: Callable[[int], ClientMessage] | None = None
    question: Text | None = None
    """The question to ask first, if something may be lost."""
    coach: tuple[str, bool] | None = None
    """The name it is for, and whether they will be coached."""


def offers(
    table: TableView, user: str, coached: Collection[str] = (), *, is_alone: bool = False
) -> list[Offer]:
    """Return a user's options at a table, the most likely one first, the most final last.

    Somebody who `is_alone` there only decides about the coach of those who share the screen.
    """
    if table.lesson is not None:  # its user is alone, and leaves it with Esc
        return []
    coach = [*_coaching(table, user, coached)]
    if is_alone:
        return coach
    return [
        *_answers(table, user), *_returns(table, user), *coach, *_proposals(table, user),
        *_handing(table, user), *_closing(table, user),
    ]  # fmt: skip


def _coaching(table: TableView, user: str, coached: Collection[str]) -> Iterator[Offer]:
    if not table.hints or table.phase != "playing":
        return
    own = [seat.name for seat in table.seats if seat.owner == user and not seat.has_given_up]
    for name in own:
        is_coached = name in coached
        if len(own) == 1:
            label = text("Play without the coach") if is_coached else text("Play with the coach")
        elif is_coached:
            label = text("{name} plays without the coach", name=name)
        else:
            label = text("{name} plays with the coach", name=name)
        yield Offer(label, coach=(name, not is_coached))


def _answers(table: TableView, user: str) -> Iterator[Offer]:
    proposal = table.proposal
    if proposal is None:
        return
    if user in proposal.waits:
        yield Offer(text("Agree"), partial(Vote, yes=True))
        yield Offer(text("Disagree"), partial(Vote, yes=False))
    elif user == proposal.user:
        yield Offer(text("Withdraw the proposal"), partial(Vote, yes=False))


def _returns(table: TableView, user: str) -> Iterator[Offer]:
    for index in played_for(table, user)[:1]:
        yield Offer(text("Take my seat back from the bot"), partial(TakeSeat, seat=index))


def _proposals(table: TableView, user: str) -> Iterator[Offer]:
    sits = any(seat.owner == user for seat in table.seats)
    is_alone = table.lesson is not None or table.daily is not None
    if is_alone or table.proposal is not None or not (sits or user == table.owner):
        return
    if table.phase == "finished":
        yield Offer(text("Propose a rematch"), _asking("rematch"))
    if table.phase == "playing" and sits:
        yield from _in_match(table, user)


def _in_match(table: TableView, user: str) -> Iterator[Offer]:
    for index, seat in enumerate(table.seats):
        if seat.owner != user and may_be_replaced_in(table, seat) == 0:
            yield Offer(text("Let a bot play for {name}, who is away", name=seat.name), _asking("bot", index))
    question = text("Abort the match? It will have no result.")
    yield Offer(text("Abort the match, if all agree"), _asking("abort"), question)
    own = [index for index, seat in enumerate(table.seats) if seat.owner == user and not seat.has_given_up]
    for index in own:
        label = text("Give up") if len(own) == 1 else text("Give up for {name}", name=table.seats[index].name)
        question = text("Give up? If the others agree, a bot plays on to the end, and you can't come back.")
        yield Offer(label, _asking("resign", index), question)


def may_be_replaced_in(table: TableView, seat: SeatView) -> int | None:
    """Return the seconds until the others may have a bot play for a seat; None if they never may."""
    if table.phase != "playing" or seat.owner is None or seat.online or seat.stand_in is not None:
        return None
    # a clock deals with absent players by itself
    if table.clock is not None:
        return None
    return max(0, ceil(seat.away + table.absence - time())) if seat.away else 0


def _handing(table: TableView, user: str) -> Iterator[Offer]:
    if user != table.owner or table.phase == "replay":
        return
    others = {seat.owner: seat for seat in table.seats if seat.online and seat.owner not in (None, user)}
    for owner, seat in others.items():
        name = f"{seat.name}{program_words(is_program=seat.program)}"
        label = text("Make {name} the owner", name=name)
        question = text(
            "Make {name} the owner? From then on, only they can decide about the seats.", name=seat.name
        )
        yield Offer(label, partial(HandOn, user=owner or ""), question)


def _closing(table: TableView, user: str) -> Iterator[Offer]:
    if table.proposal is None and table.phase != "replay" and user == table.owner:
        question = text("Close the table? Nobody can come back to it.")
        yield Offer(text("Close the table"), _asking("close"), question)


def _asking(what: str, seat: int | None = None) -> Callable[[int], ClientMessage]:
    return partial(Propose, what=what, seat=seat)


def shuffle_words(table: TableView) -> Iterator[str]:
    """Yield what is known about the next shuffle, or that of the match under way."""
    match, shuffle = table.match, table.shuffle
    if shuffle is not None:
        yield _(
            "The next shuffle can be checked: the SHA-256 of the host's part is {digits}.",
            digits=shuffle.commitment.hex(),
        )
        names = [seat_name(table, user) for user in shuffle.added]
    elif match is not None:
        yield _(
            "The shuffle can be checked: the SHA-256 of the host's part is {digits}.",
            digits=match.commitment.hex(),
        )
        names = [table.seats[seat].name for seat, _drawn in match.contributions]
    else:
        return
    if match is not None and match.seed is not None:
        yield _("Its seed: {seed}.", seed=match.seed.hex())
    if names:
        yield _("These have added a part of their own: {names}.", names=", ".join(names))
    elif shuffle is not None:
        yield _("Nobody has added a part of their own yet.")


def coach_words() -> Iterator[str]:
    """Yield what the coach does."""
    yield _(
        "The coach checks each move before you make it, with the same search as hints ({key}).",
        key=KEYS["hint"].shown,
    )
    yield _("If it gives away about 3 points or more, the coach says why, and what would be better.")
    yield _("You can then make it anyway, or take it back.")


class TableMenuScreen(KkScreen, ModalScreen[None]):
    """The menu over the dimmed table; Esc closes it."""

    DEFAULT_CSS = """
    TableMenuScreen #table-menu { width: 73; max-width: 94%; height: auto; max-height: 80%; padding: 1 1 1 2;
        background: $ground; border: round $gold; border-title-color: $gold; border-title-style: bold; }
    TableMenuScreen #around { width: 100%; height: auto; color: $ink-dim; }
    TableMenuScreen #around, TableMenuScreen #offers { margin-bottom: 1; }
    TableMenuScreen #offers { height: auto; }
    TableMenuScreen #coach, TableMenuScreen #shuffle { width: 100%; height: auto; color: $ink-dim; }
    TableMenuScreen #coach { margin-bottom: 1; padding-right: 1; }
    """
    AUTO_FOCUS = ""  # which would scroll what is above the menu out of view
    BINDINGS: ClassVar[list[BindingType]] = [Binding(KEYS["table"].key, "dismiss", show=False, id="table")]

    def __init__(self) -> None:
        super().__init__()
        self._offers: list[Offer] = []
        self._later: Timer | None = None

    def body(self) -> ComposeResult:
        """Compose what is going on at the table, the menu, and below it what may be read about it."""
        with VerticalScroll(id="table-menu", can_focus=False):
            yield Static(id="around", markup=False)
            yield Options(id="offers")
            yield Static(id="coach", markup=False)
            yield Static(id="shuffle", markup=False)

    def place_changed(self) -> None:
        """Update the menu; close it if there is no table."""
        table = self.kk.store.table
        if table is None:
            self.dismiss()
            return
        # at home it is about nothing else
        named = _("Coach") if self.kk.local else _("Table {title}", title=table.title or table.id)
        self.query_one("#table-menu").border_title = named
        # at home nobody owns it, visits it or stands in
        here = () if self.kk.local else around(table, self.kk.user)
        ways = [] if self.kk.local else [*ways_to(table, self.kk.server_address)]
        menu = self.query_one(OptionList)
        before, labels = menu.highlighted or 0, [offer.label for offer in self._offers]
        coached = self.kk.recent.kept.coached
        self._offers = offers(table, self.kk.user, coached, is_alone=self.kk.local)
        self._tell("around", (*proposed(table), *here, *ways))
        self._tell("coach", coach_words() if any(offer.coach for offer in self._offers) else ())
        # at home there is no host who could have dealt to their liking; a saved record proves it all the same
        self._tell("shuffle", () if self.kk.local else shuffle_words(table))
        now = [offer.label for offer in self._offers]
        if now != labels:
            # nobody must agree by mistake to something that was only just proposed
            self.kk.press_guard.changed()
            # the cursor stays on its option, wherever that has moved
            before = now.index(labels[before]) if labels and labels[before] in now else 0
        super().place_changed()  # the footer shows Enter if there is something to choose
        menu.set_options([Option(render(offer.label)) for offer in self._offers])
        menu.highlighted = before if self._offers else None
        menu.display = bool(self._offers)
        if self.is_current:
            menu.focus(scroll_visible=False)  # what is above it stays in view
            self.say("")
            # nothing else changes at that moment, so this menu must check again by itself
            waits = filter(None, (may_be_replaced_in(table, seat) for seat in table.seats))
            self._look_again_in(min(waits, default=None))
            self.call_after_refresh(self._keep_in_sight)

    def _tell(self, place: str, lines: Iterable[str]) -> None:
        """Show lines at a place, which takes up none without any."""
        told, said = self.query_one(f"#{place}", Static), "\n".join(lines)
        told.update(said)
        told.display = bool(said)

    def _look_again_in(self, seconds: int | None) -> None:
        """Update the menu again once options become possible."""
        if self._later is not None:
            self._later.stop()
        self._later = None if seconds is None else self.set_timer(seconds, self.place_changed)

    def on_option_list_option_highlighted(self) -> None:
        """Scroll to the line under the cursor."""
        self._keep_in_sight()

    def _keep_in_sight(self) -> None:
        """Scroll to the line under the cursor; with the first and the last one to what is above and below."""
        menu, page = self.query_one(OptionList), self.query_one("#table-menu")
        here, room = menu.highlighted or 0, page.scrollable_content_region.height
        first = menu.virtual_region.y + here
        last = first + 1
        if here == 0:
            first = max(0, last - room)
        if here == menu.option_count - 1:
            last = max(last, min(page.virtual_size.height, first + room))
        page.scroll_to_region(Region(0, first, 1, last - first), animate=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Close the menu and send the request, after a question if there is one."""
        if not self.kk.press_guard.is_meant:
            self.complain(TOO_SOON)
            return
        offer = self._offers[event.option_index]
        below = self.app.screen_stack[-2]
        self.dismiss()
        if not isinstance(below, KkScreen):
            return
        if offer.coach is not None:
            self._choose_coach(below, *offer.coach)
        if (request := offer.request) is None:
            return
        if offer.question is None:
            below.ask(request)
        else:
            confirm = ConfirmScreen(offer.question, lambda: below.ask(request))
            # only after this menu is gone, since the question goes over the screen below
            self.app.call_later(self.app.push_screen, confirm)

    def _choose_coach(self, below: KkScreen, name: str, is_coached: bool) -> None:
        self.kk.recent.save(self.kk.recent.load().with_coach({name: is_coached}))
        below.place_changed()  # the top line says that the coach is on
        said = text("The coach is off.")
        if is_coached:
            said = text("The coach warns you before a costly move; {key} brings you back here.",
                        key=KEYS["table"].shown)  # fmt: skip
        below.tell(said)

    def actions(self) -> Sequence[Action]:
        """Return choose and back."""
        return (Action("do"), Action("back")) if self._offers else (Action("back"),)


def proposed(table: TableView) -> Iterator[str]:
    """Yield the open proposal, and who has not answered."""
    if table.proposal is not None:
        yield _("{proposal}.", proposal=render(proposal_words(table, table.proposal)))
        yield _("Waiting for {names}.", names=waits_for(table, table.proposal))


def around(table: TableView, user: str) -> Iterator[str]:
    """Yield the owner, the clock and the spectators, each on a line."""
    if user == table.owner:
        yield _("You own this table.")
    elif table.owner:
        yield _("{name} owns this table.", name=table.owner)
    if table.clock is not None:
        yield _("Clock: {rule}.", rule=format_rule(table.clock.rule))
    for seat in table.seats if any(seat.owner == user for seat in table.seats) else ():
        if left := may_be_replaced_in(table, seat):
            yield ngettext(
                "{name} has only just left: a bot can play there in {n} second.",
                "{name} has only just left: a bot can play there in {n} seconds.", left, name=seat.name,
            )  # fmt: skip
    if table.stand_in:
        yield _("Stand-in for absent players: {bot}.", bot=bot_label(table.stand_in))
    others = [name for name in table.watchers if name != user]
    if user in table.watchers and table.phase != "open":
        yield watching_words(table, user)
    elif others:
        yield _("Spectators: {names}", names=", ".join(others))


def ways_to(table: TableView, address: ServerAddress) -> Iterator[str]:
    """Yield what people who are invited type, or anybody may follow, each on a line."""
    link = address.way_to(table)
    if table.code is None:
        if link:
            yield _("In a browser: {url}", url=link)
    else:
        yield _("By invitation: {command}", command=f"ssh -t {address.for_ssh} join {table.code}")
        yield _("or: {command}", command=f"kk connect {address.for_connect} --join {table.code}")
        if link:
            yield _("or in a browser: {url}", url=link)
    if UNKNOWN in link or (table.code is not None and not address.host):
        yield _("ADDRESS is what you typed to connect here.")
