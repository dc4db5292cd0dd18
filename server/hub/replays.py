"""Replays: matches that nobody can change any more, to be looked at ply by ply."""

from __future__ import annotations

import re
from collections.abc import Callable

from kk_core.bot_names import BOT_PREFIX, bot_people
from kk_core.bots import bot_kind
from kk_core.match import Match
from kk_core.types import Seat, Viewer
from kk_core.wire.messages import PlayOn
from kk_core.wire.past import PastMatch
from kk_core.wire.views import SeatView, TableView
from server.hub.names import clean_title, distinct
from server.hub.place import Place, colours
from server.hub.publisher import Eyes, Subscriber
from server.hub.table_state import replayed
from server.storage.entries import Created, Ended, Entry, Holder, Reopened, Started
from server.storage.kept import data_for
from server.storage.table_log import TableLog

REPLAY = "replay"
"""The phase that views of a replay have."""


class ReplayPlace(Place):
    """A match of the past, shown to whoever has asked for it."""

    def __init__(
        self,
        place_id: str,
        match: Match,
        count: Callable[[], int],
        title: str = "",
        seats: tuple[Holder, ...] | None = None,
        number: int = 1,
    ) -> None:
        """`seats` are those who sat there, if more is known of them than their names in the record.

        `number` counts the matches of their table.
        """
        super().__init__(count)
        self._colours = colours(len(match.seats), number)
        self.id = place_id
        self._match = match
        self._seats = holders_of(match) if seats is None else seats
        self._title = title

    @property
    def match(self) -> Match:
        """The match, at its end."""
        return self._match

    @property
    def match_number(self) -> int:
        """There is only one."""
        return 1

    @property
    def is_open(self) -> bool:
        """Whoever has the record has all of it."""
        return True

    def seats_of(self, user: str) -> tuple[Seat, ...]:  # noqa: ARG002
        """Nobody sits here any more."""
        return ()

    def share(self, eyes: Eyes) -> Viewer:
        """Nothing here depends on who looks."""
        return eyes.seat

    def view(self, eyes: Eyes) -> TableView:
        """The end of the match."""
        match, viewer = self._match, eyes.seat
        return TableView(
            id=self.id,
            title=self._title,
            owner="",
            game=match.game.meta.id,
            options=tuple(sorted(match.options.items())),
            hints=False,
            phase=REPLAY,
            seats=tuple(
                SeatView(holder.name, None, holder.bot, False, colour, program=holder.program)
                for holder, colour in zip(self._seats, self._colours, strict=True)
            ),
            viewer=viewer,
            match=match.view(viewer),
        )

    def enter(self, subscriber: Subscriber) -> None:
        """Show it to somebody."""
        self.subscribers.add(subscriber)

    async def leave(self, subscriber: Subscriber) -> None:
        """Nothing is left to do here."""
        self.lose(subscriber)

    def lose(self, subscriber: Subscriber) -> None:
        """Nothing is left to do here."""
        self.subscribers.discard(subscriber)


def past_match(user: str, ended: Ended) -> PastMatch:
    """A line of a user's history."""
    return PastMatch(
        table=ended.table,
        match=ended.match,
        at=ended.at,
        game=ended.game,
        names=tuple(holder.name for holder in ended.seats),
        bots=tuple(holder.bot for holder in ended.seats),
        mine=tuple(seat for seat, holder in enumerate(ended.seats) if holder.owner == user),
        points=ended.points,
        winners=ended.winners,
        plies=ended.plies,
        replayed=ended.replayed,
        colours=colours(len(ended.seats), ended.match),
        programs=tuple(seat for seat, holder in enumerate(ended.seats) if holder.program),
    )


def played_on(
    user: str, own_name: str, match: Match, wish: PlayOn, rules: str, drawing: str | None
) -> list[Entry]:
    """The entries of a table where a match goes on; with the digests of what is kept. Raises `KkError`.

    Its seed is that of the match, so that all shuffles come out the same.
    """
    game, names = match.game, list[str]()
    for wanted in wish.seats:
        if wanted:
            bot_kind(wanted)
        name = BOT_PREFIX + wanted if wanted else own_name
        names.append(distinct(name, names))
    holders = tuple(
        Holder(name, None, wanted) if wanted else Holder(name, user)
        for name, wanted in zip(names, wish.seats, strict=True)
    )
    created = Created(clean_title("", user), user, game.meta.id, dict(match.options), len(holders))
    lines = tuple(f"{ply.seat} {game.format_move(ply.move)}" for ply in match.plies)
    return [created, Started(match.seed.hex(), game.rules_version, holders, rules, lines, drawing)]


def holders_of(match: Match) -> tuple[Holder, ...]:
    """Who sat there, by the names of the record; bots are called as at a table."""
    bots = tuple(map(_bot_of, match.seats))
    people = bot_people(bots, match.commitment[0])
    seats = zip(match.seats, people, bots, strict=True)
    return tuple(Holder(person or name, None, kind) for name, person, kind in seats)


def _bot_of(name: str) -> str | None:
    """The bot of a name in a record: `bot:hard`, `bot:hard 2`, or where it had so many simulations
    `bot:hard:50`; None for a person's.
    """
    return re.split("[ :]", name.removeprefix(BOT_PREFIX))[0] if name.startswith(BOT_PREFIX) else None


async def match_of(log: TableLog, entries: tuple[Entry, ...]) -> Match | None:
    """The match at the end of some entries; None where there is none. Raises `KkError`."""
    return replayed(entries, await data_for(log, entries)).match if entries else None


def until(entries: tuple[Entry, ...], number: int) -> tuple[Entry, ...]:
    """The entries of a table to the end of a match, by its number from 1; none where it has not begun."""
    begun = 0
    for index, entry in enumerate(entries):
        begun += isinstance(entry, Started)
        if begun > number or (begun == number and isinstance(entry, Reopened)):
            return entries[:index]
    return entries if begun == number else ()
