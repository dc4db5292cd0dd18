"""Everybody's ratings: made by matches that were to be rated, each of which counts once."""

from __future__ import annotations

import asyncio
from typing import Final

from kk_core.wire.ratings import LeaderLine, RatingView
from server.ratings.rating import Rating, rated
from server.ratings.store import RatingStore
from server.storage.entries import Ended

LEADERS: Final = 100
"""Lines of a leaderboard."""


class Ratings:
    """Call `load` before all else. Accounts are called by their names, games by their identifiers."""

    def __init__(self, store: RatingStore) -> None:
        self._store = store
        self._now: dict[tuple[str, str], Rating] = {}
        self._lock = asyncio.Lock()

    async def load(self) -> None:
        """Read what is known. Raises `StorageFailed`."""
        self._now = await self._store.newest()

    def view(self, game: str, account: str) -> RatingView:
        """The rating of an account, as it stands."""
        return self._of(game, account).view()

    def _of(self, game: str, account: str) -> Rating:
        return self._now.get((game, account), Rating())

    async def rate(self, ended: Ended) -> dict[str, RatingView]:
        """Let a match count, unless it does already; what it has changed, by account.

        Raises `StorageFailed`; then nothing has changed.
        """
        accounts = [str(holder.owner) for holder in ended.seats]
        async with self._lock:
            after = await self._store.after(ended.table, ended.match)
            if after:
                return {name: after[name].view(await self._store.before(ended, name)) for name in after}
            before = [self._of(ended.game, account) for account in accounts]
            after = dict(zip(accounts, rated(before, ended), strict=True))
            await self._store.keep(ended, after)
            self._now |= {(ended.game, account): rating for account, rating in after.items()}
        return {name: after[name].view(was) for name, was in zip(accounts, before, strict=True)}

    def leaders(self, game: str, user: str | None = None) -> tuple[LeaderLine, ...]:
        """The best of a game, those first whose rating is settled; a user who plays it is always there."""
        known = [(account, rating) for (played, account), rating in self._now.items() if played == game]
        known.sort(key=lambda line: (not line[1].view().is_settled, -line[1].mean, line[0]))
        lines = [
            LeaderLine(
                place if rating.view().is_settled else 0, account, rating.view(), rating.played, rating.won
            )
            for place, (account, rating) in enumerate(known, 1)
        ]
        return (*lines[:LEADERS], *(line for line in lines[LEADERS:] if line.name == user))
