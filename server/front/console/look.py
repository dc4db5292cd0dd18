"""`tables`, `who` and `leaderboard`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from kk_core.registry import game_ids
from kk_core.text import Text, text
from kk_core.wire.ratings import LeaderLine
from kk_core.wire.views import SeatView, TableLine
from server.front.console.columns import in_columns
from server.front.console.desk import Desk


async def tables(desk: Desk, *, as_json: bool) -> None:
    """The tables that somebody may come to, a line each; for admins all, and who opened them."""
    is_admin = desk.asker.is_admin
    lines = desk.house.hub.lobby.lines(None if is_admin else desk.asker.user)
    openers = {table: summary.created.host for table, summary in desk.house.hub.shelf.summaries()}
    if as_json:
        shown = [as_tree(desk, line) | _opened(desk, openers[line.id]) for line in lines]
        await desk.tell_json(shown)
        return
    for line in lines:
        seats = ", ".join(seats_of(desk, line))
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


def seats_of(desk: Desk, line: TableLine) -> Iterator[str]:
    """Who sits at a table, in the order of the seats, with the points and a mark of whose turn it is."""
    for seat, holder in enumerate(line.seats):
        points = f" {line.points[seat]}" if line.points else ""
        turn = "*" if seat in line.active else ""
        yield f"{turn}{name_of(desk, holder)}{points}"


def name_of(desk: Desk, holder: SeatView) -> str:
    """The name of somebody, and what it is if it is no person."""
    if holder.program:
        return program_name(desk, holder.name)
    if holder.bot is not None:
        return desk.in_words(text("{name} ({level} bot)", name=holder.name, level=holder.bot))
    return holder.name or "-"


def program_name(desk: Desk, name: str) -> str:
    """The name of a program, with its mark."""
    return desk.in_words(text("{name} (program)", name=name))


def as_tree(desk: Desk, line: TableLine) -> dict[str, Any]:
    """A table as JSON has it."""
    return {
        "id": line.id, "title": line.title, "game": line.game, "phase": line.phase, "round": line.round,
        "owner": line.owner, "private": line.private, "watched": line.watched, "changed": _time(line.at),
        "unplayable": None if line.unplayable is None else desk.in_words(line.unplayable),
        "seats": [
            {
                "name": holder.name or None, "user": holder.owner, "bot": holder.bot or holder.stand_in,
                "program": holder.program, "here": holder.online,
                "points": line.points[seat] if line.points else None, "to_move": seat in line.active,
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
        {"user": user, "program": house.hub.presence.is_program(user), "tables": sorted(tables),
         **_sessions(desk, user)}
        for user, tables in people.items()
    ]  # fmt: skip
    if as_json:
        await desk.tell_json(trees)
        return
    for tree in trees:
        sessions = [" ".join(filter(None, session.values())) for session in tree.get("sessions", [])]
        name = program_name(desk, tree["user"]) if tree["program"] else tree["user"]
        await desk.tell("  ".join([name, *tree["tables"], *sessions]))
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
