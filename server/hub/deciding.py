"""What people at a table decide together."""

from __future__ import annotations

from typing import Final

from kk_core.text import Text, text, texts
from kk_core.types import Seat
from server.hub.agreement import Proposal, What, parse_what
from server.hub.place import NotPossible
from server.hub.playing import Playing
from server.storage.entries import Closed, Holder, Reopened
from server.storage.summaries import FINISHED, OPEN, PLAYING

PHASES: Final = {
    What.START: OPEN,
    What.REMATCH: FINISHED,
    What.ABORT: PLAYING,
    What.RESIGN: PLAYING,
    What.BOT: PLAYING,
}
"""When what can be proposed."""

_WRONG_PHASE: Final = {
    OPEN: text("The match has begun already."),
    PLAYING: text("No match goes on here."),
    FINISHED: text("The match is not over yet."),
}


class Deciding(Playing):
    """What takes more than one."""

    async def ask(self, user: str, word: str, seat: Seat | None) -> None:
        """Propose something; where nobody else has to agree, it is done. Raises `KkError`."""
        async with self._lock:
            await self.agreements.propose(user, parse_what(word), seat)

    async def agree(self, user: str, *, yes: bool) -> None:
        """Answer to what is proposed. Raises `KkError`."""
        async with self._lock:
            await self.agreements.answer(user, yes=yes)

    def check_proposal(self, user: str, what: What, seat: Seat | None) -> None:
        """Whether this can be proposed now. Raises `NotPossible`."""
        if what is What.CLOSE:
            self._check_table_owner(user)
            return
        self._check_concerned(user)
        if what is What.START:
            self._check_startable()
        if self.state.phase != PHASES[what]:
            raise NotPossible(_WRONG_PHASE[PHASES[what]])
        if what in (What.RESIGN, What.BOT):
            self._check_stand_in(user, what, self._holder(-1 if seat is None else seat))

    def _check_stand_in(self, user: str, what: What, holder: Holder) -> None:
        if holder.owner is None:
            raise NotPossible(text("A bot plays there already."))
        if what is What.RESIGN:
            if holder.owner != user:
                raise NotPossible(text("This is not your seat."))
            if holder.has_given_up:
                raise NotPossible(text("You have given up already."))
            return
        if self.state.created.clock is not None:
            raise NotPossible(text("At this table the clock decides when a bot plays for somebody."))
        if holder.stand_in is not None:
            raise NotPossible(text("A bot plays there already."))
        presence = self._context.presence
        if presence.has(holder.owner):
            raise NotPossible(text("{name} is here.", name=holder.name))
        left = int(self._context.times.vote - presence.gone_for(holder.owner))  # others see whole seconds
        if left > 0:
            raise NotPossible(
                texts(
                    "{name} has only just gone: a bot can play there in {n} second.",
                    "{name} has only just gone: a bot can play there in {n} seconds.",
                    left, name=holder.name,
                )
            )  # fmt: skip

    def voters(self, what: What) -> tuple[str, ...]:
        """Who has to agree: all who sit here and are here; before the start all who sit here.

        A rated match is not ended behind the back of somebody whose connection has just been cut.
        """
        people, is_at_play = self._people(), self.state.phase == PLAYING
        if what is What.START or (self.is_rated and is_at_play and what in (What.ABORT, What.CLOSE)):
            return people
        return tuple(user for user in people if self._context.presence.has(user))

    def call(self, proposal: Proposal) -> None:
        """Tell those of whom an answer is wanted, and who look elsewhere."""
        name, title = self.person(proposal.user), self.state.created.title
        if proposal.what is What.START:
            sentence = text("{name} is ready to begin at {title}.", name=name, title=title)
        else:
            sentence = text("{name} proposes something at {title}.", name=name, title=title)
        for user in set(proposal.waits) - {somebody.user for somebody in self.subscribers}:
            self._context.tell(user, sentence, self.id)

    async def carry_out(self, proposal: Proposal) -> None:
        """Do what all have agreed to."""
        match proposal.what:
            case What.START:
                await self._begin(self.state.seats)
            case What.REMATCH:
                await self._again()
            case What.ABORT:
                await self._commit(Reopened(self._moved_on()))
                self.tell(text("The match was broken off; nobody has won it."))
            case What.CLOSE:
                await self._close(text("{name} has closed the table.", name=self.person(proposal.user)))
            case What.RESIGN | What.BOT:
                await self._bot_for(proposal.what, proposal.seat or 0)

    async def _bot_for(self, what: What, seat: Seat) -> None:
        name = self.state.seats[seat].name
        if what is What.RESIGN:
            sentence = text("{name} has given up; a bot plays on.", name=name)
        else:
            sentence = text("A bot plays for {name} until {name} is back.", name=name)
        await self._stand_in(seat, sentence, has_given_up=what is What.RESIGN)

    async def _close(self, reason: Text) -> None:
        """Close the table, and send everybody away."""
        await self._commit(Closed())
        for somebody in list(self.subscribers):
            somebody.send_away(reason)
