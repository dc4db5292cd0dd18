"""What all parts of a table share: its state, its log, its people, and the checks."""

from __future__ import annotations

import asyncio

from kk_core.match import Match
from kk_core.text import Text, text
from kk_core.types import Seat
from kk_core.wire.people import is_guest
from server.hub.agreement import Agreements
from server.hub.chat import Audience, Chat
from server.hub.keeper import Keeper
from server.hub.place import NotPossible, Place
from server.hub.rated import TableRatings
from server.hub.shuffle import Shuffle
from server.hub.table_context import TableContext
from server.hub.table_state import TableState
from server.hub.timekeeper import Timekeeper
from server.storage.entries import Entry, Holder, Invited, Moved, Seated, Undone
from server.storage.summaries import FINISHED, OPEN, PLAYING


class TableCore(Place):
    """A table without anything that could be asked of it; see `Table`."""

    agreements: Agreements
    timekeeper: Timekeeper
    ratings: TableRatings
    _keeper: Keeper

    def __init__(self, table_id: str, state: TableState, context: TableContext) -> None:
        super().__init__(context.count)
        self.id = table_id
        self.state = state
        self._context = context
        self._lock = asyncio.Lock()
        self._is_stopped = False
        self.chat = Chat()
        self.shuffle = Shuffle()

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

    @property
    def at(self) -> int:
        """When the table last changed, in seconds since 1970."""
        return self._keeper.at

    @property
    def is_kept(self) -> bool:
        """Whether the result and the record of the match that is over were kept."""
        return self._keeper.is_kept

    @property
    def has_hints(self) -> bool:
        """Whether people may ask for hints here."""
        return (self._context.hints or self.state.created.hints) and not self.is_rated

    @property
    def is_rated(self) -> bool:
        """Whether the matches here count for the ratings of their people."""
        return self.state.created.rated

    # -- changes ---------------------------------------------------------------------------------------------

    async def _commit(self, entry: Entry) -> None:
        """Store a change that was checked. Raises `KkError`."""
        await self._keeper.commit(entry)

    def applied(self, entry: Entry | None) -> None:
        """An entry has been taken over, or with None all that somebody else has written."""
        if not isinstance(entry, Moved | Undone | Invited):
            self.agreements.proposal = None  # it was about what is no longer so

    async def _seat_anew(self, seat: Seat, holder: Holder) -> None:
        seats = list(self.state.seats)
        seats[seat] = holder
        await self._commit(Seated(tuple(seats)))

    # -- people ----------------------------------------------------------------------------------------------

    def person(self, user: str) -> str:
        """What somebody is called at this table."""
        own = self.seats_of(user)
        return self.state.seats[own[0]].name if own else user

    def _people(self) -> tuple[str, ...]:
        """All who sit here and have not given up, each once, in the order of the seats."""
        sitting = (holder for holder in self.state.seats if not holder.has_given_up)
        return tuple(dict.fromkeys(holder.owner for holder in sitting if holder.owner is not None))

    def audience_of(self, user: str) -> Audience | None:
        """Who hears what somebody says; None for all."""
        if self.state.phase != PLAYING:
            return None
        return Audience.PLAYERS if self.seats_of(user) else Audience.WATCHERS

    def say(self, user: str, words: str | Text, *, is_admin: bool = False) -> None:
        """Let those hear something who may. Raises `NotPossible`."""
        self.chat.say(user, self.person(user), words, self.audience_of(user), is_admin=is_admin)
        self.publish()

    def _is_concerned(self, user: str) -> bool:
        return user == self.state.owner or bool(self.seats_of(user))

    def tell(self, sentence: Text, *, but: str | None = None) -> None:
        """Tell all who are here, but one; it stands among what is said, too."""
        self.chat.note(sentence)
        self.publish()
        for somebody in self.subscribers:
            if somebody.user != but:
                somebody.notify(sentence)

    def seats_of(self, user: str) -> tuple[Seat, ...]:
        """The seats that a user owns now."""
        return self.state.seats_of(user)

    # -- checks ----------------------------------------------------------------------------------------------

    def _holder(self, seat: Seat) -> Holder:
        if not 0 <= seat < len(self.state.seats):
            raise NotPossible(text("There is no seat {seat}.", seat=seat))
        return self.state.seats[seat]

    def _seat_to_change(self, seat: Seat) -> Holder:
        if self.state.phase != OPEN:
            raise NotPossible(text("The match has begun; seats stay as they are."))
        return self._holder(seat)

    def _check_may_sit(self, user: str, seat: Seat) -> None:
        """Where matches are rated everybody plays for himself, and is somebody."""
        if not self.is_rated:
            return
        if is_guest(user):
            raise NotPossible(text("Matches here are rated: come with an SSH key, and the name is yours."))
        if any(own != seat for own in self.seats_of(user)):
            raise NotPossible(text("Matches here are rated: everybody has one seat."))

    def _check_owner(self, user: str, seat: Seat) -> None:
        if self.state.seats[seat].owner != user:
            raise NotPossible(text("This is not your seat."))

    def _check_player(self, user: str, seat: Seat) -> None:
        self._check_owner(user, seat)
        if self.state.seats[seat].stand_in is not None:
            raise NotPossible(text("A bot plays for you; take your seat back first."))

    def _check_table_owner(self, user: str) -> None:
        if user != self.state.owner:
            owner = self.person(self.state.owner)
            raise NotPossible(text("Only {name} can do this, whose table it is.", name=owner))

    def _check_concerned(self, user: str) -> None:
        if not self._is_concerned(user):
            raise NotPossible(text("Only those who sit here, or own the table, can do this."))
