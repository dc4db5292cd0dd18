"""`history` and `record`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from kk_core.record import format_record, record_of
from kk_core.text import quoted, text
from kk_core.wire.past import PastMatch
from server.front.console.columns import in_columns
from server.front.console.desk import Desk, Refused
from server.front.console.look import program_name

_MATCH: Final = re.compile(r"(?P<table>[0-9a-f]{1,16})(?:-(?P<number>[1-9][0-9]{0,5}))?")


async def history(desk: Desk, skip: int, *, as_json: bool) -> None:
    """The matches that who asks has played, the newest first, after the first `skip`. Raises `KkError`."""
    matches, has_older = await desk.house.hub.history.lines(desk.asker.user, skip)
    lines = [
        {
            "id": f"{match.table}-{match.match}", "ended": datetime.fromtimestamp(match.at, UTC).isoformat(),
            "game": match.game, "points": dict(zip(match.names, match.points, strict=True)),
            "winners": [match.names[seat] for seat in match.winners],
            "programs": [match.names[seat] for seat in match.programs],
        }
        for match in matches
    ]  # fmt: skip
    if as_json:
        await desk.tell_json(lines)
        return
    rows = [
        (str(line["id"]), str(line["ended"])[:10], match.game,
         ", ".join(_people(desk, match)))
        for line, match in zip(lines, matches, strict=True)
    ]  # fmt: skip
    for row in in_columns(rows):
        await desk.tell(row)
    if has_older:
        await desk.tell(text("Older ones: history --skip {n}", n=skip + len(lines)))
    elif not lines and skip:
        await desk.tell(text("You have played no more matches than that."))
    elif not lines:
        await desk.tell(text("You have played no match to its end yet."))


def _people(desk: Desk, match: PastMatch) -> Iterator[str]:
    """Everybody with their points."""
    for seat, (name, points) in enumerate(zip(match.names, match.points, strict=True)):
        yield f"{program_name(desk, name) if seat in match.programs else name} {points}"


async def record(desk: Desk, name: str, *, signature: bool) -> None:
    """The record of a match that has ended, or its signature. Raises `KkError`."""
    parts = _MATCH.fullmatch(name)
    if parts is None:
        raise Refused(
            text("{name} is no match; `history` and `tables` show their numbers.", name=quoted(name))
        )
    number = int(parts["number"]) if parts["number"] else None
    match = await desk.house.hub.history.ended(desk.asker.user, parts["table"], number)
    content = format_record(record_of(match)).encode()
    if signature:
        content = (desk.house.hub.sign(content) or "").encode()
    await desk.give(content)
