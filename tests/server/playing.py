"""Matches that several clients play with each other."""

from __future__ import annotations

from collections.abc import Callable

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
