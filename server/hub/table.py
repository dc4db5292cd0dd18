"""One table: checks what its people want, stores it, and shows it to those who look."""

from __future__ import annotations

import asyncio
import secrets
from time import time

from msgspec.structs import replace

from kk_core.bot_names import BOT_PREFIX, bot_people
from kk_core.bots import bot_kind
from kk_core.chance import SEED_BYTES
from kk_core.errors import KkError
from kk_core.match import Match
from kk_core.text import Text, text
from kk_core.types import Move, Seat, Sheet, Viewer
from kk_core.wire.advice import Advice
from kk_core.wire.views import SeatView, TableLine, TableView
from server.hub.bots import BotPlayers, BotTurn
from server.hub.keeper import Keeper
from server.hub.names import distinct
from server.hub.place import NotPossible, Place, colours
from server.hub.publisher import Subscriber
from server.hub.table_context import TableContext
from server.hub.table_state import FINISHED, OPEN, TableState
from server.hub.tasks import spawn
from server.log import get_logger
from server.storage.entries import Closed, Holder, Moved, Seated, Started, Undone
from server.storage.kept import keep_data_of

_log = get_logger("hub.table")


class Table(Place):
    """The single writer of its log: one request after the other.

    Order of every change: check, append (for good), take over, show. Until the append has succeeded
    nothing has changed and nobody has seen anything.
    """

    def __init__(self, table_id: str, state: TableState, context: TableContext, at: int = 0) -> None:
        """`at` is when the table last changed, in seconds since 1970; 0 for one that is new."""
        super().__init__(context.count)
        self.id = table_id
        self.state = state
        self._context = context
        self._keeper = Keeper(self, context, at or int(time()))
        self._lock = asyncio.Lock()
        self._bots = BotPlayers(self, context.chooser, context.pace)
        self._waiting: asyncio.Task[None] | None = None
        self._is_stopped = False
        self._public: tuple[int, tuple[int, ...]] | None = None  # the points that all know, at a revision

    @property
    def match(self) -> Match | None:
        """The match that goes on, or the last one."""
        return self.state.match

    @property
    def match_number(self) -> int:
        """How many matches have begun."""
        return self.state.matches

    @property
    def is_open(self) -> bool:
        """Whether the match is over."""
        return self.state.phase == FINISHED

    def seats_of(self, user: str) -> tuple[Seat, ...]:
        """The seats that a user owns now."""
        return self.state.seats_of(user)

    # -- seats -----------------------------------------------------------------------------------------------

    async def take_seat(self, user: str, seat: Seat, name: str) -> None:
        """Sit down on a free seat, one of a bot, or one's own under another name."""
        async with self._lock:
            holder = self._seat_to_change(seat)
            if holder.owner not in (None, user):
                raise NotPossible(text("{name} has this seat.", name=holder.name))
            worn = await self._context.seat_name(user, name)
            await self._seat_anew(seat, Holder(self._unlike(worn, seat), owner=user))

    async def leave_seat(self, user: str, seat: Seat) -> None:
        """Stand up."""
        async with self._lock:
            self._seat_to_change(seat)
            self._check_owner(user, seat)
            await self._seat_anew(seat, Holder())

    async def set_bot(self, user: str, seat: Seat, name: str | None) -> None:
        """Put a bot on a seat that nobody owns, or take it away."""
        async with self._lock:
            holder = self._seat_to_change(seat)
            self._check_concerned(user)
            if holder.owner is not None:
                raise NotPossible(text("{name} has this seat.", name=holder.name))
            if name is None:
                await self._seat_anew(seat, Holder())
                return
            bot_kind(name)
            await self._seat_anew(seat, Holder(self._unlike(BOT_PREFIX + name, seat), bot=name))

    def _unlike(self, name: str, seat: Seat) -> str:
        return distinct(name, [other.name for i, other in enumerate(self.state.seats) if i != seat])

    async def _seat_anew(self, seat: Seat, holder: Holder) -> None:
        seats = list(self.state.seats)
        seats[seat] = holder
        await self._keeper.commit(Seated(tuple(seats)))

    # -- the match -------------------------------------------------------------------------------------------

    async def start(self, user: str, seed: bytes | None = None) -> None:
        """Begin the match; with a seed only where nobody has to be surprised by the cards."""
        async with self._lock:
            self._check_concerned(user)
            if self.state.phase != OPEN:
                raise NotPossible(text("The match has begun already."))
            if any(holder.is_free for holder in self.state.seats):
                raise NotPossible(text("A seat is still free: sit down there, or give it to a bot."))
            await self._begin(self.state.seats, seed or secrets.token_bytes(SEED_BYTES))

    async def rematch(self, user: str) -> None:
        """Begin another match with the same people; the start player moves on by one seat."""
        async with self._lock:
            self._check_concerned(user)
            if self.state.phase != FINISHED:
                raise NotPossible(text("The match is not over yet."))
            seats = self.state.seats
            for holder in seats:
                if holder.owner is not None and not self._context.is_online(holder.owner):
                    raise NotPossible(text("{name} is not here any more.", name=holder.name))
            await self._begin(seats[1:] + seats[:1], secrets.token_bytes(SEED_BYTES))

    async def _begin(self, seats: tuple[Holder, ...], seed: bytes) -> None:
        rules = self.state.rules
        kept, drawing = await keep_data_of(self._context.log, rules, rules.drawing)
        await self._keeper.commit(Started(seed.hex(), rules.rules_version, seats, kept, drawing=drawing))

    async def play(self, user: str, seat: Seat, ply: int, move: Move) -> None:
        """Make a move for a seat of one's own."""
        async with self._lock:
            match = self._running()
            self._seat(seat)
            self._check_owner(user, seat)
            match.check_fresh(seat, ply)
            await self._move(match, seat, move)

    async def undo(self, user: str, seat: Seat) -> None:
        """Take back the last step of a seat of one's own."""
        async with self._lock:
            match = self._running()
            self._seat(seat)
            self._check_owner(user, seat)
            match.check_undo(seat)
            await self._keeper.commit(Undone(seat))

    def why_not(self, user: str, seat: Seat, move: Move) -> Text | None:
        """Why a seat of one's own cannot make a move."""
        match = self._running()
        self._seat(seat)
        self._check_owner(user, seat)
        return match.game.why_not(match.state, seat, move)

    def preview(self, user: str, seat: Seat, move: Move) -> Sheet | None:
        """The points after a move of a seat of one's own; None where it would show something new."""
        match = self._running()
        self._seat(seat)
        self._check_owner(user, seat)
        return match.preview(seat, move)

    @property
    def has_hints(self) -> bool:
        """Whether people may ask for hints here."""
        return self._context.hints or self.state.created.hints

    async def hint(self, user: str, seat: Seat) -> tuple[Advice, ...]:
        """What one might do with a seat of one's own. Raises `KkError`."""
        match = self._running()
        self._seat(seat)
        self._check_owner(user, seat)
        if not self.has_hints:
            raise NotPossible(text("At this table nobody gets hints."))
        return await self._context.chooser.advise(match.game, match.game.observe(match.state, seat))

    async def _move(self, match: Match, seat: Seat, move: Move) -> None:
        match.check_move(seat, move)
        await self._keeper.commit(Moved(f"{seat} {match.game.format_move(move)}"))

    # -- bots ------------------------------------------------------------------------------------------------

    def bot_turn(self) -> BotTurn | None:
        """The turn of the first active seat of a bot."""
        match = self.state.match
        if match is None or self.state.is_closed:
            return None
        for seat in match.game.active_seats(match.state):
            name = self.state.seats[seat].bot
            if name is not None:
                return BotTurn(seat, name, match.game, match.game.observe(match.state, seat), match.state)
        return None

    def is_current(self, turn: BotTurn) -> bool:
        """Whether everything is still as it was when a bot was asked."""
        state = self.state
        is_same = state.match is not None and state.match.state is turn.state
        return is_same and not state.is_closed and state.seats[turn.seat].bot == turn.bot

    async def play_bot(self, turn: BotTurn, move: Move) -> None:
        """Make the move of a bot, if everything is still as it was when it was asked."""
        async with self._lock:
            if self.state.match is not None and self.is_current(turn):
                await self._move(self.state.match, turn.seat, move)

    async def close_for(self, user: str) -> None:
        """Close the table for the one who has opened it."""
        async with self._lock:
            if user != self.state.created.host:
                raise NotPossible(text("Only who has opened a table can close it."))
            for holder in self.state.seats:
                if holder.owner not in (None, user):
                    raise NotPossible(text("{name} sits at this table.", name=holder.name))
            if self.subscribers:
                raise NotPossible(text("Somebody is at this table now."))
            if not self.state.is_closed:
                await self._keeper.commit(Closed())

    # -- who looks -------------------------------------------------------------------------------------------

    def enter(self, subscriber: Subscriber) -> None:
        """Show the table to somebody more."""
        if self.state.is_closed:
            raise NotPossible(text("This table is gone."))
        self.subscribers.add(subscriber)

    async def leave(self, subscriber: Subscriber) -> None:
        """Show it to somebody less, who goes elsewhere; a table that nobody needs any more is closed."""
        self.subscribers.discard(subscriber)
        await self._close_if_left()

    def lose(self, subscriber: Subscriber) -> None:
        """Somebody's connection has ended: there is time to come back before the table is closed."""
        self.subscribers.discard(subscriber)
        self._wait_for_somebody()

    def _wait_for_somebody(self) -> None:
        is_waiting = self._waiting is not None and not self._waiting.done()
        if not (self.subscribers or self._is_stopped or is_waiting or self._is_needed()):
            self._waiting = spawn(self._wait(), f"wait at {self.id}")

    async def _wait(self) -> None:
        await asyncio.sleep(self._context.grace)
        try:
            await self._close_if_left()
        except KkError as error:
            _log.warning("table not closed", table=self.id, error=type(error).__name__)

    async def _close_if_left(self) -> None:
        async with self._lock:
            if not (self.subscribers or self._is_stopped or self.state.is_closed or self._is_needed()):
                await self._keeper.commit(Closed())

    def _is_needed(self) -> bool:
        if self.state.phase == OPEN:
            return any(holder.owner is not None for holder in self.state.seats)
        return self.state.phase != FINISHED

    def view(self, viewer: Viewer) -> TableView:
        """The table as a viewer may see it."""
        state, line = self.state, self.line()
        return TableView(
            id=self.id,
            title=line.title,
            host=state.created.host,
            game=line.game,
            options=tuple(sorted(state.options.items())),
            hints=self.has_hints,
            phase=line.phase,
            seats=line.seats,
            viewer=viewer,
            match=None if state.match is None else state.match.view(viewer),
        )

    def line(self) -> TableLine:
        """The table's line in the lobby."""
        created, phase, match = self.state.created, self.state.phase, self.state.match
        line = TableLine(self.id, created.title, created.game, phase, self._seat_views(), at=self._keeper.at)
        if match is None:
            return line
        if self._public is None or self._public[0] != self.state.revision:
            self._public = self.state.revision, match.game.observe(match.state, None).points
        active = match.game.active_seats(match.state)
        return replace(line, round=match.game.round(match.state), points=self._public[1], active=active)

    def _seat_views(self) -> tuple[SeatView, ...]:
        holders = self.state.seats
        places = colours(len(holders), self.state.matches)
        # whoever plays for a bot moves on with it, too
        people = bot_people(
            tuple(holders[places.index(place)].bot for place in range(len(holders))), sum(self.id.encode())
        )
        return tuple(
            SeatView(
                people[place] or holder.name,
                holder.owner,
                holder.bot,
                holder.owner is not None and self._context.is_online(holder.owner),
                place,
            )
            for place, holder in zip(places, holders, strict=True)
        )

    # -- life ------------------------------------------------------------------------------------------------

    async def resume(self) -> None:
        """Go on where the log has stopped: bots play, and the record of a finished match is kept."""
        if self.state.phase == FINISHED:
            await self._keeper.keep_result()
        self._bots.wake()
        self._wait_for_somebody()

    async def stop(self) -> None:
        """Finish what is being stored, let bots rest, and stay open for the next start of the server."""
        async with self._lock:
            self._is_stopped = True
            self._bots.stop()
            if self._waiting is not None:
                self._waiting.cancel()

    def stored(self) -> None:
        """An entry has been stored and taken over: it may be a bot's turn now."""
        if not self._is_stopped:
            self._bots.wake()

    def holders(self) -> tuple[Holder, ...]:
        """Who sits on the seats, bots by the names that people call them."""
        return tuple(Holder(seat.name, seat.owner, seat.bot) for seat in self._seat_views())

    # -- checks ----------------------------------------------------------------------------------------------

    def _seat(self, seat: Seat) -> Holder:
        if seat >= len(self.state.seats):
            raise NotPossible(text("There is no seat {seat}.", seat=seat))
        return self.state.seats[seat]

    def _seat_to_change(self, seat: Seat) -> Holder:
        if self.state.phase != OPEN:
            raise NotPossible(text("The match has begun; seats stay as they are."))
        return self._seat(seat)

    def _check_owner(self, user: str, seat: Seat) -> None:
        if self.state.seats[seat].owner != user:
            raise NotPossible(text("This is not your seat."))

    def _check_concerned(self, user: str) -> None:
        if user != self.state.created.host and not self.state.seats_of(user):
            raise NotPossible(text("Only those who sit here, or opened the table, can do this."))
