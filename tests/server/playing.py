"""Matches that several clients play with each other."""

from __future__ import annotations

from collections.abc import Callable

from kk_core.protocol.messages import Play, TakeSeat
from kk_core.types import Move, Seat
from tests.server.client import Client


async def begin_match(clients: list[Client]) -> list[Client]:
    """The first one starts the match of their table, and all see it."""
    await clients[0].start()
    for client in clients:
        await client.until(lambda c: c.table.match is not None)
    return clients


async def finish(
    *clients: Client, choose: Callable[[Client, Seat], Move] = lambda c, _: c.observation.legal_moves[0]
) -> None:
    """Play to the end, by default the first legal moves; clients in the order of their seats."""
    first = clients[0]
    while first.observation.outcome is None:
        seat = first.observation.active[0]
        client = clients[seat]
        await client.until(lambda c, ply=first.match.ply: c.match.ply >= ply)
        await client.play(seat, choose(client, seat))
        await first.until(lambda c, ply=client.match.ply: c.match.ply >= ply)
    for client in clients:
        await client.until(lambda c: c.table.phase == "finished")


async def play_on(client: Client, user: str) -> None:
    """Play a user's own seat to the end, whatever bots and clocks do meanwhile; not all do the same."""
    while client.table.phase == "playing":
        revision = client.revision
        (seat,) = (number for number, view in enumerate(client.table.seats) if view.owner == user)
        if client.table.seats[seat].stand_in is not None:
            await client.ask(TakeSeat, seat)
        elif seat in client.observation.active:
            await client.ask(Play, seat, client.match.ply, client.observation.legal_moves[-seat])
        else:
            await client.until(lambda c, revision=revision: c.revision > revision)
