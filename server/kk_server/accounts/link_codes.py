"""Link codes, with which an account adds another key."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from hashlib import sha256
from time import time
from typing import Final

from kk_core.protocol.typed_codes import LETTERS, LINK_LENGTH, is_code, readings
from kk_server.storage.sql import Database

LIFE: Final = 600
"""Seconds after which a code expires."""


_FORGET_OLD: Final = "DELETE FROM link_codes WHERE ends <= :now"
_FORGET: Final = "DELETE FROM link_codes WHERE account = :account"
_ADD: Final = (
    "INSERT INTO link_codes (account, digest, ends) VALUES (:account, :digest, :ends) "
    "ON CONFLICT (account) DO UPDATE SET digest = excluded.digest, ends = excluded.ends"
)
_USE: Final = "DELETE FROM link_codes WHERE digest = :digest AND account = :account"
_OUT: Final = "SELECT 1 FROM link_codes WHERE account = ? AND ends > ?"
_MADE_FOR: Final = "SELECT account FROM link_codes WHERE digest = ? AND ends > ?"


class LinkCodes:
    """At most one code per account, stored only as digests; `now` gives seconds since 1970."""

    def __init__(self, database: Database, now: Callable[[], float] = time) -> None:
        self._database = database
        self._now = now

    async def new(self, account: str) -> str:
        """Create a code for an account, such as ABCD-EFGH; it replaces another. Raises `StorageFailed`."""
        letters, now = new_code(LINK_LENGTH), int(self._now())
        # only the digest is stored: whoever reads it has to try all codes while this one lives
        row = {"account": account, "digest": _digest(letters), "ends": now + LIFE}
        await self._database.write_all([(_FORGET_OLD, {"now": now}), (_ADD, row)])
        half = LINK_LENGTH // 2
        return f"{letters[:half]}-{letters[half:]}"

    async def is_out(self, account: str) -> bool:
        """Return whether an account has a code that can still be used. Raises `StorageFailed`."""
        return bool(await self._database.rows(_OUT, (account, int(self._now()))))

    async def forget(self, account: str) -> None:
        """Expire the code of an account. Raises `StorageFailed`."""
        await self._database.write(_FORGET, {"account": account})

    async def knows(self, code: str) -> bool:
        """Return whether a code could be used now, without using it up. Raises `StorageFailed`."""
        return bool(await self._made_for(code))

    async def redeem(self, code: str) -> str | None:
        """Use up a code and return the account it was made for; None if it is invalid.

        Raises `StorageFailed`.
        """
        made_for = await self._made_for(code)
        # of several that may be meant, none is
        for digest, account in made_for.items() if len(made_for) == 1 else ():
            if await self._database.write(_USE, {"digest": digest, "account": account}):
                return account
        return None

    async def _made_for(self, code: str) -> dict[str, str]:
        """Return the accounts of codes that may be meant, by digest."""
        found = {}
        for digest in map(_digest, readings(code)):
            # found by its digest, which tells nobody how close a guess was
            for (account,) in await self._database.rows(_MADE_FOR, (digest, int(self._now()))):
                found[digest] = str(account)
        return found


def new_code(length: int) -> str:
    """Create a code of `length` letters."""
    while not is_code(code := "".join(secrets.choice(LETTERS) for _ in range(length))):
        pass  # a code has at least one digit, so that it is not mistaken for a word
    return code


def _digest(code: str) -> str:
    return sha256(code.encode(errors="replace")).hexdigest()
