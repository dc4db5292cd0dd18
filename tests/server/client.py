"""A client for tests: numbers its requests, keeps its copy of the place, remembers all it was sent."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any, TypeVar

from kk_core.protocol.frames import decode_server_message, encode_message
from kk_core.protocol.messages import (
    ClientMessage,
    Delta,
    Done,
    Goodbye,
    GoTo,
    Look,
    OpenTable,
    Play,
    Refused,
    ServerMessage,
    SetBot,
    Snapshot,
    Start,
    TakeSeat,
)
from kk_core.protocol.stream import ClientLink, LinkClosed
from kk_core.text import Text
from kk_core.tree import fingerprint, patch
from kk_core.types import CommonObservation, Seat, Tree
from kk_core.views import LobbyView, MatchView, PlaceView, TableView, decode_place
from tests.waiting import patience

M = TypeVar("M", bound=ServerMessage)


class Client:
    """Follows one link; every message goes over the wire format once, as it would over a network."""

    def __init__(self, link: ClientLink) -> None:
        self.link = link
        self.sent: list[ServerMessage] = []
        self.trees: list[tuple[int, Tree]] = []
        self.goodbye: Text | None = None
        self._numbers = count(1)
        self._replies: dict[int, ServerMessage] = {}
        self._changed = asyncio.Condition()
        self._task = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        while True:
            try:
                message = decode_server_message(encode_message(await self.link.receive()))
            except LinkClosed:
                message = Goodbye(Text("closed")) if self.goodbye is None else Goodbye(self.goodbye)
                async with self._changed:
                    self.goodbye = message.reason
                    self._changed.notify_all()
                return
            async with self._changed:
                self._take(message)
                self._changed.notify_all()

    def _take(self, message: ServerMessage) -> None:
        self.sent.append(message)
        match message:
            case Snapshot():
                self.trees.append((message.revision, message.tree))
            case Delta():
                self.trees.append((message.revision, self._patched(message)))
            case Goodbye():
                self.goodbye = message.reason
            case _:
                self._replies[getattr(message, "request", 0)] = message

    def _patched(self, delta: Delta) -> Tree:
        assert fingerprint(self.tree) == delta.base
        return patch(self.tree, delta.patch)

    # -- what it knows ---------------------------------------------------------------------------------------

    @property
    def tree(self) -> Tree:
        return self.trees[-1][1]

    @property
    def revision(self) -> int:
        return self.trees[-1][0]

    @property
    def place(self) -> PlaceView:
        return decode_place(self.tree)

    @property
    def lobby(self) -> LobbyView:
        place = self.place
        assert isinstance(place, LobbyView)
        return place

    @property
    def table(self) -> TableView:
        place = self.place
        assert isinstance(place, TableView)
        return place

    @property
    def match(self) -> MatchView:
        match = self.table.match
        assert match is not None
        return match

    @property
    def observation(self) -> CommonObservation:
        return self.match.observed(CommonObservation)

    async def until(self, condition: Any) -> None:
        """Wait until something is true of this client."""
        async with asyncio.timeout(patience()), self._changed:
            await self._changed.wait_for(lambda: bool(self.trees) and condition(self))

    async def until_closed(self) -> None:
        async with asyncio.timeout(patience()):
            await self._task

    # -- what it asks ----------------------------------------------------------------------------------------

    async def ask(self, shape: Any, *args: Any) -> ServerMessage:
        """Send a request and wait for its answer."""
        request = next(self._numbers)
        message: ClientMessage = shape(request, *args)
        await self.link.send(message)
        async with asyncio.timeout(patience()), self._changed:
            await self._changed.wait_for(lambda: request in self._replies or self.goodbye is not None)
        return self._replies[request]

    async def do(self, shape: Any, *args: Any) -> None:
        """Send a request that must be carried out."""
        reply = await self.ask(shape, *args)
        assert isinstance(reply, Done), str(reply)

    async def refused(self, shape: Any, *args: Any) -> str:
        """Send a request that must be refused; gives the sentence."""
        reply = await self.ask(shape, *args)
        assert isinstance(reply, Refused), str(reply)
        return str(reply.reason)

    async def open(
        self, game: str, seats: int, options: dict[str, str] | None = None, title: str = ""
    ) -> str:
        await self.do(OpenTable, game, options or {}, seats, title)
        return self.table.id

    async def go_to(self, table: str | None) -> None:
        await self.do(GoTo, table)

    async def sit(self, *seats: Seat) -> None:
        for seat in seats:
            await self.do(TakeSeat, seat)

    async def seat_bots(self, *seats: Seat, bot: str = "random") -> None:
        for seat in seats:
            await self.do(SetBot, seat, bot)

    async def start(self) -> None:
        await self.do(Start)

    async def look(self, seat: Seat | None) -> None:
        await self.do(Look, seat)

    async def play(self, seat: Seat, move: int) -> None:
        await self.do(Play, seat, self.match.ply, move)

    async def play_to_the_end(self) -> None:
        """Play the first legal move of whichever of its seats is to move, until the match is over."""
        while self.observation.outcome is None:
            own = [seat for seat, view in enumerate(self.table.seats) if view.owner is not None]
            seat = next((seat for seat in self.observation.active if seat in own), None)
            if seat is None:
                await self.until(lambda c: not _only_bots(c))
                continue
            if self.table.viewer != seat:
                await self.look(seat)
            await self.play(seat, self.observation.legal_moves[0])

    async def close(self) -> None:
        await self.link.close()
        await self._task


def _only_bots(client: Client) -> bool:
    active = client.observation.active
    return bool(active) and all(client.table.seats[seat].bot is not None for seat in active)
