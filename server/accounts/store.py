"""Keys and the accounts that they open, in the server's SQLite file.

Every change is one statement that says what it builds on, so that two who come at once cannot both succeed.
"""

from __future__ import annotations

from time import time
from typing import Any, Final

from server.storage.database import Database

_CLAIM: Final = """
    INSERT OR IGNORE INTO account_keys (fingerprint, account, claims, at)
    VALUES (:fingerprint, :account, :claims, :at)
"""
_ADD_KEY: Final = """
    INSERT OR IGNORE INTO account_keys (fingerprint, account, at)
    SELECT :fingerprint, :account, :at
    WHERE (SELECT count(*) FROM account_keys WHERE account = :account) BETWEEN 1 AND :most - 1
"""
_ACCOUNT_OF: Final = "SELECT account FROM account_keys WHERE fingerprint = ?"
_HOLDER_OF: Final = "SELECT account FROM account_keys WHERE claims = ?"
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

MOST_KEYS: Final = 20
"""How many keys may open one account."""


class AccountStore:
    """All accounts. An account is called by its name; its first key is the one that has claimed the name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, account: str, claims: str, fingerprint: str) -> bool:
        """Make an account; `claims` is the skeleton of its name. False where name or key are taken already.

        Raises `StorageFailed`.
        """
        row = {"account": account, "claims": claims, "fingerprint": fingerprint, "at": int(time())}
        return await self._database.write(_CLAIM, row) == 1

    async def add_key(self, account: str, fingerprint: str) -> bool:
        """Let a further key open an account. False where the key is taken, or there are too many.

        Raises `StorageFailed`.
        """
        row = {"account": account, "fingerprint": fingerprint, "at": int(time()), "most": MOST_KEYS}
        return await self._database.write(_ADD_KEY, row) == 1

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
