"""`health` for everybody; `close`, `drain` and `reload` for those who run the server."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import kk_core
from kk_core.text import text
from server.front.console.desk import Desk


async def health(desk: Desk, *, as_json: bool) -> None:
    """How the server is."""
    house = desk.house
    phases = house.hub.shelf.phases()
    figures: dict[str, Any] = {
        "status": "draining" if house.is_draining else "ok",
        "version": kk_core.__version__,
        "uptime": round(house.uptime),
        "people": len(house.hub.presence.users()),
        "sessions": house.visits.present,
        "connections": house.connections,
        "tables": {phase: phases[phase] for phase in ("open", "playing", "finished")},
        "tables_left_out": house.hub.left_out,
    }
    if as_json:
        await desk.tell_json(figures)
        return
    figures["uptime"] = str(timedelta(seconds=figures["uptime"]))
    for name, value in figures.items():
        shown = ", ".join(f"{n} {key}" for key, n in value.items()) if isinstance(value, dict) else value
        await desk.tell(f"{name.replace('_', ' ')}: {shown}")


async def close(desk: Desk, table_id: str) -> None:
    """Close a table. Raises `KkError`."""
    table = await desk.house.hub.table(table_id)
    await table.close_by_host(
        text("The host of this server has closed {title}.", title=table.state.created.title)
    )
    await desk.tell(text("Table {table} is closed.", table=table_id))


async def drain(desk: Desk, minutes: int | None) -> None:
    """Stop soon. Raises `KkError`."""
    told = desk.house.drain(minutes)
    if not desk.house.hub.presence.users():
        told = text("Nobody is here: this server stops now. All is stored.")
    await desk.tell(told)


async def reload(desk: Desk) -> None:
    """Take in settings and lists anew. Raises `KkError`."""
    for line in desk.house.reload():
        await desk.tell(line)
