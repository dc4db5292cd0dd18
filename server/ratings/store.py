"""All ratings that anybody ever had, in the server's SQLite file: a row for each account and rated match."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from server.ratings.rating import Rating
from server.storage.database import Database
from server.storage.entries import Ended

_KEEP: Final = "INSERT OR IGNORE INTO ratings (game, account, table_id, match, at, {columns}) VALUES {rows}"
_ROW: Final = "(:game, :account_{n}, :table, :match, :at, {values})"
_FIGURES: Final = ("mean", "deviation", "played", "won")
_NEWEST: Final = """
    SELECT game, account, mean, deviation, played, won FROM ratings
    WHERE number IN (SELECT max(number) FROM ratings GROUP BY game, account)
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
    """The newest row of an account and game is the rating that counts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self) -> dict[tuple[str, str], Rating]:
        """Everybody's ratings, by game and account. Raises `StorageFailed`."""
        rows = await self._database.rows(_NEWEST)
        return {(str(row[0]), str(row[1])): _rating(row[2:]) for row in rows}

    async def keep(self, ended: Ended, ratings: dict[str, Rating]) -> None:
        """Store the ratings after a match, all of them or none, and once. Raises `StorageFailed`."""
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
        """The ratings that a match has made, by account; none where it was not rated yet.

        Raises `StorageFailed`.
        """
        rows = await self._database.rows(_OF_MATCH, (table, match))
        return {str(row[0]): _rating(row[1:]) for row in rows}

    async def before(self, ended: Ended, account: str) -> Rating:
        """The rating with which somebody went into a match that is rated. Raises `StorageFailed`."""
        key = (ended.game, account, ended.table, ended.match, account)
        rows = await self._database.rows(_BEFORE, key)
        return _rating(rows[0]) if rows else Rating()


def _rating(row: Any) -> Rating:
    mean, deviation, played, won = row
    return Rating(float(mean), float(deviation), int(played), float(won))
