"""A table: the only writer of its log, and everything that people and bots may do there.

Every change is checked, appended to the log, applied and published, in this order. Until the append has
succeeded, nothing has changed and nobody has seen anything.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

from msgspec.structs import replace

from kk_core.bot_names import BOT_PREFIX
from kk_core.errors import KkError
from kk_core.match import Match, Ply
from kk_core.search.bots import bot_kind
from kk_core.search.opponents import BotKnowledge
from kk_core.text import Text, text, texts
from kk_core.types import Ends, Move, Seat, Sheet
from kk_core.views import Advice, CostlyMove, TableLine, TableView, is_guest
from kk_server.accounts.names import AT_HOME, distinct
from kk_server.background import spawn
from kk_server.log import get_logger
from kk_server.storage.entries import (
    Closed,
    Ended,
    Entry,
    HandedOn,
    Invited,
    Moved,
    Reopened,
    Seated,
    SeatHolder,
    Started,
    Undone,
)
from kk_server.storage.summaries import FINISHED, OPEN, PLAYING, Summary
from kk_server.storage.table_log import keep_data_of
from kk_server.tables.bots import BotPlayers, BotTurn, StudyAhead
from kk_server.tables.chat import Audience, Chat, audience_in
from kk_server.tables.clock import Timekeeper
from kk_server.tables.context import TableContext
from kk_server.tables.expiry import Expiry, is_needed
from kk_server.tables.log_writer import LogWriter
from kk_server.tables.place import NotPossible, Place, Subscriber, Viewpoint
from kk_server.tables.proposals import PHASES, Proposal, ProposalKind, Proposals, parse_kind
from kk_server.tables.state import Shuffle, TableState
from kk_server.tables.transient import TransientState, ends_proposals
from kk_server.tables.view import TableRatings, TableViews

_logger = get_logger()


class Table(Place):
    """A table of the hub; it carries out one request at a time."""

    is_counted: ClassVar[bool] = True
    """True if finished matches go into people's histories."""

    def __init__(
        self,
        table_id: str,
        state: TableState,
        context: TableContext,
        at: int = 0,
        *,
        is_kept: bool = False,
        transient: TransientState | None = None,
    ) -> None:
        """Take the table's state.

        `at` is when the table last changed, in seconds since 1970; 0 for a new one. `is_kept` says that the
        result and record of its last match are already stored. `transient` is that of this table's previous
        object, here or at another node.
        """
        super().__init__(context.count)
        self.id = table_id
        self.state = state
        self.chat = Chat()
        self.shuffle = Shuffle(state.matches)
        self.proposals = Proposals(self, context)
        self.timekeeper = Timekeeper(self, context)
        self.ratings = TableRatings(self, context)
        self._context = context
        self._lock = asyncio.Lock()
        self._is_stopped = False
        self._log_writer = LogWriter(self, context, at or int(context.daily.clock()), is_kept=is_kept)
        self._bots = BotPlayers(self, context.chooser, context.pace)
        self._ahead = StudyAhead(context.chooser)
        self._expiry = Expiry(self, context)
        self._views = TableViews(self, context.presence, context.times.vote)
        self._touched = context.now()
        self._waited_for = self._active_people()
        self._begun = state.matches
        self.term = 1
        """The number of this table's objects so far, here and at other nodes."""
        if transient is not None:
            self._recall(transient)

    @property
    def match(self) -> Match | None:
        """The running match, or the last one."""
        return self.state.match

    @property
    def match_number(self) -> int:
        """The number of matches begun here."""
        return self.state.matches

    @property
    def is_revealed(self) -> bool:
        """True once the match is over, so that everybody may see all of it."""
        return self.state.phase == FINISHED

    @property
    def at(self) -> int:
        """The time of its last change, in seconds since 1970."""
        return self._log_writer.at

    @property
    def is_kept(self) -> bool:
        """True if the result and record of the finished match are stored."""
        return self._log_writer.is_kept

    @property
    def is_waiting(self) -> bool:
        """True while a change here has waited for long to be stored."""
        return self._log_writer.is_waiting

    @property
    def is_needed(self) -> bool:
        """True if the table must be kept even when nobody is here."""
        return is_needed(self.state)

    @property
    def has_hints(self) -> bool:
        """True if people may ask for hints here."""
        return (self._context.hints or self.state.created.hints) and not self.is_rated

    @property
    def is_rated(self) -> bool:
        """True if matches here count for ratings."""
        return self.state.created.rated

    # -- changes ---------------------------------------------------------------------------------------------

    async def _commit(self, entry: Entry, ply: Ply | None = None) -> None:
        await self._log_writer.commit(entry, ply)

    async def _seat_anew(self, seat: Seat, holder: SeatHolder) -> None:
        seats = list(self.state.seats)
        seats[seat] = holder
        await self._commit(Seated(tuple(seats)))

    def on_applied(self, entry: Entry | None) -> None:
        """Follow an applied entry; None means that the state was read from the log again."""
        if entry is None or ends_proposals(entry):
            self.proposals.proposal = None
        if self.shuffle.matches != self.state.matches:
            self.shuffle = Shuffle(self.state.matches)

    def on_stored(self) -> None:
        """React to an entry that was stored, applied and published: it may be a bot's turn now."""
        self.touch()
        if self.state.is_closed:
            self._expiry.stop()
        if self.state.phase != PLAYING:
            # the match is over, so what spectators said no longer gives anything away
            self.chat.join()
        proposal = self.proposals.proposal
        if proposal is not None and self.state.phase != PHASES.get(proposal.kind, self.state.phase):
            self.proposals.drop()
        if not self._is_stopped:
            self.timekeeper.follow()
            self._call_up()
            self._bots.wake()
            self._ahead.follow(self.match if self.state.phase == PLAYING else None)

    # -- people ----------------------------------------------------------------------------------------------

    def seats_of(self, user: str) -> tuple[Seat, ...]:
        """Return the seats that a user owns now."""
        return self.state.seats_of(user)

    def person(self, user: str) -> str:
        """Return the name of a user at this table."""
        own = self.seats_of(user)
        return self.state.seats[own[0]].name if own else user

    def people(self) -> tuple[str, ...]:
        """Return everybody who sits here and has not resigned, once each, in seat order."""
        sitting = (holder for holder in self.state.seats if not holder.has_given_up)
        return tuple(dict.fromkeys(holder.owner for holder in sitting if holder.owner is not None))

    def _has_people(self) -> bool:
        return any(holder.owner is not None for holder in self.state.seats)

    def _is_concerned(self, user: str) -> bool:
        return user == self.state.owner or bool(self.seats_of(user))

    def _is_gone(self, holder: SeatHolder) -> bool:
        return holder.owner is not None and not self._context.presence.has(holder.owner)

    def audience_of(self, user: str) -> Audience | None:
        """Return the audience that a user talks to; None for everybody."""
        return audience_in(self.state.phase, has_seat=bool(self.seats_of(user)))

    def say(self, user: str, words: str | Text, *, is_admin: bool = False) -> None:
        """Say something to the user's audience. Raises `NotPossible`."""
        self.chat.say(user, self.person(user), words, self.audience_of(user), is_admin=is_admin)
        self.publish()

    def tell(self, sentence: Text, *, but: str | None = None) -> None:
        """Notify everybody here except one, and add it to the chat."""
        self.chat.note(sentence)
        self.publish()
        self._notify(sentence, but)

    def _notify(self, sentence: Text, but: str | None = None) -> None:
        for somebody in self.subscribers:
            if somebody.user != but:
                somebody.notify(sentence)

    async def _leave_word(self, user: str, sentence: Text) -> None:
        """Notify a user now, or when they next come."""
        if self._context.presence.has(user):
            self._context.tell(user, sentence, None)
        # a guest's name may be somebody else's next time
        elif not is_guest(user):
            await self._context.log.leave_word(user, sentence)

    # -- checks ----------------------------------------------------------------------------------------------

    def holder(self, seat: Seat) -> SeatHolder:
        """Return the holder of a seat. Raises `NotPossible`."""
        if not 0 <= seat < len(self.state.seats):
            raise NotPossible(text("There is no seat {seat}.", seat=seat))
        return self.state.seats[seat]

    def _seat_to_change(self, seat: Seat) -> SeatHolder:
        if self.state.phase != OPEN:
            raise NotPossible(text("The match has begun; you can't change seats now."))
        return self.holder(seat)

    def _check_may_sit(self, user: str, seat: Seat) -> None:
        """Refuse guests, and second seats, where matches are rated."""
        if not self.is_rated:
            return
        if is_guest(user):
            raise NotPossible(text("Matches here are rated: connect with an SSH key, and the name is yours."))
        if any(own != seat for own in self.seats_of(user)):
            raise NotPossible(text("Matches here are rated: one seat each."))

    def _check_owner(self, user: str, seat: Seat) -> None:
        if self.holder(seat).owner != user:
            raise NotPossible(text("This is not your seat."))

    def _check_player(self, user: str, seat: Seat) -> None:
        self._check_owner(user, seat)
        if self.state.seats[seat].stand_in is not None:
            raise NotPossible(text("A bot plays for you; take your seat back first."))

    def check_table_owner(self, user: str) -> None:
        """Refuse anybody but the table's owner. Raises `NotPossible`."""
        if user != self.state.owner:
            owner = self.person(self.state.owner)
            raise NotPossible(text("Only {name}, who owns the table, can do this.", name=owner))

    def check_concerned(self, user: str) -> None:
        """Refuse anybody who neither sits here nor owns the table. Raises `NotPossible`."""
        if not self._is_concerned(user):
            raise NotPossible(text("Only the table's owner and players seated here can do this."))

    def _check_not_closed(self) -> None:
        if self.state.is_closed:
            raise NotPossible(text("This table is gone."))

    def check_company(self) -> None:
        """Refuse requests that involve other people, at a table for one. Raises `NotPossible`."""

    def check_startable(self) -> None:
        """Refuse to begin a match that cannot begin yet. Raises `NotPossible`."""
        if self.state.phase != OPEN:
            raise NotPossible(text("The match has already begun."))
        if any(holder.is_free for holder in self.state.seats):
            raise NotPossible(text("A seat is still free: sit down there, or give it to a bot."))

    # -- invitations -----------------------------------------------------------------------------------------

    @property
    def code(self) -> str | None:
        """The code of a private table."""
        return self.state.created.code

    @property
    def is_private(self) -> bool:
        """True if the table is by invitation only."""
        return self.code is not None

    def admits(self, user: str) -> bool:
        """Return whether a user may enter."""
        is_invited = user in self.state.invited or user in self._guests
        return not self.is_private or is_invited or self._is_concerned(user)

    @property
    def known_to(self) -> frozenset[str]:
        """The users it concerns: its owner, everybody who sits here, and everybody invited."""
        sitting = (holder.owner for holder in self.state.seats if holder.owner is not None)
        return frozenset({self.state.owner, *sitting, *self.state.invited, *self._guests})

    @property
    def _guests(self) -> frozenset[str]:
        return self._context.admissions.of(self.id)

    async def let_in(self, user: str) -> None:
        """Admit a user from now on, and show them the table in the lobby. Raises `KkError`."""
        async with self._lock:
            self._check_not_closed()
            if self.admits(user):
                return
            if is_guest(user):
                self._context.admissions.add(self.id, [user])
                self._context.nodes.admitted(self.id, [user])
            else:
                await self._commit(Invited(user))
            self._context.line_changed(self.id)

    async def invite(self, user: str, guest: str) -> None:
        """Admit somebody who is online, by their name as typed, and notify them. Raises `KkError`."""
        self.check_concerned(user)
        self.check_company()
        invited = self._context.presence.find(guest)
        if invited is None:
            raise NotPossible(text("{name} is not online.", name=guest))
        if any(somebody.user == invited for somebody in self.subscribers):
            raise NotPossible(text("{name} is at this table already.", name=self.person(invited)))
        await self.let_in(invited)
        sentence = text(
            "{name} invites you to the table {title}.", name=self.person(user), title=self.state.created.title
        )
        self._context.tell(invited, sentence, self.id)

    # -- the owner -------------------------------------------------------------------------------------------

    async def hand_on(self, user: str, heir: str) -> None:
        """Make somebody who sits here the owner. Raises `KkError`."""
        async with self._lock:
            self.check_table_owner(user)
            if not self.seats_of(heir):
                raise NotPossible(text("{name} isn't seated at this table.", name=heir))
            if heir != user:
                await self._hand_on(heir)

    async def hand_on_if_left(self) -> None:
        """Make the first online player the owner if the owner is offline. Raises `KkError`."""
        async with self._lock:
            presence = self._context.presence
            people = [user for user in self.people() if presence.has(user)]
            is_gone = not presence.has(self.state.owner)
            if people and is_gone and not (self._is_stopped or self.state.is_closed):
                await self._hand_on(people[0])

    async def _hand_on(self, heir: str) -> None:
        await self._commit(HandedOn(heir))
        self._context.tell(
            heir, text("You now own the table {title}.", title=self.state.created.title), self.id
        )
        self.tell(text("{name} now owns the table.", name=self.person(heir)), but=heir)

    # -- seats -----------------------------------------------------------------------------------------------

    async def take_seat(self, user: str, seat: Seat, name: str, *, is_program: bool = False) -> None:
        """Sit down on a free seat, as the owner on a bot's, or change the name on one's own.

        During a match, take one's own seat back from the bot that plays there. Raises `KkError`.
        """
        async with self._lock:
            is_own = self.state.phase == PLAYING and seat in self.seats_of(user)
            if is_own and self.state.seats[seat].stand_in is not None:
                await self._take_back(user)
                return
            holder = self._seat_to_change(seat)
            if holder.owner not in (None, user):
                raise NotPossible(text("{name} has this seat.", name=holder.name))
            if holder.bot is not None:
                self.check_table_owner(user)
            self._check_may_sit(user, seat)
            worn = await self._context.seat_name(user, name)
            await self._seat_anew(
                seat, SeatHolder(self._distinct_name(worn, seat), owner=user, program=is_program)
            )

    async def leave_seat(self, user: str, seat: Seat) -> None:
        """Stand up; the table's owner may also make somebody else stand up. Raises `KkError`."""
        async with self._lock:
            holder = self._seat_to_change(seat)
            if user != self.state.owner:
                self._check_owner(user, seat)
            await self._seat_anew(seat, SeatHolder())
            if holder.owner not in (None, user):
                title = self.state.created.title
                sentence = text("{name} has freed your seat at {title}.", name=self.person(user), title=title)
                self._context.tell(holder.owner or "", sentence, None)

    async def set_bot(self, user: str, seat: Seat, name: str | None) -> None:
        """Put a bot on a seat that nobody owns, or with None remove it. Raises `KkError`."""
        async with self._lock:
            holder = self._seat_to_change(seat)
            self.check_table_owner(user)
            if holder.owner is not None:
                raise NotPossible(text("{name} has this seat.", name=holder.name))
            if name is None:
                await self._seat_anew(seat, SeatHolder())
                return
            bot_kind(name)
            if self.is_rated:
                raise NotPossible(text("Matches here are rated: bots can't play."))
            await self._seat_anew(seat, SeatHolder(self._distinct_name(BOT_PREFIX + name, seat), bot=name))

    def _distinct_name(self, name: str, seat: Seat) -> str:
        return distinct(name, [other.name for i, other in enumerate(self.state.seats) if i != seat])

    # -- beginning -------------------------------------------------------------------------------------------

    async def start(self, user: str, seed: bytes | None = None) -> None:
        """Begin the match; a `seed` is only for callers who may know the cards. Raises `KkError`."""
        async with self._lock:
            self.check_table_owner(user)
            self.check_startable()
            await self._begin_match(seed)

    async def contribute(self, user: str, drawn: bytes) -> None:
        """Add a user's bytes to the next shuffle; not during a match. Raises `NotPossible`."""
        async with self._lock:
            if not self.seats_of(user):
                raise NotPossible(text("Only players seated here can add to the shuffle."))
            if self.state.phase == PLAYING:
                raise NotPossible(text("The cards of this match are already shuffled."))
            self.shuffle.add(user, drawn)
            self.publish()

    async def _begin(self, seats: tuple[SeatHolder, ...], seed: bytes | None = None) -> None:
        # a given seed is the whole seed: with contributions the cards would differ
        rules, added = self.state.rules, () if seed else self.shuffle.contributions(seats)
        drawn = (seed or self.shuffle.host_seed).hex()
        kept, drawing = await keep_data_of(self._context.log, rules, rules.drawing)
        await self._commit(
            Started(drawn, rules.rules_version, seats, kept, drawing=drawing, contributions=added)
        )
        # before the match everybody may look on
        unwanted = [somebody for somebody in self.subscribers if not self._may_watch(somebody.user)]
        for somebody in unwanted:
            somebody.send_away(text("The match has begun; this table does not admit spectators."))
        if unwanted:
            self.publish()

    async def _begin_match(self, seed: bytes | None = None) -> None:
        is_first = not self.state.matches
        await self._begin(self.state.seats, seed)
        if not is_first:
            # the seats have moved on since everybody sat down
            if (first := self._first_to_act()) is None:
                self.tell(text("The next match has begun."))
            else:
                self.tell(text("The next match has begun: {name} goes first.", name=first))

    async def _begin_rematch(self) -> None:
        seats = self._seats_rotated()
        gone = ", ".join(holder.name for holder in self.state.seats if self._is_gone(holder))
        if any(holder.is_free for holder in seats):
            await self._commit(Reopened(seats))
            self.tell(
                text(
                    "Everybody moves up one seat. The rematch will start once all seats are taken;"
                    " missing: {names}.",
                    names=gone,
                )
            )
            return
        await self._begin(seats)
        if (first := self._first_to_act()) is None:
            self.tell(text("The rematch has begun: everybody moves up one seat."))
        else:
            # whole with a long name, too, in the line of a narrow screen
            self.tell(text("Rematch: all move up a seat, and {name} goes first.", name=first))

    def _first_to_act(self) -> Text | str | None:
        """Return the name of the player who begins; None if all begin together."""
        match = self._running()
        return self.line().seats[0].name if match.game.active_seats(match.state) == (0,) else None

    def _seats_rotated(self) -> tuple[SeatHolder, ...]:
        # players who have gone lose their seats; the seats move on by one, so that another player starts
        fresh = tuple(
            SeatHolder() if self._is_gone(holder) else replace(holder, stand_in=None, has_given_up=False)
            for holder in self.state.seats
        )
        return fresh[1:] + fresh[:1]

    # -- moves -----------------------------------------------------------------------------------------------

    async def play(self, user: str, seat: Seat, ply: int, move: Move, *, is_program: bool = False) -> None:
        """Make a move on one's own seat; a seat that a program has moved on counts as a program's.

        Raises `KkError`.
        """
        async with self._lock:
            match = self._running()
            holder = self.holder(seat)
            self._check_player(user, seat)
            # refuses a move chosen before its player saw the last change
            match.check_fresh(seat, ply)
            match.check_move(seat, move)
            if is_program and not holder.program:
                # stored before the move, so that the seat counts as a program's from its first move on
                await self._seat_anew(seat, replace(holder, program=True))
            await self._move(match, seat, move)

    async def _move(self, match: Match, seat: Seat, move: Move) -> None:
        # the text goes into the log; the move itself is applied without parsing it again
        await self._commit(Moved(f"{seat} {match.game.format_move(move)}"), Ply(seat, move))

    async def undo(self, user: str, seat: Seat) -> None:
        """Take back the last step of one's own seat. Raises `KkError`."""
        async with self._lock:
            match = self._running()
            self._check_player(user, seat)
            await self._commit(undone := self._undone(match, seat))
            # a step that was forced would follow by itself again
            while undone.to is None and match.is_forced(seat) and match.may_undo(seat):
                await self._commit(self._undone(match, seat))

    def _undone(self, match: Match, seat: Seat) -> Undone:
        match.check_undo(seat)
        return Undone(seat)

    async def go_on(self, user: str) -> None:  # noqa: ARG002
        """Play the plies that a lesson skips. Raises `NotPossible` here."""
        raise NotPossible(text("Nothing to skip here."))

    def why_not(self, user: str, seat: Seat, move: Move) -> Text | None:
        """Return why one's own seat cannot make a move; None if it can. Raises `KkError`."""
        match = self._running()
        self._check_owner(user, seat)
        return match.game.why_not(match.state, seat, move)

    def preview(self, user: str, seat: Seat, move: Move) -> tuple[Sheet | None, Ends, tuple[int, ...], bool]:
        """Return a move's effects: points, what it ends, gains if several choose at once, and whether it
        shows the seat something new.

        The points are those after the move of one's own seat; the gains are one for each seat. Raises
        `KkError`.
        """
        match = self._running()
        self._check_owner(user, seat)
        return (
            match.preview(seat, move),
            match.ends(seat, move),
            match.wanted(seat, move),
            match.shows(seat, move),
        )

    async def hint(self, user: str, seat: Seat) -> tuple[Advice, ...]:
        """Return good moves for one's own seat. Raises `KkError`."""
        match = self._running()
        self._check_owner(user, seat)
        if not self.has_hints:
            raise NotPossible(text("Hints are off at this table."))
        seen, moves = match.choice_of(seat)
        return await self._context.chooser.advise(match.game, seen, BotKnowledge(moves=moves))

    async def weigh(self, user: str, seat: Seat, ply: int, move: Move) -> CostlyMove | None:
        """Return a better move if a move is a serious mistake, before it is made. Raises `KkError`."""
        match = self._running()
        self._check_owner(user, seat)
        if not self.has_hints:
            raise NotPossible(text("The coach is off at this table."))
        match.check_fresh(seat, ply)
        match.check_move(seat, move)
        seen, moves = match.choice_of(seat)
        self._ahead.add(seat)
        found = await self._context.chooser.weigh(match.game, seen, move, BotKnowledge(moves=moves))
        return None if found is None else CostlyMove(ply, seat, found.played, found.better)

    def _active_people(self) -> frozenset[str | None]:
        match, seats = self.state.match, self.state.seats
        if match is None or self.state.phase != PLAYING:
            return frozenset()
        active = match.game.active_seats(match.state)
        return frozenset(seats[seat].owner for seat in active if not seats[seat].player)

    def _call_up(self) -> None:
        """Notify players who are elsewhere that it is their turn."""
        title, waited_for = self.state.created.title, self._active_people()
        if self.state.phase != PLAYING:
            self._waited_for = waited_for
            return
        has_begun = self._begun != self.state.matches
        # only those who were not yet waited for, so that nobody is notified twice
        # when a match begins, everybody who sits here is notified
        called = set(self.people()) if has_begun else waited_for - self._waited_for
        self._waited_for, self._begun = waited_for, self.state.matches
        begun = text("The match at {title} has begun.", title=title)
        # at home only bots wait, and lists say where they do
        for user in called - {None, AT_HOME} - {somebody.user for somebody in self.subscribers}:
            sentence = text("Your turn at {title}.", title=title) if user in waited_for else begun
            self._context.tell(user or "", sentence, self.id)

    # -- bots ------------------------------------------------------------------------------------------------

    def bot_turn(self) -> BotTurn | None:
        """Return the turn of the first active bot; None if nobody is here to see it."""
        match = self.state.match
        if match is None or self.state.is_closed or not (self.subscribers or self._has_people()):
            return None
        return self._next_turn(match)

    def _next_turn(self, match: Match) -> BotTurn | None:
        for seat in match.game.active_seats(match.state):
            name = self.state.seats[seat].player
            if name is not None:
                return self._turn(match, seat, name)
        return None

    def _turn(self, match: Match, seat: Seat, bot: str) -> BotTurn:
        seen, style = match.game.observe(match.state, seat), self._style_of(seat)
        return BotTurn(seat, bot, match, seen, match.state, style=style)

    def _style_of(self, seat: Seat) -> str | None:
        return self._views.seats()[seat].style

    def is_current(self, turn: BotTurn) -> bool:
        """Return whether nothing has changed since a bot was asked."""
        state = self.state
        # compare identities: every change makes a new state, and comparing states takes longer
        is_same = state.match is not None and state.match.state is turn.state
        return is_same and not state.is_closed and (state.seats[turn.seat].player or "") == turn.bot

    def excuse_bot(self, turn: BotTurn) -> None:
        """Notify everybody here that a bot is still thinking, unless people still have to choose, too."""
        if self.is_current(turn) and not self._active_people():
            seat = self._views.seats()[turn.seat]
            sentence = (
                text("The bot that plays for {name} is still thinking.", name=seat.name)
                if seat.stand_in
                else text("{name} is still thinking.", name=seat.name)
            )
            self._notify(sentence)

    async def play_bot(self, turn: BotTurn, move: Move) -> None:
        """Make a bot's move, unless something has changed since it was asked. Raises `KkError`."""
        async with self._lock:
            if self.state.match is not None and self.is_current(turn):
                self.state.match.check_move(turn.seat, move)
                await self._move(self.state.match, turn.seat, move)

    # -- stand-ins -------------------------------------------------------------------------------------------

    async def _stand_in(self, seat: Seat, sentence: Text, *, has_given_up: bool = False) -> None:
        holder = self.state.seats[seat]
        stand_in = self.state.created.stand_in
        await self._seat_anew(seat, replace(holder, stand_in=stand_in, has_given_up=has_given_up))
        self.tell(sentence)

    async def time_is_over(self, seats: tuple[Seat, ...]) -> None:
        """Have bots play for people whose time is up. Raises `KkError`."""
        async with self._lock:
            if self._is_stopped:
                return
            for seat in seats:
                # checked again under the lock, since somebody may have moved in the last moment
                if seat in self.timekeeper.over() and self.state.seats[seat].player is None:
                    name = self.state.seats[seat].name
                    sentence = text("{name}'s time is up; a bot plays until they are back.", name=name)
                    await self._stand_in(seat, sentence)

    async def _take_back(self, user: str) -> None:
        """Give a user back the seats that bots play for them, and report what the bots have done."""
        seats = list(self.state.seats)
        back = [
            seat
            for seat, holder in enumerate(seats)
            if holder.owner == user and holder.stand_in and not holder.has_given_up
        ]
        if not back or self.state.phase != PLAYING:
            return
        for seat in back:
            seats[seat] = replace(seats[seat], stand_in=None)
            # otherwise the bot would be back at once
            self.timekeeper.give_back(seat)
        await self._commit(Seated(tuple(seats)))
        self.tell(text("{name} is back and playing again.", name=seats[back[0]].name), but=user)
        self._context.tell(user, self._stand_in_report(back), None)

    def _stand_in_report(self, seats: list[Seat]) -> Text:
        title = self.state.created.title
        moves = sum(self.state.stood_in[seat] for seat in seats)
        if not moves:
            return text("You're back in your seat at {title}; the bot made no moves for you.", title=title)
        return texts(
            "You're back in your seat at {title}; the bot made {n} move for you.",
            "You're back in your seat at {title}; the bot made {n} moves for you.",
            moves, title=title,
        )  # fmt: skip

    # -- proposals -------------------------------------------------------------------------------------------

    async def propose(self, user: str, word: str, seat: Seat | None) -> None:
        """Propose something; if nobody else has to agree, it is done at once. Raises `KkError`."""
        async with self._lock:
            await self.proposals.propose(user, parse_kind(word), seat)

    async def vote(self, user: str, *, yes: bool) -> None:
        """Vote on the proposal. Raises `KkError`."""
        async with self._lock:
            await self.proposals.answer(user, yes=yes)

    async def carry_out(self, proposal: Proposal) -> None:
        """Do what everybody has agreed to. Raises `KkError`."""
        match proposal.kind:
            case ProposalKind.START:
                await self._begin_match()
            case ProposalKind.REMATCH:
                await self._begin_rematch()
            case ProposalKind.ABORT:
                await self._commit(Reopened(self._seats_rotated()))
                self.tell(text("The match was aborted; it has no winner. Everybody moves up one seat."))
            case ProposalKind.CLOSE:
                await self._close(text("{name} has closed the table.", name=self.person(proposal.user)))
            case ProposalKind.RESIGN | ProposalKind.STAND_IN:
                await self._stand_in_for(proposal.kind, proposal.seat or 0)

    async def _stand_in_for(self, kind: ProposalKind, seat: Seat) -> None:
        name = self.state.seats[seat].name
        if kind is ProposalKind.RESIGN:
            sentence = text("{name} has given up; a bot plays on.", name=name)
        else:
            sentence = text("A bot plays for {name} until they return.", name=name)
        await self._stand_in(seat, sentence, has_given_up=kind is ProposalKind.RESIGN)

    # -- visitors -------------------------------------------------------------------------------------------

    def _may_watch(self, user: str) -> bool:
        return self.state.phase == OPEN or self.state.created.watched or self._is_concerned(user)

    def _check_may_enter(self, user: str) -> None:
        self._check_not_closed()
        if not self.admits(user):
            raise NotPossible(text("This table is by invitation: join it with its code."))
        if not self._may_watch(user):
            raise NotPossible(text("This table does not admit spectators."))

    def enter(self, subscriber: Subscriber) -> None:
        """Show the table to another subscriber. Raises `NotPossible`."""
        self._check_may_enter(subscriber.user)
        self.subscribers.add(subscriber)
        self.publish()
        if not self._is_stopped:
            self._bots.wake()

    async def leave(self, subscriber: Subscriber) -> None:
        """Stop showing it to a subscriber who moves elsewhere; close a table that nobody needs."""
        self._discard(subscriber)
        await self.close_if_left()

    def lose(self, subscriber: Subscriber) -> None:
        """Handle a lost connection: people have time to come back before the table is closed."""
        self._discard(subscriber)
        if not self._is_stopped:
            self._expiry.wait_for_somebody()

    def _discard(self, subscriber: Subscriber) -> None:
        self.subscribers.discard(subscriber)
        self.touch()
        self.publish()

    def presence_changed(self, user: str) -> None:
        """Note that a user has come online or gone."""
        if self._is_concerned(user) and not self._is_stopped:
            self.touch()
            self.publish()
            self._expiry.wait_for_owner()
            # not awaited: this table may be waiting for its file, and others have to be notified as well
            spawn(self._follow(user), f"presence at {self.id}")

    async def miss_voters(self) -> None:
        """Stop waiting for those who were asked before the table came here, and are not. Raises `KkError`."""
        async with self._lock:
            for user in self.proposals.voters if self.proposals.is_recalled else ():
                if self._is_stopped or self.state.is_closed:
                    return
                if not self._context.presence.has(user):
                    await self.proposals.left(user)

    async def _follow(self, user: str) -> None:
        async with self._lock:
            if self._is_stopped or self.state.is_closed:
                return
            try:
                if self._context.presence.has(user):
                    await self._take_back(user)
                else:
                    await self.proposals.left(user)
            except KkError as error:
                _logger.warning("table not changed", table=self.id, error=type(error).__name__)

    # -- views -----------------------------------------------------------------------------------------------

    def share_key(self, viewpoint: Viewpoint) -> object:
        """Return the seat and the audience, which decide what a viewer sees and hears."""
        return viewpoint.seat, self.audience_of(viewpoint.user)

    def view(self, viewpoint: Viewpoint) -> TableView:
        """Return the table as a viewer may see it."""
        return self._views.view(viewpoint)

    def line(self) -> TableLine:
        """Return the table's line in the lobby."""
        return self._views.line()

    def summary(self) -> Summary:
        """Return the summary that describes the table without replaying it."""
        return self._views.summary()

    # -- closing ---------------------------------------------------------------------------------------------

    async def _close(self, reason: Text) -> None:
        await self._commit(Closed())
        for somebody in list(self.subscribers):
            somebody.send_away(reason)

    async def close_for(self, user: str) -> None:
        """Close the table for its owner, if nobody else is concerned. Raises `KkError`."""
        async with self._lock:
            self.check_table_owner(user)
            for holder in self.state.seats:
                if holder.owner not in (None, user):
                    raise NotPossible(text("{name} sits at this table.", name=holder.name))
            if self.subscribers:
                raise NotPossible(text("Somebody is at this table now."))
            if not self.state.is_closed:
                await self._commit(Closed())

    async def close_by_host(self, reason: Text) -> None:
        """Close the table, and notify its people, now or when they next come. Raises `KkError`."""
        async with self._lock:
            self._check_not_closed()
            people = {self.state.owner, *self.people()}
            here = {somebody.user for somebody in self.subscribers}
            await self._close(reason)
            for user in people - here:
                await self._leave_word(user, reason)

    async def close_if_left(self) -> None:
        """Close the table if nobody is here and nobody needs it. Raises `KkError`."""
        async with self._lock:
            if self._expiry.is_left() and not self._is_stopped:
                await self._commit(Closed())

    async def close_if_expired(self, now: float) -> None:
        """Close a table that nobody comes back to, and leave word for its people. Raises `KkError`."""
        async with self._lock:
            if self._is_stopped or not self._expiry.is_expired(now):
                return
            people = {self.state.owner, *self.people()}
            await self._commit(Closed())
            for user in people:
                await self._leave_word(user, self._words_on_expiry())

    def _words_on_expiry(self) -> Text:
        """Return what people are told when their table expires."""
        title = self.state.created.title
        if self.state.phase == PLAYING:
            return text("The match at {title} ended without a result: nobody returned.", title=title)
        return text("The table {title} has closed: nobody returned to it.", title=title)

    # -- loading and unloading -------------------------------------------------------------------------------

    async def keep_result(self) -> None:
        """Store the result and record of a finished match. Raises `KkError`."""
        if self.state.phase == FINISHED:
            await self._log_writer.keep_result()

    async def count(self, ended: Ended) -> bool:
        """Count a finished match for ratings and the like. Returns False if that could not be stored."""
        if not ended.rated:
            return True
        is_rated = await self.ratings.rate(ended)
        self.publish()
        self._context.line_changed(self.id)
        return is_rated

    async def result_kept(self) -> None:
        """Wait until the result of a match that has just ended is stored, or storing has failed."""
        # the lock is held from the end of the match until its result is stored
        async with self._log_writer.keeping:
            return

    async def keep_result_again(self) -> None:
        """Retry storing the result and record of a match if that has failed. Raises `KkError`."""
        if self.state.phase == FINISHED and not self.is_kept and not self._is_stopped:
            await self.keep_result()
            self._expiry.wait_for_somebody()

    async def resume(self) -> None:
        """Continue where the log stopped: bots play, and the record of a finished match is stored."""
        await self.keep_result()
        await self.timekeeper.resume()
        self._bots.wake()
        self._expiry.wait_for_somebody()
        self._expiry.wait_for_owner()
        self._expiry.wait_for_voters()

    async def follow_log(self) -> None:
        """Follow what another node has appended while this one was cut off. Raises `KkError`."""
        async with self._lock:
            await self._log_writer.read_anew()
            self.on_stored()
            if self.state.is_closed:
                for somebody in list(self.subscribers):
                    somebody.send_away(text("This table is gone."))

    def touch(self) -> None:
        """Note activity: a table is unloaded only some time after the last one."""
        self._touched = self._context.now()

    def may_unload(self, quiet: float) -> bool:
        """Return whether nobody is here, nothing is due, and nothing has happened for `quiet` seconds."""
        is_busy = self.subscribers or self._lock.locked() or self._is_stopped or self.state.is_closed
        if is_busy or self._context.now() - self._touched < quiet:
            return False
        # tables that are not needed are closed instead
        return self.is_needed and self.timekeeper.is_saved and self.bot_turn() is None

    def unload(self) -> None:
        """Stop for good."""
        self._is_stopped = True
        self._bots.stop()
        self._ahead.follow(None)
        self._expiry.stop()
        # only no longer watched: they run on, and `TimerQueue` knows when they end
        self.timekeeper.stop_watching()

    @property
    def transient(self) -> TransientState:
        """The state that the table's next object must know, and its log does not."""
        proposal = self.proposals.proposal
        return TransientState(
            self.term, self.shuffle.matches, self.shuffle.host_seed, dict(self.shuffle.added),
            self.chat.state, proposal, 0 if proposal is None else self.state.revision,
        )  # fmt: skip

    def follow_transient(self, transient: TransientState) -> None:
        """Follow what another node has stored while this one was cut off, in place of what is known here."""
        self._recall(transient)
        self._expiry.wait_for_voters()
        self.publish()

    def _recall(self, transient: TransientState) -> None:
        self.term = transient.term + 1
        self.chat = Chat(state=transient.chat)
        if transient.matches == self.state.matches:  # otherwise it is used, and perhaps known
            self.shuffle = Shuffle(transient.matches, transient.host_seed, transient.added)
        self.proposals.recall(transient.proposal)

    async def stop(self) -> None:
        """Finish storing and stop the bots; the table continues when the server next starts."""
        async with self._lock:
            self._is_stopped = True
            self._bots.stop()
            self._ahead.follow(None)
            self._expiry.stop()
            await self.timekeeper.stop()
