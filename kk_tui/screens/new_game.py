"""The form for a new game: the game, its options, and the seats."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Mount
from textual.widget import Widget
from textual.widgets import Input, Static

from kk_core.bot_names import DEFAULT_BOT, STAND_IN, bot_choices, bot_names
from kk_core.protocol.messages import OpenTable, SetBot, Start, TakeSeat
from kk_core.text import text
from kk_core.types import Meta
from kk_core.views import is_guest
from kk_tui.i18n import _, render
from kk_tui.keymap import Action
from kk_tui.screens.base import KkScreen
from kk_tui.screens.game_card import CoverView
from kk_tui.settings import NAMELESS, Choice, Recent
from kk_tui.table_words import NONE, PRESETS, bot_level, bot_values, format_rule
from kk_tui.widgets.form import LABEL_GAP, Form, LineButton, LineSelect, TextField, align

TITLE_LENGTH = 40
_TITLE = "title-of-table"


class Hosting(Vertical):
    """The part of the form for a server's tables: title, guests, clock, rating and so on."""

    DEFAULT_CSS = """
    Hosting { height: auto; }
    Hosting #titling { height: 1; }
    Hosting #titling Static { padding: 0 0 0 1; color: $ink-dim; }
    Hosting #title-of-table { width: 1fr; max-width: 44; }
    """

    def __init__(self, seats: Sequence[Widget]) -> None:
        """Take a line for each seat but the user's own, shown to whoever wants to choose seat by seat."""
        super().__init__(id="hosting")
        self._seats = seats
        self._count = len(seats)

    def compose(self) -> ComposeResult:
        """Compose the fields."""
        with Horizontal(id="titling"):
            yield Static(_("Title"), markup=False)
            placeholder = _("empty: your name")
            yield TextField("", placeholder, max_length=TITLE_LENGTH, compact=True, id=_TITLE)
        bots = [(bot, _("{level} bots; begins at once", level=bot_level(bot))) for bot in bot_choices()]
        choices = [(_PEOPLE, _("anybody who sits down")), (_EACH, _("chosen seat by seat")), *bots]
        yield LineSelect(_("Opponents"), choices, id="opponents")
        yield from self._seats
        yield LineSelect(
            _("Who may join"),
            [("no", _("anybody")), ("yes", _("people with its code, or invited"))],
            id="private",
        )
        yield LineSelect(_("Spectators"), [("yes", _("allowed")), ("no", _("not allowed"))], id="watched")
        yield LineSelect(
            _("Clock"), [(name, format_rule(rule)) for name, rule in PRESETS.items()], NONE, id="clock"
        )
        yield LineSelect(_("Stand-in if away"), bot_values(), STAND_IN, id="stand-in")
        yield LineSelect(
            _("Rated"),
            [("no", _("no")), ("yes", _("yes: SSH keys only, no bots, no hints"))],
            id="rated",
        )
        yield LineSelect(_("Hints"), [("no", _("off")), ("yes", _("allowed"))], id="hints")

    def on_line_select_changed(self, event: LineSelect.Changed) -> None:
        """Show what can be chosen, and suggest hints against bots."""
        self._show_fields()
        if event.select.id == "opponents" and self.begins:  # nobody else is there to mind
            self.query_one("#hints", LineSelect).choose("yes")

    def take_count(self, seats: int) -> None:
        """Offer as many seats as have been chosen."""
        self._count = seats - 1
        self._show_fields()

    def _show_fields(self) -> None:
        """Hide what cannot be chosen for rated matches, and what means nothing against bots."""
        for number, line in enumerate(self._seats):
            line.display = self._is_each and number < self._count
        for name in ("#hints", "#stand-in"):
            self.query_one(name).display = not self.is_rated
        for name in ("#private", "#clock"):
            self.query_one(name).display = not self.begins
        self.query_one("#rated").display = not any(self.bots)

    def chosen(self) -> dict[str, str]:
        """Return what has been chosen, by name."""
        lines = {line.id or "": line.value for line in self.query(LineSelect)}
        return {**lines, _TITLE: self.query_one(f"#{_TITLE}", Input).value}

    def choose(self, chosen: Mapping[str, str]) -> None:
        """Choose the same again in a new form."""
        self.query_one(f"#{_TITLE}", Input).value = chosen.get(_TITLE, "")
        for line in self.query(LineSelect):
            line.restore(chosen.get(line.id or "", line.value))
        self._show_fields()

    @property
    def _is_each(self) -> bool:
        return self.query_one("#opponents", LineSelect).value == _EACH

    @property
    def bots(self) -> Sequence[str]:
        """The bots on the other seats; "" for people."""
        chosen = self.query_one("#opponents", LineSelect).value
        kinds = [line.query_one(LineSelect).value for line in self._seats] if self._is_each else ()
        return kinds[: self._count] if kinds else (chosen,) * self._count

    @property
    def begins(self) -> bool:
        """True if the match begins at once, since all others are bots."""
        return all(self.bots)

    @property
    def is_rated(self) -> bool:
        """True if matches are to be rated."""
        return self._is_chosen("rated") and not any(self.bots)

    @property
    def has_hints(self) -> bool:
        """True if people may ask for hints, and have a coach."""
        return self._is_chosen("hints") and not self.is_rated

    def wish(self, number: int, game: str, options: dict[str, str], seats: int) -> OpenTable:
        """Return the request to open the table."""
        return OpenTable(
            number, game, options, seats, self.query_one(f"#{_TITLE}", Input).value.strip(),
            hints=self.has_hints,
            private=self._is_chosen("private") and not self.begins, watched=self._is_chosen("watched"),
            clock=None if self.begins else PRESETS[self.query_one("#clock", LineSelect).value],
            rated=self.is_rated,
            stand_in=STAND_IN if self.is_rated else self.query_one("#stand-in", LineSelect).value,
        )  # fmt: skip

    def _is_chosen(self, name: str) -> bool:
        return self.query_one(f"#{name}", LineSelect).value == "yes"


HUMAN = ""
_PEOPLE = ""
_EACH = "each"
"""Opponents who are chosen for each seat."""
_OFF, _ALL = "off", "all"
"""Values for the coach besides seats: nobody is coached, or all who sit at this screen."""
_CLOSED, _OPENED = "closed", "opened"
"""Values of the line above the options."""
_NAMES = (NAMELESS, "Beate", "Clemens", "Dorothea", "Emil")


class NewGameScreen(KkScreen):
    """The form; at home the match begins at once, at a server the table is opened."""

    def __init__(self, game: str = "", *, is_coached: bool = False, is_alone: bool = False) -> None:
        """Start with a game, as it was played last: Enter begins at once.

        `is_coached` suggests the coach; `is_alone` suggests bots rather than people at a server.
        """
        super().__init__()
        self._game = game
        self._is_coached = is_coached
        self._is_alone = is_alone
        self._recent = Recent()

    def compose(self) -> ComposeResult:
        """Read the last choices when the form opens."""
        self._recent = self.kk.recent.load()
        yield from super().compose()

    def body(self) -> ComposeResult:
        """Compose the form; `_fill` adds what depends on the game."""
        games = [(name, render(game.meta.name)) for name, game in self.kk.games.items()]
        with Horizontal(id="opening"):
            with Form(id="form"):
                yield LineSelect(_("Game"), games, self._game or self._recent.game, id="game")
                yield Static("", id="summary", markup=False)
                yield Vertical(id="details")
                yield LineButton(_("Begin") if self._begins else _("Open the table"), id="begin")
            yield CoverView()

    @property
    def game_chosen(self) -> str:
        """The game of the form."""
        return self._meta.id

    @property
    def _meta(self) -> Meta:
        return self.kk.games[self.query_one("#game", LineSelect).value].meta

    @on(Mount)
    async def fill_first(self) -> None:
        """Fill the form in for the first game."""
        self.title_line(_("New game"))
        await self._fill()
        self.query_one("#begin").focus()

    @property
    def _last(self) -> Choice:
        return self._recent.tables.get(self._meta.id, Choice())

    async def _fill(self) -> None:
        """Fill in options and seats of the chosen game, as they were last chosen."""
        meta, last = self._meta, self._last
        self.query_one("#summary", Static).update(render(meta.summary))
        self.query_one(CoverView).show(self.kk.games[meta.id])
        # the fields are mounted again, since each game has different ones
        details = self.query_one("#details")
        kept = self._chosen_already()
        await details.remove_children()
        counts = [(str(n), str(n)) for n in range(meta.min_seats, meta.max_seats + 1)]
        count = kept.get("count", str(len(last.seats)))
        await details.mount(LineSelect(_("Players"), counts, count, id="count"))
        if self.kk.local:
            await details.mount(*(self._seat(seat) for seat in range(meta.max_seats)))
        else:
            await details.mount(Hosting([self._seat(seat) for seat in range(1, meta.max_seats)]))
            if self._is_alone and not kept:
                self.query_one("#opponents", LineSelect).choose(DEFAULT_BOT)
            if self._is_coached and not kept:
                self.query_one("#hints", LineSelect).choose("yes")
            if kept:
                self.query_one(Hosting).choose(kept)
        await details.mount(LineSelect(_("Coach"), [(_OFF, _("off"))], id="coach"), *self._rules(meta, last))
        self._align()
        self._show_seats()
        self._show_rules()
        coach = self.query_one("#coach", LineSelect)
        coach.choose(self._last_coach())
        coach.restore(kept.get("coach", coach.value))

    def _chosen_already(self) -> dict[str, str]:
        """Return what has been chosen at a server for another game, by name; at home each has its own."""
        if self.kk.local:
            return {}
        return {
            **{name: value for hosting in self.query(Hosting) for name, value in hosting.chosen().items()},
            **{line.id or "": line.value for line in self.query("#coach, #count").results(LineSelect)},
        }

    def _align(self) -> None:
        """Let values begin in one column, and those of options, with long labels, in another."""
        selects = [*self.query_one("#form").query(LineSelect)]
        options = {f"option-{option.name}" for option in self._meta.options}
        if options:
            align(select for select in selects if select.id in options)
        columns = 1 + align(select for select in selects if select.id not in options) + LABEL_GAP
        for sign in self.query(".seat .owner"):
            sign.styles.width = columns - 1  # the choice beside it begins with a blank
        for label in self.query("#titling Static"):
            label.styles.width = columns

    def _rules(self, meta: Meta, last: Choice) -> Iterator[LineSelect]:
        """Yield the options of a game, after a line that opens them."""
        if meta.options:
            is_usual = {**meta.default_options(), **last.options} == meta.default_options()
            chosen = _("standard") if is_usual else _("as last time")
            yield LineSelect(_("Rules"), [(_CLOSED, chosen), (_OPENED, _("custom:"))], id="rules")
        for option in meta.options:
            values = [(value.value, render(value.label)) for value in option.values]
            yield LineSelect(
                render(option.label), values, last.options.get(option.name, ""), id=f"option-{option.name}"
            )

    def _show_rules(self) -> None:
        """Show the options while they are open."""
        if self.is_leaving:
            return
        is_opened = any(line.value == _OPENED for line in self.query("#rules").results(LineSelect))
        for option in self._meta.options:
            # a game that has only just been chosen has none of its lines yet
            for line in self.query(f"#option-{option.name}"):
                line.display = is_opened
        # a picture beside a narrow form gives way to them
        self.set_class(self.kk.local and not is_opened, "-pictured")

    def _seat(self, seat: int) -> Horizontal:
        """Return the line of a seat: a bot or a person, at home with their name."""
        kinds = [(HUMAN, _("human") if self.kk.local else _("anybody")), *bot_values()]
        kind, name = self._wonted(seat)
        owner = Content.styled(self.kk.glyphs.owner(seat), f"$seat-{seat}")
        parts: list[Widget] = [
            Static(owner, classes="owner"), LineSelect("", kinds, kind, id=f"kind-{seat}")
        ]  # fmt: skip
        if self.kk.local:
            hint = "" if name else _("your name")
            parts.append(TextField(name, hint, max_length=20, compact=True, id=f"name-{seat}"))
        return Horizontal(*parts, classes="seat", id=f"seat-{seat}")

    def _wonted(self, seat: int) -> tuple[str, str]:
        """Return kind and name of a seat: the last ones, or the user and bots."""
        if seat < len(self._last.seats):
            kind, name = self._last.seats[seat]
            # that kind of bot may no longer exist
            return kind if kind in (HUMAN, *bot_names()) else DEFAULT_BOT, name or self._default_name(seat)
        return HUMAN if seat == 0 else DEFAULT_BOT, self._default_name(seat)

    def _last_coach(self) -> str:
        """Return whom the coach speaks to: as last chosen, by name."""
        here = self._people()
        coached = [seat for seat, name in here.items() if name in self._recent.coached]
        if self._is_coached and not coached:
            coached = [min(here)] if here else []
        if not coached:
            return _OFF
        return _ALL if len(coached) == len(here) else str(coached[0])

    def _people(self) -> dict[int, str]:
        """Return the seats and names of those who play at this screen."""
        if not self.kk.local:
            return {0: self.kk.user}
        return {seat: name for seat, (kind, name) in enumerate(self._seating()) if kind == HUMAN}

    def _default_name(self, seat: int) -> str:
        return self.kk.own_name if seat == 0 else _NAMES[seat]

    def _count(self) -> int:
        return int(self.query_one("#count", LineSelect).value)

    def _show_seats(self) -> None:
        """Show as many seats as chosen, with names for humans, and whom the coach may speak to."""
        if self.is_leaving:
            return
        coach = self.query_one("#coach", LineSelect)
        coach.offer([*self._coachable(self._people())])
        if not self.kk.local:
            self.query_one(Hosting).take_count(self._count())
            coach.display = self.query_one(Hosting).has_hints
            return
        for seat in range(self._meta.max_seats):
            self.query_one(f"#seat-{seat}").display = seat < self._count()
            human = self.query_one(f"#kind-{seat}", LineSelect).value == HUMAN
            self.query_one(f"#name-{seat}", Input).display = human

    def _coachable(self, people: Collection[int]) -> Iterator[tuple[str, str]]:
        yield _OFF, _("off")
        if len(people) > 1:
            yield from ((str(seat), _("for {sign}", sign=self.kk.glyphs.owner(seat))) for seat in people)
        if people:
            everybody = _("for everybody here") if len(people) > 1 else _("before a costly move")
            yield _ALL, everybody

    async def on_line_select_changed(self, event: LineSelect.Changed) -> None:
        """Update what depends on the value that changed."""
        if event.select.id == "game":
            await self._fill()
        else:
            self._show_seats()
            self._show_rules()
        self.query_one("#begin", LineButton).say(_("Begin") if self._begins else _("Open the table"))
        self._renew()

    @property
    def _begins(self) -> bool:
        """True if the match begins at once; otherwise the table waits for people."""
        return self.kk.local or any(form.begins for form in self.query(Hosting))

    def on_line_button_pressed(self) -> None:
        """Begin."""
        self.do_start()

    def on_descendant_focus(self) -> None:
        """Update what depends on the focus."""
        self._renew()

    def _renew(self) -> None:
        """Update keys and prompt."""
        self.show_keys()
        if not isinstance(self.focused, LineButton):
            self.say(_("Up and down go through the form, left and right change a value."))
        elif self._begins:
            self.say(_("Enter begins the match; up and down go through the form."))
        else:
            self.say(_("Enter opens the table; up and down go through the form."))

    def on_input_submitted(self) -> None:
        """Go to the next field on Enter in a name."""
        self.focus_next()

    def actions(self) -> Sequence[Action]:
        """Return begin, rules and back."""
        # letters are text while a name is being typed
        if isinstance(self.focused, Input):
            return (Action("do", text("next")), Action("back"))
        start = Action("start") if self._begins else Action("start", text("open the table"))
        return (Action("do"), start, Action("help"), Action("back"))

    def do_start(self) -> None:
        """Open the table, and at home seat everybody and start."""
        meta = self._meta
        options = {
            option.name: self.query_one(f"#option-{option.name}", LineSelect).value for option in meta.options
        }
        coach, people = self.query_one("#coach", LineSelect), self._people()
        is_coached = {name: coach.value in (_ALL, str(seat)) for seat, name in people.items()}
        if coach.display:
            self._recent = self._recent.with_coach(is_coached)
        if self.kk.local:
            self._recent = self._recent.begun(meta.id, Choice(options, tuple(self._seating())))
        self.kk.recent.save(self._recent)
        opening = (meta.id, options, self._count())
        work = self._begin_here(*opening, self._seating()) if self.kk.local else self._open_and_sit(*opening)
        self.kk.travel(work)

    def _seating(self) -> list[tuple[str, str]]:
        """Return kind and name of every seat; HUMAN is the kind of a human."""
        return [
            (
                self.query_one(f"#kind-{seat}", LineSelect).value,
                self.query_one(f"#name-{seat}", Input).value.strip() or self._default_name(seat) or NAMELESS,
            )
            for seat in range(self._count())
        ]

    async def _open(self, game: str, options: dict[str, str], seats: int) -> None:
        if self.kk.local:
            await self.kk.request(lambda n: OpenTable(n, game, options, seats))
        else:
            hosting = self.query_one(Hosting)
            await self.kk.request(lambda n: hosting.wish(n, game, options, seats))

    async def _open_and_sit(self, game: str, options: dict[str, str], seats: int) -> None:
        """Open a table and sit down at it, with bots where they were chosen; against bots alone, begin."""
        hosting = self.query_one(Hosting)
        is_rated, bots, begins = hosting.is_rated, hosting.bots, hosting.begins
        await self._open(game, options, seats)
        # guests may not sit at rated tables, so they stay as spectators
        if not (is_rated and is_guest(self.kk.user)):
            await self.kk.request(lambda n: TakeSeat(n, 0))
        for seat, bot in enumerate(bots, 1):
            if bot:
                await self.kk.request(partial(SetBot, seat=seat, bot=bot))
        if begins:
            await self.kk.request(Start)

    async def _begin_here(
        self, game: str, options: dict[str, str], seats: int, seating: list[tuple[str, str]]
    ) -> None:
        await self._open(game, options, seats)
        for seat, (kind, name) in enumerate(seating):
            if kind == HUMAN:
                await self.kk.request(lambda n, s=seat, who=name: TakeSeat(n, s, who))  # type: ignore[misc]
            else:
                await self.kk.request(lambda n, s=seat, bot=kind: SetBot(n, s, bot))  # type: ignore[misc]
        await self.kk.request(Start)
