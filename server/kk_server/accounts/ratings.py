"""Ratings of accounts, computed from rated matches; each match counts once."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kk_core.types import Seat
from kk_core.views import SETTLED, LeaderLine, RatingView
from kk_server.storage.entries import Ended
from kk_server.storage.sql import Database

if TYPE_CHECKING:
    from openskill.models import PlackettLuce

MEAN: Final = 1500.0
"""The mean of an account that has not played yet."""

DEVIATION: Final = 500.0
"""The uncertainty of that mean; beating somebody half of it stronger is not unusual."""


class Rating(msgspec.Struct, frozen=True):
    """The strength of an account in one game, and the matches it was estimated from.

    `won` counts wins; a shared win counts as a fraction for each winner.
    """

    mean: float = MEAN
    deviation: float = DEVIATION
    played: int = 0
    won: float = 0.0

    @property
    def shown(self) -> int:
        """The number that people are shown."""
        return round(self.mean)

    def view(self, before: Rating | None = None) -> RatingView:
        """Return it as people are shown it, with the change from `before`."""
        change = None if before is None else self.shown - before.shown
        return RatingView(self.shown, self.played >= SETTLED, change)


def places(ended: Ended) -> list[int]:
    """Return the place of every seat, from 1; places can be shared, and those who resigned come last."""

    def worth(seat: Seat) -> tuple[bool, bool, int]:
        return ended.seats[seat].has_given_up, seat not in ended.winners, -ended.points[seat]

    order = sorted(range(len(ended.seats)), key=worth)
    found: dict[Seat, int] = {}
    for place, seat in enumerate(order, 1):
        before = order[place - 2]
        found[seat] = found[before] if place > 1 and worth(before) == worth(seat) else place
    return [found[seat] for seat in range(len(order))]


def rated(before: Sequence[Rating], ended: Ended) -> list[Rating]:
    """Return the ratings after a match, in seat order."""
    model, ranks = _model(), places(ended)
    teams = [[model.rating(mu=rating.mean, sigma=rating.deviation)] for rating in before]
    after = model.rate(teams, ranks=[float(rank) for rank in ranks])
    return [
        Rating(player.mu, player.sigma, rating.played + 1, rating.won + ended.share_of_win(seat))
        for seat, ((player,), rating) in enumerate(zip(after, before, strict=True))
    ]


@cache
def _model() -> PlackettLuce:
    # imported when the first match is rated: it takes as long as the rest of starting `kk play`
    from openskill.models import PlackettLuce

    # openskill's own proportions: deviation a third of the mean, beta half of that, tau a hundredth
    return PlackettLuce(mu=MEAN, sigma=DEVIATION, beta=DEVIATION / 2, tau=DEVIATION / 100)


_KEEP: Final = """
    INSERT INTO ratings (game, account, table_id, match, at, {columns}) VALUES {rows} ON CONFLICT DO NOTHING
"""
_ROW: Final = "(:game, :account_{n}, :table, :match, :at, {values})"
_FIGURES: Final = ("mean", "deviation", "played", "won")
_NEWEST: Final = """
    SELECT game, account, mean, deviation, played, won FROM ratings
    WHERE number IN (SELECT max(number) FROM ratings GROUP BY game, account)
"""
_CURRENT: Final = """
    SELECT account, mean, deviation, played, won FROM ratings
    WHERE number IN (
        SELECT max(number) FROM ratings WHERE game = ? AND account IN ({accounts}) GROUP BY account
    )
"""
_OF_MATCH: Final = """
    SELECT account, mean, deviation, played, won FROM ratings WHERE table_id = ? AND match = ?
"""
_BEFORE: Final = """
    SELECT mean, deviation, played, won FROM ratings
    WHERE game = ? AND account = ? AND number < (
        SELECT number FROM ratings WHERE table_id = ? AND match = ? AND account = ?
    )
    ORDER BY number DESC LIMIT 1
"""


class RatingStore:
    """The table of ratings; the newest row of an account and game is its current rating."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self) -> dict[tuple[str, str], Rating]:
        """Return all ratings, by game and account. Raises `StorageFailed`."""
        rows = await self._database.rows(_NEWEST)
        return {(str(row[0]), str(row[1])): _rating(row[2:]) for row in rows}

    async def current(self, game: str, accounts: Collection[str]) -> dict[str, Rating]:
        """Return the ratings of accounts that have one, by account. Raises `StorageFailed`."""
        query = _CURRENT.format(accounts=", ".join("?" * len(accounts)))
        rows = await self._database.rows(query, (game, *accounts))
        return {str(row[0]): _rating(row[1:]) for row in rows}

    async def keep(self, ended: Ended, ratings: dict[str, Rating]) -> None:
        """Store the ratings after a match, atomically and only once. Raises `StorageFailed`."""
        values: dict[str, Any] = {
            "game": ended.game, "table": ended.table, "match": ended.match, "at": ended.at
        }  # fmt: skip
        rows = []
        for n, (account, rating) in enumerate(ratings.items()):
            own = {f"{name}_{n}": value for name, value in msgspec.structs.asdict(rating).items()}
            values |= own | {f"account_{n}": account}
            rows.append(_ROW.format(n=n, values=", ".join(f":{name}_{n}" for name in _FIGURES)))
        statement = _KEEP.format(columns=", ".join(_FIGURES), rows=", ".join(rows))
        await self._database.write(statement, values)

    async def after(self, table: str, match: int) -> dict[str, Rating]:
        """Return the ratings that a match resulted in, by account; empty if it has not been rated yet.

        Raises `StorageFailed`.
        """
        rows = await self._database.rows(_OF_MATCH, (table, match))
        return {str(row[0]): _rating(row[1:]) for row in rows}

    async def before(self, ended: Ended, account: str) -> Rating:
        """Return an account's rating before a match that has been rated. Raises `StorageFailed`."""
        key = (ended.game, account, ended.table, ended.match, account)
        rows = await self._database.rows(_BEFORE, key)
        return _rating(rows[0]) if rows else Rating()


def _rating(row: Any) -> Rating:
    mean, deviation, played, won = row
    return Rating(float(mean), float(deviation), int(played), float(won))


LEADERS: Final = 100
"""Lines on a leaderboard."""


class Ratings:
    """All ratings in memory; call `load` first. Accounts go by name, games by identifier."""

    def __init__(self, store: RatingStore) -> None:
        self._store = store
        self._now: dict[tuple[str, str], Rating] = {}
        self._lock = asyncio.Lock()

    async def load(self) -> None:
        """Read the stored ratings. Raises `StorageFailed`."""
        self._now = await self._store.newest()

    async def follow(self, game: str, accounts: Collection[str]) -> None:
        """Read the ratings of accounts anew: another node may have changed them. Raises `StorageFailed`."""
        found = await self._store.current(game, accounts)
        self._now |= {(game, account): rating for account, rating in found.items()}

    def view(self, game: str, account: str) -> RatingView:
        """Return the current rating of an account."""
        return self._of(game, account).view()

    def _of(self, game: str, account: str) -> Rating:
        return self._now.get((game, account), Rating())

    async def rate(self, ended: Ended) -> dict[str, RatingView]:
        """Rate a match, unless already done; returns the new ratings with their changes, by account.

        Raises `StorageFailed`; then nothing has changed.
        """
        accounts = [str(holder.owner) for holder in ended.seats]
        # two matches of the same people may end at once, and the second rating builds on the first
        async with self._lock:
            after = await self._store.after(ended.table, ended.match)
            # already rated, by a server that stopped before recording it
            if after:
                return {name: after[name].view(await self._store.before(ended, name)) for name in after}
            await self.follow(ended.game, accounts)
            before = [self._of(ended.game, account) for account in accounts]
            after = dict(zip(accounts, rated(before, ended), strict=True))
            await self._store.keep(ended, after)
            self._now |= {(ended.game, account): rating for account, rating in after.items()}
        return {name: after[name].view(was) for name, was in zip(accounts, before, strict=True)}

    def leaders(self, game: str, user: str | None = None) -> tuple[LeaderLine, ...]:
        """Return the best players of a game, settled ratings first, and always the `user` if they play it."""
        known = [(account, rating) for (played, account), rating in self._now.items() if played == game]
        # ties are broken by name, so that the order is stable
        known.sort(key=lambda line: (not line[1].view().is_settled, -line[1].mean, line[0]))
        lines = [
            LeaderLine(
                place if rating.view().is_settled else 0,
                account,
                rating.view(),
                rating.played,
                rating.won,
                round(rating.deviation),
            )
            for place, (account, rating) in enumerate(known, 1)
        ]
        return (*lines[:LEADERS], *(line for line in lines[LEADERS:] if line.name == user))
