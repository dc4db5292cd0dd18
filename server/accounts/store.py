"""Keys and the accounts that they open, in the server's SQLite file.

Every change is one statement that says what it builds on, so that two who come at once cannot both succeed.
"""

from __future__ import annotations

from time import time
from typing import Any, Final

from kk_core.wire.people import KeyLine
from server.storage.database import Database

_CLAIM: Final = """
    INSERT OR IGNORE INTO account_keys (fingerprint, account, claims, at, name, used)
    VALUES (:fingerprint, :account, :claims, :at, :name, :at)
"""
_ADD_KEY: Final = """
    INSERT OR IGNORE INTO account_keys (fingerprint, account, at, name, used, told)
    SELECT :fingerprint, :account, :at, :name, :at, 0
    WHERE (SELECT count(*) FROM account_keys WHERE account = :account) BETWEEN 1 AND :most - 1
"""
_ACCOUNT_OF: Final = "SELECT account FROM account_keys WHERE fingerprint = ?"
_HOLDER_OF: Final = "SELECT account FROM account_keys WHERE claims = ?"
_KEYS_OF: Final = """
    SELECT fingerprint, name, at, used FROM account_keys WHERE account = ? ORDER BY at, rowid
"""
_NAME_KEY: Final = """
    UPDATE account_keys SET name = :name WHERE fingerprint = :fingerprint AND account = :account
"""
_NOTE_USE: Final = "UPDATE account_keys SET used = :now WHERE fingerprint = :fingerprint AND used <= :before"
_UNTOLD: Final = """
    SELECT fingerprint, name, at, used FROM account_keys WHERE account = ? AND told = 0 AND fingerprint != ?
"""
_TOLD: Final = "UPDATE account_keys SET told = 1 WHERE fingerprint = :fingerprint"
_REMOVE: Final = """
    DELETE FROM account_keys WHERE fingerprint = :fingerprint AND account = :account
    AND (SELECT count(*) FROM account_keys WHERE account = :account) > 1
"""
_CLAIM_ON: Final = """
    UPDATE account_keys SET claims = :claims
    WHERE rowid = (SELECT rowid FROM account_keys WHERE account = :account ORDER BY at, rowid LIMIT 1)
    AND NOT EXISTS (SELECT 1 FROM account_keys WHERE claims = :claims)
"""
"""After its first key an account keeps its name by the oldest that is left."""

_SETTINGS_OF: Final = "SELECT settings FROM account_settings WHERE account = ?"
_KEEP_SETTINGS: Final = """
    INSERT INTO account_settings (account, settings) VALUES (:account, :settings)
    ON CONFLICT (account) DO UPDATE SET settings = :settings
"""
_WELCOMED_BY: Final = "SELECT digest FROM welcomed WHERE account = ?"
_KEEP_WELCOMED: Final = """
    INSERT INTO welcomed (account, digest) VALUES (:account, :digest)
    ON CONFLICT (account) DO UPDATE SET digest = :digest
"""

_HOUR: Final = 3600

MOST_KEYS: Final = 20
"""How many keys may open one account."""


class AccountStore:
    """All accounts. An account is called by its name, which its oldest key claims."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, account: str, claims: str, fingerprint: str, name: str) -> bool:
        """Make an account; `claims` is the skeleton of its name, `name` the key's.

        False where name or key are taken already. Raises `StorageFailed`.
        """
        row = {
            "account": account, "claims": claims, "fingerprint": fingerprint, "name": name, "at": int(time()),
        }  # fmt: skip
        return await self._database.write(_CLAIM, row) == 1

    async def add_key(self, account: str, fingerprint: str, name: str) -> bool:
        """Let a further key open an account. False where the key is taken, or there are too many.

        Raises `StorageFailed`.
        """
        row = {
            "account": account, "fingerprint": fingerprint, "name": name, "at": int(time()),
            "most": MOST_KEYS,
        }  # fmt: skip
        return await self._database.write(_ADD_KEY, row) == 1

    async def keys_of(self, account: str) -> tuple[KeyLine, ...]:
        """The keys that open an account, the oldest first. Raises `StorageFailed`."""
        return tuple(KeyLine(*row) for row in await self._database.rows(_KEYS_OF, (account,)))

    async def name_key(self, account: str, fingerprint: str, name: str) -> bool:
        """Call a key of an account something. False where it has no such key. Raises `StorageFailed`."""
        row = {"account": account, "fingerprint": fingerprint, "name": name}
        return await self._database.write(_NAME_KEY, row) == 1

    async def note_use(self, fingerprint: str) -> None:
        """Keep that somebody came with a key, to the hour. Raises `StorageFailed`."""
        now = int(time())
        row = {"fingerprint": fingerprint, "now": now, "before": now - _HOUR}
        await self._database.write(_NOTE_USE, row)

    async def untold(self, account: str, fingerprint: str) -> tuple[KeyLine, ...]:
        """Keys that nobody was told of who came with another one, such as this. Raises `StorageFailed`."""
        rows = await self._database.rows(_UNTOLD, (account, fingerprint))
        return tuple(KeyLine(*row) for row in rows)

    async def note_told(self, fingerprint: str) -> None:
        """Keep that the owner was told of a key. Raises `StorageFailed`."""
        await self._database.write(_TOLD, {"fingerprint": fingerprint})

    async def remove_key(self, account: str, claims: str, fingerprint: str) -> bool:
        """Let a key open an account no more, which keeps its name. False for its last key, and for others.

        Raises `StorageFailed`.
        """
        row = {"account": account, "claims": claims, "fingerprint": fingerprint}
        removed, _ = await self._database.write_all([(_REMOVE, row), (_CLAIM_ON, row)])
        return removed == 1

    async def account_of(self, fingerprint: str) -> str | None:
        """The account that a key opens. Raises `StorageFailed`."""
        return await self._one(_ACCOUNT_OF, fingerprint)

    async def holder_of(self, claims: str) -> str | None:
        """The account whose name has this skeleton. Raises `StorageFailed`."""
        return await self._one(_HOLDER_OF, claims)

    async def settings_of(self, account: str) -> str | None:
        """The settings of an account as they were kept. Raises `StorageFailed`."""
        return await self._one(_SETTINGS_OF, account)

    async def keep_settings(self, account: str, settings: str) -> None:
        """Keep settings instead of those of before. Raises `StorageFailed`."""
        await self._database.write(_KEEP_SETTINGS, {"account": account, "settings": settings})

    async def welcomed_by(self, account: str) -> str | None:
        """The digest of the welcome that an account has read last. Raises `StorageFailed`."""
        return await self._one(_WELCOMED_BY, account)

    async def keep_welcomed(self, account: str, digest: str) -> None:
        """Keep that an account has read the welcome of this digest. Raises `StorageFailed`."""
        await self._database.write(_KEEP_WELCOMED, {"account": account, "digest": digest})

    async def _one(self, query: str, value: str) -> str | None:
        rows: list[Any] = await self._database.rows(query, (value,))
        return str(rows[0][0]) if rows else None
