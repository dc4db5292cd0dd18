"""The match at a table: beginning, moves, and bots."""

from __future__ import annotations

from msgspec.structs import replace

from kk_core.bots.watching import Known
from kk_core.match import Match
from kk_core.text import Text, text, texts
from kk_core.types import Ends, Move, Seat, Sheet
from kk_core.wire.advice import Advice
from server.hub.bots import BotTurn
from server.hub.place import NotPossible
from server.hub.seating import Seating
from server.hub.shuffle import Shuffle
from server.hub.table_context import TableContext
from server.hub.table_state import TableState
from server.storage.entries import Holder, Moved, Reopened, Seated, Started, Undone
from server.storage.kept import keep_data_of
from server.storage.summaries import OPEN, PLAYING


class Playing(Seating):
    """What people and bots do in a match."""

    def __init__(self, table_id: str, state: TableState, context: TableContext) -> None:
        super().__init__(table_id, state, context)
        self._waited_for: frozenset[str | None] = frozenset()
        self._begun = state.matches

    async def start(self, user: str, seed: bytes | None = None) -> None:
        """Begin the match; with a seed only where nobody has to be surprised by the cards."""
        async with self._lock:
            self._check_table_owner(user)
            self._check_startable()
            await self._begin(self.state.seats, seed)

    def _check_startable(self) -> None:
        if self.state.phase != OPEN:
            raise NotPossible(text("The match has begun already."))
        if any(holder.is_free for holder in self.state.seats):
            raise NotPossible(text("A seat is still free: sit down there, or give it to a bot."))

    async def _begin(self, seats: tuple[Holder, ...], seed: bytes | None = None) -> None:
        rules, added = self.state.rules, () if seed else self.shuffle.contributions(seats)
        drawn = (seed or self.shuffle.host_seed).hex()
        kept, drawing = await keep_data_of(self._context.log, rules, rules.drawing)
        await self._commit(
            Started(drawn, rules.rules_version, seats, kept, drawing=drawing, contributions=added)
        )
        self.shuffle = Shuffle()
        unwanted = [somebody for somebody in self.subscribers if not self._may_watch(somebody.user)]
        for somebody in unwanted:
            somebody.send_away(text("The match has begun; at this table nobody looks on."))
        if unwanted:
            self.publish()

    async def contribute(self, user: str, drawn: bytes) -> None:
        """Add somebody's bytes to the next shuffle; not while it is made. Raises `NotPossible`."""
        async with self._lock:
            if not self.seats_of(user):
                raise NotPossible(text("Only those who sit here add to the shuffle."))
            if self.state.phase == PLAYING:
                raise NotPossible(text("The cards of this match are shuffled already."))
            self.shuffle.add(user, drawn)
            self.publish()

    async def _again(self) -> None:
        """Another match with those who are here; the start player moves on by one seat.

        Where somebody is gone, it waits until others have taken the seats.
        """
        seats = self._moved_on()
        gone = ", ".join(holder.name for holder in self.state.seats if self._is_gone(holder))
        if any(holder.is_free for holder in seats):
            await self._commit(Reopened(seats))
            self.tell(text("The rematch waits until all seats are taken; not here: {names}.", names=gone))
        else:
            await self._begin(seats)

    def _moved_on(self) -> tuple[Holder, ...]:
        """The seats of the next match; those who are gone have none."""
        fresh = tuple(
            Holder() if self._is_gone(holder) else replace(holder, stand_in=None, has_given_up=False)
            for holder in self.state.seats
        )
        return fresh[1:] + fresh[:1]

    def _is_gone(self, holder: Holder) -> bool:
        return holder.owner is not None and not self._context.presence.has(holder.owner)

    async def play(self, user: str, seat: Seat, ply: int, move: Move, *, is_program: bool = False) -> None:
        """Make a move for a seat of one's own; one on which a program has played is that of a program."""
        async with self._lock:
            match = self._running()
            holder = self._holder(seat)
            self._check_player(user, seat)
            match.check_fresh(seat, ply)
            match.check_move(seat, move)
            if is_program and not holder.program:
                await self._seat_anew(seat, replace(holder, program=True))
            await self._move(match, seat, move)

    async def undo(self, user: str, seat: Seat) -> None:
        """Take back the last step of a seat of one's own."""
        async with self._lock:
            match = self._running()
            self._holder(seat)
            self._check_player(user, seat)
            match.check_undo(seat)
            await self._commit(Undone(seat))

    def why_not(self, user: str, seat: Seat, move: Move) -> Text | None:
        """Why a seat of one's own cannot make a move."""
        match = self._running()
        self._holder(seat)
        self._check_owner(user, seat)
        return match.game.why_not(match.state, seat, move)

    def preview(self, user: str, seat: Seat, move: Move) -> tuple[Sheet | None, Ends]:
        """The points after a move of a seat of one's own, if it shows nothing new; and what it would end."""
        match = self._running()
        self._holder(seat)
        self._check_owner(user, seat)
        return match.preview(seat, move), match.ends(seat, move)

    async def hint(self, user: str, seat: Seat) -> tuple[Advice, ...]:
        """What one might do with a seat of one's own. Raises `KkError`."""
        match = self._running()
        self._holder(seat)
        self._check_owner(user, seat)
        if not self.has_hints:
            raise NotPossible(text("At this table nobody gets hints."))
        known = Known(moves=tuple(match.seen_by(seat)))
        return await self._context.chooser.advise(match.game, match.game.observe(match.state, seat), known)

    async def _move(self, match: Match, seat: Seat, move: Move) -> None:
        """Make a move that was checked."""
        await self._commit(Moved(f"{seat} {match.game.format_move(move)}"))

    # -- bots ------------------------------------------------------------------------------------------------

    def bot_turn(self) -> BotTurn | None:
        """The turn of the first active seat of a bot; none where bots are among themselves, unseen."""
        match = self.state.match
        if match is None or self.state.is_closed or not (self.subscribers or self._has_people()):
            return None
        for seat in match.game.active_seats(match.state):
            name = self.state.seats[seat].player
            if name is not None:
                return BotTurn(seat, name, match, match.game.observe(match.state, seat), match.state)
        return None

    def _has_people(self) -> bool:
        return any(holder.owner is not None for holder in self.state.seats)

    def is_current(self, turn: BotTurn) -> bool:
        """Whether everything is still as it was when a bot was asked."""
        state = self.state
        is_same = state.match is not None and state.match.state is turn.state
        return is_same and not state.is_closed and state.seats[turn.seat].player == turn.bot

    async def play_bot(self, turn: BotTurn, move: Move) -> None:
        """Make the move of a bot, if everything is still as it was when it was asked."""
        async with self._lock:
            if self.state.match is not None and self.is_current(turn):
                self.state.match.check_move(turn.seat, move)
                await self._move(self.state.match, turn.seat, move)

    # -- bots for people -------------------------------------------------------------------------------------

    async def _stand_in(self, seat: Seat, sentence: Text, *, has_given_up: bool = False) -> None:
        """A bot plays for somebody from now on; all are told by a sentence with his name."""
        holder = self.state.seats[seat]
        stand_in = self.state.created.stand_in
        await self._seat_anew(seat, replace(holder, stand_in=stand_in, has_given_up=has_given_up))
        self.tell(sentence)

    async def take_seat(self, user: str, seat: Seat, name: str, *, is_program: bool = False) -> None:
        """Sit down; in a match, take one's own seat back from the bot that plays there. Raises `KkError`."""
        async with self._lock:
            is_own = self.state.phase == PLAYING and seat in self.seats_of(user)
            if is_own and self.state.seats[seat].stand_in is not None:
                await self._take_back(user)
                return
        await super().take_seat(user, seat, name, is_program=is_program)

    def call_up(self) -> None:
        """Tell those who are waited for now, and look elsewhere; at the beginning, all who sit here."""
        match, title = self.state.match, self.state.created.title
        if match is None or self.state.phase != PLAYING:
            self._waited_for = frozenset()
            return
        seats = self.state.seats
        active = {
            seats[seat].owner for seat in match.game.active_seats(match.state) if not seats[seat].player
        }
        waited_for, has_begun = frozenset(active), self._begun != self.state.matches
        called = set(self._people()) if has_begun else waited_for - self._waited_for
        self._waited_for, self._begun = waited_for, self.state.matches
        begun = text("The match at {title} has begun.", title=title)
        for user in called - {None} - {somebody.user for somebody in self.subscribers}:
            sentence = text("Your turn at {title}.", title=title) if user in waited_for else begun
            self._context.tell(user or "", sentence, self.id)

    async def time_is_over(self, seats: tuple[Seat, ...]) -> None:
        """Bots play for those who have used up their time. Raises `KkError`."""
        async with self._lock:
            if self._is_stopped:
                return
            for seat in seats:
                if seat in self.timekeeper.over() and self.state.seats[seat].player is None:
                    name = self.state.seats[seat].name
                    sentence = text(
                        "The time of {name} is over: a bot plays until {name} takes the seat back.", name=name
                    )
                    await self._stand_in(seat, sentence)

    async def _take_back(self, user: str) -> None:
        """The seats that bots play for somebody are their own again; they are told what the bots did."""
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
            self.timekeeper.give_back(seat)
        await self._commit(Seated(tuple(seats)))
        self.tell(text("{name} is back and plays on.", name=seats[back[0]].name), but=user)
        self._context.tell(user, self._deeds(back), None)

    def _deeds(self, seats: list[Seat]) -> Text:
        """What bots have done for somebody on these seats."""
        title = self.state.created.title
        moves = sum(self.state.stood_in[seat] for seat in seats)
        if not moves:
            return text("You have your seat at {title} again; the bot has made no move for you.", title=title)
        return texts(
            "You have your seat at {title} again; the bot has made {n} move for you.",
            "You have your seat at {title} again; the bot has made {n} moves for you.",
            moves, title=title,
        )  # fmt: skip
