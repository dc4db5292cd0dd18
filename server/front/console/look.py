"""`tables`, `who`, `leaderboard` and `watch`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from kk_core.registry import game_ids
from kk_core.text import Text, text
from kk_core.types import Outcome
from kk_core.wire.ratings import LeaderLine
from kk_core.wire.views import MatchView, TableLine
from server.front.console.columns import in_columns
from server.front.console.desk import Desk, Refused
from server.hub.table import Table


async def tables(desk: Desk, *, as_json: bool) -> None:
    """The tables that somebody may come to, a line each; for admins all, and who opened them."""
    is_admin = desk.asker.is_admin
    lines = desk.house.hub.lobby.lines(None if is_admin else desk.asker.user)
    openers = {table: summary.created.host for table, summary in desk.house.hub.shelf.summaries()}
    if as_json:
        shown = [_as_tree(desk, line) | _opened(desk, openers[line.id]) for line in lines]
        await desk.tell_json(shown)
        return
    for line in lines:
        seats = ", ".join(_seats(line))
        await desk.tell(
            f"{line.id}  {line.game:<12}  {line.phase:<8}  {line.round:>2}  {line.title}: {seats}"
        )
        if line.unplayable is not None:
            said = text("This table cannot go on here: {reason}", reason=line.unplayable)
            await desk.tell(f"{'':8}  {desk.in_words(said)}")
        if is_admin:
            await desk.tell(f"{'':8}  {desk.in_words(_opened_words(desk, line, openers[line.id]))}")
    if not lines:
        await desk.tell(text("No table is open."))


def _opened(desk: Desk, opener: str) -> dict[str, Any]:
    """For admins, who has opened a table, and from where he came of late."""
    if not desk.asker.is_admin:
        return {}
    return {"opened_by": opener, "addresses": desk.house.visits.addresses_of(opener)}


def _opened_words(desk: Desk, line: TableLine, opener: str) -> Text:
    addresses = ", ".join(desk.house.visits.addresses_of(opener)) or "-"
    if line.private:
        return text("by invitation; opened by {user}, {addresses}", user=opener, addresses=addresses)
    return text("opened by {user}, {addresses}", user=opener, addresses=addresses)


def _seats(line: TableLine) -> Iterator[str]:
    for seat, holder in enumerate(line.seats):
        points = f" {line.points[seat]}" if line.points else ""
        turn = "*" if seat in line.active else ""
        yield f"{turn}{holder.name or '-'}{points}"


def _as_tree(desk: Desk, line: TableLine) -> dict[str, Any]:
    return {
        "id": line.id, "title": line.title, "game": line.game, "phase": line.phase, "round": line.round,
        "owner": line.owner, "private": line.private, "watched": line.watched, "changed": _time(line.at),
        "unplayable": None if line.unplayable is None else desk.in_words(line.unplayable),
        "seats": [
            {
                "name": holder.name or None, "user": holder.owner, "bot": holder.bot or holder.stand_in,
                "here": holder.online, "points": line.points[seat] if line.points else None,
                "to_move": seat in line.active,
            }
            for seat, holder in enumerate(line.seats)
        ],
    }  # fmt: skip


def _time(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


async def who(desk: Desk, *, as_json: bool) -> None:
    """Who is here and at which table, if everybody may know; for admins with address and key."""
    asker, house = desk.asker, desk.house
    people: dict[str, list[str]] = {user: [] for user in house.hub.presence.users()}
    for table in house.hub.tables.values():
        if asker.is_admin or table.admits(asker.user):
            for user in {somebody.user for somebody in table.subscribers} & people.keys():
                people[user].append(table.id)
    trees = [
        {"user": user, "tables": sorted(tables), **_sessions(desk, user)} for user, tables in people.items()
    ]
    if as_json:
        await desk.tell_json(trees)
        return
    for tree in trees:
        sessions = [" ".join(filter(None, session.values())) for session in tree.get("sessions", [])]
        await desk.tell("  ".join([tree["user"], *tree["tables"], *sessions]))
    if not trees:
        await desk.tell(text("Nobody is here."))


def _sessions(desk: Desk, user: str) -> dict[str, Any]:
    if not desk.asker.is_admin:
        return {}
    visits = desk.house.visits.of(user)
    return {"sessions": [{"address": one.caller.address, "key": one.caller.fingerprint} for one in visits]}


async def leaderboard(desk: Desk, game: str | None, *, as_json: bool) -> None:
    """The best of a game, or of all games. Raises `KkError`."""
    games = game_ids() if game is None else (game,)
    boards = {each: desk.house.hub.leaders(desk.asker.user, each) for each in games}
    if as_json:
        await desk.tell_json({each: [_leader(line) for line in board] for each, board in boards.items()})
        return
    rows = [_leader_row(desk, each, line) for each, board in boards.items() for line in board]
    for line in in_columns(rows, right=(1, 3, 4)):
        await desk.tell(line)
    if not rows:
        await desk.tell(text("Nobody has a rating yet."))


def _leader_row(desk: Desk, game: str, line: LeaderLine) -> tuple[str, ...]:
    return (
        game,
        f"{line.place}." if line.place else "-",
        line.name,
        f"{line.rating.shown}{' ' if line.rating.is_settled else '?'}",
        desk.in_words(text("{played} played,", played=line.played)),
        desk.in_words(text("{won} won", won=f"{line.won:g}")),
    )


def _leader(line: LeaderLine) -> dict[str, Any]:
    return {
        "place": line.place or None, "name": line.name, "rating": line.rating.shown,
        "settled": line.rating.is_settled, "played": line.played, "won": line.won,
    }  # fmt: skip


# -- watch ---------------------------------------------------------------------------------------------------


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


async def watch(desk: Desk, table_id: str, *, as_json: bool) -> None:
    """What spectators see of a running match, a line for each ply, to its end. Raises `KkError`."""
    table = await desk.house.hub.table(table_id)
    if table.match is None or table.is_open:
        raise Refused(text("No match goes on at this table now."))
    number, watcher = table.match_number, _Watcher(desk.asker.user)
    table.enter(watcher)
    try:
        told = await _tell_plies(desk, table, 0, as_json=as_json)
        while watcher.farewell is None and table.match_number == number and not table.is_open:
            await watcher.news.wait()
            watcher.news.clear()
            if table.match is not None:
                told = await _tell_plies(desk, table, told, as_json=as_json)
        await _tell_end(desk, table, watcher.farewell, as_json=as_json)
    finally:
        await table.leave(watcher)


async def _tell_plies(desk: Desk, table: Table, told: int, *, as_json: bool) -> int:
    """Tell the plies after those that were told; gives how many are now."""
    view = _public(table)
    if view.ply < told:
        await _tell(desk, {"undone": view.ply}, text("Taken back to ply {n}.", n=view.ply), as_json=as_json)
    names = [seat.name for seat in table.line().seats]
    for number, entry in view.recent():
        if number >= min(told, view.ply):
            move = None if entry.move is None else table.state.rules.format_move(entry.move)
            said = text("{ply}. {player}: {move}", ply=number + 1, player=names[entry.seat],
                        move=move or text("a secret choice"))  # fmt: skip
            await _tell(
                desk, {"ply": number + 1, "player": names[entry.seat], "move": move}, said, as_json=as_json
            )
    return view.ply


async def _tell_end(desk: Desk, table: Table, farewell: Text | None, *, as_json: bool) -> None:
    """Tell what the match came to, or why it is told no more."""
    outcome: Outcome | None = _public(table).observation.outcome if table.is_open else None
    if outcome is None:
        said = farewell or text("The match was broken off; nobody has won it.")
        await _tell(desk, {"ended": desk.in_words(said)}, said, as_json=as_json)
        return
    line = table.line()
    names, points = [seat.name for seat in line.seats], line.points
    winners = [names[seat] for seat in outcome.winners]
    if as_json:
        await desk.tell_json({"points": dict(zip(names, points, strict=True)), "winners": winners})
        return
    for name, result in zip(names, points, strict=True):
        await desk.tell(text("{player}: {points} points", player=name, points=result))
    if winners:
        await desk.tell(text("Won by {players}.", players=", ".join(winners)))
    else:
        await desk.tell(text("There is no winner: the tie could not be broken."))


def _public(table: Table) -> MatchView:
    if table.match is None:
        raise Refused(text("No match goes on at this table now."))
    return table.match.view(None)


async def _tell(desk: Desk, tree: dict[str, Any], said: Text, *, as_json: bool) -> None:
    await (desk.tell_json(tree) if as_json else desk.tell(said))
