"""One table: checks what its people want, stores it, and shows it to those who look."""

from __future__ import annotations

from time import time

from kk_core.errors import KkError
from kk_core.text import Text, text
from kk_core.wire.people import is_guest
from kk_core.wire.views import TableLine, TableView
from server.hub.agreement import Agreements
from server.hub.bots import BotPlayers
from server.hub.deciding import PHASES, Deciding
from server.hub.keeper import Keeper
from server.hub.lifetime import Lifetime, is_needed
from server.hub.place import NotPossible
from server.hub.publisher import Eyes, Subscriber
from server.hub.rated import TableRatings
from server.hub.table_context import TableContext
from server.hub.table_state import TableState
from server.hub.table_view import TableViews
from server.hub.tasks import spawn
from server.hub.timekeeper import Timekeeper
from server.hub.unwritten import Unwritten
from server.log import get_logger
from server.storage.entries import Closed
from server.storage.summaries import FINISHED, PLAYING, Summary

_log = get_logger()


class Table(Deciding):
    """The single writer of its log: one request after the other.

    Order of every change: check, append (for good), take over, show. Until the append has succeeded
    nothing has changed and nobody has seen anything. Its layers, from below: `TableCore`,
    `Seating`, `Playing`, `Deciding`.
    """

    def __init__(
        self,
        table_id: str,
        state: TableState,
        context: TableContext,
        at: int = 0,
        *,
        is_kept: bool = False,
        unwritten: Unwritten | None = None,
    ) -> None:
        """`at` is when the table last changed, in seconds since 1970; 0 for one that is new.

        It `is_kept` when the result and the record of its match that is over were. What is `unwritten` it
        has given when it fell asleep.
        """
        super().__init__(table_id, state, context)
        self.agreements = Agreements(self)
        self._keeper = Keeper(self, context, at or int(time()), is_kept=is_kept)
        self._bots = BotPlayers(self, context.chooser, context.pace)
        self._lifetime = Lifetime(self, context)
        self.timekeeper = Timekeeper(self, context)
        self.ratings = TableRatings(self, context)
        self._views = TableViews(self, context.presence, context.times.vote)
        self._touched = context.now()
        if unwritten is not None:
            self._recall(unwritten)

    # -- who looks -------------------------------------------------------------------------------------------

    def enter(self, subscriber: Subscriber) -> None:
        """Show the table to somebody more. Raises `NotPossible`."""
        if self.state.is_closed:
            raise NotPossible(text("This table is gone."))
        if not self.admits(subscriber.user):
            raise NotPossible(text("This table is by invitation: join it by its code."))
        if not self._may_watch(subscriber.user):
            raise NotPossible(text("At this table nobody looks on."))
        self.subscribers.add(subscriber)
        self.publish()
        if not self._is_stopped:
            self._bots.wake()

    async def leave(self, subscriber: Subscriber) -> None:
        """Show it to somebody less, who goes elsewhere; a table that nobody needs any more is closed."""
        self.subscribers.discard(subscriber)
        self.touch()
        self.publish()
        await self.close_if_left()

    def lose(self, subscriber: Subscriber) -> None:
        """Somebody's connection has ended: there is time to come back before the table is closed."""
        self.subscribers.discard(subscriber)
        self.touch()
        self.publish()
        if not self._is_stopped:
            self._lifetime.wait_for_somebody()

    def presence_changed(self, user: str) -> None:
        """Somebody has come to the server, or gone."""
        if self._is_concerned(user) and not self._is_stopped:
            self.touch()
            self.publish()
            self._lifetime.wait_for_owner()
            spawn(self._follow(user), f"presence at {self.id}")

    async def _follow(self, user: str) -> None:
        async with self._lock:
            if self._is_stopped or self.state.is_closed:
                return
            try:
                if self._context.presence.has(user):
                    await self._take_back(user)
                else:
                    await self.agreements.left(user)
            except KkError as error:
                _log.warning("table not changed", table=self.id, error=type(error).__name__)

    async def close_for(self, user: str) -> None:
        """Close the table for its owner, where nobody else is concerned."""
        async with self._lock:
            self._check_table_owner(user)
            for holder in self.state.seats:
                if holder.owner not in (None, user):
                    raise NotPossible(text("{name} sits at this table.", name=holder.name))
            if self.subscribers:
                raise NotPossible(text("Somebody is at this table now."))
            if not self.state.is_closed:
                await self._commit(Closed())

    async def close_by_host(self, reason: Text) -> None:
        """Close the table, and tell its people, also those who come later. Raises `KkError`."""
        async with self._lock:
            if self.state.is_closed:
                raise NotPossible(text("This table is gone."))
            people = {self.state.owner, *self._people()}
            here = {somebody.user for somebody in self.subscribers}
            await self._close(reason)
            for user in people - here:
                await self._leave_word(user, reason)

    async def close_if_left(self) -> None:
        """Close the table if nobody is here and nobody needs it."""
        async with self._lock:
            if self._lifetime.is_left() and not self._is_stopped:
                await self._commit(Closed())

    async def keep_once_more(self) -> None:
        """Try once more to keep what a match has come to that could not be kept. Raises `KkError`."""
        if self.state.phase == FINISHED and not self.is_kept and not self._is_stopped:
            await self.settle()
            self._lifetime.wait_for_somebody()

    async def end_if_forsaken(self, now: float) -> None:
        """End what nobody comes back to, and leave word to its people. Raises `KkError`."""
        async with self._lock:
            if self._is_stopped or not self._lifetime.is_forsaken(now):
                return
            people, sentence = {self.state.owner, *self._people()}, self._farewell()
            await self._commit(Closed())
            for user in people:
                await self._leave_word(user, sentence)

    async def _leave_word(self, user: str, sentence: Text) -> None:
        """Tell somebody now who is here, or when he comes; guests do not come again as the same."""
        if self._context.presence.has(user):
            self._context.tell(user, sentence, None)
        elif not is_guest(user):
            await self._context.log.leave_word(user, sentence)

    def _farewell(self) -> Text:
        title = self.state.created.title
        if self.state.phase == PLAYING:
            return text("The match at {title} has ended without a result: nobody came back.", title=title)
        return text("The table {title} is gone: nobody came back to it.", title=title)

    def share(self, eyes: Eyes) -> object:
        """All who look through the same seat see the same, and hear the same."""
        return eyes.seat, self.audience_of(eyes.user)

    def view(self, eyes: Eyes) -> TableView:
        """The table as somebody may see it."""
        return self._views.view(eyes)

    def line(self) -> TableLine:
        """The table's line in the lobby."""
        return self._views.line()

    def summary(self) -> Summary:
        """What is to be known of the table without replaying it."""
        return self._views.summary()

    # -- life ------------------------------------------------------------------------------------------------

    async def settle(self) -> None:
        """Keep the result and the record of a match that is over, if the server was stopped before."""
        if self.state.phase == FINISHED:
            await self._keeper.keep_result()

    async def resume(self) -> None:
        """Go on where the log has stopped: bots play, and the record of a finished match is kept."""
        await self.settle()
        await self.timekeeper.resume()
        self._bots.wake()
        self._lifetime.wait_for_somebody()
        self._lifetime.wait_for_owner()

    def touch(self) -> None:
        """Something happens here: it sleeps only when this is long ago."""
        self._touched = self._context.now()

    def may_sleep(self, quiet: float) -> bool:
        """Whether nobody is here, nothing has to be done, and nothing has happened for so many seconds."""
        is_busy = self.subscribers or self._lock.locked() or self._is_stopped or self.state.is_closed
        if is_busy or self._context.now() - self._touched < quiet:
            return False
        return is_needed(self.state) and self.timekeeper.is_kept and self.bot_turn() is None

    def rest(self) -> Unwritten:
        """Do nothing any more; another object will be this table. Gives what that one is to know."""
        self._is_stopped = True
        self._bots.stop()
        self._lifetime.stop()
        self.timekeeper.rest()
        return Unwritten(
            self.chat, self.shuffle, frozenset(self._guests), self.agreements.proposal,
            self._waited_for, self._begun,
        )  # fmt: skip

    def _recall(self, unwritten: Unwritten) -> None:
        self.chat, self.shuffle = unwritten.chat, unwritten.shuffle
        self._guests = set(unwritten.guests)
        self.agreements.proposal = unwritten.proposal
        self._waited_for, self._begun = unwritten.called, unwritten.begun

    async def stop(self) -> None:
        """Finish what is being stored, let bots rest, and stay open for the next start of the server."""
        async with self._lock:
            self._is_stopped = True
            self._bots.stop()
            self._lifetime.stop()
            await self.timekeeper.stop()

    def stored(self) -> None:
        """An entry has been stored and taken over: it may be a bot's turn now."""
        self.touch()
        if self.state.is_closed:
            self._lifetime.stop()
        if self.state.phase != PLAYING:
            self.chat.join()
        proposal = self.agreements.proposal
        if proposal is not None and self.state.phase != PHASES.get(proposal.what, self.state.phase):
            self.agreements.drop()
        if not self._is_stopped:
            self.timekeeper.follow()
            self.call_up()
            self._bots.wake()
