"""What is shown of a table: all of it as somebody there may see it, and its line in the lobby."""

from __future__ import annotations

from typing import Protocol

from msgspec.structs import replace

from kk_core.bot_names import bot_people
from kk_core.wire.views import SeatView, TableLine, TableView
from server.hub.agreement import Agreements
from server.hub.chat import Audience, Chat
from server.hub.place import colours
from server.hub.presence import Presence
from server.hub.publisher import Eyes, Subscriber
from server.hub.rated import TableRatings
from server.hub.shuffle import Shuffle
from server.hub.table_state import PLAYING, TableState
from server.hub.timekeeper import Timekeeper


class ShownTable(Protocol):
    """What is shown."""

    id: str
    state: TableState
    subscribers: set[Subscriber]
    agreements: Agreements
    chat: Chat
    timekeeper: Timekeeper
    shuffle: Shuffle
    ratings: TableRatings

    def audience_of(self, user: str) -> Audience | None:
        """Who hears what somebody says; None for all."""
        ...

    @property
    def has_hints(self) -> bool:
        """Whether people may ask for hints here."""
        ...

    @property
    def at(self) -> int:
        """When the table last changed, in seconds since 1970."""
        ...


class TableViews:
    """Makes the views of one table."""

    def __init__(self, table: ShownTable, presence: Presence) -> None:
        self._table = table
        self._presence = presence
        self._public: tuple[int, tuple[int, ...]] | None = None  # the points that all know, at a revision

    def view(self, eyes: Eyes) -> TableView:
        """The table as somebody may see it."""
        table, state = self._table, self._table.state
        proposal = table.agreements.proposal
        return TableView(
            id=table.id,
            title=state.created.title,
            owner=state.owner,
            game=state.created.game,
            options=tuple(sorted(state.options.items())),
            hints=table.has_hints,
            phase=state.phase,
            seats=self.seats(),
            viewer=eyes.seat,
            match=None if state.match is None else state.match.view(eyes.seat),
            code=state.created.code,
            watched=state.created.watched,
            watchers=self._watchers(),
            proposal=None if proposal is None else proposal.view(),
            rated=state.created.rated,
            clock=table.timekeeper.view(),
            shuffle=None if state.phase == PLAYING else table.shuffle.view(),
            chat=table.chat.view(table.audience_of(eyes.user) or Audience.PLAYERS),
        )

    def line(self) -> TableLine:
        """The table's line in the lobby."""
        table, state, created = self._table, self._table.state, self._table.state.created
        line = TableLine(
            table.id, created.title, created.game, state.phase, self.seats(), at=table.at,
            owner=state.owner, private=created.code is not None, watched=created.watched, clock=created.clock,
            rated=created.rated,
        )  # fmt: skip
        match = state.match
        if match is None:
            return line
        if self._public is None or self._public[0] != state.revision:
            self._public = state.revision, match.game.observe(match.state, None).points
        active = match.game.active_seats(match.state)
        return replace(line, round=match.game.round(match.state), points=self._public[1], active=active)

    def seats(self) -> tuple[SeatView, ...]:
        """Who sits where, bots by the names that people call them."""
        holders = self._table.state.seats
        places = colours(len(holders), self._table.state.number)
        # whoever plays for a bot moves on with it, too
        people = bot_people(
            tuple(holders[places.index(place)].bot for place in range(len(holders))),
            sum(self._table.id.encode()),
        )
        return tuple(
            SeatView(
                people[place] or holder.name,
                holder.owner,
                holder.bot,
                holder.owner is not None and self._presence.has(holder.owner),
                place,
                0 if holder.owner is None else self._presence.away_since(holder.owner),
                holder.stand_in,
                holder.has_given_up,
                self._table.ratings.view(holder.owner),
            )
            for place, holder in zip(places, holders, strict=True)
        )

    def _watchers(self) -> tuple[str, ...]:
        """Who is here and does not sit here."""
        sitting = {holder.owner for holder in self._table.state.seats}
        return tuple(sorted({somebody.user for somebody in self._table.subscribers} - sitting))
