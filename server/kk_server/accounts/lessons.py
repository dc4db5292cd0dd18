"""Lessons of accounts: which ones they have finished, and the steps at which they have left others.

A lesson that goes on has a table of its own, which knows its step; what is stored here is for when that is
gone.
"""

from __future__ import annotations

from typing import Final

from kk_core.views import is_guest
from kk_server.storage.sql import Database

_LEARNT: Final = "SELECT game FROM account_lessons WHERE account = ? AND learnt = 1"
_STEP: Final = "SELECT step FROM account_lessons WHERE account = ? AND game = ?"
_FINISH: Final = """
    INSERT INTO account_lessons (account, game, step, learnt) VALUES (:account, :game, 0, 1)
    ON CONFLICT (account, game) DO UPDATE SET step = 0, learnt = 1
"""
_LEAVE: Final = """
    INSERT INTO account_lessons (account, game, step, learnt) VALUES (:account, :game, :step, 0)
    ON CONFLICT (account, game) DO UPDATE SET step = :step
"""


class AccountLessons:
    """The lessons of the accounts of a hub; without a file, as at home, nothing is stored.

    Nor is anything of a guest: somebody else may have the name tomorrow.
    """

    def __init__(self, database: Database | None = None) -> None:
        self._database = database

    async def learnt(self, user: str) -> frozenset[str]:
        """Return the games whose lessons a user has finished. Raises `StorageFailed`."""
        database = self._file_of(user)
        rows = [] if database is None else await database.rows(_LEARNT, (user,))
        return frozenset(str(game) for (game,) in rows)

    async def finish(self, user: str, game: str) -> None:
        """Record that a user has finished the lesson of a game. Raises `StorageFailed`."""
        if (database := self._file_of(user)) is not None:
            await database.write(_FINISH, {"account": user, "game": game})

    async def step(self, user: str, game: str) -> int:
        """Return the step, from 0, at which a user goes on with a lesson. Raises `StorageFailed`."""
        database = self._file_of(user)
        rows = [] if database is None else await database.rows(_STEP, (user, game))
        return int(rows[0][0]) if rows else 0

    async def leave(self, user: str, game: str, step: int) -> None:
        """Record the step, from 0, at which a user has left a lesson. Raises `StorageFailed`."""
        if (database := self._file_of(user)) is not None:
            await database.write(_LEAVE, {"account": user, "game": game, "step": step})

    def _file_of(self, user: str) -> Database | None:
        return None if is_guest(user) else self._database
