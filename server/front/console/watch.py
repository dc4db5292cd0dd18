"""`watch`: a running match as lines, for people and for programs."""

from __future__ import annotations

import asyncio
from dataclasses import fields
from typing import Any

from kk_core.match import Match
from kk_core.registry import part_of
from kk_core.text import Text, text, texts
from kk_core.types import Event
from kk_core.wire.views import LogEntry
from server.front.console.desk import Desk, Refused
from server.front.console.look import as_tree, name_of, seats_of
from server.hub.table import Table


async def watch(desk: Desk, table_id: str, *, as_json: bool) -> None:
    """What spectators see of a running match: how it stands, its log, and its result. Raises `KkError`."""
    table = await desk.house.hub.table(table_id)
    match = table.match
    if match is None or table.is_open:
        raise Refused(text("No match goes on at this table now."))
    watcher = _Watcher(desk.asker.user)
    table.enter(watcher)
    try:
        telling = _Telling(desk, table, match, as_json=as_json)
        await telling.begin()
        while watcher.farewell is None and telling.goes_on:
            await watcher.news.wait()
            watcher.news.clear()
            await telling.go_on()
        await telling.end(watcher.farewell)
    finally:
        await table.leave(watcher)


class _Watcher:
    """Somebody who looks on without a screen."""

    def __init__(self, user: str) -> None:
        self.user = user
        self.news = asyncio.Event()
        self.farewell: Text | None = None

    def changed(self) -> None:
        self.news.set()

    def notify(self, sentence: Text, table: str | None = None) -> None:
        """Nothing: it is no line of the match."""

    def send_away(self, reason: Text) -> None:
        self.farewell = reason
        self.news.set()


class _Telling:
    """Tells one match to its end, and of every ply exactly what the log of a spectator has."""

    def __init__(self, desk: Desk, table: Table, match: Match, *, as_json: bool) -> None:
        self._desk, self._table, self._match, self._as_json = desk, table, match, as_json
        self._told: list[LogEntry] = []
        line = table.line()
        self._names = [seat.name for seat in line.seats]
        self._people = [name_of(desk, seat) for seat in line.seats]

    @property
    def goes_on(self) -> bool:
        """Whether this match goes on, and no other one has taken its place."""
        return self._table.match is self._match and not self._match.is_over

    async def begin(self) -> None:
        """How the table stands, and all that was done before."""
        line = self._table.line()
        if self._as_json:
            await self._desk.tell_json({"table": as_tree(self._desk, line)})
        else:
            game, people = self._match.game.meta.name, ", ".join(seats_of(self._desk, line))
            said = text(
                "{title}: {game}, round {n}: {people}", title=line.title, game=game, n=line.round,
                people=people,
            )  # fmt: skip
            await self._desk.tell(said)
        await self.go_on()

    async def go_on(self) -> None:
        """The plies that were not told yet, and first that others were taken back."""
        log = self._match.log(None)
        known = zip(self._told, log, strict=False)
        first = next(
            (n for n, (told, now) in enumerate(known) if told != now), min(len(self._told), len(log))
        )
        if first < len(self._told):
            await self._tell({"undone": first}, text("Taken back to ply {n}.", n=first))
        self._told = log
        for number, entry in enumerate(log[first:], first + 1):
            await self._tell_ply(number, entry)

    async def _tell_ply(self, number: int, entry: LogEntry) -> None:
        """Nothing in words where the log has none: while a choice is a secret, for example."""
        said = [self._desk.in_words(sentence) for sentence in self._sentences(entry)]
        if self._as_json:
            move = None if entry.move is None else self._match.game.format_move(entry.move)
            events = [_named(self._match, event) for event in entry.events]
            await self._desk.tell_json(
                {"ply": number, "seat": entry.seat, "player": self._names[entry.seat], "move": move,
                 "events": events, "words": said}
            )  # fmt: skip
            return
        head = f"{number}. "
        for sentence in said:
            await self._desk.tell(head + sentence)
            head = " " * len(head)

    def _sentences(self, entry: LogEntry) -> tuple[Text, ...]:
        game = self._match.game
        seen = game.observe(self._match.state, None)
        return tuple(game.describe(seen, self._names, entry.seat, entry.move, entry.events))

    async def end(self, farewell: Text | None) -> None:
        """What the match came to, or why it is told no more."""
        seen = self._match.game.observe(self._match.state, None)
        if seen.outcome is None:
            said = farewell or text("The match was broken off; nobody has won it.")
            await self._tell({"ended": self._desk.in_words(said)}, said)
            return
        winners = [self._names[seat] for seat in seen.outcome.winners]
        if self._as_json:
            sheet = zip(self._match.game.sheet, seen.sheet, strict=True)
            await self._desk.tell_json(
                {"points": dict(zip(self._names, seen.points, strict=True)), "winners": winners,
                 "sheet": [{"item": item, "points": list(points)} for item, points in sheet]}
            )  # fmt: skip
            return
        for name, points in zip(self._people, seen.points, strict=True):
            await self._desk.tell(texts("{player}: {n} point", "{player}: {n} points", points, player=name))
        if winners:
            people = ", ".join(self._people[seat] for seat in seen.outcome.winners)
            await self._desk.tell(text("Won by {players}.", players=people))
        else:
            await self._desk.tell(text("There is no winner: the tie could not be broken."))

    async def _tell(self, tree: dict[str, Any], said: Text) -> None:
        await (self._desk.tell_json(tree) if self._as_json else self._desk.tell(said))


def _named(match: Match, event: Event) -> dict[str, Any]:
    """An event by the names that docs/protocol.md has for it and its particulars."""
    meant = part_of(match.game.meta.id, "model").read_event(event)
    particulars = {field.name: _plain(getattr(meant, field.name)) for field in fields(meant)}
    return {"event": type(meant).__name__, **particulars}


def _plain(value: Any) -> Any:
    """A value as JSON has it; bytes are lists of numbers."""
    return [_plain(part) for part in value] if isinstance(value, bytes | tuple) else value
