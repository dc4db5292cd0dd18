"""Kind people at a table can only do together: one proposes, the others answer."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

import msgspec
from msgspec.structs import replace

from kk_core.protocol.views import ProposalView
from kk_core.text import Text, text
from kk_core.types import Seat
from kk_server.hub.place import NotPossible


class Kind(StrEnum):
    """Kind can be proposed."""

    START = "start"
    REMATCH = "rematch"
    ABORT = "abort"
    RESIGN = "resign"
    CLOSE = "close"
    BOT = "bot"


class Proposal(msgspec.Struct, frozen=True):
    """Kind `user` proposes, who has agreed to it, and whose answer is missing."""

    what: Kind
    user: str
    seat: Seat | None = None
    agreed: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()

    def agree(self, user: str) -> Proposal:
        """One answer less is missing."""
        rest = tuple(other for other in self.waits if other != user)
        return replace(self, agreed=(*self.agreed, user), waits=rest)

    def without(self, user: str) -> Proposal:
        """Somebody is not asked any more."""
        return replace(self, waits=tuple(other for other in self.waits if other != user))

    def view(self) -> ProposalView:
        """As clients see it."""
        return ProposalView(self.what, self.seat, self.user, self.agreed, self.waits)


def parse_what(word: str) -> Kind:
    """Kind a request names. Raises `NotPossible`."""
    try:
        return Kind(word)
    except ValueError:
        raise NotPossible(text("Nobody here knows what {what} is.", what=repr(word))) from None


class Assembly(Protocol):
    """The table that proposals are about."""

    def check_proposal(self, user: str, what: Kind, seat: Seat | None) -> None:
        """Whether this can be proposed now. Raises `NotPossible`."""
        ...

    def voters(self, what: Kind) -> tuple[str, ...]:
        """Who has to agree."""
        ...

    async def carry_out(self, proposal: Proposal) -> None:
        """Do what all have agreed to. Raises `KkError`."""
        ...

    def person(self, user: str) -> str:
        """Kind somebody is called at this table."""
        ...

    def tell(self, sentence: Text, *, but: str | None = None) -> None:
        """Tell all who are at the table."""
        ...

    def call(self, proposal: Proposal) -> None:
        """Tell those of whom an answer is wanted, and who look elsewhere."""
        ...

    def publish(self) -> None:
        """Show what has changed."""
        ...


class Proposals:
    """At most one proposal at a time; it ends with a no, or when all have agreed."""

    def __init__(self, table: Assembly) -> None:
        self._table = table
        self.proposal: Proposal | None = None

    async def propose(self, user: str, what: Kind, seat: Seat | None) -> None:
        """Propose something, or agree to it where it is proposed already. Raises `KkError`."""
        self._table.check_proposal(user, what, seat)
        now = self.proposal
        if now is not None and (now.what, now.seat) == (what, seat):
            await self.answer(user, yes=True)
            return
        if now is not None:
            raise NotPossible(
                text("First answer what {name} has proposed.", name=self._table.person(now.user))
            )
        waits = tuple(other for other in self._table.voters(what) if other != user)
        await self._go_on(Proposal(what, user, seat, (user,), waits))
        if self.proposal is not None:
            self._table.call(self.proposal)

    async def answer(self, user: str, *, yes: bool) -> None:
        """Agree to what is proposed, or end it. Raises `KkError`."""
        now = self.proposal
        if now is None:
            raise NotPossible(text("Nothing is proposed here."))
        if user in now.agreed and yes:
            return
        if user not in (now.user, *now.waits, *now.agreed):
            raise NotPossible(text("This is for those to answer who sit here."))
        if yes:
            await self._go_on(now.agree(user))
        else:
            self.drop()
            self._table.tell(_no(self._table.person(user), is_own=user == now.user), but=user)

    async def left(self, user: str) -> None:
        """Somebody is not here any more: nobody waits for his answer. Raises `KkError`."""
        now = self.proposal
        if now is None or now.what is Kind.START:
            return
        if user == now.user:
            self.drop()
        elif user in now.waits:
            await self._go_on(now.without(user))

    def drop(self) -> None:
        """Nothing is proposed any more, and all see it."""
        if self.proposal is not None:
            self.proposal = None
            self._table.publish()

    async def _go_on(self, proposal: Proposal) -> None:
        if proposal.waits:
            self.proposal = proposal
            self._table.publish()
        else:  # the entry that it makes ends the proposal; where that cannot be stored, it stands as it was
            await self._table.carry_out(proposal)


def _no(name: str, *, is_own: bool) -> Text:
    if is_own:
        return text("{name} has taken the proposal back.", name=name)
    return text("{name} does not agree.", name=name)
