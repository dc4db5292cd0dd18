"""Proposals: actions that people at a table can only take together."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from kk_core.text import text, texts
from kk_core.types import Seat
from kk_core.views import ProposalView
from kk_server.storage.entries import SeatHolder
from kk_server.storage.summaries import FINISHED, OPEN, PLAYING
from kk_server.tables.context import TableContext
from kk_server.tables.place import NotPossible

if TYPE_CHECKING:
    from kk_server.tables.table import Table


class ProposalKind(StrEnum):
    """The kinds of proposals, as named in requests."""

    START = "start"
    REMATCH = "rematch"
    ABORT = "abort"
    RESIGN = "resign"
    CLOSE = "close"
    STAND_IN = "bot"


PHASES: Final = {
    ProposalKind.START: OPEN,
    ProposalKind.REMATCH: FINISHED,
    ProposalKind.ABORT: PLAYING,
    ProposalKind.RESIGN: PLAYING,
    ProposalKind.STAND_IN: PLAYING,
}
"""The phase in which each can be proposed; those not listed, in any phase."""


_WRONG_PHASE: Final = {
    OPEN: text("The match has already begun."),
    PLAYING: text("No match is running here."),
    FINISHED: text("The match is not over yet."),
}


class Proposal(msgspec.Struct, frozen=True):
    """A proposal by `user`, with those who have agreed to it and those who have yet to answer."""

    kind: ProposalKind
    user: str
    seat: Seat | None = None
    agreed: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()

    def agree(self, user: str) -> Proposal:
        """Return the proposal after one more user has agreed."""
        rest = tuple(other for other in self.waits if other != user)
        return replace(self, agreed=(*self.agreed, user), waits=rest)

    def without(self, user: str) -> Proposal:
        """Return the proposal with a user no longer asked."""
        return replace(self, waits=tuple(other for other in self.waits if other != user))

    def view(self) -> ProposalView:
        """Return it as clients see it."""
        return ProposalView(self.kind, self.seat, self.user, self.agreed, self.waits)


def parse_kind(word: str) -> ProposalKind:
    """Return the kind that a request names. Raises `NotPossible`."""
    try:
        return ProposalKind(word)
    except ValueError:
        raise NotPossible(text("Unknown proposal: {what}.", what=repr(word))) from None


class Proposals:
    """The proposal of a table, at most one at a time; it ends when one says no or all have agreed."""

    def __init__(self, table: Table, context: TableContext) -> None:
        self._table = table
        self._presence = context.presence
        self._absence = context.times.vote
        self._tell = context.tell
        self.proposal: Proposal | None = None
        self.is_recalled = False
        """True if the last one was made before the table came here."""

    @property
    def voters(self) -> tuple[str, ...]:
        """Whoever has made the proposal, and those who have yet to answer."""
        return () if self.proposal is None else (self.proposal.user, *self.proposal.waits)

    def recall(self, proposal: Proposal | None) -> None:
        """Take the proposal of the table's previous object."""
        self.proposal, self.is_recalled = proposal, proposal is not None

    async def propose(self, user: str, kind: ProposalKind, seat: Seat | None) -> None:
        """Propose something, or agree if it is already proposed. Raises `KkError`."""
        self._check(user, kind, seat)
        now = self.proposal
        # two people may propose the same thing at once
        if now is not None and (now.kind, now.seat) == (kind, seat):
            await self.answer(user, yes=True)
            return
        if now is not None:
            raise NotPossible(text("Answer {name}'s proposal first.", name=self._table.person(now.user)))
        waits = tuple(other for other in self._voters(kind) if other != user)
        self.is_recalled = False
        await self._go_on(Proposal(kind, user, seat, (user,), waits))
        if self.proposal is not None:
            self._notify_voters(self.proposal)

    async def answer(self, user: str, *, yes: bool) -> None:
        """Agree to the proposal, or end it. Raises `KkError`."""
        now = self.proposal
        if now is None:
            raise NotPossible(text("There is no proposal here."))
        if user in now.agreed and yes:
            return
        if user not in (now.user, *now.waits, *now.agreed):
            raise NotPossible(text("Only people seated here can answer this."))
        if yes:
            await self._go_on(now.agree(user))
        else:
            self.drop()
            name = self._table.person(user)
            if user == now.user:
                sentence = text("{name} has withdrawn the proposal.", name=name)
            else:
                sentence = text("{name} does not agree.", name=name)
            self._table.tell(sentence, but=user)

    async def left(self, user: str) -> None:
        """Stop waiting for the answer of somebody who has left. Raises `KkError`."""
        now = self.proposal
        # before the start those who leave are still waited for, since they keep their seats
        if now is None or now.kind is ProposalKind.START:
            return
        if user == now.user:
            self.drop()
        elif user in now.waits:
            await self._go_on(now.without(user))

    def drop(self) -> None:
        """End the proposal, and publish that."""
        if self.proposal is not None:
            self.proposal = None
            self._table.publish()

    async def _go_on(self, proposal: Proposal) -> None:
        if proposal.waits:
            self.proposal = proposal
            self._table.publish()
        else:  # the entry it commits ends the proposal; if that cannot be stored, the proposal stays
            await self._table.carry_out(proposal)

    # -- what can be proposed, and who votes -----------------------------------------------------------------

    def _check(self, user: str, kind: ProposalKind, seat: Seat | None) -> None:
        table = self._table
        if kind is ProposalKind.CLOSE:
            table.check_table_owner(user)
            return
        table.check_company()
        table.check_concerned(user)
        if kind is ProposalKind.START:
            table.check_startable()
        if table.state.phase != PHASES[kind]:
            raise NotPossible(_WRONG_PHASE[PHASES[kind]])
        if kind in (ProposalKind.RESIGN, ProposalKind.STAND_IN):
            if seat is None:
                raise NotPossible(text("Say which seat."))
            self._check_stand_in(user, kind, table.holder(seat))

    def _check_stand_in(self, user: str, kind: ProposalKind, holder: SeatHolder) -> None:
        if holder.owner is None:
            raise NotPossible(text("A bot is already playing there."))
        if kind is ProposalKind.RESIGN:
            if holder.owner != user:
                raise NotPossible(text("This is not your seat."))
            if holder.has_given_up:
                raise NotPossible(text("You have already given up."))
            return
        if self._table.state.created.clock is not None:
            raise NotPossible(text("At this table, the clock decides when a bot steps in."))
        if holder.stand_in is not None:
            raise NotPossible(text("A bot is already playing there."))
        if self._presence.has(holder.owner):
            raise NotPossible(text("{name} is online.", name=holder.name))
        left = int(self._absence - self._presence.gone_for(holder.owner))  # people are shown whole seconds
        if left > 0:
            raise NotPossible(
                texts(
                    "{name} has only just left: a bot can play there in {n} second.",
                    "{name} has only just left: a bot can play there in {n} seconds.",
                    left, name=holder.name,
                )
            )  # fmt: skip

    def _voters(self, kind: ProposalKind) -> tuple[str, ...]:
        table, people = self._table, self._table.people()
        # a rated match must not be ended behind the back of somebody whose connection was just cut
        ends_rated = table.is_rated and table.state.phase == PLAYING
        if kind is ProposalKind.START or (ends_rated and kind in (ProposalKind.ABORT, ProposalKind.CLOSE)):
            return people
        return tuple(user for user in people if self._presence.has(user))

    def _notify_voters(self, proposal: Proposal) -> None:
        table = self._table
        name, title = table.person(proposal.user), table.state.created.title
        if proposal.kind is ProposalKind.START:
            sentence = text("{name} is ready to begin at {title}.", name=name, title=title)
        else:
            sentence = text("{name} has made a proposal at {title}.", name=name, title=title)
        # whoever is at the table sees the proposal there
        for user in set(proposal.waits) - {somebody.user for somebody in table.subscribers}:
            self._tell(user, sentence, table.id)
