"""Who may come to a table, who sits where, and whose it is."""

from __future__ import annotations

from kk_core.bot_names import BOT_PREFIX
from kk_core.bots import bot_kind
from kk_core.text import text
from kk_core.types import Seat
from kk_core.wire.people import is_guest
from server.hub.names import distinct
from server.hub.place import NotPossible
from server.hub.table_context import TableContext
from server.hub.table_core import TableCore
from server.hub.table_state import TableState
from server.storage.entries import HandedOn, Holder, Invited
from server.storage.summaries import OPEN


class Seating(TableCore):
    """What people do around the seats."""

    def __init__(self, table_id: str, state: TableState, context: TableContext) -> None:
        super().__init__(table_id, state, context)
        self._guests: set[str] = set()
        """Guests who are invited; forgotten when the server stops, as another may have the name then."""

    # -- who may come ----------------------------------------------------------------------------------------

    @property
    def code(self) -> str | None:
        """The code by which people come to a table that is not for everybody."""
        return self.state.created.code

    @property
    def is_private(self) -> bool:
        """Whether only those come who are invited."""
        return self.code is not None

    def admits(self, user: str) -> bool:
        """Whether somebody may come."""
        is_invited = user in self.state.invited or user in self._guests
        return not self.is_private or is_invited or self._is_concerned(user)

    @property
    def known_to(self) -> frozenset[str]:
        """Whom it concerns: its owner, those who sit here, and those who are invited."""
        sitting = (holder.owner for holder in self.state.seats if holder.owner is not None)
        return frozenset({self.state.owner, *sitting, *self.state.invited, *self._guests})

    async def let_in(self, user: str) -> None:
        """Somebody is invited, or knows the code; he sees the table in the lobby, too. Raises `KkError`."""
        async with self._lock:
            if self.state.is_closed:
                raise NotPossible(text("This table is gone."))
            if self.admits(user):
                return
            if is_guest(user):
                self._guests.add(user)
            else:
                await self._commit(Invited(user))
            self._context.line_changed(self.id)

    async def invite(self, user: str, guest: str) -> None:
        """Tell somebody who is here of the table, and let him in, by his name as typed. Raises `KkError`."""
        self._check_concerned(user)
        invited = self._context.presence.find(guest)
        if invited is None:
            raise NotPossible(text("{name} is not here.", name=guest))
        await self.let_in(invited)
        sentence = text(
            "{name} invites you to the table {title}.", name=self.person(user), title=self.state.created.title
        )
        self._context.tell(invited, sentence, self.id)

    def _may_watch(self, user: str) -> bool:
        return self.state.phase == OPEN or self.state.created.watched or self._is_concerned(user)

    async def hand_on(self, user: str, heir: str) -> None:
        """Make somebody who sits here the owner. Raises `KkError`."""
        async with self._lock:
            self._check_table_owner(user)
            if not self.seats_of(heir):
                raise NotPossible(text("{name} does not sit at this table.", name=heir))
            if heir != user:
                await self._hand_on(heir)

    async def hand_on_if_left(self) -> None:
        """Make the first the owner who sits and is here, if the owner is not. Raises `KkError`."""
        async with self._lock:
            presence = self._context.presence
            people = [user for user in self._people() if presence.has(user)]
            is_gone = not presence.has(self.state.owner)
            if people and is_gone and not (self._is_stopped or self.state.is_closed):
                await self._hand_on(people[0])

    async def _hand_on(self, heir: str) -> None:
        await self._commit(HandedOn(heir))
        self._context.tell(
            heir, text("The table {title} is yours now.", title=self.state.created.title), self.id
        )
        self.tell(text("The table is {name}'s now.", name=self.person(heir)), but=heir)

    # -- seats -----------------------------------------------------------------------------------------------

    async def take_seat(self, user: str, seat: Seat, name: str, *, is_program: bool = False) -> None:
        """Sit down on a free seat, as the owner on one of a bot, or on one's own under another name."""
        async with self._lock:
            holder = self._seat_to_change(seat)
            if holder.owner not in (None, user):
                raise NotPossible(text("{name} has this seat.", name=holder.name))
            if holder.bot is not None:
                self._check_table_owner(user)
            self._check_may_sit(user, seat)
            worn = await self._context.seat_name(user, name)
            await self._seat_anew(seat, Holder(self._unlike(worn, seat), owner=user, program=is_program))

    async def leave_seat(self, user: str, seat: Seat) -> None:
        """Stand up, or as the owner of the table have somebody stand up."""
        async with self._lock:
            holder = self._seat_to_change(seat)
            if user != self.state.owner:
                self._check_owner(user, seat)
            await self._seat_anew(seat, Holder())
            if holder.owner not in (None, user):
                title = self.state.created.title
                sentence = text("{name} has freed your seat at {title}.", name=self.person(user), title=title)
                self._context.tell(holder.owner or "", sentence, None)

    async def set_bot(self, user: str, seat: Seat, name: str | None) -> None:
        """Put a bot on a seat that nobody owns, or take it away."""
        async with self._lock:
            holder = self._seat_to_change(seat)
            self._check_table_owner(user)
            if holder.owner is not None:
                raise NotPossible(text("{name} has this seat.", name=holder.name))
            if name is None:
                await self._seat_anew(seat, Holder())
                return
            bot_kind(name)
            if self.is_rated:
                raise NotPossible(text("Matches here are rated: bots do not take part."))
            await self._seat_anew(seat, Holder(self._unlike(BOT_PREFIX + name, seat), bot=name))

    def _unlike(self, name: str, seat: Seat) -> str:
        return distinct(name, [other.name for i, other in enumerate(self.state.seats) if i != seat])
