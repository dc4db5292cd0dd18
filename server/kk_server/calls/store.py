"""The addresses that accounts are called at, and the turns they have been called for."""

from __future__ import annotations

from collections.abc import Iterable
from time import time
from typing import Final, NamedTuple

from kk_server.storage.sql import Database

_ADDRESSES: Final = "SELECT account, address FROM account_calls"
_TURNS: Final = "SELECT account, table_id, match, turn FROM called_turns"
_KEEP_ADDRESS: Final = """
    INSERT INTO account_calls (account, address, at) VALUES (:account, :address, :at)
    ON CONFLICT (account) DO UPDATE SET address = :address, at = :at
"""
_FORGET_ADDRESS: Final = "DELETE FROM account_calls WHERE account = :account"
_FORGET_TURNS: Final = "DELETE FROM called_turns WHERE account = :account"
_KEEP_TURN: Final = """
    INSERT INTO called_turns (account, table_id, match, turn) VALUES (:account, :table, :match, :turn)
"""


class CalledTurn(NamedTuple):
    """One turn at a table: the number of the match, from 1, and of the plies before the turn."""

    table: str
    match: int
    turn: int


class CallStore:
    """The calls of the accounts in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def addresses(self) -> dict[str, str]:
        """Return the confirmed address of every account that has one. Raises `StorageFailed`."""
        return {str(account): str(address) for account, address in await self._database.rows(_ADDRESSES)}

    async def turns(self) -> dict[str, dict[str, CalledTurn]]:
        """Return the last turn that each account was called for, by table. Raises `StorageFailed`."""
        found: dict[str, dict[str, CalledTurn]] = {}
        for account, table, match, turn in await self._database.rows(_TURNS):
            found.setdefault(str(account), {})[str(table)] = CalledTurn(str(table), match, turn)
        return found

    async def keep_address(self, account: str, address: str) -> None:
        """Store the address of an account, in place of any other. Raises `StorageFailed`."""
        row = {"account": account, "address": address, "at": int(time())}
        await self._database.write(_KEEP_ADDRESS, row)

    async def keep_turns(self, account: str, turns: Iterable[CalledTurn]) -> None:
        """Store the turns that an account has been called for, in place of all others.

        Raises `StorageFailed`.
        """
        rows = [
            (_KEEP_TURN, {"account": account, "table": turn.table, "match": turn.match, "turn": turn.turn})
            for turn in turns
        ]
        await self._database.write_all([(_FORGET_TURNS, {"account": account}), *rows])

    async def forget(self, account: str) -> None:
        """Delete everything about an account. Raises `StorageFailed`."""
        row = {"account": account}
        await self._database.write_all([(_FORGET_ADDRESS, row), (_FORGET_TURNS, row)])
