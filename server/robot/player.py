"""Follows a table, and asks the program whenever it is its turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from kk_core.errors import KkError
from kk_core.text import Text, text, texts
from kk_core.types import Move, Observation, Outcome, Seat
from kk_core.wire.link import LinkClosed
from kk_core.wire.messages import (
    MOST_LINES,
    Agree,
    Browse,
    ClientMessage,
    GoTo,
    Join,
    LeaveSeat,
    Look,
    Play,
    TakeSeat,
)
from kk_core.wire.views import LobbyView, MatchView, PlaceView, SeatView, TableView
from kk_tui.client import Refusal
from server.commands import Failure
from server.robot.claims import Claims
from server.robot.program import Program, ProgramLost
from server.robot.questions import move_of, observed, question, rules_of
from server.robot.seats import OPEN, claim_seat, tables_for
from server.robot.visit import Tell, Visit

_STANDING_UP: Final = 2.0
"""Seconds that a server has to take note that somebody stands up."""

_REFUSALS: Final = 5
_AFTER_REFUSAL: Final = 1.0
"""So often, and so many seconds apart, a move is sent that is possible and was refused."""

_NOWHERE: Final = text(
    "There is no seat of yours here. Say where to sit down: --table ID, --join CODE, or --any for the first "
    "free seat of anybody's table."
)

_KEPT: Final = text("The match goes on and the seat is kept: kk bot, started again, plays on there.")


class _Chosen(NamedTuple):
    """What the program has chosen, and when: it counts as long as there is the same to choose from."""

    match: bytes
    ply: int
    possible: tuple[Move, ...]
    move: Move


class Player:
    """A program at a server, for one match."""

    def __init__(
        self, visit: Visit, program: Program, news: asyncio.Event, claims: Claims, patience: float, tell: Tell
    ) -> None:
        """`news` is set when anything has changed at the server or with the program.

        `patience` is how many seconds the program has for an answer.
        """
        self._visit = visit
        self._program = program
        self._news = news
        self._claims = claims
        self._patience = patience
        self._tell = tell
        self._seat: Seat | None = None
        self._match: bytes | None = None  # by its commitment, once it has begun
        self._chosen: _Chosen | None = None
        self._refusals = 0
        self._at_any = False

    async def play(self, wanted: str | None, code: str | None = None, at_any: bool = False) -> None:
        """Take a seat, at the table of an identifier or an invitation or `at_any`, and play one match.

        A seat of its own comes first, where a match may go on already; without any of these it has no other.
        Raises `KkError`, `Failure`.
        """
        self._at_any = at_any
        try:
            if code is not None:
                wanted = await self._let_in(code)
            await self._sit_down(wanted)
            while not await self._has_begun():
                why = await self._why_gone()
                if wanted is not None:
                    raise Failure(why)
                self._tell(why)
                await self._sit_down(None)
            await self._play()
        except ProgramLost as lost:
            raise self._failure(lost.how) from None
        except asyncio.CancelledError:
            if self._match is not None:
                self._tell(_KEPT)
            raise
        finally:
            await self._stand_up()

    def _failure(self, how: Text) -> Failure:
        if self._match is None:
            return Failure(text("{what} before the match has begun.", what=how))
        return Failure(text("{what} in the middle of the match.", what=how), _KEPT)

    # -- a seat ----------------------------------------------------------------------------------------------

    async def _sit_down(self, wanted: str | None) -> None:
        """Raises `Failure` or `Refusal` where a certain table is wanted and has no seat."""
        tried: dict[str, Sequence[SeatView]] = {}
        is_told = False
        while True:
            try:
                await self._place()
                if await (self._sit_at(wanted) if wanted else self._sit_anywhere(tried)):
                    return
            except LinkClosed:
                tried.clear()
                continue
            await self._check_program()
            if not self._at_any:
                raise Failure(_NOWHERE)
            if not is_told:
                self._tell(text("No table has a free seat: waiting for one."))
                is_told = True
            await self._next()

    async def _let_in(self, code: str) -> str:
        """Go to the table of an invitation, and tell its identifier. Raises `Refusal`, `Failure`."""
        while True:
            await self._place()
            with suppress(LinkClosed):
                await self._visit.request(lambda n: Join(n, code))
                if isinstance(there := await self._place(), TableView):
                    return there.id

    async def _sit_anywhere(self, tried: dict[str, Sequence[SeatView]]) -> bool:
        """At the first table that lets it; those that did not are `tried` again when their seats change.

        Raises `LinkClosed`.
        """
        if not isinstance(lobby := await self._place(), LobbyView):
            await self._visit.request(lambda n: GoTo(n, None))
            lobby = await self._place()
        if not isinstance(lobby, LobbyView):
            raise LinkClosed(text("There is no connection yet."))  # it was made anew meanwhile
        while True:
            for line in tables_for(self._visit.user, lobby, at_any=self._at_any):
                if tried.get(line.id) != line.seats:
                    tried[line.id] = line.seats
                    with suppress(Failure, Refusal):  # somebody was quicker, or it is not for programs
                        return await self._sit_at(line.id)
            after = await self._next_tables(lobby) if self._at_any else None
            if after is None:
                return False
            lobby = after

    async def _next_tables(self, lobby: LobbyView) -> LobbyView | None:
        """The lobby with further open tables; None with the first ones again, where there are no others.

        Raises `LinkClosed`.
        """
        if not isinstance(await self._place(), LobbyView):
            await self._visit.request(lambda n: GoTo(n, None))
        first = lobby.first + len(lobby.others) if lobby.shows == OPEN else 0
        has_more = lobby.shows != OPEN or first < lobby.total
        if has_more or lobby.first:
            at = first if has_more else 0
            await self._visit.request(lambda n: Browse(n, at, MOST_LINES, OPEN))
        there = await self._place()
        if has_more and isinstance(there, LobbyView):
            return there
        self._news.clear()  # to have looked through them all is no news
        return None

    async def _sit_at(self, table: str) -> bool:
        """Take a seat there. Raises `Failure`, `Refusal`, `LinkClosed`."""
        await self._visit.request(lambda n: GoTo(n, table))
        there = await self._place()
        if not isinstance(there, TableView):
            raise LinkClosed(text("There is no connection yet."))  # it was made anew meanwhile
        seat = claim_seat(self._visit.user, there, self._claims)
        if there.seats[seat].owner is None:
            await self._take(table, seat)
        self._visit.table, self._visit.heard, self._seat = table, None, seat
        self._tell(_where(there, seat))
        return True

    async def _take(self, table: str, seat: Seat) -> None:
        try:
            await self._visit.request(lambda n: TakeSeat(n, seat))
        except Refusal:
            self._claims.give_up(table, seat)
            raise

    async def _has_begun(self) -> bool:
        """Wait for the match; False when there is no such table any more. Raises `Failure`."""
        while isinstance(table := await self._place(), TableView):
            if table.match is not None and table.phase != OPEN:
                self._match = table.match.commitment
                self._tell(_begun(table.match))
                return True
            if table.seats[self._own_seat].owner != self._visit.user:
                self._seat = None
                raise Failure(await self._why_gone())
            await self._check_program()
            await self._agree(table)
            await self._next()
        self._visit.table = self._seat = None
        return False

    async def _stand_up(self) -> None:
        """Nobody waits for a program that does not come to play; in a match its seat is kept."""
        if self._seat is not None and self._match is None:
            with suppress(KkError, TimeoutError):
                async with asyncio.timeout(_STANDING_UP):
                    await self._visit.request(lambda n: LeaveSeat(n, self._own_seat))

    # -- the match -------------------------------------------------------------------------------------------

    async def _play(self) -> None:
        """Do one thing after the other, and look anew each time. Raises `Failure`, `ProgramLost`."""
        while isinstance(table := await self._place(), TableView):
            match = table.match
            if match is None or table.phase == OPEN or match.commitment != self._match:
                raise Failure(text("The match was broken off; nobody has won it."))
            observation, holder = observed(match), table.seats[self._own_seat]
            if observation.outcome is not None:
                self._program.tell(question(rules_of(match), table, match, self._own_seat))
                self._tell(_result(table, observation, observation.outcome))
                return
            await self._agree(table)
            if table.viewer != self._own_seat:
                await self._try(lambda n: Look(n, self._own_seat))
            elif holder.stand_in is not None and not holder.has_given_up:
                await self._try(lambda n: TakeSeat(n, self._own_seat))
            elif observation.legal_moves and not holder.has_given_up:
                await self._move(table, match, observation)
            else:
                await self._check_program()
                await self._next()
        raise Failure(await self._why_gone())

    async def _move(self, table: TableView, match: MatchView, observation: Observation) -> None:
        """Ask the program, or make the move that it has chosen."""
        chosen, before = self._chosen, self._visit.tree
        if chosen is None or (chosen.match, chosen.possible) != (match.commitment, observation.legal_moves):
            self._chosen = await self._choose(table, match, observation)
            return
        try:
            await self._visit.request(lambda n: Play(n, self._own_seat, chosen.ply, chosen.move))
        except LinkClosed:
            return
        except Refusal as error:
            await self._take_refusal(error, is_late=match.ply != chosen.ply)
        else:
            self._chosen, self._refusals = None, 0
            while self._visit.tree is before:
                await self._next()

    async def _choose(self, table: TableView, match: MatchView, observation: Observation) -> _Chosen:
        rules = rules_of(match)
        try:
            asked = question(rules, table, match, self._own_seat)
            move = move_of(rules, await self._program.ask(asked, self._patience), observation)
        except Failure as error:
            raise Failure(*error.reasons, _KEPT) from None
        return _Chosen(match.commitment, match.ply, observation.legal_moves, move)

    async def _take_refusal(self, error: Refusal, *, is_late: bool) -> None:
        """The program is asked anew where the match has moved on; otherwise the server has no time now."""
        if is_late:
            self._chosen = None
            return
        self._refusals += 1
        if self._refusals > _REFUSALS:
            raise Failure(error.reason, _KEPT)
        await asyncio.sleep(_AFTER_REFUSAL)

    async def _agree(self, table: TableView) -> None:
        """Be ready to begin, and for what the others would like; a rated match is played to its end."""
        proposal = table.proposal
        if proposal is not None and self._visit.user in proposal.waits:
            yes = proposal.what == "start" or not table.rated
            with suppress(Refusal, LinkClosed):
                await self._visit.request(lambda n: Agree(n, yes=yes))

    # -- waiting ---------------------------------------------------------------------------------------------

    @property
    def _own_seat(self) -> Seat:
        assert self._seat is not None, "it sits"
        return self._seat

    async def _place(self) -> PlaceView:
        """The place, as soon as there is a connection. Raises `Failure`."""
        while (place := self._visit.place()) is None:
            await self._next()
        return place

    async def _next(self) -> None:
        await self._news.wait()
        self._news.clear()

    async def _try(self, make: Callable[[int], ClientMessage]) -> None:
        """Ask for something; where it is refused, look again when something has changed."""
        try:
            await self._visit.request(make)
        except LinkClosed:
            return
        except Refusal:
            await self._next()

    async def _check_program(self) -> None:
        self._program.check()
        if self._program.has_ended:
            raise await self._program.lost()

    async def _why_gone(self) -> Text:
        """What the server has said of it; it has, when it has answered something else."""
        with suppress(Refusal, LinkClosed):
            await self._visit.request(lambda n: GoTo(n, None))
        return self._visit.heard or text("The table is gone.")


def _where(table: TableView, seat: Seat) -> Text:
    where = text(
        "At the table {title} ({table}), on seat {n} of {seats}",
        title=table.title, table=table.id, n=seat + 1, seats=len(table.seats),
    )  # fmt: skip
    if table.phase == OPEN:
        return text("{where}: waiting for the match to begin.", where=where)
    return text("{where}.", where=where)


def _begun(match: MatchView) -> Text:
    if match.ply == 0:
        return text("The match has begun.")
    return texts("The match goes on after {n} move.", "The match goes on after {n} moves.", match.ply)


def _result(table: TableView, observation: Observation, outcome: Outcome) -> Text:
    names = [holder.name for holder in table.seats]
    points = ", ".join(f"{name} {n}" for name, n in zip(names, observation.points, strict=True))
    winners = ", ".join(names[seat] for seat in outcome.winners)
    won = text("Won by {players}.", players=winners) if winners else text("Nobody has won.")
    return text("The match is over: {points}. {won}", points=points, won=won)
