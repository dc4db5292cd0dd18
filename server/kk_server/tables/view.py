"""The views of a table: as a viewer there may see it, its summary, and its line in the lobby."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from kk_core.bot_names import bot_people, style_of
from kk_core.text import Text
from kk_core.views import RatingView, SeatView, TableLine, TableView
from kk_server.log import get_logger
from kk_server.storage.entries import Ended, SeatHolder
from kk_server.storage.summaries import FINISHED, PLAYING, Summary
from kk_server.storage.table_log import StorageFailed
from kk_server.tables.context import TableContext
from kk_server.tables.place import Viewpoint, colours
from kk_server.tables.presence import Presence

if TYPE_CHECKING:
    from kk_server.tables.table import Table

_logger = get_logger()

Rating: TypeAlias = Callable[[str | None], RatingView | None]
"""Returns the rating of a user at a table; None if nothing is rated there."""


class TableRatings:
    """The ratings of people at a table, and how the last match changed them."""

    def __init__(self, table: Table, context: TableContext) -> None:
        self._table = table
        self._ratings = context.ratings
        self._nodes = context.nodes
        self._changes: tuple[int, Mapping[str, RatingView]] = 0, {}

    async def rate(self, ended: Ended) -> bool:
        """Rate a match. False if that could not be stored; then it is rated at the next server start."""
        if self._ratings is None or not ended.rated:
            return True
        try:
            self._changes = ended.match, await self._ratings.rate(ended)
        except StorageFailed as error:
            _logger.error("match not rated", table=ended.table, error=type(error).__name__)
            return False
        self._nodes.rated(ended.game, self._changes[1])
        return True

    def view(self, account: str | None) -> RatingView | None:
        """Return the rating of somebody who sits here, after a match with its change."""
        state = self._table.state
        if self._ratings is None or account is None or not state.created.rated:
            return None
        match, changes = self._changes
        if state.phase == FINISHED and match == state.matches and account in changes:
            return changes[account]
        return self._ratings.view(state.created.game, account)


class TableViews:
    """Makes the views of one table."""

    def __init__(self, table: Table, presence: Presence, absence: float) -> None:
        """Take the table; others may have a bot play for somebody who has been away for `absence` seconds."""
        self._table = table
        self._presence = presence
        self._absence = ceil(absence)
        self._made_at: object = None
        self._summary: Summary
        self._seats: tuple[int, tuple[SeatView, ...]] = (-1, ())
        """The last result of `seats`, and the revision it was made for."""

    def view(self, viewpoint: Viewpoint) -> TableView:
        """Return the table as a viewer may see it."""
        table, state = self._table, self._table.state
        proposal = table.proposals.proposal
        return TableView(
            id=table.id,
            title=state.created.title,
            owner=state.owner,
            game=state.created.game,
            options=tuple(sorted(state.options.items())),
            hints=table.has_hints,
            phase=state.phase,
            seats=self.seats(),
            viewer=viewpoint.seat,
            match=None if state.match is None else state.match.view(viewpoint.seat),
            code=state.created.code,
            watched=state.created.watched,
            watchers=self._watchers(),
            proposal=None if proposal is None else proposal.view(),
            rated=state.created.rated,
            clock=table.timekeeper.view(),
            shuffle=None if state.phase == PLAYING else table.shuffle.view(),
            chat=table.chat.view(table.audience_of(viewpoint.user)),
            stand_in=state.created.stand_in,
            absence=self._absence,
            waits=table.is_waiting,
            number=state.matches,
        )

    def summary(self) -> Summary:
        """Return the summary of the table; the same object as long as nothing changes."""
        table = self._table
        key = table.state, table.state.revision, table.at, table.is_kept
        # the lobby and unloading ask for it all the time
        if key != self._made_at:
            self._made_at, self._summary = key, table.state.summary(table.at, is_kept=table.is_kept)
        return self._summary

    def line(self) -> TableLine:
        """Return the table's line in the lobby."""
        return line_of(self._table.id, self.summary(), self._presence, self._table.ratings.view)

    def seats(self) -> tuple[SeatView, ...]:
        """Return the seats as clients see them; made once per revision."""
        table = self._table
        # presence and ratings publish a new revision too, so the revision is enough of a key
        if self._seats[0] != table.revision:
            seats = seats_of(table.id, self.summary(), self._presence, table.ratings.view)
            self._seats = table.revision, seats
        return self._seats[1]

    def _watchers(self) -> tuple[str, ...]:
        sitting = {holder.owner for holder in self._table.state.seats}
        return tuple(sorted({somebody.user for somebody in self._table.subscribers} - sitting))


def line_of(
    table: str, summary: Summary, presence: Presence, rating: Rating, unplayable: Text | None = None
) -> TableLine:
    """Return the line of a table in the lobby; `unplayable` is why it cannot continue."""
    created = summary.created
    return TableLine(
        table, created.title, created.game, summary.phase,
        seats_of(table, summary, presence, rating),
        summary.round, summary.points, summary.active, summary.at, summary.owner, summary.is_private,
        created.watched, created.clock, created.rated, unplayable, created.lesson,
        created.daily,
    )  # fmt: skip


def named(table: str, holders: tuple[SeatHolder, ...], number: int) -> tuple[SeatHolder, ...]:
    """Return the seat holders in match `number` of a table, with bots under the names that people see.

    For a deal of the day, `table` is the day: everybody meets the same bots.
    """
    places = colours(len(holders), number)
    # a bot keeps its name when the seats move on, so names go by colour
    bots = tuple(holders[places.index(place)].bot for place in range(len(holders)))
    people = bot_people(bots, sum(table.encode()))
    return tuple(
        replace(holder, name=people[place] or holder.name)
        for place, holder in zip(places, holders, strict=True)
    )


def seats_of(table: str, summary: Summary, presence: Presence, rating: Rating) -> tuple[SeatView, ...]:
    """Return the seats of a table as clients see them."""
    places = colours(len(summary.seats), summary.number)
    created = summary.created
    holders = named(created.daily or table, summary.seats, summary.number)
    has_styles = not created.daily or created.bots > 0  # a deal of a day on which its bots had none
    return tuple(
        SeatView(
            holder.name,
            holder.owner,
            holder.bot,
            holder.owner is not None and presence.has(holder.owner),
            place,
            0 if holder.owner is None else presence.away_since(holder.owner),
            holder.stand_in,
            holder.has_given_up,
            rating(holder.owner),
            summary.stood_in.get(seat, 0),
            holder.program,
            style_of(holder.bot, holder.name) if has_styles else None,
        )
        for seat, (place, holder) in enumerate(zip(places, holders, strict=True))
    )
