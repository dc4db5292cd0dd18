"""Commands that query something: `tables`, `who`, `leaderboard`, `day`, `watch`, `history`, `record` and
`health`; `close`, `drain` and `reload` for admins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import Any, Final

import kk_core
from kk_core.bot_names import level_of
from kk_core.daily import daily_words, share_text
from kk_core.match import Match
from kk_core.protocol.messages import more_of_title
from kk_core.record import format_record, record_of
from kk_core.registry import game as game_of
from kk_core.registry import game_ids, part_of
from kk_core.text import Text, quoted, text, text_in, texts
from kk_core.types import Event
from kk_core.views import DailyTable, LeaderLine, LogEntry, PastMatch, SeatView, TableLine, is_guest
from kk_server.hub.history import NoMatchName
from kk_server.log import get_logger
from kk_server.storage.summaries import FINISHED, OPEN, PLAYING
from kk_server.tables.nodes import Elsewhere
from kk_server.tables.table import Table
from kk_server.visits.console.context import CommandContext, CommandRefused, in_columns
from kk_server.visits.orders import Close

_PHASES: Final = {
    OPEN: text_in("table", "open"),
    PLAYING: text_in("table", "playing"),
    FINISHED: text_in("table", "finished"),
}


_TABLE_COLUMNS: Final = (
    text("ID"), text("game"), text_in("console", "state"), text("round"),
    text("title: players, * has the turn"),
)  # fmt: skip
_CHOICES: Final = 10
"""Tables that are offered by their IDs."""

_USER_COLUMNS: Final = (text("name"), text("at table"), text("address"), text("key"))


async def tables(context: CommandContext, *, as_json: bool) -> None:
    """List the tables that a user may enter; for admins all, with who opened them."""
    is_admin = context.asker.is_admin
    lines = context.server.hub.lobby.lines(None if is_admin else context.asker.user)
    openers = {table: summary.created.host for table, summary in context.server.hub.table_cache.summaries()}
    if as_json:
        shown = [as_tree(context, line) | _opened(context, openers[line.id]) for line in lines]
        await context.tell_json(shown)
        return
    if not lines:
        await context.tell(text("No table is open."))
        return
    rows, notes = [tuple(map(context.in_words, _TABLE_COLUMNS))], list[Sequence[Text]]([()])
    for line in lines:
        phase, seats = context.in_words(_PHASES[line.phase]), ", ".join(seats_of(context, line))
        rows.append((
            line.id, _short_name(context, line.game), phase, str(line.round or "-"), f"{line.title}: {seats}"
        ))  # fmt: skip
        said = list[Text]()
        if line.unplayable is not None:
            said.append(text("This table can't be continued here: {reason}", reason=line.unplayable))
        if is_admin:
            said.append(_opened_words(context, line, openers[line.id]))
        notes.append(said)
    for row, below in zip(in_columns(rows, right=(3,)), notes, strict=True):
        await context.tell(row)
        for note in below:
            await context.tell(f"{'':8}  {context.in_words(note)}")


def _short_name(context: CommandContext, game: str) -> str:
    """Return what follows the colon in a game's name, or its identifier if it is not known here."""
    if game not in game_ids():
        return game
    return context.in_words(game_of(game).meta.name).rpartition(": ")[2]


def _opened(context: CommandContext, opener: str) -> dict[str, Any]:
    if not context.asker.is_admin:
        return {}
    return {"opened_by": opener, "addresses": context.server.visits.addresses_of(opener)}


def _opened_words(context: CommandContext, line: TableLine, opener: str) -> Text:
    addresses = ", ".join(context.server.visits.addresses_of(opener)) or "-"
    if line.private:
        return text("by invitation; opened by {user}, {addresses}", user=opener, addresses=addresses)
    return text("opened by {user}, {addresses}", user=opener, addresses=addresses)


def seats_of(context: CommandContext, line: TableLine) -> Iterator[str]:
    """Yield the people at a table in seat order, with points and a mark for whose turn it is."""
    for seat, holder in enumerate(line.seats):
        points = f" {line.points[seat]}" if line.points else ""
        turn = "*" if seat in line.active else ""
        yield f"{turn}{name_of(context, holder)}{points}"


def name_of(context: CommandContext, holder: SeatView) -> str:
    """Return a seat's name, with a mark if it is not a person's."""
    if holder.program:
        return program_name(context, holder.name)
    if holder.bot is not None:
        return context.in_words(text("{name} ({level} bot)", name=holder.name, level=level_of(holder.bot)))
    return holder.name or context.in_words(text("free"))


def program_name(context: CommandContext, name: str) -> str:
    """Return the name of a program, with its mark."""
    return context.in_words(text("{name} (program)", name=name))


def as_tree(context: CommandContext, line: TableLine) -> dict[str, Any]:
    """Return a table as a JSON tree."""
    return {
        "id": line.id, "title": line.title, "game": line.game, "phase": line.phase, "round": line.round,
        "owner": line.owner, "private": line.private, "watched": line.watched,
        "changed": datetime.fromtimestamp(line.at, UTC).isoformat(),
        "unplayable": None if line.unplayable is None else context.in_words(line.unplayable),
        "seats": [
            {
                "name": holder.name or None, "user": holder.owner, "bot": holder.bot or holder.stand_in,
                "program": holder.program, "here": holder.online,
                "points": line.points[seat] if line.points else None, "to_move": seat in line.active,
            }
            for seat, holder in enumerate(line.seats)
        ],
    }  # fmt: skip


async def who(context: CommandContext, *, as_json: bool) -> None:
    """List who is online and at which public tables; for admins with address and key."""
    asker, server = context.asker, context.server
    # unloaded tables have no visitors; at which tables of other nodes their people are, only these know
    people: dict[str, list[str]] = {user: [] for user in server.hub.presence.users()}
    for table in server.hub.tables.values():
        if asker.is_admin or table.admits(asker.user):
            for user in {somebody.user for somebody in table.subscribers} & people.keys():
                people[user].append(table.id)
    for user, elsewhere in server.hub.sessions.away():
        listed = server.hub.table_cache.unloaded.get(elsewhere)
        if user in people and (asker.is_admin or (listed is not None and listed.admits(asker.user))):
            people[user].append(elsewhere)
    trees = [
        {"user": user, "program": server.hub.presence.is_program(user), "tables": sorted(set(tables)),
         **_nodes(context, user), **_sessions(context, user)}
        for user, tables in people.items()
    ]  # fmt: skip
    if as_json:
        await context.tell_json(trees)
        return
    if not trees:
        await context.tell(text("Nobody is online."))
        return
    rows = [tuple(map(context.in_words, _USER_COLUMNS[: 4 if asker.is_admin else 2]))]
    for tree in trees:
        name = program_name(context, tree["user"]) if tree["program"] else tree["user"]
        connections = [(one["address"], one["key"] or "-") for one in tree.get("sessions", [])]
        connections += [
            (context.in_words(text("node {node}", node=each)), "-") for each in tree.get("nodes", ())
        ]
        for own, table, connection in zip_longest([name], tree["tables"] or ["-"], connections):
            more = (connection or ("", "")) if asker.is_admin else ()
            rows.append((own or "", table or "", *more))
    for row in in_columns(rows):
        await context.tell(row)


def _nodes(context: CommandContext, user: str) -> dict[str, Any]:
    """Return the other nodes where a user is, which know more; only for admins."""
    nodes = context.server.hub.presence.nodes_of(user) if context.asker.is_admin else []
    return {"nodes": nodes} if nodes else {}


def _sessions(context: CommandContext, user: str) -> dict[str, Any]:
    if not context.asker.is_admin:
        return {}
    visits = context.server.visits.of(user)
    return {"sessions": [{"address": one.caller.address, "key": one.caller.fingerprint} for one in visits]}


async def leaderboard(context: CommandContext, game: str | None, *, as_json: bool) -> None:
    """List the best players of a game, or of all games. Raises `KkError`."""
    games = game_ids() if game is None else (game,)
    boards = {each: context.server.hub.leaders(context.asker.user, each) for each in games}
    if as_json:
        await context.tell_json({each: [_leader(line) for line in board] for each, board in boards.items()})
        return
    rows = [_leader_row(context, each, line) for each, board in boards.items() for line in board]
    for line in in_columns(rows, right=(1, 3, 4)):
        await context.tell(line)
    if not rows:
        await context.tell(text("Nobody has a rating yet."))


def _leader_row(context: CommandContext, game: str, line: LeaderLine) -> tuple[str, ...]:
    return (
        game,
        f"{line.place}." if line.place else "-",
        line.name,
        f"{line.rating.shown}{' ' if line.rating.is_settled else '?'}",
        context.in_words(text("{played} played,", played=line.played)),
        context.in_words(text("{won} won", won=f"{line.won:g}")),
    )


def _leader(line: LeaderLine) -> dict[str, Any]:
    return {
        "place": line.place or None, "name": line.name, "rating": line.rating.shown,
        "settled": line.rating.is_settled, "played": line.played, "won": line.won,
    }  # fmt: skip


async def day(context: CommandContext, game: str | None, typed: str, *, share: bool, as_json: bool) -> None:
    """Show how a deal of the day went, in one game or all, or the text to share. Raises `KkError`."""
    games = game_ids() if game is None else (game,)
    hub, user = context.server.hub, context.asker.user
    tables = [await hub.daily_table(user, each, typed) for each in games]
    if share:
        await _share(context, tables)
    elif as_json:
        await context.tell_json({table.game: _daily_tree(table) for table in tables})
    else:
        for number, table in enumerate(tables):
            if number:
                await context.tell("")
            for line in _daily_lines(context, table):
                await context.tell(line)


async def _share(context: CommandContext, tables: list[DailyTable]) -> None:
    done = [table for table in tables if table.own is not None]
    if not done:
        raise CommandRefused(text("You haven't finished that deal of the day, so there is nothing to share."))
    for table in done:
        for line in share_text(table, game_of(table.game).meta.name):
            await context.tell(line)


def _daily_lines(context: CommandContext, table: DailyTable) -> Iterator[str]:
    name = game_of(table.game).meta.name
    head = texts("{game}, deal of the day {day} (UTC), against {n} {level} bot",
                 "{game}, deal of the day {day} (UTC), against {n} {level} bots",
                 table.seats - 1, game=name, day=table.day, level=level_of(table.bot))  # fmt: skip
    yield context.in_words(head)
    won = context.in_words(text("won"))
    yield from in_columns(
        [(f"{line.place}.", line.name, str(line.points), won if line.won else "") for line in table.lines],
        right=(0, 2),
    )
    for said in daily_words(table, is_guest=is_guest(context.asker.user)):
        yield context.in_words(said)


def _daily_tree(table: DailyTable) -> dict[str, Any]:
    return {
        "day": table.day, "over": table.is_over, "seats": table.seats, "bot": table.bot,
        "commitment": table.commitment.hex(), "seed": None if table.seed is None else table.seed.hex(),
        "finished": table.finished, "tried": table.tried, "table": table.table, "streak": table.streak,
        "earlier": table.earlier, "later": table.later, "signs": table.signs or None,
        "place": None if table.own is None else table.own.place,
        "lines": [
            {"place": line.place, "name": line.name, "points": line.points, "won": line.won}
            for line in table.lines
        ],
    }  # fmt: skip


async def watch(context: CommandContext, words: str, *, as_json: bool) -> None:
    """Print a running match as spectators see it: the table, the log, and the result. Raises `KkError`."""
    try:
        table = await _table_called(context, words)
    except Elsewhere as elsewhere:
        await context.ask_home_of(elsewhere)
        return
    match = table.match
    if match is None or match.is_over:
        raise CommandRefused(text("No match is running at this table."))
    # entering as a subscriber checks that the user may watch
    watcher = _Watcher(context.asker.user)
    table.enter(watcher)
    try:
        telling = _Telling(context, table, match, as_json=as_json)
        await telling.begin()
        while watcher.farewell is None and telling.goes_on:
            await watcher.news.wait()
            watcher.news.clear()
            await telling.go_on()
        await telling.end(watcher.farewell)
    finally:
        await table.leave(watcher)


async def _table_called(context: CommandContext, words: str) -> Table:
    """Return a table by its identifier, its title, or somebody there. Raises `KkError`."""
    hub = context.server.hub
    if words in hub.table_cache.loaded or words in hub.table_cache.unloaded:
        return await hub.table(words)
    found = await hub.lobby.search(context.asker.user, words)
    if found.table is not None:
        return await hub.table(found.table)
    if not found.n:
        raise CommandRefused(
            text("There is no table {table}, and nobody of that name is at one.", table=repr(words))
        )
    if len(found.titles) > 1:
        raise CommandRefused(more_of_title(found.titles, found.n))
    return await hub.table(_chosen(context, found.titles[0], found.tables))


def _chosen(context: CommandContext, title: str, tables: Collection[str]) -> str:
    """Return one of several tables with the same title: the only one where a match is running, if any is.

    Raises `CommandRefused`, with their IDs, if that leaves several.
    """
    called = [line for line in context.server.hub.lobby.lines(context.asker.user) if line.id in tables]
    lines = [line for line in called if line.phase == PLAYING] or called
    if len(lines) == 1:
        return lines[0].id
    if not lines:  # they are gone meanwhile
        raise CommandRefused(text("No match is running at this table."))
    shown = [f"{line.id} ({', '.join(seats_of(context, line))})" for line in lines[:_CHOICES]]
    raise CommandRefused(
        text(
            "{n} tables are called {title}: type the ID of one of them instead: {tables}",
            n=len(lines), title=quoted(title),
            tables=", ".join(shown if len(shown) == len(lines) else [*shown, "..."]),
        )
    )  # fmt: skip


class _Watcher:
    """A spectator without a screen."""

    def __init__(self, user: str) -> None:
        self.user = user
        self.news = asyncio.Event()
        self.farewell: Text | None = None

    def changed(self) -> None:
        self.news.set()

    def notify(self, sentence: Text, table: str | None = None) -> None:
        """Do nothing: the sentence is not part of the match."""

    def send_away(self, reason: Text) -> None:
        self.farewell = reason
        self.news.set()

    def follow(self, table: str) -> None:
        self.send_away(Elsewhere(table).reason)


class _Telling:
    """Prints one match to its end, with exactly what a spectator's log has of every ply."""

    def __init__(self, context: CommandContext, table: Table, match: Match, *, as_json: bool) -> None:
        self._context, self._table, self._match, self._as_json = context, table, match, as_json
        self._told: list[LogEntry] = []
        line = table.line()
        self._names = [seat.name for seat in line.seats]
        self._people = [name_of(context, seat) for seat in line.seats]

    @property
    def goes_on(self) -> bool:
        """True while this match is running and has not been replaced."""
        return self._table.match is self._match and not self._match.is_over

    async def begin(self) -> None:
        """Print the table, and all plies so far."""
        line = self._table.line()
        if self._as_json:
            await self._context.tell_json({"table": as_tree(self._context, line)})
        else:
            game, people = self._match.game.meta.name, ", ".join(seats_of(self._context, line))
            said = text(
                "{title}: {game}, round {n}: {people}", title=line.title, game=game, n=line.round,
                people=people,
            )  # fmt: skip
            await self._context.tell(said)
        await self.go_on()

    async def go_on(self) -> None:
        """Print new plies, after noting any that were taken back."""
        log = self._match.log(None)
        # an undo removes entries at the end, and the next moves may differ: find the first difference
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
        # empty if the log has no words for it, for example while a choice is secret
        said = [self._context.in_words(sentence) for sentence in self._sentences(entry)]
        if self._as_json:
            move = None if entry.move is None else self._match.game.format_move(entry.move)
            events = [_named(self._match, event) for event in entry.events]
            await self._context.tell_json(
                {"ply": number, "seat": entry.seat, "player": self._names[entry.seat], "move": move,
                 "events": events, "words": said}
            )  # fmt: skip
            return
        head = f"{number}. "
        for sentence in said:
            await self._context.tell(head + sentence)
            head = " " * len(head)

    def _sentences(self, entry: LogEntry) -> tuple[Text, ...]:
        game = self._match.game
        seen = game.observe(self._match.state, None)
        return tuple(game.describe(seen, self._names, entry.seat, entry.move, entry.events))

    async def end(self, farewell: Text | None) -> None:
        """Print the result, or why the output ends early."""
        seen = self._match.game.observe(self._match.state, None)
        if seen.outcome is None:
            said = farewell or text("The match was aborted; it has no winner.")
            await self._tell({"ended": self._context.in_words(said)}, said)
            return
        winners = [self._names[seat] for seat in seen.outcome.winners]
        if self._as_json:
            sheet = zip(self._match.game.sheet, seen.sheet, strict=True)
            await self._context.tell_json(
                {"points": dict(zip(self._names, seen.points, strict=True)), "winners": winners,
                 "sheet": [{"item": item, "points": list(points)} for item, points in sheet]}
            )  # fmt: skip
            return
        for name, points in zip(self._people, seen.points, strict=True):
            await self._context.tell(
                texts("{player}: {n} point", "{player}: {n} points", points, player=name)
            )
        if winners:
            people = ", ".join(self._people[seat] for seat in seen.outcome.winners)
            await self._context.tell(text("Won by {players}.", players=people))
        else:
            await self._context.tell(text("No winner: the tie could not be broken."))

    async def _tell(self, tree: dict[str, Any], said: Text) -> None:
        await (self._context.tell_json(tree) if self._as_json else self._context.tell(said))


def _named(match: Match, event: Event) -> dict[str, Any]:
    """Return an event with the names that docs/protocol.md uses for it and its fields."""
    meant = part_of(match.game.meta.id, "model").read_event(event)
    particulars = {field.name: _plain(getattr(meant, field.name)) for field in fields(meant)}
    return {"event": type(meant).__name__, **particulars}


def _plain(value: Any) -> Any:
    return [_plain(part) for part in value] if isinstance(value, bytes | tuple) else value


async def history(context: CommandContext, skip: int, *, as_json: bool) -> None:
    """List the matches that the user has played, newest first, after `skip`. Raises `KkError`."""
    matches, has_older = await context.server.hub.history.lines(context.asker.user, skip)
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
        await context.tell_json(lines)
        return
    rows = [
        (str(line["id"]), str(line["ended"])[:10], match.game,
         ", ".join(_people(context, match)))
        for line, match in zip(lines, matches, strict=True)
    ]  # fmt: skip
    for row in in_columns(rows):
        await context.tell(row)
    if has_older:
        await context.tell(text("Older ones: history --skip {n}", n=skip + len(lines)))
    elif not lines and skip:
        await context.tell(text("You have no older matches."))
    elif not lines:
        await context.tell(text("You haven't finished a match yet."))


def _people(context: CommandContext, match: PastMatch) -> Iterator[str]:
    for seat, (name, points) in enumerate(zip(match.names, match.points, strict=True)):
        yield f"{program_name(context, name) if seat in match.programs else name} {points}"


async def record(context: CommandContext, name: str, *, signature: bool) -> None:
    """Print the record of a finished match, or its signature. Raises `KkError`."""
    history = context.server.hub.history
    try:
        table, number = await history.match_named(name)
    except NoMatchName as error:
        raise error.with_commands from None
    match, _ = await history.ended(context.asker.user, table, number)
    content = format_record(record_of(match)).encode()
    if signature:
        content = (context.server.hub.sign(content) or "").encode()
    await context.give(content)


async def health(context: CommandContext, *, as_json: bool) -> None:
    """Print the state of the server; for admins with all nodes."""
    server = context.server
    fault, unwritten, is_admin = await server.storage_fault(), get_logger().fault, context.asker.is_admin
    phases = server.hub.table_cache.phases()
    figures: dict[str, Any] = {
        "status": "not storing" if fault is not None else "draining" if server.is_draining else "ok",
        # it may name the database's host and user, which others need not know, nor the nodes' addresses
        "storage": str(fault) if fault is not None and is_admin else None,
        "log": str(unwritten) if unwritten is not None and is_admin else None,
        "version": kk_core.__version__,
        "uptime": round(server.uptime),
        "people": len(server.hub.presence.users()),
        "sessions": server.visits.present,
        "connections": server.connections,
        "tables": {phase: phases[phase] for phase in _PHASES},
        # damaged tables, or tables of a version with other rules
        "tables_left_out": server.hub.left_out,
    }
    nodes = server.hub.nodes.all() if is_admin else ()
    if as_json:
        shown = [
            {
                "address": node.address,
                "here": node.is_here,
                "draining": node.is_draining,
                "share": node.share,
                "outdated": node.is_outdated,
                "reached": node.is_reached,
            }
            for node in nodes
        ]
        await context.tell_json(figures | ({"nodes": shown} if nodes else {}))
        return
    for line in _health_words(figures, fault if is_admin else None):
        await context.tell(line)
    if unwritten is not None and is_admin:
        await context.tell(text("log: it can't be written: {reason}", reason=unwritten))
    for node in nodes:
        status = text("draining") if node.is_draining else text("ok")
        if node.is_outdated:
            status = text("{status}, of an older version", status=status)
        if not node.is_reached:
            status = text("{status}, but not reached at the last attempt", status=status)
        await context.tell(
            text("node {node}: {status}, {share} % of all tables", node=node.address,
                 status=status, share=round(100 * node.share))
        )  # fmt: skip


def _health_words(figures: Mapping[str, Any], fault: Text | None) -> Iterator[Text]:
    words = {"draining": text("draining"), "not storing": text("nothing can be stored")}
    status = words.get(figures["status"], text("ok"))
    if fault is not None:
        status = text("nothing can be stored: {reason}", reason=fault)
    yield text("status: {status}", status=status)
    yield text("version: {version}", version=figures["version"])
    up = timedelta(seconds=figures["uptime"])
    time = str(timedelta(seconds=up.seconds))
    span = texts("{n} day, {time}", "{n} days, {time}", up.days, time=time) if up.days else time
    yield text("uptime: {span}", span=span)
    yield text("people: {n}", n=figures["people"])
    yield text("sessions: {n}", n=figures["sessions"])
    yield text("connections: {n}", n=figures["connections"])
    yield text("tables: {open} open, {playing} playing, {finished} finished", **figures["tables"])
    yield text("tables left out: {n}", n=figures["tables_left_out"])


async def close(context: CommandContext, table_id: str) -> None:
    """Close a table. Raises `KkError`."""
    try:
        await context.server.close_table(table_id)
    except Elsewhere:
        if table_id not in context.server.hub.table_cache:
            raise CommandRefused(text("There is no table {table}.", table=repr(table_id))) from None
        context.server.visits.tell_others(Close(table_id))
        await context.tell(text("Table {table} is served by another node, which closes it now.",
                                table=table_id))  # fmt: skip
        return
    await context.tell(text("Table {table} is closed.", table=table_id))


async def drain(context: CommandContext, minutes: int | None) -> None:
    """Stop soon. Raises `KkError`."""
    told = context.server.drain(minutes)
    if not context.server.hub.presence.here():
        told = text("Nobody is online: this server stops now. Everything is saved.")
    await context.tell(told)


async def reload(context: CommandContext) -> None:
    """Reload settings and lists. Raises `KkError`."""
    for line in await context.server.reload():
        await context.tell(line)
